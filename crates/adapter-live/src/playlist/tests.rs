//! Playlists with their expected entries, rejected lines, or fault.

use std::io::Write as _;

use domain_kernel::Enumeration;
use domain_live::{
    entry::{Directive, TagName},
    playlist::{LONGEST_LINE, LineFault, RefusedLine},
};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;

use super::*;

type Read = Result<(Vec<Entry>, Summary), PlaylistFault>;

fn read_with(bytes: &[u8], limits: Limits) -> Read {
    let mut entries = Vec::new();
    match read(bytes, limits, |entry| entries.push(entry)) {
        Ok(summary) => Ok((entries, summary)),
        Err(ReadError::Refused(fault)) => Err(fault),
        Err(ReadError::Io(error)) => unreachable!("bytes in memory: {error}"),
    }
}

fn read_bytes(bytes: &[u8]) -> Read {
    read_with(bytes, Limits::default())
}

fn entries(text: &str) -> Vec<Entry> {
    read_bytes(text.as_bytes()).unwrap().0
}

fn only(text: &str) -> Entry {
    let mut found = entries(text);
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0)
}

fn names(bytes: &[u8]) -> Vec<String> {
    read_bytes(bytes).unwrap().0.into_iter().map(|entry| entry.name).collect()
}

fn refused(text: &str) -> Vec<(u32, LineFault)> {
    read_bytes(text.as_bytes()).unwrap().1.refused.iter().map(|line| (line.line, line.reason)).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const TWO: &str = "#EXTM3U\n#EXTINF:-1 tvg-id=\"uno.es\",Uno\nhttp://h/1\n#EXTINF:-1,Dos\nhttp://h/2\n";

#[test]
fn names_and_addresses_belong_together() {
    let found = entries(TWO);
    assert_eq!((found[0].name.as_str(), found[0].url.as_str(), found[0].line), ("Uno", "http://h/1", 3));
    assert_eq!(found[0].guide_id(), Some("uno.es"));
    assert_eq!((found[1].name.as_str(), found[1].url.as_str(), found[1].line), ("Dos", "http://h/2", 5));
}

#[test]
fn all_line_ends_are_read_and_a_byte_order_mark_is_skipped() {
    for text in
        [TWO.replace('\n', "\r\n"), TWO.replace('\n', "\r"), format!("\u{feff}{TWO}"), TWO.trim().to_owned()]
    {
        assert_eq!(names(text.as_bytes()), ["Uno", "Dos"]);
    }
}

#[test]
fn a_header_may_be_missing_or_repeated() {
    assert_eq!(names(TWO.replace("#EXTM3U\n", "").as_bytes()), ["Uno", "Dos"]);
    assert_eq!(
        names(format!("{TWO}\u{feff}{}", TWO.to_lowercase()).as_bytes()),
        ["Uno", "Dos", "uno", "dos"]
    );
}

#[test]
fn a_further_header_resets_the_defaults_of_the_first() {
    let found =
        entries("#EXTM3U catchup=\"append\"\n#EXTINF:-1,A\nhttp://h/1\n#EXTM3U\n#EXTINF:-1,B\nhttp://h/2\n");
    assert_eq!((found[0].tag("catchup"), found[1].tag("catchup")), (Some("append"), None));
}

#[test]
fn attributes_of_the_header_are_defaults() {
    let text = "#EXTM3U tvg-shift=2 x-own=\"a\" catchup='append' catchup-days=\"3\"\n\
        #EXTINF:-1 catchup=\"flussonic\" tvg-shift=\"-1\",A\nhttp://h/1\n";
    let found = only(text);
    let tags: Vec<_> = found.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(tags, [("catchup", "flussonic"), ("tvg-shift", "-1"), ("x-own", "a"), ("catchup-days", "3")]);
}

#[test]
fn more_defaults_than_four_kilobytes_are_left_out() {
    let large = "x".repeat(4096);
    let text = format!("#EXTM3U x-own=\"a\" x-large=\"{large}\"\n#EXTINF:-1,A\nhttp://h/1\n");
    let found = only(&text);
    assert_eq!((found.tag("x-own"), found.tag("x-large")), (Some("a"), None));
    assert_eq!(refused(&text), [(1, LineFault::DefaultsCut)]);
    let fits = text.replace(&large, &large[14..]);
    assert_eq!((only(&fits).tag("x-large"), refused(&fits)), (Some(&large[14..]), vec![]));
}

#[test]
fn a_line_with_too_many_attributes_is_reported_and_kept_with_the_first_ones() {
    let attributes = |count: usize| (0..count).map(|one| format!(" a{one}=b")).collect::<Vec<_>>().concat();
    let (most, more) = (attributes(128), attributes(129));
    let text = format!(
        "#EXTM3U{more}\n#EXTINF:-1{most},A\nhttp://h/1\n#EXTINF:-1{more},B\nhttp://h/2\n\
         #EXTINF:-1{more},Dune\nhttp://h/movie/u/p/1.mp4\n"
    );
    let limits = Limits { entries: 2, ..Limits::default() };
    let (found, summary) = read_with(text.as_bytes(), limits).unwrap();
    let lines: Vec<_> = summary.refused.iter().map(|line| (line.line, line.reason)).collect();
    assert_eq!(lines, [(1, LineFault::AttributesCut), (4, LineFault::AttributesCut)]);
    let kept: Vec<_> = found.iter().map(|entry| (entry.name.as_str(), entry.tags.len())).collect();
    assert_eq!(kept, [("A", 128), ("B", 128)]);
}

#[test]
fn guides_of_the_header_are_listed_each_once() {
    let text = "#EXTM3U url-tvg=\"http://g/1.xml,http://g/2.xml.gz http://g/1.xml\" x-tvg-url='https://g/3.xml;guide.xml'\n\
        #EXTINF:-1,A\nhttp://h/1\n";
    let (found, summary) = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(summary.guides, ["http://g/1.xml", "http://g/2.xml.gz", "https://g/3.xml"]);
    assert_eq!(found[0].tags, []);
}

#[test]
fn the_first_twenty_guides_of_a_list_are_kept() {
    let guides = |count: usize| (0..count).map(|one| format!("http://g/{one}")).collect::<Vec<_>>();
    let header = format!("#EXTM3U x-tvg-url=\"{}\"\n", guides(60_000).join(","));
    let text = format!("{}#EXTINF:-1,A\nhttp://h/1\n", header.repeat(30));
    let (found, summary) = read_bytes(text.as_bytes()).unwrap();
    assert_eq!((found.len(), summary.guides), (1, guides(20)));
    let lines: Vec<_> = summary.refused.iter().map(|line| (line.line, line.reason)).collect();
    assert_eq!(lines, (1..=30).map(|line| (line, LineFault::GuidesCut)).collect::<Vec<_>>());
    let twenty = format!("#EXTM3U x-tvg-url=\"{}\"\n", guides(20).join(",")).repeat(2);
    assert_eq!(refused(&format!("{twenty}#EXTINF:-1,A\nhttp://h/1\n")), []);
}

#[test]
fn inherited_groups_are_limited_in_number_and_length() {
    let long = "x".repeat(1_000_000);
    let many = (0..150_000).map(|one| one.to_string()).collect::<Vec<_>>().join(";");
    for groups in [&long, &many] {
        for first in [format!("#EXTM3U group-title=\"{groups}\"\n"), format!("#EXTGRP:{groups}\n")] {
            let (found, summary) = read_bytes(format!("{first}http://h/1\nhttp://h/2\n").as_bytes()).unwrap();
            for entry in found {
                let bytes: usize = entry.groups.iter().map(String::len).sum();
                assert!(!entry.groups.is_empty() && entry.groups.len() <= 32 && bytes <= 1024);
            }
            let cut = RefusedLine { line: 1, reason: LineFault::GroupsCut };
            assert_eq!((summary.entries, summary.refused), (2, vec![cut]));
        }
    }
}

#[test]
fn a_line_with_too_many_groups_is_reported_and_its_entry_is_kept() {
    let groups = |count: usize| (0..count).map(|one| one.to_string()).collect::<Vec<_>>().join(";");
    let (most, more) = (groups(32), groups(33));
    let text = format!(
        "#EXTINF:-1 group-title=\"{most}\",A\nhttp://h/1\n#EXTINF:-1 group-title=\"{more}\",B\nhttp://h/2\n\
         #EXTINF:-1,C\n#EXTGRP:{more}\nhttp://h/3\n"
    );
    let limits = Limits { entries: 3, ..Limits::default() };
    let (found, summary) = read_with(text.as_bytes(), limits).unwrap();
    assert!(found.iter().all(|entry| entry.groups.join(";") == most));
    let lines: Vec<_> = summary.refused.iter().map(|line| (line.line, line.reason)).collect();
    assert_eq!(lines, [(3, LineFault::GroupsCut), (5, LineFault::GroupsCut)]);
    let none = format!("#EXTM3U group-title=\"{more}\"\n");
    assert_eq!(read_bytes(none.as_bytes()), Err(PlaylistFault::Empty), "a list without an entry");
}

#[test]
fn utf_16_is_read_with_and_without_its_mark() {
    let text = "#EXTM3U\n#EXTINF:-1,Televisión 東京\nhttp://h/1\n";
    for mark in ["", "\u{feff}"] {
        let units: Vec<u16> = format!("{mark}{text}").encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(names(&little), ["Televisión 東京"]);
        assert_eq!(names(&big), ["Televisión 東京"]);
    }
}

#[test]
fn other_encodings_are_guessed_line_by_line() {
    let latin =
        b"#EXTM3U\n#EXTINF:-1,Televisi\xf3n Espa\xf1ola\nhttp://h/1\n#EXTINF:-1,Canci\xc3\xb3n\nhttp://h/2\n";
    assert_eq!(names(latin), ["Televisión Española", "Canción"]);
    let windows = b"#EXTINF:-1,Le 5\x85 \x93Fran\xe7ais\x94 \x80\nhttp://h/1\n";
    assert_eq!(names(windows), ["Le 5… “Français” €"]);
    let (cyrillic, _, _) = encoding_rs::WINDOWS_1251
        .encode("#EXTINF:-1,Первый канал\nhttp://h/1\n#EXTINF:-1,Россия и культура\nhttp://h/2\n");
    assert_eq!(names(&cyrillic), ["Первый канал", "Россия и культура"]);
}

#[test]
fn gzip_of_one_or_several_members_is_detected_by_its_first_bytes() {
    let (one, two) = TWO.split_at(40);
    assert_eq!(names(&gzip(TWO.as_bytes())), ["Uno", "Dos"]);
    assert_eq!(names(&[gzip(one.as_bytes()), gzip(two.as_bytes())].concat()), ["Uno", "Dos"]);
    let packed = gzip(TWO.as_bytes());
    assert_eq!(read_bytes(&packed[..packed.len() - 9]), Err(PlaylistFault::DamagedArchive));
    assert_eq!(read_bytes(&packed[..12]), Err(PlaylistFault::DamagedArchive));
}

#[test]
fn entries_do_not_depend_on_where_the_bytes_are_split() {
    let text = format!("\u{feff}{}", TWO.replace('\n', "\r\n").replace("Dos", "Televisión"));
    for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
        for size in 1..9 {
            let (mut reader, mut found) = (PlaylistReader::new(Limits::default()), Vec::new());
            for chunk in bytes.chunks(size) {
                reader.feed(chunk, &mut |entry| found.push(entry)).unwrap();
            }
            reader.finish(&mut |entry| found.push(entry)).unwrap();
            assert_eq!(Ok(found), read_bytes(text.as_bytes()).map(|read| read.0), "{size}");
        }
    }
}

