//! The store of settings that staff change.

use async_trait::async_trait;

use crate::{Edit, StoreError};

/// A named text, and what the audit log calls it: one of [`domain_audit::resources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The name.
    pub name: &'static str,
    /// The resource of the audit log.
    pub resource: &'static str,
}

/// Keeps named texts.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SettingRepository: Send + Sync {
    /// The text under a name; `None` where none was set.
    async fn find(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Sets the text under a name.
    async fn set(&self, setting: Setting, value: &str, edit: &Edit) -> Result<(), StoreError>;

    /// Leaves nothing under a name.
    async fn clear(&self, setting: Setting, edit: &Edit) -> Result<(), StoreError>;
}
