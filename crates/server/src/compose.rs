//! Composes the application: the only place that names adapters.

use std::{
    sync::{Arc, LazyLock},
    thread::available_parallelism,
};

use actix_web::cookie::Key;
use adapter_argon2::Argon2Hasher;
use adapter_imdb::ImdbClient;
use adapter_live::{
    HttpGuides, HttpPlaylists, M3uWriter, XmltvFormat,
    fetch::{Deadlines, Fetcher},
    guide::GuideLimits,
    probe::Prober,
};
use adapter_seaorm::{
    Database, EntryTable, SeaOrmActivity, SeaOrmAppSettings, SeaOrmAudit, SeaOrmBackups, SeaOrmDashboards,
    SeaOrmDuplicates, SeaOrmEntries, SeaOrmEntryStreams, SeaOrmGuides, SeaOrmIssues, SeaOrmKeys,
    SeaOrmLeases, SeaOrmLedger, SeaOrmLinkReports, SeaOrmLinkSwitches, SeaOrmLinks, SeaOrmLiveProfiles,
    SeaOrmMatches, SeaOrmNotices, SeaOrmOperations, SeaOrmPlaylists, SeaOrmRenewals, SeaOrmRetention,
    SeaOrmSavedViews, SeaOrmSessions, SeaOrmSettings, SeaOrmSheets, SeaOrmStreams, SeaOrmSubscriptionEnds,
    SeaOrmTrash, SeaOrmUserNotes, SeaOrmUserSheets, SeaOrmUsers, SeaOrmViews, SeaOrmVisits, SeaOrmWebhooks,
    catalogue::{self, SeaOrmReferences},
};
use adapter_sheets::XlsxFiles;
use adapter_webhooks::HttpWebhookSender;
use anyhow::anyhow;
use api::{ApiSettings, EventStreams, Readiness, Services};
use application::{
    ActivityService, AppSettingsService, AuditService, BackupService, BaseUrlService, Calendar,
    CompletenessService, ContentServices, CreditService, DashboardService, DeliveryService, DuplicateService,
    EntryService, FilmService, GuideHealthService, GuideService, IssueService, ItemLinkService, KeyService,
    Lease, LinkReportService, LinkService, LinkSwitchService, ListReaders, ListSheetService, ListSources,
    LiveProfileParts, LiveProfileService, MatchingService, MatchingStores, NoticeService, OperationService,
    PlaylistService, PlaylistStores, RenewalService, RetentionPolicy, RetentionService,
    ReversalRequestService, SavedViewService, ScheduleService, SessionService, SheetImportService,
    SheetService, SignInService, StatementService, StreamService, SubscriptionWatch, TrashService,
    UserActivityService, UserNoteService, UserService, ViewService, VisitService, WebhookService,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::TimeDelta;
use ports::{Clock, References, SecretSource, SessionRepository as _};
use rand::Rng;

use crate::{backup::schedule::BackupJob, config::Settings, database::SystemClock};

/// The machine's own randomness.
struct SystemRandomness;

impl SecretSource for SystemRandomness {
    fn draw(&self) -> String {
        let mut bytes = [0_u8; 32];
        rand::rng().fill(&mut bytes);
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

struct DatabaseAnswers(Database);

#[async_trait::async_trait]
impl Readiness for DatabaseAnswers {
    async fn check(&self) -> Result<(), String> {
        self.0.ping().await.map_err(|error| error.to_string())
    }
}

/// Everything, put together.
pub(crate) struct App {
    pub(crate) database: Database,
    pub(crate) services: Services,
    pub(crate) jobs: Jobs,
    /// Set if a folder for backups is.
    pub(crate) backups: Option<BackupJob>,
}

/// What happens without anybody asking for it, each under a lease.
pub(crate) struct Jobs {
    pub(crate) deliveries: Arc<DeliveryService>,
    pub(crate) delivering: Lease,
    pub(crate) subscriptions: SubscriptionWatch,
    pub(crate) watching: Lease,
    pub(crate) retention: RetentionService,
    pub(crate) sweeping: Lease,
    pub(crate) operations: Arc<OperationService>,
    pub(crate) operating: Lease,
    pub(crate) matching: Arc<MatchingService>,
    pub(crate) matching_channels: Lease,
    pub(crate) guides: Arc<GuideService>,
    pub(crate) reading_guides: Lease,
    pub(crate) playlists: Arc<PlaylistService>,
    pub(crate) reading: Lease,
    /// Set if links are probed.
    pub(crate) links: Option<Arc<LinkService>>,
    pub(crate) link_reports: Arc<LinkReportService>,
    /// Whether reports are resolved by themselves whose link plays again.
    pub(crate) resolves_reports: bool,
    pub(crate) link_switches: LinkSwitchService,
    pub(crate) probing: Lease,
}

/// The application over a database.
pub(crate) fn build(settings: &Settings, database: Database) -> anyhow::Result<App> {
    let calendar = Calendar::new(Arc::new(SystemClock), settings.time_zone);
    let webhooks = Arc::new(SeaOrmWebhooks(database.clone()));
    let sender =
        Arc::new(HttpWebhookSender::new(settings.webhook_allow.clone()).map_err(|reason| anyhow!(reason))?);
    let deliveries = Arc::new(DeliveryService::new(webhooks.clone(), sender.clone(), calendar.clone()));
    let backups = Arc::new(BackupService::new(
        Arc::new(SeaOrmBackups(database.clone())),
        calendar.clone(),
        settings.backup_schedule(),
    ));
    let backup_job = settings.backup_dir.clone().map(|folder| BackupJob {
        service: backups.clone(),
        lease: lease(&database, &calendar, "backups", 60),
        settings: settings.clone(),
        folder,
    });
    let webhooks = Arc::new(WebhookService::new(webhooks, sender, calendar.clone()));
    let services = services(settings, &database, &calendar, webhooks, deliveries, backups)?;
    let jobs = jobs(settings, &database, &calendar, &services);
    Ok(App { database, services, jobs, backups: backup_job })
}

fn services(
    settings: &Settings,
    database: &Database,
    calendar: &Calendar,
    webhooks: Arc<WebhookService>,
    deliveries: Arc<DeliveryService>,
    backups: Arc<BackupService>,
) -> anyhow::Result<Services> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    // One core is left to everybody else while users sign in.
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    let passwords = Arc::new(Argon2Hasher::new(cores.saturating_sub(1).max(1))?);
    let users = Arc::new(SeaOrmUsers(database.clone()));
    let sessions = Arc::new(SeaOrmSessions::new(database.clone()));
    let films = Arc::new(ImdbClient::new(&settings.film_database_url).map_err(|reason| anyhow!(reason))?);
    let references: Arc<dyn References> = Arc::new(SeaOrmReferences(database.clone()));
    let ledger = Arc::new(SeaOrmLedger::new(database.clone()));
    let credits = Arc::new(CreditService::new(ledger.clone(), calendar.clone()));
    let contents = ContentServices::new(catalogue::repositories(database), &references, calendar);
    let readers = readers(database, calendar, &users, &passwords, &credits);
    let audit_log = Arc::new(SeaOrmAudit(database.clone()));
    let sheet_imports = sheet_imports(database, calendar, contents.clone(), readers.users.clone());
    let operations = operations(database, calendar, &readers, &contents, &sheet_imports);
    let activity = Arc::new(ActivityService::new(Arc::new(SeaOrmActivity(database.clone()))));
    Ok(Services {
        events: Arc::new(EventStreams::new(activity.clone())),
        activity,
        sign_in: Arc::new(SignInService::new(
            users.clone(),
            sessions.clone(),
            passwords.clone(),
            Arc::new(SystemRandomness),
            clock.clone(),
            audit_log.clone(),
        )),
        sessions: Arc::new(SessionService::new(sessions, users.clone(), clock)),
        calendar: calendar.clone(),
        films: Arc::new(FilmService::new(films, calendar.clone())),
        schedule: Arc::new(ScheduleService::new(Arc::new(SeaOrmGuides(database.clone())), calendar.clone())),
        guide_health: guide_health(database, calendar),
        guides: guides(settings, database, calendar)?,
        matching: matching(database, calendar, &contents, &operations),
        playlists: playlists(settings, database, calendar, &contents, &operations)?,
        links: links(settings, database, calendar)?,
        item_links: item_links(settings, database, calendar),
        link_reports: link_reports(database, calendar),
        streams: streams(database, calendar),
        live_profiles: live_profiles(database, calendar, &readers, &contents),
        operations,
        sheet_imports,
        sheets: Arc::new(SheetService::new(contents.clone(), audit_log.clone(), calendar.clone())),
        sheet_files: Arc::new(XlsxFiles),
        completeness: Arc::new(CompletenessService::new(contents.clone())),
        duplicates: Arc::new(DuplicateService::new(Arc::new(SeaOrmDuplicates(database.clone())))),
        list_sheets: Arc::new(ListSheetService::new(
            readers.clone(),
            list_sources(database),
            audit_log,
            calendar.clone(),
        )),
        trash: Arc::new(TrashService::new(Arc::new(SeaOrmTrash(database.clone())))),
        audit: readers.audit.clone(),
        contents,
        user_activity: user_activity(database, calendar),
        user_notes: user_notes(database, calendar),
        base_urls: base_urls(database, calendar),
        users: readers.users.clone(),
        renewals: readers.renewals.clone(),
        reversal_requests: Arc::new(ReversalRequestService::new(
            ledger.clone(),
            credits.clone(),
            calendar.clone(),
        )),
        saved_views: Arc::new(SavedViewService::new(
            Arc::new(SeaOrmSavedViews(database.clone())),
            calendar.clone(),
        )),
        notices: Arc::new(NoticeService::new(
            Arc::new(SeaOrmNotices(database.clone())),
            backups.clone(),
            calendar.clone(),
        )),
        credits,
        statements: Arc::new(StatementService::new(ledger, calendar.clone())),
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
        background_images: entries(database, calendar),
        renewal_messages: entries(database, calendar),
        alert_messages: entries(database, calendar),
        visits: readers.visits.clone(),
        webhooks,
        backups,
        deliveries,
        ready: Arc::new(DatabaseAnswers(database.clone())),
    })
}

/// The services whose lists are exported.
fn readers(
    database: &Database,
    calendar: &Calendar,
    users: &Arc<SeaOrmUsers>,
    passwords: &Arc<Argon2Hasher>,
    credits: &Arc<CreditService>,
) -> ListReaders {
    ListReaders {
        users: Arc::new(UserService::new(
            users.clone(),
            passwords.clone(),
            Arc::new(SystemRandomness),
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
            Arc::new(SystemRandomness),
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
    ))
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

fn guides(
    settings: &Settings,
    database: &Database,
    calendar: &Calendar,
) -> anyhow::Result<Arc<GuideService>> {
    let store = Arc::new(SeaOrmGuides(database.clone()));
    let fetcher = Fetcher::new(settings.fetch_allow.clone(), Deadlines::default());
    let fetcher = fetcher.map_err(|reason| anyhow!(reason))?;
    let files = Arc::new(HttpGuides::new(fetcher, GuideLimits::default()));
    Ok(Arc::new(GuideService::new(store, files, calendar.clone(), settings.guide_days())))
}

fn links(settings: &Settings, database: &Database, calendar: &Calendar) -> anyhow::Result<Arc<LinkService>> {
    let prober = Prober::new(settings.fetch_allow.clone()).map_err(|reason| anyhow!(reason))?;
    Ok(Arc::new(LinkService::new(
        Arc::new(SeaOrmLinks(database.clone())),
        Arc::new(prober),
        base_urls(database, calendar),
        calendar.clone(),
        settings.probe_policy(),
    )))
}

fn link_reports(database: &Database, calendar: &Calendar) -> Arc<LinkReportService> {
    let links = Arc::new(SeaOrmLinkReports(database.clone()));
    let items = Arc::new(SeaOrmLinks(database.clone()));
    let issues = Arc::new(SeaOrmIssues(database.clone()));
    Arc::new(LinkReportService::new(links, items, issues, calendar.clone()))
}

fn item_links(settings: &Settings, database: &Database, calendar: &Calendar) -> Arc<ItemLinkService> {
    let links = Arc::new(SeaOrmLinks(database.clone()));
    Arc::new(ItemLinkService::new(links, calendar.clone(), settings.probe_policy()))
}

fn playlists(
    settings: &Settings,
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
    };
    let fetcher = Fetcher::new(settings.fetch_allow.clone(), Deadlines::default());
    let fetcher = fetcher.map_err(|reason| anyhow!(reason))?;
    let files = Arc::new(HttpPlaylists::new(fetcher, settings.playlist_limits()));
    let (contents, operations) = (contents.clone(), operations.clone());
    Ok(Arc::new(PlaylistService::new(stores, files, contents, operations, calendar.clone())))
}

fn live_profiles(
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
        secrets: Arc::new(SystemRandomness),
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

/// A lease in the name of this process.
fn lease(database: &Database, calendar: &Calendar, name: &'static str, seconds: i64) -> Lease {
    static HOLDER: LazyLock<String> = LazyLock::new(|| format!("{:016x}", rand::random::<u64>()));
    let leases = Arc::new(SeaOrmLeases(database.clone()));
    Lease::new(leases, calendar.clone(), name, HOLDER.clone(), TimeDelta::seconds(seconds))
}

/// The jobs, with leases in the name of this process.
fn jobs(settings: &Settings, database: &Database, calendar: &Calendar, services: &Services) -> Jobs {
    let lease = |name, seconds| lease(database, calendar, name, seconds);
    Jobs {
        deliveries: services.deliveries.clone(),
        operations: services.operations.clone(),
        operating: lease("operations", 20),
        matching: services.matching.clone(),
        matching_channels: lease("matching", 20),
        guides: services.guides.clone(),
        reading_guides: lease("guides", 20),
        playlists: services.playlists.clone(),
        reading: lease("playlists", 20),
        links: settings.probe_interval().map(|_| services.links.clone()),
        link_reports: services.link_reports.clone(),
        resolves_reports: settings.resolve_reports,
        link_switches: LinkSwitchService::new(
            Arc::new(SeaOrmLinkSwitches(database.clone())),
            services.links.clone(),
            calendar.clone(),
            settings.probe_switch_off,
        ),
        probing: lease("links", 20),
        // Longer than an attempt takes: whoever takes over finds nothing on its way, unless a node was stopped in its
        // tracks.
        delivering: lease("webhook-deliveries", 20),
        subscriptions: SubscriptionWatch::new(
            Arc::new(SeaOrmSubscriptionEnds(database.clone())),
            calendar.clone(),
        ),
        watching: lease("subscription-ends", 180),
        retention: RetentionService::new(
            Arc::new(SeaOrmRetention(database.clone())),
            calendar.clone(),
            RetentionPolicy {
                visits_days: settings.keep_visits_days,
                deliveries_days: settings.keep_deliveries_days,
                idempotency_days: settings.keep_idempotency_days,
                audit_days: settings.keep_audit_days,
            },
        ),
        sweeping: lease("retention", 7200),
    }
}

/// What the API needs to know, the secret that all nodes share among it.
pub(crate) async fn api_settings(settings: &Settings, app: &App) -> anyhow::Result<ApiSettings> {
    let random = || format!("{:032x}", rand::random::<u128>());
    let candidate = [random(), random(), random(), random()].concat();
    let secret = SeaOrmSessions::new(app.database.clone()).cookie_secret(&candidate).await?;
    Ok(ApiSettings {
        secure: settings.secure(),
        cookie_key: Key::from(secret.as_bytes()),
        proxies: settings.trusted_proxies.clone(),
        public_origin: settings.public_url.as_deref().and_then(api::origin_of),
        metrics_token: settings.metrics_token.clone(),
    })
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
