//! Runs of matching: compares channels without a link with guides, in batches. Called by the one
//! job with the lease, on its own thread.

use std::collections::HashMap;

use async_trait::async_trait;
use domain_kernel::{Actor, Id, Version};
use domain_live::matching::{
    Before, Decision, EpgMatch, GuideChannel, GuideChannelRef, LinkVerdict, MatchLevel, Matched, Matcher,
    MatchingCounts, MatchingState, Outcome, Review, Thresholds, Wanted, alias_key, countries_of_entry,
    is_called_alike, languages_of_entry,
};
use ports::{ClaimedMatching, FoundMatch, MatchGuide, MatchTarget, RenamedLink};

use super::{MatchingService, match_permission};
use crate::{Error, Job, panics::end_of_run};

/// Maximum channels in memory: compared with every guide before the next batch is read.
const MOST_OPEN: usize = 5_000;
/// Rows per read.
const AT_ONCE: u32 = 1_000;
/// Rows per write.
const WRITTEN_AT_ONCE: usize = 500;

/// A channel during its comparison.
pub(super) struct Open {
    /// The channel, without its entry.
    pub target: MatchTarget,
    /// Countries of its entry.
    pub countries: Vec<&'static str>,
    /// Languages of its entry.
    pub languages: Vec<&'static str>,
    pub before: Before,
    pub review: Review,
    /// The decided link, and the current name of its guide's channel.
    renamed: Option<(GuideChannelRef, String)>,
}

impl Open {
    pub fn new(
        mut target: MatchTarget,
        decisions: &[Decision],
        renamed: Option<(GuideChannelRef, String)>,
    ) -> Self {
        let before = Before::of(decisions, target.guide, target.epg_id.as_deref());
        let review = Review::new(&before);
        let entry = target.entry.take().unwrap_or_default();
        let (countries, languages) = (countries_of_entry(&entry), languages_of_entry(&entry));
        Self { target, countries, languages, before, review, renamed }
    }

    /// Name, ID, countries and languages to find in a guide.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted {
            name: &self.target.title,
            tvg_id: self.target.epg_id.as_deref().unwrap_or_default(),
            countries: &self.countries,
            languages: &self.languages,
        }
    }
}

/// Result of a run.
#[derive(Default)]
struct Run {
    counts: MatchingCounts,
    /// Channels to link, with their versions at the comparison.
    sure: Vec<(Id, Version)>,
}

enum End {
    /// Channels were compared, and certain matches are being linked.
    Finished,
    /// Permanent failure.
    Failed,
}

/// Alias names of channels of guides, by [`alias_key`].
pub(super) type Aliases = HashMap<String, Vec<String>>;

#[async_trait(?Send)]
impl Job for MatchingService {
    /// Compares the channels without a link. An interrupted comparison restarts; then certain
    /// matches without a link are linked.
    async fn run_next(&self) -> Result<bool, Error> {
        let Some(claim) = self.stores.matches.claim().await? else { return Ok(false) };
        let failed = |error: &Error| {
            tracing::error!(whole = claim.whole, %error, "matching failed");
            End::Failed
        };
        match end_of_run(self.carry_out(&claim), failed).await? {
            Some(End::Finished) => self.stores.matches.end(&claim).await?,
            Some(End::Failed) => self.stores.matches.fail(&claim, self.calendar.now()).await?,
            None => {}
        }
        Ok(true)
    }
}

impl MatchingService {
    /// End of the run; `None` after a claim by another process, or with another pending request.
    async fn carry_out(&self, claim: &ClaimedMatching) -> Result<Option<End>, Error> {
        let sure = if claim.compared {
            self.stores.matches.sure().await?
        } else {
            let Some(Run { counts, sure }) = self.compare_all(claim).await? else { return Ok(None) };
            if !self.stores.matches.end_comparison(claim, counts, self.calendar.now()).await? {
                return Ok(None);
            }
            let MatchingCounts { channels, sure: linked, review, .. } = counts;
            tracing::info!(channels, sure = linked, review, whole = claim.whole, "channels matched");
            sure
        };
        // After a change of settings or another request, the pending run links by those.
        if self.stores.matches.matching().await?.state != MatchingState::Linking {
            return Ok(None);
        }
        self.link_sure(claim, sure).await?;
        Ok(Some(End::Finished))
    }

