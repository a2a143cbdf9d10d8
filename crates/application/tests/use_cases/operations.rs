//! The job that carries operations out.

use std::sync::{Arc, Mutex};

use domain_operations::{BulkOperation, Counts, FailureCode, OperationState, Resource};
use ports::{MockOperationRepository, MockUserRepository, StoreError};

use crate::support::{now, operations_of};

fn operation() -> BulkOperation {
    BulkOperation {
        id: 3,
        resource: Resource::Users,
        change: None,
        undo_of: Some(2),
        import: None,
        undone_by: None,
        dry_run: false,
        state: OperationState::Running,
        failure: None,
        created_by: "someone".to_owned(),
        created_date: now(),
        finished_date: None,
        total: 1,
        slices_done: 0,
        counts: Counts::default(),
    }
}

/// An operation that can't go on would be tried for ever, and those that wait behind it never.
#[tokio::test]
async fn an_operation_whose_slice_fails_or_panics_ends_and_one_whose_store_is_away_waits() {
    type Fault = fn() -> StoreError;
    let cases: [(Fault, Option<FailureCode>); 3] = [
        (|| StoreError::Broken("odd".to_owned()), Some(FailureCode::Internal)),
        (|| panic!("a rule that panics"), Some(FailureCode::Internal)),
        (|| StoreError::Unavailable("busy".to_owned()), None),
    ];
    for (fault, expected) in cases {
        let mut users = MockUserRepository::new();
        users.expect_find_credentials().returning(move |_| Err(fault()));
        let mut store = MockOperationRepository::new();
        store.expect_next().returning(|| Ok(Some(operation())));
        let ended = Arc::new(Mutex::new(None));
        let kept = ended.clone();
        store.expect_end().returning(move |id, state, failure, _| {
            *kept.lock().unwrap() = Some((id, state, failure));
            Ok(true)
        });
        let outcome = operations_of(store, users).step().await;
        assert_eq!(outcome.is_ok(), expected.is_some(), "{outcome:?}");
        let ended = ended.lock().unwrap().take();
        assert_eq!(ended, expected.map(|failure| (3, OperationState::Failed, Some(failure))));
    }
}
