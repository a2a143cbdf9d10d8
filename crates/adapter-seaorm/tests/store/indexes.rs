//! Every list of the panel uses an index, on near and far pages. Checked with the planners, on
//! tables of a few thousand rows and without statistics.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmUsers,
    catalogue::{CategoriesTable, ContentTable, EpisodesTable, SeaOrmContents, TvShowsTable},
};
use domain_kernel::{Filter, FilterValue, Id, ListQuery};
use domain_users::Scope;
use ports::{ContentRepository, UserRepository};
use sea_orm::{ConnectionTrait, Statement, TransactionTrait};
use serde_json::Value;

use crate::{
    contents::{TestContents, by, filters, pairs_of_filters, sortable},
    fixture::TestUsers,
    kinds::{KindFixture, add_sample},
    statements::fill,
    support::{TestDb, for_categories_and_movies, nightly, on_both},
};

const ROWS: u64 = 3_000;
/// The start, after the near pages, the middle, the last.
const PAGES: [u64; 4] = [0, 60, 160, 299];

/// The lines of the plan of a statement.
pub(crate) async fn plan(db: &TestDb, statement: &Statement, in_order: bool) -> Vec<String> {
    let (explain, column) =
        if db.is_sqlite() { ("EXPLAIN QUERY PLAN", "detail") } else { ("EXPLAIN", "QUERY PLAN") };
    let values = statement.values.clone().map(|values| values.0).unwrap_or_default();
    let sql = format!("{explain} {}", statement.sql);
    let requested = Statement::from_sql_and_values(db.database.backend(), sql, values);
    let transaction = db.database.connection().begin().await.unwrap();
    if !db.is_sqlite() {
        // A few thousand rows are fastest to scan and sort; a million are not.
        let off = if in_order {
            "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
        } else {
            "SET LOCAL enable_seqscan = off"
        };
        transaction.execute_unprepared(off).await.unwrap();
    }
    let rows = transaction.query_all_raw(requested).await.unwrap();
    rows.iter().map(|row| row.try_get("", column).unwrap()).collect()
}

/// The part of a plan that finds the page's IDs; the rest fetches these few rows, and sorts them
/// again.
fn finding<'a>(db: &TestDb, plan: &'a [String]) -> Option<&'a [String]> {
    let (from, to) =
        if db.is_sqlite() { ("CO-ROUTINE page", "SCAN page") } else { ("->  Limit", "_pkey on ") };
    let begin = plan.iter().position(|line| line.contains(from))?;
    let end =
        plan[begin..].iter().position(|line| line.contains(to)).map_or(plan.len(), |length| begin + length);
    Some(&plan[begin..end])
}

/// No table is scanned.
fn assert_indexed<C: KindFixture>(db: &TestDb, query: &ListQuery, statement: &Statement, plan: &[String]) {
    let table = C::KIND.path();
    let reported = || format!("{query:?}\n{}\n{}", statement.sql, plan.join("\n"));
    if db.is_sqlite() {
        let in_order_of_ids = query.sort.iter().all(|sort| sort.field == "id") && query.search.is_none();
        let looked_at = match finding(db, plan) {
            Some(finding) => finding,
            // The total: from the counter table, which has a handful of rows, or from the table.
            None if statement.sql.contains(&format!("FROM {table}_counts m")) => &[],
            None => plan,
        };
        assert!(in_order_of_ids || !looked_at.iter().any(|line| line == "SCAN m"), "{}", reported());
    } else {
        assert!(!plan.iter().any(|line| line.contains(&format!("Seq Scan on {table} "))), "{}", reported());
    }
}

/// Rows are read in order, and only those that are skipped and shown.
fn assert_in_order(db: &TestDb, query: &ListQuery, statement: &Statement, plan: &[String]) {
    let reported = || format!("{query:?}\n{}\n{}", statement.sql, plan.join("\n"));
    let Some(finding) = finding(db, plan) else { return };
    let sorts = finding.iter().any(|line| line.contains("TEMP B-TREE") || line.contains("->  Sort"));
    assert!(!sorts, "{}", reported());
    if !db.is_sqlite() {
        let by_key = query.sort.iter().all(|sort| sort.field == "id") && finding.len() == 1;
        assert!(by_key || finding.iter().any(|line| line.contains("Index Only Scan")), "{}", reported());
    } else if query.sort.iter().any(|sort| sort.field != "id") {
        assert!(finding.iter().any(|line| line.contains("USING COVERING INDEX")), "{}", reported());
    }
}

