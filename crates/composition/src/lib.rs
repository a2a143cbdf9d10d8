//! Composes the application: services and their adapters, for the server and for the tests of the API.
//!
//! The differences between the two are parameters ([`Outside`]). Jobs, settings and commands belong to the
//! server.

use std::sync::Arc;

use adapter_live::{
    HttpGuides, HttpPlaylists, M3uWriter, XmltvFormat,
    fetch::{Deadlines, Fetcher},
    guide::GuideLimits,
    probe::Prober,
};
use adapter_seaorm::{
    Database, EntryTable, SeaOrmActivity, SeaOrmAppSettings, SeaOrmAudit, SeaOrmBackups, SeaOrmDashboards,
    SeaOrmDuplicates, SeaOrmEntries, SeaOrmEntryStreams, SeaOrmGuides, SeaOrmIssues, SeaOrmKeys,
    SeaOrmLedger, SeaOrmLinkReports, SeaOrmLinks, SeaOrmLiveProfiles, SeaOrmMatches, SeaOrmNotices,
    SeaOrmOperations, SeaOrmPlaylists, SeaOrmRenewals, SeaOrmSavedViews, SeaOrmSessions, SeaOrmSettings,
    SeaOrmSheets, SeaOrmStreams, SeaOrmTrash, SeaOrmUserNotes, SeaOrmUserSheets, SeaOrmUsers, SeaOrmViews,
    SeaOrmVisits, SeaOrmWebhooks,
    catalogue::{self, SeaOrmReferences},
};
use adapter_sheets::XlsxFiles;
use anyhow::anyhow;
use api::{EventStreams, Readiness, Services};
use application::{
    ActivityService, AppSettingsService, AuditService, BackupService, BaseUrlService, Calendar,
    CompletenessService, ContentServices, CreditService, DashboardService, DeliveryService, DuplicateService,
    EntryService, FilmService, GuideHealthService, GuideService, IssueService, ItemLinkService, KeptDays,
    KeyService, LinkReportService, LinkService, ListReaders, ListSheetService, ListSources, LiveProfileParts,
    LiveProfileService, LiveReaders, MatchingService, MatchingStores, NoticeService, OperationService,
    PlaylistService, PlaylistStores, RenewalService, ReversalRequestService, SavedViewService,
    ScheduleService, SessionService, SheetImportService, SheetService, SignInService, StatementService,
    StreamService, TrashService, UserActivityService, UserNoteService, UserService, ViewService,
    VisitService, WebhookService,
};
use chrono_tz::Tz;
use domain_integrations::Networks;
use domain_live::{link::ProbePolicy, playlist::Limits};
use domain_settings::BackupSchedule;
use domain_users::CallingCode;
use ports::{Clock, FilmDatabase, PasswordHasher, References, SecretSource, WebhookSender};

/// Dependencies of the application besides its database: the clock, other services and limits.
pub struct Outside {
    pub clock: Arc<dyn Clock>,
    /// Time zone of the service.
    pub time_zone: Tz,
    /// Calling code of phone numbers without one.
    pub country_calling_code: Option<CallingCode>,
    /// Source of session keys, API keys, secrets of profiles and generated passwords.
    pub secrets: Arc<dyn SecretSource>,
    pub passwords: Arc<dyn PasswordHasher>,
    pub films: Arc<dyn FilmDatabase>,
    pub webhook_sender: Arc<dyn WebhookSender>,
    /// Private addresses allowed for playlists, guides and probes.
    pub fetch_allow: Networks,
    pub playlist_limits: Limits,
    /// Range of days whose programmes are stored.
    pub guide_days: KeptDays,
    /// Intervals and limits of probes.
    pub probe_policy: ProbePolicy,
    /// Schedule of automatic backups; `None` without a folder for them.
    pub backup_schedule: Option<BackupSchedule>,
    /// Called when a bulk operation starts in this process.
    pub on_operation: Arc<dyn Fn() + Send + Sync>,
}

struct DatabaseAnswers(Database);

#[async_trait::async_trait]
impl Readiness for DatabaseAnswers {
    async fn check(&self) -> Result<(), String> {
        self.0.ping().await.map_err(|error| error.to_string())
    }
}

