//! A channel's name taken apart: country in front, quality, remarks, time shift, numbers, call sign, places, words.

use std::collections::HashSet;

use super::{
    fold::{folded, unstyled},
    lexicon::{self, Prefix},
    parts::{front_mark, is_other_script, split_brackets, without_description},
    tokens::{call_sign, pieces_of, spaced, tokens_of},
};

/// What a word of a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A word that distinguishes.
    Plain,
    /// "TV", "Canal": says that this is a channel.
    Head,
    /// "the", "el", "and".
    Article,
    /// A number, in digits or as a word.
    Number,
}

/// One word of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Folded, and one spelling for all that are the same (`2` for "dos", `sport` for "sports").
    pub text: String,
    /// As it was written, folded.
    pub written: String,
    /// What it says.
    pub role: Role,
    /// A country, an area or a language.
    pub place: Option<&'static str>,
}

/// A name taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Name {
    /// All letters and digits as they were written, folded: with quality, remarks and prefix.
    pub whole: String,
    /// The words that remain, joined.
    pub key: String,
    /// The words that distinguish and the numbers, joined.
    pub core: String,
    /// The words that remain.
    pub words: Vec<Word>,
    /// `+1` is `1`, East and West are feeds of their own.
    pub shift: Option<Shift>,
    /// Letters of a station's licence, without `-TV` and `-DT`.
    pub call_sign: Option<String>,
    /// The country in front of the name.
    pub country: Option<&'static str>,
    /// Picture quality, as it was written.
    pub quality: Vec<String>,
    /// The best of these; 0 where nothing is said.
    pub quality_rank: u8,
    /// Whether its end is missing: "Al Kahera Wal N...".
    pub is_cut: bool,
}

/// What is on at another time than on the channel itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// So many hours later.
    Hours(i8),
    /// The eastern feed.
    East,
    /// The western feed.
    West,
}

/// The longest name that is compared, in characters: the rest is no name.
const LONGEST: usize = 160;

impl Name {
    /// Takes a name apart as it stands in a list or in a guide.
    pub fn parse(text: &str) -> Self {
        let text = unstyled(text);
        let text = if text.chars().count() > LONGEST { text.chars().take(LONGEST).collect() } else { text };
        let mut name = Self { whole: letters_of(&text), ..Self::default() };
        let rest = name.take_prefixes(&text);
        let (outside, brackets) = split_brackets(rest);
        name.is_cut = text.trim_end().ends_with("...") || text.trim_end().ends_with('…');
        name.read(without_description(&outside));
        for bracket in &brackets {
            let is_place = lexicon::place(&folded(bracket.trim())).is_some();
            if is_place || name.words.is_empty() || !is_other_script(bracket, &outside) {
                name.read_bracket(bracket, name.words.is_empty());
            }
        }
        name.finish();
        name
    }

    /// Takes apart what an id holds: `Canal.Siete.HD.es` and `CanalSiete.es@SD`. Nothing where it holds no name.
    pub fn of_id(id: &str) -> Option<Self> {
        let (stem, feed) = id.split_once('@').unwrap_or((id, ""));
        let (stem, country) = match stem.rsplit_once('.') {
            Some((stem, code)) => {
                let code = code.to_ascii_lowercase();
                let code = code.trim_end_matches(|letter: char| letter.is_ascii_digit());
                match lexicon::country(code) {
                    Some(country) => (stem, Some(country)),
                    None => (id, None),
                }
            }
            None => (stem, None),
        };
        if country.is_none() && !reads_as_name(stem) {
            return None;
        }
        let mut name = Self { whole: letters_of(id), country, ..Self::default() };
        name.read(&spaced(stem));
        if !feed.is_empty() {
            name.read_bracket(&spaced(feed), false);
        }
        // The country of an id says where the channel is from; the list's own is in front of names.
        name.finish();
        (!name.words.is_empty()).then_some(name)
    }

