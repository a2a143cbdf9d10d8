//! Writes guides as compressed XMLTV, such that reading returns the same guide.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    io::Write as _,
};

use chrono::{DateTime, Utc};
use domain_live::{guide::Localized, programme::KeptProgramme};
use flate2::{Compression, write::GzEncoder};
use ports::{GuideFormat, GuideWriter};
use quick_xml::escape;

use super::characters::allowed;

/// Writes guides in XMLTV, compressed by gzip.
#[derive(Debug, Clone, Copy)]
pub struct XmltvFormat;

impl GuideFormat for XmltvFormat {
    fn begin(&self) -> Box<dyn GuideWriter> {
        let mut writer =
            Writer { encoder: GzEncoder::new(Vec::new(), Compression::default()), text: String::new() };
        writer
            .text
            .push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tv generator-info-name=\"Cartelera\">\n");
        Box::new(writer)
    }
}

struct Writer {
    encoder: GzEncoder<Vec<u8>>,
    /// Text not compressed yet.
    text: String,
}

impl Writer {
    /// Both text and compressed data are in memory: writing does not fail.
    fn write(&mut self, text: fmt::Arguments<'_>) {
        let _ = self.text.write_fmt(text);
    }

    fn texts(&mut self, element: &str, texts: &[Localized]) {
        for text in texts {
            self.text(element, text.language.as_deref(), &text.text);
        }
    }

    fn text(&mut self, element: &str, language: Option<&str>, text: &str) {
        let language = language.map(|code| format!(" lang=\"{}\"", escape(code))).unwrap_or_default();
        self.write(format_args!("    <{element}{language}>{}</{element}>\n", escape(text)));
    }

    fn pack(&mut self) {
        let _ = self.encoder.write_all(self.text.as_bytes());
        self.text.clear();
    }
}

/// Text escaped for XML.
fn escape(text: &str) -> Cow<'_, str> {
    match allowed(text) {
        Cow::Borrowed(text) => escape::escape(text),
        Cow::Owned(text) => escape::escape(text).into_owned().into(),
    }
}

fn time(seconds: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp(seconds, 0).unwrap_or_default();
    time.format("%Y%m%d%H%M%S +0000").to_string()
}

impl GuideWriter for Writer {
    fn channel(&mut self, id: &str, name: &str, icon: Option<&str>) {
        self.write(format_args!("  <channel id=\"{}\">\n", escape(id)));
        self.write(format_args!("    <display-name>{}</display-name>\n", escape(name)));
        if let Some(icon) = icon {
            self.write(format_args!("    <icon src=\"{}\"/>\n", escape(icon)));
        }
        self.text.push_str("  </channel>\n");
    }

    fn programme(&mut self, channel: &str, programme: &KeptProgramme) {
        let (start, stop) = (time(programme.start), time(programme.stop));
        let channel = escape(channel);
        self.write(format_args!("  <programme start=\"{start}\" stop=\"{stop}\" channel=\"{channel}\">\n"));
        let details = programme.details();
        self.text("title", details.language.as_deref(), &programme.title);
        self.texts("title", &details.titles);
        self.texts("sub-title", &details.sub_titles);
        self.texts("desc", &details.descriptions);
        if let Some(date) = &details.date {
            self.text("date", None, date);
        }
        self.texts("category", &details.categories);
        if let Some(icon) = &details.icon {
            self.write(format_args!("    <icon src=\"{}\"/>\n", escape(icon.as_str())));
        }
        for number in &details.episodes {
            let (system, value) = (escape(number.system.as_str()), escape(number.value.as_str()));
            self.write(format_args!("    <episode-num system=\"{system}\">{value}</episode-num>\n"));
        }
        if details.is_repeat {
            self.text.push_str("    <previously-shown/>\n");
        }
        if details.is_new {
            self.text.push_str("    <new/>\n");
        }
        for rating in &details.ratings {
            let system = rating.system.as_deref().map(|system| format!(" system=\"{}\"", escape(system)));
            let (system, value) = (system.unwrap_or_default(), escape(rating.value.as_str()));
            self.write(format_args!("    <rating{system}><value>{value}</value></rating>\n"));
        }
        self.text.push_str("  </programme>\n");
    }

