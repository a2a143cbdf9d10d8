//! Bulk operations, their slices and their rows.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("bulk_operations")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(text("kind"))
                    .col(text_null("change"))
                    .col(big_integer_null("undo_of"))
                    .col(boolean("dry_run"))
                    .col(text("state"))
                    .col(text_null("failure"))
                    .col(text("created_by"))
                    .col(timestamp_with_time_zone("created_date"))
                    .col(timestamp_with_time_zone_null("finished_date"))
                    .col(big_integer("total"))
                    .col(big_integer("slices_done"))
                    .col(big_integer("changed"))
                    .col(big_integer("unchanged"))
                    .col(big_integer("refused"))
                    .col(big_integer("conflicts"))
                    .col(big_integer("missing"))
                    .to_owned(),
            )
            .await?;
        let of_operation = |table: &'static str| {
            ForeignKey::create()
                .from(table, "operation_id")
                .to("bulk_operations", "id")
                .on_delete(ForeignKeyAction::Cascade)
                .to_owned()
        };
        manager
            .create_table(
                Table::create()
                    .table("bulk_operation_slices")
                    .col(big_integer("operation_id"))
                    .col(big_integer("number"))
                    .col(text("items"))
                    .primary_key(Index::create().col("operation_id").col("number"))
                    .foreign_key(&mut of_operation("bulk_operation_slices"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("bulk_operation_rows")
                    .col(big_integer("operation_id"))
                    .col(big_integer("position"))
                    .col(big_integer("item_id"))
                    .col(text("title"))
                    .col(text("verdict"))
                    .col(text_null("before"))
                    .col(text_null("after"))
                    .col(text_null("problems"))
                    .primary_key(Index::create().col("operation_id").col("position"))
                    .foreign_key(&mut of_operation("bulk_operation_rows"))
                    .to_owned(),
            )
            .await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE INDEX bulk_operations_unfinished ON bulk_operations (slices_done, id) WHERE finished_date IS NULL")
            .await?;
        run("CREATE INDEX bulk_operations_by_user ON bulk_operations (created_by, id)").await?;
        // An operation is undone at most once; a cancelled or failed undo may be repeated.
        run("CREATE UNIQUE INDEX bulk_operations_undone ON bulk_operations (undo_of) \
             WHERE undo_of IS NOT NULL AND NOT dry_run AND state NOT IN ('CANCELLED', 'FAILED')")
        .await?;
        run("CREATE INDEX bulk_operation_rows_by_verdict ON bulk_operation_rows (operation_id, verdict, position)")
            .await?;
        run("CREATE INDEX bulk_operation_rows_by_item ON bulk_operation_rows (operation_id, item_id)").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["bulk_operation_rows", "bulk_operation_slices", "bulk_operations"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
