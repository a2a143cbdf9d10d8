//! Input of matching: channels without a link, channels of guides, decisions.

use domain_kernel::{Id, Version};
use domain_live::{
    guide::Localized,
    matching::{Decision, GuideChannel, GuideChannelRef},
};
use ports::{ChannelAlias, MatchGuide, MatchTarget, RenamedLink, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};
use serde::Deserialize;

use super::{get, json, member, rows};
use crate::{
    catalogue::{GuideColumn, TvGuidesTable},
    db::{error::store_error, sql::Sql},
    entities::{epg_decisions, guide_channels as of_guides, guide_fetches},
    guides::linked,
};

/// Columns of a target: a channel `m` and its match `x`, if any.
pub(super) const TARGET: &str = "m.id AS channel_id, m.version AS channel_version, m.title AS channel_title, \
     m.tv_guide_id AS channel_guide_id, m.epg_id AS channel_epg_id, coalesce(x.version, 0) AS match_version, (SELECT e.applied FROM playlist_entries e \
     WHERE e.item_id = m.id AND e.item_kind = 'tv-channels' AND e.in_use AND e.applied IS NOT NULL ORDER BY e.id LIMIT 1) \
     AS entry";

/// Condition of made decisions; others wait for their operation.
const DECIDED: &str = "d.sheet_id IS NULL";

/// Stored content of a channel of a guide.
#[derive(Deserialize)]
struct Content {
    names: Vec<Localized>,
}

pub(super) fn target_of(row: &QueryResult) -> Result<MatchTarget, StoreError> {
    let entry: Option<String> = get(row, "entry")?;
    Ok(MatchTarget {
        channel: get(row, "channel_id")?,
        version: get(row, "channel_version")?,
        title: get(row, "channel_title")?,
        guide: get(row, "channel_guide_id")?,
        epg_id: get(row, "channel_epg_id")?,
        match_version: get(row, "match_version")?,
        entry: entry.as_deref().map(json).transpose()?,
    })
}

fn channel_of(row: &QueryResult) -> Result<GuideChannel, StoreError> {
    channel_with(get(row, "xml_id")?, &get::<String>(row, "content")?)
}

fn channel_with(xml_id: String, content: &str) -> Result<GuideChannel, StoreError> {
    let content: Content = json(content)?;
    Ok(GuideChannel::new(xml_id, content.names))
}

/// A query for active guides that were read, without columns.
pub(super) fn read_guides() -> SelectStatement {
    let guide_id = Expr::col((guide_fetches::Entity, guide_fetches::Column::GuideId));
    Query::select()
        .from(TvGuidesTable)
        .inner_join(guide_fetches::Entity, guide_id.equals((TvGuidesTable, GuideColumn::Id)))
        .and_where(Expr::col((TvGuidesTable, GuideColumn::Active)))
        .and_where(guide_fetches::Column::LastGoodDate.is_not_null())
        .take()
}

pub(super) async fn guides(connection: &impl ConnectionTrait) -> Result<Vec<MatchGuide>, StoreError> {
    let query = read_guides()
        .columns([GuideColumn::Id, GuideColumn::UpdatedBy].map(|column| (TvGuidesTable, column)))
        .order_by((guide_fetches::Entity, guide_fetches::Column::Priority), Order::Asc)
        .order_by((TvGuidesTable, GuideColumn::Id), Order::Asc)
        .take();
    let guide =
        |row: &QueryResult| Ok(MatchGuide { id: get(row, "id")?, updated_by: get(row, "updated_by")? });
    connection.query_all(&query).await.map_err(store_error)?.iter().map(guide).collect()
}

pub(super) async fn guide_channels(
    connection: &impl ConnectionTrait,
    guide: Id,
    after: Id,
    count: u32,
) -> Result<Vec<(Id, GuideChannel)>, StoreError> {
    let found: Vec<(Id, String, String)> = of_guides::Entity::find()
        .select_only()
        .columns([of_guides::Column::Id, of_guides::Column::XmlId, of_guides::Column::Content])
        .filter(of_guides::Column::GuideId.eq(guide))
        .filter(of_guides::Column::Id.gt(after))
        .order_by_asc(of_guides::Column::Id)
        .limit(u64::from(count))
        .into_tuple()
        .all(connection)
        .await
        .map_err(store_error)?;
    found.into_iter().map(|(id, xml_id, content)| Ok((id, channel_with(xml_id, &content)?))).collect()
}

