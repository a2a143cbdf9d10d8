//! Streams of a channel (docs/spec/live-tv.md#streams-of-a-channel).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{AuditService, ContentService, EarlierStreams, StreamService, StreamsOfChannel};
use chrono::{DateTime, Utc};
use domain_catalogue::{ChannelStream, ChannelStreams, Failover, Kind, StreamOrigin, TvChannel};
use domain_kernel::{Action, ErrorKind, Id, Version};
use domain_live::link::{LinkState, Probe};
use ports::StoredStream;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    answer_headers::tagged,
    contents::{ETAG_ABOUT, if_match},
};
use crate::{
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId, PathId},
    openapi::Api,
    problem::Problem,
};

/// Streams of a channel.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StreamsOfChannel")]
struct StreamsAnswer {
    /// Version of the channel, which includes its streams.
    version: Version,
    /// Title of the channel.
    title: String,
    /// Mode of selecting the stream for players.
    failover: Failover,
    /// Position of the stream that players currently get, from 0.
    played: usize,
    /// Streams in their order; the first has the channel's own URL.
    streams: Vec<StreamAnswer>,
}

/// Stream with the results of its probes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StoredStream")]
struct StreamAnswer {
    #[serde(flatten)]
    stream: ChannelStream,
    /// Origin of the stream.
    origin: StreamOrigin,
    /// Title of the playlist source of the stream.
    source: Option<String>,
    /// ID of the link; null until the stream is synchronized.
    link_id: Option<Id>,
    /// State of the link.
    state: LinkState,
    /// Time of the last change of the state; null until the stream is synchronized.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    since: Option<DateTime<Utc>>,
    /// Time of the last probe; null without one.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    probed_at: Option<DateTime<Utc>>,
    /// Result of the last probe.
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

/// Streams of a channel in an earlier version.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EarlierStreams")]
struct EarlierStreamsAnswer {
    version: Version,
    /// Mode of selecting the stream for players.
    failover: Failover,
    /// Streams in their order; the first has the channel's own URL in that version.
    streams: Vec<EarlierStreamAnswer>,
}

/// Stream of a channel in an earlier version.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EarlierStream")]
struct EarlierStreamAnswer {
    #[serde(flatten)]
    stream: ChannelStream,
}

impl From<EarlierStreams> for EarlierStreamsAnswer {
    fn from(EarlierStreams { version, streams }: EarlierStreams) -> Self {
        let ChannelStreams { failover, streams } = streams;
        let streams = streams.into_iter().map(|stream| EarlierStreamAnswer { stream }).collect();
        Self { version, failover, streams }
    }
}

pub(crate) fn register(api: &mut Api) {
    let answer = api.schemas.response::<StreamsAnswer>();
    let draft = api.schemas.request::<ChannelStreams>();
    let path = "/tv-channels/{id}/streams";
    drop(
        api.route(Method::GET, path, "getStreamsOfTvChannel", find)
            .about("tv-channels", "Get the streams of a TV channel in their order")
            .explained("The first stream has the channel's own URL.")
            .requires(Kind::TvChannels.permission(Action::Read))
            .answers(200, "Streams of the channel.", answer.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        if_match(api.route(Method::PUT, path, "replaceStreamsOfTvChannel", replace))
            .about("tv-channels", "Replace the streams of a TV channel")
            .explained(
                "The complete list in its order. The first one also sets the channel's URL, in the same \
                 transaction. A stream with an unchanged URL keeps its probe results.",
            )
            .requires(Kind::TvChannels.permission(Action::Update))
            .takes(draft)
            .answers(200, "The current state.", answer)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
    let earlier = api.schemas.response::<EarlierStreamsAnswer>();
    let path = "/tv-channels/{id}/history/{version}/streams";
    drop(
        api.route(Method::GET, path, "getEarlierStreamsOfTvChannel", earlier_version)
            .about("tv-channels", "Get the streams of a TV channel in an earlier version")
            .explained(
                "To restore them, replace the streams by these. 404 where they are not recorded: before this call \
                 existed, changes of streams were recorded as text.",
            )
            .requires(Kind::TvChannels.permission(Action::Read))
            .answers(200, "The streams.", earlier)
            .fails(&[ErrorKind::Missing]),
    );
}

fn answered(found: StreamsOfChannel) -> HttpResponse {
    let StreamsOfChannel { stored, played } = found;
    let (version, title, failover) = (stored.version, stored.title, stored.failover);
    let streams = stored.streams.into_iter().map(StreamAnswer::from).collect();
    let body = StreamsAnswer { version, title, failover, played, streams };
    tagged(HttpResponse::Ok(), version, &body)
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

async fn earlier_version(
    caller: AuthUser,
    channels: Data<ContentService<TvChannel>>,
    streams: Data<StreamService>,
    audit: Data<AuditService>,
    id: ItemId,
    path: PathId,
) -> Result<Json<EarlierStreamsAnswer>, Problem> {
    let version = path.named("version").ok_or_else(Problem::no_such_path)?;
    Ok(Json(audit.streams_of_version(&channels, &streams, &caller, id.0, version).await?.into()))
}
