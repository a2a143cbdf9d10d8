//! Links of films and other items, which are kept where somebody requested them or reported them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Id;
use domain_live::link::{Link, LinkOwner};

use crate::{CatalogueLink, StoreError};

/// Keeps the links of items that somebody requested.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ItemLinks: Send + Sync {
    /// The links of an item as the catalogue has them, in their order; `None` where there is no such item. The host is left
    /// empty.
    async fn catalogued(&self, owner: LinkOwner, item: Id) -> Result<Option<Vec<CatalogueLink>>, StoreError>;

    /// Adds these links, or puts them in the place of what there is, and makes them due now, in one statement.
    async fn request_probes(&self, links: &[CatalogueLink], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// The links of an item that are kept, in their order.
    async fn kept(&self, owner: LinkOwner, item: Id) -> Result<Vec<Link>, StoreError>;
}
