//! Users' decisions about the guide of a channel, and their effect on candidates
//! (docs/matching.md#decisions): a decision precedes every candidate, and returns to review if the
//! guide's ID gets another name. Pure.

use domain_kernel::{Id, enumeration};
use serde::{Deserialize, Serialize};

use super::{
    Candidate, GuideChannel, MOST_CANDIDATES, MatchLevel, MatchReason, Matched, Matcher, Name, Thresholds,
    Wanted,
};

enumeration! {
    /// Decision about the link of a channel with a guide, and its origin.
    pub enum LinkVerdict {
        /// Linked automatically.
        Linked = "LINKED" ("Enlazado automáticamente", "Linked automatically"),
        Accepted = "ACCEPTED" ("Aceptado", "Accepted"),
        /// None of the shown candidates.
        Refused = "REFUSED" ("Ninguno de estos", "None of these"),
        NoGuide = "NO_GUIDE" ("No tiene guía", "Has no guide"),
    }
}

/// Reference to a channel of a guide.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GuideChannelRef {
    /// ID of the guide.
    pub guide_id: Id,
    /// ID of the channel in the guide.
    pub xml_id: String,
}

/// A decision about a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub verdict: LinkVerdict,
    /// The channel of the guide; `None` with [`LinkVerdict::NoGuide`].
    pub of: Option<GuideChannelRef>,
    /// Its name at the time of the decision.
    pub name: String,
}

/// Candidate for a channel's link, with its reasons, as shown and stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    #[serde(flatten)]
    pub of: GuideChannelRef,
    /// Name in the guide.
    pub name: String,
    pub score: u8,
    /// Reasons for the match.
    #[serde(rename = "for")]
    pub for_: Vec<MatchReason>,
    /// Reasons against the match.
    pub against: Vec<MatchReason>,
}

impl Proposal {
    /// Whether a user has decided otherwise before.
    pub fn is_decided_before(&self) -> bool {
        self.against.contains(&MatchReason::DecidedBefore)
    }
}

/// Result of matching a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Level of the match.
    pub level: MatchLevel,
    /// Up to five candidates of all guides, best first. With `AUTO` the first one is linked.
    pub proposals: Vec<Proposal>,
}

/// Earlier decisions that exclude automatic links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Before {
    /// Rejected candidates.
    pub refused: Vec<GuideChannelRef>,
    /// Links undone by users.
    pub undone: Vec<GuideChannelRef>,
    /// Whether the last decision rejected all candidates: new ones need review.
    pub is_refused: bool,
}

impl Before {
    /// Earlier decisions about a channel with this guide and EPG ID.
    pub fn of<'decision>(
        decisions: impl IntoIterator<Item = &'decision Decision>,
        guide: Option<Id>,
        epg_id: Option<&str>,
    ) -> Self {
        let mut before = Self::default();
        for decision in decisions {
            before.is_refused = decision.verdict == LinkVerdict::Refused;
            let Some(of) = &decision.of else { continue };
            let stands = guide == Some(of.guide_id) && epg_id == Some(&of.xml_id);
            match decision.verdict {
                LinkVerdict::Refused => before.refused.push(of.clone()),
                // Accepting a rejected candidate revokes the rejection.
                LinkVerdict::Accepted | LinkVerdict::Linked if stands => {
                    before.refused.retain(|refused| refused != of);
                }
                LinkVerdict::Accepted | LinkVerdict::Linked => before.undone.push(of.clone()),
                LinkVerdict::NoGuide => {}
            }
        }
        before
    }
}

/// Candidates of a channel, added guide by guide in order of priority.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// The candidate for an automatic link, from the first guide that has one.
    sure: Option<Proposal>,
    proposals: Vec<Proposal>,
    refused: Vec<GuideChannelRef>,
    /// Whether automatic links are excluded.
    is_refused: bool,
}

impl Review {
    /// A review with these earlier decisions.
    pub fn new(before: &Before) -> Self {
        Self { refused: before.refused.clone(), is_refused: before.is_refused, ..Self::default() }
    }

