//! Profiles of published playlists.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

fn of(column: &str, table: &str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(format!("live_profiles_{column}"))
        .from("live_profiles", column.to_owned())
        .to(table.to_owned(), "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let profiles = Table::create()
            .table("live_profiles")
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("version"))
            .col(text("name"))
            // Folded key for searching and ordering.
            .col(key("name_key", backend))
            // One of the two is set.
            .col(big_integer_null("user_id"))
            .col(big_integer_null("key_id"))
            .col(text("categories"))
            .col(boolean("adult_content"))
            .col(text("channel_order"))
            .col(text("numbering"))
            .col(integer("guide_days"))
            .col(big_integer("calls_per_minute"))
            // SHA-256 of the secret, from which the secret can't be recovered. Null where it was revoked.
            .col(text_null("secret_hash").unique_key())
            .col(text("hint"))
            .col(text("updated_by"))
            .col(timestamp_with_time_zone("created_date"))
            .col(timestamp_with_time_zone("updated_date"))
            .col(timestamp_with_time_zone_null("revoked_date"))
            .col(timestamp_with_time_zone_null("last_used_date"))
            .col(big_integer("calls").default(0))
            .foreign_key(&mut of("user_id", "users"))
            .foreign_key(&mut of("key_id", "integrator_keys"))
            .to_owned();
        manager.create_table(profiles).await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE INDEX live_profiles_by_user ON live_profiles (user_id) WHERE user_id IS NOT NULL")
            .await?;
        run("CREATE INDEX live_profiles_by_key ON live_profiles (key_id) WHERE key_id IS NOT NULL").await?;
        // Number of changes by an apply, which are part of a published playlist's fingerprint.
        run("ALTER TABLE playlist_entries ADD COLUMN applied_version bigint NOT NULL DEFAULT 0").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("ALTER TABLE playlist_entries DROP COLUMN applied_version").await?;
        manager.drop_table(Table::drop().table("live_profiles").to_owned()).await
    }
}
