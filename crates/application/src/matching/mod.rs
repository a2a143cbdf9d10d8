//! Which channel of a guide a channel is: found by a job, shown to users with what speaks for and against, decided, remembered
//! (docs/spec/matching.md).

mod deciding;
mod linking;
mod running;

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::{Content, TvChannel};
use domain_kernel::{Action, Actor, DraftReader, Enumeration, FilterKind, Id, Page, Permission, Version};
use domain_live::{
    matching::{EpgMatch, GuideChannelRef, MatchLevel, MatchReason, Matching, MatchingSettings, Proposal},
    programme::KeptProgramme,
    schedule::ScheduleSpan,
};
use ports::{MatchRepository, ScheduleRepository, SheetRepository, Written};
use serde_json::{Value, json};

pub use self::{
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

/// The permission to look at what was found, or to decide.
pub const fn match_permission(action: Action) -> Permission {
    TvChannel::KIND.permission(action)
}

/// The stores of matching.
#[derive(Clone)]
pub struct MatchingStores {
    /// What was found and decided.
    pub matches: Arc<dyn MatchRepository>,
    /// What is on.
    pub schedule: Arc<dyn ScheduleRepository>,
    /// Links are made like the rows of a file.
    pub sheets: Arc<dyn SheetRepository>,
}

/// The use cases of matching.
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

/// A candidate with its guide and what is on.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRow {
    /// The channel of the guide, and why.
    pub proposal: Proposal,
    /// The title of the guide; `None` where it is gone.
    pub guide_title: Option<String>,
    /// What is on there now.
    pub now: Option<KeptProgramme>,
}

/// What was found for a channel, as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRow {
    /// The channel, the level, the decision.
    pub of: EpgMatch,
    /// Its candidates, best first.
    pub candidates: Vec<CandidateRow>,
}

impl MatchRow {
    /// Until when the decision can be taken back; `None` where there is none.
    pub fn undo_until(&self) -> Option<DateTime<Utc>> {
        self.of.decision.and(self.of.decided_date).map(|decided| decided + deciding::UNDOABLE)
    }
}

impl MatchingService {
    /// The parameters of the list.
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
                ("clear", FilterKind::Flag),
                ("decided", FilterKind::Flag),
            ],
        }
    }

    /// The use cases over their ports.
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

    /// A page of what was found. `pairs` are those of the query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<MatchRow>>, Error> {
        actor.require(match_permission(Action::Read))?;
        let mut page = self.stores.matches.list(&read_list_query(&Self::list_shape(), pairs)?).await?;
        let rows = self.shown(std::mem::take(&mut page.content)).await?;
        Ok(page.map(|_| rows))
    }

    /// What was found, with the guides' titles and what is on now.
    async fn shown(&self, matches: Vec<EpgMatch>) -> Result<Vec<MatchRow>, Error> {
        let mut refs: Vec<GuideChannelRef> =
            matches.iter().flat_map(|one| &one.candidates).map(|one| one.of.clone()).collect();
        refs.sort_unstable();
        refs.dedup();
        if refs.is_empty() {
            return Ok(matches.into_iter().map(|of| MatchRow { of, candidates: Vec::new() }).collect());
        }
        let titles: HashMap<Id, String> = self.stores.matches.guide_titles().await?.into_iter().collect();
        let ids: HashMap<GuideChannelRef, Id> =
            self.stores.matches.guide_channel_ids(&refs).await?.into_iter().collect();
        let from = self.calendar.now();
        let span = ScheduleSpan { from, to: from + TimeDelta::seconds(1) };
        let channels: Vec<Id> = ids.values().copied().collect();
        let on: HashMap<Id, KeptProgramme> =
            self.stores.schedule.programmes(&channels, span).await?.into_iter().collect();
        let candidate = |proposal: &Proposal| CandidateRow {
            guide_title: titles.get(&proposal.of.guide_id).cloned(),
            now: ids.get(&proposal.of).and_then(|id| on.get(id)).cloned(),
            proposal: proposal.clone(),
        };
        let row = |of: EpgMatch| MatchRow { candidates: of.candidates.iter().map(candidate).collect(), of };
        Ok(matches.into_iter().map(row).collect())
    }

    async fn shown_one(&self, of: EpgMatch) -> Result<MatchRow, Error> {
        let mut rows = self.shown(vec![of]).await?;
        rows.pop().ok_or_else(|| ports::StoreError::Broken("a match without a row".into()).into())
    }

    /// How channels are matched, and how far that is.
    pub async fn matching(&self, actor: &Actor) -> Result<Matching, Error> {
        actor.require(match_permission(Action::Read))?;
        Ok(self.stores.matches.matching().await?)
    }

    /// Puts other settings in the place of those that there are.
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
                tracing::info!(actor = actor.username.as_str(), "settings of matching changed");
                Ok(matching)
            }
            Written::Outdated(current) => Err(Error::Outdated(Box::new(as_it_is(&current)?))),
            Written::Missing => Err(outdated(&())?),
            Written::Conflict(never) => match never {},
        }
    }

    /// Requests that every channel without a link is matched.
    pub async fn request(&self, actor: &Actor) -> Result<Matching, Error> {
        actor.require(match_permission(Action::Update))?;
        self.stores.matches.request(&self.calendar.edit_by(actor)).await?;
        tracing::info!(actor = actor.username.as_str(), "matching requested");
        Ok(self.stores.matches.matching().await?)
    }

    /// Looks whether there is something to match.
    pub async fn schedule(&self) -> Result<bool, Error> {
        Ok(self.stores.matches.schedule().await?)
    }
}

/// The settings as answers show them: with what a form with another version needs to be saved over this one.
fn as_it_is(matching: &Matching) -> Result<Value, Error> {
    let mut json = to_json(&matching.settings)?;
    json["version"] = json!(matching.version);
    json["updatedBy"] = json!(matching.updated_by);
    Ok(json)
}
