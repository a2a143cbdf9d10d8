//! Test doubles: a manual clock, a film database of three titles, receivers of webhooks.

use std::sync::{
    Arc, Mutex, Once,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use adapter_argon2::Argon2Hasher;
use adapter_seaorm::Database;
use application::KeptDays;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use composition::Outside;
use domain_catalogue::{FilmEpisode, FilmTitle, FoundTitle, TitleId};
use domain_integrations::{Attempt, DeliveryFault, Networks};
use domain_live::{link::ProbePolicy, playlist::Limits};
use domain_settings::BackupSchedule;
use domain_users::CallingCode;
use ports::{
    AttemptPermit, Clock, FilmDatabase, FilmFault, HashFault, HashPriority, OutgoingMessage, PasswordHasher,
    SecretSource, WebhookSender,
};
use sea_orm::ConnectionTrait;

/// The outbound dependencies: only servers on this machine are reached, and small files read.
pub fn outside(clock: Arc<ManualClock>, passwords: Arc<TestPasswordHasher>) -> Outside {
    static TLS: Once = Once::new();
    TLS.call_once(|| rustls::crypto::ring::default_provider().install_default().expect("installed once"));
    Outside {
        clock,
        time_zone: chrono_tz::UTC,
        country_calling_code: CallingCode::parse("34"),
        secrets: Arc::new(Numbers::default()),
        passwords,
        films: Arc::new(TestFilmDatabase),
        webhook_sender: Arc::new(Receivers),
        fetch_allow: Networks::parse("127.0.0.0/8").unwrap(),
        playlist_limits: Limits { bytes: 1024 * 1024, entries: 1_000 },
        guide_days: KeptDays { back: 1, ahead: 14 },
        // The clock does not advance between two probes.
        probe_policy: ProbePolicy {
            interval: TimeDelta::hours(6),
            connections: 1,
            pause: TimeDelta::zero(),
            budget: None,
        },
        backup_schedule: Some(BackupSchedule { every: TimeDelta::hours(24), keep: 7 }),
        on_operation: Arc::new(|| {}),
    }
}

/// A clock that is advanced by tests.
pub struct ManualClock(Mutex<DateTime<Utc>>);

impl ManualClock {
    pub fn new() -> Self {
        Self(Mutex::new("2026-11-20T10:00:00Z".parse().unwrap()))
    }

    pub fn forward(&self, by: TimeDelta) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

/// Has The Matrix and a series, and can fail.
pub struct TestFilmDatabase;

#[async_trait]
impl FilmDatabase for TestFilmDatabase {
    async fn title(&self, id: &TitleId) -> Result<Option<FilmTitle>, FilmFault> {
        let title = |kind: &str, name: &str| FilmTitle {
            kind: Some(kind.into()),
            title: Some(name.into()),
            start_year: Some(1999),
            runtime_seconds: Some(8160),
            genres: vec!["Action".into(), "Sci-Fi".into(), "Film-Noir".into()],
            ..FilmTitle::default()
        };
        match id.to_string().as_str() {
            "tt0133093" => Ok(Some(title("movie", "The Matrix"))),
            "tt0903747" => Ok(Some(title("tvSeries", "Breaking Bad"))),
            "tt0000503" => Err(FilmFault::Status { status: 503, retry_after: Some(9) }),
            "tt0000408" => Err(FilmFault::TimedOut),
            _ => Ok(None),
        }
    }

    async fn episodes(&self, id: &TitleId, season: i32) -> Result<Option<Vec<FilmEpisode>>, FilmFault> {
        let episode = |number| FilmEpisode {
            title: Some(format!("Episode {number}")),
            number: Some(number),
            ..FilmEpisode::default()
        };
        Ok((id.to_string() == "tt0903747").then(|| (1..=season).map(episode).collect()))
    }

    async fn search(&self, title: &str, _: Option<i32>) -> Result<Vec<FoundTitle>, FilmFault> {
        match title {
            "matrix" => Ok(vec![FoundTitle {
                imdb_id: "tt0133093".into(),
                title: "The Matrix".into(),
                year: Some("1999".into()),
                poster_url: None,
            }]),
            "broken" => Err(FilmFault::Unreadable),
            _ => Ok(vec![]),
        }
    }
}

/// Receivers of webhooks: `https://broken.…` answers 500, all others succeed. Secrets are numbered.
pub struct Receivers;

#[async_trait]
impl WebhookSender for Receivers {
    async fn send(&self, message: &OutgoingMessage) -> Attempt {
        if message.url.starts_with("https://broken.") {
            Attempt { status_code: Some(500), fault: Some(DeliveryFault::Refused) }
        } else {
            Attempt { status_code: Some(204), fault: None }
        }
    }

    fn new_secret(&self) -> String {
        static MADE: AtomicU32 = AtomicU32::new(1);
        format!("whsec_{}", MADE.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns consecutive numbers.
#[derive(Default)]
pub struct Numbers(AtomicU64);

impl SecretSource for Numbers {
    fn draw(&self) -> String {
        format!("{:043}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Hashes, counts verified passwords, and changes the database after a verification.
pub struct TestPasswordHasher {
    hasher: Argon2Hasher,
    database: Database,
    pub verified: AtomicU64,
    pub after_next: Mutex<Option<String>>,
}

impl TestPasswordHasher {
    pub fn new(hasher: Argon2Hasher, database: Database) -> Self {
        Self { hasher, database, verified: AtomicU64::new(0), after_next: Mutex::new(None) }
    }
}

#[async_trait]
impl PasswordHasher for TestPasswordHasher {
    async fn hash(&self, password: &str) -> Result<String, HashFault> {
        self.hasher.hash(password).await
    }

    async fn admit(&self, keys: &[String]) -> Result<AttemptPermit, HashFault> {
        self.hasher.admit(keys).await
    }

    fn is_weak(&self, hash: &str) -> bool {
        self.hasher.is_weak(hash)
    }

    async fn verify<'a>(
        &self,
        password: &str,
        hash: Option<&'a str>,
        priority: HashPriority,
    ) -> Result<bool, HashFault> {
        self.verified.fetch_add(1, Ordering::Relaxed);
        let right = self.hasher.verify(password, hash, priority).await;
        let sql = self.after_next.lock().unwrap().take();
        if let Some(sql) = sql {
            self.database.connection().execute_unprepared(&sql).await.unwrap();
        }
        right
    }
}
