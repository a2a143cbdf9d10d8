//! Links: synchronized with the catalogue, claimed once, and written only with a valid claim.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmLinks,
    catalogue::{SeaOrmContents, TvChannelsTable},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::{CategoryType, Content, TvChannel, UrlType};
use domain_kernel::{Filter, FilterValue, Id, ListQuery};
use domain_live::{
    account::account,
    link::{Link, LinkOwner, LinkState, Probe, ProbeOutcome, ProbePolicy},
};
use ports::{ClaimedLink, ContentRepository, HostCounts, LinkRepository, ProbeTime};
use sea_orm::Statement;

use crate::{
    contents::by,
    indexes::plan,
    kinds::{add, add_category},
    support::{TestDb, after, edit_of, on_both, valid},
};

pub(crate) const CHANNELS: LinkOwner = LinkOwner::TvChannels;
/// One probe of a host at a time, as many as are due.
pub(crate) const POLICY: ProbePolicy =
    ProbePolicy { interval: TimeDelta::hours(6), connections: 1, pause: TimeDelta::zero(), budget: None };

pub(crate) fn channels(db: &TestDb) -> SeaOrmContents<TvChannelsTable> {
    SeaOrmContents::new(db.database.clone())
}

/// A channel of the first category.
pub(crate) fn channel(title: &str, url: &str) -> TvChannel {
    let (title, url) = (title.into(), url.into());
    TvChannel { title, url, tv_guide_id: None, categories: vec![1], ..TvChannel::sample() }
}

pub(crate) async fn take_over(links: &SeaOrmLinks, base_url: Option<&str>, now: DateTime<Utc>) -> usize {
    let mut found = links.outdated(CHANNELS, base_url.map(str::to_owned), 0, 100).await.unwrap();
    for link in &mut found {
        link.host = link.address.split('/').nth(2).unwrap_or_default().into();
        link.account = account(&link.address).unwrap_or_default();
    }
    if !found.is_empty() {
        links.put(&found, now).await.unwrap();
    }
    found.len()
}

pub(crate) async fn all(links: &SeaOrmLinks) -> Vec<Link> {
    links.list(&ListQuery { sort: Vec::new(), ..ListQuery::default() }).await.unwrap().content
}

/// This many minutes after the start, and its day.
pub(crate) fn time(minutes: i64) -> ProbeTime {
    ProbeTime { now: after(minutes), day: after(minutes).date_naive() }
}

/// Claims a link of the host for two minutes.
pub(crate) async fn claim(links: &SeaOrmLinks, host: &str, minute: i64) -> Option<ClaimedLink> {
    links.claim(host, time(minute), after(minute + 2), &POLICY).await.unwrap()
}

pub(crate) async fn due_hosts(links: &SeaOrmLinks, minute: i64) -> Vec<String> {
    links.due_hosts(time(minute), &POLICY).await.unwrap()
}

pub(crate) async fn probed(
    links: &SeaOrmLinks,
    claim: &ClaimedLink,
    outcome: ProbeOutcome,
    minute: i64,
) -> bool {
    let at = after(minute);
    let probe = Probe { sequence: Some(7), codecs: Some("H.264".into()), ..Probe::of(outcome) };
    let step = claim.health.after(&probe, at, claim.recent_changes, TimeDelta::hours(6), false);
    links.record(claim, &probe, &step, time(minute)).await.unwrap()
}

