use std::io::Write;

use chrono::{DateTime, Utc};
use domain_kernel::Enumeration;
use domain_live::{
    guide::{GuideFault, GuideStop, Programme},
    guide_fetch::GuideFetchFault,
};
use flate2::{Compression, write::GzEncoder};
use lzma_rust2::{XzOptions, XzWriter};

use super::{GuideLimits, GuideOptions, GuideReport, Packing, Tz, read_guide};

fn read_with(bytes: &[u8], options: GuideOptions) -> (GuideReport, Vec<Programme>) {
    let mut programmes = Vec::new();
    let report = read_guide(bytes, options, |programme| programmes.push(programme));
    assert_eq!(report.programmes, programmes.len() as u64);
    (report, programmes)
}

fn read(text: impl AsRef<[u8]>) -> (GuideReport, Vec<Programme>) {
    read_with(text.as_ref(), GuideOptions::default())
}

fn limited(change: impl FnOnce(&mut GuideLimits)) -> GuideOptions {
    let mut options = GuideOptions::default();
    change(&mut options.limits);
    options
}

/// A guide of one channel.
fn guide(programmes: &str) -> String {
    format!("<tv><channel id=\"uno\"><display-name>Uno</display-name></channel>{programmes}</tv>")
}

fn programme(start: &str, stop: &str, title: &str) -> String {
    let stop = if stop.is_empty() { String::new() } else { format!(" stop=\"{stop}\"") };
    format!("<programme start=\"{start}\"{stop} channel=\"uno\"><title>{title}</title></programme>")
}

fn day(hour: u32) -> String {
    format!("202601{:02}{:02}0000", 1 + hour / 24, hour % 24)
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(6)).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

const WHOLE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tv SYSTEM "xmltv.dtd">
<tv generator-info-name="test">
  <!-- a comment with <tags> & such -->
  <channel id="uno.es"><display-name lang="es">Uno</display-name><display-name>Uno HD</display-name>
    <icon src="https://example.com/uno.png"/><url>https://example.com</url></channel>
  <programme start="20260101060000 +0100" stop="20260101070000 +0100" channel="uno.es">
    <title lang="es">El tiempo</title><title lang="en">Weather</title><sub-title>Hoy</sub-title>
    <desc lang="es"><![CDATA[Sol & nubes <hoy>]]></desc>
    <credits><director>Nadie</director><title>not this one</title></credits>
    <date>2025</date><category lang="es">Noticias</category><icon src="https://example.com/t.png"/>
    <episode-num system="xmltv_ns">1.4.</episode-num><episode-num>S02E05</episode-num>
    <rating system="ICAA"><value>TP</value><icon src="x"/></rating><new/><previously-shown start="2024"/>
  </programme>
</tv>"#;

#[test]
fn all_fields_of_a_programme_are_read() {
    let (report, programmes) = read(WHOLE);
    assert_eq!((report.stopped, report.left_out.len()), (None, 0), "{:?}", report.examples);
    let channel = &report.channels[0];
    assert_eq!((channel.id.as_str(), channel.names.len()), ("uno.es", 2));
    assert_eq!(channel.names[0].language.as_deref(), Some("es"));
    assert_eq!((channel.icons.len(), channel.addresses.len()), (1, 1));
    let [programme] = programmes.as_slice() else { panic!("{programmes:?}") };
    assert_eq!(programme.start, at("2026-01-01T05:00:00Z"));
    assert_eq!(programme.stop, at("2026-01-01T06:00:00Z"));
    let titles: Vec<_> =
        programme.titles.iter().map(|title| (title.language.as_deref(), title.text.as_str())).collect();
    assert_eq!(titles, [(Some("es"), "El tiempo"), (Some("en"), "Weather")]);
    assert_eq!(programme.descriptions[0].text, "Sol & nubes <hoy>");
    assert_eq!(programme.episodes[0].season_and_episode(), (Some(2), Some(5)));
    assert_eq!(programme.episodes[1].system, "onscreen");
    assert_eq!(
        (programme.ratings[0].system.as_deref(), programme.ratings[0].value.as_str()),
        (Some("ICAA"), "TP")
    );
    assert_eq!(
        (programme.date.as_deref(), programme.icon.as_deref()),
        (Some("2025"), Some("https://example.com/t.png"))
    );
    assert!(programme.is_new && programme.is_repeat);
}

