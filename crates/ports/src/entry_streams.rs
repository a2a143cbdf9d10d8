//! Playlist entries as additional streams of channels.

use async_trait::async_trait;
use domain_kernel::Id;
use domain_live::{diff::StreamVerdict, source::PlaylistSource};

use crate::{Edit, StoreError};

/// Outcome of adding an entry as a stream. Not [`crate::Written`]: no version of the channel is expected, and
/// the use case answers without its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamAdded {
    /// Added.
    Done,
    /// The source has no new entry with this id.
    NotNew,
    /// The channel does not exist.
    NoChannel,
    /// The channel has the same address from another entry.
    Duplicate,
    /// The channel has the maximum number of streams.
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
    /// Appends a new entry to the streams of a channel. An existing stream with its address is assigned to
    /// the entry.
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
