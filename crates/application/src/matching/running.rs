//! Carrying a run out: channels without a link are compared with guides, so many at a time. Called by the one job that holds the
//! lease, on a thread of its own.

use std::collections::HashMap;

use domain_kernel::{Actor, Id};
use domain_live::matching::{
    Before, Decision, GuideChannel, LinkVerdict, MatchLevel, Matched, Matcher, MatchingCounts, Outcome,
    Proposal, Review, Thresholds, Wanted, alias_key, country_of_entry, is_called_alike,
};
use ports::{ClaimedMatching, FoundMatch, MatchGuide, MatchTarget, RenamedLink};

use super::{MatchingService, match_permission};
use crate::Error;

/// Channels that are compared with every guide before the next ones are read: what is held in memory.
const MOST_OPEN: usize = 20_000;
/// Rows that are read at once.
const AT_ONCE: u32 = 1_000;
/// Rows that are written at once.
const WRITTEN_AT_ONCE: usize = 500;

/// A channel that is being compared.
struct Open {
    target: MatchTarget,
    before: Before,
    review: Review,
    /// The link that was decided and now has another name.
    renamed: Option<RenamedLink>,
}

/// What a run comes to.
#[derive(Default)]
struct Run {
    counts: MatchingCounts,
    sure: Vec<(MatchTarget, Proposal)>,
}

/// Which names users gave channels of guides, by [`alias_key`].
type Aliases = HashMap<String, Vec<String>>;

impl MatchingService {
    /// Carries out what is to be done; answers whether there was something. A run that was interrupted is begun anew.
    pub async fn run_next(&self) -> Result<bool, Error> {
        let Some(claim) = self.stores.matches.claim().await? else { return Ok(false) };
        let Some(run) = self.carry_out(&claim).await? else { return Ok(true) };
        let counts = run.counts;
        let guides = self.stores.matches.guides().await?;
        let ended = self.stores.matches.end(&claim, counts, self.calendar.now()).await?;
        if ended {
            tracing::info!(
                counts.channels,
                counts.sure,
                counts.review,
                whole = claim.whole,
                "channels matched"
            );
            self.link_sure(&claim, &guides, run.sure).await?;
        }
        Ok(true)
    }

    /// `None` where another process has claimed the run.
    async fn carry_out(&self, claim: &ClaimedMatching) -> Result<Option<Run>, Error> {
        let mut run = Run::default();
        let guides = self.stores.matches.guides().await?;
        let aliases = self.aliases().await?;
        let mut open = Vec::new();
        if claim.whole {
            let mut after = 0;
            loop {
                let renamed = self.stores.matches.renamed(after, AT_ONCE).await?;
                let Some(last) = renamed.last() else { break };
                after = last.target.channel;
                let Some(more) = self.open_renamed(claim, renamed).await? else { return Ok(None) };
                open.extend(more);
            }
        }
        let mut after = 0;
        loop {
            while open.len() < MOST_OPEN {
                let targets = self.stores.matches.targets(claim.whole, after, AT_ONCE).await?;
                let Some(last) = targets.last() else { break };
                after = last.channel;
                let Some(more) = self.open(claim, targets).await? else { return Ok(None) };
                open.extend(more);
            }
            if open.is_empty() {
                return Ok(Some(run));
            }
            for guide in &guides {
                self.compare(claim, guide, &aliases, &mut open).await?;
            }
            if !self.write(claim, std::mem::take(&mut open), &mut run).await? {
                return Ok(None);
            }
        }
    }

    async fn aliases(&self) -> Result<Aliases, Error> {
        let mut aliases = Aliases::new();
        for one in self.stores.matches.aliases().await? {
            aliases.entry(alias_key(&one.name)).or_default().push(one.alias);
        }
        Ok(aliases)
    }

    async fn decisions_of(&self, channels: &[Id]) -> Result<HashMap<Id, Vec<Decision>>, Error> {
        let mut decisions: HashMap<Id, Vec<Decision>> = HashMap::new();
        for (channel, decision) in self.stores.matches.decisions(channels).await? {
            decisions.entry(channel).or_default().push(decision);
        }
        Ok(decisions)
    }

    /// Those of the channels that are to be compared; what was decided about the others stands.
    async fn open(
        &self,
        claim: &ClaimedMatching,
        targets: Vec<MatchTarget>,
    ) -> Result<Option<Vec<Open>>, Error> {
        let ids: Vec<Id> = targets.iter().map(|target| target.channel).collect();
        let mut decisions = self.decisions_of(&ids).await?;
        let (mut open, mut stand) = (Vec::new(), Vec::new());
        for target in targets {
            let decisions = decisions.remove(&target.channel).unwrap_or_default();
            if stands(&target, &decisions) {
                stand.push((target, FoundMatch::Stands));
                continue;
            }
            let before = Before::of(&decisions, target.guide, target.epg_id.as_deref());
            let review = Review::new(&before);
            open.push(Open { target, before, review, renamed: None });
        }
        Ok(self.stores.matches.write(claim, stand, self.calendar.now()).await?.then_some(open))
    }

