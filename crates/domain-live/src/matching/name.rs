//! A channel's name taken apart: country in front, quality, remarks, time shift, numbers, call sign, places, words.

use super::{
    fold::{folded, unstyled},
    lexicon::{self, Prefix},
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
    /// Numbers, in order of size.
    pub numbers: Vec<String>,
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
        let mut numbers: Vec<String> = self
            .words
            .iter()
            .filter(|word| word.role == Role::Number)
            .map(|word| word.text.clone())
            .collect();
        numbers.sort_unstable();
        self.numbers = numbers;
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

/// A mark in front, and what follows: up to `:`, `|`, `▎`, ` - ` or a closing bracket.
fn front_mark(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next()?;
    let closing = match first {
        '|' => Some('|'),
        '[' => Some(']'),
        '(' => Some(')'),
        '{' => Some('}'),
        '┃' => Some('┃'),
        '▎' => Some('▎'),
        _ => None,
    };
    if let Some(closing) = closing {
        let inner = &text[first.len_utf8()..];
        let end = inner.find(closing)?;
        return Some((&inner[..end], &inner[end + closing.len_utf8()..]));
    }
    for (at, letter) in text.char_indices().take(24) {
        match letter {
            ':' | '|' | '▎' | '┃' | '»' | '★' | '✦' | '●' => {
                return Some((&text[..at], &text[at + letter.len_utf8()..]));
            }
            '-' | '–' | '—' if text[..at].ends_with(' ') => {
                return Some((&text[..at], &text[at + letter.len_utf8()..]));
            }
            _ => {}
        }
    }
    None
}

/// What stands outside of brackets, and what within each.
fn split_brackets(text: &str) -> (String, Vec<String>) {
    if !text.contains(['(', '[', '{', '（', '［', '【', '「']) {
        return (text.to_owned(), Vec::new());
    }
    let mut outside = String::with_capacity(text.len());
    let (mut brackets, mut inner, mut depth) = (Vec::new(), String::new(), 0_usize);
    for letter in text.chars() {
        match letter {
            '(' | '[' | '{' | '【' | '「' => {
                depth += 1;
                outside.push(' ');
            }
            ')' | ']' | '}' | '】' | '」' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    brackets.push(std::mem::take(&mut inner));
                }
            }
            _ if depth > 0 => inner.push(letter),
            _ => outside.push(letter),
        }
    }
    if !inner.trim().is_empty() {
        brackets.push(inner);
    }
    (outside, brackets)
}

/// Japanese lists write after a blank what the channel shows, in words joined by middle dots.
fn without_description(text: &str) -> &str {
    let mut start = 0;
    for part in text.split_inclusive([' ', '\u{3000}']) {
        let is_joined = part.contains(['・', '･', '·']) && !part.is_ascii();
        if is_joined && !text[..start].trim().is_empty() {
            return &text[..start];
        }
        start += part.len();
    }
    text
}

/// Whether a bracket repeats the name in another script: "QVC（キューヴィーシー）".
fn is_other_script(bracket: &str, outside: &str) -> bool {
    let latin = |text: &str| text.chars().filter(char::is_ascii_alphabetic).count();
    let other =
        |text: &str| text.chars().filter(|letter| letter.is_alphabetic() && !letter.is_ascii()).count();
    (latin(outside) >= 2 && other(outside) == 0 && other(bracket) > latin(bracket))
        || (other(outside) >= 2 && latin(outside) == 0 && latin(bracket) >= 4 && other(bracket) == 0)
}

/// Whether nothing but quality follows: "VTV + HD".
fn is_quality_alone(rest: &str) -> bool {
    rest.split_whitespace().all(|word| lexicon::is_quality(&folded(word)))
}

struct Token {
    raw: String,
    has_plus: bool,
    is_capital: bool,
}

/// Runs of letters and digits; a call sign keeps its hyphen, `+` at the end is a word.
fn tokens_of(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut raw = String::new();
    let mut characters = text.chars().peekable();
    let close = |raw: &mut String, has_plus: bool, tokens: &mut Vec<Token>| {
        if !raw.is_empty() {
            let is_capital = raw.chars().next().is_some_and(|first| matches!(first, 'K' | 'W' | 'X' | 'C'));
            tokens.push(Token { raw: std::mem::take(raw), has_plus, is_capital });
        }
    };
    while let Some(letter) = characters.next() {
        match letter {
            _ if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) => {
                raw.push(letter);
            }
            'ー' => raw.push(letter),
            // "A+V" is "A V", "LN+" and "Canal+ 1" have a plus.
            '+' if !raw.is_empty() => {
                let is_joined = characters.peek().is_some_and(|next| next.is_alphabetic());
                close(&mut raw, !is_joined, &mut tokens);
            }
            '+' if is_quality_alone(&characters.clone().collect::<String>()) => {
                close(&mut raw, false, &mut tokens);
                if let Some(last) = tokens.last_mut() {
                    last.has_plus = true;
                }
            }
            '-' if raw.len() == 4
                && raw.bytes().all(|byte| byte.is_ascii_uppercase())
                && matches!(raw.as_bytes()[0], b'K' | b'W' | b'X' | b'C') =>
            {
                raw.push('-');
            }
            '\'' | '’' | '`' | '´'
                if !raw.is_empty() && characters.peek().is_some_and(|next| next.is_alphanumeric()) =>
            {
                close(&mut raw, false, &mut tokens);
            }
            _ => close(&mut raw, false, &mut tokens),
        }
    }
    close(&mut raw, false, &mut tokens);
    tokens
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Script {
    Digit,
    Latin,
    Kana,
    Han,
    Other,
}

