//! Entries for users: list, ignore, merge.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, FieldDiff, FilterValue, Id, ListQuery, Page};
use domain_live::{diff::EntryChange, entry::Entry, playlist::EntryDuplicateReason, source::PlaylistSource};
use ports::{
    DuplicateOf, Edit, EntryCandidate, EntryCounts, EntryGroup, PlaylistEntryRepository, StoreError,
    StoredEntry,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QueryResult, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, Query},
};
use serde_json::{Map, Value, json as json_value};

use super::{
    ROWS_AT_ONCE, SeaOrmPlaylists,
    applying::not_applying,
    entry_of,
    groups::{groups_of, push_group},
    member,
    sources::record_of,
};
use crate::{
    audit::record_one,
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::{Sql, of},
        transaction::Transaction,
    },
    entities::{
        bulk_operations::{self, Column as Operation},
        playlist_entries::{ActiveModel, Column, Entity, Model},
    },
    list::{AccessPath, ListRequest, ListTable, keys, page, rows_of_list},
};

/// Entries per transaction that records their rows.
const EXPECTED_AT_ONCE: usize = 500;

/// Columns by which entries repeat one another, strongest first.
const REPEATED: [&str; 2] = ["name_and_number", "guide_id"];

/// Entries of the list with the same value as the entry `e`.
fn push_equal(sql: &mut Sql, column: &str) {
    sql.push(" FROM playlist_entries d WHERE d.source_id = e.source_id AND d.change <> 'MISSING' AND d.");
    sql.push(column).push(" = e.").push(column);
}

/// The entries of a source.
struct EntryList {
    source: Id,
    backend: DbBackend,
}

impl SeaOrmPlaylists {
    fn entries_of(&self, source: Id) -> EntryList {
        EntryList { source, backend: self.0.backend() }
    }
}

rows_of_list!(SeaOrmPlaylists, 0, Id, StoredEntry, |store, source| store.entries_of(*source), |rows| store
    .with_others(rows)
    .await);

impl ListTable for EntryList {
    type Row = (StoredEntry, Vec<Id>);

    const TABLE: &'static str = "playlist_entries";
    const ALIAS: &'static str = "e";
    const COLUMNS: &'static str = "e.id, e.source_id, e.change, e.ignored, e.in_use, e.item_kind, e.item_id, e.radio, \
         e.group_name, e.further_groups, e.search_text, e.content, e.applied, e.sign, e.missing_since, e.candidates, e.sheet_id, e.sheet_row, \
         e.row_content, e.guide_id, e.name_and_number";
    const DEFAULT_ORDER: (&'static str, bool) = ("e.id", false);
    const SCANS_SHORT_SEARCHES: bool = true;
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> =
        |row| entry_of(Model::from_query_result(row, "").map_err(store_error)?);

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE e.source_id = ").bind(self.source);
        for filter in &request.query.filters {
            match (filter.field.as_str(), &filter.value) {
                ("change", FilterValue::Code(code)) => {
                    sql.push(" AND e.change = ").bind(*code);
                }
                ("change", FilterValue::Codes(codes)) => {
                    sql.push(" AND e.change IN (").bind_all(codes.iter().copied()).push(")");
                }
                ("ignored", FilterValue::Flag(flag)) => {
                    sql.push(" AND e.ignored = ").bind(*flag);
                }
                ("radio", FilterValue::Flag(flag)) => {
                    sql.push(" AND e.radio = ").bind(*flag);
                }
                ("duplicate", FilterValue::Flag(flag)) => {
                    // A missing entry is not a duplicate.
                    sql.push(if *flag { " AND " } else { " AND NOT " }).push("(e.change <> 'MISSING' AND (");
                    for (index, column) in REPEATED.iter().enumerate() {
                        sql.push(if index == 0 { "EXISTS (SELECT 1" } else { " OR EXISTS (SELECT 1" });
                        push_equal(sql, column);
                        sql.push(" AND d.id < e.id)");
                    }
                    sql.push("))");
                }
                ("grouped", FilterValue::Flag(flag)) => {
                    sql.push(if *flag { " AND e.group_name <> ''" } else { " AND e.group_name = ''" });
                }
                ("group", FilterValue::Text(group)) => push_group(sql, self.backend, self.source, group),
                _ => {}
            }
        }
        if let Some(text) = request.search.text() {
            sql.push(" AND ").push_like("e.search_text", text);
        }
    }
}

