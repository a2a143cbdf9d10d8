//! Runs of matching: compared channels, kept decisions, and restarts after an interruption.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
        mpsc::{Receiver, channel},
    },
};

use application::{Error, Job, MatchingService, MatchingStores};
use domain_kernel::Id;
use domain_live::{
    entry::{Entry, TagName},
    matching::{
        Decision, EpgMatch, GuideChannel, GuideChannelRef, LinkVerdict, MatchLevel, Matching, MatchingCounts,
        MatchingSettings, MatchingState, Proposal,
    },
};
use mockall::predicate::{always, eq};
use ports::{
    ClaimedMatching, FoundMatch, MatchGuide, MatchTarget, MockMatchRepository, MockScheduleRepository,
    MockSheetRepository, RenamedLink, StoreError,
};

use crate::support::{calendar, content_services, manager, operations};

const GUIDE: Id = 4;

fn claim() -> ClaimedMatching {
    ClaimedMatching {
        settings: MatchingSettings { automatic: false, ..MatchingSettings::default() },
        by: None,
        whole: false,
        guides: String::new(),
        attempt: 1,
        compared: false,
    }
}

fn target(channel: Id, title: &str, epg_id: &str) -> MatchTarget {
    let epg_id = Some(epg_id.to_owned());
    MatchTarget {
        channel,
        version: 2,
        title: title.to_owned(),
        guide: Some(GUIDE),
        epg_id,
        match_version: 1,
        entry: None,
    }
}

/// The job in this state, after channels were compared.
fn in_state(state: MatchingState) -> Matching {
    Matching {
        settings: MatchingSettings::default(),
        version: 1,
        updated_by: None,
        state,
        requested_by: None,
        finished_date: None,
        counts: MatchingCounts::default(),
        levels: BTreeMap::new(),
    }
}

fn service(matches: MockMatchRepository) -> MatchingService {
    service_with(matches, MockSheetRepository::new())
}

fn service_with(matches: MockMatchRepository, sheets: MockSheetRepository) -> MatchingService {
    let stores = MatchingStores {
        matches: Arc::new(matches),
        schedule: Arc::new(MockScheduleRepository::new()),
        sheets: Arc::new(sheets),
    };
    MatchingService::new(stores, content_services(), Arc::new(operations()), calendar())
}

/// One guide with four channels, these channels of the catalogue, and these decisions.
fn matches(
    claim: ClaimedMatching,
    targets: Vec<MatchTarget>,
    decisions: Vec<(Id, Decision)>,
) -> MockMatchRepository {
    let mut matches = MockMatchRepository::new();
    matches.expect_claim().return_once(move || Ok(Some(claim)));
    matches.expect_guides().returning(|| Ok(vec![MatchGuide { id: GUIDE, updated_by: None }]));
    matches.expect_aliases().returning(|| Ok(Vec::new()));
    matches.expect_guide_channels().with(eq(GUIDE), always(), always()).returning(|_, after, _| {
        let all = [
            (1, "rosa.es", "Canal Rosa"),
            (2, "mar.es", "Mar Televisión"),
            (3, "tormo.1", "Tormo (French)"),
            (4, "tormo.2", "Tormo (English)"),
        ];
        let of = |(id, xml_id, name): (Id, &str, &str)| {
            (id, GuideChannel { id: xml_id.into(), names: vec![name.into()], ..GuideChannel::default() })
        };
        Ok(all.into_iter().filter(|(id, ..)| *id > after).map(of).collect())
    });
    matches.expect_targets().returning(move |_, after, _| {
        Ok(targets.iter().filter(|target| target.channel > after).cloned().collect())
    });
    matches.expect_decisions().returning(move |_| Ok(decisions.clone()));
    matches
}

fn writing(matches: &mut MockMatchRepository) -> Receiver<(Id, Option<MatchLevel>)> {
    let (sender, found) = channel();
    matches.expect_write().returning(move |_, some, _| {
        for (target, found) in some {
            let level = match found {
                FoundMatch::Found { outcome, .. } => Some(outcome.level),
                FoundMatch::Stands => None,
            };
            sender.send((target.channel, level)).unwrap();
        }
        Ok(true)
    });
    found
}

fn decided(verdict: LinkVerdict, xml_id: Option<&str>) -> Decision {
    let of = xml_id.map(|id| GuideChannelRef { guide_id: GUIDE, xml_id: id.to_owned() });
    Decision { verdict, of, name: "Canal Rosa".to_owned() }
}

