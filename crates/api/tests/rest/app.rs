//! The whole interface as production mounts it, over a database of its own.

use std::{
    pin::Pin,
    rc::Rc,
    sync::{Arc, Once},
};

use actix_web::{
    App,
    cookie::Key,
    dev::Service,
    middleware::from_fn,
    test::{TestRequest, init_service},
};
use adapter_argon2::Argon2Hasher;
use adapter_live::{
    HttpGuides, HttpPlaylists, M3uWriter, XmltvFormat,
    fetch::{Deadlines, Fetcher},
    guide::GuideLimits,
    probe::Prober,
};
use adapter_seaorm::{
    Database, DatabaseSettings, EntryTable, SeaOrmActivity, SeaOrmAppSettings, SeaOrmAudit, SeaOrmBackups,
    SeaOrmDashboards, SeaOrmDuplicates, SeaOrmEntries, SeaOrmGuides, SeaOrmIssues, SeaOrmKeys, SeaOrmLedger,
    SeaOrmLinkReports, SeaOrmLinks, SeaOrmLiveProfiles, SeaOrmMatches, SeaOrmNotices, SeaOrmOperations,
    SeaOrmPlaylists, SeaOrmRenewals, SeaOrmSavedViews, SeaOrmSessions, SeaOrmSettings, SeaOrmSheets,
    SeaOrmStreams, SeaOrmTrash, SeaOrmUserNotes, SeaOrmUserSheets, SeaOrmUsers, SeaOrmViews, SeaOrmVisits,
    SeaOrmWebhooks,
    catalogue::{self, SeaOrmReferences},
};
use adapter_sheets::XlsxFiles;
use api::{ApiSettings, EventStreams, Services, TrustedProxies};
use application::{
    ActivityService, AppSettingsService, AuditService, BackupService, BaseUrlService, Calendar,
    CompletenessService, ContentServices, CreditService, DashboardService, DeliveryService, DuplicateService,
    EntryService, FilmService, GuideHealthService, GuideService, IssueService, KeptDays, KeyService,
    LinkReportService, LinkService, ListReaders, ListSheetService, ListSources, LiveProfileParts,
    LiveProfileService, MatchingService, MatchingStores, NoticeService, OperationService, PlaylistService,
    PlaylistStores, RenewalService, ReversalRequestService, SavedViewService, ScheduleService,
    SessionService, SheetImportService, SheetService, SignInService, StatementService, StreamService,
    TrashService, UserActivityService, UserNoteService, UserService, ViewService, VisitService,
    WebhookService,
};
use domain_integrations::Networks;
use domain_kernel::{Enumeration, RoleCode};
use domain_live::playlist::Limits;
use migrations::template;
use ports::{Clock, PasswordHasher, References};
use sea_orm::ConnectionTrait;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    client::{Answer, Client},
    fakes::{Answers, HandClock, Meddler, Numbers, Receivers, ThreeTitles},
};

/// The address under which browsers know the secure one.
pub const PUBLIC_ORIGIN: &str = "https://tv.example";
pub const METRICS_TOKEN: &str = "a token for monitoring";

/// Everybody's password.
pub const PASSWORD: &str = "Contraseña 1";

pub type Handle = Box<dyn Fn(TestRequest) -> Pin<Box<dyn Future<Output = Answer>>>>;

pub struct TestApp {
    pub handle: Handle,
    pub clock: Arc<HandClock>,
    pub database: Database,
    pub passwords: Arc<Meddler>,
    credits: Arc<CreditService>,
    keys: Arc<KeyService>,
    deliveries: Arc<DeliveryService>,
    operations: Arc<OperationService>,
    guides: Arc<GuideService>,
    playlists: Arc<PlaylistService>,
    matching: Arc<MatchingService>,
    live_profiles: Arc<LiveProfileService>,
    pub links: Arc<LinkService>,
    pub link_reports: Arc<LinkReportService>,
    server: Option<(sea_orm::DatabaseConnection, String)>,
    _folder: Option<TempDir>,
}

