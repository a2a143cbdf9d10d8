//! Lists other than content as spreadsheets (docs/spec/import-export.md#other-lists): users,
//! reports, the ledger, visits, renewals, the audit log, keys, the trash, bulk operations and
//! deliveries of webhooks. The list decides permission and rows.

mod columns;
mod duplicates;
mod exporting;
mod lists;
mod names;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain_audience::Visit;
use domain_audit::AuditEntry;
use domain_catalogue::TrashEntry;
use domain_credits::{LedgerLine, RequestedReversal};
use domain_integrations::{Delivery, Key, Webhook};
use domain_issues::{IssueContentType, IssueGroup, Report};
use domain_kernel::{Actor, Cell, Enumeration, Id, Labels, Locale};
use domain_live::{
    link::Link, matching::EpgMatch, profile::LiveProfile, schedule::ScheduleChannel, source::PlaylistSource,
};
use domain_operations::BulkOperation;
use domain_users::{Renewal, User};
use ports::{
    AuditFilter, AuditRepository, DeliveryFilter, IssueFilter, LedgerRows, LeftOut, ListRows,
    ListedGuideChannel, OperationFilter, RenewalFilter, ReversalFilter, ScheduleFilter, StoredEntry,
    TrashFilter, UserFilter, VisitFilter,
};

use self::{
    columns::{
        AUDIT, CREDITS, DELIVERIES, EPG_MATCHES, GUIDE_CHANNELS, GUIDE_HEALTH, ISSUE_GROUPS, ISSUE_REPORTS,
        KEYS, LINKS, LIVE_PROFILES, OPERATIONS, PLAYLIST_CHANGES, PLAYLIST_LINES, PLAYLIST_SOURCES, RENEWALS,
        REVERSAL_REQUESTS, TRASH, USERS, VISITS, WEBHOOKS,
    },
    exporting::RequestedExport,
    names::resource_name,
};
pub use self::{
    exporting::ListExport,
    lists::{ListAccess, SheetList},
};
use crate::{
    AuditService, Calendar, CreditService, DuplicateService, Error, GuideHealthService, GuideService,
    IssueService, KeyService, LinkService, LiveProfileService, MatchingService, OperationService,
    PlaylistService, RenewalService, ReversalRequestService, ScheduleService, SheetRequest, TrashService,
    UserService, VisitService, WebhookService, playlists::sources_seen_by,
};

/// Headings of the columns of users in a language, by column key.
pub fn user_headings<'a>(keys: impl Iterator<Item = &'a str>, locale: Locale) -> Vec<String> {
    keys.map(|key| heading_in(USERS, key, locale)).collect()
}

/// Heading of a column of reports in a language.
pub fn report_heading(key: &str, locale: Locale) -> String {
    heading_in(ISSUE_REPORTS, key, locale)
}

fn heading_in<R: 'static>(columns: &[ListColumn<R>], key: &str, locale: Locale) -> String {
    let column = columns.iter().find(|column| column.key == key);
    column.map_or(key, |column| column.labels.in_language(locale)).to_owned()
}

/// A column of a list: its key, its heading and what a row has in it.
struct ListColumn<R: 'static> {
    key: &'static str,
    labels: Labels,
    cell: fn(&R, &Cells) -> Cell,
}

/// Creates cells in the language of a file and the service's time zone.
struct Cells {
    locale: Locale,
    calendar: Calendar,
}

impl Cells {
    fn moment(&self, moment: DateTime<Utc>) -> Cell {
        Cell::Moment(self.calendar.local(moment))
    }

    fn optional_moment(&self, moment: Option<DateTime<Utc>>) -> Cell {
        moment.map_or(Cell::Empty, |moment| self.moment(moment))
    }

    fn code(&self, code: impl Enumeration) -> Cell {
        Cell::Text(code.labels().in_language(self.locale).to_owned())
    }

    fn optional_code(&self, code: Option<impl Enumeration>) -> Cell {
        code.map_or(Cell::Empty, |code| self.code(code))
    }

    /// The name of a kind or another resource, by its path.
    fn resource(&self, path: &str) -> Cell {
        text(resource_name(path).map_or(path, |labels| labels.in_language(self.locale)))
    }

    /// Cells of rows.
    fn rows<R: 'static>(&self, columns: &[&ListColumn<R>], rows: &[R]) -> Vec<Vec<Cell>> {
        let cells = |row: &R| columns.iter().map(|column| (column.cell)(row, self)).collect();
        rows.iter().map(cells).collect()
    }

    fn codes(&self, codes: &[impl Enumeration]) -> Cell {
        let labels = codes.iter().map(|code| code.labels().in_language(self.locale));
        text(labels.collect::<Vec<_>>().join(", "))
    }
}

