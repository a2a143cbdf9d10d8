//! The items of reports in the catalogue: by ID, and by title.

use std::collections::HashMap;

use domain_catalogue::Kind;
use domain_issues::{IssueContentType, parse_episode_title};
use domain_kernel::{Enumeration, Id, order_key};
use ports::{IssueItem, StoreError};
use sea_orm::{
    ConnectionTrait, DbErr, QueryResult,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{SeaOrmIssues, code};
use crate::{
    catalogue::table,
    db::{error::store_error, sql::Sql},
    report_items::EPISODE_TITLE,
};

/// Values per lookup: below the limit of bound values of both databases.
const MOST: usize = 500;

/// The column with the name of an item of a kind.
const fn title_of(kind: Kind) -> &'static str {
    match kind {
        Kind::RadioStations => "station_name",
        _ => "title",
    }
}

impl SeaOrmIssues {
    /// Items by their ids: one statement over the tables of all kinds, each by its primary key.
    pub(super) async fn items_of(
        &self,
        wanted: &[(IssueContentType, Id)],
    ) -> Result<Vec<IssueItem>, StoreError> {
        let mut items = Vec::new();
        for wanted in wanted.chunks(MOST) {
            let mut sql = Sql::default();
            for content_type in IssueContentType::ALL {
                let ids: Vec<Id> =
                    wanted.iter().filter(|(of, _)| of == content_type).map(|(_, id)| *id).collect();
                if ids.is_empty() {
                    continue;
                }
                if !sql.text.is_empty() {
                    sql.push(" UNION ALL ");
                }
                let (kind, table) = (content_type.kind(), table(content_type.kind()));
                sql.push(&format!(
                    "SELECT CAST('{}' AS text) AS content_type, m.id AS id, ",
                    content_type.code()
                ));
                sql.push(&if kind == Kind::Episodes {
                    format!(
                        "{EPISODE_TITLE} AS title, m.tv_show_id AS show_id FROM episodes m \
                         JOIN tv_shows s ON s.id = m.tv_show_id"
                    )
                } else {
                    format!("m.{} AS title, CAST(NULL AS bigint) AS show_id FROM {table} m", title_of(kind))
                });
                sql.push(" WHERE m.id IN (").bind_all(ids).push(")");
            }
            if sql.text.is_empty() {
                continue;
            }
            let item = |row: &QueryResult| {
                let content_type = code::<IssueContentType>(&row.try_get::<String>("", "content_type")?)?;
                Ok(IssueItem {
                    content_type,
                    kind: content_type.kind(),
                    id: row.try_get("", "id")?,
                    title: row.try_get("", "title")?,
                    show: row.try_get("", "show_id")?,
                })
            };
            items.extend(self.read_all(sql, item).await?);
        }
        Ok(items)
    }

    pub(super) async fn ids_of(
        &self,
        wanted: &[(IssueContentType, String)],
    ) -> Result<Vec<Option<Id>>, StoreError> {
        let mut found = vec![None; wanted.len()];
        for content_type in IssueContentType::ALL {
            let titles: Vec<(usize, &str)> = wanted
                .iter()
                .enumerate()
                .filter(|(_, (of, _))| of == content_type)
                .map(|(index, (_, title))| (index, title.as_str()))
                .collect();
            for titles in titles.chunks(MOST / 3) {
                let known = if *content_type == IssueContentType::Episode {
                    self.episodes_by_place(titles).await
                } else {
                    self.by_title(content_type.kind(), titles).await
                };
                for (index, id) in known.map_err(store_error)? {
                    found[index] = Some(id);
                }
            }
        }
        Ok(found)
    }

    /// Items whose title is unique, along the index of titles; of any table.
    async fn by_title(&self, kind: Kind, titles: &[(usize, &str)]) -> Result<Vec<(usize, Id)>, DbErr> {
        let keys: Vec<(usize, String)> =
            titles.iter().map(|(index, title)| (*index, order_key(title))).collect();
        let key = format!("{}_key", title_of(kind));
        let query = Query::select()
            .expr_as(Expr::col(key.clone()), "title_key")
            .expr_as(Expr::col("id").min(), "id")
            .from(table(kind))
            .and_where(Expr::col(key.clone()).is_in(keys.iter().map(|(_, key)| key.as_str())))
            .group_by_col(key)
            .and_having(Expr::cust("count(*) = 1"))
            .take();
        let mut known: HashMap<String, Id> = HashMap::new();
        for row in self.0.reader.query_all(&query).await? {
            known.insert(row.try_get("", "title_key")?, row.try_get("", "id")?);
        }
        Ok(keys.into_iter().filter_map(|(index, key)| Some((index, *known.get(&key)?))).collect())
    }

    /// Episodes by the title of their show and their numbers, along the indexes of both. Raw: the
    /// comparison of triples.
    async fn episodes_by_place(&self, titles: &[(usize, &str)]) -> Result<Vec<(usize, Id)>, DbErr> {
        let place = |(index, title): &(usize, &str)| {
            let (show, season, episode) = parse_episode_title(title)?;
            Some((*index, (order_key(show), season, episode)))
        };
        let places: Vec<(usize, (String, i32, i32))> = titles.iter().filter_map(place).collect();
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let mut sql = Sql::new(
            "SELECT s.title_key, m.season_number, m.episode_number, min(m.id) AS id FROM tv_shows s \
             JOIN episodes m ON m.tv_show_id = s.id WHERE (s.title_key, m.season_number, m.episode_number) IN (VALUES ",
        );
        for (place, (_, (show, season, episode))) in places.iter().enumerate() {
            sql.push(if place == 0 { "(" } else { ", (" }).bind(show.as_str());
            sql.push(&format!(", {season}, {episode})"));
        }
        sql.push(") GROUP BY s.title_key, m.season_number, m.episode_number HAVING count(*) = 1");
        let mut known: HashMap<(String, i32, i32), Id> = HashMap::new();
        for row in self.rows(sql).await? {
            let place = (
                row.try_get("", "title_key")?,
                row.try_get("", "season_number")?,
                row.try_get("", "episode_number")?,
            );
            known.insert(place, row.try_get("", "id")?);
        }
        Ok(places.into_iter().filter_map(|(index, place)| Some((index, *known.get(&place)?))).collect())
    }
}
