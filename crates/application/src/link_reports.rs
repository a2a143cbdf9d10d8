//! The loop between viewers' reports and links: a report has the links of its channel probed, and shows what they are
//! (docs/spec/live-tv.md#links-and-reports).

use std::sync::Arc;

use chrono::TimeDelta;
use domain_kernel::{Action, Actor, Id, Kind};
use ports::{IssueRepository, LinkReports, ReportedLink, ReportedSpan};

use crate::{Calendar, Error, issues, links::link_permission};

/// A report has a link probed that was not probed for so long.
const PAUSE: TimeDelta = TimeDelta::minutes(5);
/// Reports that are older are not looked at: the link was probed since.
const OLDEST: TimeDelta = TimeDelta::hours(6);

/// The use cases of links that were reported.
pub struct LinkReportService {
    links: Arc<dyn LinkReports>,
    issues: Arc<dyn IssueRepository>,
    calendar: Calendar,
}

impl LinkReportService {
    /// The use cases over their ports.
    pub fn new(links: Arc<dyn LinkReports>, issues: Arc<dyn IssueRepository>, calendar: Calendar) -> Self {
        Self { links, issues, calendar }
    }

    /// Has the links probed that were reported since they were probed last.
    pub async fn request_reported(&self) -> Result<u64, Error> {
        let now = self.calendar.now();
        let span = ReportedSpan { since: now - OLDEST, probed_before: now - PAUSE, now };
        let requested = self.links.request_reported(span).await?;
        if requested > 0 {
            tracing::info!(requested, "links are probed because of reports");
        }
        Ok(requested)
    }

    /// The links of the channel that a report is about; none where it is about something else.
    pub async fn of_report(&self, actor: &Actor, report: Id) -> Result<Vec<ReportedLink>, Error> {
        actor.require(issues::READ)?;
        actor.require(link_permission(Action::Read))?;
        let found = self.issues.find(report).await?;
        let report = found.ok_or(Error::NoSuch { what: issues::REPORTS, id: report })?;
        match report.content_id {
            Some(channel) if report.content_type.kind() == Kind::TvChannels => {
                Ok(self.links.of_channel(channel).await?)
            }
            _ => Ok(Vec::new()),
        }
    }
}
