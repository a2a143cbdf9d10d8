//! The audit log.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("audit_entries")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(timestamp_with_time_zone("occurred_at"))
                    .col(text_null("actor"))
                    .col(text_null("actor_key"))
                    .col(text("source"))
                    .col(text_null("address"))
                    .col(big_integer_null("operation_id"))
                    .col(text("action"))
                    .col(text("resource"))
                    .col(text("item"))
                    .col(text("title"))
                    .col(big_integer_null("version"))
                    .col(text_null("before"))
                    .col(text_null("after"))
                    .to_owned(),
            )
            .await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        for (name, columns) in [
            ("item", "resource, item, id"),
            ("actor", "actor_key, id"),
            ("action", "action, id"),
            ("date", "occurred_at, id"),
        ] {
            run(&format!("CREATE INDEX audit_entries_by_{name} ON audit_entries ({columns})")).await?;
        }
        // Entries are immutable.
        if manager.get_database_backend() == DbBackend::Sqlite {
            return run("CREATE TRIGGER audit_entries_only_added BEFORE UPDATE ON audit_entries \
                 BEGIN SELECT raise(ABORT, 'entries of the audit log are never changed'); END")
            .await;
        }
        run("CREATE FUNCTION audit_entries_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION 'entries of the audit log are never changed'; END $$")
        .await?;
        run("CREATE TRIGGER audit_entries_only_added BEFORE UPDATE ON audit_entries \
             FOR EACH ROW EXECUTE FUNCTION audit_entries_refuse()")
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("audit_entries").to_owned()).await?;
        if manager.get_database_backend() != DbBackend::Sqlite {
            manager.get_connection().execute_unprepared("DROP FUNCTION audit_entries_refuse()").await?;
        }
        Ok(())
    }
}