async fn assert_all<C: KindFixture>(
    db: &TestDb,
    contents: &TestContents<C>,
    query: &ListQuery,
    in_order: bool,
) {
    let total = if query.search.is_none() && query.filters.is_empty() {
        ROWS
    } else {
        contents.expected(query).len() as u64
    };
    // With its own total, that of a million rows, and as a page near the end.
    for total in [total, 1_000_000, ROWS].into_iter().take(if in_order || nightly() { 3 } else { 2 }) {
        for statement in contents.store.statements(query, total) {
            let plan = plan(db, &statement, in_order).await;
            assert_indexed::<C>(db, query, &statement, &plan);
            if in_order {
                assert_in_order(db, query, &statement, &plan);
            }
        }
    }
}

/// A list ordered by a column in which each third row is null, and all others are equal, starts
/// with the nulls.
async fn assert_empty_first<T: ContentTable>(db: &TestDb, field: &str, column: &str) {
    fill::<T>(db).await;
    let table = T::default().table_name().to_owned();
    db.fill(&format!("UPDATE {table} SET {column} = NULL WHERE id % 3 = 0")).await;
    let rows = db.rows(&format!("SELECT id FROM {table} ORDER BY id")).await;
    let ids = rows.iter().map(|row| row.try_get::<Id>("", "id").unwrap());
    let (mut expected, others): (Vec<Id>, Vec<Id>) = ids.partition(|id| id % 3 == 0);
    expected.extend(others);
    let store = SeaOrmContents::<T>::new(db.database.clone());
    for descending in [false, true] {
        if descending {
            expected.reverse();
        }
        for page in PAGES {
            let query = ListQuery { page, sort: by(field, descending), ..ListQuery::default() };
            let found = store.list(&query).await.unwrap();
            let found: Vec<Value> = serde_json::from_str(found.content.0.get()).unwrap();
            let found: Vec<Id> = found.iter().map(|row| row["id"].as_i64().unwrap()).collect();
            let first = usize::try_from(query.offset()).unwrap();
            assert_eq!(found, expected[first..first + 10], "{query:?}");
            for statement in store.statements(&query, ROWS) {
                assert_in_order(db, &query, &statement, &plan(db, &statement, true).await);
            }
        }
    }
}

on_both! {
    async fn rows_without_a_value_come_first_ascending_and_last_descending_along_an_index(db: &TestDb) {
        add_sample::<CategoriesTable>(db).await;
        assert_empty_first::<TvShowsTable>(db, "totalEpisodes", "total_episodes").await;
        assert_empty_first::<EpisodesTable>(db, "airDate", "air_date").await;
    }
}

