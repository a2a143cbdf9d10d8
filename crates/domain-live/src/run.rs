//! A run: fetches, reads and compares a list with the known entries of its source.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    fetch::FetchFault,
    playlist::{Limits, PlaylistFault},
};

/// Maximum rejected lines stored with line and reason; further ones are only counted.
pub const MOST_LINES: usize = 10_000;

enumeration! {
    /// State of a run.
    pub enum RunState {
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// The list is being fetched, read and compared.
        Running = "RUNNING" ("En curso", "Running"),
        /// The differences are available.
        Finished = "FINISHED" ("Terminada", "Finished"),
        /// Too many of the entries in use are missing: nothing was changed.
        Stopped = "STOPPED" ("Detenida", "Stopped"),
        /// The list could not be fetched or read: nothing was changed.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

impl RunState {
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

enumeration! {
    /// Reason why a run changed nothing.
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
        /// Status other than 200; stored in the run.
        Status = "STATUS" ("El servidor respondió con un error", "The server answered with an error"),
        /// More than 30 % of the entries in use are missing.
        TooManyMissing = "TOO_MANY_MISSING" ("Falta más del 30 % de las entradas en uso", "More than 30% of the entries in use are missing"),
        /// The address of the source is that of a live profile of this service.
        OwnPlaylist = "OWN_PLAYLIST" ("Es la lista de un perfil de TV en directo de este servicio: sus canales se duplicarían", "This is the playlist of a live TV profile of this service: its channels would be doubled"),
        /// Internal error, see the log.
        Internal = "INTERNAL" ("Error interno", "Internal error"),
    }
}

enumeration! {
    /// Reason why the changes of a scheduled run were not applied.
    pub enum ApplyFault {
        /// The user who last changed the source is deleted or inactive, or lacks the permission.
        NotAllowed = "NOT_ALLOWED" ("Quien guardó la fuente por última vez ya no puede aplicar cambios: guárdala de nuevo", "Whoever saved the source last may no longer apply changes: save it again"),
        /// Internal error, see the log.
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
    /// The exceeded limit, if any: megabytes or entries.
    pub fn limit(self, limits: Limits) -> Option<i64> {
        match self {
            Self::TooLarge => i64::try_from(limits.bytes / (1024 * 1024)).ok(),
            Self::TooManyEntries => Some(limits.entries.into()),
            _ => None,
        }
    }
}

/// Counts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RunCounts {
    /// Entries in the list.
    pub entries: i64,
    /// New entries.
    pub new: i64,
    /// Known entries with a changed field.
    pub changed: i64,
    /// Known entries without changes.
    pub unchanged: i64,
    /// Known entries missing from the list.
    pub missing: i64,
    /// Repeated entries of the list.
    pub duplicates: i64,
    /// Rejected lines.
    pub refused: i64,
    /// Skipped films.
    pub films: i64,
    /// Skipped episodes.
    pub series: i64,
    /// Entries with a channel or radio station, except for those missing from the previous list.
    pub in_use: i64,
    /// Entries in use that are missing from the list.
    pub lost: i64,
}

/// A stored run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaylistRun {
    pub id: Id,
    pub source: Id,
    pub state: RunState,
    /// Whether the schedule started the run.
    pub scheduled: bool,
    /// Name of the uploaded file; `None` for a fetched list.
    pub file_name: Option<String>,
    /// Whether more than 30 % of the entries in use may be missing.
    pub accept_loss: bool,
    /// User who started the run; `None` for the schedule.
    pub created_by: Option<String>,
    pub created_date: DateTime<Utc>,
    pub finished_date: Option<DateTime<Utc>>,
    /// Reason why it changed nothing.
    pub fault: Option<RunFault>,
    /// HTTP status of the source, if it is the reason.
    pub status_code: Option<u16>,
    /// The exceeded limit.
    pub limit: Option<i64>,
    pub counts: RunCounts,
    /// URLs of guides in the list.
    pub guides: Vec<String>,
    /// Operations that applied the changes.
    pub operations: Vec<Id>,
    /// Reason why the changes were not applied automatically.
    pub apply_fault: Option<ApplyFault>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_fetches_and_lists_are_faults_of_runs_with_the_same_texts() {
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
    fn a_fault_of_size_has_the_configured_limit() {
        let limits = Limits::default();
        assert_eq!(RunFault::TooLarge.limit(limits), Some(50));
        assert_eq!(RunFault::TooManyEntries.limit(limits), Some(200_000));
        assert_eq!(RunFault::Html.limit(limits), None);
    }
}
