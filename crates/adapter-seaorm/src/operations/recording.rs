//! Results of a slice: its rows, the counts and the progress of the operation.

use std::borrow::Borrow;

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id};
use domain_operations::{Counts, OperationRow, OperationState, Verdict};
use ports::SliceOf;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait},
};

use super::reading::problems_json;
use crate::{
    audit::{ITEMS_AT_ONCE, fields_text},
    db::transaction::Transaction,
    entities::{
        bulk_operation_rows::{self as rows, Entity as Rows},
        bulk_operations::{Column, Entity},
    },
    guides::{record_links, withdraw_links},
    playlists::link_entries,
};

/// Writes the rows of a slice and the progress of the operation, in the transaction that changes
/// the items. Returns `None` if the operation has changed since the slice was read: then nothing
/// may be committed.
pub(crate) async fn record_slice(
    transaction: &Transaction,
    slice: SliceOf,
    items: &[impl Borrow<OperationRow>],
    now: DateTime<Utc>,
) -> Result<Option<Counts>, DbErr> {
    let mut counts = Counts::default();
    for row in items {
        counts.add(row.borrow().verdict);
    }
    let done = slice.first_position + counts.done();
    let state = |state: OperationState| Expr::val(state.code());
    let last = Expr::col(Column::Total).lte(done);
    let added = |column: Column, number: i64| Expr::col(column).add(number);
    let moved = Entity::update_many()
        .col_expr(Column::SlicesDone, Expr::val(slice.number + 1))
        .col_expr(
            Column::State,
            Expr::case(last.clone(), state(OperationState::Finished))
                .finally(state(OperationState::Running))
                .into(),
        )
        .col_expr(Column::FinishedDate, Expr::case(last, Expr::val(now)).into())
        .col_expr(Column::Changed, added(Column::Changed, counts.changed))
        .col_expr(Column::Unchanged, added(Column::Unchanged, counts.unchanged))
        .col_expr(Column::Refused, added(Column::Refused, counts.refused))
        .col_expr(Column::Conflicts, added(Column::Conflicts, counts.conflicts))
        .col_expr(Column::Missing, added(Column::Missing, counts.missing))
        .col_expr(Column::Created, added(Column::Created, counts.created))
        .filter(Column::Id.eq(slice.operation))
        .filter(Column::SlicesDone.eq(slice.number))
        .filter(Column::FinishedDate.is_null())
        .exec(transaction)
        .await?;
    if moved.rows_affected == 0 {
        return Ok(None);
    }
    let imported = made_items(items);
    for some in items.chunks(ITEMS_AT_ONCE) {
        let rows = some.iter().map(|row| row_model(slice.operation, row.borrow()));
        Rows::insert_many(rows).exec_without_returning(transaction).await?;
    }
    link_entries(transaction, slice.operation, &imported).await?;
    record_links(transaction, slice.operation, &imported, now).await?;
    if let Some(undone) = slice.undoes {
        let changed = items.iter().map(Borrow::borrow).filter(|row| row.verdict == Verdict::Changed);
        withdraw_links(transaction, undone, changed.filter_map(|row| row.item.number())).await?;
    }
    Ok(Some(counts))
}

fn row_model(operation: Id, row: &OperationRow) -> rows::ActiveModel {
    rows::ActiveModel {
        operation_id: Set(operation),
        position: Set(row.position),
        item: Set(row.item.to_string()),
        before: Set(fields_text(&row.before)),
        after: Set(fields_text(&row.after)),
        problems: Set(problems_json(&row.problems)),
        sheet_row: Set(row.sheet_row.as_ref().map(|row| row.number)),
        sheet_key: Set(row.sheet_row.as_ref().and_then(|row| row.key.clone())),
        sheet_imdb_id: Set(row.sheet_row.as_ref().and_then(|row| row.imdb_id.clone())),
        title: Set(row.title.clone()),
        verdict: Set(row.verdict.code().to_owned()),
    }
}

/// Rows of a file, and the items added for them.
pub(crate) fn made_items(rows: &[impl Borrow<OperationRow>]) -> Vec<(i64, Id)> {
    let is_there =
        |row: &&OperationRow| matches!(row.verdict, Verdict::Created | Verdict::Changed | Verdict::Unchanged);
    let made = |row: &OperationRow| {
        let item = row.item.number().filter(|item| *item != 0)?;
        Some((row.sheet_row.as_ref()?.number, item))
    };
    rows.iter().map(Borrow::borrow).filter(is_there).filter_map(made).collect()
}
