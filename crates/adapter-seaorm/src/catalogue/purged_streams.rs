//! The streams of channels that are removed from the trash for good, for the audit log.

use std::collections::{HashMap, hash_map::Entry};

use domain_catalogue::{ChannelStream, Failover, UrlType};
use domain_kernel::{Id, Kind};
use sea_orm::DbErr;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    stream_rows::{rows_of_lists, stream_in},
    streams::recorded,
};
use crate::{
    db::{
        error::db_error,
        transaction::Transaction,
        values::{get, member},
    },
    entities::trash::Model,
};

/// A channel's own URL in its row of the trash.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnAddress {
    url_type: UrlType,
    url: String,
}

/// A channel's own URL as a stream; none in a row of an earlier version that is not readable, as such
/// a row is removed too.
fn own_stream(row: &Model) -> Option<ChannelStream> {
    let OwnAddress { url_type, url } = serde_json::from_str(&row.document).ok()?;
    Some(ChannelStream { label: None, quality: None, url_type, url, headers: Vec::new() })
}

/// The streams of the channels among these rows of the trash, as the audit log has them. A trigger
/// deletes them with these rows, and the channels have no rows of their own any more. Channels with
/// nothing but a URL are omitted.
pub(crate) async fn purged_streams(
    transaction: &Transaction,
    rows: &[Model],
) -> Result<HashMap<Id, Map<String, Value>>, DbErr> {
    let channels = rows.iter().filter(|row| row.kind == Kind::TvChannels.path());
    let channels: HashMap<Id, &Model> = channels.map(|row| (row.item_id, row)).collect();
    if channels.is_empty() {
        return Ok(HashMap::new());
    }
    let mut lists: HashMap<Id, (Failover, Vec<ChannelStream>)> = HashMap::new();
    for row in &rows_of_lists(transaction, channels.keys().copied()).await? {
        let id: Id = get(row, "channel_id").map_err(db_error)?;
        let Some(channel) = channels.get(&id) else { continue };
        let (_, streams) = match lists.entry(id) {
            Entry::Occupied(list) => list.into_mut(),
            Entry::Vacant(list) => {
                let failover = get::<String>(row, "failover").and_then(|code| member(&code));
                list.insert((failover.map_err(db_error)?, own_stream(channel).into_iter().collect()))
            }
        };
        let Some(position) = get::<Option<i32>>(row, "position").map_err(db_error)? else { continue };
        let stream = stream_in(row).map_err(db_error)?;
        // As where streams are read: the first row applies while it has the channel's URL.
        match streams.first_mut().filter(|first| first.address() == stream.address()) {
            Some(first) => *first = stream,
            None if position > 0 => streams.push(stream),
            None => {}
        }
    }
    Ok(lists.into_iter().map(|(id, (failover, streams))| (id, recorded(failover, streams.iter()))).collect())
}
