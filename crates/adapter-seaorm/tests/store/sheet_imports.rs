//! Imported files: their rows, and the slices in which they become items.

use std::collections::HashMap;

use adapter_seaorm::{
    SeaOrmOperations, SeaOrmRetention, SeaOrmSheets,
    catalogue::{EpisodesTable, SeaOrmContents, TvShowsTable},
};
use domain_catalogue::{Content, Episode, Movie, TvShow};
use domain_kernel::{Cell, Id, Kind, Locale, Origin, SheetRow};
use domain_operations::{
    BulkOperation, OperationRow, Resource, SLICE, SheetDefault, SheetImport, SheetRowOf, Verdict,
};
use ports::{
    Aged, ContentRepository, Inserted, ItemChange, ItemKeys, NewOperation, NewSheet, OperationRepository,
    Retention, SheetRepository, SliceItem, SliceOf, SliceWritten,
};
use serde_json::Map;

use crate::{
    kinds::{KindFixture, add, add_category, item_write, store},
    support::{TestDb, after, edit, on_both, start, valid},
};

fn sheet(kind: Kind) -> NewSheet {
    NewSheet {
        resource: Resource::Content(kind),
        file_name: "películas.csv".into(),
        locale: Locale::English,
        headings: vec!["Title".into(), String::new()],
        created_by: "ana".into(),
        created_date: start(),
    }
}

async fn stored(db: &TestDb, kind: Kind, rows: i64) -> Id {
    let sheets = SeaOrmSheets(db.database.clone());
    let id = sheets.begin(sheet(kind)).await.unwrap();
    let row = |number: i64| SheetRow { number: number + 1, cells: vec![Cell::Integer(number)] };
    sheets.add_slices(id, 0, vec![(1..=rows).map(row).collect()]).await.unwrap();
    sheets.finish(id, rows).await.unwrap();
    id
}

/// An operation that imports a file of so many rows.
pub(crate) async fn import_of(db: &TestDb, kind: Kind, rows: i64) -> NewOperation {
    let import = SheetImport {
        sheet: stored(db, kind, rows).await,
        file_name: "películas.csv".into(),
        columns: vec![Some("title".into()), None],
        defaults: vec![SheetDefault { key: "year".into(), value: "1927".into() }],
        rows,
    };
    NewOperation {
        resource: Resource::Content(kind),
        change: None,
        undo_of: None,
        import: Some(import),
        dry_run: false,
        created_by: "ana".into(),
        created_date: start(),
        origin: Origin::SERVER,
        items: Vec::new(),
        items_of_slice: SLICE,
    }
}

pub(crate) async fn begin(db: &TestDb, kind: Kind, rows: i64) -> BulkOperation {
    let operation = import_of(db, kind, rows).await;
    let import = operation.import.clone();
    let Inserted::New(operation) =
        SeaOrmOperations(db.database.clone()).insert(operation, None).await.unwrap()
    else {
        panic!("it is new");
    };
    assert_eq!((operation.total, operation.import.as_ref()), (rows, import.as_ref()));
    operation
}

pub(crate) fn row(position: i64, item: Id, verdict: Verdict, key: Option<&str>) -> OperationRow {
    OperationRow {
        position,
        item: item.into(),
        title: "x".into(),
        verdict,
        before: Map::new(),
        after: Map::new(),
        problems: Vec::new(),
        sheet_row: Some(SheetRowOf { number: position + 2, key: key.map(str::to_owned), imdb_id: None }),
    }
}

pub(crate) fn addition<C: Content>(position: i64, content: C) -> SliceItem<C> {
    let key = content.natural_key();
    SliceItem {
        row: row(position, 0, Verdict::Created, Some(&key)),
        change: Some(ItemChange::Create(Box::new(valid(content)))),
        streams: None,
    }
}

pub(crate) fn first_slice(operation: Id) -> SliceOf {
    SliceOf { operation, number: 0, first_position: 0, undoes: None }
}

