//! Credits over a ledger that fails: before it has done anything, and after it has done all of it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use application::{CreditService, Error, PostedOnce};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::{
    CreditType, LedgerLine, LedgerTotal, Movement, OperationType, Refusal, UserRef, Verdict,
};
use domain_kernel::{Actor, Code, Id, ListQuery, Page, RoleCode, Username};
use domain_users::Scope;
use ports::{
    Breach, CreditOrder, History, Holder, IdempotencyKey, Ledger, LedgerFilter, MockLedger, Posted, Quoted,
    RenewalsQuoted, ReversalOrder, StoreError,
};
use serde_json::json;

use crate::support::{actor, bytes, calendar, now};

fn movement(
    id: Id,
    target: &Username,
    performer: &Username,
    operation: OperationType,
    amount: i64,
) -> Movement {
    let named = |username: &Username| UserRef { username: username.clone(), full_name: "Alguien".into() };
    Movement {
        id,
        operation_id: id,
        operation_date: now(),
        target_user: named(target),
        performed_by_user: named(performer),
        operation_type: operation,
        credit_type: CreditType::Normal,
        amount,
        balance_before: 0,
        balance_after: amount,
        reason: None,
        expiration_before: None,
        expiration_after: None,
        reverses_operation_id: None,
        reversed: false,
        imported: false,
    }
}

/// Stores what it is passed, once for a key. It checks no rules.
#[derive(Default)]
struct Notebook(Mutex<Vec<(Option<IdempotencyKey>, Movement)>>);

impl Notebook {
    fn write(&self, once: Option<&IdempotencyKey>, make: impl FnOnce(Id) -> Movement) -> Posted {
        let mut pages = self.0.lock().unwrap();
        let known = pages.iter().find(|(known, _)| {
            once.is_some_and(|once| known.as_ref().is_some_and(|known| known.key == once.key))
        });
        match known {
            Some((known, first)) if known.as_ref() == once => Posted::Replayed(first.clone()),
            Some(_) => Posted::KeyReused,
            None => {
                let movement = make(i64::try_from(pages.len()).unwrap() + 1);
                pages.push((once.cloned(), movement.clone()));
                Posted::Done(movement)
            }
        }
    }
}

/// When the ledger fails.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Before,
    After,
}

/// A ledger around another, which fails the first time.
struct Failing {
    inner: Arc<Notebook>,
    when: When,
    calls: AtomicU32,
}

impl Failing {
    fn around<T>(&self, call: impl FnOnce() -> T) -> Result<T, StoreError> {
        let away = || Err(StoreError::Unavailable("away".into()));
        if self.calls.fetch_add(1, Ordering::SeqCst) > 0 {
            return Ok(call());
        }
        if self.when == When::After {
            drop(call());
        }
        away()
    }
}

#[async_trait]
impl Ledger for Failing {
    async fn post(&self, order: &CreditOrder, _: DateTime<Utc>) -> Result<Posted, StoreError> {
        let CreditOrder { performer, target, operation, amount, once, .. } = order;
        self.around(|| {
            self.inner.write(once.as_ref(), |id| movement(id, target, performer, *operation, *amount))
        })
    }

    async fn reverse(&self, order: &ReversalOrder, _: DateTime<Utc>) -> Result<Posted, StoreError> {
        let who = &order.performer;
        let write = |id| movement(id, who, who, OperationType::DeductCredits, 1);
        self.around(|| self.inner.write(order.once.as_ref(), write))
    }

    async fn quote(&self, _: &CreditOrder, _: DateTime<Utc>) -> Result<Quoted, StoreError> {
        self.around(|| Quoted::Hidden)
    }

    async fn quote_renewals(
        &self,
        _: &Username,
        _: &[(Username, i64)],
        _: DateTime<Utc>,
    ) -> Result<RenewalsQuoted, StoreError> {
        self.around(|| RenewalsQuoted { stock_before: None, customers: Vec::new() })
    }

    async fn done_under(&self, _: &Username, _: &[String]) -> Result<Vec<(String, Movement)>, StoreError> {
        self.around(Vec::new)
    }

