//! The trash is ordered by titles as other lists are: from their first letter or digit on, on both databases.

use sea_orm::{DbBackend, Statement};
use sea_orm_migration::prelude::*;

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Entries per batch.
const AT_ONCE: i64 = 2_000;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        let column = key("title_key", backend).default("").to_owned();
        manager.alter_table(Table::alter().table("trash").add_column(column).to_owned()).await?;
        // Most titles begin with a letter or a digit: their searchable text equals their sort key.
        db.execute_unprepared("UPDATE trash SET title_key = search_text").await?;
        let others = match backend {
            DbBackend::Sqlite => "search_text NOT GLOB '[a-z0-9]*'",
            _ => "search_text !~ '^[a-z0-9]'",
        };
        let mut after = 0_i64;
        loop {
            let find = format!(
                "SELECT id, search_text FROM trash WHERE id > {after} AND {others} ORDER BY id LIMIT {AT_ONCE}"
            );
            let rows = db.query_all_raw(Statement::from_string(backend, find)).await?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                after = row.try_get("", "id")?;
                let text: String = row.try_get("", "search_text")?;
                let title_key = text.trim_start_matches(|c: char| !c.is_alphanumeric());
                if !title_key.is_empty() && title_key.len() < text.len() {
                    let set = "UPDATE trash SET title_key = $1 WHERE id = $2";
                    let values = [title_key.into(), after.into()];
                    db.execute_raw(Statement::from_sql_and_values(backend, set, values)).await?;
                }
            }
        }
        if backend == DbBackend::Sqlite {
            // Without statistics it filters the entries by kind and sorts them, whatever their order.
            return Ok(());
        }
        let index = "CREATE INDEX trash_by_title ON trash (title_key, id) WHERE part_of IS NULL";
        db.execute_unprepared(index).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // The index is dropped with it.
        let drop_column = "ALTER TABLE trash DROP COLUMN title_key";
        manager.get_connection().execute_unprepared(drop_column).await.map(drop)
    }
}
