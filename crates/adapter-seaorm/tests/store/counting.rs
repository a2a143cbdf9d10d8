//! The counts kept beside a table, and its search index, never drift from its rows.

use domain_kernel::Id;
use ports::{ContentRepository, ImportedItem};
use sea_orm::QueryResult;

use crate::{
    kinds::{Case, add, store},
    support::{Dice, Home, after, for_every_kind, start, valid},
};

/// Rows as text, whatever their types.
fn counts(rows: &[QueryResult]) -> Vec<(String, i64)> {
    let one = |row: &QueryResult| (row.try_get("", "facets").unwrap(), row.try_get("", "total").unwrap());
    rows.iter().map(one).collect()
}

async fn assert_counts_hold<C: Case>(home: &Home, when: &str) {
    let table = C::KIND.path();
    let facets: Vec<String> =
        C::FILTERS.iter().map(|(field, _)| format!("CAST({} AS text)", column(field))).collect();
    let facets = facets.join(" || ' ' || ");
    let kept = format!("SELECT {facets} AS facets, total FROM {table}_counts WHERE total <> 0 ORDER BY 1");
    let counted = format!("SELECT {facets} AS facets, count(*) AS total FROM {table} GROUP BY 1 ORDER BY 1");
    assert_eq!(counts(&home.rows(&kept).await), counts(&home.rows(&counted).await), "{when}");
    let total = store::<C>(home).list(&domain_kernel::ListQuery::default()).await.unwrap().total_elements;
    let rows = home.number(&format!("SELECT count(*) AS number FROM {table}")).await;
    assert_eq!(i64::try_from(total).unwrap(), rows, "{when}");
    if home.is_sqlite() {
        // Fails where the index and the rows tell different stories.
        home.run(&format!("INSERT INTO {table}_search({table}_search, rank) VALUES ('integrity-check', 1)"))
            .await;
    }
}

fn column(field: &str) -> String {
    field
        .chars()
        .map(|c| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.to_string() })
        .collect()
}

for_every_kind! {
    async fn kept_counts_equal_counted_ones_whatever_happens<C>(home: &Home) {
        let grounds = C::ground(home).await;
        let store = store::<C>(home);
        let mut dice = Dice(20_261_120);
        let mut ids: Vec<Id> = Vec::new();
        for step in 0..400_usize {
            let number = usize::try_from(dice.roll(1_500)).unwrap();
            let ground = grounds[usize::try_from(dice.roll(grounds.len() as u64)).unwrap()];
            let draft = C::numbered(number, ground);
            let pick = usize::try_from(dice.roll(ids.len().max(1) as u64)).unwrap();
            let now = after(i64::try_from(step).unwrap());
            match (dice.roll(7), ids.get(pick).copied()) {
                (0 | 1, _) | (_, None) => ids.push(add(&store, draft).await),
                (2, Some(id)) => drop(store.replace(id, valid(draft), None, now).await.unwrap()),
                (3 | 4, Some(id)) => drop(store.set_active(id, step % 2 == 0, None, now).await.unwrap()),
                (5, Some(id)) => {
                    store.delete(id, None).await.unwrap();
                    ids.swap_remove(pick);
                }
                (_, Some(_)) => {
                    let content = valid(draft);
                    let item = ImportedItem { content, views: 1, created_date: None, updated_date: None };
                    store.import(vec![item], now).await.unwrap();
                }
            }
            if step % 40 == 39 {
                assert_counts_hold::<C>(home, &format!("after step {step}")).await;
            }
        }
        home.run(&format!("DELETE FROM {}", C::KIND.path())).await;
        assert_counts_hold::<C>(home, "after everything is gone").await;
    }

    async fn counts_hold_when_many_write_at_once<C>(home: &Home) {
        let grounds = C::ground(home).await;
        let one = |number: usize| {
            let store = store::<C>(home);
            let grounds = grounds.clone();
            tokio::spawn(async move {
                let id = add(&store, C::numbered(number, grounds[number % grounds.len()])).await;
                for step in 0..4 {
                    store.set_active(id, step % 2 == 0, None, after(1)).await.unwrap();
                }
                let other = C::numbered(number + 1, grounds[(number + 1) % grounds.len()]);
                store.replace(id, valid(other), None, start()).await.unwrap();
                if number.is_multiple_of(3) {
                    store.delete(id, None).await.unwrap();
                }
            })
        };
        for task in (0..48).map(one).collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_counts_hold::<C>(home, "after the rush").await;
    }
}
