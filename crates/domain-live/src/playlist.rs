//! Faults of a playlist and of its lines, and counts.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
};

use domain_kernel::{Enumeration, Labels, enumeration};

use crate::entry::Entry;

/// Maximum bytes of a line.
pub const LONGEST_LINE: usize = 1024 * 1024;

/// Limits of reading a playlist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes, compressed and decompressed.
    pub bytes: u64,
    /// Maximum of entries and rejected lines, in total.
    pub entries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 50 * 1024 * 1024, entries: 200_000 }
    }
}

enumeration! {
    /// Reason why a line of a playlist, or a part of it, is rejected.
    pub enum LineFault {
        /// `#EXTINF` without a URL before the next one or the end.
        NameWithoutAddress = "NAME_WITHOUT_ADDRESS" ("Nombre sin dirección", "Name without an address"),
        /// Neither a directive nor a URL.
        InvalidAddress = "INVALID_ADDRESS" ("No es una dirección válida", "Not a valid address"),
        /// A scheme that is not supported for streams.
        UnknownScheme = "UNKNOWN_SCHEME" ("Protocolo no admitido", "Scheme not supported"),
        /// A URL of more than 2,048 characters.
        AddressTooLong = "ADDRESS_TOO_LONG" ("Dirección de más de 2048 caracteres", "Address of more than 2048 characters"),
        LineTooLong = "LINE_TOO_LONG" ("Línea de más de 1 MB", "Line of more than 1 MB"),
        /// A directive of an HLS playlist within a list of channels.
        HlsDirective = "HLS_DIRECTIVE" ("Etiqueta de HLS", "HLS tag"),
        /// More than 32 groups, groups of more than 500 characters, or more than 1 kB of default
        /// groups. The line is kept.
        GroupsCut = "GROUPS_CUT" (
            "Más de 32 grupos, o demasiado largos: se conserva el principio",
            "More than 32 groups, or too long ones: the beginning is kept"
        ),
        /// More than 128 attributes. The line is kept with the first ones.
        AttributesCut = "ATTRIBUTES_CUT" (
            "Más de 128 atributos: se conservan los primeros", "More than 128 attributes: the first ones are kept"
        ),
        /// More than 4 kB of default attributes in the header. Those within the limit are kept.
        DefaultsCut = "DEFAULTS_CUT" (
            "Más de 4 kB de atributos para todas las entradas: se conservan los que caben",
            "More than 4 kB of attributes for all entries: those that fit are kept"
        ),
        /// More than 20 URLs of guides. The first ones are kept.
        GuidesCut = "GUIDES_CUT" (
            "Más de 20 direcciones de guías: se conservan las primeras",
            "More than 20 addresses of guides: the first ones are kept"
        ),
    }
}

enumeration! {
    /// Reason why a whole playlist is rejected.
    pub enum PlaylistFault {
        /// No content, or no entries.
        Empty = "EMPTY" ("La lista está vacía", "The playlist is empty"),
        /// An HLS media playlist: the segments of one stream.
        HlsMedia = "HLS_MEDIA" ("Es la lista HLS de una sola señal, no una lista de canales", "It is the HLS playlist of one stream, not a list of channels"),
        /// An HLS master playlist: the variants of one stream.
        HlsMaster = "HLS_MASTER" ("Es la lista HLS con las calidades de una sola señal, no una lista de canales", "It is the HLS playlist with the qualities of one stream, not a list of channels"),
        Html = "HTML" ("Es una página web, no una lista", "It is a web page, not a playlist"),
        /// XML, such as a guide.
        Xml = "XML" ("Es un archivo XML, como el de una guía, no una lista", "It is an XML file, such as a guide, not a playlist"),
        /// JSON, such as a response of a provider's panel.
        Json = "JSON" ("Es JSON, como la respuesta de un panel, no una lista", "It is JSON, such as a panel's response, not a playlist"),
        NotAPlaylist = "NOT_A_PLAYLIST" ("No es una lista M3U", "It is not an M3U playlist"),
        /// A damaged or truncated gzip file.
        DamagedArchive = "DAMAGED_ARCHIVE" ("El archivo gzip está dañado o incompleto", "The gzip file is damaged or incomplete"),
        /// More bytes than the limit, compressed or decompressed.
        TooLarge = "TOO_LARGE" ("La lista supera el tamaño máximo", "The playlist is larger than the limit"),
        TooManyEntries = "TOO_MANY_ENTRIES" ("La lista supera el número máximo de entradas", "The playlist has more entries than the limit"),
    }
}

