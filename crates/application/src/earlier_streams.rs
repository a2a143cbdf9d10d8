//! Streams of a channel in an earlier version (docs/spec/audit.md#history).

use domain_audit::AuditEntry;
use domain_catalogue::{ChannelStream, ChannelStreams, Kind, TvChannel, UrlType};
use domain_kernel::{Actor, Id, Version};
use ports::{ReplacedStreams, StoreError};
use serde_json::Value;

use crate::{AuditService, ContentService, Error, StreamService, audit::MOST_CHANGES};

/// Streams of a channel in an earlier version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierStreams {
    pub version: Version,
    pub streams: ChannelStreams,
}

/// Whether a change of a channel changed its streams, too.
fn changes_streams(entry: &AuditEntry) -> bool {
    ["streams", "failover"].iter().any(|field| entry.diff.after.contains_key(*field))
}

/// The list of streams of a channel with this address: the settings of the first stream apply while
/// the address is the same, and a further stream with this address is the first. Without either it
/// has the settings that are known of the address.
fn list_of(
    stored: ReplacedStreams,
    (url_type, url): (UrlType, &str),
    known: &[ChannelStream],
) -> ChannelStreams {
    let ReplacedStreams { failover, first, mut further, .. } = stored;
    let is_first = |stream: &ChannelStream| stream.address() == (url_type, url);
    let moved = further.iter().position(is_first).map(|at| further.remove(at));
    let first = first
        .filter(is_first)
        .or(moved)
        .or_else(|| known.iter().find(|stream| is_first(stream)).cloned())
        .unwrap_or_else(|| {
            let url = url.to_owned();
            ChannelStream { label: None, quality: None, url_type, url, headers: Vec::new() }
        });
    ChannelStreams { failover, streams: std::iter::once(first).chain(further).collect() }
}

impl AuditService {
    /// The streams of a channel in an earlier version. They do not exist where the version does
    /// not, or where they were changed since by a version of the server that recorded them as text
    /// alone.
    pub async fn streams_of_version(
        &self,
        channels: &ContentService<TvChannel>,
        streams: &StreamService,
        actor: &Actor,
        channel: Id,
        version: Version,
    ) -> Result<EarlierStreams, Error> {
        let earlier = self.version_of(channels, actor, channel, version).await?;
        let content: TvChannel = serde_json::from_value(Value::Object(earlier.content))
            .map_err(|error| StoreError::Broken(error.to_string()))?;
        let known = streams.find(actor, channel).await?.stored.draft();
        let stored = streams.stored_in(channel, version).await?;
        let item = channel.to_string();
        let changes =
            self.entries.changes_after(Kind::TvChannels.path(), &item, version, MOST_CHANGES).await?;
        // Newest first.
        let changed =
            changes.iter().rfind(|change| changes_streams(change)).and_then(|change| change.version);
        let is_stored = match (changed, stored.replaced_by) {
            (Some(changed), Some(replaced)) => replaced <= changed,
            (changed, _) => changed.is_none(),
        };
        if !is_stored {
            return Err(Error::NoSuch { what: "versions", id: version });
        }
        let streams = list_of(stored, (content.url_type, &content.url), &known.streams);
        Ok(EarlierStreams { version, streams })
    }
}

#[cfg(test)]
mod tests {
    use domain_catalogue::Failover;

    use super::*;

    fn stream(url: &str, label: &str) -> ChannelStream {
        let label = (!label.is_empty()).then(|| label.to_owned());
        ChannelStream {
            label,
            quality: None,
            url_type: UrlType::External,
            url: url.into(),
            headers: Vec::new(),
        }
    }

    fn listed(first: Option<ChannelStream>, further: &[ChannelStream], url: &str) -> Vec<ChannelStream> {
        let failover = Failover::Auto;
        let stored = ReplacedStreams { replaced_by: None, failover, first, further: further.to_vec() };
        let known = [stream("d", "known"), stream("e", "")];
        let list = list_of(stored, (UrlType::External, url), &known);
        assert_eq!(list.failover, failover);
        list.streams
    }

    #[test]
    fn the_first_stream_is_the_one_with_the_channels_address() {
        let (a, b, c) = (stream("a", "first"), stream("b", "second"), stream("c", "third"));
        let further = [b.clone(), c.clone()];
        assert_eq!(listed(Some(a.clone()), &further, "a"), [a.clone(), b.clone(), c.clone()]);
        // The channel got the address of a further stream, and another one.
        assert_eq!(listed(Some(a.clone()), &further, "c"), [c.clone(), b.clone()]);
        assert_eq!(listed(Some(a), &further, "x"), [stream("x", ""), b.clone(), c.clone()]);
        // Without settings of its own.
        assert_eq!(listed(None, &further, "d"), [stream("d", "known"), b, c]);
        assert_eq!(listed(None, &[], "x"), [stream("x", "")]);
    }
}
