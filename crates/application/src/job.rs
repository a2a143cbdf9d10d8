//! Pending work in the store.

use async_trait::async_trait;

use crate::Error;

/// Runs pending work of the store, one part at a time. Its futures stay on the thread of the job.
///
/// They are boxed, so that the code of all jobs is compiled with this crate, in parallel with the
/// adapters. Otherwise the binary would instantiate it at the end of the build, when nothing else
/// is left to compile.
#[async_trait(?Send)]
pub trait Job: Send + Sync {
    /// Runs one part; returns whether one was pending.
    async fn run_next(&self) -> Result<bool, Error>;
}
