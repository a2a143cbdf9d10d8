//! Matches of channels with channels of guides: found by a job, shown with reasons, decided by
//! users, stored (docs/spec/matching.md).

mod candidates;
mod deciding;
mod linking;
mod running;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::{Content, TvChannel};
use domain_kernel::{
    Action, Actor, DraftReader, Enumeration, FilterKind, Id, ListQuery, Page, Permission, Version,
};
use domain_live::{
    matching::{
        EpgMatch, GuideChannelRef, LinkVerdict, MatchLevel, MatchReason, Matching, MatchingSettings, Proposal,
    },
    programme::KeptProgramme,
    schedule::ScheduleSpan,
};
use ports::{MatchGroup, MatchRepository, ScheduleRepository, SheetRepository, Written};
use serde_json::{Value, json};

pub use self::{
    candidates::{Candidates, ComparedGuide, CurrentLink, GuideComparison},
    deciding::{LinkRequest, UndoLinkRequest},
    linking::AcceptRequest,
};
use crate::{
    Calendar, ContentServices, Error, ListShape, OperationService,
    body::{parse, to_json},
    guides::guide_permission,
    read_list_query,
    versions::outdated,
};

/// Permission to read matches, or to decide.
pub const fn match_permission(action: Action) -> Permission {
    TvChannel::KIND.permission(action)
}

fn missing(channel: Id) -> Error {
    Error::Missing { kind: TvChannel::KIND, id: channel }
}

#[derive(Clone)]
pub struct MatchingStores {
    pub matches: Arc<dyn MatchRepository>,
    pub schedule: Arc<dyn ScheduleRepository>,
    /// Links are stored like the rows of a file.
    pub sheets: Arc<dyn SheetRepository>,
}

/// Use cases of matching.
pub struct MatchingService {
    stores: MatchingStores,
    contents: ContentServices,
    operations: Arc<OperationService>,
    calendar: Calendar,
    settings: DraftReader<MatchingSettings>,
    link_requests: DraftReader<LinkRequest>,
    accept_requests: DraftReader<AcceptRequest>,
    undo_requests: DraftReader<UndoLinkRequest>,
}

/// A candidate with its guide and current programme.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRow {
    pub proposal: Proposal,
    /// Title of the guide; `None` for a deleted one.
    pub guide_title: Option<String>,
    /// Current programme.
    pub now: Option<KeptProgramme>,
}

/// A match as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRow {
    pub of: EpgMatch,
    /// Candidates, best first.
    pub candidates: Vec<CandidateRow>,
}

impl MatchRow {
    /// Time until which the decision can be undone; `None` without one.
    pub fn undo_until(&self) -> Option<DateTime<Utc>> {
        self.of.decision.and(self.of.decided_date).map(|decided| decided + deciding::UNDOABLE)
    }
}

/// Number of matches whose best candidates have a score in a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreBand {
    pub from: i32,
    /// Inclusive.
    pub to: i32,
    pub count: u64,
}

/// Numbers of the matches of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchNumbers {
    pub total: u64,
    /// By score of the best candidate, the highest first.
    pub bands: Vec<ScoreBand>,
    /// By reason for or against the best candidate.
    pub reasons: BTreeMap<MatchReason, u64>,
}

impl MatchNumbers {
    fn of(groups: Vec<MatchGroup>) -> Self {
        let mut numbers = Self::default();
        let mut bands: BTreeMap<i32, u64> = BTreeMap::new();
        for group in groups {
            numbers.total += group.count;
            // The last band is 90 to 100.
            *bands.entry(group.score.clamp(0, 99) / 10 * 10).or_default() += group.count;
            for reason in group.reasons {
                *numbers.reasons.entry(reason).or_default() += group.count;
            }
        }
        let band = |(from, count): (i32, u64)| ScoreBand {
            from,
            to: if from == 90 { 100 } else { from + 9 },
            count,
        };
        numbers.bands = bands.into_iter().rev().map(band).collect();
        numbers
    }
}

