//! Tables that are read and written through SeaORM. Those of contents are in `catalogue`; the lists of the settings page
//! describe their tables in `settings`.

pub(crate) mod app_settings;
pub(crate) mod audit_entries;
pub(crate) mod backups;
pub(crate) mod bulk_operation_rows;
pub(crate) mod bulk_operation_slices;
pub(crate) mod bulk_operations;
pub(crate) mod customer_snoozes;
pub(crate) mod default_views;
pub(crate) mod entries;
pub(crate) mod expiration_edits;
pub(crate) mod idempotency_keys;
pub(crate) mod integrator_key_days;
pub(crate) mod integrator_keys;
pub(crate) mod issue_history;
pub(crate) mod issue_items;
pub(crate) mod issue_reports;
pub(crate) mod leases;
pub(crate) mod notice_cursors;
pub(crate) mod notice_views;
pub(crate) mod operations;
pub(crate) mod reversal_requests;
pub(crate) mod saved_views;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod sheet_columns;
pub(crate) mod sheet_slices;
pub(crate) mod sheets;
pub(crate) mod subscription_notices;
pub(crate) mod trash;
pub(crate) mod user_notes;
pub(crate) mod users;
pub(crate) mod visits;
pub(crate) mod webhook_deliveries;
pub(crate) mod webhooks;
