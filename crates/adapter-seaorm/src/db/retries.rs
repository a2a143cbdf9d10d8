//! Retries of transactions.

/// The attempts of a transaction before its error is returned.
const TRIES: usize = 4;

/// Runs an attempt, and repeats it while `is_worth_another_try` is true for its error.
pub(crate) async fn tried<T, E, Trying>(
    is_worth_another_try: impl Fn(&E) -> bool,
    mut once: impl FnMut() -> Trying,
) -> Result<T, E>
where
    Trying: Future<Output = Result<T, E>>,
{
    let mut tries = 0;
    loop {
        tries += 1;
        match once().await {
            Err(error) if tries < TRIES && is_worth_another_try(&error) => {}
            outcome => return outcome,
        }
    }
}
