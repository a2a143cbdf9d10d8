//! Comparison of two names: weighted similarity and reasons.

use smallvec::SmallVec;

use super::{
    index::{Letters, Variant, Weighted},
    lexicon,
    name::{Name, Role, Word},
    reasons::MatchReason,
};

/// Inline: most comparisons are of candidates that are dropped.
pub(super) type Reasons = SmallVec<[MatchReason; 8]>;

/// Result of comparing two names.
#[derive(Debug, Clone, Default)]
pub(super) struct Comparison {
    /// 0…100: shared weight as a percentage of the total weight.
    pub score: f32,
    /// Reasons for a match.
    pub for_: Reasons,
    /// Reasons against a match.
    pub against: Reasons,
    /// Whether the names are of different channels: a different number, shift or call sign.
    pub is_another: bool,
    /// Whether a distinguishing word is shared.
    pub shares: bool,
    /// Whether only one of the names has a place.
    pub is_place_missing: bool,
    /// Whether the names are equal apart from quality and remarks.
    pub is_equal: bool,
    /// Similarity of picture quality.
    pub quality: u8,
}

impl Comparison {
    /// Whether the names share all significant words.
    pub fn is_nearly_all(&self) -> bool {
        self.score > 99.0
    }
}

/// Minimum weight of a missing word: a genre or "Plus" is frequent in a guide and still
/// distinguishes channels.
const LEAST_OF_A_MISSING_WORD: f32 = 0.55;
/// Weight of a missing place that agrees with the context.
const AGREEING_PLACE: f32 = 0.1;
const OTHER_PLACE: f32 = 0.6;
const MISSING_HEAD: f32 = 0.08;
const OTHER_HEAD: f32 = 0.35;
/// Factor of the score for different channels: high enough to be shown.
const ANOTHER_CHANNEL: f32 = 0.8;
/// Maximum score for similar letters only, initials, or reordered words.
const LETTERS_ALONE: f32 = 80.0;
/// Maximum score for a shared number only.
const NUMBER_ALONE: f32 = 70.0;

/// Known properties of the two channels apart from their names.
pub(super) struct Known<'entry> {
    /// Countries of the entry, of the guide's channel, and of the guide.
    pub countries: SmallVec<[&'static str; 4]>,
    /// Languages of the entry.
    pub languages: &'entry [&'static str],
}

/// Compares a wanted name with one of the guide.
pub(super) fn compare(wanted: &Variant, candidate: &Variant, known: &Known<'_>) -> Comparison {
    let against = differences(wanted, candidate);
    let mut comparison = Comparison {
        quality: wanted.name.quality_agreement(&candidate.name),
        is_another: !against.is_empty(),
        is_equal: wanted.name.key == candidate.name.key,
        against,
        ..Comparison::default()
    };
    if wanted.name.call_sign.is_some() && wanted.name.call_sign == candidate.name.call_sign {
        comparison.for_.push(MatchReason::CallSign);
    }
    if comparison.is_equal {
        comparison.score = 100.0;
        comparison.shares = true;
        let is_whole = wanted.name.whole == candidate.name.whole;
        comparison.for_.push(if is_whole {
            MatchReason::NameEqual
        } else {
            MatchReason::NameEqualWithoutQuality
        });
    } else if is_cut_form(&wanted.name, &candidate.name) || is_cut_form(&candidate.name, &wanted.name) {
        comparison.score = 94.0;
        comparison.shares = true;
        comparison.for_.push(MatchReason::Letters);
    } else {
        compare_words(wanted, candidate, known, &mut comparison);
    }
    if comparison.is_another {
        comparison.score *= ANOTHER_CHANNEL;
    }
    comparison
}

/// Whether both are spellings of one name: [`compare`] finds all significant words shared and no
/// sign of different channels.
pub(super) fn is_same_name(wanted: &Variant, candidate: &Variant, known: &Known<'_>) -> bool {
    differences(wanted, candidate).is_empty() && compare(wanted, candidate, known).is_nearly_all()
}

