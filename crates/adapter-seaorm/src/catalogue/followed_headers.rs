//! Headers of the first streams of channels: an operation that applies entries of a playlist to their
//! channels gives the streams the headers of the entries.

use std::collections::{BTreeMap, HashSet};

use domain_audit::AuditAction;
use domain_catalogue::{StreamHeader, TvChannel};
use domain_kernel::Id;
use domain_live::entry::Entry;
use ports::Edit;
use sea_orm::{ConnectionTrait, DbErr, Value};

use super::{
    changing::touch_all,
    recording::record_about,
    stream_rows::store_replaced,
    streams::{List, headers_of, read, stream_diff},
    tv_channels::Entity as TvChannels,
};
use crate::{
    audit::{Record, record},
    db::{
        error::db_error,
        sql::{Sql, changed_rows},
        transaction::Transaction,
    },
    playlists::json,
};

/// Headers of an entry that an operation applies.
struct Followed {
    entry: Id,
    /// The row of the file.
    row: i64,
    applied: Vec<StreamHeader>,
    now: Vec<StreamHeader>,
}

/// By channel, the headers of the entries that an operation applies, if they differ.
#[derive(Default)]
pub(super) struct FollowedHeaders(BTreeMap<Id, Followed>);

impl FollowedHeaders {
    /// Reads the applied values: to be called before the entries are linked.
    pub(super) async fn of(
        transaction: &Transaction,
        operation: Id,
        sheet_rows: &[i64],
    ) -> Result<Self, DbErr> {
        let mut followed = BTreeMap::new();
        if sheet_rows.is_empty() {
            return Ok(Self(followed));
        }
        let mut sql = Sql::new(
            "SELECT s.channel_id, e.id, e.sheet_row, e.applied, e.row_content FROM bulk_operations o \
             JOIN playlist_entries e ON e.sheet_id = o.sheet_id \
             JOIN channel_streams s ON s.entry_id = e.id AND s.channel_id = e.item_id AND s.position = 0 \
             WHERE NOT o.dry_run AND e.item_kind = 'tv-channels' AND e.applied <> e.row_content AND o.id = ",
        );
        sql.bind(operation).push(" AND e.sheet_row IN (").bind_all(sheet_rows.iter().copied()).push(")");
        let statement = sql.statement(transaction.get_database_backend());
        for row in transaction.query_all_raw(statement).await? {
            let headers = |column: &str| {
                let entry: Entry = json(&row.try_get::<String>("", column)?).map_err(db_error)?;
                Ok::<_, DbErr>(headers_of(&entry))
            };
            let (applied, now) = (headers("applied")?, headers("row_content")?);
            if now != applied {
                let (entry, row_of_file) = (row.try_get("", "id")?, row.try_get("", "sheet_row")?);
                let headers = Followed { entry, row: row_of_file, applied, now };
                followed.insert(row.try_get("", "channel_id")?, headers);
            }
        }
        Ok(Self(followed))
    }

    pub(super) fn channels(&self) -> impl Iterator<Item = Id> {
        self.0.keys().copied()
    }

    /// Sets the headers in the first streams of the channels, which are locked, if these streams have
    /// rows; the channels get another version. Headers set by a user stay: the streams are read while
    /// the channels are locked. `made` are the rows of the file that were applied.
    pub(super) async fn write(
        mut self,
        transaction: &Transaction,
        made: impl Iterator<Item = i64>,
        edit: &Edit,
    ) -> Result<(), DbErr> {
        if self.0.is_empty() {
            return Ok(());
        }
        let made: HashSet<i64> = made.collect();
        self.0.retain(|_, followed| made.contains(&followed.row));
        let channels: Vec<Id> = self.channels().collect();
        let mut changes = Vec::new();
        for before in read(transaction, &channels, true).await.map_err(db_error)? {
            let Some(followed) = self.0.remove(&before.streams.channel) else { continue };
            let mut list = before.clone();
            let Some(first) = list.streams.streams.first_mut() else { continue };
            let is_followed = first.has_details && first.entry == Some(followed.entry);
            if is_followed && first.stream.headers == followed.applied {
                first.stream.headers = followed.now;
                changes.push((before, list));
            }
        }
        write_headers(transaction, &changes, edit).await
    }
}

/// Writes the headers of the first streams of lists, before and after, with a version and an audit
/// entry of each channel.
async fn write_headers(
    transaction: &Transaction,
    changes: &[(List, List)],
    edit: &Edit,
) -> Result<(), DbErr> {
    if changes.is_empty() {
        return Ok(());
    }
    let channels: Vec<Id> = changes.iter().map(|(before, _)| before.streams.channel).collect();
    touch_all::<TvChannels>(transaction, &channels, edit).await?;
    store_replaced(transaction, &channels).await?;
    let mut rows: Vec<[Value; 3]> = Vec::with_capacity(changes.len());
    let mut records: Vec<Record> = Vec::with_capacity(changes.len());
    for (before, list) in changes {
        let Some(first) = list.streams.streams.first() else { continue };
        let headers =
            serde_json::to_string(&first.stream.headers).map_err(|error| DbErr::Custom(error.to_string()))?;
        rows.push([list.streams.channel.into(), first.number.into(), headers.into()]);
        let (channel, title) = (list.streams.channel, list.streams.title.clone());
        let diff = stream_diff(&before.streams, &list.streams);
        let version = before.streams.version + 1;
        records.push(record_about::<TvChannel>(AuditAction::Updated, channel, title, version, diff));
    }
    let mut sql = Sql::new("UPDATE channel_streams SET headers = v.column3");
    sql.push_from_values(rows);
    sql.push(" WHERE channel_streams.channel_id = v.column1 AND channel_streams.number = v.column2");
    changed_rows(transaction, sql).await?;
    record(transaction, edit, records).await
}
