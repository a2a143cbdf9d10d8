//! The credit ledger: operations of two entries each, append-only, with the constraints of the schema.
//!
//! An entry belongs to an account: a user's app credits, a user's stock, or the issuer, which mints and burns
//! and has no balance. `seq` numbers the entries of an account from 1, so that its chain can't fork.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let id = if sqlite { "integer PRIMARY KEY AUTOINCREMENT" } else { "bigserial PRIMARY KEY" };
        let moment = if sqlite { "timestamp_with_timezone_text" } else { "timestamp with time zone" };
        run(&format!(
            "CREATE TABLE operations (
                id {id},
                uuid text NOT NULL UNIQUE,
                performer_id bigint NOT NULL REFERENCES users (id),
                idempotency_key text NULL,
                fingerprint text NULL,
                operation_type text NOT NULL,
                amount bigint NOT NULL CHECK (amount > 0),
                reason text NULL,
                sold bigint NOT NULL DEFAULT 0,
                seller_id bigint NULL REFERENCES users (id),
                reverses_id bigint NULL UNIQUE REFERENCES operations (id),
                imported boolean NOT NULL DEFAULT false,
                operation_date {moment} NOT NULL,
                UNIQUE (performer_id, idempotency_key),
                CHECK ((sold = 0) = (seller_id IS NULL))
            )"
        ))
        .await?;
        run(&format!(
            "CREATE TABLE entries (
                id {id},
                operation_id bigint NOT NULL REFERENCES operations (id),
                leg smallint NOT NULL CHECK (leg IN (0, 1)),
                account text NOT NULL CHECK (account IN ('APP', 'SALE', 'HOUSE')),
                user_id bigint NULL REFERENCES users (id),
                seq bigint NULL CHECK (seq > 0),
                delta bigint NOT NULL CHECK (delta <> 0),
                balance_before bigint NULL CHECK (balance_before >= 0),
                balance_after bigint NULL CHECK (balance_after >= 0),
                expiration_before {moment} NULL,
                expiration_after {moment} NULL,
                performer_id bigint NOT NULL REFERENCES users (id),
                operation_date {moment} NOT NULL,
                imported boolean NOT NULL DEFAULT false,
                UNIQUE (operation_id, leg),
                UNIQUE (user_id, account, seq),
                CHECK ((account = 'HOUSE') = (user_id IS NULL)),
                CHECK ((user_id IS NULL) = (seq IS NULL)),
                CHECK ((user_id IS NULL) = (balance_before IS NULL)),
                CHECK ((user_id IS NULL) = (balance_after IS NULL)),
                CHECK (user_id IS NULL OR balance_after = balance_before + delta)
            )"
        ))
        .await?;
        // Manual changes of an expiration, positioned between the entries of the account.
        run(&format!(
            "CREATE TABLE expiration_edits (
                id {id},
                user_id bigint NOT NULL REFERENCES users (id),
                app_seq bigint NOT NULL,
                expiration_before {moment} NULL,
                expiration_after {moment} NULL,
                performer_id bigint NULL REFERENCES users (id),
                edit_date {moment} NOT NULL
            )"
        ))
        .await?;
        for index in [
            // The whole history, by user and by performer, without the issuer.
            "entries_by_date ON entries (operation_date, id) WHERE user_id IS NOT NULL",
            "entries_by_user ON entries (user_id, operation_date, id)",
            "entries_by_performer ON entries (performer_id, operation_date, user_id, id) WHERE user_id IS NOT NULL",
            "operations_by_seller ON operations (seller_id, operation_date) WHERE seller_id IS NOT NULL",
            "expiration_edits_by_user ON expiration_edits (user_id, app_seq, id)",
            "expiration_edits_by_performer ON expiration_edits (performer_id)",
        ] {
            run(&format!("CREATE INDEX {index}")).await?;
        }
        // Shards, so that two concurrent sales don't wait for one counter; both entries of an operation count
        // in one.
        run("CREATE TABLE entries_counts (shard bigint NOT NULL PRIMARY KEY, total bigint NOT NULL)").await?;
        for shard in 0..16 {
            run(&format!("INSERT INTO entries_counts (shard, total) VALUES ({shard}, 0)")).await?;
        }
        run("CREATE TABLE credits_added (day text NOT NULL, shard bigint NOT NULL, total bigint NOT NULL, PRIMARY KEY (day, shard))").await?;
        if sqlite { self.guard_sqlite(manager).await } else { self.guard_postgres(manager).await }
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("the ledger is not thrown away: restore a backup".to_owned()))
    }
}

/// Constraint of a new entry: balance and count of its account match.
const STANDS: &str = "SELECT 1 FROM users u WHERE u.id = new.user_id AND CASE new.account \
     WHEN 'APP' THEN u.credits = new.balance_after AND u.app_seq = new.seq \
     ELSE u.sale_credits = new.balance_after AND u.sale_seq = new.seq END";