/// Signs of different channels regardless of the score: shift, call sign, numbers.
fn differences(wanted: &Variant, candidate: &Variant) -> Reasons {
    let mut found = Reasons::new();
    if wanted.name.shift != candidate.name.shift {
        found.push(MatchReason::ShiftDiffers);
    }
    if let (Some(one), Some(other)) = (&wanted.name.call_sign, &candidate.name.call_sign)
        && one != other
    {
        found.push(MatchReason::CallSignDiffers);
    }
    if wanted.name.key != candidate.name.key && numbers_differ(wanted, candidate) {
        found.push(MatchReason::NumberDiffers);
    }
    found
}

/// Whether one name has a number that the other lacks, or has it more often.
fn numbers_differ(wanted: &Variant, candidate: &Variant) -> bool {
    let numbers = |of: &Variant| of.words.iter().filter(|one| one.word.role == Role::Number).count();
    let as_often = |number: &Weighted| {
        let occurrences = |of: &Variant| of.words.iter().filter(|one| one.text_equals(number)).count();
        occurrences(wanted) == occurrences(candidate)
    };
    let mut own = wanted.words.iter().filter(|one| one.word.role == Role::Number);
    numbers(wanted) != numbers(candidate) || !own.all(as_often)
}

/// Whether `cut` is a truncated form of `whole`.
fn is_cut_form(cut: &Name, whole: &Name) -> bool {
    cut.is_cut && cut.key.len() >= 8 && whole.key.len() > cut.key.len() && whole.key.starts_with(&cut.key)
}

/// Whether the word for a channel begins one name and ends the other: "TV Norte" and "Norte TV" may
/// be two channels.
fn is_reordered(one: &Variant, other: &Variant) -> bool {
    let heads = |of: &Variant| {
        let is_head = |word: Option<&Weighted>| word.is_some_and(|one| one.word.role == Role::Head);
        (is_head(of.words.first()), is_head(of.words.last()))
    };
    let plain = one.words.iter().filter(|one| one.word.role == Role::Plain).count();
    plain == 1
        && matches!(
            (heads(one), heads(other)),
            ((true, false), (false, true)) | ((false, true), (true, false))
        )
}

/// Whether the words are equal, or two names of one place ("Egypt" and "Masr").
fn is_same(one: &Weighted, other: &Weighted) -> bool {
    one.text_equals(other) || (one.word.place.is_some() && one.word.place == other.word.place)
}

/// Similarity of two words, in written or canonical form.
fn alike(one: &Weighted, other: &Weighted) -> f32 {
    let (word, other_word) = (&one.word, &other.word);
    let by_text = letters((&*word.text, one.letters), (&*other_word.text, other.letters));
    if word.text == word.written && other_word.text == other_word.written {
        by_text
    } else {
        let written = (&*word.written, one.written_letters);
        by_text.max(letters(written, (&*other_word.written, other.written_letters)))
    }
}

/// Similarity of two words by their letters, 0 for different ones.
fn letters((one, first): (&str, Letters), (other, second): (&str, Letters)) -> f32 {
    let (short, long, count, longer) = if first.count <= second.count {
        (one, other, first.count, second.count)
    } else {
        (other, one, second.count, first.count)
    };
    if count < 4 || longer > count * 2 + 3 {
        return 0.0;
    }
    if count >= 4 && long.starts_with(short) && longer >= count + 2 {
        return 0.7;
    }
    if longer - count > 2 {
        return 0.0;
    }
    if !first.may_differ_by(second, if count >= 8 { 2 } else { 1 }) {
        return 0.0;
    }
    let distance = strsim::osa_distance(one, other);
    match distance {
        0 => 1.0,
        1 if count >= 5 => 0.9,
        1 if count >= 4 && !one.is_ascii() => 0.85,
        2 if count >= 8 => 0.85,
        _ => 0.0,
    }
}

