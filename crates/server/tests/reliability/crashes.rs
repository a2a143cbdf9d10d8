//! The server is killed and stopped under load.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::harness::{Load, Outcome, Rng, Seller, Server, TestDb, on_both_databases, rounds, run};

const CLIENTS: usize = 8;

on_both_databases! {
    async fn nothing_acknowledged_is_lost_by_kill_9(db: &TestDb) {
        let mut server = Server::start(db);
        let seller = Seller::create(&server).await;
        let mut total = Outcome::default();
        let mut slowest_start = Duration::ZERO;
        let mut rng = Rng(7);
        for _ in 0..rounds(3) {
            let load = Load::start(&server, &seller, CLIENTS);
            load.wait_for(1, Duration::from_secs(30)).await;
            sleep(Duration::from_millis(rng.below(400))).await;
            server.kill();
            total.add(load.stop().await);
            let begun = Instant::now();
            server = Server::start(db);
            slowest_start = slowest_start.max(begun.elapsed());
        }
        let load = Load::start(&server, &seller, CLIENTS);
        load.wait_for(10, Duration::from_secs(30)).await;
        total.add(load.stop().await);
        server.stop(Duration::from_secs(30));
        let report = total.compare(db).await;
        report.assert_sound("kill -9");
        println!("slowest start {slowest_start:?}");
        let verified = run(db, &["ledger", "verify"], "");
        assert!(verified.success, "{verified:?}");
    }

    async fn running_requests_are_answered_at_sigterm_and_at_ctrl_c(db: &TestDb) {
        let mut server = Server::start(db);
        let seller = Seller::create(&server).await;
        let mut total = Outcome::default();
        let mut rng = Rng(11);
        let mut slowest_stop = Duration::ZERO;
        for round in 0..rounds(2) {
            let load = Load::start(&server, &seller, CLIENTS);
            load.wait_for(1, Duration::from_secs(30)).await;
            sleep(Duration::from_millis(rng.below(400))).await;
            let signal = ["TERM", "INT"][round % 2];
            slowest_stop = slowest_stop.max(server.stop_by(signal, Duration::from_secs(30)));
            total.add(load.stop().await);
            server = Server::start(db);
        }
        server.stop(Duration::from_secs(30));
        let report = total.compare(db).await;
        report.assert_sound("SIGTERM and SIGINT");
        println!("slowest stop {slowest_stop:?}");
        // A request that got no answer was not executed: its connection was refused.
        assert_eq!(report.stored, report.acknowledged, "{report}");
        let verified = run(db, &["ledger", "verify"], "");
        assert!(verified.success, "{verified:?}");
    }
}