/// Merges a new entry into a missing one, deletes the new one, and records that.
async fn merge(
    transaction: &Transaction,
    source: &PlaylistSource,
    (new, missing): (Id, Id),
    edit: &Edit,
) -> Result<bool, DbErr> {
    // In the order in which slices of operations lock entries.
    let both = Entity::find().select_only().column(Column::Id).filter(Column::Id.is_in([new, missing]));
    let both = both.order_by_asc(Column::Id).lock(LockType::Update);
    both.into_tuple::<Id>().all(transaction).await?;
    let of_source = |id: Id| Entity::find_by_id(id).filter(Column::SourceId.eq(source.id));
    let fresh = of_source(new)
        .filter(Column::Change.eq(EntryChange::New.code()))
        .filter(Column::MissingSince.is_null())
        .filter(not_applying());
    let Some(fresh) = fresh.lock(LockType::Update).one(transaction).await? else { return Ok(false) };
    let lacking = of_source(missing).filter(Column::MissingSince.is_not_null()).filter(not_applying());
    let Some(lacking) = lacking.lock(LockType::Update).one(transaction).await? else { return Ok(false) };
    let change = if !lacking.in_use {
        EntryChange::New
    } else if lacking.applied.as_ref() == Some(&fresh.content) {
        EntryChange::Unchanged
    } else {
        EntryChange::Changed
    };
    let name = |content: &str| serde_json::from_str::<Entry>(content).map(|entry| entry.name);
    let names = (name(&lacking.content).unwrap_or_default(), name(&fresh.content).unwrap_or_default());
    let row = ActiveModel {
        change: Set(change.code().to_owned()),
        content: Set(fresh.content),
        radio: Set(fresh.radio),
        group_name: Set(fresh.group_name),
        further_groups: Set(fresh.further_groups),
        search_text: Set(fresh.search_text),
        guide_id: Set(fresh.guide_id),
        name_and_number: Set(fresh.name_and_number),
        sign: Set(None),
        missing_since: Set(None),
        candidates: Set(None),
        sheet_id: Set(None),
        sheet_row: Set(None),
        row_content: Set(None),
        ..<ActiveModel as Default>::default()
    };
    Entity::update_many().set(row).filter(Column::Id.eq(missing)).exec(transaction).await?;
    Entity::delete_by_id(new).exec(transaction).await?;
    let field = |name: String| Map::from_iter([("entry".to_owned(), Value::String(name))]);
    let diff = FieldDiff { before: field(names.0), after: field(names.1) };
    record_one(transaction, edit, record_of(AuditAction::Updated, source, diff)).await?;
    Ok(true)
}

impl SeaOrmPlaylists {
    /// Adds candidates and repeated entries to the rows.
    async fn with_others(&self, rows: Vec<(StoredEntry, Vec<Id>)>) -> Result<Vec<StoredEntry>, StoreError> {
        let firsts = self.firsts(rows.iter().map(|(entry, _)| entry.id)).await?;
        let candidates = rows.iter().flat_map(|(_, candidates)| candidates).copied();
        let wanted: HashSet<Id> = candidates.chain(firsts.values().map(|(first, _)| *first)).collect();
        let mut others: HashMap<Id, StoredEntry> = HashMap::new();
        if !wanted.is_empty() {
            let find = Entity::find().filter(Column::Id.is_in(wanted));
            for row in find.all(&self.0.reader).await.map_err(store_error)? {
                let (other, _) = entry_of(row)?;
                others.insert(other.id, other);
            }
        }
        let put = |(mut entry, candidates): (StoredEntry, Vec<Id>)| {
            // An entry that returned or was merged is no candidate any more.
            let candidate = |id: Id| {
                let other = others.get(&id)?;
                let missing_since = other.missing_since?;
                Some(EntryCandidate { id, entry: other.entry.clone(), item: other.item, missing_since })
            };
            entry.candidates = candidates.into_iter().filter_map(candidate).collect();
            entry.duplicate_of = firsts.get(&entry.id).and_then(|(first, reason)| {
                let first = others.get(first)?;
                let name = first.entry.name.clone();
                Some(DuplicateOf { id: first.id, name, item: first.item, reason: *reason })
            });
            entry
        };
        Ok(rows.into_iter().map(put).collect())
    }

