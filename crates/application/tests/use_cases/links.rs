//! Outcomes of probes, and deactivation of items.

use std::sync::{
    Arc,
    mpsc::{Receiver, channel},
};

use application::{
    BaseUrlService, CataloguePosition, Error, ItemLinkService, LinkRefusal, LinkService, LinkSwitchService,
    RequestedLink,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Id, RoleCode, Today};
use domain_live::link::{
    Link, LinkHealth, LinkOwner, LinkState, Probe, ProbeOutcome, ProbePolicy, Step, Verdict, at_rest,
};
use mockall::predicate::{always, eq};
use ports::{
    CatalogueLink, ClaimedLink, HostCounts, MockItemLinks, MockLinkProber, MockLinkRepository,
    MockLinkSwitches, MockSettingRepository, SwitchedItem,
};

use crate::support::{actor, calendar, now};

const HOST: &str = "h.example";
const POLICY: ProbePolicy =
    ProbePolicy { interval: TimeDelta::hours(6), connections: 1, pause: TimeDelta::seconds(1), budget: None };

/// A link that failed twice: ten minutes ago, and since.
fn claimed(owner: LinkOwner) -> ClaimedLink {
    let turn = Some(now() - TimeDelta::minutes(10));
    ClaimedLink {
        id: 7,
        owner,
        address: format!("http://{HOST}/7.ts"),
        host: HOST.to_owned(),
        headers: Vec::new(),
        health: LinkHealth { state: LinkState::Suspect, since: now(), failures: 2, turn },
        sequence: None,
        recent_changes: 0,
        claimed_at: now(),
        until: now() + TimeDelta::minutes(2),
    }
}

fn service(links: MockLinkRepository, prober: MockLinkProber) -> LinkService {
    service_with(POLICY, links, prober)
}

fn service_with(policy: ProbePolicy, links: MockLinkRepository, prober: MockLinkProber) -> LinkService {
    let base_urls = Arc::new(BaseUrlService::new(Arc::new(MockSettingRepository::new()), calendar()));
    LinkService::new(Arc::new(links), Arc::new(prober), base_urls, calendar(), policy)
}

/// The recorded step after a probe of the link, while this number of ten hosts fails. A busy host
/// gets no further probe.
async fn step_after(owner: LinkOwner, probe: Probe, failing: u64) -> Step {
    let (mut links, mut prober) = (MockLinkRepository::new(), MockLinkProber::new());
    links.expect_claim().times(1).returning(move |_, _, _, _| Ok(Some(claimed(owner))));
    links.expect_host_counts().returning(move |_| Ok(HostCounts { probed: 10, failing }));
    let is_busy = probe.outcome == ProbeOutcome::Busy;
    prober.expect_probe().times(1).return_once(move |_| probe);
    let (sender, steps) = channel();
    links.expect_record().times(1).returning(move |_, _, step, _| {
        sender.send(*step).unwrap();
        Ok(true)
    });
    links.expect_postpone().times(usize::from(is_busy)).with(eq(HOST), always()).returning(|_, _| Ok(()));
    assert!(service(links, prober).probe_next(HOST).await.unwrap());
    steps.recv().unwrap()
}

#[tokio::test]
async fn a_host_without_a_link_that_may_be_probed_is_not_connected_to() {
    let mut links = MockLinkRepository::new();
    links.expect_claim().times(1).returning(|_, _, _, _| Ok(None));
    // No probe and no record either: a call of the mocks would fail.
    assert!(!service(links, MockLinkProber::new()).probe_next(HOST).await.unwrap());
}

#[tokio::test]
async fn the_third_failure_makes_a_link_down_unless_half_of_the_hosts_fail() {
    let failure = || Probe::of(ProbeOutcome::Http);
    let step = step_after(LinkOwner::TvChannels, failure(), 4).await;
    assert_eq!((step.health.state, step.changed, step.verdict), (LinkState::Down, true, Verdict::Fails));
    let step = step_after(LinkOwner::TvChannels, failure(), 6).await;
    assert_eq!(
        (step.health.state, step.changed, step.verdict),
        (LinkState::Suspect, false, Verdict::Unknown)
    );
}

#[tokio::test]
async fn a_link_of_a_channel_is_probed_again_and_one_of_a_film_once_it_is_requested() {
    let plays = || Probe::of(ProbeOutcome::Ok);
    assert_eq!(step_after(LinkOwner::TvChannels, plays(), 0).await.next, now() + POLICY.interval);
    assert_eq!(step_after(LinkOwner::Movies, plays(), 0).await.next, at_rest());
}