    /// Those of the links whose id carries the name of another channel.
    async fn open_renamed(
        &self,
        claim: &ClaimedMatching,
        renamed: Vec<RenamedLink>,
    ) -> Result<Option<Vec<Open>>, Error> {
        let (mut open, mut stand) = (Vec::new(), Vec::new());
        for link in renamed {
            let target = link.target.clone();
            if is_called_alike(&link.before, &link.names) {
                stand.push((target, FoundMatch::Stands));
                continue;
            }
            let decisions = self.decisions_of(&[target.channel]).await?;
            let of_channel = decisions.get(&target.channel).map(Vec::as_slice).unwrap_or_default();
            let before = Before::of(of_channel, target.guide, target.epg_id.as_deref());
            let review = Review::new(&before);
            open.push(Open { target, before, review, renamed: Some(link) });
        }
        Ok(self.stores.matches.write(claim, stand, self.calendar.now()).await?.then_some(open))
    }

    /// Compares channels with those of one guide.
    async fn compare(
        &self,
        claim: &ClaimedMatching,
        guide: &MatchGuide,
        aliases: &Aliases,
        open: &mut [Open],
    ) -> Result<(), Error> {
        let mut channels: Vec<GuideChannel> = Vec::new();
        let mut after = 0;
        loop {
            let some = self.stores.matches.guide_channels(guide.id, after, AT_ONCE).await?;
            let Some((last, _)) = some.last() else { break };
            after = *last;
            channels.extend(some.into_iter().map(|(_, channel)| channel));
        }
        if !aliases.is_empty() {
            for channel in &mut channels {
                let known = channel.names.iter().filter_map(|name| aliases.get(&alias_key(name)));
                channel.aliases = known.flatten().cloned().collect();
            }
        }
        let thresholds = Thresholds::from(claim.settings);
        let matcher = Matcher::new(&channels, thresholds);
        for one in open {
            let country = one.target.entry.as_ref().and_then(country_of_entry);
            let tvg_id = one.target.epg_id.as_deref().unwrap_or_default();
            let found: Matched = matcher.find(&Wanted { name: &one.target.title, tvg_id, country });
            one.review.add(guide.id, &channels, &found, &one.before, thresholds);
        }
        Ok(())
    }

    /// Writes what came of the comparison. `false` where another process has claimed the run.
    async fn write(&self, claim: &ClaimedMatching, open: Vec<Open>, run: &mut Run) -> Result<bool, Error> {
        let thresholds = Thresholds::from(claim.settings);
        let mut found = Vec::with_capacity(WRITTEN_AT_ONCE.min(open.len()));
        for one in open {
            let Open { target, mut review, renamed, .. } = one;
            let is_renamed = renamed.is_some();
            if let Some(link) = renamed {
                let name = link.names.first().unwrap_or(&link.of.xml_id).clone();
                review.add_renamed(link.of, name);
            }
            let outcome: Outcome = review.outcome(thresholds, target.guide);
            run.counts.channels += 1;
            match outcome.level {
                MatchLevel::Auto => {
                    run.counts.sure += 1;
                    if let Some(first) = outcome.proposals.first() {
                        run.sure.push((target.clone(), first.clone()));
                    }
                }
                MatchLevel::Review => run.counts.review += 1,
                MatchLevel::None => run.counts.none += 1,
            }
            found.push((target, FoundMatch::Found { outcome, renamed: is_renamed }));
            if found.len() == WRITTEN_AT_ONCE {
                let some = std::mem::take(&mut found);
                if !self.stores.matches.write(claim, some, self.calendar.now()).await? {
                    return Ok(false);
                }
            }
        }
        Ok(self.stores.matches.write(claim, found, self.calendar.now()).await?)
    }

    /// Links what is sure, as one operation that can be undone. Where nobody is known in whose name, it waits for a user.
    async fn link_sure(
        &self,
        claim: &ClaimedMatching,
        guides: &[MatchGuide],
        sure: Vec<(MatchTarget, Proposal)>,
    ) -> Result<(), Error> {
        if !claim.settings.automatic || sure.is_empty() {
            return Ok(());
        }
        let names = claim.by.iter().chain(guides.iter().filter_map(|guide| guide.updated_by.as_ref()));
        for name in names {
            if let Some(actor) = self.actor_of(name).await? {
                self.link(&actor, sure, LinkVerdict::Linked).await?;
                return Ok(());
            }
        }
        tracing::warn!(channels = sure.len(), "nobody is known in whose name channels are linked");
        Ok(())
    }

    /// A user who may still link channels.
    async fn actor_of(&self, name: &str) -> Result<Option<Actor>, Error> {
        match self.operations.actor_named(name).await {
            Ok(actor) => {
                let may = [domain_kernel::Action::Create, domain_kernel::Action::Update];
                Ok(may.into_iter().all(|action| actor.may(match_permission(action))).then_some(actor))
            }
            Err(Error::Forbidden) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether nothing is to be found: no guide has the channel, or a user decided for a channel of a guide that is inactive now or
/// does not have it any more.
fn stands(target: &MatchTarget, decisions: &[Decision]) -> bool {
    let Some(last) = decisions.last() else { return false };
    match (last.verdict, &last.of) {
        (LinkVerdict::NoGuide, _) => true,
        (LinkVerdict::Accepted, Some(of)) => {
            target.guide == Some(of.guide_id) && target.epg_id.as_ref() == Some(&of.xml_id)
        }
        _ => false,
    }
}
