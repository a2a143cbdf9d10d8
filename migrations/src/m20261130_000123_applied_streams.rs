//! State of playlist entries before an operation changed the streams of channels that come from them, so that the operation can
//! be undone. It goes with the operation.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// `number` and `position` are those of the stream. `followed` says whether the entry was that stream before.
const TABLE: &str = "CREATE TABLE applied_streams (operation_id bigint NOT NULL \
     REFERENCES bulk_operations (id) ON DELETE CASCADE, entry_id bigint NOT NULL, channel_id bigint NOT NULL, \
     number bigint NOT NULL, position integer NOT NULL, followed boolean NOT NULL, applied text NULL, \
     PRIMARY KEY (operation_id, entry_id))";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(TABLE).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP TABLE applied_streams").await.map(drop)
    }
}
