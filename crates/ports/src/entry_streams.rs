//! Entries of playlists as further streams of channels.

use async_trait::async_trait;
use domain_kernel::Id;
use domain_live::{diff::StreamVerdict, source::PlaylistSource};

use crate::{Edit, StoreError};

/// What became of an entry that was to be a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamAdded {
    /// It is a stream of the channel.
    Done,
    /// The source has no such entry that is new.
    NotNew,
    /// There is no such channel.
    NoChannel,
    /// The channel has that address from another entry.
    Duplicate,
    /// The channel has as many streams as it may have.
    Full,
}

/// What became of a stream of a channel whose entry has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedStream {
    /// The entry.
    pub entry: Id,
    /// What the list calls it.
    pub name: String,
    /// The channel.
    pub channel: Id,
    /// Its name.
    pub title: String,
    /// What became of it.
    pub verdict: StreamVerdict,
}

/// Makes entries streams of channels, and has streams follow their entries.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait EntryStreamRepository: Send + Sync {
    /// Adds an entry that is new to the streams of a channel, as the last one. A stream that has its address becomes the entry's.
    async fn add(
        &self,
        source: &PlaylistSource,
        entry: Id,
        channel: Id,
        edit: &Edit,
    ) -> Result<StreamAdded, StoreError>;

    /// Those of these entries that are streams and have changed, without ignored ones.
    async fn changed(&self, source: Id, entries: &[Id]) -> Result<Vec<Id>, StoreError>;

    /// Gives the streams of these entries what their entries have now; without `takes_names` all but the names, which wait. An
    /// entry whose stream is gone is new again. Answers what became of each.
    async fn follow(
        &self,
        source: Id,
        entries: &[Id],
        takes_names: bool,
        edit: &Edit,
    ) -> Result<Vec<FollowedStream>, StoreError>;
}
