//! Panics of jobs: a panic ends its operation, playlist or guide, but not the job.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

use domain_kernel::Code;

use crate::Error;

/// The output of a future, or [`Error::Panicked`]. Writes in an open transaction are rolled back,
/// because the transaction is dropped.
pub(crate) async fn catch_panic<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let mut work = pin!(work);
    poll_fn(|context| {
        let poll = || work.as_mut().poll(context);
        catch_unwind(AssertUnwindSafe(poll)).unwrap_or(Poll::Ready(Err(Error::Panicked)))
    })
    .await
}

/// The end of a run: the result of its work, or of `failed` after a permanent error or a panic.
/// `None` if another process has claimed the run. An unavailable store is an error, after which the
/// run restarts.
pub(crate) async fn end_of_run<E>(
    work: impl Future<Output = Result<Option<E>, Error>>,
    failed: impl FnOnce(&Error) -> E,
) -> Result<Option<E>, Error> {
    match catch_panic(work).await {
        Err(error) if error.code() == Code::Internal => Ok(Some(failed(&error))),
        end => end,
    }
}