#[test]
fn groups_come_from_the_attribute_or_else_from_extgrp() {
    let groups =
        |text: &str| entries(text).into_iter().map(|entry| entry.groups.join("+")).collect::<Vec<_>>();
    let within = "#EXTINF:-1,A\n#EXTGRP:Cine;Series\nhttp://h/1\n#EXTINF:-1,B\nhttp://h/2\n";
    assert_eq!(groups(within), ["Cine+Series", ""]);
    let before = "#EXTGRP: Cine\n#EXTINF:-1,A\nhttp://h/1\n#EXTINF:-1,B\nhttp://h/2\n#EXTGRP:\n#EXTINF:-1,C\nhttp://h/3\n";
    assert_eq!(groups(before), ["Cine", "Cine", ""]);
    let both = "#EXTINF:-1 group-title=\"Niños; Cine\",A\n#EXTGRP:Otros\nhttp://h/1\n";
    assert_eq!(groups(both), ["Niños+Cine"]);
    assert_eq!(groups("#EXTM3U group-title=\"Todo\"\n#EXTINF:-1,A\nhttp://h/1\n"), ["Todo"]);
}

#[test]
fn directives_and_headers_are_kept_with_their_address() {
    let text = "#EXTINF:-1,A\n#EXTVLCOPT:http-user-agent=VLC/3, a\n#kodiprop:inputstream=adaptive\n\
        #EXTHTTP:{\"cookie\":\"a=b\"}\n# a remark\nhttp://h/1|User-Agent=Kodi%20x&Referer=http://r/\n#EXTINF:-1,B\nhttp://h/2\n";
    let found = entries(text);
    let directive = |name: &str, value: &str| Directive { name: name.into(), value: value.into() };
    assert_eq!(
        found[0].directives,
        [
            directive("EXTVLCOPT", "http-user-agent=VLC/3, a"),
            directive("KODIPROP", "inputstream=adaptive"),
            directive("EXTHTTP", "{\"cookie\":\"a=b\"}"),
        ]
    );
    let headers = [("User-Agent", "Kodi%20x"), ("Referer", "http://r/")];
    assert_eq!(found[0].headers, headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(found[0].url, "http://h/1");
    assert_eq!((found[1].directives.len(), found[1].headers.len()), (0, 0));
}

#[test]
fn a_header_with_an_invisible_name_is_ignored() {
    assert_eq!(only("http://h/1|\u{200b}=a&Referer=b\n").headers, [("Referer".to_owned(), "b".to_owned())]);
}

#[test]
fn catchup_radio_number_and_unknown_attributes_are_kept() {
    let text = "#EXTINF:-1 catchup=\"default\" catchup-days=\"7\" catchup-source=\"http://h/?utc=${start}&d={duration}\" \
        timeshift=\"3\" tvg-shift=\"+1\" tvg-rec=\"2\" radio=\"true\" tvg-chno=\"12\" tvg-logo=\"http://l/1.png\" \
        tvg-country=\"ES\" tvg-language=\"Spanish\" Vendor-X=\"y\",A\nhttp://h/1\n";
    let found = only(text);
    for (name, value) in [
        ("catchup", "default"),
        ("catchup-days", "7"),
        ("catchup-source", "http://h/?utc=${start}&d={duration}"),
        ("timeshift", "3"),
        ("tvg-shift", "+1"),
        ("tvg-rec", "2"),
        ("tvg-logo", "http://l/1.png"),
        ("tvg-country", "ES"),
        ("tvg-language", "Spanish"),
        ("vendor-x", "y"),
    ] {
        assert_eq!(found.tag(name), Some(value));
    }
    assert!(found.is_radio());
    assert_eq!(found.number(), Some(12));
}

#[test]
fn a_line_that_is_left_out_is_reported_with_its_reason() {
    let long = format!("http://h/{}", "x".repeat(2048));
    for (text, expected) in [
        ("#EXTINF:-1,A\n#EXTINF:-1,B\nhttp://h/1\n".to_owned(), vec![(1, LineFault::NameWithoutAddress)]),
        ("#EXTINF:-1,A\nhttp://h/1\n#EXTINF:-1,B\n".to_owned(), vec![(3, LineFault::NameWithoutAddress)]),
        (
            "#EXTINF:-1,A\nhttp://h/1\n#EXTINF:-1,B\nftp://h/2\n".to_owned(),
            vec![(4, LineFault::UnknownScheme)],
        ),
        ("#EXTINF:-1,A\nhttp://h/1\nnot an address\n".to_owned(), vec![(3, LineFault::InvalidAddress)]),
        (format!("#EXTINF:-1,A\nhttp://h/1\n#EXTINF:-1,B\n{long}\n"), vec![(4, LineFault::AddressTooLong)]),
        ("#EXTINF:-1,A\nhttp://h/1\n#EXT-X-ENDLIST\n".to_owned(), vec![(3, LineFault::HlsDirective)]),
    ] {
        assert_eq!(refused(&text), expected, "{text}");
        assert_eq!(entries(&text).len(), 1, "{text}");
    }
}

#[test]
fn a_line_of_three_megabytes_is_left_out_and_other_entries_are_kept() {
    let long = "x".repeat(3 * LONGEST_LINE);
    let text =
        format!("#EXTINF:-1,A\nhttp://h/{long}\n#EXTINF:-1,{long}\nhttp://h/2\n#EXTINF:-1,C\nhttp://h/3\n");
    let (found, summary) = read_bytes(text.as_bytes()).unwrap();
    let lines: Vec<_> = summary.refused.iter().map(|line| (line.line, line.reason)).collect();
    assert_eq!(lines, [(2, LineFault::LineTooLong), (3, LineFault::LineTooLong)]);
    let names: Vec<_> = found.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["2", "C"], "an address without a name is called by its last part");
}

