//! The admin who decided to keep a key whose creator is no longer an active admin.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = text_null("kept_by");
        manager.alter_table(Table::alter().table("integrator_keys").add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table("integrator_keys").drop_column("kept_by").to_owned()).await
    }
}
