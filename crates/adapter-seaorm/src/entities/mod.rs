//! Tables that are read and written through SeaORM. Those of contents are in `catalogue`.

pub(crate) mod app_settings;
pub(crate) mod backups;
pub(crate) mod expiration_edits;
pub(crate) mod idempotency_keys;
pub(crate) mod integrator_key_days;
pub(crate) mod integrator_keys;
pub(crate) mod issue_history;
pub(crate) mod issue_items;
pub(crate) mod issue_reports;
pub(crate) mod leases;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod users;
pub(crate) mod visits;
pub(crate) mod webhook_deliveries;
pub(crate) mod webhooks;
