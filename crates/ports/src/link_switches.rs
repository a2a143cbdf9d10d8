//! Items that the service switches off while no link of theirs plays.

use async_trait::async_trait;
use domain_kernel::{Id, Version};
use domain_live::link::LinkOwner;

use crate::{Edit, StoreError};

/// A channel or a station as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchedItem {
    /// What kind of item it is.
    pub owner: LinkOwner,
    /// The item.
    pub item: Id,
    /// Its version then.
    pub version: Version,
}

/// Switches items off and on again.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkSwitches: Send + Sync {
    /// Active items whose links are all down and none of which is requested, at most so many of each kind.
    async fn dead(&self, most: u32) -> Result<Vec<SwitchedItem>, StoreError>;

    /// Items that the service switched off, that nobody has activated since, and of which a link is up, at most so many of each
    /// kind.
    async fn recovered(&self, most: u32) -> Result<Vec<SwitchedItem>, StoreError>;

    /// Switches an item off, and remembers that the service did it, in one transaction. Answers `false`, and changes nothing,
    /// where it has another version or a link that is not down.
    async fn switch_off(&self, item: SwitchedItem, edit: Edit) -> Result<bool, StoreError>;

    /// Switches an item on that the service switched off, in one transaction. Answers `false`, and changes nothing, where
    /// it has another version, or no link is up.
    async fn switch_on(&self, item: SwitchedItem, edit: Edit) -> Result<bool, StoreError>;

    /// Forgets items that were activated or removed since they were switched off.
    async fn forget_changed(&self) -> Result<u64, StoreError>;
}
