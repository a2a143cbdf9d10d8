//! Categories.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::Content;

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
        let mut table = CATEGORIES.columns();
        table
            .col(text("description"))
            .col(text("description_key"))
            .col(text("english_description"))
            .col(text("english_description_key"))
            .col(text("type"))
            .col(boolean("active"));
        manager.create_table(table).await?;
        CATEGORIES.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        CATEGORIES.drop(manager).await
    }
}
