//! Probes DASH: a manifest lists representations, and the initialisation segment of the first one
//! must be media.
//!
//! `quick-xml` reads the few elements needed: manifest libraries have dozens of dependencies.

use domain_live::link::{Probe, ProbeOutcome, StreamFormat};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use tokio::time::Instant;
use url::Url;

use super::{
    MEDIA_BYTES, Stop,
    content::Content,
    media,
    requests::{Answer, Requests},
};
use crate::guide::attribute;

/// Maximum nesting of elements.
const DEEPEST: usize = 16;

pub(super) async fn probe(
    requests: &mut Requests<'_>,
    answer: &Answer,
    begun: Instant,
) -> Result<Probe, Stop> {
    let manifest = Manifest::read(&answer.bytes).ok_or_else(|| answer.lacks(ProbeOutcome::NotMedia))?;
    let first = manifest.first.as_ref().ok_or_else(|| answer.lacks(ProbeOutcome::Empty))?;
    let url = first.address(&answer.url).ok_or(Probe::of(ProbeOutcome::NotMedia))?;
    let segment = requests.get(url, MEDIA_BYTES).await?;
    let found = match segment.content {
        // Only DASH's containers are playable here.
        Content::File | Content::TransportStream(_) | Content::Nothing => media(&segment, begun),
        _ => Probe::of(ProbeOutcome::NotMedia),
    };
    Ok(Probe {
        format: Some(StreamFormat::Dash),
        height: manifest.height,
        bitrate: manifest.bitrate,
        variants: Some(manifest.representations),
        codecs: (!manifest.codecs.is_empty()).then(|| manifest.codecs.join(",")).or(found.codecs),
        ..found
    })
}

/// Relevant content of a manifest.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest {
    first: Option<Representation>,
    representations: u32,
    height: Option<u32>,
    bitrate: Option<u64>,
    codecs: Vec<String>,
}

/// Location of the first bytes of a representation.
#[derive(Debug, Default, PartialEq, Eq)]
struct Representation {
    id: String,
    bandwidth: String,
    /// URLs, each relative to the previous one.
    bases: Vec<String>,
    /// Template of the initialisation segment; without one, the representation is a file.
    initialization: Option<String>,
}

impl Representation {
    fn address(&self, manifest: &Url) -> Option<Url> {
        let base = self.bases.iter().try_fold(manifest.clone(), |base, next| base.join(next)).ok()?;
        let Some(template) = &self.initialization else {
            return (!self.bases.is_empty()).then_some(base);
        };
        let path = template.replace("$RepresentationID$", &self.id).replace("$Bandwidth$", &self.bandwidth);
        base.join(&path.replace("$$", "$")).ok()
    }
}

/// An open element.
#[derive(Default)]
struct Level {
    name: String,
    id: String,
    bandwidth: String,
    base: Option<String>,
    initialization: Option<String>,
    codecs: Option<String>,
    height: Option<u32>,
}

impl Manifest {
    /// Parses a manifest, also a truncated one; `None` for other content.
    fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut reader = Reader::from_str(&text);
        let mut manifest = Self::default();
        let mut levels: Vec<Level> = Vec::new();
        loop {
            match reader.read_event() {
                Ok(Event::Start(start)) => {
                    let level = opened(&start, &mut levels);
                    levels.push(level);
                    if levels.len() > DEEPEST {
                        return None;
                    }
                }
                Ok(Event::Empty(start)) => {
                    let level = opened(&start, &mut levels);
                    levels.push(level);
                    manifest.close(&mut levels);
                }
                Ok(Event::End(_)) => manifest.close(&mut levels),
                Ok(Event::Text(text)) => {
                    if let [.., of, base] = levels.as_mut_slice()
                        && base.name == "BaseURL"
                        && of.base.is_none()
                    {
                        of.base = Some(text.xml10_content().trim().to_owned());
                    }
                }
                Ok(Event::Eof) => return Some(manifest),
                Ok(_) => {}
                // The beginning of a truncated manifest is enough.
                Err(_) => return manifest.first.is_some().then_some(manifest),
            }
        }
    }

    /// Closes the current element.
    fn close(&mut self, levels: &mut Vec<Level>) {
        let Some(level) = levels.last().filter(|level| level.name == "Representation") else {
            levels.pop();
            return;
        };
        self.representations += 1;
        let height = levels.iter().rev().find_map(|level| level.height);
        self.height = self.height.max(height);
        self.bitrate = self.bitrate.max(level.bandwidth.parse().ok());
        let codecs = levels.iter().rev().find_map(|level| level.codecs.clone());
        self.codecs.extend(codecs.filter(|codecs| !self.codecs.contains(codecs)));
        if self.first.is_none() {
            self.first = Some(Representation {
                id: level.id.clone(),
                bandwidth: level.bandwidth.clone(),
                bases: levels.iter().filter_map(|level| level.base.clone()).collect(),
                initialization: levels.iter().rev().find_map(|level| level.initialization.clone()),
            });
        }
        levels.pop();
    }
}

