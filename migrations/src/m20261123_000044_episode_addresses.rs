//! Indexes of the stream URLs of episodes, as those of other items in migration 43.

use sea_orm_migration::prelude::*;

use crate::content::link_indexes;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, url) in link_indexes(manager.get_database_backend()) {
            let create = format!("CREATE INDEX episodes_by_{name}_link ON episodes ({url})");
            manager.get_connection().execute_unprepared(&create).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, _) in link_indexes(manager.get_database_backend()) {
            let drop = format!("DROP INDEX episodes_by_{name}_link");
            manager.get_connection().execute_unprepared(&drop).await?;
        }
        Ok(())
    }
}
