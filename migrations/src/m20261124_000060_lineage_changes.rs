//! Lineage of users before a change of the registrar, against which the ledger's scope is checked.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let id = if sqlite { "integer PRIMARY KEY AUTOINCREMENT" } else { "bigserial PRIMARY KEY" };
        let moment = if sqlite { "timestamp_with_timezone_text" } else { "timestamp with time zone" };
        // The numbers of the user's last movements, which order the change among them.
        run(&format!(
            "CREATE TABLE lineage_changes (
                id {id},
                user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                app_seq bigint NOT NULL,
                sale_seq bigint NOT NULL,
                lineage_before text NOT NULL,
                change_date {moment} NOT NULL
            )"
        ))
        .await?;
        run("CREATE INDEX lineage_changes_by_user ON lineage_changes (user_id, id)").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("lineage_changes").to_owned()).await
    }
}
