//! Profiles that several change at once.

use adapter_seaorm::SeaOrmLiveProfiles;
use domain_kernel::{DraftReader, RoleCode};
use domain_live::profile::LiveProfileDraft;
use futures_util::future::join_all;
use ports::{LiveProfileRepository, ProfileSecret, Written};
use serde_json::json;

use crate::{
    fixture::{ROOT, TestUsers},
    support::{TestDb, after, edit, on_both, start},
};

on_both! {
    async fn who_expects_no_version_replaces_a_profile_whoever_else_does(db: &TestDb) {
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
}
