//! Requests of a probe: ranges, within a common limit of bytes.

use chrono::DateTime;
use domain_live::link::{Probe, ProbeOutcome, outcome_of_status};
use guarded_http::{ConnectionFault, Forbidden, GuardedClient};
use reqwest::{
    Response, StatusCode, Version,
    header::{
        CONTENT_RANGE, CONTENT_TYPE, DATE, HeaderName, HeaderValue, LOCATION, RANGE, RETRY_AFTER, USER_AGENT,
    },
};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    MEDIA_BYTES, Stop,
    content::{Content, content_of, media_type_of},
    icy::{self, IcyHead},
    outcome_of, transport_stream,
};

/// Maximum number of redirects.
const MOST_REDIRECTS: usize = 5;
/// Bytes reserved for a key and two segments after a long playlist.
const RESERVED_FOR_MEDIA: usize = 2 * MEDIA_BYTES + 1024;
/// Headers of an entry that are not sent to the host: they would change the content or its
/// encoding.
const OWN_HEADERS: &[&str] =
    &["host", "range", "content-length", "transfer-encoding", "connection", "accept-encoding"];

/// The requests of one probe.
pub(super) struct Requests<'a> {
    client: &'a GuardedClient,
    headers: Vec<(HeaderName, HeaderValue)>,
    bytes_left: usize,
    /// End of the probe.
    deadline: Instant,
}

/// A response, as far as it was read.
pub(super) struct Answer {
    /// Final URL, after all redirects.
    pub(super) url: Url,
    pub(super) media_type: Option<String>,
    pub(super) bytes: Vec<u8>,
    /// Whether all bytes were read; otherwise the probe has read enough.
    pub(super) is_whole: bool,
    /// Detected content.
    pub(super) content: Content,
    /// Time of the detection of media.
    pub(super) media_since: Option<Instant>,
    response: Response,
}

impl Answer {
    /// Outcome of an incomplete playlist: inconclusive for a truncated one.
    pub(super) fn lacks(&self, outcome: ProbeOutcome) -> Probe {
        Probe::of(if self.is_whole { outcome } else { ProbeOutcome::NotChecked })
    }

    /// Detects the content from the bytes read so far.
    fn detect(&mut self) {
        self.content = content_of(&self.bytes, self.media_type.as_deref());
        if self.media_since.is_none() && self.content.is_media() {
            self.media_since = Some(Instant::now());
        }
    }
}

impl<'a> Requests<'a> {
    pub(super) fn new(
        client: &'a GuardedClient,
        headers: &[(String, String)],
        bytes: usize,
        deadline: Instant,
    ) -> Self {
        let header = |(name, value): &(String, String)| {
            let name = HeaderName::try_from(name.as_str()).ok()?;
            let value = HeaderValue::try_from(value.as_str()).ok()?;
            (!OWN_HEADERS.contains(&name.as_str())).then_some((name, value))
        };
        let mut headers: Vec<_> = headers.iter().filter_map(header).collect();
        if !headers.iter().any(|(name, _)| *name == USER_AGENT) {
            headers.push((USER_AGENT, HeaderValue::from_static("Cartelera/1")));
        }
        Self { client, headers, bytes_left: bytes, deadline }
    }

    /// Whether the deadline has passed, so that there are no further requests.
    pub(super) fn are_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// The first bytes of a URL, up to `most`.
    pub(super) async fn get(&mut self, url: Url, most: usize) -> Result<Answer, Stop> {
        self.begin(url, most, 0).await
    }

    /// The same for a playlist, with bytes reserved for its media.
    pub(super) async fn playlist(&mut self, url: Url, most: usize) -> Result<Answer, Stop> {
        self.begin(url, most, RESERVED_FOR_MEDIA).await
    }

    async fn begin(&mut self, url: Url, most: usize, reserved: usize) -> Result<Answer, Stop> {
        if self.bytes_left <= reserved {
            return Err(Probe::of(ProbeOutcome::NotChecked));
        }
        let response = match self.answer(url.clone(), true).await? {
            // The content is shorter than the range, or the server does not support ranges of it.
            refused if refused.status() == StatusCode::RANGE_NOT_SATISFIABLE => {
                self.answer(url, false).await?
            }
            response => response,
        };
        if !response.status().is_success() {
            return Err(refusal(&response));
        }
        let media_type = header(&response, &CONTENT_TYPE).map(media_type_of);
        let url = response.url().clone();
        let mut answer = Answer {
            url,
            media_type,
            bytes: Vec::new(),
            is_whole: false,
            content: Content::Nothing,
            media_since: None,
            response,
        };
        if answer.response.version() == Version::HTTP_09 {
            self.read_icy_head(&mut answer, reserved).await?;
        }
        self.read(answer, most, reserved).await
    }

    /// Reads the rest of a response, except for the bytes reserved for media.
    pub(super) async fn rest_of(&mut self, answer: Answer) -> Result<Answer, Stop> {
        self.read(answer, usize::MAX, RESERVED_FOR_MEDIA).await
    }