impl TestApp {
    pub async fn new() -> Self {
        Self::on_sqlite(false).await
    }

    /// Behind an https address.
    pub async fn secure() -> Self {
        Self::on_sqlite(true).await
    }

    async fn on_sqlite(secure: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("test.db");
        template::sqlite(env!("CARGO_TARGET_TMPDIR").as_ref(), &file).await.unwrap();
        let app = Self::over(&format!("sqlite://{}", file.display()), secure).await;
        Self { _folder: Some(folder), ..app }
    }

    /// On PostgreSQL, where there is one.
    pub async fn on_postgres() -> Option<Self> {
        #[expect(clippy::disallowed_methods, reason = "tests have no settings but this one")]
        let Ok(server_url) = std::env::var("TEST_PG_URL") else {
            println!("skipped: TEST_PG_URL names no PostgreSQL");
            return None;
        };
        let server = sea_orm::Database::connect(format!("{server_url}/postgres")).await.unwrap();
        let name = format!("rest_{}", std::process::id());
        template::postgres(&server, &server_url, &name).await.unwrap();
        let app = Self::over(&format!("{server_url}/{name}"), false).await;
        Some(Self { server: Some((server, name)), ..app })
    }

    async fn over(url: &str, secure: bool) -> Self {
        let database =
            Database::connect(&DatabaseSettings { url: url.to_owned(), connections: 4, scan_connections: 1 })
                .await
                .unwrap();
        let clock = Arc::new(HandClock::new());
        let passwords = Arc::new(Meddler::new(Argon2Hasher::cheap().unwrap(), database.clone()));
        add_users(&database, &passwords.hash(PASSWORD).await.unwrap()).await;
        let services = services(&database, clock.clone(), passwords.clone());
        let (credits, keys) = (services.credits.clone(), services.keys.clone());
        let (deliveries, operations) = (services.deliveries.clone(), services.operations.clone());
        let (playlists, live_profiles) = (services.playlists.clone(), services.live_profiles.clone());
        let (guides, links) = (services.guides.clone(), services.links.clone());
        let (matching, link_reports) = (services.matching.clone(), services.link_reports.clone());
        let settings = ApiSettings {
            secure,
            cookie_key: Key::from(&[7; 64]),
            proxies: TrustedProxies::parse("10.0.0.0/8").unwrap(),
            public_origin: secure.then(|| PUBLIC_ORIGIN.to_owned()),
            metrics_token: Some(METRICS_TOKEN.to_owned()),
        };
        let app = App::new()
            .wrap(from_fn(api::edge))
            .configure(|config| api::configure(config, &services, &settings));
        let service = Rc::new(init_service(app).await);
        let handle: Handle = Box::new(move |request| {
            let service = service.clone();
            Box::pin(async move {
                match service.call(request.to_request()).await {
                    Ok(answer) => Answer::read(answer.into_parts().1.map_into_boxed_body()).await,
                    Err(error) => Answer::read(error.error_response()).await,
                }
            })
        });
        Self {
            handle,
            clock,
            database,
            passwords,
            credits,
            keys,
            deliveries,
            operations,
            guides,
            playlists,
            matching,
            live_profiles,
            links,
            link_reports,
            server: None,
            _folder: None,
        }
    }

    /// Behind the interface.
    pub async fn run(&self, sql: &str) {
        self.database.connection().execute_unprepared(sql).await.unwrap();
    }

    /// The only number that a query answers.
    pub async fn number(&self, sql: &str) -> i64 {
        let statement = sea_orm::Statement::from_string(self.database.backend(), sql);
        let row = self.database.connection().query_one_raw(statement).await.unwrap().unwrap();
        row.try_get("", "number").unwrap()
    }

    /// What a start does in the background.
    pub async fn verify_ledger(&self) {
        self.credits.verify().await.unwrap();
    }

