//! The whole interface as production mounts it, over a database of its own.

use std::{net::SocketAddr, pin::Pin, rc::Rc, sync::Arc};

use actix_web::{
    App,
    cookie::{Cookie, Key},
    dev::Service,
    http::{Method, header::HeaderMap},
    test::{TestRequest, init_service},
};
use adapter_argon2::Argon2Hasher;
use adapter_seaorm::{
    Database, DatabaseSettings, SeaOrmSessions, SeaOrmSettings, SeaOrmUsers,
    contents::{ContentStores, SeaOrmReferences},
};
use api::{ApiSettings, Services, TrustedProxies};
use application::{BaseUrlService, Calendar, ContentService, FilmService, SignInService};
use domain_catalogue::{Category, Content, Movie};
use domain_kernel::{Enumeration, RoleCode};
use ports::{Clock, PasswordHasher};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fakes::{Answers, HandClock, ThreeTitles};

/// Everybody's password.
pub const PASSWORD: &str = "Contraseña 1";

type Handle = Box<dyn Fn(TestRequest) -> Pin<Box<dyn Future<Output = Answer>>>>;

pub struct TestApp {
    handle: Handle,
    pub clock: Arc<HandClock>,
    pub database: Database,
    server: Option<(sea_orm::DatabaseConnection, String)>,
    _folder: Option<TempDir>,
}

impl TestApp {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let app = Self::over(&url, false).await;
        Self { _folder: Some(folder), ..app }
    }

    /// Behind an https address.
    pub async fn secure() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let app = Self::over(&url, true).await;
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
        server.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
        server.execute_unprepared(&format!("CREATE DATABASE {name}")).await.unwrap();
        let app = Self::over(&format!("{server_url}/{name}"), false).await;
        Some(Self { server: Some((server, name)), ..app })
    }

    async fn over(url: &str, secure: bool) -> Self {
        let database = Database::connect(&DatabaseSettings { url: url.to_owned(), readers: 2 }).await.unwrap();
        database.migrate(migrations::migrate).await.unwrap();
        let clock = Arc::new(HandClock::new());
        let passwords = Arc::new(Argon2Hasher::cheap().unwrap());
        add_users(&database, &passwords.hash(PASSWORD).await.unwrap()).await;
        let services = services(&database, clock.clone(), passwords);
        let settings = ApiSettings {
            secure,
            cookie_key: Key::from(&[7; 64]),
            proxies: TrustedProxies::parse("10.0.0.0/8").unwrap(),
        };
        let service =
            Rc::new(init_service(App::new().configure(|config| api::configure(config, &services, &settings))).await);
        let handle: Handle = Box::new(move |request| {
            let service = service.clone();
            Box::pin(async move {
                match service.call(request.to_request()).await {
                    Ok(answer) => Answer::read(answer.into_parts().1.map_into_boxed_body()).await,
                    Err(error) => Answer::read(error.error_response()).await,
                }
            })
        });
        Self { handle, clock, database, server: None, _folder: None }
    }

    /// Behind the interface.
    pub async fn run(&self, sql: &str) {
        self.database.connection().execute_unprepared(sql).await.unwrap();
    }

    /// Leaves nothing behind.
    pub async fn leave(self) {
        if let Some((server, name)) = self.server {
            server.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        }
    }

    /// Somebody who is not signed in.
    pub fn nobody(&self) -> Client<'_> {
        Client { app: self, cookie: None }
    }

    /// Somebody who is, in that role: each role has one user, named like it.
    pub async fn sign_in_as(&self, role: RoleCode) -> Client<'_> {
        let credentials = json!({"username": role.code(), "password": PASSWORD});
        let answer = self.nobody().post("/api/auth/login").json(&credentials).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let cookie = answer.cookie().expect("signing in sets a cookie");
        Client { app: self, cookie: Some((cookie.name().to_owned(), cookie.value().to_owned())) }
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