/// Services over a database.
pub fn services(database: &Database, outside: &Outside) -> anyhow::Result<Services> {
    let calendar = &Calendar::new(outside.clock.clone(), outside.time_zone);
    let users = Arc::new(SeaOrmUsers(database.clone()));
    let sessions = Arc::new(SeaOrmSessions::new(database.clone()));
    let references: Arc<dyn References> = Arc::new(SeaOrmReferences(database.clone()));
    let ledger = Arc::new(SeaOrmLedger::new(database.clone()));
    let credits = Arc::new(CreditService::new(ledger.clone(), calendar.clone()));
    let contents = ContentServices::new(catalogue::repositories(database), &references, calendar);
    let readers = readers(outside, database, calendar, &contents, &users, &credits);
    let audit_log = Arc::new(SeaOrmAudit(database.clone()));
    let sheet_imports = sheet_imports(database, calendar, contents.clone(), readers.users.clone());
    let operations = operations(outside, database, calendar, &readers, &contents, &sheet_imports);
    let webhooks = Arc::new(SeaOrmWebhooks(database.clone()));
    let sender = &outside.webhook_sender;
    let backups = backups(outside, database, calendar);
    let links = links(outside, database, calendar)?;
    let live = live_readers(outside, database, calendar, &contents, &operations)?;
    let activity = Arc::new(ActivityService::new(Arc::new(SeaOrmActivity(database.clone()))));
    Ok(Services {
        events: Arc::new(EventStreams::new(activity.clone())),
        activity,
        sign_in: sign_in(outside, &users, &sessions, &audit_log),
        sessions: Arc::new(SessionService::new(sessions, users.clone(), outside.clock.clone())),
        calendar: calendar.clone(),
        films: Arc::new(FilmService::new(outside.films.clone(), calendar.clone())),
        schedule: live.schedule.clone(),
        guide_health: live.health.clone(),
        guides: live.guides.clone(),
        matching: live.matching.clone(),
        playlists: live.playlists.clone(),
        item_links: item_links(&links, database, calendar),
        links,
        link_reports: link_reports(database, calendar),
        streams: streams(database, calendar),
        live_profiles: live_profiles(outside, database, calendar, &readers, &contents),
        operations,
        sheet_imports,
        sheets: Arc::new(SheetService::new(contents.clone(), audit_log.clone(), calendar.clone())),
        sheet_files: Arc::new(XlsxFiles),
        completeness: Arc::new(CompletenessService::new(contents.clone())),
        duplicates: readers.duplicates.clone(),
        list_sheets: list_sheets(database, calendar, &readers, &live, audit_log),
        trash: Arc::new(TrashService::new(Arc::new(SeaOrmTrash(database.clone())), calendar.clone())),
        audit: readers.audit.clone(),
        contents,
        user_activity: user_activity(database, calendar),
        user_notes: user_notes(database, calendar),
        base_urls: base_urls(database, calendar),
        users: readers.users.clone(),
        renewals: readers.renewals.clone(),
        reversal_requests: reversal_requests(calendar, &ledger, &credits),
        saved_views: saved_views(database, calendar),
        notices: notices(database, calendar, &backups),
        credits,
        statements: Arc::new(StatementService::new(ledger, calendar.clone())),
        issues: readers.issues.clone(),
        dashboards: dashboards(database, calendar),
        keys: readers.keys.clone(),
        views: Arc::new(ViewService::new(Arc::new(SeaOrmViews(database.clone())), calendar.clone())),
        app_settings: app_settings(database, calendar),
        background_images: entries(database, calendar),
        renewal_messages: entries(database, calendar),
        alert_messages: entries(database, calendar),
        visits: readers.visits.clone(),
        webhooks: Arc::new(WebhookService::new(webhooks.clone(), sender.clone(), calendar.clone())),
        backups,
        deliveries: Arc::new(DeliveryService::new(webhooks, sender.clone(), calendar.clone())),
        ready: Arc::new(DatabaseAnswers(database.clone())),
    })
}

