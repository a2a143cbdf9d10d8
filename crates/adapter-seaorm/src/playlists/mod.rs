//! Sources of playlists, their runs and entries (docs/adr/0031-entries-in-the-store.md).
//!
//! An entry is a row with the lifetime of its source. Runs update entries in slices, only for
//! differences: an interrupted run restarts and finds what was already written.

mod applying;
mod entries;
mod entry_rows;
mod groups;
mod run_lists;
mod runs;
mod sources;

use domain_kernel::{Id, Kind};
use domain_live::{entry::Entry, run::PlaylistRun};
use ports::{StoreError, StoredEntry};

pub(crate) use self::{
    applying::{are_expected, link_entries, not_applying},
    runs::note_operations,
    sources::{count_of_category, exchange_category},
};
pub(crate) use crate::db::values::json;
use crate::{
    Database,
    db::values::{broken, member, text_of},
    entities::{playlist_entries, playlist_runs},
};

/// Repository of sources, runs and entries.
#[derive(Debug, Clone)]
pub struct SeaOrmPlaylists(pub Database);

/// Kind of entries that are further streams of channels; their item is the channel.
pub(crate) const STREAMS: &str = "channel-streams";
/// Rows per statement: limits the wait of other requests for the thread.
const ROWS_AT_ONCE: usize = 100;

fn run_of(row: playlist_runs::Model) -> Result<PlaylistRun, StoreError> {
    Ok(PlaylistRun {
        id: row.id,
        source: row.source_id,
        state: member(&row.state)?,
        scheduled: row.scheduled,
        file_name: row.file_name,
        accept_loss: row.accept_loss,
        created_by: row.created_by,
        created_date: row.created_date,
        finished_date: row.finished_date,
        fault: row.fault.as_deref().map(member).transpose()?,
        status_code: row.status_code.and_then(|code| u16::try_from(code).ok()),
        limit: row.limit_value,
        counts: json(&row.counts)?,
        guides: json(&row.guides)?,
        operations: json(&row.operations)?,
        apply_fault: row.apply_fault.as_deref().map(member).transpose()?,
    })
}

/// An entry without its candidates, and their IDs.
fn entry_of(row: playlist_entries::Model) -> Result<(StoredEntry, Vec<Id>), StoreError> {
    let kind = row.item_kind.as_deref().and_then(Kind::from_path);
    let entry: Entry = json(&row.content)?;
    let stored = StoredEntry {
        id: row.id,
        change: member(&row.change)?,
        entry,
        applied: row.applied.as_deref().map(json).transpose()?,
        item: kind.zip(row.item_id).filter(|_| row.in_use),
        stream_of: row.item_id.filter(|_| row.in_use && row.item_kind.as_deref() == Some(STREAMS)),
        sign: row.sign.as_deref().map(member).transpose()?,
        ignored: row.ignored,
        missing_since: row.missing_since,
        candidates: Vec::new(),
        duplicate_of: None,
    };
    let candidates = row.candidates.as_deref().map(json).transpose()?.unwrap_or_default();
    Ok((stored, candidates))
}
