//! Copies of a database, and the checks of a copy. Every call opens a separate connection and
//! creates nothing else.

use std::{fmt::Write, path::Path};

use domain_credits::OPENING_REASON;
use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, QueryResult,
    RuntimeErr, Statement, sqlx::Error as SqlxError,
};

use crate::entities::sessions;

/// Maximum rows reported by one check.
const REPORTED: usize = 100;

/// Opens the SQLite file at `path`, which must exist.
async fn open_sqlite(path: &Path) -> Result<DatabaseConnection, DbErr> {
    let path = path.to_owned();
    let mut options = ConnectOptions::new("sqlite:");
    options.min_connections(1).max_connections(1).sqlx_logging(false).map_sqlx_sqlite_opts(move |sqlite| {
        sqlite.filename(&path).create_if_missing(false).busy_timeout(std::time::Duration::from_secs(5))
    });
    sea_orm::Database::connect(options).await
}

/// Opens the PostgreSQL database at `url`.
async fn open_postgres(url: &str) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    options.min_connections(1).max_connections(1).sqlx_logging(false);
    sea_orm::Database::connect(options).await
}

async fn rows(connection: &DatabaseConnection, sql: impl Into<String>) -> Result<Vec<QueryResult>, DbErr> {
    connection.query_all_raw(Statement::from_string(connection.get_database_backend(), sql)).await
}

