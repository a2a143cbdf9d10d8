//! Categories.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const CATEGORIES: Content = Content {
    table: "categories",
    sorts: &["description_key", "english_description_key", "type", "active"],
    facets: &[("type", "text"), ("active", "boolean")],
};

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = CATEGORIES.columns(backend);
        table
            .col(text("description"))
            .col(key("description_key", backend))
            .col(text("english_description"))
            .col(key("english_description_key", backend))
            .col(text("type"))
            .col(boolean("active"));
        manager.create_table(table).await?;
        CATEGORIES.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        CATEGORIES.drop(manager).await
    }
}
