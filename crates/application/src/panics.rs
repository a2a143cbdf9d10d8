//! Panics of jobs: one ends the operation, playlist or guide at which it happened, not the job that serves all of them.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

use domain_kernel::Code;

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

/// How a run ends: as its work says, or as `failed` says where that fails for good or panics. `None` where the work ends
/// nothing: another process has claimed the run. A store that is away is an error: the run is begun anew.
pub(crate) async fn end_of_run<E>(
    work: impl Future<Output = Result<Option<E>, Error>>,
    failed: impl FnOnce(&Error) -> E,
) -> Result<Option<E>, Error> {
    match catch_panic(work).await {
        Err(error) if error.code() == Code::Internal => Ok(Some(failed(&error))),
        end => end,
    }
}
