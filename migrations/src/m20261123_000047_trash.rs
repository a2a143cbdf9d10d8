//! The trash: deleted content with all fields, until it is restored or expires.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("trash")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(text("kind"))
                    .col(big_integer("item_id"))
                    .col(text("title"))
                    // Searchable text.
                    .col(text("search_text"))
                    .col(text("document"))
                    .col(timestamp_with_time_zone("deleted_date"))
                    .col(text_null("deleted_by"))
                    // The show of a season or an episode that was deleted with it.
                    .col(big_integer_null("part_of"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("trash", "part_of")
                            .to("trash", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE UNIQUE INDEX trash_by_item ON trash (kind, item_id)").await?;
        run("CREATE INDEX trash_by_part ON trash (part_of)").await?;
        run("CREATE INDEX trash_by_date ON trash (deleted_date, id)").await?;
        run("CREATE INDEX trash_shown ON trash (kind, id) WHERE part_of IS NULL").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("trash").to_owned()).await
    }
}
