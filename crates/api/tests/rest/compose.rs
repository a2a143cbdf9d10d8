//! The services of the interface over a database, with stand-ins for the world around it.

use std::sync::{Arc, Once};

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
use api::{EventStreams, Services};
use application::{
    ActivityService, AppSettingsService, AuditService, BackupService, BaseUrlService, Calendar,
    CompletenessService, ContentServices, CreditService, DashboardService, DeliveryService, DuplicateService,
    EntryService, FilmService, GuideHealthService, GuideService, IssueService, ItemLinkService, KeptDays,
    KeyService, LinkReportService, LinkService, ListReaders, ListSheetService, ListSources, LiveProfileParts,
    LiveProfileService, MatchingService, MatchingStores, NoticeService, OperationService, PlaylistService,
    PlaylistStores, RenewalService, ReversalRequestService, SavedViewService, ScheduleService,
    SessionService, SheetImportService, SheetService, SignInService, StatementService, StreamService,
    TrashService, UserActivityService, UserNoteService, UserService, ViewService, VisitService,
    WebhookService,
};
use domain_integrations::Networks;
use domain_live::{link::ProbePolicy, playlist::Limits};
use ports::{Clock, References};

use crate::fakes::{Answers, HandClock, Meddler, Numbers, Receivers, ThreeTitles};

fn saved_views(database: &Database, calendar: Calendar) -> SavedViewService {
    SavedViewService::new(Arc::new(SeaOrmSavedViews(database.clone())), calendar)
}

fn operations(
    database: &Database,
    readers: &ListReaders,
    contents: &ContentServices,
    calendar: &Calendar,
) -> (Arc<SheetImportService>, Arc<OperationService>) {
    let sheets = Arc::new(SeaOrmSheets(database.clone()));
    let user_sheets = Arc::new(SeaOrmUserSheets::new(database.clone()));
    let users = readers.users.clone();
    let imports = SheetImportService::new(sheets, contents.clone(), users, user_sheets, calendar.clone());
    let imports = Arc::new(imports);
    let store = Arc::new(SeaOrmOperations(database.clone()));
    let (users, issues) = (readers.users.clone(), readers.issues.clone());
    let operations =
        OperationService::new(store, users, issues, contents.clone(), imports.clone(), calendar.clone());
    (imports, Arc::new(operations))
}

fn readers(
    database: &Database,
    calendar: &Calendar,
    users: &Arc<SeaOrmUsers>,
    passwords: &Arc<Meddler>,
    credits: &Arc<CreditService>,
) -> ListReaders {
    ListReaders {
        users: Arc::new(UserService::new(
            users.clone(),
            passwords.clone(),
            Arc::new(Numbers::default()),
            calendar.clone(),
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
        )),
        audit: Arc::new(AuditService::new(Arc::new(SeaOrmAudit(database.clone())), calendar.clone())),
        keys: Arc::new(KeyService::new(
            Arc::new(SeaOrmKeys(database.clone())),
            Arc::new(Numbers::default()),
            calendar.clone(),
        )),
        credits: credits.clone(),
    }
}

fn user_activity(database: &Database, calendar: &Calendar) -> Arc<UserActivityService> {
    let visits = Arc::new(SeaOrmVisits(database.clone()));
    Arc::new(UserActivityService::new(visits, Arc::new(SeaOrmIssues(database.clone())), calendar.clone()))
}

fn user_notes(database: &Database, calendar: &Calendar) -> Arc<UserNoteService> {
    Arc::new(UserNoteService::new(Arc::new(SeaOrmUserNotes(database.clone())), calendar.clone()))
}

fn fetcher() -> Fetcher {
    static TLS: Once = Once::new();
    TLS.call_once(|| rustls::crypto::ring::default_provider().install_default().expect("installed once"));
    Fetcher::new(Networks::parse("127.0.0.0/8").unwrap(), Deadlines::default()).unwrap()
}

fn backups(database: &Database, calendar: &Calendar) -> Arc<BackupService> {
    Arc::new(BackupService::new(
        Arc::new(SeaOrmBackups(database.clone())),
        calendar.clone(),
        Some(domain_settings::BackupSchedule { every: chrono::TimeDelta::hours(24), keep: 7 }),
    ))
}