    /// Adds the candidates of one guide.
    pub fn add(
        &mut self,
        guide_id: Id,
        channels: &[GuideChannel],
        matched: &Matched,
        before: &Before,
        thresholds: Thresholds,
    ) {
        let proposal = |candidate: &Candidate| {
            let channel = &channels[candidate.channel];
            let of = GuideChannelRef { guide_id, xml_id: channel.id.clone() };
            let mut against = candidate.against.clone();
            if before.refused.contains(&of) || before.undone.contains(&of) {
                against.push(MatchReason::DecidedBefore);
            }
            let name = channel.names.first().unwrap_or(&channel.id).clone();
            Proposal { of, name, score: candidate.score, for_: candidate.for_.clone(), against }
        };
        let found: Vec<Proposal> = matched.candidates.iter().map(proposal).collect();
        if self.sure.is_none() {
            self.sure = sure(matched.level, &found, thresholds).cloned();
        }
        self.proposals.extend(found);
        self.keep_best();
    }

    /// Puts the accepted channel of a guide first after a change of its name.
    pub fn add_renamed(&mut self, of: GuideChannelRef, name: String) {
        self.sure = None;
        self.proposals.retain(|one| one.of != of);
        let against = vec![MatchReason::IdContradictsName];
        self.proposals.insert(0, Proposal { of, name, score: 0, for_: Vec::new(), against });
        self.proposals.truncate(MOST_CANDIDATES);
    }

    fn keep_best(&mut self) {
        // The sort is stable: among equals the guide with the higher priority is first.
        let refused = &self.refused;
        self.proposals.sort_by_key(|one| (refused.contains(&one.of), std::cmp::Reverse(one.score)));
        self.proposals.truncate(MOST_CANDIDATES);
    }

    /// The resulting level and candidates.
    pub fn outcome(mut self, thresholds: Thresholds, guide: Option<Id>) -> Outcome {
        if let Some(sure) = self.sure {
            // A guide chosen by a user is not replaced automatically, even if it has no such
            // channel (yet).
            let is_chosen_otherwise = guide.is_some_and(|guide| guide != sure.of.guide_id);
            self.proposals.retain(|one| one.of != sure.of);
            self.proposals.insert(0, sure);
            self.proposals.truncate(MOST_CANDIDATES);
            let is_for_a_user = is_chosen_otherwise || self.is_refused;
            let level = if is_for_a_user { MatchLevel::Review } else { MatchLevel::Auto };
            return Outcome { level, proposals: self.proposals };
        }
        let is_open = |one: &Proposal| {
            let renamed = one.against.contains(&MatchReason::IdContradictsName);
            !self.refused.contains(&one.of) && (one.score >= thresholds.review || renamed)
        };
        let level = if self.proposals.iter().any(is_open) { MatchLevel::Review } else { MatchLevel::None };
        Outcome { level, proposals: self.proposals }
    }
}

/// The candidate for an automatic link. After a rejection of the best one, the next must be as
/// certain.
fn sure(level: MatchLevel, found: &[Proposal], thresholds: Thresholds) -> Option<&Proposal> {
    let first = found.first()?;
    if !first.is_decided_before() {
        return (level == MatchLevel::Auto).then_some(first);
    }
    let mut left = found.iter().filter(|one| !one.is_decided_before());
    let next = left.next()?;
    let lead = left.next().map_or(u8::MAX, |second| next.score.saturating_sub(second.score));
    let is_sure = next.score >= thresholds.auto && next.against.is_empty() && lead >= thresholds.lead;
    is_sure.then_some(next)
}

/// Whether a channel of a guide still has the same name, apart from quality and remarks.
pub fn is_called_alike(before: &str, now: &[String]) -> bool {
    if now.iter().any(|name| name == before) {
        return true;
    }
    let channel = GuideChannel { names: now.to_vec(), ..GuideChannel::default() };
    let matcher = Matcher::new(&[channel], Thresholds::default());
    matcher.find(&Wanted { name: before, ..Wanted::default() }).level == MatchLevel::Auto
}

/// Key of equal alias names: ignores quality, remarks and spelling, but not numbers and shifts.
pub fn alias_key(name: &str) -> String {
    let name = Name::parse(name);
    format!("{} {:?} {:?}", name.key, name.shift, name.call_sign)
}

#[cfg(test)]
mod tests {
    use MatchLevel::{Auto, None as Nothing, Review as ToReview};

    use super::*;

    fn of(guide_id: Id, xml_id: &str) -> GuideChannelRef {
        GuideChannelRef { guide_id, xml_id: xml_id.into() }
    }