pub(super) async fn aliases(connection: &impl ConnectionTrait) -> Result<Vec<ChannelAlias>, StoreError> {
    // A link that the channel no longer has was undone, or replaced. A deleted channel keeps the
    // name of its last decision. Raw: built by sea-query, the nested alternatives would be longer.
    let sql = Sql::new(format!(
        "SELECT DISTINCT d.name, d.channel_title FROM epg_decisions d LEFT JOIN tv_channels m ON m.id = d.channel_id \
         WHERE {DECIDED} AND d.verdict = 'ACCEPTED' AND d.name <> d.channel_title \
         AND ((m.tv_guide_id = d.guide_id AND m.epg_id = d.xml_id) OR (m.id IS NULL AND NOT EXISTS \
         (SELECT 1 FROM epg_decisions o WHERE o.channel_id = d.channel_id AND o.sheet_id IS NULL AND o.id > d.id))) ORDER BY d.name, d.channel_title"
    ));
    let alias =
        |row: &QueryResult| Ok(ChannelAlias { name: get(row, "name")?, alias: get(row, "channel_title")? });
    rows(connection, sql).await?.iter().map(alias).collect()
}

/// Condition after `FROM tv_channels m`: active ones without a link, all or only new and changed
/// ones.
pub(super) fn push_without_link(sql: &mut Sql, whole: bool) {
    sql.push(concat!(
        " FROM tv_channels m",
        linked!("m"),
        " LEFT JOIN epg_matches x ON x.id = m.id WHERE m.active AND g.id IS NULL"
    ));
    if !whole {
        sql.push(" AND (x.id IS NULL OR x.seen_version <> m.version)");
    }
}

pub(super) async fn targets(
    connection: &impl ConnectionTrait,
    whole: bool,
    after: Id,
    count: u32,
) -> Result<Vec<MatchTarget>, StoreError> {
    let mut sql = Sql::new(format!("SELECT {TARGET}"));
    push_without_link(&mut sql, whole);
    sql.push(" AND m.id > ").bind(after).push(" ORDER BY m.id LIMIT ").bind(i64::from(count));
    rows(connection, sql).await?.iter().map(target_of).collect()
}

pub(super) async fn sure(connection: &impl ConnectionTrait) -> Result<Vec<(Id, Version)>, StoreError> {
    let mut sql = Sql::new("SELECT m.id, m.version");
    push_without_link(&mut sql, true);
    sql.push(" AND x.level = 'AUTO' AND x.decision IS NULL AND x.seen_version = m.version ORDER BY m.id");
    rows(connection, sql).await?.iter().map(|row| Ok((get(row, "id")?, get(row, "version")?))).collect()
}

/// Condition that a decision has made the current link of the channel `m`.
macro_rules! decided_link {
    () => {
        "EXISTS (SELECT 1 FROM epg_decisions d WHERE d.channel_id = m.id AND d.sheet_id IS NULL \
         AND d.verdict IN ('LINKED', 'ACCEPTED') AND d.guide_id = m.tv_guide_id AND d.xml_id = m.epg_id)"
    };
}

pub(super) use decided_link;

pub(super) async fn has_decided_link(
    connection: &impl ConnectionTrait,
    channel: Id,
) -> Result<bool, StoreError> {
    let mut sql = Sql::new(concat!(
        "SELECT count(*) AS total FROM tv_channels m WHERE ",
        decided_link!(),
        " AND m.id = "
    ));
    sql.bind(channel);
    Ok(sql.total(connection).await? > 0)
}

/// Condition of the newest decision for a channel's fields: older ones of the same link have older
/// names.
const NEWEST: &str = "d.id = (SELECT max(o.id) FROM epg_decisions o WHERE o.channel_id = d.channel_id AND o.sheet_id IS NULL \
     AND o.verdict IN ('LINKED', 'ACCEPTED') AND o.guide_id = m.tv_guide_id AND o.xml_id = m.epg_id)";

pub(super) async fn renamed(
    connection: &impl ConnectionTrait,
    after: Id,
    count: u32,
) -> Result<Vec<RenamedLink>, StoreError> {
    let mut sql = Sql::new(format!(
        "SELECT {TARGET}, d.name, g.guide_id, g.xml_id, g.content FROM tv_channels m{} \
         JOIN epg_decisions d ON d.channel_id = m.id LEFT JOIN epg_matches x ON x.id = m.id \
         WHERE {NEWEST} AND g.id IS NOT NULL AND (g.title <> d.name OR x.decision IS NULL) AND m.active AND m.id > ",
        linked!("m")
    ));
    sql.bind(after).push(" ORDER BY m.id LIMIT ").bind(i64::from(count));
    let link = |row: &QueryResult| {
        Ok(RenamedLink {
            target: target_of(row)?,
            of: GuideChannelRef { guide_id: get(row, "guide_id")?, xml_id: get(row, "xml_id")? },
            before: get(row, "name")?,
            names: channel_of(row)?.names,
        })
    };
    rows(connection, sql).await?.iter().map(link).collect()
}

