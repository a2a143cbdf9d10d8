//! Fetches that this process carries out: one of a guide, one of a host, and one of a large file.

use std::{collections::HashMap, sync::Mutex};

use domain_kernel::Id;
use ports::UnfinishedFetch;

use crate::{keys::lock, links::host_of};

/// Maximum unpacked bytes of a guide that is read at the same time as another one: the memory of both is
/// that of a large one and at most so much.
const SMALL: u64 = 8 << 20;

/// A fetch in progress.
struct Running {
    /// `None` for an uploaded file.
    host: Option<String>,
    is_small: bool,
}

/// Running fetches by guide.
#[derive(Default)]
pub(super) struct RunningFetches(Mutex<HashMap<Id, Running>>);

/// A running fetch, until it is dropped.
pub(super) struct RunningFetch<'a> {
    all: &'a RunningFetches,
    pub(super) guide: Id,
    is_small: bool,
}

impl RunningFetch<'_> {
    /// Maximum unpacked bytes of the file, if it was small before: a large one may be read meanwhile.
    pub(super) fn most_unpacked(&self) -> Option<u64> {
        self.is_small.then_some(SMALL)
    }
}

impl Drop for RunningFetch<'_> {
    fn drop(&mut self) {
        lock(&self.all.0).remove(&self.guide);
    }
}

impl RunningFetches {
    /// The first of these fetches whose guide and host have none running. Of large files, one is read at a
    /// time. A guide that was never read begins as a small one, so that a host that does not answer delays no
    /// large one; an upload is large.
    pub(super) fn begin(&self, unfinished: &[UnfinishedFetch]) -> Option<RunningFetch<'_>> {
        let mut running = lock(&self.0);
        let reads_large = running.values().any(|other| !other.is_small);
        let host = |fetch: &UnfinishedFetch| fetch.url.as_deref().map(host_of);
        let is_small = |fetch: &UnfinishedFetch| {
            fetch.unpacked_bytes.map_or(fetch.url.is_some(), |bytes| bytes <= SMALL)
        };
        let next = unfinished.iter().find(|fetch| {
            let is_free = |host: String| running.values().all(|other| other.host.as_ref() != Some(&host));
            !running.contains_key(&fetch.guide)
                && (is_small(fetch) || !reads_large)
                && host(fetch).is_none_or(is_free)
        })?;
        let is_small = is_small(next);
        running.insert(next.guide, Running { host: host(next), is_small });
        Some(RunningFetch { all: self, guide: next.guide, is_small })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guides_of_different_hosts_are_fetched_together_and_those_of_one_host_one_after_the_other() {
        let fetch = |(guide, url): (Id, &str)| UnfinishedFetch {
            guide,
            url: Some(url.to_owned()),
            unpacked_bytes: Some(1),
        };
        let unfinished = [
            (1, "http://slow.example/1.xml"),
            (2, "https://SLOW.example:8443/2.xml"),
            (3, "http://other.example/3.xml"),
        ]
        .map(fetch);
        let running = RunningFetches::default();
        let begun = |fetch: &Option<RunningFetch<'_>>| fetch.as_ref().map(|fetch| fetch.guide);
        let first = running.begin(&unfinished);
        let other = running.begin(&unfinished);
        assert_eq!([&first, &other].map(begun), [Some(1), Some(3)]);
        assert_eq!(begun(&running.begin(&unfinished)), None, "the second one waits for its host");
        drop(first);
        let second = running.begin(&unfinished[1..]);
        assert_eq!(begun(&second), Some(2));
        assert_eq!(begun(&running.begin(&unfinished)), None, "the first one waits for it now");
        drop((second, other));
        assert_eq!(begun(&running.begin(&unfinished)), Some(1));
    }

    #[test]
    fn one_large_file_is_read_at_a_time_with_small_ones_beside_it() {
        let fetch =
            |(guide, unpacked_bytes): (Id, Option<u64>)| UnfinishedFetch { guide, url: None, unpacked_bytes };
        let unfinished =
            [(1, None), (2, Some(SMALL + 1)), (3, None), (4, Some(SMALL)), (5, Some(1))].map(fetch);
        let running = RunningFetches::default();
        let begun = |fetch: &Option<RunningFetch<'_>>| fetch.as_ref().map(|fetch| fetch.guide);
        let upload = running.begin(&unfinished);
        let small = [running.begin(&unfinished), running.begin(&unfinished)];
        assert_eq!([&upload, &small[0], &small[1]].map(begun), [Some(1), Some(4), Some(5)]);
        assert_eq!(begun(&running.begin(&unfinished)), None, "large ones wait for the first");
        let most = |fetch: &Option<RunningFetch<'_>>| fetch.as_ref().and_then(RunningFetch::most_unpacked);
        assert_eq!([most(&upload), most(&small[0])], [None, Some(SMALL)]);
        drop(upload);
        let large = running.begin(&unfinished[1..]);
        assert_eq!((begun(&large), most(&large)), (Some(2), None));
        let url = Some("http://slow.example/6.xml".to_owned());
        let never_read = running.begin(&[UnfinishedFetch { guide: 6, url, unpacked_bytes: None }]);
        assert_eq!((begun(&never_read), most(&never_read)), (Some(6), Some(SMALL)));
    }
}
