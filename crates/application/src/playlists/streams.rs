//! Entries as further streams of existing channels (docs/spec/live-tv.md#applying).

use domain_catalogue::Kind;
use domain_kernel::{Action, Actor, Id};
use garde::Validate;
use ports::{FollowedStream, StreamAdded};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlaylistService, changes::ENTRIES, playlist_permission};
use crate::{Error, PlaylistRefusal, body::parse};

/// Channel that gets an entry as a further stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AddEntryToStreams")]
#[garde(context(()))]
pub struct AddStreamRequest {
    /// ID of the channel.
    #[garde(range(min = 1))]
    pub channel_id: Id,
}

impl PlaylistService {
    /// Makes a new entry the last stream of a channel.
    pub async fn add_stream(&self, actor: &Actor, source: Id, entry: Id, body: &[u8]) -> Result<(), Error> {
        actor.require(playlist_permission(Action::Update))?;
        actor.require(Kind::TvChannels.permission(Action::Update))?;
        let request = self.stream_requests.read(parse(body)?, &())?.into_inner();
        let stored = self.whole(source).await?;
        if self.stores.entries.find_all(source, &[entry]).await?.is_empty() {
            return Err(Error::NoSuch { what: ENTRIES, id: entry });
        }
        let (channel, edit) = (request.channel_id, self.calendar.edit_by(actor));
        match self.stores.streams.add(&stored, entry, channel, &edit).await? {
            StreamAdded::Done => Ok(()),
            StreamAdded::NoChannel => Err(Error::Missing { kind: Kind::TvChannels, id: channel }),
            StreamAdded::NotNew => Err(Error::Playlist(PlaylistRefusal::NotNew)),
            StreamAdded::Duplicate => Err(Error::Playlist(PlaylistRefusal::DuplicateStream)),
            StreamAdded::Full => Err(Error::Playlist(PlaylistRefusal::Full)),
        }
    }

    /// Updates streams of channels from their entries; without `takes_names` except for names.
    /// Returns the results.
    pub(super) async fn follow_streams(
        &self,
        actor: &Actor,
        source: Id,
        entries: &[Id],
        takes_names: bool,
    ) -> Result<Vec<FollowedStream>, Error> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        actor.require(Kind::TvChannels.permission(Action::Update))?;
        Ok(self.stores.streams.follow(source, entries, takes_names, &self.calendar.edit_by(actor)).await?)
    }
}
