//! Figures for Prometheus: how many requests, how they ended, how long they took.

use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use actix_web::{
    Error, HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web::Data,
};
use application::{BackupService, CreditService, DeliveryService, Verification};
use domain_kernel::Code;
use sha2::{Digest, Sha256};

use crate::{caller::bearer, problem::Problem};

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Upper bounds of the buckets, in seconds.
const BUCKETS: [f64; 7] = [0.001, 0.005, 0.02, 0.1, 0.2, 1.0, 5.0];

static BY_CLASS: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];
static BY_DURATION: [AtomicU64; 7] = [const { AtomicU64::new(0) }; 7];
static MICROSECONDS: AtomicU64 = AtomicU64::new(0);

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
    let took = start.elapsed();
    let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
    BY_CLASS[class].fetch_add(1, Ordering::Relaxed);
    MICROSECONDS.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    for (bound, bucket) in BUCKETS.iter().zip(&BY_DURATION) {
        if took.as_secs_f64() <= *bound {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
    }
    answer
}

/// What the last verification of the ledger found, once one has ended.
fn push_ledger(text: &mut String, credits: &CreditService) {
    let Some(Verification { at, breaches }) = credits.last_verification() else { return };
    let _ = write!(
        text,
        "# HELP cartelera_ledger_breaches Rows of the credit ledger that break an invariant.\n\
         # TYPE cartelera_ledger_breaches gauge\ncartelera_ledger_breaches {breaches}\n\
         # HELP cartelera_ledger_verified_timestamp_seconds When the ledger was last verified.\n\
         # TYPE cartelera_ledger_verified_timestamp_seconds gauge\ncartelera_ledger_verified_timestamp_seconds {}\n",
        at.timestamp()
    );
}

/// How deliveries of webhooks went on this node, and how many wait on all of them.
async fn push_deliveries(text: &mut String, deliveries: &DeliveryService) {
    text.push_str(
        "# HELP cartelera_webhook_deliveries_total Attempts to deliver webhooks, by outcome.\n\
         # TYPE cartelera_webhook_deliveries_total counter\n",
    );
    for (outcome, count) in deliveries.figures().by_outcome() {
        let _ = writeln!(text, "cartelera_webhook_deliveries_total{{outcome=\"{outcome}\"}} {count}");
    }
    // Where the database is away, nobody knows.
    let Ok(pending) = deliveries.pending().await else { return };
    let _ = write!(
        text,
        "# HELP cartelera_webhook_deliveries_pending Pending webhook deliveries; at most 10000 are counted.\n\
         # TYPE cartelera_webhook_deliveries_pending gauge\ncartelera_webhook_deliveries_pending {pending}\n"
    );
}

/// How old the last good backup is, where backups are scheduled.
async fn push_backups(text: &mut String, backups: &BackupService) {
    let Ok(status) = backups.status().await else { return };
    if status.schedule.is_none() {
        return;
    }
    let _ = write!(
        text,
        "# HELP cartelera_backup_overdue Whether the last good backup is older than two days.\n\
         # TYPE cartelera_backup_overdue gauge\ncartelera_backup_overdue {}\n",
        u8::from(status.overdue)
    );
    if let Some(date) = status.last_good {
        let _ = write!(
            text,
            "# HELP cartelera_backup_last_good_timestamp_seconds When the last good backup began.\n\
             # TYPE cartelera_backup_last_good_timestamp_seconds gauge\n\
             cartelera_backup_last_good_timestamp_seconds {}\n",
            date.timestamp()
        );
    }
}

/// Who may see the figures.
pub(crate) struct MetricsAccess {
    /// Whoever sends it may.
    pub(crate) token: Option<String>,
    /// Without a token everybody may: on an address of its own, which the operator chose.
    pub(crate) open: bool,
}

impl MetricsAccess {
    fn check(&self, request: &HttpRequest) -> Result<(), Problem> {
        let Some(token) = &self.token else {
            return if self.open { Ok(()) } else { Err(Problem::no_such_path()) };
        };
        // Hashes take the same time to compare, however much of them agrees.
        let hash = |text: &str| Sha256::digest(text.as_bytes());
        let sent = bearer(request).is_some_and(|sent| hash(sent) == hash(token));
        if sent { Ok(()) } else { Err(Problem::of(Code::NotAuthenticated).challenged()) }
    }
}

/// `GET /metrics`.
pub(crate) async fn show(
    request: HttpRequest,
    access: Data<MetricsAccess>,
    credits: Data<CreditService>,
    deliveries: Data<DeliveryService>,
    backups: Data<BackupService>,
) -> Result<HttpResponse, Problem> {
    access.check(&request)?;
    let mut text = String::from(
        "# HELP cartelera_http_requests_total Requests, by class of status.\n\
         # TYPE cartelera_http_requests_total counter\n",
    );
    let counts = BY_CLASS.each_ref().map(|count| count.load(Ordering::Relaxed));
    for (class, count) in CLASSES.iter().zip(counts) {
        let _ = writeln!(text, "cartelera_http_requests_total{{status=\"{class}\"}} {count}");
    }
    text.push_str(
        "# HELP cartelera_http_request_duration_seconds Duration of requests.\n\
         # TYPE cartelera_http_request_duration_seconds histogram\n",
    );
    for (bound, bucket) in BUCKETS.iter().zip(&BY_DURATION) {
        let count = bucket.load(Ordering::Relaxed);
        let _ = writeln!(text, "cartelera_http_request_duration_seconds_bucket{{le=\"{bound}\"}} {count}");
    }
    let total: u64 = counts.iter().sum();
    let micros = MICROSECONDS.load(Ordering::Relaxed);
    let _ = writeln!(text, "cartelera_http_request_duration_seconds_bucket{{le=\"+Inf\"}} {total}");
    let _ = writeln!(
        text,
        "cartelera_http_request_duration_seconds_sum {}.{:06}",
        micros / 1_000_000,
        micros % 1_000_000
    );
    let _ = writeln!(text, "cartelera_http_request_duration_seconds_count {total}");
    push_ledger(&mut text, &credits);
    push_deliveries(&mut text, &deliveries).await;
    push_backups(&mut text, &backups).await;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text))
}