/// Ends the review of links whose ID has its name at the decision again.
pub(super) fn reviews_ended() -> Sql {
    Sql::new(format!(
        "UPDATE epg_matches SET level = 'AUTO', version = version + 1 WHERE level = 'REVIEW' \
         AND decision IN ('LINKED', 'ACCEPTED') AND EXISTS (SELECT 1 FROM tv_channels m{} \
         JOIN epg_decisions d ON d.channel_id = m.id WHERE m.id = epg_matches.id AND {NEWEST} AND g.title = d.name)",
        linked!("m")
    ))
}

pub(super) async fn decisions(
    connection: &impl ConnectionTrait,
    channels: &[Id],
) -> Result<Vec<(Id, Decision)>, StoreError> {
    if channels.is_empty() {
        return Ok(Vec::new());
    }
    let made = epg_decisions::Entity::find()
        .filter(epg_decisions::Column::SheetId.is_null())
        .filter(epg_decisions::Column::ChannelId.is_in(channels.iter().copied()))
        .order_by_asc(epg_decisions::Column::Id)
        .all(connection)
        .await
        .map_err(store_error)?;
    let decision = |row: epg_decisions::Model| {
        let of = row.guide_id.zip(row.xml_id);
        let of = of.map(|(guide_id, xml_id)| GuideChannelRef { guide_id, xml_id });
        Ok((row.channel_id, Decision { verdict: member(&row.verdict)?, of, name: row.name }))
    };
    made.into_iter().map(decision).collect()
}

/// The condition that a channel of a guide is one of these.
fn is_one_of(of: &[GuideChannelRef]) -> Expr {
    let key = [of_guides::Column::GuideId, of_guides::Column::XmlId].map(Expr::col);
    Expr::tuple(key).in_tuples(of.iter().map(|one| (one.guide_id, one.xml_id.clone())))
}

pub(super) async fn guide_channel_ids(
    connection: &impl ConnectionTrait,
    of: &[GuideChannelRef],
) -> Result<Vec<(GuideChannelRef, Id)>, StoreError> {
    let mut found = Vec::with_capacity(of.len());
    for some in of.chunks(super::ROWS_AT_ONCE) {
        let rows: Vec<(Id, Id, String)> = of_guides::Entity::find()
            .select_only()
            .columns([of_guides::Column::Id, of_guides::Column::GuideId, of_guides::Column::XmlId])
            .filter(is_one_of(some))
            .into_tuple()
            .all(connection)
            .await
            .map_err(store_error)?;
        let with_ref = |(id, guide_id, xml_id)| (GuideChannelRef { guide_id, xml_id }, id);
        found.extend(rows.into_iter().map(with_ref));
    }
    Ok(found)
}

pub(super) async fn named_guide_channels(
    connection: &impl ConnectionTrait,
    of: &[GuideChannelRef],
) -> Result<Vec<(Id, GuideChannel)>, StoreError> {
    let mut found = Vec::with_capacity(of.len());
    for some in of.chunks(super::ROWS_AT_ONCE) {
        let rows: Vec<(Id, String, String)> = of_guides::Entity::find()
            .select_only()
            .columns([of_guides::Column::GuideId, of_guides::Column::XmlId, of_guides::Column::Content])
            .filter(is_one_of(some))
            .into_tuple()
            .all(connection)
            .await
            .map_err(store_error)?;
        for (guide, xml_id, content) in rows {
            found.push((guide, channel_with(xml_id, &content)?));
        }
    }
    Ok(found)
}

pub(super) async fn guide_channel(
    connection: &impl ConnectionTrait,
    of: &GuideChannelRef,
) -> Result<Option<GuideChannel>, StoreError> {
    let found = named_guide_channels(connection, std::slice::from_ref(of)).await?;
    Ok(found.into_iter().next().map(|(_, channel)| channel))
}

pub(super) async fn guide_titles(connection: &impl ConnectionTrait) -> Result<Vec<(Id, String)>, StoreError> {
    let find = TvGuidesTable::find().select_only().columns([GuideColumn::Id, GuideColumn::Title]);
    find.order_by_asc(GuideColumn::Id).into_tuple().all(connection).await.map_err(store_error)
}
