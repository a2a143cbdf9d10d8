//! Adding, replacing, activating, removing; versions; concurrency.

use domain_kernel::ListQuery;
use futures_util::future::join_all;
use ports::{ContentRepository, Inserted, Removed, Written};

use crate::{
    kinds::{KindFixture, add, done, store},
    support::{TestDb, after, edit, for_categories_and_movies, start, valid},
};

for_categories_and_movies! {
    async fn an_inserted_item_is_found_as_returned<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let item = C::numbered(1, category);
        let Inserted::New(stored) = store.insert(valid(item.clone()), edit(start()), None).await.unwrap() else {
            panic!("without a key every insert is new")
        };
        assert_eq!((stored.version, stored.views), (1, 0));
        assert_eq!((stored.created_date, stored.updated_date), (start(), start()));
        assert_eq!(stored.content, item);
        assert_eq!(store.find(stored.id).await.unwrap(), Some(stored.clone()));
        assert_eq!(store.find(stored.id + 1).await.unwrap(), None);
        for id in [0, -1, i64::MAX, i64::MIN] {
            assert_eq!(store.find(id).await.unwrap(), None);
        }
        let twin = add(&store, item).await;
        assert_ne!(twin, stored.id, "two may have the same name");
    }

    async fn replacing_keeps_views_and_created_date_and_increments_the_version<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let id = add(&store, C::numbered(1, category)).await;
        db.run(&format!("UPDATE {} SET views = 77", C::KIND.path())).await;
        let next = C::numbered(2, category);
        let stored = done(store.replace(id, valid(next.clone()), None, edit(after(5))).await.unwrap());
        assert_eq!((stored.version, stored.views, &stored.content), (2, 77, &next));
        assert_eq!((stored.created_date, stored.updated_date), (start(), after(5)));
        assert_eq!(store.find(id).await.unwrap(), Some(stored));
        let missing = store.replace(id + 1, valid(next), None, edit(after(6))).await.unwrap();
        assert_eq!(missing, Written::Missing);
    }

    async fn an_outdated_change_is_refused_with_the_current_state<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let id = add(&store, C::numbered(1, category).shown(true)).await;
        let second = done(store.replace(id, valid(C::numbered(2, category).shown(true)), Some(1), edit(after(1))).await.unwrap());
        assert_eq!(second.version, 2);
        let outdated = Written::Outdated(second.clone());
        for version in [1, 3, 0, -1, i64::MAX] {
            let draft = valid(C::numbered(3, category));
            assert_eq!(store.replace(id, draft, Some(version), edit(after(2))).await.unwrap(), outdated, "{version}");
            assert_eq!(store.set_active(id, false, Some(version), edit(after(2))).await.unwrap(), outdated, "{version}");
            assert_eq!(store.set_active(id, true, Some(version), edit(after(2))).await.unwrap(), outdated, "{version}");
            assert_eq!(store.delete(id, Some(version), edit(start())).await.unwrap(), Removed::Outdated(second.clone()), "{version}");
        }
        assert_eq!(store.find(id).await.unwrap(), Some(second));
        assert_eq!(store.delete(id, Some(2), edit(start())).await.unwrap(), Removed::Done);
    }

    async fn a_toggle_changes_the_flag_and_nothing_else<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let item = C::numbered(1, category).shown(true);
        let id = add(&store, item.clone()).await;
        let hidden = done(store.set_active(id, false, None, edit(after(1))).await.unwrap());
        assert_eq!((hidden.version, hidden.updated_date, hidden.created_date), (2, after(1), start()));
        assert_eq!(hidden.content, item.shown(false));
        let shown = done(store.set_active(id, true, Some(2), edit(after(2))).await.unwrap());
        assert!(shown.content.active());
        assert_eq!(shown.version, 3);
        assert_eq!(store.set_active(id + 1, true, None, edit(after(3))).await.unwrap(), Written::Missing);
    }

    async fn setting_the_current_status_changes_nothing<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let id = add(&store, C::numbered(1, category).shown(true)).await;
        let before = store.find(id).await.unwrap().unwrap();
        for version in [None, Some(1)] {
            let same = done(store.set_active(id, true, version, edit(after(9))).await.unwrap());
            assert_eq!(same, before, "neither the version nor the date");
        }
        assert_eq!(store.find(id).await.unwrap(), Some(before));
    }

    async fn a_removed_item_is_not_found<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let id = add(&store, C::numbered(1, category)).await;
        let other = add(&store, C::numbered(2, category)).await;
        assert_eq!(store.delete(id, None, edit(start())).await.unwrap(), Removed::Done);
        assert_eq!(store.delete(id, None, edit(start())).await.unwrap(), Removed::Missing);
        assert_eq!(store.find(id).await.unwrap(), None);
        assert!(store.find(other).await.unwrap().is_some());
        let next = add(&store, C::numbered(3, category)).await;
        assert!(next > other, "ids are not reused");
    }

    async fn concurrent_writes_succeed<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let before = store::<C>(db).list(&ListQuery::default()).await.unwrap().total_elements;
        let one = |number: usize| {
            let store = store::<C>(db);
            tokio::spawn(async move {
                let id = add(&store, C::numbered(number, category).shown(true)).await;
                for step in 1..=3 {
                    done(store.set_active(id, step % 2 == 0, None, edit(after(step))).await.unwrap());
                }
                store.find(id).await.unwrap().unwrap()
            })
        };
        let written = join_all((0..64).map(one)).await;
        for stored in written {
            let stored = stored.unwrap();
            assert_eq!((stored.version, stored.content.active()), (4, false));
        }
        let after = store::<C>(db).list(&ListQuery::default()).await.unwrap().total_elements;
        assert_eq!(after, before + 64);
    }

    async fn of_concurrent_changes_of_one_version_one_succeeds<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let id = add(&store::<C>(db), C::numbered(1, category)).await;
        let change = |number: usize| {
            let store = store::<C>(db);
            tokio::spawn(async move { store.replace(id, valid(C::numbered(number, category)), Some(1), edit(after(1))).await })
        };
        let outcomes = join_all((2..18).map(change)).await;
        let mut winners = Vec::new();
        for outcome in outcomes {
            match outcome.unwrap().unwrap() {
                Written::Done(stored) => winners.push(stored),
                Written::Outdated(current) => assert_eq!(current.version, 2),
                Written::Missing | Written::Conflict(_) => panic!("it was not removed, and its key is unique"),
            }
        }
        assert_eq!(winners.len(), 1);
        assert_eq!(store::<C>(db).find(id).await.unwrap(), winners.pop());
    }
}
