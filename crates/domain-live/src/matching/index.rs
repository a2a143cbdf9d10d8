//! Index of the guide's channels by words, trigrams, IDs and full names.

use std::collections::HashMap;

use super::name::{Name, Role, Word, language_of};
use crate::guide::Localized;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuideChannel {
    /// ID referenced by its programmes.
    pub id: String,
    /// All display names.
    pub names: Vec<String>,
    /// Languages of the display names, as in the guide.
    pub languages: Vec<String>,
    /// Alias names: names of channels that users linked with it.
    pub aliases: Vec<String>,
}

impl GuideChannel {
    /// A channel with this ID and these names.
    pub fn new(id: String, names: Vec<Localized>) -> Self {
        let mut channel = Self { id, names: Vec::with_capacity(names.len()), ..Self::default() };
        for Localized { language, text } in names {
            channel.names.push(text);
            channel.languages.extend(language.filter(|language| !channel.languages.contains(language)));
        }
        channel
    }
}

/// A word of a name with its weight in this guide.
#[derive(Debug, Clone)]
pub(super) struct Weighted {
    pub word: Word,
    /// 0 for a word in every channel, 1 for a word in one.
    pub weight: f32,
    /// Letters of the canonical form.
    pub letters: Letters,
    /// Letters of the written form.
    pub written_letters: Letters,
}

impl Weighted {
    /// Whether both have the same canonical form. Compares the letter masks first, which is usually
    /// enough.
    pub fn text_equals(&self, other: &Self) -> bool {
        self.letters == other.letters && self.word.text == other.word.text
    }
}

/// Set of a word's letters, for a fast rejection of dissimilar words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Letters {
    pub count: usize,
    /// One bit per letter; some letters share a bit.
    mask: u64,
}

impl Letters {
    pub fn of(text: &str) -> Self {
        let mask = text.chars().fold(0, |mask, letter| mask | 1_u64 << (u32::from(letter) % 64));
        Self { count: text.chars().count(), mask }
    }

    /// Whether this many typing errors can turn one word into the other: each adds at most one
    /// letter and removes one.
    pub const fn may_differ_by(self, other: Self, errors: u32) -> bool {
        (self.mask ^ other.mask).count_ones() <= 2 * errors
    }
}

/// A name of a channel or of an entry.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    /// The parsed name, without its words.
    pub name: Name,
    pub words: Vec<Weighted>,
    /// Whether it was parsed from an ID.
    pub is_id: bool,
    /// Whether it is an alias, not a name of the guide.
    pub is_alias: bool,
}

impl Variant {
    /// Whether it has no distinguishing word: "Canal 5", "La 5", "TV". "ONE" is a name.
    pub fn is_weak(&self) -> bool {
        let distinguishes = |word: &Word| word.role == Role::Plain || word.is_number_in_letters();
        !self.words.iter().any(|one| distinguishes(&one.word))
    }
}

/// A parsed channel of the guide.
#[derive(Debug)]
pub(super) struct Indexed {
    /// Country in the ID.
    pub country: Option<&'static str>,
    /// Languages of its display names.
    pub languages: Vec<&'static str>,
    pub variants: Vec<Variant>,
    /// Index of an earlier channel with the same names apart from quality.
    pub twin_of: Option<u32>,
}

/// Index of a guide's channels.
#[derive(Debug)]
pub(super) struct Index {
    pub channels: Vec<Indexed>,
    by_id: HashMap<String, u32>,
    by_root: HashMap<String, Vec<u32>>,
    by_key: HashMap<String, Vec<u32>>,
    by_initials: HashMap<String, Vec<u32>>,
    by_word: HashMap<String, Vec<u32>>,
    by_trigram: HashMap<[char; 3], Vec<u32>>,
    /// Country of nearly all IDs, for a guide of one country.
    pub country: Option<&'static str>,
    /// Whether the IDs have markets, of more than one country.
    pub is_of_several_countries: bool,
}

/// Words and trigrams of more channels than this are ignored.
const MOST_OF_A_WORD: usize = 600;
const MOST_OF_A_TRIGRAM: usize = 300;
/// Maximum aliases of a channel.
const MOST_ALIASES: usize = 12;
/// Minimum channels for deriving the guide's country.
const LEAST_OF_A_COUNTRY: usize = 5;
/// Maximum channels compared completely.
const MOST_COMPARED: usize = 24;

/// The ID without feed, dots, case and quality words.
pub(super) fn root_of(id: &str) -> String {
    let stem = id.split_once('@').map_or(id, |(stem, _)| stem);
    let parts = stem.split(['.', ' ', '_', '-']).filter(|part| {
        let part = part.to_ascii_lowercase();
        part.len() > 3 || !super::lexicon::is_quality(&part)
    });
    parts
        .flat_map(str::chars)
        .flat_map(char::to_lowercase)
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}