    /// What a running server does every few seconds.
    pub async fn note_uses(&self) {
        self.keys.note_uses().await.unwrap();
        self.live_profiles.note_uses().await.unwrap();
    }

    /// A program with a key of these scopes.
    pub async fn program(&self, scopes: &[&str]) -> Client<'_> {
        let admin = self.sign_in_as(RoleCode::Admin).await;
        let made = admin.create("integrator-keys", &json!({"name": "TV", "scopes": scopes})).await;
        Client::with_key(self, made["key"].as_str().unwrap())
    }

    /// What the job does in the background, until nothing is due.
    pub async fn deliver(&self) {
        for webhook in self.deliveries.waiting().await.unwrap() {
            for due in self.deliveries.due(webhook).await.unwrap() {
                self.deliveries.attempt(&due).await.unwrap();
            }
        }
    }

    /// One slice of a bulk operation, as the job does it in the background.
    pub async fn step(&self) -> bool {
        self.operations.step().await.unwrap()
    }

    /// The same, until no bulk operation is unfinished.
    pub async fn operate(&self) {
        while self.step().await {}
    }

    /// Carries the runs of playlists out that are unfinished, as the job does it in the background.
    pub async fn read_playlists(&self) {
        self.playlists.schedule().await.unwrap();
        while self.playlists.run_next().await.unwrap() {}
    }

    /// Fetches and reads the guides that are due, as the job does it in the background.
    pub async fn read_guides(&self) {
        self.guides.schedule().await.unwrap();
        while self.guides.run_next().await.unwrap() {}
    }

    /// Notes which guides are stale, as the job does it in the background.
    pub async fn note_stale_guides(&self) {
        self.guides.note_stale().await.unwrap();
    }

    /// Matches channels that are due, and links those that surely are one, as the jobs do it in the background.
    pub async fn match_channels(&self) {
        self.matching.schedule().await.unwrap();
        while self.matching.run_next().await.unwrap() {
            self.operate().await;
        }
    }

    /// Removes some programmes that are over; answers whether there may be more.
    pub async fn sweep_guides(&self) -> bool {
        self.guides.sweep().await.unwrap()
    }

    /// Every row of every table of users and credits, but for what signing in counts.
    pub async fn everything(&self) -> Vec<String> {
        let mut all = Vec::new();
        for table in ["users", "operations", "entries", "expiration_edits", "idempotency_keys"] {
            let sqlite = self.database.backend() == sea_orm::DbBackend::Sqlite;
            let columns = if sqlite {
                format!("SELECT name FROM pragma_table_info('{table}')")
            } else {
                format!(
                    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = '{table}'"
                )
            };
            let names: Vec<String> = self.texts(&columns, "name").await;
            let kept = names.iter().filter(|name| *name != "sign_ins");
            let kept: Vec<String> = kept.map(|name| format!("coalesce(CAST({name} AS text), '-')")).collect();
            let rows = format!("SELECT {} AS line FROM {table} ORDER BY 1", kept.join(" || ' ' || "));
            all.extend(self.texts(&rows, "line").await);
        }
        all
    }

    /// What is kept of keys.
    pub async fn kept_of_keys(&self) -> String {
        let sql = "SELECT name || ' ' || hint || ' ' || key_hash AS line FROM integrator_keys";
        self.texts(sql, "line").await.join("\n")
    }

    /// Every entry of the audit log, as it is kept.
    pub async fn audited(&self) -> String {
        let sql = "SELECT resource || ' ' || title || ' ' || coalesce(before, '') || coalesce(after, '') AS line \
                   FROM audit_entries";
        self.texts(sql, "line").await.join("\n")
    }

    /// The text that a statement answers as `text`.
    pub async fn text(&self, sql: &str) -> String {
        self.texts(sql, "text").await.concat()
    }

    pub async fn texts(&self, sql: &str, column: &str) -> Vec<String> {
        let statement = sea_orm::Statement::from_string(self.database.backend(), sql);
        let rows = self.database.connection().query_all_raw(statement).await.unwrap();
        rows.iter().map(|row| row.try_get("", column).unwrap()).collect()
    }

    /// Leaves nothing behind.
    pub async fn leave(self) {
        if let Some((server, name)) = self.server {
            server.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        }
    }

    /// Somebody who is not signed in.
    pub fn nobody(&self) -> Client<'_> {
        Client::new(self, None)
    }

    /// Somebody who is, in that role: each role has one user, named like it.
    pub async fn sign_in_as(&self, role: RoleCode) -> Client<'_> {
        self.sign_in(role.code()).await
    }

    /// Somebody who is, by name.
    pub async fn sign_in(&self, username: &str) -> Client<'_> {
        let credentials = json!({"username": username, "password": PASSWORD});
        let answer = self.nobody().post("/api/auth/login").json(&credentials).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let cookie = answer.cookie().expect("signing in sets a cookie");
        Client::new(self, Some((cookie.name().to_owned(), cookie.value().to_owned())))
    }

    /// Somebody who keeps the catalogue.
    pub async fn manager(&self) -> Client<'_> {
        self.sign_in_as(RoleCode::ContentManager).await
    }
}

