//! Byte order for user names, as for other sort keys: PostgreSQL ordered them by its locale, in which `ana_1`
//! precedes `ana1`. It gets an index of that order, too; SQLite has both by the unique index.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

async fn run_on_postgres(manager: &SchemaManager<'_>, statements: [&str; 2]) -> Result<(), DbErr> {
    if manager.get_database_backend() == DbBackend::Sqlite {
        return Ok(());
    }
    for sql in statements {
        manager.get_connection().execute_unprepared(sql).await?;
    }
    Ok(())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let statements = [
            "ALTER TABLE users ALTER COLUMN username_key TYPE text COLLATE \"C\"",
            "CREATE INDEX users_by_username_key ON users (username_key, id)",
        ];
        run_on_postgres(manager, statements).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let statements = [
            "DROP INDEX users_by_username_key",
            "ALTER TABLE users ALTER COLUMN username_key TYPE text COLLATE \"default\"",
        ];
        run_on_postgres(manager, statements).await
    }
}
