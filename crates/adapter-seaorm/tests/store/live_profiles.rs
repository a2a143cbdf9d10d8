//! Concurrent changes of profiles, and their channels.

use adapter_seaorm::{
    SeaOrmLiveProfiles,
    catalogue::{SeaOrmContents, TvChannelsTable},
};
use domain_catalogue::{CategoryType, Content, TvChannel};
use domain_kernel::{DraftReader, RoleCode};
use domain_live::profile::{ChannelOrder, LiveProfileDraft};
use futures_util::future::join_all;
use ports::{ChannelSelection, LiveProfileRepository, ProfileSecret, Written};
use serde_json::json;

use crate::{
    fixture::{ROOT, TestUsers},
    kinds::{add, add_category},
    support::{TestDb, after, edit, on_both, start},
};

on_both! {
    async fn without_a_version_concurrent_replacements_of_a_profile_all_succeed(db: &TestDb) {
        TestUsers::of(db).await.add(ROOT, "ana_1", RoleCode::App).await;
        let profiles = SeaOrmLiveProfiles(db.database.clone());
        let draft = |name: String| {
            let json = json!({"name": name, "username": "ana_1"});
            DraftReader::<LiveProfileDraft>::new().read(json, &()).unwrap()
        };
        let secret = ProfileSecret { hash: "hash".into(), hint: "pl_a".into() };
        let id = profiles.add(draft("Salón".into()), &secret, &edit(start())).await.unwrap().id;
        let replaced = join_all((0..20).map(|number| {
            let (profiles, draft) = (profiles.clone(), draft(format!("Salón {number}")));
            async move { profiles.replace(id, draft, None, &edit(after(1))).await.unwrap() }
        }))
        .await;
        assert!(replaced.iter().all(|written| matches!(written, Written::Done(_))), "{replaced:?}");
        assert_eq!(profiles.find(id).await.unwrap().unwrap().version, 21);
        let late = profiles.replace(id, draft("Otro".into()), Some(20), &edit(after(2))).await.unwrap();
        assert!(matches!(late, Written::Outdated(_)), "{late:?}");
    }

    async fn channels_with_a_list_of_streams_are_distinguished_from_those_with_only_a_url(db: &TestDb) {
        let category = add_category(db, "Canales", CategoryType::TvChannel).await;
        let channels = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
        let mut ids = Vec::new();
        for channel_number in 1..=3 {
            let (title, categories) = (format!("Canal {channel_number}"), vec![category]);
            let draft = TvChannel { channel_number, title, categories, tv_guide_id: None, ..TvChannel::sample() };
            ids.push(add(&channels, draft).await);
        }
        db.run(&format!(
            "INSERT INTO channel_stream_lists (channel_id, failover, next_number) VALUES ({}, 'AUTO', 2)",
            ids[1]
        ))
        .await;
        let order = ChannelOrder::Number;
        let selection = ChannelSelection { categories: Vec::new(), adult_content: false, only_playing: false, order };
        let found = SeaOrmLiveProfiles(db.database.clone()).channels(&selection, None, 10).await.unwrap();
        let found: Vec<(i64, bool)> = found.iter().map(|channel| (channel.place.id, channel.has_streams)).collect();
        assert_eq!(found, [(ids[0], false), (ids[1], true), (ids[2], false)]);
    }
}
