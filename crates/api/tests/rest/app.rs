//! The whole API as in production, over a database of its own.

use std::{pin::Pin, rc::Rc, sync::Arc};

use actix_web::{
    App,
    cookie::Key,
    dev::Service,
    middleware::from_fn,
    test::{TestRequest, init_service},
};
use adapter_argon2::Argon2Hasher;
use adapter_seaorm::{Database, DatabaseSettings};
use api::{ApiSettings, TrustedProxies};
use application::{
    CreditService, DeliveryService, GuideService, Job, KeyService, LinkReportService, LinkService,
    LiveProfileService, MatchingService, OperationService, PlaylistService,
};
use composition::services;
use domain_kernel::{Enumeration, RoleCode};
use migrations::template;
use ports::PasswordHasher;
use sea_orm::ConnectionTrait;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    client::{Answer, Client},
    fakes::{ManualClock, TestPasswordHasher, outside},
};

/// The public address of the app created by `secure`.
pub const PUBLIC_ORIGIN: &str = "https://tv.example";
pub const METRICS_TOKEN: &str = "a token for monitoring";

/// The password of all users.
pub const PASSWORD: &str = "Contraseña 1";

pub type Handle = Box<dyn Fn(TestRequest) -> Pin<Box<dyn Future<Output = Answer>>>>;

pub struct TestApp {
    pub handle: Handle,
    pub clock: Arc<ManualClock>,
    pub database: Database,
    pub passwords: Arc<TestPasswordHasher>,
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

    /// With an https address.
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

    /// On PostgreSQL, if there is one.
    pub async fn on_postgres() -> Option<Self> {
        let server_url = template::postgres_server()?;
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
        let clock = Arc::new(ManualClock::new());
        let passwords = Arc::new(TestPasswordHasher::new(Argon2Hasher::cheap().unwrap(), database.clone()));
        add_users(&database, &passwords.hash(PASSWORD).await.unwrap()).await;
        let services = services(&database, &outside(clock.clone(), passwords.clone())).unwrap();
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

    /// Executes SQL on the database.
    pub async fn run(&self, sql: &str) {
        self.database.connection().execute_unprepared(sql).await.unwrap();
    }

    /// The only number in the result of a query.
    pub async fn number(&self, sql: &str) -> i64 {
        let statement = sea_orm::Statement::from_string(self.database.backend(), sql);
        let row = self.database.connection().query_one_raw(statement).await.unwrap().unwrap();
        row.try_get("", "number").unwrap()
    }

    /// The verification of the ledger, which runs in the background after the start.
    pub async fn verify_ledger(&self) {
        self.credits.verify().await.unwrap();
    }

    /// Writes the uses of keys, as the background task does every few seconds.
    pub async fn record_key_uses(&self) {
        self.keys.note_uses().await.unwrap();
        self.live_profiles.note_uses().await.unwrap();
    }

    /// An integrator whose key has these scopes.
    pub async fn program(&self, scopes: &[&str]) -> Client<'_> {
        let admin = self.sign_in_as(RoleCode::Admin).await;
        let made = admin.create("integrator-keys", &json!({"name": "TV", "scopes": scopes})).await;
        Client::with_key(self, made["key"].as_str().unwrap())
    }

    /// Runs the delivery job until no delivery is due.
    pub async fn deliver(&self) {
        for webhook in self.deliveries.waiting().await.unwrap() {
            for due in self.deliveries.due(webhook).await.unwrap() {
                self.deliveries.attempt(&due).await.unwrap();
            }
        }
    }

    /// One slice of a bulk operation, as the background job runs it.
    pub async fn step(&self) -> bool {
        self.operations.run_next().await.unwrap()
    }

    /// Runs bulk operations until none is unfinished.
    pub async fn run_operations(&self) {
        while self.step().await {}
    }

    /// Runs the unfinished runs of playlists, as the background job does.
    pub async fn read_playlists(&self) {
        self.playlists.schedule().await.unwrap();
        while self.playlists.run_next().await.unwrap() {}
    }

    /// Fetches and reads the guides that are due, as the background job does.
    pub async fn read_guides(&self) {
        self.guides.schedule().await.unwrap();
        while self.guides.run_next().await.unwrap() {}
    }

    /// Reports stale guides, as the background job does.
    pub async fn report_stale_guides(&self) {
        self.guides.note_stale().await.unwrap();
    }

    /// Matches channels that are due and links certain matches, as the background jobs do.
    pub async fn match_channels(&self) {
        self.matching.schedule().await.unwrap();
        while self.matching.run_next().await.unwrap() {
            self.run_operations().await;
        }
    }

    /// Removes some ended programmes; returns whether there may be more.
    pub async fn sweep_guides(&self) -> bool {
        self.guides.sweep().await.unwrap()
    }

    /// Every row of every table of users and credits, without the columns changed by signing in.
    pub async fn snapshot(&self) -> Vec<String> {
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

    /// The stored keys.
    pub async fn stored_keys(&self) -> String {
        let sql = "SELECT name || ' ' || hint || ' ' || key_hash AS line FROM integrator_keys";
        self.texts(sql, "line").await.join("\n")
    }

    /// Every stored entry of the audit log.
    pub async fn audited(&self) -> String {
        let sql = "SELECT resource || ' ' || title || ' ' || coalesce(before, '') || coalesce(after, '') AS line \
                   FROM audit_entries";
        self.texts(sql, "line").await.join("\n")
    }

    /// The text in the column `text` of a query.
    pub async fn text(&self, sql: &str) -> String {
        self.texts(sql, "text").await.concat()
    }

    pub async fn texts(&self, sql: &str, column: &str) -> Vec<String> {
        let statement = sea_orm::Statement::from_string(self.database.backend(), sql);
        let rows = self.database.connection().query_all_raw(statement).await.unwrap();
        rows.iter().map(|row| row.try_get("", column).unwrap()).collect()
    }

    /// Drops the database.
    pub async fn drop_database(self) {
        if let Some((server, name)) = self.server {
            server.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        }
    }

    /// A client without a session.
    pub fn anonymous(&self) -> Client<'_> {
        Client::new(self, None)
    }

    /// A client signed in with this role: each role has one user with its name.
    pub async fn sign_in_as(&self, role: RoleCode) -> Client<'_> {
        self.sign_in(role.code()).await
    }

    /// A client signed in as this user.
    pub async fn sign_in(&self, username: &str) -> Client<'_> {
        let credentials = json!({"username": username, "password": PASSWORD});
        let answer = self.anonymous().post("/api/auth/login").json(&credentials).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let cookie = answer.cookie().expect("signing in sets a cookie");
        Client::new(self, Some((cookie.name().to_owned(), cookie.value().to_owned())))
    }

    /// A client of the content manager.
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

/// The same test on SQLite and on PostgreSQL: `name::sqlite` and `name::postgres_nightly`.
///
/// The store's tests run on both databases at each push, so here PostgreSQL is tested nightly;
/// tests marked `#[smoke]` run on it at each push, too, as `name::postgres`.
macro_rules! on_both {
    (@postgres) => {
        #[actix_web::test]
        async fn postgres_nightly() {
            let Some(app) = TestApp::on_postgres().await else { return };
            body(&app).await;
            app.drop_database().await;
        }
    };
    (@postgres smoke) => {
        #[actix_web::test]
        async fn postgres() {
            let Some(app) = TestApp::on_postgres().await else { return };
            body(&app).await;
            app.drop_database().await;
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
                app.drop_database().await;
            }

            $crate::app::on_both! { @postgres $($when)? }
        }
    )+};
}

pub(crate) use on_both;
