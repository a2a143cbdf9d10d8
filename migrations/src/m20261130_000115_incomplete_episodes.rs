//! Indexes of what seasons and episodes lack, as migration 41 has them for titles: lists are filtered by it, and the
//! completeness board counts it.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::content::without_links;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Name, table and condition. The conditions are those of `adapter-seaorm/src/catalogue/filters.rs`, without the alias.
fn indexes(backend: DbBackend) -> Vec<(String, &'static str, &'static str)> {
    let texts = [
        ("cover", "WHERE cover_image_url IS NULL"),
        ("spanish_synopsis", "WHERE spanish_synopsis IS NULL"),
        ("english_synopsis", "WHERE english_synopsis IS NULL"),
    ];
    let mut all = Vec::new();
    for table in ["seasons", "episodes"] {
        all.extend(
            texts.iter().map(|(part, condition)| (format!("{table}_without_{part}"), table, *condition)),
        );
    }
    all.push(("episodes_without_links".to_owned(), "episodes", without_links(backend)));
    all
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, table, condition) in indexes(manager.get_database_backend()) {
            // The filters that rows are counted by come along.
            let sql = format!("CREATE INDEX {name} ON {table} (id, tv_show_id, active) {condition}");
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, ..) in indexes(manager.get_database_backend()) {
            manager.get_connection().execute_unprepared(&format!("DROP INDEX {name}")).await?;
        }
        Ok(())
    }
}