fn services(database: &Database, clock: Arc<HandClock>, passwords: Arc<Argon2Hasher>) -> Services {
    let clock: Arc<dyn Clock> = clock;
    let calendar = Calendar::new(clock.clone(), chrono_tz::UTC);
    let stores = ContentStores::new(database);
    let known = Arc::new(SeaOrmReferences(database.clone()));
    let users = Arc::new(SeaOrmUsers(database.clone()));
    let sessions = Arc::new(SeaOrmSessions(database.clone()));
    Services {
        sign_in: Arc::new(SignInService::new(users, sessions.clone(), passwords, clock.clone())),
        sessions,
        clock,
        films: Arc::new(FilmService::new(Arc::new(ThreeTitles), calendar.clone())),
        categories: Arc::new(ContentService::new(stores.categories, known.clone(), calendar.clone())),
        tv_guides: Arc::new(ContentService::new(stores.tv_guides, known.clone(), calendar.clone())),
        tv_channels: Arc::new(ContentService::new(stores.tv_channels, known.clone(), calendar.clone())),
        radio_stations: Arc::new(ContentService::new(stores.radio_stations, known.clone(), calendar.clone())),
        documentaries: Arc::new(ContentService::new(stores.documentaries, known.clone(), calendar.clone())),
        movies: Arc::new(ContentService::new(stores.movies, known.clone(), calendar.clone())),
        concerts: Arc::new(ContentService::new(stores.concerts, known.clone(), calendar.clone())),
        sports: Arc::new(ContentService::new(stores.sports, known.clone(), calendar.clone())),
        tv_shows: Arc::new(ContentService::new(stores.tv_shows, known.clone(), calendar.clone())),
        seasons: Arc::new(ContentService::new(stores.seasons, known.clone(), calendar.clone())),
        episodes: Arc::new(ContentService::new(stores.episodes, known.clone(), calendar.clone())),
        base_urls: Arc::new(BaseUrlService::new(Arc::new(SeaOrmSettings(database.clone())))),
        ready: Arc::new(Answers(database.clone())),
    }
}

/// Who asks.
#[derive(Clone)]
pub struct Client<'a> {
    app: &'a TestApp,
    pub cookie: Option<(String, String)>,
}

impl<'a> Client<'a> {
    pub fn ask(&self, method: Method, path: &str) -> Asked<'a> {
        let mut request = TestRequest::with_uri(path)
            .method(method)
            .peer_addr(SocketAddr::from(([192, 0, 2, 1], 5000)))
            .insert_header(("host", "cartelera.example"));
        if let Some((name, value)) = &self.cookie {
            request = request.cookie(Cookie::new(name.clone(), value.clone()));
        }
        Asked { app: self.app, request }
    }

    pub fn get(&self, path: &str) -> Asked<'a> {
        self.ask(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> Asked<'a> {
        self.ask(Method::POST, path)
    }

    pub fn put(&self, path: &str) -> Asked<'a> {
        self.ask(Method::PUT, path)
    }

    pub fn patch(&self, path: &str) -> Asked<'a> {
        self.ask(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> Asked<'a> {
        self.ask(Method::DELETE, path)
    }

    /// Adds an item and answers it as it is stored.
    pub async fn create(&self, kind: &str, item: &Value) -> Value {
        let answer = self.post(&format!("/api/{kind}")).json(item).send().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()
    }

    /// How many there are.
    pub async fn count(&self, kind: &str) -> u64 {
        self.get(&format!("/api/{kind}")).send().await.json()["totalElements"].as_u64().unwrap()
    }

    /// A film that can be sent, with a category that exists.
    pub async fn film(&self) -> Value {
        let category = self.create("categories", &category()).await;
        let mut film = serde_json::to_value(Movie::sample()).unwrap();
        film["categoryId"] = category["id"].clone();
        film
    }
}

/// A category that can be sent.
pub fn category() -> Value {
    serde_json::to_value(Category::sample()).unwrap()
}

/// A request in the making.
pub struct Asked<'a> {
    app: &'a TestApp,
    request: TestRequest,
}

impl Asked<'_> {
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.request = self.request.insert_header((name, value));
        self
    }

    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub fn body(mut self, kind: &str, body: impl Into<actix_web::web::Bytes>) -> Self {
        self.request = self.request.insert_header(("content-type", kind)).set_payload(body);
        self
    }

    pub fn from_address(mut self, address: [u8; 4]) -> Self {
        self.request = self.request.peer_addr(SocketAddr::from((address, 5000)));
        self
    }

    pub async fn send(self) -> Answer {
        (self.app.handle)(self.request).await
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    async fn read(answer: actix_web::HttpResponse) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let body = actix_web::body::to_bytes(answer.into_body()).await;
        let body = body.map_err(|_| "the body failed").unwrap().to_vec();
        Self { status, headers, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.text()))
    }

    /// The cookie it sets.
    pub fn cookie(&self) -> Option<Cookie<'static>> {
        Cookie::parse_encoded(self.header("set-cookie")?.to_owned()).ok()
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// Fields and codes of the broken rules.
    pub fn broken(&self) -> Vec<(String, String)> {
        let json = self.json();
        assert_eq!(self.status, 422, "{json}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        json["errors"].as_array().unwrap().iter().map(|one| (text(&one["field"]), text(&one["code"]))).collect()
    }
}

/// The same test on both databases: `name::sqlite` and `name::postgres`.
macro_rules! on_both {
    ($(async fn $name:ident($app:ident: &TestApp) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn body($app: &TestApp) $body

            #[actix_web::test]
            async fn sqlite() {
                let app = TestApp::new().await;
                body(&app).await;
                app.leave().await;
            }

            #[actix_web::test]
            async fn postgres() {
                let Some(app) = TestApp::on_postgres().await else { return };
                body(&app).await;
                app.leave().await;
            }
        }
    )+};
}

pub(crate) use on_both;
