//! Items switched off by the service while all their links are down.

use async_trait::async_trait;
use domain_kernel::{Id, Version};
use domain_live::link::LinkOwner;

use crate::{Edit, StoreError};

/// A channel or a station as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchedItem {
    /// Kind of the item.
    pub owner: LinkOwner,
    pub item: Id,
    /// Version that was read.
    pub version: Version,
}

/// Switches items off and on again.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkSwitches: Send + Sync {
    /// Active items whose links are all down and not requested, limited per kind.
    async fn dead(&self, most: u32) -> Result<Vec<SwitchedItem>, StoreError>;

    /// Items switched off by the service, not activated by a user since, with a link that is up; limited per
    /// kind.
    async fn recovered(&self, most: u32) -> Result<Vec<SwitchedItem>, StoreError>;

    /// Switches an item off and records it, in one transaction. Returns `false`, without a change, where it
    /// has another version or a link that is not down.
    async fn switch_off(&self, item: SwitchedItem, edit: Edit) -> Result<bool, StoreError>;

    /// Switches an item on again, in one transaction. Returns `false`, without a change, where it has another
    /// version or no link is up.
    async fn switch_on(&self, item: SwitchedItem, edit: Edit) -> Result<bool, StoreError>;

    /// Deletes the records of items that were activated or removed since they were switched off.
    async fn forget_changed(&self) -> Result<u64, StoreError>;
}
