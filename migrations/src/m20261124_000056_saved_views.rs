//! Saved views of lists, and the default views of users.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let user = |name: &str, table: &str| {
            ForeignKey::create()
                .name(format!("{table}_user"))
                .from(table.to_owned(), name.to_owned())
                .to("users", "id")
                .on_delete(ForeignKeyAction::Cascade)
                .to_owned()
        };
        manager
            .create_table(
                Table::create()
                    .table("saved_views")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(big_integer("owner_id"))
                    .col(text("list"))
                    .col(text("name"))
                    .col(key("name_key", backend))
                    .col(text("query"))
                    .col(json_null("hidden_columns"))
                    .col(text_null("shared_with"))
                    .col(timestamp_with_time_zone("created_date"))
                    .col(timestamp_with_time_zone("updated_date"))
                    .foreign_key(&mut user("owner_id", "saved_views"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("default_views")
                    .col(big_integer("user_id"))
                    .col(text("list"))
                    .col(big_integer("view_id"))
                    .primary_key(Index::create().col("user_id").col("list"))
                    .foreign_key(&mut user("user_id", "default_views"))
                    .foreign_key(
                        ForeignKey::create()
                            .name("default_views_view")
                            .from("default_views", "view_id")
                            .to("saved_views", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        for index in [
            "UNIQUE INDEX saved_views_name ON saved_views (owner_id, list, name_key)",
            "INDEX saved_views_by_role ON saved_views (shared_with) WHERE shared_with IS NOT NULL",
            "INDEX default_views_by_view ON default_views (view_id)",
        ] {
            manager.get_connection().execute_unprepared(&format!("CREATE {index}")).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("default_views").to_owned()).await?;
        manager.drop_table(Table::drop().table("saved_views").to_owned()).await
    }
}