/// Services of the exported lists.
fn readers(
    outside: &Outside,
    database: &Database,
    calendar: &Calendar,
    contents: &ContentServices,
    users: &Arc<SeaOrmUsers>,
    credits: &Arc<CreditService>,
) -> ListReaders {
    ListReaders {
        users: Arc::new(UserService::new(
            users.clone(),
            outside.passwords.clone(),
            outside.secrets.clone(),
            calendar.clone(),
            outside.country_calling_code,
        )),
        issues: Arc::new(IssueService::new(
            Arc::new(SeaOrmIssues(database.clone())),
            users.clone(),
            calendar.clone(),
        )),
        visits: Arc::new(VisitService::new(Arc::new(SeaOrmVisits(database.clone())), calendar.clone())),
        renewals: Arc::new(RenewalService::new(
            Arc::new(SeaOrmRenewals(database.clone())),
            Arc::new(SeaOrmLedger::new(database.clone())),
            calendar.clone(),
            outside.country_calling_code,
        )),
        audit: Arc::new(AuditService::new(Arc::new(SeaOrmAudit(database.clone())), calendar.clone())),
        keys: Arc::new(KeyService::new(
            Arc::new(SeaOrmKeys(database.clone())),
            outside.secrets.clone(),
            calendar.clone(),
        )),
        credits: credits.clone(),
        duplicates: Arc::new(DuplicateService::new(
            Arc::new(SeaOrmDuplicates(database.clone())),
            contents.clone(),
        )),
    }
}

fn live_readers(
    outside: &Outside,
    database: &Database,
    calendar: &Calendar,
    contents: &ContentServices,
    operations: &Arc<OperationService>,
) -> anyhow::Result<LiveReaders> {
    Ok(LiveReaders {
        playlists: playlists(outside, database, calendar, contents, operations)?,
        matching: matching(database, calendar, contents, operations),
        guides: guides(outside, database, calendar)?,
        schedule: schedule(outside, database, calendar),
        health: guide_health(database, calendar),
    })
}

fn sign_in(
    outside: &Outside,
    users: &Arc<SeaOrmUsers>,
    sessions: &Arc<SeaOrmSessions>,
    audit_log: &Arc<SeaOrmAudit>,
) -> Arc<SignInService> {
    Arc::new(SignInService::new(
        users.clone(),
        sessions.clone(),
        outside.passwords.clone(),
        outside.secrets.clone(),
        outside.clock.clone(),
        audit_log.clone(),
    ))
}

fn reversal_requests(
    calendar: &Calendar,
    ledger: &Arc<SeaOrmLedger>,
    credits: &Arc<CreditService>,
) -> Arc<ReversalRequestService> {
    Arc::new(ReversalRequestService::new(ledger.clone(), credits.clone(), calendar.clone()))
}

fn saved_views(database: &Database, calendar: &Calendar) -> Arc<SavedViewService> {
    Arc::new(SavedViewService::new(Arc::new(SeaOrmSavedViews(database.clone())), calendar.clone()))
}

fn notices(database: &Database, calendar: &Calendar, backups: &Arc<BackupService>) -> Arc<NoticeService> {
    let notices = Arc::new(SeaOrmNotices(database.clone()));
    Arc::new(NoticeService::new(notices, backups.clone(), calendar.clone()))
}

fn dashboards(database: &Database, calendar: &Calendar) -> Arc<DashboardService> {
    Arc::new(DashboardService::new(Arc::new(SeaOrmDashboards(database.clone())), calendar.clone()))
}

fn app_settings(database: &Database, calendar: &Calendar) -> Arc<AppSettingsService> {
    Arc::new(AppSettingsService::new(Arc::new(SeaOrmAppSettings(database.clone())), calendar.clone()))
}

fn backups(outside: &Outside, database: &Database, calendar: &Calendar) -> Arc<BackupService> {
    let log = Arc::new(SeaOrmBackups(database.clone()));
    Arc::new(BackupService::new(log, calendar.clone(), outside.backup_schedule))
}

fn user_activity(database: &Database, calendar: &Calendar) -> Arc<UserActivityService> {
    let visits = Arc::new(SeaOrmVisits(database.clone()));
    Arc::new(UserActivityService::new(visits, Arc::new(SeaOrmIssues(database.clone())), calendar.clone()))
}

fn user_notes(database: &Database, calendar: &Calendar) -> Arc<UserNoteService> {
    Arc::new(UserNoteService::new(Arc::new(SeaOrmUserNotes(database.clone())), calendar.clone()))
}

