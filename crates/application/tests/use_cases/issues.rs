//! Viewers' reports: permissions, order of checks, and calls of the store.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use application::{Change, Error, IdMap, ImportedLine, IssueService, LineOutcome};
use domain_catalogue::Kind;
use domain_issues::{Author, AuthorKind, IssueContentType, Priority, Report, ReportStatus, ReportType};
use domain_kernel::{Actor, Code, Integrator, KeyScope, Origin, Page, Principal, RoleCode, Source, Username};
use domain_users::{UserCredentials, UserStatus};
use ports::{Inserted, IssueItem, MockIssueRepository, MockUserRepository, ReportState, Written};
use serde_json::{Value, json};

use crate::support::{actor, bytes, calendar, manager, now, refused};

fn name(text: &str) -> Username {
    Username::parse(text).unwrap()
}

pub(crate) fn report(status: ReportStatus) -> Report {
    Report {
        id: 7,
        version: 3,
        title: "No carga".into(),
        description: None,
        content_type: IssueContentType::Movie,
        content_id: Some(5),
        content: Some("Dune".into()),
        report_type: ReportType::NotLoading,
        reporter: None,
        reported_date: now(),
        updated_date: now(),
        status,
        priority: Priority::Medium,
        assigned_to: None,
        notes: Some("Visto".into()),
        group_id: Some(1),
    }
}

/// Boss_1 is an admin, eva_1 an agent, gone_1 a suspended admin.
fn users() -> MockUserRepository {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|username| {
        let (role, status) = match username.key().as_str() {
            "boss_1" => (RoleCode::Admin, UserStatus::Active),
            "eva_1" => (RoleCode::Agent, UserStatus::Active),
            "gone_1" => (RoleCode::Admin, UserStatus::Suspended),
            _ => return Ok(None),
        };
        let username = if username.key() == "boss_1" { name("Boss_1") } else { username.clone() };
        Ok(Some(UserCredentials { username, full_name: "Alguien".into(), role, status, password_hash: None }))
    });
    users
}

fn service(issues: MockIssueRepository) -> IssueService {
    IssueService::new(Arc::new(issues), Arc::new(users()), calendar())
}

fn keeping(status: ReportStatus) -> MockIssueRepository {
    let mut issues = MockIssueRepository::new();
    issues.expect_find().returning(move |id| Ok((id == 7).then(|| report(status))));
    issues
}

fn as_changed(from: &Report, to: &ReportState) -> Report {
    Report {
        version: from.version + 1,
        status: to.status,
        priority: to.priority,
        assigned_to: to.assigned_to.clone(),
        notes: to.notes.clone(),
        ..from.clone()
    }
}

/// The store's call for a change of a report in this state.
async fn changed(status: ReportStatus, by: &Actor, change: &Value) -> Result<ReportState, Error> {
    let requested = Arc::new(Mutex::new(None));
    let note = requested.clone();
    let origin = by.origin;
    let mut issues = keeping(status);
    issues.expect_change().times(0..=1).returning(move |from, to, author, _| {
        assert_eq!(*author, Author { name: "Someone".into(), kind: AuthorKind::Staff, origin });
        *note.lock().unwrap() = Some(to.clone());
        Ok(Written::Done(as_changed(from, to)))
    });
    service(issues).update(by, 7, &bytes(change), None).await?;
    Ok(requested.lock().unwrap().take().expect("the store was not called"))
}

#[tokio::test]
async fn without_permission_the_store_is_not_called() {
    // A mock without expectations panics at the first call.
    let service = service(MockIssueRepository::new());
    let body = bytes(&json!({"status": "RESUELTO"}));
    for role in [RoleCode::Agent, RoleCode::App] {
        let who = actor(role);
        let codes = [
            service.list(&who, &[]).await.unwrap_err().code(),
            service.find(&who, 7).await.unwrap_err().code(),
            service.create(&Principal::Staff(who.clone()), b"{", None).await.unwrap_err().code(),
            service.update(&who, 7, &body, None).await.unwrap_err().code(),
            service.delete(&who, 7, None).await.unwrap_err().code(),
            service.stats(&who).await.unwrap_err().code(),
            service.assignees(&who).await.unwrap_err().code(),
            service.groups(&who, &[]).await.unwrap_err().code(),
        ];
        assert_eq!(codes, [Code::Forbidden; 8]);
    }
    assert_eq!(
        service.delete(&manager(), 7, None).await.unwrap_err().code(),
        Code::Forbidden,
        "that is for admins"
    );
    let key = |scopes| Principal::Integrator(Integrator { key: 2, name: "tv".into(), scopes });
    let barred = service.create(&key(vec![KeyScope::CatalogueRead]), b"{", None).await.unwrap_err();
    assert_eq!(barred.code(), Code::Forbidden);
}

