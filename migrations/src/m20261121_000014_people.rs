//! Users: fields of the form, balances, registrar, and the columns for searching and ordering a million of
//! them.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const USERS: Content =
    Content { table: "users", sorts: &[], facets: &[("role", "text"), ("status", "text")] };

/// Sortable columns; the id is the tie-breaker.
const SORTS: [&str; 8] = [
    "full_name_key",
    "role",
    "credits",
    "sale_credits",
    "sign_ins",
    "status",
    "created_date",
    "updated_date",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let balance =
            |name: &'static str| big_integer(name).default(0).check(Expr::col(name).gte(0)).to_owned();
        let columns = [
            text("email").default("").to_owned(),
            text("phone_number").default("").to_owned(),
            text_null("address"),
            text_null("comment"),
            // Balances are written by the ledger only; each of its entries increments one of these counters.
            balance("credits"),
            balance("sale_credits"),
            balance("app_seq"),
            balance("sale_seq"),
            big_integer("total_sales").default(0).to_owned(),
            timestamp_with_time_zone_null("expiration_date"),
            big_integer_null("registered_by_id"),
            // Ids of the user's registrars up to the root, each followed by a slash, from the root on: a
            // subtree is a range of this column.
            key("lineage", backend).default("/").to_owned(),
            key("full_name_key", backend).default("").to_owned(),
            text("search_text").default("").to_owned(),
        ];
        for column in columns {
            let table = Table::alter().table("users").add_column(column).to_owned();
            manager.alter_table(table).await?;
        }
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("UPDATE users SET full_name_key = lower(full_name), search_text = lower(username || ' ' || full_name)").await?;
        for column in SORTS {
            run(&format!("CREATE INDEX users_by_{column} ON users ({column}, id)")).await?;
        }
        if backend == DbBackend::Sqlite {
            // Rows are wide, and SQLite has no narrow index of ids by default.
            run("CREATE INDEX users_by_id ON users (id, role, status)").await?;
        }
        // Subscriptions without an expiration are last.
        let never = if backend == DbBackend::Sqlite { "'~'" } else { "'infinity'" };
        run(&format!("CREATE INDEX users_by_expiration ON users (coalesce(expiration_date, {never}), id)"))
            .await?;
        // An agent's list and cards read this range only.
        run("CREATE INDEX users_by_lineage ON users (lineage, role, expiration_date, credits, created_date, id)").await?;
        run("CREATE INDEX users_by_deadline ON users (role, expiration_date, id)").await?;
        run("CREATE INDEX users_by_sales ON users (role, total_sales, id)").await?;
        USERS.create_counters(manager).await?;
        run("INSERT INTO users_counts (role, status, total) SELECT role, status, count(*) FROM users GROUP BY role, status").await?;
        USERS.index_text(manager).await?;
        if backend == DbBackend::Sqlite {
            run("INSERT INTO users_search(users_search) VALUES ('rebuild')").await?;
        }
        self.count_registrations(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration(format!(
            "balances are not thrown away: restore a backup ({:?})",
            manager.get_database_backend()
        )))
    }
}

impl Migration {
    /// Numbers of registrations by day (UTC), for the charts of the dashboards.
    async fn count_registrations(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE TABLE users_registered (day text NOT NULL PRIMARY KEY, total bigint NOT NULL)").await?;
        let sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let day = |row: &str| {
            if sqlite {
                format!("substr({row}created_date, 1, 10)")
            } else {
                format!("to_char({row}created_date AT TIME ZONE 'UTC', 'YYYY-MM-DD')")
            }
        };
        run(&format!(
            "INSERT INTO users_registered (day, total) SELECT {}, count(*) FROM users GROUP BY 1",
            day("")
        ))
        .await?;
        let add = format!(
            "INSERT INTO users_registered (day, total) VALUES ({}, 1) \
             ON CONFLICT (day) DO UPDATE SET total = users_registered.total + 1;",
            day("new.")
        );
        let take = format!("UPDATE users_registered SET total = total - 1 WHERE day = {};", day("old."));
        if sqlite {
            run(&format!("CREATE TRIGGER users_registered_add AFTER INSERT ON users BEGIN {add} END"))
                .await?;
            return run(&format!(
                "CREATE TRIGGER users_registered_take AFTER DELETE ON users BEGIN {take} END"
            ))
            .await;
        }
        run(&format!(
            "CREATE FUNCTION users_count_registrations() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF TG_OP = 'DELETE' THEN {take} ELSE {add} END IF; RETURN NULL; END $$"
        ))
        .await?;
        run("CREATE TRIGGER users_registrations_counted AFTER INSERT OR DELETE ON users \
             FOR EACH ROW EXECUTE FUNCTION users_count_registrations()")
        .await
    }
}
