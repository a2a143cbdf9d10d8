//! Parser of `#EXTINF` and of the attributes of `#EXTM3U`, in all common forms: attributes in
//! double, single or no quotes, blanks around `=`, quotes within quotes, commas in attributes and
//! in names.

use domain_live::entry::TagName;
use memchr::{memchr, memchr_iter};

/// Content of `#EXTINF:`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ExtInf {
    /// Seconds, unless `-1` or missing.
    pub(super) duration: Option<String>,
    /// Attributes in their order; of repeated ones the first that is not empty.
    pub(super) tags: Vec<(TagName, String)>,
    /// Distinct parts of all `group-title` attributes.
    pub(super) groups: Groups,
    /// Name, possibly empty.
    pub(super) name: String,
    /// Whether attributes over the limit were dropped.
    pub(super) cut: bool,
}

/// Maximum groups of a line, and characters of one.
const MOST_GROUPS: usize = 32;
const LONGEST_GROUP: usize = 500;
/// Maximum bytes of inherited groups: each entry has its own copy.
const MOST_INHERITED_BYTES: usize = 1024;

/// Distinct groups of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Groups {
    pub(super) names: Vec<String>,
    /// Whether groups over a limit were dropped.
    pub(super) cut: bool,
}

impl Groups {
    /// Adds the parts of a text, separated by semicolons.
    pub(super) fn add(&mut self, text: &str) {
        for group in text.split(';').map(str::trim).filter(|group| !group.is_empty()) {
            let end = group.char_indices().nth(LONGEST_GROUP).map_or(group.len(), |(end, _)| end);
            self.cut |= end < group.len();
            let group = group[..end].trim_end();
            if self.names.iter().any(|known| known == group) {
                continue;
            }
            if self.names.len() == MOST_GROUPS {
                self.cut = true;
                return;
            }
            self.names.push(group.to_owned());
        }
    }

    /// Groups for inheritance by entries.
    pub(super) fn inherited(mut self) -> Self {
        let (mut bytes, before) = (0, self.names.len());
        self.names.retain(|name| {
            bytes += name.len();
            bytes <= MOST_INHERITED_BYTES
        });
        self.cut |= self.names.len() < before;
        self
    }
}

/// Parses the content of `#EXTINF:`.
pub(super) fn read(text: &str) -> ExtInf {
    let text = text.trim();
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || c == '-' || c == '+' || c == '.')).unwrap_or(text.len());
    let (duration, rest) = text.split_at(end);
    // A number followed by other characters is no duration: `24h,Name`.
    let is_duration =
        rest.is_empty() || rest.starts_with([' ', '\t', ',']) || attributes_after_separator(rest).is_some();
    let (duration, rest) = if is_duration { (duration, rest) } else { ("", text) };
    let mut found = ExtInf {
        duration: (!duration.is_empty() && duration != "-1").then(|| duration.to_owned()),
        ..ExtInf::default()
    };
    found.add_attributes(rest);
    found
}

/// Attributes that may follow a comma, besides `tvg-…` and `catchup…`.
const AFTER_SEPARATORS: &[&str] = &["group-title", "radio", "timeshift", "url-tvg", "x-tvg-url"];

/// Attributes that a comma or semicolon separates from the duration or from others. Only known ones
/// in double quotes: after a comma, anything else is the name.
fn attributes_after_separator(rest: &str) -> Option<&str> {
    let attributes = rest.strip_prefix([',', ';'])?.trim_start();
    let (name, value) = key(attributes)?;
    let name = name.to_ascii_lowercase();
    let is_known = AFTER_SEPARATORS.contains(&name.as_str())
        || ["tvg-", "catchup"].iter().any(|begin| name.starts_with(begin));
    let quoted = value.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    (is_known && quoted.contains('"')).then_some(attributes)
}

/// Parses attributes only, as in a header.
pub(super) fn read_attributes(text: &str) -> ExtInf {
    let mut found = ExtInf::default();
    found.add_attributes(text);
    found
}

impl ExtInf {
    /// Parses attributes, and the name after them.
    fn add_attributes(&mut self, text: &str) {
        let Self { tags, groups, .. } = self;
        (self.name, self.cut) = attributes(text, |name, value| found_tag(tags, groups, name, value));
    }
}

fn found_tag(tags: &mut Vec<(TagName, String)>, groups: &mut Groups, name: &str, value: &str) {
    let value = clean(value);
    if name.eq_ignore_ascii_case("group-title") {
        groups.add(&value);
        return;
    }
    let name = TagName::new(name);
    match tags.iter_mut().find(|(known, _)| *known == name) {
        None => tags.push((name, value)),
        Some((_, known)) if known.is_empty() => *known = value,
        Some(_) => {}
    }
}

