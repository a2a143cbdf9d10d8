//! Optimistic concurrency: a write applies to the version that was checked, or not at all.

use domain_kernel::Version;
use ports::StoreError;

use crate::{Error, body::to_json};

/// Attempts of a write without `If-Match` before the response is 503. One of the concurrent writers
/// succeeds in each round, so this exceeds the number of concurrent writers of one entity.
const WRITE_ATTEMPTS: usize = 20;

/// The version of `If-Match` must be the one that was read. A version that a concurrent writer is
/// about to create must not match, because the checks used `current`.
pub(crate) fn require_version(
    expected: Option<Version>,
    current: Version,
    outdated: impl FnOnce() -> Result<Error, Error>,
) -> Result<(), Error> {
    if expected.is_none_or(|expected| expected == current) { Ok(()) } else { Err(outdated()?) }
}

/// The current entity, for 412.
pub(crate) fn outdated(current: &impl serde::Serialize) -> Result<Error, Error> {
    Ok(Error::Outdated(Box::new(to_json(current)?)))
}

/// Repeats a read-check-write after a concurrent change, unless the client named a version with
/// `If-Match`.
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

/// Repeats a read-check-write while it returns `None`, which means a concurrent change.
pub(crate) async fn retry_if_overtaken<T>(
    attempt: impl AsyncFnMut() -> Result<Option<T>, Error>,
) -> Result<T, Error> {
    retry_at_most(WRITE_ATTEMPTS, attempt).await
}

/// The same with a number of attempts.
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
