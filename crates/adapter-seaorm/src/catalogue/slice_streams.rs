//! The streams of channels in a slice: they are written after the content of their channels, and the
//! rows of the operation get the streams that differ.

use std::collections::HashMap;

use domain_kernel::{FieldDiff, Id, Violation};
use domain_operations::{OperationRow, STREAMS, Verdict};
use ports::{Edit, SliceOf};
use sea_orm::DbErr;
use serde_json::Value;

use super::{rows::id_of, stream_plans::StreamPlan, stream_rows::store_all, stream_states::record_marks};
use crate::db::transaction::Transaction;

/// Change of the streams of a channel by a slice.
pub(super) struct ChangedStreams {
    /// The streams that differ, for the row.
    before: Vec<Value>,
    after: Vec<Value>,
    /// Reason why some were not changed or not added.
    problem: Option<Violation>,
    /// The change for the audit log, besides that of the content of the channel.
    pub(super) recorded: FieldDiff,
}

impl ChangedStreams {
    pub(super) fn add_to(&self, row: &mut OperationRow) {
        row.problems.extend(self.problem.clone());
        if !self.before.is_empty() || !self.after.is_empty() {
            row.verdict = Verdict::Changed;
            row.before.insert(STREAMS.to_owned(), Value::Array(self.before.clone()));
            row.after.insert(STREAMS.to_owned(), Value::Array(self.after.clone()));
        } else if self.problem.is_some() && row.verdict == Verdict::Unchanged {
            row.verdict = Verdict::Refused;
        }
    }
}

/// A plan that is to be written.
struct ToWrite {
    item: Id,
    plan: Box<StreamPlan>,
    /// Whether the slice has changed the content of the channel.
    has_content: bool,
    changed: ChangedStreams,
}

/// Whether the row of a channel has its streams, too: an undo also restores them if the content does
/// not change.
pub(super) fn has_streams(row: &OperationRow, slice: SliceOf) -> bool {
    slice.undoes.is_some() || matches!(row.verdict, Verdict::Changed | Verdict::Unchanged)
}

/// Writes streams of channels, except for channels whose content could not be changed.
pub(super) async fn write_streams(
    transaction: &Transaction,
    slice: SliceOf,
    plans: Vec<(Id, Box<StreamPlan>)>,
    verdicts: &HashMap<Id, Verdict>,
    rows: &[OperationRow],
    edit: &Edit,
) -> Result<HashMap<Id, ChangedStreams>, DbErr> {
    let mut written = HashMap::new();
    if plans.is_empty() {
        return Ok(written);
    }
    let mut of_channels = HashMap::with_capacity(rows.len());
    for row in rows.iter().filter(|row| has_streams(row, slice)) {
        of_channels.entry(id_of(row)).or_insert(row);
    }
    let (mut marks, mut writes) = (Vec::new(), Vec::with_capacity(plans.len()));
    for (item, mut plan) in plans {
        let Some(row) = of_channels.get(&item) else { continue };
        let verdict = verdicts.get(&item);
        if verdict.is_some_and(|verdict| *verdict != Verdict::Changed) {
            continue;
        }
        let has_address = ["url", "urlType"].iter().any(|field| row.after.contains_key(*field));
        if verdict.is_some() && has_address {
            plan.leave_first();
        }
        let (before, after) = plan.differences()?;
        let problem = plan.take_problem();
        marks.extend(plan.take_marks());
        let changed = ChangedStreams { before, after, problem, recorded: FieldDiff::default() };
        writes.push(ToWrite { item, plan, has_content: verdict.is_some(), changed });
    }
    store_replaced(transaction, &writes, edit).await?;
    for ToWrite { item, plan, has_content, mut changed } in writes {
        if has_content {
            changed.recorded = plan.write_beside(transaction, edit).await?;
        } else {
            plan.write(transaction, edit).await?;
        }
        written.insert(item, changed);
    }
    record_marks(transaction, slice.operation, &marks).await?;
    Ok(written)
}

/// Stores the streams that the plans replace, for earlier versions of their channels.
async fn store_replaced(transaction: &Transaction, writes: &[ToWrite], edit: &Edit) -> Result<(), DbErr> {
    for versions in [0, 1] {
        let replacing =
            writes.iter().filter(|one| one.plan.versions_to_come(one.has_content) == Some(versions));
        let channels: Vec<Id> = replacing.map(|one| one.item).collect();
        store_all(transaction, &channels, versions, edit.at).await?;
    }
    Ok(())
}