impl Index {
    pub fn new(channels: &[GuideChannel]) -> Self {
        let mut index = Self {
            channels: Vec::with_capacity(channels.len()),
            by_id: HashMap::with_capacity(channels.len()),
            by_root: HashMap::with_capacity(channels.len()),
            by_key: HashMap::with_capacity(channels.len() * 2),
            by_initials: HashMap::new(),
            by_word: HashMap::new(),
            by_trigram: HashMap::new(),
            country: None,
            is_of_several_countries: false,
        };
        let mut twins: HashMap<String, u32> = HashMap::with_capacity(channels.len());
        for (channel, at) in channels.iter().zip(0_u32..) {
            let mut variants: Vec<Variant> = Vec::with_capacity(channel.names.len() + 1);
            for text in channel.names.iter().take(12) {
                let name = Name::parse(text);
                if !name.words.is_empty() && variants.iter().all(|known| known.name != name) {
                    variants.push(Variant { name, words: Vec::new(), is_id: false, is_alias: false });
                }
            }
            let of_id = Name::of_id(&channel.id);
            let country = of_id.as_ref().and_then(|name| name.country);
            if let Some(name) = of_id
                && variants.iter().all(|known| known.name.key != name.key)
            {
                variants.push(Variant { name, words: Vec::new(), is_id: true, is_alias: false });
            }
            let mut names: Vec<String> = variants
                .iter()
                .map(|Variant { name, .. }| format!("{} {:?} {:?}", name.key, name.shift, name.call_sign))
                .collect();
            names.sort_unstable();
            names.dedup();
            let twin_of = match twins.entry(names.join("\n")) {
                std::collections::hash_map::Entry::Occupied(first) => Some(*first.get()),
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(at);
                    None
                }
            };
            for text in channel.aliases.iter().take(MOST_ALIASES) {
                let name = Name::parse(text);
                if !name.words.is_empty() && variants.iter().all(|known| known.name.key != name.key) {
                    variants.push(Variant { name, words: Vec::new(), is_id: false, is_alias: true });
                }
            }
            index.by_id.entry(channel.id.to_lowercase()).or_insert(at);
            let root = root_of(&channel.id);
            index.by_root.entry(root).or_default().push(at);
            for variant in &variants {
                add(&mut index.by_key, variant.name.key.clone(), at);
                add(&mut index.by_key, variant.name.core.clone(), at);
                if let Some(initials) = initials_of(&variant.name) {
                    add(&mut index.by_initials, initials, at);
                }
                for word in &variant.name.words {
                    add(&mut index.by_word, word.text.clone(), at);
                }
                each_trigram(&variant.name.core, |trigram| add(&mut index.by_trigram, trigram, at));
            }
            let languages = channel.languages.iter().filter_map(|language| language_of(language)).collect();
            index.channels.push(Indexed { country, languages, variants, twin_of });
        }
        index.weigh();
        index.find_country(channels);
        index
    }

    fn weigh(&mut self) {
        let count = self.channels.len();
        let mut channels = std::mem::take(&mut self.channels);
        for variant in channels.iter_mut().flat_map(|channel| &mut channel.variants) {
            variant.words = self.weighted(std::mem::take(&mut variant.name.words), count);
        }
        self.channels = channels;
    }

    /// The words of a name with their weights in this guide.
    fn weighted(&self, words: Vec<Word>, count: usize) -> Vec<Weighted> {
        let most = ln(count + 1);
        let weight = |word: &Word| {
            let holders = self.by_word.get(&word.text).map_or(1, Vec::len).max(1);
            let rarity = if most > 0.0 { (ln(1 + count / holders) / most).clamp(0.05, 1.0) } else { 1.0 };
            match word.role {
                Role::Head => rarity.min(0.12),
                Role::Article => 0.05,
                Role::Number if word.is_number_in_letters() => rarity.clamp(0.3, 1.0),
                Role::Number => rarity.clamp(0.3, 0.6),
                Role::Plain => rarity.max(0.2),
            }
        };
        let weighted = |word: Word| Weighted {
            weight: weight(&word),
            letters: Letters::of(&word.text),
            written_letters: Letters::of(&word.written),
            word,
        };
        words.into_iter().map(weighted).collect()
    }

    /// A wanted name with the weights of its words in this guide.
    pub fn variant(&self, mut name: Name, is_id: bool) -> Variant {
        let words = self.weighted(std::mem::take(&mut name.words), self.channels.len());
        Variant { name, words, is_id, is_alias: false }
    }

    fn find_country(&mut self, channels: &[GuideChannel]) {
        let mut counts: HashMap<&'static str, usize> = HashMap::new();
        for country in self.channels.iter().filter_map(|channel| channel.country) {
            *counts.entry(country).or_default() += 1;
        }
        let named: usize = counts.values().sum();
        let feeds = channels.iter().filter(|channel| channel.id.contains('@')).count();
        let Some((country, most)) = counts.into_iter().max_by_key(|(country, count)| (*count, *country))
        else {
            return;
        };
        if most * 10 >= named * 6 {
            self.country = Some(country);
        }
        // The country of an ID with a feed is the channel's origin, not the guide's market.
        let is_of_one = channels.len() >= LEAST_OF_A_COUNTRY && most * 10 >= named * 9;
        self.is_of_several_countries = !is_of_one && feeds * 10 < channels.len();
    }

    pub fn with_id(&self, id: &str) -> Option<u32> {
        self.by_id.get(&id.to_lowercase()).copied()
    }

    pub fn with_root(&self, root: &str) -> &[u32] {
        self.by_root.get(root).map_or(&[], Vec::as_slice)
    }

    /// Channels that share a name with the variant, its rarest words, or its letters.
    pub fn near(&self, variant: &Variant, votes: &mut Votes, found: &mut Vec<u32>) {
        let before = found.len();
        for key in [&variant.name.key, &variant.name.core] {
            if !key.is_empty()
                && let Some(channels) = self.by_key.get(key)
            {
                found.extend(channels.iter().take(MOST_COMPARED));
            }
        }
        let has_equal = found.len() > before;
        if let [only] = variant.words.as_slice()
            && let Some(channels) = self.by_initials.get(&only.word.written)
        {
            found.extend(channels.iter().take(MOST_COMPARED));
        }
        let mut words: Vec<(&Vec<u32>, f32)> = variant
            .words
            .iter()
            .filter_map(|weighted| Some((self.by_word.get(&weighted.word.text)?, weighted.weight)))
            .collect();
        words.sort_by_key(|(channels, _)| channels.len());
        for (at, (channels, weight)) in words.iter().enumerate() {
            if at == 0 || channels.len() <= MOST_OF_A_WORD {
                votes.add(channels.iter().take(MOST_OF_A_WORD * 4), *weight);
            }
        }
        votes.elect(MOST_COMPARED, found);
        if !has_equal {
            each_trigram(&variant.name.core, |trigram| {
                if let Some(channels) = self.by_trigram.get(&trigram)
                    && channels.len() <= MOST_OF_A_TRIGRAM
                {
                    votes.add(channels, 1.0);
                }
            });
            votes.elect(MOST_COMPARED / 2, found);
        }
    }
}

