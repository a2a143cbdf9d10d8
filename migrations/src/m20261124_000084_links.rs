//! Links of channels and stations, with the results of probes and their changes.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let links = Table::create()
            .table("links")
            .col(big_integer("id").auto_increment().primary_key())
            // Path of the kind, and item id. No foreign key, because each kind has its own table.
            .col(text("owner"))
            .col(big_integer("item_id"))
            .col(text("title"))
            // Folded key for searching and ordering.
            .col(key("title_key", backend))
            .col(text("address"))
            .col(text("host"))
            .col(boolean("active"))
            .col(text("state"))
            .col(timestamp_with_time_zone("since"))
            .col(integer("failures"))
            .col(timestamp_with_time_zone_null("turn"))
            .col(timestamp_with_time_zone("next_probe"))
            // End of the claim of a probe.
            .col(timestamp_with_time_zone_null("claimed_until"))
            .col(timestamp_with_time_zone_null("probed_at"))
            .col(text_null("outcome"))
            .col(integer_null("http_status"))
            .col(big_integer("milliseconds").default(0))
            .col(text_null("format"))
            .col(big_integer_null("height"))
            .col(text_null("codecs"))
            .col(big_integer_null("bitrate"))
            .col(big_integer_null("variants"))
            .col(big_integer_null("sequence"))
            .to_owned();
        manager.create_table(links).await?;
        let changes = Table::create()
            .table("link_changes")
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("link_id"))
            .col(timestamp_with_time_zone("occurred_at"))
            .col(text("from_state"))
            .col(text("state"))
            .col(text("outcome"))
            .col(integer_null("http_status"))
            .foreign_key(
                ForeignKey::create()
                    .name("link_changes_link_id")
                    .from("link_changes", "link_id")
                    .to("links", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(changes).await?;
        for index in [
            "CREATE UNIQUE INDEX links_by_item ON links (owner, item_id)",
            "CREATE INDEX links_due ON links (host, next_probe) WHERE active",
            "CREATE INDEX links_by_state ON links (state, id)",
            "CREATE INDEX links_by_probe ON links (probed_at)",
            "CREATE INDEX link_changes_by_link ON link_changes (link_id, occurred_at)",
            "CREATE INDEX link_changes_by_date ON link_changes (occurred_at)",
        ] {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("link_changes").to_owned()).await?;
        manager.drop_table(Table::drop().table("links").to_owned()).await
    }
}