    /// Outcome for guides with one candidate per score; a candidate's ID is its index.
    fn outcome_of(guides: &[(MatchLevel, &[u8])], before: &Before) -> Outcome {
        let mut review = Review::new(before);
        for ((level, scores), guide) in guides.iter().zip(1..) {
            let channels: Vec<GuideChannel> = (0..scores.len())
                .map(|place| GuideChannel { id: place.to_string(), ..GuideChannel::default() })
                .collect();
            let candidate = |(channel, score): (usize, &u8)| Candidate {
                channel,
                score: *score,
                for_: vec![MatchReason::Words],
                against: vec![],
            };
            let candidates = scores.iter().enumerate().map(candidate).collect();
            review.add(
                guide,
                &channels,
                &Matched { level: *level, candidates },
                before,
                Thresholds::default(),
            );
        }
        review.outcome(Thresholds::default(), None)
    }

    #[test]
    fn the_first_guide_that_is_sure_links_and_an_unsure_one_before_it_does_not_stop_it() {
        for (guides, level, first) in [
            (&[(Auto, &[95_u8][..]), (Auto, &[99])][..], Auto, Some(of(1, "0"))),
            (&[(ToReview, &[60]), (Auto, &[90])], Auto, Some(of(2, "0"))),
            (&[(ToReview, &[99, 98]), (Auto, &[90])], Auto, Some(of(2, "0"))),
            (&[(ToReview, &[60]), (Nothing, &[20])], ToReview, Some(of(1, "0"))),
            (&[(Nothing, &[20])], Nothing, Some(of(1, "0"))),
            (&[], Nothing, None),
        ] {
            let outcome = outcome_of(guides, &Before::default());
            assert_eq!((outcome.level, outcome.proposals.first().map(|one| one.of.clone())), (level, first));
        }
    }

    #[test]
    fn five_candidates_of_all_guides_are_kept() {
        let proposals =
            outcome_of(&[(ToReview, &[60, 40, 30]), (ToReview, &[60, 50, 20])], &Before::default()).proposals;
        let scores: Vec<(Id, u8)> = proposals.iter().map(|one| (one.of.guide_id, one.score)).collect();
        assert_eq!(scores, [(1, 60), (2, 60), (2, 50), (1, 40), (1, 30)]);
    }

    #[test]
    fn rejected_candidates_are_never_linked_and_the_next_must_be_as_certain() {
        let before = Before { refused: vec![of(1, "0")], ..Before::default() };
        for (scores, level, first) in [
            (&[99_u8, 95, 60][..], Auto, "1"),
            (&[99, 95, 93], ToReview, "1"),
            (&[99, 80], ToReview, "1"),
            (&[99, 20], Nothing, "1"),
            (&[99], Nothing, "0"),
        ] {
            let outcome = outcome_of(&[(Auto, scores)], &before);
            assert_eq!(
                (outcome.level, outcome.proposals[0].of.xml_id.as_str()),
                (level, first),
                "{scores:?}"
            );
            let last = outcome.proposals.last().unwrap();
            assert_eq!((&last.of, last.is_decided_before()), (&before.refused[0], true));
        }
    }

    #[test]
    fn a_link_that_was_undone_waits_for_a_user() {
        let before = Before { undone: vec![of(1, "0")], ..Before::default() };
        for (scores, level) in [(&[99_u8][..], ToReview), (&[99, 20], ToReview), (&[20], Nothing)] {
            let outcome = outcome_of(&[(Auto, scores)], &before);
            let first = &outcome.proposals[0];
            assert_eq!(
                (outcome.level, first.of.xml_id.as_str(), first.is_decided_before()),
                (level, "0", true)
            );
        }
    }

    #[test]
    fn decisions_exclude_automatic_links() {
        let decision =
            |verdict, xml_id: &str| Decision { verdict, of: Some(of(1, xml_id)), name: String::new() };
        let decisions = [
            decision(LinkVerdict::Refused, "a"),
            decision(LinkVerdict::Refused, "b"),
            decision(LinkVerdict::Linked, "c"),
            decision(LinkVerdict::Accepted, "b"),
        ];
        let before = Before::of(&decisions, Some(1), Some("b"));
        let expected = Before { refused: vec![of(1, "a")], undone: vec![of(1, "c")], is_refused: false };
        assert_eq!(before, expected);
        assert_eq!(Before::of(&decisions, None, None).undone, [of(1, "c"), of(1, "b")]);
        assert!(Before::of(&decisions[..2], None, None).is_refused);
        let without = Decision { verdict: LinkVerdict::Refused, of: None, name: String::new() };
        assert!(Before::of([&without], None, None).is_refused, "nothing was shown");
    }

