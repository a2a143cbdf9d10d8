//! Settings as environment variables or flags, with their defaults. `.env.example` and
//! docs/settings.md repeat them.

use std::{net::SocketAddr, path::PathBuf, thread::available_parallelism};

use adapter_seaorm::DatabaseSettings;
use api::TrustedProxies;
use application::KeptDays;
use chrono::TimeDelta;
use chrono_tz::Tz;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use domain_audit::RETENTION_DAYS;
use domain_integrations::Networks;
use domain_kernel::{RoleCode, Username};
use domain_live::{link::ProbePolicy, playlist::Limits};
use domain_settings::BackupSchedule;
use domain_users::{CallingCode, password_fault};

/// Default log filter. At a first start, libraries would write two lines for each migration, before the address.
const LOG: &str = "info,sea_orm_migration=warn,actix_server=warn";

/// The back-office of a streaming and live-TV service: panel, REST API and database in one program.
#[derive(Debug, Parser)]
#[command(
    name = "cartelera",
    version,
    after_help = "Examples:\n  cartelera                                  serve the panel and the API on http://127.0.0.1:8080\n  \
cartelera serve --demo                     the same, with the demo catalogue if there is no content yet\n  \
cartelera import catalogue/                import every NDJSON file of a folder\n  \
cartelera reset-password ana               set a new password, from standard input or generated\n  \
cartelera ledger verify                    check that no credit was lost or invented\n  \
cartelera backup copy.db                   write a backup, restore it into a scratch database and verify it\n  \
cartelera restore copy.db                  restore the database from a backup\n  \
cartelera playlist list.m3u                the entries of a playlist, and omitted ones with reasons\n  \
cartelera openapi > openapi.json           the OpenAPI document of the API\n\nEvery option can be set by the environment variable in brackets."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the panel and the API (the default command)
    Serve {
        /// Load the demo catalogue if there is no content yet, and none in the trash
        #[arg(long)]
        demo: bool,
    },
    /// Migrate the database's schema, and exit
    Migrate,
    /// Import NDJSON files: one object per line in the format of the API, one file per resource
    /// (movies.ndjson). Existing items are recognised by their natural key (a film by title and
    /// year), so a second run changes nothing. users.ndjson, credit-operations.ndjson and
    /// issue-reports.ndjson are imported too: balances follow from the ledger
    Import {
        /// Files, or folders of them
        #[arg(required = true, value_name = "FILE_OR_FOLDER")]
        paths: Vec<PathBuf>,
        /// Import users without the passwords in their lines: fast, but they can't sign in until a
        /// password is set
        #[arg(long)]
        without_passwords: bool,
    },
    /// Print the OpenAPI 3.1 document of the API
    Openapi {
        /// Print the table of errors in Markdown instead
        #[arg(long)]
        errors: bool,
    },
    /// Read a TV guide (XMLTV, compressed or not) and print as JSON its channels, the number of its
    /// programmes, and what was omitted and why. Needs no database
    Guide {
        /// The file, or `-` for standard input
        file: PathBuf,
        /// Time zone of times without one
        #[arg(long, default_value = "UTC", value_name = "ZONE", value_parser = time_zone)]
        zone: Tz,
    },
    /// Match the entries of a playlist with the channels of a TV guide and print one JSON object
    /// per line: the channel that would be linked automatically and up to five candidates with
    /// score and reasons. Needs no database
    Match {
        /// The playlist (M3U), or `-` for standard input
        playlist: PathBuf,
        /// The TV guide (XMLTV, compressed or not)
        guide: PathBuf,
    },
    /// Read a playlist (M3U) like an import, without a database, and print one JSON object per
    /// entry and the counts at the end
    Playlist {
        /// The file, gzip or not; - is standard input
        file: PathBuf,
    },
    /// Probe links like the job and print their states: one JSON object per line. Needs no database
    Probe {
        /// URLs of streams
        #[arg(required = true)]
        urls: Vec<String>,
    },
    /// The credit ledger
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Write a backup of the database to a file, while the server runs or not. The backup is
    /// restored into a scratch database and verified before the file gets its name. PostgreSQL: by
    /// pg_dump
    Backup {
        /// Path of the backup; an existing file is replaced
        file: PathBuf,
        /// Do not restore and verify the backup: faster, but it may be unusable
        #[arg(long)]
        no_verify: bool,
    },
    /// Restore the database from a backup. The backup is verified first; the old database is kept
    /// under another name. The server must be stopped
    Restore {
        /// A file written by `backup`
        file: PathBuf,
        /// PostgreSQL: replace a database that is not empty
        #[arg(long)]
        replace: bool,
    },
    /// Check integrity, foreign keys, counters, search indexes and the ledger; exits with 1 and
    /// prints the faulty rows
    Verify,
    /// Set a new password for a user and end their sessions. Reads the password from standard input
    /// if that is not a terminal; otherwise generates one and prints it
    ResetPassword {
        /// The user name
        #[arg(value_parser = username)]
        user: Username,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Check every invariant of the ledger for every row; exits with 1 and prints the rows that
    /// break one
    Verify,
}

