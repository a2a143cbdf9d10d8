//! Tables that are read and written through SeaORM. Those of contents are in `catalogue`.

pub(crate) mod app_settings;
pub(crate) mod backups;
pub(crate) mod idempotency_keys;
pub(crate) mod integrator_key_days;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod users;
