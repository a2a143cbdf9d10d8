//! Renewals: permissions, calls of the stores, and assignment of outcomes to the request.

use std::sync::Arc;

use application::{Error, OperationRefusal, RenewalService};
use domain_credits::{Holding, Refusal, Renewal, UserSummary, quote_renewals};
use domain_kernel::{Page, RoleCode, Username};
use domain_users::{CallingCode, ExpiryFilter, Renewal as Customer, RenewalWindow, Scope, User};
use ports::{CustomerQuote, MockLedger, MockRenewalRepository, Quoted, RenewalsQuoted};
use serde_json::json;

use crate::{
    support::{actor, bytes, calendar, now, refused},
    versions::user,
};

fn service(renewals: MockRenewalRepository, ledger: MockLedger) -> RenewalService {
    RenewalService::new(Arc::new(renewals), Arc::new(ledger), calendar(), CallingCode::parse("34"))
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

#[tokio::test]
async fn without_the_permission_to_sell_nothing_reaches_the_stores() {
    let service = service(MockRenewalRepository::new(), MockLedger::new());
    let body = bytes(&json!({"customers": [{"username": "ana_app", "months": 1}]}));
    for role in [RoleCode::ContentManager, RoleCode::App] {
        let actor = actor(role);
        assert!(matches!(service.list(&actor, &pairs(&[("window", "TODAY")])).await, Err(Error::Denied(_))));
        assert!(matches!(service.count(&actor, &[]).await, Err(Error::Denied(_))));
        assert!(matches!(service.quote(&actor, &body).await, Err(Error::Denied(_))));
        assert!(matches!(service.sales(&actor, &body).await, Err(Error::Denied(_))));
    }
}

#[tokio::test]
async fn a_window_is_required_and_the_next_expirations_come_first() {
    let mut renewals = MockRenewalRepository::new();
    renewals.expect_list().returning(|scope, window, snoozed, query| {
        assert!(!snoozed);
        assert_eq!(*scope, Scope::SubtreeOf(Username::parse("Someone").unwrap()));
        assert_eq!(query.sort.len(), 1);
        let is_expired = matches!(window, ExpiryFilter::Expired { .. });
        assert_eq!((query.sort[0].field.as_str(), query.sort[0].descending), ("expirationDate", is_expired));
        assert!(query.filters.is_empty());
        Ok(Page::of(query, Vec::new(), 0))
    });
    let service = service(renewals, MockLedger::new());
    let agent = actor(RoleCode::Agent);
    for window in ["EXPIRED", "TODAY", "DAYS_30"] {
        assert!(service.list(&agent, &pairs(&[("window", window)])).await.is_ok());
    }
    for (wrong, code) in [
        (vec![], ("window", "REQUIRED")),
        (vec![("window", "")], ("window", "REQUIRED")),
        (vec![("window", "DAYS_31")], ("window", "UNKNOWN_VALUE")),
        (vec![("window", "TODAY"), ("_sort", "credits")], ("_sort", "UNKNOWN_SORT_FIELD")),
        (vec![("window", "TODAY"), ("status", "ACTIVE")], ("status", "UNKNOWN_FILTER")),
    ] {
        let outcome = service.list(&agent, &pairs(&wrong)).await;
        assert_eq!(refused(outcome), [(code.0.to_owned(), code.1)], "{wrong:?}");
    }
}

#[tokio::test]
async fn each_window_has_its_count() {
    let mut renewals = MockRenewalRepository::new();
    renewals.expect_count().returning(|_, windows, snoozed, query| {
        assert!(snoozed);
        assert_eq!((windows.len(), query.search.as_deref()), (5, Some("ana")));
        Ok(vec![9, 0, 1, 2, 3])
    });
    let service = service(renewals, MockLedger::new());
    let counts = service
        .count(&actor(RoleCode::Admin), &pairs(&[("search", "ana"), ("snoozed", "true")]))
        .await
        .unwrap();
    assert_eq!(counts[0], (RenewalWindow::Expired, 9));
    assert_eq!(counts[4], (RenewalWindow::Days30, 3));
}

#[tokio::test]
async fn a_number_of_this_country_is_searched_for_without_its_calling_code() {
    let mut renewals = MockRenewalRepository::new();
    renewals.expect_list().returning(|_, _, _, query| {
        assert_eq!(query.phone_digits.as_deref(), Some("600111222"));
        Ok(Page::of(query, Vec::new(), 0))
    });
    renewals.expect_count().returning(|_, windows, _, query| {
        assert_eq!(query.phone_digits.as_deref(), Some("600111222"));
        Ok(vec![0; windows.len()])
    });
    let service = service(renewals, MockLedger::new());
    let admin = actor(RoleCode::Admin);
    let search = ("search", "+34 600 111 222");
    assert!(service.list(&admin, &pairs(&[("window", "TODAY"), search])).await.is_ok());
    assert!(service.count(&admin, &pairs(&[search])).await.is_ok());
}

fn quoted(quoted: Quoted) -> CustomerQuote {
    CustomerQuote { expiration: None, quoted }
}

#[tokio::test]
async fn outcomes_are_in_the_order_of_the_requested_customers() {
    let mut ledger = MockLedger::new();
    ledger.expect_quote_renewals().returning(|performer, renewals, at| {
        assert_eq!((performer.as_str(), at), ("Someone", now()));
        // An invalid user name is not looked up.
        assert_eq!(renewals.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["ana_app", "gone"]);
        let user = |role, stock| UserSummary {
            role,
            active: true,
            app: Holding { balance: 0, expiration: Some(now()) },
            started: true,
            stock,
        };
        let renewal = Renewal { target: user(RoleCode::App, 0), manages: true, months: renewals[0].1 };
        let quote = quote_renewals(user(RoleCode::Agent, 20), &[renewal], at).remove(0).unwrap();
        let customers = vec![quoted(Quoted::Quote(quote)), quoted(Quoted::Hidden)];
        Ok(RenewalsQuoted { stock_before: Some(20), customers })
    });
    let service = service(MockRenewalRepository::new(), ledger);
    let customer = |username: &str, months| json!({"username": username, "months": months});
    let body = json!({"customers": [customer("ñ", 1), customer("ana_app", 3), customer("gone", 1)]});
    let preview = service.quote(&actor(RoleCode::Agent), &bytes(&body)).await.unwrap();
    assert_eq!(preview.stock, Some((20, 17)));
    let names: Vec<_> =
        preview.customers.iter().map(|one| (one.username.as_str(), one.outcome.is_ok())).collect();
    assert_eq!(names, [("ñ", false), ("ana_app", true), ("gone", false)]);
    assert!(matches!(&preview.customers[0].outcome, Err(Error::NoSuchUser(name)) if name == "ñ"));
}

#[tokio::test]
async fn a_concurrently_suspended_user_is_signed_out() {
    let mut ledger = MockLedger::new();
    ledger.expect_quote_renewals().returning(|_, _, _| {
        let customers = vec![quoted(Quoted::Refused(Refusal::NotActive))];
        Ok(RenewalsQuoted { stock_before: None, customers })
    });
    let body = bytes(&json!({"customers": [{"username": "ana_app", "months": 1}]}));
    let outcome = service(MockRenewalRepository::new(), ledger).quote(&actor(RoleCode::Agent), &body).await;
    assert!(matches!(outcome, Err(Error::Credits(Refusal::NotActive))));
}

/// Customers of a list of so many.
fn listing(total: u64) -> MockRenewalRepository {
    let mut renewals = MockRenewalRepository::new();
    renewals.expect_list().returning(move |_, _, snoozed, query| {
        assert!(!snoozed);
        assert_eq!((query.page, query.size, query.search.as_deref()), (0, 100, Some("ana")));
        let customer = |index: u64| Customer {
            user: User {
                username: Username::parse(&format!("customer_{index}")).unwrap(),
                ..user(RoleCode::App, 1)
            },
            last_contact: None,
            snoozed_until: None,
        };
        Ok(Page::of(query, (0..total.min(100)).map(customer).collect(), total))
    });
    renewals
}

#[tokio::test]
async fn a_filter_is_quoted_for_exactly_as_many_as_were_confirmed() {
    let by_filter = |expected: Option<i64>| {
        let filter = json!({"window": "DAYS_7", "search": "ana"});
        bytes(&json!({"filter": filter, "months": 3, "expectedCount": expected}))
    };
    for expected in [None, Some(2)] {
        let mut ledger = MockLedger::new();
        ledger.expect_quote_renewals().returning(|_, renewals, _| {
            let wanted: Vec<_> = renewals.iter().map(|(name, months)| (name.as_str(), *months)).collect();
            assert_eq!(wanted, [("customer_0", 3), ("customer_1", 3)]);
            Ok(RenewalsQuoted { stock_before: None, customers: vec![quoted(Quoted::Hidden); 2] })
        });
        let service = service(listing(2), ledger);
        let preview = service.quote(&actor(RoleCode::Admin), &by_filter(expected)).await.unwrap();
        assert!(preview.customers.iter().all(|one| one.full_name.is_some() && one.months == 3));
    }
    // Nothing reaches the ledger where another number matches than was confirmed, or more than are renewed at once.
    for (total, expected) in [(3, 2), (0, 2), (101, 100)] {
        let service = service(listing(total), MockLedger::new());
        let outcome = service.quote(&actor(RoleCode::Admin), &by_filter(Some(expected))).await;
        let count = i64::try_from(total).unwrap();
        assert!(
            matches!(outcome, Err(Error::Operation(OperationRefusal::CountChanged(now))) if now == count),
            "{total}"
        );
    }
    for expected in [None, Some(101)] {
        let service = service(listing(101), MockLedger::new());
        let outcome = service.quote(&actor(RoleCode::Admin), &by_filter(expected)).await;
        assert_eq!(refused(outcome), [("filter".to_owned(), "TOO_MANY")]);
    }
}