/// The second entry is the inverse of the first.
const PAIRED: &str =
    "SELECT 1 FROM entries e WHERE e.operation_id = new.operation_id AND e.leg = 0 AND e.delta = -new.delta";
const COUNT: &str = "UPDATE entries_counts SET total = total + 1 WHERE shard = new.operation_id % 16;";

impl Migration {
    async fn guard_sqlite(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let run = async |sql: String| manager.get_connection().execute_unprepared(&sql).await.map(drop);
        for table in ["operations", "entries", "expiration_edits"] {
            for event in ["UPDATE", "DELETE"] {
                run(format!(
                    "CREATE TRIGGER {table}_no_{event} BEFORE {event} ON {table} BEGIN \
                     SELECT RAISE(ABORT, '{table} are append-only'); END"
                ))
                .await?;
            }
        }
        for (column, seq) in [("credits", "app_seq"), ("sale_credits", "sale_seq")] {
            run(format!(
                "CREATE TRIGGER users_{column}_by_ledger BEFORE UPDATE OF {column} ON users \
                 WHEN new.{column} <> old.{column} AND new.{seq} <= old.{seq} BEGIN \
                 SELECT RAISE(ABORT, '{column} are written by the ledger'); END"
            ))
            .await?;
            run(format!(
                "CREATE TRIGGER users_{column}_begin_at_none BEFORE INSERT ON users \
                 WHEN new.{column} <> 0 BEGIN SELECT RAISE(ABORT, '{column} are written by the ledger'); END"
            ))
            .await?;
        }
        run(format!(
            "CREATE TRIGGER entries_stand AFTER INSERT ON entries WHEN NOT new.imported AND new.user_id IS NOT NULL \
             AND NOT EXISTS ({STANDS}) BEGIN SELECT RAISE(ABORT, 'an entry and its balance differ'); END"
        ))
        .await?;
        run(format!(
            "CREATE TRIGGER entries_paired AFTER INSERT ON entries WHEN new.leg = 1 AND NOT EXISTS ({PAIRED}) BEGIN \
             SELECT RAISE(ABORT, 'an operation has two legs'); END"
        ))
        .await?;
        run(format!(
            "CREATE TRIGGER entries_counted AFTER INSERT ON entries WHEN new.user_id IS NOT NULL BEGIN {COUNT} END"
        ))
        .await?;
        run("CREATE TRIGGER entries_added AFTER INSERT ON entries WHEN new.account = 'APP' BEGIN \
             INSERT INTO credits_added (day, shard, total) VALUES (substr(new.operation_date, 1, 10), new.operation_id % 16, new.delta) \
             ON CONFLICT (day, shard) DO UPDATE SET total = credits_added.total + excluded.total; END"
            .to_owned())
        .await
    }

    async fn guard_postgres(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let run = async |sql: String| manager.get_connection().execute_unprepared(&sql).await.map(drop);
        run("CREATE FUNCTION is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION '% are append-only', TG_TABLE_NAME; END $$"
            .to_owned())
        .await?;
        for table in ["operations", "entries", "expiration_edits"] {
            run(format!(
                "CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} \
                 FOR EACH STATEMENT EXECUTE FUNCTION is_append_only()"
            ))
            .await?;
        }
        run("CREATE FUNCTION users_balances_by_ledger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF TG_OP = 'INSERT' THEN \
               IF new.credits <> 0 OR new.sale_credits <> 0 THEN RAISE EXCEPTION 'credits are written by the ledger'; END IF; \
             ELSIF (new.credits <> old.credits AND new.app_seq <= old.app_seq) \
                OR (new.sale_credits <> old.sale_credits AND new.sale_seq <= old.sale_seq) THEN \
               RAISE EXCEPTION 'credits are written by the ledger'; END IF; \
             RETURN new; END $$"
            .to_owned())
        .await?;
        run("CREATE TRIGGER users_balances_guarded BEFORE INSERT OR UPDATE OF credits, sale_credits ON users \
             FOR EACH ROW EXECUTE FUNCTION users_balances_by_ledger()"
            .to_owned())
        .await?;
        run(format!(
            "CREATE FUNCTION entries_check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF NOT new.imported AND new.user_id IS NOT NULL AND NOT EXISTS ({STANDS}) THEN \
               RAISE EXCEPTION 'an entry and its balance differ'; END IF; \
             IF new.leg = 1 AND NOT EXISTS ({PAIRED}) THEN RAISE EXCEPTION 'an operation has two legs'; END IF; \
             IF new.user_id IS NOT NULL THEN {COUNT} END IF; \
             IF new.account = 'APP' THEN \
               INSERT INTO credits_added (day, shard, total) VALUES \
                 (to_char(new.operation_date AT TIME ZONE 'UTC', 'YYYY-MM-DD'), new.operation_id % 16, new.delta) \
               ON CONFLICT (day, shard) DO UPDATE SET total = credits_added.total + excluded.total; END IF; \
             RETURN NULL; END $$"
        ))
        .await?;
        run("CREATE TRIGGER entries_checked AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION entries_check()".to_owned())
            .await
    }
}
