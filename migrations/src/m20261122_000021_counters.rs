//! Counters on which writers of PostgreSQL don't wait for each other; the tables of write counts are dropped.
//!
//! An updated row of a counter table is locked until its transaction ends. So each combination of keys may
//! have several rows, distinguished by `slot`; a writer takes an unlocked one, or adds one. Their number is
//! limited by that of the concurrent transactions. SQLite has one writer and keeps its tables.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::content::{Content, Counter};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const CATALOGUE: [&str; 11] = [
    "categories",
    "tv_guides",
    "tv_channels",
    "radio_stations",
    "documentaries",
    "movies",
    "concerts",
    "sports",
    "tv_shows",
    "seasons",
    "episodes",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: String| manager.get_connection().execute_unprepared(&sql).await.map(drop);
        let sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        for table in CATALOGUE {
            // Missing where the table was created by a version without write counts.
            if sqlite {
                for event in ["insert", "update", "delete"] {
                    run(format!("DROP TRIGGER IF EXISTS {table}_writes_{event}")).await?;
                }
            } else {
                run(format!("DROP TRIGGER IF EXISTS {table}_writes_counted ON {table}")).await?;
                run(format!("DROP FUNCTION IF EXISTS {table}_count_writes()")).await?;
            }
            run(format!("DROP TABLE IF EXISTS {table}_writes")).await?;
        }
        if sqlite {
            return Ok(());
        }
        for table in CATALOGUE.into_iter().chain(["users", "issue_reports", "issue_items"]) {
            let facets = self.facets(manager, table).await?;
            let facets: Vec<(&str, &str)> =
                facets.iter().map(|(name, sql_type)| (name.as_str(), sql_type.as_str())).collect();
            Content { table, sorts: &[], facets: &facets }.spread_counts(manager).await?;
        }
        run("DROP TRIGGER users_registrations_counted ON users".into()).await?;
        run("DROP FUNCTION users_count_registrations()".into()).await?;
        let day = "to_char({row}.created_date AT TIME ZONE 'UTC', 'YYYY-MM-DD')";
        Counter { table: "users", counts: "users_registered", keys: vec![("day", "text", day.into())] }
            .spread(manager)
            .await?;
        for trigger in ["visits_counted", "visits_counted_off"] {
            run(format!("DROP TRIGGER {trigger} ON visits")).await?;
        }
        for function in ["visits_count_added", "visits_count_removed"] {
            run(format!("DROP FUNCTION {function}()")).await?;
        }
        let quarter = "CAST(floor(extract(epoch FROM {row}.occurred_at) / 900) AS bigint)";
        let keys = vec![("quarter", "bigint", quarter.into()), ("kind", "text", "{row}.kind".into())];
        Counter { table: "visits", counts: "visits_counts", keys }.spread(manager).await
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("counters that are spread are not put together again: restore a backup".into()))
    }
}

impl Migration {
    /// The filter columns of a table with their types, which are the keys of its counter table.
    async fn facets(&self, manager: &SchemaManager<'_>, table: &str) -> Result<Vec<(String, String)>, DbErr> {
        let sql = format!(
            "SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = '{table}_counts' AND column_name <> 'total' \
             ORDER BY ordinal_position"
        );
        let statement = sea_orm::Statement::from_string(DbBackend::Postgres, sql);
        let rows = manager.get_connection().query_all_raw(statement).await?;
        rows.iter().map(|row| Ok((row.try_get("", "name")?, row.try_get("", "type")?))).collect()
    }
}
