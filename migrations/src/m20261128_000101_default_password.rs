//! An index for the account of the first start, which every visit of the sign-in screen looks up.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let create = "CREATE INDEX users_default_password ON users (id) WHERE default_password";
        manager.get_connection().execute_unprepared(create).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX users_default_password").await.map(drop)
    }
}
