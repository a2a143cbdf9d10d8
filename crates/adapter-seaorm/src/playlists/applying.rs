//! Entries being applied: their rows in a file, and the results.

use std::collections::HashMap;

use domain_kernel::{Enumeration, Id};
use domain_live::{diff::EntryChange, entry::Entry, run::RunState};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, PaginatorTrait, QueryFilter,
    QuerySelect, Value,
    sea_query::{Expr, ExprTrait, Func, LockType, Query, UpdateStatement},
};

use super::{STREAMS, SeaOrmPlaylists, text_of};
use crate::{
    db::{
        sql::{of, values_as_v},
        transaction::Transaction,
    },
    entities::{
        bulk_operations::{Column as OperationColumn, Entity as Operations},
        playlist_entries::{Column, Entity},
        playlist_runs::{Column as RunColumn, Entity as Runs},
        playlist_sources::{Column as SourceColumn, Entity as Sources},
    },
};

/// Columns that the entity lacks: the offset of an entry's times, in the row of a file and applied,
/// and the number of its applies.
const ROW_SHIFT: &str = "row_shift";
const APPLIED_SHIFT: &str = "applied_shift";
const APPLIED_VERSION: &str = "applied_version";

impl SeaOrmPlaylists {
    pub(super) async fn try_expect(
        &self,
        source: Id,
        sheet: Id,
        rows: &[(Id, i64, Entry)],
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        hold_source(&transaction, source).await?;
        let mut values: Vec<[Value; 4]> = Vec::with_capacity(rows.len());
        for (id, row, entry) in rows {
            values.push([(*id).into(), (*row).into(), text_of(entry)?.into(), entry.guide_shift().into()]);
        }
        let unfinished_of_other = Query::select()
            .expr(Expr::cust("1"))
            .from_as(Operations, "o")
            .and_where(of("o", OperationColumn::SheetId).eq(of("playlist_entries", Column::SheetId)))
            .and_where(of("o", OperationColumn::FinishedDate).is_null())
            .and_where(of("o", OperationColumn::SheetId).ne(sheet))
            .take();
        let update = Query::update()
            .table(Entity)
            .value(Column::SheetId, sheet)
            .value(Column::SheetRow, of("v", "column2"))
            .value(Column::RowContent, of("v", "column3"))
            .value(ROW_SHIFT, of("v", "column4"))
            .from(values_as_v(values))
            .and_where(of("playlist_entries", Column::Id).eq(of("v", "column1")))
            .and_where(Expr::exists(unfinished_of_other).not())
            .take();
        if transaction.execute(&update).await?.rows_affected() != rows.len() as u64 {
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
    let select = Query::select()
        .exprs([Column::Id, Column::SheetRow].map(|column| of("e", column)))
        .from_as(Entity, "e")
        .join_as(
            JoinType::Join,
            Operations,
            "o",
            of("o", OperationColumn::SheetId).eq(of("e", Column::SheetId)),
        )
        .and_where(of("o", OperationColumn::DryRun).not())
        .and_where(of("o", OperationColumn::Id).eq(operation))
        .and_where(of("e", Column::SheetRow).is_in(imported.iter().map(|(row, _)| *row)))
        .take();
    let of_rows: HashMap<i64, Id> = imported.iter().copied().collect();
    let rows = transaction.query_all(&select).await?;
    let mut made: Vec<(Id, Id)> = Vec::with_capacity(rows.len());
    for row in &rows {
        let (entry, number): (Id, i64) = (row.try_get("", "id")?, row.try_get("", "sheet_row")?);
        made.extend(of_rows.get(&number).map(|item| (entry, *item)));
    }
    if made.is_empty() {
        return Ok(());
    }
    let made = made.into_iter().map(|(entry, item)| [Value::from(entry), Value::from(item)]);
    transaction.execute(&link_made(operation, made)).await.map(drop)
}

/// The statement that links the entry of each row with its item.
fn link_made(operation: Id, made: impl Iterator<Item = [Value; 2]>) -> UpdateStatement {
    let item = || of("v", "column2");
    let kind = Query::select()
        .expr(of("o", OperationColumn::Kind))
        .from_as(Operations, "o")
        .and_where(of("o", OperationColumn::Id).eq(operation))
        .take();
    let is_its_stream = Expr::col(Column::InUse)
        .and(Expr::col(Column::ItemId).eq(item()))
        .and(Expr::col(Column::ItemKind).eq(STREAMS));
    let missing = EntryChange::Missing.code();
    let change = Expr::case(Expr::col(Column::Change).eq(missing), missing)
        .case(Expr::col(Column::Content).eq(Expr::col(Column::RowContent)), EntryChange::Unchanged.code())
        .finally(EntryChange::Changed.code());
    Query::update()
        .table(Entity)
        .values([
            (Column::InUse, true.into()),
            (Column::ItemId, item()),
            (Column::ItemKind, Expr::case(is_its_stream, Expr::col(Column::ItemKind)).finally(kind).into()),
            (Column::Applied, Expr::col(Column::RowContent)),
            (Column::Change, change.into()),
            (Column::Candidates, Expr::null()),
            (Column::SheetId, Expr::null()),
            (Column::SheetRow, Expr::null()),
            (Column::RowContent, Expr::null()),
        ])
        .value(APPLIED_SHIFT, Func::coalesce([Expr::col(ROW_SHIFT), 0_i64.into()]))
        .value(ROW_SHIFT, Expr::null())
        .value(APPLIED_VERSION, Expr::col(APPLIED_VERSION).add(1_i64))
        .from(values_as_v(made))
        .and_where(of("playlist_entries", Column::Id).eq(of("v", "column1")))
        .and_where(of("playlist_entries", Column::SheetRow).is_not_null())
        .take()
}

/// Condition that no apply has the entry. An entry with a failed row keeps it; the operation
/// expires, and its file with it.
pub(crate) fn not_applying() -> Condition {
    let forgotten = "NOT EXISTS (SELECT 1 FROM sheets s WHERE s.id = playlist_entries.sheet_id)";
    let ended = "EXISTS (SELECT 1 FROM bulk_operations o WHERE o.sheet_id = playlist_entries.sheet_id \
                 AND NOT o.dry_run AND o.finished_date IS NOT NULL)";
    Condition::any().add(Column::SheetId.is_null()).add(Expr::cust(ended)).add(Expr::cust(forgotten))
}
