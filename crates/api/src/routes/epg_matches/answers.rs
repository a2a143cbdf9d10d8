//! Answers about matches: the schemas, and their values.

use application::{CandidateRow, CurrentLink, MatchNumbers, MatchRow, ScoreBand};
use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, Version};
use domain_live::matching::{
    LinkVerdict, MatchLevel, MatchReason, Matching, MatchingCounts, MatchingSettings, MatchingState,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    language::Language,
    routes::schedule::{ProgrammeAnswer, short},
};

/// Reason with its text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EpgMatchReason")]
struct ReasonAnswer {
    /// Code of the reason.
    code: MatchReason,
    /// Text of the reason, in the language of the request.
    message: &'static str,
}

/// Candidate for a channel: a channel of a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EpgCandidate")]
pub(super) struct CandidateAnswer {
    /// ID of the guide.
    guide_id: Id,
    /// Title of the guide; null for a deleted guide.
    guide_title: Option<String>,
    /// ID of the channel in the guide.
    xml_id: String,
    /// Name in the guide at the time of the comparison.
    name: String,
    /// Score from 0 to 100.
    score: u8,
    /// Reasons for the match.
    #[serde(rename = "for")]
    for_: Vec<ReasonAnswer>,
    /// Reasons against the match.
    against: Vec<ReasonAnswer>,
    /// Current programme of the guide's channel.
    now: Option<ProgrammeAnswer>,
}

/// Match of a channel, and the decision about it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EpgMatch")]
pub(super) struct MatchAnswer {
    /// ID of the channel.
    id: Id,
    /// Version of candidates and decision, for the `ETag` of a decision.
    version: Version,
    /// Channel number.
    channel_number: i32,
    /// Name of the channel.
    title: String,
    /// URL of the logo.
    image_url: Option<String>,
    /// EPG ID in the guide.
    epg_id: Option<String>,
    /// Current link; null without one.
    link: Option<CurrentLinkAnswer>,
    /// Level of the match. `REVIEW`: needs a decision. `AUTO`: linked, or the first candidate is
    /// certain. `NONE`: no guide has the channel.
    level: MatchLevel,
    /// Up to five candidates, best first.
    candidates: Vec<CandidateAnswer>,
    /// The last decision.
    decision: Option<LinkVerdict>,
    /// User who decided; null for an automatic link.
    decided_by: Option<String>,
    /// Time of the decision.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    decided_date: Option<DateTime<Utc>>,
    /// Time until which the decision can be undone; null without one.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    undo_until: Option<DateTime<Utc>>,
}

pub(super) fn candidate(row: CandidateRow, language: Language) -> CandidateAnswer {
    let reasons = |reasons: Vec<MatchReason>| {
        let said = |code: MatchReason| ReasonAnswer { code, message: code.labels().in_language(language.0) };
        reasons.into_iter().map(said).collect()
    };
    let of = row.proposal;
    CandidateAnswer {
        guide_id: of.of.guide_id,
        guide_title: row.guide_title,
        xml_id: of.of.xml_id,
        name: of.name,
        score: of.score,
        for_: reasons(of.for_),
        against: reasons(of.against),
        now: row.now.map(|kept| short(&kept, language)),
    }
}

pub(super) fn answer(row: MatchRow, language: Language) -> MatchAnswer {
    let undo_until = row.undo_until();
    let of = row.of;
    let link = CurrentLink::of(&of).map(CurrentLinkAnswer::from);
    MatchAnswer {
        id: of.channel,
        version: of.version,
        channel_number: of.number,
        title: of.title,
        image_url: of.image_url,
        epg_id: of.epg_id,
        link,
        level: of.level,
        candidates: row.candidates.into_iter().map(|one| candidate(one, language)).collect(),
        decision: of.decision,
        decided_by: of.decided_by,
        decided_date: of.decided_date,
        undo_until,
    }
}

