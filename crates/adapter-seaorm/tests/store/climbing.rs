//! The middle of long lists: right on the first visit, by a ladder, and after a write.

use domain_kernel::{Filter, Id, ListQuery};
use ports::ContentRepository;

use crate::{
    kinds::Case,
    support::{Home, for_every_kind},
    world::{World, by, filters, sortable},
};

/// Pages of the middle, often enough for a ladder to be made and used.
async fn visit<C: Case>(world: &World<C>, query: &ListQuery) {
    let all = world.expected(query);
    for part in [25, 40, 50, 60, 33, 51, 49, 75, 67, 26] {
        let begin = all.len() * part / 1_000 * 10;
        let page = ListQuery { page: begin as u64 / 10, ..query.clone() };
        let rows = world.page(&page).await;
        let ids: Vec<Id> = rows.content.iter().map(|row| row["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, all[begin..begin + 10], "{page:?}");
        assert_eq!(rows.total_elements, all.len() as u64);
    }
}

for_every_kind! {
    async fn the_middle_of_a_long_list_is_right_before_and_after_writes<C>(home: &Home) {
        let mut world = World::<C>::of(home, 5_000).await;
        let mut kept: Vec<Vec<Filter>> = vec![vec![]];
        kept.extend(filters::<C>(&world.grounds).into_iter().take(1).map(|filter| vec![filter]));
        for written in [false, true] {
            if written {
                // At the beginning and in the middle: every row behind moves.
                for index in [2_500, 0] {
                    let gone = world.items.remove(index);
                    world.store.delete(gone.id, None).await.unwrap();
                }
            }
            for filters in &kept {
                for sort in sortable::<C>().flat_map(|field| [by(field, false), by(field, true)]).chain([vec![]]) {
                    let query = ListQuery { sort, filters: filters.clone(), ..ListQuery::default() };
                    visit(&world, &query).await;
                }
            }
        }
    }
}
