//! Migrations are killed at random times. The next start completes them, and no row is lost.

use std::{
    process::Child,
    thread::sleep,
    time::{Duration, Instant},
};

use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};

use crate::harness::{Rng, TestDb, on_both_databases, run, spawn};

/// Migrations of the schema that was released before migrations ran in transactions.
const EARLIER: u32 = 20;
const ROWS: i64 = 400;

/// Number of rounds: `CARTELERA_KILLS`, or the number for CI.
fn kills() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "tests have no settings file")]
    std::env::var("CARTELERA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

async fn texts(db: &TestDb, sql: &str) -> Vec<String> {
    let connection = db.connect().await;
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let rows = connection.query_all_raw(statement).await.unwrap();
    connection.close().await.unwrap();
    rows.iter().map(|row| row.try_get("", "text").unwrap()).collect()
}

/// All tables, columns, indexes, triggers and functions, and the recorded migrations.
async fn schema(db: &TestDb) -> Vec<String> {
    let objects = if db.is_sqlite() {
        "SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS text FROM sqlite_master"
    } else {
        "SELECT table_name || '.' || column_name || ' ' || data_type AS text FROM information_schema.columns WHERE table_schema = 'public' \
         UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' \
         UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal \
         UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
         WHERE n.nspname = 'public' AND p.prolang IN (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')"
    };
    let mut all = texts(db, objects).await;
    all.extend(texts(db, "SELECT version AS text FROM seaql_migrations").await);
    all.sort();
    all
}

/// A connection to a database that no process has opened yet.
async fn new_file(db: &TestDb) -> DatabaseConnection {
    if db.is_sqlite() {
        std::fs::File::create_new(db.file()).unwrap();
    }
    db.connect().await
}

/// The earlier schema with rows in it.
async fn fill(db: &TestDb) {
    let connection = new_file(db).await;
    migrations::migrate_by(&connection, EARLIER).await.unwrap();
    let date = "'2026-11-20T10:00:00.000+00:00'";
    let numbers = format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})");
    for sql in [
        format!(
            "{numbers} INSERT INTO users (username, username_key, full_name, role, status, created_date, updated_date) \
             SELECT 'u' || i, 'u' || i, 'User', 'app', 'ACTIVE', {date}, {date} FROM n"
        ),
        format!(
            "{numbers} INSERT INTO categories (version, views, created_date, updated_date, natural_key, search_text, description, \
             description_key, english_description, english_description_key, type, active) \
             SELECT 1, 0, {date}, {date}, 'c' || i, 'c' || i, 'c' || i, 'c' || i, 'c' || i, 'c' || i, 'MOVIE', true FROM n"
        ),
    ] {
        connection.execute_unprepared(&sql).await.unwrap();
    }
    connection.close().await.unwrap();
}

fn kill_after(mut process: Child, time: Duration) -> bool {
    sleep(time);
    let was_running = process.try_wait().unwrap().is_none();
    process.kill().unwrap();
    process.wait().unwrap();
    was_running
}

async fn assert_migrations_survive(fresh: impl AsyncFn() -> TestDb, filled: bool) {
    let start = async || {
        let db = fresh().await;
        if filled {
            fill(&db).await;
        }
        db
    };
    let reference = start().await;
    let begun = Instant::now();
    let migrated = run(&reference, &["migrate"], "");
    let whole = begun.elapsed();
    assert!(migrated.success, "{migrated:?}");
    let expected = schema(&reference).await;
    reference.drop_database().await;
    let mut rng = Rng(5);
    let mut interrupted = 0;
    for round in 0..kills() {
        let db = start().await;
        // Also in the first half: the measured run may have been slower than these.
        for share in [2, 1] {
            let longest = u64::try_from(whole.as_micros()).unwrap() / share;
            let time = Duration::from_micros(rng.below(longest.max(1)));
            interrupted += usize::from(kill_after(spawn(&db, &["migrate"]), time));
        }
        let migrated = run(&db, &["migrate"], "");
        assert!(migrated.success, "round {round}: {migrated:?}");
        assert_eq!(schema(&db).await, expected, "round {round}");
        if filled {
            for table in ["users", "categories"] {
                let count = texts(&db, &format!("SELECT CAST(count(*) AS text) AS text FROM {table}")).await;
                assert_eq!(count, [ROWS.to_string()], "{table}, round {round}");
                let counted =
                    texts(&db, &format!("SELECT CAST(sum(total) AS text) AS text FROM {table}_counts")).await;
                assert_eq!(counted, [ROWS.to_string()], "counts of {table}, round {round}");
            }
        }
        db.drop_database().await;
    }
    println!("interrupted {interrupted} of {} migrations; an uninterrupted one took {whole:?}", 2 * kills());
    assert!(interrupted > 0, "no migration was interrupted");
}

