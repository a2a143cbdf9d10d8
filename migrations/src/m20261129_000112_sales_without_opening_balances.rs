//! Sold credits are counted by day without the opening balances of imported users, and without the reversals
//! of those.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Constraint of a new entry, as in the migration of the ledger.
const STANDS: &str = "SELECT 1 FROM users u WHERE u.id = new.user_id AND CASE new.account \
     WHEN 'APP' THEN u.credits = new.balance_after AND u.app_seq = new.seq \
     ELSE u.sale_credits = new.balance_after AND u.sale_seq = new.seq END";
const PAIRED: &str =
    "SELECT 1 FROM entries e WHERE e.operation_id = new.operation_id AND e.leg = 0 AND e.delta = -new.delta";
const COUNT: &str = "UPDATE entries_counts SET total = total + 1 WHERE shard = new.operation_id % 16;";

/// Whether the operation of an entry is an imported opening balance, or reverses one.
fn is_opening(entry: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM operations o JOIN operations p ON p.id = coalesce(o.reverses_id, o.id) \
         WHERE o.id = {entry}.operation_id AND p.imported AND p.reason = 'Saldo inicial (importado)')"
    )
}

fn day(backend: DbBackend, entry: &str) -> String {
    match backend {
        DbBackend::Sqlite => format!("substr({entry}.operation_date, 1, 10)"),
        _ => format!("to_char({entry}.operation_date AT TIME ZONE 'UTC', 'YYYY-MM-DD')"),
    }
}

/// Moves the counters of one table to another; `sign` precedes the openings added to them.
async fn move_counters(
    manager: &SchemaManager<'_>,
    (from, to): (&str, &str),
    sign: &str,
) -> Result<(), DbErr> {
    let (day, opening) = (day(manager.get_database_backend(), "e"), is_opening("e"));
    for sql in [
        format!(
            "CREATE TABLE {to} (day text NOT NULL, shard bigint NOT NULL, total bigint NOT NULL, \
             PRIMARY KEY (day, shard))"
        ),
        format!("INSERT INTO {to} (day, shard, total) SELECT day, shard, total FROM {from}"),
        format!(
            "INSERT INTO {to} (day, shard, total) \
             SELECT {day}, e.operation_id % 16, CAST({sign}sum(e.delta) AS bigint) FROM entries e \
             WHERE e.account = 'APP' AND {opening} GROUP BY 1, 2 \
             ON CONFLICT (day, shard) DO UPDATE SET total = {to}.total + excluded.total"
        ),
        format!("DROP TABLE {from}"),
    ] {
        manager.get_connection().execute_unprepared(&sql).await?;
    }
    Ok(())
}

/// Counts new entries of app credits in a table, with the additional condition.
async fn count_new(
    manager: &SchemaManager<'_>,
    table: &str,
    trigger: &str,
    condition: &str,
) -> Result<(), DbErr> {
    let backend = manager.get_database_backend();
    let added = format!(
        "INSERT INTO {table} (day, shard, total) VALUES ({}, new.operation_id % 16, new.delta) \
         ON CONFLICT (day, shard) DO UPDATE SET total = {table}.total + excluded.total;",
        day(backend, "new")
    );
    let sql = match backend {
        DbBackend::Sqlite => format!(
            "CREATE TRIGGER {trigger} AFTER INSERT ON entries WHEN new.account = 'APP'{condition} BEGIN {added} END"
        ),
        _ => format!(
            "CREATE OR REPLACE FUNCTION entries_check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF NOT new.imported AND new.user_id IS NOT NULL AND NOT EXISTS ({STANDS}) THEN \
               RAISE EXCEPTION 'an entry and its balance differ'; END IF; \
             IF new.leg = 1 AND NOT EXISTS ({PAIRED}) THEN RAISE EXCEPTION 'an operation has two legs'; END IF; \
             IF new.user_id IS NOT NULL THEN {COUNT} END IF; \
             IF new.account = 'APP'{condition} THEN {added} END IF; \
             RETURN NULL; END $$"
        ),
    };
    manager.get_connection().execute_unprepared(&sql).await.map(drop)
}

async fn drop_trigger(manager: &SchemaManager<'_>, trigger: &str) -> Result<(), DbErr> {
    if manager.get_database_backend() == DbBackend::Sqlite {
        manager.get_connection().execute_unprepared(&format!("DROP TRIGGER {trigger}")).await?;
    }
    Ok(())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_trigger(manager, "entries_added").await?;
        move_counters(manager, ("credits_added", "credits_sold"), "-").await?;
        let no_opening = format!(" AND NOT {}", is_opening("new"));
        count_new(manager, "credits_sold", "entries_sold", &no_opening).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_trigger(manager, "entries_sold").await?;
        move_counters(manager, ("credits_sold", "credits_added"), "").await?;
        count_new(manager, "credits_added", "entries_added", "").await
    }
}
