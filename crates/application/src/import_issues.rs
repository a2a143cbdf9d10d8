//! Imports reports from files, in batches. Called by the operator's command, without a permission.

use std::collections::HashMap;

use chrono::SubsecRound;
use domain_issues::{IssueContentType, NewReport, PastReport};
use domain_kernel::{Code, Enumeration, Id, Username, Violation, Violations};
use ports::{ImportedReport, ReportState};
use sha2::{Digest, Sha256};

use crate::{
    Change, Error, IdMap, ImportedLine, IssueService, LineOutcome, import::read_lines, issues::sees_reports,
};

/// Staff named by lines; `None` for unknown names.
type Staff = HashMap<String, Option<Username>>;

impl IssueService {
    /// Imports a batch of lines. Invalid lines are rejected one by one; the others are stored
    /// together. Existing reports are not changed.
    pub async fn import(
        &self,
        lines: Vec<ImportedLine>,
        ids: &IdMap,
        staff: &mut Staff,
    ) -> Result<Vec<(u64, LineOutcome)>, Error> {
        let (mut read, mut outcomes) = read_lines(&self.past, lines);
        let items = self.items_of(&mut read, ids).await?;
        let (mut batch, mut accepted) = (Vec::with_capacity(read.len()), Vec::with_capacity(read.len()));
        for ((number, past), item) in read.into_iter().zip(items) {
            match self.importable(past, item, staff).await? {
                Ok(report) => {
                    batch.push(report);
                    accepted.push(number);
                }
                Err(violations) => outcomes.push((number, LineOutcome::Refused(Violations(violations)))),
            }
        }
        let stored = self.issues.import(batch, self.calendar.now()).await?;
        outcomes.extend(accepted.into_iter().zip(stored).map(|(number, new)| {
            (number, LineOutcome::Accepted(if new { Change::Created } else { Change::Unchanged }))
        }));
        outcomes.sort_by_key(|(number, _)| *number);
        Ok(outcomes)
    }

    /// The item of each report: by its id if that item exists, otherwise by its title.
    async fn items_of(&self, read: &mut [(u64, PastReport)], ids: &IdMap) -> Result<Vec<Option<Id>>, Error> {
        let stored_item = |past: &PastReport| {
            let id = ids.stored_id(past.content_type.kind(), past.content_id?)?;
            Some((past.content_type, id))
        };
        let by_id: Vec<(IssueContentType, Id)> =
            read.iter().filter_map(|(_, past)| stored_item(past)).collect();
        let there = if by_id.is_empty() { Vec::new() } else { self.issues.items(&by_id).await? };
        let mut found = Vec::with_capacity(read.len());
        for (_, past) in read.iter_mut() {
            let wanted = stored_item(past);
            let item = there.iter().find(|item| Some((item.content_type, item.id)) == wanted);
            if let (None, Some(item)) = (&past.content, item) {
                past.content = Some(item.title.clone());
            }
            found.push(item.map(|item| item.id));
        }
        let nameless: Vec<(usize, IssueContentType, String)> = read
            .iter()
            .enumerate()
            .filter(|(index, _)| found[*index].is_none())
            .filter_map(|(index, (_, past))| Some((index, past.content_type, past.content.clone()?)))
            .collect();
        let wanted: Vec<(IssueContentType, String)> =
            nameless.iter().map(|(_, content_type, title)| (*content_type, title.clone())).collect();
        if !wanted.is_empty() {
            let by_title = self.issues.ids_by_title(&wanted).await?;
            for ((index, ..), id) in nameless.into_iter().zip(by_title) {
                found[index] = id;
            }
        }
        Ok(found)
    }

    async fn importable(
        &self,
        past: PastReport,
        content_id: Option<Id>,
        staff: &mut Staff,
    ) -> Result<Result<ImportedReport, Vec<Violation>>, Error> {
        let mut violations = Vec::new();
        let reported_date = past.reported_date.trunc_subsecs(3);
        if reported_date > self.calendar.now() {
            violations.push(Violation::new("reportedDate", Code::InvalidDate));
        }
        let assigned_to = match &past.assigned_to {
            None => None,
            Some(name) => {
                let found = self.of_staff(name, staff).await?;
                if found.is_none() {
                    violations.push(Violation::new("assignedTo", Code::UnknownReference));
                }
                found
            }
        };
        if !violations.is_empty() {
            return Ok(Err(violations));
        }
        let natural_key = natural_key(&past);
        let PastReport { title, description, content_type, content, report_type, reporter, .. } = past;
        Ok(Ok(ImportedReport {
            report: NewReport {
                title,
                description,
                content_type,
                content_id,
                content,
                report_type,
                reporter,
            },
            state: ReportState {
                status: past.status,
                priority: past.priority,
                assigned_to,
                notes: past.notes,
            },
            reported_date,
            natural_key,
        }))
    }

    /// A user who may see reports, active or not.
    async fn of_staff(&self, name: &str, staff: &mut Staff) -> Result<Option<Username>, Error> {
        let key = name.to_ascii_lowercase();
        if let Some(known) = staff.get(&key) {
            return Ok(known.clone());
        }
        let account = match Username::parse(name) {
            Some(username) => self.users.find_credentials(&username).await?,
            None => None,
        };
        let found = account.filter(|account| sees_reports(account.role)).map(|account| account.username);
        staff.insert(key, found.clone());
        Ok(found)
    }
}

/// Identifies a report by its imported fields, which staff can't change.
fn natural_key(past: &PastReport) -> String {
    let mut hash = Sha256::new();
    for part in [
        past.content_type.code(),
        past.report_type.code(),
        &past.reported_date.trunc_subsecs(3).to_rfc3339(),
        &past.title,
        past.content.as_deref().unwrap_or_default(),
        past.description.as_deref().unwrap_or_default(),
        past.reporter.as_deref().unwrap_or_default(),
    ] {
        hash.update(part);
        hash.update([0]);
    }
    let mut hex = format!("{:x}", hash.finalize());
    hex.truncate(32);
    hex
}
