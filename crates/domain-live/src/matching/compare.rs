//! Two names side by side: what they share, weighed, and what speaks for and against.

use smallvec::SmallVec;

use super::{
    index::{Letters, Variant, Weighted},
    lexicon,
    name::{Name, Role, Word},
    reasons::MatchReason,
};

/// Few of them, beside the comparison: most are made for candidates that are not kept.
pub(super) type Reasons = SmallVec<[MatchReason; 8]>;

/// What a comparison of two names found.
#[derive(Debug, Clone, Default)]
pub(super) struct Comparison {
    /// 0…100: the weight of what they share of the weight of all.
    pub score: f32,
    /// What speaks for.
    pub for_: Reasons,
    /// What speaks against.
    pub against: Reasons,
    /// Whether they say another channel: a number, a shift or a call sign that differs.
    pub is_another: bool,
    /// Whether any word that distinguishes is shared.
    pub shares: bool,
    /// Whether a place stands on one side alone that fits nothing that is known.
    pub is_place_missing: bool,
    /// Whether the names are equal apart from quality and remarks.
    pub is_equal: bool,
    /// How near the pictures are.
    pub quality: u8,
}

impl Comparison {
    /// Whether the names share all that counts.
    pub fn is_nearly_all(&self) -> bool {
        self.score > 99.0
    }
}

/// What a word that one side lacks counts at least: a genre or "Plus" is frequent in a guide and yet another channel.
const LEAST_OF_A_MISSING_WORD: f32 = 0.55;
/// A place that agrees with the context may be left out.
const AGREEING_PLACE: f32 = 0.1;
const OTHER_PLACE: f32 = 0.6;
const MISSING_HEAD: f32 = 0.08;
const OTHER_HEAD: f32 = 0.35;
/// What is left of the score where a rule says another channel: enough to be shown.
const ANOTHER_CHANNEL: f32 = 0.8;
/// What letters alone, initials and another order of words are worth at most.
const LETTERS_ALONE: f32 = 80.0;
/// What a number alone is worth at most.
const NUMBER_ALONE: f32 = 70.0;

/// What is known of the two channels beside their names.
pub(super) struct Known<'entry> {
    /// Those of the entry, of the channel of the guide, and of the guide.
    pub countries: SmallVec<[&'static str; 4]>,
    /// Those of the entry.
    pub languages: &'entry [&'static str],
}

/// Compares a name that is looked for with one of the guide.
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

/// Whether both are one name, in whatever spelling: what [`compare`] finds to be nearly all, and nothing says another channel.
pub(super) fn is_same_name(wanted: &Variant, candidate: &Variant, known: &Known<'_>) -> bool {
    differences(wanted, candidate).is_empty() && compare(wanted, candidate, known).is_nearly_all()
}

/// What says another channel, however much the names share: the shift, the call sign, a number.
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

/// Whether one has a number that the other lacks, or has it more often.
fn numbers_differ(wanted: &Variant, candidate: &Variant) -> bool {
    let numbers = |of: &Variant| of.words.iter().filter(|one| one.word.role == Role::Number).count();
    let as_often = |number: &Weighted| {
        let occurrences = |of: &Variant| of.words.iter().filter(|one| one.text_equals(number)).count();
        occurrences(wanted) == occurrences(candidate)
    };
    let mut own = wanted.words.iter().filter(|one| one.word.role == Role::Number);
    numbers(wanted) != numbers(candidate) || !own.all(as_often)
}

/// Whether one is the other without its end.
fn is_cut_form(cut: &Name, whole: &Name) -> bool {
    cut.is_cut && cut.key.len() >= 8 && whole.key.len() > cut.key.len() && whole.key.starts_with(&cut.key)
}

/// "TV Norte" and "Norte TV" may be two channels: one begins with the word for a channel, the other ends with it.
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

/// The same word, or two names of one place ("Egypt" and "Masr").
fn is_same(one: &Weighted, other: &Weighted) -> bool {
    one.text_equals(other) || (one.word.place.is_some() && one.word.place == other.word.place)
}

/// How like two words are: as they were written, or by the word that stands for them.
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

/// How like two words are by their letters, 0 where they are not.
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

/// Words of one side that no word of the other equals, with their places in the name.
type Left<'words> = SmallVec<[(usize, &'words Weighted); 8]>;

/// The words of two names: which of them are left to compare, and what the others weigh.
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
    /// The words that both names have.
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

    /// "GOL TV" and "GOLTV", "Al Hadath" and "AlHadath": words written together.
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

    /// Typing errors and abbreviations among the words that are left; what the letters lack is lost.
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

    /// Weighs the words that one name lacks; answers whether a place is among them that does not fit.
    fn weigh_missing(&mut self, known: &Known<'_>) -> bool {
        let heads = |side: &Left| side.iter().filter(|(_, word)| word.word.role == Role::Head).count();
        let other_heads = heads(&self.left) > 0 && heads(&self.right) > 0;
        let mut differs = false;
        // The entry's language says what its name leaves out, and nothing of a guide that leaves it out.
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

    /// 0…100: what is shared of all, and no more than the kind of what is shared is worth.
    fn capped_score(&self, wanted: &Variant, candidate: &Variant) -> f32 {
        let all = self.shared + self.lost;
        let mut score = if all > 0.0 { 100.0 * self.shared / all } else { 0.0 };
        // Nothing but letters: for a person to see.
        if self.by_initials || (self.by_letters && !self.by_words) || is_reordered(wanted, candidate) {
            score = score.min(LETTERS_ALONE);
        }
        // "La 5" and "Canal 5": nothing but a number is shared, so the rest has to be equal.
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
    // Short ones are codes, and countries where they stand in names.
    let named = || lexicon::language(&word.written).filter(|_| word.written.chars().count() > 3);
    !languages.is_empty() && named().is_some_and(|language| languages.contains(&language))
}

/// Whether a place that one name lacks agrees with the places that it has instead, or else with a known country.
fn place_fits(place: &str, others: &Left, countries: &[&str]) -> bool {
    let agrees = |other: &str| lexicon::places_agree(other, place);
    if has_place(others) {
        others.iter().filter_map(|(_, other)| other.word.place).any(agrees)
    } else {
        countries.iter().any(|country| agrees(country))
    }
}

/// Which words, one after the other, are this word written apart.
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

/// "CCM" and "Celestial Classic Movies": all words that are left on one side, by their first letters.
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