    async fn history<'a>(
        &self,
        _: &Scope,
        _: Option<&'a Username>,
        _: &ListQuery,
    ) -> Result<Option<Page<Vec<Movement>>>, StoreError> {
        self.around(|| None)
    }

    async fn lines(
        &self,
        _: &Scope,
        _: &LedgerFilter,
        _: &ListQuery,
    ) -> Result<Option<Page<Vec<LedgerLine>>>, StoreError> {
        self.around(|| None)
    }

    async fn totals(&self, _: &Scope, _: &LedgerFilter) -> Result<Option<Vec<LedgerTotal>>, StoreError> {
        self.around(|| None)
    }

    async fn next_lines(
        &self,
        _: &Scope,
        _: &LedgerFilter,
        _: Option<(DateTime<Utc>, Id)>,
        _: u32,
    ) -> Result<Option<Vec<LedgerLine>>, StoreError> {
        self.around(|| None)
    }

    async fn count(&self, _: &Scope, _: &Username) -> Result<Option<u64>, StoreError> {
        self.around(|| None)
    }

    async fn find(&self, _: &Scope, _: Id) -> Result<Option<Movement>, StoreError> {
        self.around(|| None)
    }

    async fn holders(&self, _: &[String]) -> Result<HashMap<String, Holder>, StoreError> {
        self.around(HashMap::new)
    }

    async fn book_history(&self, _: &[History], _: DateTime<Utc>) -> Result<Vec<Vec<Verdict>>, StoreError> {
        self.around(Vec::new)
    }

    async fn balances(&self, _: &[Id]) -> Result<HashMap<Id, (i64, i64)>, StoreError> {
        self.around(HashMap::new)
    }

    async fn verify(&self, _: DateTime<Utc>) -> Result<Vec<Breach>, StoreError> {
        self.around(Vec::new)
    }
}

/// Sends the same request twice to a ledger that fails at the first.
async fn twice(when: When, key: Option<&str>, reverses: bool) -> (usize, Result<PostedOnce, Error>) {
    let inner = Arc::new(Notebook::default());
    let ledger = Failing { inner: inner.clone(), when, calls: AtomicU32::new(0) };
    let service = CreditService::new(Arc::new(ledger), calendar());
    let admin = actor(RoleCode::Admin);
    let body = bytes(&json!({"targetUsername": "ana_app", "amount": 2}));
    let ask = async || {
        if reverses {
            service.reverse(&admin, 7, b"", key).await
        } else {
            service.post(&admin, OperationType::AddCredits, &body, key).await
        }
    };
    let first = ask().await.unwrap_err();
    assert_eq!((first.code(), first.retry_after()), (Code::Unavailable, Some(1)));
    let second = ask().await;
    let kept = inner.0.lock().unwrap().len();
    (kept, second)
}

#[tokio::test]
async fn what_failed_is_done_once_when_it_is_sent_again_with_its_key() {
    for reverses in [false, true] {
        let (kept, second) = twice(When::Before, Some("k"), reverses).await;
        assert_eq!((kept, second.unwrap().replayed), (1, false), "nothing was done the first time");
        let (kept, second) = twice(When::After, Some("k"), reverses).await;
        assert_eq!((kept, second.unwrap().replayed), (1, true), "it was done, though it was not answered");
    }
}

#[tokio::test]
async fn without_a_key_nobody_knows_whether_it_was_done() {
    let (kept, second) = twice(When::After, None, false).await;
    assert_eq!((kept, second.unwrap().replayed), (2, false), "this is what keys are for");
}

#[tokio::test]
async fn whoever_may_not_does_not_reach_the_ledger() {
    // A mock that expects nothing panics at the first question.
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
    // Nor does what is no order.
    let amounts = bytes(&json!({"targetUsername": "ana_app", "amount": 0}));
    let admin = actor(RoleCode::Admin);
    let invalid = service.post(&admin, OperationType::AddCredits, &amounts, None).await.unwrap_err();
    assert_eq!(invalid.code(), Code::ValidationFailed);
}

#[tokio::test]
async fn each_refusal_has_its_name() {
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
    ] {
        let mut ledger = MockLedger::new();
        ledger.expect_post().return_once(move |_, _| Ok(Posted::Refused(refusal)));
        let service = CreditService::new(Arc::new(ledger), calendar());
        let body = bytes(&json!({"targetUsername": "ana_app", "amount": 2}));
        let error =
            service.post(&actor(RoleCode::Admin), OperationType::AddCredits, &body, None).await.unwrap_err();
        assert_eq!(error.code(), code, "{refusal:?}");
    }
}
