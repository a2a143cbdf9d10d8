//! The binary under load, as real processes: what was acknowledged is stored, whatever happens beside it.
//!
//! Each test has a short version that runs in CI. `CARTELERA_ROUNDS` sets the number of rounds; scripts/reliability runs
//! the long versions.

mod crashes;
mod harness;
mod migrations;