#[tokio::test]
async fn channels_are_compared_unless_their_decision_applies() {
    let targets = vec![
        target(1, "ES: CANAL ROSA HD", "rosa.es"),
        target(2, "Otra cosa", "nada.es"),
        // These two are decided.
        target(3, "Canal Rosa", ""),
        target(4, "Mar", "mar.es"),
        // Its id differs from the accepted one.
        target(5, "Mar Televisión", "mar.es"),
    ];
    let decisions = vec![
        (3, decided(LinkVerdict::NoGuide, None)),
        (4, decided(LinkVerdict::Accepted, Some("mar.es"))),
        (5, decided(LinkVerdict::Accepted, Some("rosa.es"))),
    ];
    let mut matches = matches(claim(), targets, decisions);
    let found = writing(&mut matches);
    matches.expect_end_comparison().times(1).returning(|_, counts, _| {
        assert_eq!(counts, MatchingCounts { channels: 3, sure: 2, review: 0, none: 1 });
        Ok(true)
    });
    matches.expect_matching().returning(|| Ok(in_state(MatchingState::Linking)));
    matches.expect_end().times(1).returning(|_| Ok(()));
    assert!(service(matches).run_next().await.unwrap());
    let found: Vec<_> = found.try_iter().collect();
    assert_eq!(found[..2], [(3, None), (4, None)]);
    assert_eq!(found[2..4], [(1, Some(MatchLevel::Auto)), (2, Some(MatchLevel::None))]);
    assert_eq!(
        found[4..],
        [(5, Some(MatchLevel::Auto))],
        "what was accepted of another id does not speak against this one"
    );
}

#[tokio::test]
async fn the_language_of_an_entry_says_which_channel_is_meant() {
    let tagged = |channel, tag: Option<&str>| {
        let tags = tag.map(|language| (TagName::new("tvg-language"), language.to_owned()));
        let entry = Entry { tags: tags.into_iter().collect(), ..Entry::default() };
        MatchTarget { entry: Some(entry), ..target(channel, "Tormo", "") }
    };
    let targets = vec![tagged(1, None), tagged(2, Some("English"))];
    let mut matches = matches(claim(), targets, Vec::new());
    let found = writing(&mut matches);
    matches.expect_end_comparison().times(1).returning(|_, _, _| Ok(true));
    matches.expect_matching().returning(|| Ok(in_state(MatchingState::Linking)));
    matches.expect_end().times(1).returning(|_| Ok(()));
    assert!(service(matches).run_next().await.unwrap());
    let found: Vec<_> = found.try_iter().collect();
    assert_eq!(found, [(1, Some(MatchLevel::Review)), (2, Some(MatchLevel::Auto))]);
}

#[tokio::test]
async fn a_run_that_another_process_has_claimed_is_not_ended() {
    for written in [false, true] {
        let mut matches = matches(claim(), vec![target(1, "Canal Rosa", "rosa.es")], Vec::new());
        matches.expect_write().returning(move |_, _, _| Ok(written));
        // After the last write of this process, another one may have claimed the run.
        matches.expect_end_comparison().times(usize::from(written)).returning(|_, _, _| Ok(false));
        assert!(service(matches).run_next().await.unwrap());
    }
}

#[tokio::test]
async fn after_an_interruption_compared_channels_are_not_compared_again() {
    let mut matches = MockMatchRepository::new();
    matches.expect_claim().return_once(|| Ok(Some(ClaimedMatching { compared: true, ..claim() })));
    matches.expect_sure().times(1).returning(|| Ok(vec![(1, 2)]));
    matches.expect_matching().returning(|| Ok(in_state(MatchingState::Linking)));
    matches.expect_end().times(1).returning(|_| Ok(()));
    assert!(service(matches).run_next().await.unwrap());
}

#[tokio::test]
async fn certain_matches_wait_until_a_user_can_run_the_operation() {
    let settings = MatchingSettings::default();
    assert!(settings.automatic);
    let mut matches =
        matches(ClaimedMatching { settings, compared: true, ..claim() }, Vec::new(), Vec::new());
    matches.expect_sure().times(1).returning(|| Ok(vec![(1, 2)]));
    matches.expect_matching().returning(|| Ok(in_state(MatchingState::Linking)));
    matches.expect_end().times(1).returning(|_| Ok(()));
    assert!(service(matches).run_next().await.unwrap());
}

#[tokio::test]
async fn after_a_change_of_settings_nothing_is_linked_by_the_former_ones() {
    for compared in [false, true] {
        let settings = MatchingSettings::default();
        let claim = ClaimedMatching { settings, by: Some("rosa_1".to_owned()), compared, ..claim() };
        let mut matches = matches(claim, vec![target(1, "Canal Rosa", "rosa.es")], Vec::new());
        matches.expect_write().returning(|_, _, _| Ok(true));
        matches.expect_end_comparison().returning(|_, _, _| Ok(true));
        matches.expect_sure().returning(|| Ok(vec![(1, 2)]));
        matches.expect_matching().times(1).returning(|| Ok(in_state(MatchingState::Waiting)));
        // Neither is a user read to run the operation as, nor does the waiting run end.
        assert!(service(matches).run_next().await.unwrap());
    }
}

