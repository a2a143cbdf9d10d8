//! SQLite ends a transaction by itself when its file can't grow. Later acknowledged writes must be
//! stored.

use domain_catalogue::{Category, CategoryType};
use ports::{ContentRepository, IdempotencyKey, Inserted, StoreError};

use crate::{
    kinds::store,
    support::{TestDb, edit, start, valid},
};

fn category(number: usize) -> Category {
    let name = format!("Category {number} {}", "x".repeat(60));
    Category {
        description: name.clone(),
        english_description: name,
        category_type: CategoryType::Movie,
        active: true,
    }
}

fn once(number: usize) -> IdempotencyKey {
    IdempotencyKey { username: "ana".into(), key: format!("key {number}"), fingerprint: "f".into() }
}

/// A file with a limit fails like a full disk (`SQLITE_FULL`), and grows again after the limit is
/// raised.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writes_acknowledged_after_a_full_disk_are_stored() {
    let db = TestDb::sqlite().await;
    let elsewhere = db.other_node().await;
    let categories = store::<Category>(&db);
    let mut stored = 0;
    let mut refused = 0;
    for round in 0..12 {
        let pages: i64 = db.rows("PRAGMA page_count").await[0].try_get("", "page_count").unwrap();
        db.rows(&format!("PRAGMA max_page_count = {}", pages + round)).await;
        for number in 0..400 {
            let number = usize::try_from(round).unwrap() * 1_000 + number;
            match categories.insert(valid(category(number)), edit(start()), Some(once(number))).await {
                Ok(Inserted::New(_)) => stored += 1,
                Err(StoreError::Unavailable(_)) => {
                    refused += 1;
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        // The limit is raised.
        db.rows("PRAGMA max_page_count = 1000000").await;
        for number in 500..510 {
            let number = usize::try_from(round).unwrap() * 1_000 + number;
            let outcome = categories.insert(valid(category(number)), edit(start()), Some(once(number))).await;
            assert!(matches!(outcome, Ok(Inserted::New(_))), "round {round}: {outcome:?}");
            stored += 1;
        }
        let sql = "SELECT count(*) AS number FROM categories";
        let seen = TestDb::number_of(&elsewhere, sql).await;
        assert_eq!(seen, stored, "round {round}: acknowledged, and seen by another connection");
    }
    assert!(refused >= 10, "the file was full {refused} times");
    db.remove().await;
}
