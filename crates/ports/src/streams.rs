//! Streams of channels.

use async_trait::async_trait;
use domain_catalogue::{ChannelStream, ChannelStreams, Failover, StreamOrigin};
use domain_kernel::{Id, Version};
use domain_live::link::Link;
use garde::Valid;

use crate::{Edit, StoreError, Written};

/// A stream as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStream {
    /// By which its channel knows it, in whatever order.
    pub number: i64,
    /// What the form says of it.
    pub stream: ChannelStream,
    /// Where it comes from.
    pub origin: StreamOrigin,
    /// The entry of a playlist that it comes from.
    pub entry: Option<Id>,
    /// The title of the playlist source that it comes from.
    pub source: Option<String>,
    /// Whether more than its address is known: then its headers are those that players send.
    pub has_details: bool,
    /// What probes found, and at which address.
    pub link: Option<(Link, String)>,
}

/// The streams of a channel as they are stored; the first is the channel's own address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStreams {
    /// The channel.
    pub channel: Id,
    /// The channel's version: its streams are a part of it.
    pub version: Version,
    /// What the channel is called.
    pub title: String,
    /// Which stream players get.
    pub failover: Failover,
    /// The streams in their order.
    pub streams: Vec<StoredStream>,
}

impl StoredStreams {
    /// The streams as a form sends them.
    pub fn draft(&self) -> ChannelStreams {
        let streams = self.streams.iter().map(|stored| stored.stream.clone()).collect();
        ChannelStreams { failover: self.failover, streams }
    }
}

/// Keeps the streams of channels.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait StreamRepository: Send + Sync {
    /// The streams of a channel; `None` where there is no such channel.
    async fn find(&self, channel: Id) -> Result<Option<StoredStreams>, StoreError>;

    /// Of these channels those that have more than an address; in any order.
    async fn find_lists(&self, channels: &[Id]) -> Result<Vec<StoredStreams>, StoreError>;

    /// Puts other streams in the place of a channel's: the first becomes the address of the channel, which gets another version.
    async fn replace(
        &self,
        channel: Id,
        streams: Valid<ChannelStreams>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredStreams>, StoreError>;
}
