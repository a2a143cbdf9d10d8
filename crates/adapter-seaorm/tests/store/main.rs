//! The promises of the store, kept alike by SQLite and PostgreSQL (where `TEST_PG_URL` names a server).

mod access;
mod app_settings;
mod climbing;
mod counting;
mod crew;
mod history;
mod importing;
mod indexes;
mod issues;
mod kinds;
mod ledger;
mod ledger_faults;
mod ledger_machine;
mod ledger_races;
mod listing;
mod middle;
mod once;
mod people;
mod references;
mod searching;
mod statements;
mod support;
mod visits;
mod world;
mod writing;
