//! A run: a list that is fetched or uploaded, read, and compared with what is known of its source.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    fetch::FetchFault,
    playlist::{Limits, PlaylistFault},
};

/// Lines that are left out, of which a run keeps line and reason; the others are counted.
pub const MOST_LINES: usize = 10_000;

enumeration! {
    /// How far a run is.
    pub enum RunState {
        /// It has not begun.
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// The list is being fetched, read and compared.
        Running = "RUNNING" ("En curso", "Running"),
        /// The differences can be looked at.
        Finished = "FINISHED" ("Terminada", "Finished"),
        /// Too many of the entries in use are missing: nothing was changed.
        Stopped = "STOPPED" ("Detenida", "Stopped"),
        /// The list could not be fetched or read: nothing was changed.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

impl RunState {
    /// Whether it has not ended.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

enumeration! {
    /// Why a run changed nothing.
    pub enum RunFault {
        InvalidAddress = "INVALID_ADDRESS" ("No es una dirección http o https", "Not an http or https address"),
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección no es pública", "The address is not public"),
        Unreachable = "UNREACHABLE" ("No se pudo conectar", "Could not connect"),
        TimedOut = "TIMED_OUT" ("Tardó demasiado", "It took too long"),
        Interrupted = "INTERRUPTED" ("La descarga se interrumpió", "The download was interrupted"),
        TooManyRedirects = "TOO_MANY_REDIRECTS" ("Demasiadas redirecciones", "Too many redirects"),
        Empty = "EMPTY" ("La lista está vacía", "The playlist is empty"),
        HlsMedia = "HLS_MEDIA" ("Es la lista HLS de una sola señal, no una lista de canales", "It is the HLS playlist of one stream, not a list of channels"),
        HlsMaster = "HLS_MASTER" ("Es la lista HLS con las calidades de una sola señal, no una lista de canales", "It is the HLS playlist with the qualities of one stream, not a list of channels"),
        Html = "HTML" ("Es una página web, no una lista", "It is a web page, not a playlist"),
        Xml = "XML" ("Es un archivo XML, como el de una guía, no una lista", "It is an XML file, such as a guide, not a playlist"),
        Json = "JSON" ("Es JSON, como la respuesta de un panel, no una lista", "It is JSON, such as a panel's response, not a playlist"),
        NotAPlaylist = "NOT_A_PLAYLIST" ("No es una lista M3U", "It is not an M3U playlist"),
        DamagedArchive = "DAMAGED_ARCHIVE" ("El archivo gzip está dañado o incompleto", "The gzip file is damaged or incomplete"),
        TooLarge = "TOO_LARGE" ("La lista supera el tamaño máximo", "The playlist is larger than the limit"),
        TooManyEntries = "TOO_MANY_ENTRIES" ("La lista supera el número máximo de entradas", "The playlist has more entries than the limit"),
        /// The source answered with another status than 200; the run has it.
        Status = "STATUS" ("El servidor respondió con un error", "The server answered with an error"),
        /// More than 30 % of the entries in use are missing.
        TooManyMissing = "TOO_MANY_MISSING" ("Falta más del 30 % de las entradas en uso", "More than 30% of the entries in use are missing"),
        /// An internal error; the log has it.
        Internal = "INTERNAL" ("Error interno", "Internal error"),
    }
}

enumeration! {
    /// Why what a scheduled run found was not applied.
    pub enum ApplyFault {
        /// Whoever changed the source last is gone, inactive, or has no permission any more.
        NotAllowed = "NOT_ALLOWED" ("Quien guardó la fuente por última vez ya no puede aplicar cambios: guárdala de nuevo", "Whoever saved the source last may no longer apply changes: save it again"),
        /// An internal error; the log has it.
        Internal = "INTERNAL" ("Error interno", "Internal error"),
    }
}

impl From<FetchFault> for RunFault {
    fn from(fault: FetchFault) -> Self {
        Self::from_code(fault.code()).unwrap_or(Self::Internal)
    }
}

impl From<PlaylistFault> for RunFault {
    fn from(fault: PlaylistFault) -> Self {
        Self::from_code(fault.code()).unwrap_or(Self::Internal)
    }
}

impl RunFault {
    /// The limit that was exceeded, if one was: megabytes, or entries.
    pub fn limit(self, limits: Limits) -> Option<i64> {
        match self {
            Self::TooLarge => i64::try_from(limits.bytes / (1024 * 1024)).ok(),
            Self::TooManyEntries => Some(limits.entries.into()),
            _ => None,
        }
    }
}

/// What a run found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RunCounts {
    /// Entries of the list.
    pub entries: i64,
    /// Those that were not known.
    pub new: i64,
    /// Known ones with a field that differs from what was read last.
    pub changed: i64,
    /// Known ones that are as they were.
    pub unchanged: i64,
    /// Known entries that the list lacks.
    pub missing: i64,
    /// Entries that occur twice in the list.
    pub duplicates: i64,
    /// Lines that were left out.
    pub refused: i64,
    /// Films that were left out.
    pub films: i64,
    /// Episodes that were left out.
    pub series: i64,
    /// Entries from which channels or radio stations were made, those that the last list lacked aside.
    pub in_use: i64,
    /// Those of them that the list lacks.
    pub lost: i64,
}

/// A run as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaylistRun {
    /// The number it is known by.
    pub id: Id,
    /// The source.
    pub source: Id,
    /// How far it is.
    pub state: RunState,
    /// Whether it was begun by schedule.
    pub scheduled: bool,
    /// The file that was uploaded; `None` where the list is fetched.
    pub file_name: Option<String>,
    /// Whether more than 30 % of the entries in use may be missing.
    pub accept_loss: bool,
    /// Who began it; `None` for the schedule.
    pub created_by: Option<String>,
    /// When it was requested.
    pub created_date: DateTime<Utc>,
    /// When it ended.
    pub finished_date: Option<DateTime<Utc>>,
    /// Why it changed nothing.
    pub fault: Option<RunFault>,
    /// The status with which the source answered, where it is the reason.
    pub status_code: Option<u16>,
    /// The limit that was exceeded.
    pub limit: Option<i64>,
    /// What it found.
    pub counts: RunCounts,
    /// Addresses of guides that the list names.
    pub guides: Vec<String>,
    /// The operations that applied what it found.
    pub operations: Vec<Id>,
    /// Why it applied nothing by itself.
    pub apply_fault: Option<ApplyFault>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_a_fetch_and_of_a_list_is_one_of_a_run_in_the_same_words() {
        for fault in FetchFault::ALL {
            assert_eq!(
                (RunFault::from(*fault).code(), RunFault::from(*fault).labels()),
                (fault.code(), fault.labels())
            );
        }
        for fault in PlaylistFault::ALL {
            assert_eq!(
                (RunFault::from(*fault).code(), RunFault::from(*fault).labels()),
                (fault.code(), fault.labels())
            );
        }
    }

    #[test]
    fn a_limit_is_said_as_it_is_set() {
        let limits = Limits::default();
        assert_eq!(RunFault::TooLarge.limit(limits), Some(50));
        assert_eq!(RunFault::TooManyEntries.limit(limits), Some(200_000));
        assert_eq!(RunFault::Html.limit(limits), None);
    }
}