/// All settings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct Settings {
    /// sqlite://PATH or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, global = true, env = "CARTELERA_DATABASE_URL", default_value = "sqlite://data/cartelera.db", value_parser = database_url, hide_env_values = true)]
    pub(crate) database_url: String,
    /// Connections to the database that serve requests. Default: one per core, 2 to 8, and 4 more
    /// on PostgreSQL, where they also write
    #[arg(long, global = true, env = "CARTELERA_DATABASE_CONNECTIONS", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) database_connections: Option<u32>,
    /// Connections for long reads: searches of one or two letters, exports, verification
    #[arg(long, global = true, env = "CARTELERA_DATABASE_SCAN_CONNECTIONS", default_value = "2", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) database_scan_connections: u32,
    /// Address and port to listen on
    #[arg(long, global = true, env = "CARTELERA_BIND", default_value = "127.0.0.1:8080")]
    pub(crate) bind: SocketAddr,
    /// Public URL of the service; https:// makes cookies secure. Default: http:// and the address
    /// it listens on
    #[arg(long, global = true, env = "CARTELERA_PUBLIC_URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,
    /// User name of the superadmin of an empty database
    #[arg(long, global = true, env = "CARTELERA_ADMIN_USERNAME", default_value = "admin", value_parser = username)]
    pub(crate) admin_username: Username,
    /// Password of that superadmin. Default: generated, printed once
    #[arg(long, global = true, env = "CARTELERA_ADMIN_PASSWORD", value_parser = password, hide_env_values = true)]
    pub(crate) admin_password: Option<String>,
    /// URL of the film database
    #[arg(long, global = true, env = "CARTELERA_FILM_DATABASE_URL", default_value = "https://api.imdbapi.dev", value_parser = web_address)]
    pub(crate) film_database_url: String,
    /// Time zone of the service: decides the current day, month and year
    #[arg(long, global = true, env = "CARTELERA_TIME_ZONE", default_value = "UTC", value_parser = time_zone)]
    pub(crate) time_zone: Tz,
    /// Calling code of phone numbers without one, such as 34. Default: none
    #[arg(long, global = true, env = "CARTELERA_COUNTRY_CALLING_CODE", value_name = "CODE", value_parser = calling_code)]
    pub(crate) country_calling_code: Option<CallingCode>,
    /// Trusted proxies, whose X-Forwarded-For is used: addresses or networks, comma-separated
    #[arg(long, global = true, env = "CARTELERA_TRUSTED_PROXIES", default_value = "", value_parser = proxies)]
    pub(crate) trusted_proxies: TrustedProxies,
    /// Maximum open connections
    #[arg(long, global = true, env = "CARTELERA_MAX_CONNECTIONS", default_value_t = 4000, value_parser = at_least_one)]
    pub(crate) max_connections: usize,
    /// Maximum open connections of one address (IPv6: one /64); trusted proxies have no such limit
    #[arg(long, global = true, env = "CARTELERA_MAX_CONNECTIONS_PER_ADDRESS", default_value_t = 1500, value_parser = at_least_one)]
    pub(crate) max_connections_per_address: usize,
    /// Address and port of a separate server for /metrics. Default: none
    #[arg(long, global = true, env = "CARTELERA_METRICS_BIND")]
    pub(crate) metrics_bind: Option<SocketAddr>,
    /// Token required for /metrics: `Authorization: Bearer TOKEN`. Default: none, and 404 except on
    /// the metrics address
    #[arg(long, global = true, env = "CARTELERA_METRICS_TOKEN", value_parser = metrics_token, hide_env_values = true)]
    pub(crate) metrics_token: Option<String>,
    /// Private addresses to which webhooks may be sent: addresses or networks, comma-separated.
    /// Public ones are always allowed
    #[arg(long, global = true, env = "CARTELERA_WEBHOOK_ALLOW", default_value = "", value_parser = networks)]
    pub(crate) webhook_allow: Networks,
    /// Private addresses from which playlists and TV guides may be fetched and at which links may
    /// be probed: addresses or networks, comma-separated. Public ones are always allowed
    #[arg(long, global = true, env = "CARTELERA_FETCH_ALLOW", default_value = "", value_parser = networks)]
    pub(crate) fetch_allow: Networks,
    /// Maximum megabytes of a playlist, both compressed and decompressed
    #[arg(long, global = true, env = "CARTELERA_PLAYLIST_MAX_MB", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) playlist_max_mb: u16,
    /// Maximum entries of a playlist
    #[arg(long, global = true, env = "CARTELERA_PLAYLIST_MAX_ENTRIES", default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=2_000_000))]
    pub(crate) playlist_max_entries: u32,
    /// Days before today whose programmes of TV guides are kept
    #[arg(long, global = true, env = "CARTELERA_GUIDE_DAYS_BACK", default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=7))]
    pub(crate) guide_days_back: u16,
    /// Days after today whose programmes of TV guides are kept
    #[arg(long, global = true, env = "CARTELERA_GUIDE_DAYS_AHEAD", default_value_t = 14, value_parser = clap::value_parser!(u16).range(7..=14))]
    pub(crate) guide_days_ahead: u16,
    /// Hours between two probes of a playing link of a live channel or a station; 0 disables probes
    #[arg(long, global = true, env = "CARTELERA_PROBE_HOURS", default_value_t = 6, value_parser = clap::value_parser!(u16).range(0..=168))]
    pub(crate) probe_hours: u16,
    /// Whether open reports of a playback problem are resolved automatically when the link of their
    /// item plays again: true or false
    #[arg(long, global = true, env = "CARTELERA_RESOLVE_REPORTS", default_value_t = false, action = ArgAction::Set)]
    pub(crate) resolve_reports: bool,
    /// Concurrent probes of a host; probes of one account are never concurrent
    #[arg(long, global = true, env = "CARTELERA_PROBE_CONNECTIONS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=8))]
    pub(crate) probe_connections: u16,
    /// Seconds between two probes of a host
    #[arg(long, global = true, env = "CARTELERA_PROBE_PAUSE", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=3_600))]
    pub(crate) probe_pause: u16,
    /// Maximum probes of a host per day; 0 for no limit
    #[arg(long, global = true, env = "CARTELERA_PROBE_BUDGET", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) probe_budget: u32,
    /// Whether channels and stations are deactivated while none of their links plays: true or false
    #[arg(long, global = true, env = "CARTELERA_PROBE_SWITCH_OFF", default_value_t = false, action = clap::ArgAction::Set)]
    pub(crate) probe_switch_off: bool,
    /// Days for which visits are kept
    #[arg(long, global = true, env = "CARTELERA_KEEP_VISITS_DAYS", default_value_t = 400, value_parser = clap::value_parser!(u16).range(32..=36_500))]
    pub(crate) keep_visits_days: u16,
    /// Days for which deliveries of webhooks are kept after they were delivered or failed
    /// permanently, and for which they wait for a paused webhook
    #[arg(long, global = true, env = "CARTELERA_KEEP_DELIVERIES_DAYS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=36_500))]
    pub(crate) keep_deliveries_days: u16,
    /// Days for which idempotency keys are kept
    #[arg(long, global = true, env = "CARTELERA_KEEP_IDEMPOTENCY_DAYS", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=36_500))]
    pub(crate) keep_idempotency_days: u16,
    /// Days for which entries of the audit log are kept
    #[arg(long, global = true, env = "CARTELERA_KEEP_AUDIT_DAYS", default_value_t = RETENTION_DAYS, value_parser = clap::value_parser!(u16).range(1..=36_500))]
    pub(crate) keep_audit_days: u16,
    /// Folder of scheduled backups. Default: none, without backups
    #[arg(long, global = true, env = "CARTELERA_BACKUP_DIR")]
    pub(crate) backup_dir: Option<PathBuf>,
    /// Hours between scheduled backups
    #[arg(long, global = true, env = "CARTELERA_BACKUP_EVERY", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=720))]
    pub(crate) backup_every: u16,
    /// Number of good backups to keep in that folder
    #[arg(long, global = true, env = "CARTELERA_BACKUP_KEEP", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) backup_keep: u16,
    /// Path of pg_dump, at least of the server's version; pg_restore is used from the same folder
    #[arg(long, global = true, env = "CARTELERA_PG_DUMP", default_value = "pg_dump")]
    pub(crate) pg_dump: PathBuf,
    /// Log level: error, warn, info, debug, or per module (`info,api=debug`)
    #[arg(long, global = true, env = "CARTELERA_LOG", default_value = LOG, value_parser = log_filter)]
    pub(crate) log: String,
    /// Format of the log: text lines, or one JSON object per line
    #[arg(long, global = true, env = "CARTELERA_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text lines
    Text,
    /// One JSON object per line
    Json,
}