#[test]
fn an_entry_without_a_name_gets_its_guide_name_or_the_last_part_of_its_url() {
    let text = "http://h/live/siete.m3u8?token=1\n#EXTINF:-1 tvg-name=\"Ocho\",\nhttp://h/8\n";
    assert_eq!(names(text.as_bytes()), ["siete.m3u8", "Ocho"]);
}

#[test]
fn films_and_series_are_counted_and_left_out() {
    let text = format!(
        "{TWO}#EXTINF:-1,Dune\nhttp://h/movie/u/p/1.mp4\n#EXTINF:-1,X S01E01\nhttp://h/series/u/p/2.mkv\n"
    );
    let (found, summary) = read_bytes(text.as_bytes()).unwrap();
    assert_eq!((found.len(), summary.entries, summary.films, summary.series), (2, 2, 1, 1));
    assert_eq!(summary.refused, []);
}

#[test]
fn other_formats_are_rejected_with_their_fault() {
    for (text, fault) in [
        ("", PlaylistFault::Empty),
        ("\n \r\n", PlaylistFault::Empty),
        ("#EXTM3U\n", PlaylistFault::Empty),
        ("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXTINF:6.0,\na.ts\n", PlaylistFault::HlsMedia),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://h/1.m3u8\n", PlaylistFault::HlsMaster),
        (
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n",
            PlaylistFault::HlsMaster,
        ),
        ("\n<!DOCTYPE html><html><body>502</body></html>", PlaylistFault::Html),
        ("<HTML>", PlaylistFault::Html),
        ("<?xml version=\"1.0\"?><tv></tv>", PlaylistFault::Xml),
        ("{\"user_info\":{\"auth\":0}}", PlaylistFault::Json),
        (" []", PlaylistFault::Json),
        ("[playlist]\nFile1=http://h/1\n", PlaylistFault::NotAPlaylist),
        ("Bad Gateway", PlaylistFault::NotAPlaylist),
        ("\u{1}PNG\0\0", PlaylistFault::NotAPlaylist),
    ] {
        assert_eq!(read_bytes(text.as_bytes()).map(|_| ()), Err(fault), "{text}");
    }
    let single_line = format!("{{\"a\":\"{}\"}}", "x".repeat(3 * LONGEST_LINE));
    assert_eq!(read_bytes(single_line.as_bytes()), Err(PlaylistFault::Json));
}