#[test]
fn channels_may_follow_programmes_be_repeated_or_be_missing() {
    let text = format!(
        "<tv>{}<channel id='uno'><display-name>Uno</display-name></channel>\
         <channel id='uno'><display-name>Uno</display-name><display-name>One</display-name></channel>\
         <programme start='20260101' channel='dos'><title>x</title></programme></tv>",
        programme(&day(0), &day(1), "a")
    );
    let (report, _) = read(text);
    assert_eq!(report.channels.len(), 1);
    assert_eq!(report.channels[0].names.len(), 2);
    assert_eq!(report.undeclared.into_iter().collect::<Vec<_>>(), [("dos".to_owned(), 1)]);
    assert_eq!(report.programmes_by_channel["uno"], 1);
}

#[test]
fn broken_parts_are_rejected_and_counted_by_reason() {
    let text = guide(
        &[
            programme("", &day(1), "no start"),
            programme("soon", &day(1), "no time"),
            programme("20260101000000 XYZ", &day(1), "no zone"),
            programme(&day(5), &day(4), "backwards"),
            programme(&day(0), &day(1), "  "),
            "<programme start='20260101'><title>no channel</title></programme>".to_owned(),
            "<channel><display-name>no id</display-name></channel>".to_owned(),
            programme(&day(0), &day(1), "good &unheard; one"),
        ]
        .concat(),
    );
    let (report, programmes) = read(text);
    let expected = [
        (GuideFault::ChannelWithoutId, 1),
        (GuideFault::ProgrammeWithoutChannel, 1),
        (GuideFault::ProgrammeWithoutStart, 1),
        (GuideFault::ProgrammeWithoutTitle, 1),
        (GuideFault::InvalidTime, 1),
        (GuideFault::UnknownZone, 1),
        (GuideFault::EndsBeforeStart, 1),
        (GuideFault::UnknownEntity, 1),
    ];
    assert_eq!(report.left_out.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(report.examples.len(), 8);
    assert_eq!(programmes[0].titles[0].text, "good &unheard; one");
}

#[test]
fn each_reason_of_rejections_has_examples() {
    let nameless = "<channel><display-name>no id</display-name></channel>".repeat(30);
    let without_start =
        format!("<programme stop=\"{}\" channel=\"uno\"><title>t</title></programme>", day(1));
    let (report, _) = read(guide(&[nameless, without_start.repeat(3)].concat()));
    let of = |fault: GuideFault| report.examples.iter().filter(|one| one.fault == fault).count();
    assert_eq!(report.left_out[&GuideFault::ChannelWithoutId], 30);
    assert_eq!(of(GuideFault::ChannelWithoutId), 20);
    assert_eq!(of(GuideFault::ProgrammeWithoutStart), 3);
}

#[test]
fn a_programme_without_an_end_ends_at_the_channels_next_one() {
    let text = guide(
        &[programme(&day(0), "", "a"), programme(&day(2), "", "b"), programme(&day(20), &day(21), "c")]
            .concat(),
    );
    let (report, programmes) = read(text);
    let hours: Vec<_> = programmes.iter().map(|one| (one.stop - one.start).num_hours()).collect();
    assert_eq!((hours, report.without_stop), (vec![2, 6, 1], 2));
}

#[test]
fn a_programme_without_an_end_is_left_out_at_the_end_of_a_truncated_file() {
    let whole = guide(
        &[programme(&day(0), "", "a"), programme(&day(2), "", "b"), programme(&day(3), "", "c")].concat(),
    );
    assert_eq!(read(&whole).1.len(), 3, "the last one lasts six hours");
    let before_the_last = &whole[..whole.rfind("<programme").unwrap()];
    let within_the_last = &whole[..whole.rfind("<title>").unwrap()];
    let within_a_comment = format!("{before_the_last}<!-- ");
    for damaged in [before_the_last, within_the_last, &within_a_comment] {
        let (report, programmes) = read(damaged);
        assert!(report.is_partial(), "{:?}", report.stopped);
        let titles: Vec<_> = programmes.iter().map(|one| one.titles[0].text.as_str()).collect();
        assert_eq!((titles, programmes[0].stop), (vec!["a"], at("2026-01-01T02:00:00Z")));
        assert_eq!((report.left_out[&GuideFault::EndUnknown], report.examples[0].text.as_str()), (1, "uno"));
        assert_eq!((report.without_stop, report.programmes_by_channel["uno"]), (2, 1));
    }
}

#[test]
fn times_without_a_zone_are_in_the_zone_of_the_guide() {
    let options = GuideOptions { zone: Tz::America__Montevideo, ..GuideOptions::default() };
    let (_, programmes) = read_with(guide(&programme("202601010600", "", "a")).as_bytes(), options);
    assert_eq!(programmes[0].start, at("2026-01-01T09:00:00Z"));
}

#[test]
fn only_entities_of_characters_are_replaced() {
    let text = format!(
        "<!DOCTYPE tv [<!ENTITY file SYSTEM \"file:///etc/passwd\"><!ENTITY a \"ha\"><!ENTITY b \"&a;&a;>\">]>{}",
        guide(&programme(&day(0), &day(1), "Tom & Jerry &amp; &eacute;&#233;&#xE9; &file;&b;"))
    );
    let (report, programmes) = read(text);
    assert_eq!(programmes[0].titles[0].text, "Tom & Jerry & ééé &file;&b;");
    assert_eq!(report.left_out[&GuideFault::UnknownEntity], 2);
}

#[test]
fn packed_guides_are_recognised_by_their_first_bytes() {
    let (_, plain) = read(WHOLE);
    let half = WHOLE.len() / 2;
    let members = [gzip(&WHOLE.as_bytes()[..half]), gzip(&WHOLE.as_bytes()[half..])].concat();
    for (packed, packing) in [
        (gzip(WHOLE.as_bytes()), Packing::Gzip),
        (members, Packing::Gzip),
        (xz(WHOLE.as_bytes()), Packing::Xz),
    ] {
        let (report, programmes) = read(packed);
        assert_eq!((report.packing, report.stopped), (packing, None));
        assert_eq!(programmes, plain);
    }
}

#[test]
fn several_guides_in_one_file_are_one() {
    let first = guide(&[programme(&day(0), &day(1), "a"), programme(&day(1), "", "b")].concat());
    let second = format!(
        "<tv><channel id='uno'><display-name>One</display-name></channel><channel id='dos'/>{}{}</tv>",
        programme(&day(3), &day(4), "c"),
        programme(&day(0), &day(1), "ñ").replace("\"uno\"", "\"dos\"")
    );
    let declared = |text: &str| format!("\u{feff}<?xml version='1.0'?>\n<!DOCTYPE tv SYSTEM 'x'>\n{text}\n");
    let (one, other) = (declared(&first), declared(&second));
    let gzipped = [gzip(one.as_bytes()), gzip(other.as_bytes())].concat();
    for bytes in
        [gzipped, xz(format!("{one}{other}").as_bytes()), format!("<tv/>{first}{second}").into_bytes()]
    {
        let (report, programmes) = read(bytes);
        assert_eq!((report.stopped, report.left_out.len()), (None, 0), "{:?}", report.examples);
        let titles: Vec<_> = programmes.iter().map(|one| one.titles[0].text.as_str()).collect();
        assert_eq!(titles, ["a", "b", "c", "ñ"]);
        assert_eq!(programmes[1].stop, at("2026-01-01T03:00:00Z"), "its end is the next one's beginning");
        let names: Vec<_> = report.channels.iter().map(|one| (one.id.as_str(), one.names.len())).collect();
        assert_eq!(names, [("uno", 2), ("dos", 0)]);
        assert_eq!(report.programmes_by_channel.into_values().collect::<Vec<_>>(), [1, 3]);
    }
    // A broken second guide keeps the complete part; one that exceeds a limit rejects everything.
    let (report, programmes) = read(&format!("{one}{other}")[..one.len() + other.len() - 20]);
    assert_eq!((report.stopped, programmes.len()), (Some(GuideStop::EndsTooEarly), 3));
    let deep = format!("{one}<tv>{}", "<a>".repeat(100));
    assert_eq!(read(deep).0.stopped, Some(GuideStop::TooDeep));
    let many: Vec<String> = (0..3_000).map(|number| format!("<tv><channel id='{number}'/></tv>")).collect();
    let many = many.concat();
    let (report, _) = read_with(many.as_bytes(), limited(|limits| limits.held_bytes = 100_000));
    assert_eq!(report.stopped, Some(GuideStop::TooLargeUnpacked));
}

#[test]
fn content_after_a_guide_that_is_no_guide_is_not_read() {
    let whole = guide(&programme(&day(0), &day(1), "a"));
    let (expected, _) = read(&whole);
    for behind in [
        "\0\0\0",
        "</tv>",
        "<",
        "<tv",
        "&unheard; ]]> <!-- ",
        "<html><tv><programme/></tv></html>",
        "<programme start='x'/>",
        "{\"a\":1}",
    ] {
        for packed in [false, true] {
            let text = format!("{whole}{behind}");
            let bytes = if packed { gzip(text.as_bytes()) } else { text.into_bytes() };
            let (report, programmes) = read(bytes);
            assert_eq!(programmes.len(), 1, "{behind}");
            let unpacked_bytes = expected.unpacked_bytes;
            let report = GuideReport { packing: Packing::Plain, unpacked_bytes, ..report };
            assert_eq!(report, expected, "{behind}");
        }
    }
    let packed = gzip(format!("{whole}{}", " ".repeat(100)).as_bytes());
    let (report, _) = read(&packed[..packed.len() - 6]);
    assert!(
        report.stopped.is_some(),
        "a packed file that is cut off behind its guide is not known to be whole"
    );
}

#[test]
fn every_encoding_is_read() {
    let body = guide(&programme(&day(0), &day(1), "El niño y la cigüeña, mañana"));
    let latin =
        |text: &str| text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect::<Vec<u8>>();
    let wide =
        |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let declared = |encoding: &str| format!("<?xml version='1.0' encoding='{encoding}'?>{body}");
    for (name, bytes) in [
        ("UTF-8", declared("UTF-8").into_bytes()),
        ("UTF-8", [b"\xEF\xBB\xBF", body.as_bytes()].concat()),
        ("windows-1252", latin(&declared("ISO-8859-1"))),
        ("windows-1252", latin(&declared("UTF-8"))),
        ("windows-1252", latin(&body)),
        ("UTF-16LE", [vec![0xFF, 0xFE], wide(&declared("UTF-16"), u16::to_le_bytes)].concat()),
        ("UTF-16BE", wide(&body, u16::to_be_bytes)),
        ("UTF-8", declared("UTF-16").into_bytes()),
    ] {
        let (report, programmes) = read(bytes);
        assert_eq!(report.encoding, name);
        assert_eq!(programmes[0].titles[0].text, "El niño y la cigüeña, mañana", "{name}");
    }
}

#[test]
fn an_encoding_is_detected_at_the_first_special_letter_of_a_long_file() {
    let title = "El niño y la cigüeña, mañana";
    let late = guide(&format!(
        "{}{}",
        programme(&day(0), &day(1), "Plain").repeat(2_000),
        programme(&day(1), &day(2), title)
    ));
    assert!(late.find('ñ').unwrap() > 128 << 10);
    let latin = late.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect::<Vec<u8>>();
    for (name, bytes) in [("windows-1252", latin), ("UTF-8", late.into_bytes())] {
        let (report, programmes) = read(bytes);
        assert_eq!(report.encoding, name);
        assert_eq!(programmes.last().unwrap().titles[0].text, title, "{name}");
    }
}

#[test]
fn a_truncated_file_keeps_complete_programmes() {
    let text = guide(&[programme(&day(0), &day(1), "a"), programme(&day(1), &day(2), "b")].concat());
    let first = text.find("</programme>").unwrap() + "</programme>".len();
    for end in [first, first + 5, first + 30, text.len() - 12, text.len() - 3] {
        let (report, programmes) = read(&text[..end]);
        assert_eq!(report.stopped, Some(GuideStop::EndsTooEarly), "{end}");
        assert!(report.is_partial() && !programmes.is_empty());
    }
    for packed in [gzip(text.as_bytes()), xz(text.as_bytes())] {
        let (report, _) = read(&packed[..packed.len() - 9]);
        assert!(report.stopped.is_some(), "a packed file that is cut off is not whole");
        assert!(!report.is_refused() || report.programmes == 0);
    }
}

#[test]
fn files_that_are_no_guide_are_rejected() {
    for text in [
        "",
        "   ",
        "{\"user_info\":{}}",
        "<html><body>403</body></html>",
        "#EXTM3U\n#EXTINF:-1,a\nhttp://x",
        "<tv2></tv2>",
        "\0\0\0",
    ] {
        let (report, programmes) = read(text);
        assert_eq!(report.stopped, Some(GuideStop::NotAGuide), "{text}");
        assert!(report.is_refused() && programmes.is_empty());
    }
    let (report, _) = read("<tv></tv>");
    assert_eq!(report.stopped, None, "an empty guide is one");
    let (report, _) = read("<tv/>");
    assert_eq!(report.stopped, None);
}

#[test]
fn texts_are_cut_at_their_limit_between_characters() {
    let long = "ñ".repeat(200_000);
    for title in [long.clone(), format!("<![CDATA[{long}]]>")] {
        let text = guide(&[programme(&day(0), &day(1), &title), programme(&day(1), &day(2), "b")].concat());
        let (report, programmes) = read(text);
        assert_eq!(report.left_out[&GuideFault::TextCut], 1);
        let kept = &programmes[0].titles[0].text;
        assert!(kept.len() <= 64 << 10 && kept.len() > 60 << 10 && kept.chars().all(|letter| letter == 'ñ'));
        assert_eq!(programmes.len(), 2);
    }
}

#[test]
fn levels_are_counted() {
    let deep = guide(&format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000)));
    let (report, _) = read(deep);
    assert_eq!(report.stopped, Some(GuideStop::TooDeep));
    let fits =
        guide(&format!("{}{}{}", "<a>".repeat(31), "</a>".repeat(31), programme(&day(0), &day(1), "a")));
    assert_eq!(read(fits).1.len(), 1);
}

