//! TV guides: fetch, streaming parse, staging and replacement of the stored programmes.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Id, ListQuery, Page, Version};
use domain_live::{
    distance::Shown,
    fetch::{FetchFault, Validators},
    guide::{Channel, GuideFault, GuideStop, Programme},
    guide_fetch::{GuideCounts, GuideFetch, GuideFetchFault, GuideFetchState, GuideSettings, LeftOutOfGuide},
    programme::{KeptProgramme, SpanChange},
};
use garde::Valid;

use crate::{Edit, StoreError, Written};

/// A fetch to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGuideFetch {
    pub guide: Id,
    /// Name of the uploaded file, and number of its stored parts.
    pub file: Option<(String, i64)>,
    pub requested_by: String,
}

/// Outcome of a request for a fetch. Not [`crate::Written`]: no version of the guide is expected.
#[derive(Debug, Clone, PartialEq)]
pub enum GuideFetchBegun {
    /// A job runs it.
    Begun(Box<GuideFetch>),
    /// The guide does not exist.
    Missing,
    /// Another fetch of the guide is unfinished.
    Unfinished,
}

/// A fetch that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedFetch {
    pub guide: Id,
    /// Address of the guide; `None` for an uploaded file.
    pub url: Option<String>,
    /// Unpacked size of the largest file that was read; `None` for a guide that was never read, and for an
    /// uploaded file.
    pub unpacked_bytes: Option<u64>,
}

/// A fetch claimed by this process: its writes are rejected once another process has claimed it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedFetch {
    /// The guide with its settings.
    pub guide: GuideFetch,
    pub url: String,
    /// Cache validators of the last response that was read.
    pub known: Validators,
    /// Number of the stored parts of an uploaded file.
    pub upload: Option<i64>,
    /// Number of started fetches of the guide.
    pub attempt: i64,
}

/// Programmes of a channel, staged until the whole file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedPart {
    /// Channel id in the guide.
    pub xml_id: String,
    /// Sequence number of the part within a fetch.
    pub number: i64,
    pub content: Vec<u8>,
}

/// Outcome of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuideFetchEnd {
    /// Done, unchanged, partial or failed.
    pub state: GuideFetchState,
    /// Reason for no change, or a partial one.
    pub fault: Option<GuideFetchFault>,
    /// HTTP status of the source, where it is the reason.
    pub status_code: Option<u16>,
    /// Read counts; `None` where nothing was read.
    pub found: Option<(GuideCounts, Vec<LeftOutOfGuide>)>,
    /// End of the last programme that was read; `None` keeps the stored value, and so does an earlier end of
    /// a partial fetch.
    pub newest: Option<i64>,
    /// Cache validators of the response; `None` keeps the stored ones.
    pub known: Option<Validators>,
    pub next_fetch_date: Option<DateTime<Utc>>,
}

/// A channel of a guide in the list of its channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGuideChannel {
    /// Key of its programmes.
    pub id: Id,
    /// Channel id in the guide.
    pub xml_id: String,
    /// First name, or the id.
    pub title: String,
    /// Whether an active channel of the catalogue takes its programmes from it.
    pub used: bool,
}

