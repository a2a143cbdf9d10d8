//! Indexes of the stream URLs of items, for the filters by URL.
//!
//! The expressions are those of `adapter-seaorm/src/catalogue/filters.rs`, without the alias.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::content::link_indexes;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const WITH_LINKS: [&str; 4] = ["movies", "documentaries", "concerts", "sports"];

fn indexes(backend: DbBackend) -> Vec<(String, &'static str, String)> {
    let is_sqlite = backend == DbBackend::Sqlite;
    let digest = |column: &str| if is_sqlite { column.to_owned() } else { format!("md5({column})") };
    let mut all = vec![
        ("tv_channels_by_url".to_owned(), "tv_channels", digest("url")),
        ("radio_stations_by_stream_url".to_owned(), "radio_stations", digest("stream_url")),
    ];
    for table in WITH_LINKS {
        for (name, url) in link_indexes(backend) {
            all.push((format!("{table}_by_{name}_link"), table, url));
        }
    }
    all
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let db = manager.get_connection();
        // Migration 41 indexed the whole address.
        db.execute_unprepared("DROP INDEX tv_channels_by_url").await?;
        for (name, table, on) in indexes(manager.get_database_backend()) {
            db.execute_unprepared(&format!("CREATE INDEX {name} ON {table} ({on})")).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let db = manager.get_connection();
        for (name, ..) in indexes(manager.get_database_backend()) {
            db.execute_unprepared(&format!("DROP INDEX {name}")).await?;
        }
        db.execute_unprepared("CREATE INDEX tv_channels_by_url ON tv_channels (url)").await?;
        Ok(())
    }
}
