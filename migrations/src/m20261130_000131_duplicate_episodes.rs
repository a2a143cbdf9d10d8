//! Episodes are compared with each other as films are, by their IDs of the film database and by the addresses of their links; and
//! an index of radio stations without a logo, which lists are filtered by.

use sea_orm_migration::prelude::*;

use crate::content::{address_triggers, create_row_triggers, drop_row_triggers, links_of};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// The conditions are those of `adapter-seaorm/src/catalogue`, without the alias.
const INDEXES: [(&str, &str); 2] = [
    ("episodes_by_imdb_id", "episodes (imdb_id) WHERE imdb_id IS NOT NULL"),
    ("radio_stations_without_logo", "radio_stations (id, active) WHERE station_logo IS NULL"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let backend = manager.get_database_backend();
        for (name, on) in INDEXES {
            run(&format!("CREATE INDEX {name} ON {on}")).await?;
        }
        let (address, links) = links_of(backend, "m");
        run(&format!(
            "INSERT INTO item_addresses (kind, address, item_id) SELECT DISTINCT 'episodes', {address}, m.id \
             FROM episodes m CROSS JOIN {links}"
        ))
        .await?;
        create_row_triggers(manager, &address_triggers(backend, "episodes")).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        drop_row_triggers(manager, &address_triggers(manager.get_database_backend(), "episodes")).await?;
        run("DELETE FROM item_addresses WHERE kind = 'episodes'").await?;
        for (name, _) in INDEXES {
            run(&format!("DROP INDEX {name}")).await?;
        }
        Ok(())
    }
}
