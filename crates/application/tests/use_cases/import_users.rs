//! Users and their credit history from files: stored lines, rejected lines with reasons, and
//! lookups.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use application::{
    Change, Claim, CreditService, ImportedLine, LineOutcome, Passwords, PendingHistory, UserService,
};
use domain_credits::Verdict;
use domain_kernel::{Id, RoleCode};
use domain_users::UserStatus;
use ports::{
    History, ImportedUser, LedgerUser, MockLedger, MockPasswordHasher, MockSecretSource, MockUserRepository,
    UserImportOutcome,
};
use serde_json::{Value, json};

use crate::support::calendar;

fn user(name: &str) -> Value {
    json!({
        "username": name, "fullName": "Ana Núñez", "email": "ana@example.com", "phoneNumber": "+34 600 000 000",
        "address": "", "comment": "", "password": "Cartelera0001a", "roleCode": "app",
        "role": {"code": "app", "name": "Usuario"}, "credits": 0, "saleCredits": 0, "expirationDate": null, "signIns": 7,
        "status": "ACTIVE", "createdDate": "2024-05-08T15:48:00Z",
    })
}

fn lines(all: Vec<Value>) -> Vec<ImportedLine> {
    (1..).zip(all).map(|(number, json)| ImportedLine { number, json: Ok(json) }).collect()
}

fn reported(outcomes: &[(u64, LineOutcome)]) -> Vec<(u64, String)> {
    let words = |outcome: &LineOutcome| match outcome {
        LineOutcome::Accepted(change) => format!("{change:?}"),
        LineOutcome::Malformed(reason) => format!("malformed: {reason}"),
        LineOutcome::Refused(broken) => format!("{} {}", broken.0[0].field, broken.0[0].code.as_str()),
    };
    outcomes.iter().map(|(number, outcome)| (*number, words(outcome))).collect()
}

type Batches = Arc<Mutex<Vec<Vec<ImportedUser>>>>;

/// A store that accepts all users and captures them.
fn capturing() -> (MockUserRepository, Batches) {
    let seen: Batches = Arc::default();
    let kept = seen.clone();
    let mut users = MockUserRepository::new();
    users.expect_import().returning(move |batch, _| {
        let outcomes = vec![UserImportOutcome::Created; batch.len()];
        kept.lock().unwrap().push(batch);
        Ok(outcomes)
    });
    (users, seen)
}

fn service(users: MockUserRepository, passwords: MockPasswordHasher) -> UserService {
    UserService::new(
        Arc::new(users),
        Arc::new(passwords),
        Arc::new(MockSecretSource::new()),
        calendar(),
        None,
    )
}

#[tokio::test]
async fn a_password_is_hashed_a_hash_is_stored_and_a_line_without_either_is_refused() {
    let (users, seen) = capturing();
    let mut passwords = MockPasswordHasher::new();
    passwords
        .expect_hash()
        .withf(|text| text == "Cartelera0001a")
        .times(1)
        .returning(|_| Ok("hashed".into()));
    let mut hashed = user("hashed_1");
    hashed["passwordHash"] = json!("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaGhhc2g");
    let mut foreign = user("foreign_1");
    foreign["passwordHash"] = json!("$2b$12$abc");
    let mut neither = user("neither_1");
    neither["password"] = Value::Null;
    let mut weak = user("weak_1");
    weak["roleCode"] = json!("agent");
    weak["password"] = json!("abcdefgh");
    let batch = lines(vec![user("ana_1"), hashed, foreign, neither, weak]);
    let outcomes = service(users, passwords)
        .import(batch, Passwords::Required, &HashSet::new(), &mut Vec::new())
        .await
        .unwrap();
    let expected = [
        (1, "Created"),
        (2, "Created"),
        (3, "passwordHash INVALID_FORMAT"),
        (4, "password REQUIRED"),
        (5, "password WEAK_PASSWORD"),
    ];
    assert_eq!(reported(&outcomes), expected.map(|(number, words)| (number, words.to_owned())));
    let seen = seen.lock().unwrap();
    let hashes: Vec<_> = seen[0].iter().map(|one| one.user.password_hash.clone().unwrap()).collect();
    assert_eq!(hashes[0], "hashed");
    assert!(hashes[1].starts_with("$argon2id$"));
    assert_eq!((seen[0][0].sign_ins, seen[0][0].user.status), (7, UserStatus::Active));
    assert_eq!(seen[0][0].created_date, Some("2024-05-08T15:48:00Z".parse().unwrap()));
}

