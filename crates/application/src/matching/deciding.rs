//! Decisions: one transaction changes the channel and stores the decision.

use chrono::TimeDelta;
use domain_catalogue::{Stored, TvChannel};
use domain_kernel::{Action, Actor, Code, Id, Version, Violation, Violations};
use domain_live::matching::{EpgMatch, GuideChannelRef, LinkVerdict, Proposal};
use domain_operations::UNDO_HOURS;
use garde::Validate;
use ports::{ChangedChannel, MatchTarget, NewDecision, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ComparedGuide, GuideComparison, MatchRow, MatchingService, match_permission, missing};
use crate::{
    Error, OperationRefusal,
    body::{parse, to_json},
    merge::merge,
    versions::retry_if_overtaken,
};

/// Period in which a decision can be undone, like an operation.
pub(super) const UNDOABLE: TimeDelta = TimeDelta::hours(UNDO_HOURS);

/// Decision about the guide of a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideLink")]
#[garde(context(()))]
pub struct LinkRequest {
    /// `ACCEPTED`: the named channel of the guide. `REFUSED`: none of the candidates. `NO_GUIDE`:
    /// no guide has the channel.
    #[garde(custom(by_a_user))]
    pub verdict: LinkVerdict,
    /// ID of the guide; only with `ACCEPTED`.
    #[garde(custom(with_accepted(self.verdict)))]
    pub guide_id: Option<Id>,
    /// ID of the channel in the guide; only with `ACCEPTED`.
    #[garde(custom(with_accepted(self.verdict)), inner(length(chars, max = 1000)))]
    #[schemars(length(max = 1000))]
    pub xml_id: Option<String>,
    /// Minutes by which the channel's programmes are later than in the guide, or earlier if negative;
    /// only with `ACCEPTED`. Without it, the `tvg-shift` of the channel's playlist applies.
    #[garde(custom(only_with_accepted(self.verdict)), inner(range(min = -1_440, max = 1_440)))]
    #[schemars(range(min = -1440, max = 1440))]
    pub shift_minutes: Option<i32>,
}

fn by_a_user<T>(verdict: &LinkVerdict, _: &T) -> garde::Result {
    if *verdict == LinkVerdict::Linked {
        return Err(domain_kernel::fault(Code::UnknownValue, &[("allowed", &"ACCEPTED, REFUSED, NO_GUIDE")]));
    }
    Ok(())
}

fn with_accepted<V, T>(verdict: LinkVerdict) -> impl FnOnce(&Option<V>, &T) -> garde::Result {
    move |value, _| match (verdict == LinkVerdict::Accepted, value.is_some()) {
        (true, false) => Err(domain_kernel::fault(Code::Required, &[])),
        (false, true) => Err(domain_kernel::fault(Code::UnknownField, &[])),
        _ => Ok(()),
    }
}

fn only_with_accepted<V, T>(verdict: LinkVerdict) -> impl FnOnce(&Option<V>, &T) -> garde::Result {
    move |value, _| {
        if verdict != LinkVerdict::Accepted && value.is_some() {
            return Err(domain_kernel::fault(Code::UnknownField, &[]));
        }
        Ok(())
    }
}

/// Undo of the last decision about a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UndoGuideLink")]
#[garde(context(()))]
pub struct UndoLinkRequest {
    /// ID of the channel.
    #[garde(range(min = 1))]
    #[schemars(range(min = 1))]
    pub channel_id: Id,
}

fn target_of(channel: &Stored<TvChannel>) -> MatchTarget {
    MatchTarget {
        channel: channel.id,
        version: channel.version,
        title: channel.content.title.clone(),
        guide: channel.content.tv_guide_id,
        epg_id: channel.content.epg_id.clone(),
        match_version: 0,
        entry: None,
    }
}

fn has_link(target: &MatchTarget, of: &GuideChannelRef) -> bool {
    target.guide == Some(of.guide_id) && target.epg_id.as_ref() == Some(&of.xml_id)
}

impl MatchingService {
    /// Decides about a channel. `run` compares it with the guide, so that the decision is stored
    /// with its reasons where the run of matching did not find them.
    pub async fn decide(
        &self,
        actor: &Actor,
        channel: Id,
        body: &[u8],
        expected: Option<Version>,
        run: &impl AsyncFn(GuideComparison) -> Result<ComparedGuide, Error>,
    ) -> Result<MatchRow, Error> {
        actor.require(match_permission(Action::Update))?;
        let request = self.link_requests.read(parse(body)?, &())?.into_inner();
        let edit = self.calendar.edit_by(actor);
        retry_if_overtaken(async || {
            let stored = self.channel(channel).await?;
            let decision = self.decision_of(&request, &stored, expected, run).await?;
            match self.stores.matches.decide(decision, &edit).await? {
                Written::Done(found) => {
                    let verdict = domain_kernel::Enumeration::code(request.verdict);
                    tracing::info!(
                        actor = actor.username.as_str(),
                        channel,
                        verdict,
                        "guide link of channel decided"
                    );
                    self.shown_one(found).await.map(Some)
                }
                Written::Missing => Err(missing(channel)),
                Written::Conflict(current) => Err(decided_meanwhile(&current, expected)),
                // Concurrent change of the channel.
                Written::Outdated(_) => Ok(None),
            }
        })
        .await
    }

