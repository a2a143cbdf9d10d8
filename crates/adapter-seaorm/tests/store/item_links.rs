//! Links of films and other items: stored on request or for reports, and found along indexes.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmIssues, SeaOrmLinkReports, SeaOrmLinks, SeaOrmRetention, SeaOrmStreams,
    catalogue::{SeaOrmContents, TableOf},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::{
    CategoryType, ChannelStream, ChannelStreams, Concert, Content, Documentary, Episode, Failover, Movie,
    RadioStation, Sport, StreamUrl, TvShow, UrlType,
};
use domain_issues::{Author, AuthorKind, IssueContentType, NewReport, Priority, Report, ReportType};
use domain_kernel::{Enumeration, Id, Origin};
use domain_live::link::{LinkOwner, LinkState, Probe, ProbeOutcome};
use ports::{
    Aged, ClaimedLink, ContentRepository, Inserted, IssueRepository, ItemLinks, LinkReports, LinkRepository,
    ReportState, ReportedSpan, Retention, StreamRepository, Written,
};
use sea_orm::Statement;

use crate::{
    indexes::plan,
    kinds::{KindFixture, add, add_category, add_sample, store},
    links::{self, CHANNELS, channel, channels, claim, due_hosts, time},
    support::{TestDb, after, edit, on_both, valid},
};

const MOVIES: LinkOwner = LinkOwner::Movies;

fn links(db: &TestDb) -> SeaOrmLinks {
    SeaOrmLinks(db.database.clone())
}

/// A film with links with these URLs and IDs.
fn film(number: usize, category: Id, urls: &[(&str, &str)]) -> Movie {
    let mut film = Movie::numbered(number, category);
    let link = film.links[0].clone();
    let of = |(id, url): &(&str, &str)| domain_catalogue::Link {
        id: Some((*id).into()),
        url: StreamUrl((*url).into()),
        ..link.clone()
    };
    film.links = urls.iter().map(of).collect();
    film
}

async fn replace(db: &TestDb, id: Id, film: Movie, minute: i64) {
    store::<Movie>(db).replace(id, valid(film), None, edit(after(minute))).await.unwrap();
}

async fn request_probes(links: &SeaOrmLinks, owner: LinkOwner, item: Id, now: DateTime<Utc>) {
    let mut catalogued = links.catalogued(owner, item).await.unwrap().unwrap();
    for link in &mut catalogued {
        link.host = link.address.split('/').nth(2).unwrap_or_default().into();
    }
    links.request_probes(&catalogued, now).await.unwrap();
}

/// Runs the synchronization job.
async fn take_over(links: &SeaOrmLinks, minute: i64) -> (usize, u64) {
    let mut found = links.outdated(MOVIES, None, 0, 100).await.unwrap();
    for link in &mut found {
        link.host = link.address.split('/').nth(2).unwrap_or_default().into();
    }
    if !found.is_empty() {
        links.put(&found, after(minute)).await.unwrap();
    }
    (found.len(), links.remove_orphans(MOVIES, 100).await.unwrap())
}

/// Probes the next link of a host, if one is due.
async fn probe(links: &SeaOrmLinks, host: &str, outcome: ProbeOutcome, minute: i64) -> Option<ClaimedLink> {
    let claim = claim(links, host, minute).await?;
    let probe = Probe::of(outcome);
    let step =
        claim.health.after_on_demand(&probe, after(minute), claim.recent_changes, TimeDelta::hours(6), false);
    assert!(links.record(&claim, &probe, &step, time(minute)).await.unwrap());
    Some(claim)
}

/// The URL, the state and whether it is probed again automatically.
async fn kept(links: &SeaOrmLinks, item: Id) -> Vec<(String, LinkState, bool)> {
    let kept = links.kept(MOVIES, item).await.unwrap();
    kept.into_iter().map(|link| (link.host, link.health.state, link.next_probe.is_some())).collect()
}

