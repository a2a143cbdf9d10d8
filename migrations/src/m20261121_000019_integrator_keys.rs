//! API keys, and their calls by day.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("integrator_keys")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(text("name"))
                    // Folded key for searching and ordering.
                    .col(key("name_key", manager.get_database_backend()))
                    // SHA-256 of the key, from which the key can't be recovered.
                    .col(text_uniq("key_hash"))
                    .col(text("hint"))
                    // Codes, comma-separated.
                    .col(text("scopes"))
                    .col(date_null("expires_date"))
                    .col(big_integer("calls_per_minute"))
                    .col(text("created_by"))
                    .col(timestamp_with_time_zone("created_date"))
                    .col(timestamp_with_time_zone_null("revoked_date"))
                    .col(timestamp_with_time_zone_null("last_used_date"))
                    .col(big_integer("calls").default(0))
                    .col(big_integer("refused_calls").default(0))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("integrator_key_days")
                    .col(big_integer("key_id"))
                    .col(date("day"))
                    .col(big_integer("calls"))
                    .col(big_integer("refused"))
                    .primary_key(Index::create().col("key_id").col("day"))
                    .foreign_key(
                        ForeignKey::create()
                            .name("integrator_key_days_key")
                            .from("integrator_key_days", "key_id")
                            .to("integrator_keys", "id"),
                    )
                    .to_owned(),
            )
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["integrator_key_days", "integrator_keys"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
