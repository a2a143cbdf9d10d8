//! Every statement of every use case of the ledger fails once, one after another: the operation is
//! then rolled back completely, or stored and answered as done; a retry of the same operation
//! succeeds.

use adapter_seaorm::Faults;
use domain_credits::OperationType;
use domain_kernel::RoleCode;
use ports::{CreditOrder, Inserted, Ledger, Posted, ReversalOrder, StoreError};

use crate::{
    fixture::{ROOT, TestUsers, done, once, order, reversal, snapshot},
    support::{TestDb, after, on_both, start},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

/// A request to the ledger.
#[derive(Clone)]
enum Order {
    Post(CreditOrder),
    Reverse(ReversalOrder),
}

impl Order {
    fn posting(performer: &str, operation: OperationType, target: &str, key: &str) -> Self {
        let once = Some(once(performer, key, "f"));
        Self::Post(CreditOrder { once, ..order(performer, operation, target, 2) })
    }

    async fn send(&self, ledger: &impl Ledger) -> Result<Posted, StoreError> {
        match self {
            Self::Post(order) => ledger.post(order, start()).await,
            Self::Reverse(order) => ledger.reverse(order, start()).await,
        }
    }
}

/// An agent and a sub-agent with stock, an app user with credits, and a sale of each type.
async fn test_users(db: &TestDb) -> TestUsers {
    let users = [
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "eva_1", RoleCode::Agent),
        ("ana_1", "ana_app", RoleCode::App),
    ];
    let fixture = TestUsers::with(db, &users).await;
    fixture.stock("ana_1", 1000).await;
    fixture.stock("eva_1", 1000).await;
    fixture.post(ROOT, AddCredits, "ana_app", 100).await;
    fixture.expire("ana_app", Some(after(60))).await;
    fixture
}

async fn seq(db: &TestDb) -> i64 {
    db.number("SELECT count(*) AS number FROM operations").await
}

/// Makes the first, second, third… statement of the operation fail, until it succeeds; returns the
/// number of statements.
async fn fails_everywhere(db: &TestDb, fixture: &TestUsers, make: impl AsyncFn(i64) -> Order) -> i64 {
    for nth in 1.. {
        let order = make(nth).await;
        let before = snapshot(db).await;
        let operations = seq(db).await;
        let faults = Faults::at(nth);
        let outcome = order.send(&fixture.ledger.clone().with_faults(faults.clone())).await;
        assert_eq!(fixture.verified().await, [], "after failure {nth}");
        if !faults.happened() {
            assert!(matches!(outcome, Ok(Inserted::New(_) | Inserted::Replayed(_))), "{outcome:?}");
            return nth - 1;
        }
        match outcome {
            // It failed after the commit, which is found by its UUID.
            Ok(Inserted::New(movement)) => {
                assert_eq!(seq(db).await, operations + 1, "answered as done and stored");
                assert_eq!(order.send(&fixture.ledger).await.unwrap(), Inserted::Replayed(movement));
            }
            Err(_) => {
                assert_eq!(snapshot(db).await, before, "failure {nth} changes nothing");
                let first = order.send(&fixture.ledger).await.unwrap();
                assert!(
                    matches!(first, Inserted::New(_) | Inserted::Replayed(_)),
                    "the same order works now: {first:?}"
                );
            }
            other => panic!("failure {nth}: {other:?}"),
        }
        let again = order.send(&fixture.ledger).await.unwrap();
        assert!(matches!(again, Inserted::Replayed(_)), "only once: {again:?}");
        assert!(seq(db).await <= operations + 1);
        assert_eq!(fixture.verified().await, []);
    }
    unreachable!("the number of statements is finite")
}

on_both! {
    async fn an_operation_that_fails_anywhere_is_rolled_back_or_completed(db: &TestDb) {
        let fixture = test_users(db).await;
        for (performer, operation, target) in [
            (ROOT, AddCredits, "ana_app"),
            (ROOT, DeductCredits, "ana_app"),
            (ROOT, AddCreditsForSale, "eva_1"),
            (ROOT, DeductCreditsForSale, "eva_1"),
            ("ana_1", AddCredits, "ana_app"),
            ("ana_1", AddCreditsForSale, "eva_1"),
            ("ana_1", DeductCreditsForSale, "eva_1"),
        ] {
            let make = async |nth| Order::posting(performer, operation, target, &format!("{operation:?} {nth}"));
            let statements = fails_everywhere(db, &fixture, make).await;
            assert!(statements >= 7, "{performer} {operation:?} has {statements}");
        }
    }

    async fn a_reversal_that_fails_anywhere_is_rolled_back_or_completed(db: &TestDb) {
        let fixture = test_users(db).await;
        for (performer, operation, target) in
            [("ana_1", AddCredits, "ana_app"), (ROOT, DeductCredits, "ana_app"), ("ana_1", DeductCreditsForSale, "eva_1")]
        {
            let make = async |nth| {
                let movement = fixture.post(performer, operation, target, 2).await;
                let once = Some(once(ROOT, &format!("back {operation:?} {nth}"), "f"));
                Order::Reverse(ReversalOrder { once, ..reversal(ROOT, movement.id) })
            };
            let statements = fails_everywhere(db, &fixture, make).await;
            assert!(statements >= 9, "{performer} {operation:?} has {statements}");
        }
    }

    async fn a_balance_that_was_not_written_fails_the_operation(db: &TestDb) {
        let fixture = test_users(db).await;
        // Without the trigger of the schema, so that only the check of the ledger applies.
        db.run(if db.is_sqlite() { "DROP TRIGGER entries_stand" } else { "ALTER TABLE entries DISABLE TRIGGER entries_checked" })
            .await;
        if !db.is_sqlite() {
            let nothing = "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$";
            db.run(nothing).await;
        }
        for column in ["credits", "sale_credits"] {
            // As after a concurrent change of the row since it was read: the statement changes no
            // row.
            let (make, undo) = if db.is_sqlite() {
                (
                    format!("CREATE TRIGGER lost BEFORE UPDATE OF {column} ON users BEGIN SELECT RAISE(IGNORE); END"),
                    "DROP TRIGGER lost",
                )
            } else {
                (
                    format!("CREATE TRIGGER lost BEFORE UPDATE OF {column} ON users FOR EACH ROW EXECUTE FUNCTION nothing()"),
                    "DROP TRIGGER lost ON users",
                )
            };
            db.run(&make).await;
            let before = snapshot(db).await;
            // The target's balance, and then the payer's.
            let outcome = Order::posting("ana_1", AddCredits, "ana_app", "k").send(&fixture.ledger).await;
            assert!(matches!(outcome, Err(StoreError::Broken(_))), "{outcome:?}");
            assert_eq!(snapshot(db).await, before);
            db.run(undo).await;
        }
    }

    async fn a_retry_that_fails_anywhere_succeeds_at_the_next_attempt(db: &TestDb) {
        let fixture = test_users(db).await;
        let order = Order::posting("ana_1", AddCredits, "ana_app", "k");
        let first = done(order.send(&fixture.ledger).await.unwrap());
        let rows = snapshot(db).await;
        let statements = fails_everywhere(db, &fixture, async |_| order.clone()).await;
        assert!(statements >= 3, "it has {statements}");
        assert_eq!(snapshot(db).await, rows);
        assert_eq!(order.send(&fixture.ledger).await.unwrap(), Inserted::Replayed(first));
    }
}