fn sheet_imports(
    database: &Database,
    calendar: &Calendar,
    contents: ContentServices,
    users: Arc<UserService>,
) -> Arc<SheetImportService> {
    let sheets = Arc::new(SeaOrmSheets(database.clone()));
    let user_sheets = Arc::new(SeaOrmUserSheets::new(database.clone()));
    Arc::new(SheetImportService::new(sheets, contents, users, user_sheets, calendar.clone()))
}

fn operations(
    outside: &Outside,
    database: &Database,
    calendar: &Calendar,
    readers: &ListReaders,
    contents: &ContentServices,
    sheet_imports: &Arc<SheetImportService>,
) -> Arc<OperationService> {
    Arc::new(OperationService::new(
        Arc::new(SeaOrmOperations(database.clone())),
        readers.users.clone(),
        readers.issues.clone(),
        contents.clone(),
        sheet_imports.clone(),
        calendar.clone(),
        outside.on_operation.clone(),
    ))
}

fn schedule(outside: &Outside, database: &Database, calendar: &Calendar) -> Arc<ScheduleService> {
    let guides = Arc::new(SeaOrmGuides(database.clone()));
    Arc::new(ScheduleService::new(guides, calendar.clone(), outside.guide_days))
}

fn guide_health(database: &Database, calendar: &Calendar) -> Arc<GuideHealthService> {
    let store = Arc::new(SeaOrmGuides(database.clone()));
    Arc::new(GuideHealthService::new(store.clone(), store, calendar.clone()))
}

fn matching(
    database: &Database,
    calendar: &Calendar,
    contents: &ContentServices,
    operations: &Arc<OperationService>,
) -> Arc<MatchingService> {
    let stores = MatchingStores {
        matches: Arc::new(SeaOrmMatches(database.clone())),
        schedule: Arc::new(SeaOrmGuides(database.clone())),
        sheets: Arc::new(SeaOrmSheets(database.clone())),
    };
    Arc::new(MatchingService::new(stores, contents.clone(), operations.clone(), calendar.clone()))
}

fn fetcher(outside: &Outside) -> anyhow::Result<Fetcher> {
    Fetcher::new(outside.fetch_allow.clone(), Deadlines::default()).map_err(|reason| anyhow!(reason))
}

fn guides(outside: &Outside, database: &Database, calendar: &Calendar) -> anyhow::Result<Arc<GuideService>> {
    let store = Arc::new(SeaOrmGuides(database.clone()));
    let files = Arc::new(HttpGuides::new(fetcher(outside)?, GuideLimits::default()));
    Ok(Arc::new(GuideService::new(store, files, calendar.clone(), outside.guide_days)))
}

fn links(outside: &Outside, database: &Database, calendar: &Calendar) -> anyhow::Result<Arc<LinkService>> {
    let prober = Prober::new(outside.fetch_allow.clone()).map_err(|reason| anyhow!(reason))?;
    Ok(Arc::new(LinkService::new(
        Arc::new(SeaOrmLinks(database.clone())),
        Arc::new(prober),
        base_urls(database, calendar),
        calendar.clone(),
        outside.probe_policy,
    )))
}

fn link_reports(database: &Database, calendar: &Calendar) -> Arc<LinkReportService> {
    let links = Arc::new(SeaOrmLinkReports(database.clone()));
    let items = Arc::new(SeaOrmLinks(database.clone()));
    let issues = Arc::new(SeaOrmIssues(database.clone()));
    Arc::new(LinkReportService::new(links, items, issues, calendar.clone()))
}

fn item_links(links: &Arc<LinkService>, database: &Database, calendar: &Calendar) -> Arc<ItemLinkService> {
    let items = Arc::new(SeaOrmLinks(database.clone()));
    Arc::new(ItemLinkService::new(items, links.clone(), calendar.clone()))
}