#[tokio::test]
async fn links_whose_names_changed_are_shown_after_one_reading_of_their_decisions() {
    let renamed = |(channel, before): (Id, &str)| RenamedLink {
        target: target(channel, "Canal Rosa", "rosa.es"),
        of: GuideChannelRef { guide_id: GUIDE, xml_id: "rosa.es".into() },
        before: before.to_owned(),
        names: vec!["Canal Rosa HD".to_owned()],
    };
    let mut matches = MockMatchRepository::new();
    matches.expect_claim().return_once(|| Ok(Some(ClaimedMatching { whole: true, ..claim() })));
    matches.expect_guides().returning(|| Ok(Vec::new()));
    matches.expect_aliases().returning(|| Ok(Vec::new()));
    matches.expect_targets().returning(|_, _, _| Ok(Vec::new()));
    matches.expect_renamed().returning(move |after, _| {
        let all = [(1, "Mar Televisión"), (2, "Canal Rosa"), (3, "Deportes Sierra")];
        Ok(all.into_iter().filter(|(id, _)| *id > after).map(renamed).collect())
    });
    let before = (3, decided(LinkVerdict::Refused, Some("mar.es")));
    matches
        .expect_decisions()
        .withf(|channels| channels == [1, 3])
        .times(1)
        .return_once(move |_| Ok(vec![before]));
    let found = writing(&mut matches);
    matches.expect_end_comparison().returning(|_, _, _| Ok(true));
    matches.expect_matching().returning(|| Ok(in_state(MatchingState::Linking)));
    matches.expect_end().times(1).returning(|_| Ok(()));
    assert!(service(matches).run_next().await.unwrap());
    let review = Some(MatchLevel::Review);
    assert_eq!(found.try_iter().collect::<Vec<_>>(), [(2, None), (1, review), (3, review)]);
}

#[tokio::test]
async fn after_a_refusal_a_certain_match_waits_for_a_user() {
    let targets = vec![target(1, "Canal Rosa", "rosa.es")];
    let decisions = vec![(1, decided(LinkVerdict::Refused, Some("nada.es")))];
    let mut matches = matches(claim(), targets, decisions);
    let found = writing(&mut matches);
    matches.expect_end_comparison().times(1).returning(|_, counts, _| {
        assert_eq!(counts, MatchingCounts { channels: 1, sure: 0, review: 1, none: 0 });
        Ok(true)
    });
    matches.expect_matching().returning(|| Ok(in_state(MatchingState::Linking)));
    matches.expect_end().times(1).returning(|_| Ok(()));
    assert!(service(matches).run_next().await.unwrap());
    assert_eq!(found.try_iter().collect::<Vec<_>>(), [(1, Some(MatchLevel::Review))]);
}

#[tokio::test]
async fn an_unavailable_store_restarts_a_run_and_another_error_or_a_panic_ends_it() {
    let failing = |fault: fn() -> StoreError| {
        let mut matches = MockMatchRepository::new();
        matches.expect_claim().return_once(|| Ok(Some(claim())));
        matches.expect_guides().returning(|| Ok(Vec::new()));
        matches.expect_aliases().returning(|| Ok(Vec::new()));
        matches.expect_targets().return_once(move |_, _, _| Err(fault()));
        matches
    };
    let away = failing(|| StoreError::Unavailable("busy".to_owned()));
    assert!(matches!(service(away).run_next().await, Err(Error::Store(StoreError::Unavailable(_)))));
    let faults: [fn() -> StoreError; 2] =
        [|| StoreError::Broken("odd".to_owned()), || panic!("a comparison that panics")];
    for fault in faults {
        let mut matches = failing(fault);
        matches.expect_fail().times(1).withf(|failed, _| *failed == claim()).returning(|_, _| Ok(()));
        assert!(service(matches).run_next().await.unwrap());
    }
}

#[tokio::test]
async fn during_concurrent_decisions_accepting_is_attempted_five_times_without_leftover_files() {
    let found = EpgMatch {
        channel: 1,
        version: 1,
        number: 1,
        title: "Canal Rosa".to_owned(),
        image_url: None,
        guide: None,
        epg_id: None,
        is_linked: false,
        shift_minutes: None,
        level: MatchLevel::Review,
        candidates: vec![Proposal {
            of: GuideChannelRef { guide_id: GUIDE, xml_id: "rosa.es".to_owned() },
            name: "Canal Rosa".to_owned(),
            score: 80,
            for_: Vec::new(),
            against: Vec::new(),
        }],
        decision: None,
        decided_by: None,
        decided_date: None,
    };
    let mut matches = MockMatchRepository::new();
    matches
        .expect_find_all()
        .returning(move |_| Ok(vec![(found.clone(), target(1, "Canal Rosa", "rosa.es"))]));
    matches.expect_expect_links().times(5).returning(|_, _, _| Ok(false));
    let kept = Arc::new(AtomicI64::new(0));
    let mut sheets = MockSheetRepository::new();
    let begun = Arc::clone(&kept);
    sheets.expect_begin().times(5).returning(move |_| {
        assert_eq!(begun.fetch_add(1, Ordering::Relaxed), 0, "the file of the attempt before is gone");
        Ok(7)
    });
    sheets.expect_add_slices().returning(|_, _, _| Ok(()));
    let removed = Arc::clone(&kept);
    sheets.expect_remove().with(eq(7)).returning(move |_| {
        removed.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    });
    let outcome = service_with(matches, sheets).accept(&manager(), br#"{"ids": [1]}"#).await;
    assert!(matches!(outcome, Err(Error::Store(StoreError::Unavailable(_)))), "{outcome:?}");
    assert_eq!(kept.load(Ordering::Relaxed), 0);
}