    async fn channel(&self, id: Id) -> Result<Stored<TvChannel>, Error> {
        self.contents.tv_channels.repository.find(id).await?.ok_or_else(|| missing(id))
    }

    async fn decision_of(
        &self,
        request: &LinkRequest,
        channel: &Stored<TvChannel>,
        expected: Option<Version>,
        run: &impl AsyncFn(GuideComparison) -> Result<ComparedGuide, Error>,
    ) -> Result<NewDecision, Error> {
        let target = target_of(channel);
        let found = self.stores.matches.find_all(&[channel.id]).await?.pop();
        let candidates = found.map(|(found, _)| found.candidates).unwrap_or_default();
        let (of, patch) = match request.verdict {
            LinkVerdict::Accepted | LinkVerdict::Linked => {
                let of = GuideChannelRef {
                    guide_id: request.guide_id.unwrap_or_default(),
                    xml_id: request.xml_id.clone().unwrap_or_default(),
                };
                let named = self.stores.matches.guide_channel(&of).await?;
                let named =
                    named.ok_or_else(|| Violations(vec![Violation::new("xmlId", Code::UnknownReference)]))?;
                let name = named.names.first().unwrap_or(&named.id).clone();
                let known = match candidates.into_iter().find(|one| one.of == of) {
                    Some(known) => Some(known),
                    None => self.explained(channel.id, &of, run).await?,
                };
                let (score, for_, against) =
                    known.map(|one| (one.score, one.for_, one.against)).unwrap_or_default();
                let is_there = has_link(&target, &of);
                let patch = json!({"tvGuideId": of.guide_id, "epgId": of.xml_id});
                (vec![Proposal { of, name, score, for_, against }], (!is_there).then_some(patch))
            }
            LinkVerdict::Refused => {
                let is_wrong = candidates.iter().any(|one| has_link(&target, &one.of));
                (candidates, is_wrong.then(|| json!({"tvGuideId": null})))
            }
            LinkVerdict::NoGuide => (Vec::new(), target.guide.is_some().then(|| json!({"tvGuideId": null}))),
        };
        let change = self.change_of(channel, patch).await?;
        let shift_minutes = request.shift_minutes;
        Ok(NewDecision { target, expected, verdict: request.verdict, of, shift_minutes, change })
    }

    /// The channel with changed fields, validated by its own rules.
    async fn change_of(
        &self,
        channel: &Stored<TvChannel>,
        patch: Option<Value>,
    ) -> Result<Option<ChangedChannel>, Error> {
        let Some(patch) = patch else { return Ok(None) };
        let mut whole = to_json(&channel.content)?;
        merge(&mut whole, patch);
        let content = self.contents.tv_channels.checked(whole, Some(&channel.content)).await?;
        Ok(Some(ChangedChannel { content, version: channel.version }))
    }

    /// Undoes the last decision about a channel, within 24 hours.
    pub async fn undo(
        &self,
        actor: &Actor,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<MatchRow, Error> {
        actor.require(match_permission(Action::Update))?;
        let UndoLinkRequest { channel_id } = self.undo_requests.read(parse(body)?, &())?.into_inner();
        let edit = self.calendar.edit_by(actor);
        retry_if_overtaken(async || {
            let stored = self.channel(channel_id).await?;
            let last = self.stores.matches.last_decision(channel_id).await?;
            let last = last.ok_or(Error::Operation(OperationRefusal::Nothing))?;
            if last.decided_date + UNDOABLE < self.calendar.now() {
                return Err(Error::Operation(OperationRefusal::TooLate));
            }
            let target = target_of(&stored);
            let (guide, epg_id) = &last.before;
            let patch = match &last.of {
                // Later changes of users are kept.
                Some(of) if matches!(last.verdict, LinkVerdict::Linked | LinkVerdict::Accepted) => {
                    has_link(&target, of).then(|| json!({"tvGuideId": guide, "epgId": epg_id}))
                }
                _ => {
                    let is_unchanged = target.guide.is_none() && target.epg_id == *epg_id;
                    (is_unchanged && guide.is_some()).then(|| json!({"tvGuideId": guide}))
                }
            };
            let change = self.change_of(&stored, patch).await?;
            match self.stores.matches.undo_last_decision(&target, &last, expected, change, &edit).await? {
                Written::Done(found) => {
                    tracing::info!(actor = actor.username.as_str(), channel = channel_id, "decision undone");
                    self.shown_one(found).await.map(Some)
                }
                Written::Missing => Err(missing(channel_id)),
                Written::Conflict(current) => Err(decided_meanwhile(&current, expected)),
                Written::Outdated(_) => Ok(None),
            }
        })
        .await
    }
}

/// Conflict of a decision or its undo: another decision, other candidates, or a link by the
/// channel's form since the match was shown.
fn decided_meanwhile(current: &EpgMatch, expected: Option<Version>) -> Error {
    match (current.decision, current.decided_date) {
        (Some(verdict), Some(at)) if expected != Some(current.version) => {
            Error::GuideDecided { by: current.decided_by.clone(), verdict, at }
        }
        _ => Error::Outdated(Box::new(json!({
            "id": current.channel, "version": current.version, "level": current.level,
        }))),
    }
}
