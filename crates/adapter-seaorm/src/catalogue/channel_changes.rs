//! Bulk changes of channels with their streams, in slices.

use std::collections::HashMap;

use domain_catalogue::{ChannelStream, ChannelStreams, Content as _, Stored, TvChannel};
use domain_kernel::{Id, Version};
use domain_operations::Verdict;
use ports::{Edit, StoredStream, StoredStreams};
use sea_orm::DbErr;

use super::{
    stream_lists::{List, read},
    streams::{StreamWrite, numbered, overwrite_streams},
};
use crate::{
    category_types::require_category_types,
    db::{error::db_error, transaction::Transaction},
};

/// The change of a channel and its streams in a slice of a bulk operation.
pub(super) struct ChannelChange {
    pub(super) channel: Id,
    /// Version that was read.
    pub(super) version: Version,
    pub(super) content: TvChannel,
    pub(super) streams: ChannelStreams,
}

/// Changes those of the locked channels that still have the version that was read, with their streams.
pub(super) async fn change_in_slice(
    transaction: &Transaction,
    changes: &[ChannelChange],
    locked: &HashMap<Id, Stored<TvChannel>>,
    edit: &Edit,
) -> Result<Vec<(Id, Verdict)>, DbErr> {
    let ids: Vec<Id> = changes.iter().map(|change| change.channel).collect();
    let lists = read(transaction, &ids, false).await.map_err(db_error)?;
    let mut lists: HashMap<Id, List> = lists.into_iter().map(|list| (list.streams.channel, list)).collect();
    let (mut verdicts, mut writes, mut references) = (Vec::new(), Vec::new(), Vec::new());
    for ChannelChange { channel, version, content, streams } in changes {
        let (Some(current), Some(before)) = (locked.get(channel), lists.remove(channel)) else {
            verdicts.push((*channel, Verdict::Missing));
            continue;
        };
        if before.streams.version != *version {
            verdicts.push((*channel, Verdict::Conflict));
            continue;
        }
        let (numbered, next_number) = numbered_by_place(&before, streams.streams.clone());
        let streams =
            StoredStreams { streams: numbered, failover: streams.failover, ..before.streams.clone() };
        references.extend(content.references());
        writes.push(StreamWrite {
            current: current.clone(),
            content: content.clone(),
            before,
            list: List { streams, next_number, is_first_elsewhere: false },
        });
        verdicts.push((*channel, Verdict::Changed));
    }
    if writes.is_empty() {
        return Ok(verdicts);
    }
    require_category_types(transaction, &references).await?;
    overwrite_streams(transaction, &writes, &[], edit).await?;
    Ok(verdicts)
}

/// The streams of a bulk change with their numbers. Such a change neither adds, removes nor moves a stream, so each one
/// keeps its number, origin and entry, also with another URL.
fn numbered_by_place(before: &List, streams: Vec<ChannelStream>) -> (Vec<StoredStream>, i64) {
    let known = &before.streams.streams;
    if known.len() != streams.len() {
        return numbered(before, streams);
    }
    let stored = known.iter().zip(streams);
    let stored = stored.map(|(known, stream)| StoredStream { stream, has_details: true, ..known.clone() });
    (stored.collect(), before.next_number)
}
