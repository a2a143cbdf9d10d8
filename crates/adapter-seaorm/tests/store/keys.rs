//! Integrators' keys: the list, and counts of calls; and named settings.

use adapter_seaorm::{SeaOrmKeys, SeaOrmSettings};
use chrono::{Days, NaiveDate};
use domain_integrations::NewKey;
use domain_kernel::{Id, KeyScope, ListQuery, Sort};
use ports::{KeyRepository, KeyToKeep, KeyUse, Setting, SettingRepository};

use crate::{
    fixture::{ROOT, TestUsers},
    support::{TestDb, after, edit, edit_of, on_both, start},
};

async fn key(store: &SeaOrmKeys, title: &str) -> Id {
    let requested = NewKey {
        name: title.into(),
        scopes: vec![KeyScope::CatalogueRead],
        expires_date: None,
        calls_per_minute: 60,
    };
    let new = KeyToKeep { requested, hash: format!("hash of {title}"), hint: "ck_1".into() };
    store.insert(&new, &edit_of(ROOT, start())).await.unwrap().id
}

fn setting(name: &'static str) -> Setting {
    Setting { name, resource: "channels-base-url" }
}

on_both! {
    async fn calls_of_a_key_are_added_up_by_day(db: &TestDb) {
        TestUsers::of(db).await;
        let store = SeaOrmKeys(db.database.clone());
        let (first, second) = (key(&store, "One").await, key(&store, "Two").await);
        let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        let used = |key, day, calls, refused, minute| KeyUse { key, day, calls, refused, last: after(minute) };
        store.note(&[used(first, day, 3, 1, 1), used(second, day, 5, 0, 1)]).await.unwrap();
        store.note(&[used(first, day, 4, 0, 2), used(first, day + Days::new(1), 2, 2, 3)]).await.unwrap();
        let days = store.days(first, day).await.unwrap();
        let days: Vec<_> = days.iter().map(|one| (one.day, one.calls, one.refused)).collect();
        assert_eq!(days, [(day, 7, 1), (day + Days::new(1), 2, 2)]);
        assert_eq!(store.days(first, day + Days::new(1)).await.unwrap().len(), 1);
        let one = store.find(first).await.unwrap().unwrap();
        assert_eq!((one.calls, one.refused_calls, one.last_used_date), (9, 3, Some(after(3))));
        assert_eq!(store.find(second).await.unwrap().unwrap().calls, 5);
    }

    async fn the_list_of_keys_is_paged_from_both_ends_and_newest_first_among_equals(db: &TestDb) {
        TestUsers::of(db).await;
        let store = SeaOrmKeys(db.database.clone());
        let mut ids = Vec::new();
        for title in ["Ana", "Ñandú", "ana", "Bo", "Zoe"] {
            ids.push(key(&store, title).await);
        }
        // The hashes are unique; the names differ only in case.
        let by_name = |descending| vec![Sort { field: "name".into(), descending }];
        // All others were never used.
        let day = start().date_naive();
        store.note(&[KeyUse { key: ids[1], day, calls: 1, refused: 0, last: after(1) }]).await.unwrap();
        let by_use = |descending| vec![Sort { field: "lastUsedDate".into(), descending }];
        for (sort, expected) in [
            (vec![], [4, 3, 2, 1, 0]),
            (by_name(false), [2, 0, 3, 1, 4]),
            (by_name(true), [4, 1, 3, 2, 0]),
            (by_use(false), [4, 3, 2, 0, 1]),
            (by_use(true), [1, 4, 3, 2, 0]),
        ] {
            let expected = expected.map(|index: usize| ids[index]);
            for page in 0..5 {
                let query = ListQuery { page, size: 1, sort: sort.clone(), ..ListQuery::default() };
                let found = store.list(&query).await.unwrap();
                let row = usize::try_from(page).unwrap();
                assert_eq!((found.total_elements, found.content[0].id), (5, expected[row]), "{query:?}");
            }
        }
        let query = ListQuery { search: Some("ÑAN".into()), ..ListQuery::default() };
        let found = store.list(&query).await.unwrap();
        assert_eq!((found.total_elements, found.content[0].id), (1, ids[1]));
    }

    async fn a_named_setting_is_replaced_and_cleared(db: &TestDb) {
        let store = SeaOrmSettings(db.database.clone());
        assert_eq!(store.find("supplier").await.unwrap(), None);
        for value in ["first", "second"] {
            store.set(setting("supplier"), value, &edit(start())).await.unwrap();
            assert_eq!(store.find("supplier").await.unwrap().as_deref(), Some(value));
        }
        store.set(setting("other"), "third", &edit(start())).await.unwrap();
        store.clear(setting("supplier"), &edit(start())).await.unwrap();
        store.clear(setting("supplier"), &edit(start())).await.unwrap();
        assert_eq!(store.find("supplier").await.unwrap(), None);
        assert_eq!(store.find("other").await.unwrap().as_deref(), Some("third"));
    }
}
