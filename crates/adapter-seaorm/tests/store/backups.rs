//! The log of backups, and restores of databases of PostgreSQL.

use adapter_seaorm::{SeaOrmBackups, backup::PostgresDatabase};
use chrono::{DateTime, Utc};
use domain_kernel::Origin;
use domain_settings::{BackupOrigin, BackupState};
use ports::{BackupDates, BackupLog, BackupOutcome, Edit};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::support::{TestDb, after, edit_of, on_both, start};

fn failed(detail: &str) -> BackupOutcome {
    BackupOutcome::Failed { detail: detail.to_owned(), duration_ms: Some(10) }
}

/// By the schedule.
fn scheduled(at: DateTime<Utc>) -> Edit {
    Edit { by: None, at, origin: Origin::SERVER }
}

on_both! {
    async fn one_backup_is_unfinished_at_a_time(db: &TestDb) {
        let (log, other) = (SeaOrmBackups(db.database.clone()), SeaOrmBackups(db.other_node().await));
        assert_eq!(log.dates().await.unwrap(), BackupDates::default());
        assert_eq!(log.unfinished().await.unwrap(), None);
        let (by_schedule, by_ana) = (scheduled(start()), edit_of("ana_1", start()));
        let (one, two) = tokio::join!(
            log.add(BackupOrigin::Schedule, &by_schedule),
            other.add(BackupOrigin::Manual, &by_ana),
        );
        let added: Vec<_> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        assert_eq!(added.len(), 1, "of two that are requested at once, one is added");
        let first = &added[0];
        assert_eq!((first.state, first.created_date), (BackupState::Waiting, start()));
        log.begin(first.id, "w.db").await.unwrap();
        assert_eq!(other.unfinished().await.unwrap().unwrap().state, BackupState::Running);
        assert_eq!(log.add(BackupOrigin::Manual, &edit_of("ana_1", after(1))).await.unwrap(), None);

        log.finish(first.id, &failed("no space"), after(1)).await.unwrap();
        let second = log.add(BackupOrigin::Manual, &edit_of("ana_1", after(2))).await.unwrap().unwrap();
        let outcome = BackupOutcome::Good { file_name: "x.db".to_owned(), size: 4096, duration_ms: 1500 };
        log.finish(second.id, &outcome, after(3)).await.unwrap();
        let newest = log.newest(10).await.unwrap();
        assert_eq!(newest.iter().map(|one| one.state).collect::<Vec<_>>(), [BackupState::Good, BackupState::Failed]);
        let good = &newest[0];
        assert_eq!(
            (good.requested_by.as_deref(), good.file_name.as_deref(), good.size, good.duration_ms, good.finished_date),
            (Some("ana_1"), Some("x.db"), Some(4096), Some(1500), Some(after(3)))
        );
        assert_eq!(newest[1].detail.as_deref(), Some("no space"));
        assert_eq!(newest[1].file_name, None, "the failed one has no file");
        assert_eq!(log.files().await.unwrap(), [("x.db".to_owned(), true), ("w.db".to_owned(), false)]);
        let third = log.add(BackupOrigin::Schedule, &scheduled(after(4))).await.unwrap().unwrap();
        log.finish(third.id, &failed("again"), after(5)).await.unwrap();
        let dates = BackupDates { last_good: Some(after(2)), last_attempt: Some(after(4)) };
        assert_eq!(log.dates().await.unwrap(), dates);
        let fourth = log.add(BackupOrigin::Schedule, &scheduled(after(6))).await.unwrap().unwrap();
        log.finish(fourth.id, &BackupOutcome::Good { file_name: "y.db".to_owned(), size: 1, duration_ms: 1 }, after(7)).await.unwrap();
        assert_eq!(log.files().await.unwrap()[..2], [("y.db".to_owned(), true), ("x.db".to_owned(), true)], "the newest first");
    }

    async fn the_log_stores_good_backups_and_the_newest_thousand(db: &TestDb) {
        let log = SeaOrmBackups(db.database.clone());
        let good = log.add(BackupOrigin::Schedule, &scheduled(start())).await.unwrap().unwrap();
        log.finish(good.id, &BackupOutcome::Good { file_name: "x.db".to_owned(), size: 1, duration_ms: 1 }, start()).await.unwrap();
        db.run(&format!("UPDATE backups SET id = id - 3000 WHERE id = {}", good.id)).await;
        let first = log.add(BackupOrigin::Schedule, &scheduled(start())).await.unwrap().unwrap();
        log.begin(first.id, "w.db").await.unwrap();
        log.finish(first.id, &failed("first"), start()).await.unwrap();
        db.run(&format!("UPDATE backups SET id = id - 2000 WHERE id = {}", first.id)).await;
        let second = log.add(BackupOrigin::Schedule, &scheduled(after(1))).await.unwrap().unwrap();
        log.finish(second.id, &failed("second"), after(1)).await.unwrap();
        let left: Vec<_> = log.newest(10).await.unwrap().into_iter().map(|one| one.id).collect();
        assert_eq!(left, [second.id, good.id - 3000], "its file exists");
        log.forget_file("x.db").await.unwrap();
        assert_eq!(log.files().await.unwrap(), []);
        let third = log.add(BackupOrigin::Schedule, &scheduled(after(2))).await.unwrap().unwrap();
        log.finish(third.id, &failed("third"), after(2)).await.unwrap();
        let left: Vec<_> = log.newest(10).await.unwrap().into_iter().map(|one| one.id).collect();
        assert_eq!(left, [third.id, second.id]);
    }
}

