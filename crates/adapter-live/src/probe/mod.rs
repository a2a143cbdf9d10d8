//! Probes links by their content, regardless of names (docs/spec/live-tv.md#probes). Each URL on
//! the way, of redirects, variants, segments and keys, is checked like the link itself; content is
//! not stored.

mod audio;
mod content;
mod dash;
mod hls;
mod icy;
mod requests;
mod srt;
mod transport_stream;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain_integrations::Networks;
use domain_live::link::{Probe, ProbeOutcome, StreamFormat};
use guarded_http::{ConnectionFault, GuardedClient};
use ports::{ClaimedLink, LinkProber};
use reqwest::{ClientBuilder, dns::Resolve};
use tokio::time::{Instant, timeout_at};
use url::Url;

use self::{
    content::Content,
    requests::{Answer, Requests},
};

/// Timeout of a probe.
const DEADLINE: Duration = Duration::from_secs(10);
/// Maximum bytes read by a probe.
const MOST_BYTES: usize = 512 << 10;
/// Bytes for the detection of media; fewer are enough with known codecs.
const MEDIA_BYTES: usize = 64 << 10;
/// Fraction of the timeout after which a start is slow.
const SLOW: u32 = 2;

/// A link to be probed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbedLink {
    pub url: String,
    /// HTTP headers for the link, by name.
    pub headers: Vec<(String, String)>,
    /// Sequence number of the newest segment at the last probe.
    pub sequence: Option<u64>,
}

pub struct Prober {
    client: GuardedClient,
    deadline: Duration,
}

/// Without decompression, which would exceed the counted bytes. HTTP/0.9 for Shoutcast servers of
/// version 1.
fn settings(client: ClientBuilder) -> ClientBuilder {
    client.no_gzip().http09_responses()
}

/// Outcome that ended a probe early.
type Stop = Probe;

impl Prober {
    /// A prober for public addresses, and the private ones that the operator allows.
    pub fn new(allowed: Networks) -> Result<Self, String> {
        Self::with_deadline(allowed, DEADLINE)
    }

    /// The same with another timeout, for tests.
    #[doc(hidden)]
    pub fn with_deadline(allowed: Networks, deadline: Duration) -> Result<Self, String> {
        Ok(Self { client: GuardedClient::new(allowed, settings)?, deadline })
    }

    /// The same with another resolver, for tests.
    #[doc(hidden)]
    pub fn with_resolver(
        allowed: Networks,
        resolver: Arc<dyn Resolve>,
        deadline: Duration,
    ) -> Result<Self, String> {
        Ok(Self { client: GuardedClient::with_resolver(allowed, resolver, settings)?, deadline })
    }

    /// Probes a link once.
    pub async fn probe(&self, link: &ProbedLink) -> Probe {
        let begun = Instant::now();
        let mut probe = self.probe_within(link, begun).await;
        if probe.milliseconds == 0 {
            probe.milliseconds = milliseconds_since(begun);
        }
        if probe.outcome == ProbeOutcome::Ok
            && Duration::from_millis(probe.milliseconds.into()) > self.deadline / SLOW
        {
            probe.outcome = ProbeOutcome::Slow;
        }
        probe
    }

    async fn probe_within(&self, link: &ProbedLink, begun: Instant) -> Probe {
        let Ok(url) = Url::parse(&link.url) else { return Probe::of(ProbeOutcome::Connect) };
        let deadline = begun + self.deadline;
        if ["http", "https"].contains(&url.scheme()) {
            // Content received before the deadline is evaluated: requests end at it themselves.
            let mut requests = Requests::new(&self.client, &link.headers, MOST_BYTES, deadline);
            let probed = probe_stream(&mut requests, url, link.sequence, begun).await;
            return probed.unwrap_or_else(|stop| stop);
        }
        let probed = timeout_at(deadline, self.connected(&url, begun)).await;
        probed.unwrap_or(Probe::of(ProbeOutcome::Timeout))
    }

    /// Probes a URL of another protocol than HTTP.
    async fn connected(&self, url: &Url, begun: Instant) -> Probe {
        let default_port = match url.scheme() {
            "rtmp" => 1935,
            "rtmps" => 443,
            "rtsp" => 554,
            "rtsps" => 322,
            "srt" => return srt::probe(&self.client, url, begun).await,
            _ => return Probe::of(ProbeOutcome::NotChecked),
        };
        match self.client.connect(url, default_port).await {
            Ok(()) => Probe::of(ProbeOutcome::Ok),
            Err(fault) => Probe::of(outcome_of(fault)),
        }
    }
}

#[async_trait]
impl LinkProber for Prober {
    async fn probe(&self, link: &ClaimedLink) -> Probe {
        let ClaimedLink { address, headers, sequence, .. } = link;
        self.probe(&ProbedLink { url: address.clone(), headers: headers.clone(), sequence: *sequence }).await
    }
}

async fn probe_stream(
    requests: &mut Requests<'_>,
    url: Url,
    sequence: Option<u64>,
    begun: Instant,
) -> Result<Probe, Stop> {
    let answer = requests.get(url, MEDIA_BYTES).await?;
    match answer.content {
        Content::HlsPlaylist => {
            let answer = requests.rest_of(answer).await?;
            hls::probe(requests, &answer, sequence, begun).await
        }
        Content::DashManifest => {
            let answer = requests.rest_of(answer).await?;
            dash::probe(requests, &answer, begun).await
        }
        _ => Ok(media(&answer, begun)),
    }
}

/// Outcome of a response that must be media.
fn media(answer: &Answer, begun: Instant) -> Probe {
    let playing = |format, codecs: Option<String>| Probe {
        milliseconds: milliseconds_of(answer.media_since.unwrap_or_else(Instant::now) - begun),
        format: Some(format),
        codecs,
        ..Probe::of(ProbeOutcome::Ok)
    };
    match &answer.content {
        Content::TransportStream(codecs) => playing(StreamFormat::MpegTs, codecs.clone()),
        Content::Audio(codec) => playing(StreamFormat::Audio, Some((*codec).to_owned())),
        Content::File => playing(StreamFormat::File, None),
        Content::Nothing => Probe::of(ProbeOutcome::Empty),
        Content::HlsPlaylist | Content::DashManifest | Content::Other => Probe::of(ProbeOutcome::NotMedia),
    }
}

fn milliseconds_since(begun: Instant) -> u32 {
    milliseconds_of(begun.elapsed())
}

fn milliseconds_of(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX).max(1)
}

const fn outcome_of(fault: ConnectionFault) -> ProbeOutcome {
    match fault {
        ConnectionFault::Forbidden => ProbeOutcome::ForbiddenAddress,
        ConnectionFault::UnknownName => ProbeOutcome::Name,
        ConnectionFault::Tls => ProbeOutcome::Tls,
        ConnectionFault::TimedOut => ProbeOutcome::Timeout,
        ConnectionFault::Unreachable | ConnectionFault::Interrupted => ProbeOutcome::Connect,
        // Players read more than the specification.
        ConnectionFault::Unreadable => ProbeOutcome::NotChecked,
    }
}
