//! The streams of channels in a slice: written after the content of their channels, with what the rows have of them.

use std::collections::HashMap;

use domain_kernel::{FieldDiff, Id, Violation};
use domain_operations::{OperationRow, STREAMS, Verdict};
use ports::{Edit, SliceOf};
use sea_orm::DbErr;
use serde_json::Value;

use super::{rows::id_of, stream_plans::StreamPlan, stream_states::record_marks};
use crate::db::transaction::Transaction;

/// What a slice changed of the streams of a channel.
pub(super) struct ChangedStreams {
    /// The streams that differ, for the row.
    before: Vec<Value>,
    after: Vec<Value>,
    /// Why some stay as they are, or are not added.
    problem: Option<Violation>,
    /// What is recorded of them beside the content of the channel.
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

/// Whether the row of a channel takes its streams: an undo restores them where the content stays as it is, too.
pub(super) fn has_streams(row: &OperationRow, slice: SliceOf) -> bool {
    slice.undoes.is_some() || matches!(row.verdict, Verdict::Changed | Verdict::Unchanged)
}

/// Writes streams of channels, but for those of which the content could not be changed.
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
    let mut marks = Vec::new();
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
        let recorded = if verdict.is_some() {
            plan.write_beside(transaction, edit).await?
        } else {
            plan.write(transaction, edit).await?;
            FieldDiff::default()
        };
        written.insert(item, ChangedStreams { before, after, problem, recorded });
    }
    record_marks(transaction, slice.operation, &marks).await?;
    Ok(written)
}
