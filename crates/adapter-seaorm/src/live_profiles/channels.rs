//! The channels of a profile, in slices by the index of their order.

use domain_catalogue::{CategoryType, UrlType};
use domain_kernel::{Enumeration, Id};
use domain_live::{channel::ChannelFields, profile::ChannelOrder};
use ports::{ChannelPlace, ChannelSelection, SelectedChannel, StoreError};
use sea_orm::{
    ConnectionTrait, QueryResult,
    sea_query::{Expr, ExprTrait, Order, Query},
};
use serde::Deserialize;

use super::{broken, member};
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    guides::decided_shift,
    links::MAY_PLAY,
};

/// The entry with the tags of a channel: the first known one of those applied to it.
pub(super) const APPLIED_TO: &str = "FROM playlist_entries e WHERE e.item_id = c.id AND e.item_kind = 'tv-channels' AND e.in_use \
     AND e.applied IS NOT NULL ORDER BY e.id LIMIT 1";

/// IDs of down streams of all channels with automatic selection: there are few, including those of
/// other channels. With the probed URL, because a link that is down at a former URL does not count.
/// Raw: an aggregate in an order. Reads the links that are down, and the list of each by its primary key.
const DOWN_STREAMS: &str = "(SELECT string_agg(CAST(l.item_id AS text) || '+' || CAST(l.stream AS text) || '@' || l.address, ',' \
     ORDER BY l.item_id, l.stream) FROM links l JOIN channel_stream_lists f ON f.channel_id = l.item_id \
     WHERE l.owner = 'tv-channels' AND l.state = 'DOWN' AND f.failover = 'AUTO')";

pub(super) fn push_conditions(sql: &mut Sql, selection: &ChannelSelection) {
    sql.push(" WHERE c.active");
    if !selection.adult_content {
        sql.push(" AND NOT c.adult_content");
    }
    if selection.only_playing {
        // A channel without synchronized or active links does not count as down.
        let links = "SELECT 1 FROM links o WHERE o.owner = 'tv-channels' AND o.item_id = c.id";
        sql.push(&format!(" AND (EXISTS ({links} AND {MAY_PLAY}) OR NOT EXISTS ({links} AND o.active))"));
    }
    if !selection.categories.is_empty() {
        sql.push(" AND EXISTS (SELECT 1 FROM tv_channel_categories t WHERE t.channel_id = c.id AND t.category_id IN (");
        sql.bind_all(selection.categories.iter().copied()).push("))");
    }
}

/// IDs and versions of all channels and of their applied entries, decided shifts, and down streams of
/// channels with AUTO, as one text.
pub(super) async fn fingerprint(
    database: &Database,
    selection: &ChannelSelection,
) -> Result<String, StoreError> {
    let mut sql = Sql::new(format!(
        "SELECT string_agg(CAST(f.id AS text) || ':' || CAST(f.version AS text) || ':' || coalesce(f.applied, '') \
         || coalesce('+' || CAST(f.shift AS text), ''), ',' ORDER BY f.id) || '|' || coalesce({DOWN_STREAMS}, '') AS fingerprint \
         FROM (SELECT c.id, c.version, {} AS shift, \
         (SELECT CAST(e.id AS text) || ':' || CAST(e.applied_version AS text) {APPLIED_TO}) AS applied FROM tv_channels c",
        decided_shift!("c")
    ));
    push_conditions(&mut sql, selection);
    sql.push(") f");
    let row = sql.only_row(&database.scanner).await?;
    let text: Option<String> = row.try_get("", "fingerprint").map_err(store_error)?;
    Ok(text.unwrap_or_default())
}

pub(super) async fn category_names(database: &Database) -> Result<Vec<(Id, String)>, StoreError> {
    let query = Query::select()
        .columns(["id", "description"])
        .from("categories")
        .and_where(Expr::col("type").eq(CategoryType::TvChannel.code()))
        .order_by("id", Order::Asc)
        .take();
    let rows = database.reader.query_all(&query).await.map_err(store_error)?;
    let named = |row: &QueryResult| {
        let id = row.try_get("", "id").map_err(store_error)?;
        Ok((id, row.try_get("", "description").map_err(store_error)?))
    };
    rows.iter().map(named).collect()
}