for_categories_and_movies! {
    async fn a_list_scans_the_index_of_its_order_both_ways_on_every_page<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        for sort in sortable::<C>().flat_map(|field| [by(field, false), by(field, true)]).chain([vec![]]) {
            for page in PAGES {
                assert_all(db, &contents, &ListQuery { page, sort: sort.clone(), ..ListQuery::default() }, true).await;
            }
        }
    }

    async fn a_filtered_list_uses_an_index_in_every_order<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        let alone = filters::<C>(&contents.categories).into_iter().map(|filter| vec![filter]);
        let pages = if nightly() { 4 } else { 2 };
        for filters in alone.chain(pairs_of_filters::<C>(&contents.categories).into_iter().take(3)) {
            // On a push the near page in one direction, and the far page in the other.
            for (page, descending) in [(0, false), (160, true), (0, true), (160, false)].into_iter().take(pages) {
                for sort in sortable::<C>().map(|field| by(field, descending)).chain([vec![]]) {
                    let (sort, filters) = (sort, filters.clone());
                    assert_all(db, &contents, &ListQuery { page, sort, filters, ..ListQuery::default() }, false).await;
                }
            }
        }
    }

    async fn a_search_uses_an_index_in_every_order_alone_and_filtered<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        let by_text = format!("{}_by_search", C::KIND.path());
        for search in ["cor", "corazon salvaje", "zzzzzz"] {
            let query = ListQuery { search: Some(search.into()), ..ListQuery::default() };
            let total = &contents.store.statements(&query, ROWS)[0];
            let reported = plan(db, total, false).await.join("\n");
            let sign = if db.is_sqlite() { "VIRTUAL TABLE INDEX 0:M1" } else { by_text.as_str() };
            assert!(reported.contains(sign), "{}\n{reported}", total.sql);
            for sort in sortable::<C>().map(|field| by(field, true)).chain([vec![]]) {
                let filters = filters::<C>(&contents.categories).into_iter().map(|filter| vec![filter]);
                for filters in filters.take(2).chain([vec![]]) {
                    let query = ListQuery { sort: sort.clone(), filters, ..query.clone() };
                    assert_all(db, &contents, &query, false).await;
                }
            }
        }
    }

    async fn one_or_two_letters_are_searched_along_a_narrow_index<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        for sort in sortable::<C>().map(|field| by(field, false)) {
            // In the order of IDs it reads the table's rows until enough match.
            for sort in [sort].into_iter().filter(|sort| sort[0].field != "id") {
                let query = ListQuery { search: Some("co".into()), sort, ..ListQuery::default() };
                assert_all(db, &contents, &query, false).await;
            }
        }
    }
}

/// The users of a database, and the statements that read them.
fn watched_users(db: &TestDb) -> (SeaOrmUsers, Arc<Mutex<Vec<Statement>>>) {
    let noted = Arc::<Mutex<Vec<Statement>>>::default();
    let notes = Arc::clone(&noted);
    let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
    (SeaOrmUsers(watched), noted)
}

on_both! {
    async fn users_of_a_registering_user_are_counted_along_the_index_of_lineages(db: &TestDb) {
        TestUsers::of(db).await;
        let (users, noted) = watched_users(db);
        for field in ["registeredBy", "beneath"] {
            let filters = vec![Filter { field: field.into(), value: FilterValue::Text("Root_1".into()) }];
            let query = ListQuery { filters, ..ListQuery::default() };
            users.list(&Scope::Everyone, &query, None).await.unwrap();
            let statements = std::mem::take(&mut *noted.lock().unwrap());
            let total = &statements[0];
            let steps = plan(db, total, false).await.join("\n");
            assert!(steps.contains("users_by_lineage"), "{}\n{steps}", total.sql);
        }
    }
}

#[tokio::test]
async fn postgres_orders_users_by_name_along_an_index_that_has_their_ids() {
    let Some(db) = TestDb::postgres().await else { return };
    TestUsers::of(&db).await;
    let (users, noted) = watched_users(&db);
    for descending in [false, true] {
        let query = ListQuery { sort: by("username", descending), ..ListQuery::default() };
        assert_eq!(users.list(&Scope::Everyone, &query, None).await.unwrap().content.len(), 1);
        let rows = noted.lock().unwrap().pop().unwrap();
        let steps = plan(&db, &rows, true).await.join("\n");
        assert!(steps.contains("users_by_username_key"), "{}\n{steps}", rows.sql);
    }
    db.remove().await;
}

#[tokio::test]
async fn sqlite_reads_the_rows_of_a_page_and_not_the_whole_table_for_them() {
    let db = TestDb::sqlite().await;
    TestUsers::of(&db).await;
    let (users, noted) = watched_users(&db);
    for sort in
        ["id", "username", "signIns"].into_iter().flat_map(|field| [by(field, false), by(field, true)])
    {
        let query = ListQuery { sort, ..ListQuery::default() };
        assert_eq!(users.list(&Scope::Everyone, &query, None).await.unwrap().content.len(), 1);
        let rows = noted.lock().unwrap().pop().unwrap();
        let steps = plan(&db, &rows, false).await;
        assert!(steps.iter().any(|step| step == "SCAN page"), "{}\n{}", rows.sql, steps.join("\n"));
    }
    db.remove().await;
}
