//! Other processes open and close the SQLite file beside a server under load.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use migrations::template;
use tokio::task::spawn_blocking;

use crate::harness::{Load, PASSWORD, Seller, Server, TestDb, rounds, run};

/// Exit status of `timeout` where it ended the command.
const TIMED_OUT: i32 = 124;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_beside_a_loaded_server_do_not_affect_it() {
    let db = TestDb::sqlite().await;
    let mut server = Server::start(&db);
    let seller = Seller::create(&server).await;
    let categories = db.folder().join("categories.ndjson");
    fs::write(&categories, r#"{"description":"Cine","englishDescription":"Cinema","type":"MOVIE"}"#).unwrap();
    let has_shell = Command::new("sqlite3").arg("--version").output().is_ok();
    if !has_shell {
        template::skipped("sqlite3");
    }
    let load = Load::start(&server, &seller, 8);
    load.wait_for(20, Duration::from_mins(1)).await;
    let (rounds, begun) = (rounds(6), Instant::now());
    let db = std::sync::Arc::new(db);
    for round in 0..rounds {
        let other = db.clone();
        let categories = categories.clone();
        spawn_blocking(move || match round % 4 {
            // The admin's password, so that the seller's sessions are kept.
            0 => assert_ok(&run(&other, &["reset-password", "admin"], PASSWORD)),
            1 => assert_ok(&run(&other, &["ledger", "verify"], "")),
            2 => assert_ok(&run(&other, &["import", categories.to_str().unwrap()], "")),
            _ if has_shell => {
                // The shell's copy restarts at each concurrent write: under load, that of a large
                // file never ends.
                let copy = other.folder().join("shell-copy.db");
                let done = Command::new("timeout")
                    .args(["10", "sqlite3"])
                    .arg(other.file())
                    .arg(".timeout 5000")
                    .arg(format!(".backup '{}'", copy.display()))
                    .output()
                    .unwrap();
                let is_done = done.status.success() || done.status.code() == Some(TIMED_OUT);
                assert!(is_done, "{}", String::from_utf8_lossy(&done.stderr));
            }
            _ => {}
        })
        .await
        .unwrap();
        assert!(server.is_running(), "the server ended in round {round}:\n{}", server.log());
    }
    // A request with a cookie after the last process, so that the server's locks are restored.
    load.wait_for(10, Duration::from_mins(1)).await;
    assert_locks_are_held(&db, &server);
    let outcome = load.stop().await;
    println!("{rounds} processes in {:?}, slowest sale {:?}", begun.elapsed(), outcome.slowest);
    server.stop(Duration::from_secs(30));
    outcome.compare(&db).await.assert_sound("second process");
    assert_ok(&run(&db, &["ledger", "verify"], ""));
}

fn assert_ok(finished: &crate::harness::Finished) {
    assert!(finished.success, "{finished:?}");
}

/// The kernel's list of locks names the server's process for the database's shared-memory file.
fn assert_locks_are_held(db: &TestDb, server: &Server) {
    use std::os::unix::fs::MetadataExt;
    let Ok(locks) = fs::read_to_string("/proc/locks") else { return };
    let shm = format!("{}-shm", db.file().display());
    let inode = fs::metadata(&shm).unwrap().ino();
    let held = locks.lines().any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.contains(&"POSIX")
            && fields.contains(&server.id().to_string().as_str())
            && fields.iter().any(|field| field.rsplit(':').next() == Some(inode.to_string().as_str()))
    });
    assert!(held, "the server holds no lock on {shm}:\n{locks}");
}
