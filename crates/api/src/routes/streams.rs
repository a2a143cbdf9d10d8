//! Streams of a channel (docs/spec/live-tv.md#streams-of-a-channel).

use actix_web::{
    HttpResponse,
    http::{Method, header::ETAG},
    web::Data,
};
use application::{StreamService, StreamsOfChannel};
use chrono::{DateTime, Utc};
use domain_catalogue::{ChannelStream, ChannelStreams, Failover, Kind, StreamOrigin};
use domain_kernel::{Action, ErrorKind, Id, Version};
use domain_live::link::{LinkState, Probe};
use ports::StoredStream;
use schemars::JsonSchema;
use serde::Serialize;

use super::contents::{ETAG_ABOUT, if_match};
use crate::{
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId},
    openapi::Api,
    problem::Problem,
};

/// The streams of a channel.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StreamsOfChannel")]
struct StreamsAnswer {
    /// The version of the channel, of which its streams are a part.
    version: Version,
    /// What the channel is called.
    title: String,
    /// Which stream players get.
    failover: Failover,
    /// The place of the stream that they get now, from 0.
    played: usize,
    /// The streams in their order; the first is the channel's own address.
    streams: Vec<StreamAnswer>,
}

/// A stream, and what probes found of it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StoredStream")]
struct StreamAnswer {
    #[serde(flatten)]
    stream: ChannelStream,
    /// Where it comes from.
    origin: StreamOrigin,
    /// The title of the playlist source that it comes from.
    source: Option<String>,
    /// The number of its link; null until it is taken over.
    link_id: Option<Id>,
    /// What is said of its link.
    state: LinkState,
    /// Since when; null until its link is taken over.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    since: Option<DateTime<Utc>>,
    /// When it was last probed; null where it never was.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    probed_at: Option<DateTime<Utc>>,
    /// What the last probe found.
    probe: Option<Probe>,
}

impl From<StoredStream> for StreamAnswer {
    fn from(stored: StoredStream) -> Self {
        let link = stored.link.map(|(link, _)| link);
        let (probed_at, probe) = link.as_ref().and_then(|link| link.last.clone()).unzip();
        Self {
            stream: stored.stream,
            origin: stored.origin,
            source: stored.source,
            link_id: link.as_ref().map(|link| link.id),
            state: link.as_ref().map_or(LinkState::Unknown, |link| link.health.state),
            since: link.map(|link| link.health.since),
            probed_at,
            probe,
        }
    }
}

pub(crate) fn register(api: &mut Api) {
    let answer = api.schemas.response::<StreamsAnswer>();
    let draft = api.schemas.request::<ChannelStreams>();
    let path = "/tv-channels/{id}/streams";
    drop(
        api.route(Method::GET, path, "getStreamsOfTvChannel", find)
            .about("tv-channels", "Get the streams of a TV channel in their order")
            .explained("The first is the channel's own address.")
            .requires(Kind::TvChannels.permission(Action::Read))
            .answers(200, "The streams.", answer.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        if_match(api.route(Method::PUT, path, "replaceStreamsOfTvChannel", replace))
            .about("tv-channels", "Replace the streams of a TV channel")
            .explained(
                "The whole list in its order. The first becomes the channel's address, in the same transaction. A stream whose \
                 address was in the list before keeps what probes found.",
            )
            .requires(Kind::TvChannels.permission(Action::Update))
            .takes(draft)
            .answers(200, "The current state.", answer)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
}

fn answered(found: StreamsOfChannel) -> HttpResponse {
    let StreamsOfChannel { stored, played } = found;
    let (version, title, failover) = (stored.version, stored.title, stored.failover);
    let streams = stored.streams.into_iter().map(StreamAnswer::from).collect();
    let body = StreamsAnswer { version, title, failover, played, streams };
    HttpResponse::Ok().insert_header((ETAG, format!("\"{version}\""))).json(body)
}

async fn find(caller: AuthUser, service: Data<StreamService>, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(answered(service.find(&caller, id.0).await?))
}

async fn replace(
    caller: AuthUser,
    service: Data<StreamService>,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answered(service.replace(&caller, id.0, &body.0, expected.0).await?))
}