#[test]
fn a_list_without_valid_lines_reports_each_line() {
    assert_eq!(refused("#EXTM3U\n#EXTINF:-1,A\nftp://h/1\n"), [(3, LineFault::UnknownScheme)]);
}

#[test]
fn more_than_the_limits_is_refused() {
    let limits = Limits { bytes: 90, entries: 2 };
    assert!(TWO.len() < 90);
    assert_eq!(read_with(TWO.as_bytes(), limits).map(|read| read.0.len()), Ok(2));
    assert_eq!(
        read_with(TWO.as_bytes(), Limits { entries: 1, ..limits }),
        Err(PlaylistFault::TooManyEntries)
    );
    assert_eq!(read_with(TWO.as_bytes(), Limits { bytes: 60, ..limits }), Err(PlaylistFault::TooLarge));
    let bomb = gzip(&vec![b'\n'; 40 * 1024 * 1024]);
    assert!(bomb.len() < 50_000);
    let limits = Limits { bytes: 1024 * 1024, entries: 10 };
    assert_eq!(read_with(&bomb, limits), Err(PlaylistFault::TooLarge), "unpacked, too");
}

#[test]
fn every_reason_is_worded_in_both_languages() {
    let labels = LineFault::ALL
        .iter()
        .map(|one| one.labels())
        .chain(PlaylistFault::ALL.iter().map(|one| one.labels()));
    for labels in labels {
        assert_ne!(labels.spanish, labels.english);
    }
}

