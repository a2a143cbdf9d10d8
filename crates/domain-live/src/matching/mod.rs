//! Matches entries of a list with channels of a guide, with reasons (docs/matching.md). Pure: from
//! names and IDs to candidates.

mod compare;
mod decision;
mod fold;
mod index;
mod lexicon;
mod listed;
mod name;
mod parts;
mod reasons;
mod settings;
#[cfg(test)]
mod tests;
mod tokens;

use crate::entry::Entry as ListEntry;
use compare::{Comparison, Known, compare, is_same_name};
pub use decision::{
    Before, Decision, GuideChannelRef, LinkVerdict, Outcome, Proposal, Review, alias_key, is_called_alike,
};
pub use index::GuideChannel;
use index::{Index, Variant, Votes, root_of};
pub use listed::ListedId;
pub use name::{Name, Role, Shift, Word, country_of_group};
use name::{countries_of_tag, languages_of_tag};
pub use reasons::{MatchLevel, MatchReason};
pub use settings::{EpgMatch, Matching, MatchingCounts, MatchingSettings, MatchingState};

/// An entry of a list, or a channel, to be matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted<'entry> {
    /// Name as in the list.
    pub name: &'entry str,
    /// EPG ID of the list, or empty.
    pub tvg_id: &'entry str,
    /// Country codes from sources other than the name; the entry is from one of them.
    pub countries: &'entry [&'static str],
    /// Language codes of the list; the entry is in one of them.
    pub languages: &'entry [&'static str],
}

/// Languages of the entry's own tag.
pub fn languages_of_entry(entry: &ListEntry) -> Vec<&'static str> {
    entry.tag("tvg-language").map(languages_of_tag).unwrap_or_default()
}

/// Countries of the entry's own tag, or else of its group.
pub fn countries_of_entry(entry: &ListEntry) -> Vec<&'static str> {
    let tagged = entry.tag("tvg-country").map(countries_of_tag).unwrap_or_default();
    if !tagged.is_empty() {
        return tagged;
    }
    entry.groups.iter().find_map(|group| country_of_group(group)).into_iter().collect()
}

/// Minimum scores of the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Minimum score of an automatic link.
    pub auto: u8,
    /// Minimum score of a candidate for review.
    pub review: u8,
    /// Minimum lead over the second candidate.
    pub lead: u8,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { auto: 86, review: 30, lead: 6 }
    }
}

/// Candidate for an entry: a channel of the guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Index of the channel in the guide.
    pub channel: usize,
    pub score: u8,
    /// Reasons for the match.
    pub for_: Vec<MatchReason>,
    /// Reasons against the match.
    pub against: Vec<MatchReason>,
}

/// Result of matching an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    pub level: MatchLevel,
    /// Up to five candidates, best first. With the level `AUTO` the first one is linked.
    pub candidates: Vec<Candidate>,
}

/// Maximum candidates shown.
pub const MOST_CANDIDATES: usize = 5;

/// Minimum score of a shown candidate.
const LEAST_SHOWN: f32 = 15.0;

/// An indexed guide.
#[derive(Debug)]
pub struct Matcher {
    index: Index,
    thresholds: Thresholds,
}

/// Searches a guide for entries, reusing its buffers.
#[derive(Debug)]
pub struct Search<'guide> {
    matcher: &'guide Matcher,
    votes: Votes,
}

impl Search<'_> {
    /// Candidates and level of an entry.
    pub fn find(&mut self, wanted: &Wanted<'_>) -> Matched {
        self.matcher.find_with(wanted, &mut self.votes)
    }
}

struct Scored {
    channel: u32,
    score: f32,
    /// Whether the ID matches, too.
    id_fits: bool,
    /// Order of candidates with the same score: country, exact name, language, quality.
    order: (bool, bool, Spoken, u8),
    comparison: Comparison,
}

/// Agreement of languages. Languages in guides are often wrong: they decide between equal
/// candidates and never count against one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spoken {
    /// All known languages differ.
    Otherwise,
    Unknown,
    Alike,
}