fn script(letter: char) -> Option<Script> {
    Some(match letter {
        _ if letter.is_numeric() => Script::Digit,
        'ー' => return None,
        '\u{0000}'..='\u{02AF}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
        '\u{3040}'..='\u{30FF}' => Script::Kana,
        '\u{3400}'..='\u{9FFF}' => Script::Han,
        _ if letter.is_alphabetic() => Script::Other,
        _ => return None,
    })
}

/// Parts of one run: letters, digits and scripts apart, and "channel" in Japanese and Chinese.
fn pieces_of(token: &str) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(2);
    let (mut start, mut current) = (0, None);
    for (at, letter) in token.char_indices() {
        if letter == '-' {
            if at > start {
                pieces.push(&token[start..at]);
            }
            start = at + 1;
            current = None;
            continue;
        }
        let Some(now) = script(letter) else { continue };
        if current.is_some_and(|before| {
            before != now
                && (before == Script::Digit
                    || now == Script::Digit
                    || before == Script::Latin
                    || now == Script::Latin)
        }) {
            // "Other" beside Latin is a look-alike within a word.
            let look_alike = matches!(
                (current, now),
                (Some(Script::Latin), Script::Other) | (Some(Script::Other), Script::Latin)
            );
            if !look_alike {
                pieces.push(&token[start..at]);
                start = at;
            }
        }
        current = Some(now);
    }
    if start < token.len() {
        pieces.push(&token[start..]);
    }
    pieces.into_iter().flat_map(split_channel).collect()
}

fn split_channel(piece: &str) -> Vec<&str> {
    for suffix in ["チャンネル", "频道", "頻道", "電視台", "电视台"] {
        if let Some(at) = piece.find(suffix)
            && piece.len() > suffix.len()
        {
            let parts = [&piece[..at], suffix, &piece[at + suffix.len()..]];
            return parts.into_iter().filter(|part| !part.is_empty()).collect();
        }
    }
    vec![piece]
}

/// The licence letters, where the token is certainly one: `KABC-TV`, `WXYZ-DT2`, `XHJK-TDT`, or four capitals.
fn call_sign(token: &str) -> Option<String> {
    let (letters, suffix) = token.split_once('-').unwrap_or((token, ""));
    if !(3..=5).contains(&letters.len()) || !letters.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let suffix_of_station = ["TV", "DT", "CD", "LD", "LP", "TDT"].iter().any(|known| {
        suffix.strip_prefix(known).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let form = match letters.as_bytes()[0] {
        b'K' | b'W' => letters.len() == 4 || (suffix_of_station && letters.len() == 3),
        b'X' => matches!(letters.as_bytes()[1], b'H' | b'E'),
        b'C' => {
            letters.len() == 4 && matches!(letters.as_bytes()[1], b'B' | b'F' | b'H' | b'I' | b'J' | b'K')
        }
        _ => false,
    };
    let certain =
        suffix_of_station || (suffix.is_empty() && !lexicon::is_no_call_sign(&letters.to_ascii_lowercase()));
    (form && certain).then(|| letters.to_ascii_lowercase())
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

/// An id's words: dots, hyphens and underscores are blanks, and capitals within a word begin another.
fn spaced(stem: &str) -> String {
    let mut text = String::with_capacity(stem.len() + 8);
    let characters: Vec<char> = stem.chars().collect();
    for (at, letter) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let next = characters.get(at + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && next.is_some_and(|next| next.is_lowercase()))
            });
        match letter {
            '.' | '_' => text.push(' '),
            _ => {
                if begins {
                    text.push(' ');
                }
                text.push(*letter);
            }
        }
    }
    text
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
    let joined: String = folded(&unstyled(group)).chars().filter(|letter| letter.is_alphanumeric()).collect();
    lexicon::place(&joined).filter(|place| !place.starts_with(['+', '*']))
}