    fn take(&mut self) -> Vec<u8> {
        self.pack();
        std::mem::take(self.encoder.get_mut())
    }

    fn finish(mut self: Box<Self>) -> Vec<u8> {
        self.text.push_str("</tv>\n");
        self.pack();
        self.encoder.finish().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use chrono::TimeDelta;
    use domain_live::guide::{EpisodeNumber, Programme, Rating};
    use flate2::read::GzDecoder;

    use super::*;
    use crate::guide::{GuideOptions, read_guide};

    fn localized(language: Option<&str>, text: &str) -> Localized {
        Localized { language: language.map(str::to_owned), text: text.to_owned() }
    }

    fn programme(hour: i64, title: Localized) -> Programme {
        let start = DateTime::UNIX_EPOCH + TimeDelta::hours(hour);
        Programme {
            channel: "siete<7>.es".into(),
            start,
            stop: start + TimeDelta::hours(1),
            titles: vec![title],
            sub_titles: vec![],
            descriptions: vec![],
            categories: vec![],
            episodes: vec![],
            icon: None,
            ratings: vec![],
            date: None,
            is_new: false,
            is_repeat: false,
        }
    }

    fn programmes() -> Vec<KeptProgramme> {
        let mut full = programme(500_000, localized(Some("es"), "Pan y rosas"));
        full.titles.push(localized(Some("en"), "Bread & \"roses\" <live>"));
        full.sub_titles = vec![localized(None, "Uno")];
        full.descriptions = vec![localized(Some("es"), "Línea 1\nLínea 2 ]]>")];
        full.categories = vec![localized(Some("es"), "Cine")];
        full.episodes = vec![EpisodeNumber { system: "xmltv_ns".into(), value: "0.12.".into() }];
        full.icon = Some("https://i.example/1.png?a=1&b=2".into());
        full.ratings = vec![Rating { system: Some("MPAA".into()), value: "PG".into() }];
        full.date = Some("2026".into());
        full.is_new = true;
        full.is_repeat = true;
        let bare = programme(500_001, localized(None, "Ñandú"));
        [full, bare].map(|one| KeptProgramme::of(one, 0)).into()
    }

    #[test]
    fn characters_invalid_in_xml_are_not_written() {
        let mut writer = XmltvFormat.begin();
        writer.channel("sie\0te", "Si\u{b}ete", None);
        writer.programme("siete", &KeptProgramme::of(programme(1, localized(None, "Cap\u{1f}ítulo")), 0));
        let mut text = String::new();
        GzDecoder::new(writer.finish().as_slice()).read_to_string(&mut text).unwrap();
        assert!(
            text.contains("\"siete\"") && text.contains(">Siete<") && text.contains(">Capítulo<"),
            "{text}"
        );
    }

    #[test]
    fn written_guides_are_read_unchanged() {
        let mut writer = XmltvFormat.begin();
        writer.channel("siete<7>.es", "Siete & ocho", Some("https://i.example/7.png?a=1&b=2"));
        let mut bytes = writer.take();
        for programme in programmes() {
            writer.programme("siete<7>.es", &programme);
            bytes.extend(writer.take());
        }
        bytes.extend(writer.finish());
        let mut read = Vec::new();
        let report = read_guide(bytes.as_slice(), GuideOptions::default(), |programme| {
            assert_eq!(programme.channel, "siete<7>.es");
            read.push(KeptProgramme::of(programme, 0));
        });
        assert_eq!((report.stopped, report.left_out.len()), (None, 0));
        let channel = &report.channels[0];
        assert_eq!((channel.id.as_str(), channel.names[0].text.as_str()), ("siete<7>.es", "Siete & ocho"));
        assert_eq!(channel.icons, ["https://i.example/7.png?a=1&b=2"]);
        assert_eq!(read, programmes());
    }
}