/// Unmatched words of one name, with their positions.
type Left<'words> = SmallVec<[(usize, &'words Weighted); 8]>;

/// Words of two names during a comparison: unmatched words and the weight of the matched ones.
struct Words<'words> {
    left: Left<'words>,
    right: Left<'words>,
    shared: f32,
    lost: f32,
    by_letters: bool,
    by_words: bool,
    by_initials: bool,
}

fn compare_words(wanted: &Variant, candidate: &Variant, known: &Known<'_>, comparison: &mut Comparison) {
    let mut words = Words {
        left: Left::new(),
        right: candidate.words.iter().enumerate().collect(),
        shared: 0.0,
        lost: 0.0,
        by_letters: false,
        by_words: false,
        by_initials: false,
    };
    words.match_equal(wanted);
    words.match_joined();
    words.match_near();
    words.match_initials();
    let differs = words.weigh_missing(known);
    comparison.is_place_missing = differs && !(has_place(&words.left) && has_place(&words.right));
    if differs {
        comparison.against.push(MatchReason::RegionDiffers);
    }
    comparison.score = words.capped_score(wanted, candidate);
    comparison.shares = words.by_words || words.by_letters;
    if words.by_letters {
        comparison.for_.push(MatchReason::Letters);
    }
    if words.by_words {
        comparison.for_.push(MatchReason::Words);
    }
}

impl<'words> Words<'words> {
    /// Matches equal words.
    fn match_equal(&mut self, wanted: &'words Variant) {
        for (at, word) in wanted.words.iter().enumerate() {
            match self.right.iter().position(|(_, other)| is_same(word, other)) {
                Some(place) => {
                    let (_, other) = self.right.remove(place);
                    self.shared += word.weight;
                    self.by_words |= word.word.role == Role::Plain
                        || (word.word.is_number_in_letters() && word.word.written == other.word.written);
                }
                None => self.left.push((at, word)),
            }
        }
    }

    /// Matches words written together: "GOL TV" and "GOLTV", "Al Hadath" and "AlHadath".
    fn match_joined(&mut self) {
        for swap in [false, true] {
            let (joined, apart) =
                if swap { (&mut self.right, &mut self.left) } else { (&mut self.left, &mut self.right) };
            let mut at = 0;
            while at < joined.len() {
                match written_apart(&joined[at].1.word.text, apart) {
                    Some((start, end)) => {
                        self.shared += joined[at].1.weight;
                        self.by_words = true;
                        apart.drain(start..end);
                        joined.remove(at);
                    }
                    None => at += 1,
                }
            }
        }
    }

    /// Matches typing errors and abbreviations among the unmatched words; differing letters reduce
    /// the shared weight.
    fn match_near(&mut self) {
        let mut at = 0;
        while at < self.left.len() {
            let word = self.left[at].1;
            let best = self
                .right
                .iter()
                .enumerate()
                .filter(|(_, (_, other))| word.word.role == Role::Plain && other.word.role == Role::Plain)
                .map(|(place, (_, other))| (place, alike(word, other)))
                .filter(|(_, like)| *like > 0.0)
                .max_by(|one, other| one.1.total_cmp(&other.1));
            match best {
                Some((place, like)) => {
                    let weight = word.weight.max(self.right[place].1.weight);
                    self.shared += weight * like;
                    self.lost += weight * (1.0 - like);
                    self.by_letters = true;
                    self.left.remove(at);
                    self.right.remove(place);
                }
                None => at += 1,
            }
        }
    }

    fn match_initials(&mut self) {
        let Self { left, right, shared, .. } = self;
        self.by_initials = initials(left, right, shared) || initials(right, left, shared);
        self.by_letters |= self.by_initials;
    }

