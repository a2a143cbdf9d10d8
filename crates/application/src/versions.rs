//! Optimistic concurrency: a write applies to the version that was checked, or to none.

use domain_kernel::Version;
use ports::StoreError;

use crate::{Error, body::to_json};

/// Attempts at a write without `If-Match` before it is answered 503. Of the writers that race, one succeeds in each
/// round, so this is more than as many concurrent writers of one entity need.
const WRITE_ATTEMPTS: usize = 20;

/// The version of `If-Match` must be the one that was read. A version that does not exist yet must not match the one
/// that another writer is about to make: the checks ran on `current`.
pub(crate) fn require_version(
    expected: Option<Version>,
    current: Version,
    outdated: impl FnOnce() -> Result<Error, Error>,
) -> Result<(), Error> {
    if expected.is_none_or(|expected| expected == current) { Ok(()) } else { Err(outdated()?) }
}

/// The entity as it is now, for 412.
pub(crate) fn outdated(current: &impl serde::Serialize) -> Result<Error, Error> {
    Ok(Error::Outdated(Box::new(to_json(current)?)))
}

/// Repeats a read-check-write that lost a race, unless the caller named one version with `If-Match`.
pub(crate) async fn retry_if_outdated<T>(
    expected: Option<Version>,
    attempt: impl AsyncFn() -> Result<T, Error>,
) -> Result<T, Error> {
    retry_if_overtaken(async || match attempt().await {
        Err(Error::Outdated(_) | Error::OutdatedUser { .. }) if expected.is_none() => Ok(None),
        outcome => outcome.map(Some),
    })
    .await
}

/// Repeats a read-check-write until it answers something: `None` where another writer was faster.
pub(crate) async fn retry_if_overtaken<T>(
    attempt: impl AsyncFnMut() -> Result<Option<T>, Error>,
) -> Result<T, Error> {
    retry_at_most(WRITE_ATTEMPTS, attempt).await
}

/// The same with so many attempts.
pub(crate) async fn retry_at_most<T>(
    attempts: usize,
    mut attempt: impl AsyncFnMut() -> Result<Option<T>, Error>,
) -> Result<T, Error> {
    for _ in 0..attempts {
        if let Some(done) = attempt().await? {
            return Ok(done);
        }
    }
    Err(StoreError::Unavailable("too many concurrent writes to one entity".to_owned()).into())
}
