//! Runs that this process carries out: one of a source and one of a host at a time, so that a slow host
//! delays no other.

use std::{collections::HashMap, sync::Mutex};

use domain_kernel::Id;

use crate::{keys::lock, links::host_of};

/// A run that may begin.
pub(crate) struct PendingRun<'a> {
    /// The guide or the playlist source.
    pub(crate) source: Id,
    /// `None` for a stored file.
    pub(crate) url: Option<&'a str>,
    /// One large run is active at a time.
    pub(crate) is_large: bool,
}

struct Active {
    host: Option<String>,
    is_large: bool,
}

/// Active runs by source.
#[derive(Default)]
pub(crate) struct ActiveRuns(Mutex<HashMap<Id, Active>>);

/// An active run, until it is dropped.
pub(crate) struct ActiveRun<'a> {
    all: &'a ActiveRuns,
    source: Id,
    pub(crate) is_large: bool,
}

impl Drop for ActiveRun<'_> {
    fn drop(&mut self) {
        lock(&self.all.0).remove(&self.source);
    }
}

impl ActiveRuns {
    /// Begins the first of these runs whose source and host have no active one.
    pub(crate) fn begin<'r, T>(
        &self,
        runs: &'r [T],
        pending: impl Fn(&'r T) -> PendingRun<'r>,
    ) -> Option<(ActiveRun<'_>, &'r T)> {
        let mut active = lock(&self.0);
        let has_large = active.values().any(|other| other.is_large);
        let may_begin = |run: &PendingRun<'_>| {
            let is_free = |host: String| active.values().all(|other| other.host.as_ref() != Some(&host));
            let is_busy = active.contains_key(&run.source) || run.is_large && has_large;
            !is_busy && run.url.map(host_of).is_none_or(is_free)
        };
        let (PendingRun { source, url, is_large }, run) =
            runs.iter().map(|run| (pending(run), run)).find(|(one, _)| may_begin(one))?;
        active.insert(source, Active { host: url.map(host_of), is_large });
        Some((ActiveRun { all: self, source, is_large }, run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Run = (Id, Option<&'static str>);

    fn pending(run: &Run) -> PendingRun<'_> {
        PendingRun { source: run.0, url: run.1, is_large: false }
    }

    #[test]
    fn runs_of_different_hosts_are_active_together_and_a_source_or_host_has_one() {
        let runs: [Run; 4] = [
            (1, Some("http://slow.example/1")),
            (2, Some("https://SLOW.example:8443/2")),
            (3, Some("http://other.example/3")),
            (4, None),
        ];
        let active = ActiveRuns::default();
        let begun = |run: &Option<(ActiveRun<'_>, &Run)>| run.as_ref().map(|(run, _)| run.source);
        let first = active.begin(&runs, pending);
        let others = [active.begin(&runs, pending), active.begin(&runs, pending)];
        assert_eq!([&first, &others[0], &others[1]].map(begun), [Some(1), Some(3), Some(4)]);
        assert_eq!(begun(&active.begin(&runs, pending)), None, "the second one waits for its host");
        drop(first);
        let second = active.begin(&runs[1..], pending);
        assert_eq!(begun(&second), Some(2));
        assert_eq!(begun(&active.begin(&runs, pending)), None, "the first one waits for it now");
        drop((second, others));
        assert_eq!(begun(&active.begin(&runs, pending)), Some(1));
    }
}
