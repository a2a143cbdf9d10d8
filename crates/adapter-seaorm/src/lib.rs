//! The stores in SQLite or PostgreSQL, through SeaORM, with the same behaviour on both.
//!
//! Only this crate has entities, SQL and connection settings; rules are in the domain crates. `db`
//! has connections, errors and retries, `list` the list engine; every other module belongs to a
//! domain. For another kind of content, add an entity to `catalogue`
//! (docs/adding-a-content-type.md).

mod activity;
mod audit;
pub mod backup;
mod backup_log;
pub mod catalogue;
mod category_types;
mod dashboards;
mod db;
mod entities;
mod guides;
mod idempotency;
mod imported_movements;
mod issues;
mod keys;
mod leases;
mod ledger;
mod link_reports;
mod links;
mod list;
mod live_profiles;
mod matches;
mod notices;
mod operations;
mod playlists;
mod purging;
mod renewals;
mod report_items;
mod retention;
mod saved_views;
mod sessions;
mod settings;
mod sheets;
mod user_notes;
mod users;
mod visits;
mod webhooks;

pub use activity::SeaOrmActivity;
pub use audit::SeaOrmAudit;
pub use backup_log::SeaOrmBackups;
pub use catalogue::{
    SeaOrmDuplicates, SeaOrmEntryStreams, SeaOrmLinkSwitches, SeaOrmStreams, SeaOrmTrash, SeaOrmViews,
};
pub use dashboards::SeaOrmDashboards;
pub use db::{Database, DatabaseSettings, Sql, Transaction, sqlite_file};
pub use guides::SeaOrmGuides;
pub use issues::SeaOrmIssues;
pub use keys::SeaOrmKeys;
pub use leases::SeaOrmLeases;
pub use ledger::{Faults, SeaOrmLedger, SeaOrmUserSheets};
pub use link_reports::SeaOrmLinkReports;
pub use links::SeaOrmLinks;
pub use live_profiles::SeaOrmLiveProfiles;
pub use matches::SeaOrmMatches;
pub use notices::SeaOrmNotices;
pub use operations::SeaOrmOperations;
pub use playlists::SeaOrmPlaylists;
pub use renewals::SeaOrmRenewals;
pub use retention::SeaOrmRetention;
pub use saved_views::SeaOrmSavedViews;
pub use sessions::SeaOrmSessions;
pub use settings::{EntryTable, SeaOrmAppSettings, SeaOrmEntries, SeaOrmSettings};
pub use sheets::SeaOrmSheets;
pub use user_notes::SeaOrmUserNotes;
pub use users::{SeaOrmSubscriptionEnds, SeaOrmUsers};
pub use visits::SeaOrmVisits;
pub use webhooks::SeaOrmWebhooks;