    #[test]
    fn candidates_after_a_rejection_are_shown_and_not_linked() {
        let before = Before { refused: vec![of(1, "0")], is_refused: true, ..Before::default() };
        for (guides, level, first) in [
            (&[(ToReview, &[60_u8][..]), (Auto, &[99])][..], ToReview, of(2, "0")),
            (&[(Auto, &[99, 95, 60])], ToReview, of(1, "1")),
            (&[(Auto, &[99])], Nothing, of(1, "0")),
        ] {
            let outcome = outcome_of(guides, &before);
            assert_eq!((outcome.level, &outcome.proposals[0].of), (level, &first));
        }
    }

    #[test]
    fn an_equal_id_with_another_name_is_the_first_candidate_and_never_linked() {
        let mut review = Review::default();
        let matched = Matched {
            level: Auto,
            candidates: vec![Candidate { channel: 0, score: 99, for_: vec![], against: vec![] }],
        };
        let channels = [GuideChannel { id: "ocho".into(), ..GuideChannel::default() }];
        review.add(1, &channels, &matched, &Before::default(), Thresholds::default());
        review.add_renamed(of(1, "siete"), "Canal Ocho".into());
        let outcome = review.outcome(Thresholds::default(), None);
        let first = &outcome.proposals[0];
        assert_eq!(outcome.level, ToReview);
        assert_eq!((&first.of, &first.against[..]), (&of(1, "siete"), &[MatchReason::IdContradictsName][..]));
        assert_eq!(outcome.proposals.len(), 2);
    }

    #[test]
    fn the_guide_that_a_channel_has_is_exchanged_by_a_user_only() {
        let matched = Matched {
            level: Auto,
            candidates: vec![Candidate { channel: 0, score: 99, for_: vec![], against: vec![] }],
        };
        let channels = [GuideChannel { id: "ocho".into(), ..GuideChannel::default() }];
        for (guide, level) in [(None, Auto), (Some(1), Auto), (Some(2), ToReview)] {
            let mut review = Review::default();
            review.add(1, &channels, &matched, &Before::default(), Thresholds::default());
            let outcome = review.outcome(Thresholds::default(), guide);
            assert_eq!((outcome.level, outcome.proposals.len()), (level, 1), "{guide:?}");
        }
    }

    #[test]
    fn a_name_is_the_same_apart_from_quality_and_spelling() {
        for (now, alike) in [
            (&["Canal Siete"][..], true),
            (&["Otro nombre", "CANAL SIETE HD"], true),
            (&["Canal 7"], true),
            (&["Canal Ocho"], false),
            (&["Deportes Sierra"], false),
            (&["Canal Siete +1"], false),
        ] {
            let names: Vec<String> = now.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(is_called_alike("Canal Siete", &names), alike, "{now:?}");
        }
        assert!(is_called_alike("+", &["+".to_owned()]), "a name without words");
        assert_eq!(alias_key("ES: Canal Siete FHD"), alias_key("canal 7"));
        assert_ne!(alias_key("Canal Siete"), alias_key("Canal Siete +1"));
    }

    #[test]
    fn a_name_that_a_user_linked_is_an_alias_for_other_lists() {
        let channel = |id: &str, name: &str, aliases: &[&str]| GuideChannel {
            id: id.into(),
            names: vec![name.into()],
            languages: Vec::new(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        };
        let find = |channels: &[GuideChannel], name: &str| {
            Matcher::new(channels, Thresholds::default()).find(&Wanted { name, ..Wanted::default() })
        };
        let without = [channel("10.uy", "Canal 10", &[]), channel("4.uy", "Monte Carlo", &[])];
        assert_ne!(find(&without, "SAETA HD").level, Auto);
        let with = [channel("10.uy", "Canal 10", &["SAETA"]), channel("4.uy", "Monte Carlo", &[])];
        let found = find(&with, "SAETA HD");
        assert_eq!((found.level, found.candidates[0].channel), (Auto, 0));
        assert!(found.candidates[0].for_.contains(&MatchReason::Alias), "{:?}", found.candidates);
        assert_ne!(find(&with, "SAETA 2").level, Auto, "another number is another channel");
    }
}
