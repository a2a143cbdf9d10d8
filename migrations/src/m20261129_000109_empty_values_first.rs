//! Orders by a nullable column have nulls first on both databases: the indexes of PostgreSQL, whose default
//! is nulls last, get that order too.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Each index with its table, the column, and the following columns.
const INDEXES: [(&str, &str, &str, &str); 3] = [
    ("tv_shows_by_total_episodes", "tv_shows", "total_episodes", ", id, category_id, active"),
    ("episodes_by_air_date", "episodes", "air_date", ", id, tv_show_id, active"),
    ("links_by_probe", "links", "probed_at", ""),
];

/// Recreates the indexes; `order` follows the column. SQLite has the order by default.
async fn index(manager: &SchemaManager<'_>, order: &str) -> Result<(), DbErr> {
    if manager.get_database_backend() == DbBackend::Sqlite {
        return Ok(());
    }
    for (name, table, column, others) in INDEXES {
        for sql in [
            format!("DROP INDEX {name}"),
            format!("CREATE INDEX {name} ON {table} ({column}{order}{others})"),
        ] {
            manager.get_connection().execute_unprepared(&sql).await?;
        }
    }
    Ok(())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        index(manager, " NULLS FIRST").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        index(manager, "").await
    }
}