fn text(text: impl Into<String>) -> Cell {
    let text = text.into();
    if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
}

fn optional(value: Option<impl ToString>) -> Cell {
    value.map_or(Cell::Empty, |value| text(value.to_string()))
}

/// Repositories of the lists.
pub struct ListSources {
    pub users: Arc<dyn ListRows<UserFilter, User>>,
    pub reports: Arc<dyn ListRows<IssueFilter, Report>>,
    pub lines: Arc<dyn ListRows<LedgerRows, LedgerLine>>,
    pub visits: Arc<dyn ListRows<VisitFilter, Visit>>,
    pub renewals: Arc<dyn ListRows<RenewalFilter, Renewal>>,
    pub entries: Arc<dyn ListRows<AuditFilter, AuditEntry>>,
    pub keys: Arc<dyn ListRows<(), Key>>,
    pub trash: Arc<dyn ListRows<TrashFilter, TrashEntry>>,
    pub operations: Arc<dyn ListRows<OperationFilter, BulkOperation>>,
    /// Webhooks.
    pub webhooks: Arc<dyn ListRows<(), Webhook>>,
    /// Deliveries of a webhook.
    pub deliveries: Arc<dyn ListRows<DeliveryFilter, Delivery>>,
    /// Items with open reports.
    pub groups: Arc<dyn ListRows<Option<IssueContentType>, IssueGroup>>,
    /// Requests for reversals.
    pub reversals: Arc<dyn ListRows<ReversalFilter, RequestedReversal>>,
    /// Links.
    pub links: Arc<dyn ListRows<(), Link>>,
    /// Sources of playlists.
    pub playlists: Arc<dyn ListRows<(), PlaylistSource>>,
    /// Entries of one source.
    pub playlist_entries: Arc<dyn ListRows<Id, StoredEntry>>,
    /// Lines that a run left out.
    pub playlist_lines: Arc<dyn ListRows<Id, LeftOut>>,
    /// Profiles of published playlists.
    pub live_profiles: Arc<dyn ListRows<(), LiveProfile>>,
    /// Matches of channels with guides.
    pub matches: Arc<dyn ListRows<(), EpgMatch>>,
    /// Channels of one guide.
    pub guide_channels: Arc<dyn ListRows<Id, ListedGuideChannel>>,
    /// Channels of the schedule.
    pub scheduled: Arc<dyn ListRows<ScheduleFilter, ScheduleChannel>>,
}

/// Use cases that decide which rows the actor may see.
#[derive(Clone)]
pub struct ListReaders {
    pub users: Arc<UserService>,
    pub issues: Arc<IssueService>,
    pub credits: Arc<CreditService>,
    pub visits: Arc<VisitService>,
    pub renewals: Arc<RenewalService>,
    pub audit: Arc<AuditService>,
    pub keys: Arc<KeyService>,
    pub duplicates: Arc<DuplicateService>,
}

/// Services of live TV.
#[derive(Clone)]
pub struct LiveReaders {
    /// Of playlists and what their runs found.
    pub playlists: Arc<PlaylistService>,
    /// Of matches of channels with guides.
    pub matching: Arc<MatchingService>,
    /// Of guides.
    pub guides: Arc<GuideService>,
    /// Of the schedule.
    pub schedule: Arc<ScheduleService>,
    /// Of the coverage of channels.
    pub health: Arc<GuideHealthService>,
}

/// The use cases of these spreadsheets.
pub struct ListSheetService {
    readers: ListReaders,
    live: LiveReaders,
    sources: ListSources,
    audit: Arc<dyn AuditRepository>,
    calendar: Calendar,
}

impl ListSheetService {
    pub fn new(
        readers: ListReaders,
        live: LiveReaders,
        sources: ListSources,
        audit: Arc<dyn AuditRepository>,
        calendar: Calendar,
    ) -> Self {
        Self { readers, live, sources, audit, calendar }
    }

    /// Columns of a list's files, after a check of the permission.
    pub fn columns(&self, actor: &Actor, list: SheetList) -> Result<Vec<(&'static str, Labels)>, Error> {
        match list.access() {
            ListAccess::Permission(permission) => actor.require(permission)?,
            ListAccess::Admins if actor.role.passes_every_check() => {}
            ListAccess::Roles(roles) if roles.contains(&actor.role) => {}
            ListAccess::Admins | ListAccess::Roles(_) => return Err(Error::Forbidden),
        }
        Ok(list.columns())
    }

