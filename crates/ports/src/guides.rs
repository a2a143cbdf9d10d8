//! TV guides: fetched, read as a stream, staged, and put in the place of what is kept.

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

/// A fetch to be begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGuideFetch {
    /// The guide.
    pub guide: Id,
    /// The file that was uploaded: its name, and under which number its parts are kept.
    pub file: Option<(String, i64)>,
    /// Who requests it.
    pub requested_by: String,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum GuideFetchBegun {
    /// A job carries it out.
    Begun(Box<GuideFetch>),
    /// There is no such guide.
    Missing,
    /// Another fetch of the guide is unfinished.
    Unfinished,
}

/// A fetch that this process carries out: what it writes is refused once another process has claimed it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedFetch {
    /// The guide with its settings.
    pub guide: GuideFetch,
    /// Where it is fetched.
    pub url: String,
    /// By what the answer is known that was read last.
    pub known: Validators,
    /// Under which number the parts of an uploaded file are kept.
    pub upload: Option<i64>,
    /// How often fetches of the guide were begun.
    pub attempt: i64,
}

/// Programmes of a channel that wait until the whole file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedPart {
    /// The id of the channel in the guide.
    pub xml_id: String,
    /// Counts the parts of a fetch.
    pub number: i64,
    /// The programmes.
    pub content: Vec<u8>,
}

/// How a fetch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuideFetchEnd {
    /// Done, unchanged, partial or failed.
    pub state: GuideFetchState,
    /// Why it changed nothing, or only in part.
    pub fault: Option<GuideFetchFault>,
    /// The status with which the source answered, where it is the reason.
    pub status_code: Option<u16>,
    /// What was found; `None` where nothing was read.
    pub found: Option<(GuideCounts, Vec<LeftOutOfGuide>)>,
    /// The end of the last programme that was read; `None` keeps what is stored, and so does an earlier one of a part.
    pub newest: Option<i64>,
    /// By what the answer is known; `None` keeps what is stored.
    pub known: Option<Validators>,
    /// When the guide is fetched next.
    pub next_fetch_date: Option<DateTime<Utc>>,
}

/// A channel of a guide in the list of its channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGuideChannel {
    /// By which its programmes are kept.
    pub id: Id,
    /// Its id in the guide.
    pub xml_id: String,
    /// Its first name, or its id.
    pub title: String,
    /// Whether an active channel of the catalogue has its programmes from it.
    pub used: bool,
}

