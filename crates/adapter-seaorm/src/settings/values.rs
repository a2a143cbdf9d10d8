//! Named settings.

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_kernel::FieldDiff;
use ports::{Edit, Setting, SettingRepository, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, LockType, OnConflict},
};
use serde_json::json;

use crate::{
    Database,
    audit::{Record, fields_of, record_one},
    db::{error::store_error, transaction::Transaction},
    entities::settings::{ActiveModel, Column, Entity},
};

/// The store of named settings.
#[derive(Debug, Clone)]
pub struct SeaOrmSettings(pub Database);

impl SeaOrmSettings {
    /// Sets or clears a text, with an audit entry if it changes.
    async fn write(&self, setting: Setting, value: Option<&str>, edit: &Edit) -> Result<(), DbErr> {
        let transaction = self.0.begin().await?;
        let before = locked_or_added(&transaction, setting.name, value).await?;
        if before.as_deref() == value {
            return Ok(());
        }
        match (&before, value) {
            // The row was added with the text.
            (None, _) => {}
            (Some(_), Some(value)) => {
                Entity::update_many()
                    .col_expr(Column::Value, Expr::val(value))
                    .filter(Column::Name.eq(setting.name))
                    .exec(&transaction)
                    .await?;
            }
            (Some(_), None) => {
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

/// The stored text, locked until the transaction ends. Without one, adds the row with this value, if
/// there is one.
async fn locked_or_added(
    transaction: &Transaction,
    name: &str,
    value: Option<&str>,
) -> Result<Option<String>, DbErr> {
    loop {
        let found = Entity::find_by_id(name).lock(LockType::Update).one(transaction).await?;
        if let Some(row) = found {
            return Ok(Some(row.value));
        }
        let Some(value) = value else { return Ok(None) };
        let row = ActiveModel { name: Set(name.to_owned()), value: Set(value.to_owned()) };
        let ignored = OnConflict::column(Column::Name).do_nothing().to_owned();
        // PostgreSQL waits for another transaction that adds the row. If that one commits, no row is
        // added, and the next read finds its text.
        if Entity::insert(row).on_conflict(ignored).exec_without_returning(transaction).await? == 1 {
            return Ok(None);
        }
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
