//! Retention: tables, ages, and batch sizes.

use std::sync::{Arc, Mutex};

use application::{RetentionPolicy, RetentionService};
use ports::{Aged, MockRetention};

use crate::support::{calendar, now};

#[tokio::test]
async fn each_table_is_removed_after_its_own_age_500_rows_at_a_time() {
    let requested = Arc::new(Mutex::new(Vec::new()));
    let seen = requested.clone();
    let mut store = MockRetention::new();
    store.expect_remove().returning(move |what, before, at, most| {
        assert_eq!(at, now());
        seen.lock().unwrap().push((what, (now() - before).num_days(), most));
        Ok(if what == Aged::Visits { 500 } else { 499 })
    });
    let policy =
        RetentionPolicy { visits_days: 400, deliveries_days: 30, idempotency_days: 7, audit_days: 731 };
    let service = RetentionService::new(Arc::new(store), calendar(), policy);
    for what in RetentionService::ALL {
        assert_eq!(service.remove_batch(what).await.unwrap(), what == Aged::Visits, "{what:?}");
    }
    let expected = [
        (Aged::Sessions, 0, 500),
        (Aged::IdempotencyKeys, 7, 500),
        (Aged::Deliveries, 30, 500),
        (Aged::Visits, 400, 500),
        (Aged::Operations, 30, 500),
        (Aged::Sheets, 1, 500),
        (Aged::Trash, 30, 500),
        (Aged::AuditEntries, 731, 500),
        (Aged::ReplacedStreams, 731, 500),
        (Aged::LinkChanges, 180, 500),
        (Aged::RequestedLinks, 30, 500),
        (Aged::LinkDays, 180, 500),
        (Aged::LinkHostDays, 180, 500),
        (Aged::LinkHosts, 180, 500),
    ];
    assert_eq!(*requested.lock().unwrap(), expected);
}
