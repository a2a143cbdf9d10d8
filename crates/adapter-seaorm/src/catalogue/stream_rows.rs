//! Rows of streams: their columns, and the rows that a change of the streams replaces, which are
//! kept for earlier versions of the channel.

use chrono::{DateTime, Utc};
use domain_catalogue::{ChannelStream, Failover};
use domain_kernel::{Id, Version};
use ports::{ReplacedStreams, StoreError, StoredStreams};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use crate::db::{
    error::{db_error, store_error},
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

/// Whether the streams that a write replaces have been stored already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replaced {
    ToStore,
    /// For all channels of a slice, by [`store_all`].
    Stored,
}

/// Whether the streams of a channel are others after a write.
pub(super) fn are_replaced(before: &StoredStreams, after: &StoredStreams) -> bool {
    before.draft() != after.draft()
}

/// Stores the streams of a channel before other ones replace them from this position on. The channel
/// has its new version already; only the first write of a version replaces those of an earlier one.
pub(super) async fn keep_replaced(
    transaction: &Transaction,
    before: &StoredStreams,
    after: &StoredStreams,
    from: i32,
    replaced: Replaced,
) -> Result<(), DbErr> {
    if !are_replaced(before, after) {
        let draft = after.draft();
        // The row of a first stream that does not apply may differ from what is written.
        let rows = stored_in(transaction, after.channel, Version::MAX).await.map_err(db_error)?;
        let is_first_same = from > 0 || rows.first.as_ref() == draft.streams.first();
        let further = draft.streams.get(1..).unwrap_or_default();
        if rows.failover == draft.failover && is_first_same && rows.further == further {
            return Ok(());
        }
    } else if replaced == Replaced::Stored {
        return Ok(());
    }
    let mut sql = stored_before("c.version", |sql| sql.push("c.updated_date"));
    sql.bind(after.channel).push(")");
    transaction.execute_raw(sql.statement(transaction.get_database_backend())).await.map(drop)
}

/// Stores the present streams of locked channels as those before the version that each one has after
/// this number of further changes by the transaction, at this time.
pub(super) async fn store_all(
    transaction: &Transaction,
    channels: &[Id],
    changes: u8,
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    if channels.is_empty() {
        return Ok(());
    }
    let mut sql = stored_before(&format!("c.version + {changes}"), |sql| sql.bind(at));
    sql.bind_all(channels.iter().copied()).push(")");
    transaction.execute_raw(sql.statement(transaction.get_database_backend())).await.map(drop)
}

/// The statement that stores the present streams of channels as those before a version, up to the
/// IDs of the channels.
fn stored_before(version: &str, push_date: impl FnOnce(&mut Sql) -> &mut Sql) -> Sql {
    let mut sql = Sql::new(format!(
        "INSERT INTO channel_stream_versions (channel_id, replaced_by, position, failover, label, quality, url_type, url, \
         headers, replaced_at) SELECT c.id, {version}, coalesce(s.position, 0), coalesce(f.failover, 'MANUAL'), s.label, \
         s.quality, s.url_type, s.url, s.headers, "
    ));
    push_date(&mut sql).push(&format!(
        " FROM tv_channels c \
         LEFT JOIN channel_stream_lists f ON f.channel_id = c.id LEFT JOIN channel_streams s ON s.channel_id = c.id \
         WHERE NOT EXISTS (SELECT 1 FROM channel_stream_versions v WHERE v.channel_id = c.id AND v.replaced_by = {version}) \
         AND c.id IN ("
    ));
    sql
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
    let mut found =
        ReplacedStreams { replaced_by: None, failover: Failover::Manual, first: None, further: Vec::new() };
    for row in &connection.query_all_raw(statement).await.map_err(store_error)? {
        found.replaced_by = get(row, "replaced_by")?;
        found.failover = member(&get::<String>(row, "failover")?)?;
        if get::<Option<String>>(row, "stream_url")?.is_none() {
            continue;
        }
        let stream = stream_in(row)?;
        if get::<i32>(row, "position")? == 0 {
            found.first = Some(stream);
        } else {
            found.further.push(stream);
        }
    }
    Ok(found)
}
