//! Work that waits in the store.

use async_trait::async_trait;

use crate::Error;

/// Carries out what waits in the store, a part at a time. Its futures stay on the thread of the job.
///
/// They are boxed, so that the code of all jobs is compiled with this crate, beside the adapters. Else the
/// binary would instantiate it, when nothing else is left to compile.
#[async_trait(?Send)]
pub trait Job: Send + Sync {
    /// Carries one part out; answers whether one waited.
    async fn run_next(&self) -> Result<bool, Error>;
}
