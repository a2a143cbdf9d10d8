//! Each end of a subscription is reported once in each stage: by time, by changes of the end, with
//! concurrent nodes, and never for ends before the first run.

use adapter_seaorm::SeaOrmSubscriptionEnds;
use chrono::{DateTime, TimeDelta, Utc};
use domain_credits::OperationType::AddCredits;
use domain_integrations::{
    EventStage,
    EventType::{UserExpired, UserExpiring},
};
use domain_kernel::RoleCode;
use domain_users::Scope;
use ports::{Ledger, SubscriptionEnds, UserRepository, UserUpdate, Written};
use sea_orm::ConnectionTrait;
use serde_json::json;

use crate::{
    fixture::{ROOT, TestUsers, change, name, order},
    hooks::{hook, reported},
    support::{TestDb, edit_of, on_both, start},
};

fn days(days: i64) -> DateTime<Utc> {
    start() + TimeDelta::days(days)
}

fn ends(db: &TestDb) -> SeaOrmSubscriptionEnds {
    SeaOrmSubscriptionEnds(db.database.clone())
}

/// Records notices once, as the job does, so many days after the start.
async fn record(ends: &SeaOrmSubscriptionEnds, day: i64, most: u32) {
    for (stage, until) in [(EventStage::Expiring, days(day + 7)), (EventStage::Expired, days(day))] {
        while ends.record_expirations(stage, days(day), until, most).await.unwrap() >= most {}
    }
    ends.record_changes(days(day), days(day + 7)).await.unwrap();
}

async fn app(fixture: &TestUsers, name: &str, end: DateTime<Utc>) {
    fixture.add(ROOT, name, RoleCode::App).await;
    fixture.expire(name, Some(end)).await;
}

/// An edit so many days after the start.
async fn edit(fixture: &TestUsers, username: &str, day: i64, edit: impl FnOnce(&mut UserUpdate)) {
    let current = fixture.user(username).await;
    let mut change = change(&current);
    edit(&mut change);
    let who = name(username);
    let written = fixture
        .users
        .update(&Scope::Everyone, &who, &change, current.version, &edit_of(ROOT, days(day)))
        .await
        .unwrap();
    assert!(matches!(written, Written::Done(_)), "{written:?}");
}

/// The entities and stages of the deliveries.
async fn delivered_ends(db: &TestDb, webhook: i64) -> Vec<String> {
    let reported = reported(db, webhook).await;
    let mut all: Vec<_> =
        reported.into_iter().map(|(event, entity, _)| format!("{entity} {event}")).collect();
    all.sort();
    all
}

