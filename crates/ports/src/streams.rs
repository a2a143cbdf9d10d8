//! Streams of channels.

use async_trait::async_trait;
use domain_catalogue::{ChannelStream, ChannelStreams, Failover, StreamOrigin};
use domain_kernel::{Id, Version};
use domain_live::link::Link;
use garde::Valid;

use crate::{Edit, StoreError, Written};

/// A stored stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStream {
    /// Number within the channel, independent of the order.
    pub number: i64,
    /// Editable fields.
    pub stream: ChannelStream,
    pub origin: StreamOrigin,
    /// Playlist entry that it comes from.
    pub entry: Option<Id>,
    /// Title of the playlist source that it comes from.
    pub source: Option<String>,
    /// Whether more than the address is stored; its headers are then those sent by players.
    pub has_details: bool,
    /// Link with its probe results, and the probed address.
    pub link: Option<(Link, String)>,
}

/// Stored streams of a channel; the first is the channel's own address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStreams {
    pub channel: Id,
    /// Version of the channel, which includes its streams.
    pub version: Version,
    /// Title of the channel.
    pub title: String,
    /// Selection of the stream for players.
    pub failover: Failover,
    /// In order.
    pub streams: Vec<StoredStream>,
}

impl StoredStreams {
    /// Streams in the form of a request.
    pub fn draft(&self) -> ChannelStreams {
        let streams = self.streams.iter().map(|stored| stored.stream.clone()).collect();
        ChannelStreams { failover: self.failover, streams }
    }
}

/// Streams of a channel as they were stored in an earlier version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedStreams {
    /// Version of the channel that has other streams; `None` where they are still stored.
    pub replaced_by: Option<Version>,
    /// Selection of the stream for players.
    pub failover: Failover,
    /// Settings of the channel's own address, if any; they apply while it has this address.
    pub first: Option<ChannelStream>,
    /// In order.
    pub further: Vec<ChannelStream>,
}

/// Stores the streams of channels.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait StreamRepository: Send + Sync {
    /// Streams of a channel; `None` where the channel does not exist.
    async fn find(&self, channel: Id) -> Result<Option<StoredStreams>, StoreError>;

    /// The channels among these with more than an address, in any order.
    async fn find_lists(&self, channels: &[Id]) -> Result<Vec<StoredStreams>, StoreError>;

    /// Streams of a channel in this version, as far as they are stored.
    async fn stored_in(&self, channel: Id, version: Version) -> Result<ReplacedStreams, StoreError>;

    /// Replaces the streams of a channel: the first becomes its address, and the channel gets a new version.
    async fn replace(
        &self,
        channel: Id,
        streams: Valid<ChannelStreams>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredStreams>, StoreError>;
}
