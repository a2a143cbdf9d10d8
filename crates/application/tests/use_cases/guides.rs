//! The job that fetches guides.

use std::sync::Arc;

use application::{GuideService, Job, KeptDays};
use async_trait::async_trait;
use domain_live::{
    fetch::Validators,
    guide_fetch::{GuideCounts, GuideFetch, GuideFetchState, GuideSettings},
};
use ports::{
    ClaimedFetch, GuideFailure, GuideFetched, GuideFiles, GuideOrigin, GuideRead, GuideSink, MockGuideStore,
    UnfinishedFetch,
};

use crate::support::calendar;

/// A file of this size.
struct Files(u64);

#[async_trait]
impl GuideFiles for Files {
    fn largest(&self) -> u64 {
        unreachable!("nothing is uploaded")
    }

    async fn read(
        &self,
        _: GuideOrigin<'_>,
        _: &str,
        _: Option<u64>,
        _: &mut dyn GuideSink,
    ) -> Result<GuideFetched, GuideFailure> {
        let read = GuideRead { programmes: 1, unpacked_bytes: self.0, ..GuideRead::default() };
        Ok(GuideFetched::Read(Box::new(read)))
    }
}

fn claim(unpacked_bytes: Option<u64>) -> ClaimedFetch {
    let guide = GuideFetch {
        guide: 1,
        title: "Nacional".to_owned(),
        active: true,
        version: 1,
        settings: GuideSettings::default(),
        state: GuideFetchState::Running,
        file_name: None,
        requested_by: None,
        fault: None,
        status_code: None,
        finished_date: None,
        last_good_date: None,
        next_fetch_date: None,
        newest_programme: None,
        counts: GuideCounts { unpacked_bytes, ..GuideCounts::default() },
        examples: Vec::new(),
    };
    let url = "http://h.example/g.xml".to_owned();
    ClaimedFetch { guide, url, known: Validators::default(), upload: None, attempt: 1 }
}

/// A file whose size is small, and that takes as much memory as a large one, would be read twice each time.
#[tokio::test]
async fn a_guide_keeps_the_size_of_its_largest_file() {
    for (before, size, expected) in [(None, 5, 5), (Some(9), 5, 9), (Some(5), 9, 9)] {
        let mut store = MockGuideStore::new();
        let url = Some("http://h.example/g.xml".to_owned());
        let unfinished = UnfinishedFetch { guide: 1, url, unpacked_bytes: before };
        store.expect_unfinished().return_once(move || Ok(vec![unfinished]));
        store.expect_claim().return_once(move |_| Ok(Some(claim(before))));
        store.expect_unstage().returning(|_| Ok(false));
        store.expect_write_channels().return_once(|_, _| Ok(Some(Vec::new())));
        store.expect_forget_channels().return_once(|_, _, _| Ok(()));
        let is_expected = move |counts: &GuideCounts| counts.unpacked_bytes == Some(expected);
        store
            .expect_end()
            .times(1)
            .withf(move |_, end, _| end.found.as_ref().is_some_and(|(counts, _)| is_expected(counts)))
            .returning(|_, _, _| Ok(true));
        let days = KeptDays { back: 1, ahead: 7 };
        let service = GuideService::new(Arc::new(store), Arc::new(Files(size)), calendar(), days);
        assert!(service.run_next().await.unwrap());
    }
}