on_both! {
    async fn rows_of_a_file_are_stored_unchanged_until_they_are_unused(db: &TestDb) {
        let sheets = SeaOrmSheets(db.database.clone());
        let id = sheets.begin(sheet(Kind::Movies)).await.unwrap();
        let day = start().date_naive();
        let cells = vec![
            Cell::Text("=\"x\"".into()), Cell::Empty, Cell::Integer(-3), Cell::Decimal(8.7), Cell::Flag(true), Cell::Date(day),
            Cell::Moment(day.and_hms_opt(9, 5, 1).unwrap()),
        ];
        let rows = vec![SheetRow { number: 2, cells }, SheetRow { number: 5, cells: Vec::new() }];
        sheets.add_slices(id, 0, vec![rows.clone()]).await.unwrap();
        assert_eq!(sheets.find(id).await.unwrap(), None, "it is still being read");
        sheets.finish(id, 2).await.unwrap();
        let found = sheets.find(id).await.unwrap().unwrap();
        assert_eq!((found.rows, &found.sheet), (2, &sheet(Kind::Movies)));
        assert_eq!(sheets.rows(id, 0).await.unwrap(), rows);
        assert!(sheets.rows(id, 1).await.is_err());
        let used = begin(db, Kind::Movies, 1).await;
        let retention = SeaOrmRetention(db.database.clone());
        assert_eq!(retention.remove(Aged::Sheets, after(-1), after(-1), 10).await.unwrap(), 0);
        assert_eq!(retention.remove(Aged::Sheets, after(1), after(1), 10).await.unwrap(), 1, "its rows first");
        assert_eq!(retention.remove(Aged::Sheets, after(1), after(1), 10).await.unwrap(), 1);
        assert_eq!(retention.remove(Aged::Sheets, after(1), after(1), 10).await.unwrap(), 0);
        assert_eq!(sheets.find(id).await.unwrap(), None);
        assert!(sheets.find(used.import.unwrap().sheet).await.unwrap().is_some(), "an operation is about it");
    }

    async fn chosen_columns_are_stored_for_each_user_and_kind(db: &TestDb) {
        let sheets = SeaOrmSheets(db.database.clone());
        let columns = |pairs: &[(&str, Option<&str>)]| -> HashMap<String, Option<String>> {
            pairs.iter().map(|(heading, key)| ((*heading).to_owned(), key.map(str::to_owned))).collect()
        };
        sheets.choose_columns("ana", Resource::Content(Kind::Movies), columns(&[("a", Some("title")), ("b", None)])).await.unwrap();
        sheets.choose_columns("ana", Resource::Content(Kind::Movies), columns(&[("b", Some("year"))])).await.unwrap();
        let chosen = sheets.chosen_columns("ana", Resource::Content(Kind::Movies)).await.unwrap();
        assert_eq!(chosen, columns(&[("a", Some("title")), ("b", Some("year"))]));
        assert!(sheets.chosen_columns("ana", Resource::Content(Kind::Sports)).await.unwrap().is_empty());
        assert!(sheets.chosen_columns("rosa", Resource::Content(Kind::Movies)).await.unwrap().is_empty());
    }

    async fn columns_chosen_at_two_nodes_at_once_are_all_stored(db: &TestDb) {
        let [one, two] = [db.database.clone(), db.other_node().await].map(SeaOrmSheets);
        let movies = Resource::Content(Kind::Movies);
        let mut expected = HashMap::new();
        for round in 0..10 {
            let [first, second] = ["a", "b"].map(|name| (format!("{name}{round}"), Some("title".to_owned())));
            expected.extend([first.clone(), second.clone()]);
            let (first, second) = tokio::join!(
                one.choose_columns("ana", movies, HashMap::from([first])),
                two.choose_columns("ana", movies, HashMap::from([second])),
            );
            first.and(second).unwrap();
            assert_eq!(one.chosen_columns("ana", movies).await.unwrap(), expected, "round {round}");
        }
    }

    async fn a_slice_adds_and_changes_items_once_with_their_rows(db: &TestDb) {
        let category = Movie::categories(db).await[0];
        let movies = store::<Movie>(db);
        let known = add(&movies, Movie::numbered(0, category)).await;
        let operation = begin(db, Kind::Movies, 3).await;
        let items = || {
            let changed = row(1, known, Verdict::Changed, None);
            // The third is added between the read and the write.
            vec![
                addition(0, Movie::numbered(1, category)),
                item_write(changed, 1, Movie::numbered(0, category), Movie::numbered(10, category)),
                addition(2, Movie::numbered(2, category)),
            ]
        };
        add(&movies, Movie::numbered(2, category)).await;
        let written = movies.write_slice(first_slice(operation.id), items(), edit(after(1))).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.created, counts.changed, counts.conflicts), (1, 1, 1));
        let operations = SeaOrmOperations(db.database.clone());
        let rows = operations.rows(&operation, ports::RowFilter::default(), 0, 10).await.unwrap();
        let added = movies.find(rows[0].item.number().unwrap()).await.unwrap().unwrap();
        assert_eq!((&added.content.title, added.updated_by.as_deref()), (&Movie::numbered(1, category).title, Some("rosa_1")));
        assert_eq!(rows[0], OperationRow { item: added.id.into(), ..items()[0].row.clone() });
        assert_eq!((rows[2].verdict, rows[2].item.clone()), (Verdict::Conflict, 0.into()));
        let total = "SELECT count(*) AS number FROM movies";
        assert_eq!(db.number(total).await, 3);
        assert_eq!(db.number("SELECT count(*) AS number FROM audit_entries WHERE action = 'CREATED' AND resource = 'movies'").await, 3);
        let (id, title) = (added.id, &added.content.title);
        let recorded = format!("SELECT count(*) AS number FROM audit_entries WHERE item = '{id}' AND title = '{title}' AND version = 1");
        assert_eq!((db.number(&recorded).await, added.version), (1, 1));
        // A second process with the same slice adds nothing.
        let again = movies.write_slice(first_slice(operation.id), items(), edit(after(2))).await.unwrap();
        assert_eq!((again, db.number(total).await), (SliceWritten::Overtaken, 3));
        assert_eq!(operations.changed_items(&operation).await.unwrap(), [added.id.into(), known.into()]);
        let sheets = SeaOrmSheets(db.database.clone());
        assert_eq!(sheets.added_items(operation.id, &[added.id, known]).await.unwrap(), [added.id].into());
        let key = Movie::numbered(1, category).natural_key();
        let keys = vec![key.clone(), "other".into()];
        let done = sheets.done_rows(operation.id, vec![known], keys, Vec::new()).await.unwrap();
        let found: Vec<(Id, i64)> = done.iter().map(|row| (row.item, row.row)).collect();
        assert_eq!((found, done[0].key.as_ref()), (vec![(added.id, 2), (known, 3)], Some(&key)));
    }

    async fn rows_of_a_preview_are_found_by_their_imdb_ids_unless_they_were_refused(db: &TestDb) {
        let movies = store::<Movie>(db);
        let operation = begin(db, Kind::Movies, 4).await;
        let with = |position: i64, verdict: Verdict, imdb_id: Option<&str>| {
            let mut row = row(position, 0, verdict, None);
            let of_sheet = SheetRowOf { number: position + 2, key: None, imdb_id: imdb_id.map(str::to_owned) };
            row.sheet_row = Some(of_sheet);
            SliceItem { row, change: None, streams: None }
        };
        let items = vec![
            with(0, Verdict::Created, Some("tt0000001")),
            with(1, Verdict::Refused, Some("tt0000002")),
            with(2, Verdict::Changed, Some("tt0000003")),
            with(3, Verdict::Created, None),
        ];
        let rows: Vec<OperationRow> = items.iter().map(|item| item.row.clone()).collect();
        let written = movies.write_slice(first_slice(operation.id), items, edit(after(1))).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(_)), "{written:?}");
        let stored = SeaOrmOperations(db.database.clone()).rows(&operation, ports::RowFilter::default(), 0, 10).await;
        assert_eq!(stored.unwrap(), rows);
        let ids = ["tt0000001", "tt0000002", "tt0000003", "tt0000004"].map(str::to_owned).to_vec();
        let sheets = SeaOrmSheets(db.database.clone());
        let done = sheets.done_rows(operation.id, Vec::new(), Vec::new(), ids.clone()).await.unwrap();
        let found: Vec<(i64, Option<&str>)> = done.iter().map(|row| (row.row, row.imdb_id.as_deref())).collect();
        assert_eq!(found, [(2, Some("tt0000001")), (4, Some("tt0000003"))]);
        let other = begin(db, Kind::Movies, 1).await;
        assert_eq!(sheets.done_rows(other.id, Vec::new(), Vec::new(), ids).await.unwrap(), []);
    }

    async fn only_the_change_to_the_natural_key_of_another_item_is_refused(db: &TestDb) {
        let category = add_category(db, "Series", domain_catalogue::CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let show = add(&shows, TvShow { category_id: category, ..TvShow::sample() }).await;
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        let episode = |number: i32| Episode {
            tv_show_id: show, season_number: 1, episode_number: number, imdb_id: None, ..Episode::sample()
        };
        let first = add(&episodes, episode(1)).await;
        add(&episodes, episode(2)).await;
        let operation = begin(db, Kind::Episodes, 2).await;
        let items = vec![
            item_write(row(0, first, Verdict::Changed, None), 1, episode(1), episode(2)),
            addition(1, episode(3)),
        ];
        let written = episodes.write_slice(first_slice(operation.id), items, edit(after(1))).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.created, counts.refused), (1, 1));
        assert_eq!(episodes.find(first).await.unwrap().unwrap().content.episode_number, 1);
    }

    async fn items_are_found_by_their_keys_and_prefixes(db: &TestDb) {
        let category = Movie::categories(db).await[0];
        let movies = store::<Movie>(db);
        let film = |title: &str, reference: Option<&str>, imdb_id: Option<&str>| {
            let mut film = Movie { title: title.into(), year: 2000, imdb_id: imdb_id.map(str::to_owned), ..Movie::numbered(0, category) };
            film.media.reference = reference.map(str::to_owned);
            film
        };
        let mut ids = Vec::new();
        for film in [film("Doble", Some("A"), None), film("Doble", None, Some("tt0000001")), film("Doble vida", None, None)] {
            ids.push(add(&movies, film).await);
        }
        let found = async |keys: ItemKeys| -> Vec<Id> {
            movies.find_by_keys(keys, 10).await.unwrap().iter().map(|item| item.id).collect()
        };
        let keys = |whole: &[&str], beginnings: &[&str], imdb_ids: &[&str]| {
            let [whole, beginnings, imdb_ids] = [whole, beginnings, imdb_ids].map(|all| all.iter().map(|one| (*one).to_owned()).collect());
            ItemKeys { whole, beginnings, imdb_ids }
        };
        assert_eq!(found(keys(&["doble\n2000\na"], &[], &[])).await, [ids[0]]);
        assert_eq!(found(keys(&[], &["doble\n2000\n"], &[])).await, [ids[0], ids[1]]);
        assert_eq!(found(keys(&[], &["doble\n"], &[])).await, [ids[0], ids[1]]);
        assert_eq!(found(keys(&["doble vida\n2000\n"], &[], &["tt0000001"])).await, [ids[1], ids[2]]);
        let named = movies.find_named(vec!["DOBLE VIDA".into()]).await.unwrap();
        assert_eq!(named.iter().map(|item| item.id).collect::<Vec<_>>(), [ids[2]]);
    }
}
