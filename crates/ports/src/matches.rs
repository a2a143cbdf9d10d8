//! Which channel of a guide a channel of the catalogue is: what is found by a job, and what users decide.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::TvChannel;
use domain_kernel::{Id, ListQuery, Page, Version};
use domain_live::{
    entry::Entry,
    matching::{
        Decision, EpgMatch, GuideChannel, GuideChannelRef, LinkVerdict, Matching, MatchingCounts,
        MatchingSettings, Outcome, Proposal,
    },
};
use garde::Valid;

use crate::{Edit, StoreError, Written};

/// A run of matching that this process carries out: what it writes is refused once another process has claimed it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedMatching {
    /// The settings with which it began.
    pub settings: MatchingSettings,
    /// In whose name sure ones are linked, as far as somebody is known.
    pub by: Option<String>,
    /// Whether all channels are looked at, or only those that are new or were changed.
    pub whole: bool,
    /// The state of the guides as it began.
    pub guides: String,
    /// Counts runs.
    pub attempt: i64,
    /// Channels were compared: what is sure is to be linked.
    pub compared: bool,
}

/// A channel that is to be matched.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchTarget {
    /// The channel.
    pub channel: Id,
    /// Its version.
    pub version: Version,
    /// Its name.
    pub title: String,
    /// Its guide, active or not.
    pub guide: Option<Id>,
    /// Its id in guides.
    pub epg_id: Option<String>,
    /// The version of what was found or decided about it; 0 where nothing was.
    pub match_version: Version,
    /// The entry of a playlist that it was made of.
    pub entry: Option<Entry>,
}

/// A decided link of a channel whose id may carry another name now.
#[derive(Debug, Clone, PartialEq)]
pub struct RenamedLink {
    /// The channel.
    pub target: MatchTarget,
    /// The channel of the guide.
    pub of: GuideChannelRef,
    /// What it was called.
    pub before: String,
    /// What it is called now: every name.
    pub names: Vec<String>,
}

/// A guide whose channels are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchGuide {
    /// The guide.
    pub id: Id,
    /// Who changed it last.
    pub updated_by: Option<String>,
}

/// A name that a user gave a channel of a guide by linking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelAlias {
    /// What the guide called it.
    pub name: String,
    /// What the channel was called.
    pub alias: String,
}

/// What a run writes about a channel.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundMatch {
    /// What was found.
    Found {
        /// Level and candidates.
        outcome: Outcome,
        /// The id of a decided link carries another name: the decision stays beside the candidates.
        renamed: bool,
    },
    /// What was decided stands.
    Stands,
}

/// A link that a row of an operation makes: it is decided by the transaction that changes the channel.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedLink {
    /// The row.
    pub row: i64,
    /// The channel.
    pub target: MatchTarget,
    /// Whether the job or a user decides so.
    pub verdict: LinkVerdict,
    /// The user, where one does.
    pub by: Option<String>,
    /// What it is linked with, and why.
    pub proposal: Proposal,
}

/// A channel as a decision changes it.
#[derive(Debug)]
pub struct ChangedChannel {
    /// What it becomes.
    pub content: Valid<TvChannel>,
    /// The version that was read.
    pub version: Version,
}

/// What a user decides about a channel.
#[derive(Debug)]
pub struct NewDecision {
    /// The channel as it is.
    pub target: MatchTarget,
    /// The version of the match that the user saw.
    pub expected: Option<Version>,
    /// What.
    pub verdict: LinkVerdict,
    /// About which channels of guides, and why they were shown; none with `NO_GUIDE`.
    pub of: Vec<Proposal>,
    /// How the channel's own fields change, where they do. Where a link of the channel waits in an operation, the channel gets
    /// another version in any case: that link is a conflict then.
    pub change: Option<ChangedChannel>,
}

/// The last decision about a channel.
#[derive(Debug, Clone, PartialEq)]
pub struct LastDecision {
    /// What.
    pub verdict: LinkVerdict,
    /// When.
    pub decided_date: DateTime<Utc>,
    /// What it was linked with by it.
    pub of: Option<GuideChannelRef>,
    /// What the channel's fields had before: its guide and its id.
    pub before: (Option<Id>, Option<String>),
}

