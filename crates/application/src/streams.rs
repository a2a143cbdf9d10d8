//! Streams of channels: their order, and the selection for players
//! (docs/spec/live-tv.md#streams-of-a-channel).

use std::{collections::HashMap, sync::Arc};

use domain_catalogue::{
    ChannelStreams, Kind, StreamHeader, UrlType, stream_for_players, to_address, to_public_view,
};
use domain_kernel::{Action, Actor, DraftReader, Enumeration, Id, Version};
use domain_live::link::{Link, LinkState};
use ports::{ReplacedStreams, StoredStream, StoredStreams, StreamRepository, Written};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    BaseUrlService, Calendar, Error,
    body::{parse, to_json},
};

/// The current streams of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamsOfChannel {
    pub stored: StoredStreams,
    /// Position of the stream for players.
    pub played: usize,
}

/// The stream of a channel for players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedStream {
    /// Number of the stream; `None` for the first.
    pub number: Option<i64>,
    pub url_type: UrlType,
    pub url: String,
    /// Headers of the stream, if stored.
    pub headers: Option<Vec<StreamHeader>>,
}

/// Use cases of streams.
pub struct StreamService {
    streams: Arc<dyn StreamRepository>,
    base_urls: Arc<BaseUrlService>,
    calendar: Calendar,
    drafts: DraftReader<ChannelStreams>,
}

const fn missing(id: Id) -> Error {
    Error::Missing { kind: Kind::TvChannels, id }
}

/// URL of a stream for players.
fn address_of(stored: &StoredStream, base_url: Option<&str>) -> Option<String> {
    let stream = &stored.stream;
    if stream.url_type == UrlType::Internal {
        to_address(&stream.url, base_url)
    } else {
        Some(stream.url.clone())
    }
}

/// Whether the stream is unplayable: its link is down, or it has no URL. Probes of another URL are
/// ignored.
fn is_down(stored: &StoredStream, base_url: Option<&str>) -> bool {
    let Some(address) = address_of(stored, base_url) else { return true };
    let known = stored.link.as_ref().filter(|(_, probed)| *probed == address);
    known.is_some_and(|(link, _)| link.health.state == LinkState::Down)
}

/// Probe results of a stream at its current URL.
pub fn link_of<'a>(stored: &'a StoredStream, base_url: Option<&str>) -> Option<&'a Link> {
    let address = address_of(stored, base_url);
    stored.link.as_ref().filter(|(_, probed)| address.as_ref() == Some(probed)).map(|(link, _)| link)
}

fn place_for_players(stored: &StoredStreams, base_url: Option<&str>) -> usize {
    let down: Vec<bool> = stored.streams.iter().map(|stream| is_down(stream, base_url)).collect();
    stream_for_players(stored.failover, &down)
}

impl StreamService {
    pub fn new(
        streams: Arc<dyn StreamRepository>,
        base_urls: Arc<BaseUrlService>,
        calendar: Calendar,
    ) -> Self {
        Self { streams, base_urls, calendar, drafts: DraftReader::new() }
    }

    pub async fn find(&self, actor: &Actor, channel: Id) -> Result<StreamsOfChannel, Error> {
        actor.require(Kind::TvChannels.permission(Action::Read))?;
        let found = self.streams.find(channel).await?.ok_or_else(|| missing(channel))?;
        self.with_links(found).await
    }

    /// The streams of a channel that the actor may read, as stored in an earlier version.
    pub(crate) async fn stored_in(&self, channel: Id, version: Version) -> Result<ReplacedStreams, Error> {
        Ok(self.streams.stored_in(channel, version).await?)
    }

    /// Replaces the streams of a channel. The first one also sets its URL.
    pub async fn replace(
        &self,
        actor: &Actor,
        channel: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<StreamsOfChannel, Error> {
        actor.require(Kind::TvChannels.permission(Action::Update))?;
        let draft = self.drafts.read(parse(body)?, &())?;
        let edit = self.calendar.edit_by(actor);
        match self.streams.replace(channel, draft, expected, &edit).await? {
            Written::Done(stored) => {
                tracing::info!(actor = actor.username.as_str(), channel, "streams of channel changed");
                self.with_links(stored).await
            }
            Written::Missing => Err(missing(channel)),
            Written::Outdated(current) => Err(Error::Outdated(Box::new(current_json(&current)?))),
            Written::Conflict(never) => match never {},
        }
    }

    /// Removes probe results of former URLs.
    async fn with_links(&self, mut stored: StoredStreams) -> Result<StreamsOfChannel, Error> {
        let base_url = self.base_urls.of_channels().await?;
        let played = place_for_players(&stored, base_url.as_deref());
        for stream in &mut stored.streams {
            if link_of(stream, base_url.as_deref()).is_none() {
                stream.link = None;
            }
        }
        Ok(StreamsOfChannel { stored, played })
    }

    /// Selected streams of those of these channels with stored streams.
    pub(crate) async fn played(&self, channels: &[Id]) -> Result<HashMap<Id, PlayedStream>, Error> {
        let lists = self.streams.find_lists(channels).await?;
        let base_url = if lists.is_empty() { None } else { self.base_urls.of_channels().await? };
        let played = lists.into_iter().filter_map(|mut list| {
            let place = place_for_players(&list, base_url.as_deref());
            (place < list.streams.len()).then(|| {
                let StoredStream { number, stream, has_details, .. } = list.streams.swap_remove(place);
                let played = PlayedStream {
                    number: (place > 0).then_some(number),
                    url_type: stream.url_type,
                    url: stream.url,
                    headers: has_details.then_some(stream.headers),
                };
                (list.channel, played)
            })
        });
        Ok(played.collect())
    }

    /// Items as JSON in their public view. Also returns the dependency of the first one's URL
    /// besides its version: the base URL for an INTERNAL channel, otherwise the selected stream,
    /// unless it is the first.
    pub(crate) async fn to_public_views(
        &self,
        kind: Kind,
        items: &mut [Value],
    ) -> Result<Option<String>, Error> {
        if kind != Kind::TvChannels {
            for item in items.iter_mut() {
                to_public_view(kind, item, None);
            }
            return Ok(None);
        }
        let id_of = |item: &Value| item["id"].as_i64().unwrap_or_default();
        let ids: Vec<Id> = items.iter().map(id_of).collect();
        let played = self.played(&ids).await?;
        let base_url = self.base_urls.of_channels().await?;
        for item in items.iter_mut() {
            if let Some(stream) = played.get(&id_of(item)) {
                item["urlType"] = json!(stream.url_type.code());
                item["url"] = json!(stream.url);
            }
            to_public_view(kind, item, base_url.as_deref());
        }
        let Some(first) = items.first() else { return Ok(None) };
        if first["urlType"] == json!(UrlType::Internal.code()) {
            let address = first["url"].as_str().unwrap_or_default();
            return Ok(Some(format!("{:x}", Sha256::digest(address)).chars().take(16).collect()));
        }
        Ok(ids.first().and_then(|id| played.get(id)?.number).map(|number| number.to_string()))
    }
}

/// The streams as in responses: their form, and the server's fields.
fn current_json(stored: &StoredStreams) -> Result<Value, Error> {
    let mut json = to_json(&stored.draft())?;
    json["version"] = json!(stored.version);
    Ok(json)
}
