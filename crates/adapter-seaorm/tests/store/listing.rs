//! Lists: rows, orders, pages, filters.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain_kernel::{Filter, Id, ListQuery, Sort};
use ports::ContentRepository;
use serde_json::Value;

use crate::{
    contents::{TestContents, by, filters, pairs_of_filters, sortable},
    kinds::{KindFixture, store},
    support::{TestDb, for_categories_and_movies, nightly},
};

/// Asserts the same JSON, ignoring the format of numbers and times.
fn assert_same(one: &Value, other: &Value, field: &str) {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => assert_eq!(one.as_f64(), other.as_f64(), "{field}"),
        (Value::String(one), Value::String(other)) if ["createdDate", "updatedDate"].contains(&field) => {
            let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
            assert_eq!(moment(one), moment(other), "{field}");
            assert!(one.ends_with('Z'), "{field} is in UTC: {one}");
        }
        _ => assert_eq!(one, other, "{field}"),
    }
}

for_categories_and_movies! {
    async fn a_row_of_the_list_is_the_item_without_its_details<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 60).await;
        let page = contents.page(&ListQuery { size: 1000, ..ListQuery::default() }).await;
        assert_eq!(page.content.len(), 60);
        for (row, known) in page.content.iter().zip(&contents.items) {
            let found = contents.store.find(known.id).await.unwrap().unwrap();
            let found = serde_json::to_value(&found).unwrap();
            assert_eq!(found, known.json, "what was stored is what is found");
            let row = row.as_object().unwrap();
            let mut names: BTreeSet<&str> = row.keys().map(String::as_str).collect();
            if let Some(category) = row.get("category") {
                names.remove("category");
                assert_eq!(category["id"], row["categoryId"]);
                let id = category["id"].as_i64().unwrap();
                let kept = store::<domain_catalogue::Category>(db).find(id).await.unwrap().unwrap().content;
                assert_eq!(category["description"], kept.description.as_str());
                assert_eq!(category["englishDescription"], kept.english_description.as_str());
                assert_eq!(category.as_object().unwrap().len(), 3);
            }
            if names.remove("qualities") {
                let active = found["links"].as_array().unwrap().iter().filter(|link| link["active"] == true);
                let qualities: BTreeSet<&str> = active.map(|link| link["quality"].as_str().unwrap()).collect();
                let shown: Vec<&str> = row["qualities"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
                assert_eq!(shown.len(), qualities.len(), "they are distinct");
                assert_eq!(BTreeSet::from_iter(shown), qualities);
            }
            let whole = found.as_object().unwrap();
            let expected: BTreeSet<&str> =
                whole.keys().map(String::as_str).filter(|name| !C::OMITTED_FROM_LIST.contains(name) && *name != "updatedBy").collect();
            assert_eq!(names, expected);
            for name in expected {
                assert_same(&row[name], &whole[name], name);
            }
        }
    }

    async fn an_empty_list_is_empty<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 0).await;
        for search in [None, Some("a"), Some("abc")] {
            for filters in filters::<C>(&contents.categories).into_iter().map(|filter| vec![filter]).chain([vec![]]) {
                contents.check(&ListQuery { search: search.map(Into::into), filters, ..ListQuery::default() }).await;
            }
        }
    }

    async fn lists_are_ordered_by_every_field_both_ways_on_near_and_far_pages<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        contents.check(&ListQuery { size: 1000, ..ListQuery::default() }).await;
        for field in sortable::<C>() {
            for descending in [false, true] {
                let sort = by(field, descending);
                contents.check(&ListQuery { size: 1000, sort: sort.clone(), ..ListQuery::default() }).await;
                // Near, around the first far one, the middle, from the end, the last, past the end.
                for page in [0, 1, 49, 50, 51, 74, 75, 76, 120, 149, 150, 10_000_000_000] {
                    contents.check(&ListQuery { page, sort: sort.clone(), ..ListQuery::default() }).await;
                }
            }
        }
    }

    async fn several_sort_fields_apply_in_their_order<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 800).await;
        for one in sortable::<C>() {
            for other in sortable::<C>().filter(|other| *other != one) {
                for (first, second) in [(false, false), (true, false), (false, true)] {
                    let sort = vec![
                        Sort { field: one.into(), descending: first },
                        Sort { field: other.into(), descending: second },
                    ];
                    for page in [0, 6] {
                        let sort = sort.clone();
                        contents.check(&ListQuery { page, size: 100, sort, ..ListQuery::default() }).await;
                    }
                }
            }
        }
    }

    async fn pages_have_neither_gaps_nor_overlaps<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_203).await;
        for size in [7, 100, 999, 1000] {
            for sort in [vec![], by("active", true), by(C::SORTS[0], false)] {
                let mut seen: Vec<Id> = Vec::new();
                let mut query = ListQuery { size, sort, ..ListQuery::default() };
                loop {
                    let page = contents.page(&query).await;
                    assert_eq!(page.total_elements, 1_203);
                    if page.content.is_empty() {
                        assert_eq!(query.page, page.total_pages, "only the page past the end is empty");
                        break;
                    }
                    seen.extend(page.content.iter().map(|row| row["id"].as_i64().unwrap()));
                    query.page += 1;
                }
                assert_eq!(seen[..], contents.expected(&query)[..]);
            }
        }
    }

    async fn filters_match_alone_and_together_in_every_order<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 1_500).await;
        let alone: Vec<Vec<Filter>> = filters::<C>(&contents.categories).into_iter().map(|filter| vec![filter]).collect();
        for filters in alone.into_iter().chain(pairs_of_filters::<C>(&contents.categories)) {
            let requested = |size, page, sort| ListQuery { size, page, sort, filters: filters.clone(), ..ListQuery::default() };
            contents.check(&requested(1000, 0, vec![])).await;
            for field in sortable::<C>() {
                // One row: few enough for a scan of the order's index instead of the filter's.
                let few = [(1, 0, false), (25, 30, true)];
                let more = [(1, 0, true), (25, 30, false), (10, 0, false), (10, 0, true), (10, 20, false), (10, 20, true)];
                for (size, page, descending) in few.into_iter().chain(more.into_iter().filter(|_| nightly())) {
                    contents.check(&requested(size, page, by(field, descending))).await;
                }
            }
        }
    }
}
