//! The first message to customers says that a subscription has ended where it has, unless an admin changed its
//! texts.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        let now = if backend == DbBackend::Sqlite {
            "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
        } else {
            "date_trunc('milliseconds', now())"
        };
        let reworded = |column: &str| {
            format!(
                "replace(replace({column}, 'vence el {{end}}', '{{expires}}'), 'ends on {{end}}', '{{expires}}')"
            )
        };
        let update = format!(
            "UPDATE renewal_messages SET version = version + 1, updated_date = {now}, search_text = {}, spanish = {}, \
             english = {} WHERE spanish = '{SPANISH}' AND english = '{ENGLISH}'",
            reworded("search_text"),
            reworded("spanish"),
            reworded("english"),
        );
        db.execute_unprepared(&update).await.map(drop)
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}

/// The texts of migration 48.
const SPANISH: &str = "Hola, {name}: tu suscripción ({username}) vence el {end}. ¿La renovamos {months}?";
const ENGLISH: &str =
    "Hello, {name}: your subscription ({username}) ends on {end}. Shall we renew it for {months}?";