fn order_column(order: ChannelOrder) -> &'static str {
    match order {
        ChannelOrder::Number => "c.channel_number",
        ChannelOrder::Title => "c.title_key",
    }
}

/// A limited number of channels after a position, in their order.
pub(super) fn push_slice(sql: &mut Sql, order: ChannelOrder, after: Option<ChannelPlace>, count: u32) {
    let column = order_column(order);
    if let Some(after) = after {
        sql.push(&format!(" AND ({column}, c.id) > ("));
        match order {
            ChannelOrder::Number => sql.bind(after.number),
            ChannelOrder::Title => sql.bind(after.title_key),
        };
        sql.push(", ").bind(after.id).push(")");
    }
    sql.push(&format!(" ORDER BY {column}, c.id LIMIT ")).bind(i64::from(count));
}

pub(super) fn place_of(row: &QueryResult) -> Result<ChannelPlace, StoreError> {
    Ok(ChannelPlace {
        number: row.try_get("", "channel_number").map_err(store_error)?,
        title_key: row.try_get("", "title_key").map_err(store_error)?,
        id: row.try_get("", "id").map_err(store_error)?,
    })
}

/// Channels of a profile after a position. Raw: the rows are one JSON array. What belongs to a channel
/// is found by indexes that begin with its ID, lists by their primary key.
pub(super) async fn slice(
    database: &Database,
    selection: &ChannelSelection,
    after: Option<ChannelPlace>,
    count: u32,
) -> Result<Vec<SelectedChannel>, StoreError> {
    let columns = "c.id, c.channel_number, c.title, c.title_key, c.categories, c.epg_id, c.tv_guide_id, c.image_url, \
         c.url_type, c.url, c.applied, c.has_streams, c.shift_minutes";
    let order = format!("{}, c.id", order_column(selection.order));
    let mut sql = Sql::as_json(database.backend(), columns, &order);
    sql.push(&format!(
        " FROM (SELECT c.id, c.channel_number, c.title, c.title_key, CAST(c.categories AS text) AS categories, c.epg_id, \
         c.tv_guide_id, c.image_url, c.url_type, c.url, (SELECT e.applied {APPLIED_TO}) AS applied, \
         CASE WHEN EXISTS (SELECT 1 FROM channel_stream_lists f WHERE f.channel_id = c.id) THEN 1 ELSE 0 END AS has_streams, \
         {} AS shift_minutes FROM tv_channels c",
        decided_shift!("c")
    ));
    push_conditions(&mut sql, selection);
    push_slice(&mut sql, selection.order, after, count);
    sql.push(") c");
    let channels: Vec<Columns> = sql.json_rows(&database.scanner).await?;
    channels.into_iter().map(channel).collect()
}

/// Columns of a channel, in the order of [`slice`].
#[derive(Deserialize)]
struct Columns {
    id: Id,
    number: i32,
    title: String,
    title_key: String,
    categories: String,
    epg_id: Option<String>,
    guide: Option<Id>,
    image_url: Option<String>,
    url_type: String,
    url: String,
    applied: Option<String>,
    /// 0 or 1: SQLite has no booleans.
    has_streams: u8,
    shift_minutes: Option<i32>,
}

fn channel(columns: Columns) -> Result<SelectedChannel, StoreError> {
    let Columns { id, number, title, title_key, epg_id, image_url, url, .. } = columns;
    Ok(SelectedChannel {
        fields: ChannelFields { title, url, epg_id, image_url, number: Some(number) },
        place: ChannelPlace { number, title_key, id },
        guide: columns.guide,
        url_type: member::<UrlType>(&columns.url_type)?,
        categories: serde_json::from_str(&columns.categories).map_err(broken)?,
        applied: columns.applied.as_deref().map(serde_json::from_str).transpose().map_err(broken)?,
        has_streams: columns.has_streams == 1,
        shift_minutes: columns.shift_minutes,
    })
}
