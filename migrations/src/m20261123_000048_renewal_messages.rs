//! Messages that remind customers of the expiration of their subscription, with a first one.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        manager
            .create_table(
                Table::create()
                    .table("renewal_messages")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(big_integer("version").default(1))
                    .col(timestamp_with_time_zone("created_date"))
                    .col(timestamp_with_time_zone("updated_date"))
                    // Folded searchable text.
                    .col(text("search_text"))
                    .col(text("name"))
                    .col(key("name_key", backend))
                    .col(text("spanish"))
                    .col(text("english"))
                    .to_owned(),
            )
            .await?;
        let now = if backend == DbBackend::Sqlite {
            "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
        } else {
            "date_trunc('milliseconds', now())"
        };
        let (name, spanish, english) = (
            "Aviso de vencimiento",
            "Hola, {name}: tu suscripción ({username}) vence el {end}. ¿La renovamos {months}?",
            "Hello, {name}: your subscription ({username}) ends on {end}. Shall we renew it for {months}?",
        );
        let folded = "aviso de vencimiento\nhola, {name}: tu suscripcion ({username}) vence el {end}. ¿la renovamos \
             {months}?\nhello, {name}: your subscription ({username}) ends on {end}. shall we renew it for {months}?";
        let insert = format!(
            "INSERT INTO renewal_messages (created_date, updated_date, search_text, name, name_key, spanish, english) \
             VALUES ({now}, {now}, '{folded}', '{name}', 'aviso de vencimiento', '{spanish}', '{english}')"
        );
        manager.get_connection().execute_unprepared(&insert).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("renewal_messages").to_owned()).await
    }
}
