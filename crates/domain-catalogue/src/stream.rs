//! Streams of a channel: an ordered list whose first URL is the channel's
//! (docs/spec/live-tv.md#streams-of-a-channel).

use domain_kernel::{Code, Enumeration, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LinkQuality, UrlType, tv_channel::address_of};

/// Maximum streams of a channel, including its own.
pub const MOST_STREAMS: usize = 20;
/// Maximum headers of a stream.
const MOST_HEADERS: usize = 20;
/// Headers set by the player itself.
const PLAYERS_OWN: [&str; 6] = ["connection", "content-length", "host", "range", "te", "transfer-encoding"];

enumeration! {
    /// Selection of the stream of a channel for players.
    pub enum Failover {
        Manual = "MANUAL" ("La primera", "The first"),
        Auto = "AUTO" ("La primera que no esté caída", "The first that is not down"),
    }
}

enumeration! {
    /// Origin of a stream.
    pub enum StreamOrigin {
        /// Typed by a user.
        Typed = "TYPED" ("Escrita a mano", "Typed in"),
        /// An entry of a playlist.
        Playlist = "PLAYLIST" ("Lista M3U", "Playlist"),
    }
}

/// The streams of a channel in order, as in a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
#[schemars(extend("x-readOnly" = ["title", "played"]))]
pub struct ChannelStreams {
    /// Selection of the stream for players.
    #[garde(skip)]
    #[serde(default = "manual")]
    pub failover: Failover,
    /// Streams; the first has the channel's URL. URLs are unique.
    #[garde(length(min = 1, max = MOST_STREAMS), custom(each_address_once), dive(&()))]
    pub streams: Vec<ChannelStream>,
}

/// A stream of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
#[schemars(extend("x-readOnly" = ["origin", "source", "linkId", "state", "since", "probedAt", "probe"]))]
pub struct ChannelStream {
    /// Name for staff.
    #[garde(inner(length(chars, min = 1, max = 100)))]
    pub label: Option<String>,
    /// Quality.
    #[garde(skip)]
    pub quality: Option<LinkQuality>,
    /// Type of `url`.
    #[garde(skip)]
    #[schemars(extend("x-initial" = "EXTERNAL"))]
    pub url_type: UrlType,
    /// URL if EXTERNAL; numeric channel id after the channels' base URL, if INTERNAL.
    #[garde(custom(address_of(self.url_type)))]
    #[schemars(length(max = 2048), extend("x-address" = "urlType"))]
    pub url: String,
    /// Headers that players send with its requests.
    #[garde(length(max = MOST_HEADERS), dive(&()))]
    #[serde(default)]
    pub headers: Vec<StreamHeader>,
}

/// A header of requests for a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
pub struct StreamHeader {
    /// Name of the header.
    #[garde(length(chars, min = 1, max = 100), custom(header_name))]
    pub name: String,
    /// Value, without `&` and `|`, which separate headers in playlists.
    #[garde(length(chars, min = 1, max = 1000), custom(header_value))]
    pub value: String,
}

fn manual() -> Failover {
    Failover::Manual
}

fn each_address_once<T>(streams: &[ChannelStream], _: &T) -> garde::Result {
    let same = |one: &ChannelStream, other: &ChannelStream| one.address() == other.address();
    let twice =
        streams.iter().enumerate().any(|(at, one)| streams[..at].iter().any(|other| same(one, other)));
    if twice { Err(fault(Code::Duplicate, &[])) } else { Ok(()) }
}

fn header_name<T>(name: &str, _: &T) -> garde::Result {
    let is_token = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%'*+-.^_`~".contains(&byte));
    let is_free = !PLAYERS_OWN.contains(&name.to_ascii_lowercase().as_str());
    if is_token && is_free { Ok(()) } else { Err(fault(Code::InvalidFormat, &[("example", &"Referer")])) }
}

fn header_value<T>(value: &str, _: &T) -> garde::Result {
    let fits = value.bytes().all(|byte| (b' '..=b'~').contains(&byte) && !b"&|".contains(&byte));
    if fits { Ok(()) } else { Err(fault(Code::InvalidFormat, &[("example", &"https://example.com/")])) }
}

impl ChannelStream {
    /// Identifies it among the streams of its channel.
    pub fn address(&self) -> (UrlType, &str) {
        (self.url_type, &self.url)
    }

