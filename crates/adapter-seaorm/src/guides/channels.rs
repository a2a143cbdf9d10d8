//! Channels of guides for users, and titles shared by guides.

use domain_kernel::{FilterValue, Id, ListQuery, Page};
use domain_live::{
    distance::Shown,
    programme::{TITLE_KEY, title_key},
};
use ports::{ListedGuideChannel, StoreError};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use super::SeaOrmGuides;
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
};

/// Condition that an active channel of the catalogue uses the channel `g`, whose guide is active.
const USED: &str = "EXISTS (SELECT 1 FROM tv_channels m JOIN tv_guides t ON t.id = m.tv_guide_id AND t.active \
     WHERE m.active AND m.tv_guide_id = g.guide_id AND m.epg_id = g.xml_id)";
/// Maximum programmes of other guides compared with one.
const MOST_COMPARED: i64 = 4_000;
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
        let mut sql = Sql::new(format!(
            "SELECT g.guide_id, p.channel_id, p.start_at, p.search_text FROM programmes p \
             JOIN guide_channels g ON g.id = p.channel_id JOIN tv_guides t ON t.id = g.guide_id \
             WHERE substr(p.search_text, 1, {TITLE_KEY}) IN ("
        ));
        sql.bind_all(some.iter().map(|title| title_key(title)));
        sql.push(") AND p.start_at >= ").bind(from).push(" AND p.start_at < ").bind(to);
        sql.push(" AND t.active AND t.id <> ").bind(guide);
        // Ordered, so that the limit selects the same ones each time.
        sql.push(" ORDER BY p.start_at, p.channel_id LIMIT ").bind(MOST_COMPARED);
        let statement = sql.statement(database.backend());
        let rows = database.scanner.query_all_raw(statement).await.map_err(store_error)?;
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
