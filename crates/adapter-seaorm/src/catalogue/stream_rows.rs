//! Rows of streams: their columns, and the rows that a change of the streams replaces, which are
//! kept for earlier versions of the channel.

use std::collections::HashMap;

use domain_catalogue::{ChannelStream, Failover};
use domain_kernel::{Id, Version};
use ports::{ReplacedStreams, StoreError, StoredStreams};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use crate::db::{
    error::store_error,
    sql::Sql,
    transaction::Transaction,
    values::{get, json, member},
};

/// The stream of a row.
pub(super) fn stream_in(row: &QueryResult) -> Result<ChannelStream, StoreError> {
    let quality: Option<String> = get(row, "quality")?;
    Ok(ChannelStream {
        label: get(row, "label")?,
        quality: quality.as_deref().map(member).transpose()?,
        url_type: member(&get::<String>(row, "stream_type")?)?,
        url: get(row, "stream_url")?,
        headers: json(&get::<String>(row, "headers")?)?,
    })
}

/// Whether the streams of a channel are others after a write.
pub(super) fn are_replaced(before: &StoredStreams, after: &StoredStreams) -> bool {
    before.draft() != after.draft()
}

/// Stores the present streams of locked channels, which have their new versions already, as those before these
/// versions. Only the first write of a version replaces those of an earlier one. All tables are read by the beginnings
/// of their primary keys.
pub(super) async fn store_replaced(transaction: &Transaction, channels: &[Id]) -> Result<(), DbErr> {
    if channels.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::new(
        "INSERT INTO channel_stream_versions (channel_id, replaced_by, position, failover, label, quality, url_type, url, \
         headers, replaced_at) SELECT c.id, c.version, coalesce(s.position, 0), coalesce(f.failover, 'MANUAL'), s.label, \
         s.quality, s.url_type, s.url, s.headers, c.updated_date FROM tv_channels c \
         LEFT JOIN channel_stream_lists f ON f.channel_id = c.id LEFT JOIN channel_streams s ON s.channel_id = c.id \
         WHERE NOT EXISTS (SELECT 1 FROM channel_stream_versions v WHERE v.channel_id = c.id AND v.replaced_by = c.version) \
         AND c.id IN (",
    );
    sql.bind_all(channels.iter().copied()).push(")");
    transaction.execute_raw(sql.statement(transaction.get_database_backend())).await.map(drop)
}

/// Streams of which no row has been read.
pub(super) fn without_rows() -> ReplacedStreams {
    ReplacedStreams { replaced_by: None, failover: Failover::Manual, first: None, further: Vec::new() }
}

/// Adds the stream of a row, if it has one.
fn add_row(found: &mut ReplacedStreams, row: &QueryResult) -> Result<(), StoreError> {
    found.failover = member(&get::<String>(row, "failover")?)?;
    if get::<Option<String>>(row, "stream_url")?.is_none() {
        return Ok(());
    }
    let stream = stream_in(row)?;
    if get::<i32>(row, "position")? == 0 {
        found.first = Some(stream);
    } else {
        found.further.push(stream);
    }
    Ok(())
}

/// The rows that these channels have of their streams; channels without a list are left out. Lists are read by their
/// primary key, streams by `channel_streams_by_position`.
pub(super) async fn present_rows(
    connection: &impl ConnectionTrait,
    channels: &[Id],
) -> Result<HashMap<Id, ReplacedStreams>, StoreError> {
    let mut sql = Sql::new(
        "SELECT f.channel_id, f.failover, s.position, s.label, s.quality, s.url_type AS stream_type, s.url AS stream_url, \
         s.headers FROM channel_stream_lists f LEFT JOIN channel_streams s ON s.channel_id = f.channel_id \
         WHERE f.channel_id IN (",
    );
    sql.bind_all(channels.iter().copied()).push(") ORDER BY f.channel_id, s.position");
    let statement = sql.statement(connection.get_database_backend());
    let mut found = HashMap::with_capacity(channels.len());
    for row in &connection.query_all_raw(statement).await.map_err(store_error)? {
        add_row(found.entry(get::<Id>(row, "channel_id")?).or_insert_with(without_rows), row)?;
    }
    Ok(found)
}

/// The rows of a channel's streams in a version: those that the first change after it replaced, or
/// the present ones. One statement, so that no write comes between the two.
pub(super) async fn stored_in(
    connection: &impl ConnectionTrait,
    channel: Id,
    version: Version,
) -> Result<ReplacedStreams, StoreError> {
    let mut sql = Sql::new(
        "SELECT v.replaced_by, v.position, v.failover, v.label, v.quality, v.url_type AS stream_type, v.url AS stream_url, \
         v.headers FROM channel_stream_versions v WHERE v.channel_id = ",
    );
    sql.bind(channel);
    sql.push(" AND v.replaced_by = (SELECT min(o.replaced_by) FROM channel_stream_versions o WHERE o.channel_id = ");
    sql.bind(channel).push(" AND o.replaced_by > ").bind(version);
    sql.push(
        ") UNION ALL SELECT NULL, s.position, f.failover, s.label, s.quality, s.url_type, s.url, s.headers \
         FROM channel_stream_lists f LEFT JOIN channel_streams s ON s.channel_id = f.channel_id \
         WHERE NOT EXISTS (SELECT 1 FROM channel_stream_versions o WHERE o.channel_id = f.channel_id AND o.replaced_by > ",
    );
    sql.bind(version).push(") AND f.channel_id = ").bind(channel).push(" ORDER BY position");
    let statement = sql.statement(connection.get_database_backend());
    let mut found = without_rows();
    for row in &connection.query_all_raw(statement).await.map_err(store_error)? {
        found.replaced_by = get(row, "replaced_by")?;
        add_row(&mut found, row)?;
    }
    Ok(found)
}