impl Settings {
    /// Address and pool sizes of the database.
    pub(crate) fn database(&self) -> DatabaseSettings {
        let cores = available_parallelism().map_or(2, |cores| u32::try_from(cores.get()).unwrap_or(2));
        let more = if self.database_url.starts_with("sqlite:") { 0 } else { 4 };
        DatabaseSettings {
            url: self.database_url.clone(),
            connections: self.database_connections.unwrap_or(cores.clamp(2, 8) + more),
            scan_connections: self.database_scan_connections,
        }
    }

    /// Limits of a playlist.
    pub(crate) fn playlist_limits(&self) -> Limits {
        Limits { bytes: u64::from(self.playlist_max_mb) * 1024 * 1024, entries: self.playlist_max_entries }
    }

    /// Interval of probes; `None` for no probes.
    pub(crate) fn probe_interval(&self) -> Option<TimeDelta> {
        (self.probe_hours > 0).then(|| TimeDelta::hours(self.probe_hours.into()))
    }

    /// Limits of probes.
    pub(crate) fn probe_policy(&self) -> ProbePolicy {
        ProbePolicy {
            interval: self.probe_interval().unwrap_or_default(),
            connections: self.probe_connections.into(),
            pause: TimeDelta::seconds(self.probe_pause.into()),
            budget: (self.probe_budget > 0).then_some(self.probe_budget),
        }
    }

