//! The credit ledger: what moves, what is refused, what is answered again, taken back and read, and that what is
//! broken is found.

use chrono::{DateTime, Months, Utc};
use domain_credits::{CreditType, Movement, OperationType, Refusal, ReversalStatus};
use domain_kernel::{ListQuery, Origin, RoleCode, Sort};
use domain_users::{Scope, UserStatus};
use futures_util::future::join_all;
use ports::{
    CreditOrder, Ledger, NewReversalRequest, Posted, Quoted, ReversalOrder, ReversalRequested,
    ReversalRequests, UserInsert, Written,
};
use sea_orm::DbBackend;

use crate::{
    fixture::{ROOT, TestUsers, done, everything, name, new_user, once, order, reversal, subtree},
    support::{TestDb, after, edit_of, on_both, start},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

/// An admin, the agents ana_1 (stock 100) and eva_1 beneath it (stock 20), an app user of each, a rival with one.
async fn test_users(db: &TestDb) -> TestUsers {
    let fixture = TestUsers::of(db).await;
    for (parent, username, role) in [
        (ROOT, "admin_1", RoleCode::Admin),
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "ana_app", RoleCode::App),
        ("ana_1", "eva_1", RoleCode::Agent),
        ("eva_1", "eva_app", RoleCode::App),
        (ROOT, "rival_1", RoleCode::Agent),
        ("rival_1", "rival_app", RoleCode::App),
        (ROOT, "manager_1", RoleCode::ContentManager),
    ] {
        fixture.add(parent, username, role).await;
    }
    fixture.stock("ana_1", 100).await;
    fixture.stock("eva_1", 20).await;
    fixture
}

fn months(date: DateTime<Utc>, months: u32) -> Option<DateTime<Utc>> {
    date.checked_add_months(Months::new(months))
}

/// Both legs of an operation: account, user, delta, before, after; the target's first.
async fn legs(db: &TestDb, movement: &Movement) -> Vec<(String, i64, Option<i64>, Option<i64>)> {
    let operation = movement.operation_id;
    let sql = format!(
        "SELECT e.account || coalesce(' of ' || u.username, '') AS account, e.delta, e.balance_before, e.balance_after \
         FROM entries e LEFT JOIN users u ON u.id = e.user_id WHERE e.operation_id = {operation} ORDER BY e.leg"
    );
    let read = |row: &sea_orm::QueryResult| {
        (
            row.try_get("", "account").unwrap(),
            row.try_get("", "delta").unwrap(),
            row.try_get("", "balance_before").unwrap(),
            row.try_get("", "balance_after").unwrap(),
        )
    };
    db.rows(&sql).await.iter().map(read).collect()
}

async fn history(
    fixture: &TestUsers,
    scope: &Scope,
    of: Option<&str>,
    query: &ListQuery,
) -> Option<(u64, Vec<Movement>)> {
    let of = of.map(name);
    let page = fixture.ledger.history(scope, of.as_ref(), query).await.unwrap()?;
    Some((page.total_elements, page.content))
}

/// Everything that the schema keeps the ledger by, gone.
async fn without_guards(db: &TestDb) {
    if db.is_sqlite() {
        for row in db.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'").await {
            db.run(&format!("DROP TRIGGER {}", row.try_get::<String>("", "name").unwrap())).await;
        }
        db.run("PRAGMA ignore_check_constraints = 1").await;
        db.run("PRAGMA foreign_keys = 0").await;
        // A constraint goes with its table only.
        for (table, columns) in [
            (
                "operations",
                "id integer PRIMARY KEY, uuid, performer_id bigint, idempotency_key text, fingerprint text, \
              operation_type text, amount bigint, reason text, sold bigint DEFAULT 0, seller_id bigint, reverses_id bigint, \
              imported boolean DEFAULT false, operation_date timestamp_with_timezone_text, \
              started_subscription boolean DEFAULT false, clock_date timestamp_with_timezone_text",
            ),
            (
                "entries",
                "id integer PRIMARY KEY, operation_id bigint, leg smallint, account text, user_id bigint, \
              seq bigint, delta bigint, balance_before bigint, balance_after bigint, \
              expiration_before timestamp_with_timezone_text, expiration_after timestamp_with_timezone_text, \
              performer_id bigint, operation_date timestamp_with_timezone_text, imported boolean DEFAULT false",
            ),
        ] {
            db.run(&format!("CREATE TABLE bare ({columns})")).await;
            db.run(&format!("INSERT INTO bare SELECT * FROM {table}")).await;
            db.run(&format!("DROP TABLE {table}")).await;
            db.run(&format!("ALTER TABLE bare RENAME TO {table}")).await;
        }
        return;
    }
    for table in ["users", "operations", "entries", "expiration_edits"] {
        db.run(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")).await;
        let constraints = format!(
            "SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype IN ('c', 'u')"
        );
        for row in db.rows(&constraints).await {
            let name = row.try_get::<String>("", "conname").unwrap();
            db.run(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}")).await;
        }
    }
}