#[tokio::test]
async fn a_restored_database_sorts_like_the_original() {
    let Some(db) = TestDb::bare_postgres().await else { return };
    let value = async |sql: &str| db.rows(sql).await[0].try_get::<String>("", "value").unwrap();
    let version: u32 = value("SELECT current_setting('server_version_num') AS value").await.parse().unwrap();
    if version < 150_000 {
        return;
    }
    let name = value("SELECT current_database()::text AS value").await;
    let [model, copy] = ["model", "copy"].map(|end| format!("{name}_{end}"));
    db.run(&format!("CREATE DATABASE {model} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'es'")).await;

    let server = PostgresDatabase::open(&db.url_of(&name)).await.unwrap();
    server.create_database(&copy, &model).await.unwrap();
    let locale_of = async |database: &str| {
        let own = "(to_jsonb(d) - ARRAY['oid', 'datname', 'datfrozenxid', 'datminmxid'])::text";
        value(&format!("SELECT {own} AS value FROM pg_database d WHERE datname = '{database}'")).await
    };
    let expected = locale_of(&model).await;
    assert!(expected.contains(r#""datlocprovider": "i""#), "{expected}");
    assert_eq!(locale_of(&copy).await, expected);
    for one in [&copy, &model] {
        server.drop_database(one).await.unwrap();
    }
}

/// A test can't start autovacuum at a given time. Here `pg_stat_activity` shows connections with
/// the application name `in DATABASE` as connections to that database without a role.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_process_without_a_role_is_no_connection_and_is_not_ended_by_a_restore() {
    let Some(db) = TestDb::bare_postgres().await else { return };
    let name: String =
        db.rows("SELECT current_database()::text AS name").await[0].try_get("", "name").unwrap();
    let [current, before, new] = ["current", "before", "new"].map(|end| format!("{name}_{end}"));
    db.run(&format!(
        "CREATE SCHEMA seen; CREATE VIEW seen.pg_stat_activity AS SELECT a.pid, \
         CASE WHEN starts_with(a.application_name, 'in ') THEN substr(a.application_name, 4) ELSE a.datname::text END AS datname, \
         CASE WHEN starts_with(a.application_name, 'in ') THEN NULL ELSE a.usesysid END AS usesysid \
         FROM pg_catalog.pg_stat_activity a; \
         ALTER DATABASE {name} SET search_path = seen, pg_catalog, public"
    ))
    .await;
    let mut workers = Vec::new();
    for of in [&current, &new] {
        let worker = db.without_lock_waits().await;
        worker.execute_unprepared(&format!("SET application_name = 'in {of}'")).await.unwrap();
        workers.push((worker, format!("in {of}")));
    }

    let server = PostgresDatabase::open(&db.url_of(&name)).await.unwrap();
    for one in [&current, &new] {
        server.create_database(one, &name).await.unwrap();
    }
    assert_eq!(server.connections_to(&current).await.unwrap(), 0);
    let client = PostgresDatabase::open(&db.url_of(&current)).await.unwrap();
    assert_eq!(server.connections_to(&current).await.unwrap(), 1);
    client.close().await.unwrap();
    let own = PostgresDatabase::open(&db.url_of(&new)).await.unwrap();
    server.swap(&current, &before, &new).await.unwrap();
    assert!(own.is_empty().await.is_err(), "a connection to the new database is ended");
    let databases = async || {
        let found = db.rows("SELECT datname::text AS name FROM pg_database ORDER BY datname").await;
        let names = found.iter().map(|row| row.try_get::<String>("", "name").unwrap());
        names.filter(|other| other.starts_with(&format!("{name}_"))).collect::<Vec<_>>()
    };
    assert_eq!(databases().await, [before.clone(), current.clone()]);

    // A database with connections is dropped as well.
    let own = PostgresDatabase::open(&db.url_of(&current)).await.unwrap();
    for one in [&current, &before, &new] {
        server.drop_database(one).await.unwrap();
    }
    assert!(own.is_empty().await.is_err());
    assert_eq!(databases().await, [""; 0]);
    for (worker, expected) in &workers {
        let seen = "SELECT current_setting('application_name') AS name";
        let row = worker.query_one_raw(Statement::from_string(DbBackend::Postgres, seen)).await.unwrap();
        assert_eq!(&row.unwrap().try_get::<String>("", "name").unwrap(), expected, "it was not ended");
    }
    server.close().await.unwrap();
    db.remove().await;
}