#[test]
fn a_tag_without_end_is_refused() {
    let (report, _) = read(guide(&format!("<programme start=\"{}", "1".repeat(3 << 20))));
    assert_eq!(report.stopped, Some(GuideStop::TagTooLong));
}

#[test]
fn comments_and_document_types_are_ignored_and_use_no_memory() {
    let text = format!(
        "<!-- {} --><!DOCTYPE tv [{}]>{}",
        "x>".repeat(1 << 20),
        "<!ENTITY x 'y'>".repeat(100_000),
        guide(&programme(&day(0), &day(1), "a"))
    );
    let (report, programmes) = read(text);
    assert_eq!((report.stopped, programmes.len()), (None, 1));
}

#[test]
fn sizes_and_ratios_are_bounded() {
    let text = guide(&programme(&day(0), &day(1), "a").repeat(2_000));
    let stop = |bytes: &[u8], options| read_with(bytes, options).0.stopped;
    assert_eq!(
        stop(text.as_bytes(), limited(|limits| limits.packed_bytes = 1_000)),
        Some(GuideStop::TooLarge)
    );
    let packed = gzip(text.as_bytes());
    assert_eq!(
        stop(&packed, limited(|limits| limits.unpacked_bytes = 100_000)),
        Some(GuideStop::TooLargeUnpacked)
    );
    let blanks = [b"<tv>".as_slice(), &vec![b' '; 6 << 20]].concat();
    for bomb in [gzip(&blanks), xz(&blanks)] {
        let (report, _) = read(&bomb);
        assert_eq!(report.stopped, Some(GuideStop::RatioTooHigh));
        assert!(report.is_refused());
    }
    let packed = xz(text.as_bytes());
    assert_eq!(stop(&packed, limited(|limits| limits.xz_memory = 1 << 16)), Some(GuideStop::MemoryLimit));
    let mut damaged = gzip(text.as_bytes());
    damaged[200] ^= 0xFF;
    assert!(matches!(
        stop(&damaged, GuideOptions::default()),
        Some(GuideStop::BrokenCompression | GuideStop::BrokenMarkup | GuideStop::EndsTooEarly)
    ));
}

