//! Items that the service deactivates and reactivates: once, with the version that was read, and
//! only while their links have the state.

use adapter_seaorm::{SeaOrmActivity, SeaOrmLinkSwitches, SeaOrmLinks};
use chrono::{DateTime, Utc};
use domain_catalogue::{CategoryType, TvChannel};
use domain_kernel::{Id, Origin};
use domain_live::link::ProbeOutcome;
use futures_util::future::join_all;
use ports::{ActivityRepository, ContentRepository, Edit, LinkRepository, LinkSwitches, SwitchedItem};

use crate::{
    kinds::{add, add_category},
    links::{CHANNELS, POLICY, all, channel, channels, probed, take_over, time},
    support::{TestDb, after, edit_of, on_both, valid},
};

fn by_server(minute: i64) -> Edit {
    Edit { by: None, at: after(minute), origin: Origin::SERVER }
}

/// Records results of probes at these minutes.
async fn probe(links: &SeaOrmLinks, minutes: &[i64], outcome: ProbeOutcome) {
    for &minute in minutes {
        let claim =
            links.claim("a.example", time(minute), after(minute + 2), &POLICY).await.unwrap().unwrap();
        assert!(probed(links, &claim, outcome, minute).await);
    }
}

/// The number of eight concurrent nodes that have changed an item.
async fn together(db: &TestDb, item: SwitchedItem, active: bool, minute: i64) -> usize {
    let nodes = (0..8).map(|_| {
        let switches = SeaOrmLinkSwitches(db.database.clone());
        tokio::spawn(async move {
            let edit = by_server(minute);
            let switched = if active {
                switches.switch_on(item, edit).await
            } else {
                switches.switch_off(item, edit).await
            };
            switched.unwrap()
        })
    });
    join_all(nodes).await.into_iter().filter(|switched| *switched.as_ref().unwrap()).count()
}

/// Adds a channel that the service deactivates in minute 15, which makes it version 2.
async fn add_switched_off(db: &TestDb) -> Id {
    assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
    let links = SeaOrmLinks(db.database.clone());
    let item = add(&channels(db), channel("Canal Uno", "https://a.example/1.ts")).await;
    take_over(&links, None, after(0)).await;
    probe(&links, &[0, 1, 15], ProbeOutcome::Http).await;
    let read = SwitchedItem { owner: CHANNELS, item, version: 1 };
    assert_eq!(together(db, read, false, 15).await, 1);
    item
}

/// The number of deactivated items, and the time of the last deactivation.
async fn switched_off(db: &TestDb) -> (u64, Option<DateTime<Utc>>) {
    let links = SeaOrmActivity(db.database.clone()).read().await.unwrap().links.unwrap();
    (links.switched_off, links.last_switch)
}

