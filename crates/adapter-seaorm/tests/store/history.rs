//! Imports of older history: posted against the issuer, checked as a chain, complete afterwards;
//! and imports of users.

use adapter_seaorm::{SeaOrmAudit, SeaOrmDashboards, SeaOrmLedger, SeaOrmUsers};
use domain_audit::AuditAction;
use domain_credits::{OPENING_REASON, OperationType, PastMovement, Verdict};
use domain_kernel::{Id, ListQuery, Origin, RoleCode, Source, Username, timestamp};
use domain_users::{Scope, UserLanguage, UserStatus};
use ports::{
    AuditFilter, AuditRepository, CreditOrder, Dashboards, History, HistoryMovement, ImportedUser, Inserted,
    Ledger, UserImportOutcome, UserInsert, UserRepository,
};
use serde_json::json;

use crate::{
    fixture::reversal,
    support::{TestDb, after, on_both, start},
};

fn name(text: &str) -> Username {
    Username::parse(text).unwrap()
}

fn user(username: &str, role: RoleCode, registrar: Option<&str>) -> ImportedUser {
    ImportedUser {
        user: UserInsert {
            username: name(username),
            full_name: format!("Núñez {}", username.to_lowercase()),
            email: "a@example.com".into(),
            phone_number: "12345678".into(),
            language: None,
            address: None,
            comment: None,
            password_hash: None,
            role,
            status: UserStatus::Active,
            subscription_started: true,
        },
        registrar: registrar.map(name),
        expiration_date: Some(after(1000)),
        sign_ins: 3,
        created_date: Some(after(-5000)),
        credits: 0,
        sale_credits: 0,
    }
}

async fn populated(db: &TestDb) -> (SeaOrmUsers, SeaOrmLedger) {
    let users = SeaOrmUsers(db.database.clone());
    let first = vec![user("root_1", RoleCode::Superadmin, None), user("agent_1", RoleCode::Agent, None)];
    users.import(first, after(0)).await.unwrap();
    let second = vec![user("ana_1", RoleCode::App, Some("AGENT_1")), user("eva_2", RoleCode::App, None)];
    users.import(second, after(0)).await.unwrap();
    (users, SeaOrmLedger::new(db.database.clone()))
}

async fn id(ledger: &SeaOrmLedger, username: &str) -> Id {
    ledger.users_named(&[username.to_owned()]).await.unwrap()[username].id
}

fn movement(performer: Id, by_agent: bool, minute: i64, before: i64, change: i64) -> HistoryMovement {
    let past = PastMovement { at: after(minute), change, before };
    HistoryMovement { past, performer, by_agent, reason: Some("Renovación".into()) }
}

