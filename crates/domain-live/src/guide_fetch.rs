//! Settings and result of fetching a TV guide (docs/spec/schedule.md#fetching-a-guide).

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Enumeration, Id, Version, enumeration};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{fetch::FetchFault, guide::GuideStop};

/// Settings of fetching and reading a guide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
pub struct GuideSettings {
    /// Interval between two fetches, in hours; 0 for a guide that is only fetched on request.
    #[garde(range(min = 0, max = 168))]
    #[serde(default = "twelve")]
    pub refresh_hours: u16,
    /// Time zone of times without one: `Europe/Madrid`.
    #[garde(length(chars, min = 1, max = 64))]
    #[serde(default = "utc")]
    pub zone: String,
    /// Offset added to every programme's times, in minutes; may be negative.
    #[garde(range(min = -1_440, max = 1_440))]
    #[serde(default)]
    pub shift_minutes: i32,
    /// Priority among guides with the same channel; the lowest number wins.
    #[garde(range(min = 1, max = 999))]
    #[serde(default = "hundred")]
    pub priority: u16,
}

fn twelve() -> u16 {
    12
}

const fn hundred() -> u16 {
    100
}

fn utc() -> String {
    "UTC".to_owned()
}

impl Default for GuideSettings {
    fn default() -> Self {
        Self { refresh_hours: twelve(), zone: utc(), shift_minutes: 0, priority: hundred() }
    }
}

impl GuideSettings {
    /// Interval between two scheduled fetches; `None` without a schedule.
    pub fn interval(&self) -> Option<TimeDelta> {
        (self.refresh_hours > 0).then(|| TimeDelta::hours(self.refresh_hours.into()))
    }

    /// Offset added to every programme's times, in seconds.
    pub fn shift(&self) -> i64 {
        i64::from(self.shift_minutes) * 60
    }

    /// Whether both settings give programmes of the same file the same times.
    pub fn reads_like(&self, other: &Self) -> bool {
        self.read_by() == other.read_by()
    }

    /// The settings that determine programme times.
    pub fn read_by(&self) -> ReadBy {
        ReadBy { zone: self.zone.clone(), shift_minutes: self.shift_minutes }
    }
}