#[tokio::test]
async fn without_passwords_nothing_is_hashed() {
    let (users, seen) = capturing();
    let mut dated = user("ana_1");
    dated["expirationDate"] = json!("2027-01-31");
    let service = service(users, MockPasswordHasher::new());
    let batch = lines(vec![dated, user("eva_2")]);
    service.import(batch, Passwords::Left, &HashSet::new(), &mut Vec::new()).await.unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen[0].iter().all(|one| one.user.password_hash.is_none()));
    assert_eq!(seen[0][0].expiration_date, Some("2027-01-31T23:59:59.999Z".parse().unwrap()));
}

#[tokio::test]
async fn users_are_stored_with_their_balances_except_those_with_a_history() {
    let (users, seen) = capturing();
    let with = |name: &str, role: &str, credits: i64, sale_credits: i64| {
        let mut user = user(name);
        user["roleCode"] = json!(role);
        user["credits"] = json!(credits);
        user["saleCredits"] = json!(sale_credits);
        user
    };
    let batch = lines(vec![
        with("ana_1", "app", 5, 0),
        with("agent_1", "agent", 0, 70),
        with("Eva_2", "app", 3, 0),
        with("luz_3", "app", 0, 0),
        with("sol_4", "app", 2, 8),
        with("root_5", "superadmin", 1, 0),
    ]);
    let (with_history, mut claims) = (HashSet::from(["eva_2".to_owned()]), Vec::new());
    let service = service(users, MockPasswordHasher::new());
    service.import(batch, Passwords::Left, &with_history, &mut claims).await.unwrap();
    let brought: Vec<_> = seen.lock().unwrap()[0].iter().map(|one| (one.credits, one.sale_credits)).collect();
    assert_eq!(brought, [(5, 0), (0, 70), (0, 0), (0, 0), (2, 0), (0, 0)]);
    // Unbooked balances are compared with the ledger later.
    let claimed: Vec<_> =
        claims.iter().map(|claim| (claim.username_key.as_str(), claim.credits, claim.sale_credits)).collect();
    assert_eq!(claimed, [("eva_2", 3, 0), ("sol_4", 2, 8), ("root_5", 1, 0)]);
}

#[tokio::test]
async fn a_user_registered_by_another_one_of_the_file_is_stored_after_them() {
    let (users, seen) = capturing();
    let mut agent = user("agent_1");
    agent["roleCode"] = json!("agent");
    let mut customer = user("customer_1");
    customer["registeredBy"] = json!("AGENT_1");
    let mut twin = user("Customer_1");
    twin["fullName"] = json!("Otra Persona");
    let service = service(users, MockPasswordHasher::new());
    service
        .import(lines(vec![agent, customer, twin]), Passwords::Left, &HashSet::new(), &mut Vec::new())
        .await
        .unwrap();
    let sizes: Vec<usize> = seen.lock().unwrap().iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 1, 1]);
}

#[tokio::test]
async fn broken_lines_are_refused_one_by_one() {
    let (users, _) = capturing();
    let with = |field: &str, value: Value| {
        let mut user = user("ana_1");
        user[field] = value;
        user
    };
    let mut batch = lines(vec![
        with("username", json!("ñandú")),
        with("username", Value::Null),
        with("phoneNumber", json!("123")),
        with("creditz", json!(3)),
        with("registeredBy", json!("a b")),
    ]);
    batch.push(ImportedLine { number: 6, json: Err("not JSON".into()) });
    let service = service(users, MockPasswordHasher::new());
    let outcomes = service.import(batch, Passwords::Left, &HashSet::new(), &mut Vec::new()).await.unwrap();
    let words: Vec<String> = reported(&outcomes).into_iter().map(|(_, words)| words).collect();
    assert_eq!(
        words,
        [
            "username INVALID_FORMAT",
            "username REQUIRED",
            "phoneNumber TOO_SHORT",
            "creditz UNKNOWN_FIELD",
            "registeredBy UNKNOWN_REFERENCE",
            "malformed: not JSON"
        ]
    );
}

fn operation(target: &str, date: &str, kind: &str, before: i64, amount: i64) -> Value {
    let sale = kind.ends_with("FOR_SALE");
    let after = if kind.starts_with("DEDUCT") { before - amount } else { before + amount };
    json!({
        "operationDate": date, "targetUser": {"username": target, "fullName": "Ana"},
        "performedByUser": {"username": "agent_1", "fullName": "Eva"}, "operationType": kind,
        "creditType": if sale { "SALE" } else { "NORMAL" }, "amount": amount, "balanceBefore": before,
        "balanceAfter": after, "reason": "Renovación",
    })
}