impl MatchingService {
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 25,
            sorts: vec!["id", "score"],
            filters: &[
                ("level", FilterKind::Codes(MatchLevel::CODES)),
                ("guide", FilterKind::Reference),
                ("channel", FilterKind::Reference),
                ("reason", FilterKind::Codes(MatchReason::CODES)),
                ("minScore", FilterKind::Number),
                ("maxScore", FilterKind::Number),
                ("clear", FilterKind::Flag),
                ("decided", FilterKind::Flag),
                ("decision", FilterKind::Codes(LinkVerdict::CODES)),
            ],
        }
    }

    pub fn new(
        stores: MatchingStores,
        contents: ContentServices,
        operations: Arc<OperationService>,
        calendar: Calendar,
    ) -> Self {
        Self {
            stores,
            contents,
            operations,
            calendar,
            settings: DraftReader::new(),
            link_requests: DraftReader::new(),
            accept_requests: DraftReader::new(),
            undo_requests: DraftReader::new(),
        }
    }

    /// A page of matches. `pairs` are those of the query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<MatchRow>>, Error> {
        let mut page = self.stores.matches.list(&Self::read_list(actor, pairs)?).await?;
        let rows = self.shown(std::mem::take(&mut page.content)).await?;
        Ok(page.map(|_| rows))
    }

    /// Numbers of the matches that a list with these parameters has.
    pub async fn numbers(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<MatchNumbers, Error> {
        let query = Self::read_list(actor, pairs)?;
        Ok(MatchNumbers::of(self.stores.matches.groups(&query).await?))
    }

    /// Reads the parameters of the list.
    pub(crate) fn read_list(actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        actor.require(match_permission(Action::Read))?;
        Ok(read_list_query(&Self::list_shape(), pairs)?)
    }

    /// Matches with titles of guides and current programmes.
    pub(crate) async fn shown(&self, matches: Vec<EpgMatch>) -> Result<Vec<MatchRow>, Error> {
        let all: Vec<Proposal> = matches.iter().flat_map(|one| one.candidates.iter().cloned()).collect();
        let mut rows = self.shown_candidates(all).await?.into_iter();
        let row = |of: EpgMatch| {
            let candidates = rows.by_ref().take(of.candidates.len()).collect();
            MatchRow { of, candidates }
        };
        Ok(matches.into_iter().map(row).collect())
    }

    /// Candidates in their order, with titles of guides and current programmes.
    async fn shown_candidates(&self, candidates: Vec<Proposal>) -> Result<Vec<CandidateRow>, Error> {
        let mut refs: Vec<GuideChannelRef> = candidates.iter().map(|one| one.of.clone()).collect();
        refs.sort_unstable();
        refs.dedup();
        if refs.is_empty() {
            return Ok(Vec::new());
        }
        let titles: HashMap<Id, String> = self.stores.matches.guide_titles().await?.into_iter().collect();
        let ids: HashMap<GuideChannelRef, Id> =
            self.stores.matches.guide_channel_ids(&refs).await?.into_iter().collect();
        let from = self.calendar.now();
        let span = ScheduleSpan { from, to: from + TimeDelta::seconds(1) };
        let channels: Vec<Id> = ids.values().copied().collect();
        let on: HashMap<Id, KeptProgramme> =
            self.stores.schedule.programmes(&channels, span).await?.into_iter().collect();
        let row = |proposal: Proposal| CandidateRow {
            guide_title: titles.get(&proposal.of.guide_id).cloned(),
            now: ids.get(&proposal.of).and_then(|id| on.get(id)).cloned(),
            proposal,
        };
        Ok(candidates.into_iter().map(row).collect())
    }

    async fn shown_one(&self, of: EpgMatch) -> Result<MatchRow, Error> {
        let mut rows = self.shown(vec![of]).await?;
        rows.pop().ok_or_else(|| ports::StoreError::Broken("a match without a row".into()).into())
    }

    /// Settings and state of matching.
    pub async fn matching(&self, actor: &Actor) -> Result<Matching, Error> {
        actor.require(match_permission(Action::Read))?;
        Ok(self.stores.matches.matching().await?)
    }

    /// Replaces the settings.
    pub async fn configure(
        &self,
        actor: &Actor,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Matching, Error> {
        actor.require(match_permission(Action::Update))?;
        actor.require(guide_permission(Action::Update))?;
        let settings = self.settings.read(parse(body)?, &())?;
        match self.stores.matches.configure(settings, expected, &self.calendar.edit_by(actor)).await? {
            Written::Done(matching) => {
                tracing::info!(actor = actor.username.as_str(), "matching settings changed");
                Ok(matching)
            }
            Written::Outdated(current) => Err(Error::Outdated(Box::new(current_json(&current)?))),
            Written::Missing => Err(outdated(&())?),
            Written::Conflict(never) => match never {},
        }
    }

    /// Requests matching of all channels without a link.
    pub async fn request(&self, actor: &Actor) -> Result<Matching, Error> {
        actor.require(match_permission(Action::Update))?;
        self.stores.matches.request(&self.calendar.edit_by(actor)).await?;
        tracing::info!(actor = actor.username.as_str(), "matching requested");
        Ok(self.stores.matches.matching().await?)
    }

    /// Begins a run if there are changes to match.
    pub async fn schedule(&self) -> Result<bool, Error> {
        Ok(self.stores.matches.schedule().await?)
    }
}

/// The settings as in responses, with all fields that a form with another version needs for a save.
fn current_json(matching: &Matching) -> Result<Value, Error> {
    let mut json = to_json(&matching.settings)?;
    json["version"] = json!(matching.version);
    json["updatedBy"] = json!(matching.updated_by);
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_by_score_and_by_each_reason() {
        let group = |score: i32, reasons: &[MatchReason], count: u64| MatchGroup {
            score,
            reasons: reasons.to_vec(),
            count,
        };
        let numbers = MatchNumbers::of(vec![
            group(100, &[MatchReason::IdEqual, MatchReason::NameEqual], 3),
            group(90, &[MatchReason::NameEqual], 2),
            group(89, &[MatchReason::Words, MatchReason::NumberDiffers], 4),
            group(30, &[MatchReason::Words], 1),
            group(0, &[], 5),
        ]);
        let bands: Vec<_> = numbers.bands.iter().map(|band| (band.from, band.to, band.count)).collect();
        assert_eq!(bands, [(90, 100, 5), (80, 89, 4), (30, 39, 1), (0, 9, 5)]);
        assert_eq!(numbers.total, 15);
        let expected = [
            (MatchReason::IdEqual, 3),
            (MatchReason::NameEqual, 5),
            (MatchReason::Words, 5),
            (MatchReason::NumberDiffers, 4),
        ];
        assert_eq!(numbers.reasons, BTreeMap::from(expected));
    }
}