#[test]
fn many_channels_do_not_fill_the_memory() {
    let channels: String =
        (0..3_000).map(|number| ["<channel id='", &number.to_string(), "'/>"].concat()).collect();
    let (report, _) =
        read_with(format!("<tv>{channels}</tv>").as_bytes(), limited(|limits| limits.held_bytes = 100_000));
    assert_eq!(report.stopped, Some(GuideStop::TooLargeUnpacked));
}

#[test]
fn repeated_channels_do_not_fill_the_memory() {
    let long = "x".repeat(1_000);
    let stopped = |what: &dyn Fn(usize) -> String| {
        let channel = |number: usize| format!("<channel id='{}'>{}</channel>", number % 10, what(number));
        let text = format!("<tv>{}</tv>", (0..300).map(channel).collect::<String>());
        read_with(text.as_bytes(), limited(|limits| limits.held_bytes = 100_000)).0.stopped
    };
    for (before, behind) in [
        ("<display-name>", "</display-name>"),
        ("<display-name lang='", "'>Uno</display-name>"),
        ("<icon src='", "'/>"),
        ("<url>", "</url>"),
    ] {
        let each = |number: usize| format!("{before}{number}{long}{behind}");
        assert_eq!(stopped(&each), Some(GuideStop::TooLargeUnpacked), "{before}");
        assert_eq!(stopped(&|number| each(number % 10)), None, "{before}: the same again takes nothing");
    }
}