/// A line that was rejected completely or in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedLine {
    /// Line number, from 1.
    pub line: u32,
    pub reason: LineFault,
}

/// Summary of a playlist, apart from its entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Distinct URLs of guides in the header: the first 20.
    pub guides: Vec<String>,
    /// Number of entries read.
    pub entries: u32,
    /// Number of skipped films.
    pub films: u32,
    /// Number of skipped episodes.
    pub series: u32,
    /// Lines rejected completely or in part, in order.
    pub refused: Vec<RefusedLine>,
}

enumeration! {
    /// Property in which an entry equals an earlier one of the same list.
    pub enum EntryDuplicateReason {
        SameAddress = "SAME_ADDRESS" ("La misma dirección", "The same address"),
        SameNameAndNumber = "SAME_NAME_AND_NUMBER" ("El mismo nombre y número", "The same name and number"),
        SameGuideId = "SAME_GUIDE_ID" ("El mismo ID de EPG", "The same EPG ID"),
    }
}

/// Label of the reason why a run left out a line, by its code.
pub fn reason_labels(code: &str) -> Option<Labels> {
    let refused = LineFault::from_code(code).map(Enumeration::labels);
    refused.or_else(|| EntryDuplicateReason::from_code(code).map(Enumeration::labels))
}

/// Finds repeated entries of a list. Keeps hashes of the compared properties, not the entries.
#[derive(Debug, Default)]
pub struct Duplicates {
    hasher: RandomState,
    by_address: HashMap<u64, u32>,
    by_name_and_number: HashMap<u64, u32>,
    by_guide_id: HashMap<u64, u32>,
}

impl Duplicates {
    /// Number of the first equal entry, and the strongest reason.
    pub fn of(&mut self, number: u32, entry: &Entry) -> Option<(u32, EntryDuplicateReason)> {
        let first = |seen: &mut HashMap<u64, u32>, key: u64| {
            let first = *seen.entry(key).or_insert(number);
            (first != number).then_some(first)
        };
        let address = first(&mut self.by_address, self.hasher.hash_one(&entry.url));
        let name = entry
            .name_and_number()
            .and_then(|both| first(&mut self.by_name_and_number, self.hasher.hash_one(both)));
        let guide_id = entry.guide_id().and_then(|id| first(&mut self.by_guide_id, self.hasher.hash_one(id)));
        address
            .map(|of| (of, EntryDuplicateReason::SameAddress))
            .or(name.map(|of| (of, EntryDuplicateReason::SameNameAndNumber)))
            .or(guide_id.map(|of| (of, EntryDuplicateReason::SameGuideId)))
    }
}

enumeration! {
    /// Kind of content that is excluded from a list of channels, by its URL.
    pub enum OnDemand {
        Film = "FILM" ("Película", "Movie"),
        Series = "SERIES" ("Episodio", "Episode"),
    }
}

/// Extensions of video files.
const VIDEO_FILES: &[&str] =
    &[".mp4", ".mkv", ".avi", ".mov", ".m4v", ".wmv", ".mpg", ".mpeg", ".webm", ".divx", ".vob"];
/// Extensions of live streams.
const LIVE: &[&str] = &[".m3u8", ".mpd", ".ts"];

/// Whether an entry is a film or an episode: by its path (`/movie/…`, `/series/…`) or extension. A
/// folder `live` in the path precedes the extension: panels have channels in any container.
pub fn on_demand(url: &str, name: &str) -> Option<OnDemand> {
    let rest = url.find("://").map(|at| &url[at + 3..])?;
    let path = &rest[rest.find('/')?..];
    let path = &path[..path.find(['?', '#']).unwrap_or(path.len())];
    let (folders, file) = path.rsplit_once('/').unwrap_or_default();
    let ends_in = |endings: &[&str]| {
        let ending = file.rfind('.').map(|at| &file[at..]);
        ending.is_some_and(|ending| endings.iter().any(|one| ending.eq_ignore_ascii_case(one)))
    };
    let under = |folder: &str| {
        let begin = path.get(..folder.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(folder));
        // A panel's path consists of user, password and file.
        begin && (path.matches('/').count() == 4 || !ends_in(LIVE))
    };
    if under("/series/") {
        Some(OnDemand::Series)
    } else if under("/movie/") {
        Some(OnDemand::Film)
    } else if ends_in(VIDEO_FILES) && !folders.split('/').any(|one| one.eq_ignore_ascii_case("live")) {
        Some(if names_an_episode(name) { OnDemand::Series } else { OnDemand::Film })
    } else {
        None
    }
}