    /// Begins a file of the rows that the actor may see.
    pub async fn begin(
        &self,
        actor: &Actor,
        list: SheetList,
        request: &SheetRequest<'_>,
    ) -> Result<ListExport, Error> {
        let (readers, live, sources, pairs) = (&self.readers, &self.live, &self.sources, request.pairs);
        let requested = RequestedExport { service: self, actor, list, request };
        match list {
            SheetList::Users => {
                requested.export(&sources.users, readers.users.read_list(actor, pairs)?, USERS).await
            }
            SheetList::IssueReports => {
                requested
                    .export(&sources.reports, readers.issues.read_list(actor, pairs)?, ISSUE_REPORTS)
                    .await
            }
            SheetList::IssueGroups => {
                let read = IssueService::read_groups(actor, pairs)?;
                let issues = readers.issues.clone();
                let seen = async move |rows: Vec<IssueGroup>| issues.groups_seen(rows).await;
                requested.export_seen(&sources.groups, read, seen, ISSUE_GROUPS).await
            }
            SheetList::Credits => {
                requested
                    .export(&sources.lines, readers.credits.read_lines(actor, pairs).await?, CREDITS)
                    .await
            }
            SheetList::ReversalRequests => {
                let read = ReversalRequestService::read_list(actor, pairs)?;
                requested.export(&sources.reversals, read, REVERSAL_REQUESTS).await
            }
            SheetList::Visits => {
                requested.export(&sources.visits, readers.visits.read_list(actor, pairs)?, VISITS).await
            }
            SheetList::Renewals => {
                requested.export(&sources.renewals, readers.renewals.read_list(actor, pairs)?, RENEWALS).await
            }
            SheetList::Audit => {
                requested.export(&sources.entries, readers.audit.read_list(actor, pairs)?, AUDIT).await
            }
            SheetList::IntegratorKeys => {
                requested.export(&sources.keys, ((), readers.keys.read_list(actor, pairs)?), KEYS).await
            }
            SheetList::Trash => {
                requested
                    .export(&sources.trash, TrashService::read_list(&self.calendar, actor, pairs)?, TRASH)
                    .await
            }
            SheetList::Operations => {
                let read = OperationService::read_list(&self.calendar, actor, pairs)?;
                requested.export(&sources.operations, read, OPERATIONS).await
            }
            SheetList::Webhooks => {
                let read = ((), WebhookService::read_list(actor, pairs)?);
                requested.export(&sources.webhooks, read, WEBHOOKS).await
            }
            SheetList::WebhookDeliveries => {
                let read = WebhookService::read_log(actor, pairs)?;
                requested.export(&sources.deliveries, read, DELIVERIES).await
            }
            SheetList::Links => {
                requested.export(&sources.links, ((), LinkService::read_list(actor, pairs)?), LINKS).await
            }
            SheetList::PlaylistSources => {
                let read = ((), PlaylistService::read_list(actor, pairs)?);
                let reader = actor.clone();
                let seen =
                    async move |rows: Vec<PlaylistSource>| Ok::<_, Error>(sources_seen_by(&reader, rows));
                requested.export_seen(&sources.playlists, read, seen, PLAYLIST_SOURCES).await
            }
            SheetList::PlaylistChanges => {
                let read = live.playlists.read_changes_of(actor, pairs).await?;
                let (playlists, reader) = (live.playlists.clone(), actor.clone());
                let seen = async move |rows: Vec<StoredEntry>| playlists.entries_seen(&reader, rows).await;
                requested.export_seen(&sources.playlist_entries, read, seen, PLAYLIST_CHANGES).await
            }
            SheetList::PlaylistLines => {
                let read = live.playlists.read_lines_of(actor, pairs).await?;
                requested.export(&sources.playlist_lines, read, PLAYLIST_LINES).await
            }
            SheetList::LiveProfiles => {
                let read = ((), LiveProfileService::read_list(actor, pairs)?);
                requested.export(&sources.live_profiles, read, LIVE_PROFILES).await
            }
            SheetList::EpgMatches => {
                let read = ((), MatchingService::read_list(actor, pairs)?);
                let matching = live.matching.clone();
                let seen = async move |rows: Vec<EpgMatch>| matching.shown(rows).await;
                requested.export_seen(&sources.matches, read, seen, EPG_MATCHES).await
            }
            SheetList::GuideChannels => {
                let read = live.guides.read_channels_of(actor, pairs).await?;
                requested.export(&sources.guide_channels, read, GUIDE_CHANNELS).await
            }
            SheetList::Schedule => requested.export_programmes().await,
            SheetList::Duplicates => requested.export_duplicates().await,
            SheetList::GuideHealth => {
                let read = live.schedule.read_list(actor, pairs)?;
                let (health, now) = (live.health.clone(), self.calendar.now());
                let seen = async move |rows: Vec<ScheduleChannel>| health.of_channels(rows, now).await;
                requested.export_seen(&sources.scheduled, read, seen, GUIDE_HEALTH).await
            }
        }
    }
}
