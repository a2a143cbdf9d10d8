//! TV guides.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const TV_GUIDES: Content =
    Content { table: "tv_guides", sorts: &["title_key", "active"], facets: &[("active", "boolean")] };

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = TV_GUIDES.columns(backend);
        table
            .col(text("title"))
            .col(key("title_key", backend))
            .col(text("url"))
            .col(boolean("active"))
            .col(boolean("gzip"));
        manager.create_table(table).await?;
        TV_GUIDES.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        TV_GUIDES.drop(manager).await
    }
}
