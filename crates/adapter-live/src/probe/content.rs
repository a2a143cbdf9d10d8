//! Detects the content of a response from its first bytes.

use memchr::memmem;

use super::{audio::audio_codec, transport_stream::transport_stream};

/// Content of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    HlsPlaylist,
    DashManifest,
    /// MPEG-TS, with its codecs if known.
    TransportStream(Option<String>),
    /// Audio frames of this codec.
    Audio(&'static str),
    /// A container: MP4 and its fragments, Matroska, FLV, AVI, ASF.
    File,
    /// No bytes, or a transport stream with padding only.
    Nothing,
    /// A page, text, or another file that is no media.
    Other,
}

impl Content {
    /// Whether it is playable media.
    pub(super) const fn is_media(&self) -> bool {
        matches!(self, Self::TransportStream(_) | Self::Audio(_) | Self::File)
    }

    /// Whether it has URLs for further requests of the probe.
    pub(super) const fn is_list(&self) -> bool {
        matches!(self, Self::HlsPlaylist | Self::DashManifest)
    }

    /// Whether further bytes would add nothing: the tables of a transport stream have its codecs,
    /// and the frames after a tag theirs.
    pub(super) fn is_complete(&self, bytes: &[u8]) -> bool {
        match self {
            Self::TransportStream(codecs) => codecs.is_some(),
            Self::Audio(_) => !bytes.starts_with(b"ID3"),
            Self::File => true,
            Self::HlsPlaylist | Self::DashManifest | Self::Nothing | Self::Other => false,
        }
    }
}

/// Bytes of a text checked for control characters.
const TEXT_BYTES: usize = 128;
/// First bytes of containers.
const CONTAINERS: &[&[u8]] = &[b"\x1a\x45\xdf\xa3", b"FLV\x01", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"];
/// First box types of an MP4 file, a fragment or a segment.
const BOXES: &[&[u8; 4]] = &[
    b"ftyp", b"styp", b"moov", b"moof", b"sidx", b"emsg", b"prft", b"free", b"skip", b"wide", b"mdat",
    b"pdin",
];

pub(super) fn content_of(bytes: &[u8], media_type: Option<&str>) -> Content {
    let text = text_of(bytes);
    if text.is_empty() {
        return Content::Nothing;
    }
    if text.starts_with(b"#EXTM3U") {
        return Content::HlsPlaylist;
    }
    // Media that begins within a packet or a frame can have any first byte.
    if let Some(found) = transport_stream(bytes) {
        return if found.is_padding { Content::Nothing } else { Content::TransportStream(found.codecs) };
    }
    if is_markup(bytes) {
        let beginning = &text[..text.len().min(4_096)];
        let is_manifest = memmem::find(beginning, b"<MPD").is_some();
        return if is_manifest { Content::DashManifest } else { Content::Other };
    }
    if is_container(bytes) {
        return Content::File;
    }
    // A text can look like audio frames: these are checked last, and only without a text media
    // type.
    let is_text = media_type.is_some_and(|name| name.starts_with("text/") || name.ends_with("json"));
    audio_codec(bytes).filter(|_| !is_text).map_or(Content::Other, Content::Audio)
}

/// Whether this is HTML or XML. Binary data can begin like it by chance, and soon has control
/// characters.
pub(super) fn is_markup(bytes: &[u8]) -> bool {
    let text = text_of(bytes);
    let is_tag = matches!(text, [b'<', b'!' | b'?' | b'/' | b'a'..=b'z' | b'A'..=b'Z', ..]);
    is_tag && text.iter().take(TEXT_BYTES).all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
}

/// The bytes after a byte order mark and white space.
fn text_of(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

/// Media type of a header, without parameters.
pub(super) fn media_type_of(header: &str) -> String {
    header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_container(bytes: &[u8]) -> bool {
    let is_box = bytes.get(4..8).is_some_and(|name| BOXES.iter().any(|known| known.as_slice() == name));
    let is_avi = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"AVI ");
    is_box || is_avi || CONTAINERS.iter().any(|beginning| bytes.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{audio::tests::mp3, transport_stream::tests::sample};

    #[test]
    fn the_first_bytes_decide_regardless_of_the_name() {
        for (bytes, media_type, expected) in [
            (&b""[..], None, Content::Nothing),
            (b" \r\n", Some("video/mp2t"), Content::Nothing),
            (b"\xef\xbb\xbf#EXTM3U\n", Some("text/plain"), Content::HlsPlaylist),
            (b"<?xml version=\"1.0\"?><MPD>", None, Content::DashManifest),
            (b"<!DOCTYPE html><html>", Some("video/mp2t"), Content::Other),
            (b"{\"error\":\"expired\"}", Some("application/vnd.apple.mpegurl"), Content::Other),
            (b"Not found", Some("video/mp4"), Content::Other),
            (b"\0\0\0\x18ftypmp42", None, Content::File),
            (b"\0\0\0\x18moofmfhd", None, Content::File),
            (b"\x1a\x45\xdf\xa3\x01", None, Content::File),
            (b"RIFF\0\0\0\0AVI LIST", None, Content::File),
            (b"RIFF\0\0\0\0WEBP", None, Content::Other),
            (b"OggS\0\x02", None, Content::Audio("Ogg")),
        ] {
            assert_eq!(content_of(bytes, media_type), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_stream_that_begins_within_a_packet_or_a_frame_is_media_whatever_its_first_bytes_are() {
        let (video, audio) = (sample(), mp3(3));
        for first in [&b"<"[..], b"<\x93", b"<a\x02\xf1", b"</\0", b" <!\x11", b"<a"] {
            let late = [first, video.as_slice()].concat();
            let codecs = Some("H.264,AAC".to_owned());
            assert_eq!(content_of(&late, None), Content::TransportStream(codecs), "{first:?}");
            let late = [first, &audio[300..]].concat();
            assert_eq!(content_of(&late, None), Content::Audio("MP3"), "{first:?}");
        }
    }

    #[test]
    fn media_is_complete_once_its_codecs_are_known() {
        // The packets after the two tables.
        let untabled = sample()[2 * 188..].repeat(2);
        let tagged = [&b"ID3\x04\0\0"[..], mp3(3).as_slice()].concat();
        let playlist = b"#EXTM3U\n#EXTINF:6,\na.ts\n".to_vec();
        for (bytes, is_media, is_complete) in [
            (sample(), true, true),
            (untabled, true, false),
            (mp3(3), true, true),
            (tagged, true, false),
            (b"\0\0\0\x18ftypmp42".to_vec(), true, true),
            (playlist, false, false),
            (b"<html>".to_vec(), false, false),
            (Vec::new(), false, false),
        ] {
            let content = content_of(&bytes, None);
            assert_eq!(content.is_media(), is_media, "{content:?}");
            assert_eq!(content.is_complete(&bytes), is_complete, "{content:?}");
        }
    }

    #[test]
    fn binary_data_that_begins_like_a_tag_is_no_markup() {
        for (bytes, expected) in [
            (&b"<html>"[..], true),
            ("\u{feff}\r\n<!DOCTYPE html>\n\t<p>Más información".as_bytes(), true),
            (b"<?xml version=\"1.0\"?>", true),
            (b"</p>", true),
            (b"<\x93html>", false),
            (b"<html\x02\x9a", false),
            (b"<", false),
            (b"html>", false),
        ] {
            assert_eq!(is_markup(bytes), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
