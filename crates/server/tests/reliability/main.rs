//! The binary under load, as real processes: acknowledged writes are stored, whatever happens
//! beside them.
//!
//! Each test has a short version that runs in CI. `CARTELERA_ROUNDS` sets the number of rounds;
//! scripts/reliability runs the long versions.

mod backup;
mod bad_files;
mod beside_commands;
mod bulk_edits;
mod bulk_operations;
mod catalogue_edits;
mod crashes;
mod demo;
mod disk_full;
mod events;
mod guides;
mod harness;
mod imports;
mod live_edits;
mod matching;
mod migrations;
mod ndjson;
mod operation_edits;
mod playlists;
mod postgres_outage;
mod probing;
mod saved_views;
mod second_process;
mod settings_edits;
mod stream_edits;
mod superadmins;
mod undos;
mod unknown_fields;
mod user_imports;
