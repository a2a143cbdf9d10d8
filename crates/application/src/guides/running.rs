//! Fetches that this process carries out: one of a guide, and one of a host.

use std::{collections::HashMap, sync::Mutex};

use domain_kernel::Id;
use ports::UnfinishedFetch;

use crate::{keys::lock, links::host_of};

/// Running fetches: guides, with the host unless a file was uploaded.
#[derive(Default)]
pub(super) struct RunningFetches(Mutex<HashMap<Id, Option<String>>>);

/// A running fetch, until it is dropped.
pub(super) struct RunningFetch<'a> {
    all: &'a RunningFetches,
    pub(super) guide: Id,
}

impl Drop for RunningFetch<'_> {
    fn drop(&mut self) {
        lock(&self.all.0).remove(&self.guide);
    }
}

impl RunningFetches {
    /// The first of these fetches whose guide and host have none running.
    pub(super) fn begin(&self, unfinished: &[UnfinishedFetch]) -> Option<RunningFetch<'_>> {
        let mut running = lock(&self.0);
        let host = |fetch: &UnfinishedFetch| fetch.url.as_deref().map(host_of);
        let next = unfinished.iter().find(|fetch| {
            let busy = host(fetch).is_some_and(|host| running.values().flatten().any(|other| *other == host));
            !busy && !running.contains_key(&fetch.guide)
        })?;
        running.insert(next.guide, host(next));
        Some(RunningFetch { all: self, guide: next.guide })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guides_of_different_hosts_are_fetched_together_and_those_of_one_host_one_after_the_other() {
        let fetch = |(guide, url): (Id, Option<&str>)| UnfinishedFetch { guide, url: url.map(str::to_owned) };
        let unfinished = [
            (1, Some("http://slow.example/1.xml")),
            (2, Some("https://SLOW.example:8443/2.xml")),
            (3, None),
            (4, None),
            (5, Some("http://other.example/5.xml")),
        ]
        .map(fetch);
        let running = RunningFetches::default();
        let guide = |fetch: &Option<RunningFetch<'_>>| fetch.as_ref().map(|fetch| fetch.guide);
        let first = running.begin(&unfinished);
        let uploads = [running.begin(&unfinished), running.begin(&unfinished)];
        let other = running.begin(&unfinished);
        assert_eq!(
            [&first, &uploads[0], &uploads[1], &other].map(guide),
            [Some(1), Some(3), Some(4), Some(5)]
        );
        assert_eq!(guide(&running.begin(&unfinished)), None, "the second one waits for its host");
        drop(first);
        let second = running.begin(&unfinished[1..]);
        assert_eq!(guide(&second), Some(2));
        assert_eq!(guide(&running.begin(&unfinished)), None, "the first one waits for it now");
        drop((second, uploads, other));
        assert_eq!(guide(&running.begin(&unfinished)), Some(1));
    }
}