/// The text without invalid characters, trimmed.
pub(super) fn clean(text: &str) -> String {
    let text = text.trim();
    if text.bytes().all(|byte| (b' '..0x7f).contains(&byte))
        || !domain_kernel::holds_forbidden_characters(text, false)
    {
        return text.to_owned();
    }
    let one = |c: char| {
        let mut buffer = [0; 4];
        let forbidden = domain_kernel::holds_forbidden_characters(c.encode_utf8(&mut buffer), false);
        match (forbidden, c.is_control() || c == '\u{2028}' || c == '\u{2029}') {
            (false, _) => Some(c),
            (true, true) => Some(' '),
            (true, false) => None,
        }
    };
    text.chars().filter_map(one).collect::<String>().trim().to_owned()
}

/// Maximum attributes of a line: a line has up to a megabyte, and parsing an attribute may scan all
/// of it.
const MOST_ATTRIBUTES: usize = 128;
/// Maximum quotes considered as the end of a value, for the same reason.
const MOST_QUOTES: usize = 32;

/// Calls `found` for each attribute of a text; returns the name after them, and whether attributes
/// over the limit were dropped.
fn attributes(text: &str, mut found: impl FnMut(&str, &str)) -> (String, bool) {
    let mut rest = text.trim_start();
    // Without a comma, the name begins at the first word that is no attribute.
    let mut stray = None;
    let mut count = 0;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return (stray.map(clean).unwrap_or_default(), false);
        }
        rest = attributes_after_separator(rest).unwrap_or(rest);
        if let Some(name) = rest.strip_prefix(',') {
            return (clean(name), false);
        }
        if count == MOST_ATTRIBUTES {
            let name = memchr(b',', rest.as_bytes()).map(|comma| clean(&rest[comma + 1..]));
            return (name.unwrap_or_default(), true);
        }
        if let Some((key, after)) = key(rest) {
            let (value, after) = value(after);
            found(key, value);
            count += 1;
            rest = after;
        } else {
            stray.get_or_insert(rest);
            rest = rest.trim_start_matches(|c: char| !c.is_whitespace() && c != ',');
        }
    }
}

/// Name before `=`, and the rest.
fn key(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| !is_key(*byte)).filter(|end| *end > 0)?;
    let blanks = bytes[end..].iter().take_while(|byte| is_blank(**byte)).count();
    (bytes.get(end + blanks) == Some(&b'=')).then(|| (&text[..end], &text[end + blanks + 1..]))
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':')
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Value after `=`, and the rest.
fn value(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches([' ', '\t']);
    match text.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => quoted(&text[1..], *quote),
        _ => bare(text),
    }
}

/// A quote ends the value if an attribute, the comma or the end follows it; otherwise it is part of
/// the value.
fn quoted(text: &str, quote: u8) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut first = None;
    for at in memchr_iter(quote, bytes).take(MOST_QUOTES) {
        let after = &text[at + 1..];
        if closes(after, quote) {
            return (&text[..at], after);
        }
        if let Some(end) = begins_another(bytes, at) {
            // Unclosed quote.
            return (&text[..end], &text[end..]);
        }
        first.get_or_insert(at);
    }
    match first {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => bare(text),
    }
}

/// Start of the attribute that this quote opens.
fn begins_another(bytes: &[u8], quote: usize) -> Option<usize> {
    let before = bytes[..quote].strip_suffix(b"=")?;
    let key = before.iter().rev().take_while(|byte| is_key(**byte)).count();
    let begin = before.len() - key;
    (key > 0 && begin > 0 && is_blank(before[begin - 1])).then(|| begin - 1)
}

fn closes(after: &str, quote: u8) -> bool {
    let rest = after.trim_start_matches([' ', '\t']);
    match rest.as_bytes().first() {
        None => true,
        Some(b',') => !is_within_value(&rest[1..], quote),
        Some(b';') => attributes_after_separator(rest).is_some(),
        Some(_) => key(rest).is_some(),
    }
}

/// Whether a quote before a comma is part of the value (`"Cine "Oro", HD" tvg-logo="…"`):
/// attributes follow, and the remaining quotes would be unpaired otherwise.
fn is_within_value(after: &str, quote: u8) -> bool {
    let bytes = after.as_bytes();
    memchr(b'=', bytes).is_some_and(|equals| {
        let pairs = memchr_iter(quote, bytes).count().is_multiple_of(2);
        let attribute = bytes[..equals].iter().rposition(|byte| is_blank(*byte));
        !pairs && attribute.is_some_and(|blank| key(&after[blank + 1..]).is_some())
    })
}

/// A value without quotes ends at the comma or before the next attribute.
fn bare(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let comma = memchr(b',', bytes).unwrap_or(bytes.len());
    // An attribute begins after the last of several blanks.
    let is_last = |at: &usize| is_blank(bytes[*at]) && !bytes.get(at + 1).copied().is_some_and(is_blank);
    let end = (0..comma).filter(is_last).find(|at| key(&text[at + 1..]).is_some());
    text.split_at(end.unwrap_or(comma))
}

#[cfg(test)]
mod tests;
