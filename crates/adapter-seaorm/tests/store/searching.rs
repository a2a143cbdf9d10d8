//! Searches: exactly the typed characters, ignoring case and accents.

use domain_kernel::ListQuery;
use ports::ContentRepository;

use crate::{
    contents::{TestContents, by, filters, sortable},
    kinds::{KindFixture, add},
    support::{TestDb, edit, for_categories_and_movies, nightly, start},
};

const SEARCHES: &[&str] = &[
    // Accents and case.
    "corazon",
    "CORAZÓN",
    "Corazo\u{301}n",
    "nandu",
    "ÑANDÚ",
    "angstrom",
    "lodz",
    "strasse",
    "último",
    "東京物語",
    "京物",
    // Wildcards are ordinary characters.
    "%",
    "_",
    "100%",
    "50%",
    "a_b",
    "_raw_",
    "%%",
    "0%",
    "__",
    // So are quotes and operators of search engines.
    "\"",
    "\"\"",
    "\"quoted\"",
    "'",
    "o'brien",
    "*",
    "star*",
    "sta*",
    "and",
    "AND",
    "or not",
    "NEAR",
    "near(",
    "not",
    "c++ ^ ~ :",
    "(par",
    "{curly}",
    "back\\slash",
    "\\",
    "--dash;",
    ";",
    ":",
    "^",
    "corazon OR star",
    "corazon AND salvaje",
    "\"corazon\" *",
    "search_text:corazon",
    "-corazon",
    // One letter, two, three; across the end of a word; with blanks.
    "a",
    "z",
    "II",
    "aj",
    "vaj",
    "n s",
    "on salv",
    "  salvaje  ",
    "de  noche",
    "x",
    // No match.
    "zzzzzz",
    "qqq",
    "☃",
    "corazon salvajes",
    "\u{1F600}",
];

for_categories_and_movies! {
    async fn a_search_finds_exactly_the_items_with_the_text<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        let mut found = 0;
        for search in SEARCHES {
            let query = ListQuery { size: 1000, search: Some((*search).into()), ..ListQuery::default() };
            contents.check(&query).await;
            contents.check(&ListQuery { size: 10, page: 1, ..query.clone() }).await;
            found += usize::from(!contents.expected(&query).is_empty());
        }
        assert!(found > 40, "most of the searches find something: {found}");
    }

    async fn a_search_is_ordered_and_filtered_like_any_list<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        // One letter, two, a common word, none, and an operator of search engines.
        let few = ["a", "no", "corazon", "zzzzzz", "or not"];
        let more = ["salvaje", "100", "%", "a_b"];
        for search in few.into_iter().chain(more.into_iter().filter(|_| nightly())) {
            let query = ListQuery { search: Some(search.into()), ..ListQuery::default() };
            for field in sortable::<C>() {
                for (descending, size, page) in [(false, 10, 0), (true, 10, 0), (false, 1, 0), (true, 20, 3)] {
                    let sort = by(field, descending);
                    contents.check(&ListQuery { size, page, sort, ..query.clone() }).await;
                }
            }
            for filter in filters::<C>(&contents.categories) {
                let query = ListQuery { filters: vec![filter], ..query.clone() };
                contents.check(&query).await;
                contents.check(&ListQuery { sort: by(C::SORTS[0], true), ..query.clone() }).await;
                contents.check(&ListQuery { sort: by(C::SORTS[1], false), size: 1, ..query.clone() }).await;
                contents.check(&ListQuery { page: 9, ..query }).await;
            }
        }
    }

    async fn a_search_of_blanks_is_none<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 30).await;
        for search in ["", " ", "\t\n", "\u{301}", "\u{0}"] {
            contents.check(&ListQuery { search: Some(search.into()), ..ListQuery::default() }).await;
        }
    }

    async fn searches_find_the_current_state_of_changed_and_removed_items<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 3).await;
        let hits = async |search: &str| {
            contents.page(&ListQuery { search: Some(search.into()), ..ListQuery::default() }).await.total_elements
        };
        let item = C::numbered(3, contents.categories[0]);
        let id = add(&contents.store, item.clone().named("Murciélago")).await;
        assert_eq!((hits("murcielago").await, hits("mu").await), (1, 1));
        let renamed = crate::support::valid(item.named("Golondrina"));
        contents.store.replace(id, renamed, None, crate::support::edit(crate::support::start())).await.unwrap();
        assert_eq!((hits("murcielago").await, hits("golondrina").await), (0, 1));
        contents.store.set_active(id, true, None, crate::support::edit(crate::support::start())).await.unwrap();
        assert_eq!(hits("golondrina").await, 1);
        contents.store.delete(id, None, edit(start())).await.unwrap();
        assert_eq!((hits("golondrina").await, hits("go").await), (0, 0));
    }
}