fn ledger_users() -> HashMap<String, LedgerUser> {
    [("ana_1", 1, RoleCode::App), ("agent_1", 2, RoleCode::Agent), ("eva_2", 3, RoleCode::App)]
        .map(|(name, id, role)| (name.to_owned(), LedgerUser { id, role }))
        .into()
}

type Booked = Arc<Mutex<Vec<History>>>;

fn ledger(balances: &'static [(Id, (i64, i64))]) -> (MockLedger, Booked) {
    let booked: Booked = Arc::default();
    let kept = booked.clone();
    let mut ledger = MockLedger::new();
    ledger.expect_users_named().returning(|_| Ok(ledger_users()));
    ledger.expect_balances().returning(|_| Ok(balances.iter().copied().collect()));
    ledger.expect_book_history().returning(move |histories, _| {
        kept.lock().unwrap().extend(histories.to_vec());
        Ok(histories.iter().map(|one| vec![Verdict::Booked; one.movements.len()]).collect())
    });
    (ledger, booked)
}

#[tokio::test]
async fn history_is_booked_account_by_account_in_the_order_of_its_dates() {
    let (ledger, booked) = ledger(&[]);
    let service = CreditService::new(Arc::new(ledger), calendar());
    let mut pending = PendingHistory::default();
    let batch = lines(vec![
        operation("ana_1", "2026-03-01T10:00:00Z", "DEDUCT_CREDITS", 3, 1),
        operation("agent_1", "2026-02-01T10:00:00Z", "ADD_CREDITS_FOR_SALE", 0, 50),
        operation("ana_1", "2026-01-01T10:00:00Z", "ADD_CREDITS", 0, 3),
    ]);
    assert!(service.read_history(batch, &mut pending).await.unwrap().is_empty());
    assert_eq!(pending.len(), 3);
    let mut heard = Vec::new();
    service.book_history(&mut pending, |outcomes| heard.extend(outcomes)).await.unwrap();
    heard.sort_by_key(|(number, _)| *number);
    assert!(heard.iter().all(|(_, outcome)| matches!(outcome, LineOutcome::Accepted(Change::Created))));
    let booked = booked.lock().unwrap();
    assert_eq!(
        booked.iter().map(|one| (one.user, one.for_sale)).collect::<Vec<_>>(),
        [(1, false), (2, true)]
    );
    let changes: Vec<i64> = booked[0].movements.iter().map(|one| one.past.change).collect();
    assert_eq!(changes, [3, -1]);
    assert!(
        booked[0].movements[0].by_agent && booked[0].movements[0].reason.as_deref() == Some("Renovación")
    );
}

#[tokio::test]
async fn invalid_lines_of_history_are_refused() {
    let (ledger, _) = ledger(&[]);
    let service = CreditService::new(Arc::new(ledger), calendar());
    let day = "2026-01-01T10:00:00Z";
    let with = |field: &str, value: Value| {
        let mut one = operation("ana_1", day, "ADD_CREDITS", 0, 3);
        one[field] = value;
        one
    };
    let batch = lines(vec![
        operation("nobody", day, "ADD_CREDITS", 0, 3),
        with("performedByUser", json!({"username": "nobody"})),
        operation("agent_1", day, "ADD_CREDITS", 0, 3),
        with("creditType", json!("SALE")),
        with("balanceAfter", json!(4)),
        with("amount", json!(0)),
        with("operationDate", json!("2026-11-20T10:00:01Z")),
        operation("ana_1", day, "DEDUCT_CREDITS", 1, 3),
        with("operationType", json!("STEAL")),
    ]);
    let outcomes = service.read_history(batch, &mut PendingHistory::default()).await.unwrap();
    let words: Vec<String> = reported(&outcomes).into_iter().map(|(_, words)| words).collect();
    assert_eq!(words.len(), 9, "{words:?}");
    for (found, expected) in words.iter().zip([
        "targetUser.username UNKNOWN_REFERENCE",
        "performedByUser.username UNKNOWN_REFERENCE",
        "targetUser.username WRONG_ROLE",
        "creditType BROKEN_CHAIN",
        "balanceAfter BROKEN_CHAIN",
        "amount TOO_SMALL",
        "operationDate INVALID_DATE",
        "balanceAfter",
        "operationType UNKNOWN_VALUE",
    ]) {
        assert!(found.starts_with(expected), "{found} is not {expected}");
    }
}

