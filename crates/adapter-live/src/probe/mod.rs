//! Probes links by what they send, not by what it is called (docs/spec/live-tv.md#probes). Every address on the way, of redirects,
//! variants, segments and keys, is checked like the link itself; what came is forgotten at once.

mod audio;
mod content;
mod dash;
mod hls;
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
    content::{Content, content_of},
    requests::Requests,
};

/// Everything that a probe may take.
const DEADLINE: Duration = Duration::from_secs(10);
/// Bytes that a probe may read.
const MOST_BYTES: usize = 512 << 10;
/// Bytes by which media is known.
const MEDIA_BYTES: usize = 64 << 10;
/// A start is slow that takes more than this part of the deadline.
const SLOW: u32 = 2;

/// A link that is to be probed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbedLink {
    /// Its address.
    pub url: String,
    /// The headers that its players send, by name.
    pub headers: Vec<(String, String)>,
    /// The newest segment that the last probe saw.
    pub sequence: Option<u64>,
}

/// Probes links.
pub struct Prober {
    client: GuardedClient,
    deadline: Duration,
}

/// What is packed would be unpacked beyond the bytes that were counted.
fn settings(client: ClientBuilder) -> ClientBuilder {
    client.no_gzip()
}

/// What ended a probe early.
type Stop = Probe;

impl Prober {
    /// A prober that reaches the internet, and the private addresses that the operator names.
    pub fn new(allowed: Networks) -> Result<Self, String> {
        Self::with_deadline(allowed, DEADLINE)
    }

    /// The same with another deadline, for tests.
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
        let probe = timeout_at(begun + self.deadline, self.probe_within(link, begun)).await;
        let mut probe = probe.unwrap_or(Probe::of(ProbeOutcome::Timeout));
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
        match url.scheme() {
            "http" | "https" => {}
            "rtmp" => return self.connected(&url, 1935).await,
            "rtmps" => return self.connected(&url, 443).await,
            "rtsp" => return self.connected(&url, 554).await,
            "rtsps" => return self.connected(&url, 322).await,
            "srt" => return srt::probe(&self.client, &url, begun).await,
            _ => return Probe::of(ProbeOutcome::NotChecked),
        }
        let mut requests = Requests::new(&self.client, &link.headers, MOST_BYTES);
        let probed = probe_stream(&mut requests, url, link.sequence, begun).await;
        probed.unwrap_or_else(|stop| stop)
    }

    async fn connected(&self, url: &Url, port: u16) -> Probe {
        match self.client.connect(url, port).await {
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
    match content_of(&answer.bytes, answer.media_type.as_deref()) {
        Content::HlsPlaylist => {
            let answer = requests.rest_of(answer).await?;
            hls::probe(requests, &answer, sequence, begun).await
        }
        Content::DashManifest => {
            let answer = requests.rest_of(answer).await?;
            dash::probe(requests, &answer, begun).await
        }
        other => Ok(media(&other, begun)),
    }
}

/// What is said of an answer that has to be media itself.
fn media(content: &Content, begun: Instant) -> Probe {
    let playing = |format, codecs: Option<String>| Probe {
        milliseconds: milliseconds_since(begun),
        format: Some(format),
        codecs,
        ..Probe::of(ProbeOutcome::Ok)
    };
    match content {
        Content::TransportStream(codecs) => playing(StreamFormat::MpegTs, codecs.clone()),
        Content::Audio(codec) => playing(StreamFormat::Audio, Some((*codec).to_owned())),
        Content::File => playing(StreamFormat::File, None),
        Content::Nothing => Probe::of(ProbeOutcome::Empty),
        Content::HlsPlaylist | Content::DashManifest | Content::Other => Probe::of(ProbeOutcome::NotMedia),
    }
}

fn milliseconds_since(begun: Instant) -> u32 {
    u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX).max(1)
}

const fn outcome_of(fault: ConnectionFault) -> ProbeOutcome {
    match fault {
        ConnectionFault::Forbidden => ProbeOutcome::ForbiddenAddress,
        ConnectionFault::UnknownName => ProbeOutcome::Name,
        ConnectionFault::Tls => ProbeOutcome::Tls,
        ConnectionFault::TimedOut => ProbeOutcome::Timeout,
        ConnectionFault::Unreachable | ConnectionFault::Interrupted => ProbeOutcome::Connect,
    }
}