#[tokio::test]
async fn a_program_with_the_scope_reports_under_its_own_name() {
    let mut issues = MockIssueRepository::new();
    issues.expect_items().withf(|wanted| wanted == [(IssueContentType::Movie, 5)]).returning(|_| {
        let title = "Dune".to_owned();
        Ok(vec![IssueItem {
            content_type: IssueContentType::Movie,
            kind: Kind::Movies,
            id: 5,
            title,
            show: None,
        }])
    });
    issues.expect_answered().returning(|_| Ok(None));
    issues.expect_insert().returning(|new, author, _, once| {
        assert_eq!(new.content.as_deref(), Some("Dune"), "the title that it has here");
        let origin = Origin::of(Source::Request);
        assert_eq!(*author, Author { name: "tv".into(), kind: AuthorKind::Key, origin });
        assert_eq!(once.unwrap().username, "key:2");
        Ok(Inserted::New(report(ReportStatus::Reported)))
    });
    let key = Integrator { key: 2, name: "tv".into(), scopes: vec![KeyScope::IssuesReport] };
    let body = json!({"title": "No carga", "contentType": "MOVIE", "contentId": 5, "content": "la de arena", "reportType": "NOT_LOADING"});
    let created =
        service(issues).create(&Principal::Integrator(key), &bytes(&body), Some("k")).await.unwrap();
    assert!(created.seen.transitions.is_empty() && !created.replayed, "programs move no reports");
}

#[tokio::test]
async fn a_missing_item_is_reported_and_a_title_is_looked_up() {
    let mut issues = MockIssueRepository::new();
    issues.expect_items().returning(|_| Ok(Vec::new()));
    let body = json!({"title": "No carga", "contentType": "TV", "contentId": 9, "reportType": "OTHER"});
    let staff = Principal::Staff(manager());
    let outcome = service(issues).create(&staff, &bytes(&body), None).await;
    assert_eq!(refused(outcome), [("contentId".to_owned(), "UNKNOWN_REFERENCE")]);
    let mut issues = MockIssueRepository::new();
    issues.expect_ids_by_title().returning(|wanted| {
        assert_eq!(wanted, [(IssueContentType::Tv, "Canal 9".to_owned())]);
        Ok(vec![Some(9)])
    });
    issues.expect_answered().returning(|_| Ok(None));
    issues.expect_insert().returning(|new, _, _, _| {
        assert_eq!((new.content_id, new.content.as_deref()), (Some(9), Some("Canal 9")));
        Ok(Inserted::KeyReused)
    });
    let body = json!({"title": "No carga", "contentType": "TV", "content": "Canal 9", "reportType": "OTHER"});
    let outcome = service(issues).create(&staff, &bytes(&body), Some("k")).await.unwrap_err();
    assert_eq!(outcome.code(), Code::IdempotencyMismatch);
}

#[tokio::test]
async fn a_change_is_merged_into_the_current_state() {
    use ReportStatus::{InProgress, Reported, Resolved};
    let is = |status, priority, assigned: Option<&str>, notes: Option<&str>| ReportState {
        status,
        priority,
        assigned_to: assigned.map(name),
        notes: notes.map(str::to_owned),
    };
    for (change, expected) in [
        (json!({"status": "RESUELTO"}), is(Resolved, Priority::Medium, None, Some("Visto"))),
        (json!({"status": "RESUELTO", "notes": null}), is(Resolved, Priority::Medium, None, None)),
        (json!({"notes": " "}), is(Reported, Priority::Medium, None, None)),
        (json!({"priority": "CRITICAL"}), is(Reported, Priority::Critical, None, Some("Visto"))),
        (json!({"assignedTo": "boss_1"}), is(Reported, Priority::Medium, Some("Boss_1"), Some("Visto"))),
        (json!({"status": "EN_PROGRESO"}), is(InProgress, Priority::Medium, Some("Someone"), Some("Visto"))),
        (
            json!({"status": "EN_PROGRESO", "assignedTo": "BOSS_1"}),
            is(InProgress, Priority::Medium, Some("Boss_1"), Some("Visto")),
        ),
        (
            json!({"title": "No carga", "contentId": 5, "version": 9, "status": "RESUELTO"}),
            is(Resolved, Priority::Medium, None, Some("Visto")),
        ),
    ] {
        assert_eq!(changed(Reported, &manager(), &change).await.unwrap(), expected, "{change}");
    }
    let spelt = changed(Reported, &manager(), &json!({"assignedTo": "boss_1"})).await.unwrap();
    assert_eq!(spelt.assigned_to.unwrap().as_str(), "Boss_1", "as they are spelt");
}

