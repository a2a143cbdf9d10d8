//! Updates of users: written columns, ended sessions, versions.

use adapter_seaorm::SeaOrmSessions;
use chrono::{DateTime, Utc};
use domain_credits::OperationType::{AddCredits, AddCreditsForSale};
use domain_kernel::{Enumeration, RoleCode};
use domain_users::{User, UserLanguage, UserStatus};
use ports::{SessionRepository, UserRepository, Written};

use super::agents_with_customers;
use crate::{
    fixture::{ROOT, change, name, order, snapshot, subtree},
    support::{TestDb, after, edit_of, on_both, open_session, start},
};

on_both! {
    async fn a_change_writes_only_its_fields(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.stock("ana_1", 10).await;
        fixture.post("ana_1", AddCredits, "eva_app", 2).await;
        let before = fixture.user("eva_app").await;
        let mut edit = change(&before);
        edit.full_name = "Eva Nueva".into();
        edit.email = "nueva@example.com".into();
        edit.phone_number = "12345678".into();
        edit.language = Some(UserLanguage::English);
        edit.address = Some("Calle 1".into());
        edit.comment = Some("dos\nlíneas".into());
        edit.status = UserStatus::Suspended;
        let scope = subtree("ana_1");
        let written = fixture.users.update(&scope, &name("EVA_APP"), &edit, before.version, &edit_of("ana_1", after(5))).await.unwrap();
        let expected = User {
            full_name: "Eva Nueva".into(),
            email: "nueva@example.com".into(),
            phone_number: "12345678".into(),
            language: Some(UserLanguage::English),
            address: Some("Calle 1".into()),
            comment: Some("dos\nlíneas".into()),
            status: UserStatus::Suspended,
            version: before.version + 1,
            updated_date: after(5),
            ..before.clone()
        };
        assert_eq!(written, Written::Done(expected.clone()));
        assert_eq!(fixture.user("eva_app").await, expected);
        let outdated = fixture.users.update(&scope, &name("eva_app"), &edit, before.version, &edit_of("ana_1", after(6))).await.unwrap();
        assert_eq!(outdated, Written::Outdated(expected));
        let rows = snapshot(db).await;
        for hidden in ["rival_app", "rival_1", "Root_1", "nobody"] {
            let outcome = fixture.users.update(&scope, &name(hidden), &edit, 1, &edit_of("ana_1", after(6))).await.unwrap();
            assert_eq!(outcome, Written::Missing, "{hidden}");
        }
        assert_eq!(snapshot(db).await, rows);
        assert_eq!(fixture.verified().await, []);
    }

    async fn role_and_status_end_sessions_and_nothing_else_does(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        for (number, (what, ends)) in [
            ("name", false),
            ("expiration", false),
            ("role", true),
            ("back", true),
            ("SUSPENDED", true),
            ("ACTIVE", false),
            ("INACTIVE", true),
        ]
        .into_iter()
        .enumerate()
        {
            let (own, other) = (format!("own {number}"), format!("other {number}"));
            open_session(db, &own, "eva_1").await;
            open_session(db, &other, "ana_1").await;
            fixture.edit("eva_1", |change| match what {
                "name" => change.full_name = "Otra".into(),
                "expiration" => change.expiration_date = Some(after(1)),
                "role" => change.role = RoleCode::ContentManager,
                "back" => change.role = RoleCode::Agent,
                status => change.status = UserStatus::from_code(status).unwrap(),
            })
            .await;
            assert_eq!(sessions.find(&own, start()).await.unwrap().is_none(), ends, "{what}");
            assert!(sessions.find(&other, start()).await.unwrap().is_some(), "{what}");
        }
    }

    async fn an_expiration_set_by_a_user_is_ordered_among_movements(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.expire("ana_app", Some(after(60))).await;
        fixture.post(ROOT, AddCredits, "ana_app", 1).await;
        fixture.expire("ana_app", None).await;
        fixture.edit("ana_app", |change| change.full_name = "No la mueve".into()).await;
        fixture.post(ROOT, AddCredits, "ana_app", 1).await;
        fixture.expire("ana_app", Some(after(120))).await;
        let rows = db.rows("SELECT app_seq, expiration_before, expiration_after FROM expiration_edits ORDER BY id").await;
        let date = |row: &sea_orm::QueryResult, column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).unwrap();
        let kept: Vec<_> = rows
            .iter()
            .map(|row| (row.try_get::<i64>("", "app_seq").unwrap(), date(row, "expiration_before"), date(row, "expiration_after")))
            .collect();
        let month = |minutes: i64| after(minutes).checked_add_months(chrono::Months::new(1));
        assert_eq!(
            kept,
            [(0, None, Some(after(60))), (1, month(60), None), (2, month(0), Some(after(120)))]
        );
        assert_eq!(fixture.balances("ana_app").await, (2, 0));
        assert_eq!(fixture.verified().await, []);
    }

    async fn credits_increment_the_version_of_app_users_and_not_that_of_agents(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.stock("ana_1", 10).await;
        fixture.post("ana_1", AddCreditsForSale, "eva_1", 5).await;
        fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        let versions = [fixture.user("ana_1").await.version, fixture.user("eva_1").await.version, fixture.user("ana_app").await.version];
        assert_eq!(versions, [1, 1, 2]);
        let refused = fixture.try_post(&order("rival_1", AddCredits, "ana_app", 1)).await.unwrap();
        assert_eq!(refused, ports::Inserted::Conflict(ports::OrderConflict::Hidden));
        assert_eq!(fixture.user("ana_app").await.version, 2);
    }
}
