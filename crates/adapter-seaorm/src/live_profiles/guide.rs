//! Guide of a profile: its channels that a guide has, and their programmes.

use domain_kernel::Id;
use domain_live::programme::{KeptProgramme, LONGEST};
use ports::{ChannelPlace, ChannelSelection, GuidedChannel, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use super::{
    broken,
    channels::{APPLIED_TO, place_of, push_conditions, push_slice},
};
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    entities::{guide_fetches, programmes},
    guides::{decided_shift, linked, programme_of},
};

async fn rows(database: &Database, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
    database.scanner.query_all_raw(sql.statement(database.backend())).await.map_err(store_error)
}

pub(super) async fn shared_ids(
    database: &Database,
    selection: &ChannelSelection,
) -> Result<Vec<(String, Id)>, StoreError> {
    let mut sql = Sql::new("SELECT c.epg_id, min(c.tv_guide_id) AS guide_id FROM tv_channels c");
    push_conditions(&mut sql, selection);
    sql.push(
        " AND c.epg_id IS NOT NULL AND c.tv_guide_id IS NOT NULL GROUP BY c.epg_id \
         HAVING min(c.tv_guide_id) < max(c.tv_guide_id) ORDER BY c.epg_id",
    );
    rows(database, sql).await?.iter().map(id_with_guide).collect()
}

fn id_with_guide(row: &QueryResult) -> Result<(String, Id), StoreError> {
    let id = row.try_get("", "epg_id").map_err(store_error)?;
    Ok((id, row.try_get("", "guide_id").map_err(store_error)?))
}

pub(super) async fn ids_in_several_guides(database: &Database) -> Result<Vec<(String, Id)>, StoreError> {
    // Raw: the condition of joined text is longer in sea-query.
    let sql = Sql::new(
        "SELECT DISTINCT c.epg_id, c.tv_guide_id AS guide_id FROM tv_channels c WHERE c.tv_guide_id IS NOT NULL \
         AND c.epg_id IN (SELECT s.epg_id FROM tv_channels s WHERE s.epg_id IS NOT NULL AND s.tv_guide_id IS NOT NULL \
         GROUP BY s.epg_id HAVING min(s.tv_guide_id) < max(s.tv_guide_id)) \
         AND NOT EXISTS (SELECT 1 FROM tv_guides t JOIN guide_channels g ON g.guide_id = t.id \
         AND g.xml_id = c.epg_id || '@' || CAST(c.tv_guide_id AS text))",
    );
    rows(database, sql).await?.iter().map(id_with_guide).collect()
}

pub(super) async fn fingerprint(database: &Database) -> Result<String, StoreError> {
    use guide_fetches::Column;
    let fetch_of = |column: Column| (guide_fetches::Entity, column);
    let guide_id = Expr::col(("tv_guides", "id"));
    let query = Query::select()
        .columns([Column::GuideId, Column::Version, Column::Attempt, Column::State].map(fetch_of))
        .column(("tv_guides", "active"))
        .from(guide_fetches::Entity)
        .inner_join("tv_guides", guide_id.equals(fetch_of(Column::GuideId)))
        .order_by(fetch_of(Column::GuideId), Order::Asc)
        .take();
    let fetch = |row: &QueryResult| {
        let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
        let state: String = row.try_get("", "state").map_err(store_error)?;
        let active: bool = row.try_get("", "active").map_err(store_error)?;
        let (guide, version, attempt) = (number("guide_id")?, number("version")?, number("attempt")?);
        Ok(format!("{guide} {version} {attempt} {state} {active}\n"))
    };
    database.scanner.query_all(&query).await.map_err(store_error)?.iter().map(fetch).collect()
}

pub(super) async fn channels(
    database: &Database,
    selection: &ChannelSelection,
    after: Option<ChannelPlace>,
    count: u32,
) -> Result<Vec<GuidedChannel>, StoreError> {
    let mut sql = Sql::new(format!(
        "SELECT c.id, c.channel_number, c.title, c.title_key, c.tv_guide_id, c.epg_id, c.image_url, \
         g.id AS guide_channel_id, coalesce({} * 60, (SELECT e.applied_shift {APPLIED_TO}), 0) AS shift \
         FROM tv_channels c{}",
        decided_shift!("c"),
        linked!("c")
    ));
    push_conditions(&mut sql, selection);
    sql.push(" AND g.id IS NOT NULL");
    push_slice(&mut sql, selection.order, after, count);
    let channel = |row: &QueryResult| {
        Ok(GuidedChannel {
            place: place_of(row)?,
            guide: row.try_get("", "tv_guide_id").map_err(store_error)?,
            epg_id: row.try_get("", "epg_id").map_err(store_error)?,
            guide_channel: row.try_get("", "guide_channel_id").map_err(store_error)?,
            shift: row.try_get("", "shift").map_err(store_error)?,
            title: row.try_get("", "title").map_err(store_error)?,
            image_url: row.try_get("", "image_url").map_err(store_error)?,
        })
    };
    rows(database, sql).await?.iter().map(channel).collect()
}

pub(super) async fn programmes(
    database: &Database,
    guide_channels: &[Id],
    from: i64,
    to: i64,
) -> Result<Vec<(Id, KeptProgramme)>, StoreError> {
    use programmes::Column;
    if guide_channels.is_empty() {
        return Ok(Vec::new());
    }
    let find = programmes::Entity::find()
        .select_only()
        .columns([
            Column::ChannelId,
            Column::StartAt,
            Column::StopAt,
            Column::Title,
            Column::Details,
            Column::FurtherDetails,
        ])
        .filter(Column::ChannelId.is_in(guide_channels.iter().copied()))
        // A programme at the start of the span began at most the maximum duration before.
        .filter(Column::StartAt.gt(from - LONGEST))
        .filter(Column::StartAt.lt(to))
        .filter(Column::StopAt.gt(from))
        .order_by_asc(Column::ChannelId)
        .order_by_asc(Column::StartAt);
    let programme = |row: &QueryResult| {
        let channel = row.try_get("", "channel_id").map_err(store_error)?;
        Ok((channel, programme_of(row).map_err(broken)?))
    };
    let rows = database.scanner.query_all(&find.into_query()).await.map_err(store_error)?;
    rows.iter().map(programme).collect()
}
