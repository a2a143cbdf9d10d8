//! Slices of reports: status, assignee, priority and notes, by the rules for changing one report.

use std::collections::HashMap;

use domain_issues::{Report, ReportChange, ReportStatus};
use domain_kernel::{Actor, Code, Id, Username, Violation, Violations, difference};
use domain_operations::{ItemKey, OperationRow, Verdict};
use ports::{ReportSlice, ReportSliceItem, ReportState, SliceOf, SliceWritten};
use serde_json::{Map, Value, json};

use super::slice::{SliceChange, missing};
use crate::{
    Error, IssueService,
    body::to_json,
    issue_list::read_report_list,
    issues::{author, state_of},
};

/// Users named in a slice, with the spelling of their names; `None` for users to whom reports can't
/// be assigned.
type Assignees = HashMap<String, Option<Username>>;

fn fields(state: &ReportState) -> Map<String, Value> {
    let fields = json!({
        "assignedTo": state.assigned_to,
        "notes": state.notes,
        "priority": state.priority,
        "status": state.status,
    });
    if let Value::Object(fields) = fields { fields } else { Map::new() }
}

impl IssueService {
    /// Ids of the reports in the list with these parameters, up to a maximum.
    pub(super) async fn matching_ids(
        &self,
        pairs: &[(String, String)],
        limit: u64,
    ) -> Result<Vec<Id>, Error> {
        let (filter, query) = read_report_list(&self.calendar, pairs)?;
        Ok(self.issues.matching_ids(&filter, &query, limit).await?)
    }

    /// Runs a slice. A dry run writes only its rows.
    pub(super) async fn run_slice(
        &self,
        actor: &Actor,
        slice: SliceOf,
        items: &[ItemKey],
        change: &SliceChange<'_>,
        dry_run: bool,
    ) -> Result<SliceWritten, Error> {
        let ids: Vec<Id> = items.iter().filter_map(ItemKey::number).collect();
        let found = self.issues.find_all(&ids).await?;
        let mut reports: HashMap<Id, Report> = found.into_iter().map(|report| (report.id, report)).collect();
        let mut assignees = Assignees::new();
        let mut rows = Vec::with_capacity(items.len());
        for (position, item) in (slice.first_position..).zip(items) {
            let mut row = missing(position, item);
            let mut deletes = None;
            let change = match item.number().and_then(|id| reports.remove(&id)) {
                None => None,
                Some(report) if matches!(change, SliceChange::Delete) => {
                    row.title.clone_from(&report.title);
                    row.verdict = Verdict::Changed;
                    deletes = Some(report);
                    None
                }
                Some(report) => {
                    row.title.clone_from(&report.title);
                    let to = self.state_in_slice(actor, &report, change, &mut row, &mut assignees).await?;
                    to.map(|to| (report, to))
                }
            };
            let (change, deletes) = if dry_run { (None, None) } else { (change, deletes) };
            rows.push(ReportSliceItem { row, change, deletes });
        }
        if let SliceChange::Make(_, edits) = change {
            edits.keep(rows.iter_mut().map(|item| (&mut item.row, &mut item.change))).await?;
        }
        let slice = ReportSlice { slice, items: rows };
        Ok(self.issues.write_slice(slice, &author(actor), self.calendar.now()).await?)
    }

    /// The state of a report after the change, if any; sets the verdict of the row. An undo may set
    /// any former status, because it is not a transition of the workflow.
    async fn state_in_slice(
        &self,
        actor: &Actor,
        report: &Report,
        change: &SliceChange<'_>,
        row: &mut OperationRow,
        assignees: &mut Assignees,
    ) -> Result<Option<ReportState>, Error> {
        let before = fields(&state_of(report));
        let wanted = change.made_of(&before, row);
        let to = match self.changes.read(wanted.into(), &()) {
            Ok(change) => self.state_with(actor, report, change.into_inner(), assignees).await?,
            Err(violations) => Err(violations.shortened().0),
        };
        let to = match to {
            Ok(to) => to,
            Err(violations) => {
                row.fail(Verdict::Refused, violations);
                return Ok(None);
            }
        };
        let diff = difference(&before, &fields(&to));
        if diff.before.is_empty() {
            row.verdict = if row.problems.is_empty() { Verdict::Unchanged } else { Verdict::Refused };
            return Ok(None);
        }
        let admin = actor.role.passes_every_check();
        let goes_back = matches!(change, SliceChange::Undo(_));
        if !goes_back && !report.status.may_become(to.status, admin) {
            let (from, to) = (to_json(&report.status)?, to_json(&to.status)?);
            let violation = Violation::new("status", Code::InvalidTransition).with("from", from);
            row.fail(Verdict::Refused, vec![violation.with("to", to)]);
            return Ok(None);
        }
        row.verdict = Verdict::Changed;
        (row.before, row.after) = (diff.before, diff.after);
        Ok(Some(to))
    }

    /// The requested state. A report in progress always has an assignee.
    async fn state_with(
        &self,
        actor: &Actor,
        report: &Report,
        change: ReportChange,
        assignees: &mut Assignees,
    ) -> Result<Result<ReportState, Vec<Violation>>, Error> {
        let named = match change.assigned_to {
            None => None,
            Some(name) => match &report.assigned_to {
                Some(same) if same.as_str().eq_ignore_ascii_case(&name) => Some(same.clone()),
                _ => match self.known_assignee(&name, assignees).await? {
                    Some(known) => Some(known),
                    None => return Ok(Err(vec![Violation::new("assignedTo", Code::UnknownReference)])),
                },
            },
        };
        let stand_in = (change.status == ReportStatus::InProgress).then(|| actor.username.clone());
        Ok(Ok(ReportState {
            status: change.status,
            priority: change.priority,
            assigned_to: named.or(stand_in),
            notes: change.notes,
        }))
    }

    /// Read once, because many reports get the same assignee.
    async fn known_assignee(&self, name: &str, assignees: &mut Assignees) -> Result<Option<Username>, Error> {
        if let Some(known) = assignees.get(name) {
            return Ok(known.clone());
        }
        let found = match self.assignable(name).await {
            Ok(username) => Some(username),
            Err(Error::Invalid(Violations(_))) => None,
            Err(error) => return Err(error),
        };
        assignees.insert(name.to_owned(), found.clone());
        Ok(found)
    }
}
