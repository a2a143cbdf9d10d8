//! Live TV: playlist entries and their identity, channel names and the matching of guides (docs/spec/live-tv.md).
//!
//! Pure: no I/O, no clock.
