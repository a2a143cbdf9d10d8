//! A create with an idempotency key is idempotent.

use domain_kernel::ListQuery;
use futures_util::future::join_all;
use ports::{Aged, ContentRepository, IdempotencyKey, Inserted, Retention};

use adapter_seaorm::{
    SeaOrmRetention,
    catalogue::{EpisodesTable, SeaOrmContents, TvShowsTable},
};
use domain_catalogue::{CategoryType, Content, Episode, TvShow};

use crate::{
    kinds::{KindFixture, add, add_category, store},
    support::{TestDb, after, edit, for_categories_and_movies, on_both, start, valid},
};

fn once(username: &str, key: &str, fingerprint: &str) -> IdempotencyKey {
    IdempotencyKey { username: username.into(), key: key.into(), fingerprint: fingerprint.into() }
}

for_categories_and_movies! {
    async fn a_repeated_request_has_the_first_response<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let draft = || valid(C::numbered(1, category));
        let Inserted::New(first) = store.insert(draft(), edit(start()), Some(once("ana", "k", "f"))).await.unwrap() else {
            panic!("it is the first")
        };
        // Independent of later changes.
        store.replace(first.id, valid(C::numbered(2, category)), None, edit(after(1))).await.unwrap();
        let again = store.insert(draft(), edit(after(2)), Some(once("ana", "k", "f"))).await.unwrap();
        assert_eq!(again, Inserted::Replayed(first.clone()));
        store.delete(first.id, None, edit(start())).await.unwrap();
        let again = store.insert(draft(), edit(after(3)), Some(once("ana", "k", "f"))).await.unwrap();
        assert_eq!(again, Inserted::Replayed(first));
        assert_eq!(db.number(&format!("SELECT count(*) AS number FROM {}", C::KIND.path())).await, 0);
    }

    async fn another_request_with_the_same_key_is_refused_and_stores_nothing<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        store.insert(valid(C::numbered(1, category)), edit(start()), Some(once("ana", "k", "f"))).await.unwrap();
        let total = store.list(&ListQuery::default()).await.unwrap().total_elements;
        let other = store.insert(valid(C::numbered(2, category)), edit(start()), Some(once("ana", "k", "other"))).await.unwrap();
        assert_eq!(other, Inserted::KeyReused);
        assert_eq!(store.list(&ListQuery::default()).await.unwrap().total_elements, total);
    }

    async fn keys_are_separate_per_user<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        for (username, key) in [("ana", "k"), ("eva", "k"), ("ana", "K"), ("ana", "k2")] {
            let inserted = store.insert(valid(C::numbered(1, category)), edit(start()), Some(once(username, key, "f"))).await.unwrap();
            assert!(matches!(inserted, Inserted::New(_)), "{username} {key}: {inserted:?}");
        }
    }

    async fn of_concurrent_equal_requests_one_is_stored<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let before = store::<C>(db).list(&ListQuery::default()).await.unwrap().total_elements;
        let insert = |_| {
            let store = store::<C>(db);
            tokio::spawn(async move { store.insert(valid(C::numbered(1, category)), edit(start()), Some(once("ana", "k", "f"))).await })
        };
        let (mut new, mut again) = (Vec::new(), Vec::new());
        for outcome in join_all((0..16).map(insert)).await {
            match outcome.unwrap().unwrap() {
                Inserted::New(stored) => new.push(stored),
                Inserted::Replayed(stored) => again.push(stored),
                Inserted::KeyReused | Inserted::Conflict(_) => panic!("they are all the same"),
            }
        }
        assert_eq!((new.len(), again.len()), (1, 15));
        assert!(again.iter().all(|stored| *stored == new[0]));
        let after = store::<C>(db).list(&ListQuery::default()).await.unwrap().total_elements;
        assert_eq!(after, before + 1);
    }

    async fn of_concurrent_different_requests_with_one_key_one_is_stored<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let before = store::<C>(db).list(&ListQuery::default()).await.unwrap().total_elements;
        let insert = |number: usize| {
            let store = store::<C>(db);
            let key = once("ana", "k", &number.to_string());
            tokio::spawn(async move { store.insert(valid(C::numbered(number, category)), edit(start()), Some(key)).await })
        };
        let outcomes = join_all((0..16).map(insert)).await;
        let new = outcomes.iter().filter(|one| matches!(one, Ok(Ok(Inserted::New(_))))).count();
        let mismatches = outcomes.iter().filter(|one| matches!(one, Ok(Ok(Inserted::KeyReused)))).count();
        assert_eq!((new, mismatches), (1, 15), "{outcomes:?}");
        let after = store::<C>(db).list(&ListQuery::default()).await.unwrap().total_elements;
        assert_eq!(after, before + 1);
    }

    async fn a_key_is_removed_once_it_has_reached_its_age<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let retention = SeaOrmRetention(db.database.clone());
        let day = 24 * 60;
        store.insert(valid(C::numbered(1, category)), edit(start()), Some(once("ana", "k", "f"))).await.unwrap();
        assert_eq!(retention.remove(Aged::IdempotencyKeys, after(-1), after(-1), 500).await.unwrap(), 0);
        let again = store.insert(valid(C::numbered(1, category)), edit(after(day - 1)), Some(once("ana", "k", "f"))).await.unwrap();
        assert!(matches!(again, Inserted::Replayed(_)), "{again:?}");
        assert_eq!(retention.remove(Aged::IdempotencyKeys, start(), start(), 500).await.unwrap(), 1);
        let new = store.insert(valid(C::numbered(1, category)), edit(after(day)), Some(once("ana", "k", "f"))).await.unwrap();
        assert!(matches!(new, Inserted::New(_)), "{new:?}");
    }
}

on_both! {
    async fn of_concurrent_requests_with_the_same_episodes_one_is_stored_and_all_conflicts_are_reported(db: &TestDb) {
        let category_id = add_category(db, "Una", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let tv_show_id = add(&shows, TvShow { category_id, ..TvShow::sample() }).await;
        let draft = move |episode_number| valid(Episode { tv_show_id, episode_number, ..Episode::sample() });
        let several = |_| {
            let store = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
            let once = Some(once("ana", "several", "f"));
            tokio::spawn(async move { store.insert_all(vec![draft(1), draft(2)], edit(start()), once).await.unwrap() })
        };
        let outcomes = join_all((0..12).map(several)).await;
        let outcomes: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
        let new: Vec<_> = outcomes.iter().filter(|outcome| matches!(outcome, Inserted::New(_))).collect();
        let again = outcomes.iter().filter(|outcome| matches!(outcome, Inserted::Replayed(_))).count();
        assert_eq!((new.len(), again), (1, 11), "{outcomes:?}");
        let one = |_| {
            let store = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
            tokio::spawn(async move { store.insert(draft(3), edit(start()), Some(once("ana", "one", "f"))).await.unwrap() })
        };
        let outcomes = join_all((0..12).map(one)).await;
        let again = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Inserted::Replayed(_)))).count();
        assert_eq!(again, 11, "{outcomes:?}");
        assert_eq!(db.number("SELECT count(*) AS number FROM episodes").await, 3);
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        let other = episodes.insert_all(vec![draft(4)], edit(start()), Some(once("ana", "several", "other"))).await.unwrap();
        assert_eq!(other, Inserted::KeyReused);
    }
}
