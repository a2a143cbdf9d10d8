//! Metrics for Prometheus: number, status and duration of requests, and the state of background
//! work.

use std::{sync::LazyLock, time::Instant};

use actix_web::{
    Error, HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web::Data,
};
use application::{BackupService, CreditService, DeliveryService, Verification};
use domain_kernel::Code;
use prometheus::{
    Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
};
use sha2::{Digest, Sha256};

use crate::{caller::bearer, problem::Problem};

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Upper bounds of the buckets, in seconds.
const BUCKETS: [f64; 7] = [0.001, 0.005, 0.02, 0.1, 0.2, 1.0, 5.0];

/// Requests of this process.
struct Requests {
    registry: Registry,
    by_class: [IntCounter; 5],
    duration: Histogram,
}

static REQUESTS: LazyLock<Requests> =
    LazyLock::new(|| Requests::new().expect("names of metrics are valid and different"));

impl Requests {
    fn new() -> prometheus::Result<Self> {
        let counts = IntCounterVec::new(
            Opts::new("cartelera_http_requests_total", "Requests, by class of status."),
            &["status"],
        )?;
        let duration = HistogramOpts::new("cartelera_http_request_duration_seconds", "Duration of requests.")
            .buckets(BUCKETS.to_vec());
        let duration = Histogram::with_opts(duration)?;
        let registry = Registry::new();
        registry.register(Box::new(counts.clone()))?;
        registry.register(Box::new(duration.clone()))?;
        Ok(Self { registry, by_class: CLASSES.map(|class| counts.with_label_values(&[class])), duration })
    }
}

/// Counts a request.
pub(crate) async fn count(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let start = Instant::now();
    let answer = next.call(request).await;
    let status = match &answer {
        Ok(answer) => answer.status(),
        Err(error) => error.as_response_error().status_code(),
    };
    let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
    REQUESTS.by_class[class].inc();
    REQUESTS.duration.observe(start.elapsed().as_secs_f64());
    answer
}

/// Values that are read for each response. A value that can't be read is omitted.
#[derive(Default)]
struct Values(Registry);

impl Values {
    fn gauge(&self, name: &str, help: &str, value: i64) -> prometheus::Result<()> {
        let gauge = IntGauge::new(name, help)?;
        gauge.set(value);
        self.0.register(Box::new(gauge))
    }

    /// The result of the last verification of the ledger, if one has ended.
    fn ledger(&self, credits: &CreditService) -> prometheus::Result<()> {
        let Some(Verification { at, breaches }) = credits.last_verification() else { return Ok(()) };
        self.gauge(
            "cartelera_ledger_breaches",
            "Rows of the credit ledger that break an invariant.",
            i64::try_from(breaches).unwrap_or(i64::MAX),
        )?;
        self.gauge(
            "cartelera_ledger_verified_timestamp_seconds",
            "When the ledger was last verified.",
            at.timestamp(),
        )
    }

    /// Outcomes of deliveries of webhooks on this node, and the number of pending deliveries of all
    /// nodes.
    async fn deliveries(&self, deliveries: &DeliveryService) -> prometheus::Result<()> {
        let attempts = IntCounterVec::new(
            Opts::new("cartelera_webhook_deliveries_total", "Attempts to deliver webhooks, by outcome."),
            &["outcome"],
        )?;
        for (outcome, count) in deliveries.figures().by_outcome() {
            attempts.with_label_values(&[outcome]).inc_by(count);
        }
        self.0.register(Box::new(attempts))?;
        // Unknown while the database is unavailable.
        let Ok(pending) = deliveries.pending().await else { return Ok(()) };
        self.gauge(
            "cartelera_webhook_deliveries_pending",
            "Pending webhook deliveries; at most 10000 are counted.",
            i64::try_from(pending).unwrap_or(i64::MAX),
        )
    }

    /// The age of the last good backup, if backups are scheduled.
    async fn backups(&self, backups: &BackupService) -> prometheus::Result<()> {
        let Ok(status) = backups.status().await else { return Ok(()) };
        if status.schedule.is_none() {
            return Ok(());
        }
        self.gauge(
            "cartelera_backup_overdue",
            "Whether the last good backup is older than two days, or more than a day later than scheduled.",
            i64::from(status.overdue),
        )?;
        if let Some(date) = status.last_good {
            self.gauge(
                "cartelera_backup_last_good_timestamp_seconds",
                "When the last good backup began.",
                date.timestamp(),
            )?;
        }
        Ok(())
    }
}

/// Access to the metrics.
pub(crate) struct MetricsAccess {
    /// The required bearer token.
    pub(crate) token: Option<String>,
    /// Without a token access is public: the metrics have a separate address, which the operator
    /// chose.
    pub(crate) open: bool,
}

impl MetricsAccess {
    fn check(&self, request: &HttpRequest) -> Result<(), Problem> {
        let Some(token) = &self.token else {
            return if self.open { Ok(()) } else { Err(Problem::no_such_path()) };
        };
        // Compares hashes, so that the duration does not depend on the length of a common prefix.
        let hash = |text: &str| Sha256::digest(text.as_bytes());
        let sent = bearer(request).is_some_and(|sent| hash(sent) == hash(token));
        if sent { Ok(()) } else { Err(Problem::of(Code::NotAuthenticated).challenged()) }
    }
}

/// `GET /metrics`; `HEAD` likewise, without the body, which the HTTP server leaves out.
pub(crate) async fn show(
    request: HttpRequest,
    access: Data<MetricsAccess>,
    credits: Data<CreditService>,
    deliveries: Data<DeliveryService>,
    backups: Data<BackupService>,
) -> Result<HttpResponse, Problem> {
    access.check(&request)?;
    let text = collect(&credits, &deliveries, &backups).await.map_err(|error| {
        tracing::error!(%error, "failed to write metrics");
        Problem::of(Code::Internal)
    })?;
    Ok(HttpResponse::Ok().content_type(prometheus::TEXT_FORMAT).body(text))
}

async fn collect(
    credits: &CreditService,
    deliveries: &DeliveryService,
    backups: &BackupService,
) -> prometheus::Result<String> {
    let values = Values::default();
    values.ledger(credits)?;
    values.deliveries(deliveries).await?;
    values.backups(backups).await?;
    let mut families = REQUESTS.registry.gather();
    families.extend(values.0.gather());
    TextEncoder::new().encode_to_string(&families)
}