fn written(entries: &[Entry]) -> String {
    let mut text = String::new();
    write_header(&mut text, &[]);
    for entry in entries {
        write_entry(&mut text, entry);
    }
    text
}

/// Entries without their line numbers.
fn without_lines(mut entries: Vec<Entry>) -> Vec<Entry> {
    for entry in &mut entries {
        entry.line = 0;
    }
    entries
}

/// Texts with special characters of the syntax.
fn awkward() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "Canal", " ", "7", "\"", "'", ",", "=", "a=", "a=\"", ";", "|", "#", "-1", "ñ", "東", "tvg-id=",
        "\" x=\"", "&", ":",
    ]);
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn an_entry() -> impl Strategy<Value = Entry> {
    let tag = (prop::sample::select(vec!["tvg-id", "tvg-name", "x-own", "catchup-source"]), awkward());
    let directive = (prop::sample::select(vec!["EXTVLCOPT", "KODIPROP", "EXTHTTP"]), awkward());
    (
        awkward(),
        prop::collection::vec(tag, 0..4),
        prop::collection::vec(awkward(), 0..3),
        prop::collection::vec(directive, 0..3),
    )
        .prop_map(|(name, tags, groups, directives)| Entry {
            name,
            url: "http://h/1".into(),
            tags: tags.into_iter().map(|(name, value)| (TagName::new(name), value)).collect(),
            groups,
            directives: directives
                .into_iter()
                .map(|(name, value)| Directive { name: name.into(), value })
                .collect(),
            headers: vec![("User-Agent".into(), "x y".into())],
            ..Entry::default()
        })
}