async fn report(
    db: &TestDb,
    content_type: IssueContentType,
    id: Id,
    report_type: ReportType,
    minute: i64,
) -> Report {
    let new = NewReport {
        title: "No carga".into(),
        description: None,
        content_type,
        content_id: Some(id),
        content: Some("Una".into()),
        report_type,
        reporter: None,
    };
    let author = Author { name: "ana_1".into(), kind: AuthorKind::Staff, origin: Origin::SERVER };
    match SeaOrmIssues(db.database.clone()).insert(&new, &author, after(minute), None).await.unwrap() {
        Inserted::New(report) => report,
        other => panic!("{other:?}"),
    }
}

async fn reported(db: &TestDb, minute: i64) -> Vec<(LinkOwner, Id)> {
    let now = after(minute);
    let span =
        ReportedSpan { since: now - TimeDelta::hours(6), probed_before: now - TimeDelta::minutes(5), now };
    SeaOrmLinkReports(db.database.clone()).reported_items(span, 10).await.unwrap()
}

on_both! {
    async fn only_requested_links_are_stored_and_they_follow_the_catalogue(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let (links, movies) = (links(db), store::<Movie>(db));
        let urls = [("a", "https://a.example/1"), ("b", "https://b.example/1")];
        let id = add(&movies, film(1, category, &urls)).await;
        add(&movies, film(2, category, &[("a", "https://c.example/1")])).await;
        assert_eq!(take_over(&links, 0).await, (0, 0), "not requested");
        assert_eq!(links.catalogued(MOVIES, 999).await.unwrap(), None);

        request_probes(&links, MOVIES, id, after(0)).await;
        assert_eq!(take_over(&links, 0).await, (0, 0));
        assert_eq!(due_hosts(&links, 0).await, ["a.example", "b.example"]);
        assert!(probe(&links, "a.example", ProbeOutcome::Ok, 0).await.is_some());
        assert!(probe(&links, "b.example", ProbeOutcome::Http, 0).await.is_some());
        let (a, b) = (|state, again| ("a.example".to_owned(), state, again), |state, again| ("b.example".to_owned(), state, again));
        assert_eq!(kept(&links, id).await, [a(LinkState::Up, false), b(LinkState::Suspect, true)]);
        assert_eq!(due_hosts(&links, 100_000).await, ["b.example"], "a link that plays is probed only on request");
        request_probes(&links, MOVIES, id, after(1)).await;
        assert_eq!(due_hosts(&links, 1).await, ["a.example", "b.example"]);
        assert_eq!(kept(&links, id).await, [a(LinkState::Up, true), b(LinkState::Suspect, true)]);
        assert!(probe(&links, "a.example", ProbeOutcome::Ok, 1).await.is_some());

        // Only the order changes.
        replace(db, id, film(1, category, &[urls[1], urls[0]]), 2).await;
        assert_eq!(take_over(&links, 2).await, (2, 0));
        assert_eq!(kept(&links, id).await, [b(LinkState::Suspect, true), a(LinkState::Up, false)]);
        // A changed URL is unknown and due; an added link has the age of the request; a removed one
        // is deleted.
        replace(db, id, film(1, category, &[("a", "https://a.example/2"), ("c", "https://c.example/9")]), 3).await;
        assert_eq!(take_over(&links, 3).await, (2, 1));
        assert_eq!(kept(&links, id).await, [a(LinkState::Unknown, true), ("c.example".into(), LinkState::Unknown, true)]);
        let retention = SeaOrmRetention(db.database.clone());
        assert_eq!(retention.remove(Aged::RequestedLinks, after(0), after(0), 500).await.unwrap(), 0);
        assert_eq!(retention.remove(Aged::RequestedLinks, after(1), after(1), 1).await.unwrap(), 1);
        assert_eq!(retention.remove(Aged::RequestedLinks, after(1), after(1), 500).await.unwrap(), 1);
        assert_eq!(take_over(&links, 4).await, (0, 0));

        request_probes(&links, MOVIES, id, after(5)).await;
        movies.delete(id, None, edit(after(6))).await.unwrap();
        assert_eq!(take_over(&links, 6).await, (0, 2), "it is in the trash");
        assert_eq!(links.catalogued(MOVIES, id).await.unwrap(), None);
    }

    async fn links_of_items_of_every_kind_have_their_titles(db: &TestDb) {
        let links = links(db);
        let category_id = add_category(db, "Una", CategoryType::Documentary).await;
        let documentaries = SeaOrmContents::<TableOf<Documentary>>::new(db.database.clone());
        let documentary = add(&documentaries, Documentary { category_id, ..Documentary::sample() }).await;
        let category_id = add_category(db, "Dos", CategoryType::Music).await;
        let concerts = SeaOrmContents::<TableOf<Concert>>::new(db.database.clone());
        let concert = add(&concerts, Concert { category_id, ..Concert::sample() }).await;
        let sport = add_sample::<TableOf<Sport>>(db).await;
        let category_id = add_category(db, "Tres", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TableOf<TvShow>>::new(db.database.clone());
        let show = add(&shows, TvShow { title: "Los Pérez".into(), category_id, ..TvShow::sample() }).await;
        let episode = Episode { title: "Piloto".into(), tv_show_id: show, season_number: 2, episode_number: 3, ..Episode::sample() };
        let episode = add(&SeaOrmContents::<TableOf<Episode>>::new(db.database.clone()), episode).await;
        for (owner, item, title) in [
            (LinkOwner::Documentaries, documentary, Documentary::sample().title),
            (LinkOwner::Concerts, concert, Concert::sample().title),
            (LinkOwner::Sports, sport, Sport::sample().title),
            (LinkOwner::Episodes, episode, "Los Pérez S2E3: Piloto".into()),
        ] {
            request_probes(&links, owner, item, after(0)).await;
            let kept = links.kept(owner, item).await.unwrap();
            assert_eq!((kept[0].owner, kept[0].item, &kept[0].title), (owner, item, &title));
            assert!(links.outdated(owner, None, 0, 10).await.unwrap().is_empty(), "{}", owner.code());
            assert_eq!(links.remove_orphans(owner, 10).await.unwrap(), 0);
        }
    }

    async fn a_station_has_its_link_made_due_by_a_report(db: &TestDb) {
        let stations = SeaOrmContents::<TableOf<RadioStation>>::new(db.database.clone());
        let id = add(&stations, RadioStation::sample()).await;
        let links = links(db);
        let station = LinkOwner::RadioStations;
        let mut found = links.outdated(station, None, 0, 10).await.unwrap();
        assert_eq!((found.len(), found[0].item, found[0].stream), (1, id, 0));
        found[0].host = "a.example".into();
        links.put(&found, after(0)).await.unwrap();
        assert!(links.outdated(station, None, 0, 10).await.unwrap().is_empty());
        assert!(probe(&links, "a.example", ProbeOutcome::Ok, 0).await.is_some());
        report(db, IssueContentType::Radio, id, ReportType::Audio, 6).await;
        let span = ReportedSpan { since: after(-300), probed_before: after(1), now: after(6) };
        let reports = SeaOrmLinkReports(db.database.clone());
        assert_eq!(reports.request_reported(span).await.unwrap(), 1);
        assert_eq!(due_hosts(&links, 6).await, ["a.example"]);
        let items = SeaOrmIssues(db.database.clone()).items(&[(IssueContentType::Radio, id)]).await.unwrap();
        assert_eq!(items[0].title, RadioStation::sample().station_name);
    }

    async fn an_item_is_requested_once_by_reports_of_a_playback_problem(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let id = add(&store::<Movie>(db), film(1, category, &[("a", "https://a.example/1")])).await;
        let links = links(db);
        report(db, IssueContentType::Movie, id, ReportType::Subtitles, 0).await;
        report(db, IssueContentType::Trailer, id, ReportType::NotLoading, 0).await;
        assert_eq!(reported(db, 0).await, [], "neither is of a link");
        report(db, IssueContentType::Movie, id, ReportType::NotLoading, 1).await;
        report(db, IssueContentType::Movie, id, ReportType::Video, 1).await;
        assert_eq!(reported(db, 1).await, [(MOVIES, id)]);
        request_probes(&links, MOVIES, id, after(1)).await;
        assert_eq!(reported(db, 1).await, []);
        report(db, IssueContentType::Movie, id, ReportType::NotLoading, 3).await;
        assert_eq!(reported(db, 5).await, [], "at most once in five minutes");
        assert_eq!(reported(db, 6).await, [(MOVIES, id)]);
        assert_eq!(reported(db, 6 * 60 + 4).await, [], "too long ago");
    }

    async fn reports_are_resolved_after_their_link_is_up_again_unless_they_were_changed(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let id = add(&store::<Movie>(db), film(1, category, &[("a", "https://a.example/1")])).await;
        let (links, reports) = (links(db), SeaOrmLinkReports(db.database.clone()));
        let before = report(db, IssueContentType::Movie, id, ReportType::NotLoading, 0).await;
        let changed = report(db, IssueContentType::Movie, id, ReportType::NotLoading, 0).await;
        report(db, IssueContentType::Movie, id, ReportType::Subtitles, 0).await;
        report(db, IssueContentType::Trailer, id, ReportType::NotLoading, 0).await;
        request_probes(&links, MOVIES, id, after(0)).await;
        for (minute, outcome) in [(0, ProbeOutcome::Http), (5, ProbeOutcome::Http), (20, ProbeOutcome::Http), (380, ProbeOutcome::Ok)] {
            assert!(probe(&links, "a.example", outcome, minute).await.is_some());
        }
        let recovered = async || reports.recovered(after(0), 10).await.unwrap();
        assert!(recovered().await.is_empty(), "it played once");
        assert!(probe(&links, "a.example", ProbeOutcome::Ok, 385).await.is_some());
        report(db, IssueContentType::Movie, id, ReportType::NotLoading, 386).await;
        let to = ReportState { status: changed.status, priority: Priority::High, assigned_to: None, notes: None };
        let author = Author { name: "ana_1".into(), kind: AuthorKind::Staff, origin: Origin::SERVER };
        assert_eq!(recovered().await, [before.id, changed.id]);
        SeaOrmIssues(db.database.clone()).change(&changed, &to, &author, after(387)).await.unwrap();
        assert_eq!(recovered().await, [before.id]);
        assert!(reports.recovered(after(386), 10).await.unwrap().is_empty(), "too long ago");
        let items = [(MOVIES, id), (MOVIES, 999), (LinkOwner::Episodes, id)];
        assert_eq!(reports.came_up(&items).await.unwrap(), [(MOVIES, id, after(385))]);
        assert_eq!(reports.of_item(MOVIES, id).await.unwrap()[0].came_up, Some(after(385)));
        assert!(reports.of_item(LinkOwner::Episodes, id).await.unwrap().is_empty());
    }

    async fn only_the_stream_that_players_get_plays_again(db: &TestDb) {
        let (a, b) = ("https://a.example/1.ts", "https://b.example/1.ts");
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let id = add(&channels(db), channel("Uno", a)).await;
        let (links, reports) = (links(db), SeaOrmLinkReports(db.database.clone()));
        let streams = SeaOrmStreams(db.database.clone());
        let put = async |failover, minute| {
            let stream = |url: &str| ChannelStream {
                label: None,
                quality: None,
                url_type: UrlType::External,
                url: url.into(),
                headers: Vec::new(),
            };
            let draft = ChannelStreams { failover, streams: vec![stream(a), stream(b)] };
            let draft = domain_kernel::checked(draft, &()).unwrap();
            let written = streams.replace(id, draft, None, &edit(after(minute))).await.unwrap();
            assert!(matches!(written, Written::Done(_)));
        };
        put(Failover::Manual, 0).await;
        links::take_over(&links, None, after(0)).await;
        let probe = async |host: &str, outcome, minute| {
            let claimed = claim(&links, host, minute).await.unwrap();
            assert!(links::probed(&links, &claimed, outcome, minute).await);
        };
        for minute in [0, 1, 6, 21] {
            probe("a.example", ProbeOutcome::Http, minute).await;
            probe("b.example", ProbeOutcome::Http, minute).await;
        }
        let of_a = report(db, IssueContentType::Tv, id, ReportType::NotLoading, 30).await;
        probe("b.example", ProbeOutcome::Ok, 51).await;
        probe("b.example", ProbeOutcome::Ok, 56).await;
        let items = [(CHANNELS, id)];
        let found = async || {
            let came_up = reports.came_up(&items).await.unwrap();
            let played: Vec<bool> = reports.of_item(CHANNELS, id).await.unwrap().iter().map(|link| link.is_played).collect();
            (came_up, reports.recovered(after(0), 10).await.unwrap(), played)
        };
        assert_eq!(found().await, (vec![], vec![], vec![true, false]), "players get the first, which is down");
        put(Failover::Auto, 57).await;
        assert_eq!(found().await, (vec![(CHANNELS, id, after(56))], vec![of_a.id], vec![true, true]));
        // The first link is up again: players get it.
        probe("a.example", ProbeOutcome::Ok, 60).await;
        assert_eq!(found().await, (vec![], vec![], vec![true, false]));
        probe("a.example", ProbeOutcome::Ok, 65).await;
        assert_eq!(found().await, (vec![(CHANNELS, id, after(65))], vec![of_a.id], vec![true, false]));
    }

    async fn no_statement_reads_all_titles_or_all_reports(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        for number in 0..50 {
            add(&movies, film(number, category, &[("a", "https://a.example/1"), ("b", "https://a.example/2")])).await;
        }
        for id in 1..20 {
            report(db, IssueContentType::Movie, id, ReportType::NotLoading, 0).await;
        }
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let (links, reports) = (SeaOrmLinks(watched.clone()), SeaOrmLinkReports(watched.clone()));
        request_probes(&links, MOVIES, 1, after(0)).await;
        take_over(&links, 0).await;
        let span = ReportedSpan { since: after(-360), probed_before: after(-5), now: after(0) };
        reports.request_reported(span).await.unwrap();
        reports.reported_items(span, 10).await.unwrap();
        reports.recovered(after(-360), 10).await.unwrap();
        reports.came_up(&[(MOVIES, 1), (LinkOwner::TvChannels, 1)]).await.unwrap();
        let retention = SeaOrmRetention(watched);
        retention.remove(Aged::RequestedLinks, after(-5), after(-5), 500).await.unwrap();
        let noted = noted.lock().unwrap().clone();
        assert!(noted.len() >= 8, "{}", noted.len());
        for statement in noted {
            if !["SELECT", "DELETE"].iter().any(|word| statement.sql.starts_with(word)) {
                continue;
            }
            let plan = plan(db, &statement, false).await;
            let scans = |line: &String| {
                if db.is_sqlite() {
                    ["SCAN m", "SCAN i", "SCAN r", "SCAN l", "SCAN links"].iter().any(|scan| line.trim() == *scan)
                } else {
                    ["movies", "issue_items", "issue_reports", "links"].iter().any(|table| line.contains(&format!("Seq Scan on {table} ")))
                }
            };
            assert!(!plan.iter().any(scans), "{}\n{}", statement.sql, plan.join("\n"));
        }
    }
}