    /// Removes "ES:", "|ES|", "[ES]", "ES - ", "VIP ES:" and the like from the front.
    fn take_prefixes<'text>(&mut self, text: &'text str) -> &'text str {
        let mut rest = text.trim();
        for _ in 0..3 {
            let Some((mark, after)) = front_mark(rest) else { return rest };
            let mut country = None;
            for word in mark.split([' ', '|', ':', '/']).filter(|word| !word.is_empty()) {
                match lexicon::prefix(&folded(word)) {
                    Some(Prefix::Country(found)) => country = Some(found),
                    Some(Prefix::Mark) => {}
                    None => return rest,
                }
            }
            if after.trim().is_empty() {
                return rest;
            }
            self.country = self.country.or(country);
            rest = after.trim();
        }
        rest
    }

    /// Reads the words outside of brackets.
    fn read(&mut self, text: &str) {
        let text = self.take_shift(text);
        let tokens = tokens_of(&text);
        let mut written: Vec<String> = Vec::with_capacity(tokens.len());
        for token in tokens {
            if self.call_sign.is_none() && token.is_capital {
                self.call_sign = call_sign(&token.raw);
            }
            let whole = folded(&token.raw);
            if lexicon::is_quality(&whole) {
                self.quality.push(whole);
                continue;
            }
            written.extend(pieces_of(&token.raw).into_iter().map(folded).filter(|word| !word.is_empty()));
            if token.has_plus {
                written.push("plus".to_owned());
            }
        }
        replace_phrases(&mut written);
        for word in written {
            if lexicon::is_quality(&word) {
                self.quality.push(word);
            } else {
                self.words.push(Word::new(word));
            }
        }
    }

    /// Reads one pair of brackets: quality and remarks are dropped, what else is there belongs to the name.
    fn read_bracket(&mut self, text: &str, is_all: bool) {
        let words: Vec<String> =
            text.split([' ', ',', ';', '/', '|']).map(folded).filter(|word| !word.is_empty()).collect();
        if !is_all && words.iter().all(|word| lexicon::is_remark(word)) {
            self.quality.extend(words.into_iter().filter(|word| lexicon::is_quality(word)));
            return;
        }
        if let [word] = words.as_slice()
            && !is_all
            && let Some(Prefix::Country(country)) = lexicon::prefix(word)
            && self.country.is_none_or(|known| known == country)
            && lexicon::country(word).is_some()
        {
            self.country = Some(country);
            return;
        }
        self.read(text);
    }

    /// Removes `+1`, `(+2)`, `+1h`, "plus 1", "Timeshift", East and West.
    fn take_shift(&mut self, text: &str) -> String {
        let characters: Vec<char> = text.chars().collect();
        let mut kept = String::with_capacity(text.len());
        let mut at = 0;
        while at < characters.len() {
            // Within brackets the text begins with the sign.
            let is_plus =
                characters[at] == '+' || (characters[at] == '-' && at == 0 && !self.words.is_empty());
            if let Some((hours, end)) = is_plus.then(|| hours_after(&characters, at)).flatten() {
                let before = kept.trim_end();
                let joined = at > 0 && !characters[at - 1].is_whitespace();
                // "Canal+ 1" is the first of Canal+; "Canal +1" and "ITV2+1" are an hour late.
                if (!before.is_empty() || !self.words.is_empty())
                    && (!characters[at + 1].is_whitespace() || !joined)
                {
                    self.shift = Some(Shift::Hours(if characters[at] == '-' { -hours } else { hours }));
                    kept.push(' ');
                    at = end;
                    continue;
                }
            }
            kept.push(characters[at]);
            at += 1;
        }
        kept
    }

    fn finish(&mut self) {
        let ranks = self.quality.iter().map(|quality| lexicon::quality_rank(quality));
        self.quality_rank = ranks.max().unwrap_or(0);
        self.take_feed();
        if self.is_cut
            && let Some(last) = self.words.last_mut()
        {
            last.role = Role::Plain;
            last.text.clone_from(&last.written);
        }
        self.key = self.words.iter().map(|word| word.text.as_str()).collect();
        self.core = self
            .words
            .iter()
            .filter(|word| matches!(word.role, Role::Plain | Role::Number))
            .map(|word| word.text.as_str())
            .collect();
    }

    /// "HBO East" and "HBO Pacific" are feeds where another word stands before.
    fn take_feed(&mut self) {
        let Some(at) = self.words.iter().rposition(|word| feed(&word.written).is_some()) else { return };
        if at > 0 && at + 1 == self.words.len() && self.shift.is_none() {
            self.shift = feed(&self.words[at].written);
            self.words.remove(at);
        }
    }

    /// How near the pictures are: the same quality, both better than standard, or neither.
    pub fn quality_agreement(&self, other: &Self) -> u8 {
        match (self.quality_rank, other.quality_rank) {
            (one, other) if one == other => 3,
            (one, other) if one > 1 && other > 1 => 2,
            (_, 0) => 1,
            _ => 0,
        }
    }
}

impl Word {
    /// "one", "dos", "III".
    pub fn is_number_in_letters(&self) -> bool {
        self.role == Role::Number && !self.written.as_bytes().first().is_some_and(u8::is_ascii_digit)
    }

    fn new(written: String) -> Self {
        if written.bytes().all(|byte| byte.is_ascii_digit()) {
            let trimmed = written.trim_start_matches('0');
            let text = if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() };
            return Self { text, written, role: Role::Number, place: None };
        }
        if let Some(number) = lexicon::number(&written) {
            return Self { text: number.to_owned(), written, role: Role::Number, place: None };
        }
        let text = lexicon::canonical(&written).map_or_else(|| written.clone(), str::to_owned);
        let role = if lexicon::is_head(&text) {
            Role::Head
        } else if lexicon::is_article(&text) {
            Role::Article
        } else {
            Role::Plain
        };
        let place = lexicon::place(&written);
        Self { text, written, role, place }
    }
}