#[tokio::test]
async fn a_busy_host_is_not_probed_for_the_time_that_it_requests() {
    let busy = Probe { retry_after: Some(1_800), ..Probe::of(ProbeOutcome::Busy) };
    let step = step_after(LinkOwner::TvChannels, busy, 10).await;
    assert_eq!((step.next, step.verdict), (now() + TimeDelta::minutes(30), Verdict::Unknown));
}

/// A link that is due now.
fn kept(active: bool) -> Link {
    Link {
        id: 7,
        owner: LinkOwner::TvChannels,
        item: 1,
        title: "Canal 1".to_owned(),
        position: 0,
        label: None,
        host: HOST.to_owned(),
        active,
        switched_off: false,
        health: LinkHealth::unknown(now()),
        next_probe: Some(now()),
        last: None,
    }
}

/// The answer to a request while its host has had 100 probes on this day.
async fn requested(policy: ProbePolicy, active: bool) -> Result<RequestedLink, Error> {
    let mut links = MockLinkRepository::new();
    links.expect_request().times(usize::from(policy.is_on())).returning(move |_, _| Ok(Some(kept(active))));
    links.expect_probes_of().returning(|host, _| Ok(if host == HOST { 100 } else { 0 }));
    service_with(policy, links, MockLinkProber::new()).request(&actor(RoleCode::Admin), 7).await
}

#[tokio::test]
async fn an_impossible_probe_is_refused_and_a_delayed_one_has_its_time() {
    let off = ProbePolicy { interval: TimeDelta::zero(), ..POLICY };
    assert!(matches!(requested(off, true).await, Err(Error::Link(LinkRefusal::Off))));
    assert!(matches!(requested(POLICY, false).await, Err(Error::Link(LinkRefusal::Inactive))));
    let next = async |policy| {
        let RequestedLink { link, is_delayed } = requested(policy, true).await.unwrap();
        (link.next_probe, is_delayed)
    };
    assert_eq!(next(POLICY).await, (Some(now()), false));
    let budget = |probes| ProbePolicy { budget: Some(probes), ..POLICY };
    assert_eq!(next(budget(101)).await, (Some(now()), false));
    let Today(today) = calendar().today();
    let tomorrow = calendar().beginning_of(today.succ_opt().unwrap());
    assert_eq!(next(budget(100)).await, (Some(tomorrow), true));
}

/// The use cases of a film with a link with this next probe, while its host has had 100 probes on
/// this day.
fn items(policy: ProbePolicy, next_probe: Option<DateTime<Utc>>) -> ItemLinkService {
    let mut items = MockItemLinks::new();
    items.expect_catalogued().returning(|_, item| Ok(Some(vec![catalogued(item)])));
    items.expect_request_probes().times(usize::from(policy.is_on())).returning(|_, _| Ok(()));
    items.expect_kept().returning(move |owner, _| Ok(vec![Link { owner, next_probe, ..kept(true) }]));
    let mut links = MockLinkRepository::new();
    links.expect_probes_of().returning(|host, _| Ok(if host == HOST { 100 } else { 0 }));
    let links = Arc::new(service_with(policy, links, MockLinkProber::new()));
    ItemLinkService::new(Arc::new(items), links, calendar())
}

#[tokio::test]
async fn a_delayed_probe_of_an_item_has_its_time() {
    // The answer to the request equals a later read.
    let next = async |policy, next_probe| {
        let (items, admin) = (items(policy, next_probe), actor(RoleCode::Admin));
        let requested = items.request_probes(&admin, LinkOwner::Movies, 1).await.unwrap();
        assert_eq!(items.kept(&admin, LinkOwner::Movies, 1).await.unwrap(), requested);
        let [RequestedLink { link, is_delayed }] = &requested[..] else { panic!("{requested:?}") };
        (link.next_probe, *is_delayed)
    };
    assert_eq!(next(POLICY, Some(now())).await, (Some(now()), false));
    let minutes = |minutes| Some(now() + TimeDelta::minutes(minutes));
    assert_eq!(next(POLICY, minutes(1)).await, (minutes(1), false));
    assert_eq!(next(POLICY, minutes(30)).await, (minutes(30), true), "its host is in a pause");
    let budget = |probes| ProbePolicy { budget: Some(probes), ..POLICY };
    assert_eq!(next(budget(101), Some(now())).await, (Some(now()), false));
    let Today(today) = calendar().today();
    let tomorrow = calendar().beginning_of(today.succ_opt().unwrap());
    assert_eq!(next(budget(100), Some(now())).await, (Some(tomorrow), true));
    let later = Some(tomorrow + TimeDelta::hours(1));
    assert_eq!(next(budget(100), later).await, (later, true));
    assert_eq!(next(budget(100), None).await, (None, false), "it waits for a request");
}