/// Initials of two to five words.
fn initials_of(name: &Name) -> Option<String> {
    let letters = name.words.iter().map(|word| word.written.chars().next());
    (2..=5).contains(&name.words.len()).then(|| letters.flatten().collect())
}

fn ln(count: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "an approximate weight is enough")]
    (count as f32).ln()
}

/// Sums of votes by channel. Reused between entries: it has the length of the guide.
#[derive(Debug)]
pub(super) struct Votes {
    /// By index of the channel.
    sums: Vec<f32>,
    /// Channels with votes.
    channels: Vec<u32>,
}

impl Votes {
    pub fn new(index: &Index) -> Self {
        Self { sums: vec![0.0; index.channels.len()], channels: Vec::new() }
    }

    fn add<'channels>(&mut self, channels: impl IntoIterator<Item = &'channels u32>, weight: f32) {
        for channel in channels {
            let sum = &mut self.sums[*channel as usize];
            if *sum == 0.0 {
                self.channels.push(*channel);
            }
            *sum += weight;
        }
    }

    /// Moves the channels with most votes to `found`, and resets the votes.
    fn elect(&mut self, most: usize, found: &mut Vec<u32>) {
        let Self { sums, channels } = self;
        if channels.len() > most {
            let sum = |channel: &u32| sums[*channel as usize];
            channels.select_nth_unstable_by(most, |one, other| {
                sum(other).total_cmp(&sum(one)).then(one.cmp(other))
            });
        }
        found.extend(channels.iter().take(most));
        for channel in channels.drain(..) {
            sums[channel as usize] = 0.0;
        }
    }
}

fn add<K: std::hash::Hash + Eq>(map: &mut HashMap<K, Vec<u32>>, key: K, at: u32) {
    let channels = map.entry(key).or_default();
    if channels.last() != Some(&at) {
        channels.push(at);
    }
}

fn each_trigram(text: &str, mut act: impl FnMut([char; 3])) {
    let mut window = ['\u{2}'; 3];
    for letter in text.chars().chain(['\u{3}']) {
        window = [window[1], window[2], letter];
        if window[1] != '\u{2}' {
            act(window);
        }
    }
}
