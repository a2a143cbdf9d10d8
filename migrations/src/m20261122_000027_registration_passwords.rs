//! The argon2 hash of the password of a registration under an idempotency key: the same key with another
//! password is answered 409. A plain fingerprint of a password could be guessed.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = text_null("password_hash");
        manager.alter_table(Table::alter().table("idempotency_keys").add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter().table("idempotency_keys").drop_column("password_hash").to_owned();
        manager.alter_table(table).await
    }
}
