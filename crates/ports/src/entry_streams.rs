//! Playlist entries as additional streams of channels.

use async_trait::async_trait;
use domain_kernel::Id;
use domain_live::source::PlaylistSource;

use crate::{Edit, StoreError};

/// Outcome of adding an entry as a stream.
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

/// Adds entries as streams of channels, and updates streams from their entries.
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

    /// Updates the streams of these entries. An entry whose stream was removed is new again. Returns the
    /// number of changed streams.
    async fn follow(&self, source: Id, entries: &[Id], edit: &Edit) -> Result<u64, StoreError>;
}
