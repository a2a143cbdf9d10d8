//! Referenced items are not deleted, and references must exist.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use adapter_seaorm::{
    SeaOrmLiveProfiles, SeaOrmOperations, SeaOrmPlaylists,
    catalogue::{SeaOrmContents, SeaOrmReferences, TvChannelsTable},
};
use domain_catalogue::{Category, CategoryType, Content, Movie, TvChannel};
use domain_kernel::{DraftReader, Id, Kind, Origin, RoleCode};
use domain_live::{profile::LiveProfileDraft, source::PlaylistSourceDraft};
use domain_operations::{ItemKey, Resource, SLICE};
use ports::{
    ContentRepository, IdempotencyKey, ImportedItem, Inserted, LiveProfileRepository, NewMoves, NewOperation,
    OperationRepository, PlaylistSourceRepository, ProfileSecret, References, Removed, StoreError, Usage,
    Written,
};
use serde_json::json;

use crate::{
    fixture::{ROOT, TestUsers},
    kinds::{KindFixture, add, add_category, store},
    support::{TestDb, after, edit, on_both, start, valid},
};

fn moves(from: Id, to: Id, time: i64) -> NewMoves {
    NewMoves { category: Some((from, to)), operations: Vec::new(), edit: edit(after(time)) }
}

/// Returns the numbers of playlist sources and of live profiles.
async fn move_outside(db: &TestDb, from: Id, to: Id, time: i64) -> (u64, u64) {
    let operations = SeaOrmOperations(db.database.clone());
    match operations.insert_moves(moves(from, to, time), None).await.unwrap() {
        Inserted::New(moves) => (moves.sources, moves.profiles),
        other => panic!("{other:?}"),
    }
}