    /// First entries of repetitions, with the reasons.
    async fn firsts(
        &self,
        entries: impl Iterator<Item = Id>,
    ) -> Result<HashMap<Id, (Id, EntryDuplicateReason)>, StoreError> {
        let entries: Vec<Id> = entries.collect();
        if entries.is_empty() {
            return Ok(HashMap::new());
        }
        let mut sql = Sql::new("SELECT e.id");
        for column in REPEATED {
            sql.push(", (SELECT min(d.id)");
            push_equal(&mut sql, column);
            sql.push(") AS ").push(column);
        }
        sql.push(" FROM playlist_entries e WHERE e.change <> 'MISSING' AND e.id IN (")
            .bind_all(entries)
            .push(")");
        let rows = self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let mut firsts = HashMap::new();
        for row in &rows {
            let id: Id = row.try_get("", "id").map_err(store_error)?;
            let reasons = [EntryDuplicateReason::SameNameAndNumber, EntryDuplicateReason::SameGuideId];
            for (column, reason) in REPEATED.into_iter().zip(reasons) {
                let first: Option<Id> = row.try_get("", column).map_err(store_error)?;
                if let Some(first) = first.filter(|first| *first != id) {
                    firsts.entry(id).or_insert((first, reason));
                }
            }
        }
        Ok(firsts)
    }
}

#[async_trait]
impl PlaylistEntryRepository for SeaOrmPlaylists {
    async fn list(&self, source: Id, query: &ListQuery) -> Result<Page<Vec<StoredEntry>>, StoreError> {
        let mut found = page(&self.0, &self.entries_of(source), query).await?;
        let rows = self.with_others(std::mem::take(&mut found.content)).await?;
        Ok(found.map(|_| rows))
    }

    async fn matching(&self, source: Id, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError> {
        let rows = keys(&self.0, &self.entries_of(source), "id", query, limit).await?;
        rows.iter().map(|row| row.try_get("", "id").map_err(store_error)).collect()
    }

    async fn find_all(&self, source: Id, ids: &[Id]) -> Result<Vec<StoredEntry>, StoreError> {
        let find = Entity::find()
            .filter(Column::SourceId.eq(source))
            .filter(Column::Id.is_in(ids.iter().copied()))
            .order_by_asc(Column::Id);
        let rows = find.all(&self.0.reader).await.map_err(store_error)?;
        rows.into_iter().map(|row| entry_of(row).map(|(entry, _)| entry)).collect()
    }

    async fn ignore(
        &self,
        source: &PlaylistSource,
        ids: &[Id],
        ignored: bool,
        edit: &Edit,
    ) -> Result<u64, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let mut changed = 0;
        for some in ids.chunks(ROWS_AT_ONCE) {
            let update = Entity::update_many()
                .col_expr(Column::Ignored, ignored.into())
                .filter(Column::SourceId.eq(source.id))
                .filter(Column::Ignored.eq(!ignored))
                .filter(Column::Id.is_in(some.iter().copied()));
            changed += update.exec(&transaction).await.map_err(store_error)?.rows_affected;
        }
        if changed > 0 {
            let name = if ignored { "ignoredEntries" } else { "wantedEntries" };
            let after: Map<String, Value> = Map::from_iter([(name.to_owned(), json_value!(changed))]);
            let diff = FieldDiff { after, ..FieldDiff::default() };
            let record = record_of(AuditAction::Updated, source, diff);
            record_one(&transaction, edit, record).await.map_err(store_error)?;
        }
        transaction.commit().await.map_err(store_error)?;
        Ok(changed)
    }

