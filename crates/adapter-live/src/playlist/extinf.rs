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
mod tests {
    use super::*;

    #[track_caller]
    fn expect(text: &str, tags: &[(&str, &str)], groups: &[&str], name: &str) {
        let found = read(text);
        let found_tags: Vec<_> =
            found.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found_tags, tags, "{text}");
        assert_eq!(found.groups.names, groups, "{text}");
        assert_eq!(found.name, name, "{text}");
    }

    #[test]
    fn a_line_of_a_megabyte_is_read_in_one_pass_or_few() {
        for filler in [" ", "a=b ", "a=\"b\" ", "\",", "\"=", "a=\"", "word ", "\"a=b,"] {
            let line = format!("-1 a=b{} tvg-id=x,Uno", filler.repeat((1 << 20) / filler.len()));
            assert!(read(&line).tags.len() <= MOST_ATTRIBUTES, "{filler}");
        }
        let blanks = format!("-1 a=b{}tvg-id=x,Uno", " ".repeat(1 << 20));
        expect(&blanks, &[("a", "b"), ("tvg-id", "x")], &[], "Uno");
    }

    #[test]
    fn attributes_are_limited_in_number_and_an_excess_is_reported() {
        let attributes =
            |count: usize| (0..count).map(|one| format!(" a{one}=b")).collect::<Vec<_>>().concat();
        for (count, read_of_them, cut) in [(0, 0, false), (128, 128, false), (129, 128, true)] {
            let found = read(&format!("-1{},Uno", attributes(count)));
            assert_eq!((found.tags.len(), found.name.as_str(), found.cut), (read_of_them, "Uno", cut));
            let header = read_attributes(&attributes(count));
            assert_eq!((header.tags.len(), header.cut), (read_of_them, cut));
        }
    }

    #[test]
    fn attributes_come_in_any_quotes_case_and_blanks() {
        expect(
            r#"-1 tvg-id="a" TVG-Name='b' radio=true,Uno"#,
            &[("tvg-id", "a"), ("tvg-name", "b"), ("radio", "true")],
            &[],
            "Uno",
        );
        expect(
            r#"-1 tvg-id = "a"  tvg-name= 'b c' x-own =d e f=g , Uno"#,
            &[("tvg-id", "a"), ("tvg-name", "b c"), ("x-own", "d e"), ("f", "g")],
            &[],
            "Uno",
        );
        expect(r#"-1 tvg-id="a"tvg-name="b",Uno"#, &[("tvg-id", "a"), ("tvg-name", "b")], &[], "Uno");
        expect("-1\ttvg-id=\"a\"\ttvg-name=\"\",Uno", &[("tvg-id", "a"), ("tvg-name", "")], &[], "Uno");
        expect(
            "-1 tvg-name=Canal 7 HD tvg-id=siete.es,Uno",
            &[("tvg-name", "Canal 7 HD"), ("tvg-id", "siete.es")],
            &[],
            "Uno",
        );
    }

    #[test]
    fn quoted_values_may_have_quotes() {
        expect(
            r#"-1 tvg-name="Canal "7" HD" tvg-id="a",Uno"#,
            &[("tvg-name", r#"Canal "7" HD"#), ("tvg-id", "a")],
            &[],
            "Uno",
        );
        expect(r#"-1 tvg-name="Cine "Oro"",Uno"#, &[("tvg-name", r#"Cine "Oro""#)], &[], "Uno");
        expect(
            r#"-1 tvg-name="Cine "Oro", HD" tvg-id="a",Uno"#,
            &[("tvg-name", r#"Cine "Oro", HD"#), ("tvg-id", "a")],
            &[],
            "Uno",
        );
        expect(
            r"-1 tvg-name='L'Équipe' tvg-id='a',L'Équipe",
            &[("tvg-name", "L'Équipe"), ("tvg-id", "a")],
            &[],
            "L'Équipe",
        );
        expect(r#"-1 tvg-name="L'Équipe",L'Équipe"#, &[("tvg-name", "L'Équipe")], &[], "L'Équipe");
    }

    #[test]
    fn attributes_and_names_may_have_commas() {
        expect(
            r#"-1 tvg-name="Uno, dos" group-title="A,B",Uno, dos, tres"#,
            &[("tvg-name", "Uno, dos")],
            &["A,B"],
            "Uno, dos, tres",
        );
        expect(
            r#"-1 tvg-id="a",Pantalla 32", la grande"#,
            &[("tvg-id", "a")],
            &[],
            r#"Pantalla 32", la grande"#,
        );
        expect(r#"-1 tvg-id="a",Uno a="b" c"#, &[("tvg-id", "a")], &[], r#"Uno a="b" c"#);
        expect("-1,,Uno", &[], &[], ",Uno");
    }

    #[test]
    fn attributes_may_follow_a_comma_or_semicolon() {
        expect(
            r#"-1, tvg-id="a" group-title="Cine, HD",Uno, dos"#,
            &[("tvg-id", "a")],
            &["Cine, HD"],
            "Uno, dos",
        );
        expect(r#"-1,group-title="Cine" Canal Uno"#, &[], &["Cine"], "Canal Uno");
        expect(r#"-1;tvg-id="a",Uno"#, &[("tvg-id", "a")], &[], "Uno");
        for line in [r#"-1 tvg-id="a";tvg-name="b",Uno"#, r#"-1 tvg-id="a"; tvg-name="b",Uno"#] {
            expect(line, &[("tvg-id", "a"), ("tvg-name", "b")], &[], "Uno");
        }
        expect(
            r#"-1 tvg-id="a", tvg-name="b",group-title="Cine",Uno"#,
            &[("tvg-id", "a"), ("tvg-name", "b")],
            &["Cine"],
            "Uno",
        );
        let header = read_attributes(r#" url-tvg="http://a/", x-tvg-url="http://b/",Catchup="append""#);
        let names: Vec<_> = header.tags.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["url-tvg", "x-tvg-url", "catchup"]);
        expect(r#"-1,Uno tvg-id="a""#, &[], &[], r#"Uno tvg-id="a""#);
        expect(r#"-1,a="b",Uno"#, &[], &[], r#"a="b",Uno"#);
        expect(r#"-1,tvg-id="a"#, &[], &[], r#"tvg-id="a"#);
    }

    #[test]
    fn an_unclosed_quote_affects_only_its_value() {
        expect(r#"-1 tvg-id="a tvg-name="b",Uno"#, &[("tvg-id", "a"), ("tvg-name", "b")], &[], "Uno");
        expect(r#"-1 tvg-id="a,Uno"#, &[("tvg-id", "a")], &[], "Uno");
        expect(r#"-1 tvg-id="a" Canal Uno"#, &[("tvg-id", "a")], &[], "Canal Uno");
        expect(r#"-1 stray tvg-id="a",Uno"#, &[("tvg-id", "a")], &[], "Uno");
        expect("Uno", &[], &[], "Uno");
        expect("", &[], &[], "");
    }

    #[test]
    fn several_groups_are_each_once() {
        expect(
            r#"-1 group-title="Cine; Series;;Cine" group-title="Niños",Uno"#,
            &[],
            &["Cine", "Series", "Niños"],
            "Uno",
        );
    }

    #[test]
    fn groups_are_limited_in_number_and_length() {
        let groups_of = |text: &str| {
            let mut groups = Groups::default();
            groups.add(text);
            groups
        };
        let numbered = |count: usize| (0..count).map(|one| one.to_string()).collect::<Vec<_>>();
        for (count, cut) in [(MOST_GROUPS, false), (MOST_GROUPS + 1, true), (300_000, true)] {
            let found = groups_of(&numbered(count).join(";"));
            assert_eq!((found.names, found.cut), (numbered(MOST_GROUPS), cut), "{count}");
        }
        let once = groups_of(&"Cine;Series;".repeat(100_000));
        assert_eq!((once.names.len(), once.cut), (2, false));
        let long = "ñ".repeat(LONGEST_GROUP);
        for (more, cut) in [("", false), ("ñ", true), (" y más", true)] {
            let found = groups_of(&format!("{long}{more};Cine"));
            assert_eq!((found.names, found.cut), (vec![long.clone(), "Cine".to_owned()], cut), "{more}");
        }
    }

    #[test]
    fn inherited_groups_take_a_kilobyte_at_most() {
        let text = "x".repeat(LONGEST_GROUP);
        let (long, other) = (text.as_str(), &text[1..]);
        let groups = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            Groups { names, cut: false }
        };
        assert_eq!(groups(&[long, other, "Cine"]).inherited(), groups(&[long, other, "Cine"]));
        let found = groups(&[long, other, &text[2..], "Cine"]).inherited();
        assert_eq!(found, Groups { cut: true, ..groups(&[long, other]) });
    }

    #[test]
    fn a_duration_is_a_number_before_a_blank_or_the_comma() {
        for (text, duration, name) in [
            ("-1,Uno", None, "Uno"),
            (",Uno", None, "Uno"),
            ("0,Uno", Some("0"), "Uno"),
            ("10.5 tvg-id=\"a\",Uno", Some("10.5"), "Uno"),
            (" -1 ,Uno", None, "Uno"),
            ("24h Noticias", None, "24h Noticias"),
        ] {
            let found = read(text);
            assert_eq!((found.duration.as_deref(), found.name.as_str()), (duration, name), "{text}");
        }
    }

    #[test]
    fn control_and_invisible_characters_are_removed() {
        expect("-1 tvg-id=\"a\0b\",\u{200b}Uno\tDos\u{202e}", &[("tvg-id", "a b")], &[], "Uno Dos");
    }
}
