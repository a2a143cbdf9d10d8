//! Imported files, their rows in slices, the columns that users chose for their headings, and the file of an
//! operation.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("sheets")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(text("kind"))
                    .col(text("file_name"))
                    .col(text("language"))
                    .col(text("headings"))
                    .col(big_integer("total"))
                    .col(boolean("complete"))
                    .col(text("created_by"))
                    .col(timestamp_with_time_zone("created_date"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("sheet_slices")
                    .col(big_integer("sheet_id"))
                    .col(big_integer("number"))
                    .col(text("content"))
                    .primary_key(Index::create().col("sheet_id").col("number"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("sheet_slices", "sheet_id")
                            .to("sheets", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("sheet_columns")
                    .col(text("username_key"))
                    .col(text("kind"))
                    .col(text("columns"))
                    .primary_key(Index::create().col("username_key").col("kind"))
                    .to_owned(),
            )
            .await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE INDEX sheets_by_date ON sheets (created_date)").await?;
        run("ALTER TABLE bulk_operations ADD COLUMN sheet_id bigint NULL").await?;
        run("ALTER TABLE bulk_operations ADD COLUMN sheet_columns text NULL").await?;
        run("ALTER TABLE bulk_operations ADD COLUMN created bigint NOT NULL DEFAULT 0").await?;
        run("CREATE INDEX bulk_operations_by_sheet ON bulk_operations (sheet_id) WHERE sheet_id IS NOT NULL")
            .await?;
        run("ALTER TABLE bulk_operation_rows ADD COLUMN sheet_row bigint NULL").await?;
        run("ALTER TABLE bulk_operation_rows ADD COLUMN sheet_key text NULL").await?;
        run("CREATE INDEX bulk_operation_rows_by_key ON bulk_operation_rows (operation_id, sheet_key) \
             WHERE sheet_key IS NOT NULL")
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("DROP INDEX bulk_operation_rows_by_key").await?;
        run("DROP INDEX bulk_operations_by_sheet").await?;
        for (table, column) in [
            ("bulk_operation_rows", "sheet_key"),
            ("bulk_operation_rows", "sheet_row"),
            ("bulk_operations", "created"),
            ("bulk_operations", "sheet_columns"),
            ("bulk_operations", "sheet_id"),
        ] {
            run(&format!("ALTER TABLE {table} DROP COLUMN {column}")).await?;
        }
        for table in ["sheet_columns", "sheet_slices", "sheets"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