/// Opens an element; its values for the parent are stored there.
fn opened(start: &BytesStart<'_>, around: &mut [Level]) -> Level {
    let name = start.local_name().as_ref().to_owned();
    let initialization = match name.as_str() {
        "SegmentTemplate" => attribute(start, "initialization"),
        "Initialization" => attribute(start, "sourceURL"),
        _ => None,
    };
    let owner = around
        .iter_mut()
        .rev()
        .find(|level| ["Representation", "AdaptationSet", "Period"].contains(&level.name.as_str()));
    if let Some(owner) = owner.filter(|_| initialization.is_some()) {
        owner.initialization = initialization;
    }
    Level {
        id: attribute(start, "id").unwrap_or_default(),
        bandwidth: attribute(start, "bandwidth").unwrap_or_default(),
        codecs: attribute(start, "codecs"),
        height: attribute(start, "height").and_then(|height| height.parse().ok()),
        name,
        ..Level::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(manifest: &str) -> Option<String> {
        let manifest = Manifest::read(manifest.as_bytes())?;
        let base = Url::parse("https://cdn.example/live/channel.mpd?token=1").unwrap();
        manifest.first?.address(&base).map(String::from)
    }

    #[test]
    fn the_initialisation_segment_is_found_where_a_manifest_may_name_it() {
        for (manifest, expected) in [
            (
                r#"<MPD><Period><AdaptationSet><SegmentTemplate initialization="$RepresentationID$/init-$Bandwidth$.mp4"/>
                   <Representation id="v1" bandwidth="800000"/></AdaptationSet></Period></MPD>"#,
                Some("https://cdn.example/live/v1/init-800000.mp4"),
            ),
            (
                r#"<MPD><BaseURL>https://other.example/a/</BaseURL><Period><BaseURL>b/</BaseURL><AdaptationSet>
                   <Representation id="1"><SegmentList><Initialization sourceURL="i.mp4"/></SegmentList></Representation>
                   </AdaptationSet></Period></MPD>"#,
                Some("https://other.example/a/b/i.mp4"),
            ),
            (
                "<MPD><Period><AdaptationSet><Representation id='1'><BaseURL>film.mp4</BaseURL></Representation>\
                 </AdaptationSet></Period></MPD>",
                Some("https://cdn.example/live/film.mp4"),
            ),
            ("<MPD><Period><AdaptationSet><Representation id='1'/></AdaptationSet></Period></MPD>", None),
            ("<MPD><Period/></MPD>", None),
        ] {
            assert_eq!(address(manifest).as_deref(), expected, "{manifest}");
        }
    }

    #[test]
    fn properties_of_representations_are_read_from_the_manifest() {
        let manifest = Manifest::read(
            br#"<MPD><Period><AdaptationSet codecs="avc1"><Representation id="1" bandwidth="800000" height="480"/>
                <Representation id="2" bandwidth="4000000" height="1080"/></AdaptationSet>
                <AdaptationSet><Representation id="3" bandwidth="128000" codecs="mp4a.40.2"/></AdaptationSet></Period></MPD>"#,
        )
        .unwrap();
        assert_eq!(
            (manifest.representations, manifest.height, manifest.bitrate),
            (3, Some(1080), Some(4_000_000))
        );
        assert_eq!(manifest.codecs, ["avc1", "mp4a.40.2"]);
    }
}