enumeration! {
    /// State of the newest fetch of a guide.
    pub enum GuideFetchState {
        Never = "NEVER" ("Nunca leída", "Never read"),
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// The guide is being fetched and read.
        Running = "RUNNING" ("En curso", "Running"),
        /// The guide was read completely.
        Done = "DONE" ("Leída", "Read"),
        /// The source has not changed.
        Unchanged = "UNCHANGED" ("Sin cambios", "Unchanged"),
        /// The file is truncated or damaged; the part before was kept.
        Partial = "PARTIAL" ("Leída en parte", "Read in part"),
        /// Nothing was changed.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

impl GuideFetchState {
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

enumeration! {
    /// Reason why a fetch changed nothing, or read only a part.
    pub enum GuideFetchFault {
        InvalidAddress = "INVALID_ADDRESS" ("No es una dirección http o https", "Not an http or https address"),
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección no es pública", "The address is not public"),
        Unreachable = "UNREACHABLE" ("No se pudo conectar", "Could not connect"),
        TimedOut = "TIMED_OUT" ("Tardó demasiado", "It took too long"),
        Interrupted = "INTERRUPTED" ("La descarga se interrumpió", "The download was interrupted"),
        TooManyRedirects = "TOO_MANY_REDIRECTS" ("Demasiadas redirecciones", "Too many redirects"),
        EndsTooEarly = "ENDS_TOO_EARLY" (
            "El archivo termina antes de tiempo", "The file ends too early"
        ),
        BrokenMarkup = "BROKEN_MARKUP" ("El XML está mal formado", "The XML is malformed"),
        BrokenCompression = "BROKEN_COMPRESSION" (
            "El archivo comprimido está dañado", "The compressed file is damaged"
        ),
        TooDeep = "TOO_DEEP" ("Más de 32 niveles", "More than 32 levels"),
        TagTooLong = "TAG_TOO_LONG" ("Una etiqueta de más de 64 kB", "A tag over 64 kB"),
        TooLarge = "TOO_LARGE" ("El archivo supera el tamaño permitido", "The file is larger than allowed"),
        TooLargeUnpacked = "TOO_LARGE_UNPACKED" (
            "El archivo descomprimido supera el tamaño permitido", "The file is larger than allowed when unpacked"
        ),
        RatioTooHigh = "RATIO_TOO_HIGH" (
            "Descomprimido ocupa más de 200 veces lo que ocupa comprimido",
            "Unpacked, it is over 200 times its packed size"
        ),
        MemoryLimit = "MEMORY_LIMIT" (
            "Descomprimirlo requiere más memoria de la permitida", "Unpacking it needs more memory than allowed"
        ),
        NotAGuide = "NOT_A_GUIDE" ("No es una guía XMLTV", "Not an XMLTV guide"),
        Unreadable = "UNREADABLE" ("El archivo no se puede leer", "The file cannot be read"),
        /// Status other than 200.
        Status = "STATUS" ("El servidor respondió con un error", "The server answered with an error"),
        Empty = "EMPTY" ("La guía no tiene programas", "The guide has no programmes"),
        /// Internal error, see the log.
        Internal = "INTERNAL" ("Error interno", "Internal error"),
    }
}

impl From<FetchFault> for GuideFetchFault {
    fn from(fault: FetchFault) -> Self {
        Self::from_code(fault.code()).unwrap_or(Self::Internal)
    }
}

impl From<GuideStop> for GuideFetchFault {
    fn from(stop: GuideStop) -> Self {
        Self::from_code(stop.code()).unwrap_or(Self::Internal)
    }
}

/// The settings that determine programme times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadBy {
    zone: String,
    shift_minutes: i32,
}

/// Counts of the newest fetch that read the guide.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GuideCounts {
    /// Channels in the file, including those only referenced by programmes.
    pub channels: u64,
    /// Programmes in the file.
    pub programmes: u64,
    /// Programmes outside of the kept days.
    pub outside: u64,
    /// New programmes.
    pub added: u64,
    /// Changed programmes.
    pub changed: u64,
    /// Removed programmes.
    pub removed: u64,
    /// Unchanged programmes.
    pub unchanged: u64,
    /// Number of rejections by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub left_out: BTreeMap<String, u64>,
    /// Settings with which all stored programmes were read; settings of no guide for a mixture.
    /// `None` for guides read before this was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub read_by: Option<ReadBy>,
    /// Size of the largest file that was read, unpacked; at least this for one that was only read in
    /// part. `None` for guides read before this was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub unpacked_bytes: Option<u64>,
}

/// An example of a rejection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutOfGuide {
    /// Code of the reason.
    pub reason: String,
    /// Rejected value: an ID, a time, a title.
    pub text: String,
}

/// A guide's settings and its newest fetch.
#[derive(Debug, Clone, PartialEq)]
pub struct GuideFetch {
    pub guide: Id,
    pub title: String,
    /// Whether the guide is active: an inactive one is fetched only on request.
    pub active: bool,
    /// Version of the settings, from 1.
    pub version: Version,
    pub settings: GuideSettings,
    /// State of the newest fetch.
    pub state: GuideFetchState,
    /// Name of the uploaded file.
    pub file_name: Option<String>,
    /// User who requested the fetch; `None` for the schedule.
    pub requested_by: Option<String>,
    /// Reason why it changed nothing, or read only a part.
    pub fault: Option<GuideFetchFault>,
    /// HTTP status of the source, if it is the reason.
    pub status_code: Option<u16>,
    /// End of the newest fetch.
    pub finished_date: Option<DateTime<Utc>>,
    /// Time of the last successful read, complete or partial, or of an unchanged response.
    pub last_good_date: Option<DateTime<Utc>>,
    /// Time of the next fetch.
    pub next_fetch_date: Option<DateTime<Utc>>,
    /// End of the last programme.
    pub newest_programme: Option<DateTime<Utc>>,
    /// Counts of the newest fetch that read the guide.
    pub counts: GuideCounts,
    /// Examples of rejections.
    pub examples: Vec<LeftOutOfGuide>,
}