    /// `None` after a claim by another process.
    async fn compare_all(&self, claim: &ClaimedMatching) -> Result<Option<Run>, Error> {
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

    pub(super) async fn aliases(&self) -> Result<Aliases, Error> {
        let mut aliases = Aliases::new();
        for one in self.stores.matches.aliases().await? {
            aliases.entry(alias_key(&one.name)).or_default().push(one.alias);
        }
        Ok(aliases)
    }

    pub(super) async fn decisions_of(&self, channels: &[Id]) -> Result<HashMap<Id, Vec<Decision>>, Error> {
        let mut decisions: HashMap<Id, Vec<Decision>> = HashMap::new();
        for (channel, decision) in self.stores.matches.decisions(channels).await? {
            decisions.entry(channel).or_default().push(decision);
        }
        Ok(decisions)
    }

    /// The channels to compare; the decisions about the others are kept.
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
            if decision_applies(&target, &decisions) {
                stand.push((target, FoundMatch::Stands));
                continue;
            }
            open.push(Open::new(target, &decisions, None));
        }
        Ok(self.stores.matches.write(claim, stand, self.calendar.now()).await?.then_some(open))
    }

    /// The links whose ID has another channel's name now.
    async fn open_renamed(
        &self,
        claim: &ClaimedMatching,
        renamed: Vec<RenamedLink>,
    ) -> Result<Option<Vec<Open>>, Error> {
        let (alike, others): (Vec<_>, Vec<_>) =
            renamed.into_iter().partition(|link| is_called_alike(&link.before, &link.names));
        let stand = alike.into_iter().map(|link| (link.target, FoundMatch::Stands)).collect();
        let ids: Vec<Id> = others.iter().map(|link| link.target.channel).collect();
        let mut decisions = self.decisions_of(&ids).await?;
        let open = others.into_iter().map(|RenamedLink { target, of, names, .. }| {
            let name = names.into_iter().next().unwrap_or_else(|| of.xml_id.clone());
            let decisions = decisions.remove(&target.channel).unwrap_or_default();
            Open::new(target, &decisions, Some((of, name)))
        });
        let open = open.collect();
        Ok(self.stores.matches.write(claim, stand, self.calendar.now()).await?.then_some(open))
    }

    /// All channels of a guide, with their aliases.
    pub(super) async fn channels_of(&self, guide: Id, aliases: &Aliases) -> Result<Vec<GuideChannel>, Error> {
        let mut channels: Vec<GuideChannel> = Vec::new();
        let mut after = 0;
        loop {
            let some = self.stores.matches.guide_channels(guide, after, AT_ONCE).await?;
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
        Ok(channels)
    }

    /// Compares channels with those of one guide.
    async fn compare(
        &self,
        claim: &ClaimedMatching,
        guide: &MatchGuide,
        aliases: &Aliases,
        open: &mut [Open],
    ) -> Result<(), Error> {
        let channels = self.channels_of(guide.id, aliases).await?;
        let thresholds = Thresholds::from(claim.settings);
        let matcher = Matcher::new(&channels, thresholds);
        let mut search = matcher.search();
        for one in open {
            let found: Matched = search.find(&one.wanted());
            one.review.add(guide.id, &channels, &found, &one.before, thresholds);
        }
        Ok(())
    }

    /// Writes the results. `false` after a claim by another process.
    async fn write(&self, claim: &ClaimedMatching, open: Vec<Open>, run: &mut Run) -> Result<bool, Error> {
        let thresholds = Thresholds::from(claim.settings);
        let mut found = Vec::with_capacity(WRITTEN_AT_ONCE.min(open.len()));
        for one in open {
            let Open { target, mut review, renamed, .. } = one;
            let is_renamed = renamed.is_some();
            if let Some((of, name)) = renamed {
                review.add_renamed(of, name);
            }
            let outcome: Outcome = review.outcome(thresholds, target.guide);
            run.counts.channels += 1;
            match outcome.level {
                MatchLevel::Auto => {
                    run.counts.sure += 1;
                    run.sure.push((target.channel, target.version));
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

    /// Links certain matches as one operation that can be undone. Without a user to run it as, they
    /// wait for a decision.
    async fn link_sure(&self, claim: &ClaimedMatching, sure: Vec<(Id, Version)>) -> Result<(), Error> {
        if !claim.settings.automatic || sure.is_empty() {
            return Ok(());
        }
        let guides = self.stores.matches.guides().await?;
        let names = claim.by.iter().chain(guides.iter().filter_map(|guide| guide.updated_by.as_ref()));
        for name in names {
            let Some(actor) = self.actor_of(name).await? else { continue };
            let channels: Vec<Id> = sure.iter().map(|(channel, _)| *channel).collect();
            let compared: HashMap<Id, Version> = sure.into_iter().collect();
            // The channel may have been decided or changed since.
            let waits = |found: &EpgMatch, target: &MatchTarget| {
                found.level == MatchLevel::Auto
                    && found.decision.is_none()
                    && compared.get(&target.channel) == Some(&target.version)
            };
            self.link(&actor, &channels, LinkVerdict::Linked, waits).await?;
            return Ok(());
        }
        tracing::warn!(
            channels = sure.len(),
            "channels not linked: no permitted user to run the operation as"
        );
        Ok(())
    }

    /// A user who still has the permission to link channels.
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

/// Whether no comparison is needed: a user decided that no guide has the channel, or for a guide
/// that is inactive or lacks the channel now.
fn decision_applies(target: &MatchTarget, decisions: &[Decision]) -> bool {
    let Some(last) = decisions.last() else { return false };
    match (last.verdict, &last.of) {
        (LinkVerdict::NoGuide, _) => true,
        (LinkVerdict::Accepted, Some(of)) => {
            target.guide == Some(of.guide_id) && target.epg_id.as_ref() == Some(&of.xml_id)
        }
        _ => false,
    }
}
