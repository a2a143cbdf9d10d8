//! The REST API: paths, bodies, statuses, sessions, languages, and the HTTP servers. docs/api.md
//! describes it for clients.
//!
//! Handlers call use cases and have no business rules; adapters must not be used here. Every route
//! is registered together with its documentation ([`openapi::Api`]), so that `/api/openapi.json`
//! describes what is served.

mod address;
mod body_limit;
mod caller;
mod connections;
mod cross_site;
mod denied;
mod device_cookie;
mod edge;
mod extract;
mod http_server;
mod language;
pub mod locale;
mod metrics;
pub mod openapi;
mod problem;
mod read_ahead;
mod routes;
mod session_store;
mod user;

use std::sync::Arc;

use actix_web::{
    HttpResponse, Scope,
    cookie::Key,
    middleware::from_fn,
    web::{self, Data, ServiceConfig},
};
use application::{
    ActivityService, AppSettingsService, AuditService, BackupService, BaseUrlService, Calendar,
    CompletenessService, ContentServices, CreditService, DashboardService, DeliveryService, DuplicateService,
    EntryService, FilmService, GuideHealthService, GuideService, IssueService, ItemLinkService, KeyService,
    LinkReportService, LinkService, ListSheetService, LiveProfileService, MatchingService, NoticeService,
    OperationService, PlaylistService, RenewalService, ReversalRequestService, SavedViewService,
    ScheduleService, SessionService, SheetImportService, SheetService, SignInService, StatementService,
    StreamService, TrashService, UserActivityService, UserNoteService, UserService, ViewService,
    VisitService, WebhookService,
};
use domain_settings::{AlertMessage, BackgroundImage, RenewalMessage};
use ports::SheetFiles;

pub use address::TrustedProxies;
pub use connections::Connections;
pub use cross_site::origin_of;
pub use edge::edge;
pub use http_server::{serve, serve_metrics};
pub use problem::Problem;
pub use routes::{EventStreams, document};

use crate::{
    body_limit::LARGEST_BODY, cross_site::PublicOrigin, device_cookie::DeviceCookies, edge::EdgeSettings,
    metrics::MetricsAccess,
};

/// The use cases that routes call.
#[derive(Clone)]
pub struct Services {
    /// Current activity of users and jobs.
    pub activity: Arc<ActivityService>,
    /// Streams of current activity.
    pub events: Arc<EventStreams>,
    /// Sign-in.
    pub sign_in: Arc<SignInService>,
    /// Open sessions.
    pub sessions: Arc<SessionService>,
    /// The clock, and the service's time zone.
    pub calendar: Calendar,
    /// The film database.
    pub films: Arc<FilmService>,
    /// Content.
    pub contents: ContentServices,
    /// Base URLs of channels and radio stations.
    pub base_urls: Arc<BaseUrlService>,
    /// Bulk operations.
    pub operations: Arc<OperationService>,
    /// Spreadsheets.
    pub sheets: Arc<SheetService>,
    /// Imports of spreadsheets.
    pub sheet_imports: Arc<SheetImportService>,
    /// The schedule of channels.
    pub schedule: Arc<ScheduleService>,
    /// Guide health of channels.
    pub guide_health: Arc<GuideHealthService>,
    /// Matching of channels with channels of guides.
    pub matching: Arc<MatchingService>,
    /// Fetches of TV guides.
    pub guides: Arc<GuideService>,
    /// Sources of playlists.
    pub playlists: Arc<PlaylistService>,
    /// Links and their probes.
    pub links: Arc<LinkService>,
    /// Links of films and other items.
    pub item_links: Arc<ItemLinkService>,
    /// Reports of links.
    pub link_reports: Arc<LinkReportService>,
    /// Streams of channels.
    pub streams: Arc<StreamService>,
    /// Live profiles.
    pub live_profiles: Arc<LiveProfileService>,
    /// Missing parts of the catalogue.
    pub completeness: Arc<CompletenessService>,
    /// Items that are probably duplicates.
    pub duplicates: Arc<DuplicateService>,
    /// Spreadsheets of lists other than content.
    pub list_sheets: Arc<ListSheetService>,
    /// Spreadsheet files.
    pub sheet_files: Arc<dyn SheetFiles>,
    /// The trash.
    pub trash: Arc<TrashService>,
    /// The audit log.
    pub audit: Arc<AuditService>,
    /// Users.
    pub users: Arc<UserService>,
    /// The activity of a user: visits, devices and reports.
    pub user_activity: Arc<UserActivityService>,
    /// Notes on users.
    pub user_notes: Arc<UserNoteService>,
    /// Renewals.
    pub renewals: Arc<RenewalService>,
    /// Credits.
    pub credits: Arc<CreditService>,
    /// Agents' requests for reversals.
    pub reversal_requests: Arc<ReversalRequestService>,
    /// Saved views of lists.
    pub saved_views: Arc<SavedViewService>,
    /// Notices.
    pub notices: Arc<NoticeService>,
    /// Statements of agents.
    pub statements: Arc<StatementService>,
    /// Viewers' reports.
    pub issues: Arc<IssueService>,
    /// Dashboards.
    pub dashboards: Arc<DashboardService>,
    /// Keys of integrators.
    pub keys: Arc<KeyService>,
    /// Views that integrators report.
    pub views: Arc<ViewService>,
    /// The settings of the streaming app.
    pub app_settings: Arc<AppSettingsService>,
    /// Background images of the streaming app.
    pub background_images: Arc<EntryService<BackgroundImage>>,
    /// Messages that remind customers of the end of their subscription.
    pub renewal_messages: Arc<EntryService<RenewalMessage>>,
    /// Alert messages of the streaming app.
    pub alert_messages: Arc<EntryService<AlertMessage>>,
    /// Visits.
    pub visits: Arc<VisitService>,
    /// Webhooks and their log.
    pub webhooks: Arc<WebhookService>,
    /// Deliveries of webhooks, in the background.
    pub deliveries: Arc<DeliveryService>,
    /// Backups and their log.
    pub backups: Arc<BackupService>,
    /// Readiness of the service.
    pub ready: Arc<dyn Readiness>,
}

