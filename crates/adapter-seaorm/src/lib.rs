//! Keeps everything in SQLite or PostgreSQL, through SeaORM: one behaviour on both.
//!
//! Entities, SQL and connection settings live here and nowhere else; rules don't. To keep another kind of content,
//! add an entity to `contents/` and a line to its tests (docs/adding-a-content-type.md).

mod app_settings;
pub mod backup;
mod backups;
mod connection;
pub mod contents;
mod dashboards;
mod error;
mod issues;
mod keys;
mod leases;
mod ledger;
mod list;
mod once;
mod people;
mod retention;
mod retries;
mod sessions;
mod settings;
mod sql;
mod subscription_ends;
mod transaction;
mod users;
mod views;
mod visits;
mod webhooks;

pub use app_settings::{EntryTable, SeaOrmAppSettings, SeaOrmEntries};
pub use backups::SeaOrmBackups;
pub use connection::{Database, DatabaseSettings};
pub use dashboards::SeaOrmDashboards;
pub use issues::SeaOrmIssues;
pub use keys::SeaOrmKeys;
pub use leases::SeaOrmLeases;
pub use ledger::{Faults, SeaOrmLedger};
pub use people::SeaOrmPeople;
pub use retention::SeaOrmRetention;
pub use sessions::SeaOrmSessions;
pub use settings::SeaOrmSettings;
pub use subscription_ends::SeaOrmSubscriptionEnds;
pub use users::SeaOrmUsers;
pub use views::SeaOrmViews;
pub use visits::SeaOrmVisits;
pub use webhooks::SeaOrmWebhooks;
