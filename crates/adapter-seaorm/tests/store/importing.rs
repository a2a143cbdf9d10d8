//! Imports: existing items are recognized by their natural keys, and a second run changes nothing.

use std::sync::{Arc, Mutex};

use adapter_seaorm::catalogue::SeaOrmContents;
use domain_kernel::ListQuery;
use ports::{ContentRepository, ImportOutcome, ImportedItem};

use crate::{
    kinds::{KindFixture, add, done, store},
    support::{TestDb, after, edit, for_categories_and_movies, start, valid},
};

fn item<C: KindFixture>(content: C) -> ImportedItem<C> {
    ImportedItem {
        content: valid(content),
        views: 5,
        created_date: Some(after(-10)),
        updated_date: Some(after(-5)),
    }
}

for_categories_and_movies! {
    async fn new_items_are_imported_with_views_and_dates<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let bare = ImportedItem { created_date: None, updated_date: None, views: 0, ..item(C::numbered(2, category)) };
        let batch = vec![item(C::numbered(1, category)), bare];
        let outcomes = store.import(batch, start()).await.unwrap();
        let [ImportOutcome::Created(one), ImportOutcome::Created(two)] = outcomes[..] else { panic!("{outcomes:?}") };
        let one = store.find(one).await.unwrap().unwrap();
        assert_eq!((one.version, one.views, one.created_date, one.updated_date), (1, 5, after(-10), after(-5)));
        assert_eq!(one.content, C::numbered(1, category), "outcomes are in the order of the batch");
        let two = store.find(two).await.unwrap().unwrap();
        assert_eq!((two.views, two.created_date, two.updated_date), (0, start(), start()));
        assert_eq!(two.content, C::numbered(2, category));
    }

    async fn inserts_of_new_items_return_only_ids<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let noted = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.sql.clone()));
        let store = SeaOrmContents::<C::Table>::new(watched);
        store.import(vec![item(C::numbered(1, category)), item(C::numbered(2, category))], start()).await.unwrap();
        store.insert_all(vec![valid(C::numbered(3, category))], edit(start()), None).await.unwrap();
        let into = format!("INSERT INTO \"{}\" ", C::KIND.path());
        let noted = noted.lock().unwrap();
        let inserts: Vec<&String> = noted.iter().filter(|sql| sql.starts_with(&into)).collect();
        assert_eq!(inserts.len(), 2, "{noted:?}");
        for sql in inserts {
            let (_, answered) = sql.rsplit_once("RETURNING").unwrap();
            assert_eq!(answered.trim(), "\"id\"");
        }
    }

    async fn a_second_run_changes_nothing<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let batch: Vec<_> = (0..700).map(|number| item(C::numbered(number, category))).collect();
        let first = store.import(batch.clone(), start()).await.unwrap();
        let everything = ListQuery { size: 1000, ..ListQuery::default() };
        let before = store.list(&everything).await.unwrap();
        let second = store.import(batch, after(60)).await.unwrap();
        for (first, second) in first.iter().zip(&second) {
            let ImportOutcome::Created(id) = first else { panic!("{first:?}") };
            assert_eq!(*second, ImportOutcome::Unchanged(*id));
        }
        let now = store.list(&everything).await.unwrap();
        assert_eq!(now.content.0.get(), before.content.0.get());
        assert_eq!(now.total_elements, before.total_elements);
    }

    async fn changed_items_are_updated_and_keep_views_and_created_date<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let id = add(&store, C::numbered(1, category).shown(true)).await;
        db.run(&format!("UPDATE {} SET views = 77", C::KIND.path())).await;
        let outcomes = store.import(vec![item(C::numbered(1, category).shown(false))], after(60)).await.unwrap();
        assert_eq!(outcomes, vec![ImportOutcome::Updated(id)]);
        let stored = store.find(id).await.unwrap().unwrap();
        assert_eq!((stored.version, stored.views, stored.content.active()), (2, 77, false));
        assert_eq!((stored.created_date, stored.updated_date), (start(), after(60)));
    }

    async fn the_same_item_twice_in_a_batch_is_one<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let one = C::numbered(1, category);
        let batch = vec![item(one.clone()), item(C::numbered(2, category)), item(one.clone()), item(one)];
        let outcomes = store.import(batch, start()).await.unwrap();
        let ImportOutcome::Created(id) = outcomes[0] else { panic!("{outcomes:?}") };
        assert!(matches!(outcomes[1], ImportOutcome::Created(other) if other != id), "{outcomes:?}");
        assert_eq!(outcomes[2..], [ImportOutcome::Unchanged(id), ImportOutcome::Unchanged(id)]);
    }

    async fn natural_keys_ignore_case_but_not_accents<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let named = |name: &str| item(C::numbered(1, category).named(name));
        let id = add(&store, C::numbered(1, category).named("Corazón Ñ")).await;
        let outcomes = store.import(vec![named("CORAZÓN ñ")], after(1)).await.unwrap();
        assert_eq!(outcomes, vec![ImportOutcome::Updated(id)]);
        let outcomes = store.import(vec![named("Corazon Ñ"), named("Corazón N")], after(2)).await.unwrap();
        assert!(matches!(outcomes[..], [ImportOutcome::Created(_), ImportOutcome::Created(_)]), "{outcomes:?}");
    }

    async fn of_several_equal_items_the_oldest_is_updated<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let oldest = add(&store, C::numbered(1, category).shown(true)).await;
        let twin = add(&store, C::numbered(1, category).shown(true)).await;
        let outcomes = store.import(vec![item(C::numbered(1, category).shown(false))], after(1)).await.unwrap();
        assert_eq!(outcomes, vec![ImportOutcome::Updated(oldest)]);
        assert!(store.find(twin).await.unwrap().unwrap().content.active());
    }

    async fn a_batch_is_stored_completely_or_not_at_all<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let id = add(&store, C::numbered(1, category).shown(true)).await;
        // A row that the database refuses, at the end of the batch.
        let refusal = if db.is_sqlite() {
            format!(
                "CREATE TRIGGER refusal BEFORE INSERT ON {} WHEN new.views = 666 BEGIN SELECT RAISE(ABORT, 'no'); END",
                C::KIND.path()
            )
        } else {
            format!("ALTER TABLE {} ADD CONSTRAINT refusal CHECK (views <> 666)", C::KIND.path())
        };
        db.run(&refusal).await;
        let bad = ImportedItem { views: 666, ..item(C::numbered(3, category)) };
        let batch = vec![item(C::numbered(1, category).shown(false)), item(C::numbered(2, category)), bad];
        assert!(store.import(batch, after(1)).await.is_err());
        let kept = store.find(id).await.unwrap().unwrap();
        assert_eq!((kept.version, kept.content.active()), (1, true));
        // The writer is available again.
        done(store.set_active(id, false, None, edit(after(2))).await.unwrap());
        let outcomes = store.import(vec![item(C::numbered(2, category))], after(3)).await.unwrap();
        assert!(matches!(outcomes[..], [ImportOutcome::Created(_)]), "{outcomes:?}");
    }

    async fn an_empty_batch_is_accepted<C>(db: &TestDb) {
        assert_eq!(store::<C>(db).import(vec![], start()).await.unwrap(), vec![]);
    }
}
