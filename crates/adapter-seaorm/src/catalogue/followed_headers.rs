//! Headers of the first streams of channels: an operation that applies entries of a playlist to their
//! channels gives the streams the headers of the entries.

use std::collections::{BTreeMap, HashSet};

use domain_audit::AuditAction;
use domain_catalogue::{StreamHeader, TvChannel};
use domain_kernel::{Id, Kind};
use domain_live::entry::Entry;
use ports::Edit;
use sea_orm::{
    ConnectionTrait, DbErr, JoinType, Value,
    sea_query::{ExprTrait, Query},
};

use super::{
    changing::touch_all,
    recording::record_about,
    stream_lists::{List, headers_of, read},
    stream_rows::store_replaced,
    streams::stream_diff,
    tv_channels::Entity as TvChannels,
};
use crate::{
    audit::{Record, record},
    db::{
        error::db_error,
        sql::{of, values_as_v},
        transaction::Transaction,
        values::text_of,
    },
    entities::{
        bulk_operations::{Column as OperationColumn, Entity as Operations},
        channel_streams::{Column, Entity},
        playlist_entries::{Column as EntryColumn, Entity as Entries},
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
        let entry = |column: EntryColumn| of("e", column);
        let stream = |column: Column| of("s", column);
        let is_row = entry(EntryColumn::SheetId).eq(of("o", OperationColumn::SheetId));
        let is_first = stream(Column::EntryId)
            .eq(entry(EntryColumn::Id))
            .and(stream(Column::ChannelId).eq(entry(EntryColumn::ItemId)))
            .and(stream(Column::Position).eq(0));
        let select = Query::select()
            .expr(stream(Column::ChannelId))
            .exprs(
                [EntryColumn::Id, EntryColumn::SheetRow, EntryColumn::Applied, EntryColumn::RowContent]
                    .map(entry),
            )
            .from_as(Operations, "o")
            .join_as(JoinType::Join, Entries, "e", is_row)
            .join_as(JoinType::Join, Entity, "s", is_first)
            .and_where(of("o", OperationColumn::DryRun).not())
            .and_where(entry(EntryColumn::ItemKind).eq(Kind::TvChannels.path()))
            .and_where(entry(EntryColumn::Applied).ne(entry(EntryColumn::RowContent)))
            .and_where(of("o", OperationColumn::Id).eq(operation))
            .and_where(entry(EntryColumn::SheetRow).is_in(sheet_rows.iter().copied()))
            .take();
        for row in transaction.query_all(&select).await? {
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
        let headers = text_of(&first.stream.headers)?;
        rows.push([list.streams.channel.into(), first.number.into(), headers.into()]);
        let (channel, title) = (list.streams.channel, list.streams.title.clone());
        let diff = stream_diff(&before.streams, &list.streams);
        let version = before.streams.version + 1;
        records.push(record_about::<TvChannel>(AuditAction::Updated, channel, title, version, diff));
    }
    let update = Query::update()
        .table(Entity)
        .value(Column::Headers, of("v", "column3"))
        .from(values_as_v(rows))
        .and_where(of("channel_streams", Column::ChannelId).eq(of("v", "column1")))
        .and_where(of("channel_streams", Column::Number).eq(of("v", "column2")))
        .take();
    transaction.execute(&update).await?;
    record(transaction, edit, records).await
}
