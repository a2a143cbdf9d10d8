//! Concurrent runs of playlists: several lists are fetched at a time, and one is read and compared,
//! because that takes memory.

use std::{
    future::poll_fn,
    mem,
    sync::Mutex,
    task::{Poll, Waker},
};

use ports::UnfinishedRun;

use crate::{active_runs::PendingRun, keys::lock};

pub(super) fn pending(run: &UnfinishedRun) -> PendingRun<'_> {
    PendingRun { source: run.source, url: run.url.as_deref(), is_large: false }
}

#[derive(Default)]
struct State {
    is_reading: bool,
    /// Runs that wait until no list is read.
    waiting: Vec<Waker>,
}

/// Lock of reading a list. A fetched list, of up to 50 MB, waits for it in memory beside the one that is
/// read.
#[derive(Default)]
pub(super) struct ReadingLock(Mutex<State>);

/// The only reading of a list, until it is dropped.
pub(super) struct Reading<'a>(&'a ReadingLock);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.is_reading = false;
        let waiting = mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl ReadingLock {
    /// Begins to read, unless another list is being read.
    pub(super) fn try_lock(&self) -> Option<Reading<'_>> {
        let mut state = lock(&self.0);
        if state.is_reading {
            return None;
        }
        state.is_reading = true;
        Some(Reading(self))
    }

    /// Begins to read once no other list is being read.
    pub(super) async fn lock(&self) -> Reading<'_> {
        poll_fn(|context| {
            let mut state = lock(&self.0);
            if state.is_reading {
                state.waiting.push(context.waker().clone());
                return Poll::Pending;
            }
            state.is_reading = true;
            Poll::Ready(Reading(self))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        task::{Context, Wake},
    };

    use super::*;

    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_list_is_read_once_the_one_before_is_done() {
        let reading_lock = ReadingLock::default();
        let first = reading_lock.try_lock();
        assert!(first.is_some() && reading_lock.try_lock().is_none());
        let wakes = Arc::new(Wakes(AtomicUsize::new(0)));
        let waker = Waker::from(wakes.clone());
        let mut context = Context::from_waker(&waker);
        let mut second = pin!(reading_lock.lock());
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
        drop(first);
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        let Poll::Ready(reading) = second.as_mut().poll(&mut context) else { panic!("nothing else is read") };
        assert!(reading_lock.try_lock().is_none());
        drop(reading);
        assert!(reading_lock.try_lock().is_some());
    }
}
