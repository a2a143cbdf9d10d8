//! Playlist entries as additional streams of channels.

use async_trait::async_trait;
use domain_kernel::{Id, Version};

use crate::StoreError;

/// Whether an entry can become a stream of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamCheck {
    /// It can; with the version of the channel.
    Allowed(Version),
    /// The source has no new entry with this id.
    NotNew,
    /// The channel does not exist.
    NoChannel,
    /// The channel has the same address from another entry.
    Duplicate,
    /// The channel has the maximum number of streams.
    Full,
}

/// An entry that is a stream of a channel and has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedStream {
    /// The entry.
    pub entry: Id,
    /// The channel.
    pub channel: Id,
    /// Version of the channel, which includes its streams.
    pub version: Version,
}

/// Finds entries that are, or can become, streams of channels. Operations change the streams
/// ([`StreamChange`](crate::StreamChange)).
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait EntryStreamRepository: Send + Sync {
    /// Whether new entries, each with its channel, can become the last streams of their channels, one
    /// after the other; an existing stream with the address of an entry becomes the entry's. An entry that
    /// is allowed before is a duplicate.
    async fn check_all(&self, source: Id, added: &[(Id, Id)]) -> Result<Vec<StreamCheck>, StoreError>;

    /// The changed entries among these that are streams, without ignored ones.
    async fn changed(&self, source: Id, entries: &[Id]) -> Result<Vec<ChangedStream>, StoreError>;
}
