//! Viewers' reports: created by viewers, handled by staff (docs/spec/reports.md). Checks are in
//! this order: permission, existence (404), rules (422), version (412), state (409).

use std::sync::Arc;

use domain_issues::{
    Author, AuthorKind, HistoryEntry, IssueStats, NewReport, PastReport, Report, ReportChange, ReportSeen,
    ReportStatus,
};
use domain_kernel::{
    Action, Actor, Code, DraftReader, Enumeration, Id, KeyScope, ListQuery, Origin, Page, Permission,
    Principal, RoleCode, Source, Subject, UserRef, Username, Version, Violation, Violations,
};
use domain_users::{UserStatus, permissions_of};
use ports::{Inserted, IssueFilter, IssueItem, IssueRepository, ReportState, UserRepository, Written};
use serde_json::{Map, Value};

use crate::{
    Calendar, Error, ListShape,
    body::{not_an_object, parse, to_json},
    idempotency::idempotency_key_of,
    issue_list::{read_report_list, report_list_shape},
    merge::merge,
    versions::{require_version, retry_if_outdated},
};

pub(crate) const ISSUES: Subject = Subject("ISSUES");
pub(crate) const READ: Permission = Permission::new(ISSUES, Action::Read);
pub(crate) const UPDATE: Permission = Permission::new(ISSUES, Action::Update);
const DELETE: Permission = Permission::new(ISSUES, Action::Delete);
/// Name of reports in texts and paths.
pub(crate) const REPORTS: &str = "issue-reports";
/// Fields that can't change after creation.
const FIXED: [&str; 7] =
    ["title", "description", "contentType", "contentId", "content", "reportType", "reporter"];

/// Use cases of viewers' reports.
pub struct IssueService {
    pub(crate) issues: Arc<dyn IssueRepository>,
    pub(crate) users: Arc<dyn UserRepository>,
    pub(crate) calendar: Calendar,
    pub(crate) past: DraftReader<PastReport>,
    reports: DraftReader<NewReport>,
    pub(crate) changes: DraftReader<ReportChange>,
}

