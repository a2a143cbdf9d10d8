//! Profiles of published playlists, their channels, and the format of a playlist.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::UrlType;
use domain_kernel::{Id, ListQuery, Page, Version};
use domain_live::{
    channel::ChannelFields,
    entry::Entry,
    profile::{ChannelOrder, LiveProfile, LiveProfileDraft},
    programme::KeptProgramme,
};
use garde::Valid;

use crate::{Edit, StoreError, Written};

/// Stored part of a profile's secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileSecret {
    /// SHA-256 of the secret, hexadecimal.
    pub hash: String,
    /// First characters.
    pub hint: String,
}

/// Requests for a profile that are not stored yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileUse {
    pub profile: Id,
    /// Number of requests.
    pub calls: i64,
    /// Time of the last request.
    pub last: DateTime<Utc>,
}

/// Selection and order of the active channels of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSelection {
    /// Selected categories; all if empty.
    pub categories: Vec<Id>,
    /// Whether adult channels are included.
    pub adult_content: bool,
    /// Excludes channels whose streams are all down.
    pub only_playing: bool,
    pub order: ChannelOrder,
}

/// Keyset position of a channel in the order of its selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelPlace {
    /// Channel number, a sort key.
    pub number: i32,
    /// Key of the title, a sort key.
    pub title_key: String,
    /// Channel id, the tie-breaker.
    pub id: Id,
}

/// A channel of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedChannel {
    /// Keyset position.
    pub place: ChannelPlace,
    /// Fields in the catalogue, with the stored address.
    pub fields: ChannelFields,
    /// Type of the address.
    pub url_type: UrlType,
    pub categories: Vec<Id>,
    /// Entry last applied to the channel.
    pub applied: Option<Entry>,
    pub guide: Option<Id>,
    /// Whether the channel has stored streams beyond its address.
    pub has_streams: bool,
    /// Shift that a user gave its programmes, in minutes; `None` for that of the entry.
    pub shift_minutes: Option<i32>,
}

/// A channel of a selection with a guide channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuidedChannel {
    /// Keyset position.
    pub place: ChannelPlace,
    pub guide: Id,
    /// Channel id in the guide.
    pub epg_id: String,
    pub guide_channel: Id,
    /// Time shift of its programmes against the guide channel, in seconds.
    pub shift: i64,
    pub title: String,
    /// Logo.
    pub image_url: Option<String>,
}

/// Stores profiles, with hashes of their secrets only.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LiveProfileRepository: Send + Sync {
    /// A page of the list, newest first by default. The search covers names and user names.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<LiveProfile>>, StoreError>;

    /// One profile.
    async fn find(&self, id: Id) -> Result<Option<LiveProfile>, StoreError>;

    /// Profile whose secret has this hash; `None` if its address was revoked.
    async fn find_by_hash(&self, hash: &str) -> Result<Option<LiveProfile>, StoreError>;

    /// Adds a profile.
    async fn add(
        &self,
        draft: Valid<LiveProfileDraft>,
        secret: &ProfileSecret,
        edit: &Edit,
    ) -> Result<LiveProfile, StoreError>;

    /// Replaces the draft of a profile. The secret is kept.
    async fn replace(
        &self,
        id: Id,
        draft: Valid<LiveProfileDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<LiveProfile>, StoreError>;

    /// Replaces the secret of a profile. `None` where it does not exist.
    async fn change_secret(
        &self,
        id: Id,
        secret: &ProfileSecret,
        edit: &Edit,
    ) -> Result<Option<LiveProfile>, StoreError>;

    /// Revokes the address of a profile. A revoked one is not changed; `None` where it does not exist.
    async fn revoke(&self, id: Id, edit: &Edit) -> Result<Option<LiveProfile>, StoreError>;

    /// Removes a profile.
    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<LiveProfile>, StoreError>;

    /// Adds requests to the counts, and updates the time of the last one, in one transaction.
    async fn note(&self, uses: &[ProfileUse]) -> Result<(), StoreError>;

    /// Fingerprint of the channels of a selection, the entries applied to them and the streams for players.
    async fn fingerprint(&self, selection: &ChannelSelection) -> Result<String, StoreError>;

    /// Categories of channels with their names, by id.
    async fn category_names(&self) -> Result<Vec<(Id, String)>, StoreError>;

    /// A limited number of channels of a selection after a position.
    async fn channels(
        &self,
        selection: &ChannelSelection,
        after: Option<ChannelPlace>,
        count: u32,
    ) -> Result<Vec<SelectedChannel>, StoreError>;

    /// Ids that channels of a selection have in several guides, each with the guide whose channel keeps the
    /// id.
    async fn shared_ids(&self, selection: &ChannelSelection) -> Result<Vec<(String, Id)>, StoreError>;

    /// Ids that channels, of whatever profile, have in several guides, each with each of these. Without those of
    /// which a guide has the published form (`ID@GUIDE`) as an id of its own.
    async fn ids_in_several_guides(&self) -> Result<Vec<(String, Id)>, StoreError>;

    /// A value that changes with each fetch of a guide.
    async fn guides_fingerprint(&self) -> Result<String, StoreError>;

    /// A limited number of channels of a selection with a guide channel, after a position.
    async fn guided_channels(
        &self,
        selection: &ChannelSelection,
        after: Option<ChannelPlace>,
        count: u32,
    ) -> Result<Vec<GuidedChannel>, StoreError>;

    /// Programmes of guide channels on air within a range of time, in order by channel.
    async fn programmes(
        &self,
        guide_channels: &[Id],
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError>;
}

/// Writes playlists.
pub trait PlaylistWriter: Send + Sync {
    /// Appends the header line, with the addresses of guides.
    fn begin(&self, out: &mut String, guides: &[String]);

    /// Appends an entry.
    fn entry(&self, out: &mut String, entry: &Entry);
}

/// Creates guide writers.
pub trait GuideFormat: Send + Sync {
    /// Begins a guide without channels.
    fn begin(&self) -> Box<dyn GuideWriter>;
}

/// Writes a compressed guide: its channels, then their programmes.
pub trait GuideWriter: Send {
    /// Appends a channel.
    fn channel(&mut self, id: &str, name: &str, icon: Option<&str>);

    /// Appends a programme of a channel.
    fn programme(&mut self, channel: &str, programme: &KeptProgramme);

    /// Bytes compressed since the last call.
    fn take(&mut self) -> Vec<u8>;

    /// Remaining bytes.
    fn finish(self: Box<Self>) -> Vec<u8>;
}
