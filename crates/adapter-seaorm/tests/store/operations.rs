//! Bulk operations: slices are stored completely, once, and never overwrite concurrent edits.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmOperations, SeaOrmRetention,
    catalogue::{EpisodesTable, SeaOrmContents, TvShowsTable},
};
use domain_catalogue::{Category, CategoryType, Content, Episode, Link, Movie, TvShow};
use domain_kernel::{Code, Id, Kind, ListQuery, Origin, Sort, Violation};
use domain_operations::{BulkOperation, ItemKey, OperationRow, OperationState, Resource, SLICE, Verdict};
use ports::{
    Aged, AlreadyUndone, ContentRepository, Inserted, ItemChange, NewOperation, OperationRepository,
    Retention, SliceItem, SliceOf, SliceWritten,
};
use sea_orm::Statement;
use serde_json::{Map, json};

use crate::{
    indexes::plan,
    kinds::{KindFixture, add, add_category, done, item_write, store},
    support::{TestDb, after, edit, on_both, start, valid},
};

pub fn new_operation(kind: Kind, items: Vec<Id>, undo_of: Option<Id>) -> NewOperation {
    NewOperation {
        resource: Resource::Content(kind),
        change: None,
        undo_of,
        import: None,
        dry_run: false,
        created_by: "ana".into(),
        created_date: start(),
        origin: Origin::SERVER,
        items: items.into_iter().map(ItemKey::Number).collect(),
        items_of_slice: SLICE,
    }
}

pub async fn begin(db: &TestDb, kind: Kind, items: Vec<Id>, undo_of: Option<Id>) -> Option<BulkOperation> {
    let operation = new_operation(kind, items, undo_of);
    match SeaOrmOperations(db.database.clone()).insert(operation, None).await.unwrap() {
        Inserted::New(operation) => Some(operation),
        Inserted::Conflict(AlreadyUndone) => None,
        other => panic!("{other:?}"),
    }
}

fn row(position: i64, item: Id) -> OperationRow {
    let field = |value: &str| json!({"title": value}).as_object().cloned().unwrap();
    OperationRow {
        position,
        item: item.into(),
        title: "x".into(),
        verdict: Verdict::Changed,
        before: field("old"),
        after: field("new"),
        problems: Vec::new(),
        sheet_row: None,
    }
}

async fn find(db: &TestDb, id: Id) -> BulkOperation {
    SeaOrmOperations(db.database.clone()).find(id).await.unwrap().unwrap()
}

async fn rows(db: &TestDb, id: Id) -> Vec<OperationRow> {
    let operation = find(db, id).await;
    SeaOrmOperations(db.database.clone())
        .rows(&operation, ports::RowFilter::default(), 0, 1000)
        .await
        .unwrap()
}

const FIRST: i64 = 0;

fn slice_of(operation: Id) -> SliceOf {
    SliceOf { operation, number: FIRST, first_position: 0, undoes: None }
}