on_both! {
    async fn each_operation_of_an_admin_moves_both_sides(db: &TestDb) {
        let fixture = test_users(db).await;
        for (operation, target, amount, account, before, balance) in [
            (AddCredits, "ana_app", 5, "APP of ana_app", 0, 5),
            (DeductCredits, "ana_app", 2, "APP of ana_app", 5, 3),
            (AddCreditsForSale, "rival_1", 1_000_000, "SALE of rival_1", 0, 1_000_000),
            (DeductCreditsForSale, "rival_1", 999_999, "SALE of rival_1", 1_000_000, 1),
        ] {
            let movement = fixture.post("admin_1", operation, target, amount).await;
            let delta = balance - before;
            let expected =
                [(account.to_owned(), delta, Some(before), Some(balance)), ("HOUSE".to_owned(), -delta, None, None)];
            assert_eq!(legs(db, &movement).await, expected);
            assert_eq!((movement.operation_type, movement.amount), (operation, amount));
            assert_eq!((movement.balance_before, movement.balance_after), (before, balance));
            assert_eq!(movement.credit_type == CreditType::Sale, operation.is_for_sale());
            assert_eq!(movement.performed_by_user.username, name("admin_1"));
            assert_eq!(movement.target_user.username, name(target));
            assert_eq!(movement.operation_date, start());
        }
        assert_eq!(fixture.balances("ana_app").await, (3, 0));
        assert_eq!(fixture.balances("rival_1").await, (0, 1));
        assert_eq!(fixture.balances("admin_1").await, (0, 0));
        assert_eq!(fixture.verified().await, []);
    }

    async fn each_operation_of_an_agent_moves_its_own_stock(db: &TestDb) {
        let fixture = test_users(db).await;
        for (operation, target, amount, account, before, balance, stock) in [
            (AddCredits, "ana_app", 5, "APP of ana_app", 0, 5, (100, 95)),
            (AddCredits, "eva_app", 1, "APP of eva_app", 0, 1, (95, 94)),
            (AddCreditsForSale, "eva_1", 10, "SALE of eva_1", 20, 30, (94, 84)),
            (DeductCreditsForSale, "eva_1", 30, "SALE of eva_1", 30, 0, (84, 114)),
        ] {
            let movement = fixture.post("ana_1", operation, target, amount).await;
            let delta = balance - before;
            let payer = ("SALE of ana_1".to_owned(), -delta, Some(stock.0), Some(stock.1));
            assert_eq!(legs(db, &movement).await, [(account.to_owned(), delta, Some(before), Some(balance)), payer]);
        }
        assert_eq!(fixture.balances("ana_1").await, (0, 114));
        assert_eq!(db.number("SELECT total_sales AS number FROM users WHERE username_key = 'ana_1'").await, 16 - 30);
        assert_eq!(fixture.verified().await, []);
    }

    async fn app_credits_move_the_expiration_and_stock_does_not(db: &TestDb) {
        let fixture = test_users(db).await;
        let first = fixture.post(ROOT, AddCredits, "ana_app", 3).await;
        assert_eq!((first.expiration_before, first.expiration_after), (None, months(start(), 3)));
        fixture.expire("ana_app", Some("2027-01-31T10:00:00Z".parse().unwrap())).await;
        let clamped = fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        assert_eq!(clamped.expiration_after, Some("2027-02-28T10:00:00Z".parse().unwrap()));
        let back = fixture.post(ROOT, DeductCredits, "ana_app", 1).await;
        assert_eq!(back.expiration_after, Some("2027-01-28T10:00:00Z".parse().unwrap()));
        assert_eq!(fixture.user("ana_app").await.expiration_date, back.expiration_after);
        fixture.expire("eva_1", Some(after(5))).await;
        let stock = fixture.post("ana_1", AddCreditsForSale, "eva_1", 1).await;
        assert_eq!((stock.expiration_before, stock.expiration_after), (None, None));
        assert_eq!(fixture.user("eva_1").await.expiration_date, Some(after(5)));
        assert_eq!(fixture.verified().await, []);
    }

    async fn whatever_is_refused_moves_nothing(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.add(ROOT, "boss_1", RoleCode::Superadmin).await;
        fixture.add(ROOT, "gone_1", RoleCode::Agent).await;
        fixture.stock("gone_1", 10).await;
        fixture.edit("gone_1", |change| change.status = UserStatus::Suspended).await;
        fixture.post("ana_1", AddCredits, "ana_app", 2).await;
        fixture.expire("eva_app", Some("9999-01-01T00:00:00Z".parse().unwrap())).await;
        let before = everything(db).await;
        for (performer, operation, target, amount, refusal) in [
            ("gone_1", AddCredits, "gone_1", 1, Refusal::NotActive),
            ("nobody", AddCredits, "ana_app", 1, Refusal::NotActive),
            ("ana_1", DeductCredits, "ana_app", 1, Refusal::Forbidden),
            ("ana_1", AddCreditsForSale, "ana_1", 1, Refusal::Forbidden),
            ("ANA_1", AddCreditsForSale, "ana_1", 1, Refusal::Forbidden),
            (ROOT, AddCredits, ROOT, 1, Refusal::Forbidden),
            ("admin_1", AddCredits, "boss_1", 1, Refusal::Forbidden),
            ("admin_1", AddCredits, "ana_1", 1, Refusal::WrongRole(RoleCode::App)),
            ("admin_1", AddCredits, "manager_1", 1, Refusal::WrongRole(RoleCode::App)),
            ("ana_1", AddCreditsForSale, "ana_app", 1, Refusal::WrongRole(RoleCode::Agent)),
            (ROOT, AddCredits, "ana_app", 0, Refusal::Amount(1200)),
            (ROOT, AddCredits, "ana_app", -5, Refusal::Amount(1200)),
            (ROOT, AddCredits, "ana_app", 1201, Refusal::Amount(1200)),
            (ROOT, AddCreditsForSale, "eva_1", 1_000_001, Refusal::Amount(1_000_000)),
            (ROOT, AddCredits, "ana_app", i64::MAX, Refusal::Amount(1200)),
            (ROOT, DeductCredits, "ana_app", i64::MIN, Refusal::Amount(1200)),
            (ROOT, DeductCredits, "ana_app", 3, Refusal::InsufficientCredits(2)),
            (ROOT, DeductCreditsForSale, "eva_1", 21, Refusal::InsufficientSaleCredits(20)),
            ("ana_1", DeductCreditsForSale, "eva_1", 21, Refusal::InsufficientSaleCredits(20)),
            ("ana_1", AddCredits, "ana_app", 99, Refusal::InsufficientSaleCredits(98)),
            ("ana_1", AddCreditsForSale, "eva_1", 99, Refusal::InsufficientSaleCredits(98)),
            ("rival_1", AddCredits, "rival_app", 1, Refusal::InsufficientSaleCredits(0)),
            (ROOT, AddCredits, "eva_app", 12, Refusal::OutOfReach),
        ] {
            let refused = fixture.refused(performer, operation, target, amount).await;
            assert_eq!(refused, refusal, "{performer} {operation:?} {target} {amount}");
        }
        for (performer, operation, target) in [
            ("ana_1", AddCredits, "rival_app"),
            ("ana_1", AddCreditsForSale, "rival_1"),
            ("ana_1", DeductCreditsForSale, ROOT),
            ("eva_1", AddCredits, "ana_app"),
            ("eva_1", DeductCreditsForSale, "ana_1"),
            ("ana_1", AddCredits, "nobody"),
            (ROOT, AddCredits, "nobody"),
            ("manager_1", AddCredits, "ana_app"),
            ("ana_app", AddCredits, "eva_app"),
        ] {
            let outcome = fixture.try_post(&order(performer, operation, target, 1)).await.unwrap();
            assert_eq!(outcome, Posted::Hidden, "{performer} {target}");
        }
        assert_eq!(everything(db).await, before);
        assert_eq!(fixture.verified().await, []);
    }

    async fn the_quote_is_what_the_order_does(db: &TestDb) {
        let fixture = test_users(db).await;
        for (performer, operation, target, amount) in [
            (ROOT, AddCredits, "ana_app", 3),
            ("ana_1", AddCredits, "ana_app", 2),
            ("ana_1", AddCreditsForSale, "eva_1", 90),
            ("ana_1", DeductCreditsForSale, "eva_1", 110),
            (ROOT, DeductCredits, "ana_app", 5),
            (ROOT, DeductCreditsForSale, "ana_1", 1000),
            ("ana_1", AddCredits, "rival_app", 1),
            ("ana_1", DeductCredits, "ana_app", 1),
            ("nobody", AddCredits, "ana_app", 1),
        ] {
            let order = order(performer, operation, target, amount);
            let before = everything(db).await;
            let quoted = fixture.ledger.quote(&order, start()).await.unwrap();
            assert_eq!(everything(db).await, before, "a quote moves nothing");
            match (quoted, fixture.try_post(&order).await.unwrap()) {
                (Quoted::Quote(quote), Posted::Done(movement)) => {
                    assert_eq!(quote.before.balance, movement.balance_before);
                    assert_eq!(quote.transfer.target.balance, movement.balance_after);
                    if !operation.is_for_sale() {
                        assert_eq!(quote.before.expiration, movement.expiration_before);
                        assert_eq!(quote.transfer.target.expiration, movement.expiration_after);
                    }
                    let payer = &legs(db, &movement).await[1];
                    assert_eq!((quote.payer_before, quote.transfer.payer_stock), (payer.2, payer.3));
                }
                (Quoted::Hidden, Posted::Hidden) => {}
                (Quoted::Refused(one), Posted::Refused(other)) => assert_eq!(one, other),
                (quoted, posted) => panic!("{quoted:?} but {posted:?}"),
            }
        }
    }

    async fn one_key_is_one_operation(db: &TestDb) {
        let fixture = test_users(db).await;
        let keyed = |fingerprint: &str, amount| {
            let once = Some(once("ana_1", "k", fingerprint));
            CreditOrder { once, reason: Some("Venta".into()), ..order("ana_1", AddCredits, "ana_app", amount) }
        };
        let first = done(fixture.try_post(&keyed("f", 2)).await.unwrap());
        assert_eq!(first.reason.as_deref(), Some("Venta"));
        let before = everything(db).await;
        assert_eq!(fixture.ledger.post(&keyed("f", 2), after(60)).await.unwrap(), Posted::Replayed(first.clone()));
        assert_eq!(fixture.try_post(&keyed("other", 3)).await.unwrap(), Posted::KeyReused);
        assert_eq!(everything(db).await, before);
        // Another's key of the same name is another key, and so is a refusal's.
        let other = CreditOrder { once: Some(once(ROOT, "k", "f")), ..order(ROOT, AddCredits, "ana_app", 2) };
        assert!(matches!(fixture.try_post(&other).await.unwrap(), Posted::Done(_)));
        let mut refused = keyed("g", 500);
        refused.once = Some(once("ana_1", "later", "g"));
        assert!(matches!(fixture.try_post(&refused).await.unwrap(), Posted::Refused(_)));
        fixture.stock("ana_1", 1000).await;
        assert!(matches!(fixture.try_post(&refused).await.unwrap(), Posted::Done(_)));
        // The first answer, whatever became of it.
        fixture.reverse(ROOT, first.id).await;
        assert_eq!(fixture.try_post(&keyed("f", 2)).await.unwrap(), Posted::Replayed(first));
        assert_eq!(fixture.verified().await, []);
    }

    async fn one_key_sixteen_times_at_once_is_one_operation(db: &TestDb) {
        let fixture = test_users(db).await;
        let other = TestUsers::on(db.other_node().await);
        let ask = |number: usize| {
            let node = if number.is_multiple_of(2) { fixture.clone() } else { other.clone() };
            let once = Some(once("ana_1", "k", if number < 12 { "f" } else { "other" }));
            let order = CreditOrder { once, ..order("ana_1", AddCredits, "ana_app", 2) };
            tokio::spawn(async move { node.try_post(&order).await.unwrap() })
        };
        let outcomes: Vec<Posted> = join_all((0..16).map(ask)).await.into_iter().map(Result::unwrap).collect();
        let first: Vec<&Movement> =
            outcomes.iter().filter_map(|one| if let Posted::Done(movement) = one { Some(movement) } else { None }).collect();
        assert_eq!(first.len(), 1, "{outcomes:?}");
        let again = outcomes.iter().filter(|one| **one == Posted::Replayed(first[0].clone())).count();
        let mismatches = outcomes.iter().filter(|one| **one == Posted::KeyReused).count();
        assert_eq!(again + mismatches, 15, "{outcomes:?}");
        assert!(mismatches == 4 || mismatches == 12);
        assert_eq!((fixture.balances("ana_app").await.0, fixture.balances("ana_1").await.1), (2, 98));
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_reversal_gives_everything_back(db: &TestDb) {
        let fixture = test_users(db).await;
        let date = "2027-01-31T10:00:00Z".parse().unwrap();
        fixture.expire("ana_app", Some(date)).await;
        let balances = async |fixture: &TestUsers| {
            let mut all = Vec::new();
            for username in ["ana_1", "eva_1", "ana_app"] {
                let user = fixture.user(username).await;
                all.push((user.credits, user.sale_credits, user.expiration_date));
            }
            all.push((db.number("SELECT CAST(sum(total_sales) AS bigint) AS number FROM users").await, 0, None));
            all
        };
        fixture.post(ROOT, AddCredits, "ana_app", 9).await;
        fixture.expire("ana_app", Some(date)).await;
        for (performer, operation, target, amount) in [
            (ROOT, AddCredits, "ana_app", 1),
            ("ana_1", AddCredits, "ana_app", 1),
            (ROOT, DeductCredits, "ana_app", 2),
            (ROOT, AddCreditsForSale, "eva_1", 7),
            ("ana_1", AddCreditsForSale, "eva_1", 7),
            ("ana_1", DeductCreditsForSale, "eva_1", 7),
            (ROOT, DeductCreditsForSale, "ana_1", 7),
        ] {
            let before = balances(&fixture).await;
            let movement = fixture.post(performer, operation, target, amount).await;
            assert_ne!(balances(&fixture).await, before);
            let back = done(fixture.reverse("admin_1", movement.id).await);
            assert_eq!(balances(&fixture).await, before, "{performer} {operation:?}");
            assert_eq!(back.reverses_operation_id, Some(movement.operation_id));
            assert_eq!((back.operation_type, back.amount), (operation.inverse(), amount));
            assert_eq!((&back.target_user.username, &back.performed_by_user.username), (&name(target), &name("admin_1")));
            assert!(fixture.ledger.find(&Scope::Everyone, movement.id).await.unwrap().unwrap().reversed);
            let rows = everything(db).await;
            assert_eq!(fixture.reverse(ROOT, movement.id).await, Posted::Refused(Refusal::AlreadyReversed));
            assert_eq!(fixture.reverse(ROOT, back.id).await, Posted::Refused(Refusal::IsReversal));
            assert_eq!(everything(db).await, rows);
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_reversal_leaves_what_came_later(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.expire("ana_app", Some("2027-01-31T10:00:00Z".parse().unwrap())).await;
        let first = fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        fixture.post("ana_1", AddCredits, "ana_app", 3).await;
        fixture.reverse(ROOT, first.id).await;
        let user = fixture.user("ana_app").await;
        assert_eq!(user.expiration_date, Some("2027-04-28T10:00:00Z".parse().unwrap()));
        assert_eq!((user.credits, fixture.balances("ana_1").await.1), (3, 97));
        let later = fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        fixture.expire("ana_app", None).await;
        fixture.reverse(ROOT, later.id).await;
        assert_eq!(fixture.user("ana_app").await.expiration_date, None, "never stays never");
        assert_eq!(fixture.verified().await, []);
    }

    async fn an_agent_reverses_its_own_sale_while_it_is_the_last_movement(db: &TestDb) {
        let fixture = test_users(db).await;
        let before = fixture.balances("ana_1").await;
        let sale = fixture.post("ana_1", AddCredits, "ana_app", 4).await;
        // The stock may move meanwhile: only the customer must not have.
        fixture.post("ana_1", AddCredits, "eva_app", 1).await;
        let back = done(fixture.ledger.reverse(&reversal("ana_1", sale.id), after(60)).await.unwrap());
        assert_eq!((back.reverses_operation_id, back.performed_by_user.username), (Some(sale.operation_id), name("ana_1")));
        assert_eq!(fixture.balances("ana_1").await, (before.0, before.1 - 1));
        assert_eq!(fixture.reverse("ana_1", sale.id).await, Posted::Refused(Refusal::AlreadyReversed));

        let late = done(fixture.ledger.post(&order("ana_1", AddCredits, "ana_app", 4), after(60)).await.unwrap());
        let reverse = async |who: &str, at| fixture.ledger.reverse(&reversal(who, late.id), at).await.unwrap();
        assert_eq!(reverse("ana_1", after(121)).await, Posted::Refused(Refusal::ReversalTooLate));
        // Whoever is above may not either, nor who only sees the customer.
        let below = done(fixture.ledger.post(&order("eva_1", AddCredits, "eva_app", 1), after(60)).await.unwrap());
        assert_eq!(fixture.ledger.reverse(&reversal("ana_1", below.id), after(61)).await.unwrap(), Posted::Refused(Refusal::Forbidden));
        // An expiration that was set by hand is a change of what the sale did.
        fixture.expire("ana_app", Some(after(9999))).await;
        assert_eq!(reverse("ana_1", after(62)).await, Posted::Refused(Refusal::MovedSince));
        done(reverse(ROOT, after(62)).await);
        assert_eq!(fixture.ledger.verify(after(99)).await.unwrap(), []);
    }

    async fn of_a_refusal_and_an_approval_at_once_one_holds(db: &TestDb) {
        let fixture = test_users(db).await;
        for round in 0..4 {
            let sale = fixture.post("ana_1", AddCredits, "ana_app", 1).await;
            let asked = NewReversalRequest { requester: name("ana_1"), movement: sale.id, reason: None, origin: Origin::SERVER };
            let ReversalRequested::Done(request) = fixture.ledger.request(&asked, start()).await.unwrap() else { panic!("refused") };
            assert_eq!(
                fixture.ledger.request(&asked, start()).await.unwrap(),
                ReversalRequested::Refused(Refusal::AlreadyRequested)
            );
            let order = ReversalOrder { request: Some(request.id), ..reversal(ROOT, sale.id) };
            let declining = edit_of(ROOT, start());
            let (approved, declined) = tokio::join!(
                fixture.ledger.reverse(&order, start()),
                fixture.ledger.decline(request.id, Some("no"), &declining),
            );
            let (approved, declined) = (approved.unwrap(), declined.unwrap());
            let found = fixture.ledger.find(&Scope::Everyone, sale.id).await.unwrap().unwrap();
            let stored = fixture.ledger.find_request(request.id).await.unwrap().unwrap();
            match (approved, declined) {
                (Posted::Done(_), Written::Conflict(_)) => {
                    assert_eq!((found.reversed, stored.status), (true, ReversalStatus::Approved), "{round}");
                }
                (Posted::Refused(Refusal::AlreadyDecided), Written::Done(_)) => {
                    assert_eq!((found.reversed, stored.status), (false, ReversalStatus::Declined), "{round}");
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_reversal_needs_what_it_takes_and_the_right_to(db: &TestDb) {
        let fixture = test_users(db).await;
        let sale = fixture.post("ana_1", AddCredits, "ana_app", 4).await;
        let handed = fixture.post("ana_1", AddCreditsForSale, "eva_1", 50).await;
        let returned = fixture.post("ana_1", DeductCreditsForSale, "eva_1", 30).await;
        fixture.post("eva_1", AddCredits, "eva_app", 30).await;
        fixture.post(ROOT, DeductCreditsForSale, "ana_1", 70).await;
        fixture.post(ROOT, DeductCredits, "ana_app", 1).await;
        let rows = everything(db).await;
        assert_eq!(fixture.reverse(ROOT, sale.id).await, Posted::Refused(Refusal::InsufficientCredits(3)));
        assert_eq!(fixture.reverse(ROOT, handed.id).await, Posted::Refused(Refusal::InsufficientSaleCredits(10)));
        assert_eq!(fixture.reverse(ROOT, returned.id).await, Posted::Refused(Refusal::InsufficientSaleCredits(6)));
        assert_eq!(fixture.reverse("ana_1", sale.id).await, Posted::Refused(Refusal::MovedSince));
        assert_eq!(fixture.reverse("ana_1", handed.id).await, Posted::Refused(Refusal::Forbidden));
        assert_eq!(fixture.reverse("rival_1", sale.id).await, Posted::Hidden);
        assert_eq!(fixture.reverse("manager_1", sale.id).await, Posted::Hidden);
        assert_eq!(fixture.reverse(ROOT, 4711).await, Posted::Hidden);
        let issuer = db.number("SELECT id AS number FROM entries WHERE account = 'HOUSE' ORDER BY id LIMIT 1").await;
        assert_eq!(fixture.reverse(ROOT, issuer).await, Posted::Hidden, "nobody sees the issuer's entry");
        assert_eq!(everything(db).await, rows);
        // The payer's movement names the same operation.
        fixture.post(ROOT, AddCredits, "ana_app", 1).await;
        let payers = db.number(&format!("SELECT id AS number FROM entries WHERE leg = 1 AND operation_id = {}", sale.operation_id)).await;
        assert_eq!(done(fixture.reverse(ROOT, payers).await).reverses_operation_id, Some(sale.operation_id));
        assert_eq!(fixture.verified().await, []);
    }

    async fn of_two_reversals_at_once_one_is_done(db: &TestDb) {
        let fixture = test_users(db).await;
        let other = TestUsers::on(db.other_node().await);
        for _ in 0..10 {
            let movement = fixture.post("ana_1", AddCredits, "ana_app", 2).await;
            let take = |node: &TestUsers, performer: &'static str| {
                let node = node.clone();
                tokio::spawn(async move { node.reverse(performer, movement.id).await })
            };
            let outcomes = join_all([take(&fixture, ROOT), take(&other, "admin_1"), take(&other, ROOT)]).await;
            let outcomes: Vec<Posted> = outcomes.into_iter().map(Result::unwrap).collect();
            let done = outcomes.iter().filter(|one| matches!(one, Posted::Done(_))).count();
            let refused = outcomes.iter().filter(|one| **one == Posted::Refused(Refusal::AlreadyReversed)).count();
            assert_eq!((done, refused), (1, 2), "{outcomes:?}");
            assert_eq!((fixture.balances("ana_app").await.0, fixture.balances("ana_1").await.1), (0, 100));
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_reversal_with_a_key_is_done_once(db: &TestDb) {
        let fixture = test_users(db).await;
        let movement = fixture.post("ana_1", AddCredits, "ana_app", 2).await;
        let keyed = ports::ReversalOrder { once: Some(once(ROOT, "k", "f")), ..reversal(ROOT, movement.id) };
        let first = done(fixture.ledger.reverse(&keyed, start()).await.unwrap());
        assert_eq!(fixture.ledger.reverse(&keyed, after(9)).await.unwrap(), Posted::Replayed(first));
        let other = ports::ReversalOrder { once: Some(once(ROOT, "k", "g")), ..keyed };
        assert_eq!(fixture.ledger.reverse(&other, after(9)).await.unwrap(), Posted::KeyReused);
    }

    async fn the_clock_may_go_back_and_the_history_does_not(db: &TestDb) {
        let fixture = test_users(db).await;
        let later = order("ana_1", AddCredits, "ana_app", 1);
        done(fixture.ledger.post(&later, after(60)).await.unwrap());
        let movement = done(fixture.ledger.post(&order("ana_1", AddCredits, "ana_app", 1), after(10)).await.unwrap());
        assert_eq!(movement.operation_date, after(60));
        assert_eq!(fixture.ledger.verify(after(60)).await.unwrap(), []);
    }

    async fn a_first_month_runs_from_the_clock_even_where_a_clock_was_once_ahead(db: &TestDb) {
        let fixture = test_users(db).await;
        // The agent's last movement is a year ahead.
        done(fixture.ledger.post(&order("ana_1", AddCredits, "ana_app", 1), after(525_600)).await.unwrap());
        fixture.add("ana_1", "new_app", RoleCode::App).await;
        let first = order("ana_1", AddCredits, "new_app", 1);
        let Quoted::Quote(quoted) = fixture.ledger.quote(&first, after(10)).await.unwrap() else { panic!() };
        let movement = done(fixture.ledger.post(&first, after(10)).await.unwrap());
        let month = after(10).checked_add_months(Months::new(1));
        assert_eq!((movement.operation_date, movement.expiration_after), (after(525_600), month));
        assert_eq!(quoted.transfer.target.expiration, month);
        assert_eq!(fixture.ledger.verify(after(525_600)).await.unwrap(), []);
    }

    async fn a_subscription_starts_with_its_first_sale_and_not_without_it(db: &TestDb) {
        let fixture = test_users(db).await;
        let new = UserInsert { subscription_started: false, ..new_user("new_app", RoleCode::App) };
        assert!(!fixture.register("ana_1", &new).await.subscription_started);
        let started = async || {
            let user = fixture.user("new_app").await;
            (user.subscription_started, user.expiration_date.is_some())
        };
        for performer in ["ana_1", ROOT] {
            let movement = fixture.post(performer, AddCredits, "new_app", 1).await;
            assert_eq!(started().await, (true, true));
            let next = fixture.post(performer, AddCredits, "new_app", 1).await;
            fixture.reverse(ROOT, next.id).await;
            assert_eq!(started().await, (true, true));
            fixture.reverse(ROOT, movement.id).await;
            assert_eq!(started().await, (false, false));
        }
        // An admin grants a subscription that never ends: from then on a reversed sale leads back to it.
        fixture.edit("new_app", |change| change.subscription_started = true).await;
        let movement = fixture.post("ana_1", AddCredits, "new_app", 1).await;
        fixture.reverse(ROOT, movement.id).await;
        assert_eq!(started().await, (true, false));
        assert_eq!(fixture.verified().await, []);
    }

    async fn stock_that_was_handed_over_and_taken_back_is_no_sale(db: &TestDb) {
        let fixture = test_users(db).await;
        let sales = async || {
            db.number("SELECT total_sales AS number FROM users WHERE username_key = 'ana_1'").await
        };
        let before = sales().await;
        fixture.post("ana_1", AddCreditsForSale, "eva_1", 10).await;
        assert_eq!(sales().await, before + 10);
        let taken = fixture.post("ana_1", DeductCreditsForSale, "eva_1", 10).await;
        assert_eq!(sales().await, before);
        fixture.reverse(ROOT, taken.id).await;
        assert_eq!(sales().await, before + 10);
        assert_eq!(fixture.verified().await, []);
    }

    async fn an_upgrade_marks_who_has_not_started_and_makes_sales_net(db: &TestDb) {
        let fixture = test_users(db).await;
        for name in ["none_1", "sold_1", "back_1", "ever_1"] {
            fixture.add("ana_1", name, RoleCode::App).await;
        }
        fixture.add(ROOT, "root_app", RoleCode::App).await;
        let sold = fixture.post("ana_1", AddCredits, "sold_1", 1).await;
        let back = fixture.post("ana_1", AddCredits, "back_1", 1).await;
        fixture.reverse(ROOT, back.id).await;
        fixture.expire("ever_1", Some(after(9))).await;
        fixture.expire("ever_1", None).await;
        fixture.post("ana_1", AddCreditsForSale, "eva_1", 10).await;
        fixture.post("ana_1", DeductCreditsForSale, "eva_1", 4).await;
        let undone = fixture.post("ana_1", DeductCreditsForSale, "eva_1", 3).await;
        fixture.reverse(ROOT, undone.id).await;
        let sales = "SELECT total_sales AS number FROM users WHERE username_key = 'ana_1'";
        let net = db.number(sales).await;
        // As the version before left it: every sale counted in full, and nothing known of starts.
        let old = "UPDATE operations SET sold = 0, seller_id = NULL WHERE operation_type = 'DEDUCT_CREDITS_FOR_SALE' \
                   OR reverses_id IN (SELECT id FROM operations WHERE operation_type = 'DEDUCT_CREDITS_FOR_SALE'); \
                   UPDATE users SET total_sales = total_sales + 4 WHERE username_key = 'ana_1'";
        let (open, close) = if db.database.backend() == DbBackend::Sqlite {
            (
                "DROP TRIGGER operations_no_UPDATE",
                "CREATE TRIGGER operations_no_UPDATE BEFORE UPDATE ON operations BEGIN SELECT RAISE(ABORT, 'no'); END",
            )
        } else {
            (
                "ALTER TABLE operations DISABLE TRIGGER operations_append_only",
                "ALTER TABLE operations ENABLE TRIGGER operations_append_only",
            )
        };
        // A later migration's trigger reads the column.
        let event = if db.is_sqlite() {
            "DROP TRIGGER users_event_expiration"
        } else {
            "DROP FUNCTION users_event_expiration() CASCADE"
        };
        db.run(&format!(
            "{open}; {old}; {close}; {event}; ALTER TABLE users DROP COLUMN subscription_started; \
             ALTER TABLE operations DROP COLUMN started_subscription; ALTER TABLE operations DROP COLUMN clock_date; \
             DELETE FROM seaql_migrations WHERE version LIKE '%_000026_%'"
        ))
        .await;
        db.database.migrate(migrations::migrate).await.unwrap();
        for (name, started) in
            [("none_1", false), ("sold_1", true), ("back_1", false), ("ever_1", true), ("root_app", true)]
        {
            assert_eq!(fixture.user(name).await.subscription_started, started, "{name}");
        }
        fixture.reverse(ROOT, sold.id).await;
        assert!(!fixture.user("sold_1").await.subscription_started);
        assert_eq!(db.number(sales).await, net - 1);
        assert_eq!(fixture.verified().await, []);
    }

    async fn times_keep_their_order_however_the_clocks_of_the_nodes_differ(db: &TestDb) {
        let fixture = test_users(db).await;
        let other = TestUsers::on(db.other_node().await);
        let sell = |number: i64| {
            let node = if number % 2 == 0 { fixture.clone() } else { other.clone() };
            let order = order("ana_1", AddCredits, "ana_app", 1);
            // Each finds it earlier than the one before.
            tokio::spawn(async move { done(node.ledger.post(&order, after(40 - number)).await.unwrap()) })
        };
        join_all((0..40).map(sell)).await.into_iter().for_each(|one| drop(one.unwrap()));
        assert_eq!(fixture.ledger.verify(after(60)).await.unwrap(), []);
    }

    async fn the_history_is_of_whom_one_sees(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        fixture.post("eva_1", AddCredits, "eva_app", 1).await;
        fixture.stock("rival_1", 10).await;
        let rivals = fixture.post("rival_1", AddCredits, "rival_app", 1).await;
        let all = ListQuery { size: 1000, ..ListQuery::default() };
        let whose = async |scope: &Scope, of: Option<&str>| {
            let (total, movements) = history(&fixture, scope, of, &all).await?;
            assert_eq!(total, movements.len() as u64);
            let names: Vec<String> = movements.iter().map(|one| one.target_user.username.to_string()).collect();
            Some(names.join(" "))
        };
        let reported = |text: &str| Some(text.to_owned());
        // Newest first; at the same moment the later id.
        assert_eq!(
            whose(&Scope::Everyone, None).await,
            reported("rival_1 rival_app rival_1 eva_1 eva_app ana_1 ana_app eva_1 ana_1")
        );
        assert_eq!(whose(&subtree("ana_1"), None).await, reported("eva_1 eva_app ana_1 ana_app eva_1 ana_1"));
        assert_eq!(whose(&subtree("eva_1"), None).await, reported("eva_1 eva_app eva_1"));
        assert_eq!(whose(&Scope::Nobody, None).await, reported(""));
        assert_eq!(whose(&subtree("ana_1"), Some("ANA_1")).await, reported("ana_1 ana_1"));
        assert_eq!(whose(&subtree("ana_1"), Some("eva_app")).await, reported("eva_app"));
        assert_eq!(whose(&Scope::Everyone, Some("manager_1")).await, reported(""));
        for hidden in ["rival_app", "rival_1", ROOT, "nobody"] {
            assert_eq!(whose(&subtree("ana_1"), Some(hidden)).await, None, "{hidden}");
            assert_eq!(fixture.ledger.count(&subtree("ana_1"), &name(hidden)).await.unwrap(), None);
        }
        assert_eq!(fixture.ledger.count(&subtree("ana_1"), &name("eva_1")).await.unwrap(), Some(2));
        assert_eq!(fixture.ledger.find(&subtree("ana_1"), rivals.id).await.unwrap(), None);
        assert_eq!(fixture.ledger.find(&subtree("rival_1"), rivals.id).await.unwrap(), Some(rivals));
        assert_eq!(fixture.ledger.find(&Scope::Everyone, 4711).await.unwrap(), None);
        let issuer = db.number("SELECT id AS number FROM entries WHERE account = 'HOUSE' ORDER BY id LIMIT 1").await;
        assert_eq!(fixture.ledger.find(&Scope::Everyone, issuer).await.unwrap(), None);
    }

    async fn the_history_is_searched_ordered_and_paged(db: &TestDb) {
        let fixture = test_users(db).await;
        for minute in 0..12 {
            let (performer, target) = if minute % 3 == 0 { ("eva_1", "eva_app") } else { ("ana_1", "ana_app") };
            let order = order(performer, AddCredits, target, 1 + minute % 4);
            done(fixture.ledger.post(&order, after(minute)).await.unwrap());
        }
        let whole = ListQuery { size: 1000, ..ListQuery::default() };
        let (total, movements) = history(&fixture, &Scope::Everyone, None, &whole).await.unwrap();
        assert_eq!((total, movements.len()), (26, 26));
        for (field, descending) in [("operationDate", false), ("operationDate", true), ("amount", false), ("amount", true), ("id", false), ("id", true)] {
            let sorted = ListQuery { sort: vec![Sort { field: field.into(), descending }], ..whole.clone() };
            let (_, found) = history(&fixture, &Scope::Everyone, None, &sorted).await.unwrap();
            let mut expected = movements.clone();
            expected.sort_by_key(|one| match field {
                "operationDate" => (one.operation_date.timestamp_millis(), one.id),
                "amount" => (one.amount, one.id),
                _ => (one.id, 0),
            });
            if descending {
                expected.reverse();
            }
            assert_eq!(found, expected, "{field} {descending}");
            let mut paged = Vec::new();
            for page in 0..6 {
                let query = ListQuery { page, size: 5, ..sorted.clone() };
                let (total, found) = history(&fixture, &Scope::Everyone, None, &query).await.unwrap();
                assert_eq!(total, 26);
                paged.extend(found);
            }
            assert_eq!(paged, expected);
        }
        for (search, scope, of, total) in [
            ("eva_app", Scope::Everyone, None, 4),
            // As target and as performer.
            ("eva_1", Scope::Everyone, None, 9),
            ("EVA", subtree("ana_1"), None, 9),
            ("rival", Scope::Everyone, None, 0),
            ("Raíz", Scope::Everyone, None, 2),
            ("_", Scope::Everyone, None, 26),
            ("%", Scope::Everyone, None, 0),
            ("eva", Scope::Everyone, Some("ana_app"), 0),
            ("ana", Scope::Everyone, Some("ana_app"), 8),
            ("   ", subtree("ana_1"), None, 26),
        ] {
            let query = ListQuery { search: Some(search.into()), ..whole.clone() };
            let (counted, found) = history(&fixture, &scope, of, &query).await.unwrap();
            assert_eq!((counted, found.len()), (total, usize::try_from(total).unwrap()), "{search}");
        }
    }

    async fn the_schema_refuses_what_is_not_the_ledgers(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.post("ana_1", AddCredits, "ana_app", 3).await;
        fixture.expire("ana_app", Some(after(3))).await;
        let before = everything(db).await;
        let (user, seq) = ("(SELECT id FROM users WHERE username_key = 'ana_app')", 2);
        let entry = |operation: &str, leg: i64, account: &str, of: &str, numbers: &str| {
            format!(
                "INSERT INTO entries (operation_id, leg, account, user_id, seq, delta, balance_before, balance_after, \
                 performer_id, operation_date) SELECT {operation}, {leg}, '{account}', {of}, {numbers}, id, created_date \
                 FROM users WHERE username_key = 'ana_app'"
            )
        };
        let operation = "INSERT INTO operations (uuid, performer_id, operation_type, amount, operation_date) \
             SELECT 'u', id, 'ADD_CREDITS', 3, created_date FROM users WHERE username_key = 'ana_app'";
        for refused in [
            "UPDATE users SET credits = credits + 1".to_owned(),
            "UPDATE users SET credits = 0 WHERE username_key = 'ana_app'".to_owned(),
            "UPDATE users SET sale_credits = sale_credits + 1 WHERE username_key = 'ana_1'".to_owned(),
            "UPDATE users SET credits = -1, app_seq = app_seq + 1 WHERE username_key = 'ana_app'".to_owned(),
            "INSERT INTO users (username, username_key, full_name, role, status, created_date, updated_date, credits) \
             SELECT 'x', 'x', 'x', role, status, created_date, updated_date, 5 FROM users WHERE username_key = 'ana_1'".to_owned(),
            "UPDATE operations SET amount = 4".to_owned(),
            "UPDATE operations SET reason = 'x'".to_owned(),
            "DELETE FROM operations".to_owned(),
            "UPDATE entries SET delta = 4".to_owned(),
            "UPDATE entries SET operation_date = NULL".to_owned(),
            "DELETE FROM entries WHERE leg = 1".to_owned(),
            "UPDATE expiration_edits SET expiration_after = NULL".to_owned(),
            "DELETE FROM expiration_edits".to_owned(),
            // An entry that its balance does not bear out, or that says something impossible.
            entry("1", 0, "APP", user, &format!("{seq}, 1, 3, 4")),
            entry("1", 1, "APP", user, &format!("{seq}, 0, 3, 3")),
            entry("1", 1, "APP", user, &format!("{seq}, 1, 3, 5")),
            entry("1", 1, "HOUSE", "NULL", "1, 1, NULL, NULL"),
            entry("1", 2, "HOUSE", "NULL", "NULL, 1, NULL, NULL"),
            entry("4711", 0, "HOUSE", "NULL", "NULL, 1, NULL, NULL"),
        ] {
            assert!(db.try_run(&refused).await.is_err(), "{refused}");
        }
        assert_eq!(everything(db).await, before);
        // A second leg needs the first, and takes what that one gives.
        db.run(operation).await;
        let id = "(SELECT max(id) FROM operations)";
        assert!(db.try_run(&entry(id, 1, "HOUSE", "NULL", "NULL, 3, NULL, NULL")).await.is_err(), "without the first");
        db.run(&entry(id, 0, "HOUSE", "NULL", "NULL, -3, NULL, NULL")).await;
        assert!(db.try_run(&entry(id, 1, "HOUSE", "NULL", "NULL, 2, NULL, NULL")).await.is_err(), "unequal");
        let broken: Vec<u8> = fixture.verified().await.iter().map(|breach| breach.invariant).collect();
        assert_eq!(broken, [1, 4], "half an operation is found");
    }

    async fn a_guard_that_is_gone_is_reported(db: &TestDb) {
        let fixture = test_users(db).await;
        let guards: &[(&str, &str)] = if db.is_sqlite() {
            &[("entries_no_UPDATE", ""), ("entries_stand", ""), ("users_sale_credits_by_ledger", "")]
        } else {
            &[("operations_append_only", "operations"), ("entries_checked", "entries"), ("users_balances_guarded", "users")]
        };
        for (number, (guard, table)) in guards.iter().enumerate() {
            let drop = format!("DROP TRIGGER {guard}");
            let disable = format!("ALTER TABLE {table} DISABLE TRIGGER {guard}");
            db.run(if db.is_sqlite() { &drop } else { &disable }).await;
            let breaches = fixture.verified().await;
            assert_eq!(breaches.len(), number + 1);
            assert!(breaches.iter().any(|one| one.invariant == 10 && one.row.ends_with(guard)), "{breaches:?}");
        }
    }

    async fn every_planted_breach_is_found(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.post("ana_1", AddCredits, "ana_app", 3).await;
        let sold = fixture.post("ana_1", AddCreditsForSale, "eva_1", 5).await;
        fixture.reverse(ROOT, sold.id).await;
        fixture.expire("eva_app", Some(after(9))).await;
        assert_eq!(fixture.verified().await, []);
        without_guards(db).await;
        let found = async || {
            let mut all: Vec<u8> = fixture.verified().await.iter().map(|breach| breach.invariant).collect();
            all.dedup();
            all
        };
        assert_eq!(found().await, [10], "the guards are gone");
        let app = "(SELECT id FROM users WHERE username_key = 'ana_app')";
        let ana = "(SELECT id FROM users WHERE username_key = 'ana_1')";
        let rival = "(SELECT id FROM users WHERE username_key = 'rival_app')";
        let later = "'2026-11-20 12:00:00+00:00'";
        let sale = "(SELECT min(operation_id) FROM entries WHERE account = 'APP')";
        for (invariant, plant, undo) in [
            (1, format!("UPDATE users SET credits = credits + 1 WHERE id = {app}"), format!("UPDATE users SET credits = credits - 1 WHERE id = {app}")),
            (1, format!("UPDATE users SET sale_credits = sale_credits - 1 WHERE id = {ana}"), format!("UPDATE users SET sale_credits = sale_credits + 1 WHERE id = {ana}")),
            (1, "UPDATE entries SET delta = delta - 1 WHERE account = 'HOUSE' AND id = 2".into(), "UPDATE entries SET delta = delta + 1 WHERE account = 'HOUSE' AND id = 2".into()),
            (2, "UPDATE entries SET balance_before = balance_before + 1 WHERE id = 1".into(), "UPDATE entries SET balance_before = balance_before - 1 WHERE id = 1".into()),
            (2, "UPDATE entries SET seq = seq + 7 WHERE id = 1".into(), "UPDATE entries SET seq = seq - 7 WHERE id = 1".into()),
            (2, format!("UPDATE users SET app_seq = app_seq + 1 WHERE id = {app}"), format!("UPDATE users SET app_seq = app_seq - 1 WHERE id = {app}")),
            (2, format!("UPDATE users SET sale_seq = sale_seq - 1 WHERE id = {ana}"), format!("UPDATE users SET sale_seq = sale_seq + 1 WHERE id = {ana}")),
            (3, "UPDATE entries SET balance_after = balance_after - 1000 WHERE id = 1".into(), "UPDATE entries SET balance_after = balance_after + 1000 WHERE id = 1".into()),
            (3, format!("UPDATE users SET credits = -1 WHERE id = {rival}"), format!("UPDATE users SET credits = 0 WHERE id = {rival}")),
            (4, format!("UPDATE entries SET leg = 0, operation_id = 1 WHERE leg = 1 AND operation_id = {sale}"), format!("UPDATE entries SET leg = 1, operation_id = {sale} WHERE id = (SELECT max(id) FROM entries WHERE operation_id = 1)")),
            (4, "UPDATE operations SET amount = amount + 1 WHERE id = 1".into(), "UPDATE operations SET amount = amount - 1 WHERE id = 1".into()),
            (5, "UPDATE operations SET idempotency_key = 'k' WHERE id < 3".into(), "UPDATE operations SET idempotency_key = NULL".into()),
            (5, "UPDATE operations SET reverses_id = 4 WHERE id = 2".into(), "UPDATE operations SET reverses_id = NULL WHERE id = 2".into()),
            (6, format!("UPDATE users SET expiration_date = {later} WHERE id = {app}"), format!("UPDATE users SET expiration_date = (SELECT expiration_after FROM entries WHERE user_id = {app}) WHERE id = {app}")),
            (6, format!("UPDATE users SET expiration_date = {later} WHERE id = {rival}"), format!("UPDATE users SET expiration_date = NULL WHERE id = {rival}")),
            (6, format!("INSERT INTO expiration_edits (user_id, app_seq, edit_date, expiration_before) SELECT {app}, 0, created_date, created_date FROM users WHERE id = {app}"), format!("DELETE FROM expiration_edits WHERE user_id = {app}")),
            (7, format!("UPDATE users SET total_sales = total_sales + 1 WHERE id = {ana}"), format!("UPDATE users SET total_sales = total_sales - 1 WHERE id = {ana}")),
            (7, "UPDATE operations SET sold = sold - 1 WHERE reverses_id IS NOT NULL".into(), "UPDATE operations SET sold = sold + 1 WHERE reverses_id IS NOT NULL".into()),
            (11, format!("UPDATE entries SET performer_id = {app} WHERE id = 1"), "UPDATE entries SET performer_id = (SELECT performer_id FROM operations WHERE id = 1) WHERE id = 1".into()),
            (11, "UPDATE operations SET operation_date = '2031-01-01 00:00:00+00:00' WHERE id = 1".into(), "UPDATE operations SET operation_date = (SELECT operation_date FROM entries WHERE id = 1) WHERE id = 1".into()),
            (11, format!("UPDATE entries SET operation_date = {later} WHERE id = 1"), "UPDATE entries SET operation_date = (SELECT operation_date FROM operations WHERE id = 1) WHERE id = 1".into()),
            (12, format!("UPDATE entries SET user_id = {rival} WHERE account = 'APP' AND user_id = {app}"), format!("UPDATE entries SET user_id = {app} WHERE account = 'APP'")),
            (12, format!("UPDATE operations SET performer_id = {app} WHERE id = {sale}"), format!("UPDATE operations SET performer_id = {ana} WHERE id = {sale}")),
            (13, "UPDATE operations SET amount = 0 WHERE id = 1".into(), "UPDATE operations SET amount = 100 WHERE id = 1".into()),
            (13, format!("UPDATE operations SET amount = 1201 WHERE id = {sale}"), format!("UPDATE operations SET amount = 3 WHERE id = {sale}")),
        ] {
            assert!(db.run(&plant).await > 0, "{plant}");
            let breaches = found().await;
            assert!(breaches.contains(&invariant), "{invariant}: {plant}: {breaches:?}");
            db.run(&undo).await;
            assert_eq!(found().await, [10], "{undo}: {:?}", fixture.verified().await);
        }
    }
}
