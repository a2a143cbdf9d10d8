//! Settings that staff change.

use async_trait::async_trait;
use ports::{SettingRepository, StoreError};
use sea_orm::ConnectionTrait;

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
};

/// Keeps settings.
#[derive(Debug, Clone)]
pub struct SeaOrmSettings(pub Database);

#[async_trait]
impl SettingRepository for SeaOrmSettings {
    async fn find(&self, name: &str) -> Result<Option<String>, StoreError> {
        let mut sql = Sql::new("SELECT value FROM settings WHERE name = ");
        sql.bind(name);
        let row = self.0.reader.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        row.map(|row| row.try_get("", "value")).transpose().map_err(store_error)
    }

    async fn set(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let mut sql = Sql::new("INSERT INTO settings (name, value) VALUES (");
        sql.bind(name).push(", ").bind(value);
        sql.push(") ON CONFLICT (name) DO UPDATE SET value = excluded.value");
        self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map(drop).map_err(store_error)
    }

    async fn clear(&self, name: &str) -> Result<(), StoreError> {
        let mut sql = Sql::new("DELETE FROM settings WHERE name = ");
        sql.bind(name);
        self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map(drop).map_err(store_error)
    }
}
