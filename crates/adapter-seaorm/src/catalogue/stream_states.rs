//! Reads the channels of a slice with their streams and the entries of these, and records the states of
//! entries for the undo of an operation.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    iter,
};

use domain_catalogue::{Stored, TvChannel};
use domain_kernel::Id;
use ports::{SliceOf, StreamChange, StreamEffect};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IdenStatic, Iterable, QueryFilter, QueryOrder,
    QuerySelect, Value,
    sea_query::{ExprTrait, LockType, Query},
};

use super::{
    entry_streams::LOOKED_FOR,
    importing::MOST_VALUES,
    stream_lists::{List, read},
};
use crate::{
    db::{
        error::db_error,
        sql::{of, values_as_v},
        transaction::Transaction,
    },
    entities::{
        applied_streams,
        playlist_entries::{ActiveModel, Column, Entity, Model},
    },
    playlists::not_applying,
};

/// Maximum entries that one statement records.
const RECORDED_AT_ONCE: usize = 1_000;

/// State of an entry before an operation changed its stream, so that the operation can be undone.
#[derive(Clone)]
pub(super) struct Mark {
    pub(super) channel: Id,
    pub(super) entry: Id,
    /// Number of the stream in its channel.
    pub(super) number: i64,
    pub(super) position: i32,
    /// Whether the entry was that stream.
    pub(super) followed: bool,
    pub(super) applied: Option<String>,
    pub(super) ignored: bool,
}

/// Rows from which the streams of a slice's locked channels are planned. Entries are locked until the
/// transaction ends, in the order of their IDs (see `lock_channels` of slices).
pub(super) struct Found {
    pub(super) channels: HashMap<Id, (Stored<TvChannel>, List)>,
    pub(super) entries: HashMap<Id, Model>,
    /// The entries without an unfinished apply.
    pub(super) free: HashSet<Id>,
    /// By channel, its entries before the operation that the slice undoes.
    pub(super) marks: HashMap<Id, Vec<Mark>>,
}

impl Found {
    pub(super) async fn of(
        transaction: &Transaction,
        slice: SliceOf,
        changes: &[(Id, StreamChange)],
        locked: &HashMap<Id, Stored<TvChannel>>,
    ) -> Result<Self, DbErr> {
        let ids: Vec<Id> = changes.iter().map(|(channel, _)| *channel).collect();
        let lists = read(transaction, &ids, false).await.map_err(db_error)?;
        let with_list = |list: List| {
            let channel = list.streams.channel;
            locked.get(&channel).map(|current| (channel, (current.clone(), list)))
        };
        let channels = lists.into_iter().filter_map(with_list).collect();
        let mut marks: HashMap<Id, Vec<Mark>> = HashMap::new();
        let mut of_entries = BTreeSet::new();
        if let Some(operation) = slice.undoes {
            for mark in marks_of(transaction, operation, &ids).await? {
                of_entries.insert(mark.entry);
                marks.entry(mark.channel).or_default().push(mark);
            }
        }
        for (_, change) in changes {
            if let StreamEffect::Apply(entries) = &change.effect {
                of_entries.extend(entries);
            }
        }
        let of_entries: Vec<Id> = of_entries.into_iter().collect();
        let entries = locked_entries(transaction, &of_entries).await?;
        let free = if marks.is_empty() { HashSet::new() } else { free_of(transaction, &of_entries).await? };
        Ok(Self { channels, entries, free, marks })
    }
}

/// These entries, in the order of their IDs, locked.
async fn locked_entries(transaction: &Transaction, ids: &[Id]) -> Result<HashMap<Id, Model>, DbErr> {
    let mut entries = HashMap::with_capacity(ids.len());
    for some in ids.chunks(LOOKED_FOR) {
        let find = Entity::find().filter(Column::Id.is_in(some.iter().copied())).order_by_asc(Column::Id);
        let rows = find.lock(LockType::Update).all(transaction).await?;
        entries.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(entries)
}

/// The entries of these without an unfinished apply.
async fn free_of(transaction: &Transaction, ids: &[Id]) -> Result<HashSet<Id>, DbErr> {
    let mut free = HashSet::new();
    for some in ids.chunks(LOOKED_FOR) {
        let find = Entity::find().select_only().column(Column::Id);
        let find = find.filter(Column::Id.is_in(some.iter().copied())).filter(not_applying());
        free.extend(find.into_tuple::<Id>().all(transaction).await?);
    }
    Ok(free)
}

/// Writes columns of entries, each once: by one statement for those that set the same columns. Rows are found by their
/// primary key.
pub(super) async fn write_entries(
    transaction: &Transaction,
    entries: Vec<(Id, ActiveModel)>,
) -> Result<(), DbErr> {
    let mut alike: BTreeMap<Vec<&'static str>, Vec<(Id, Vec<Value>)>> = BTreeMap::new();
    for (id, row) in entries {
        let set = Column::iter().filter_map(|column| {
            row.get(column).into_value().map(|value| (IdenStatic::as_str(&column), value))
        });
        let (columns, values) = set.unzip();
        alike.entry(columns).or_default().push((id, values));
    }
    for (columns, rows) in &alike {
        for some in rows.chunks(MOST_VALUES / (columns.len() + 1)) {
            let values =
                some.iter().map(|(id, values)| iter::once(Value::from(*id)).chain(values.iter().cloned()));
            let set = columns.iter().zip(2..);
            let update = Query::update()
                .table(Entity)
                .values(set.map(|(column, number)| (*column, of("v", format!("column{number}")))))
                .from(values_as_v(values))
                .and_where(of("playlist_entries", Column::Id).eq(of("v", "column1")))
                .take();
            transaction.execute(&update).await?;
        }
    }
    Ok(())
}

/// Records the states of entries before an operation.
pub(super) async fn record_marks(
    transaction: &Transaction,
    operation: Id,
    marks: &[Mark],
) -> Result<(), DbErr> {
    let row_of = |mark: &Mark| applied_streams::ActiveModel {
        operation_id: Set(operation),
        entry_id: Set(mark.entry),
        channel_id: Set(mark.channel),
        number: Set(mark.number),
        position: Set(mark.position),
        followed: Set(mark.followed),
        applied: Set(mark.applied.clone()),
        ignored: Set(mark.ignored),
    };
    for some in marks.chunks(RECORDED_AT_ONCE) {
        let insert = applied_streams::Entity::insert_many(some.iter().map(row_of));
        insert.exec_without_returning(transaction).await?;
    }
    Ok(())
}

/// The entries of the streams of these channels as they were before an operation.
async fn marks_of(transaction: &Transaction, operation: Id, channels: &[Id]) -> Result<Vec<Mark>, DbErr> {
    let rows = applied_streams::Entity::find()
        .filter(applied_streams::Column::OperationId.eq(operation))
        .filter(applied_streams::Column::ChannelId.is_in(channels.iter().copied()))
        .order_by_asc(applied_streams::Column::EntryId)
        .all(transaction)
        .await?;
    let mark = |row: applied_streams::Model| Mark {
        channel: row.channel_id,
        entry: row.entry_id,
        number: row.number,
        position: row.position,
        followed: row.followed,
        applied: row.applied,
        ignored: row.ignored,
    };
    Ok(rows.into_iter().map(mark).collect())
}