#[tokio::test]
async fn all_violations_are_reported_at_once() {
    for (change, expected) in [
        (json!({"assignedTo": "eva_1"}), vec![("assignedTo", "UNKNOWN_REFERENCE")]),
        (json!({"assignedTo": "gone_1"}), vec![("assignedTo", "UNKNOWN_REFERENCE")]),
        (json!({"assignedTo": "nobody_1"}), vec![("assignedTo", "UNKNOWN_REFERENCE")]),
        (json!({"assignedTo": "ñ"}), vec![("assignedTo", "UNKNOWN_REFERENCE")]),
        (json!({"status": null}), vec![("status", "REQUIRED")]),
        (
            json!({"title": "Otro", "contentId": null}),
            vec![("title", "IMMUTABLE"), ("contentId", "IMMUTABLE")],
        ),
        (
            json!({"title": "Otro", "status": "DONE", "colour": 1}),
            vec![("title", "IMMUTABLE"), ("colour", "UNKNOWN_FIELD"), ("status", "UNKNOWN_VALUE")],
        ),
        (json!([]), vec![("", "WRONG_TYPE")]),
    ] {
        let service = service(keeping(ReportStatus::Closed));
        let reported = refused(service.update(&manager(), 7, &bytes(&change), Some(1)).await);
        let expected: Vec<_> = expected.into_iter().map(|(field, code)| (field.to_owned(), code)).collect();
        assert_eq!(reported, expected, "{change}");
    }
}

