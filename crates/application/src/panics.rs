//! Panics of jobs: one ends the operation, playlist or guide at which it happened, not the job that serves all of them.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

use crate::Error;

/// What a future answers, or [`Error::Panicked`]. What it had written in an open transaction is rolled back, as the
/// transaction is dropped.
pub(crate) async fn catch_panic<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let mut work = pin!(work);
    poll_fn(|context| {
        let poll = || work.as_mut().poll(context);
        catch_unwind(AssertUnwindSafe(poll)).unwrap_or(Poll::Ready(Err(Error::Panicked)))
    })
    .await
}
