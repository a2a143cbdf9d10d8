//! Parser from lines to entries.

use domain_kernel::WebUrl;
use domain_live::{
    entry::{Directive, Entry, TagName},
    playlist::{LineFault, OnDemand, PlaylistFault, RefusedLine, Summary, on_demand},
};

use super::{
    address,
    decode::Guess,
    extinf::{self, ExtInf, Groups},
    lines::Line,
};

/// Header attributes with URLs of guides.
const GUIDES: &[&str] = &["x-tvg-url", "url-tvg", "tvg-url", "guide-url"];
/// Header attributes of the list itself, not inherited by entries.
const OF_THE_LIST: &[&str] = &["url-logo", "refresh", "m3uautoload", "name", "title", "size"];
/// Maximum bytes of inherited header attributes: each entry has its own copy.
const MOST_DEFAULT_BYTES: usize = 4096;
/// Maximum guides of a list; the first ones are kept.
const MOST_GUIDES: usize = 20;
/// Directives of HLS master playlists only.
const MASTER: &[&str] = &["EXT-X-STREAM-INF", "EXT-X-I-FRAME-STREAM-INF", "EXT-X-MEDIA"];
/// Directives of HLS media playlists only.
const MEDIA: &[&str] = &[
    "EXT-X-TARGETDURATION",
    "EXT-X-MEDIA-SEQUENCE",
    "EXT-X-PLAYLIST-TYPE",
    "EXT-X-ENDLIST",
    "EXT-X-PART-INF",
];

/// A name before its URL.
struct Pending {
    line: u32,
    inf: ExtInf,
    /// Groups of an `#EXTGRP` between name and URL.
    groups: Groups,
}

pub(super) struct Parser {
    most: u32,
    /// Whether a non-empty line was read.
    begun: bool,
    /// Whether a line was specific to playlists.
    is_playlist: bool,
    /// Header attributes that are defaults of entries.
    defaults: Vec<(TagName, String)>,
    default_groups: Vec<String>,
    /// Groups of an `#EXTGRP` outside of an entry: valid until the next one.
    current_groups: Vec<String>,
    pending: Option<Pending>,
    directives: Vec<Directive>,
    /// Number of truncated lines, which are kept.
    cut: usize,
    summary: Summary,
}

impl Parser {
    pub(super) fn new(most: u32) -> Self {
        Self {
            most,
            begun: false,
            is_playlist: false,
            defaults: Vec::new(),
            default_groups: Vec::new(),
            current_groups: Vec::new(),
            pending: None,
            directives: Vec::new(),
            cut: 0,
            summary: Summary::default(),
        }
    }

    pub(super) fn line(
        &mut self,
        number: u32,
        line: Line<'_>,
        guess: &mut Guess,
        sink: &mut impl FnMut(Entry),
    ) -> Result<(), PlaylistFault> {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong(begin) => {
                self.begin(String::from_utf8_lossy(&begin[..begin.len().min(64)]).trim_start())?;
                // A URL over the limit is rejected with its name.
                if !begin.starts_with(b"#") {
                    self.pending = None;
                    self.directives.clear();
                }
                return self.refuse(number, LineFault::LineTooLong);
            }
        };
        let text = guess.text(bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
        if text.is_empty() {
            return Ok(());
        }
        self.begin(text)?;
        match text.strip_prefix('#') {
            Some(directive) => self.directive(number, directive),
            None => self.address(number, text, sink),
        }
    }

    pub(super) fn finish(mut self) -> Result<Summary, PlaylistFault> {
        self.drop_pending()?;
        let summary = self.summary;
        if summary.entries > 0 || summary.films > 0 || summary.series > 0 {
            Ok(summary)
        } else if self.begun && !self.is_playlist {
            Err(PlaylistFault::NotAPlaylist)
        } else if summary.refused.len() == self.cut {
            Err(PlaylistFault::Empty)
        } else {
            // The rejected lines explain why there is no entry.
            Ok(summary)
        }
    }

