//! The cost of a page of a list: one statement near the start, never more than two. Counted at
//! execution, for every kind.

use std::sync::{Arc, Mutex};

use adapter_seaorm::catalogue::*;
use domain_catalogue::Content;
use domain_kernel::{Filter, FilterKind, FilterValue, ListQuery, Sort, fold};
use ports::ContentRepository;
use sea_orm::{IdenStatic, Iterable};

use crate::{
    contents::by,
    kinds::add_sample,
    support::{TestDb, nightly, on_both, start},
};

const ROWS: u64 = 3_000;

/// A store that records its statements.
struct Noted<T> {
    store: SeaOrmContents<T>,
    noted: Arc<Mutex<Vec<String>>>,
}

impl<T: ContentTable> Noted<T> {
    fn of(db: &TestDb) -> Self {
        let noted = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&noted);
        let watched =
            db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.sql.clone()));
        Self { store: SeaOrmContents::new(watched), noted }
    }

    /// The number of statements of a page.
    async fn cost(&self, query: &ListQuery) -> usize {
        self.noted.lock().unwrap().clear();
        self.store.list(query).await.unwrap();
        let noted = self.noted.lock().unwrap();
        assert!((1..=2).contains(&noted.len()), "{query:?} costs\n{}", noted.join("\n"));
        noted.len()
    }
}

/// Enough rows of a kind for a page in the middle: copies of its sample with other keys.
pub(crate) async fn fill<T: ContentTable>(db: &TestDb) {
    let first = add_sample::<T>(db).await;
    let table = T::default().table_name().to_owned();
    let columns: Vec<&str> =
        T::Column::iter().map(|column| column.as_str()).filter(|name| *name != "id").collect();
    let varied = columns.iter().map(|name| match *name {
        "natural_key" | "title_key" | "description_key" => format!("{name} || n.i"),
        "views" | "season_number" | "episode_number" => format!("{name} + n.i"),
        name => name.to_owned(),
    });
    let (columns, varied) = (columns.join(", "), varied.collect::<Vec<_>>().join(", "));
    db.fill(&format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) \
         INSERT INTO {table} ({columns}) SELECT {varied} FROM {table}, n WHERE id = {first}",
        ROWS - 1
    ))
    .await;
}

/// Combinations of filters and searches: each alone and none of either; nightly, each filter with
/// each search.
fn combinations<C: Content>() -> Vec<(Vec<Filter>, Option<String>)> {
    let all = filters::<C>()
        .into_iter()
        .flat_map(|filters| searches::<C>().into_iter().map(move |search| (filters.clone(), search)));
    all.filter(|(filters, search)| nightly() || filters.is_empty() || search.is_none()).collect()
}

/// Filters that match the samples, alone, and none.
fn filters<C: Content>() -> Vec<Vec<Filter>> {
    let sample = serde_json::to_value(C::sample()).unwrap();
    let value_of = |field: &str, kind: FilterKind| match kind {
        FilterKind::Flag => FilterValue::Flag(sample[field] == true),
        FilterKind::Reference => FilterValue::Reference(1),
        FilterKind::Number => FilterValue::Number(sample[field].as_i64().unwrap()),
        FilterKind::Text => FilterValue::Text(sample[field].as_str().unwrap_or_default().into()),
        FilterKind::Code(codes) => {
            let code = codes.iter().find(|code| sample[field] == **code);
            FilterValue::Code(code.copied().unwrap_or(codes[0]))
        }
        FilterKind::References => FilterValue::References(vec![1, 2]),
        FilterKind::Codes(codes) => FilterValue::Codes(codes[..2].to_vec()),
        FilterKind::Day => FilterValue::Day("1999-03-31".parse().unwrap()),
        FilterKind::Moment => FilterValue::Moment(start()),
    };
    let one = |(field, kind): &(&str, FilterKind)| {
        vec![Filter { field: (*field).into(), value: value_of(field, *kind) }]
    };
    C::FILTERS.iter().map(one).chain([vec![]]).collect()
}

/// Words of the samples, of one letter, two and more, and none.
fn searches<C: Content>() -> [Option<String>; 4] {
    let seen = fold(&C::sample().search_text());
    [0, 1, 2, 4].map(|letters| Some(seen.chars().take(letters).collect()).filter(|_| letters > 0))
}

/// Every order of the whole list, and two of partial lists.
fn orders<C: Content>(whole: bool) -> Vec<Vec<Sort>> {
    let all = C::SORTS
        .iter()
        .copied()
        .chain(["id", "updatedDate"])
        .flat_map(|field| [by(field, false), by(field, true)]);
    let mixed = [by(C::SORTS[0], false), by("id", true)].concat();
    if whole { all.chain([vec![], mixed]).collect() } else { vec![vec![], by(C::SORTS[0], true)] }
}

async fn assert_cheap<T: ContentTable>(db: &TestDb) {
    fill::<T>(db).await;
    // As autovacuum does: without statistics PostgreSQL compares every row with every address.
    if !db.is_sqlite() {
        db.fill("ANALYZE").await;
    }
    let noted = Noted::<T>::of(db);
    for (filters, search) in combinations::<T::Content>() {
        let whole = filters.is_empty() && search.is_none();
        for sort in orders::<T::Content>(whole) {
            let requested =
                ListQuery { search: search.clone(), sort, filters: filters.clone(), ..ListQuery::default() };
            // The start, after the near pages, the middle, the last, past the end.
            for page in [0, 1, 60, 145, 150, 299, 300, 10_000] {
                noted.cost(&ListQuery { page, ..requested.clone() }).await;
            }
        }
    }
}

on_both! {
    async fn every_page_of_every_kind_costs_two_statements_at_most(db: &TestDb) {
        macro_rules! every_kind {
            ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
                $(assert_cheap::<TableOf<domain_catalogue::$type>>(db).await;)+
            };
        }
        domain_catalogue::for_each_kind!(every_kind);
    }

    async fn a_page_near_the_beginning_costs_one_statement(db: &TestDb) {
        fill::<CategoriesTable>(db).await;
        fill::<MoviesTable>(db).await;
        let search = Some("pel".to_owned());
        let by_year = ListQuery { sort: by("year", true), ..ListQuery::default() };
        for query in [ListQuery::default(), by_year, ListQuery { search, ..ListQuery::default() }] {
            assert_eq!(Noted::<MoviesTable>::of(db).cost(&query).await, 1, "{query:?}");
        }
        let far = ListQuery { page: 250, ..ListQuery::default() };
        assert_eq!(Noted::<MoviesTable>::of(db).cost(&far).await, 2);
    }
}

#[tokio::test]
async fn sqlite_is_compiled_with_the_options_for_fast_lists() {
    let db = TestDb::sqlite().await;
    let rows = db.rows("SELECT compile_options AS word FROM pragma_compile_options").await;
    let options: Vec<String> = rows.iter().map(|row| row.try_get("", "word").unwrap()).collect();
    let has = |option: &str| options.iter().any(|known| known == option);
    assert!(has("DEFAULT_MEMSTATUS=0") || has("OMIT_MEMSTATUS"), "{options:?}");
    assert!(has("ENABLE_QPSG"), "{options:?}");
    assert!(!has("ENABLE_MEMORY_MANAGEMENT"), "{options:?}");
    db.remove().await;
}
