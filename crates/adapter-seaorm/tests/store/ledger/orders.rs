//! Operations: effects, refusals, quotes, idempotency, and the order of movements.

use chrono::{DateTime, Months, Utc};
use domain_credits::{CreditType, ExpectedTarget, Movement, OperationType, Refusal};
use domain_kernel::RoleCode;
use domain_users::UserStatus;
use futures_util::future::join_all;
use ports::{CreditOrder, Inserted, Ledger, OrderConflict, Posted, Quoted};

use crate::{
    fixture::{ROOT, TestUsers, done, name, once, order, snapshot},
    ledger::{legs, test_users},
    support::{TestDb, after, on_both, start},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

fn months(date: DateTime<Utc>, months: u32) -> Option<DateTime<Utc>> {
    date.checked_add_months(Months::new(months))
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

    async fn a_refused_operation_moves_nothing(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.add(ROOT, "boss_1", RoleCode::Superadmin).await;
        fixture.add(ROOT, "gone_1", RoleCode::Agent).await;
        fixture.stock("gone_1", 10).await;
        fixture.edit("gone_1", |change| change.status = UserStatus::Suspended).await;
        fixture.post("ana_1", AddCredits, "ana_app", 2).await;
        fixture.expire("eva_app", Some("9999-01-01T00:00:00Z".parse().unwrap())).await;
        let before = snapshot(db).await;
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
            assert_eq!(outcome, Inserted::Conflict(OrderConflict::Hidden), "{performer} {target}");
        }
        assert_eq!(snapshot(db).await, before);
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_quote_equals_the_operation(db: &TestDb) {
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
            let before = snapshot(db).await;
            let quoted = fixture.ledger.quote(&order, start()).await.unwrap();
            assert_eq!(snapshot(db).await, before, "a quote moves nothing");
            match (quoted, fixture.try_post(&order).await.unwrap()) {
                (Quoted::Quote(quote), Inserted::New(movement)) => {
                    assert_eq!(quote.before.balance, movement.balance_before);
                    assert_eq!(quote.transfer.target.balance, movement.balance_after);
                    if !operation.is_for_sale() {
                        assert_eq!(quote.before.expiration, movement.expiration_before);
                        assert_eq!(quote.transfer.target.expiration, movement.expiration_after);
                    }
                    let payer = &legs(db, &movement).await[1];
                    assert_eq!((quote.payer_before, quote.transfer.payer_stock), (payer.2, payer.3));
                }
                (Quoted::Hidden, Inserted::Conflict(OrderConflict::Hidden)) => {}
                (Quoted::Refused(one), Inserted::Conflict(OrderConflict::Refused(other))) => assert_eq!(one, other),
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
        let before = snapshot(db).await;
        assert_eq!(fixture.ledger.post(&keyed("f", 2), after(60)).await.unwrap(), Inserted::Replayed(first.clone()));
        assert_eq!(fixture.try_post(&keyed("other", 3)).await.unwrap(), Inserted::KeyReused);
        assert_eq!(snapshot(db).await, before);
        // The same key of another user is another key, and a refusal stores no key.
        let other = CreditOrder { once: Some(once(ROOT, "k", "f")), ..order(ROOT, AddCredits, "ana_app", 2) };
        assert!(matches!(fixture.try_post(&other).await.unwrap(), Inserted::New(_)));
        let mut refused = keyed("g", 500);
        refused.once = Some(once("ana_1", "later", "g"));
        assert!(matches!(fixture.try_post(&refused).await.unwrap(), Inserted::Conflict(OrderConflict::Refused(_))));
        fixture.stock("ana_1", 1000).await;
        assert!(matches!(fixture.try_post(&refused).await.unwrap(), Inserted::New(_)));
        // The first response, independent of later changes.
        fixture.reverse(ROOT, first.id).await;
        assert_eq!(fixture.try_post(&keyed("f", 2)).await.unwrap(), Inserted::Replayed(first));
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_sale_for_another_end_than_was_confirmed_is_refused_and_a_replay_is_not(db: &TestDb) {
        let fixture = test_users(db).await;
        let sale = |key: &str, expiration_date| CreditOrder {
            once: Some(once("ana_1", key, "f")),
            expected: Some(ExpectedTarget { expiration_date }),
            ..order("ana_1", AddCredits, "ana_app", 1)
        };
        let end = match fixture.ledger.quote(&order("ana_1", AddCredits, "ana_app", 1), start()).await.unwrap() {
            Quoted::Quote(quote) => quote.before.expiration,
            other => panic!("{other:?}"),
        };
        let first = done(fixture.try_post(&sale("k", end)).await.unwrap());
        let before = snapshot(db).await;
        let later = first.expiration_after;
        let changed = Inserted::Conflict(OrderConflict::Refused(Refusal::ExpirationChanged(later)));
        assert_eq!(fixture.try_post(&sale("other", end)).await.unwrap(), changed);
        assert_eq!(fixture.try_post(&sale("k", end)).await.unwrap(), Inserted::Replayed(first));
        assert_eq!(snapshot(db).await, before);
        // A refusal stores no key.
        done(fixture.try_post(&sale("other", later)).await.unwrap());
        assert_eq!(fixture.verified().await, []);
    }

    async fn of_concurrent_sales_for_one_confirmed_end_one_is_done(db: &TestDb) {
        let fixture = test_users(db).await;
        let other = TestUsers::on(db.other_node().await);
        let expected = match fixture.ledger.quote(&order("ana_1", AddCredits, "ana_app", 1), start()).await.unwrap() {
            Quoted::Quote(quote) => Some(ExpectedTarget { expiration_date: quote.before.expiration }),
            other => panic!("{other:?}"),
        };
        let post = |number: usize| {
            let node = if number.is_multiple_of(2) { fixture.clone() } else { other.clone() };
            let once = Some(once("ana_1", &format!("k{number}"), "f"));
            let order = CreditOrder { once, expected, ..order("ana_1", AddCredits, "ana_app", 2) };
            tokio::spawn(async move { node.try_post(&order).await.unwrap() })
        };
        let outcomes: Vec<Posted> = join_all((0..8).map(post)).await.into_iter().map(Result::unwrap).collect();
        let done = outcomes.iter().filter(|one| matches!(one, Inserted::New(_))).count();
        let is_refused = |one: &&Posted| {
            matches!(one, Inserted::Conflict(OrderConflict::Refused(Refusal::ExpirationChanged(_))))
        };
        assert_eq!((done, outcomes.iter().filter(is_refused).count()), (1, 7), "{outcomes:?}");
        assert_eq!(fixture.balances("ana_app").await.0, 2);
        assert_eq!(fixture.verified().await, []);
    }

    async fn sixteen_concurrent_requests_with_one_key_are_one_operation(db: &TestDb) {
        let fixture = test_users(db).await;
        let other = TestUsers::on(db.other_node().await);
        let post = |number: usize| {
            let node = if number.is_multiple_of(2) { fixture.clone() } else { other.clone() };
            let once = Some(once("ana_1", "k", if number < 12 { "f" } else { "other" }));
            let order = CreditOrder { once, ..order("ana_1", AddCredits, "ana_app", 2) };
            tokio::spawn(async move { node.try_post(&order).await.unwrap() })
        };
        let outcomes: Vec<Posted> = join_all((0..16).map(post)).await.into_iter().map(Result::unwrap).collect();
        let first: Vec<&Movement> =
            outcomes.iter().filter_map(|one| if let Inserted::New(movement) = one { Some(movement) } else { None }).collect();
        assert_eq!(first.len(), 1, "{outcomes:?}");
        let again = outcomes.iter().filter(|one| **one == Inserted::Replayed(first[0].clone())).count();
        let mismatches = outcomes.iter().filter(|one| **one == Inserted::KeyReused).count();
        assert_eq!(again + mismatches, 15, "{outcomes:?}");
        assert!(mismatches == 4 || mismatches == 12);
        assert_eq!((fixture.balances("ana_app").await.0, fixture.balances("ana_1").await.1), (2, 98));
        assert_eq!(fixture.verified().await, []);
    }

    async fn the_history_is_ordered_although_the_clock_is_set_back(db: &TestDb) {
        let fixture = test_users(db).await;
        let later = order("ana_1", AddCredits, "ana_app", 1);
        done(fixture.ledger.post(&later, after(60)).await.unwrap());
        let movement = done(fixture.ledger.post(&order("ana_1", AddCredits, "ana_app", 1), after(10)).await.unwrap());
        assert_eq!(movement.operation_date, after(60));
        assert_eq!(fixture.ledger.verify(after(60)).await.unwrap(), []);
    }

    async fn a_first_month_is_counted_from_the_clock_after_a_clock_was_ahead(db: &TestDb) {
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

    async fn movements_are_ordered_although_the_clocks_of_the_nodes_differ(db: &TestDb) {
        let fixture = test_users(db).await;
        let other = TestUsers::on(db.other_node().await);
        let sell = |number: i64| {
            let node = if number % 2 == 0 { fixture.clone() } else { other.clone() };
            let order = order("ana_1", AddCredits, "ana_app", 1);
            // The clock of each node is earlier than that of the one before.
            tokio::spawn(async move { done(node.ledger.post(&order, after(40 - number)).await.unwrap()) })
        };
        join_all((0..40).map(sell)).await.into_iter().for_each(|one| drop(one.unwrap()));
        assert_eq!(fixture.ledger.verify(after(60)).await.unwrap(), []);
    }
}