on_both_databases! {
    async fn migrations_of_an_empty_database_survive_kills(db: &TestDb) {
        assert_migrations_survive(async || db.another().await, false).await;
    }

    async fn migrations_of_a_filled_earlier_schema_survive_kills(db: &TestDb) {
        assert_migrations_survive(async || db.another().await, true).await;
    }

    async fn programmes_with_several_titles_are_written_by_the_next_fetch_and_no_others(db: &TestDb) {
        let db = &db.another().await;
        let connection = new_file(db).await;
        let earlier = migrations::names().iter().position(|name| name.contains("_000113_")).unwrap();
        migrations::migrate_by(&connection, u32::try_from(earlier).unwrap()).await.unwrap();
        // As the program writes them, and as PostgreSQL wrote those that an earlier migration
        // split.
        let several = [r#"{"t":[{"t":"Bread"}]}"#, r#"{"t": [{"t": "Bread"}]}"#];
        let others = [r#"{"u":[{"t":"Uno"}]}"#, r#"{"u":[{"t":"\"t\":["}]}"#];
        for (start, details) in (0..).zip(several.iter().chain(&others)) {
            let insert = format!(
                "INSERT INTO programmes (channel_id, start_at, stop_at, title, search_text, details) \
                 VALUES (1, {start}, {start} + 60, 'Pan', 'pan', '{details}')"
            );
            connection.execute_unprepared(&insert).await.unwrap();
        }
        migrations::migrate(&connection).await.unwrap();
        connection.close().await.unwrap();
        let marked = several.map(|details| format!("{details} "));
        let expected: Vec<String> = marked.into_iter().chain(others.map(str::to_owned)).collect();
        assert_eq!(texts(db, "SELECT details AS text FROM programmes ORDER BY start_at").await, expected);
        db.drop_database().await;
    }

    async fn a_newer_schema_is_refused_with_a_message_and_unchanged(db: &TestDb) {
        db.execute("INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20990101_000099_later', 0)").await;
        let before = schema(db).await;
        for command in [["migrate"].as_slice(), &["ledger", "verify"], &[]] {
            let refused = run(db, command, "");
            assert!(!refused.success, "{command:?}: {refused:?}");
            for words in ["its schema is newer than this version of Cartelera", "m20990101_000099_later"] {
                assert!(refused.stderr.contains(words), "{command:?}: {refused:?}");
            }
        }
        assert_eq!(schema(db).await, before);
    }
}

/// Earlier versions applied migrations on SQLite without a transaction.
#[tokio::test]
async fn a_schema_half_migrated_by_an_earlier_version_is_recognised_and_explained() {
    let db = TestDb::empty_sqlite();
    let connection = new_file(&db).await;
    migrations::migrate_by(&connection, 13).await.unwrap();
    // The first statement of the migration of users.
    connection
        .execute_unprepared("ALTER TABLE users ADD COLUMN email text NOT NULL DEFAULT ''")
        .await
        .unwrap();
    connection.close().await.unwrap();
    let before = schema(&db).await;
    for _ in 0..2 {
        let migrated = run(&db, &["migrate"], "");
        assert!(!migrated.success, "{migrated:?}");
        for words in ["was interrupted under an earlier version", "Restore the last backup", "000014"] {
            assert!(migrated.stderr.contains(words), "{migrated:?}");
        }
        assert_eq!(schema(&db).await, before, "nothing was changed");
    }
}
