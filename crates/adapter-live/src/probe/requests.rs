//! The requests of a probe: ranges, within a number of bytes that all of them share.

use domain_live::link::{Probe, ProbeOutcome, outcome_of_status};
use guarded_http::{ConnectionFault, Forbidden, GuardedClient};
use reqwest::{
    Response, StatusCode,
    header::{CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RANGE, RETRY_AFTER, USER_AGENT},
};
use url::Url;

use super::{Stop, outcome_of};

/// Redirects that are followed.
const MOST_REDIRECTS: usize = 5;
/// Headers of an entry that are not for the host: they would change which bytes come, or how.
const OWN_HEADERS: &[&str] =
    &["host", "range", "content-length", "transfer-encoding", "connection", "accept-encoding"];

/// The requests of one probe.
pub(super) struct Requests<'a> {
    client: &'a GuardedClient,
    headers: Vec<(HeaderName, HeaderValue)>,
    bytes_left: usize,
}

/// An answer, as far as it was read.
pub(super) struct Answer {
    /// Where it came from, behind all redirects.
    pub(super) url: Url,
    pub(super) media_type: Option<String>,
    pub(super) bytes: Vec<u8>,
    response: Response,
}

impl<'a> Requests<'a> {
    pub(super) fn new(client: &'a GuardedClient, headers: &[(String, String)], bytes: usize) -> Self {
        let header = |(name, value): &(String, String)| {
            let name = HeaderName::try_from(name.as_str()).ok()?;
            let value = HeaderValue::try_from(value.as_str()).ok()?;
            (!OWN_HEADERS.contains(&name.as_str())).then_some((name, value))
        };
        let mut headers: Vec<_> = headers.iter().filter_map(header).collect();
        if !headers.iter().any(|(name, _)| *name == USER_AGENT) {
            headers.push((USER_AGENT, HeaderValue::from_static("Cartelera/1")));
        }
        Self { client, headers, bytes_left: bytes }
    }

    /// The first bytes of an address, at most so many.
    pub(super) async fn get(&mut self, url: Url, most: usize) -> Result<Answer, Stop> {
        let response = match self.answer(url.clone(), true).await? {
            // There are fewer bytes than were requested, or ranges of this address make no sense.
            refused if refused.status() == StatusCode::RANGE_NOT_SATISFIABLE => {
                self.answer(url, false).await?
            }
            response => response,
        };
        if !response.status().is_success() {
            return Err(refusal(&response));
        }
        let media_type = header(&response, &CONTENT_TYPE)
            .map(|value| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        let answer = Answer { url: response.url().clone(), media_type, bytes: Vec::new(), response };
        self.read(answer, most).await
    }

    /// Reads the rest of an answer, of which it needs all.
    pub(super) async fn rest_of(&mut self, answer: Answer) -> Result<Answer, Stop> {
        self.read(answer, usize::MAX).await
    }

    /// Reads on until the answer has so many bytes, ends, or the probe has read enough.
    async fn read(&mut self, mut answer: Answer, most: usize) -> Result<Answer, Stop> {
        while answer.bytes.len() < most && self.bytes_left > 0 {
            let chunk = match answer.response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                // A live stream that breaks off has shown what it is.
                Err(_) if !answer.bytes.is_empty() => break,
                Err(error) => return Err(Probe::of(outcome_of(ConnectionFault::of(&error)))),
            };
            let kept = chunk.len().min(self.bytes_left);
            self.bytes_left -= kept;
            answer.bytes.extend_from_slice(&chunk[..kept]);
        }
        Ok(answer)
    }

    /// The first answer that is no redirect.
    async fn answer(&self, mut url: Url, ranged: bool) -> Result<Response, Stop> {
        for _ in 0..=MOST_REDIRECTS {
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
            let sent = request.send().await;
            let response = sent.map_err(|error| Probe::of(outcome_of(ConnectionFault::of(&error))))?;
            let location = header(&response, &LOCATION).filter(|_| response.status().is_redirection());
            let Some(location) = location else { return Ok(response) };
            url = url.join(location).map_err(|_| refusal(&response))?;
        }
        Err(Probe::of(ProbeOutcome::Http))
    }
}

fn header<'a>(response: &'a Response, name: &HeaderName) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// What a status says that is no success.
fn refusal(response: &Response) -> Probe {
    let status = response.status().as_u16();
    let retry_after = header(response, &RETRY_AFTER);
    Probe {
        http_status: Some(status),
        retry_after: retry_after.and_then(|seconds| seconds.trim().parse().ok()),
        ..Probe::of(outcome_of_status(status, retry_after.is_some()))
    }
}
