//! Sources of playlists, their runs and entries; fetching and reading of lists.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Id, Kind, ListQuery, Page, Version};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
    fetch::FetchFault,
    playlist::{EntryDuplicateReason, Limits, PlaylistFault, Summary},
    run::{ApplyFault, PlaylistRun, RunCounts, RunFault, RunState},
    source::{PlaylistSource, PlaylistSourceDraft},
};
use garde::Valid;

use crate::{Edit, IdempotencyKey, Inserted, StoreError, Written};

/// Keeps sources.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PlaylistSourceRepository: Send + Sync {
    /// A page of the list. The search looks in titles and in addresses without credentials.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<PlaylistSource>>, StoreError>;

    /// One of them.
    async fn find(&self, id: Id) -> Result<Option<PlaylistSource>, StoreError>;

    /// Adds one, once for a once-only request.
    async fn add(
        &self,
        draft: Valid<PlaylistSourceDraft>,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<PlaylistSource>, StoreError>;

    /// Puts another draft in the place of one's.
    async fn replace(
        &self,
        id: Id,
        draft: Valid<PlaylistSourceDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<PlaylistSource>, StoreError>;

    /// Removes one with its runs and entries. Channels that were made from them stay.
    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<PlaylistSource>, StoreError>;
}

/// A run to be begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// The source.
    pub source: Id,
    /// The file that was uploaded: its name, and the list, packed.
    pub file: Option<(String, Vec<u8>)>,
    /// Whether more than 30 % of the entries in use may be missing.
    pub accept_loss: bool,
    /// Who begins it.
    pub created_by: String,
    /// When.
    pub created_date: DateTime<Utc>,
}

/// Another run of the source is unfinished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnotherRun;

/// A run that this process carries out: what it writes is refused once another process has claimed it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedRun {
    /// The run.
    pub run: PlaylistRun,
    /// Its source.
    pub source: PlaylistSource,
    /// How often it was begun.
    pub attempt: i64,
    /// The list that was uploaded, packed.
    pub file: Option<Vec<u8>>,
    /// By what the list is known that was read last.
    pub etag: Option<String>,
}

/// A known entry, as it is compared with a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntry {
    /// The number it is known by.
    pub id: Id,
    /// What it was when it was last seen.
    pub entry: Entry,
    /// The last list lacked it.
    pub missing: bool,
    /// A channel or a radio station was made from it, and is there.
    pub in_use: bool,
}

/// What a run writes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryWrite {
    /// It is new, and may be one of these.
    Add(Entry, Vec<Id>),
    /// It is known, and was recognised by this sign.
    See(Id, Entry, Sign),
    /// The list lacks it.
    Miss(Id),
}

/// A line of a list that is left out, or an entry that repeats another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The line, from 1.
    pub line: u32,
    /// `DUPLICATE` or `REFUSED`.
    pub change: EntryChange,
    /// The code of the reason.
    pub reason: String,
    /// The name of the entry, where the line is one.
    pub name: String,
    /// The line of the entry that it repeats.
    pub of_line: Option<u32>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// Finished, stopped or failed.
    pub state: RunState,
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
    /// Lines that are left out.
    pub left_out: Vec<LeftOut>,
    /// By what the list is known; kept where the run is finished.
    pub etag: Option<String>,
}

/// Keeps runs, and the entries that they read.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PlaylistRunRepository: Send + Sync {
    /// Records a run, once for a once-only request. One source has one unfinished run.
    async fn begin(
        &self,
        run: NewRun,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<PlaylistRun, AnotherRun>, StoreError>;

    /// A page of a source's runs, newest first.
    async fn list(&self, source: Id, query: &ListQuery) -> Result<Page<Vec<PlaylistRun>>, StoreError>;

    /// One run of a source.
    async fn find(&self, source: Id, id: Id) -> Result<Option<PlaylistRun>, StoreError>;

    /// The newest run of a source that is finished.
    async fn newest_finished(&self, source: Id) -> Result<Option<PlaylistRun>, StoreError>;

    /// A page of the lines that a run left out.
    async fn left_out(&self, run: Id, query: &ListQuery) -> Result<Page<Vec<LeftOut>>, StoreError>;

    /// Records runs of the sources whose refresh is due, and when each is due again. Answers how many.
    async fn schedule(&self, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Takes the oldest unfinished run, of a source whose entries are not being applied.
    async fn claim(&self) -> Result<Option<ClaimedRun>, StoreError>;

    /// Known entries of a source behind an id, in the order of ids; at most so many.
    async fn known(&self, source: Id, after: Id, limit: u64) -> Result<Vec<KnownEntry>, StoreError>;

    /// Keeps the list that a run has fetched, so that a run which is begun anew reads the same. `false` where another process has
    /// claimed it.
    async fn keep_list(&self, claim: &ClaimedRun, list: &[u8]) -> Result<bool, StoreError>;

    /// Writes a slice of what a run found. `false` where another process has claimed the run.
    async fn write(
        &self,
        claim: &ClaimedRun,
        slice: Vec<EntryWrite>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends a run; what a scheduled one found waits to be applied from then on. `false` where another process has claimed it.
    async fn end(&self, claim: &ClaimedRun, end: RunEnd, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// The oldest run that waits to be applied, with its source as it is now, whose entries are not being applied.
    async fn waiting_for_apply(&self) -> Result<Option<(PlaylistRun, PlaylistSource)>, StoreError>;

    /// Ends the wait of a run, with the reason where nothing could be applied.
    async fn end_apply(&self, run: Id, fault: Option<ApplyFault>) -> Result<(), StoreError>;
}

/// An entry of a source, and what it differs in from the channel that was made from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// The number it is known by.
    pub id: Id,
    /// What it is to what is in use.
    pub change: EntryChange,
    /// What it was when it was last seen.
    pub entry: Entry,
    /// What was applied of it last.
    pub applied: Option<Entry>,
    /// The channel or radio station that was made from it, where it is there.
    pub item: Option<(Kind, Id)>,
    /// The channel that it is a further stream of.
    pub stream_of: Option<Id>,
    /// By what it was recognised last.
    pub sign: Option<Sign>,
    /// A user does not want it.
    pub ignored: bool,
    /// Since when the list lacks it.
    pub missing_since: Option<DateTime<Utc>>,
    /// Missing entries that it may be: their ids and names.
    pub candidates: Vec<(Id, String)>,
    /// The first entry of the list that it repeats, by another address.
    pub duplicate_of: Option<DuplicateOf>,
}

/// An earlier entry that another one repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateOf {
    /// The number it is known by.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// The channel or radio station that was made from it, where it is there.
    pub item: Option<(Kind, Id)>,
    /// In what both are equal.
    pub reason: EntryDuplicateReason,
}

/// A group of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryGroup {
    /// The group, as the list writes it; empty for entries without one.
    pub group: String,
    /// Entries whose first group it is.
    pub entries: i64,
    /// Those of them that are new.
    pub new: i64,
}

