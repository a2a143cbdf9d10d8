//! Limits of probes of a host, with many concurrent nodes: at a time, in a row, and per day; and
//! counts of successful probes.

use std::collections::HashSet;

use adapter_seaorm::{SeaOrmLinks, SeaOrmRetention};
use chrono::TimeDelta;
use domain_catalogue::CategoryType;
use domain_live::link::{ProbeDay, ProbeOutcome, ProbePolicy};
use futures_util::future::join_all;
use ports::{Aged, ClaimedLink, LinkRepository, ProbeTime, Retention};

use crate::{
    kinds::{add, add_category},
    links::{POLICY, all, channel, channels, probed, take_over, time},
    support::{TestDb, after, on_both},
};

const HOST: &str = "a.example";
const DAY: i64 = 24 * 60;

/// Links with these paths, all of one host and due.
async fn links_of(db: &TestDb, paths: &[&str]) -> SeaOrmLinks {
    assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
    let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
    for (index, path) in paths.iter().enumerate() {
        add(&channels, channel(&format!("Canal {index}"), &format!("https://{HOST}/{path}"))).await;
    }
    assert_eq!(take_over(&links, None, after(0)).await, paths.len());
    links
}

async fn claim(links: &SeaOrmLinks, at: ProbeTime, policy: &ProbePolicy) -> Option<ClaimedLink> {
    links.claim(HOST, at, at.now + TimeDelta::minutes(2), policy).await.unwrap()
}

fn address(claimed: &Option<ClaimedLink>) -> &str {
    claimed.as_ref().map_or("", |claimed| &claimed.address)
}

