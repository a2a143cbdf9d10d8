//! Connects viewers' reports with links: a report requests probes of its item's links, and shows
//! their states (docs/spec/live-tv.md#links-and-reports).

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain_issues::{Author, AuthorKind, Report, ReportSeen, ReportStatus};
use domain_kernel::{Action, Actor, Id, Origin};
use domain_live::link::{LinkOwner, LinkState};
use ports::{IssueRepository, ItemLinks, LinkReports, ReportState, ReportedLink, ReportedSpan, Written};

use crate::{Calendar, Error, issues, issues::state_of, item_links::request_probes};

/// Minimum time since the last probe for a probe due to a report.
const PAUSE: TimeDelta = TimeDelta::minutes(5);
/// Maximum age of reports that request probes: older links were probed since.
const OLDEST: TimeDelta = TimeDelta::hours(6);
/// Items per batch of requests.
const ITEMS_AT_ONCE: u32 = 200;
/// Maximum time since a link's recovery for resolving a report automatically.
const RECOVERED: TimeDelta = TimeDelta::hours(24);
/// Reports resolved per batch.
const REPORTS_AT_ONCE: u32 = 100;
/// Maximum characters of notes (docs/spec/reports.md#fields).
const LONGEST_NOTES: usize = 2_000;
/// Author of automatic resolutions.
const JOB: &str = "links";
const NOTE: &str = "El enlace vuelve a reproducirse. / The link plays again.";

/// Use cases of reported links.
pub struct LinkReportService {
    links: Arc<dyn LinkReports>,
    items: Arc<dyn ItemLinks>,
    issues: Arc<dyn IssueRepository>,
    calendar: Calendar,
}

/// Item of a report, with links.
fn item_of(report: &Report) -> Option<(LinkOwner, Id)> {
    Some((LinkOwner::of(report.content_type.stream_of()?)?, report.content_id?))
}

/// A link of a report's item.
pub struct LinkOfReport {
    pub reported: ReportedLink,
    /// Whether the link is the one that players get, and plays again since a report of a playback
    /// problem.
    pub plays_again: bool,
}

/// Whether a link that came up at this time resolves the report.
fn is_again(report: &Report, came_up: Option<DateTime<Utc>>) -> bool {
    report.report_type.is_of_playback() && came_up.is_some_and(|at| at > report.reported_date)
}

impl LinkReportService {
    pub fn new(
        links: Arc<dyn LinkReports>,
        items: Arc<dyn ItemLinks>,
        issues: Arc<dyn IssueRepository>,
        calendar: Calendar,
    ) -> Self {
        Self { links, items, issues, calendar }
    }

    /// Requests probes of links reported since their last probe. Returns their number, and that of
    /// items.
    pub async fn request_reported(&self) -> Result<u64, Error> {
        let now = self.calendar.now();
        let span = ReportedSpan { since: now - OLDEST, probed_before: now - PAUSE, now };
        let mut requested = self.links.request_reported(span).await?;
        for (owner, item) in self.links.reported_items(span, ITEMS_AT_ONCE).await? {
            if request_probes(&*self.items, &self.calendar, owner, item).await? {
                requested += 1;
            }
        }
        if requested > 0 {
            tracing::info!(requested, "probes of reported links requested");
        }
        Ok(requested)
    }

    /// Links of a report's item; empty for items without links.
    pub async fn of_report(&self, actor: &Actor, report: Id) -> Result<Vec<LinkOfReport>, Error> {
        actor.require(issues::READ)?;
        let found = self.issues.find(report).await?;
        let report = found.ok_or(Error::NoSuch { what: issues::REPORTS, id: report })?;
        let Some((owner, item)) = item_of(&report) else { return Ok(Vec::new()) };
        actor.require(owner.kind().permission(Action::Read))?;
        let links = self.links.of_item(owner, item).await?.into_iter().map(|reported| {
            let plays = reported.is_played && reported.link.health.state == LinkState::Up;
            LinkOfReport { plays_again: plays && is_again(&report, reported.came_up), reported }
        });
        Ok(links.collect())
    }

    /// The reports of a playback problem whose link plays again, in one statement.
    pub async fn playing_again(&self, actor: &Actor, reports: &[ReportSeen]) -> Result<Vec<Id>, Error> {
        let reports = reports.iter().map(|seen| &seen.report);
        let linked: Vec<(&Report, (LinkOwner, Id))> = reports
            .filter_map(|report| Some((report, item_of(report)?)))
            .filter(|(_, (owner, _))| actor.may(owner.kind().permission(Action::Read)))
            .collect();
        let mut items: Vec<(LinkOwner, Id)> = linked.iter().map(|(_, item)| *item).collect();
        items.sort_unstable();
        items.dedup();
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let came_up = self.links.came_up(&items).await?;
        let came_up: HashMap<(LinkOwner, Id), DateTime<Utc>> =
            came_up.into_iter().map(|(owner, id, at)| ((owner, id), at)).collect();
        let again =
            |(report, item): &(&Report, (LinkOwner, Id))| is_again(report, came_up.get(item).copied());
        Ok(linked.iter().filter(|one| again(one)).map(|(report, _)| report.id).collect())
    }

    /// Resolves open, unchanged reports of a playback problem whose link plays again. Returns their
    /// number.
    pub async fn resolve_recovered(&self) -> Result<u64, Error> {
        let now = self.calendar.now();
        let mut resolved = 0;
        for id in self.links.recovered(now - RECOVERED, REPORTS_AT_ONCE).await? {
            let Some(report) = self.issues.find(id).await? else { continue };
            if !report.status.is_open() {
                continue;
            }
            let author = Author { name: JOB.into(), kind: AuthorKind::Server, origin: Origin::SERVER };
            let to = resolved_state(&report);
            // A concurrent change by a user takes precedence.
            if matches!(self.issues.change(&report, &to, &author, now).await?, Written::Done(_)) {
                tracing::info!(report = id, "issue report resolved: link plays again");
                resolved += 1;
            }
        }
        Ok(resolved)
    }
}

/// The resolved report, with the note appended to the staff's notes.
fn resolved_state(report: &Report) -> ReportState {
    let notes = match report.notes.as_deref() {
        Some(notes) if notes.chars().count() + NOTE.len() >= LONGEST_NOTES => notes.to_owned(),
        Some(notes) => format!("{notes}\n{NOTE}"),
        None => NOTE.to_owned(),
    };
    ReportState { status: ReportStatus::Resolved, notes: Some(notes), ..state_of(report) }
}
