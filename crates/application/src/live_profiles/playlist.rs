//! Playlist of a profile: serves its channels by the secret, in slices from the store.

use std::collections::HashMap;

use domain_catalogue::{StreamHeader, UrlType, to_address};
use domain_integrations::KeyState;
use domain_kernel::Id;
use domain_live::profile::{LiveProfile, PROFILE_SECRET, ProfileChannel};
use ports::{ChannelPlace, ChannelSelection, ProfileUse, SelectedChannel, StoreError};
use sha2::{Digest, Sha256};

use super::LiveProfileService;
use crate::{
    Error, PlayedStream,
    keys::{hashed, lock},
};

/// Channels per slice.
const SLICE: u32 = 500;

/// A playlist opened by its profile's user.
#[derive(Debug, Clone)]
pub struct OpenedPlaylist {
    pub profile: LiveProfile,
    /// Changes with each change of the playlist.
    pub fingerprint: String,
    pub(super) shared_ids: HashMap<String, Id>,
    selection: ChannelSelection,
    base_url: Option<String>,
    categories: HashMap<Id, String>,
}

/// Position within a playlist while reading it.
#[derive(Debug, Clone)]
pub struct PlaylistPosition(ChannelPlace);

/// A slice of channels, read but not written.
#[derive(Debug)]
pub struct PlaylistSlice {
    channels: Vec<SelectedChannel>,
    /// Selected streams of channels with several ones.
    played: HashMap<Id, PlayedStream>,
}

impl LiveProfileService {
    /// Opens the playlist of a secret. An unknown or revoked one, or one of an invalid key, does
    /// not exist, without a difference for the caller.
    pub async fn open(&self, secret: &str) -> Result<OpenedPlaylist, Error> {
        let profile = self.admit(secret).await?;
        let draft = &profile.draft;
        let selection = ChannelSelection {
            categories: draft.categories.clone(),
            adult_content: draft.adult_content,
            only_playing: draft.only_playing,
            order: draft.order,
        };
        let base_url = self.parts.base_urls.of_channels().await?;
        let names = self.parts.profiles.category_names().await?;
        let channels = self.parts.profiles.fingerprint(&selection).await?;
        let shared_ids = self.parts.profiles.shared_ids(&selection).await?;
        let mut fingerprint = Sha256::new();
        let (id, version) = (profile.id, profile.version);
        fingerprint.update(format!("{id}\n{version}\n{base_url:?}\n{names:?}\n{shared_ids:?}\n"));
        fingerprint.update(channels);
        Ok(OpenedPlaylist {
            fingerprint: format!("{:x}", fingerprint.finalize()),
            profile,
            shared_ids: shared_ids.into_iter().collect(),
            selection,
            base_url,
            categories: names.into_iter().collect(),
        })
    }

    /// The profile of a secret, within its rate limit, and only while its subscriber may play.
    async fn admit(&self, secret: &str) -> Result<LiveProfile, Error> {
        if !PROFILE_SECRET.reads(secret) {
            return Err(Error::NoSuchPlaylist);
        }
        let found = self.parts.profiles.find_by_hash(&hashed(secret)).await?;
        let profile = found.ok_or(Error::NoSuchPlaylist)?;
        if let Some(key) = profile.draft.key_id {
            let key = self.parts.keys.find(key).await?;
            if key.is_none_or(|key| key.state(self.calendar.today()) != KeyState::Active) {
                return Err(Error::NoSuchPlaylist);
            }
        }
        let now = self.calendar.now();
        let limit = profile.draft.calls_per_minute;
        lock(&self.meters).entry(profile.id).or_default().admit(now, limit).map_err(|wait| {
            tracing::warn!(profile = profile.id, "live profile rate limit exceeded");
            Error::Throttled(wait)
        })?;
        if let Some(username) = &profile.draft.username {
            let status = self.parts.users.subscription_status(username).await?;
            let status = status.ok_or(Error::NoSuchPlaylist)?;
            if !status.may_play() {
                return Err(Error::MayNotPlay(status));
            }
        }
        let mut uses = lock(&self.uses);
        let of = uses.entry(profile.id).or_insert(ProfileUse { profile: profile.id, calls: 0, last: now });
        of.calls += 1;
        of.last = of.last.max(now);
        drop(uses);
        Ok(profile)
    }

