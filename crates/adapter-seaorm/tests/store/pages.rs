//! The statements of a page: from which end it is read, and in which order.

use adapter_seaorm::{
    SeaOrmVisits,
    catalogue::{CategoriesTable, ContentTable, EpisodesTable, MoviesTable, SeaOrmContents, TvShowsTable},
};
use domain_kernel::{Filter, FilterValue, ListQuery, Sort};
use ports::VisitFilter;
use sea_orm::{Statement, Value};

use crate::{
    contents::by,
    support::{TestDb, on_both},
};

fn statements<T: ContentTable>(db: &TestDb, query: &ListQuery, total: u64) -> Vec<Statement> {
    SeaOrmContents::<T>::new(db.database.clone()).statements(query, total)
}

/// The order in which a statement reads the rows of a page, and the order of the page.
fn orders(statement: &Statement) -> (&str, &str) {
    let [page, read, _] = statement.sql.rsplitn(3, " ORDER BY ").collect::<Vec<_>>()[..] else {
        panic!("two orders: {}", statement.sql)
    };
    let end = |order: &str, mark: &str| order.find(mark).unwrap_or(order.len());
    (&read[..end(read, " LIMIT ")], &page[..end(page, ") r)")])
}

/// Whether a page of so many rows is read from the end, the number of rows before it, and its
/// number of rows; `None` past the end.
fn window(db: &TestDb, page: u64, size: u32, total: u64) -> Option<(bool, i64, i64)> {
    // With this filter the total is counted by a separate statement.
    let filters = vec![Filter { field: "active".into(), value: FilterValue::Flag(true) }];
    let query = ListQuery { page, size, filters, sort: by("type", false), ..ListQuery::default() };
    let all = statements::<CategoriesTable>(db, &query, total);
    let [_, rows] = &all[..] else { return None };
    let values = &rows.values.as_ref().unwrap().0;
    let [.., Value::BigInt(Some(limit)), Value::BigInt(Some(skipped))] = values[..] else {
        panic!("{values:?}")
    };
    let (read, page) = orders(rows);
    assert_eq!(page, "m.type ASC, m.id ASC");
    Some((read != page, skipped, limit))
}

/// The order of a page near the beginning, and the reversed order of one near the end.
fn sorted<T: ContentTable>(db: &TestDb, fields: &[(&str, bool)]) -> (String, String) {
    let sort =
        fields.iter().map(|(field, descending)| Sort { field: (*field).into(), descending: *descending });
    let near = ListQuery { sort: sort.collect(), ..ListQuery::default() };
    both(|query| statements::<T>(db, query, 1_000_000), near)
}

fn both(statements: impl Fn(&ListQuery) -> Vec<Statement>, near: ListQuery) -> (String, String) {
    let far = ListQuery { page: 99_999, ..near.clone() };
    let (near, far) = (statements(&near), statements(&far));
    let (read, order) = orders(near.last().unwrap());
    assert_eq!(read, order);
    let (reversed, page) = orders(far.last().unwrap());
    assert_eq!(page, order);
    (order.to_owned(), reversed.to_owned())
}

on_both! {
    async fn a_page_is_read_from_the_nearer_end(db: &TestDb) {
        assert_eq!(window(db, 0, 10, 25), Some((false, 0, 10)));
        assert_eq!(window(db, 1, 10, 25), Some((false, 10, 10)));
        assert_eq!(window(db, 2, 10, 25), Some((true, 0, 5)));
        assert_eq!(window(db, 7, 10, 100), Some((true, 20, 10)));
        assert_eq!(window(db, 3, 10, 25), None);
        assert_eq!(window(db, 0, 10, 0), None);
    }

    async fn the_id_is_last_and_follows_the_last_column_both_ways(db: &TestDb) {
        let movies = |fields: &[(&str, bool)]| sorted::<MoviesTable>(db, fields);
        let is = |order: &str, reversed: &str| (order.to_owned(), reversed.to_owned());
        assert_eq!(
            movies(&[("title", true), ("year", false)]),
            is("m.title_key DESC, m.year ASC, m.id ASC", "m.title_key ASC, m.year DESC, m.id DESC")
        );
        assert_eq!(movies(&[("id", true)]), is("m.id DESC", "m.id ASC"));
        assert_eq!(movies(&[]), is("m.id ASC", "m.id DESC"));
        let visits = SeaOrmVisits(db.database.clone());
        assert_eq!(
            both(|query| visits.statements(&VisitFilter::default(), query), ListQuery::default()),
            is("v.occurred_at DESC, v.id DESC", "v.occurred_at ASC, v.id ASC")
        );
    }

    async fn no_value_is_less_than_any_both_ways(db: &TestDb) {
        let is = |order: &str, reversed: &str| (order.to_owned(), reversed.to_owned());
        assert_eq!(
            sorted::<TvShowsTable>(db, &[("totalEpisodes", false)]),
            is("m.total_episodes ASC NULLS FIRST, m.id ASC", "m.total_episodes DESC NULLS LAST, m.id DESC")
        );
        assert_eq!(
            sorted::<EpisodesTable>(db, &[("airDate", true)]),
            is("m.air_date DESC NULLS LAST, m.id DESC", "m.air_date ASC NULLS FIRST, m.id ASC")
        );
        assert_eq!(
            sorted::<TvShowsTable>(db, &[("year", false)]),
            is("m.year ASC, m.id ASC", "m.year DESC, m.id DESC")
        );
        assert_eq!(
            sorted::<EpisodesTable>(db, &[("title", false)]),
            is("m.title_key ASC, m.id ASC", "m.title_key DESC, m.id DESC")
        );
    }
}
