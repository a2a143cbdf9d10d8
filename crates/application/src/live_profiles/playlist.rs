//! The playlist of a profile: who calls its address gets its channels, slice by slice out of the store.

use std::{collections::HashMap, mem};

use domain_catalogue::{StreamHeader, UrlType, to_address};
use domain_integrations::KeyState;
use domain_kernel::Id;
use domain_live::{
    entry::Entry,
    profile::{LiveProfile, PROFILE_SECRET, ProfileChannel, shifted_guide_id},
};
use ports::{ChannelPlace, ChannelSelection, ProfileUse, SelectedChannel, StoreError};
use sha2::{Digest, Sha256};

use super::LiveProfileService;
use crate::{
    Error, PlayedStream,
    keys::{hashed, lock},
};

/// Channels of a slice.
const SLICE: u32 = 500;

/// A playlist whose address was called by whom it is for.
#[derive(Debug, Clone)]
pub struct OpenedPlaylist {
    /// The profile.
    pub profile: LiveProfile,
    /// What differs as soon as the playlist does.
    pub fingerprint: String,
    pub(super) shared_ids: HashMap<String, Id>,
    selection: ChannelSelection,
    base_url: Option<String>,
    categories: HashMap<Id, String>,
}

/// How far a playlist has been read.
#[derive(Debug, Clone)]
pub struct PlaylistPosition {
    behind: ChannelPlace,
    entries: u32,
}

/// A part of a playlist.
#[derive(Debug)]
pub struct PlaylistPart {
    /// Its lines.
    pub text: String,
    /// Where the next part begins; `None` at the end.
    pub next: Option<PlaylistPosition>,
}

impl LiveProfileService {
    /// Opens the playlist of an address. One that is unknown, was revoked, or belongs to a key that no longer works does not
    /// exist; all of them look the same.
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

    /// The profile of a secret: within its calls a minute, and only while whom it is for may play.
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

    /// A part of a playlist, from a position on; it begins with the address of its guide. Channels that no player could open are
    /// left out.
    pub async fn part(
        &self,
        playlist: &OpenedPlaylist,
        guide: &str,
        from: Option<PlaylistPosition>,
    ) -> Result<PlaylistPart, Error> {
        let mut text = String::new();
        if from.is_none() {
            self.parts.writer.begin(&mut text, &[guide.to_owned()]);
        }
        let (behind, mut entries) = match from {
            Some(PlaylistPosition { behind, entries }) => (Some(behind), entries),
            None => (None, 0),
        };
        let channels = self.parts.profiles.channels(&playlist.selection, behind, SLICE).await?;
        let is_full = u32::try_from(channels.len()).is_ok_and(|count| count == SLICE);
        let last = channels.last().map(|channel| channel.place.clone()).filter(|_| is_full);
        let listed: Vec<Id> =
            channels.iter().filter(|channel| channel.has_streams).map(|channel| channel.place.id).collect();
        let mut played = self.parts.streams.played(&listed).await?;
        for channel in channels {
            let stream = played.remove(&channel.place.id);
            if let Some(channel) = playlist.channel(channel, stream) {
                entries += 1;
                self.parts.writer.entry(&mut text, &channel.entry(playlist.profile.draft.numbering, entries));
            }
        }
        Ok(PlaylistPart { text, next: last.map(|behind| PlaylistPosition { behind, entries }) })
    }

    /// Writes down what was counted since the last time. What can't be written is kept for the next.
    pub async fn note_uses(&self) -> Result<(), StoreError> {
        let mut uses: Vec<ProfileUse> = lock(&self.uses).drain().map(|(_, one)| one).collect();
        if uses.is_empty() {
            return Ok(());
        }
        // In the order of the profiles: two nodes queue for the same rows instead of blocking each other.
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

    /// A channel with the address that players open; `None` where there is none.
    fn channel(&self, channel: SelectedChannel, stream: Option<PlayedStream>) -> Option<ProfileChannel> {
        let SelectedChannel { mut fields, mut url_type, categories, mut applied, guide, .. } = channel;
        let mut headers = None;
        if let Some(stream) = stream {
            (fields.url, url_type) = (stream.url, stream.url_type);
            let pairs = |own: Vec<_>| own.into_iter().map(|header: StreamHeader| (header.name, header.value));
            headers = stream.headers.map(|own| pairs(own).collect());
        }
        if url_type == UrlType::Internal {
            fields.url = to_address(&fields.url, self.base_url.as_deref())?;
        }
        let shift = applied.as_ref().map_or(0, Entry::guide_shift);
        fields.epg_id = fields.epg_id.map(|id| self.guide_id(id, guide));
        if let (Some(id), Some(_), Some(entry), true) = (&mut fields.epg_id, guide, &mut applied, shift != 0)
        {
            *id = shifted_guide_id(mem::take(id), shift);
            entry.tags.retain(|(name, _)| name.as_str() != "tvg-shift");
        }
        let names = || categories.iter().filter_map(|id| self.categories.get(id).cloned()).collect();
        // What comes from a playlist has the groups of its entry.
        let categories = if applied.is_some() { Vec::new() } else { names() };
        Some(ProfileChannel { fields, applied, categories, headers })
    }
}
