//! The promises of the store, kept alike by SQLite and PostgreSQL (where `TEST_PG_URL` names a server).

mod access;
mod climbing;
mod counting;
mod crew;
mod history;
mod hooks;
mod importing;
mod indexes;
mod kinds;
mod ledger;
mod ledger_faults;
mod ledger_machine;
mod ledger_races;
mod listing;
mod middle;
mod once;
mod outbox;
mod people;
mod references;
mod searching;
mod statements;
mod subscription_ends;
mod support;
mod webhooks;
mod world;
mod writing;
