//! Counter tables and the search index always equal the rows.

use adapter_seaorm::catalogue::ContentTable;
use domain_catalogue::Movie;
use domain_kernel::Id;
use ports::{ContentRepository, ImportedItem};
use sea_orm::{ConnectionTrait, QueryResult, TransactionTrait};

use crate::{
    kinds::{KindFixture, add, store},
    support::{Rng, TestDb, after, edit, for_categories_and_movies, start, valid},
};

/// Rows as text, of any type.
fn counts(rows: &[QueryResult]) -> Vec<(String, i64)> {
    let one = |row: &QueryResult| (row.try_get("", "facets").unwrap(), row.try_get("", "total").unwrap());
    rows.iter().map(one).collect()
}

async fn assert_counts_hold<C: KindFixture>(db: &TestDb, when: &str) {
    let table = C::KIND.path();
    let facets: Vec<String> =
        C::Table::COUNTED.iter().map(|field| format!("CAST({} AS text)", column(field))).collect();
    let facets = facets.join(" || ' ' || ");
    let kept = format!(
        "SELECT {facets} AS facets, CAST(sum(total) AS bigint) AS total FROM {table}_counts GROUP BY 1 HAVING sum(total) <> 0 ORDER BY 1"
    );
    let counted = format!("SELECT {facets} AS facets, count(*) AS total FROM {table} GROUP BY 1 ORDER BY 1");
    assert_eq!(counts(&db.rows(&kept).await), counts(&db.rows(&counted).await), "{when}");
    let total = store::<C>(db).list(&domain_kernel::ListQuery::default()).await.unwrap().total_elements;
    let rows = db.number(&format!("SELECT count(*) AS number FROM {table}")).await;
    assert_eq!(i64::try_from(total).unwrap(), rows, "{when}");
    if db.is_sqlite() {
        // Fails if the index and the rows differ.
        db.run(&format!("INSERT INTO {table}_search({table}_search, rank) VALUES ('integrity-check', 1)"))
            .await;
    }
}

fn column(field: &str) -> String {
    field
        .chars()
        .map(|c| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.to_string() })
        .collect()
}

for_categories_and_movies! {
    async fn counter_tables_equal_the_rows_after_any_changes<C>(db: &TestDb) {
        let categories = C::categories(db).await;
        let store = store::<C>(db);
        let mut rng = Rng(20_261_120);
        let mut ids: Vec<Id> = Vec::new();
        for step in 0..400_usize {
            let number = usize::try_from(rng.roll(1_500)).unwrap();
            let category = categories[usize::try_from(rng.roll(categories.len() as u64)).unwrap()];
            let draft = C::numbered(number, category);
            let pick = usize::try_from(rng.roll(ids.len().max(1) as u64)).unwrap();
            let now = after(i64::try_from(step).unwrap());
            match (rng.roll(7), ids.get(pick).copied()) {
                (0 | 1, _) | (_, None) => ids.push(add(&store, draft).await),
                (2, Some(id)) => drop(store.replace(id, valid(draft), None, edit(now)).await.unwrap()),
                (3 | 4, Some(id)) => drop(store.set_active(id, step % 2 == 0, None, edit(now)).await.unwrap()),
                (5, Some(id)) => {
                    store.delete(id, None, edit(start())).await.unwrap();
                    ids.swap_remove(pick);
                }
                (_, Some(_)) => {
                    let content = valid(draft);
                    let item = ImportedItem { content, views: 1, created_date: None, updated_date: None };
                    store.import(vec![item], now).await.unwrap();
                }
            }
            if step % 40 == 39 {
                assert_counts_hold::<C>(db, &format!("after step {step}")).await;
            }
        }
        db.run(&format!("DELETE FROM {}", C::KIND.path())).await;
        assert_counts_hold::<C>(db, "after all are removed").await;
    }

    async fn counts_are_correct_with_concurrent_writes<C>(db: &TestDb) {
        let categories = C::categories(db).await;
        let one = |number: usize| {
            let store = store::<C>(db);
            let categories = categories.clone();
            tokio::spawn(async move {
                let id = add(&store, C::numbered(number, categories[number % categories.len()])).await;
                for step in 0..4 {
                    store.set_active(id, step % 2 == 0, None, edit(after(1))).await.unwrap();
                }
                let other = C::numbered(number + 1, categories[(number + 1) % categories.len()]);
                store.replace(id, valid(other), None, edit(start())).await.unwrap();
                if number.is_multiple_of(3) {
                    store.delete(id, None, edit(start())).await.unwrap();
                }
            })
        };
        for task in (0..48).map(one).collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_counts_hold::<C>(db, "after concurrent writes").await;
    }
}

/// Concurrent writers on PostgreSQL whose rows have the same counter: an uncommitted one does not
/// block the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counters_of_an_open_transaction_do_not_block_others() {
    let Some(db) = TestDb::postgres().await else { return };
    let category = Movie::categories(&db).await[0];
    let store = store::<Movie>(&db);
    let ids =
        [add(&store, Movie::numbered(1, category)).await, add(&store, Movie::numbered(2, category)).await];
    let open = db.database.connection().begin().await.unwrap();
    for sql in [
        format!("UPDATE movies SET active = NOT active, version = version + 1 WHERE id = {}", ids[0]),
        "INSERT INTO users (username, username_key, full_name, role, status, password_hash, version, sign_ins, created_date, updated_date) \
         VALUES ('Ana', 'ana', 'Ana', 'app', 'ACTIVE', 'x', 1, 0, now(), now())"
            .into(),
        "INSERT INTO visits (occurred_at, kind, username, username_key, search_text) VALUES (now(), 'SIGN_IN', 'Ana', 'ana', 'ana')"
            .into(),
    ] {
        open.execute_unprepared(&sql).await.unwrap();
    }
    for _ in 0..3 {
        // Another session, which fails instead of waiting for a lock.
        let other = db.without_lock_waits().await;
        let run = async |sql: &str| other.execute_unprepared(sql).await.map(|done| done.rows_affected());
        assert_eq!(run(&format!("UPDATE movies SET active = NOT active WHERE id = {}", ids[1])).await, Ok(1));
        let copy = "INSERT INTO users (username, username_key, full_name, role, status, password_hash, version, sign_ins, created_date, updated_date) \
             VALUES ('Eva' || txid_current(), 'eva' || txid_current(), 'Eva', 'app', 'ACTIVE', 'x', 1, 0, now(), now())";
        assert_eq!(run(copy).await, Ok(1));
        let visit = "INSERT INTO visits (occurred_at, kind, username, username_key, search_text) VALUES (now(), 'SIGN_IN', 'Eva', 'eva', 'eva')";
        assert_eq!(run(visit).await, Ok(1));
    }
    open.commit().await.unwrap();
    assert_counts_hold::<Movie>(&db, "after both").await;
    assert_eq!(db.number("SELECT CAST(sum(total) AS bigint) AS number FROM visits_counts").await, 4);
    assert_eq!(db.number("SELECT CAST(sum(total) AS bigint) AS number FROM users_registered").await, 4);
    assert_eq!(db.number("SELECT CAST(sum(total) AS bigint) AS number FROM users_counts").await, 4);
    let slots = db.number("SELECT count(*) AS number FROM movies_counts").await;
    assert!(slots <= 4, "{slots} rows for two combinations and two transactions at once");
    db.remove().await;
}
