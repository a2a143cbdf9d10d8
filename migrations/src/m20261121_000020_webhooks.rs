//! Webhooks, their outbox, the notices of expirations, and leases of jobs.
//!
//! Triggers write the outbox, so that every change of the catalogue, the ledger or the reports writes its
//! event in its own transaction. Events without an active webhook are not written. There is no foreign key
//! from the outbox to the webhooks: a write of a film would wait for the removal of a webhook.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    content::key,
    outbox_triggers::{create_content_triggers, on_postgres, on_sqlite, run},
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// The tables of the catalogue, with their names in paths.
const CONTENTS: [(&str, &str); 11] = [
    ("categories", "categories"),
    ("tv_guides", "tv-guides"),
    ("tv_channels", "tv-channels"),
    ("radio_stations", "radio-stations"),
    ("documentaries", "documentaries"),
    ("movies", "movies"),
    ("concerts", "concerts"),
    ("sports", "sports"),
    ("tv_shows", "tv-shows"),
    ("seasons", "seasons"),
    ("episodes", "episodes"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let webhooks = Table::create()
            .table("webhooks")
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("version"))
            .col(text("name"))
            .col(key("name_key", backend))
            .col(text("url"))
            .col(text("search_text"))
            // Returned only to the user who creates or changes it; stored in clear, because it signs
            // messages.
            .col(text("secret"))
            // `,ITEM_CREATED,CREDITS_MOVED,`: with a leading and a trailing comma.
            .col(text("events"))
            .col(boolean("active"))
            .col(timestamp_with_time_zone("created_date"))
            .col(timestamp_with_time_zone("updated_date"))
            .to_owned();
        manager.create_table(webhooks).await?;
        let deliveries = Table::create()
            .table("webhook_deliveries")
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("webhook_id"))
            .col(text("event_type"))
            .col(text("entity"))
            .col(text("data"))
            .col(timestamp_with_time_zone("occurred_at"))
            // The first delivery of the same event to the same webhook.
            .col(big_integer_null("resend_of"))
            .col(text("status"))
            .col(integer("attempts"))
            .col(timestamp_with_time_zone("next_attempt_at"))
            .col(timestamp_with_time_zone_null("last_attempt_at"))
            .col(integer_null("status_code"))
            .col(text_null("fault"))
            .col(big_integer_null("duration_ms"))
            .col(timestamp_with_time_zone_null("ended_at"))
            .to_owned();
        manager.create_table(deliveries).await?;
        manager
            .create_table(
                Table::create()
                    .table("leases")
                    .col(text("name").primary_key())
                    .col(text("holder"))
                    .col(timestamp_with_time_zone("until"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("subscription_notices")
                    .col(big_integer("user_id"))
                    .col(timestamp_with_time_zone("expiration_date"))
                    .col(text("stage"))
                    .col(timestamp_with_time_zone("noticed_date"))
                    .primary_key(Index::create().col("user_id").col("expiration_date").col("stage"))
                    .foreign_key(
                        ForeignKey::create()
                            .name("subscription_notices_user")
                            .from("subscription_notices", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        // Position of the last processed expiration.
        manager
            .create_table(
                Table::create()
                    .table("notice_cursors")
                    .col(text("stage").primary_key())
                    .col(timestamp_with_time_zone("reached_date"))
                    .col(big_integer("reached_user_id"))
                    .to_owned(),
            )
            .await?;
        for index in [
            // Due deliveries, the oldest of each entity, the log, the last attempt, and expired rows.
            "webhook_deliveries_by_turn ON webhook_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'PENDING'",
            "webhook_deliveries_by_entity ON webhook_deliveries (webhook_id, entity, id) WHERE status = 'PENDING'",
            "webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id, status, event_type)",
            "webhook_deliveries_tried ON webhook_deliveries (webhook_id, id) WHERE attempts > 0",
            "webhook_deliveries_by_end ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL",
            "subscription_notices_by_date ON subscription_notices (expiration_date)",
            "expiration_edits_by_date ON expiration_edits (edit_date)",
        ] {
            run(manager, &format!("CREATE INDEX {index}")).await?;
        }
        if backend == DbBackend::Sqlite { on_sqlite(manager).await } else { on_postgres(manager).await }?;
        for (table, path) in CONTENTS {
            create_content_triggers(manager, table, path).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Sqlite {
            for (table, _) in CONTENTS {
                for event in ["insert", "update", "delete"] {
                    run(manager, &format!("DROP TRIGGER {table}_told_{event}")).await?;
                }
            }
            for trigger in ["entries_told", "issue_reports_told_opened", "issue_reports_told_resolved"] {
                run(manager, &format!("DROP TRIGGER {trigger}")).await?;
            }
        } else {
            for function in [
                "contents_tell",
                "entries_tell",
                "notices_tell",
                "issue_reports_tell_opened",
                "issue_reports_tell_resolved",
            ] {
                run(manager, &format!("DROP FUNCTION {function}() CASCADE")).await?;
            }
        }
        run(manager, "DROP INDEX expiration_edits_by_date").await?;
        for table in ["notice_cursors", "subscription_notices", "leases", "webhook_deliveries", "webhooks"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
