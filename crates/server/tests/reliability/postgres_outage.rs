//! PostgreSQL is stopped, frozen and restarted under load. The cluster belongs to the test and
//! synchronises its writes.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use tokio::time::sleep;

use crate::harness::{Cluster, Load, Outcome, Seller, Server, TestDb, rounds, run};

const WITHIN: Duration = Duration::from_mins(1);
/// Maximum response time during an outage of the database, on a busy machine.
const LONGEST_ANSWER: Duration = Duration::from_secs(15);

#[test]
fn a_required_test_that_can_not_run_fails() {
    let test = "postgres_outage::an_outage_of_the_database_loses_no_acknowledged_sale";
    let passes = |must_run: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test]).env_remove("TEST_PG_PROGRAMS").env_remove("CARTELERA_TESTS_MUST_RUN");
        let output =
            command.envs(must_run.map(|value| ("CARTELERA_TESTS_MUST_RUN", value))).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("running 1 test"), "{said}");
        output.status.success()
    };
    assert!(passes(None) && !passes(Some("1")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_of_the_database_loses_no_acknowledged_sale() {
    let Some(cluster) = Cluster::start() else { return };
    let db = TestDb::postgres_on(&cluster.url()).await;
    let server = Server::start(&db);
    let seller = Seller::create(&server).await;
    let mut total = Outcome::default();
    for _ in 0..rounds(1) {
        for outage in ["fast", "immediate", "frozen"] {
            let load = Load::start(&server, &seller, 8);
            load.wait_for(20, WITHIN).await;
            if outage == "frozen" {
                cluster.signal_all("STOP");
                // Requests that wait for the frozen database are answered.
                load.wait_for_failures(8, WITHIN).await;
                cluster.signal_all("CONT");
            } else {
                cluster.stop(outage);
                load.wait_for_failures(20, WITHIN).await;
                sleep(Duration::from_millis(500)).await;
                cluster.resume();
            }
            let returned = Instant::now();
            load.wait_for(20, WITHIN).await;
            let outcome = load.stop().await;
            println!(
                "{outage}: works again after {:?}, slowest answer {:?}",
                returned.elapsed(),
                outcome.slowest
            );
            assert!(outcome.slowest < LONGEST_ANSWER, "{outage}: an answer took {:?}", outcome.slowest);
            total.add(outcome);
        }
    }
    server.stop(Duration::from_secs(30));
    total.compare(&db).await.assert_sound("PostgreSQL away");
    let verified = run(&db, &["ledger", "verify"], "");
    assert!(verified.success, "{verified:?}");
}