/// The first column of every row.
async fn texts(connection: &DatabaseConnection, sql: impl Into<String>) -> Result<Vec<String>, DbErr> {
    rows(connection, sql).await?.iter().map(|row| row.try_get_by_index(0)).collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The names of the applied migrations; `None` if the database has none of this service.
pub async fn applied_migrations(connection: &DatabaseConnection) -> Result<Option<Vec<String>>, DbErr> {
    let known = if connection.get_database_backend() == DbBackend::Sqlite {
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'"
    } else {
        "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'seaql_migrations'"
    };
    if texts(connection, known).await?.is_empty() {
        return Ok(None);
    }
    texts(connection, "SELECT version FROM seaql_migrations ORDER BY version").await.map(Some)
}

/// A SQLite file.
#[derive(Debug)]
pub struct SqliteFile(DatabaseConnection);

impl SqliteFile {
    /// Opens the file, which must exist.
    pub async fn open(path: &Path) -> Result<Self, DbErr> {
        Ok(Self(open_sqlite(path).await?))
    }

    /// Writes a consistent state of the database to another file, which must be empty or missing.
    /// Reads and writes of the database continue meanwhile.
    pub async fn vacuum_into(&self, target: &Path) -> Result<(), DbErr> {
        let target = target.to_string_lossy().into_owned();
        let copy = Statement::from_sql_and_values(DbBackend::Sqlite, "VACUUM INTO $1", [target.into()]);
        self.0.execute_raw(copy).await.map(drop)
    }

    /// Merges the write-ahead log into the file and removes it. `false` if another connection has
    /// the database open.
    pub async fn leave_wal_mode(&self) -> Result<bool, DbErr> {
        match texts(&self.0, "PRAGMA journal_mode = DELETE").await {
            Ok(mode) => Ok(mode.first().is_some_and(|mode| mode == "delete")),
            Err(error) if is_locked(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The names of the applied migrations; `None` if the database has none of this service.
    pub async fn migrations(&self) -> Result<Option<Vec<String>>, DbErr> {
        applied_migrations(&self.0).await
    }

    /// Errors of pages, indexes and foreign keys.
    pub async fn check_integrity(&self) -> Result<Vec<String>, DbErr> {
        let found = texts(&self.0, format!("PRAGMA integrity_check({REPORTED})")).await?;
        let mut wrong: Vec<String> = found.into_iter().filter(|row| row != "ok").collect();
        let sql = format!(
            "SELECT 'row ' || coalesce(rowid, '?') || ' of ' || \"table\" || ' refers to a row of ' || parent || ' that does not exist' \
             FROM pragma_foreign_key_check LIMIT {REPORTED}"
        );
        wrong.extend(texts(&self.0, sql).await?);
        Ok(wrong)
    }

    /// Search indexes that differ from the rows they were built from. This takes the write lock:
    /// only for a copy.
    pub async fn check_search(&self) -> Result<Vec<String>, DbErr> {
        let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' ORDER BY name";
        let mut wrong = Vec::new();
        for index in texts(&self.0, sql).await? {
            let index = quoted(&index);
            let check = format!("INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)");
            if let Err(error) = self.0.execute_unprepared(&check).await {
                wrong.push(format!("the search index {index} differs from its rows: {error}"));
            }
        }
        Ok(wrong)
    }

    /// Counters that differ from the rows they count.
    pub async fn check_counters(&self) -> Result<Vec<String>, DbErr> {
        check_counters(&self.0).await
    }

    /// Deletes every session.
    pub async fn end_sessions(&self) -> Result<(), DbErr> {
        end_sessions(&self.0).await
    }

    /// Closes the connection; the last one merges the write-ahead log.
    pub async fn close(self) -> Result<(), DbErr> {
        self.0.close().await
    }
}

/// Whether another connection holds a lock on the SQLite database.
fn is_locked(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return false;
    };
    matches!(cause.as_ref(), SqlxError::Database(cause) if matches!(cause.code().as_deref(), Some("5" | "6" | "261" | "517")))
}

/// A PostgreSQL database.
#[derive(Debug)]
pub struct PostgresDatabase(DatabaseConnection);

impl PostgresDatabase {
    /// Connects to the database at `url`.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        Ok(Self(open_postgres(url).await?))
    }

    /// The server's major version.
    pub async fn major_version(&self) -> Result<i64, DbErr> {
        let version = texts(&self.0, "SELECT current_setting('server_version_num')").await?;
        let number: Option<i64> = version.first().and_then(|text| text.parse().ok());
        number.map(|number| number / 10_000).ok_or_else(|| DbErr::Custom("PostgreSQL has no version".into()))
    }

    /// Whether there is no table.
    pub async fn is_empty(&self) -> Result<bool, DbErr> {
        let sql = "SELECT tablename::text FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1";
        Ok(texts(&self.0, sql).await?.is_empty())
    }

    /// Creates a database like the one named `model`: the same encoding, language and provider of its locale.
    pub async fn create_database(&self, name: &str, model: &str) -> Result<(), DbErr> {
        // Columns of locales have other names in each version, and are missing before 15.
        let sql = Statement::from_sql_and_values(
            DbBackend::Postgres,
            "SELECT format('CREATE DATABASE %I TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L', \
             CAST($1 AS text), pg_encoding_to_char(encoding), datcollate, datctype) || \
             CASE m.row ->> 'datlocprovider' \
             WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L', COALESCE(m.row ->> 'datlocale', m.row ->> 'daticulocale')) \
             WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', m.row ->> 'datlocale') \
             WHEN 'c' THEN ' LOCALE_PROVIDER libc' ELSE '' END || \
             CASE WHEN m.row ->> 'daticurules' IS NULL THEN '' ELSE format(' ICU_RULES %L', m.row ->> 'daticurules') END \
             FROM pg_database CROSS JOIN LATERAL (SELECT to_jsonb(pg_database) AS row) m WHERE datname = $2",
            [name.into(), model.into()],
        );
        let row = self.0.query_one_raw(sql).await?;
        let row = row.ok_or_else(|| DbErr::Custom(format!("there is no database {model}")))?;
        let create: String = row.try_get_by_index(0)?;
        self.0.execute_unprepared(&create).await.map(drop)
    }

    /// Removes a database and ends the connections to it.
    pub async fn drop_database(&self, name: &str) -> Result<(), DbErr> {
        self.end_connections(name).await?;
        // WITH (FORCE) requires a superuser while autovacuum works there. Without it PostgreSQL
        // ends autovacuum itself.
        let sql = format!("DROP DATABASE IF EXISTS {}", quoted(name));
        self.0.execute_unprepared(&sql).await.map(drop)
    }

    /// Connections of other clients to a database. A process of PostgreSQL itself (autovacuum) has
    /// no role and is not counted.
    pub async fn connections_to(&self, name: &str) -> Result<usize, DbErr> {
        let sql = Statement::from_sql_and_values(
            DbBackend::Postgres,
            "SELECT pid FROM pg_stat_activity WHERE datname = $1 AND usesysid IS NOT NULL AND pid <> pg_backend_pid()",
            [name.into()],
        );
        Ok(self.0.query_all_raw(sql).await?.len())
    }

    /// Ends the connections of clients to a database. Only a superuser may end a process without a
    /// role.
    async fn end_connections(&self, name: &str) -> Result<(), DbErr> {
        let sql = Statement::from_sql_and_values(
            DbBackend::Postgres,
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND usesysid IS NOT NULL",
            [name.into()],
        );
        self.0.query_all_raw(sql).await.map(drop)
    }

    /// Renames the database `current` to `before`, and `new` to `current`, both or neither. Fails
    /// if one of them has connections.
    pub async fn swap(&self, current: &str, before: &str, new: &str) -> Result<(), DbErr> {
        use sea_orm::TransactionTrait;
        // The only connections to the new database are those of the verification.
        self.end_connections(new).await?;
        let transaction = self.0.begin().await?;
        for (from, to) in [(current, before), (new, current)] {
            let sql = format!("ALTER DATABASE {} RENAME TO {}", quoted(from), quoted(to));
            transaction.execute_unprepared(&sql).await?;
        }
        transaction.commit().await
    }

    /// The names of the applied migrations; `None` if the database has none of this service.
    pub async fn migrations(&self) -> Result<Option<Vec<String>>, DbErr> {
        applied_migrations(&self.0).await
    }

    /// Indexes and constraints that PostgreSQL marks as incomplete; it maintains all others.
    pub async fn check_integrity(&self) -> Result<Vec<String>, DbErr> {
        let indexes = "SELECT 'the index ' || indexrelid::regclass || ' is not valid' FROM pg_index WHERE NOT indisvalid";
        let constraints = "SELECT 'the constraint ' || conname || ' of ' || conrelid::regclass || ' was not validated' \
             FROM pg_constraint WHERE NOT convalidated";
        let mut wrong = texts(&self.0, indexes).await?;
        wrong.extend(texts(&self.0, constraints).await?);
        Ok(wrong)
    }

    /// Counters that differ from the rows they count.
    pub async fn check_counters(&self) -> Result<Vec<String>, DbErr> {
        check_counters(&self.0).await
    }

    /// Deletes every session.
    pub async fn end_sessions(&self) -> Result<(), DbErr> {
        end_sessions(&self.0).await
    }

    /// Closes the connection.
    pub async fn close(self) -> Result<(), DbErr> {
        self.0.close().await
    }
}

/// A backup has sessions that were ended after it was made, because a password may have been
/// changed since.
async fn end_sessions(connection: &DatabaseConnection) -> Result<(), DbErr> {
    sessions::Entity::delete_many().exec(connection).await.map(drop)
}

/// Compares every counter table with the counted rows. A table `x_counts` counts the rows of `x` by
/// the columns that both have; other columns distribute one counter over several rows.
async fn check_counters(connection: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    let sqlite = connection.get_database_backend() == DbBackend::Sqlite;
    let sql = if sqlite {
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    } else {
        "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
    };
    let tables = texts(connection, sql).await?;
    let exists = |name: &str| tables.iter().any(|table| table == name);
    let mut wrong = Vec::new();
    for counters in &tables {
        let Some(counted) = counters.strip_suffix("_counts").filter(|counted| exists(counted)) else {
            continue;
        };
        let of_counted = columns(connection, counted).await?;
        let keys: Vec<String> = columns(connection, counters)
            .await?
            .into_iter()
            .filter(|column| column != "total" && of_counted.contains(column))
            .collect();
        // Entries of the issuer's account have no user and are not counted.
        let filter = if counted == "entries" { " WHERE user_id IS NOT NULL" } else { "" };
        let keys: Vec<String> = keys.iter().map(|key| format!("coalesce(CAST({key} AS text), '')")).collect();
        let label = if keys.is_empty() { "''".to_owned() } else { keys.join(" || ' ' || ") };
        let counts = format!("SELECT {label} AS label, total AS number FROM {counters}");
        let rows = format!("SELECT {label} AS label, -1 AS number FROM {counted}{filter}");
        wrong.extend(differences(connection, counters, &counts, &rows).await?);
    }
    let day = |column: &str| {
        if sqlite {
            format!("substr({column}, 1, 10)")
        } else {
            format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD')")
        }
    };
    if exists("users_registered") {
        let rows = format!("SELECT {} AS label, -1 AS number FROM users", day("created_date"));
        let counts = "SELECT day AS label, total AS number FROM users_registered";
        wrong.extend(differences(connection, "users_registered", counts, &rows).await?);
    }
    // Imported opening balances, and their reversals, are not sales; copies of earlier versions
    // count them in a table with another name.
    let no_opening = format!(
        " AND NOT EXISTS (SELECT 1 FROM operations o JOIN operations p ON p.id = coalesce(o.reverses_id, o.id) \
         WHERE o.id = e.operation_id AND p.imported AND p.reason = '{OPENING_REASON}')"
    );
    for (counters, filter) in [("credits_sold", no_opening.as_str()), ("credits_added", "")] {
        if exists(counters) {
            let rows = format!(
                "SELECT {} AS label, -e.delta AS number FROM entries e WHERE e.account = 'APP'{filter}",
                day("e.operation_date")
            );
            let counts = format!("SELECT day AS label, total AS number FROM {counters}");
            wrong.extend(differences(connection, counters, &counts, &rows).await?);
        }
    }
    Ok(wrong)
}

async fn columns(connection: &DatabaseConnection, table: &str) -> Result<Vec<String>, DbErr> {
    let sql = if connection.get_database_backend() == DbBackend::Sqlite {
        format!("SELECT name FROM pragma_table_info('{table}')")
    } else {
        format!(
            "SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '{table}'"
        )
    };
    texts(connection, sql).await
}

/// Labels whose numbers do not add up to zero.
async fn differences(
    connection: &DatabaseConnection,
    counters: &str,
    counts: &str,
    rows: &str,
) -> Result<Vec<String>, DbErr> {
    let sql = format!(
        "SELECT label, CAST(sum(number) AS bigint) AS difference FROM ({counts} UNION ALL {rows}) x \
         GROUP BY label HAVING sum(number) <> 0 ORDER BY label LIMIT {REPORTED}"
    );
    let found = self::rows(connection, sql).await?;
    found
        .iter()
        .map(|row| {
            let (label, difference): (String, i64) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
            let mut text = counters.to_owned();
            if !label.is_empty() {
                let _ = write!(text, " ({label})");
            }
            let _ = write!(text, " counts {difference:+} rows against what is stored");
            Ok(text)
        })
        .collect()
}