/// A check of whether the service can serve requests.
#[async_trait::async_trait]
pub trait Readiness: Send + Sync {
    /// `Err` has what is missing.
    async fn check(&self) -> Result<(), String>;
}

/// Settings of the API from the environment.
#[derive(Clone)]
pub struct ApiSettings {
    /// The public address is https: cookies are `Secure` and carry the `__Host-` prefix.
    pub secure: bool,
    /// Signs cookies. The same on all nodes.
    pub cookie_key: Key,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub proxies: TrustedProxies,
    /// The origin that browsers use, if the operator sets it ([`origin_of`]).
    pub public_origin: Option<String>,
    /// The bearer token for `/metrics`.
    pub metrics_token: Option<String>,
}

/// Mounts `/metrics` on a separate address. [`edge`] wraps it.
pub fn configure_metrics(config: &mut ServiceConfig, services: &Services, settings: &ApiSettings) {
    mount_metrics(config, services, settings, true);
    config.default_service(web::to(nothing_here));
}

fn mount_metrics(config: &mut ServiceConfig, services: &Services, settings: &ApiSettings, open: bool) {
    let token = settings.metrics_token.clone();
    config
        .app_data(Data::new(EdgeSettings { secure: settings.secure, proxies: settings.proxies.clone() }))
        .app_data(Data::new(MetricsAccess { token, open }))
        .app_data(Data::from(services.credits.clone()))
        .app_data(Data::from(services.deliveries.clone()))
        .app_data(Data::from(services.backups.clone()))
        .route("/metrics", web::get().to(metrics::show))
        .route("/metrics", web::head().to(metrics::show));
}

async fn nothing_here() -> Result<HttpResponse, Problem> {
    Err(Problem::no_such_path())
}

/// The content of each kind, and what applies to all kinds.
fn with_catalogue(scope: Scope, services: &Services) -> Scope {
    macro_rules! contents {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
            scope$(.app_data(Data::from(services.contents.$field.clone())))+
        };
    }
    let scope = domain_catalogue::for_each_kind!(contents);
    scope
        .app_data(Data::from(services.films.clone()))
        .app_data(Data::from(services.operations.clone()))
        .app_data(Data::from(services.sheets.clone()))
        .app_data(Data::from(services.sheet_imports.clone()))
        .app_data(Data::from(services.list_sheets.clone()))
        .app_data(Data::from(services.completeness.clone()))
        .app_data(Data::from(services.duplicates.clone()))
        .app_data(Data::from(services.sheet_files.clone()))
        .app_data(Data::from(services.trash.clone()))
        .app_data(Data::from(services.views.clone()))
}

