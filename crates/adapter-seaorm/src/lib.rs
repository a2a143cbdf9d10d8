//! Keeps everything in SQLite or PostgreSQL, through SeaORM: one behaviour on both.
//!
//! Entities, SQL and connection settings live here and nowhere else; rules don't. To keep another kind of content,
//! add an entity to `contents/` and a line to its tests (docs/adding-a-content-type.md).

mod connection;
pub mod contents;
mod dashboards;
mod error;
mod leases;
mod ledger;
mod paging;
mod people;
mod sessions;
mod settings;
mod sql;
mod subscription_ends;
mod users;
mod webhooks;

pub use connection::{Database, DatabaseSettings};
pub use dashboards::SeaOrmDashboards;
pub use leases::SeaOrmLeases;
pub use ledger::{Faults, SeaOrmLedger};
pub use people::SeaOrmPeople;
pub use sessions::SeaOrmSessions;
pub use settings::SeaOrmSettings;
pub use subscription_ends::SeaOrmSubscriptionEnds;
pub use users::SeaOrmUsers;
pub use webhooks::SeaOrmWebhooks;
