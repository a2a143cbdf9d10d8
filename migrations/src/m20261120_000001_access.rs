//! Users, sessions, the secret that signs cookies, and idempotency keys.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("users")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(text("username"))
                    // The name in lower case, unique without case.
                    .col(text_uniq("username_key"))
                    .col(text("full_name"))
                    .col(text("role"))
                    .col(text("status"))
                    .col(text_null("password_hash"))
                    // Whether the password of the first start is unchanged.
                    .col(boolean("default_password").default(false))
                    .col(big_integer("sign_ins").default(0))
                    .col(timestamp_with_time_zone("created_date"))
                    .col(timestamp_with_time_zone("updated_date"))
                    .col(big_integer("version").default(1))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("sessions")
                    .col(text("key_hash").primary_key())
                    .col(big_integer("user_id"))
                    .col(text("state"))
                    .col(timestamp_with_time_zone("created_date"))
                    .col(timestamp_with_time_zone("ends_date"))
                    .foreign_key(
                        ForeignKey::create()
                            .name("sessions_user")
                            .from("sessions", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        for (name, column) in [("sessions_by_user", "user_id"), ("sessions_by_end", "ends_date")] {
            let index = Index::create().name(name).table("sessions").col(column).to_owned();
            manager.create_index(index).await?;
        }
        manager
            .create_table(
                Table::create()
                    .table("secrets")
                    .col(text("name").primary_key())
                    .col(text("value"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("idempotency_keys")
                    .col(text("username_key"))
                    .col(text("idempotency_key"))
                    .col(text("fingerprint"))
                    // The first response, to be replayed.
                    .col(text("answer"))
                    .col(timestamp_with_time_zone("created_date"))
                    .primary_key(Index::create().col("username_key").col("idempotency_key"))
                    .to_owned(),
            )
            .await?;
        let by_age = Index::create()
            .name("idempotency_keys_by_age")
            .table("idempotency_keys")
            .col("created_date")
            .to_owned();
        manager.create_index(by_age).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["idempotency_keys", "secrets", "sessions", "users"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