/// Number of missed intervals that make a guide stale.
const TURNS: i32 = 2;

impl GuideFetch {
    /// Whether an active guide missed two intervals, or has no programmes for tomorrow. A guide is
    /// new until its first fetch ends; one without a schedule misses no interval.
    pub fn is_stale(&self, now: DateTime<Utc>) -> bool {
        let missed =
            |interval: TimeDelta| self.last_good_date.is_none_or(|last| last + interval * TURNS < now);
        self.active
            && self.finished_date.is_some()
            && (self.settings.interval().is_some_and(missed)
                || self.newest_programme.is_none_or(|end| end < now + TimeDelta::days(1)))
    }
}

#[cfg(test)]
mod tests {
    use domain_kernel::DraftReader;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_reason_of_a_fetch_and_of_the_reader_keeps_its_words() {
        for fault in FetchFault::ALL {
            let ours = GuideFetchFault::from(*fault);
            assert_eq!((ours.code(), ours.labels()), (fault.code(), fault.labels()));
        }
        for stop in GuideStop::ALL {
            let ours = GuideFetchFault::from(*stop);
            assert_eq!((ours.code(), ours.labels()), (stop.code(), stop.labels()));
        }
    }

    #[test]
    fn invalid_settings_have_violations() {
        let faults = |draft: Value| {
            let read = DraftReader::<GuideSettings>::new().read(draft, &());
            let violations = read.err().map(|all| all.0).unwrap_or_default();
            violations.into_iter().map(|one| (one.field, one.code.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(faults(json!({})), []);
        assert_eq!(faults(json!({"zone": "America/Caracas", "shiftMinutes": -90, "refreshHours": 168})), []);
        assert_eq!(faults(json!({"refreshHours": 0})), [], "only fetched on request");
        for (draft, expected) in [
            (json!({"zone": "x".repeat(65)}), ("zone", "TOO_LONG")),
            (json!({"refreshHours": 169}), ("refreshHours", "TOO_LARGE")),
            (json!({"shiftMinutes": 1_441}), ("shiftMinutes", "TOO_LARGE")),
        ] {
            assert_eq!(faults(draft.clone()), [(expected.0.to_owned(), expected.1)], "{draft}");
        }
    }

    #[test]
    fn a_guide_without_a_schedule_is_stale_only_without_programmes() {
        let at = |hours: i64| DateTime::UNIX_EPOCH + TimeDelta::hours(hours);
        let of = |refresh_hours: u16, last_good: Option<i64>, newest: i64| GuideFetch {
            guide: 1,
            title: "Guía".into(),
            active: true,
            version: 1,
            settings: GuideSettings { refresh_hours, ..GuideSettings::default() },
            state: GuideFetchState::Done,
            file_name: Some("guia.xml".into()),
            requested_by: None,
            fault: None,
            status_code: None,
            finished_date: Some(at(0)),
            last_good_date: last_good.map(at),
            next_fetch_date: None,
            newest_programme: Some(at(newest)),
            counts: GuideCounts::default(),
            examples: Vec::new(),
        };
        let now = at(100);
        for (fetch, expected) in [
            (of(12, Some(0), 200), true),
            (of(12, Some(80), 200), false),
            (of(0, Some(0), 200), false),
            (of(0, None, 200), false),
            (of(0, Some(0), 110), true),
        ] {
            assert_eq!(fetch.is_stale(now), expected, "{fetch:?}");
        }
        assert_eq!(of(0, None, 0).settings.interval(), None);
        assert_eq!(of(12, None, 0).settings.interval(), Some(TimeDelta::hours(12)));
    }
}
