//! Comparisons on request, one after the other.

use std::sync::{Arc, LazyLock};

use application::{ComparedGuide, Error, GuideComparison};
use tokio::sync::{Semaphore, SemaphorePermit};

/// One request at a time compares: it holds a guide's channels and their index in memory.
static COMPARING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(1));

/// The turn of a request that compares.
pub(super) type Turn = Arc<SemaphorePermit<'static>>;

pub(super) async fn turn() -> Result<Turn, Error> {
    // The semaphore is never closed.
    let turn = COMPARING.acquire().await.map_err(|_| Error::Panicked)?;
    Ok(Arc::new(turn))
}

/// Compares on a thread that may block. It keeps the turn until it ends, also after the request was
/// cancelled.
pub(super) async fn compare(work: GuideComparison, turn: Turn) -> Result<ComparedGuide, Error> {
    let comparing = tokio::task::spawn_blocking(move || {
        let compared = work.run();
        drop(turn);
        compared
    });
    comparing.await.map_err(|_| Error::Panicked)
}
