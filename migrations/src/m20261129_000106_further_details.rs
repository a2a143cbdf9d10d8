//! Details of programmes that a schedule does not show, in a column of their own: it is not read for
//! schedules, and no longer removed from JSON for each programme.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Descriptions, icon, ratings and date, if present; and the rest.
const SPLIT_SQLITE: &str = "UPDATE programmes SET \
     further_details = nullif(json_patch('{}', json_object('d', details -> '$.d', 'i', details -> '$.i', \
     'r', details -> '$.r', 'y', details -> '$.y')), '{}'), \
     details = nullif(json_remove(details, '$.d', '$.i', '$.r', '$.y'), '{}') WHERE details IS NOT NULL";
const SPLIT_POSTGRES: &str = "UPDATE programmes SET \
     further_details = nullif(CAST(jsonb_strip_nulls(jsonb_build_object('d', CAST(details AS jsonb) -> 'd', \
     'i', CAST(details AS jsonb) -> 'i', 'r', CAST(details AS jsonb) -> 'r', 'y', CAST(details AS jsonb) -> 'y')) AS text), '{}'), \
     details = nullif(CAST(CAST(details AS jsonb) - CAST('{d,i,r,y}' AS text[]) AS text), '{}') WHERE details IS NOT NULL";

const JOIN_SQLITE: &str = "UPDATE programmes SET details = json_patch(coalesce(details, '{}'), further_details) \
     WHERE further_details IS NOT NULL";
const JOIN_POSTGRES: &str = "UPDATE programmes SET \
     details = CAST(CAST(coalesce(details, '{}') AS jsonb) || CAST(further_details AS jsonb) AS text) \
     WHERE further_details IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection.execute_unprepared("ALTER TABLE programmes ADD COLUMN further_details text").await?;
        let split = match manager.get_database_backend() {
            DbBackend::Sqlite => SPLIT_SQLITE,
            _ => SPLIT_POSTGRES,
        };
        connection.execute_unprepared(split).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let join = match manager.get_database_backend() {
            DbBackend::Sqlite => JOIN_SQLITE,
            _ => JOIN_POSTGRES,
        };
        connection.execute_unprepared(join).await?;
        connection.execute_unprepared("ALTER TABLE programmes DROP COLUMN further_details").await.map(drop)
    }
}
