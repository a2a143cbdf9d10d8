//! Composes the process: the application (`composition`) with its settings, and the jobs.

use std::{
    sync::{Arc, LazyLock},
    thread::available_parallelism,
};

use actix_web::cookie::Key;
use adapter_argon2::Argon2Hasher;
use adapter_imdb::ImdbClient;
use adapter_seaorm::{
    Database, SeaOrmLeases, SeaOrmLinkSwitches, SeaOrmRetention, SeaOrmSessions, SeaOrmSubscriptionEnds,
};
use adapter_webhooks::HttpWebhookSender;
use anyhow::anyhow;
use api::{ApiSettings, Services};
use application::{
    Calendar, DeliveryService, GuideService, Lease, LinkReportService, LinkService, LinkSwitchService,
    MatchingService, OperationService, PlaylistService, RetentionPolicy, RetentionService, SubscriptionWatch,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::TimeDelta;
use composition::Outside;
use ports::{SecretSource, SessionRepository as _};
use rand::Rng;
use tokio::sync::Notify;

use crate::{backup::schedule::BackupJob, config::Settings, database::SystemClock};

/// Random numbers of the system.
struct SystemRandomness;

impl SecretSource for SystemRandomness {
    fn draw(&self) -> String {
        let mut bytes = [0_u8; 32];
        rand::rng().fill(&mut bytes);
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

/// The composed application.
pub(crate) struct App {
    pub(crate) database: Database,
    pub(crate) services: Services,
    pub(crate) jobs: Jobs,
    pub(crate) backups: BackupJob,
}

/// Jobs, each with a lease.
pub(crate) struct Jobs {
    pub(crate) deliveries: Arc<DeliveryService>,
    pub(crate) delivering: Lease,
    pub(crate) subscriptions: SubscriptionWatch,
    pub(crate) watching: Lease,
    pub(crate) retention: RetentionService,
    pub(crate) sweeping: Lease,
    pub(crate) operations: Arc<OperationService>,
    pub(crate) operating: Lease,
    /// Notified when a bulk operation starts in this process.
    pub(crate) operation_begun: Arc<Notify>,
    pub(crate) matching: Arc<MatchingService>,
    pub(crate) matching_channels: Lease,
    pub(crate) guides: Arc<GuideService>,
    pub(crate) reading_guides: Lease,
    pub(crate) playlists: Arc<PlaylistService>,
    pub(crate) reading: Lease,
    pub(crate) links: Option<Arc<LinkService>>,
    pub(crate) link_reports: Arc<LinkReportService>,
    /// Whether reports are resolved automatically when their link plays again.
    pub(crate) resolves_reports: bool,
    pub(crate) link_switches: LinkSwitchService,
    pub(crate) probing: Lease,
}

/// The application over a database.
pub(crate) fn build(settings: &Settings, database: Database) -> anyhow::Result<App> {
    let operation_begun = Arc::new(Notify::new());
    let services = composition::services(&database, &outside(settings, operation_begun.clone())?)?;
    let jobs = jobs(settings, &database, &services, operation_begun);
    let backups = BackupJob {
        service: services.backups.clone(),
        lease: lease(&database, &services.calendar, "backups", 60),
        settings: settings.clone(),
    };
    Ok(App { database, services, jobs, backups })
}

/// Dependencies of the application besides its database, from the settings.
fn outside(settings: &Settings, operation_begun: Arc<Notify>) -> anyhow::Result<Outside> {
    // One core is reserved for other requests while users sign in.
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    let films = ImdbClient::new(&settings.film_database_url).map_err(|reason| anyhow!(reason))?;
    let webhook_sender =
        HttpWebhookSender::new(settings.webhook_allow.clone()).map_err(|reason| anyhow!(reason))?;
    Ok(Outside {
        clock: Arc::new(SystemClock),
        time_zone: settings.time_zone,
        country_calling_code: settings.country_calling_code,
        secrets: Arc::new(SystemRandomness),
        passwords: Arc::new(Argon2Hasher::new(cores.saturating_sub(1).max(1))?),
        films: Arc::new(films),
        webhook_sender: Arc::new(webhook_sender),
        fetch_allow: settings.fetch_allow.clone(),
        playlist_limits: settings.playlist_limits(),
        guide_days: settings.guide_days(),
        probe_policy: settings.probe_policy(),
        backup_schedule: settings.backup_schedule(),
        on_operation: Arc::new(move || operation_begun.notify_one()),
    })
}

/// A lease with the id of this process.
fn lease(database: &Database, calendar: &Calendar, name: &'static str, seconds: i64) -> Lease {
    static HOLDER: LazyLock<String> = LazyLock::new(|| format!("{:016x}", rand::random::<u64>()));
    let leases = Arc::new(SeaOrmLeases(database.clone()));
    Lease::new(leases, calendar.clone(), name, HOLDER.clone(), TimeDelta::seconds(seconds))
}

/// The jobs, with leases of this process.
fn jobs(settings: &Settings, database: &Database, services: &Services, operation_begun: Arc<Notify>) -> Jobs {
    let calendar = &services.calendar;
    let lease = |name, seconds| lease(database, calendar, name, seconds);
    Jobs {
        deliveries: services.deliveries.clone(),
        operations: services.operations.clone(),
        operating: lease("operations", 20),
        operation_begun,
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
        // Longer than an attempt: after a takeover no delivery of the former holder is in flight,
        // unless a node was suspended.
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

/// Settings of the API, including the secret shared by all nodes.
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
