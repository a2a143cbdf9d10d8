//! Panics of jobs: one ends the operation, playlist or guide at which it happened, not the job that serves all of them.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::Error;

/// What a future answers, or [`Error::Panicked`]. What it had written in an open transaction is rolled back, as the
/// transaction is dropped.
pub(crate) async fn catch_panic<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or(Err(Error::Panicked))
}