#[test]
fn programmes_without_an_end_do_not_fill_the_memory() {
    let long = "x".repeat(1_000);
    let guide = |channels: usize, details: &str| {
        let programme = |number: usize| {
            let (channel, minute) = (number % channels, number / channels);
            let start = format!("2026112610{minute:02}00 +0000");
            format!("<programme channel='{channel}' start='{start}'><title>x</title>{details}</programme>")
        };
        format!("<tv>{}</tv>", (0..300).map(programme).collect::<String>())
    };
    let stopped = |channels, details: &str| {
        let limits = limited(|limits| limits.held_bytes = 200_000);
        read_with(guide(channels, details).as_bytes(), limits).0.stopped
    };
    for details in [format!("<desc>{long}</desc>"), format!("<icon src='http://h.example/{long}'/>")] {
        assert_eq!(stopped(300, &details), Some(GuideStop::TooLargeUnpacked));
        assert_eq!(stopped(10, &details), None, "each is handed on as the next one of its channel comes");
    }
    assert_eq!(stopped(300, ""), None);
}

#[test]
fn every_reason_is_worded_in_both_languages() {
    let labels = GuideFault::ALL
        .iter()
        .map(|one| one.labels())
        .chain(GuideStop::ALL.iter().map(|one| one.labels()))
        .chain(GuideFetchFault::ALL.iter().map(|one| one.labels()));
    for labels in labels {
        assert_ne!(labels.spanish, labels.english);
    }
}
