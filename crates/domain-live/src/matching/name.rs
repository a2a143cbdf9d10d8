//! Parser of channel names: country prefix, quality, remarks, time shift, numbers, call sign,
//! places, words.

use std::collections::HashSet;

use super::{
    fold::{folded, unstyled},
    lexicon::{self, Prefix},
    parts::{front_mark, is_other_script, split_brackets, without_description},
    tokens::{call_sign, pieces_of, spaced, tokens_of},
};

/// Role of a word within a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A distinguishing word.
    Plain,
    /// A word for "channel": "TV", "Canal".
    Head,
    /// "the", "el", "and".
    Article,
    /// A number, in digits or letters.
    Number,
}

/// A word of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Folded canonical form (`2` for "dos", `sport` for "sports").
    pub text: String,
    /// Folded written form.
    pub written: String,
    pub role: Role,
    /// A country, an area or a language.
    pub place: Option<&'static str>,
}

/// A parsed name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Name {
    /// All letters and digits, folded, including quality, remarks and prefix.
    pub whole: String,
    /// The remaining words, joined.
    pub key: String,
    /// The distinguishing words and numbers, joined.
    pub core: String,
    /// The remaining words.
    pub words: Vec<Word>,
    /// `+1` is `1`; East and West are separate feeds.
    pub shift: Option<Shift>,
    /// Letters of a station's licence, without `-TV` and `-DT`.
    pub call_sign: Option<String>,
    /// Country prefix of the name.
    pub country: Option<&'static str>,
    /// Quality words, as written.
    pub quality: Vec<String>,
    /// The best quality; 0 for none.
    pub quality_rank: u8,
    /// Whether the name is truncated: "Al Kahera Wal N...".
    pub is_cut: bool,
}

/// Time shift of a feed against the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// Delay in hours.
    Hours(i8),
    East,
    West,
}

/// Maximum characters of a name that are compared.
const LONGEST: usize = 160;

impl Name {
    /// Parses a name of a list or a guide.
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

    /// Parses the name within an ID: `Canal.Siete.HD.es` and `CanalSiete.es@SD`. `None` for an ID
    /// without one.
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
        // The country of an ID is the channel's origin; the list's own is a prefix of the name.
        name.finish();
        (!name.words.is_empty()).then_some(name)
    }

    /// Removes prefixes: "ES:", "|ES|", "[ES]", "ES - ", "VIP ES:" and similar ones.
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

    /// Parses the words outside of brackets.
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

    /// Parses one pair of brackets: drops quality and remarks; the rest is part of the name.
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

    /// Removes time shifts: `+1`, `(+2)`, `+1h`, "plus 1", "Timeshift", East and West.
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
                // "Canal+ 1" is the first of Canal+; "Canal +1" and "ITV2+1" have a delay of one
                // hour.
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

    /// Removes the feed of "HBO East" and "HBO Pacific", if another word precedes it.
    fn take_feed(&mut self) {
        let Some(at) = self.words.iter().rposition(|word| feed(&word.written).is_some()) else { return };
        if at > 0 && at + 1 == self.words.len() && self.shift.is_none() {
            self.shift = feed(&self.words[at].written);
            self.words.remove(at);
        }
    }

    /// Similarity of quality: equal, both better than standard, or neither.
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
    /// Whether it is a number in letters: "one", "dos", "III".
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

/// Hours after the sign at `at`, and the end of their text: one or two digits, 1 to 24, with an
/// optional `h`.
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

/// Replaces word groups by their abbreviations, and joins place names of two words.
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

/// Whether an ID without a country is a name: letters that are no code.
fn reads_as_name(stem: &str) -> bool {
    let letters = stem.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = stem.chars().filter(char::is_ascii_digit).count();
    let uuid = stem.len() >= 32 && stem.matches('-').count() >= 4;
    letters >= 3 && digits <= letters / 2 && !uuid && !stem.contains('_')
}

/// The country in the name of a list's group ("Uruguay", "香港").
pub fn country_of_group(group: &str) -> Option<&'static str> {
    country_named(&joined(group))
}

/// Countries of a tag, by codes or names: `ES`, `es;fr`, `Spain, South Africa`. Other words are
/// ignored.
pub(super) fn countries_of_tag(tag: &str) -> Vec<&'static str> {
    named_in(tag, |text| {
        let word = joined(text);
        lexicon::country(&word).or_else(|| country_named(&word))
    })
}

/// Languages of a tag, by codes or names: `es`, `spa`, `pt-BR`, `Spanish;English`. Other words are
/// ignored.
pub(super) fn languages_of_tag(tag: &str) -> Vec<&'static str> {
    named_in(tag, language_of)
}

/// The language of a code or a name, without its region.
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

/// Distinct meanings of a tag's parts: split at separators, or else into words.
fn named_in(tag: &str, meaning: impl Fn(&str) -> Option<&'static str>) -> Vec<&'static str> {
    // "ES FR" are codes; "de" in "Norte de Chile" is not.
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