    async fn merge(
        &self,
        source: &PlaylistSource,
        new: Id,
        missing: Id,
        edit: &Edit,
    ) -> Result<bool, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let merged = merge(&transaction, source, (new, missing), edit).await.map_err(store_error)?;
        if merged {
            transaction.commit().await.map_err(store_error)?;
        }
        Ok(merged)
    }

    async fn counts(&self, source: Id) -> Result<EntryCounts, StoreError> {
        let counted = Entity::find()
            .select_only()
            .columns([Column::Change, Column::Ignored])
            .column_as(Expr::cust("count(*)"), "entries")
            .filter(Column::SourceId.eq(source))
            .group_by(Column::Change)
            .group_by(Column::Ignored)
            .into_tuple::<(String, bool, i64)>();
        let mut counts = EntryCounts::default();
        for (change, ignored, entries) in counted.all(&self.0.reader).await.map_err(store_error)? {
            let count = match member(&change)? {
                _ if ignored => &mut counts.ignored,
                EntryChange::New => &mut counts.new,
                EntryChange::Changed => &mut counts.changed,
                EntryChange::Unchanged => &mut counts.unchanged,
                EntryChange::Missing => &mut counts.missing,
                EntryChange::Duplicate | EntryChange::Refused => continue,
            };
            *count += entries;
        }
        Ok(counts)
    }

    async fn groups(&self, source: Id) -> Result<Vec<EntryGroup>, StoreError> {
        groups_of(&self.0, source).await
    }

    async fn highest_number(&self, source: Id) -> Result<Option<i32>, StoreError> {
        let mut sql = Sql::new(
            "SELECT max(c.channel_number) AS highest FROM playlist_entries e JOIN tv_channels c ON c.id = e.item_id \
             WHERE e.in_use AND e.item_kind = 'tv-channels' AND e.source_id = ",
        );
        sql.bind(source).push(" AND (e.applied NOT LIKE '%\"tvg-chno\"%' OR NOT EXISTS (SELECT 1 FROM ");
        // Equal to `Entry::number`.
        sql.push(match self.0.backend() {
            DbBackend::Sqlite => {
                "json_each(e.applied, '$.tags') t WHERE json_extract(t.value, '$[0]') = 'tvg-chno' \
                 AND length(json_extract(t.value, '$[1]')) BETWEEN 1 AND 9 \
                 AND json_extract(t.value, '$[1]') NOT GLOB '*[^0-9]*'))"
            }
            _ => {
                "jsonb_array_elements(e.applied::jsonb -> 'tags') t WHERE t ->> 0 = 'tvg-chno' \
                 AND t ->> 1 ~ '^[0-9]{1,9}$'))"
            }
        });
        let row = self.0.reader.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        row.map_or(Ok(None), |row| row.try_get("", "highest").map_err(store_error))
    }

    async fn is_applying(&self, source: Id) -> Result<bool, StoreError> {
        let of_source = Query::select()
            .expr(Expr::cust("1"))
            .from_as(Entity, "e")
            .and_where(of("e", Column::SheetId).eq(of("o", Operation::SheetId)))
            .and_where(of("e", Column::SourceId).eq(source))
            .take();
        let unfinished = Query::select()
            .expr(Expr::cust("1"))
            .from_as(bulk_operations::Entity, "o")
            .and_where(of("o", Operation::FinishedDate).is_null())
            .and_where(of("o", Operation::SheetId).is_not_null())
            .and_where(Expr::exists(of_source))
            .limit(1)
            .take();
        Ok(self.0.writer.query_one(&unfinished).await.map_err(store_error)?.is_some())
    }

    async fn expect_rows(
        &self,
        source: Id,
        sheet: Id,
        rows: Vec<(Id, i64, Entry)>,
    ) -> Result<bool, StoreError> {
        for some in rows.chunks(EXPECTED_AT_ONCE) {
            let attempt = || self.try_expect(source, sheet, some);
            if !tried(is_overtaken, attempt).await.map_err(store_error)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