    /// Rejects other formats by their first characters.
    fn begin(&mut self, text: &str) -> Result<(), PlaylistFault> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        let head = text.get(..9).unwrap_or(text).to_ascii_lowercase();
        match text.as_bytes()[0] {
            b'{' | b'[' if !head.starts_with("[playlist") => Err(PlaylistFault::Json),
            b'[' => Err(PlaylistFault::NotAPlaylist),
            b'<' if head.starts_with("<?xml") || head.starts_with("<tv") => Err(PlaylistFault::Xml),
            b'<' => Err(PlaylistFault::Html),
            _ => Ok(()),
        }
    }

    fn directive(&mut self, number: u32, text: &str) -> Result<(), PlaylistFault> {
        let end =
            text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        let value = rest.trim_start().strip_prefix(':').unwrap_or(rest);
        if is("EXTINF") {
            self.drop_pending()?;
            self.is_playlist = true;
            self.pending =
                Some(Pending { line: number, inf: extinf::read(value), groups: Groups::default() });
        } else if is("EXTM3U") {
            self.drop_pending()?;
            self.is_playlist = true;
            self.header(number, rest);
        } else if is("EXTGRP") {
            let mut groups = Groups::default();
            groups.add(&extinf::clean(value));
            if let Some(pending) = &mut self.pending {
                pending.groups = groups;
            } else {
                let Groups { names, cut } = groups.inherited();
                self.current_groups = names;
                self.cut(number, cut, LineFault::GroupsCut);
            }
        } else if MASTER.iter().any(|known| is(known)) {
            return self.hls(number, PlaylistFault::HlsMaster);
        } else if MEDIA.iter().any(|known| is(known)) {
            return self.hls(number, PlaylistFault::HlsMedia);
        } else if rest.starts_with(':') && is_kept(name) {
            let value = extinf::clean(value);
            self.directives.push(Directive { name: name.to_ascii_uppercase(), value });
        }
        Ok(())
    }

    /// HLS directives before the first entry reject the playlist; after it only the line.
    fn hls(&mut self, number: u32, fault: PlaylistFault) -> Result<(), PlaylistFault> {
        if self.summary.entries == 0 { Err(fault) } else { self.refuse(number, LineFault::HlsDirective) }
    }

    /// A further header begins a further list: defaults are reset.
    fn header(&mut self, number: u32, text: &str) {
        let ExtInf { tags, groups, cut: attributes_cut, .. } = extinf::read_attributes(text);
        let Groups { names, cut: groups_cut } = groups.inherited();
        self.default_groups = names;
        self.current_groups.clear();
        self.defaults.clear();
        let (mut bytes, mut defaults_cut, mut guides_cut) = (0, false, false);
        for (name, value) in tags {
            if GUIDES.contains(&name.as_str()) {
                let known = &mut self.summary.guides;
                for guide in addresses(&value) {
                    if known.iter().any(|known| known == guide) {
                        continue;
                    }
                    if known.len() == MOST_GUIDES {
                        guides_cut = true;
                        break;
                    }
                    known.push(guide.to_owned());
                }
            } else if !OF_THE_LIST.contains(&name.as_str()) && !value.is_empty() {
                bytes += name.as_str().len() + value.len();
                if bytes <= MOST_DEFAULT_BYTES {
                    self.defaults.push((name, value));
                } else {
                    defaults_cut = true;
                }
            }
        }
        self.cut(number, groups_cut, LineFault::GroupsCut);
        self.cut(number, attributes_cut, LineFault::AttributesCut);
        self.cut(number, defaults_cut, LineFault::DefaultsCut);
        self.cut(number, guides_cut, LineFault::GuidesCut);
    }

    fn address(
        &mut self,
        number: u32,
        text: &str,
        sink: &mut impl FnMut(Entry),
    ) -> Result<(), PlaylistFault> {
        let (url, headers) = address::split(text);
        let pending = self.pending.take();
        let directives = std::mem::take(&mut self.directives);
        if let Err(reason) = address::check(url) {
            return self.refuse(number, reason);
        }
        let (line, inf, within) = match pending {
            Some(Pending { line, inf, groups }) => (line, inf, groups),
            None => (number, ExtInf::default(), Groups::default()),
        };
        let ExtInf { duration, mut tags, groups, mut name, cut: attributes_cut } = inf;
        if name.is_empty() {
            let named = tags.iter().find(|(tag, value)| tag.as_str() == "tvg-name" && !value.is_empty());
            name = named.map_or_else(|| extinf::clean(address::last_part(url)), |(_, value)| value.clone());
        }
        match on_demand(url, &name) {
            Some(OnDemand::Film) => self.summary.films += 1,
            Some(OnDemand::Series) => self.summary.series += 1,
            None => {
                self.count()?;
                self.summary.entries += 1;
                for (tag, value) in &self.defaults {
                    if !tags.iter().any(|(own, _)| own == tag) {
                        tags.push((tag.clone(), value.clone()));
                    }
                }
                let Groups { names: mut groups, cut } = if groups.names.is_empty() { within } else { groups };
                self.cut(line, cut, LineFault::GroupsCut);
                self.cut(line, attributes_cut, LineFault::AttributesCut);
                if groups.is_empty() {
                    let inherited = [&self.current_groups, &self.default_groups];
                    let inherited = inherited.into_iter().find(|groups| !groups.is_empty());
                    groups = inherited.cloned().unwrap_or_default();
                }
                let clean = |(name, value): (&str, &str)| (extinf::clean(name), extinf::clean(value));
                let headers = headers.into_iter().map(clean).filter(|(name, _)| !name.is_empty()).collect();
                sink(Entry {
                    line: number,
                    name,
                    url: url.to_owned(),
                    duration,
                    groups,
                    tags,
                    directives,
                    headers,
                });
            }
        }
        Ok(())
    }

    fn drop_pending(&mut self) -> Result<(), PlaylistFault> {
        match self.pending.take() {
            Some(pending) => {
                self.directives.clear();
                self.refuse(pending.line, LineFault::NameWithoutAddress)
            }
            None => Ok(()),
        }
    }

    fn refuse(&mut self, line: u32, reason: LineFault) -> Result<(), PlaylistFault> {
        self.count()?;
        self.summary.refused.push(RefusedLine { line, reason });
        Ok(())
    }

    /// Records a truncated line, which is kept and does not count as rejected.
    fn cut(&mut self, line: u32, is_cut: bool, reason: LineFault) {
        if is_cut && self.cut < self.most as usize {
            self.cut += 1;
            self.summary.refused.push(RefusedLine { line, reason });
        }
    }

    /// Checks the limit of entries and rejected lines.
    fn count(&self) -> Result<(), PlaylistFault> {
        let kept = self.summary.entries as usize + self.summary.refused.len() - self.cut;
        if kept < self.most as usize { Ok(()) } else { Err(PlaylistFault::TooManyEntries) }
    }
}

/// Whether a directive of an entry is kept, known or not.
fn is_kept(name: &str) -> bool {
    let is = |begin: &str| name.get(..begin.len()).is_some_and(|found| found.eq_ignore_ascii_case(begin));
    (is("EXT") && !is("EXT-X-")) || name.len() > 4 && name[name.len() - 4..].eq_ignore_ascii_case("PROP")
}

/// URLs of a text, separated by commas, semicolons, bars or blanks.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| c == ',' || c == ';' || c == '|' || c.is_whitespace());
    parts.filter(|part| WebUrl::check(part).is_ok())
}
