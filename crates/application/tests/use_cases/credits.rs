//! Credits: permissions, idempotency keys, and error codes of the ledger's refusals.

use std::sync::Arc;

use application::CreditService;
use domain_credits::{OperationType, Refusal};
use domain_kernel::{Actor, Code, RoleCode};
use ports::{IdempotencyKey, Inserted, MockLedger, OrderConflict, StoreError};
use serde_json::json;

use crate::support::{actor, bytes, calendar};

/// The idempotency key of an order, captured by an unavailable ledger.
async fn key_of(operation: OperationType, body: &[u8], key: Option<&str>) -> Option<IdempotencyKey> {
    let (sender, sent) = std::sync::mpsc::channel();
    let mut ledger = MockLedger::new();
    ledger.expect_post().return_once(move |order, _| {
        sender.send(order.once.clone()).unwrap();
        Err(StoreError::Unavailable("away".into()))
    });
    let service = CreditService::new(Arc::new(ledger), calendar());
    let failed = service.post(&actor(RoleCode::Admin), operation, body, key).await.unwrap_err();
    assert_eq!((failed.code(), failed.retry_after()), (Code::Unavailable, Some(1)));
    sent.recv().unwrap()
}

#[tokio::test]
async fn the_same_order_has_the_same_idempotency_key_and_an_unavailable_ledger_is_reported() {
    let add = OperationType::AddCredits;
    let order = bytes(&json!({"targetUsername": "ana_app", "amount": 2}));
    let first = key_of(add, &order, Some("k")).await.unwrap();
    assert_eq!(first.key, "k");
    let alike = br#"{ "amount": 2, "targetUsername": "ana_app" }"#;
    assert_eq!(key_of(add, alike, Some("k")).await, Some(first.clone()));
    let other = bytes(&json!({"targetUsername": "ana_app", "amount": 3}));
    for (operation, body) in [(add, &other), (OperationType::AddCreditsForSale, &order)] {
        let differs = key_of(operation, body, Some("k")).await.unwrap();
        assert_eq!((&differs.username, &differs.key), (&first.username, &first.key));
        assert_ne!(differs.fingerprint, first.fingerprint, "{operation:?}");
    }
    // What was confirmed before it is no part of it.
    let expected = json!({"targetUsername": "ana_app", "amount": 2, "expected": {"expirationDate": null}});
    assert_eq!(key_of(add, &bytes(&expected), Some("k")).await, Some(first));
    assert_eq!(key_of(add, &order, None).await, None);
}

#[tokio::test]
async fn without_permission_the_ledger_is_not_called() {
    // A mock without expectations panics at the first call.
    let service = CreditService::new(Arc::new(MockLedger::new()), calendar());
    let body = bytes(&json!({"targetUsername": "ana_app", "amount": 2}));
    let refused = |role: RoleCode, operation: OperationType| {
        let (service, body) = (&service, &body);
        async move { service.post(&actor(role), operation, body, None).await.unwrap_err().code() }
    };
    for role in [RoleCode::ContentManager, RoleCode::App] {
        assert_eq!(refused(role, OperationType::AddCredits).await, Code::Forbidden);
    }
    assert_eq!(refused(RoleCode::Agent, OperationType::DeductCredits).await, Code::Forbidden);
    let manager: Actor = actor(RoleCode::ContentManager);
    assert_eq!(service.reverse(&manager, 7, b"", None).await.unwrap_err().code(), Code::Forbidden);
    // An invalid order does not reach it either.
    let amounts = bytes(&json!({"targetUsername": "ana_app", "amount": 0}));
    let admin = actor(RoleCode::Admin);
    let invalid = service.post(&admin, OperationType::AddCredits, &amounts, None).await.unwrap_err();
    assert_eq!(invalid.code(), Code::ValidationFailed);
}

#[tokio::test]
async fn each_refusal_has_its_code() {
    for (refusal, code) in [
        (Refusal::NotActive, Code::NotAuthenticated),
        (Refusal::Forbidden, Code::Forbidden),
        (Refusal::WrongRole(RoleCode::App), Code::ValidationFailed),
        (Refusal::Amount(1200), Code::ValidationFailed),
        (Refusal::InsufficientCredits(1), Code::InsufficientCredits),
        (Refusal::InsufficientSaleCredits(1), Code::InsufficientSaleCredits),
        (Refusal::OutOfReach, Code::Conflict),
        (Refusal::AlreadyReversed, Code::Conflict),
        (Refusal::IsReversal, Code::Conflict),
        (Refusal::ReversalTooLate, Code::ReversalTooLate),
        (Refusal::MovedSince, Code::MovedSince),
        (Refusal::ExpirationChanged(None), Code::ExpirationChanged),
    ] {
        let mut ledger = MockLedger::new();
        ledger.expect_post().return_once(move |_, _| Ok(Inserted::Conflict(OrderConflict::Refused(refusal))));
        let service = CreditService::new(Arc::new(ledger), calendar());
        let body = bytes(&json!({"targetUsername": "ana_app", "amount": 2}));
        let error =
            service.post(&actor(RoleCode::Admin), OperationType::AddCredits, &body, None).await.unwrap_err();
        assert_eq!(error.code(), code, "{refusal:?}");
    }
}
