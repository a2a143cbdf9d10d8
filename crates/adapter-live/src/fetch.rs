//! Fetches playlists and guides (docs/spec/live-tv.md#fetching): by http and https, to no private address, with each of at most
//! five redirects checked like the address itself. Bytes are handed on as they come; how many are too many is decided by who
//! takes them.

use std::time::Duration;

use domain_integrations::Networks;
use domain_live::fetch::{FetchFault, Validators};
use guarded_http::{ConnectionFault, Forbidden, GuardedClient};
use reqwest::{
    Response, StatusCode,
    header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, USER_AGENT},
};
use url::Url;

/// Redirects that are followed.
const MOST_REDIRECTS: usize = 5;

/// How long a fetch may take.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// Until the connection stands.
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub pause: Duration,
    /// For everything.
    pub whole: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(10), pause: seconds(30), whole: seconds(600) }
    }
}

/// What a fetch ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// The source has what it had before.
    NotModified,
    /// Everything was handed on.
    Whole {
        /// What to name it by at the next fetch.
        etag: Option<String>,
    },
}

/// Why a fetch ended early.
#[derive(Debug, PartialEq, Eq)]
pub enum FetchError<E> {
    /// The source failed.
    Fault(FetchFault),
    /// The source answered with this status.
    Status(u16),
    /// Who takes the bytes refused them.
    Refused(E),
}

/// An answer whose bytes are read as they come.
pub(crate) struct Body {
    answer: Response,
    /// By what it is known.
    pub(crate) known: Validators,
}

impl Body {
    /// The next bytes; `None` behind the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, FetchFault> {
        let bytes = self.answer.chunk().await.map_err(|error| fault(&error))?;
        Ok(bytes.map(Vec::from))
    }
}

/// Fetches sources.
pub struct Fetcher {
    client: GuardedClient,
}

impl Fetcher {
    /// A fetcher that reaches the internet, and the private addresses that the operator names.
    pub fn new(allowed: Networks, deadlines: Deadlines) -> Result<Self, String> {
        let settings = |client: reqwest::ClientBuilder| {
            client
                .connect_timeout(deadlines.connect)
                .read_timeout(deadlines.pause)
                .timeout(deadlines.whole)
                // What is packed is unpacked within limits, by who reads it.
                .no_gzip()
        };
        Ok(Self { client: GuardedClient::new(allowed, settings)? })
    }

    /// Fetches an address, unless the source says that it still has what `etag` names.
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

    /// Opens an address, for who takes its bytes at their own pace; `None` where the source says that it still has what is
    /// known.
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

    /// The first answer that is no redirect.
    async fn answer(&self, url: &str, known: &Validators) -> Result<Response, FetchFault> {
        let mut url = web_address(Url::parse(url).ok())?;
        for _ in 0..=MOST_REDIRECTS {
            let request = self.client.get(url.clone()).map_err(|Forbidden| FetchFault::ForbiddenAddress)?;
            let mut request = request.header(USER_AGENT, "Cartelera/1");
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
