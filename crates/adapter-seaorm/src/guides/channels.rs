//! Channels of guides for users, and titles shared by guides.

use domain_kernel::{FilterValue, Id, ListQuery, Page};
use domain_live::{
    distance::Shown,
    programme::{TITLE_KEY, title_key},
};
use ports::{ListedGuideChannel, StoreError};
use sea_orm::{
    ConnectionTrait, DbErr, JoinType, QueryResult,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use super::SeaOrmGuides;
use crate::{
    Database,
    db::{
        error::store_error,
        sql::{Sql, of},
    },
    entities::{
        guide_channels::{self, Column as Channel},
        programmes::{self, Column as Programme},
    },
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
};

/// Condition that an active channel of the catalogue uses the channel `g`, whose guide is active.
const USED: &str = "EXISTS (SELECT 1 FROM tv_channels m JOIN tv_guides t ON t.id = m.tv_guide_id AND t.active \
     WHERE m.active AND m.tv_guide_id = g.guide_id AND m.epg_id = g.xml_id)";
/// Maximum programmes of other guides compared with one.
const MOST_COMPARED: u64 = 4_000;
/// Titles per statement.
const TITLES_AT_ONCE: usize = 250;

/// The channels of a guide.
struct GuideChannelList(Id);

rows_of_list!(SeaOrmGuides, 0, Id, ListedGuideChannel, |store, guide| GuideChannelList(*guide));

impl ListTable for GuideChannelList {
    type Row = ListedGuideChannel;

    const TABLE: &'static str = "guide_channels";
    const ALIAS: &'static str = "g";
    const DEFAULT_ORDER: (&'static str, bool) = ("g.xml_id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = |row| {
        let read = || -> Result<ListedGuideChannel, DbErr> {
            Ok(ListedGuideChannel {
                id: row.try_get("", "id")?,
                xml_id: row.try_get("", "xml_id")?,
                title: row.try_get("", "title")?,
                used: row.try_get("", "used")?,
            })
        };
        read().map_err(store_error)
    };

    fn columns(&self) -> String {
        format!("g.id, g.xml_id, g.title, {USED} AS used")
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE g.guide_id = ").bind(self.0);
        for filter in &request.query.filters {
            if let ("used", FilterValue::Flag(used)) = (filter.field.as_str(), &filter.value) {
                sql.push(if *used { " AND " } else { " AND NOT " }).push(USED);
            }
        }
        if let Some(text) = request.search.text() {
            sql.push(" AND ").push_like("g.search_text", text);
        }
    }
}

pub(super) async fn listed(
    database: &Database,
    guide: Id,
    query: &ListQuery,
) -> Result<Page<Vec<ListedGuideChannel>>, StoreError> {
    page(database, &GuideChannelList(guide), query).await
}

pub(super) async fn shown_elsewhere(
    database: &Database,
    guide: Id,
    folded: &[String],
    (from, to): (i64, i64),
) -> Result<Vec<(Id, Shown)>, StoreError> {
    let mut found = Vec::new();
    for some in folded.chunks(TITLES_AT_ONCE) {
        // Exactly as in the index of titles.
        let key = Expr::cust(format!("substr(p.search_text, 1, {TITLE_KEY})"));
        let is_channel = of("g", Channel::Id).eq(of("p", Programme::ChannelId));
        // By name: the entity is that of `catalogue`, which uses this module.
        let is_guide = of("t", "id").eq(of("g", Channel::GuideId));
        let query = Query::select()
            .expr(of("g", Channel::GuideId))
            .exprs(
                [Programme::ChannelId, Programme::StartAt, Programme::SearchText]
                    .map(|column| of("p", column)),
            )
            .from_as(programmes::Entity, "p")
            .join_as(JoinType::Join, guide_channels::Entity, "g", is_channel)
            .join_as(JoinType::Join, "tv_guides", "t", is_guide)
            .and_where(key.is_in(some.iter().map(|title| title_key(title))))
            .and_where(of("p", Programme::StartAt).gte(from))
            .and_where(of("p", Programme::StartAt).lt(to))
            .and_where(of("t", "active"))
            .and_where(of("t", "id").ne(guide))
            // Ordered, so that the limit selects the same ones each time.
            .order_by(("p", Programme::StartAt), Order::Asc)
            .order_by(("p", Programme::ChannelId), Order::Asc)
            .limit(MOST_COMPARED)
            .take();
        let rows = database.scanner.query_all(&query).await.map_err(store_error)?;
        let read = |row: &QueryResult| -> Result<(Id, Shown), DbErr> {
            let shown = Shown {
                channel: row.try_get("", "channel_id")?,
                start: row.try_get("", "start_at")?,
                title: row.try_get("", "search_text")?,
            };
            Ok((row.try_get("", "guide_id")?, shown))
        };
        for row in &rows {
            found.push(read(row).map_err(store_error)?);
        }
    }
    Ok(found)
}
