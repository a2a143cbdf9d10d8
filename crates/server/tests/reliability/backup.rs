//! Backups under load are restored and compared with the acknowledged writes; bad backups are
//! rejected without a change of the database.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{task::spawn_blocking, time::sleep};

use crate::harness::{
    Client, Cluster, Finished, Load, Rng, Seller, Server, TestDb, Tmpfs, on_both_databases, rounds, run,
    run_with, spawn,
};

const WITHIN: Duration = Duration::from_mins(1);

/// Runs a command beside the load without blocking its clients.
async fn run_under_load(db: &TestDb, arguments: &[&str]) -> Finished {
    let (url, arguments) =
        (db.url().to_owned(), arguments.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        crate::harness::run_over(&url, &arguments)
    })
    .await
    .unwrap()
}

fn path(file: &Path) -> &str {
    file.to_str().unwrap()
}

/// Names in a folder.
fn names(folder: &Path) -> HashSet<String> {
    fs::read_dir(folder).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap()).collect()
}

/// Old backups are removed once the newest one is recorded.
async fn until_names_are(folder: &Path, expected: &HashSet<String>) {
    let end = Instant::now() + WITHIN;
    while names(folder) != *expected {
        assert!(Instant::now() < end, "{:?}, not {expected:?}", names(folder));
        sleep(Duration::from_millis(100)).await;
    }
}

/// A database with sales, and their keys.
async fn filled(db: &TestDb) -> HashSet<String> {
    let server = Server::start(db);
    let seller = Seller::create(&server).await;
    let load = Load::start(&server, &seller, 4);
    load.wait_for(20, WITHIN).await;
    load.stop().await;
    server.stop(WITHIN);
    db.stored_keys().await
}

fn backup(db: &TestDb, file: &Path) {
    let written = run(db, &["backup", path(file)], "");
    assert!(written.success, "{written:?}");
}

/// The log of backups, once the last one has failed.
async fn until_failed(admin: &Client, url: &str) -> Value {
    let end = Instant::now() + WITHIN;
    loop {
        let (_, seen) = admin.get(url, "/backups").await;
        if seen["backups"][0]["state"] == "FAILED" {
            return seen;
        }
        assert!(Instant::now() < end, "{seen}");
        sleep(Duration::from_millis(100)).await;
    }
}