on_both! {
    async fn users_are_imported_once_with_their_registering_users(db: &TestDb) {
        let (users, ledger) = populated(db).await;
        let again = users.import(vec![user("ANA_1", RoleCode::App, Some("agent_1"))], after(1)).await.unwrap();
        assert_eq!(again, [UserImportOutcome::Unchanged]);
        let mut renamed = user("ana_1", RoleCode::Admin, None);
        renamed.user.full_name = "Otra".into();
        renamed.user.status = UserStatus::Suspended;
        let lost = user("new_1", RoleCode::App, Some("nobody"));
        let outcomes = users.import(vec![renamed, lost], after(2)).await.unwrap();
        assert_eq!(outcomes, [UserImportOutcome::Updated, UserImportOutcome::MissingRegistrar]);
        let seen = users.find(&Scope::SubtreeOf(name("agent_1")), &name("ana_1")).await.unwrap().unwrap();
        assert_eq!((seen.full_name.as_str(), seen.role, seen.status), ("Otra", RoleCode::App, UserStatus::Active));
        assert_eq!((seen.registered_by, seen.sign_ins, seen.expiration_date), (Some(name("agent_1")), 3, Some(after(1000))));
        assert!(users.find(&Scope::SubtreeOf(name("agent_1")), &name("eva_2")).await.unwrap().is_none());
        let query = ListQuery { search: Some("OTRA".into()), ..ListQuery::default() };
        assert_eq!(users.list(&Scope::Everyone, &query, None).await.unwrap().total_elements, 1);
        let query = ListQuery { search: Some("administrador".into()), ..ListQuery::default() };
        assert_eq!(users.list(&Scope::Everyone, &query, None).await.unwrap().total_elements, 1, "only the root");
        assert_eq!(ledger.verify(after(10)).await.unwrap(), []);
    }

    async fn imported_users_have_a_first_audit_entry(db: &TestDb) {
        let (users, _) = populated(db).await;
        let entries = async |username: &str| {
            let (resource, item) = (Some("users".to_owned()), Some(username.to_owned()));
            let filter = AuditFilter { resource, item, ..AuditFilter::default() };
            let page = SeaOrmAudit(db.database.clone()).list(&filter, &ListQuery::default()).await.unwrap();
            page.content.into_iter().rev().collect::<Vec<_>>()
        };
        let of_ana = entries("ana_1").await;
        let [created] = &of_ana[..] else { panic!("{of_ana:?}") };
        assert_eq!((created.action, created.version, created.occurred_at), (AuditAction::Created, Some(1), after(0)));
        assert_eq!((created.origin.source, &created.actor, created.title.as_str()), (Source::Import, &None, "ana_1"));
        assert_eq!(created.diff.after, *json!({
            "fullName": "Núñez ana_1", "email": "a@example.com", "phoneNumber": "12345678", "roleCode": "app", "status": "ACTIVE",
            "expirationDate": timestamp::text(after(1000)), "subscriptionStarted": true, "registeredBy": "agent_1",
        }).as_object().unwrap());
        // An import that changes fields is recorded like any change; one without changes is not.
        let mut renamed = user("ANA_1", RoleCode::App, None);
        renamed.user.full_name = "Otra".into();
        renamed.user.language = Some(UserLanguage::English);
        users.import(vec![renamed.clone()], after(1)).await.unwrap();
        let without_language = UserInsert { language: None, ..renamed.user.clone() };
        let other_system = ImportedUser { user: without_language, ..renamed.clone() };
        let again = users.import(vec![renamed, other_system], after(2)).await.unwrap();
        assert_eq!(again, [UserImportOutcome::Unchanged; 2], "files of other systems have no language");
        let of_ana = entries("ana_1").await;
        let [_, changed] = &of_ana[..] else { panic!("{of_ana:?}") };
        assert_eq!((changed.action, changed.version, changed.title.as_str()), (AuditAction::Updated, Some(2), "ana_1"));
        let fields = (json!({"fullName": "Núñez ana_1", "language": null}), json!({"fullName": "Otra", "language": "en"}));
        assert_eq!((&changed.diff.before, &changed.diff.after), (fields.0.as_object().unwrap(), fields.1.as_object().unwrap()));
        let first = users.find(&Scope::Everyone, &name("ana_1")).await.unwrap().unwrap();
        assert_eq!((first.version, first.language), (2, Some(UserLanguage::English)));
    }

    async fn users_are_imported_with_their_balances_once(db: &TestDb) {
        let (users, ledger) = populated(db).await;
        let rich = || {
            let mut customer = user("rica_1", RoleCode::App, Some("agent_1"));
            customer.credits = 5;
            let mut seller = user("seller_1", RoleCode::Agent, None);
            seller.sale_credits = 2_000_000;
            // The users were imported before, without credits.
            let mut known = user("eva_2", RoleCode::App, None);
            known.credits = 9;
            vec![customer, seller, known]
        };
        let outcomes = users.import(rich(), after(1)).await.unwrap();
        assert_eq!(outcomes, [UserImportOutcome::Created, UserImportOutcome::Created, UserImportOutcome::Unchanged]);
        let ids = [id(&ledger, "rica_1").await, id(&ledger, "seller_1").await, id(&ledger, "eva_2").await];
        let balances = ledger.balances(&ids).await.unwrap();
        assert_eq!(ids.map(|id| balances[&id]), [(5, 0), (0, 2_000_000), (0, 0)]);
        let query = ListQuery::default();
        let page = ledger.history(&Scope::Everyone, Some(&name("rica_1")), &query).await.unwrap().unwrap();
        assert_eq!(page.total_elements, 1);
        let opening = &page.content[0];
        assert_eq!((opening.imported, opening.amount, opening.operation_date), (true, 5, after(1)));
        assert_eq!(opening.reason.as_deref(), Some(OPENING_REASON));
        let seen = users.find(&Scope::Everyone, &name("rica_1")).await.unwrap().unwrap();
        assert_eq!(seen.expiration_date, Some(after(1000)), "an opening balance moves no expiration");
        // Spent credits are not imported again.
        let order = CreditOrder {
            performer: name("root_1"),
            target: name("rica_1"),
            operation: OperationType::DeductCredits,
            amount: 5,
            reason: None,
            expected: None,
            once: None,
            origin: Origin::SERVER,
        };
        assert!(matches!(ledger.post(&order, after(2)).await.unwrap(), Inserted::New(_)));
        let entries = db.number("SELECT count(*) AS number FROM entries").await;
        assert_eq!(users.import(rich(), after(3)).await.unwrap(), [UserImportOutcome::Unchanged; 3]);
        assert_eq!(db.number("SELECT count(*) AS number FROM entries").await, entries);
        assert_eq!(ledger.balances(&ids).await.unwrap()[&ids[0]], (0, 0));
        assert_eq!(ledger.verify(after(10)).await.unwrap(), []);
    }

    async fn no_user_is_imported_without_its_balances(db: &TestDb) {
        let (users, ledger) = populated(db).await;
        db.run(if db.is_sqlite() {
            "CREATE TRIGGER stop BEFORE INSERT ON operations BEGIN SELECT RAISE(ABORT, 'stop'); END"
        } else {
            "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$; \
             CREATE TRIGGER stop BEFORE INSERT ON operations FOR EACH ROW EXECUTE FUNCTION stop()"
        })
        .await;
        let rich = || {
            let mut customer = user("rica_1", RoleCode::App, Some("agent_1"));
            customer.credits = 5;
            vec![customer]
        };
        assert!(users.import(rich(), after(1)).await.is_err());
        assert!(users.find(&Scope::Everyone, &name("rica_1")).await.unwrap().is_none());
        db.run(if db.is_sqlite() { "DROP TRIGGER stop" } else { "DROP TRIGGER stop ON operations" }).await;
        assert_eq!(users.import(rich(), after(2)).await.unwrap(), [UserImportOutcome::Created]);
        let rica = id(&ledger, "rica_1").await;
        assert_eq!(ledger.balances(&[rica]).await.unwrap()[&rica], (5, 0));
        assert_eq!(ledger.verify(after(10)).await.unwrap(), []);
    }

    async fn history_is_posted_against_the_issuer_and_a_second_import_changes_nothing(db: &TestDb) {
        let (users, ledger) = populated(db).await;
        let (ana, agent, root) = (id(&ledger, "ana_1").await, id(&ledger, "agent_1").await, id(&ledger, "root_1").await);
        let histories = [
            History {
                user: ana,
                for_sale: false,
                movements: vec![
                    movement(agent, true, -300, 0, 3),
                    movement(root, false, -200, 3, -1),
                    movement(agent, true, -100, 9, 1),
                ],
            },
            History { user: agent, for_sale: true, movements: vec![movement(root, false, -400, 20, 2_000_000)] },
        ];
        let verdicts = ledger.book_history(&histories, start()).await.unwrap();
        assert_eq!(verdicts[0], [Verdict::Booked, Verdict::Booked, Verdict::Broken(2)]);
        assert_eq!(verdicts[1], [Verdict::Booked]);
        assert_eq!(ledger.verify(after(10)).await.unwrap(), []);
        let balances = ledger.balances(&[ana, agent]).await.unwrap();
        assert_eq!((balances[&ana], balances[&agent]), ((2, 0), (0, 2_000_020)), "the stock was opened with 20");
        let seen = users.find(&Scope::Everyone, &name("ana_1")).await.unwrap().unwrap();
        assert_eq!(seen.expiration_date, Some(after(1000)), "history moves no expiration");
        let page = ledger.history(&Scope::Everyone, Some(&name("ana_1")), &ListQuery::default()).await.unwrap().unwrap();
        assert_eq!(page.total_elements, 2);
        assert!(page.content.iter().all(|one| one.imported && one.expiration_after.is_none()));
        assert_eq!(page.content[0].operation_type, OperationType::DeductCredits);
        let rows = db.number("SELECT count(*) AS number FROM entries").await;
        let again = ledger.book_history(&histories, start()).await.unwrap();
        assert_eq!(again[0], [Verdict::Known, Verdict::Known, Verdict::Broken(2)]);
        assert_eq!(again[1], [Verdict::Known]);
        assert_eq!(db.number("SELECT count(*) AS number FROM entries").await, rows);
        assert_eq!(db.number("SELECT total_sales AS number FROM users WHERE username = 'agent_1'").await, 3);
    }

    async fn an_imported_opening_balance_is_no_sale_and_neither_is_its_reversal(db: &TestDb) {
        let (users, ledger) = populated(db).await;
        let dashboards = SeaOrmDashboards(db.database.clone());
        let since = start().date_naive() - chrono::Days::new(30);
        let sold = async || -> i64 {
            let months = dashboards.months(&Scope::Everyone, since).await.unwrap();
            months.iter().map(|month| month.credits_sold).sum()
        };
        let mut customer = user("rica_1", RoleCode::App, Some("agent_1"));
        customer.credits = 5;
        assert_eq!(users.import(vec![customer], after(0)).await.unwrap(), [UserImportOutcome::Created]);
        assert_eq!(sold().await, 0);
        let (ana, eva, agent) = (id(&ledger, "ana_1").await, id(&ledger, "eva_2").await, id(&ledger, "agent_1").await);
        // Imported sales are counted; the opening balance of the second account is not.
        let histories = [
            History { user: ana, for_sale: false, movements: vec![movement(agent, true, -300, 0, 3)] },
            History { user: eva, for_sale: false, movements: vec![movement(agent, true, -300, 20, 2)] },
        ];
        ledger.book_history(&histories, start()).await.unwrap();
        assert_eq!(sold().await, 5);
        let query = ListQuery::default();
        let page = ledger.history(&Scope::Everyone, Some(&name("rica_1")), &query).await.unwrap().unwrap();
        let back = ledger.reverse(&reversal("root_1", page.content[0].id), after(1)).await.unwrap();
        assert!(matches!(back, Inserted::New(_)), "{back:?}");
        assert_eq!(sold().await, 5, "the reversal of an opening is not counted either");
        let page = ledger.history(&Scope::Everyone, Some(&name("ana_1")), &query).await.unwrap().unwrap();
        let back = ledger.reverse(&reversal("root_1", page.content[0].id), after(2)).await.unwrap();
        assert!(matches!(back, Inserted::New(_)), "{back:?}");
        assert_eq!(sold().await, 2);

        // Earlier versions counted openings.
        let (sqlite, trigger) = (db.is_sqlite(), "CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN SELECT 1; END;");
        let day = if sqlite { "substr(operation_date, 1, 10)" } else { "to_char(operation_date AT TIME ZONE 'UTC', 'YYYY-MM-DD')" };
        let trigger = if sqlite { format!("DROP TRIGGER entries_sold; {trigger}") } else { String::new() };
        db.run(&format!(
            "{trigger} DROP TABLE credits_sold; \
             CREATE TABLE credits_added (day text NOT NULL, shard bigint NOT NULL, total bigint NOT NULL, PRIMARY KEY (day, shard)); \
             INSERT INTO credits_added (day, shard, total) SELECT {day}, operation_id % 16, CAST(sum(delta) AS bigint) FROM entries \
             WHERE account = 'APP' GROUP BY 1, 2; \
             DELETE FROM seaql_migrations WHERE version LIKE '%_000112_%'"
        ))
        .await;
        let counted = "SELECT CAST(sum(total) AS bigint) AS number FROM credits_added";
        assert_eq!(db.number(counted).await, 22, "with the 20 that the second account had before");
        db.database.migrate(migrations::migrate).await.unwrap();
        assert_eq!(sold().await, 2);
        let order = CreditOrder {
            performer: name("root_1"),
            target: name("ana_1"),
            operation: OperationType::AddCredits,
            amount: 4,
            reason: Some(OPENING_REASON.into()),
            expected: None,
            once: None,
            origin: Origin::SERVER,
        };
        assert!(matches!(ledger.post(&order, after(3)).await.unwrap(), Inserted::New(_)));
        assert_eq!(sold().await, 6, "any reason is a sale");
    }

    async fn imported_movements_of_any_amount_can_be_reversed(db: &TestDb) {
        let (_, ledger) = populated(db).await;
        let (agent, root) = (id(&ledger, "agent_1").await, id(&ledger, "root_1").await);
        let much = History { user: agent, for_sale: true, movements: vec![movement(root, false, -400, 0, 2_000_000)] };
        assert_eq!(ledger.book_history(&[much], start()).await.unwrap(), [vec![Verdict::Booked]]);
        let query = ListQuery::default();
        let page = ledger.history(&Scope::Everyone, Some(&name("agent_1")), &query).await.unwrap().unwrap();
        let back = ledger.reverse(&reversal("root_1", page.content[0].id), after(1)).await.unwrap();
        let Inserted::New(back) = back else { panic!("it is refused: {back:?}") };
        assert_eq!((back.balance_before, back.balance_after), (2_000_000, 0));
        assert_eq!(ledger.verify(after(10)).await.unwrap(), []);
    }

    async fn an_account_continues_after_imported_history_and_its_movements_can_be_reversed(db: &TestDb) {
        let (_, ledger) = populated(db).await;
        let (ana, agent) = (id(&ledger, "ana_1").await, id(&ledger, "agent_1").await);
        let sold = History { user: ana, for_sale: false, movements: vec![movement(agent, true, -300, 0, 3)] };
        ledger.book_history(&[sold], start()).await.unwrap();
        let order = CreditOrder {
            performer: name("root_1"),
            target: name("ana_1"),
            operation: OperationType::AddCredits,
            amount: 2,
            reason: None,
            expected: None,
            once: None,
            origin: Origin::SERVER,
        };
        let Inserted::New(posted) = ledger.post(&order, after(5)).await.unwrap() else { panic!("it is refused") };
        assert_eq!((posted.balance_before, posted.balance_after), (3, 5));
        assert_eq!(posted.expiration_before, Some(after(1000)));
        let history = ledger.history(&Scope::Everyone, Some(&name("ana_1")), &ListQuery::default()).await.unwrap().unwrap();
        let imported = history.content.iter().find(|one| one.imported).unwrap().id;
        let back = ports::ReversalOrder { performer: name("root_1"), movement: imported, request: None, reason: None, once: None, origin: Origin::SERVER };
        let Inserted::New(back) = ledger.reverse(&back, after(6)).await.unwrap() else { panic!("it is refused") };
        assert_eq!((back.balance_after, back.amount), (2, 3));
        assert_eq!(db.number("SELECT total_sales AS number FROM users WHERE username = 'agent_1'").await, 0);
        assert_eq!(ledger.verify(after(10)).await.unwrap(), []);
    }
}