/// Stores the fetches of guides, their channels and programmes.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait GuideStore: Send + Sync {
    /// All guides with their settings and newest fetch, ordered by id.
    async fn fetches(&self) -> Result<Vec<GuideFetch>, StoreError>;

    /// A guide with its settings and newest fetch.
    async fn fetch(&self, guide: Id) -> Result<Option<GuideFetch>, StoreError>;

    /// Replaces the settings of a guide. After a change of zone or shift the next fetch reads the whole file.
    async fn configure(
        &self,
        guide: Id,
        settings: Valid<GuideSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<GuideFetch>, StoreError>;

    /// Begins an upload for a guide; returns the number of its parts.
    async fn begin_upload(&self, guide: Id, now: DateTime<Utc>) -> Result<i64, StoreError>;

    /// Stores a part of an upload.
    async fn keep_part(
        &self,
        guide: Id,
        upload: i64,
        number: i64,
        content: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// A part of an upload; `None` after the last.
    async fn part(&self, upload: i64, number: i64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Records a pending fetch of a guide. An upload replaces an unfinished fetch of the address.
    async fn begin(&self, fetch: NewGuideFetch) -> Result<GuideFetchBegun, StoreError>;

    /// Records fetches of the active guides that are due. Returns their number.
    async fn schedule(&self, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Records the stale guides. A guide that was stale already keeps its date.
    async fn note_stale(&self, guides: &[Id], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Unfinished fetches: those that users requested, then by the time since when they are due.
    async fn unfinished(&self) -> Result<Vec<UnfinishedFetch>, StoreError>;

    /// Claims the unfinished fetch of a guide. `None` where there is none.
    async fn claim(&self, guide: Id) -> Result<Option<ClaimedFetch>, StoreError>;

    /// Stages programmes until the whole file is read. `false` where another process has claimed the fetch.
    async fn stage(&self, claim: &ClaimedFetch, parts: Vec<StagedPart>) -> Result<bool, StoreError>;

    /// Staged parts of channels, in order per channel.
    async fn staged(&self, claim: &ClaimedFetch, xml_ids: &[String]) -> Result<Vec<StagedPart>, StoreError>;

    /// Deletes staged parts of the guide in batches; returns whether there may be more. Deletes none once
    /// another process has claimed the fetch.
    async fn unstage(&self, claim: &ClaimedFetch) -> Result<bool, StoreError>;

    /// Writes the channels of a guide that differ from the stored ones; returns their ids in the same order,
    /// or `None` where another process has claimed the fetch.
    async fn write_channels(
        &self,
        claim: &ClaimedFetch,
        channels: &[Channel],
    ) -> Result<Option<Vec<Id>>, StoreError>;

    /// Programmes of channels that begin within a half-open range of time, in order per channel.
    async fn programmes(
        &self,
        channels: &[Id],
        from: i64,
        to: i64,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError>;

    /// Writes the changes of a fetch to channels, each channel in one transaction. `false` where another
    /// process has claimed the fetch.
    async fn write_spans(
        &self,
        claim: &ClaimedFetch,
        changes: Vec<(Id, SpanChange)>,
    ) -> Result<bool, StoreError>;

    /// A page of a guide's channels, ordered by their ids in the guide. Filter: `used`, whether an active
    /// channel of the catalogue takes its programmes from it. The search covers names and ids.
    async fn listed_channels(
        &self,
        guide: Id,
        query: &ListQuery,
    ) -> Result<Page<Vec<ListedGuideChannel>>, StoreError>;

    /// Programmes of the other active guides with these folded titles that begin within a half-open range of
    /// time, each with its guide; limited.
    async fn shown_elsewhere(
        &self,
        guide: Id,
        folded: &[String],
        from: i64,
        to: i64,
    ) -> Result<Vec<(Id, Shown)>, StoreError>;

    /// Number of channels of each guide that no channel of the catalogue uses.
    async fn unused(&self) -> Result<Vec<(Id, u64)>, StoreError>;

    /// Removes channels of the guide that are not among these and have no programme, or with their
    /// programmes. Removes none once another process has claimed the fetch.
    async fn forget_channels(
        &self,
        claim: &ClaimedFetch,
        kept: &[Id],
        with_programmes: bool,
    ) -> Result<(), StoreError>;

    /// Makes a claimed fetch wait again, with a new lower bound of the unpacked size of its file. Changes
    /// nothing once another process has claimed it.
    async fn wait_again(&self, claim: &ClaimedFetch, unpacked_bytes: u64) -> Result<(), StoreError>;

    /// Ends a fetch. `false` where another process has claimed it.
    async fn end(
        &self,
        claim: &ClaimedFetch,
        end: GuideFetchEnd,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Removes programmes that ended before a time, remains of deleted guides, and parts of files that are no
    /// longer read, in batches; returns whether there may be more.
    async fn sweep(&self, ended_before: DateTime<Utc>, now: DateTime<Utc>) -> Result<bool, StoreError>;
}

/// An uploaded file in parts.
#[async_trait]
pub trait GuideParts: Send {
    /// Next part; `None` after the last.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Receives programmes while a guide is read.
#[async_trait]
pub trait GuideSink: Send {
    /// Receives a batch; returns whether reading continues.
    async fn take(&mut self, programmes: Vec<Programme>) -> Result<bool, StoreError>;
}

/// Source of a guide.
pub enum GuideOrigin<'a> {
    /// A URL, with the validators for a conditional request.
    Address(&'a str, &'a Validators),
    /// An uploaded file.
    Upload(&'a mut dyn GuideParts),
}

/// Result of reading a guide besides its programmes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuideRead {
    /// Distinct channels in order of appearance, then those that only programmes name.
    pub channels: Vec<Channel>,
    /// Number of programmes passed on.
    pub programmes: u64,
    /// Number of omitted programmes by reason.
    pub left_out: Vec<(GuideFault, u64)>,
    /// First omitted programmes.
    pub examples: Vec<LeftOutOfGuide>,
    /// Reason for an end before the end of the file.
    pub stopped: Option<GuideStop>,
    /// The whole result must be discarded.
    pub refused: bool,
    /// Cache validators of the response.
    pub known: Validators,
    /// Unpacked bytes that were read.
    pub unpacked_bytes: u64,
}

/// Outcome of reading a guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuideFetched {
    /// HTTP 304.
    NotModified,
    /// Read to the end.
    Read(Box<GuideRead>),
    /// The sink of the programmes ended the reading.
    Ended,
    /// The unpacked file is larger than the caller reads now.
    Larger,
}

/// Reason why no guide was read.
#[derive(Debug)]
pub enum GuideFailure {
    /// Failure of the source.
    Fault(FetchFault),
    /// Error status of the source.
    Status(u16),
    /// Failure of the store.
    Store(StoreError),
}

/// Fetches and reads guides as streams.
#[async_trait]
pub trait GuideFiles: Send + Sync {
    /// Maximum size of a file as transferred, in bytes.
    fn largest(&self) -> u64;

    /// Reads a guide and passes on its programmes. Times without a zone are in the given one. Reading
    /// ends after `most_unpacked` bytes, where given.
    async fn read(
        &self,
        origin: GuideOrigin<'_>,
        zone: &str,
        most_unpacked: Option<u64>,
        sink: &mut dyn GuideSink,
    ) -> Result<GuideFetched, GuideFailure>;
}