/// Whether a name has `S01E02` or `S1 E2`.
fn names_an_episode(name: &str) -> bool {
    let bytes = name.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.iter().enumerate().any(|(at, byte)| {
        let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        if !begins || !byte.eq_ignore_ascii_case(&b's') {
            return false;
        }
        let season = digits(at + 1);
        let mut next = at + 1 + season;
        next += usize::from(bytes.get(next) == Some(&b' '));
        season > 0
            && bytes.get(next).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'))
            && digits(next + 1) > 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::TagName;

    #[test]
    fn films_and_series_are_recognised_by_path_or_ending() {
        for (url, name, expected) in [
            ("http://h/movie/user/password/1.mp4", "Dune", Some(OnDemand::Film)),
            ("http://h/movie/user/password/1.m3u8", "Dune", Some(OnDemand::Film)),
            ("http://h/series/user/password/1.mkv", "x", Some(OnDemand::Series)),
            ("http://h/files/dune.MKV?token=1", "Dune (2021)", Some(OnDemand::Film)),
            ("http://h/files/1.mkv", "La casa S01E02", Some(OnDemand::Series)),
            ("http://h/files/1.mkv", "La casa S1 E2", Some(OnDemand::Series)),
            ("http://h/movie/index.m3u8", "Canal de cine", None),
            ("http://h/live/movie.m3u8", "Canal de cine", None),
            ("http://h/live/user/password/1.ts", "Canal 1", None),
            ("http://h/live/user/password/3.mp4", "Canal 3", None),
            ("http://h/panel/LIVE/user/password/3.mkv?token=1", "Canal 3", None),
            ("http://h/movie/live/password/1.mp4", "Dune", Some(OnDemand::Film)),
            ("http://h/files/live.mp4", "Dune", Some(OnDemand::Film)),
            ("http://h/alive/1.mp4", "Dune", Some(OnDemand::Film)),
            ("http://h/?file=a.mp4", "Canal 1", None),
            ("udp://@239.0.0.1:1234", "Canal 1", None),
            ("http://h", "Canal 1", None),
        ] {
            assert_eq!(on_demand(url, name), expected, "{url}");
        }
    }

    fn entry(name: &str, url: &str, tags: &[(&str, &str)]) -> Entry {
        let tags = tags.iter().map(|(name, value)| (TagName::new(name), (*value).to_owned())).collect();
        Entry { name: name.into(), url: url.into(), tags, ..Entry::default() }
    }

    #[test]
    fn a_duplicate_names_the_first_and_in_what() {
        let mut duplicates = Duplicates::default();
        let mut of = |number, entry: &Entry| duplicates.of(number, entry);
        assert_eq!(of(1, &entry("Uno", "http://h/1", &[("tvg-id", "uno"), ("tvg-chno", "1")])), None);
        assert_eq!(of(2, &entry("Otro", "http://h/1", &[])), Some((1, EntryDuplicateReason::SameAddress)));
        let same = entry("UNO", "http://h/3", &[("tvg-chno", "1")]);
        assert_eq!(of(3, &same), Some((1, EntryDuplicateReason::SameNameAndNumber)));
        assert_eq!(of(4, &entry("UNO", "http://h/4", &[("tvg-chno", "2")])), None);
        let same = entry("Uno HD", "http://h/5", &[("tvg-id", "uno")]);
        assert_eq!(of(5, &same), Some((1, EntryDuplicateReason::SameGuideId)));
        assert_eq!(of(6, &entry("Uno", "http://h/6", &[("tvg-id", "")])), None);
    }
}
