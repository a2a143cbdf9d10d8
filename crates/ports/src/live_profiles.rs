//! Profiles of playlists that are given out, the channels that they have, and how a playlist is written.

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

/// What is kept of a profile's secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileSecret {
    /// SHA-256 of the secret, in hexadecimal.
    pub hash: String,
    /// Its first characters.
    pub hint: String,
}

/// Calls of a profile's address that were not written down yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileUse {
    /// Which profile.
    pub profile: Id,
    /// How often it was called.
    pub calls: i64,
    /// The last of these calls.
    pub last: DateTime<Utc>,
}

/// Which channels a profile has: active ones, in an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSelection {
    /// Of these categories; empty for all.
    pub categories: Vec<Id>,
    /// Those for adults too.
    pub adult_content: bool,
    /// Without those whose every stream is down.
    pub only_playing: bool,
    /// Their order.
    pub order: ChannelOrder,
}

/// A channel's place in the order of its selection: behind it the next slice begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelPlace {
    /// Its number, in which channels may be ordered.
    pub number: i32,
    /// Its title's key, in which they may be ordered as well.
    pub title_key: String,
    /// Its id, in which channels are ordered that are equal otherwise.
    pub id: Id,
}

/// A channel of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedChannel {
    /// Its place.
    pub place: ChannelPlace,
    /// What the catalogue has; its address as it is stored.
    pub fields: ChannelFields,
    /// What its address is.
    pub url_type: UrlType,
    /// Its categories.
    pub categories: Vec<Id>,
    /// The entry that was applied to it last.
    pub applied: Option<Entry>,
    /// Its guide.
    pub guide: Option<Id>,
    /// Whether there is a list of its streams: more is known of it than its address.
    pub has_streams: bool,
}

/// A channel of a selection that a guide has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuidedChannel {
    /// Its place.
    pub place: ChannelPlace,
    /// Its guide.
    pub guide: Id,
    /// Its id there.
    pub epg_id: String,
    /// The channel of the guide.
    pub guide_channel: Id,
    /// Seconds by which its programmes are later than those of the guide's channel.
    pub shift: i64,
    /// Its name.
    pub title: String,
    /// Its logo.
    pub image_url: Option<String>,
}

/// Keeps profiles. It knows their secrets by their hashes only.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LiveProfileRepository: Send + Sync {
    /// A page of the list, the newest first unless ordered otherwise. The search looks in names and user names.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<LiveProfile>>, StoreError>;

    /// One of them.
    async fn find(&self, id: Id) -> Result<Option<LiveProfile>, StoreError>;

    /// The profile whose secret has this hash; none whose address was revoked.
    async fn find_by_hash(&self, hash: &str) -> Result<Option<LiveProfile>, StoreError>;

    /// Adds one.
    async fn add(
        &self,
        draft: Valid<LiveProfileDraft>,
        secret: &ProfileSecret,
        edit: &Edit,
    ) -> Result<LiveProfile, StoreError>;

    /// Puts another draft in the place of one's. The secret stays.
    async fn replace(
        &self,
        id: Id,
        draft: Valid<LiveProfileDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<LiveProfile>, StoreError>;

    /// Gives one another secret; the former no longer works. `None` where there is none.
    async fn change_secret(
        &self,
        id: Id,
        secret: &ProfileSecret,
        edit: &Edit,
    ) -> Result<Option<LiveProfile>, StoreError>;

    /// Revokes the address of one. One that is revoked stays as it is; `None` where there is none.
    async fn revoke(&self, id: Id, edit: &Edit) -> Result<Option<LiveProfile>, StoreError>;

    /// Removes one.
    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<LiveProfile>, StoreError>;

    /// Adds calls up, and when the last was. All or nothing.
    async fn note(&self, uses: &[ProfileUse]) -> Result<(), StoreError>;

    /// What differs as soon as a channel of the selection, what was applied to it, or the stream that players get does.
    async fn fingerprint(&self, selection: &ChannelSelection) -> Result<String, StoreError>;

    /// The categories of channels with their names, in the order of their ids.
    async fn category_names(&self) -> Result<Vec<(Id, String)>, StoreError>;

    /// So many channels of a selection, those behind a place.
    async fn channels(
        &self,
        selection: &ChannelSelection,
        after: Option<ChannelPlace>,
        count: u32,
    ) -> Result<Vec<SelectedChannel>, StoreError>;

    /// Ids that channels of a selection have in several guides, each with the guide in which it stays what it is.
    async fn shared_ids(&self, selection: &ChannelSelection) -> Result<Vec<(String, Id)>, StoreError>;

    /// Ids that channels, of whatever profile, have in several guides, each with each of these.
    async fn ids_in_several_guides(&self) -> Result<Vec<(String, Id)>, StoreError>;

    /// What differs as soon as a guide is fetched.
    async fn guides_fingerprint(&self) -> Result<String, StoreError>;

    /// So many channels of a selection that a guide has, those behind a place.
    async fn guided_channels(
        &self,
        selection: &ChannelSelection,
        after: Option<ChannelPlace>,
        count: u32,
    ) -> Result<Vec<GuidedChannel>, StoreError>;

    /// The programmes of channels of guides that are on in a span of time, by channel, each in order.
    async fn programmes(
        &self,
        guide_channels: &[Id],
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError>;
}

/// Writes playlists.
pub trait PlaylistWriter: Send + Sync {
    /// Appends the first line, with the addresses of guides.
    fn begin(&self, out: &mut String, guides: &[String]);

    /// Appends an entry.
    fn entry(&self, out: &mut String, entry: &Entry);
}

/// Begins guides.
pub trait GuideFormat: Send + Sync {
    /// A guide without channels.
    fn begin(&self) -> Box<dyn GuideWriter>;
}

/// Writes a guide, packed: its channels, then their programmes.
pub trait GuideWriter: Send {
    /// Appends a channel.
    fn channel(&mut self, id: &str, name: &str, icon: Option<&str>);

    /// Appends a programme of a channel.
    fn programme(&mut self, channel: &str, programme: &KeptProgramme);

    /// What has been packed since the last time.
    fn take(&mut self) -> Vec<u8>;

    /// The rest.
    fn finish(self: Box<Self>) -> Vec<u8>;
}