on_both! {
    async fn each_expiration_is_reported_once_in_each_stage(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let webhook = hook(db, "Vencimientos", &[UserExpiring, UserExpired]).await.id;
        app(&fixture, "over_1", days(-3)).await;
        app(&fixture, "soon_1", days(3)).await;
        app(&fixture, "later_1", days(9)).await;
        app(&fixture, "far_1", days(400)).await;
        fixture.add(ROOT, "never_1", RoleCode::App).await;
        fixture.add(ROOT, "agent_1", RoleCode::Agent).await;
        fixture.expire("agent_1", Some(days(9))).await;
        // The edits have the time of the start; the first run is later.
        let ends = ends(db);
        record(&ends, 1, 500).await;
        assert_eq!(delivered_ends(db, webhook).await, [""; 0], "earlier ends are not reported");
        record(&ends, 3, 500).await;
        assert_eq!(delivered_ends(db, webhook).await, ["users/later_1 USER_EXPIRING"]);
        record(&ends, 3, 500).await;
        record(&ends, 4, 500).await;
        assert_eq!(delivered_ends(db, webhook).await, ["users/later_1 USER_EXPIRING", "users/soon_1 USER_EXPIRED"]);
        record(&ends, 20, 500).await;
        record(&ends, 21, 500).await;
        assert_eq!(
            delivered_ends(db, webhook).await,
            ["users/later_1 USER_EXPIRED", "users/later_1 USER_EXPIRING", "users/soon_1 USER_EXPIRED"]
        );
        let data = json!({"username": "later_1", "expirationDate": "2026-11-29T10:00:00.123Z"});
        assert_eq!(reported(db, webhook).await[0].2, data);
    }

    async fn after_a_downtime_past_ends_have_no_warnings(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let webhook = hook(db, "Vencimientos", &[UserExpiring, UserExpired]).await.id;
        app(&fixture, "over_1", days(12)).await;
        app(&fixture, "soon_1", days(33)).await;
        record(&ends(db), 1, 500).await;
        record(&ends(db), 30, 500).await;
        assert_eq!(delivered_ends(db, webhook).await, ["users/over_1 USER_EXPIRED", "users/soon_1 USER_EXPIRING"]);
    }

    async fn two_concurrent_nodes_report_once(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let webhook = hook(db, "Vencimientos", &[UserExpiring, UserExpired]).await.id;
        for number in 0..20 {
            app(&fixture, &format!("user_{number}"), days(9)).await;
        }
        record(&ends(db), 1, 500).await;
        let other = SeaOrmSubscriptionEnds(db.other_node().await);
        let records = [ends(db), other].map(|ends| tokio::spawn(async move { record(&ends, 3, 3).await }));
        for done in records {
            // PostgreSQL may abort one of two conflicting transactions; the next run repeats it.
            let _ = done.await;
        }
        record(&ends(db), 3, 3).await;
        assert_eq!(delivered_ends(db, webhook).await.len(), 20, "those of one time in steps of three");
    }

    async fn a_changed_end_is_reported_and_other_edits_are_not(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let webhook = hook(db, "Vencimientos", &[UserExpiring, UserExpired]).await.id;
        app(&fixture, "over_1", days(-300)).await;
        fixture.add(ROOT, "sold_1", RoleCode::App).await;
        app(&fixture, "moved_1", days(100)).await;
        record(&ends(db), 1, 500).await;
        assert_eq!(delivered_ends(db, webhook).await, [""; 0]);
        edit(&fixture, "over_1", 2, |change| change.full_name = "Otro Nombre".into()).await;
        fixture.ledger.post(&order(ROOT, AddCredits, "sold_1", 1), days(2)).await.unwrap();
        edit(&fixture, "moved_1", 2, |change| change.expiration_date = Some(days(4))).await;
        record(&ends(db), 2, 500).await;
        record(&ends(db), 2, 500).await;
        assert_eq!(delivered_ends(db, webhook).await, ["users/moved_1 USER_EXPIRING"]);
        edit(&fixture, "moved_1", 3, |change| change.expiration_date = Some(days(-1))).await;
        record(&ends(db), 3, 500).await;
        assert_eq!(delivered_ends(db, webhook).await, ["users/moved_1 USER_EXPIRED", "users/moved_1 USER_EXPIRING"]);
    }

    async fn a_run_reads_only_changes_and_not_all_ended_subscriptions(db: &TestDb) {
        if !db.is_sqlite() {
            return;
        }
        let plans = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = plans.clone();
        let watched = db.database.clone().watched(move |statement| {
            if statement.sql.replace('"', "").contains("FROM users") {
                seen.lock().unwrap().push(statement.clone());
            }
        });
        let ends = SeaOrmSubscriptionEnds(watched);
        record(&ends, 1, 500).await;
        record(&ends, 2, 500).await;
        let statements = plans.lock().unwrap().clone();
        assert_eq!(statements.len(), 4, "both stages by time, both by changes");
        for statement in statements {
            let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
            let values = statement.values.clone().map(|values| values.0).unwrap_or_default();
            let explain = sea_orm::Statement::from_sql_and_values(sea_orm::DbBackend::Sqlite, sql, values);
            let rows = db.database.connection().query_all_raw(explain).await.unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.try_get("", "detail").unwrap()).collect();
            let plan = plan.join("\n");
            assert!(!plan.contains("SCAN u"), "{plan}");
            let by_time = plan.contains("expiration_date>? AND expiration_date<?");
            assert!(by_time || plan.contains("SEARCH u USING INTEGER PRIMARY KEY"), "{plan}");
        }
    }
}