/// Reads and changes entries of sources.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PlaylistEntryRepository: Send + Sync {
    /// A page of a source's entries.
    async fn list(&self, source: Id, query: &ListQuery) -> Result<Page<Vec<StoredEntry>>, StoreError>;

    /// The ids of the entries that a list shows, in their order; at most so many.
    async fn matching(&self, source: Id, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// These entries of a source, those that exist, in the order of ids.
    async fn find_all(&self, source: Id, ids: &[Id]) -> Result<Vec<StoredEntry>, StoreError>;

    /// Ignores entries, or does so no more. Answers how many are different now.
    async fn ignore(
        &self,
        source: &PlaylistSource,
        ids: &[Id],
        ignored: bool,
        edit: &Edit,
    ) -> Result<u64, StoreError>;

    /// Makes a new entry and a missing one the same: the missing one is there again, as the new one is. `false` where the first
    /// is not new, or the other one not missing.
    async fn merge(
        &self,
        source: &PlaylistSource,
        new: Id,
        missing: Id,
        edit: &Edit,
    ) -> Result<bool, StoreError>;

    /// The groups of a source.
    async fn groups(&self, source: Id) -> Result<Vec<EntryGroup>, StoreError>;

    /// The highest number among the channels that were made from a source's entries and numbered by it.
    async fn highest_number(&self, source: Id) -> Result<Option<i32>, StoreError>;

    /// Whether entries of a source are being applied.
    async fn is_applying(&self, source: Id) -> Result<bool, StoreError>;

    /// Records which row of a file was made of which entry of a source, as the entry was then: the import of the row links
    /// them. `false` where one of the entries is gone or being applied by another operation.
    async fn expect_rows(
        &self,
        source: Id,
        sheet: Id,
        rows: Vec<(Id, i64, Entry)>,
    ) -> Result<bool, StoreError>;
}

/// A list that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchedPlaylist {
    /// The source has what it had before.
    NotModified,
    /// The list, packed.
    Whole {
        /// Its bytes.
        list: Vec<u8>,
        /// By what it is known.
        etag: Option<String>,
    },
}

/// Why no list was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaylistFetchFault {
    /// The source failed.
    Fault(FetchFault),
    /// The source answered with this status.
    Status(u16),
    /// The list is too large.
    Refused(PlaylistFault),
}

/// Packs a list while it comes.
pub trait PlaylistPacker: Send {
    /// Takes the next bytes.
    fn feed(&mut self, bytes: &[u8]) -> Result<(), PlaylistFault>;

    /// The packed list.
    fn finish(self: Box<Self>) -> Vec<u8>;
}

/// A list that is being read. Blocks its thread.
pub trait OpenPlaylist: Send {
    /// The next entries; `None` after the last.
    fn next(&mut self) -> Result<Option<Vec<Entry>>, PlaylistFault>;

    /// What the list holds besides, once its end is read.
    fn summary(&mut self) -> Summary;
}

/// Fetches, packs and reads lists.
#[async_trait]
pub trait PlaylistFiles: Send + Sync {
    /// How much of a list is read.
    fn limits(&self) -> Limits;

    /// Fetches a list, unless the source says that it still has what `etag` names.
    async fn fetch(&self, url: &str, etag: Option<&str>) -> Result<FetchedPlaylist, PlaylistFetchFault>;

    /// Packs a list that is uploaded.
    fn packer(&self) -> Box<dyn PlaylistPacker>;

    /// Reads a packed list from its beginning.
    fn open<'a>(&self, list: &'a [u8]) -> Box<dyn OpenPlaylist + 'a>;
}