on_both! {
    async fn links_follow_the_catalogue_and_a_changed_url_is_unknown(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let id = add(&channels, channel("Canal Uno", "https://a.example/1.m3u8")).await;
        let number = TvChannel { url_type: UrlType::Internal, ..channel("Dos", "42") };
        let internal = add(&channels, number).await;
        assert_eq!(take_over(&links, None, after(0)).await, 2);
        assert_eq!(take_over(&links, None, after(1)).await, 0, "nothing changed");
        let of = |links: &[Link], item: Id| links.iter().find(|link| link.item == item).unwrap().clone();
        let kept = all(&links).await;
        assert!(of(&kept, id).active);
        assert!(!of(&kept, internal).active, "it has no address without a base URL");
        assert_eq!(take_over(&links, Some("https://b.example/live"), after(1)).await, 1);
        assert_eq!(of(&all(&links).await, internal).host, "b.example");

        let claim = claim(&links, "a.example", 2).await.unwrap();
        assert!(probed(&links, &claim, ProbeOutcome::Ok, 2).await);
        assert_eq!(of(&all(&links).await, id).health.state, LinkState::Up);
        let renamed = channel("Canal Primero", "https://a.example/1.m3u8");
        channels.replace(id, valid(renamed), None, edit_of("rosa_1", after(3))).await.unwrap();
        assert_eq!(take_over(&links, Some("https://b.example/live"), after(3)).await, 1);
        let link = of(&all(&links).await, id);
        assert_eq!((link.title.as_str(), link.health.state), ("Canal Primero", LinkState::Up));

        let moved = channel("Canal Primero", "https://c.example/1.m3u8");
        channels.replace(id, valid(moved), None, edit_of("rosa_1", after(4))).await.unwrap();
        take_over(&links, Some("https://b.example/live"), after(4)).await;
        let link = of(&all(&links).await, id);
        assert_eq!((link.host.as_str(), link.health.state, link.last), ("c.example", LinkState::Unknown, None));
        channels.delete(id, None, edit_of("rosa_1", after(5))).await.unwrap();
        assert_eq!(links.remove_orphans(CHANNELS, 10).await.unwrap(), 1);
        assert_eq!(all(&links).await.len(), 1);
    }

    async fn links_that_were_never_probed_come_before_those_that_were(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        for host in ["a", "b"] {
            add(&channels, channel(host, &format!("https://{host}.example/1.m3u8"))).await;
        }
        take_over(&links, None, after(0)).await;
        let claim = claim(&links, "a.example", 2).await.unwrap();
        assert!(probed(&links, &claim, ProbeOutcome::Ok, 2).await);
        for (descending, expected) in [(false, ["b", "a"]), (true, ["a", "b"])] {
            for (page, title) in (0..).zip(expected) {
                let query = ListQuery { page, size: 1, sort: by("probedAt", descending), ..ListQuery::default() };
                assert_eq!(links.list(&query).await.unwrap().content[0].title, title, "{query:?}");
            }
        }
    }

    async fn a_link_is_claimed_once_and_a_lost_claim_writes_nothing(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let id = add(&channels, channel("Canal Uno", "https://a.example/1.m3u8")).await;
        take_over(&links, None, after(0)).await;
        assert_eq!(due_hosts(&links, 0).await, ["a.example"]);
        let first = claim(&links, "a.example", 0).await.unwrap();
        assert_eq!(claim(&links, "a.example", 1).await, None);
        assert_eq!(due_hosts(&links, 1).await, Vec::<String>::new());
        // The first node was killed: its claim ends, another node probes, and the first one
        // returns.
        let second = claim(&links, "a.example", 2).await.unwrap();
        assert!(!probed(&links, &first, ProbeOutcome::Http, 2).await);
        assert!(probed(&links, &second, ProbeOutcome::Ok, 3).await);
        assert!(!probed(&links, &second, ProbeOutcome::Http, 3).await);

        // A user requests a probe at once: a playlist need not have a new segment yet.
        links.request(all(&links).await[0].id, after(3)).await.unwrap();
        let soon = ProbeTime { now: after(3) + TimeDelta::seconds(59), ..time(3) };
        let soon = links.claim("a.example", soon, after(5), &POLICY).await.unwrap().unwrap();
        assert_eq!(soon.sequence, None);
        assert!(probed(&links, &soon, ProbeOutcome::Ok, 4).await);

        // The URL changes during a probe of the former one.
        let link = links.request(all(&links).await[0].id, after(10)).await.unwrap().unwrap();
        assert_eq!(link.next_probe, Some(after(10)));
        let old = claim(&links, "a.example", 10).await.unwrap();
        assert_eq!(old.sequence, Some(7));
        let moved = channel("Canal Uno", "https://a.example/2.m3u8");
        channels.replace(id, valid(moved), None, edit_of("rosa_1", after(11))).await.unwrap();
        take_over(&links, None, after(11)).await;
        assert!(!probed(&links, &old, ProbeOutcome::Http, 11).await);
        assert_eq!(all(&links).await[0].health.state, LinkState::Unknown);
    }

    async fn changes_and_simultaneous_failures_are_recorded(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        for (title, url) in [
            ("Uno", "https://a.example/1"),
            ("Dos", "https://a.example/2"),
            ("Tres", "https://b.example/1"),
        ] {
            add(&channels, channel(title, url)).await;
        }
        take_over(&links, None, after(0)).await;
        let mut minute = 0;
        for wait in [0, 1, 10] {
            minute += wait;
            for host in ["a.example", "a.example"] {
                if let Some(claim) = claim(&links, host, minute).await {
                    assert!(probed(&links, &claim, ProbeOutcome::Timeout, minute).await);
                }
            }
        }
        let claim = claim(&links, "b.example", minute).await.unwrap();
        assert!(probed(&links, &claim, ProbeOutcome::Ok, minute).await);
        // The links of the other host are down.
        assert_eq!(links.host_counts(after(0)).await.unwrap(), HostCounts { probed: 1, failing: 0 });
        let mut states = links.states().await.unwrap();
        states.sort_by_key(|(state, _)| *state != LinkState::Up);
        assert_eq!(states[0], (LinkState::Up, 1));
        let hosts = links.failing_hosts(10, after(0).date_naive()).await.unwrap();
        assert_eq!((hosts[0].host.as_str(), hosts[0].links, hosts[0].failing), ("a.example", 2, 2));
        let down = Filter { field: "state".into(), value: FilterValue::Codes(vec!["DOWN"]) };
        let query = ListQuery { filters: vec![down], ..ListQuery::default() };
        let down = links.list(&query).await.unwrap().content;
        assert!(!down.is_empty());
        for link in down {
            let changes = links.changes(link.id, 10).await.unwrap().unwrap();
            assert_eq!((changes.len(), changes[0].from, changes[0].to), (1, LinkState::Suspect, LinkState::Down));
            assert_eq!(changes[0].outcome, ProbeOutcome::Timeout);
        }
        assert_eq!(links.changes(999, 10).await.unwrap(), None);
        links.postpone("b.example", after(1_000)).await.unwrap();
        assert_eq!(due_hosts(&links, 999).await, ["a.example"]);
        // A request does not shorten the pause of a host.
        let of_b = all(&links).await.into_iter().find(|link| link.host == "b.example").unwrap();
        let requested = links.request(of_b.id, after(998)).await.unwrap().unwrap();
        assert_eq!(requested.next_probe, Some(after(1_000)), "the response has the time");
        assert_eq!(due_hosts(&links, 999).await, ["a.example"]);
        assert_eq!(due_hosts(&links, 1_000).await, ["b.example", "a.example"], "requested probes come first");
    }

    async fn links_that_are_down_do_not_indicate_a_network_failure(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let dead = ["a.example", "b.example", "c.example", "d.example"];
        for host in dead.iter().chain(&["e.example"]) {
            add(&channels, channel(host, &format!("https://{host}/1.ts"))).await;
        }
        take_over(&links, None, after(0)).await;
        let probe = async |host: &str, outcome, minute| {
            let claimed = claim(&links, host, minute).await.unwrap();
            assert!(probed(&links, &claimed, outcome, minute).await);
        };
        let counts = async |minute: i64| links.host_counts(after(minute - 10)).await.unwrap();
        probe("e.example", ProbeOutcome::Ok, 0).await;
        for minute in [0, 1, 6] {
            for host in dead {
                probe(host, ProbeOutcome::Http, minute).await;
            }
        }
        assert_eq!(counts(6).await, HostCounts { probed: 5, failing: 4 }, "they failed for the first time");
        for minute in [21, 51] {
            assert_eq!(counts(minute).await, HostCounts { probed: 0, failing: 0 });
            for host in dead {
                probe(host, ProbeOutcome::Http, minute).await;
            }
        }
        let fifth = all(&links).await.into_iter().find(|link| link.host == "e.example").unwrap().id;
        links.request(fifth, after(51)).await.unwrap();
        for minute in [51, 52, 57] {
            probe("e.example", ProbeOutcome::Http, minute).await;
            assert_eq!(counts(minute).await, HostCounts { probed: 1, failing: 1 });
        }
        probe("e.example", ProbeOutcome::Http, 72).await;
        assert!(all(&links).await.iter().all(|link| link.health.state == LinkState::Down));
    }

    async fn links_that_fail_with_the_network_indicate_its_failure(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        add(&channels, channel("Canal Uno", "https://a.example/1.ts")).await;
        take_over(&links, None, after(0)).await;
        // The first failure counts, because the failures of others were not known yet. The
        // following ones don't.
        let first = claim(&links, "a.example", 0).await.unwrap();
        assert!(probed(&links, &first, ProbeOutcome::Http, 0).await);
        let probe = Probe::of(ProbeOutcome::Http);
        for minute in [1, 6, 11, 16] {
            let again = claim(&links, "a.example", minute).await.unwrap();
            let step = again.health.after(&probe, after(minute), 0, TimeDelta::hours(6), true);
            assert!(links.record(&again, &probe, &step, time(minute)).await.unwrap());
            let counts = links.host_counts(after(minute - 10)).await.unwrap();
            assert_eq!(counts, HostCounts { probed: 1, failing: 1 }, "after {minute} minutes");
        }
    }

    async fn a_channel_of_a_playlist_is_probed_with_the_headers_of_its_directives(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let id = add(&channels, channel("Uno", "https://a.example/1.ts")).await;
        db.run("INSERT INTO playlist_sources (version, title, title_key, search_text, automatic, categories, first_number, active, \
                updated_by, created_date, updated_date) VALUES (1, 'x', 'x', 'x', 'NOTHING', '{}', 1, TRUE, 'x', \
                '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')").await;
        let applied = r#"{"name": "Uno", "url": "https://a.example/1.ts", "directives": [{"name": "EXTVLCOPT", "value": "http-user-agent=VLC"}], "headers": [["Referer", "a%20b"]]}"#;
        db.run(&format!(
            "INSERT INTO playlist_entries (source_id, change, ignored, in_use, item_kind, item_id, radio, group_name, search_text, \
             content, applied) SELECT s.id, 'UNCHANGED', FALSE, TRUE, 'tv-channels', {id}, FALSE, '', '', '{{}}', '{applied}' \
             FROM playlist_sources s"
        ))
        .await;
        take_over(&links, None, after(0)).await;
        let claimed = claim(&links, "a.example", 0).await.unwrap();
        let headers = [("Referer", "a b"), ("User-Agent", "VLC")];
        assert_eq!(claimed.headers, headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    async fn requested_and_failing_links_are_probed_before_overdue_ones(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        for number in 1..=4 {
            add(&channels, channel(&format!("Canal {number}"), &format!("https://a.example/{number}.ts"))).await;
        }
        take_over(&links, None, after(0)).await;
        let next = async |outcome, minute: i64| {
            let claimed = claim(&links, "a.example", minute).await.unwrap();
            assert!(probed(&links, &claimed, outcome, minute).await);
            claimed.address
        };
        // The first is retried after a minute, although three others have been due for an hour.
        assert_eq!(next(ProbeOutcome::Http, 60).await, "https://a.example/1.ts");
        assert_eq!(next(ProbeOutcome::Http, 61).await, "https://a.example/1.ts");
        let id = |title: &str, kept: &[Link]| kept.iter().find(|link| link.title == title).unwrap().id;
        let kept = all(&links).await;
        for (title, minute) in [("Canal 4", 66), ("Canal 3", 67)] {
            let requested = links.request(id(title, &kept), after(minute)).await.unwrap().unwrap();
            assert_eq!(requested.next_probe, Some(after(minute)));
        }
        let mut order = Vec::new();
        for _ in 0..4 {
            order.push(next(ProbeOutcome::Ok, 67).await);
        }
        assert_eq!(order, [4, 3, 1, 2].map(|number| format!("https://a.example/{number}.ts")));
        assert_eq!(claim(&links, "a.example", 67).await, None);
    }

    async fn a_probe_requested_during_another_one_follows_it(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        add(&channels, channel("Canal Uno", "https://a.example/1.ts")).await;
        take_over(&links, None, after(0)).await;
        let first = claim(&links, "a.example", 0).await.unwrap();
        links.request(first.id, after(1)).await.unwrap();
        assert!(probed(&links, &first, ProbeOutcome::Http, 1).await);
        let kept = &all(&links).await[0];
        assert_eq!((kept.health.state, kept.next_probe), (LinkState::Suspect, Some(after(1))));
        let second = claim(&links, "a.example", 1).await.unwrap();
        assert!(probed(&links, &second, ProbeOutcome::Ok, 1).await);
        assert_eq!(due_hosts(&links, 10).await, Vec::<String>::new(), "it was requested once");
    }

    async fn a_request_for_an_inactive_link_or_one_that_is_not_due_does_not_prioritize_its_host(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        add(&channels, channel("Uno", "https://a.example/1.ts")).await;
        take_over(&links, None, after(0)).await;
        add(&channels, channel("Dos", "https://b.example/1.ts")).await;
        let requested = add(&channels, channel("Tres", "https://b.example/2.ts")).await;
        take_over(&links, None, after(1)).await;
        let link = all(&links).await.into_iter().find(|link| link.item == requested).unwrap().id;
        links.request(link, after(10)).await.unwrap();
        assert_eq!(due_hosts(&links, 9).await, ["a.example", "b.example"], "not yet");
        assert_eq!(due_hosts(&links, 10).await, ["b.example", "a.example"]);
        for active in [false, true] {
            channels.set_active(requested, active, None, edit_of("rosa_1", after(11))).await.unwrap();
            take_over(&links, None, after(11)).await;
            assert_eq!(due_hosts(&links, 12).await, ["a.example", "b.example"], "active: {active}");
        }
    }

    async fn requested_and_failing_links_are_found_by_their_indexes(db: &TestDb) {
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        // Of the many overdue links of a host, one is requested and one in doubt.
        db.fill("WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000) INSERT INTO links (owner, item_id, \
                stream, link_key, position, title, title_key, address, host, account, active, switched_off, state, since, failures, \
                next_probe, probe_requested, milliseconds) SELECT 'tv-channels', n, 0, '', 0, 'x', 'x', 'https://b.example/', \
                'b.example', '', TRUE, FALSE, CASE WHEN n = 2 THEN 'SUSPECT' ELSE 'UP' END, '2026-01-01T00:00:00Z', 0, \
                '2026-01-01T00:00:00Z', n = 1, 0 FROM n").await;
        if !db.is_sqlite() {
            db.fill("ANALYZE links").await;
        }
        let links = SeaOrmLinks(db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone())));
        assert!(claim(&links, "b.example", 0).await.is_some());
        let statements = noted.lock().unwrap().clone();
        let update = statements.iter().find(|statement| statement.sql.starts_with("UPDATE links")).unwrap();
        let claimed = plan(db, update, false).await.join("\n");
        // PostgreSQL has several plans for the longest overdue one.
        for index in ["links_requested", "links_in_doubt", "links_due"].iter().take(if db.is_sqlite() { 3 } else { 2 }) {
            assert!(claimed.contains(index), "{index}: {claimed}");
        }
        assert_eq!(due_hosts(&links, 0).await, ["b.example"]);
        let statements = noted.lock().unwrap().clone();
        let hosts = statements.iter().find(|statement| statement.sql.starts_with("WITH RECURSIVE hosts")).unwrap();
        let hosts = plan(db, hosts, false).await.join("\n");
        assert!(hosts.contains("links_requested"), "{hosts}");
    }
}
