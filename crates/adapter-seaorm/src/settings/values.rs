//! Named settings that staff change.

use async_trait::async_trait;
use ports::{SettingRepository, StoreError};
use sea_orm::{ActiveValue::Set, EntityTrait, sea_query::OnConflict};

use crate::{
    Database,
    db::error::store_error,
    entities::settings::{ActiveModel, Column, Entity},
};

/// Keeps settings.
#[derive(Debug, Clone)]
pub struct SeaOrmSettings(pub Database);

#[async_trait]
impl SettingRepository for SeaOrmSettings {
    async fn find(&self, name: &str) -> Result<Option<String>, StoreError> {
        let row = Entity::find_by_id(name).one(&self.0.reader).await.map_err(store_error)?;
        Ok(row.map(|row| row.value))
    }

    async fn set(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let row = ActiveModel { name: Set(name.to_owned()), value: Set(value.to_owned()) };
        let replaced = OnConflict::column(Column::Name).update_column(Column::Value).to_owned();
        let insert = Entity::insert(row).on_conflict(replaced);
        insert.exec_without_returning(&self.0.writer).await.map(drop).map_err(store_error)
    }

    async fn clear(&self, name: &str) -> Result<(), StoreError> {
        Entity::delete_by_id(name).exec(&self.0.writer).await.map(drop).map_err(store_error)
    }
}
