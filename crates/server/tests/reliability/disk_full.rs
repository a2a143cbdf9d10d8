//! The disk fills up under load and space returns.

use std::{fs, io::Write, time::Duration};

use crate::harness::{Load, Seller, Server, TestDb, Tmpfs, rounds, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_full_disk_writes_are_stored_again_without_a_restart() {
    let Some(small) = Tmpfs::mount(24) else { return };
    let db = TestDb::sqlite_in(small.path());
    let server = Server::start(&db);
    let seller = Seller::create(&server).await;
    let filler = small.path().join("filler");
    let mut total = crate::harness::Outcome::default();
    for round in 0..rounds(1) {
        let load = Load::start(&server, &seller, 8);
        load.wait_for(20, Duration::from_mins(1)).await;
        fill(&filler);
        // Until several sales have failed for lack of space.
        load.wait_for_failures(20, Duration::from_mins(1)).await;
        fs::remove_file(&filler).unwrap();
        load.wait_for(50, Duration::from_mins(1)).await;
        let outcome = load.stop().await;
        assert!(!outcome.failed.is_empty(), "round {round}: the disk was never full");
        total.add(outcome);
    }
    server.stop(Duration::from_secs(30));
    total.compare(&db).await.assert_sound("full disk");
    let verified = run(&db, &["ledger", "verify"], "");
    assert!(verified.success, "{verified:?}");
}

/// Writes a file until the disk is full.
fn fill(filler: &std::path::Path) {
    let mut file = fs::File::create(filler).unwrap();
    for size in [65_536, 4096, 512, 1] {
        let block = vec![0; size];
        while file.write_all(&block).is_ok() {}
    }
}