#[tokio::test]
async fn where_links_are_not_probed_those_of_an_item_have_no_next_probe() {
    let off = ProbePolicy { interval: TimeDelta::zero(), ..POLICY };
    let (items, admin) = (items(off, Some(now())), actor(RoleCode::Admin));
    let refused = items.request_probes(&admin, LinkOwner::Movies, 1).await;
    assert!(matches!(refused, Err(Error::Link(LinkRefusal::Off))));
    let links = items.kept(&admin, LinkOwner::Movies, 1).await.unwrap();
    let next: Vec<_> = links.iter().map(|one| (one.link.next_probe, one.is_delayed)).collect();
    assert_eq!(next, [(None, false)]);
}

const DEAD: SwitchedItem = SwitchedItem { owner: LinkOwner::TvChannels, item: 1, version: 3 };
const ALIVE: SwitchedItem = SwitchedItem { owner: LinkOwner::RadioStations, item: 2, version: 5 };

/// Switches with one dead and one recovered item.
fn switches(switches_off: bool) -> MockLinkSwitches {
    let mut switches = MockLinkSwitches::new();
    switches.expect_recovered().times(1).returning(|_| Ok(vec![ALIVE]));
    switches.expect_switch_on().times(1).with(eq(ALIVE), always()).returning(|_, _| Ok(true));
    if switches_off {
        switches.expect_dead().times(1).returning(|_| Ok(vec![DEAD]));
        switches.expect_switch_off().times(1).with(eq(DEAD), always()).returning(|_, _| Ok(true));
    }
    switches
}

#[tokio::test]
async fn recovered_items_are_reactivated_even_if_deactivation_is_disabled() {
    let links = Arc::new(service(MockLinkRepository::new(), MockLinkProber::new()));
    let service = LinkSwitchService::new(Arc::new(switches(false)), links, calendar(), false);
    service.run().await.unwrap();
}

/// A channel's link in the catalogue.
fn catalogued(item: Id) -> CatalogueLink {
    CatalogueLink {
        owner: LinkOwner::TvChannels,
        item,
        stream: 0,
        key: String::new(),
        position: 0,
        label: None,
        title: format!("Canal {item}"),
        address: format!("http://{HOST}/{item}.ts"),
        host: String::new(),
        account: String::new(),
        active: true,
        requested_at: None,
        switched_off: false,
    }
}

/// A service over a catalogue with one channel more than a slice; captures the starts of its
/// slices.
fn service_of_501_channels() -> (LinkService, Receiver<Id>) {
    let mut links = MockLinkRepository::new();
    let (sender, firsts) = channel();
    links.expect_outdated().returning(move |owner, _, first, most| {
        if owner != LinkOwner::TvChannels {
            return Ok(Vec::new());
        }
        sender.send(first).unwrap();
        Ok(if first == 0 { (1..=most.into()).map(catalogued).collect() } else { vec![catalogued(first)] })
    });
    links.expect_put().withf(|some, _| some.iter().all(|link| link.host == HOST)).returning(|_, _| Ok(()));
    links.expect_remove_orphans().returning(|_, _| Ok(0));
    let mut settings = MockSettingRepository::new();
    settings.expect_find().returning(|_| Ok(None));
    let base_urls = Arc::new(BaseUrlService::new(Arc::new(settings), calendar()));
    let prober = Arc::new(MockLinkProber::new());
    (LinkService::new(Arc::new(links), prober, base_urls, calendar(), POLICY), firsts)
}

#[tokio::test]
async fn a_large_catalogue_is_synchronized_in_slices() {
    let (service, firsts) = service_of_501_channels();
    let mut position = CataloguePosition::default();
    assert!(service.take_over(&mut position).await.unwrap());
    assert!(!service.take_over(&mut position).await.unwrap());
    service.take_over(&mut position).await.unwrap();
    assert_eq!(firsts.try_iter().collect::<Vec<_>>(), [0, 500, 0]);
}

#[tokio::test]
async fn all_links_are_synchronized_before_an_item_is_deactivated() {
    let (links, firsts) = service_of_501_channels();
    let service = LinkSwitchService::new(Arc::new(switches(true)), Arc::new(links), calendar(), true);
    service.run().await.unwrap();
    assert_eq!(firsts.try_iter().collect::<Vec<_>>(), [0, 500]);
}
