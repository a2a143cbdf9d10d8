//! Agents' requests for the reversal of a sale.

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
        run(&format!(
            "CREATE TABLE reversal_requests (
                id {id},
                operation_id bigint NOT NULL REFERENCES operations (id),
                requester_id bigint NOT NULL REFERENCES users (id),
                reason text NULL,
                status text NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'DECLINED')),
                requested_date {moment} NOT NULL,
                decided_by_id bigint NULL REFERENCES users (id) ON DELETE SET NULL,
                note text NULL,
                decided_date {moment} NULL,
                CHECK ((status = 'PENDING') = (decided_date IS NULL))
            )"
        ))
        .await?;
        for index in [
            "INDEX reversal_requests_by_operation ON reversal_requests (operation_id)",
            // One pending request per operation.
            "UNIQUE INDEX reversal_requests_pending ON reversal_requests (operation_id) WHERE status = 'PENDING'",
            "INDEX reversal_requests_by_status ON reversal_requests (status, id)",
            "INDEX reversal_requests_by_date ON reversal_requests (requested_date, id)",
            "INDEX reversal_requests_by_requester ON reversal_requests (requester_id, id)",
            "INDEX reversal_requests_by_decider ON reversal_requests (decided_by_id)",
        ] {
            run(&format!("CREATE {index}")).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("reversal_requests").to_owned()).await
    }
}
