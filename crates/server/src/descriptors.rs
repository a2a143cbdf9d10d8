//! File descriptors: the limit of the process, and the number of connections within it.

use anyhow::Context;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors reserved for the database, files and outgoing connections.
const RESERVED: u64 = 256;

/// Raises the soft limit of descriptors to the hard limit; returns the number of connections within
/// it.
pub(crate) fn raise_limit() -> anyhow::Result<usize> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
            .context("failed to raise the limit of open files")?;
    }
    // A connection needs two: its socket, and the duplicate for its shutdown.
    let connections = limit.maximum.map_or(u64::MAX, |most| most.saturating_sub(RESERVED) / 2);
    Ok(usize::try_from(connections).unwrap_or(usize::MAX).max(16))
}
