//! The streams of channels in a slice: they are written after the content of their channels, and the
//! rows of the operation get the streams that differ.

use std::collections::HashMap;

use domain_catalogue::{Stored, TvChannel};
use domain_kernel::{FieldDiff, Id, Violation};
use domain_operations::{OperationRow, STREAMS, Verdict};
use ports::{Edit, SliceOf};
use sea_orm::{DbErr, sea_query::LockType};
use serde_json::Value;

use super::{
    rows::id_of,
    stream_plans::StreamPlan,
    stream_states::{record_marks, write_entries},
    streams::{Channels, StreamWrite, overwrite_streams, stream_diff},
};
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
    if plans.is_empty() {
        return Ok(HashMap::new());
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
    let entries = writes.iter_mut().flat_map(|one| one.plan.take_entries()).collect();
    write_entries(transaction, entries).await?;
    let written = write_lists_of(transaction, writes, edit).await?;
    record_marks(transaction, slice.operation, &marks).await?;
    Ok(written)
}

/// Writes the lists that differ. A channel has its new version already if the slice has changed its content and its
/// first stream stays; every other one gets another version and an audit entry.
async fn write_lists_of(
    transaction: &Transaction,
    writes: Vec<ToWrite>,
    edit: &Edit,
) -> Result<HashMap<Id, ChangedStreams>, DbErr> {
    let mut written = HashMap::with_capacity(writes.len());
    let (mut whole, mut further, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for ToWrite { item, plan, has_content, mut changed } in writes {
        let keeps_first = plan.keeps_first();
        if let Some((current, before, list)) = plan.into_lists() {
            if has_content && keeps_first {
                changed.recorded = stream_diff(&before.streams, &list.streams);
                further.push((before, list));
            } else {
                if has_content {
                    again.push(item);
                }
                let content = current.content.clone();
                whole.push(StreamWrite { current, content, before, list });
            }
        }
        written.insert(item, changed);
    }
    if !again.is_empty() {
        // The slice has changed the content of these channels.
        let now = Channels::locked_all(transaction, &again, LockType::NoKeyUpdate).await?;
        let mut now: HashMap<Id, Stored<TvChannel>> =
            now.into_iter().map(|channel| (channel.id, channel)).collect();
        if now.len() != again.len() {
            return Err(DbErr::Custom("a locked row is missing".into()));
        }
        for write in &mut whole {
            if let Some(current) = now.remove(&write.current.id) {
                write.content = current.content.clone();
                write.current = current;
            }
        }
    }
    overwrite_streams(transaction, &whole, &further, edit).await?;
    Ok(written)
}
