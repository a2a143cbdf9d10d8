//! Notes on users, snoozes of customers, and reports by reporter.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

fn of_user(table: &str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(format!("{table}_user"))
        .from(table.to_owned(), "user_id")
        .to("users", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("user_notes")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(big_integer("user_id"))
                    .col(text("kind"))
                    .col(text_null("note"))
                    .col(date_null("contacted_on"))
                    .col(text("author"))
                    .col(timestamp_with_time_zone("created_date"))
                    .foreign_key(&mut of_user("user_notes"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("customer_snoozes")
                    .col(big_integer("user_id").primary_key())
                    .col(timestamp_with_time_zone("until_date"))
                    .col(text("author"))
                    .col(timestamp_with_time_zone("created_date"))
                    .foreign_key(&mut of_user("customer_snoozes"))
                    .to_owned(),
            )
            .await?;
        for index in [
            "user_notes_by_user ON user_notes (user_id, id)",
            "user_notes_contacts ON user_notes (user_id, contacted_on, id) WHERE kind = 'CONTACT'",
            "customer_snoozes_by_until ON customer_snoozes (until_date, user_id)",
            "issue_reports_by_reporter ON issue_reports (lower(reporter), created_date, id)",
        ] {
            manager.get_connection().execute_unprepared(&format!("CREATE INDEX {index}")).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX issue_reports_by_reporter").await?;
        manager.drop_table(Table::drop().table("customer_snoozes").to_owned()).await?;
        manager.drop_table(Table::drop().table("user_notes").to_owned()).await
    }
}
