//! The middle of long lists is correct after and during writes.

use domain_kernel::{ListQuery, Sort};
use futures_util::future::join_all;
use ports::ContentRepository;

use crate::{
    contents::{TestContents, by, filters, sortable},
    kinds::{KindFixture, add, store},
    support::{TestDb, after, edit, for_categories_and_movies, nightly, start, valid},
};

async fn text<C: KindFixture>(store: &impl ContentRepository<C>, query: &ListQuery) -> String {
    store.list(query).await.unwrap().content.0.get().to_owned()
}

for_categories_and_movies! {
    async fn the_middle_has_the_right_rows_in_every_order_and_with_every_filter<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 3_000).await;
        let mut requested: Vec<ListQuery> = Vec::new();
        for sort in sortable::<C>().flat_map(|field| [by(field, false), by(field, true)]).chain([vec![]]) {
            requested.push(ListQuery { sort, ..ListQuery::default() });
        }
        let mixed = [(C::SORTS[0], false), (C::SORTS[1], true)];
        let mixed = mixed.map(|(field, descending)| Sort { field: field.into(), descending });
        requested.push(ListQuery { sort: mixed.to_vec(), ..ListQuery::default() });
        for filter in filters::<C>(&contents.categories) {
            for sort in [vec![], by(C::SORTS[0], false), by(C::SORTS[1], true)] {
                requested.push(ListQuery { sort, filters: vec![filter.clone()], ..ListQuery::default() });
            }
        }
        // Far in the middle, just before its end, with another size.
        let few = [(110, 10), (1_536, 1), (14, 100)];
        let more = [(120, 10), (1_100, 1), (1_535, 1), (150, 10), (299, 10), (2, 1000), (60, 10)];
        for query in requested {
            for (page, size) in few.into_iter().chain(more.into_iter().filter(|_| nightly())) {
                contents.check(&ListQuery { page, size, ..query.clone() }).await;
            }
        }
    }

    async fn writes_are_visible_in_the_middle_at_once<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 3_000).await;
        let first = contents.items[0].id;
        for (round, sort) in [by(C::SORTS[0], false), by(C::SORTS[1], true), vec![]].into_iter().enumerate() {
            let query = ListQuery { page: 150, sort, ..ListQuery::default() };
            let before = text(&contents.store, &query).await;
            // A change at each end moves all rows in between.
            let category = contents.categories[0];
            let minutes = i64::try_from(round).unwrap();
            let one = add(&contents.store, C::numbered(0, category).named("0000 primero")).await;
            let seen = text(&contents.store, &query).await;
            assert_eq!(seen, text(&store::<C>(db), &query).await, "after an insert");
            contents.store.replace(first, valid(C::numbered(1, category).named("zzzz último")), None, edit(after(minutes))).await.unwrap();
            assert_eq!(text(&contents.store, &query).await, text(&store::<C>(db), &query).await, "after a change");
            contents.store.delete(one, None, edit(start())).await.unwrap();
            let restored = C::numbered(0, category);
            contents.store.replace(first, valid(restored), None, edit(after(minutes))).await.unwrap();
            assert_eq!(text(&contents.store, &query).await, text(&store::<C>(db), &query).await, "after a removal");
            assert!(!before.is_empty());
        }
    }

    async fn writes_of_another_node_are_visible<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 3_000).await;
        let query = ListQuery { page: 150, sort: by(C::SORTS[0], false), ..ListQuery::default() };
        let before = text(&contents.store, &query).await;
        let other = adapter_seaorm::catalogue::SeaOrmContents::<C::Table>::new(db.other_node().await);
        for number in 0..3 {
            add(&other, C::numbered(number, contents.categories[0]).named("0000 primero")).await;
        }
        let seen = text(&contents.store, &query).await;
        assert_ne!(seen, before);
        assert_eq!(seen, text(&other, &query).await);
    }

    async fn reading_the_middle_during_writes_never_fails_or_repeats_a_row<C>(db: &TestDb) {
        let contents = TestContents::<C>::of(db, 3_000).await;
        let category = contents.categories[0];
        let readers = (0..4_u64).map(|reader| {
            let store = &contents.store;
            async move {
                for visit in 0..40 {
                    let page = 15 + (reader + visit) % 10;
                    let query = ListQuery { page, size: 100, sort: by(C::SORTS[0], false), ..ListQuery::default() };
                    let rows: Vec<serde_json::Value> = serde_json::from_str(&text(store, &query).await).unwrap();
                    let mut ids: Vec<i64> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
                    assert_eq!(ids.len(), 100, "pages in the middle are full");
                    ids.sort_unstable();
                    ids.dedup();
                    assert_eq!(ids.len(), 100, "no row twice");
                }
            }
        });
        let writer = async {
            for number in 0..40 {
                let id = add(&contents.store, C::numbered(number, category).named("0000 primero")).await;
                if number % 2 == 0 {
                    contents.store.delete(id, None, edit(start())).await.unwrap();
                }
            }
        };
        futures_util::future::join(join_all(readers), writer).await;
    }
}
