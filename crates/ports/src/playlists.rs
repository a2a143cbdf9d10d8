//! Playlist sources, their runs and entries.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Id, Kind, ListQuery, Page, Version};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
    playlist::EntryDuplicateReason,
    run::{ApplyFault, PlaylistRun, RunCounts, RunFault, RunState},
    source::{PlaylistSource, PlaylistSourceDraft},
};
use garde::Valid;

use crate::{Edit, IdempotencyKey, Inserted, StoreError, Written};

/// Stores playlist sources.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PlaylistSourceRepository: Send + Sync {
    /// A page of the list. The search covers titles and addresses without credentials.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<PlaylistSource>>, StoreError>;

    /// One source.
    async fn find(&self, id: Id) -> Result<Option<PlaylistSource>, StoreError>;

    /// Adds a source, idempotently where a key is given.
    async fn add(
        &self,
        draft: Valid<PlaylistSourceDraft>,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<PlaylistSource>, StoreError>;

    /// Replaces the draft of a source.
    async fn replace(
        &self,
        id: Id,
        draft: Valid<PlaylistSourceDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<PlaylistSource>, StoreError>;

    /// Removes a source with its runs and entries. Channels created from them are kept.
    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<PlaylistSource>, StoreError>;
}

/// A run to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    pub source: Id,
    /// Uploaded file: its name, and the compressed playlist.
    pub file: Option<(String, Vec<u8>)>,
    /// Accepts that more than 30 % of the entries in use are missing.
    pub accept_loss: bool,
    pub created_by: String,
    pub created_date: DateTime<Utc>,
}

/// The source has another unfinished run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnotherRun;

/// A run that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedRun {
    pub run: Id,
    pub source: Id,
    /// Address of the source; `None` for a list that the store has.
    pub url: Option<String>,
}

/// A run claimed by this process: its writes are rejected once another process has claimed it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedRun {
    pub run: PlaylistRun,
    pub source: PlaylistSource,
    /// Number of starts.
    pub attempt: i64,
    /// Uploaded playlist, compressed.
    pub file: Option<Vec<u8>>,
    /// `ETag` of the playlist that was read last.
    pub etag: Option<String>,
}

/// A known entry, for the comparison with a playlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntry {
    pub id: Id,
    /// Entry as last seen.
    pub entry: Entry,
    /// Whether the last playlist lacked it.
    pub missing: bool,
    /// Whether an existing channel or radio station was created from it.
    pub in_use: bool,
}

/// Result of a run for an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryWrite {
    /// A new entry, with the missing entries that it may be.
    Add(Entry, Vec<Id>),
    /// A known entry, with the property that identified it.
    See(Id, Entry, Sign),
    /// An entry missing in the playlist.
    Miss(Id),
}

/// An omitted line of a playlist, or a duplicate entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Line number, from 1.
    pub line: u32,
    /// `DUPLICATE` or `REFUSED`.
    pub change: EntryChange,
    /// Code of the reason.
    pub reason: String,
    /// Name of the entry, if the line is one.
    pub name: String,
    /// Line number of the duplicated entry.
    pub of_line: Option<u32>,
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// Finished, stopped or failed.
    pub state: RunState,
    /// Reason for no change.
    pub fault: Option<RunFault>,
    /// HTTP status of the source, where it is the reason.
    pub status_code: Option<u16>,
    /// Exceeded limit.
    pub limit: Option<i64>,
    pub counts: RunCounts,
    /// Addresses of guides in the playlist.
    pub guides: Vec<String>,
    /// Omitted lines.
    pub left_out: Vec<LeftOut>,
    /// `ETag` of the playlist; stored where the run has finished.
    pub etag: Option<String>,
}

impl RunEnd {
    /// An end without anything read or omitted.
    pub fn empty(state: RunState, fault: Option<RunFault>) -> Self {
        Self {
            state,
            fault,
            status_code: None,
            limit: None,
            counts: RunCounts::default(),
            guides: Vec::new(),
            left_out: Vec::new(),
            etag: None,
        }
    }
}

