//! Running and pending work (docs/spec/events.md).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Id, enumeration};
use schemars::JsonSchema;
use serde::Serialize;

enumeration! {
    /// The kind of a job.
    pub enum JobKind {
        /// A bulk operation, except for dry runs.
        Operation = "OPERATION" ("Operación masiva", "Bulk operation"),
        PlaylistRun = "PLAYLIST_RUN" ("Lectura de una lista", "Playlist being read"),
        GuideFetch = "GUIDE_FETCH" ("Lectura de una guía", "Guide being read"),
        MatchingRun = "MATCHING_RUN" ("Comparación de canales y guías", "Channels being compared with guides"),
    }
}

/// A pending or running job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Kind of the job.
    pub kind: JobKind,
    /// Id of the operation, of the playlist's source, or of the guide; null for matching.
    pub id: Option<Id>,
    /// Title of the source or of the guide; for an operation, the path of the kind of its items.
    pub title: Option<String>,
    /// Number of completed items, if known.
    pub done: Option<i64>,
    /// Total number of items, if known.
    pub total: Option<i64>,
    /// User who started it; null for a scheduled one.
    pub created_by: Option<String>,
}

/// The last end of a job of a kind. Short jobs may start and end between two reads without being in
/// [`Activity::jobs`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedJob {
    /// Kind of the job.
    pub kind: JobKind,
    /// For bulk operations, the path of the kind of their items; otherwise null.
    pub title: Option<String>,
    /// End of the last one.
    pub finished_date: DateTime<Utc>,
    /// User who started it, if visibility depends on it.
    #[serde(skip)]
    pub created_by: Option<String>,
}

impl EndedJob {
    /// The last one of each kind and title, by any user.
    pub fn last_of<'a>(jobs: impl Iterator<Item = &'a Self>) -> Vec<Self> {
        let mut last: BTreeMap<(JobKind, Option<&str>), DateTime<Utc>> = BTreeMap::new();
        for job in jobs {
            let date = last.entry((job.kind, job.title.as_deref())).or_insert(job.finished_date);
            *date = job.finished_date.max(*date);
        }
        let job = |((kind, title), finished_date): ((JobKind, Option<&str>), DateTime<Utc>)| Self {
            kind,
            title: title.map(str::to_owned),
            finished_date,
            created_by: None,
        };
        last.into_iter().map(job).collect()
    }
}

/// State of the links of channels and stations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LinkActivity")]
pub struct LinkActivity {
    /// Number of links that are down.
    pub down: u64,
    /// Number of channels and stations that the service has deactivated.
    pub switched_off: u64,
    /// Time of the last deactivation, if known: an equal number may be of other items.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub last_switch: Option<DateTime<Utc>>,
    /// Number of the last change of a link; 0 without changes.
    pub last_change: Id,
}

/// Pending decisions on guides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewActivity")]
pub struct ReviewActivity {
    /// Number of channels in the review queue.
    pub waiting: u64,
}

/// Viewers' reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportActivity")]
pub struct ReportActivity {
    /// Number of unresolved reports.
    pub open: u64,
    /// Id of the newest report; 0 without reports.
    pub newest: Id,
    /// Number of the last change of a report; 0 without changes.
    pub last_change: Id,
}

/// Running and pending work. A part is `None` without the permission to see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Activity {
    /// Jobs, at most [`MAX_JOBS`] of each kind.
    pub jobs: Vec<Job>,
    /// Last end of a job of each kind; for bulk operations, of each kind of items.
    pub ended: Vec<EndedJob>,
    /// Links of channels and stations.
    pub links: Option<LinkActivity>,
    /// The review queue.
    pub reviews: Option<ReviewActivity>,
    /// Reports.
    pub reports: Option<ReportActivity>,
}

/// Maximum jobs of a kind.
pub const MAX_JOBS: u64 = 20;