/// A created report, and whether the response is a repetition.
#[derive(Debug)]
pub struct ReportCreated {
    /// The report.
    pub seen: ReportSeen,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

/// A report with its item and history.
#[derive(Debug)]
pub struct ReportDetails {
    pub seen: ReportSeen,
    /// Its item, if it is known and exists.
    pub item: Option<IssueItem>,
    /// History, oldest first.
    pub history: Vec<HistoryEntry>,
}

/// Whether users of this role may see reports and be assigned to them.
pub(crate) fn sees_reports(role: RoleCode) -> bool {
    role.passes_every_check() || permissions_of(role).contains(&READ)
}

fn seen(report: Report, actor: &Actor) -> ReportSeen {
    let admin = actor.role.passes_every_check();
    let transitions = if actor.may(UPDATE) { report.status.next(admin) } else { Vec::new() };
    ReportSeen { report, transitions }
}

pub(crate) fn state_of(report: &Report) -> ReportState {
    ReportState {
        status: report.status,
        priority: report.priority,
        assigned_to: report.assigned_to.clone(),
        notes: report.notes.clone(),
    }
}

/// A user of the staff as the author of a change.
pub(crate) fn author(actor: &Actor) -> Author {
    Author { name: actor.username.to_string(), kind: AuthorKind::Staff, origin: actor.origin }
}

impl IssueService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        report_list_shape()
    }

    pub fn new(issues: Arc<dyn IssueRepository>, users: Arc<dyn UserRepository>, calendar: Calendar) -> Self {
        let (reports, changes) = (DraftReader::new(), DraftReader::new());
        Self { issues, users, calendar, past: DraftReader::new(), reports, changes }
    }

    /// A page of the list. `pairs` are those of the query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<ReportSeen>>, Error> {
        let (filter, query) = self.read_list(actor, pairs)?;
        let page = self.issues.list(&filter, &query).await?;
        Ok(page.map(|reports| reports.into_iter().map(|report| seen(report, actor)).collect()))
    }

    /// Reads the list parameters, after a check of the permission.
    pub(crate) fn read_list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(IssueFilter, ListQuery), Error> {
        actor.require(READ)?;
        Ok(read_report_list(&self.calendar, pairs)?)
    }

    /// One report with its item and history.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<ReportDetails, Error> {
        actor.require(READ)?;
        let report = self.known(id).await?;
        let item = match report.content_id {
            Some(content) => self.issues.items(&[(report.content_type, content)]).await?.pop(),
            None => None,
        };
        let history = self.issues.history(id).await?;
        Ok(ReportDetails { seen: seen(report, actor), item, history })
    }

    async fn known(&self, id: Id) -> Result<Report, Error> {
        self.issues.find(id).await?.ok_or(Error::NoSuch { what: REPORTS, id })
    }

    /// Creates a report, for staff or a program. A repeated body with the same idempotency key gets
    /// the first response again.
    pub async fn create(
        &self,
        requester: &Principal,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<ReportCreated, Error> {
        requester.require(UPDATE, KeyScope::IssuesReport)?;
        let json = parse(body)?;
        let once = idempotency_key_of(requester.once_name(), key, REPORTS, &json);
        let before = match &once {
            Some(once) => self.issues.answered(once).await?,
            None => None,
        };
        let mut report = self.reports.read(json, &())?.into_inner();
        let (sent_id, sent_title) = (report.content_id, report.content.clone());
        let author = match requester {
            Principal::Staff(actor) => author(actor),
            Principal::Integrator(key) => {
                let origin = Origin::of(Source::Request);
                Author { name: key.name.clone(), kind: AuthorKind::Key, origin }
            }
        };
        let seen = |report| match requester {
            Principal::Staff(actor) => seen(report, actor),
            // A key that can only report must not read item fields: the item may be hidden.
            Principal::Integrator(_) => ReportSeen {
                report: Report { content_id: sent_id, content: sent_title.clone(), ..report },
                transitions: Vec::new(),
            },
        };
        // A replay returns the first response even if the item was deleted since.
        let inserted = if let Some(before) = before {
            before
        } else {
            self.name_item(&mut report).await?;
            self.issues.insert(&report, &author, self.calendar.now(), once).await?
        };
        match inserted {
            Inserted::New(report) => {
                tracing::info!(by = author.name, report = report.id, "issue reported");
                Ok(ReportCreated { seen: seen(report), replayed: false })
            }
            Inserted::Replayed(report) => Ok(ReportCreated { seen: seen(report), replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
        }
    }

    /// An id must exist, and sets the title; a title that only one item has sets the id.
    async fn name_item(&self, report: &mut NewReport) -> Result<(), Error> {
        match (report.content_id, &report.content) {
            (Some(id), _) => {
                let Some(item) = self.issues.items(&[(report.content_type, id)]).await?.pop() else {
                    let violation = Violation::new("contentId", Code::UnknownReference);
                    return Err(Violations(vec![violation]).into());
                };
                report.content = Some(item.title);
            }
            (None, Some(title)) => {
                let wanted = [(report.content_type, title.clone())];
                report.content_id = self.issues.ids_by_title(&wanted).await?.pop().flatten();
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Merges changes into a report (RFC 7396): status, notes, assignee, priority. Equal values
    /// change nothing. A report in progress always has an assignee: the actor, if none is named.
    pub async fn update(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<ReportSeen, Error> {
        actor.require(UPDATE)?;
        let admin = actor.role.passes_every_check();
        retry_if_outdated(expected, async || {
            let current = self.known(id).await?;
            let to = self.wanted(actor, &current, parse(body)?).await?;
            require_version(expected, current.version, || outdated(current.clone(), actor))?;
            if !current.status.may_become(to.status, admin) {
                return Err(Error::InvalidTransition { from: current.status, to: to.status });
            }
            if to == state_of(&current) {
                return Ok(seen(current, actor));
            }
            match self.issues.change(&current, &to, &author(actor), self.calendar.now()).await? {
                Written::Done(report) => {
                    let (by, status) = (actor.username.as_str(), report.status.code());
                    tracing::info!(by, report = id, status, "issue report changed");
                    Ok(seen(report, actor))
                }
                Written::Missing => Err(Error::NoSuch { what: REPORTS, id }),
                Written::Outdated(now) => Err(outdated(now, actor)?),
            }
        })
        .await
    }

    /// The state after the changes of a body.
    async fn wanted(&self, actor: &Actor, current: &Report, sent: Value) -> Result<ReportState, Error> {
        let Value::Object(mut sent) = sent else {
            return Err(not_an_object());
        };
        let mut violations = changed_but_fixed(&to_json(current)?, &mut sent);
        let mut whole = to_json(&ReportChange {
            status: current.status,
            notes: current.notes.clone(),
            assigned_to: current.assigned_to.as_ref().map(ToString::to_string),
            priority: current.priority,
        })?;
        merge(&mut whole, Value::Object(sent));
        let change = match self.changes.read(whole, &()) {
            Ok(change) if violations.is_empty() => change.into_inner(),
            Ok(_) => return Err(Violations(violations).into()),
            Err(Violations(more)) => {
                violations.extend(more);
                return Err(Violations(violations).into());
            }
        };
        let named = match change.assigned_to {
            None => None,
            Some(name) => match &current.assigned_to {
                Some(same) if same.as_str().eq_ignore_ascii_case(&name) => Some(same.clone()),
                _ => Some(self.assignable(&name).await?),
            },
        };
        let stand_in = (change.status == ReportStatus::InProgress).then(|| actor.username.clone());
        Ok(ReportState {
            status: change.status,
            priority: change.priority,
            assigned_to: named.or(stand_in),
            notes: change.notes,
        })
    }

    /// An active user who may see reports, with the spelling of their name.
    pub(crate) async fn assignable(&self, name: &str) -> Result<Username, Error> {
        let user = match Username::parse(name) {
            Some(username) => self.users.find_credentials(&username).await?,
            None => None,
        };
        let fits = |role, status| sees_reports(role) && status == UserStatus::Active;
        match user.filter(|user| fits(user.role, user.status)) {
            Some(user) => Ok(user.username),
            None => Err(Violations(vec![Violation::new("assignedTo", Code::UnknownReference)]).into()),
        }
    }

    /// Deletes a report. Its history is kept.
    pub async fn delete(&self, actor: &Actor, id: Id, expected: Option<Version>) -> Result<(), Error> {
        actor.require(DELETE)?;
        retry_if_outdated(expected, async || {
            let current = self.known(id).await?;
            require_version(expected, current.version, || outdated(current.clone(), actor))?;
            match self.issues.delete(&current, &author(actor), self.calendar.now()).await? {
                Written::Done(_) => {
                    tracing::info!(by = actor.username.as_str(), report = id, "issue report deleted");
                    Ok(())
                }
                Written::Missing => Err(Error::NoSuch { what: REPORTS, id }),
                Written::Outdated(now) => Err(outdated(now, actor)?),
            }
        })
        .await
    }

    /// Numbers of reports.
    pub async fn stats(&self, actor: &Actor) -> Result<IssueStats, Error> {
        actor.require(READ)?;
        Ok(IssueStats::of(self.issues.counts().await?))
    }

    /// Users to whom reports can be assigned.
    pub async fn assignees(&self, actor: &Actor) -> Result<Vec<UserRef>, Error> {
        actor.require(READ)?;
        let roles: Vec<RoleCode> = RoleCode::ALL.iter().copied().filter(|role| sees_reports(*role)).collect();
        Ok(self.issues.staff(&roles).await?)
    }
}

fn outdated(current: Report, actor: &Actor) -> Result<Error, Error> {
    Ok(Error::Outdated(Box::new(to_json(&seen(current, actor))?)))
}

/// Removes the fields that can't change from a body; they may be sent with their current values
/// only.
fn changed_but_fixed(current: &Value, sent: &mut Map<String, Value>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for field in FIXED {
        if sent.remove(field).is_some_and(|value| value != current[field]) {
            violations.push(Violation::new(field, Code::Immutable));
        }
    }
    violations
}
