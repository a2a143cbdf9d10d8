//! The ledger against a model of it in memory: generated sequences of commands, with refusals.
//! After every step the response, every balance, expiration and total of sales equal the model;
//! after every tenth, and at the end, no invariant is broken; at the end the statements of all
//! months equal the model. A failing sequence is shrunk before it is reported.
//!
//! Each sequence starts with an empty database, so that all of it can be verified often. They are
//! the same in every run: 60 on SQLite and 20 on PostgreSQL on a push, 300 on each nightly, or the
//! number in `CARTELERA_MACHINE_SEQUENCES`.

mod commands;
mod machine;
mod model;
mod stock;

use std::cell::RefCell;

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use self::{
    commands::{Command, command},
    machine::Machine,
};
use crate::support::{TestDb, nightly};

const STEPS: usize = 60;

async fn play(db: TestDb, commands: &[Command]) -> TestDb {
    let mut machine = Machine::new(db).await;
    for (number, command) in commands.iter().enumerate() {
        machine.step(command).await;
        if number % 10 == 9 {
            machine.verify().await;
        }
    }
    machine.finish().await
}

fn sequences(on_push: u32) -> u32 {
    #[expect(clippy::disallowed_methods, reason = "the number of sequences is set on the command line")]
    std::env::var("CARTELERA_MACHINE_SEQUENCES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(if nightly() { 300 } else { on_push })
}

fn run(on_push: u32, db: impl AsyncFn() -> Option<TestDb>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let Some(first) = runtime.block_on(db()) else { return };
    let config = Config {
        cases: sequences(on_push),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let sequence = proptest::collection::vec(command(), STEPS);
    let used = RefCell::new(Some(first));
    let outcome = runner.run(&sequence, |commands| {
        let fresh = runtime.block_on(async {
            match used.take() {
                Some(used) if !used.is_sqlite() => used.emptied().await,
                _ => db().await.expect("the first database"),
            }
        });
        used.replace(Some(runtime.block_on(play(fresh, &commands))));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    if let Some(used) = used.take() {
        runtime.block_on(used.remove());
    }
}

#[test]
fn the_ledger_equals_its_model_on_sqlite() {
    run(60, async || Some(TestDb::sqlite().await));
}

#[test]
fn the_ledger_equals_its_model_on_postgres() {
    run(20, TestDb::postgres);
}