async fn add_users(database: &Database, hash: &str) {
    let moment = "2026-11-20T09:00:00.000+00:00";
    for (name, role, status) in RoleCode::ALL
        .iter()
        .map(|role| (role.code(), role.code(), "ACTIVE"))
        .chain([("inactive", "admin", "INACTIVE"), ("suspended", "admin", "SUSPENDED")])
    {
        let sql = format!(
            "INSERT INTO users (username, username_key, full_name, role, status, password_hash, created_date, \
             updated_date) VALUES ('{name}', '{}', 'Ana Núñez', '{role}', '{status}', '{hash}', '{moment}', '{moment}')",
            name.to_lowercase()
        );
        database.connection().execute_unprepared(&sql).await.unwrap();
    }
}

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
        chrono::TimeDelta::hours(6),
    ))
}

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
    Arc::new(LinkReportService::new(links, Arc::new(SeaOrmIssues(database.clone())), calendar.clone()))
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

fn services(database: &Database, clock: Arc<HandClock>, passwords: Arc<Meddler>) -> Services {
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
        sessions: Arc::new(SessionService::new(sessions, users.clone(), clock.clone())),
        clock,
        films: Arc::new(FilmService::new(Arc::new(ThreeTitles), calendar.clone())),
        schedule: schedule(database, &calendar),
        guide_health: guide_health(database, &calendar),
        matching: matching(database, &calendar, &contents, &operations),
        guides: guides(database, &calendar),
        playlists: playlists(database, &contents, &operations, &calendar),
        links: links(database, &calendar),
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

/// The same test on SQLite, and on PostgreSQL: `name::sqlite` and `name::postgres_nightly`.
///
/// The store's tests run on both databases at each push, so here PostgreSQL is tried nightly; what is marked `#[smoke]`
/// runs on it at each push, too, as `name::postgres`.
macro_rules! on_both {
    (@postgres) => {
        #[actix_web::test]
        async fn postgres_nightly() {
            let Some(app) = TestApp::on_postgres().await else { return };
            body(&app).await;
            app.leave().await;
        }
    };
    (@postgres smoke) => {
        #[actix_web::test]
        async fn postgres() {
            let Some(app) = TestApp::on_postgres().await else { return };
            body(&app).await;
            app.leave().await;
        }
    };
    ($($(#[$when:ident])? async fn $name:ident($app:ident: &TestApp) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn body($app: &TestApp) $body

            #[actix_web::test]
            async fn sqlite() {
                let app = TestApp::new().await;
                body(&app).await;
                app.leave().await;
            }

            $crate::app::on_both! { @postgres $($when)? }
        }
    )+};
}

pub(crate) use on_both;

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