fn playlists(
    outside: &Outside,
    database: &Database,
    calendar: &Calendar,
    contents: &ContentServices,
    operations: &Arc<OperationService>,
) -> anyhow::Result<Arc<PlaylistService>> {
    let store = Arc::new(SeaOrmPlaylists(database.clone()));
    let stores = PlaylistStores {
        sources: store.clone(),
        runs: store.clone(),
        entries: store,
        streams: Arc::new(SeaOrmEntryStreams(database.clone())),
        sheets: Arc::new(SeaOrmSheets(database.clone())),
        profiles: Arc::new(SeaOrmLiveProfiles(database.clone())),
        matches: Arc::new(SeaOrmMatches(database.clone())),
    };
    let files = Arc::new(HttpPlaylists::new(fetcher(outside)?, outside.playlist_limits));
    let (contents, operations) = (contents.clone(), operations.clone());
    Ok(Arc::new(PlaylistService::new(stores, files, contents, operations, calendar.clone())))
}

fn live_profiles(
    outside: &Outside,
    database: &Database,
    calendar: &Calendar,
    readers: &ListReaders,
    contents: &ContentServices,
) -> Arc<LiveProfileService> {
    let parts = LiveProfileParts {
        profiles: Arc::new(SeaOrmLiveProfiles(database.clone())),
        keys: Arc::new(SeaOrmKeys(database.clone())),
        users: readers.users.clone(),
        contents: contents.clone(),
        base_urls: base_urls(database, calendar),
        streams: streams(database, calendar),
        secrets: outside.secrets.clone(),
        writer: Arc::new(M3uWriter),
        guides: Arc::new(XmltvFormat),
    };
    Arc::new(LiveProfileService::new(parts, calendar.clone()))
}

fn streams(database: &Database, calendar: &Calendar) -> Arc<StreamService> {
    let store = Arc::new(SeaOrmStreams(database.clone()));
    Arc::new(StreamService::new(store, base_urls(database, calendar), calendar.clone()))
}

fn entries<E: EntryTable>(database: &Database, calendar: &Calendar) -> Arc<EntryService<E>> {
    Arc::new(EntryService::new(Arc::new(SeaOrmEntries::new(database.clone())), calendar.clone()))
}

fn base_urls(database: &Database, calendar: &Calendar) -> Arc<BaseUrlService> {
    Arc::new(BaseUrlService::new(Arc::new(SeaOrmSettings(database.clone())), calendar.clone()))
}

fn list_sheets(
    database: &Database,
    calendar: &Calendar,
    readers: &ListReaders,
    live: &LiveReaders,
    audit_log: Arc<SeaOrmAudit>,
) -> Arc<ListSheetService> {
    Arc::new(ListSheetService::new(
        readers.clone(),
        live.clone(),
        list_sources(database),
        audit_log,
        calendar.clone(),
    ))
}

/// Sources of the list spreadsheets.
fn list_sources(database: &Database) -> ListSources {
    ListSources {
        users: Arc::new(SeaOrmUsers(database.clone())),
        reports: Arc::new(SeaOrmIssues(database.clone())),
        lines: Arc::new(SeaOrmLedger::new(database.clone())),
        visits: Arc::new(SeaOrmVisits(database.clone())),
        renewals: Arc::new(SeaOrmRenewals(database.clone())),
        entries: Arc::new(SeaOrmAudit(database.clone())),
        keys: Arc::new(SeaOrmKeys(database.clone())),
        trash: Arc::new(SeaOrmTrash(database.clone())),
        operations: Arc::new(SeaOrmOperations(database.clone())),
        webhooks: Arc::new(SeaOrmWebhooks(database.clone())),
        deliveries: Arc::new(SeaOrmWebhooks(database.clone())),
        groups: Arc::new(SeaOrmIssues(database.clone())),
        reversals: Arc::new(SeaOrmLedger::new(database.clone())),
        links: Arc::new(SeaOrmLinks(database.clone())),
        playlists: Arc::new(SeaOrmPlaylists(database.clone())),
        playlist_entries: Arc::new(SeaOrmPlaylists(database.clone())),
        playlist_lines: Arc::new(SeaOrmPlaylists(database.clone())),
        live_profiles: Arc::new(SeaOrmLiveProfiles(database.clone())),
        matches: Arc::new(SeaOrmMatches(database.clone())),
        guide_channels: Arc::new(SeaOrmGuides(database.clone())),
        scheduled: Arc::new(SeaOrmGuides(database.clone())),
    }
}