    /// A line of text for staff: label, quality, URL, and names of headers, whose values may be secrets. `masked`
    /// removes credentials from a URL.
    pub fn line(&self, masked: impl Fn(&str) -> String) -> String {
        let Self { label, quality, url_type, url, headers } = self;
        let address = if *url_type == UrlType::External { masked(url) } else { url.clone() };
        let names: Vec<&str> = headers.iter().map(|header| header.name.as_str()).collect();
        let headers = (!names.is_empty()).then(|| format!("{}: ***", names.join(", ")));
        let quality = quality.map(|quality| quality.code().to_owned());
        let parts = [label.clone(), quality, Some(address), headers];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// Position of the stream for players: the first, or with AUTO the first that is not down. If all
/// are down, the first.
pub fn stream_for_players(failover: Failover, is_down: &[bool]) -> usize {
    match failover {
        Failover::Manual => 0,
        Failover::Auto => is_down.iter().position(|down| !down).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use domain_kernel::DraftReader;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn players_get_the_first_stream_or_with_auto_the_first_that_is_not_down() {
        for (failover, is_down, expected) in [
            (Failover::Manual, &[false, false][..], 0),
            (Failover::Manual, &[true, false], 0),
            (Failover::Auto, &[false, true, false], 0),
            (Failover::Auto, &[true, false, false], 1),
            (Failover::Auto, &[true, true, false], 2),
            (Failover::Auto, &[true, true, true], 0),
            (Failover::Auto, &[true], 0),
            (Failover::Auto, &[], 0),
        ] {
            assert_eq!(stream_for_players(failover, is_down), expected, "{failover:?} {is_down:?}");
        }
    }

    fn faults(streams: &[Value]) -> Vec<(String, &'static str)> {
        let read = DraftReader::<ChannelStreams>::new().read(json!({"streams": streams}), &());
        let violations = read.err().map(|all| all.0).unwrap_or_default();
        violations.into_iter().map(|one| (one.field, one.code.as_str())).collect()
    }

    fn stream(changes: Value) -> Value {
        let mut stream = json!({"urlType": "EXTERNAL", "url": "https://a.example/1.m3u8"});
        for (name, value) in changes.as_object().unwrap() {
            stream[name] = value.clone();
        }
        stream
    }

    #[test]
    fn a_line_has_the_visible_fields_of_a_stream() {
        let masked = |url: &str| url.replace("rosa", "***");
        for (changes, expected) in [
            (json!({"url": "https://rosa@a.example/1"}), "https://***@a.example/1"),
            (json!({"urlType": "INTERNAL", "url": "42", "label": "Reserva"}), "Reserva · 42"),
            (
                json!({"label": "Reserva", "quality": "4K", "headers": [
                    {"name": "User-Agent", "value": "VLC"}, {"name": "Cookie", "value": "s=1"}]}),
                "Reserva · 4K · https://a.example/1.m3u8 · User-Agent, Cookie: ***",
            ),
        ] {
            let stream: ChannelStream = serde_json::from_value(stream(changes)).unwrap();
            assert_eq!(stream.line(masked), expected);
        }
    }

    #[test]
    fn a_list_has_one_to_twenty_streams_and_no_address_twice() {
        let many = |count: usize| -> Vec<Value> {
            (0..count).map(|at| stream(json!({"url": format!("https://a.example/{at}")}))).collect()
        };
        assert_eq!(faults(&many(20)), []);
        assert_eq!(faults(&many(21)), [("streams".to_owned(), "TOO_MANY")]);
        assert_eq!(faults(&[]), [("streams".to_owned(), "TOO_FEW")]);
        let twice = [stream(json!({})), stream(json!({"label": "Otra"}))];
        assert_eq!(faults(&twice), [("streams".to_owned(), "DUPLICATE")]);
    }

    #[test]
    fn addresses_are_those_of_channels_and_headers_those_of_players() {
        for (changes, expected) in [
            (json!({}), None),
            (json!({"urlType": "INTERNAL", "url": "42", "quality": "4K", "label": "Reserva"}), None),
            (json!({"headers": [{"name": "User-Agent", "value": "VLC/3.0"}]}), None),
            (json!({"urlType": "INTERNAL"}), Some(("streams[0].url", "NOT_NUMERIC"))),
            (json!({"url": "javascript:alert(1)"}), Some(("streams[0].url", "INVALID_SCHEME"))),
            (json!({"label": ""}), None),
            (json!({"state": "UP", "since": "2026-11-20T10:00:00Z", "linkId": 7, "origin": "TYPED"}), None),
            (json!({"bitrate": 7}), Some(("streams[0].bitrate", "UNKNOWN_FIELD"))),
            (json!({"quality": "8K"}), Some(("streams[0].quality", "UNKNOWN_VALUE"))),
            (
                json!({"headers": [{"name": "Host", "value": "b.example"}]}),
                Some(("streams[0].headers[0].name", "INVALID_FORMAT")),
            ),
            (
                json!({"headers": [{"name": "Referer", "value": "a|b"}]}),
                Some(("streams[0].headers[0].value", "INVALID_FORMAT")),
            ),
        ] {
            let expected: Vec<_> =
                expected.iter().map(|(field, code)| ((*field).to_owned(), *code)).collect();
            assert_eq!(faults(&[stream(changes.clone())]), expected, "{changes}");
        }
    }
}