/// Channels: their guides, playlists, links and streams.
fn with_live_tv(scope: Scope, services: &Services) -> Scope {
    scope
        .app_data(Data::from(services.schedule.clone()))
        .app_data(Data::from(services.guide_health.clone()))
        .app_data(Data::from(services.matching.clone()))
        .app_data(Data::from(services.guides.clone()))
        .app_data(Data::from(services.playlists.clone()))
        .app_data(Data::from(services.links.clone()))
        .app_data(Data::from(services.item_links.clone()))
        .app_data(Data::from(services.link_reports.clone()))
        .app_data(Data::from(services.streams.clone()))
        .app_data(Data::from(services.live_profiles.clone()))
}

/// Users, their sessions, credits, visits and reports.
fn with_users(scope: Scope, services: &Services) -> Scope {
    scope
        .app_data(Data::from(services.sign_in.clone()))
        .app_data(Data::from(services.sessions.clone()))
        .app_data(Data::from(services.users.clone()))
        .app_data(Data::from(services.user_activity.clone()))
        .app_data(Data::from(services.user_notes.clone()))
        .app_data(Data::from(services.renewals.clone()))
        .app_data(Data::from(services.credits.clone()))
        .app_data(Data::from(services.statements.clone()))
        .app_data(Data::from(services.reversal_requests.clone()))
        .app_data(Data::from(services.issues.clone()))
        .app_data(Data::from(services.dashboards.clone()))
        .app_data(Data::from(services.visits.clone()))
}

/// Settings of the app and of the service, integrations, logs, backups, and events of the panel.
fn with_administration(scope: Scope, services: &Services) -> Scope {
    scope
        .app_data(Data::from(services.activity.clone()))
        .app_data(Data::from(services.events.clone()))
        .app_data(Data::from(services.base_urls.clone()))
        .app_data(Data::from(services.audit.clone()))
        .app_data(Data::from(services.saved_views.clone()))
        .app_data(Data::from(services.notices.clone()))
        .app_data(Data::from(services.backups.clone()))
        .app_data(Data::from(services.keys.clone()))
        .app_data(Data::from(services.app_settings.clone()))
        .app_data(Data::from(services.background_images.clone()))
        .app_data(Data::from(services.renewal_messages.clone()))
        .app_data(Data::from(services.alert_messages.clone()))
        .app_data(Data::from(services.webhooks.clone()))
        .app_data(Data::from(services.ready.clone()))
}

/// Mounts everything under `/api`, and `/metrics`. [`edge`] wraps it.
pub fn configure(config: &mut ServiceConfig, services: &Services, settings: &ApiSettings) {
    let sessions =
        session_store::middleware(services.sessions.clone(), settings.secure, settings.cookie_key.clone());
    let mut api = openapi::Api::serving();
    routes::register(&mut api);
    let mut scope = web::scope("/api")
        .app_data(web::PayloadConfig::new(LARGEST_BODY))
        .app_data(Data::new(DeviceCookies::new(settings.secure, settings.cookie_key.clone())))
        .app_data(Data::new(services.clone()))
        .app_data(Data::new(settings.proxies.clone()))
        .app_data(Data::new(PublicOrigin(settings.public_origin.clone())));
    scope = with_catalogue(scope, services);
    scope = with_live_tv(scope, services);
    scope = with_users(scope, services);
    scope = with_administration(scope, services);
    for resource in api.into_resources() {
        scope = scope.service(resource);
    }
    let scope = scope
        .default_service(web::to(nothing_here))
        .wrap(sessions)
        .wrap(from_fn(session_store::complete_cookies))
        .wrap(from_fn(cross_site::refuse))
        .wrap(from_fn(language::localize))
        .wrap(from_fn(metrics::count))
        .wrap(from_fn(body_limit::enforce));
    mount_metrics(config, services, settings, false);
    config.service(scope);
}