on_both! {
    async fn categories_have_a_type(db: &TestDb) {
        let categories = SeaOrmReferences(db.database.clone());
        let mut known = HashMap::new();
        for category_type in [CategoryType::Movie, CategoryType::TvShow, CategoryType::Music] {
            let id = add_category(db, "Una", category_type).await;
            assert_eq!(categories.category_type(id).await.unwrap(), Some(category_type));
            known.insert(id, category_type);
        }
        let ids: Vec<i64> = known.keys().copied().chain([9_999]).collect();
        assert_eq!(categories.category_types(&ids).await.unwrap(), known);
        assert_eq!(categories.category_type(9_999).await.unwrap(), None);
    }

    async fn a_category_in_use_is_not_deleted_and_its_uses_are_counted(db: &TestDb) {
        let used = add_category(db, "Usada", CategoryType::Movie).await;
        let unused = add_category(db, "Libre", CategoryType::Movie).await;
        let (categories, movies) = (store::<Category>(db), store::<Movie>(db));
        let mut films = Vec::new();
        for number in 0..3 {
            films.push(add(&movies, Movie::numbered(number, used)).await);
        }
        assert_eq!(categories.delete(used, None, edit(start())).await.unwrap(), Removed::Conflict(vec![("movies", 3)]));
        assert!(categories.find(used).await.unwrap().is_some());
        // One moves to the other category, the others are deleted.
        movies.replace(films[0], valid(Movie::numbered(0, unused)), None, edit(start())).await.unwrap();
        assert_eq!(categories.delete(used, None, edit(start())).await.unwrap(), Removed::Conflict(vec![("movies", 2)]));
        for film in &films[1..] {
            movies.delete(*film, None, edit(start())).await.unwrap();
        }
        assert_eq!(categories.delete(used, None, edit(start())).await.unwrap(), Removed::Done);
        assert_eq!(categories.delete(unused, None, edit(start())).await.unwrap(), Removed::Conflict(vec![("movies", 1)]));
    }

    async fn the_references_to_each_item_are_counted(db: &TestDb) {
        let (one, other) =
            (add_category(db, "Una", CategoryType::Movie).await, add_category(db, "Otra", CategoryType::Movie).await);
        let (categories, movies) = (store::<Category>(db), store::<Movie>(db));
        for number in 0..3 {
            add(&movies, Movie::numbered(number, if number == 0 { other } else { one })).await;
        }
        let unused = add_category(db, "Libre", CategoryType::Movie).await;
        assert_eq!(categories.usage(one).await.unwrap(), Some(vec![("movies", 2)]));
        assert_eq!(categories.usage(unused).await.unwrap(), Some(vec![]));
        assert_eq!(categories.usage(9_999).await.unwrap(), None);
        assert_eq!(
            categories.usage_of_all(&[one, unused, other, 9_999]).await.unwrap(),
            [(one, vec![("movies", 2)]), (other, vec![("movies", 1)])]
        );
        assert_eq!(movies.usage_of_all(&[1, 2]).await.unwrap(), []);
        // A channel has several categories.
        let mut of_channels = Vec::new();
        for name in ["Uno", "Dos"] {
            of_channels.push(add_category(db, name, CategoryType::TvChannel).await);
        }
        let channels = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
        add(&channels, TvChannel { categories: of_channels.clone(), tv_guide_id: None, ..TvChannel::sample() }).await;
        for category in of_channels {
            assert_eq!(categories.usage(category).await.unwrap(), Some(vec![("tv-channels", 1)]));
        }
        assert_eq!(move_outside(db, one, other, 1).await, (0, 0));
        assert_eq!(categories.usage(one).await.unwrap(), Some(vec![("movies", 2)]), "content is moved by operations");
    }

    async fn playlist_sources_and_live_profiles_follow_the_channels_of_a_category(db: &TestDb) {
        let mut ids = Vec::new();
        for name in ["Uno", "Dos", "Tres"] {
            ids.push(add_category(db, name, CategoryType::TvChannel).await);
        }
        let [one, two, three] = ids[..] else { panic!("{ids:?}") };
        let (sources, profiles) = (SeaOrmPlaylists(db.database.clone()), SeaOrmLiveProfiles(db.database.clone()));
        let source = async |json| {
            let draft = DraftReader::<PlaylistSourceDraft>::new().read(json, &()).unwrap();
            match PlaylistSourceRepository::add(&sources, draft, &edit(start()), None).await.unwrap() {
                Inserted::New(source) => source.id,
                other => panic!("{other:?}"),
            }
        };
        let groups = json!([{"group": "Cine", "categoryId": one}, {"group": "Otro", "categoryId": three}]);
        let mapped = source(json!({"title": "España", "categories": groups, "defaultCategoryId": one})).await;
        let apart = source(json!({"title": "Chile", "defaultCategoryId": three})).await;
        TestUsers::of(db).await.add(ROOT, "ana_1", RoleCode::App).await;
        let profile = async |categories: &[i64]| {
            let json = json!({"name": "Salón", "username": "ana_1", "categories": categories});
            let draft = DraftReader::<LiveProfileDraft>::new().read(json, &()).unwrap();
            let secret = ProfileSecret { hash: format!("{categories:?}"), hint: "pl_a".into() };
            profiles.add(draft, &secret, &edit(start())).await.unwrap().id
        };
        let (moved, other, all) = (profile(&[one, three]).await, profile(&[three]).await, profile(&[]).await);
        for (time, expected) in [(1, (1, 1)), (2, (0, 0))] {
            assert_eq!(move_outside(db, one, two, time).await, expected);
            let found = PlaylistSourceRepository::find(&sources, mapped).await.unwrap().unwrap();
            assert_eq!((found.version, found.updated_date), (2, after(1)));
            assert_eq!(found.draft.default_category_id, Some(two));
            assert_eq!(found.draft.category_of(&["Cine".into()]), Some(two));
            assert_eq!(found.draft.category_of(&["Otro".into()]), Some(three));
            assert_eq!(PlaylistSourceRepository::find(&sources, apart).await.unwrap().unwrap().version, 1);
            let of = async |id| {
                let found = profiles.find(id).await.unwrap().unwrap();
                (found.version, found.draft.categories)
            };
            assert_eq!(of(moved).await, (2, vec![two, three]));
            assert_eq!(of(other).await, (1, vec![three]));
            assert_eq!(of(all).await, (1, vec![]), "all channels");
        }
        let recorded = "SELECT count(*) AS number FROM audit_entries WHERE action = 'UPDATED' AND resource IN \
             ('playlist-sources', 'live-profiles')";
        assert_eq!(db.number(recorded).await, 2, "the source and the profile, once");
    }

    async fn a_move_begins_as_a_whole_or_not_at_all_and_once(db: &TestDb) {
        let one = add_category(db, "Vieja", CategoryType::TvChannel).await;
        let two = add_category(db, "Nueva", CategoryType::TvChannel).await;
        let sources = SeaOrmPlaylists(db.database.clone());
        let draft = json!({"title": "España", "defaultCategoryId": one});
        let draft = DraftReader::<PlaylistSourceDraft>::new().read(draft, &()).unwrap();
        PlaylistSourceRepository::add(&sources, draft, &edit(start()), None).await.unwrap();
        let operation = |undo_of: Option<Id>| NewOperation {
            resource: Resource::Content(Kind::TvChannels),
            change: None,
            undo_of,
            import: None,
            dry_run: false,
            created_by: "ana".into(),
            created_date: after(1),
            origin: Origin::SERVER,
            items: vec![ItemKey::Number(1)],
            items_of_slice: SLICE,
        };
        let both = |undo_of| NewMoves { operations: vec![operation(undo_of), operation(undo_of)], ..moves(one, two, 1) };
        let (source, begun) = (
            "SELECT count(*) AS number FROM playlist_sources WHERE version = 1",
            "SELECT count(*) AS number FROM bulk_operations",
        );
        let once = |fingerprint: &str| {
            Some(IdempotencyKey { username: "ana".into(), key: "k".into(), fingerprint: fingerprint.into() })
        };
        let operations = SeaOrmOperations(db.database.clone());
        // Two cannot undo the same operation.
        assert!(operations.insert_moves(both(Some(9_999)), once("f")).await.is_err());
        assert_eq!((db.number(source).await, db.number(begun).await), (1, 0), "nothing has begun");
        assert_eq!(operations.answered_moves(&once("f").unwrap()).await.unwrap(), None);
        let first = match operations.insert_moves(both(None), once("f")).await.unwrap() {
            Inserted::New(moves) => moves,
            other => panic!("{other:?}"),
        };
        assert_eq!((first.operations.len(), first.sources, first.profiles), (2, 1, 0));
        let again = operations.insert_moves(both(None), once("f")).await.unwrap();
        assert_eq!(again, Inserted::Replayed(first.clone()));
        assert_eq!(operations.answered_moves(&once("f").unwrap()).await.unwrap(), Some(Inserted::Replayed(first)));
        assert_eq!(operations.insert_moves(both(None), once("g")).await.unwrap(), Inserted::KeyReused);
        assert_eq!(db.number(begun).await, 2);
    }

    async fn a_category_of_playlist_sources_is_not_deleted(db: &TestDb) {
        let mut ids = Vec::new();
        for name in ["Uno", "Dos", "Tres"] {
            ids.push(add_category(db, name, CategoryType::TvChannel).await);
        }
        let [by_group, by_default, free] = ids[..] else { panic!("{ids:?}") };
        let sources = SeaOrmPlaylists(db.database.clone());
        let groups = json!([{"group": "Cine", "categoryId": by_group}, {"group": format!("\"categoryId\":{free}}}"), "categoryId": by_group}]);
        let draft = json!({"title": "España", "categories": groups, "defaultCategoryId": by_default});
        let draft = DraftReader::<PlaylistSourceDraft>::new().read(draft, &()).unwrap();
        PlaylistSourceRepository::add(&sources, draft, &edit(start()), None).await.unwrap();
        let categories = store::<Category>(db);
        let used = || -> Usage { vec![("playlist-sources", 1)] };
        for category in [by_group, by_default] {
            let refused = categories.delete(category, None, edit(start())).await.unwrap();
            assert_eq!(refused, Removed::Conflict(used()));
            assert_eq!(categories.usage(category).await.unwrap(), Some(used()));
        }
        assert_eq!(categories.usage_of_all(&ids).await.unwrap(), [(by_group, used()), (by_default, used())]);
        assert_eq!(categories.delete(free, None, edit(start())).await.unwrap(), Removed::Done);
        let gone = json!({"title": "Chile", "defaultCategoryId": free});
        let gone = DraftReader::<PlaylistSourceDraft>::new().read(gone, &()).unwrap();
        let refused = PlaylistSourceRepository::add(&sources, gone, &edit(start()), None).await;
        assert!(matches!(refused, Err(StoreError::Dangling(_))), "{refused:?}");
    }

    async fn a_category_of_a_source_that_got_another_type_can_be_repaired_or_moved_and_deleted(db: &TestDb) {
        let add_named = async |name: &str| {
            let category = add_category(db, name, CategoryType::TvChannel).await;
            let draft = json!({"title": "España", "defaultCategoryId": category, "categories": [{"group": "Cine", "categoryId": category}]});
            let draft = DraftReader::<PlaylistSourceDraft>::new().read(draft, &()).unwrap();
            let sources = SeaOrmPlaylists(db.database.clone());
            PlaylistSourceRepository::add(&sources, draft, &edit(start()), None).await.unwrap();
            db.run(&format!("UPDATE categories SET type = 'MOVIE' WHERE id = {category}")).await;
            category
        };
        let categories = store::<Category>(db);
        let broken = add_named("Canales").await;
        let mut category = categories.find(broken).await.unwrap().unwrap().content;
        category.category_type = CategoryType::TvChannel;
        let repaired = categories.replace(broken, valid(category.clone()), None, edit(start())).await.unwrap();
        assert!(matches!(repaired, Written::Done(_)), "{repaired:?}");
        category.category_type = CategoryType::Movie;
        let refused = categories.replace(broken, valid(category), None, edit(start())).await.unwrap();
        assert!(matches!(refused, Written::Conflict(_)), "in use again: {refused:?}");

        let other = add_named("Otros").await;
        let films = add_category(db, "Cine", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        let film = add(&movies, Movie::numbered(1, other)).await;
        assert_eq!(categories.usage(other).await.unwrap(), Some(vec![("movies", 1)]));
        assert_eq!(move_outside(db, other, films, 1).await, (0, 0));
        movies.replace(film, valid(Movie::numbered(1, films)), None, edit(after(1))).await.unwrap();
        assert_eq!(categories.delete(other, None, edit(start())).await.unwrap(), Removed::Done);
    }

    async fn no_source_refers_to_a_concurrently_deleted_category(db: &TestDb) {
        for round in 0..20 {
            let category = add_category(db, "Fugaz", CategoryType::TvChannel).await;
            let (sources, categories) = (SeaOrmPlaylists(db.database.clone()), store::<Category>(db));
            let draft = json!({"title": "España", "defaultCategoryId": category});
            let draft = DraftReader::<PlaylistSourceDraft>::new().read(draft, &()).unwrap();
            let source = tokio::spawn(async move {
                PlaylistSourceRepository::add(&sources, draft, &edit(start()), None).await
            });
            let removal = tokio::spawn(async move { categories.delete(category, None, edit(start())).await });
            let (source, removal) = (source.await.unwrap(), removal.await.unwrap().unwrap());
            match (&source, &removal) {
                (Ok(Inserted::New(_)), Removed::Conflict(_)) | (Err(StoreError::Dangling(_)), Removed::Done) => {}
                other => panic!("round {round}: {other:?}"),
            }
        }
    }

    async fn moving_a_category_does_not_read_profiles_without_it(db: &TestDb) {
        let one = add_category(db, "Vieja", CategoryType::TvChannel).await;
        let two = add_category(db, "Nueva", CategoryType::TvChannel).await;
        TestUsers::of(db).await.add(ROOT, "ana_1", RoleCode::App).await;
        let profiles = SeaOrmLiveProfiles(db.database.clone());
        for number in 0..50 {
            let categories = if number == 25 { vec![one] } else { vec![] };
            let json = json!({"name": "Salón", "username": "ana_1", "categories": categories});
            let draft = DraftReader::<LiveProfileDraft>::new().read(json, &()).unwrap();
            let secret = ProfileSecret { hash: number.to_string(), hint: "pl_a".into() };
            profiles.add(draft, &secret, &edit(start())).await.unwrap();
        }
        let noted = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| {
            if statement.sql.contains("live_profiles") {
                notes.lock().unwrap().push(statement.sql.clone());
            }
        });
        SeaOrmOperations(watched).insert_moves(moves(one, two, 1), None).await.unwrap();
        // All of them, and the one with the category: read, written, read again.
        let noted = noted.lock().unwrap();
        assert_eq!(noted.len(), 4, "{}", noted.join("\n"));
    }

    async fn a_foreign_key_keeps_a_category_that_is_missing_from_the_counts(db: &TestDb) {
        let used = add_category(db, "Usada", CategoryType::Movie).await;
        add(&store::<Movie>(db), Movie::numbered(1, used)).await;
        // As between the check and the delete, when a film is added concurrently.
        db.run("UPDATE movies_counts SET total = 0").await;
        let outcome = store::<Category>(db).delete(used, None, edit(start())).await.unwrap();
        assert!(matches!(outcome, Removed::Conflict(_)), "{outcome:?}");
        assert!(store::<Category>(db).find(used).await.unwrap().is_some());
    }

    async fn a_film_is_neither_added_nor_changed_nor_imported_without_a_category_of_its_type(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        let film = add(&movies, Movie::numbered(1, category)).await;
        let of_music = add_category(db, "Ópera", CategoryType::Music).await;
        for other in [9_999, of_music] {
            let lost = || valid(Movie::numbered(2, other));
            let once = IdempotencyKey { username: "ana".into(), key: "k".into(), fingerprint: "f".into() };
            let item = ImportedItem { content: lost(), views: 0, created_date: None, updated_date: None };
            for outcome in [
                movies.insert(lost(), edit(start()), None).await.map(drop),
                movies.insert(lost(), edit(start()), Some(once)).await.map(drop),
                movies.insert_all(vec![lost()], edit(start()), None).await.map(drop),
                movies.replace(film, lost(), None, edit(start())).await.map(drop),
                movies.import(vec![item], start()).await.map(drop),
            ] {
                assert!(matches!(outcome, Err(StoreError::Dangling(_))), "{outcome:?}");
            }
        }
        assert_eq!(db.number("SELECT count(*) AS number FROM movies").await, 1);
        assert_eq!(db.number("SELECT count(*) AS number FROM idempotency_keys").await, 0);
        assert_eq!(movies.find(film).await.unwrap().unwrap().version, 1);
    }

    async fn no_film_refers_to_a_concurrently_deleted_category(db: &TestDb) {
        for round in 0..20 {
            let category = add_category(db, "Fugaz", CategoryType::Movie).await;
            let (movies, categories) = (store::<Movie>(db), store::<Category>(db));
            let film = tokio::spawn(async move {
                movies.insert(valid(Movie::numbered(round, category)), edit(start()), None).await
            });
            let removal = tokio::spawn(async move { categories.delete(category, None, edit(start())).await });
            let (film, removal) = (film.await.unwrap(), removal.await.unwrap().unwrap());
            match (&film, &removal) {
                (Ok(Inserted::New(_)), Removed::Conflict(_)) | (Err(StoreError::Dangling(_)), Removed::Done) => {}
                other => panic!("round {round}: {other:?}"),
            }
        }
        let orphans = "SELECT count(*) AS number FROM movies WHERE category_id NOT IN (SELECT id FROM categories)";
        assert_eq!(db.number(orphans).await, 0);
    }
}