on_both! {
    async fn a_slice_is_stored_with_its_rows_once_and_keeps_concurrent_edits(db: &TestDb) {
        let category = Movie::categories(db).await[0];
        let movies = store::<Movie>(db);
        let mut ids = Vec::new();
        for number in 0..3 {
            ids.push(add(&movies, Movie::numbered(number, category)).await);
        }
        let operation = begin(db, Kind::Movies, ids.clone(), None).await.unwrap();
        let operations = SeaOrmOperations(db.database.clone());
        assert_eq!(operations.slice(operation.id, FIRST).await.unwrap(), Some(ids.iter().copied().map(ItemKey::Number).collect()));
        // The second is edited between the read and the write.
        done(movies.replace(ids[1], valid(Movie::numbered(7, category)), Some(1), edit(after(1))).await.unwrap());
        let items = || {
            let item = |number: usize| {
                let row = row(i64::try_from(number).unwrap(), ids[number]);
                item_write(row, 1, Movie::numbered(number, category), Movie::numbered(10 + number, category))
            };
            let mut items: Vec<SliceItem<Movie>> = (0..3).map(item).collect();
            // A refused item has no change, and its row stays.
            items[2].change = None;
            items[2].row.verdict = Verdict::Refused;
            items[2].row.problems = vec![Violation::new("title", Code::TooShort).with("min", 2)];
            items
        };
        let written = movies.write_slice(slice_of(operation.id), items(), edit(after(2))).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.changed, counts.conflicts, counts.refused), (1, 1, 1));
        let first = movies.find(ids[0]).await.unwrap().unwrap();
        assert_eq!((first.version, &first.content), (2, &Movie::numbered(10, category)));
        assert_eq!((first.updated_by.as_deref(), first.updated_date), (Some("rosa_1"), after(2)));
        assert_eq!(movies.find(ids[1]).await.unwrap().unwrap().content, Movie::numbered(7, category));
        let kept = rows(db, operation.id).await;
        assert_eq!(kept[0], items()[0].row);
        assert_eq!((kept[1].verdict, kept[1].before.len()), (Verdict::Conflict, 0));
        assert_eq!(kept[2].problems, items()[2].row.problems);
        let ended = find(db, operation.id).await;
        assert_eq!((ended.state, ended.slices_done, ended.counts), (OperationState::Finished, 1, counts));
        assert_eq!(ended.finished_date, Some(after(2)));
        // A second process with the same slice changes nothing.
        let again = movies.write_slice(slice_of(operation.id), items(), edit(after(3))).await.unwrap();
        assert_eq!(again, SliceWritten::Overtaken);
        assert_eq!(movies.find(ids[0]).await.unwrap().unwrap().version, 2);
        assert_eq!(rows(db, operation.id).await.len(), 3);
    }

    async fn items_are_deleted_in_a_slice_unless_they_changed_or_are_used_and_restored_unless_their_key_is_in_use(db: &TestDb) {
        let categories = store::<Category>(db);
        let mut ids = Vec::new();
        for name in ["Una", "Dos", "Tres", "Cuatro"] {
            ids.push(add_category(db, name, CategoryType::Movie).await);
        }
        let movies = store::<Movie>(db);
        add(&movies, Movie::numbered(1, ids[1])).await;
        // The third is edited between the read and the write; the fifth does not exist.
        done(categories.set_active(ids[2], false, None, edit(after(1))).await.unwrap());
        ids.push(999);
        let operation = begin(db, Kind::Categories, ids.clone(), None).await.unwrap();
        let items = |change: &dyn Fn(Id) -> ItemChange<Category>| -> Vec<SliceItem<Category>> {
            let unchanged = |position: i64, id: Id| OperationRow { before: Map::new(), after: Map::new(), ..row(position, id) };
            (0..).zip(&ids).map(|(position, id)| SliceItem { row: unchanged(position, *id), change: Some(change(*id)), streams: None }).collect()
        };
        let deletion = |_: Id| ItemChange::Delete(1);
        let before = categories.find_all(&ids).await.unwrap();
        let content_of = |id: Id| before.iter().find(|item| item.id == id).unwrap_or(&before[0]).content.clone();
        let written = categories.write_slice(slice_of(operation.id), items(&deletion), edit(after(2))).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.changed, counts.refused, counts.conflicts, counts.missing), (2, 1, 1, 1));
        let kept = rows(db, operation.id).await;
        assert_eq!(kept[1].problems, [Violation::new("", Code::InUse).with("movies", 1)]);
        assert_eq!(categories.find(ids[0]).await.unwrap(), None);
        assert!(categories.find(ids[1]).await.unwrap().is_some() && categories.find(ids[2]).await.unwrap().is_some());
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 2);
        assert_eq!(db.number("SELECT count(*) AS number FROM audit_entries WHERE action = 'DELETED'").await, 2);
        let undo = begin(db, Kind::Categories, ids.clone(), Some(operation.id)).await.unwrap();
        let restoration = |id: Id| ItemChange::Restore(Box::new(valid(content_of(id))));
        let written = categories.write_slice(slice_of(undo.id), items(&restoration), edit(after(3))).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.changed, counts.refused, counts.missing), (2, 0, 3));
        let restored = categories.find(ids[0]).await.unwrap().unwrap();
        assert_eq!((restored.content, restored.version), (content_of(ids[0]), 2));
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 0);
    }

    async fn an_item_whose_natural_key_is_in_use_stays_in_the_trash_and_the_others_are_restored(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let show = add(&shows, TvShow { category_id: category, ..TvShow::sample() }).await;
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        let episode = |number: i32| Episode {
            tv_show_id: show, season_number: 1, episode_number: number, imdb_id: None, ..Episode::sample()
        };
        let mut ids = Vec::new();
        for number in [1, 2] {
            let id = add(&episodes, episode(number)).await;
            episodes.delete(id, None, edit(after(1))).await.unwrap();
            ids.push(id);
        }
        let other = add(&episodes, episode(2)).await;
        let undo = begin(db, Kind::Episodes, ids.clone(), None).await.unwrap();
        let item = |(position, number): (i64, i32)| SliceItem {
            row: row(position, ids[usize::try_from(position).unwrap()]),
            change: Some(ItemChange::Restore(Box::new(valid(episode(number))))),
            streams: None,
        };
        let items = [(0, 1), (1, 2)].map(item).into();
        let written = episodes.write_slice(slice_of(undo.id), items, edit(after(2))).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.changed, counts.refused), (1, 1));
        let in_use = Violation::new("", Code::Duplicate).with("id", other).with("title", episode(2).name());
        assert_eq!(rows(db, undo.id).await[1].problems, [in_use]);
        assert!(episodes.find(ids[0]).await.unwrap().is_some());
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 1);
    }

    async fn a_film_whose_natural_key_was_reused_stays_in_the_trash_with_the_other_film(db: &TestDb) {
        let category = Movie::categories(db).await[0];
        let movies = store::<Movie>(db);
        let mut ids = Vec::new();
        // Two are equal, which is allowed: an undo restores both.
        for number in [1, 2, 2] {
            ids.push(add(&movies, Movie::numbered(number, category)).await);
        }
        let by_operation = |operation: Id, minute: i64| {
            let origin = Origin { operation: Some(operation), ..Origin::SERVER };
            ports::Edit { origin, ..edit(after(minute)) }
        };
        let deletion = begin(db, Kind::Movies, ids.clone(), None).await.unwrap();
        let bare = |position: i64, id: Id| OperationRow { before: Map::new(), after: Map::new(), ..row(position, id) };
        let items = |change: &dyn Fn(usize) -> ItemChange<Movie>| -> Vec<SliceItem<Movie>> {
            let of = |(index, id): (usize, &Id)| SliceItem {
                row: bare(i64::try_from(index).unwrap(), *id),
                change: Some(change(index)),
                streams: None,
            };
            ids.iter().enumerate().map(of).collect()
        };
        let deleted = items(&|_| ItemChange::Delete(1));
        movies.write_slice(slice_of(deletion.id), deleted, by_operation(deletion.id, 1)).await.unwrap();
        let other = add(&movies, Movie::numbered(1, category)).await;
        let undo = begin(db, Kind::Movies, ids.clone(), Some(deletion.id)).await.unwrap();
        let restored = items(&|index| {
            ItemChange::Restore(Box::new(valid(Movie::numbered([1, 2, 2][index], category))))
        });
        let slice = SliceOf { undoes: Some(deletion.id), ..slice_of(undo.id) };
        let written = movies.write_slice(slice, restored, by_operation(undo.id, 2)).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.changed, counts.refused), (2, 1));
        let title = Movie::numbered(1, category).name();
        let in_use = Violation::new("", Code::Duplicate).with("id", other).with("title", title);
        assert_eq!(rows(db, undo.id).await[0].problems, [in_use]);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 1, "it can be restored by hand");
    }

    async fn who_has_the_natural_keys_of_a_slice_is_found_by_one_statement_along_their_index(db: &TestDb) {
        let category = Movie::categories(db).await[0];
        let movies = store::<Movie>(db);
        let mut ids = Vec::new();
        // Five of each of two natural keys.
        for number in 0..10 {
            let id = add(&movies, Movie::numbered(number % 2, category)).await;
            movies.delete(id, None, edit(after(1))).await.unwrap();
            ids.push(id);
        }
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let movies = SeaOrmContents::<<Movie as KindFixture>::Table>::new(watched);
        let restored = begin(db, Kind::Movies, ids.clone(), None).await.unwrap();
        let item = |(index, id): (usize, &Id)| SliceItem {
            row: row(i64::try_from(index).unwrap(), *id),
            change: Some(ItemChange::Restore(Box::new(valid(Movie::numbered(index % 2, category))))),
            streams: None,
        };
        let items = ids.iter().enumerate().map(item).collect();
        let written = movies.write_slice(slice_of(restored.id), items, edit(after(2))).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        // The first of each key comes back, and the others are refused for it.
        assert_eq!((counts.changed, counts.refused), (2, 8));
        let title = Movie::numbered(1, category).name();
        let in_use = Violation::new("", Code::Duplicate).with("id", ids[1]).with("title", title);
        assert_eq!(rows(db, restored.id).await[9].problems, [in_use]);

        let noted: Vec<Statement> = noted.lock().unwrap().clone();
        let compares = |statement: &&Statement| statement.sql.replace('"', "").contains("natural_key = ");
        let found: Vec<&Statement> = noted.iter().filter(compares).collect();
        let [found] = found[..] else { panic!("{found:?}") };
        let plan = plan(db, found, false).await.join("\n");
        assert!(plan.contains("movies_by_natural_key"), "{plan}");
    }

    async fn a_cancelled_operation_writes_no_further_slice(db: &TestDb) {
        let category = Movie::categories(db).await[0];
        let movies = store::<Movie>(db);
        let id = add(&movies, Movie::numbered(1, category)).await;
        let operation = begin(db, Kind::Movies, vec![id], None).await.unwrap();
        let operations = SeaOrmOperations(db.database.clone());
        assert_eq!(operations.next().await.unwrap().unwrap().id, operation.id);
        assert!(operations.end(operation.id, OperationState::Cancelled, None, &edit(after(1))).await.unwrap());
        assert!(!operations.end(operation.id, OperationState::Failed, None, &edit(after(2))).await.unwrap(), "once");
        assert_eq!(operations.next().await.unwrap(), None);
        let items = vec![item_write(row(0, id), 1, Movie::numbered(1, category), Movie::numbered(2, category))];
        let written = movies.write_slice(slice_of(operation.id), items, edit(after(3))).await.unwrap();
        assert_eq!(written, SliceWritten::Overtaken);
        assert_eq!(movies.find(id).await.unwrap().unwrap().version, 1);
    }

    async fn the_operation_with_the_fewest_slices_done_is_next(db: &TestDb) {
        let many: Vec<Id> = (1..=3 * i64::try_from(SLICE).unwrap()).collect();
        let large = begin(db, Kind::Movies, many, None).await.unwrap();
        let movies = store::<Movie>(db);
        let items = (0..100).map(|number| SliceItem { row: row(number, number + 1), change: None, streams: None }).collect();
        movies.write_slice(slice_of(large.id), items, edit(after(1))).await.unwrap();
        assert_eq!(find(db, large.id).await.state, OperationState::Running);
        let small = begin(db, Kind::Movies, vec![1], None).await.unwrap();
        let operations = SeaOrmOperations(db.database.clone());
        assert_eq!(operations.next().await.unwrap().unwrap().id, small.id);
    }

    async fn an_operation_is_undone_once_and_again_where_that_was_cancelled(db: &TestDb) {
        let operation = begin(db, Kind::Movies, vec![1], None).await.unwrap();
        let undo = begin(db, Kind::Movies, vec![1], Some(operation.id)).await.unwrap();
        assert_eq!(find(db, operation.id).await.undone_by, Some(undo.id));
        assert!(begin(db, Kind::Movies, vec![1], Some(operation.id)).await.is_none());
        let operations = SeaOrmOperations(db.database.clone());
        operations.end(undo.id, OperationState::Cancelled, None, &edit(after(1))).await.unwrap();
        assert_eq!(find(db, operation.id).await.undone_by, None);
        assert!(begin(db, Kind::Movies, vec![1], Some(operation.id)).await.is_some());
    }

    async fn an_undo_that_changed_nothing_does_not_count(db: &TestDb) {
        let movies = store::<Movie>(db);
        let operation = begin(db, Kind::Movies, vec![1], None).await.unwrap();
        let run = async |undo: Id, verdict: Verdict| {
            let row = OperationRow { verdict, ..row(0, 1) };
            let items = vec![SliceItem { row, change: None, streams: None }];
            let written = movies.write_slice(slice_of(undo), items, edit(after(1))).await.unwrap();
            assert!(matches!(written, SliceWritten::Done(_)), "{written:?}");
        };
        let refused = begin(db, Kind::Movies, vec![1], Some(operation.id)).await.unwrap();
        assert!(begin(db, Kind::Movies, vec![1], Some(operation.id)).await.is_none(), "one runs");
        run(refused.id, Verdict::Refused).await;
        assert_eq!(find(db, operation.id).await.undone_by, None);
        let undo = begin(db, Kind::Movies, vec![1], Some(operation.id)).await.unwrap();
        assert!(begin(db, Kind::Movies, vec![1], Some(operation.id)).await.is_none(), "the second runs");
        run(undo.id, Verdict::Changed).await;
        assert_eq!(find(db, operation.id).await.undone_by, Some(undo.id));
        assert!(begin(db, Kind::Movies, vec![1], Some(operation.id)).await.is_none());
    }

    async fn the_undo_of_an_operation_is_found_without_reading_all_operations(db: &TestDb) {
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let first = begin(db, Kind::Movies, vec![1], None).await.unwrap();
        let undo = begin(db, Kind::Movies, vec![1], Some(first.id)).await.unwrap();
        let found = SeaOrmOperations(watched).find(first.id).await.unwrap().unwrap();
        assert_eq!(found.undone_by, Some(undo.id));
        let noted = noted.lock().unwrap().clone();
        assert!(noted.len() >= 2, "{noted:?}");
        for statement in &noted {
            let plan = plan(db, statement, false).await;
            let scan = if db.is_sqlite() { "SCAN " } else { "Seq Scan on " };
            assert!(!plan.iter().any(|line| line.contains(&format!("{scan}bulk_operations"))), "{}\n{}", statement.sql, plan.join("\n"));
        }
    }

    async fn old_operations_are_removed_with_their_rows_in_batches(db: &TestDb) {
        let operation = begin(db, Kind::Movies, vec![1, 2, 3], None).await.unwrap();
        let unfinished = begin(db, Kind::Movies, vec![1], None).await.unwrap();
        let items = (0..3).map(|number| SliceItem { row: row(number, number + 1), change: None, streams: None }).collect();
        store::<Movie>(db).write_slice(slice_of(operation.id), items, edit(after(1))).await.unwrap();
        let retention = SeaOrmRetention(db.database.clone());
        let remove = async |before: i64| retention.remove(Aged::Operations, after(before), after(before), 2).await.unwrap();
        assert_eq!(remove(0).await, 0, "too young");
        // Two rows, one row, the slice, the operation.
        assert_eq!([remove(1).await, remove(1).await, remove(1).await, remove(1).await, remove(1).await], [2, 1, 1, 1, 0]);
        let operations = SeaOrmOperations(db.database.clone());
        assert_eq!(operations.find(operation.id).await.unwrap(), None);
        assert_eq!(operations.next().await.unwrap().unwrap().id, unfinished.id);
    }

    async fn items_of_a_list_are_found_in_the_order_of_ids(db: &TestDb) {
        let category = Movie::categories(db).await[0];
        let movies = store::<Movie>(db);
        let mut ids = Vec::new();
        for number in 0..30 {
            ids.push(add(&movies, Movie::numbered(number, category)).await);
        }
        let all = ListQuery::default();
        assert_eq!(movies.matching_ids(&all, 100).await.unwrap(), ids);
        assert_eq!(movies.matching_ids(&all, 5).await.unwrap(), ids[..5]);
        for search in ["ran", "de noche", "ñ"] {
            let query = ListQuery { search: Some(search.into()), size: 1000, ..all.clone() };
            let listed: serde_json::Value =
                serde_json::from_str(movies.list(&query).await.unwrap().content.0.get()).unwrap();
            let mut listed: Vec<Id> =
                listed.as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
            listed.sort_unstable();
            assert_eq!(movies.matching_ids(&query, 100).await.unwrap(), listed, "{search}");
            // In another order of the list.
            let sort = vec![Sort { field: "title".into(), descending: true }];
            let query = ListQuery { sort, ..query };
            let listed: serde_json::Value =
                serde_json::from_str(movies.list(&query).await.unwrap().content.0.get()).unwrap();
            let listed: Vec<Id> =
                listed.as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
            assert_eq!(movies.matching_ids(&query, 100).await.unwrap(), listed, "{search}, by title");
        }
    }

    async fn the_largest_number_of_links_is_that_of_the_items_of_a_list(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        assert_eq!(movies.most_links(&ListQuery::default()).await.unwrap(), 0);
        for (name, links) in [("Uno", 1), ("Tres", 3), ("Dos", 2)] {
            let mut movie = Movie::numbered(links, category).named(name);
            let link = movie.links[0].clone();
            movie.links = (0..links).map(|number| Link { id: Some(format!("l{number}")), ..link.clone() }).collect();
            add(&movies, movie).await;
        }
        assert_eq!(movies.most_links(&ListQuery::default()).await.unwrap(), 3);
        let query = ListQuery { search: Some("dos".into()), ..ListQuery::default() };
        assert_eq!(movies.most_links(&query).await.unwrap(), 2);
    }
}
