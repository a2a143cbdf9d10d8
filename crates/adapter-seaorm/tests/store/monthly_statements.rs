//! Statements of stocks: by concept and by other user, in a time span and a scope, with imported
//! history. `ledger_machine` compares them with the ledger after any operations.

use chrono::{DateTime, Months, TimeDelta, Utc};
use domain_credits::{OperationType, PastMovement, StatementConcept};
use domain_kernel::RoleCode;
use domain_users::Scope;
use ports::{History, HistoryMovement, Ledger, StatementAccount, Statements, StockSum};
use sea_orm::{ConnectionTrait, TransactionTrait};

use crate::{
    fixture::{ROOT, TestUsers, done, name, order, reversal, subtree},
    support::{TestDb, on_both, start},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCreditsForSale};
use StatementConcept::*;

fn month(number: u32) -> DateTime<Utc> {
    "2026-11-01T00:00:00Z".parse::<DateTime<Utc>>().unwrap() + Months::new(number)
}

async fn account(fixture: &TestUsers, scope: &Scope, of: &str, number: u32) -> Option<StatementAccount> {
    fixture.ledger.account(scope, &name(of), month(number), month(number + 1)).await.unwrap()
}

/// Imports movements of a stock: time, previous balance, change.
async fn book(fixture: &TestUsers, of: &str, moves: impl IntoIterator<Item = (DateTime<Utc>, i64, i64)>) {
    let root = ROOT.to_lowercase();
    let users = fixture.ledger.users_named(&[of.to_owned(), root.clone()]).await.unwrap();
    let movement = |(at, before, change)| HistoryMovement {
        past: PastMovement { at, before, change },
        performer: users[&root].id,
        by_agent: false,
        reason: None,
    };
    let movements = moves.into_iter().map(movement).collect();
    let history = History { user: users[of].id, for_sale: true, movements };
    fixture.ledger.book_history(&[history], start()).await.unwrap();
}

fn by_concept(sums: &[StockSum]) -> Vec<(StatementConcept, i64, u64)> {
    let mut all: Vec<_> =
        sums.iter().map(|sum| (StatementConcept::of(sum.of), sum.amount, sum.movements)).collect();
    all.sort_unstable();
    all
}

