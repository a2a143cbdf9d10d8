//! Links of films and other on-demand items, stored once they are requested or reported.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Id;
use domain_live::link::{Link, LinkOwner};

use crate::{CatalogueLink, StoreError};

/// Stores the requested links of on-demand items.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ItemLinks: Send + Sync {
    /// Links of an item in the catalogue, in order, with an empty host; `None` where the item does not exist.
    async fn catalogued(&self, owner: LinkOwner, item: Id) -> Result<Option<Vec<CatalogueLink>>, StoreError>;

    /// Inserts or updates these links and makes them due now, in one statement.
    async fn request_probes(&self, links: &[CatalogueLink], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Stored links of an item, in order.
    async fn kept(&self, owner: LinkOwner, item: Id) -> Result<Vec<Link>, StoreError>;
}
