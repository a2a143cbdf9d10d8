//! Configuration of the streaming app: one row of settings, background images and alert messages.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let price =
            |name: &'static str| big_integer(name).default(0).check(Expr::col(name).gte(0)).to_owned();
        manager
            .create_table(
                Table::create()
                    .table("app_settings")
                    // A single row.
                    .col(big_integer("id").primary_key().check(Expr::col("id").eq(1)))
                    .col(big_integer("version").default(1))
                    .col(timestamp_with_time_zone("updated_date"))
                    .col(integer("items_per_page").default(50))
                    // In cents.
                    .col(price("monthly_credits_price"))
                    .col(price("annual_credits_price"))
                    .col(boolean("allowed_months").default(true))
                    .col(boolean("allowed_years").default(false))
                    .col(integer("max_transactions_per_agent").default(12))
                    .to_owned(),
            )
            .await?;
        let now = if backend == DbBackend::Sqlite {
            "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
        } else {
            "date_trunc('milliseconds', now())"
        };
        run(&format!("INSERT INTO app_settings (id, updated_date) VALUES (1, {now})")).await?;
        let entries = |table: &'static str| {
            Table::create()
                .table(table)
                .col(big_integer("id").auto_increment().primary_key())
                .col(big_integer("version").default(1))
                .col(timestamp_with_time_zone("created_date"))
                .col(timestamp_with_time_zone("updated_date"))
                // Folded searchable text. Lists of some dozen rows need no index.
                .col(text("search_text"))
                .to_owned()
        };
        let mut images = entries("background_images");
        images
            .col(text("type"))
            .col(text("title"))
            .col(key("title_key", backend))
            .col(integer("year"))
            .col(text_null("genre"))
            .col(integer_null("duration"))
            .col(text_null("classification"))
            .col(boolean("is_kids_mode"))
            .col(text("image_url"));
        manager.create_table(images).await?;
        let mut messages = entries("alert_messages");
        messages.col(text("message")).col(key("message_key", backend));
        manager.create_table(messages).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["alert_messages", "background_images", "app_settings"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