fn feed(word: &str) -> Option<Shift> {
    match word {
        "east" | "eastern" | "este" => Some(Shift::East),
        "west" | "western" | "pacific" | "oeste" => Some(Shift::West),
        _ => None,
    }
}

/// The hours behind a sign at `at` and where they end: one or two digits, 1 to 24, perhaps with an `h`.
fn hours_after(characters: &[char], at: usize) -> Option<(i8, usize)> {
    let mut end = at + 1;
    if characters.get(end) == Some(&' ') {
        end += 1;
    }
    let start = end;
    while end < characters.len() && end - start < 3 && characters[end].is_ascii_digit() {
        end += 1;
    }
    let hours: i8 = characters[start..end].iter().collect::<String>().parse().ok()?;
    if matches!(characters.get(end), Some('h' | 'H')) {
        end += 1;
    }
    let ends = characters.get(end).is_none_or(|next| !next.is_alphanumeric());
    ((1..=24).contains(&hours) && ends).then_some((hours, end))
}

/// Letters and digits, folded.
fn letters_of(text: &str) -> String {
    let mut letters = folded(text);
    letters.retain(|letter| letter.is_alphanumeric() || letter == '+');
    letters
}

/// Replaces groups of words that viewers write in short, and joins names of places in two words.
fn replace_phrases(words: &mut Vec<String>) {
    for (short, long) in lexicon::PHRASES {
        let starts = |at: usize, words: &[String]| {
            words.len() >= at + short.len() && short.iter().zip(&words[at..]).all(|(one, other)| one == other)
        };
        if let Some(at) = (0..words.len()).find(|at| starts(*at, words)) {
            words.splice(at..at + short.len(), long.iter().map(|word| (*word).to_owned()));
        }
    }
    for at in (0..words.len().saturating_sub(1)).rev() {
        let joined = format!("{}{}", words[at], words[at + 1]);
        if joined.len() > 6 && lexicon::place(&joined).is_some() {
            words[at] = joined;
            words.remove(at + 1);
        }
    }
}

/// Whether an id without a country reads as a name: letters that are no code.
fn reads_as_name(stem: &str) -> bool {
    let letters = stem.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = stem.chars().filter(char::is_ascii_digit).count();
    let uuid = stem.len() >= 32 && stem.matches('-').count() >= 4;
    letters >= 3 && digits <= letters / 2 && !uuid && !stem.contains('_')
}

/// The country that a group of a list is named by ("Uruguay", "香港").
pub fn country_of_group(group: &str) -> Option<&'static str> {
    country_named(&joined(group))
}

/// The countries that a tag names, by codes or names: `ES`, `es;fr`, `Spain, South Africa`. What is no country says nothing.
pub(super) fn countries_of_tag(tag: &str) -> Vec<&'static str> {
    named_in(tag, |text| {
        let word = joined(text);
        lexicon::country(&word).or_else(|| country_named(&word))
    })
}

/// The languages that a tag names, by codes or names: `es`, `spa`, `pt-BR`, `Spanish;English`. What is no language says nothing.
pub(super) fn languages_of_tag(tag: &str) -> Vec<&'static str> {
    named_in(tag, language_of)
}

/// The language of a code or a name, its region aside.
pub(super) fn language_of(text: &str) -> Option<&'static str> {
    lexicon::language(&joined(text.split(['-', '_']).next().unwrap_or_default()))
}

fn country_named(word: &str) -> Option<&'static str> {
    lexicon::place(word).filter(|place| !place.starts_with(['+', '*']))
}

/// Letters and digits of a text, folded.
fn joined(text: &str) -> String {
    folded(&unstyled(text)).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// What the parts of a tag mean, each once: parts between separators, or else their words.
fn named_in(tag: &str, meaning: impl Fn(&str) -> Option<&'static str>) -> Vec<&'static str> {
    // "ES FR" are codes; "de" in "Norte de Chile" is none.
    let is_short = |word: &str| word.chars().count() <= 3;
    let mut found: Vec<&'static str> = Vec::new();
    for part in tag.split([';', ',', '/', '|']) {
        if let Some(whole) = meaning(part) {
            found.push(whole);
            continue;
        }
        let has_codes = part.split_whitespace().all(is_short);
        let words = part.split_whitespace().filter(|word| has_codes || !is_short(word));
        found.extend(words.filter_map(&meaning));
    }
    let mut seen = HashSet::new();
    found.retain(|one| seen.insert(*one));
    found
}