/// Link of a channel with a channel of a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CurrentGuideLink")]
pub(super) struct CurrentLinkAnswer {
    /// ID of the guide.
    guide_id: Id,
    /// ID of the channel in the guide.
    xml_id: String,
    /// Shift that a user gave the channel's programmes, in minutes; null for that of its playlist.
    shift_minutes: Option<i32>,
}

impl From<CurrentLink> for CurrentLinkAnswer {
    fn from(CurrentLink { of, shift_minutes }: CurrentLink) -> Self {
        Self { guide_id: of.guide_id, xml_id: of.xml_id, shift_minutes }
    }
}

/// Candidates for a channel or an entry of a playlist, as of now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EpgCandidates")]
pub(super) struct CandidatesAnswer {
    /// Version of the channel's match, for the `If-Match` of a decision; 0 without a match. Null for
    /// an entry.
    pub(super) version: Option<Version>,
    /// Current link of the channel; null without one, and for an entry.
    pub(super) link: Option<CurrentLinkAnswer>,
    /// Level of the match that a run with these guides would find.
    pub(super) level: MatchLevel,
    /// Up to five candidates, best first.
    pub(super) candidates: Vec<CandidateAnswer>,
}

/// Number of channels with a level.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EpgMatchCount")]
struct LevelAnswer {
    /// Level of the match.
    level: MatchLevel,
    /// Number of active channels.
    count: u64,
}

/// Number of channels whose best candidates have a score in a band.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EpgMatchBand")]
struct BandAnswer {
    /// Lowest score.
    from: i32,
    /// Highest score.
    to: i32,
    /// Number of channels.
    count: u64,
}

/// Number of channels with a reason for or against the best candidate.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EpgMatchReasonCount")]
struct ReasonCountAnswer {
    /// Code of the reason.
    code: MatchReason,
    /// Text of the reason, in the language of the request.
    message: &'static str,
    /// Number of channels.
    count: u64,
}

/// Numbers of channels by score and by reason.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EpgMatchCounts")]
pub(super) struct NumbersAnswer {
    /// Number of channels.
    total: u64,
    /// By score of the best candidate, highest first, without empty bands.
    bands: Vec<BandAnswer>,
    /// By reason; a channel counts for each of its reasons.
    reasons: Vec<ReasonCountAnswer>,
}

pub(super) fn numbers(of: MatchNumbers, language: Language) -> NumbersAnswer {
    let band = |band: ScoreBand| BandAnswer { from: band.from, to: band.to, count: band.count };
    let reason = |(code, count): (MatchReason, u64)| ReasonCountAnswer {
        code,
        message: code.labels().in_language(language.0),
        count,
    };
    NumbersAnswer {
        total: of.total,
        bands: of.bands.into_iter().map(band).collect(),
        reasons: of.reasons.into_iter().map(reason).collect(),
    }
}

/// Settings and state of matching.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EpgMatching")]
pub(super) struct MatchingAnswer {
    #[serde(flatten)]
    settings: MatchingSettings,
    /// Version of the settings, from 1, for the `ETag`.
    version: Version,
    /// User who last changed the settings.
    updated_by: Option<String>,
    /// State of matching.
    state: MatchingState,
    /// User who requested the last run; null for a scheduled one.
    requested_by: Option<String>,
    /// End of the last run, including a failed one.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// Counts of the last run that compared channels.
    counts: MatchingCounts,
    /// Current numbers of channels by level.
    levels: Vec<LevelAnswer>,
}

impl From<Matching> for MatchingAnswer {
    fn from(of: Matching) -> Self {
        let level = |level: &MatchLevel| LevelAnswer {
            level: *level,
            count: of.levels.get(level).copied().unwrap_or(0),
        };
        Self {
            levels: MatchLevel::ALL.iter().map(level).collect(),
            settings: of.settings,
            version: of.version,
            updated_by: of.updated_by,
            state: of.state,
            requested_by: of.requested_by,
            finished_date: of.finished_date,
            counts: of.counts,
        }
    }
}
