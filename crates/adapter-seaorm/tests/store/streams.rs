//! Streams of channels: the first has the channel's URL, each has a link, and they are deleted and
//! restored with the channel.

use adapter_seaorm::{
    SeaOrmAudit, SeaOrmLinks, SeaOrmRetention, SeaOrmStreams,
    catalogue::{SeaOrmContents, TvChannelsTable},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain_audit::AuditAction;
use domain_catalogue::{
    CategoryType, ChannelStream, ChannelStreams, Content, Failover, LinkQuality, StreamHeader, TvChannel,
    UrlType,
};
use domain_kernel::{Id, ListQuery};
use domain_live::link::{Link, LinkOwner, LinkState, Probe, ProbeOutcome};
use ports::{
    Aged, AuditFilter, AuditRepository, ContentRepository, ItemMerge, LinkRepository, ReplacedStreams,
    Retention, StoredStreams, StreamRepository, Written,
};
use serde_json::json;

use crate::{
    kinds::{add, add_category},
    links::{POLICY, time},
    support::{TestDb, after, edit_of, on_both, valid},
};

fn channels(db: &TestDb) -> SeaOrmContents<TvChannelsTable> {
    SeaOrmContents::new(db.database.clone())
}

/// A channel of the first category.
fn channel(title: &str, url: &str) -> TvChannel {
    let (title, url) = (title.into(), url.into());
    TvChannel { title, url, tv_guide_id: None, categories: vec![1], ..TvChannel::sample() }
}

fn stream(url: &str) -> ChannelStream {
    let (url_type, url) = (UrlType::External, url.to_owned());
    ChannelStream { label: None, quality: None, url_type, url, headers: Vec::new() }
}

fn list(failover: Failover, urls: &[&str]) -> ChannelStreams {
    ChannelStreams { failover, streams: urls.iter().map(|url| stream(url)).collect() }
}

const ONE: &str = "https://a.example/1.m3u8";
const TWO: &str = "https://b.example/1.m3u8";
const THREE: &str = "https://c.example/1.m3u8";

fn addresses(streams: &StoredStreams) -> Vec<&str> {
    streams.streams.iter().map(|stored| stored.stream.url.as_str()).collect()
}

async fn put(streams: &SeaOrmStreams, id: Id, draft: ChannelStreams) -> StoredStreams {
    let draft = domain_kernel::checked(draft, &()).unwrap();
    match streams.replace(id, draft, None, &edit_of("rosa_1", after(1))).await.unwrap() {
        Written::Done(stored) => stored,
        other => panic!("{other:?}"),
    }
}

async fn take_over(links: &SeaOrmLinks, now: DateTime<Utc>) -> Vec<String> {
    let mut found = links.outdated(LinkOwner::TvChannels, None, 0, 100).await.unwrap();
    for link in &mut found {
        link.host = link.address.split('/').nth(2).unwrap_or_default().into();
    }
    if !found.is_empty() {
        links.put(&found, now).await.unwrap();
    }
    links.remove_orphans(LinkOwner::TvChannels, 100).await.unwrap();
    found.into_iter().map(|link| link.address).collect()
}

/// Three failures over ten minutes.
async fn fail(links: &SeaOrmLinks, host: &str) {
    for minute in [0, 1, 10] {
        let claim = links.claim(host, time(minute), after(minute + 2), &POLICY).await.unwrap().unwrap();
        let probe = Probe::of(ProbeOutcome::Http);
        let step =
            claim.health.after(&probe, after(minute), claim.recent_changes, TimeDelta::hours(6), false);
        links.record(&claim, &probe, &step, time(minute)).await.unwrap();
    }
}

async fn states(links: &SeaOrmLinks) -> Vec<(u32, String, LinkState)> {
    let mut all: Vec<Link> = links.list(&domain_kernel::ListQuery::default()).await.unwrap().content;
    all.sort_by_key(|link| (link.item, link.position));
    all.into_iter().map(|link| (link.position, link.host, link.health.state)).collect()
}

on_both! {
    async fn the_first_stream_sets_the_channels_url(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let id = add(&channels, channel("Uno", ONE)).await;
        let alone = streams.find(id).await.unwrap().unwrap();
        assert_eq!((addresses(&alone), alone.failover, alone.version), (vec![ONE], Failover::Manual, 1));
        assert_eq!(streams.find(id + 1).await.unwrap(), None);
        assert_eq!(streams.find_lists(&[id]).await.unwrap(), []);

        let reserve = ChannelStream {
            label: Some("Reserva".into()),
            quality: Some(LinkQuality::Hd),
            headers: vec![StreamHeader { name: "Referer".into(), value: "https://b.example/".into() }],
            ..stream(TWO)
        };
        let draft = ChannelStreams { failover: Failover::Auto, streams: vec![stream(ONE), reserve.clone()] };
        let both = put(&streams, id, draft).await;
        assert_eq!((addresses(&both), both.version), (vec![ONE, TWO], 2));
        assert_eq!(both.streams[1].stream, reserve);
        assert_eq!(streams.find_lists(&[id]).await.unwrap(), std::slice::from_ref(&both));

        let turned = ChannelStreams { failover: Failover::Auto, streams: vec![reserve, stream(ONE)] };
        let turned = put(&streams, id, turned).await;
        assert_eq!((addresses(&turned), turned.version), (vec![TWO, ONE], 3));
        assert_eq!(turned.streams[0].number, both.streams[1].number, "it is the same stream");
        let stored = channels.find(id).await.unwrap().unwrap();
        assert_eq!((stored.content.url.as_str(), stored.version), (TWO, 3));

        // The settings of the first stream belong to its URL.
        channels.replace(id, valid(channel("Uno", THREE)), None, edit_of("rosa_1", after(2))).await.unwrap();
        let moved = streams.find(id).await.unwrap().unwrap();
        assert_eq!(addresses(&moved), [THREE, ONE]);
        assert_eq!(moved.streams[0].stream, stream(THREE));

        let draft = || domain_kernel::checked(list(Failover::Manual, &[ONE]), &()).unwrap();
        let edit = edit_of("rosa_1", after(3));
        let outdated = streams.replace(id, draft(), Some(3), &edit).await.unwrap();
        assert!(matches!(outdated, Written::Outdated(current) if addresses(&current) == [THREE, ONE]));
        assert_eq!(streams.replace(id + 1, draft(), None, &edit).await.unwrap(), Written::Missing);
    }

    async fn replaced_streams_are_kept_for_earlier_versions(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let id = add(&channels, channel("Uno", ONE)).await;
        let own = ChannelStream { label: Some("Propia".into()), ..stream(ONE) };
        let headers = vec![StreamHeader { name: "Authorization".into(), value: "Basic c2VjcmV0bw".into() }];
        let reserve = ChannelStream { quality: Some(LinkQuality::Hd), headers, ..stream(TWO) };
        let draft = ChannelStreams { failover: Failover::Auto, streams: vec![own.clone(), reserve.clone()] };
        assert_eq!(put(&streams, id, draft).await.version, 2);
        channels.replace(id, valid(channel("Uno", TWO)), None, edit_of("rosa_1", after(1))).await.unwrap();
        assert_eq!(put(&streams, id, list(Failover::Manual, &[TWO, THREE])).await.version, 4);

        let alone = ReplacedStreams {
            replaced_by: Some(2),
            failover: Failover::Manual,
            first: None,
            further: Vec::new(),
        };
        let both = ReplacedStreams {
            replaced_by: Some(4),
            failover: Failover::Auto,
            first: Some(own),
            further: vec![reserve],
        };
        let now = ReplacedStreams {
            replaced_by: None,
            failover: Failover::Manual,
            first: Some(stream(TWO)),
            further: vec![stream(THREE)],
        };
        for (version, expected) in [(1, &alone), (2, &both), (3, &both), (4, &now)] {
            assert_eq!(&streams.stored_in(id, version).await.unwrap(), expected, "{version}");
        }
        let retention = SeaOrmRetention(db.database.clone());
        let remove = async |minute: i64| retention.remove(Aged::ReplacedStreams, after(minute), after(minute), 2).await.unwrap();
        // A list that the limit would cut in half is removed whole.
        assert_eq!((remove(0).await, remove(1).await, remove(1).await), (0, 3, 0));
        assert_eq!(streams.stored_in(id, 1).await.unwrap(), now);
    }

    async fn streams_that_stay_are_not_kept_again(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let streams = SeaOrmStreams(db.database.clone());
        let id = add(&channels(db), channel("Uno", ONE)).await;
        let kept = async || db.number("SELECT count(*) AS number FROM channel_stream_versions").await;
        let both = || list(Failover::Auto, &[ONE, TWO]);
        put(&streams, id, both()).await;
        assert_eq!(kept().await, 1, "it had nothing but its address");
        assert_eq!((put(&streams, id, both()).await.version, kept().await), (3, 1));
        put(&streams, id, list(Failover::Manual, &[ONE, TWO])).await;
        assert_eq!(kept().await, 3);
        let stored = streams.stored_in(id, 2).await.unwrap();
        assert_eq!((stored.replaced_by, stored.failover), (Some(4), Failover::Auto));
    }

    async fn a_further_stream_becomes_the_first_when_the_channel_gets_its_url(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let id = add(&channels, channel("Uno", ONE)).await;
        let headers = vec![StreamHeader { name: "Referer".into(), value: "https://b.example/".into() }];
        let reserve = ChannelStream { headers, ..stream(TWO) };
        let three = vec![stream(ONE), stream(THREE), reserve.clone()];
        let before = put(&streams, id, ChannelStreams { failover: Failover::Manual, streams: three }).await;

        channels.replace(id, valid(channel("Uno", TWO)), None, edit_of("rosa_1", after(2))).await.unwrap();
        let moved = streams.find(id).await.unwrap().unwrap();
        assert_eq!(addresses(&moved), [TWO, THREE]);
        let first = &moved.streams[0];
        assert_eq!((&first.stream, first.number), (&reserve, before.streams[2].number));
        assert!(first.has_details, "players get its headers");
        assert_eq!(streams.find_lists(&[id]).await.unwrap(), std::slice::from_ref(&moved));
        let saved = put(&streams, id, moved.draft()).await;
        assert_eq!(addresses(&saved), [TWO, THREE], "a response can be sent back");
    }

    async fn a_stream_whose_url_became_the_channels_has_one_link(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let links = SeaOrmLinks(db.database.clone());
        let id = add(&channels, channel("Uno", ONE)).await;
        let headers = vec![StreamHeader { name: "Referer".into(), value: "https://b.example/".into() }];
        let reserve = ChannelStream { label: Some("Reserva".into()), headers, ..stream(TWO) };
        let draft = ChannelStreams { failover: Failover::Manual, streams: vec![stream(ONE), reserve] };
        put(&streams, id, draft).await;
        assert_eq!(take_over(&links, after(0)).await, [ONE, TWO]);

        channels.replace(id, valid(channel("Uno", TWO)), None, edit_of("rosa_1", after(2))).await.unwrap();
        assert_eq!(take_over(&links, after(3)).await, [TWO], "its position");
        let kept = links.list(&domain_kernel::ListQuery::default()).await.unwrap().content;
        let found: Vec<_> = kept.iter().map(|link| (link.position, link.host.as_str(), link.label.as_deref())).collect();
        assert_eq!(found, [(0, "b.example", Some("Reserva"))]);
        assert_eq!(take_over(&links, after(4)).await, [""; 0], "nothing changed");
        let claim = links.claim("b.example", time(4), after(6), &POLICY).await.unwrap().unwrap();
        assert_eq!(claim.headers, [("Referer".to_owned(), "https://b.example/".to_owned())]);
        let redundancy = links.redundancy().await.unwrap();
        assert_eq!((redundancy.none, redundancy.single), (0, 1));
        let first = streams.find(id).await.unwrap().unwrap().streams.remove(0);
        assert_eq!(first.link.unwrap().0.id, claim.id, "the page of its streams shows it");

        // With the former URL the list is as before.
        channels.replace(id, valid(channel("Uno", ONE)), None, edit_of("rosa_1", after(5))).await.unwrap();
        assert_eq!(take_over(&links, after(6)).await, [ONE, TWO]);
    }

    async fn each_stream_has_a_link_and_only_changed_urls_are_probed_again(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let links = SeaOrmLinks(db.database.clone());
        let id = add(&channels, channel("Uno", ONE)).await;
        assert_eq!(take_over(&links, after(0)).await, [ONE]);
        fail(&links, "a.example").await;

        let headers = vec![StreamHeader { name: "Referer".into(), value: "https://b.example/".into() }];
        let reserve = ChannelStream { headers, ..stream(TWO) };
        let draft = |streams| ChannelStreams { failover: Failover::Auto, streams };
        put(&streams, id, draft(vec![stream(ONE), reserve.clone()])).await;
        assert_eq!(take_over(&links, after(20)).await, [TWO]);
        let row = |position, host: &str, state| (position, host.to_owned(), state);
        assert_eq!(
            states(&links).await,
            [row(0, "a.example", LinkState::Down), row(1, "b.example", LinkState::Unknown)]
        );
        let claim = links.claim("b.example", time(20), after(22), &POLICY).await.unwrap().unwrap();
        assert_eq!(claim.headers, [("Referer".to_owned(), "https://b.example/".to_owned())]);
        let redundancy = links.redundancy().await.unwrap();
        assert_eq!((redundancy.none, redundancy.single), (0, 1));

        put(&streams, id, draft(vec![reserve.clone(), stream(ONE)])).await;
        assert_eq!(take_over(&links, after(30)).await, [TWO, ONE], "their positions");
        assert_eq!(
            states(&links).await,
            [row(0, "b.example", LinkState::Unknown), row(1, "a.example", LinkState::Down)]
        );
        let (_, address) = streams.find(id).await.unwrap().unwrap().streams[1].link.clone().unwrap();
        assert_eq!(address, ONE);

        put(&streams, id, draft(vec![reserve, stream(THREE)])).await;
        assert_eq!(take_over(&links, after(40)).await, [THREE]);
        assert_eq!(
            states(&links).await,
            [row(0, "b.example", LinkState::Unknown), row(1, "c.example", LinkState::Unknown)]
        );
        channels.delete(id, None, edit_of("rosa_1", after(50))).await.unwrap();
        take_over(&links, after(50)).await;
        assert_eq!(states(&links).await, []);
    }

    async fn streams_are_restored_and_removed_with_their_channel(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let id = add(&channels, channel("Uno", ONE)).await;
        put(&streams, id, list(Failover::Auto, &[ONE, TWO])).await;
        channels.delete(id, None, edit_of("rosa_1", after(2))).await.unwrap();
        assert_eq!(streams.find(id).await.unwrap(), None);
        channels.restore(id, valid(channel("Uno", ONE)), edit_of("rosa_1", after(3))).await.unwrap();
        let restored = streams.find(id).await.unwrap().unwrap();
        assert_eq!((addresses(&restored), restored.failover), (vec![ONE, TWO], Failover::Auto));
        channels.delete(id, None, edit_of("rosa_1", after(4))).await.unwrap();
        db.run("DELETE FROM trash").await;
        for table in ["channel_stream_lists", "channel_streams"] {
            assert_eq!(db.number(&format!("SELECT count(*) AS number FROM {table}")).await, 0, "{table}");
        }
    }

    async fn the_audit_log_has_the_streams_of_a_channel_removed_from_the_trash(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let id = add(&channels, channel("Uno", ONE)).await;
        let mut draft = list(Failover::Auto, &[ONE, "https://ana:clave@b.example/1.m3u8"]);
        draft.streams[1].label = Some("Reserva".into());
        put(&streams, id, draft).await;
        let bare = add(&channels, channel("Dos", THREE)).await;
        for deleted in [id, bare] {
            channels.delete(deleted, None, edit_of("rosa_1", after(2))).await.unwrap();
        }
        let retention = SeaOrmRetention(db.database.clone());
        assert_eq!(retention.remove(Aged::Trash, after(2), after(3), 100).await.unwrap(), 2);
        let filter = AuditFilter { action: Some(AuditAction::Purged), ..AuditFilter::default() };
        let entries = SeaOrmAudit(db.database.clone()).list(&filter, &ListQuery::default()).await.unwrap().content;
        let of = |id: Id| &entries.iter().find(|entry| entry.item == id.to_string()).unwrap().diff.before;
        assert_eq!(of(id)["streams"], json!([ONE, "Reserva · https://***@b.example/1.m3u8"]));
        assert_eq!(of(id)["failover"], json!("AUTO"));
        assert!(!of(bare).contains_key("streams"), "{:?}", of(bare));
    }

    async fn a_merged_channel_has_the_streams_of_both(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (streams, channels) = (SeaOrmStreams(db.database.clone()), channels(db));
        let kept = add(&channels, channel("Uno", ONE)).await;
        let merged = add(&channels, channel("Uno HD", THREE)).await;
        put(&streams, kept, list(Failover::Auto, &[ONE, TWO])).await;
        put(&streams, merged, list(Failover::Manual, &[THREE, TWO, "https://d.example/1.m3u8"])).await;
        let merge = ItemMerge { kept: (kept, 2), merged: (merged, 2) };
        channels.merge(merge, valid(channel("Uno", ONE)), edit_of("rosa_1", after(2))).await.unwrap();
        let both = streams.find(kept).await.unwrap().unwrap();
        assert_eq!(addresses(&both), [ONE, TWO, THREE, "https://d.example/1.m3u8"]);
        assert_eq!(both.failover, Failover::Auto);
        channels.restore(merged, valid(channel("Uno HD", THREE)), edit_of("rosa_1", after(3))).await.unwrap();
        let restored = streams.find(merged).await.unwrap().unwrap();
        assert_eq!(addresses(&restored), [THREE, TWO, "https://d.example/1.m3u8"]);
    }
}