    /// Weighs words missing from one name; returns whether a place among them disagrees.
    fn weigh_missing(&mut self, known: &Known<'_>) -> bool {
        let heads = |side: &Left| side.iter().filter(|(_, word)| word.word.role == Role::Head).count();
        let other_heads = heads(&self.left) > 0 && heads(&self.right) > 0;
        let mut differs = false;
        // The entry's language explains words missing from its own name, not from the guide's.
        let none: &[&str] = &[];
        let sides = [(&self.left, &self.right, none), (&self.right, &self.left, known.languages)];
        for (side, others, languages) in sides {
            for (at, word) in side {
                self.lost += match (word.word.role, word.word.place) {
                    (Role::Head, _) => {
                        if other_heads {
                            OTHER_HEAD
                        } else {
                            MISSING_HEAD
                        }
                    }
                    (Role::Article, _) => 0.05,
                    (Role::Number, _) => 0.6,
                    (Role::Plain, Some(place)) if *at > 0 => {
                        let is_spoken = || !has_place(others) && is_language(&word.word, languages);
                        if place_fits(place, others, &known.countries) || is_spoken() {
                            AGREEING_PLACE
                        } else {
                            differs = true;
                            OTHER_PLACE
                        }
                    }
                    (Role::Plain, _) => word.weight.max(LEAST_OF_A_MISSING_WORD),
                };
            }
        }
        differs
    }

    /// 0…100: shared weight, limited by the kind of the matched words.
    fn capped_score(&self, wanted: &Variant, candidate: &Variant) -> f32 {
        let all = self.shared + self.lost;
        let mut score = if all > 0.0 { 100.0 * self.shared / all } else { 0.0 };
        // Similar letters only: needs review.
        if self.by_initials || (self.by_letters && !self.by_words) || is_reordered(wanted, candidate) {
            score = score.min(LETTERS_ALONE);
        }
        // "La 5" and "Canal 5": only a number is shared, so the rest must be equal.
        if wanted.is_weak() || candidate.is_weak() {
            score = score.min(NUMBER_ALONE);
        }
        score
    }
}

fn has_place(side: &Left) -> bool {
    side.iter().any(|(_, word)| word.word.place.is_some())
}

/// Whether a word is the name of one of these languages.
fn is_language(word: &Word, languages: &[&str]) -> bool {
    // Short words are codes, which are countries within names.
    let named = || lexicon::language(&word.written).filter(|_| word.written.chars().count() > 3);
    !languages.is_empty() && named().is_some_and(|language| languages.contains(&language))
}

/// Whether a missing place agrees with the other name's places, or else with a known country.
fn place_fits(place: &str, others: &Left, countries: &[&str]) -> bool {
    let agrees = |other: &str| lexicon::places_agree(other, place);
    if has_place(others) {
        others.iter().filter_map(|(_, other)| other.word.place).any(agrees)
    } else {
        countries.iter().any(|country| agrees(country))
    }
}

/// Range of consecutive words that form this word.
fn written_apart(joined: &str, apart: &Left) -> Option<(usize, usize)> {
    (0..apart.len()).find_map(|start| {
        let mut rest = joined;
        let mut end = start;
        while end < apart.len() && (end == start || apart[end].0 == apart[end - 1].0 + 1) {
            rest = rest.strip_prefix(apart[end].1.word.text.as_str())?;
            end += 1;
            if rest.is_empty() {
                return (end - start > 1).then_some((start, end));
            }
        }
        None
    })
}

/// Matches all unmatched words of one name by their initials: "CCM" and "Celestial Classic Movies".
fn initials(short: &mut Left, long: &mut Left, shared: &mut f32) -> bool {
    let plain = long.iter().filter(|(_, word)| word.word.role == Role::Plain).count();
    if plain < 2 {
        return false;
    }
    let found = short.iter().position(|(_, word)| {
        word.written_letters.count == long.len()
            && long.len() <= 5
            && word
                .word
                .written
                .chars()
                .zip(long.iter())
                .all(|(letter, (_, other))| other.word.written.starts_with(letter))
    });
    let Some(at) = found else { return false };
    *shared += long.iter().map(|(_, word)| word.weight).sum::<f32>();
    long.clear();
    short.remove(at);
    true
}