/// Keeps the fetches of guides, their channels and programmes.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait GuideStore: Send + Sync {
    /// Every guide with its settings and its newest fetch, by id.
    async fn fetches(&self) -> Result<Vec<GuideFetch>, StoreError>;

    /// One of them.
    async fn fetch(&self, guide: Id) -> Result<Option<GuideFetch>, StoreError>;

    /// Puts other settings in the place of a guide's. With another zone or shift it is read anew at its next fetch.
    async fn configure(
        &self,
        guide: Id,
        settings: Valid<GuideSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<GuideFetch>, StoreError>;

    /// Begins to keep a file that is uploaded for a guide; answers the number of its parts.
    async fn begin_upload(&self, guide: Id, now: DateTime<Utc>) -> Result<i64, StoreError>;

    /// Keeps a part of a file that is being uploaded.
    async fn keep_part(
        &self,
        guide: Id,
        upload: i64,
        number: i64,
        content: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// A part of a file that was uploaded; `None` behind the last.
    async fn part(&self, upload: i64, number: i64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Records that a guide is to be fetched. A file that was uploaded takes the place of an unfinished fetch of the address.
    async fn begin(&self, fetch: NewGuideFetch) -> Result<GuideFetchBegun, StoreError>;

    /// Records fetches of the active guides that are due. Answers how many.
    async fn schedule(&self, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Notes which guides are stale, and since when. One that was already keeps its date.
    async fn note_stale(&self, guides: &[Id], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Takes an unfinished fetch.
    async fn claim(&self) -> Result<Option<ClaimedFetch>, StoreError>;

    /// Keeps programmes until the whole file is read. `false` where another process has claimed the fetch.
    async fn stage(&self, claim: &ClaimedFetch, parts: Vec<StagedPart>) -> Result<bool, StoreError>;

    /// The parts of channels, each channel's in their order.
    async fn staged(&self, claim: &ClaimedFetch, xml_ids: &[String]) -> Result<Vec<StagedPart>, StoreError>;

    /// Forgets staged parts of the guide, a bounded number at a time; answers whether there may be more. Forgets none once
    /// another process has claimed the fetch.
    async fn unstage(&self, claim: &ClaimedFetch) -> Result<bool, StoreError>;

    /// Writes channels of a guide where they differ from what is kept; answers their ids in the same order, or `None` where
    /// another process has claimed the fetch.
    async fn write_channels(
        &self,
        claim: &ClaimedFetch,
        channels: &[Channel],
    ) -> Result<Option<Vec<Id>>, StoreError>;

    /// The programmes of channels that begin from one time on and before another, each channel's in order.
    async fn programmes(
        &self,
        channels: &[Id],
        from: i64,
        to: i64,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError>;

    /// Writes what a fetch changes of channels, each channel whole. `false` where another process has claimed the fetch.
    async fn write_spans(
        &self,
        claim: &ClaimedFetch,
        changes: Vec<(Id, SpanChange)>,
    ) -> Result<bool, StoreError>;

    /// A page of a guide's channels, by their ids in the guide. Filter: `used`, whether an active channel of the catalogue has its
    /// programmes from it. The search looks in names and ids.
    async fn listed_channels(
        &self,
        guide: Id,
        query: &ListQuery,
    ) -> Result<Page<Vec<ListedGuideChannel>>, StoreError>;

    /// Programmes of the other active guides with these folded titles that begin from one time on and before another, each with
    /// its guide; a bounded number.
    async fn shown_elsewhere(
        &self,
        guide: Id,
        folded: &[String],
        from: i64,
        to: i64,
    ) -> Result<Vec<(Id, Shown)>, StoreError>;

    /// How many channels of each guide no channel of the catalogue uses.
    async fn unused(&self) -> Result<Vec<(Id, u64)>, StoreError>;

    /// Removes channels of the guide that are not among these and have no programme, or with their programmes. Removes none
    /// once another process has claimed the fetch.
    async fn forget_channels(
        &self,
        claim: &ClaimedFetch,
        kept: &[Id],
        with_programmes: bool,
    ) -> Result<(), StoreError>;

    /// Ends a fetch. `false` where another process has claimed it.
    async fn end(
        &self,
        claim: &ClaimedFetch,
        end: GuideFetchEnd,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Removes programmes that ended before a time, what is left of guides that are gone, and parts of files that nobody reads
    /// any more, a bounded number at a time; answers whether there may be more.
    async fn sweep(&self, ended_before: DateTime<Utc>, now: DateTime<Utc>) -> Result<bool, StoreError>;
}

/// A file that was uploaded, part by part.
#[async_trait]
pub trait GuideParts: Send {
    /// The next part; `None` behind the last.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Takes programmes while they are read.
#[async_trait]
pub trait GuideSink: Send {
    /// Takes some; answers whether it wants more.
    async fn take(&mut self, programmes: Vec<Programme>) -> Result<bool, StoreError>;
}

/// Where a guide comes from.
pub enum GuideOrigin<'a> {
    /// It is fetched, unless the source still has what is known.
    Address(&'a str, &'a Validators),
    /// It was uploaded.
    Upload(&'a mut dyn GuideParts),
}

/// What was read beside the programmes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuideRead {
    /// Channels in the order in which they came, each once; behind them those that only programmes name.
    pub channels: Vec<Channel>,
    /// How many programmes were handed on.
    pub programmes: u64,
    /// How many were left out, by reason.
    pub left_out: Vec<(GuideFault, u64)>,
    /// The first of what was left out.
    pub examples: Vec<LeftOutOfGuide>,
    /// Why the reading ended before the end of the file.
    pub stopped: Option<GuideStop>,
    /// Nothing of it may be used.
    pub refused: bool,
    /// By what the answer is known.
    pub known: Validators,
}

/// What a fetch ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuideFetched {
    /// The source has what it had before.
    NotModified,
    /// The file was read.
    Read(Box<GuideRead>),
    /// Whoever takes the programmes wanted no more.
    Ended,
}

/// Why no guide was read.
#[derive(Debug)]
pub enum GuideFailure {
    /// The source failed.
    Fault(FetchFault),
    /// The source answered with this status.
    Status(u16),
    /// The store failed.
    Store(StoreError),
}

/// Fetches and reads guides as streams.
#[async_trait]
pub trait GuideFiles: Send + Sync {
    /// Bytes of a file at most, as it comes.
    fn largest(&self) -> u64;

    /// Reads a guide and hands on its programmes. Times without a zone are in this one.
    async fn read(
        &self,
        origin: GuideOrigin<'_>,
        zone: &str,
        sink: &mut dyn GuideSink,
    ) -> Result<GuideFetched, GuideFailure>;
}