    /// Writes the header of a playlist with the URL of its guide.
    pub fn begin_playlist(&self, text: &mut String, guide: String) {
        self.parts.writer.begin(text, &[guide]);
    }

    /// Reads a slice of a playlist from a position; returns the next position, `None` at the end.
    pub async fn read_slice(
        &self,
        playlist: &OpenedPlaylist,
        from: Option<PlaylistPosition>,
    ) -> Result<(PlaylistSlice, Option<PlaylistPosition>), Error> {
        let behind = from.map(|position| position.0);
        let channels = self.parts.profiles.channels(&playlist.selection, behind, SLICE).await?;
        let is_full = u32::try_from(channels.len()).is_ok_and(|count| count == SLICE);
        let last = channels.last().filter(|_| is_full).map(|channel| PlaylistPosition(channel.place.clone()));
        let listed: Vec<Id> =
            channels.iter().filter(|channel| channel.has_streams).map(|channel| channel.place.id).collect();
        let played = self.parts.streams.played(&listed).await?;
        Ok((PlaylistSlice { channels, played }, last))
    }

    /// Appends the channels of a slice, except for those without a URL for players; `entries`
    /// counts the written ones from the beginning of the playlist.
    pub fn write_slice(
        &self,
        text: &mut String,
        playlist: &OpenedPlaylist,
        slice: PlaylistSlice,
        entries: &mut u32,
    ) {
        let PlaylistSlice { channels, mut played } = slice;
        for channel in channels {
            let stream = played.remove(&channel.place.id);
            if let Some(channel) = playlist.channel(channel, stream) {
                *entries += 1;
                self.parts.writer.entry(text, &channel.entry(playlist.profile.draft.numbering, *entries));
            }
        }
    }

    /// Stores the counts since the last call. After an error they are kept for the next call.
    pub async fn note_uses(&self) -> Result<(), StoreError> {
        let mut uses: Vec<ProfileUse> = lock(&self.uses).drain().map(|(_, one)| one).collect();
        if uses.is_empty() {
            return Ok(());
        }
        // In the order of the profiles: two nodes wait for the same rows instead of a deadlock.
        uses.sort_by_key(|one| one.profile);
        let outcome = self.parts.profiles.note(&uses).await;
        if outcome.is_err() {
            let mut kept = lock(&self.uses);
            for one in uses {
                let of = kept.entry(one.profile).or_insert(ProfileUse { calls: 0, ..one });
                of.calls += one.calls;
                of.last = of.last.max(one.last);
            }
        }
        outcome
    }
}

impl OpenedPlaylist {
    pub(super) fn selection(&self) -> &ChannelSelection {
        &self.selection
    }

    /// A channel with the URL for players; `None` without one.
    fn channel(&self, channel: SelectedChannel, stream: Option<PlayedStream>) -> Option<ProfileChannel> {
        let SelectedChannel { mut fields, mut url_type, categories, applied, guide, shift_minutes, .. } =
            channel;
        let mut headers = None;
        if let Some(stream) = stream {
            (fields.url, url_type) = (stream.url, stream.url_type);
            let pairs = |own: Vec<_>| own.into_iter().map(|header: StreamHeader| (header.name, header.value));
            headers = stream.headers.map(|own| pairs(own).collect());
        }
        if url_type == UrlType::Internal {
            fields.url = to_address(&fields.url, self.base_url.as_deref())?;
        }
        fields.epg_id = fields.epg_id.map(|id| self.guide_id(id, guide));
        let names = || categories.iter().filter_map(|id| self.categories.get(id).cloned()).collect();
        // Channels of a playlist have the groups of their entry.
        let categories = if applied.is_some() { Vec::new() } else { names() };
        Some(ProfileChannel { fields, applied, categories, headers, shift_minutes })
    }
}
