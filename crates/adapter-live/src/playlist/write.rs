//! Writes playlists, such that reading returns the same entries.

use std::fmt::Write;

use domain_live::entry::Entry;
use ports::PlaylistWriter;

use super::extinf;

#[derive(Debug, Clone, Copy)]
pub struct M3uWriter;

impl PlaylistWriter for M3uWriter {
    fn begin(&self, out: &mut String, guides: &[String]) {
        write_header(out, guides);
    }

    fn entry(&self, out: &mut String, entry: &Entry) {
        write_entry(out, entry);
    }
}

/// Writes the header of a list, with the URLs of its guides.
pub fn write_header(out: &mut String, guides: &[String]) {
    out.push_str("#EXTM3U");
    if !guides.is_empty() {
        let _ = write!(out, " x-tvg-url=\"{}\"", guides.join(","));
    }
    out.push('\n');
}

pub fn write_entry(out: &mut String, entry: &Entry) {
    let begin = out.len();
    extinf_line(out, entry, Quotes::Double);
    if may_be_misread(entry) {
        for quotes in [Quotes::Single, Quotes::Replaced] {
            if reads_alike(&out[begin..], entry) {
                break;
            }
            out.truncate(begin);
            extinf_line(out, entry, quotes);
        }
    }
    out.push('\n');
    for directive in &entry.directives {
        let _ = writeln!(out, "#{}:{}", directive.name, directive.value);
    }
    out.push_str(&entry.url);
    for (index, (name, value)) in entry.headers.iter().enumerate() {
        let _ = write!(out, "{}{name}={value}", if index == 0 { '|' } else { '&' });
    }
    out.push('\n');
}

/// Quoting of values with quotes. M3U has no escape for them.
#[derive(Clone, Copy, PartialEq)]
enum Quotes {
    Double,
    /// Single quotes around values with double ones.
    Single,
    /// Double quotes in values become single ones, if they can't be read otherwise.
    Replaced,
}

fn extinf_line(out: &mut String, entry: &Entry, quotes: Quotes) {
    let _ = write!(out, "#EXTINF:{}", entry.duration.as_deref().unwrap_or("-1"));
    for (name, value) in &entry.tags {
        attribute(out, name.as_str(), value, quotes);
    }
    if !entry.groups.is_empty() {
        attribute(out, "group-title", &entry.groups.join(";"), quotes);
    }
    out.push(',');
    match quotes {
        Quotes::Replaced => out.push_str(&entry.name.replace('"', "'")),
        _ => out.push_str(&entry.name),
    }
}

fn attribute(out: &mut String, name: &str, value: &str, quotes: Quotes) {
    let _ = match quotes {
        Quotes::Single if value.contains('"') => write!(out, " {name}='{value}'"),
        Quotes::Replaced => write!(out, " {name}=\"{}\"", value.replace('"', "'")),
        _ => write!(out, " {name}=\"{value}\""),
    };
}

fn may_be_misread(entry: &Entry) -> bool {
    let holds = |text: &String| text.contains(['"', '=']);
    holds(&entry.name) || entry.groups.iter().any(holds) || entry.tags.iter().any(|(_, value)| holds(value))
}

fn reads_alike(line: &str, entry: &Entry) -> bool {
    let found = extinf::read(line.strip_prefix("#EXTINF:").unwrap_or(line));
    found.name == entry.name
        && found.duration == entry.duration
        && found.tags == entry.tags
        && found.groups.names == entry.groups
}
