//! Concurrent fetches: one of a large file at a time.

use ports::UnfinishedFetch;

use crate::active_runs::{ActiveRun, PendingRun};

/// Maximum unpacked bytes of a guide that is read at the same time as a large one, which limits the memory
/// of both.
const SMALL: u64 = 8 << 20;

/// A guide of unknown size counts as small, so that a host that does not respond delays no large one; an
/// upload counts as large.
pub(super) fn pending(fetch: &UnfinishedFetch) -> PendingRun<'_> {
    let is_small = fetch.unpacked_bytes.map_or(fetch.url.is_some(), |bytes| bytes <= SMALL);
    PendingRun { source: fetch.guide, url: fetch.url.as_deref(), is_large: !is_small }
}

/// Maximum unpacked bytes of the file, if it began as a small one: a large one may be read meanwhile.
pub(super) fn most_unpacked(run: &ActiveRun<'_>) -> Option<u64> {
    (!run.is_large).then_some(SMALL)
}

#[cfg(test)]
mod tests {
    use domain_kernel::Id;

    use super::*;
    use crate::active_runs::ActiveRuns;

    type Begun<'a> = Option<(ActiveRun<'a>, &'a UnfinishedFetch)>;

    #[test]
    fn one_large_file_is_read_at_a_time_with_small_ones_beside_it() {
        let fetch =
            |(guide, unpacked_bytes): (Id, Option<u64>)| UnfinishedFetch { guide, url: None, unpacked_bytes };
        let unfinished =
            [(1, None), (2, Some(SMALL + 1)), (3, None), (4, Some(SMALL)), (5, Some(1))].map(fetch);
        let active = ActiveRuns::default();
        let begun = |run: &Begun<'_>| run.as_ref().map(|(_, fetch)| fetch.guide);
        let upload = active.begin(&unfinished, pending);
        let small = [active.begin(&unfinished, pending), active.begin(&unfinished, pending)];
        assert_eq!([&upload, &small[0], &small[1]].map(begun), [Some(1), Some(4), Some(5)]);
        assert_eq!(begun(&active.begin(&unfinished, pending)), None, "large ones wait for the first");
        let most = |run: &Begun<'_>| run.as_ref().and_then(|(run, _)| most_unpacked(run));
        assert_eq!([most(&upload), most(&small[0])], [None, Some(SMALL)]);
        drop(upload);
        let large = active.begin(&unfinished[1..], pending);
        assert_eq!((begun(&large), most(&large)), (Some(2), None));
        let url = Some("http://slow.example/6.xml".to_owned());
        let other = [UnfinishedFetch { guide: 6, url, unpacked_bytes: None }];
        let never_read = active.begin(&other, pending);
        assert_eq!((begun(&never_read), most(&never_read)), (Some(6), Some(SMALL)));
    }
}
