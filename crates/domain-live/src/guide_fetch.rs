//! How a TV guide is fetched, and what became of it (docs/spec/schedule.md#fetching-a-guide).

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Enumeration, Id, Version, enumeration};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{fetch::FetchFault, guide::GuideStop};

/// How a guide is fetched and read, as a form sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
pub struct GuideSettings {
    /// Hours between two fetches.
    #[garde(range(min = 1, max = 168))]
    #[serde(default = "twelve")]
    pub refresh_hours: u16,
    /// The time zone of times that name none: `Europe/Madrid`.
    #[garde(length(chars, min = 1, max = 64))]
    #[serde(default = "utc")]
    pub zone: String,
    /// Minutes by which every programme is later than the guide says; earlier where it is negative.
    #[garde(range(min = -1_440, max = 1_440))]
    #[serde(default)]
    pub shift_minutes: i32,
    /// Its place among guides that have the same channel: the one with the lower number is taken.
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
    /// Seconds by which every programme is later than the guide says.
    pub fn shift(&self) -> i64 {
        i64::from(self.shift_minutes) * 60
    }

    /// Whether the same file has its programmes at the same times with other settings.
    pub fn reads_like(&self, other: &Self) -> bool {
        self.read_by() == other.read_by()
    }

    /// The settings by which programmes have their times.
    pub fn read_by(&self) -> ReadBy {
        ReadBy { zone: self.zone.clone(), shift_minutes: self.shift_minutes }
    }
}

enumeration! {
    /// How far the newest fetch of a guide is.
    pub enum GuideFetchState {
        /// It has never been fetched.
        Never = "NEVER" ("Nunca leída", "Never read"),
        /// It has not begun.
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// The guide is being fetched and read.
        Running = "RUNNING" ("En curso", "Running"),
        /// All of it was read.
        Done = "DONE" ("Leída", "Read"),
        /// The source has what it had before.
        Unchanged = "UNCHANGED" ("Sin cambios", "Unchanged"),
        /// It ends too early, or is damaged from some place on: what was whole was kept.
        Partial = "PARTIAL" ("Leída en parte", "Read in part"),
        /// Nothing was changed.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

impl GuideFetchState {
    /// Whether it has not ended.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

enumeration! {
    /// Why a fetch changed nothing, or only in part.
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
        /// The source answered with another status than 200.
        Status = "STATUS" ("El servidor respondió con un error", "The server answered with an error"),
        /// It has no programme.
        Empty = "EMPTY" ("La guía no tiene programas", "The guide has no programmes"),
        /// An internal error; the log has it.
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

/// The settings by which programmes have their times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadBy {
    zone: String,
    shift_minutes: i32,
}

/// What the newest fetch that read the guide found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GuideCounts {
    /// Channels of the file, those included that only programmes name.
    pub channels: u64,
    /// Programmes of the file.
    pub programmes: u64,
    /// Those of them that begin before the days that are kept, or after.
    pub outside: u64,
    /// Programmes that were not known.
    pub added: u64,
    /// Those that are different now.
    pub changed: u64,
    /// Those that are gone.
    pub removed: u64,
    /// Those that are as they were.
    pub unchanged: u64,
    /// What was left out, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub left_out: BTreeMap<String, u64>,
    /// By which settings all programmes that are kept were read; those of no guide where some were read by others. Unknown of a guide
    /// that was read before this was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub read_by: Option<ReadBy>,
}

/// One thing that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutOfGuide {
    /// The code of the reason.
    pub reason: String,
    /// What it says: an id, a time, a title.
    pub text: String,
}

/// A guide's settings, and its newest fetch.
#[derive(Debug, Clone, PartialEq)]
pub struct GuideFetch {
    /// The guide.
    pub guide: Id,
    /// Its title.
    pub title: String,
    /// Whether it is active: an inactive one is fetched only by request.
    pub active: bool,
    /// Counts changes of the settings, from 1.
    pub version: Version,
    /// How it is fetched and read.
    pub settings: GuideSettings,
    /// How far the newest fetch is.
    pub state: GuideFetchState,
    /// The file that is read, where it was uploaded.
    pub file_name: Option<String>,
    /// Who requested it; `None` for the schedule.
    pub requested_by: Option<String>,
    /// Why it changed nothing, or only in part.
    pub fault: Option<GuideFetchFault>,
    /// The status with which the source answered, where it is the reason.
    pub status_code: Option<u16>,
    /// When the newest fetch ended.
    pub finished_date: Option<DateTime<Utc>>,
    /// When it was last read, whole or in part, or unchanged.
    pub last_good_date: Option<DateTime<Utc>>,
    /// When it is fetched next.
    pub next_fetch_date: Option<DateTime<Utc>>,
    /// The end of its last programme.
    pub newest_programme: Option<DateTime<Utc>>,
    /// What the newest fetch that read it found.
    pub counts: GuideCounts,
    /// Some of what was left out.
    pub examples: Vec<LeftOutOfGuide>,
}

/// A guide that was not read for so many of its turns is stale.
const TURNS: i32 = 2;

impl GuideFetch {
    /// Whether an active guide was not read for two turns, or has nothing for tomorrow. One whose first fetch has not ended is new.
    pub fn is_stale(&self, now: DateTime<Utc>) -> bool {
        let pause = TimeDelta::hours(self.settings.refresh_hours.into()) * TURNS;
        self.active
            && self.finished_date.is_some()
            && (self.last_good_date.is_none_or(|last| last + pause < now)
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
    fn settings_say_what_is_wrong_with_them() {
        let faults = |draft: Value| {
            let read = DraftReader::<GuideSettings>::new().read(draft, &());
            let violations = read.err().map(|all| all.0).unwrap_or_default();
            violations.into_iter().map(|one| (one.field, one.code.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(faults(json!({})), []);
        assert_eq!(faults(json!({"zone": "America/Caracas", "shiftMinutes": -90, "refreshHours": 168})), []);
        for (draft, expected) in [
            (json!({"zone": "x".repeat(65)}), ("zone", "TOO_LONG")),
            (json!({"refreshHours": 0}), ("refreshHours", "TOO_SMALL")),
            (json!({"shiftMinutes": 1_441}), ("shiftMinutes", "TOO_LARGE")),
        ] {
            assert_eq!(faults(draft.clone()), [(expected.0.to_owned(), expected.1)], "{draft}");
        }
    }
}
