//! Transactions that another one stood in the way of are begun again, a few times.

/// The attempts of a transaction before its failure is returned.
pub(crate) const TRIES: usize = 4;

/// Does `once`, and does it again while `is_worth_another_try` says so of how it failed.
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