impl Spoken {
    fn of(entry: &[&str], channel: &[&str]) -> Self {
        if entry.is_empty() || channel.is_empty() {
            Self::Unknown
        } else if entry.iter().any(|language| channel.contains(language)) {
            Self::Alike
        } else {
            Self::Otherwise
        }
    }
}

impl Scored {
    /// Whether another property than the score distinguishes it: country, equal name, ID, language.
    fn is_clearly_before(&self, other: &Self) -> bool {
        let by_country = self.order.0 && !other.order.0;
        let by_name = self.comparison.is_equal && !other.comparison.is_equal;
        let by_id =
            self.id_fits && !other.id_fits && (self.comparison.is_equal || !other.comparison.is_equal);
        let by_language =
            self.comparison.is_equal && self.order.2 == Spoken::Alike && other.order.2 == Spoken::Otherwise;
        by_country || by_name || by_id || by_language
    }
}

impl Matcher {
    /// Indexes the names and IDs of a guide.
    pub fn new(channels: &[GuideChannel], thresholds: Thresholds) -> Self {
        Self { index: Index::new(channels), thresholds }
    }

    /// A search for many entries.
    pub fn search(&self) -> Search<'_> {
        Search { matcher: self, votes: Votes::new(&self.index) }
    }

    /// Candidates and level of one entry.
    pub fn find(&self, wanted: &Wanted<'_>) -> Matched {
        self.search().find(wanted)
    }

    fn find_with(&self, wanted: &Wanted<'_>, votes: &mut Votes) -> Matched {
        let name = Name::parse(wanted.name);
        // The prefix of a name is the list's own statement.
        let in_front = name.country;
        let countries = if in_front.is_some() { in_front.as_slice() } else { wanted.countries };
        let by_name = self.index.variant(name, false);
        let by_id = Name::of_id(wanted.tvg_id).map(|name| self.index.variant(name, true));
        let equal = (!wanted.tvg_id.is_empty()).then(|| self.index.with_id(wanted.tvg_id)).flatten();
        let root = root_of(wanted.tvg_id);
        let same_root: &[u32] = if root.is_empty() { &[] } else { self.index.with_root(&root) };

        let mut found: Vec<u32> = Vec::new();
        found.extend(equal);
        found.extend(same_root);
        self.index.near(&by_name, votes, &mut found);
        if let Some(by_id) = &by_id {
            self.index.near(by_id, votes, &mut found);
        }
        found.sort_unstable();
        found.dedup();

        let entry = Entry {
            by_name: &by_name,
            by_id: by_id.as_ref(),
            equal,
            same_root,
            countries,
            languages: wanted.languages,
        };
        let mut scored: Vec<Scored> = found.into_iter().map(|channel| self.score(&entry, channel)).collect();
        scored.sort_by(|one, other| {
            other
                .score
                .total_cmp(&one.score)
                .then(other.order.cmp(&one.order))
                .then(one.channel.cmp(&other.channel))
        });
        self.decide(&entry, scored)
    }

    fn score(&self, entry: &Entry<'_>, at: u32) -> Scored {
        let channel = &self.index.channels[at as usize];
        let countries = entry.countries.iter().copied().chain(channel.country).chain(self.index.country);
        let known = Known { countries: countries.collect(), languages: entry.languages };
        let best_of = |variant: &Variant| -> Comparison {
            let all = channel.variants.iter().map(|guide_variant| {
                let mut comparison = compare(variant, guide_variant, &known);
                let is_other = guide_variant.is_alias || guide_variant.is_id != variant.is_id;
                if is_other && comparison.is_nearly_all() {
                    comparison.for_.retain(|reason| {
                        !matches!(reason, MatchReason::NameEqual | MatchReason::NameEqualWithoutQuality)
                    });
                    comparison.for_.push(MatchReason::Alias);
                }
                comparison
            });
            all.reduce(|best, next| {
                let better = (next.score, next.quality) > (best.score, best.quality);
                if better { next } else { best }
            })
            .unwrap_or_default()
        };
        let mut comparison = best_of(entry.by_name);
        let is_number_only = entry
            .by_name
            .words
            .iter()
            .all(|word| word.word.written.bytes().all(|byte| byte.is_ascii_digit()));
        let is_id = entry.equal == Some(at);
        let is_root = !is_id && entry.same_root.contains(&at);
        let is_named_by_id =
            |by_id: &Variant| channel.variants.iter().any(|of_guide| is_same_name(by_id, of_guide, &known));
        let id_fits = is_id || is_root || entry.by_id.is_some_and(is_named_by_id);
        if is_id {
            comparison.for_.insert(0, MatchReason::IdEqual);
        } else if id_fits {
            comparison.for_.insert(0, MatchReason::IdEqualWithoutFeed);
        }
        let mut score = comparison.score;
        if id_fits {
            if comparison.shares && !comparison.is_another {
                if comparison.is_place_missing {
                    comparison.against.retain(|reason| *reason != MatchReason::RegionDiffers);
                }
                score = (score + 30.0).clamp(88.0, 100.0);
            } else if is_number_only && !comparison.is_another {
                score = score.max(90.0);
            } else {
                comparison.against.push(MatchReason::IdContradictsName);
                score = score.max(60.0);
            }
        }
        if let Some(theirs) = channel.country.filter(|_| !entry.countries.is_empty()) {
            if entry.countries.iter().any(|mine| lexicon::places_agree(mine, theirs)) {
                comparison.for_.push(MatchReason::CountryAgrees);
            } else if self.index.is_of_several_countries || entry.by_name.is_weak() {
                comparison.against.push(MatchReason::CountryDiffers);
                score -= 8.0;
            }
        }
        let agrees = comparison.for_.contains(&MatchReason::CountryAgrees);
        let spoken = Spoken::of(entry.languages, &channel.languages);
        let order = (agrees, comparison.for_.contains(&MatchReason::NameEqual), spoken, comparison.quality);
        Scored { channel: at, score: score.max(0.0), id_fits, order, comparison }
    }

    fn decide(&self, entry: &Entry<'_>, mut scored: Vec<Scored>) -> Matched {
        let Thresholds { auto, review, lead } = self.thresholds;
        scored.retain(|one| one.score >= LEAST_SHOWN);
        let is_likely = scored.first().is_some_and(|first| first.score >= f32::from(review));
        let mut level = if is_likely { MatchLevel::Review } else { MatchLevel::None };
        if let [first, rest @ ..] = scored.as_mut_slice() {
            let second = rest.iter().find(|other| !self.is_twin(first.channel, other.channel));
            let too_near = second.is_some_and(|second| {
                first.score - second.score < f32::from(lead) && !first.is_clearly_before(second)
            });
            if too_near {
                first.comparison.against.push(MatchReason::SecondTooNear);
            }
            let contradicted = entry
                .equal
                .is_some_and(|equal| equal != first.channel && !self.is_twin(first.channel, equal));
            if contradicted {
                first.comparison.against.push(MatchReason::IdContradictsName);
            }
            if first.score >= f32::from(auto) && first.comparison.against.is_empty() {
                level = MatchLevel::Auto;
            }
        }
        let candidates = scored.into_iter().take(MOST_CANDIDATES).map(|one| Candidate {
            channel: one.channel as usize,
            score: rounded(one.score),
            for_: one.comparison.for_.into_vec(),
            against: one.comparison.against.into_vec(),
        });
        Matched { level, candidates: candidates.collect() }
    }

    /// Whether two channels of the guide have the same names apart from quality, in the same
    /// country.
    fn is_twin(&self, one: u32, other: u32) -> bool {
        let (first, second) = (&self.index.channels[one as usize], &self.index.channels[other as usize]);
        let same = first.twin_of.unwrap_or(one) == second.twin_of.unwrap_or(other);
        same && first.country == second.country
    }
}

struct Entry<'find> {
    by_name: &'find Variant,
    by_id: Option<&'find Variant>,
    equal: Option<u32>,
    same_root: &'find [u32],
    countries: &'find [&'static str],
    languages: &'find [&'static str],
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
fn rounded(score: f32) -> u8 {
    score.round().clamp(0.0, 100.0) as u8
}
