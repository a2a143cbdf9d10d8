//! Runs that this process carries out: lists of different hosts are fetched at once, so that a slow
//! host delays no other, and one is read and compared at a time, because that takes memory.

use std::{
    collections::HashMap,
    future::poll_fn,
    mem,
    sync::Mutex,
    task::{Poll, Waker},
};

use domain_kernel::Id;
use ports::UnfinishedRun;

use crate::{keys::lock, links::host_of};

#[derive(Default)]
struct State {
    /// Hosts of the running runs by source; `None` for a stored list.
    hosts: HashMap<Id, Option<String>>,
    is_reading: bool,
    /// Runs that wait until no list is read.
    waiting: Vec<Waker>,
}

/// Running runs.
#[derive(Default)]
pub(super) struct RunningRuns(Mutex<State>);

/// A running run, until it is dropped.
pub(super) struct RunningRun<'a> {
    all: &'a RunningRuns,
    source: Id,
    pub(super) run: Id,
}

impl Drop for RunningRun<'_> {
    fn drop(&mut self) {
        lock(&self.all.0).hosts.remove(&self.source);
    }
}

/// The only reading of a list, until it is dropped.
pub(super) struct Reading<'a>(&'a RunningRuns);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.is_reading = false;
        let waiting = mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl RunningRuns {
    /// The first of these runs whose source and host have none running.
    pub(super) fn begin(&self, unfinished: &[UnfinishedRun]) -> Option<RunningRun<'_>> {
        let mut state = lock(&self.0);
        let host = |run: &UnfinishedRun| run.url.as_deref().map(host_of);
        let next = unfinished.iter().find(|run| {
            let is_free = |host: String| state.hosts.values().flatten().all(|other| *other != host);
            !state.hosts.contains_key(&run.source) && host(run).is_none_or(is_free)
        })?;
        state.hosts.insert(next.source, host(next));
        Some(RunningRun { all: self, source: next.source, run: next.run })
    }

    /// Begins to read, unless another list is being read.
    pub(super) fn try_reading(&self) -> Option<Reading<'_>> {
        let mut state = lock(&self.0);
        if state.is_reading {
            return None;
        }
        state.is_reading = true;
        Some(Reading(self))
    }

    /// Begins to read once no other list is being read.
    pub(super) async fn reading(&self) -> Reading<'_> {
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

    #[test]
    fn lists_of_different_hosts_are_fetched_together_and_a_source_or_host_has_one_run() {
        let run = |(run, source, url): (Id, Id, Option<&str>)| UnfinishedRun {
            run,
            source,
            url: url.map(str::to_owned),
        };
        let unfinished = [
            (1, 11, Some("http://slow.example/1.m3u")),
            (2, 12, Some("https://SLOW.example:8443/2.m3u")),
            (3, 13, Some("http://other.example/3.m3u")),
            (4, 14, None),
        ]
        .map(run);
        let running = RunningRuns::default();
        let begun = |run: &Option<RunningRun<'_>>| run.as_ref().map(|run| run.run);
        let first = running.begin(&unfinished);
        let others = [running.begin(&unfinished), running.begin(&unfinished)];
        assert_eq!([&first, &others[0], &others[1]].map(begun), [Some(1), Some(3), Some(4)]);
        assert_eq!(begun(&running.begin(&unfinished)), None);
        drop(first);
        assert_eq!(begun(&running.begin(&unfinished[1..])), Some(2));
    }

    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_list_is_read_once_the_one_before_is_done() {
        let running = RunningRuns::default();
        let first = running.try_reading();
        assert!(first.is_some() && running.try_reading().is_none());
        let wakes = Arc::new(Wakes(AtomicUsize::new(0)));
        let waker = Waker::from(wakes.clone());
        let mut context = Context::from_waker(&waker);
        let mut second = pin!(running.reading());
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
        drop(first);
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        let Poll::Ready(reading) = second.as_mut().poll(&mut context) else { panic!("nothing else is read") };
        assert!(running.try_reading().is_none());
        drop(reading);
        assert!(running.try_reading().is_some());
    }
}