on_both_databases! {
    async fn a_backup_under_load_has_every_write_acknowledged_before(db: &TestDb) {
        let server = Server::start(db);
        let seller = Seller::create(&server).await;
        let load = Load::start(&server, &seller, 8);
        load.wait_for(20, WITHIN).await;
        let file = db.folder().join("copy");
        let rounds = rounds(2);
        let (mut in_backups, mut smallest) = (0, usize::MAX);
        for _ in 0..rounds {
            let begun = Instant::now();
            let written = run_under_load(db, &["backup", path(&file)]).await;
            assert!(written.success, "{written:?}");
            assert!(written.stdout.contains("verified"), "{written:?}");
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
            let acknowledged = load.acknowledged_before(begun);
            let copy = db.another().await;
            let restored = run_under_load(&copy, &["restore", path(&file)]).await;
            assert!(restored.success, "{restored:?}");
            let stored = copy.stored_keys().await;
            let lost: Vec<&String> = acknowledged.difference(&stored).collect();
            assert!(lost.is_empty(), "{} of {} are not in the backup", lost.len(), acknowledged.len());
            let verified = run_under_load(&copy, &["verify"]).await;
            assert!(verified.success, "{verified:?}");
            (in_backups, smallest) = (in_backups + stored.len(), smallest.min(acknowledged.len()));
            copy.drop_database().await;
        }
        assert!(smallest > 0);
        let outcome = load.stop().await;
        server.stop(WITHIN);
        println!("{rounds} backups, {in_backups} sales in them, slowest sale beside them {:?}", outcome.slowest);
        outcome.compare(db).await.assert_sound("backup under load");
    }

    async fn a_restore_has_the_state_of_the_backup_and_keeps_the_old_database(db: &TestDb) {
        let old = filled(db).await;
        let file = db.folder().join("copy");
        let server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        server.stop(WITHIN);
        backup(db, &file);
        let server = Server::start(db);
        let agent = Client::sign_in(&server.url, "vendedor").await;
        let sale = json!({"targetUsername": "cliente_0", "amount": 1});
        let (status, _) =
            agent.send(&server.url, Method::POST, "/credits/add", Some("after-backup"), Some(&sale)).await.unwrap();
        assert_eq!(status, 201);
        // The database of a running server is not replaced.
        let refused = run(db, &["restore", path(&file), "--replace"], "");
        assert!(!refused.success, "{refused:?}");
        assert!(refused.stderr.contains("stop the server"), "{refused:?}");
        server.stop(WITHIN);
        assert_eq!(db.stored_keys().await.len(), old.len() + 1);
        if !db.is_sqlite() {
            let refused = run(db, &["restore", path(&file)], "");
            assert!(!refused.success && refused.stderr.contains("--replace"), "{refused:?}");
        }
        let restored = run(db, &["restore", path(&file), "--replace"], "");
        assert!(restored.success, "{restored:?}");
        assert_eq!(db.stored_keys().await, old);
        if db.is_sqlite() {
            let before = names(db.folder()).into_iter().find(|name| name.contains(".before-restore-")).unwrap();
            let url = format!("sqlite://{}", db.folder().join(before).display());
            assert!(crate::harness::stored_keys(&url).await.contains("after-backup"));
        } else {
            let databases = db.databases().await;
            assert!(databases.iter().any(|name| name.contains("_before_")), "{databases:?}");
            assert!(!databases.iter().any(|name| name.contains("_restore_")), "{databases:?}");
        }
        // The server runs on it.
        let server = Server::start(db);
        // The session that began after the backup is missing, and the one in the backup may have
        // been ended since.
        for ended in [&agent, &admin] {
            let (status, _) = ended.get(&server.url, "/users").await;
            assert_eq!(status, 401);
        }
        let agent = Client::sign_in(&server.url, "vendedor").await;
        let (status, _) = agent
            .send(&server.url, Method::POST, "/credits/add", Some("after-restore"), Some(&sale))
            .await
            .unwrap();
        assert_eq!(status, 201);
        server.stop(WITHIN);
        let verified = run(db, &["verify"], "");
        assert!(verified.success, "{verified:?}");
    }

    async fn a_bad_backup_is_refused_and_the_database_is_unchanged(db: &TestDb) {
        let keys = filled(db).await;
        let files = tempfile::tempdir().unwrap();
        let good = files.path().join("good");
        backup(db, &good);
        let bytes = fs::read(&good).unwrap();
        let file = |name: &str, bytes: &[u8]| -> PathBuf {
            let file = files.path().join(name);
            fs::write(&file, bytes).unwrap();
            file
        };
        let mut bad = vec![
            (file("empty", b""), "neither"),
            (file("text", b"SELECT 1;"), "neither"),
            (file("cut", &bytes[..bytes.len() / 2]), ""),
            (file("cut-short", &bytes[..bytes.len() - 4096]), ""),
            (files.path().join("missing"), "can't be read"),
            (files.path().to_owned(), "not a file"),
        ];
        if db.is_sqlite() {
            let changed = async |name: &str, sql: &str| {
                let file = file(name, &bytes);
                let connection = crate::harness::connect(&format!("sqlite://{}", file.display())).await;
                sea_orm::ConnectionTrait::execute_unprepared(&connection, sql).await.unwrap();
                connection.close().await.unwrap();
                file
            };
            let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20990101_000099_later', 0)";
            bad.push((changed("newer", newer).await, "newer"));
            bad.push((changed("foreign", "DROP TABLE seaql_migrations").await, "not a database of Cartelera"));
            bad.push((changed("counters", "UPDATE users_counts SET total = total + 1").await, "users_counts"));
            let search = "INSERT INTO users_search(users_search) VALUES ('delete-all')";
            bad.push((changed("search", search).await, "users_search"));
            let ledger = "UPDATE users SET credits = credits + 1, app_seq = app_seq + 1 WHERE username = 'cliente_0'";
            bad.push((changed("ledger", ledger).await, "I1"));
            let reference = "PRAGMA foreign_keys = OFF; UPDATE sessions SET user_id = 987654";
            bad.push((changed("reference", reference).await, "sessions"));
        }
        if !db.is_sqlite() {
            let record = "INTO seaql_migrations (version, applied_at) VALUES ('m20990101_000099_later', 0)";
            db.execute(&format!("INSERT {record}")).await;
            let newer = files.path().join("newer");
            let url = db.url();
            let dump = std::process::Command::new("pg_dump").args(["-Fc", "-f", path(&newer), url]).status();
            assert!(dump.unwrap().success());
            db.execute("DELETE FROM seaql_migrations WHERE version = 'm20990101_000099_later'").await;
            bad.push((newer, "newer"));
            db.execute("UPDATE users_counts SET total = total + 1").await;
            let counters = files.path().join("counters");
            let dump = std::process::Command::new("pg_dump").args(["-Fc", "-f", path(&counters), url]).status();
            assert!(dump.unwrap().success());
            db.execute("UPDATE users_counts SET total = total - 1").await;
            bad.push((counters, "users_counts"));
        }
        let empty = db.another().await;
        let before = if db.is_sqlite() { fs::read(db.file()).unwrap() } else { Vec::new() };
        for (file, words) in &bad {
            let refused = run(db, &["restore", path(file), "--replace"], "");
            assert!(!refused.success, "{}: {refused:?}", file.display());
            assert!(refused.stderr.contains(words), "{}: {words} in {refused:?}", file.display());
            assert!(!refused.stderr.contains("panicked"), "{refused:?}");
            let refused = run(&empty, &["restore", path(file)], "");
            assert!(!refused.success && refused.stderr.contains(words), "{}: {words} in {refused:?}", file.display());
        }
        // A rejected backup leaves an empty database empty: a good backup can be restored into it.
        let restored = run(&empty, &["restore", path(&good)], "");
        assert!(restored.success, "{restored:?}");
        assert_eq!(empty.stored_keys().await, keys);
        if !empty.is_sqlite() {
            assert_eq!(empty.databases().await.len(), 1, "{:?}", empty.databases().await);
        }
        empty.drop_database().await;
        if db.is_sqlite() {
            assert_eq!(fs::read(db.file()).unwrap(), before, "the file is the same, byte by byte");
            let left: Vec<String> = names(db.folder())
                .into_iter()
                .filter(|name| !["test.db", "test.db-wal", "test.db-shm", "test.db-open", "test.lock", "server.log"].contains(&name.as_str()))
                .collect();
            assert_eq!(left, [""; 0], "nothing is left beside it");
        } else {
            assert_eq!(db.databases().await.len(), 1, "{:?}", db.databases().await);
        }
        assert_eq!(db.stored_keys().await, keys);
        let verified = run(db, &["verify"], "");
        assert!(verified.success, "{verified:?}");
    }

    async fn a_killed_backup_or_restore_leaves_files_and_database_complete(db: &TestDb) {
        let old = filled(db).await;
        let file = db.folder().join("copy");
        backup(db, &file);
        let first = fs::read(&file).unwrap();
        db.execute("UPDATE users SET comment = 'later' WHERE username = 'cliente_0'").await;
        let mut rng = Rng(5);
        for _ in 0..rounds(3) {
            let mut process = spawn(db, &["backup", path(&file)]);
            sleep(Duration::from_millis(rng.below(1500))).await;
            let _ = process.kill();
            process.wait().unwrap();
            // The old file, or a complete new one.
            if fs::read(&file).unwrap() != first {
                let copy = db.another().await;
                let restored = run(&copy, &["restore", path(&file)], "");
                assert!(restored.success, "{restored:?}");
                copy.drop_database().await;
            }
            let mut process = spawn(db, &["restore", path(&file), "--replace"]);
            sleep(Duration::from_millis(rng.below(2500))).await;
            let _ = process.kill();
            process.wait().unwrap();
            assert_eq!(db.stored_keys().await, old);
        }
        if !db.is_sqlite() {
            // A process of pg_restore may outlive the killed command; it ends with its database.
            let name = db.url().rsplit('/').next().unwrap();
            for left in db.databases().await.into_iter().filter(|left| left != name) {
                let other = db.another().await;
                other.execute(&format!("DROP DATABASE IF EXISTS {left} WITH (FORCE)")).await;
                other.drop_database().await;
            }
        }
        let restored = run(db, &["restore", path(&file), "--replace"], "");
        assert!(restored.success, "{restored:?}");
        assert_eq!(db.stored_keys().await, old);
        let verified = run(db, &["verify"], "");
        assert!(verified.success, "{verified:?}");
    }

    async fn verification_reports_counters_that_are_wrong(db: &TestDb) {
        filled(db).await;
        let sound = run(db, &["verify"], "");
        assert!(sound.success && sound.stdout.contains("sound"), "{sound:?}");
        for (wrong, right, word) in [
            ("UPDATE users_counts SET total = total + 3 WHERE role = 'AGENT' OR role = 'agent'",
             "UPDATE users_counts SET total = total - 3 WHERE role = 'AGENT' OR role = 'agent'", "users_counts"),
            ("UPDATE entries_counts SET total = total + 1 WHERE shard = 0",
             "UPDATE entries_counts SET total = total - 1 WHERE shard = 0", "entries_counts"),
            ("UPDATE credits_sold SET total = total + 1", "UPDATE credits_sold SET total = total - 1", "credits_sold"),
            ("UPDATE users_registered SET total = total + 1", "UPDATE users_registered SET total = total - 1", "users_registered"),
        ] {
            db.execute(wrong).await;
            let found = run(db, &["verify"], "");
            assert!(!found.success && found.stdout.contains(word), "{word}: {found:?}");
            db.execute(right).await;
        }
        let sound = run(db, &["verify"], "");
        assert!(sound.success, "{sound:?}");
    }

    async fn backups_are_made_by_schedule_and_on_request(db: &TestDb) {
        let folder = db.folder().join("backups");
        // From an operator, and from another installation.
        let extension = if db.is_sqlite() { "db" } else { "dump" };
        let others = ["before-upgrade", "20200101T000000000Z"].map(|name| format!("cartelera-{name}.{extension}"));
        fs::create_dir(&folder).unwrap();
        for other in &others {
            fs::write(folder.join(other), "a backup").unwrap();
        }
        let in_folder = |own: &[&str]| -> HashSet<String> {
            own.iter().map(|name| (*name).to_owned()).chain(others.clone()).collect()
        };
        let settings = [("CARTELERA_BACKUP_DIR", path(&folder)), ("CARTELERA_BACKUP_KEEP", "1")];
        let server = Server::start_with(db, &settings);
        let admin = Client::sign_in(&server.url, "admin").await;
        let overview = async || admin.get(&server.url, "/backups").await.1;
        let good = async |number: usize| -> Value {
            let end = Instant::now() + WITHIN;
            loop {
                let seen = overview().await;
                let backups = seen["backups"].as_array().unwrap();
                let good = backups.iter().filter(|one| one["state"] == "GOOD").count();
                // Two reads: a backup may become good between them, and is not overdue at the next
                // call.
                if good == number && seen["overdue"] == false {
                    return seen;
                }
                assert!(backups.iter().all(|one| one["state"] != "FAILED"), "{seen}");
                assert!(Instant::now() < end, "{seen}");
                sleep(Duration::from_millis(100)).await;
            }
        };
        let seen = good(1).await;
        assert_eq!((&seen["backups"][0]["origin"], &seen["overdue"]), (&json!("SCHEDULE"), &json!(false)));
        let name = seen["backups"][0]["fileName"].as_str().unwrap().to_owned();
        assert_eq!(names(&folder), in_folder(&[&name]));
        assert_eq!(fs::metadata(folder.join(&name)).unwrap().len(), seen["backups"][0]["size"].as_u64().unwrap());
        let (status, requested) =
            admin.send(&server.url, Method::POST, "/backups", None, None).await.unwrap();
        assert_eq!((status, &requested["requestedBy"]), (StatusCode::ACCEPTED, &json!("admin")));
        let (status, refused) = admin.send(&server.url, Method::POST, "/backups", None, None).await.unwrap();
        assert_eq!(status, StatusCode::CONFLICT, "{refused}");
        let seen = good(2).await;
        let newer = seen["backups"][0]["fileName"].as_str().unwrap().to_owned();
        until_names_are(&folder, &in_folder(&[&newer])).await;
        // A file that can't be removed does not make a good backup a failed one.
        fs::remove_file(folder.join(&newer)).unwrap();
        fs::create_dir(folder.join(&newer)).unwrap();
        let (status, _) = admin.send(&server.url, Method::POST, "/backups", None, None).await.unwrap();
        assert_eq!(status, StatusCode::ACCEPTED);
        let newest = good(3).await["backups"][0]["fileName"].as_str().unwrap().to_owned();
        until_names_are(&folder, &in_folder(&[&newest, &newer])).await;
        let (_, ready) = admin.get(&server.url, "/health/ready").await;
        assert_eq!(ready["backups"]["status"], "good", "{ready}");
        server.stop(WITHIN);
    }

    async fn a_backup_that_fails_is_recorded_with_its_reason(db: &TestDb) {
        let settings =
            [("CARTELERA_BACKUP_DIR", "/proc/no-such-folder"), ("CARTELERA_PG_DUMP", "/no/such/pg_dump")];
        let server = Server::start_with(db, &settings);
        let admin = Client::sign_in(&server.url, "admin").await;
        let seen = until_failed(&admin, &server.url).await;
        assert!(seen["backups"][0]["detail"].as_str().unwrap().contains("/proc/no-such-folder"), "{seen}");
        assert_eq!(seen["overdue"], true, "{seen}");
        let (_, ready) = admin.get(&server.url, "/health/ready").await;
        assert_eq!(ready["backups"]["status"], "overdue", "{ready}");
        assert!(server.log().contains("last good backup is too old"), "{}", server.log());
        server.stop(WITHIN);
    }

    async fn an_interrupted_backup_ends_even_without_a_folder(db: &TestDb) {
        db.execute(
            "INSERT INTO backups (origin, state, file_name, created_date) VALUES \
             ('SCHEDULE', 'RUNNING', 'cartelera-x.db', '2026-11-20T10:00:00.000+00:00')",
        )
        .await;
        let server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let seen = until_failed(&admin, &server.url).await;
        assert!(seen["backups"][0]["detail"].as_str().unwrap().contains("interrupted"), "{seen}");
        assert_eq!(seen["enabled"], false, "{seen}");
        server.stop(WITHIN);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_initial_database_of_a_postgresql_server_is_restored_and_backed_up() {
    let Some(cluster) = Cluster::start() else { return };
    let db = TestDb::postgres_on(&cluster.url()).await;
    let keys = filled(&db).await;
    let file = db.folder().join("copy");
    backup(&db, &file);
    let itself = TestDb::postgres_itself(&cluster.url());
    let restored = run(&itself, &["restore", path(&file)], "");
    assert!(restored.success && restored.stdout.contains("was empty before"), "{restored:?}");
    assert_eq!(itself.stored_keys().await, keys);
    assert_eq!(itself.databases().await, ["postgres"]);
    backup(&itself, &file);
    let restored = run(&itself, &["restore", path(&file), "--replace"], "");
    assert!(restored.success && restored.stdout.contains("is called postgres_before_"), "{restored:?}");
    assert_eq!(itself.stored_keys().await, keys);
    assert_eq!(itself.databases().await.len(), 2, "{:?}", itself.databases().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_leaves_the_old_backup_and_the_database() {
    let Some(small) = Tmpfs::mount(8) else { return };
    let db = TestDb::sqlite().await;
    let keys = filled(&db).await;
    // The backup, or its scratch copy, exceeds the disk.
    let file = small.path().join("copy");
    fs::write(&file, "an older backup").unwrap();
    let size = fs::metadata(db.file()).unwrap().len();
    let filler = 8 * 1024 * 1024 - size - size / 2;
    fs::write(small.path().join("filler"), vec![0; usize::try_from(filler).unwrap_or(0)]).unwrap();
    let refused = run(&db, &["backup", path(&file)], "");
    assert!(!refused.success, "{refused:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "an older backup");
    assert_eq!(names(small.path()), HashSet::from(["copy".to_owned(), "filler".to_owned()]));
    fs::remove_file(small.path().join("filler")).unwrap();
    // A database on a full disk is not replaced either.
    let good = db.folder().join("good");
    backup(&db, &good);
    let target = TestDb::sqlite_in(small.path());
    let restored = run(&target, &["restore", path(&good)], "");
    assert!(restored.success, "{restored:?}");
    let used = fs::metadata(target.file()).unwrap().len();
    let filler = 8 * 1024 * 1024 - used - used / 2 - 64 * 1024;
    fs::write(small.path().join("filler"), vec![0; usize::try_from(filler).unwrap_or(0)]).unwrap();
    let before = fs::read(target.file()).unwrap();
    let refused = run(&target, &["restore", path(&good)], "");
    assert!(!refused.success, "{refused:?}");
    assert_eq!(fs::read(target.file()).unwrap(), before);
    assert!(!small.path().join("test.db.new").exists());
    assert_eq!(target.stored_keys().await, keys);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_to_the_database_itself_is_refused() {
    let db = TestDb::sqlite().await;
    let keys = filled(&db).await;
    for name in ["test.db", "test.db-wal", "test.db-open", "../missing/copy"] {
        let file = db.folder().join(name);
        let refused = run(&db, &["backup", path(&file)], "");
        assert!(!refused.success, "{name}: {refused:?}");
    }
    assert_eq!(db.stored_keys().await, keys);
    let unverified = run(&db, &["backup", path(&db.folder().join("copy")), "--no-verify"], "");
    assert!(unverified.success && unverified.stdout.contains("NOT verified"), "{unverified:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_refuses_a_file_that_it_would_overwrite() {
    let db = TestDb::sqlite().await;
    let keys = filled(&db).await;
    let file = db.folder().join("test.db.new");
    backup(&db, &file);
    let bytes = fs::read(&file).unwrap();
    let refused = run(&db, &["restore", path(&file)], "");
    assert!(!refused.success && refused.stderr.contains("another name"), "{refused:?}");
    assert!(fs::read(&file).is_ok_and(|left| left == bytes), "the backup is as it was");
    assert_eq!(db.stored_keys().await, keys);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_whose_path_is_encoded_in_its_url_is_backed_up_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("mi tele")).unwrap();
    let db = TestDb::sqlite_in(&folder.path().join("mi%20tele"));
    let keys = filled(&db).await;
    let file = db.folder().join("copy");
    backup(&db, &file);
    let restored = run(&db, &["restore", path(&file)], "");
    assert!(restored.success && restored.stdout.contains("before-restore"), "{restored:?}");
    assert_eq!(db.stored_keys().await, keys);
    assert_eq!(names(folder.path()), HashSet::from(["mi tele".to_owned()]));
    let mode = fs::metadata(folder.path().join("mi tele/test.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pg_dump_that_is_missing_or_too_old_is_named() {
    let Some(db) = TestDb::postgres().await else { return };
    filled(&db).await;
    let file = db.folder().join("copy");
    let old = db.folder().join("pg_dump");
    fs::write(&old, "#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
    for (program, words) in [("/no/such/pg_dump", "CARTELERA_PG_DUMP"), (path(&old), "PostgreSQL 9")] {
        let refused = run_with(&db, &["backup", path(&file)], &[("CARTELERA_PG_DUMP", program)]);
        assert!(!refused.success && refused.stderr.contains(words), "{refused:?}");
        assert!(!file.exists());
    }
    db.drop_database().await;
}
