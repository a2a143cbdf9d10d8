//! Candidates of one channel, or of an entry of a playlist, compared on request with one guide or
//! all (docs/adr/0036-candidates-on-request.md).

use domain_kernel::{Action, Actor, Code, Id, Version, Violation, Violations};
use domain_live::{
    channel::ChannelFields,
    entry::Entry,
    matching::{
        EpgMatch, GuideChannel, GuideChannelRef, MatchLevel, Matched, Matcher, Outcome, Proposal, Thresholds,
        Wanted,
    },
};
use ports::MatchTarget;

use super::{CandidateRow, MatchingService, match_permission, missing, running::Open};
use crate::Error;

/// Comparison of one channel with all channels of a guide. It takes as long as indexing the guide:
/// the caller runs it on a thread that may block.
#[derive(Debug)]
pub struct GuideComparison {
    channels: Vec<GuideChannel>,
    thresholds: Thresholds,
    title: String,
    epg_id: String,
    countries: Vec<&'static str>,
    languages: Vec<&'static str>,
}

/// Result of a [`GuideComparison`].
#[derive(Debug)]
pub struct ComparedGuide {
    channels: Vec<GuideChannel>,
    matched: Matched,
}

impl GuideComparison {
    fn of(open: &Open, channels: Vec<GuideChannel>, thresholds: Thresholds) -> Self {
        let Wanted { name, tvg_id, countries, languages } = open.wanted();
        Self {
            channels,
            thresholds,
            title: name.to_owned(),
            epg_id: tvg_id.to_owned(),
            countries: countries.to_vec(),
            languages: languages.to_vec(),
        }
    }

    /// Compares. Words weigh by their rarity in the whole guide, as in a run of matching.
    pub fn run(self) -> ComparedGuide {
        let Self { channels, thresholds, title, epg_id, countries, languages } = self;
        let wanted = Wanted { name: &title, tvg_id: &epg_id, countries: &countries, languages: &languages };
        let matched = Matcher::new(&channels, thresholds).find(&wanted);
        ComparedGuide { channels, matched }
    }
}

/// Link of a channel, with the shift that a user gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentLink {
    /// Channel of the guide.
    pub of: GuideChannelRef,
    /// In minutes; `None` for the shift of the channel's playlist.
    pub shift_minutes: Option<i32>,
}

impl CurrentLink {
    /// Link of a channel with a channel that its guide has.
    pub fn of(found: &EpgMatch) -> Option<Self> {
        let (guide_id, xml_id) = found.guide.zip(found.epg_id.clone()).filter(|_| found.is_linked)?;
        Some(Self { of: GuideChannelRef { guide_id, xml_id }, shift_minutes: found.shift_minutes })
    }
}

/// Candidates of a channel or an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// Version of the channel's match, for a decision: 0 without a match. `None` for an entry.
    pub version: Option<Version>,
    /// Link of the channel with a channel that its guide has.
    pub link: Option<CurrentLink>,
    /// Level that a run of matching with these guides would find.
    pub level: MatchLevel,
    /// Up to five, best first.
    pub candidates: Vec<CandidateRow>,
}

impl MatchingService {
    /// Candidates of a channel in one guide, or in all by priority. `run` runs each comparison.
    pub async fn candidates_of_channel(
        &self,
        actor: &Actor,
        channel: Id,
        guide: Option<Id>,
        run: &impl AsyncFn(GuideComparison) -> Result<ComparedGuide, Error>,
    ) -> Result<Candidates, Error> {
        actor.require(match_permission(Action::Read))?;
        let current = self.stores.matches.find_current(channel).await?;
        let (found, target) = current.ok_or_else(|| missing(channel))?;
        let link = CurrentLink::of(&found);
        let outcome = self.compared(target, guide, run).await?;
        let shown = self.shown_outcome(Some(found.version), outcome).await?;
        Ok(Candidates { link, ..shown })
    }

    /// Candidates of an entry of a playlist, as of a channel that it would create. A radio station
    /// has none.
    pub async fn candidates_of_entry(
        &self,
        actor: &Actor,
        entry: Entry,
        guide: Option<Id>,
        run: &impl AsyncFn(GuideComparison) -> Result<ComparedGuide, Error>,
    ) -> Result<Candidates, Error> {
        actor.require(match_permission(Action::Read))?;
        if entry.is_radio() {
            return Ok(Candidates {
                version: None,
                link: None,
                level: MatchLevel::None,
                candidates: Vec::new(),
            });
        }
        let ChannelFields { title, epg_id, .. } = ChannelFields::of(&entry);
        let target = MatchTarget {
            channel: 0,
            version: 0,
            title,
            guide: None,
            epg_id,
            match_version: 0,
            entry: Some(entry),
        };
        let outcome = self.compared(target, guide, run).await?;
        self.shown_outcome(None, outcome).await
    }

    /// The proposal of a channel of a guide, with its reasons; `None` if it is not among the candidates.
    pub(super) async fn explained(
        &self,
        channel: Id,
        of: &GuideChannelRef,
        run: &impl AsyncFn(GuideComparison) -> Result<ComparedGuide, Error>,
    ) -> Result<Option<Proposal>, Error> {
        let Some((_, target)) = self.stores.matches.find_current(channel).await? else { return Ok(None) };
        let outcome = self.compared(target, Some(of.guide_id), run).await?;
        Ok(outcome.proposals.into_iter().find(|one| one.of == *of))
    }

    /// The outcome that a run of matching would have for a channel with these guides.
    async fn compared(
        &self,
        target: MatchTarget,
        guide: Option<Id>,
        run: &impl AsyncFn(GuideComparison) -> Result<ComparedGuide, Error>,
    ) -> Result<Outcome, Error> {
        let guides = self.guides_to_compare(guide).await?;
        let thresholds = Thresholds::from(self.stores.matches.matching().await?.settings);
        let aliases = self.aliases().await?;
        let mut decisions = self.decisions_of(&[target.channel]).await?;
        let decisions = decisions.remove(&target.channel).unwrap_or_default();
        let mut open = Open::new(target, &decisions, None);
        for guide in guides {
            let channels = self.channels_of(guide, &aliases).await?;
            let ComparedGuide { channels, matched } =
                run(GuideComparison::of(&open, channels, thresholds)).await?;
            open.review.add(guide, &channels, &matched, &open.before, thresholds);
        }
        Ok(open.review.outcome(thresholds, open.target.guide))
    }

    /// One guide, active or not; or those of a run, by priority.
    async fn guides_to_compare(&self, guide: Option<Id>) -> Result<Vec<Id>, Error> {
        let Some(guide) = guide else {
            return Ok(self.stores.matches.guides().await?.into_iter().map(|guide| guide.id).collect());
        };
        let known = self.stores.matches.guide_titles().await?;
        if known.iter().any(|(id, _)| *id == guide) {
            Ok(vec![guide])
        } else {
            Err(Violations(vec![Violation::new("guide", Code::UnknownReference)]).into())
        }
    }

    async fn shown_outcome(&self, version: Option<Version>, outcome: Outcome) -> Result<Candidates, Error> {
        let candidates = self.shown_candidates(outcome.proposals).await?;
        Ok(Candidates { version, link: None, level: outcome.level, candidates })
    }
}