/// Keeps what is found and decided.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait MatchRepository: Send + Sync {
    /// How channels are matched, and how far that is.
    async fn matching(&self) -> Result<Matching, StoreError>;

    /// Puts other settings in the place of those that there are; every channel is matched anew.
    async fn configure(
        &self,
        settings: Valid<MatchingSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Matching>, StoreError>;

    /// Requests that every channel is matched anew.
    async fn request(&self, edit: &Edit) -> Result<(), StoreError>;

    /// Records that there is something to match: channels of guides changed, or channels without a link are new or were changed.
    /// Answers whether there is.
    async fn schedule(&self) -> Result<bool, StoreError>;

    /// Takes what is to be done.
    async fn claim(&self) -> Result<Option<ClaimedMatching>, StoreError>;

    /// The active guides that were read, in the order of their priority.
    async fn guides(&self) -> Result<Vec<MatchGuide>, StoreError>;

    /// Channels of a guide behind an id, by id.
    async fn guide_channels(
        &self,
        guide: Id,
        after: Id,
        count: u32,
    ) -> Result<Vec<(Id, GuideChannel)>, StoreError>;

    /// Every name that users gave channels of guides by links that stand.
    async fn aliases(&self) -> Result<Vec<ChannelAlias>, StoreError>;

    /// Active channels without a link behind an id, by id: all, or those that are new or were changed since they were matched.
    async fn targets(&self, whole: bool, after: Id, count: u32) -> Result<Vec<MatchTarget>, StoreError>;

    /// Decided links of active channels behind an id, by id: those whose channel of the guide has another first name than then, and
    /// those that were matched anew while there was no such channel, or its guide was inactive.
    async fn renamed(&self, after: Id, count: u32) -> Result<Vec<RenamedLink>, StoreError>;

    /// What was decided about these channels, oldest first.
    async fn decisions(&self, channels: &[Id]) -> Result<Vec<(Id, Decision)>, StoreError>;

    /// Writes what was found where it differs. `false` where another process has claimed the run.
    async fn write(
        &self,
        claim: &ClaimedMatching,
        found: Vec<(MatchTarget, FoundMatch)>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends the comparison of a run: forgets what was found for channels that are gone or that somebody linked. What is sure is to
    /// be linked from then on, also by another process. `false` where one has claimed the run.
    async fn end_comparison(
        &self,
        claim: &ClaimedMatching,
        counts: MatchingCounts,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// The channels that a guide surely has, that nobody decided about and that are as they were compared, with their versions.
    async fn sure(&self) -> Result<Vec<(Id, Version)>, StoreError>;

    /// Ends a run: what is sure is being linked.
    async fn end(&self, claim: &ClaimedMatching) -> Result<(), StoreError>;

    /// Ends a run that failed. Another one begins when a guide has changed since, or when it is requested.
    async fn fail(&self, claim: &ClaimedMatching, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Records the links that rows of a file are going to make. `false` where somebody decided about one of the channels since
    /// it was read: then none of the file is recorded any more.
    async fn expect_links(
        &self,
        sheet: Id,
        links: Vec<ExpectedLink>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// A page of what was found.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<EpgMatch>>, StoreError>;

    /// The channels that a list shows, at most so many.
    async fn matching_ids(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// What was found for these channels, with the channels as they are, by id.
    async fn find_all(&self, channels: &[Id]) -> Result<Vec<(EpgMatch, MatchTarget)>, StoreError>;

    /// The ids by which programmes of these channels of guides are found.
    async fn guide_channel_ids(
        &self,
        of: &[GuideChannelRef],
    ) -> Result<Vec<(GuideChannelRef, Id)>, StoreError>;

    /// Those of these channels that their guides have, with the guides.
    async fn named_guide_channels(
        &self,
        of: &[GuideChannelRef],
    ) -> Result<Vec<(Id, GuideChannel)>, StoreError>;

    /// A channel of a guide.
    async fn guide_channel(&self, of: &GuideChannelRef) -> Result<Option<GuideChannel>, StoreError>;

    /// Titles of guides.
    async fn guide_titles(&self) -> Result<Vec<(Id, String)>, StoreError>;

    /// Records a decision with the change of the channel. `Conflict` has what is there now, where the match or the channel is
    /// another one than was read.
    async fn decide(
        &self,
        decision: NewDecision,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError>;

    /// The last decision about a channel.
    async fn last_decision(&self, channel: Id) -> Result<Option<LastDecision>, StoreError>;

    /// Undoes the last decision about a channel. An automatic link is remembered as one that somebody did not want. `Conflict`
    /// has what is there now, where the match has another version than is expected, or another decision is the last.
    async fn undo_last_decision(
        &self,
        target: &MatchTarget,
        last: &LastDecision,
        expected: Option<Version>,
        change: Option<ChangedChannel>,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError>;
}
