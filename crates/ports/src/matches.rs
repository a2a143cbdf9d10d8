//! Matches of catalogue channels to guide channels: results of the matching job and decisions of users.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::TvChannel;
use domain_kernel::{Id, ListQuery, Page, Version};
use domain_live::{
    entry::Entry,
    matching::{
        Decision, EpgMatch, GuideChannel, GuideChannelRef, LinkVerdict, MatchReason, Matching,
        MatchingCounts, MatchingSettings, Outcome, Proposal,
    },
};
use garde::Valid;

use crate::{Edit, StoreError, Written};

/// A matching run claimed by this process: its writes are rejected once another process has claimed it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedMatching {
    /// Settings at the start of the run.
    pub settings: MatchingSettings,
    /// User on whose behalf sure matches are linked, if known.
    pub by: Option<String>,
    /// Whether all channels are matched, or only new and changed ones.
    pub whole: bool,
    /// State of the guides at the start of the run.
    pub guides: String,
    /// Number of started runs.
    pub attempt: i64,
    /// Whether the comparison has ended and sure matches are to be linked.
    pub compared: bool,
}

/// A channel to match.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchTarget {
    pub channel: Id,
    pub version: Version,
    pub title: String,
    /// Guide, active or not.
    pub guide: Option<Id>,
    pub epg_id: Option<String>,
    /// Version of the match; 0 where there is none.
    pub match_version: Version,
    /// Playlist entry that the channel was created from.
    pub entry: Option<Entry>,
}

/// A decided link of a channel whose guide channel may have been renamed.
#[derive(Debug, Clone, PartialEq)]
pub struct RenamedLink {
    pub target: MatchTarget,
    /// Guide channel.
    pub of: GuideChannelRef,
    /// Name at the time of the decision.
    pub before: String,
    /// All current names.
    pub names: Vec<String>,
}

/// A guide whose channels are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchGuide {
    pub id: Id,
    /// User of the last change.
    pub updated_by: Option<String>,
}

/// A name that a user assigned to a guide channel by linking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelAlias {
    /// Name in the guide.
    pub name: String,
    /// Title of the channel.
    pub alias: String,
}

/// Result of a run for a channel.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundMatch {
    /// A match.
    Found {
        outcome: Outcome,
        /// Whether the guide channel of a decided link was renamed: the decision is kept beside the
        /// candidates.
        renamed: bool,
    },
    /// The decision is kept.
    Stands,
}

/// A link that an operation row creates: decided by the transaction that changes the channel.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedLink {
    /// Number of the row.
    pub row: i64,
    /// Channel.
    pub target: MatchTarget,
    /// Decision by the job or by a user.
    pub verdict: LinkVerdict,
    /// User of the decision, if any.
    pub by: Option<String>,
    /// Linked guide channel, with the reason.
    pub proposal: Proposal,
}

/// A channel as changed by a decision.
#[derive(Debug)]
pub struct ChangedChannel {
    /// New content.
    pub content: Valid<TvChannel>,
    /// Version that was read.
    pub version: Version,
}

/// A decision of a user about a channel.
#[derive(Debug)]
pub struct NewDecision {
    /// Channel as read.
    pub target: MatchTarget,
    /// Version of the match that the user saw.
    pub expected: Option<Version>,
    pub verdict: LinkVerdict,
    /// Guide channels concerned, with the reasons why they were proposed; empty for `NO_GUIDE`.
    pub of: Vec<Proposal>,
    /// Shift of the channel's programmes against the accepted guide channel, in minutes; `None` for that of
    /// the channel's playlist.
    pub shift_minutes: Option<i32>,
    /// Change of the channel's own fields, if any. Where an operation is about to link the channel, the
    /// channel gets a new version in any case, so that the link of the operation conflicts.
    pub change: Option<ChangedChannel>,
}

/// Last decision about a channel.
#[derive(Debug, Clone, PartialEq)]
pub struct LastDecision {
    pub verdict: LinkVerdict,
    pub decided_date: DateTime<Utc>,
    /// Guide channel linked by the decision.
    pub of: Option<GuideChannelRef>,
    /// Shift that the decision gave the channel's programmes, in minutes; `None` for that of its playlist.
    pub shift_minutes: Option<i32>,
    /// Guide and id of the channel before the decision.
    pub before: (Option<Id>, Option<String>),
}

/// Number of matches whose best candidates have the same score and reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchGroup {
    /// Score of the best candidate; 0 without one.
    pub score: i32,
    /// Reasons for and against it.
    pub reasons: Vec<MatchReason>,
    pub count: u64,
}