#[tokio::test]
async fn balances_of_users_lines_are_opened_confirmed_or_refused() {
    // 1 has the balance of its line, 2 has neither balance nor history, 3 has another balance.
    let (ledger, booked) = ledger(&[(1, (5, 0)), (2, (0, 0)), (3, (4, 0))]);
    let service = CreditService::new(Arc::new(ledger), calendar());
    let claim = |number, name: &str, credits, sale_credits| Claim {
        number,
        username_key: name.into(),
        credits,
        sale_credits,
    };
    let claims = [
        claim(1, "ana_1", 5, 0),
        claim(2, "agent_1", 0, 70),
        claim(3, "eva_2", 9, 0),
        claim(4, "agent_1", 3, 0),
    ];
    let outcomes = service.reconcile_claims(&claims, &PendingHistory::default()).await.unwrap();
    let booked = booked.lock().unwrap();
    assert_eq!(booked.len(), 1);
    assert_eq!((booked[0].user, booked[0].for_sale, booked[0].movements[0].past.change), (2, true, 70));
    let words: Vec<_> =
        reported(&outcomes).into_iter().map(|(number, words)| format!("{number} {words}")).collect();
    assert_eq!(words, ["3 credits BROKEN_CHAIN", "4 credits BROKEN_CHAIN"]);
}

#[tokio::test]
async fn an_opening_balance_after_a_sale_is_reported() {
    let mut ledger = MockLedger::new();
    ledger.expect_users_named().returning(|_| Ok(ledger_users()));
    ledger.expect_balances().returning(|_| Ok(HashMap::new()));
    ledger.expect_book_history().returning(|_, _| Ok(vec![vec![Verdict::Broken(2)]]));
    let service = CreditService::new(Arc::new(ledger), calendar());
    let claims = [Claim { number: 7, username_key: "ana_1".into(), credits: 5, sale_credits: 0 }];
    let outcomes = service.reconcile_claims(&claims, &PendingHistory::default()).await.unwrap();
    assert_eq!(reported(&outcomes), [(7, "credits BROKEN_CHAIN".to_owned())]);
}

#[tokio::test]
async fn targets_of_a_history_are_known_before_it_is_booked() {
    let service = CreditService::new(Arc::new(MockLedger::new()), calendar());
    let day = "2026-01-01T10:00:00Z";
    let mut broken = operation("eva_2", day, "ADD_CREDITS", 0, 3);
    broken["balanceAfter"] = json!(4);
    let batch = lines(vec![
        operation(" ANA_1\u{200B}", day, "ADD_CREDITS", 0, 3),
        broken,
        operation("agent_1", day, "ADD_CREDITS_FOR_SALE", 0, 9),
    ]);
    assert_eq!(service.targets_of(batch), ["ana_1", "agent_1"]);
}

#[tokio::test]
async fn numbers_have_bounds_and_a_hash_has_at_most_the_cost_of_new_ones() {
    let (users, seen) = capturing();
    let with = |username: &str, field: &str, value: serde_json::Value| {
        let mut line = user(username);
        line[field] = value;
        line
    };
    let costly =
        format!("$argon2id$v=19$m=4194304,t=9,p=4$c2FsdHNhbHRzYWx0$%{}", "A".repeat(43)).replace('%', "");
    let batch = lines(vec![
        with("ana_1", "credits", json!(1_000_000_001_i64)),
        with("ana_2", "saleCredits", json!(-1)),
        with("ana_3", "signIns", json!(1.5)),
        with("ana_4", "credits", json!(i64::MAX)),
        with("ana_5", "credits", json!(1_000_000_000)),
        with("ana_6", "passwordHash", json!(costly)),
    ]);
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_hash().returning(|_| Ok("hashed".into()));
    let outcomes = service(users, passwords)
        .import(batch, Passwords::Required, &HashSet::new(), &mut Vec::new())
        .await
        .unwrap();
    let expected = [
        (1, "credits TOO_LARGE"),
        (2, "saleCredits TOO_SMALL"),
        (3, "signIns WRONG_TYPE"),
        (4, "credits TOO_LARGE"),
        (5, "Created"),
        (6, "passwordHash INVALID_FORMAT"),
    ];
    assert_eq!(reported(&outcomes), expected.map(|(number, words)| (number, words.to_owned())));
    assert_eq!(seen.lock().unwrap().concat().len(), 1);
}
