//! What is under way, and how much waits for somebody (docs/spec/events.md).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Id, enumeration};
use schemars::JsonSchema;
use serde::Serialize;

enumeration! {
    /// What kind of job is under way.
    pub enum JobKind {
        /// A bulk operation; a dry run is none.
        Operation = "OPERATION" ("Operación masiva", "Bulk operation"),
        /// A playlist is being read.
        PlaylistRun = "PLAYLIST_RUN" ("Lectura de una lista", "Playlist being read"),
        /// A guide is being read.
        GuideFetch = "GUIDE_FETCH" ("Lectura de una guía", "Guide being read"),
        /// Channels are being compared with guides.
        MatchingRun = "MATCHING_RUN" ("Comparación de canales y guías", "Channels being compared with guides"),
    }
}

/// A job that waits to be carried out, or is being carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// What kind of job it is.
    pub kind: JobKind,
    /// The operation, the source of the playlist, or the guide; null for matching.
    pub id: Option<Id>,
    /// The title of the source or of the guide; of an operation, the path of the kind of items that it changes.
    pub title: Option<String>,
    /// Items that are done, where that is known.
    pub done: Option<i64>,
    /// Items in all, where that is known.
    pub total: Option<i64>,
    /// Who began it; null for a scheduled one.
    pub created_by: Option<String>,
}

/// When a job of a kind ended last. Many jobs begin and end between two readings: they are never among [`Activity::jobs`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedJob {
    /// What kind of job it is.
    pub kind: JobKind,
    /// Of bulk operations, the path of the kind of items that they change; else null.
    pub title: Option<String>,
    /// When the last one ended.
    pub finished_date: DateTime<Utc>,
    /// Who began it, where that decides who may see it.
    #[serde(skip)]
    pub created_by: Option<String>,
}

impl EndedJob {
    /// The last one of each kind and title, whoever began it.
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

/// How the links of channels and stations are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LinkActivity")]
pub struct LinkActivity {
    /// Links that are down.
    pub down: u64,
    /// Channels and stations that the service has switched off.
    pub switched_off: u64,
    /// When the last of them was switched off, where that is known: as many as before may be others.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub last_switch: Option<DateTime<Utc>>,
    /// The number of the last change of a link; 0 where there was none.
    pub last_change: Id,
}

/// Decisions on guides that wait for a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewActivity")]
pub struct ReviewActivity {
    /// Channels in the review queue.
    pub waiting: u64,
}

/// Viewers' reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportActivity")]
pub struct ReportActivity {
    /// Reports that are not resolved.
    pub open: u64,
    /// The newest report; 0 where there is none.
    pub newest: Id,
    /// The number of the last change of a report; 0 where there was none.
    pub last_change: Id,
}

/// What is under way, and how much waits. A part is `None` for whoever may not see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Activity {
    /// Jobs, at most [`MAX_JOBS`] of each kind.
    pub jobs: Vec<Job>,
    /// When a job of each kind ended last; of bulk operations, one of each kind of items.
    pub ended: Vec<EndedJob>,
    /// Links of channels and stations.
    pub links: Option<LinkActivity>,
    /// The review queue.
    pub reviews: Option<ReviewActivity>,
    /// Reports.
    pub reports: Option<ReportActivity>,
}

/// Jobs of a kind that are shown.
pub const MAX_JOBS: u64 = 20;
