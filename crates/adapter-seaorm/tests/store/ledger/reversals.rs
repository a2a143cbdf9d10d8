//! Reversals: effects, permissions, and idempotency.

use domain_credits::{OperationType, Refusal, ReversalStatus};
use domain_kernel::Origin;
use domain_users::Scope;
use futures_util::future::join_all;
use ports::{
    Inserted, Ledger, NewReversalRequest, OrderConflict, Posted, ReversalOrder, ReversalRequests, Written,
};

use crate::{
    fixture::{ROOT, TestUsers, done, name, once, order, reversal, snapshot},
    ledger::test_users,
    support::{TestDb, after, edit_of, on_both, start},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

on_both! {
    async fn a_reversal_restores_all_balances(db: &TestDb) {
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
            let rows = snapshot(db).await;
            assert_eq!(fixture.reverse(ROOT, movement.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::AlreadyReversed)));
            assert_eq!(fixture.reverse(ROOT, back.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::IsReversal)));
            assert_eq!(snapshot(db).await, rows);
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_reversal_keeps_later_changes(db: &TestDb) {
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
        // The stock may change meanwhile: only the customer must be unchanged.
        fixture.post("ana_1", AddCredits, "eva_app", 1).await;
        let back = done(fixture.ledger.reverse(&reversal("ana_1", sale.id), after(60)).await.unwrap());
        assert_eq!((back.reverses_operation_id, back.performed_by_user.username), (Some(sale.operation_id), name("ana_1")));
        assert_eq!(fixture.balances("ana_1").await, (before.0, before.1 - 1));
        assert_eq!(fixture.reverse("ana_1", sale.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::AlreadyReversed)));

        let late = done(fixture.ledger.post(&order("ana_1", AddCredits, "ana_app", 4), after(60)).await.unwrap());
        let reverse = async |who: &str, at| fixture.ledger.reverse(&reversal(who, late.id), at).await.unwrap();
        assert_eq!(reverse("ana_1", after(121)).await, Inserted::Conflict(OrderConflict::Refused(Refusal::ReversalTooLate)));
        // Neither the agent above, nor another agent with the customer in its subtree may reverse
        // it.
        let below = done(fixture.ledger.post(&order("eva_1", AddCredits, "eva_app", 1), after(60)).await.unwrap());
        assert_eq!(fixture.ledger.reverse(&reversal("ana_1", below.id), after(61)).await.unwrap(), Inserted::Conflict(OrderConflict::Refused(Refusal::Forbidden)));
        // An expiration set by a user is a change since the sale.
        fixture.expire("ana_app", Some(after(9999))).await;
        assert_eq!(reverse("ana_1", after(62)).await, Inserted::Conflict(OrderConflict::Refused(Refusal::MovedSince)));
        done(reverse(ROOT, after(62)).await);
        assert_eq!(fixture.ledger.verify(after(99)).await.unwrap(), []);
    }

    async fn of_a_concurrent_refusal_and_approval_one_succeeds(db: &TestDb) {
        let fixture = test_users(db).await;
        for round in 0..4 {
            let sale = fixture.post("ana_1", AddCredits, "ana_app", 1).await;
            let requested = NewReversalRequest { requester: name("ana_1"), movement: sale.id, reason: None, origin: Origin::SERVER, once: None };
            let Inserted::New(request) = fixture.ledger.request(&requested, start()).await.unwrap() else { panic!("refused") };
            assert_eq!(
                fixture.ledger.request(&requested, start()).await.unwrap(),
                Inserted::Conflict(OrderConflict::Refused(Refusal::AlreadyRequested))
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
                (Inserted::New(_), Written::Conflict(_)) => {
                    assert_eq!((found.reversed, stored.status), (true, ReversalStatus::Approved), "{round}");
                }
                (Inserted::Conflict(OrderConflict::Refused(Refusal::AlreadyDecided)), Written::Done(_)) => {
                    assert_eq!((found.reversed, stored.status), (false, ReversalStatus::Declined), "{round}");
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_reversal_needs_the_balance_and_the_permission(db: &TestDb) {
        let fixture = test_users(db).await;
        let sale = fixture.post("ana_1", AddCredits, "ana_app", 4).await;
        let handed = fixture.post("ana_1", AddCreditsForSale, "eva_1", 50).await;
        let returned = fixture.post("ana_1", DeductCreditsForSale, "eva_1", 30).await;
        fixture.post("eva_1", AddCredits, "eva_app", 30).await;
        fixture.post(ROOT, DeductCreditsForSale, "ana_1", 70).await;
        fixture.post(ROOT, DeductCredits, "ana_app", 1).await;
        let rows = snapshot(db).await;
        assert_eq!(fixture.reverse(ROOT, sale.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::InsufficientCredits(3))));
        assert_eq!(fixture.reverse(ROOT, handed.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::InsufficientSaleCredits(10))));
        assert_eq!(fixture.reverse(ROOT, returned.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::InsufficientSaleCredits(6))));
        assert_eq!(fixture.reverse("ana_1", sale.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::MovedSince)));
        assert_eq!(fixture.reverse("ana_1", handed.id).await, Inserted::Conflict(OrderConflict::Refused(Refusal::Forbidden)));
        assert_eq!(fixture.reverse("rival_1", sale.id).await, Inserted::Conflict(OrderConflict::Hidden));
        assert_eq!(fixture.reverse("manager_1", sale.id).await, Inserted::Conflict(OrderConflict::Hidden));
        assert_eq!(fixture.reverse(ROOT, 4711).await, Inserted::Conflict(OrderConflict::Hidden));
        let issuer = db.number("SELECT id AS number FROM entries WHERE account = 'HOUSE' ORDER BY id LIMIT 1").await;
        assert_eq!(fixture.reverse(ROOT, issuer).await, Inserted::Conflict(OrderConflict::Hidden), "the issuer's entry is hidden");
        assert_eq!(snapshot(db).await, rows);
        // The payer's movement refers to the same operation.
        fixture.post(ROOT, AddCredits, "ana_app", 1).await;
        let payers = db.number(&format!("SELECT id AS number FROM entries WHERE leg = 1 AND operation_id = {}", sale.operation_id)).await;
        assert_eq!(done(fixture.reverse(ROOT, payers).await).reverses_operation_id, Some(sale.operation_id));
        assert_eq!(fixture.verified().await, []);
    }

    async fn of_two_concurrent_reversals_one_succeeds(db: &TestDb) {
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
            let done = outcomes.iter().filter(|one| matches!(one, Inserted::New(_))).count();
            let refused = outcomes.iter().filter(|one| **one == Inserted::Conflict(OrderConflict::Refused(Refusal::AlreadyReversed))).count();
            assert_eq!((done, refused), (1, 2), "{outcomes:?}");
            assert_eq!((fixture.balances("ana_app").await.0, fixture.balances("ana_1").await.1), (0, 100));
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_reversal_with_a_key_is_idempotent(db: &TestDb) {
        let fixture = test_users(db).await;
        let movement = fixture.post("ana_1", AddCredits, "ana_app", 2).await;
        let keyed = ports::ReversalOrder { once: Some(once(ROOT, "k", "f")), ..reversal(ROOT, movement.id) };
        let first = done(fixture.ledger.reverse(&keyed, start()).await.unwrap());
        assert_eq!(fixture.ledger.reverse(&keyed, after(9)).await.unwrap(), Inserted::Replayed(first));
        let other = ports::ReversalOrder { once: Some(once(ROOT, "k", "g")), ..keyed };
        assert_eq!(fixture.ledger.reverse(&other, after(9)).await.unwrap(), Inserted::KeyReused);
    }
}
