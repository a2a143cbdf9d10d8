//! Entries being applied: their rows in a file, and the results.

use std::collections::HashMap;

use domain_kernel::{Enumeration, Id};
use domain_live::{entry::Entry, run::RunState};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
    Value,
    sea_query::{Expr, LockType},
};

use super::{STREAMS, SeaOrmPlaylists, changed_rows, text_of};
use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::{
        playlist_entries::{Column, Entity},
        playlist_runs::{Column as RunColumn, Entity as Runs},
        playlist_sources::{Column as SourceColumn, Entity as Sources},
    },
};

impl SeaOrmPlaylists {
    pub(super) async fn try_expect(
        &self,
        source: Id,
        sheet: Id,
        rows: &[(Id, i64, Entry)],
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        hold_source(&transaction, source).await?;
        let mut sql = Sql::new("UPDATE playlist_entries SET sheet_id = ");
        sql.bind(sheet).push(", sheet_row = v.column2, row_content = v.column3, row_shift = v.column4");
        let mut values: Vec<[Value; 4]> = Vec::with_capacity(rows.len());
        for (id, row, entry) in rows {
            values.push([(*id).into(), (*row).into(), text_of(entry)?.into(), entry.guide_shift().into()]);
        }
        sql.push_from_values(values).push(
            " WHERE playlist_entries.id = v.column1 AND NOT EXISTS (SELECT 1 FROM bulk_operations o \
                 WHERE o.sheet_id = playlist_entries.sheet_id AND o.finished_date IS NULL AND o.sheet_id <> ",
        );
        sql.bind(sheet).push(")");
        if changed_rows(&transaction, sql).await? != rows.len() as u64 {
            return Ok(false);
        }
        transaction.commit().await?;
        Ok(true)
    }
}

/// Locks a source until the transaction ends: serializes concurrent applies.
pub(super) async fn hold_source(transaction: &Transaction, source: Id) -> Result<(), DbErr> {
    let hold = Sources::find_by_id(source).select_only().column(SourceColumn::Id);
    hold.lock(LockType::NoKeyUpdate).into_tuple::<Id>().one(transaction).await.map(drop)
}

/// Whether the rows of these files still have so many entries of the run's source, and no run
/// writes these. A row of a channel may have several. Locks the source until the transaction ends.
pub(crate) async fn are_expected(
    transaction: &Transaction,
    run: Id,
    sheets: &[Id],
    entries: u64,
) -> Result<bool, DbErr> {
    let find = Runs::find_by_id(run).select_only().column(RunColumn::SourceId);
    let source = find.into_tuple::<Id>().one(transaction).await?;
    let source = source.ok_or_else(|| DbErr::RecordNotFound(format!("run {run}")))?;
    hold_source(transaction, source).await?;
    let running = Runs::find().filter(RunColumn::SourceId.eq(source));
    let running = running.filter(RunColumn::State.eq(RunState::Running.code()));
    if running.count(transaction).await? > 0 {
        return Ok(false);
    }
    let of_sheets = Entity::find().filter(Column::SheetId.is_in(sheets.iter().copied()));
    Ok(of_sheets.filter(Column::SourceId.eq(source)).count(transaction).await? == entries)
}

/// Links entries with the items of their rows, in the transaction of the operation; streams of a
/// channel stay its streams. The applied entry is that of the row: a run may have changed the entry
/// since.
pub(crate) async fn link_entries(
    transaction: &Transaction,
    operation: Id,
    imported: &[(i64, Id)],
) -> Result<(), DbErr> {
    if imported.is_empty() {
        return Ok(());
    }
    // Read first: SQLite would compare each remaining row of the file with each of these.
    let mut sql = Sql::new(
        "SELECT e.id, e.sheet_row FROM playlist_entries e JOIN bulk_operations o ON o.sheet_id = e.sheet_id \
         WHERE NOT o.dry_run AND o.id = ",
    );
    sql.bind(operation)
        .push(" AND e.sheet_row IN (")
        .bind_all(imported.iter().map(|(row, _)| *row))
        .push(")");
    let of_rows: HashMap<i64, Id> = imported.iter().copied().collect();
    let rows = transaction.query_all_raw(sql.statement(transaction.get_database_backend())).await?;
    let mut made: Vec<(Id, Id)> = Vec::with_capacity(rows.len());
    for row in &rows {
        let (entry, number): (Id, i64) = (row.try_get("", "id")?, row.try_get("", "sheet_row")?);
        made.extend(of_rows.get(&number).map(|item| (entry, *item)));
    }
    if made.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::new(
        "UPDATE playlist_entries SET in_use = TRUE, item_id = v.column2, applied = row_content, \
         applied_shift = coalesce(row_shift, 0), row_shift = NULL, \
         applied_version = applied_version + 1, candidates = NULL, \
         item_kind = CASE WHEN in_use AND item_id = v.column2 AND item_kind = ",
    );
    sql.bind(STREAMS).push(" THEN item_kind ELSE (SELECT o.kind FROM bulk_operations o WHERE o.id = ");
    sql.bind(operation).push(
        ") END, change = CASE WHEN change = 'MISSING' THEN 'MISSING' WHEN content = row_content THEN 'UNCHANGED' \
         ELSE 'CHANGED' END, sheet_id = NULL, sheet_row = NULL, row_content = NULL",
    );
    sql.push_from_values(made.into_iter().map(|(entry, item)| [Value::from(entry), Value::from(item)]));
    sql.push(" WHERE playlist_entries.id = v.column1 AND playlist_entries.sheet_row IS NOT NULL");
    changed_rows(transaction, sql).await.map(drop)
}

/// Condition that no apply has the entry. An entry with a failed row keeps it; the operation
/// expires, and its file with it.
pub(crate) fn not_applying() -> Condition {
    let forgotten = "NOT EXISTS (SELECT 1 FROM sheets s WHERE s.id = playlist_entries.sheet_id)";
    let ended = "EXISTS (SELECT 1 FROM bulk_operations o WHERE o.sheet_id = playlist_entries.sheet_id \
                 AND NOT o.dry_run AND o.finished_date IS NOT NULL)";
    Condition::any().add(Column::SheetId.is_null()).add(Expr::cust(ended)).add(Expr::cust(forgotten))
}