on_both! {
    async fn an_item_is_deactivated_once_with_the_version_that_was_read(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let switches = SeaOrmLinkSwitches(db.database.clone());
        let item = add(&channels, channel("Canal Uno", "https://a.example/1.ts")).await;
        let at = |version| SwitchedItem { owner: CHANNELS, item, version };
        take_over(&links, None, after(0)).await;
        probe(&links, &[0, 1], ProbeOutcome::Http).await;
        assert_eq!(switches.dead(10).await.unwrap(), []);
        assert_eq!(together(db, at(1), false, 6).await, 0, "its link is failing, not down");
        probe(&links, &[15], ProbeOutcome::Http).await;
        assert_eq!(switches.dead(10).await.unwrap(), [at(1)]);

        // It is changed between the read and the write.
        let renamed = channel("Canal Primero", "https://a.example/1.ts");
        channels.replace(item, valid(renamed), None, edit_of("rosa_1", after(16))).await.unwrap();
        assert_eq!(together(db, at(1), false, 16).await, 0);
        assert_eq!(together(db, at(2), false, 16).await, 1);
        assert_eq!(switched_off(db).await, (1, Some(after(16))));
        assert_eq!((switches.dead(10).await.unwrap(), switches.recovered(10).await.unwrap()), (vec![], vec![]));
        assert_eq!(switches.forget_changed().await.unwrap(), 0);

        take_over(&links, None, after(17)).await;
        probe(&links, &[60], ProbeOutcome::Ok).await;
        assert_eq!(together(db, at(3), true, 60).await, 0, "it has played once");
        probe(&links, &[66], ProbeOutcome::Ok).await;
        assert_eq!(switches.recovered(10).await.unwrap(), [at(3)]);
        assert_eq!(together(db, at(3), true, 66).await, 1);
        assert_eq!(switches.recovered(10).await.unwrap(), []);
        assert_eq!(switched_off(db).await, (0, None));
        let kept = channels.find(item).await.unwrap().unwrap();
        assert_eq!((kept.version, kept.content.active, kept.updated_by), (4, true, None));
    }

    async fn deactivating_one_and_reactivating_another_changes_the_state(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let channels = channels(db);
        let marked = |item, minute| {
            let since = after(minute).to_rfc3339_opts(chrono::SecondsFormat::Millis, false);
            format!("INSERT INTO link_switches (owner, item_id, version, since) VALUES ('tv-channels', {item}, 1, '{since}')")
        };
        let one = add(&channels, channel("Canal Uno", "https://a.example/1.ts")).await;
        let two = add(&channels, channel("Canal Dos", "https://a.example/2.ts")).await;
        db.run(&marked(one, 1)).await;
        assert_eq!(switched_off(db).await, (1, Some(after(1))));
        db.run("DELETE FROM link_switches").await;
        db.run(&marked(two, 2)).await;
        assert_eq!(switched_off(db).await, (1, Some(after(2))));
    }

    async fn a_change_of_an_inactive_item_does_not_prevent_its_reactivation(db: &TestDb) {
        let item = add_switched_off(db).await;
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let switches = SeaOrmLinkSwitches(db.database.clone());
        let at = |version| SwitchedItem { owner: CHANNELS, item, version };
        // The provider has new URLs.
        let other = TvChannel { active: false, ..channel("Canal Uno", "https://a.example/2.ts") };
        channels.replace(item, valid(other), None, edit_of("rosa_1", after(16))).await.unwrap();
        assert_eq!(switches.forget_changed().await.unwrap(), 0);
        take_over(&links, None, after(17)).await;
        let link = &all(&links).await[0];
        assert_eq!((link.active, link.switched_off), (true, true));
        probe(&links, &[17], ProbeOutcome::Ok).await;
        assert_eq!(switches.recovered(10).await.unwrap(), [at(3)]);
        assert_eq!(together(db, at(3), true, 18).await, 1);
        let kept = channels.find(item).await.unwrap().unwrap();
        assert_eq!((kept.version, kept.content.active), (4, true));
    }

    async fn an_item_deleted_while_deactivated_is_reactivated_after_its_restoration(db: &TestDb) {
        let item = add_switched_off(db).await;
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let switches = SeaOrmLinkSwitches(db.database.clone());
        let at = |version| SwitchedItem { owner: CHANNELS, item, version };
        channels.delete(item, None, edit_of("rosa_1", after(16))).await.unwrap();
        take_over(&links, None, after(17)).await;
        assert_eq!(switches.forget_changed().await.unwrap(), 0);
        assert_eq!(switched_off(db).await, (0, None), "items in the trash are not counted");
        let content = channels.trashed(item).await.unwrap().unwrap().content;
        channels.restore(item, valid(content), edit_of("rosa_1", after(18))).await.unwrap();
        assert_eq!(switches.forget_changed().await.unwrap(), 0);
        take_over(&links, None, after(19)).await;
        probe(&links, &[60, 66], ProbeOutcome::Ok).await;
        assert_eq!(switches.recovered(10).await.unwrap(), [at(3)]);
        assert_eq!(together(db, at(3), true, 66).await, 1);
    }

    async fn an_item_activated_by_a_user_is_probed_before_its_deactivation(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let switches = SeaOrmLinkSwitches(db.database.clone());
        let item = add(&channels, channel("Canal Uno", "https://a.example/1.ts")).await;
        take_over(&links, None, after(0)).await;
        probe(&links, &[0, 1, 15], ProbeOutcome::Http).await;
        for (active, minute) in [(false, 16), (true, 20)] {
            channels.set_active(item, active, None, edit_of("rosa_1", after(minute))).await.unwrap();
            take_over(&links, None, after(minute)).await;
        }
        assert_eq!(switches.dead(10).await.unwrap(), []);
        probe(&links, &[20], ProbeOutcome::Http).await;
        assert_eq!(switches.dead(10).await.unwrap(), [SwitchedItem { owner: CHANNELS, item, version: 3 }]);
    }

    async fn marks_of_items_activated_since_are_removed(db: &TestDb) {
        let item = add_switched_off(db).await;
        let (links, channels) = (SeaOrmLinks(db.database.clone()), channels(db));
        let switches = SeaOrmLinkSwitches(db.database.clone());
        // Activated and deactivated again, by a user.
        for (active, minute) in [(true, 16), (false, 17)] {
            channels.set_active(item, active, None, edit_of("rosa_1", after(minute))).await.unwrap();
        }
        take_over(&links, None, after(17)).await;
        assert_eq!(links.due_hosts(time(600), &POLICY).await.unwrap(), Vec::<String>::new(), "it is not probed");
        assert_eq!((switches.forget_changed().await.unwrap(), switches.forget_changed().await.unwrap()), (1, 0));
    }
}
