//! Named settings.

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_kernel::FieldDiff;
use ports::{Edit, Setting, SettingRepository, StoreError};
use sea_orm::{
    ActiveValue::Set,
    DbErr, EntityTrait, QuerySelect,
    sea_query::{LockType, OnConflict},
};
use serde_json::json;

use crate::{
    Database,
    audit::{Record, fields_of, record_one},
    db::error::store_error,
    entities::settings::{ActiveModel, Column, Entity},
};

/// The store of named settings.
#[derive(Debug, Clone)]
pub struct SeaOrmSettings(pub Database);

impl SeaOrmSettings {
    /// Sets or clears a text, with an audit entry if it changes.
    async fn write(&self, setting: Setting, value: Option<&str>, edit: &Edit) -> Result<(), DbErr> {
        let transaction = self.0.begin().await?;
        let found = Entity::find_by_id(setting.name).lock(LockType::Update).one(&transaction).await?;
        let before = found.map(|row| row.value);
        if before.as_deref() == value {
            return Ok(());
        }
        match value {
            Some(value) => {
                let row = ActiveModel { name: Set(setting.name.to_owned()), value: Set(value.to_owned()) };
                let replaced = OnConflict::column(Column::Name).update_column(Column::Value).to_owned();
                Entity::insert(row).on_conflict(replaced).exec_without_returning(&transaction).await?;
            }
            None => {
                Entity::delete_by_id(setting.name).exec(&transaction).await?;
            }
        }
        let text = |value: Option<&str>| fields_of(&json!({ setting.name: value }));
        let change = Record {
            action: AuditAction::Updated,
            resource: setting.resource,
            item: String::new(),
            title: String::new(),
            version: None,
            diff: FieldDiff { before: text(before.as_deref()), after: text(value) },
        };
        record_one(&transaction, edit, change).await?;
        transaction.commit().await
    }
}

#[async_trait]
impl SettingRepository for SeaOrmSettings {
    async fn find(&self, name: &str) -> Result<Option<String>, StoreError> {
        let row = Entity::find_by_id(name).one(&self.0.reader).await.map_err(store_error)?;
        Ok(row.map(|row| row.value))
    }

    async fn set(&self, setting: Setting, value: &str, edit: &Edit) -> Result<(), StoreError> {
        self.write(setting, Some(value), edit).await.map_err(store_error)
    }

    async fn clear(&self, setting: Setting, edit: &Edit) -> Result<(), StoreError> {
        self.write(setting, None, edit).await.map_err(store_error)
    }
}