on_both! {
    async fn claims_are_limited_per_host_and_one_per_account(db: &TestDb) {
        let links = links_of(db, &["live/ana/secret/1.ts", "live/ana/secret/2.ts", "3.ts", "4.ts"]).await;
        let policy = ProbePolicy { connections: 2, ..POLICY };
        let first = claim(&links, time(0), &policy).await;
        assert_eq!(address(&first), "https://a.example/live/ana/secret/1.ts");
        let second = claim(&links, time(0), &policy).await;
        assert_eq!(address(&second), "https://a.example/3.ts", "its account is in use");
        assert_eq!(claim(&links, time(0), &policy).await, None, "two at a time");
        assert!(probed(&links, &first.unwrap(), ProbeOutcome::Ok, 0).await);
        let third = claim(&links, time(0), &policy).await;
        assert_eq!(address(&third), "https://a.example/live/ana/secret/2.ts");
        assert_eq!(claim(&links, time(1), &policy).await, None);
        // The claims of a killed node end.
        assert_eq!(address(&claim(&links, time(2), &policy).await), "https://a.example/live/ana/secret/2.ts");
    }

    async fn a_host_has_a_pause_between_two_probes(db: &TestDb) {
        let links = links_of(db, &["1.ts", "2.ts", "3.ts"]).await;
        let policy = ProbePolicy { connections: 8, pause: TimeDelta::seconds(1), ..POLICY };
        let at = |milliseconds| {
            let ProbeTime { now, day } = time(0);
            ProbeTime { now: now + TimeDelta::milliseconds(milliseconds), day }
        };
        assert!(claim(&links, at(0), &policy).await.is_some());
        assert_eq!(claim(&links, at(999), &policy).await, None);
        assert_eq!(links.due_hosts(at(999), &policy).await.unwrap(), Vec::<String>::new());
        assert_eq!(links.due_hosts(at(1_000), &policy).await.unwrap(), [HOST]);
        assert!(claim(&links, at(1_000), &policy).await.is_some());
        assert_eq!(claim(&links, at(1_999), &policy).await, None);
    }

    async fn a_host_has_a_daily_limit_of_probes(db: &TestDb) {
        let links = links_of(db, &["1.ts", "2.ts", "3.ts"]).await;
        let policy = ProbePolicy { connections: 8, budget: Some(2), ..POLICY };
        for _ in 0..2 {
            assert!(claim(&links, time(0), &policy).await.is_some());
        }
        assert_eq!(claim(&links, time(0), &policy).await, None);
        assert_eq!(links.due_hosts(time(5), &policy).await.unwrap(), Vec::<String>::new());
        assert_eq!(links.due_hosts(time(5), &POLICY).await.unwrap(), [HOST]);
        assert_eq!(links.due_hosts(time(DAY), &policy).await.unwrap(), [HOST]);
        for _ in 0..2 {
            assert!(claim(&links, time(DAY), &policy).await.is_some());
        }
        assert_eq!(claim(&links, time(DAY), &policy).await, None);
    }

    async fn a_claim_without_a_link_does_not_count_as_a_probe(db: &TestDb) {
        let links = links_of(db, &["1.ts"]).await;
        let policy = ProbePolicy { budget: Some(2), ..POLICY };
        let first = claim(&links, time(0), &policy).await.unwrap();
        for _ in 0..3 {
            assert_eq!(claim(&links, time(0), &policy).await, None);
        }
        assert!(probed(&links, &first, ProbeOutcome::Http, 0).await);
        assert!(claim(&links, time(1), &policy).await.is_some());
    }

    async fn nodes_that_claim_together_stay_within_every_limit(db: &TestDb) {
        let paths: Vec<String> = (0..12).map(|number| format!("{number}.ts")).collect();
        let links = links_of(db, &paths.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let together = async |policy: ProbePolicy, minute: i64| {
            let claims = (0..12).map(|_| {
                let links = SeaOrmLinks(db.database.clone());
                tokio::spawn(async move { claim(&links, time(minute), &policy).await })
            });
            let claims = join_all(claims).await.into_iter().filter_map(Result::unwrap);
            let claims: Vec<_> = claims.map(|claimed| claimed.address).collect();
            assert_eq!(claims.iter().collect::<HashSet<_>>().len(), claims.len(), "{claims:?}");
            claims.len()
        };
        assert_eq!(together(POLICY, 0).await, 1);
        assert_eq!(together(ProbePolicy { connections: 8, ..POLICY }, 10).await, 8);
        let pause = TimeDelta::seconds(1);
        assert_eq!(together(ProbePolicy { connections: 8, pause, ..POLICY }, 20).await, 1);
        // One, eight and one are counted.
        assert_eq!(together(ProbePolicy { connections: 8, budget: Some(13), ..POLICY }, 30).await, 3);
        assert_eq!(links.due_hosts(time(40), &ProbePolicy { budget: Some(13), ..POLICY }).await.unwrap().len(), 0);
    }

    async fn probes_are_counted_by_day_for_half_a_year(db: &TestDb) {
        let links = links_of(db, &["1.ts", "2.ts"]).await;
        let first = all(&links).await.into_iter().min_by_key(|link| link.id).unwrap().id;
        let probe = async |minute: i64, outcome: ProbeOutcome| {
            let claimed = claim(&links, time(minute), &POLICY).await.unwrap();
            assert!(probed(&links, &claimed, outcome, minute).await);
            claimed.id
        };
        // The first link plays and then fails; the second is refused, which is inconclusive.
        assert_eq!(probe(0, ProbeOutcome::Ok).await, first);
        assert_ne!(probe(0, ProbeOutcome::Auth).await, first);
        assert_eq!(probe(DAY, ProbeOutcome::Http).await, first);
        assert_ne!(probe(DAY, ProbeOutcome::Slow).await, first);
        let day = |minute: i64, good, failed| ProbeDay { day: time(minute).day, good, failed };
        let since = |minute: i64| time(minute).day;
        assert_eq!(links.days(first, since(0)).await.unwrap(), Some(vec![day(0, 1, 0), day(DAY, 0, 1)]));
        assert_eq!(links.days(first, since(DAY)).await.unwrap(), Some(vec![day(DAY, 0, 1)]));
        assert_eq!(links.days(first, since(2 * DAY)).await.unwrap(), Some(Vec::new()));
        assert_eq!(links.days(999, since(0)).await.unwrap(), None);
        let hosts = links.failing_hosts(10, since(0)).await.unwrap();
        assert_eq!(hosts[0].days, [day(0, 1, 0), day(DAY, 1, 1)]);
        let hosts = links.failing_hosts(10, since(DAY)).await.unwrap();
        assert_eq!(hosts[0].days, [day(DAY, 1, 1)]);

        let retention = SeaOrmRetention(db.database.clone());
        for (what, removed) in [(Aged::LinkDays, 1), (Aged::LinkHostDays, 1), (Aged::LinkHosts, 0)] {
            assert_eq!(retention.remove(what, after(1), after(1), 500).await.unwrap(), removed, "{what:?}");
        }
        assert_eq!(retention.remove(Aged::LinkHosts, after(DAY), after(DAY), 500).await.unwrap(), 1);
        assert_eq!(links.days(first, since(0)).await.unwrap(), Some(vec![day(DAY, 0, 1)]));
        assert_eq!(links.failing_hosts(10, since(0)).await.unwrap()[0].days, [day(DAY, 1, 1)]);
    }
}
