//! Starts the binary over its own database, sells credits with several clients, and compares the
//! acknowledged sales with the ledger.

mod client;
mod cluster;
mod databases;
mod file_server;
mod load;
mod process;

pub use client::{Client, PASSWORD};
pub use cluster::Cluster;
pub use databases::{TestDb, Tmpfs, connect, stored_keys};
pub use file_server::{FETCHES_FROM_HERE, FileServer};
pub use load::{Load, Outcome, Seller};
pub use process::{Finished, Server, run, run_over, run_with, signal, spawn};

/// Number of rounds: `CARTELERA_ROUNDS`, or the number for CI.
pub fn rounds(in_ci: usize) -> usize {
    #[expect(clippy::disallowed_methods, reason = "tests have no settings file")]
    std::env::var("CARTELERA_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(in_ci)
}

/// Whether tests may take their time (`./scripts/test nightly`, `just reliability`).
pub fn nightly() -> bool {
    std::env::var_os("CARTELERA_NIGHTLY").is_some_and(|value| value == "1")
}

/// Pseudorandom numbers, the same in every run.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// The same test on both databases: `name::sqlite` and `name::postgres`. After `nightly_on_sqlite`
/// the first one is `name::sqlite_nightly`, which a push does not run (`.config/nextest.toml`).
macro_rules! on_both_databases {
    (@named $sqlite:ident $($(#[$meta:meta])* async fn $name:ident($db:ident: &TestDb) $body:block)+) => {$(
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn body($db: &TestDb) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $sqlite() {
                let db = TestDb::sqlite().await;
                body(&db).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let Some(db) = TestDb::postgres().await else { return };
                body(&db).await;
                db.drop_database().await;
            }
        }
    )+};
    (nightly_on_sqlite $($tests:tt)+) => {
        on_both_databases! { @named sqlite_nightly $($tests)+ }
    };
    ($($tests:tt)+) => {
        on_both_databases! { @named sqlite $($tests)+ }
    };
}

pub(crate) use on_both_databases;