    /// Range of days whose programmes are stored.
    pub(crate) fn guide_days(&self) -> KeptDays {
        KeptDays { back: self.guide_days_back, ahead: self.guide_days_ahead }
    }

    /// Schedule of automatic backups; `None` without a folder for them.
    pub(crate) fn backup_schedule(&self) -> Option<BackupSchedule> {
        self.backup_dir.as_ref()?;
        let every = TimeDelta::hours(self.backup_every.into());
        Some(BackupSchedule { every, keep: self.backup_keep.into() })
    }

    /// Public base URL.
    pub(crate) fn public_url(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| format!("http://{}", self.bind))
    }

    /// Whether cookies are restricted to https.
    pub(crate) fn secure(&self) -> bool {
        self.public_url().starts_with("https://")
    }
}

fn database_url(text: &str) -> Result<String, String> {
    let known = ["sqlite:", "postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
    known.then(|| text.to_owned()).ok_or_else(|| "it must start with sqlite:// or postgres://".to_owned())
}

/// The service needs the root of a host: cookies, files of the panel and URLs have no path prefix.
fn public_url(text: &str) -> Result<String, String> {
    let text = web_address(text)?;
    let is_origin = url::Url::parse(&text)
        .is_ok_and(|url| url.as_str().trim_end_matches('/') == url.origin().ascii_serialization());
    is_origin.then_some(text).ok_or_else(|| {
        "it must be a scheme, a host and optionally a port: no path, query, fragment or user name".to_owned()
    })
}

fn web_address(text: &str) -> Result<String, String> {
    let text = text.trim_end_matches('/');
    let known = text.starts_with("http://") || text.starts_with("https://");
    (known && url::Url::parse(text).is_ok_and(|url| url.has_host()))
        .then(|| text.to_owned())
        .ok_or_else(|| "it must start with http:// or https:// and name a host".to_owned())
}

fn username(text: &str) -> Result<Username, String> {
    Username::parse(text).ok_or_else(|| "3 to 50 letters, digits and underscores".to_owned())
}

/// Parses the password of the first superadmin (docs/spec/access.md#passwords).
fn password(text: &str) -> Result<String, String> {
    password_fault(text, RoleCode::Superadmin).is_none().then(|| text.to_owned()).ok_or_else(|| {
        "8 to 128 characters with an upper-case letter, a lower-case letter and a digit".to_owned()
    })
}

fn time_zone(text: &str) -> Result<Tz, String> {
    text.parse().map_err(|_| "a name of the tz database, such as Europe/Madrid".to_owned())
}

fn calling_code(text: &str) -> Result<CallingCode, String> {
    CallingCode::parse(text)
        .ok_or_else(|| "1 to 3 digits without plus or zeros before them, such as 34".to_owned())
}

fn proxies(text: &str) -> Result<TrustedProxies, String> {
    TrustedProxies::parse(text).map_err(|part| format!("{part:?} is neither an address nor a network"))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a whole number, 1 or more".to_owned())
}

fn metrics_token(text: &str) -> Result<String, String> {
    let good = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
    good.then(|| text.to_owned())
        .ok_or_else(|| "at least 16 letters, digits and signs without blanks".to_owned())
}

fn networks(text: &str) -> Result<Networks, String> {
    Networks::parse(text).map_err(|part| format!("{part:?} is neither an address nor a network"))
}

fn log_filter(text: &str) -> Result<String, String> {
    tracing_subscriber::EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