/// Stores matches and decisions.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait MatchRepository: Send + Sync {
    /// Settings and progress of the matching.
    async fn matching(&self) -> Result<Matching, StoreError>;

    /// Replaces the settings; all channels are matched again.
    async fn configure(
        &self,
        settings: Valid<MatchingSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Matching>, StoreError>;

    /// Requests a new match of all channels.
    async fn request(&self, edit: &Edit) -> Result<(), StoreError>;

    /// Records a pending run where guide channels changed, or unlinked channels are new or changed. Returns
    /// whether a run is pending.
    async fn schedule(&self) -> Result<bool, StoreError>;

    /// Claims a pending run.
    async fn claim(&self) -> Result<Option<ClaimedMatching>, StoreError>;

    /// Active guides that were read, by priority.
    async fn guides(&self) -> Result<Vec<MatchGuide>, StoreError>;

    /// Channels of a guide after an id, by id.
    async fn guide_channels(
        &self,
        guide: Id,
        after: Id,
        count: u32,
    ) -> Result<Vec<(Id, GuideChannel)>, StoreError>;

    /// Names that users assigned to guide channels by current links.
    async fn aliases(&self) -> Result<Vec<ChannelAlias>, StoreError>;

    /// Active unlinked channels after an id, by id: all, or those new or changed since they were matched.
    async fn targets(&self, whole: bool, after: Id, count: u32) -> Result<Vec<MatchTarget>, StoreError>;

    /// Decided links of active channels after an id, by id: those whose guide channel was renamed, and those
    /// matched again while the guide channel was missing or its guide inactive.
    async fn renamed(&self, after: Id, count: u32) -> Result<Vec<RenamedLink>, StoreError>;

    /// Decisions about these channels, oldest first.
    async fn decisions(&self, channels: &[Id]) -> Result<Vec<(Id, Decision)>, StoreError>;

    /// Writes the results that differ. `false` where another process has claimed the run.
    async fn write(
        &self,
        claim: &ClaimedMatching,
        found: Vec<(MatchTarget, FoundMatch)>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends the comparison of a run: deletes matches of channels that were removed or linked by a user. Sure
    /// matches may then be linked, also by another process. `false` where another process has claimed the
    /// run.
    async fn end_comparison(
        &self,
        claim: &ClaimedMatching,
        counts: MatchingCounts,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Channels with a sure match, without a decision and unchanged since the comparison, with their
    /// versions.
    async fn sure(&self) -> Result<Vec<(Id, Version)>, StoreError>;

    /// Ends a run whose sure matches are being linked.
    async fn end(&self, claim: &ClaimedMatching) -> Result<(), StoreError>;

    /// Ends a failed run. The next one begins when a guide has changed since, or on request.
    async fn fail(&self, claim: &ClaimedMatching, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Records the links that the rows of a file are going to create. `false`, recording none, where a
    /// decision about one of the channels was made since it was read.
    async fn expect_links(
        &self,
        sheet: Id,
        links: Vec<ExpectedLink>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// A page of the matches.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<EpgMatch>>, StoreError>;

    /// Numbers of the matches of a list, by score and reasons.
    async fn groups(&self, query: &ListQuery) -> Result<Vec<MatchGroup>, StoreError>;

    /// Ids of the channels that a list shows, limited.
    async fn matching_ids(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// Matches of these channels with the current channels, by id.
    async fn find_all(&self, channels: &[Id]) -> Result<Vec<(EpgMatch, MatchTarget)>, StoreError>;

    /// The current match of an existing channel, with the channel. Version 0, without candidates and decision,
    /// where there is no match, or the channel was linked by its form since.
    async fn find_current(&self, channel: Id) -> Result<Option<(EpgMatch, MatchTarget)>, StoreError>;

    /// Ids of the programmes of these guide channels.
    async fn guide_channel_ids(
        &self,
        of: &[GuideChannelRef],
    ) -> Result<Vec<(GuideChannelRef, Id)>, StoreError>;

    /// The channels among these that their guides have, with the guides.
    async fn named_guide_channels(
        &self,
        of: &[GuideChannelRef],
    ) -> Result<Vec<(Id, GuideChannel)>, StoreError>;

    /// A channel of a guide.
    async fn guide_channel(&self, of: &GuideChannelRef) -> Result<Option<GuideChannel>, StoreError>;

    /// Ids and titles of guides.
    async fn guide_titles(&self) -> Result<Vec<(Id, String)>, StoreError>;

    /// Records a decision with the change of the channel. `Conflict` carries the current state, where the
    /// match or the channel has another version than the one that was read.
    async fn decide(
        &self,
        decision: NewDecision,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError>;

    /// Last decision about a channel.
    async fn last_decision(&self, channel: Id) -> Result<Option<LastDecision>, StoreError>;

    /// Undoes the last decision about a channel. An undone automatic link is recorded as rejected. `Conflict`
    /// carries the current state, where the match has another version than expected or the decision is not
    /// the last.
    async fn undo_last_decision(
        &self,
        target: &MatchTarget,
        last: &LastDecision,
        expected: Option<Version>,
        change: Option<ChangedChannel>,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError>;
}
