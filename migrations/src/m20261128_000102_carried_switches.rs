//! Channels and stations switched off by the service are also switched on again after a change meanwhile: as
//! long as a change leaves them inactive, a trigger updates the recorded version, because several operations
//! write items.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Tables with the path of their kind.
const TABLES: [(&str, &str); 2] = [("tv_channels", "tv-channels"), ("radio_stations", "radio-stations")];

const LEAVES_IT_OFF: &str = "new.version <> old.version AND NOT old.active AND NOT new.active";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        for (table, path) in TABLES {
            let carry = format!(
                "UPDATE link_switches SET version = new.version WHERE owner = '{path}' AND item_id = new.id \
                 AND version = old.version"
            );
            if is_sqlite {
                run(&format!(
                    "CREATE TRIGGER {table}_carry_switch AFTER UPDATE OF version ON {table} \
                     WHEN {LEAVES_IT_OFF} BEGIN {carry}; END"
                ))
                .await?;
                continue;
            }
            run(&format!(
                "CREATE FUNCTION {table}_carry_switch() RETURNS trigger LANGUAGE plpgsql AS $$ \
                 BEGIN {carry}; RETURN NULL; END $$"
            ))
            .await?;
            run(&format!(
                "CREATE TRIGGER {table}_carry_switch AFTER UPDATE OF version ON {table} FOR EACH ROW \
                 WHEN ({LEAVES_IT_OFF}) EXECUTE FUNCTION {table}_carry_switch()"
            ))
            .await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        for (table, _) in TABLES {
            if manager.get_database_backend() == DbBackend::Sqlite {
                run(&format!("DROP TRIGGER {table}_carry_switch")).await?;
                continue;
            }
            run(&format!("DROP TRIGGER {table}_carry_switch ON {table}")).await?;
            run(&format!("DROP FUNCTION {table}_carry_switch()")).await?;
        }
        Ok(())
    }
}
