//! The store of settings that staff change.

use async_trait::async_trait;

use crate::StoreError;

/// Keeps named texts.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SettingRepository: Send + Sync {
    /// The text under a name; `None` where none was set.
    async fn find(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Sets the text under a name.
    async fn set(&self, name: &str, value: &str) -> Result<(), StoreError>;

    /// Leaves nothing under a name.
    async fn clear(&self, name: &str) -> Result<(), StoreError>;
}
