//! Fetches playlists and guides (docs/spec/live-tv.md#fetching): by http and https, from public
//! addresses, with up to five redirects, each checked like the URL itself. Bytes are passed on as
//! they arrive; the receiver limits their number.

use std::time::{Duration, Instant};

use domain_integrations::Networks;
use domain_live::fetch::{FetchFault, Validators};
use guarded_http::{ConnectionFault, Forbidden, GuardedClient};
use reqwest::{
    Response, StatusCode,
    header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, USER_AGENT},
};
use url::Url;

/// Maximum number of redirects.
const MOST_REDIRECTS: usize = 5;

/// Timeouts of a fetch.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// Timeout of the connection.
    pub connect: Duration,
    /// Maximum time between two chunks of a response.
    pub pause: Duration,
    /// Timeout of the whole fetch, with its redirects.
    pub whole: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(10), pause: seconds(30), whole: seconds(600) }
    }
}

/// Result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    NotModified,
    /// The response was received completely.
    Whole {
        /// Cache validators for the next fetch.
        etag: Option<String>,
    },
}

/// Error of a fetch.
#[derive(Debug, PartialEq, Eq)]
pub enum FetchError<E> {
    /// Failure of the source.
    Fault(FetchFault),
    /// Unexpected HTTP status.
    Status(u16),
    /// Error of the receiver.
    Refused(E),
}

/// Response body, read in chunks.
pub(crate) struct Body {
    answer: Response,
    /// Cache validators of the response.
    pub(crate) known: Validators,
}

impl Body {
    /// The next bytes; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, FetchFault> {
        let bytes = self.answer.chunk().await.map_err(|error| fault(&error))?;
        Ok(bytes.map(Vec::from))
    }
}

pub struct Fetcher {
    client: GuardedClient,
    whole: Duration,
}

impl Fetcher {
    /// A fetcher for public addresses, and the private ones that the operator allows.
    pub fn new(allowed: Networks, deadlines: Deadlines) -> Result<Self, String> {
        let settings = |client: reqwest::ClientBuilder| {
            client
                .connect_timeout(deadlines.connect)
                .read_timeout(deadlines.pause)
                // Content is decompressed by its reader, within limits.
                .no_gzip()
        };
        Ok(Self { client: GuardedClient::new(allowed, settings)?, whole: deadlines.whole })
    }

    /// Fetches a URL, unless the source reports `etag` as current.
    pub async fn fetch<E>(
        &self,
        url: &str,
        etag: Option<&str>,
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Fetched, FetchError<E>> {
        let known = Validators { etag: etag.map(str::to_owned), last_modified: None };
        let Some(mut body) = self.open(url, &known).await? else { return Ok(Fetched::NotModified) };
        while let Some(bytes) = body.next().await.map_err(FetchError::Fault)? {
            sink(&bytes).map_err(FetchError::Refused)?;
        }
        Ok(Fetched::Whole { etag: body.known.etag })
    }

    /// Opens a URL for reading at the caller's pace; `None` if the source reports `known` as
    /// current.
    pub(crate) async fn open<E>(&self, url: &str, known: &Validators) -> Result<Option<Body>, FetchError<E>> {
        let answer = self.answer(url, known).await.map_err(FetchError::Fault)?;
        match answer.status() {
            StatusCode::NOT_MODIFIED => return Ok(None),
            StatusCode::OK => {}
            other => return Err(FetchError::Status(other.as_u16())),
        }
        let known =
            Validators { etag: header(&answer, &ETAG), last_modified: header(&answer, &LAST_MODIFIED) };
        Ok(Some(Body { answer, known }))
    }

    /// The first response that is no redirect.
    async fn answer(&self, url: &str, known: &Validators) -> Result<Response, FetchFault> {
        let mut url = web_address(Url::parse(url).ok())?;
        let begun = Instant::now();
        for _ in 0..=MOST_REDIRECTS {
            let request = self.client.get(url.clone()).map_err(|Forbidden| FetchFault::ForbiddenAddress)?;
            let left = self.whole.saturating_sub(begun.elapsed());
            let mut request = request.header(USER_AGENT, "Cartelera/1").timeout(left);
            if let Some(etag) = &known.etag {
                request = request.header(IF_NONE_MATCH, etag);
            }
            if let Some(date) = &known.last_modified {
                request = request.header(IF_MODIFIED_SINCE, date);
            }
            let answer = request.send().await.map_err(|error| fault(&error))?;
            let redirected = answer.status().is_redirection() && answer.status() != StatusCode::NOT_MODIFIED;
            let Some(location) = header(&answer, &LOCATION).filter(|_| redirected) else { return Ok(answer) };
            url = web_address(url.join(&location).ok())?;
        }
        Err(FetchFault::TooManyRedirects)
    }
}

fn web_address(url: Option<Url>) -> Result<Url, FetchFault> {
    url.filter(|url| ["http", "https"].contains(&url.scheme())).ok_or(FetchFault::InvalidAddress)
}

fn header(answer: &Response, name: &reqwest::header::HeaderName) -> Option<String> {
    answer.headers().get(name)?.to_str().ok().map(str::to_owned)
}

fn fault(error: &reqwest::Error) -> FetchFault {
    match ConnectionFault::of(error) {
        ConnectionFault::TimedOut => FetchFault::TimedOut,
        ConnectionFault::Forbidden => FetchFault::ForbiddenAddress,
        ConnectionFault::UnknownName | ConnectionFault::Tls | ConnectionFault::Unreachable => {
            FetchFault::Unreachable
        }
        ConnectionFault::Interrupted | ConnectionFault::Unreadable => FetchFault::Interrupted,
    }
}