    /// Reads the head of a Shoutcast server and removes it from the bytes. Without one, all bytes
    /// are content.
    async fn read_icy_head(&mut self, answer: &mut Answer, reserved: usize) -> Result<(), Stop> {
        while icy::may_be_icy(&answer.bytes)
            && answer.bytes.len() < icy::LONGEST
            && self.bytes_left > reserved
        {
            if !self.read_chunk(answer, reserved).await? {
                break;
            }
            if let Some(head) = IcyHead::read(&answer.bytes) {
                answer.bytes.drain(..head.length);
                answer.media_type = head.media_type;
                return head.refusal.map_or(Ok(()), Err);
            }
        }
        Ok(())
    }

    /// Reads until the response has this number of bytes, ends, or is media with known codecs, or
    /// until the deadline or the reserved bytes are reached.
    async fn read(&mut self, mut answer: Answer, most: usize, reserved: usize) -> Result<Answer, Stop> {
        let mut detected_at = transport_stream::KNOWN_BY;
        loop {
            if answer.bytes.len() >= detected_at {
                answer.detect();
                if answer.content.is_complete(&answer.bytes) {
                    return Ok(answer);
                }
                // Each detection reads all bytes, and a stream may arrive in many small pieces.
                detected_at = 2 * answer.bytes.len();
            }
            let is_enough = answer.bytes.len() >= most || self.bytes_left <= reserved;
            if is_enough || !self.read_chunk(&mut answer, reserved).await? {
                answer.detect();
                return Ok(answer);
            }
        }
    }

    /// Reads the next bytes of a response; `false` at its end or at the deadline.
    async fn read_chunk(&mut self, answer: &mut Answer, reserved: usize) -> Result<bool, Stop> {
        let read = timeout_at(self.deadline, answer.response.chunk()).await;
        let chunk = match read {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => {
                answer.is_whole = total(&answer.response).is_none_or(|total| total <= answer.bytes.len());
                return Ok(false);
            }
            // An interrupted live stream has shown its content.
            Ok(Err(_)) if !answer.bytes.is_empty() => return Ok(false),
            Ok(Err(error)) => return Err(Probe::of(outcome_of(ConnectionFault::of(&error)))),
            Err(_) => {
                answer.detect();
                // No time is left for the URLs of a list.
                let is_useless = answer.bytes.is_empty() || answer.content.is_list();
                return if is_useless { Err(Probe::of(ProbeOutcome::Timeout)) } else { Ok(false) };
            }
        };
        let kept = chunk.len().min(self.bytes_left - reserved);
        self.bytes_left -= kept;
        answer.bytes.extend_from_slice(&chunk[..kept]);
        Ok(true)
    }

    /// The first response that is no redirect.
    async fn answer(&self, mut url: Url, ranged: bool) -> Result<Response, Stop> {
        for _ in 0..=MOST_REDIRECTS {
            if self.are_over() {
                return Err(Probe::of(ProbeOutcome::Timeout));
            }
            if !["http", "https"].contains(&url.scheme()) {
                return Err(Probe::of(ProbeOutcome::ForbiddenAddress));
            }
            let forbidden = |Forbidden| Probe::of(ProbeOutcome::ForbiddenAddress);
            let mut request = self.client.get(url.clone()).map_err(forbidden)?;
            for (name, value) in &self.headers {
                request = request.header(name, value);
            }
            if ranged {
                request = request.header(RANGE, format!("bytes=0-{}", self.bytes_left.saturating_sub(1)));
            }
            let sent = timeout_at(self.deadline, request.send()).await;
            let sent = sent.map_err(|_| Probe::of(ProbeOutcome::Timeout))?;
            let response = sent.map_err(|error| Probe::of(outcome_of(ConnectionFault::of(&error))))?;
            let location = header(&response, &LOCATION).filter(|_| response.status().is_redirection());
            let Some(location) = location else { return Ok(response) };
            url = url.join(location).map_err(|_| refusal(&response))?;
        }
        Err(Probe::of(ProbeOutcome::Http))
    }
}

/// Total bytes of the resource of a range; the length of a complete response is known at its end.
fn total(response: &Response) -> Option<usize> {
    header(response, &CONTENT_RANGE)?.rsplit_once('/')?.1.trim().parse().ok()
}

fn header<'a>(response: &'a Response, name: &HeaderName) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// Seconds of `Retry-After`: a number, or a date after that of the response.
fn seconds_of(retry_after: &str, answered: Option<&str>) -> Option<u32> {
    let date = |text: &str| DateTime::parse_from_rfc2822(text.trim()).ok();
    let until = || Some((date(retry_after)? - date(answered?)?).num_seconds().max(0));
    retry_after.trim().parse().ok().or_else(|| u32::try_from(until()?).ok())
}

/// Outcome of an error status.
fn refusal(response: &Response) -> Probe {
    let status = response.status().as_u16();
    let retry_after = header(response, &RETRY_AFTER);
    Probe {
        http_status: Some(status),
        retry_after: retry_after.and_then(|value| seconds_of(value, header(response, &DATE))),
        ..Probe::of(outcome_of_status(status, retry_after.is_some()))
    }
}