on_both! {
    async fn a_statement_has_the_movements_of_a_stock_by_concept_and_user(db: &TestDb) {
        let users = [
            (ROOT, "ana_1", RoleCode::Agent),
            ("ana_1", "ana_app", RoleCode::App),
            ("ana_1", "eva_1", RoleCode::Agent),
            ("eva_1", "eva_app", RoleCode::App),
            (ROOT, "rival_1", RoleCode::Agent),
        ];
        let fixture = TestUsers::with(db, &users).await;
        // The first instant of a month belongs to it, the last one before does not.
        let last_moment = month(1) - TimeDelta::milliseconds(1);
        let mut sale = None;
        for (at, performer, operation, target, amount) in [
            (start(), ROOT, AddCreditsForSale, "ana_1", 100),
            (start(), "ana_1", AddCredits, "ana_app", 3),
            (last_moment, "ana_1", AddCreditsForSale, "eva_1", 20),
            (month(1), "ana_1", AddCredits, "eva_app", 2),
            (month(1), "eva_1", AddCredits, "eva_app", 1),
            (month(1), "ana_1", DeductCreditsForSale, "eva_1", 5),
            (month(1), ROOT, DeductCreditsForSale, "ana_1", 10),
        ] {
            let movement = done(fixture.ledger.post(&order(performer, operation, target, amount), at).await.unwrap());
            sale = sale.or((target == "ana_app").then_some(movement.id));
        }
        done(fixture.ledger.reverse(&reversal(ROOT, sale.unwrap()), month(1)).await.unwrap());

        let november = account(&fixture, &subtree("ana_1"), "ANA_1", 0).await.unwrap();
        assert_eq!((november.opening, november.closing, november.has_stock), (0, 77, true));
        assert_eq!(by_concept(&november.sums), [
            (ReceivedFromAdmins, 100, 1), (SoldToCustomers, -3, 1), (GivenToAgents, -20, 1),
        ]);
        let december = account(&fixture, &Scope::Everyone, "ana_1", 1).await.unwrap();
        assert_eq!((december.opening, december.closing), (77, 73));
        assert_eq!(by_concept(&december.sums), [
            (ReturnedToAdmins, -10, 1), (SoldToCustomers, -2, 1), (TakenBackFromAgents, 5, 1), (ReversedIn, 3, 1),
        ]);
        let rows = fixture.ledger.rows(&december, None, 10).await.unwrap();
        let rows: Vec<_> = rows.iter().map(|row| (row.user.username.as_str(), by_concept(&row.sums))).collect();
        assert_eq!(rows, [
            ("ana_app", vec![(ReversedIn, 3, 1)]),
            ("eva_1", vec![(TakenBackFromAgents, 5, 1)]),
            ("eva_app", vec![(SoldToCustomers, -2, 1)]),
        ]);
        let eva = account(&fixture, &subtree("ana_1"), "eva_1", 1).await.unwrap();
        assert_eq!((eva.opening, eva.closing), (20, 14));
        assert_eq!(by_concept(&eva.sums), [(ReturnedToAgents, -5, 1), (SoldToCustomers, -1, 1)]);
        // Without movements in January the stock is carried over.
        let january = account(&fixture, &subtree("eva_1"), "eva_1", 2).await.unwrap();
        assert_eq!((january.opening, january.closing, january.sums.len()), (14, 14, 0));

        // A sale during the read of a statement is not included.
        done(fixture.ledger.post(&order("ana_1", AddCredits, "ana_app", 1), month(1)).await.unwrap());
        let rows = fixture.ledger.rows(&december, Some(&name("ana_1")), 10).await.unwrap();
        assert_eq!(by_concept(&rows[0].sums), [(ReversedIn, 3, 1)]);

        for (scope, of) in [(subtree("eva_1"), "ana_1"), (subtree("ana_1"), "rival_1"), (Scope::Nobody, "ana_1")] {
            assert_eq!(account(&fixture, &scope, of, 0).await, None, "{of}");
        }
        let customer = account(&fixture, &Scope::Everyone, "eva_app", 1).await.unwrap();
        assert!(!customer.has_stock && customer.sums.is_empty());
        let idle = account(&fixture, &Scope::Everyone, "rival_1", 1).await.unwrap();
        assert_eq!((idle.has_stock, idle.opening, idle.closing), (true, 0, 0));
    }

    async fn imported_history_has_separate_lines(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        fixture.add(ROOT, "ana_1", RoleCode::Agent).await;
        book(&fixture, "ana_1", [(month(0), 40, 10), (month(1), 50, -15)]).await;
        fixture.ledger.post(&order(ROOT, AddCreditsForSale, "ana_1", 7), month(1)).await.unwrap();
        // The opening balance of the history is a movement at its first instant.
        let november = account(&fixture, &Scope::Everyone, "ana_1", 0).await.unwrap();
        assert_eq!((november.opening, november.closing), (0, 50));
        assert_eq!(by_concept(&november.sums), [(ImportedIn, 50, 2)]);
        let december = account(&fixture, &Scope::Everyone, "ana_1", 1).await.unwrap();
        assert_eq!((december.opening, december.closing), (50, 42));
        assert_eq!(by_concept(&december.sums), [(ReceivedFromAdmins, 7, 1), (ImportedOut, -15, 1)]);
        assert_eq!(fixture.ledger.rows(&december, None, 10).await.unwrap(), []);
    }

    async fn a_statement_reads_only_the_movements_of_its_agent(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        // A hundred movements a month.
        for username in ["ana_1", "rival_1"] {
            fixture.add(ROOT, username, RoleCode::Agent).await;
            book(&fixture, username, (0..3000).map(|number| (month(number / 100), i64::from(number), 1))).await;
        }
        db.fill("ANALYZE").await;
        let account = account(&fixture, &Scope::Everyone, "ana_1", 15).await.unwrap();
        assert_eq!((account.opening, account.closing), (1500, 1600));
        let (word, column) = if db.is_sqlite() { ("EXPLAIN QUERY PLAN", "detail") } else { ("EXPLAIN", "QUERY PLAN") };
        let transaction = db.database.connection().begin().await.unwrap();
        if !db.is_sqlite() {
            for way in ["seqscan", "bitmapscan"] {
                transaction.execute_unprepared(&format!("SET LOCAL enable_{way} = off")).await.unwrap();
            }
        }
        for mut statement in fixture.ledger.statement_statements(&account) {
            statement.sql = format!("{word} {}", statement.sql);
            let rows = transaction.query_all_raw(statement.clone()).await.unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.try_get("", column).unwrap()).collect();
            let whole = plan.join("\n");
            assert!(plan.iter().any(|line| line.contains("entries_by_user")), "{}\n{whole}", statement.sql);
            let scans = ["SCAN e", "SCAN c", "SCAN o", "Seq Scan on entries", "Seq Scan on operations"];
            assert!(!plan.iter().any(|line| scans.iter().any(|scan| line.ends_with(scan) || line.contains(&format!("{scan} ")))), "{}\n{whole}", statement.sql);
        }
    }
}
