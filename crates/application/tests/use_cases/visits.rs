//! Visits: reports by keys, lists for staff, and counts per day.

use std::sync::Arc;

use application::{Calendar, Error, VisitService};
use chrono::{DateTime, Utc};
use domain_audience::{DayOfVisits, VisitKind};
use domain_kernel::{Code, Integrator, KeyScope, Page, RoleCode};
use ports::{Inserted, MockClock, MockVisitRepository, VisitFilter};
use serde_json::{Value, json};

use crate::support::{actor, bytes, calendar, now, refused};

fn service(repository: MockVisitRepository) -> VisitService {
    VisitService::new(Arc::new(repository), calendar())
}

fn key(scopes: &[KeyScope]) -> Integrator {
    Integrator { key: 9, name: "TV app".into(), scopes: scopes.to_vec() }
}

fn recorder() -> Integrator {
    key(&[KeyScope::VisitsRecord])
}

fn batch(visits: &Value) -> Vec<u8> {
    bytes(&json!({ "visits": visits }))
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn moment(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[tokio::test]
async fn only_a_key_with_the_scope_records() {
    let visits = batch(&json!([{"kind": "VISIT", "username": "ana"}]));
    let outcome =
        service(MockVisitRepository::new()).record(&key(&[KeyScope::Export]), &visits, Some("k")).await;
    assert!(matches!(outcome, Err(Error::OutOfScope(_))));
}

#[tokio::test]
async fn a_batch_is_recorded_once_with_the_name_of_the_key() {
    let mut repository = MockVisitRepository::new();
    repository
        .expect_record()
        .withf(|visits, source, at, once| {
            (visits.len(), source, *at) == (2, "TV app", now())
                && (once.username.as_str(), once.key.as_str()) == ("key:9", "k")
        })
        .times(1)
        .returning(|visits, _, _, _| Ok(Inserted::New(visits.len() as u64)));
    let visits = json!([{"kind": "VISIT", "username": "ana"}, {"kind": "SIGN_IN", "username": "eva"}]);
    let recorded = service(repository).record(&recorder(), &batch(&visits), Some("k")).await.unwrap();
    assert_eq!((recorded.recorded, recorded.replayed), (2, false));
}

#[tokio::test]
async fn all_violations_of_a_batch_are_reported_and_nothing_is_recorded() {
    let service = service(MockVisitRepository::new());
    let visits = json!([
        {"kind": "VISIT", "username": "ana"},
        {"kind": "VISIT", "username": "  "},
        {"kind": "VISIT", "username": "ana", "occurredAt": "2026-11-20T11:00:00Z"},
    ]);
    let mut reported = refused(service.record(&recorder(), &batch(&visits), None).await);
    reported.sort();
    let expected = [
        ("Idempotency-Key", "REQUIRED"),
        ("visits[1].username", "REQUIRED"),
        ("visits[2].occurredAt", "TOO_LARGE"),
    ];
    assert_eq!(reported, expected.map(|(field, code)| (field.to_owned(), code)));
    let one = batch(&json!([{"kind": "VISIT", "username": "ana"}]));
    assert_eq!(
        refused(service.record(&recorder(), &one, None).await),
        [("Idempotency-Key".to_owned(), "REQUIRED")]
    );
    assert!(matches!(service.record(&recorder(), b"[", Some("k")).await, Err(Error::Malformed(_))));
}

#[tokio::test]
async fn without_the_permission_the_store_is_not_called() {
    let service = service(MockVisitRepository::new());
    for role in [RoleCode::ContentManager, RoleCode::Agent, RoleCode::App] {
        let user = actor(role);
        let nonsense = pairs(&[("from", "nonsense")]);
        for code in [
            service.list(&user, &nonsense).await.unwrap_err().code(),
            service.per_day(&user, &nonsense).await.unwrap_err().code(),
        ] {
            assert_eq!(code, Code::Forbidden, "{role:?}");
        }
    }
}

#[tokio::test]
async fn a_list_is_narrowed_by_days_of_the_services_zone_or_by_moments() {
    let zone = chrono_tz::Europe::Madrid;
    let mut clock = MockClock::new();
    clock.expect_now().returning(now);
    let mut repository = MockVisitRepository::new();
    let expected = [
        VisitFilter {
            username: Some("Ana".into()),
            kind: Some(VisitKind::SignIn),
            from: Some(moment("2026-10-24T22:00:00Z")),
            to: Some(moment("2026-10-25T23:00:00Z")),
        },
        VisitFilter {
            from: Some(moment("2026-11-20T08:00:00Z")),
            to: Some(moment("2026-11-20T09:00:00.5Z")),
            ..VisitFilter::default()
        },
        VisitFilter::default(),
    ];
    let mut next = expected.into_iter();
    repository.expect_list().times(3).returning(move |filter, query| {
        assert_eq!(Some(filter), next.next().as_ref());
        Ok(Page::of(query, vec![], 0))
    });
    let service = VisitService::new(Arc::new(repository), Calendar::new(Arc::new(clock), zone));
    for requested in [
        // A day of 25 hours.
        &[("username", " Ana "), ("kind", "SIGN_IN"), ("from", "2026-10-25"), ("to", "2026-10-25")][..],
        &[("from", "2026-11-20T09:00:00 01:00"), ("to", "2026-11-20T09:00:00.5Z")],
        &[("username", ""), ("kind", ""), ("from", " "), ("to", "")],
    ] {
        service.list(&actor(RoleCode::Admin), &pairs(requested)).await.unwrap();
    }
}

#[tokio::test]
async fn all_violations_of_a_request_are_reported_at_once() {
    let service = service(MockVisitRepository::new());
    let admin = actor(RoleCode::Admin);
    for (requested, reported) in [
        (&[("from", "20 Nov")][..], &[("from", "INVALID_DATE")][..]),
        (
            &[("from", "2026-02-30"), ("kind", "LOGIN")],
            &[("from", "INVALID_DATE"), ("kind", "UNKNOWN_VALUE")],
        ),
        (&[("from", "2026-11-20"), ("to", "2026-11-18")], &[("to", "TOO_SMALL")]),
        (&[("user", "ana")], &[("user", "UNKNOWN_FILTER")]),
        (&[("_sort", "username")], &[("_sort", "UNKNOWN_SORT_FIELD")]),
    ] {
        let expected: Vec<_> = reported.iter().map(|(field, code)| ((*field).to_owned(), *code)).collect();
        assert_eq!(refused(service.list(&admin, &pairs(requested)).await), expected, "{requested:?}");
    }
    let long = "x".repeat(101);
    assert_eq!(
        refused(service.list(&admin, &pairs(&[("username", &long)])).await),
        [("username".to_owned(), "TOO_LONG")]
    );
}

#[tokio::test]
async fn a_chart_has_the_last_thirty_days_by_default() {
    let mut repository = MockVisitRepository::new();
    let expected =
        [("2026-10-22", 30), ("2026-11-19", 2), ("2024-01-01", 366), ("2026-10-03", 30), ("2027-01-01", 1)];
    let mut next = expected.into_iter();
    repository.expect_per_day().times(5).returning(move |_, _, days, end| {
        let (first, count) = next.next().unwrap();
        assert_eq!((days[0].0.to_string().as_str(), days.len()), (first, count));
        assert_eq!(days[0].1, moment(&format!("{first}T00:00:00Z")));
        assert_eq!((end - days[0].1).num_days(), i64::try_from(count).unwrap());
        Ok(days.iter().map(|(day, _)| DayOfVisits { day: *day, sign_ins: 0, visits: 0 }).collect())
    });
    let service = service(repository);
    for requested in [
        &[][..],
        &[("from", "2026-11-19")],
        &[("from", "2024-01-01"), ("to", "2024-12-31")],
        &[("to", "2026-11-01")],
        &[("from", "2027-01-01")],
    ] {
        service.per_day(&actor(RoleCode::Admin), &pairs(requested)).await.unwrap();
    }
}

#[tokio::test]
async fn a_chart_of_more_than_a_year_or_of_no_days_is_refused() {
    let service = service(MockVisitRepository::new());
    let admin = actor(RoleCode::Admin);
    for (requested, reported) in [
        (&[("from", "2025-01-01"), ("to", "2026-01-02")][..], &[("to", "TOO_LARGE")][..]),
        (&[("from", "2026-01-02"), ("to", "2026-01-01")], &[("to", "TOO_SMALL")]),
        (&[("from", "2026-01-02T00:00:00Z")], &[("from", "INVALID_DATE")]),
        (&[("search", "x")], &[("search", "UNKNOWN_FILTER")]),
    ] {
        let expected: Vec<_> = reported.iter().map(|(field, code)| ((*field).to_owned(), *code)).collect();
        assert_eq!(refused(service.per_day(&admin, &pairs(requested)).await), expected, "{requested:?}");
    }
}
