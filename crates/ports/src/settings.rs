//! The store of settings changed by staff.

use async_trait::async_trait;

use crate::{Edit, StoreError};

/// A named setting, with its resource type in the audit log: one of [`domain_audit::resources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    pub name: &'static str,
    /// Resource type in the audit log.
    pub resource: &'static str,
}

/// Stores named settings.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SettingRepository: Send + Sync {
    /// Value of a setting; `None` if it is not set.
    async fn find(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Sets a value.
    async fn set(&self, setting: Setting, value: &str, edit: &Edit) -> Result<(), StoreError>;

    /// Removes a value.
    async fn clear(&self, setting: Setting, edit: &Edit) -> Result<(), StoreError>;
}
