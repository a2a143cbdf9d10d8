//! Shoutcast servers of version 1: the head of their responses is that of HTTP except for its first
//! line, `ICY 200 OK`. The HTTP client takes it for the body of an HTTP/0.9 response, which has no
//! head.

use domain_live::link::{Probe, ProbeOutcome};
use memchr::memmem;

use super::content::media_type_of;

const BEGINNING: &[u8] = b"ICY ";
/// End of the last header, with the empty line after it.
const ENDS: [&[u8]; 2] = [b"\r\n\r\n", b"\n\n"];
/// Maximum bytes of a head.
pub(super) const LONGEST: usize = 16 << 10;

/// Head of a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IcyHead {
    /// Bytes of the head, with the empty line.
    pub(super) length: usize,
    pub(super) media_type: Option<String>,
    /// Outcome of an error status.
    pub(super) refusal: Option<Probe>,
}

/// Whether a response with these first bytes can have such a head.
pub(super) fn may_be_icy(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINNING) || BEGINNING.starts_with(bytes)
}

impl IcyHead {
    /// Parses a head; `None` for an incomplete one.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let length = ENDS.iter().filter_map(|end| Some(memmem::find(bytes, end)? + end.len())).min()?;
        let head = String::from_utf8_lossy(&bytes[..length]);
        let mut lines = head.lines();
        let status_line = lines.next()?.strip_prefix("ICY ")?.trim();
        let (status, reason) = status_line.split_once(' ').unwrap_or((status_line, ""));
        let refusal = refusal(status.parse().ok()?, reason);
        let mut headers = lines.filter_map(|line| line.split_once(':'));
        let media_type = headers
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("content-type"))
            .map(|(_, value)| media_type_of(value));
        Some(Self { length, media_type, refusal })
    }
}

fn refusal(status: u16, reason: &str) -> Option<Probe> {
    let outcome = match status {
        200..=299 => return None,
        400 if reason.to_ascii_lowercase().contains("full") => ProbeOutcome::Busy,
        // Including 401: the status of a server without a connected source, not of missing
        // credentials.
        _ => ProbeOutcome::Http,
    };
    let http_status = (100..=599).contains(&status).then_some(status);
    Some(Probe { http_status, ..Probe::of(outcome) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_up_to_the_empty_line() {
        let head = b"ICY 200 OK\r\nicy-notice1:<BR>Winamp<BR>\r\nContent-Type: Audio/MPEG;x\r\n\r\n";
        let expected =
            IcyHead { length: head.len(), media_type: Some("audio/mpeg".to_owned()), refusal: None };
        let answer = [head.as_slice(), b"\xff\xfb\n\n"].concat();
        assert_eq!(IcyHead::read(&answer), Some(expected));
        let expected = IcyHead { length: 12, media_type: None, refusal: None };
        assert_eq!(IcyHead::read(b"ICY 200 OK\n\n\xff\xfb"), Some(expected));
        for length in 0..head.len() {
            assert!(may_be_icy(&head[..length]));
            assert_eq!(IcyHead::read(&head[..length]), None, "{length}");
        }
        for other in [&b"ICX"[..], b"SSH-2.0-OpenSSH\r\n\r\n", b"icy 200 OK\r\n\r\n"] {
            assert!(!may_be_icy(other));
            assert_eq!(IcyHead::read(other), None);
        }
    }

    #[test]
    fn a_full_server_is_busy_and_one_without_a_source_fails() {
        for (line, outcome, status) in [
            ("ICY 400 Server Full", ProbeOutcome::Busy, Some(400)),
            ("ICY 400 Bad Request", ProbeOutcome::Http, Some(400)),
            ("ICY 401 Service Unavailable", ProbeOutcome::Http, Some(401)),
            ("ICY 404", ProbeOutcome::Http, Some(404)),
            ("ICY 0 ?", ProbeOutcome::Http, None),
        ] {
            let head = IcyHead::read(format!("{line}\r\n\r\n").as_bytes()).unwrap();
            let refusal = head.refusal.unwrap();
            assert_eq!((refusal.outcome, refusal.http_status), (outcome, status), "{line}");
        }
    }
}
