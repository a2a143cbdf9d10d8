//! Live TV: playlist entries and their identity, channel names and the matching of guides (docs/spec/live-tv.md).
//!
//! Pure: no I/O, no clock.

pub mod account;
pub mod address;
pub mod adult;
pub mod channel;
pub mod diff;
pub mod distance;
pub mod entry;
pub mod fetch;
pub mod guide;
pub mod guide_fetch;
pub mod headers;
pub mod health;
pub mod link;
pub mod matching;
pub mod playlist;
pub mod profile;
pub mod programme;
pub mod run;
pub mod schedule;
pub mod source;