fn schedule(database: &Database, calendar: &Calendar) -> Arc<ScheduleService> {
    Arc::new(ScheduleService::new(Arc::new(SeaOrmGuides(database.clone())), calendar.clone()))
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

fn guide_health(database: &Database, calendar: &Calendar) -> Arc<GuideHealthService> {
    let store = Arc::new(SeaOrmGuides(database.clone()));
    Arc::new(GuideHealthService::new(store.clone(), store, calendar.clone()))
}

fn guides(database: &Database, calendar: &Calendar) -> Arc<GuideService> {
    let files = Arc::new(HttpGuides::new(fetcher(), GuideLimits::default()));
    let store = Arc::new(SeaOrmGuides(database.clone()));
    Arc::new(GuideService::new(store, files, calendar.clone(), KeptDays { back: 1, ahead: 14 }))
}

fn playlists(
    database: &Database,
    contents: &ContentServices,
    operations: &Arc<OperationService>,
    calendar: &Calendar,
) -> Arc<PlaylistService> {
    let store = Arc::new(SeaOrmPlaylists(database.clone()));
    let stores = PlaylistStores {
        sources: store.clone(),
        runs: store.clone(),
        entries: store,
        streams: Arc::new(SeaOrmEntryStreams(database.clone())),
        sheets: Arc::new(SeaOrmSheets(database.clone())),
    };
    let files = Arc::new(HttpPlaylists::new(fetcher(), Limits { bytes: 1024 * 1024, entries: 1_000 }));
    let (contents, operations) = (contents.clone(), operations.clone());
    Arc::new(PlaylistService::new(stores, files, contents, operations, calendar.clone()))
}

fn links(database: &Database, calendar: &Calendar) -> Arc<LinkService> {
    Arc::new(LinkService::new(
        Arc::new(SeaOrmLinks(database.clone())),
        Arc::new(Prober::new(Networks::parse("127.0.0.0/8").unwrap()).unwrap()),
        base_urls(database, calendar),
        calendar.clone(),
        PROBES,
    ))
}

/// The tests' clock stands still between two probes.
const PROBES: ProbePolicy = ProbePolicy {
    interval: chrono::TimeDelta::hours(6),
    connections: 1,
    pause: chrono::TimeDelta::zero(),
    budget: None,
};

fn live_profiles(
    database: &Database,
    readers: &ListReaders,
    contents: &ContentServices,
    calendar: &Calendar,
) -> Arc<LiveProfileService> {
    let parts = LiveProfileParts {
        profiles: Arc::new(SeaOrmLiveProfiles(database.clone())),
        keys: Arc::new(SeaOrmKeys(database.clone())),
        users: readers.users.clone(),
        contents: contents.clone(),
        base_urls: base_urls(database, calendar),
        streams: streams(database, calendar),
        secrets: Arc::new(Numbers::default()),
        writer: Arc::new(M3uWriter),
        guides: Arc::new(XmltvFormat),
    };
    Arc::new(LiveProfileService::new(parts, calendar.clone()))
}

fn link_reports(database: &Database, calendar: &Calendar) -> Arc<LinkReportService> {
    let links = Arc::new(SeaOrmLinkReports(database.clone()));
    let items = Arc::new(SeaOrmLinks(database.clone()));
    let issues = Arc::new(SeaOrmIssues(database.clone()));
    Arc::new(LinkReportService::new(links, items, issues, calendar.clone()))
}

fn item_links(database: &Database, calendar: &Calendar) -> Arc<ItemLinkService> {
    Arc::new(ItemLinkService::new(Arc::new(SeaOrmLinks(database.clone())), calendar.clone(), PROBES))
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

pub(crate) fn services(database: &Database, clock: Arc<HandClock>, passwords: Arc<Meddler>) -> Services {
    let clock: Arc<dyn Clock> = clock;
    let calendar = Calendar::new(clock.clone(), chrono_tz::UTC);
    let known: Arc<dyn References> = Arc::new(SeaOrmReferences(database.clone()));
    let users = Arc::new(SeaOrmUsers(database.clone()));
    let sessions = Arc::new(SeaOrmSessions::new(database.clone()));
    let webhooks = Arc::new(SeaOrmWebhooks(database.clone()));
    let receivers = Arc::new(Receivers);
    let contents = ContentServices::new(catalogue::repositories(database), &known, &calendar);
    let credits =
        Arc::new(CreditService::new(Arc::new(SeaOrmLedger::new(database.clone())), calendar.clone()));
    let audit_log = Arc::new(SeaOrmAudit(database.clone()));
    let readers = readers(database, &calendar, &users, &passwords, &credits);
    let (sheet_imports, operations) = operations(database, &readers, &contents, &calendar);
    let activity = Arc::new(ActivityService::new(Arc::new(SeaOrmActivity(database.clone()))));
    Services {
        events: Arc::new(EventStreams::new(activity.clone())),
        activity,
        sign_in: Arc::new(SignInService::new(
            users.clone(),
            sessions.clone(),
            passwords.clone(),
            Arc::new(Numbers::default()),
            clock.clone(),
            audit_log.clone(),
        )),
        sessions: Arc::new(SessionService::new(sessions, users.clone(), clock)),
        calendar: calendar.clone(),
        films: Arc::new(FilmService::new(Arc::new(ThreeTitles), calendar.clone())),
        schedule: schedule(database, &calendar),
        guide_health: guide_health(database, &calendar),
        matching: matching(database, &calendar, &contents, &operations),
        guides: guides(database, &calendar),
        playlists: playlists(database, &contents, &operations, &calendar),
        links: links(database, &calendar),
        item_links: item_links(database, &calendar),
        link_reports: link_reports(database, &calendar),
        streams: streams(database, &calendar),
        live_profiles: live_profiles(database, &readers, &contents, &calendar),
        operations,
        sheet_imports,
        sheets: Arc::new(SheetService::new(contents.clone(), audit_log.clone(), calendar.clone())),
        sheet_files: Arc::new(XlsxFiles),
        completeness: Arc::new(CompletenessService::new(contents.clone())),
        duplicates: Arc::new(DuplicateService::new(Arc::new(SeaOrmDuplicates(database.clone())))),
        list_sheets: Arc::new(ListSheetService::new(
            readers.clone(),
            list_sources(database),
            audit_log.clone(),
            calendar.clone(),
        )),
        trash: Arc::new(TrashService::new(Arc::new(SeaOrmTrash(database.clone())))),
        audit: readers.audit.clone(),
        contents,
        user_activity: user_activity(database, &calendar),
        user_notes: user_notes(database, &calendar),
        base_urls: base_urls(database, &calendar),
        users: readers.users.clone(),
        renewals: readers.renewals.clone(),
        reversal_requests: Arc::new(ReversalRequestService::new(
            Arc::new(SeaOrmLedger::new(database.clone())),
            credits.clone(),
            calendar.clone(),
        )),
        saved_views: Arc::new(saved_views(database, calendar.clone())),
        notices: Arc::new(NoticeService::new(
            Arc::new(SeaOrmNotices(database.clone())),
            backups(database, &calendar),
            calendar.clone(),
        )),
        credits,
        statements: Arc::new(StatementService::new(
            Arc::new(SeaOrmLedger::new(database.clone())),
            calendar.clone(),
        )),
        issues: readers.issues.clone(),
        dashboards: Arc::new(DashboardService::new(
            Arc::new(SeaOrmDashboards(database.clone())),
            calendar.clone(),
        )),
        keys: readers.keys.clone(),
        views: Arc::new(ViewService::new(Arc::new(SeaOrmViews(database.clone())), calendar.clone())),
        app_settings: Arc::new(AppSettingsService::new(
            Arc::new(SeaOrmAppSettings(database.clone())),
            calendar.clone(),
        )),
        background_images: entries(database, &calendar),
        renewal_messages: entries(database, &calendar),
        alert_messages: entries(database, &calendar),
        visits: readers.visits.clone(),
        webhooks: Arc::new(WebhookService::new(webhooks.clone(), receivers.clone(), calendar.clone())),
        backups: backups(database, &calendar),
        deliveries: Arc::new(DeliveryService::new(webhooks, receivers, calendar)),
        ready: Arc::new(Answers(database.clone())),
    }
}

/// What spreadsheets of lists read.
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
        deliveries: Arc::new(SeaOrmWebhooks(database.clone())),
    }
}