#[tokio::test]
async fn checks_are_in_the_order_existence_rules_version_state() {
    let service = service(keeping(ReportStatus::Closed));
    let resolve = bytes(&json!({"status": "RESUELTO"}));
    let code = |outcome: Result<_, Error>| outcome.map(|_| ()).unwrap_err().code();
    assert_eq!(code(service.update(&manager(), 8, b"{", None).await), Code::NotFound);
    assert_eq!(code(service.update(&manager(), 7, b"{", Some(1)).await), Code::Malformed);
    assert_eq!(code(service.update(&manager(), 7, &resolve, Some(1)).await), Code::VersionConflict);
    assert_eq!(code(service.update(&manager(), 7, &resolve, Some(3)).await), Code::InvalidTransition);
    let admin = actor(RoleCode::Admin);
    assert_eq!(service.delete(&admin, 8, None).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(service.delete(&admin, 7, Some(1)).await.unwrap_err().code(), Code::VersionConflict);
}

#[tokio::test]
async fn each_transition_requires_its_role_and_the_same_state_is_accepted() {
    let admin = actor(RoleCode::Admin);
    for from in [ReportStatus::Reported, ReportStatus::Resolved, ReportStatus::Closed, ReportStatus::Rejected]
    {
        for (by, is_admin) in [(&admin, true), (&manager(), false)] {
            for to in
                [ReportStatus::Reported, ReportStatus::Resolved, ReportStatus::Closed, ReportStatus::Rejected]
            {
                let mut issues = keeping(from);
                issues.expect_change().returning(|from, to, _, _| Ok(Written::Done(as_changed(from, to))));
                let outcome = service(issues).update(by, 7, &bytes(&json!({"status": to})), None).await;
                match outcome {
                    Ok(seen) => {
                        assert!(from.may_become(to, is_admin), "{from:?} {to:?}");
                        assert_eq!(
                            seen.report.version,
                            if from == to { 3 } else { 4 },
                            "the same is no change"
                        );
                        assert_eq!(seen.transitions, to.next(is_admin));
                    }
                    Err(Error::InvalidTransition { .. }) => assert!(!from.may_become(to, is_admin)),
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn a_change_without_a_version_restarts_after_a_concurrent_change() {
    let mut issues = keeping(ReportStatus::Reported);
    let mut tries = 0;
    issues.expect_change().times(2).returning(move |from, to, _, _| {
        tries += 1;
        Ok(if tries == 1 { Written::Outdated(from.clone()) } else { Written::Done(as_changed(from, to)) })
    });
    let body = bytes(&json!({"status": "RESUELTO"}));
    assert!(service(issues).update(&manager(), 7, &body, None).await.is_ok());
    let mut issues = keeping(ReportStatus::Reported);
    issues.expect_change().times(1).returning(|from, _, _, _| Ok(Written::Outdated(from.clone())));
    let outcome = service(issues).update(&manager(), 7, &body, Some(3)).await.unwrap_err();
    let Error::Outdated(current) = outcome else { panic!("{outcome:?}") };
    assert_eq!((&current["id"], &current["transitions"][0]), (&json!(7), &json!("EN_PROGRESO")));
}

#[tokio::test]
async fn lists_pass_their_filters_and_rows_have_the_allowed_transitions() {
    let mut issues = MockIssueRepository::new();
    issues.expect_list().returning(|filter, query| {
        assert_eq!(filter.statuses, [ReportStatus::Reported, ReportStatus::InProgress]);
        Ok(Page::of(query, vec![report(ReportStatus::Closed)], 1))
    });
    let service = service(issues);
    let pairs = [("status".to_owned(), "REPORTADO,EN_PROGRESO".to_owned())];
    let page = service.list(&manager(), &pairs).await.unwrap();
    assert!(page.content[0].transitions.is_empty());
    let page = service.list(&actor(RoleCode::Admin), &pairs).await.unwrap();
    assert_eq!(page.content[0].transitions, [ReportStatus::Reported]);
}

#[tokio::test]
async fn a_file_is_read_line_by_line_and_staff_must_be_known() {
    let mut issues = MockIssueRepository::new();
    issues.expect_ids_by_title().returning(|wanted| Ok(vec![Some(4); wanted.len()]));
    issues.expect_import().returning(|batch, _| {
        let reported: Vec<_> = batch
            .iter()
            .map(|one| (one.report.content_id, one.state.assigned_to.as_ref().map(ToString::to_string)))
            .collect();
        assert_eq!(
            reported,
            [(Some(4), None), (Some(4), Some("Boss_1".into())), (Some(4), Some("gone_1".into()))]
        );
        assert_eq!(
            (batch[0].report.description.as_deref(), batch[0].state.notes.as_deref()),
            (None, None),
            "blank is none"
        );
        assert_ne!(batch[0].natural_key, batch[1].natural_key);
        Ok(vec![true, false, true])
    });
    let line = |id: i64, change: Value| {
        let mut json = json!({
            "id": id, "title": "No carga", "description": "", "content": "Dune", "contentType": "MOVIE",
            "reportType": "NOT_LOADING", "reportedDate": format!("2026-02-28T10:31:{id:02}Z"), "status": "RESUELTO",
            "priority": "MEDIUM", "notes": "", "assignedTo": null,
        });
        for (field, value) in change.as_object().unwrap() {
            json[field] = value.clone();
        }
        ImportedLine { number: u64::try_from(id).unwrap(), json: Ok(json) }
    };
    let lines = vec![
        line(1, json!({})),
        line(2, json!({"assignedTo": "boss_1"})),
        line(3, json!({"assignedTo": "gone_1"})),
        line(4, json!({"assignedTo": "eva_1"})),
        line(5, json!({"reportedDate": "2027-01-01T00:00:00Z"})),
        line(6, json!({"status": "DONE"})),
        ImportedLine { number: 7, json: Err("nonsense".into()) },
    ];
    let outcomes = service(issues).import(lines, &IdMap::default(), &mut HashMap::default()).await.unwrap();
    let reported: Vec<String> = outcomes
        .iter()
        .map(|(number, outcome)| match outcome {
            LineOutcome::Accepted(Change::Created) => format!("{number} new"),
            LineOutcome::Accepted(other) => format!("{number} {other:?}"),
            LineOutcome::Malformed(_) => format!("{number} malformed"),
            LineOutcome::Refused(broken) => format!("{number} {}", broken.0[0].field),
        })
        .collect();
    assert_eq!(
        reported,
        ["1 new", "2 Unchanged", "3 new", "4 assignedTo", "5 reportedDate", "6 status", "7 malformed"]
    );
}