proptest! {
    #[test]
    fn written_entries_are_read_unchanged(all in prop::collection::vec(an_entry(), 1..5)) {
        // Generated entries may have values that no list can; a first reading removes them.
        let first = entries(&written(&all));
        prop_assert_eq!(first.len(), all.len());
        let text = written(&first);
        let second = entries(&text);
        let only_double = |entry: &Entry| {
            let holds = |text: &str| text.contains('"') && (text.contains('\'') || text.contains('='));
            !entry.tags.iter().any(|(_, value)| holds(value)) && !entry.groups.iter().any(|group| holds(group)) && !holds(&entry.name)
        };
        if first.iter().all(only_double) {
            prop_assert_eq!(without_lines(first), without_lines(second.clone()));
        }
        prop_assert_eq!(written(&second), text, "from then on it stays");
    }

    #[test]
    fn anything_is_read_without_a_crash_and_in_pieces_as_in_one(
        lines in prop::collection::vec(awkward(), 0..20), size in 1_usize..40
    ) {
        let text = lines.join("\n#EXTINF:");
        let (mut reader, mut found) = (PlaylistReader::new(Limits::default()), Vec::new());
        let mut outcome = Ok(());
        for chunk in text.as_bytes().chunks(size) {
            outcome = outcome.and_then(|()| reader.feed(chunk, &mut |entry| found.push(entry)));
        }
        let outcome = outcome.and_then(|()| reader.finish(&mut |entry| found.push(entry)));
        prop_assert_eq!(outcome.map(|summary| (found, summary)), read_bytes(text.as_bytes()));
    }
}