/// Stores runs and the entries that they read.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PlaylistRunRepository: Send + Sync {
    /// Inserts a run, idempotently where a key is given. A source has at most one unfinished run.
    async fn begin(
        &self,
        run: NewRun,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<PlaylistRun, AnotherRun>, StoreError>;

    /// A page of a source's runs, newest first.
    async fn list(&self, source: Id, query: &ListQuery) -> Result<Page<Vec<PlaylistRun>>, StoreError>;

    /// A run of a source.
    async fn find(&self, source: Id, id: Id) -> Result<Option<PlaylistRun>, StoreError>;

    /// The source of a run.
    async fn source_of(&self, run: Id) -> Result<Option<Id>, StoreError>;

    /// The newest finished run of a source.
    async fn newest_finished(&self, source: Id) -> Result<Option<PlaylistRun>, StoreError>;

    /// A page of the omitted lines of a run.
    async fn left_out(&self, run: Id, query: &ListQuery) -> Result<Page<Vec<LeftOut>>, StoreError>;

    /// Inserts runs of the sources whose refresh is due, and updates their due times. Returns their number.
    async fn schedule(&self, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Unfinished runs of sources whose entries are not being applied, oldest first. A run that was not
    /// claimed is not among them while an earlier one of its source is pending to be applied.
    async fn unfinished(&self) -> Result<Vec<UnfinishedRun>, StoreError>;

    /// Claims one of the runs that [`Self::unfinished`] returns. `None` where it is none.
    async fn claim(&self, run: Id) -> Result<Option<ClaimedRun>, StoreError>;

    /// Known entries of a source after an id, by id, limited.
    async fn known(&self, source: Id, after: Id, limit: u64) -> Result<Vec<KnownEntry>, StoreError>;

    /// Stores the playlist fetched by a run, so that a restarted run reads the same. `false` where another
    /// process has claimed it.
    async fn keep_list(&self, claim: &ClaimedRun, list: &[u8]) -> Result<bool, StoreError>;

    /// Writes a slice of a run's results. `false` where another process has claimed the run.
    async fn write(
        &self,
        claim: &ClaimedRun,
        slice: Vec<EntryWrite>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends a run; the results of a scheduled run are then pending to be applied. `false` where another
    /// process has claimed it.
    async fn end(&self, claim: &ClaimedRun, end: RunEnd, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// The oldest run pending to be applied, with its current source, whose entries are neither being applied
    /// nor written by another run.
    async fn waiting_for_apply(&self) -> Result<Option<(PlaylistRun, PlaylistSource)>, StoreError>;

    /// Marks a run as no longer pending, with the reason where nothing could be applied.
    async fn end_apply(&self, run: Id, fault: Option<ApplyFault>) -> Result<(), StoreError>;
}

/// An entry of a source, with its difference from the channel created from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    pub id: Id,
    /// Difference from the items in use.
    pub change: EntryChange,
    /// Entry as last seen.
    pub entry: Entry,
    /// Entry as last applied.
    pub applied: Option<Entry>,
    /// Existing channel or radio station created from it.
    pub item: Option<(Kind, Id)>,
    /// Channel with the entry as an additional stream.
    pub stream_of: Option<Id>,
    /// Property that identified it last.
    pub sign: Option<Sign>,
    /// Whether a user has ignored it.
    pub ignored: bool,
    pub missing_since: Option<DateTime<Utc>>,
    /// Missing entries that it may be.
    pub candidates: Vec<EntryCandidate>,
    /// First entry of the playlist that it duplicates under another address.
    pub duplicate_of: Option<DuplicateOf>,
}

/// A missing entry that may be the same as a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryCandidate {
    pub id: Id,
    /// Entry as last seen.
    pub entry: Entry,
    /// Existing channel or radio station created from it.
    pub item: Option<(Kind, Id)>,
    pub missing_since: DateTime<Utc>,
}

/// An earlier entry with a duplicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateOf {
    pub id: Id,
    pub name: String,
    /// Existing channel or radio station created from it.
    pub item: Option<(Kind, Id)>,
    /// Common property.
    pub reason: EntryDuplicateReason,
}

/// A group of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryGroup {
    /// Name of the group in the playlist; empty for entries without one.
    pub group: String,
    /// Number of entries with this group.
    pub entries: i64,
    /// Number of new entries among them.
    pub new: i64,
}

/// Numbers of a source's entries by their difference from the items in use, without ignored ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntryCounts {
    pub new: i64,
    pub changed: i64,
    pub unchanged: i64,
    pub missing: i64,
    /// Ignored entries, whatever their difference.
    pub ignored: i64,
}

/// Reads and changes entries of sources.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PlaylistEntryRepository: Send + Sync {
    /// A page of a source's entries.
    async fn list(&self, source: Id, query: &ListQuery) -> Result<Page<Vec<StoredEntry>>, StoreError>;

    /// Ids of the entries of a list, in its order, limited.
    async fn matching(&self, source: Id, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// The existing ones of these entries of a source, by id.
    async fn find_all(&self, source: Id, ids: &[Id]) -> Result<Vec<StoredEntry>, StoreError>;

    /// Ignores entries, or stops ignoring them. Returns the number of changed entries.
    async fn ignore(
        &self,
        source: &PlaylistSource,
        ids: &[Id],
        ignored: bool,
        edit: &Edit,
    ) -> Result<u64, StoreError>;

    /// Merges a new entry into a missing one, which is present again with the values of the new one. `false`
    /// where the first is not new, or the other not missing.
    async fn merge(
        &self,
        source: &PlaylistSource,
        new: Id,
        missing: Id,
        edit: &Edit,
    ) -> Result<bool, StoreError>;

    /// Numbers of a source's entries.
    async fn counts(&self, source: Id) -> Result<EntryCounts, StoreError>;

    /// The groups of a source.
    async fn groups(&self, source: Id) -> Result<Vec<EntryGroup>, StoreError>;

    /// Highest number of the channels created from a source's entries and numbered by it.
    async fn highest_number(&self, source: Id) -> Result<Option<i32>, StoreError>;

    /// Whether entries of a source are being applied.
    async fn is_applying(&self, source: Id) -> Result<bool, StoreError>;

    /// Records the entry, with its current values, that each row of a file is created from: the import of the
    /// row links them. `false` where an entry was removed or is being applied by another operation.
    async fn expect_rows(
        &self,
        source: Id,
        sheet: Id,
        rows: Vec<(Id, i64, Entry)>,
    ) -> Result<bool, StoreError>;
}
