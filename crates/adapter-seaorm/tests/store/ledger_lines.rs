//! The ledger by operation: one line each, based on the right account, and totals that equal the
//! sums of the lines.

use std::collections::BTreeSet;

use domain_credits::{CreditType, LedgerLine, LedgerTotal, OperationType};
use domain_kernel::{ListQuery, RoleCode, Sort, Username};
use domain_users::Scope;
use ports::{Ledger, LedgerFilter, LedgerRows, ListRows, RegistrarChange};

use crate::{
    fixture::{ROOT, TestUsers, done, name, order, reversal, subtree},
    indexes::plan,
    support::{TestDb, after, on_both},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCredits};

/// Seven operations, a minute apart: two stocks, a sale of ana_1, stock for eva_1, a sale of eva_1,
/// an admin's credits for another agent's customer, and the reversal of the first sale.
async fn seven_operations(db: &TestDb) -> TestUsers {
    let users = [
        (ROOT, "admin_1", RoleCode::Admin),
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "ana_app", RoleCode::App),
        ("ana_1", "eva_1", RoleCode::Agent),
        ("eva_1", "eva_app", RoleCode::App),
        (ROOT, "rival_1", RoleCode::Agent),
        ("rival_1", "rival_app", RoleCode::App),
    ];
    let fixture = TestUsers::with(db, &users).await;
    let mut sale = None;
    for (minute, (performer, operation, target, amount)) in [
        (ROOT, AddCreditsForSale, "ana_1", 100),
        (ROOT, AddCreditsForSale, "eva_1", 20),
        ("ana_1", AddCredits, "ana_app", 3),
        ("ana_1", AddCreditsForSale, "eva_1", 10),
        ("eva_1", AddCredits, "eva_app", 2),
        ("admin_1", AddCredits, "rival_app", 1),
    ]
    .into_iter()
    .enumerate()
    {
        let at = after(i64::try_from(minute).unwrap());
        let movement =
            done(fixture.ledger.post(&order(performer, operation, target, amount), at).await.unwrap());
        if minute == 2 {
            sale = Some(movement.id);
        }
    }
    done(fixture.ledger.reverse(&reversal("admin_1", sale.unwrap()), after(6)).await.unwrap());
    fixture
}

async fn all_lines(fixture: &TestUsers, scope: &Scope, filter: &LedgerFilter) -> Vec<LedgerLine> {
    let query = ListQuery {
        size: 100,
        sort: vec![Sort { field: "operationDate".into(), descending: false }],
        ..ListQuery::default()
    };
    let page = fixture.ledger.lines(scope, filter, &query).await.unwrap().unwrap();
    assert_eq!(page.total_elements, u64::try_from(page.content.len()).unwrap());
    page.content
}

/// The account, the change, the balance afterwards, and the other user.
fn reported(lines: &[LedgerLine]) -> Vec<(&str, i64, i64, Option<&str>, OperationType)> {
    lines
        .iter()
        .map(|line| {
            (
                line.account_user.username.as_str(),
                line.amount,
                line.balance_after,
                line.counterparty.as_ref().map(|other| other.username.as_str()),
                line.operation_type,
            )
        })
        .collect()
}

fn totals_of(lines: &[LedgerLine]) -> BTreeSet<(&'static str, &'static str, u64, i64, i64)> {
    use domain_kernel::Enumeration;
    let mut all = std::collections::BTreeMap::new();
    for line in lines {
        let key = (line.operation_type.code(), line.credit_type.code());
        let entry = all.entry(key).or_insert((0, 0, 0));
        entry.0 += 1;
        entry.1 += line.amount.max(0);
        entry.2 += (-line.amount).max(0);
    }
    all.into_iter()
        .map(|((kind, credits), (count, added, deducted))| (kind, credits, count, added, deducted))
        .collect()
}

fn keyed(totals: &[LedgerTotal]) -> BTreeSet<(&'static str, &'static str, u64, i64, i64)> {
    use domain_kernel::Enumeration;
    totals
        .iter()
        .map(|one| {
            (one.operation_type.code(), one.credit_type.code(), one.operations, one.added, one.deducted)
        })
        .collect()
}

fn of(username: &str) -> LedgerFilter {
    LedgerFilter { of: Some(name(username)), ..LedgerFilter::default() }
}

on_both! {
    async fn an_operation_has_one_line_based_on_the_readers_account(db: &TestDb) {
        let fixture = seven_operations(db).await;
        let lines = all_lines(&fixture, &Scope::Everyone, &LedgerFilter::default()).await;
        assert_eq!(reported(&lines), [
            ("ana_1", 100, 100, None, AddCreditsForSale),
            ("eva_1", 20, 20, None, AddCreditsForSale),
            ("ana_app", 3, 3, Some("ana_1"), AddCredits),
            ("eva_1", 10, 30, Some("ana_1"), AddCreditsForSale),
            ("eva_app", 2, 2, Some("eva_1"), AddCredits),
            ("rival_app", 1, 1, None, AddCredits),
            ("ana_app", -3, 0, Some("ana_1"), DeductCredits),
        ]);
        assert!(lines[2].reversed && !lines[3].reversed);
        assert_eq!(lines[6].reverses_operation_id, Some(lines[2].operation_id));
        assert_eq!(lines[6].performed_by_user.username, name("admin_1"));

        let lines = all_lines(&fixture, &subtree("ana_1"), &LedgerFilter::default()).await;
        assert_eq!(reported(&lines), [
            ("ana_1", 100, 100, None, AddCreditsForSale),
            ("eva_1", 20, 20, None, AddCreditsForSale),
            ("ana_1", -3, 97, Some("ana_app"), AddCredits),
            ("ana_1", -10, 87, Some("eva_1"), AddCreditsForSale),
            ("eva_app", 2, 2, Some("eva_1"), AddCredits),
            ("ana_1", 3, 90, Some("ana_app"), DeductCredits),
        ]);
        assert_eq!((lines[2].target_user.username.as_str(), lines[2].credit_type), ("ana_app", CreditType::Sale));
        assert_eq!(lines[0].target_user.username.as_str(), "ana_1");

        let lines = all_lines(&fixture, &Scope::Everyone, &of("EVA_1")).await;
        assert_eq!(reported(&lines), [
            ("eva_1", 20, 20, None, AddCreditsForSale),
            ("eva_1", 10, 30, Some("ana_1"), AddCreditsForSale),
            ("eva_1", -2, 28, Some("eva_app"), AddCredits),
        ]);
        // Users outside of the agent's scope are not found.
        for hidden in ["rival_app", "rival_1", "admin_1", "nobody"] {
            let (scope, filter) = (subtree("ana_1"), of(hidden));
            assert_eq!(fixture.ledger.lines(&scope, &filter, &ListQuery::default()).await.unwrap(), None, "{hidden}");
            assert_eq!(fixture.ledger.totals(&scope, &filter).await.unwrap(), None, "{hidden}");
        }
        assert_eq!(all_lines(&fixture, &Scope::Nobody, &LedgerFilter::default()).await, []);
    }

    async fn users_outside_of_the_subtree_are_found_only_by_username(db: &TestDb) {
        let fixture = seven_operations(db).await;
        for (user, email) in [("root_1", "raiz@secret.example"), ("eva_app", "eva@open.example")] {
            db.run(&format!("UPDATE users SET search_text = search_text || '{email}' WHERE username_key = '{user}'"))
                .await;
        }
        let found = async |scope: Scope, text: &str| {
            let filter = LedgerFilter { search: Some(text.into()), ..LedgerFilter::default() };
            let query = ListQuery { search: Some(text.into()), size: 100, ..ListQuery::default() };
            let movements = fixture.ledger.history(&scope, None, &query).await.unwrap().unwrap();
            assert_eq!(movements.total_elements, movements.content.len() as u64, "{text}");
            (all_lines(&fixture, &scope, &filter).await.len(), movements.content.len())
        };
        for (text, everyone, ana) in [
            ("secret.example", (2, 2), (0, 0)),
            ("raiz@", (2, 2), (0, 0)),
            ("open.example", (1, 1), (1, 1)),
            ("Root_1", (2, 2), (2, 2)),
            ("Raíz", (2, 2), (2, 2)),
            ("admin_1", (2, 3), (1, 2)),
        ] {
            assert_eq!(found(Scope::Everyone, text).await, everyone, "{text}");
            assert_eq!(found(subtree("ana_1"), text).await, ana, "{text}");
        }
    }

    async fn filters_totals_and_files_agree_with_the_list(db: &TestDb) {
        let fixture = seven_operations(db).await;
        let users: [Option<Username>; 4] = [None, Some(name("ana_1")), Some(name("eva_1")), Some(name("ana_app"))];
        let operations = [None, Some(AddCredits), Some(AddCreditsForSale), Some(DeductCredits)];
        let days = [(None, None), (Some(after(2)), None), (None, Some(after(4))), (Some(after(2)), Some(after(5)))];
        let searches = [None, Some("EVA".to_owned()), Some("zzz".to_owned())];
        for scope in [Scope::Everyone, subtree("ana_1"), subtree("eva_1")] {
            for of in &users {
                if of.as_ref().is_some_and(|of| scope == subtree("eva_1") && *of != name("eva_1")) {
                    continue;
                }
                let filter = LedgerFilter { of: of.clone(), ..LedgerFilter::default() };
                let whole = all_lines(&fixture, &scope, &filter).await;
                let operations_once: BTreeSet<i64> = whole.iter().map(|line| line.operation_id).collect();
                assert_eq!(operations_once.len(), whole.len(), "{scope:?} {filter:?}");
                for operation in operations {
                    for (from, to) in days {
                        for performer in &users[..2] {
                            for search in &searches {
                                let filter = LedgerFilter {
                                    operation, from, to, performed_by: performer.clone(), search: search.clone(),
                                    ..filter.clone()
                                };
                                let expected: Vec<_> = whole
                                    .iter()
                                    .filter(|line| operation.is_none_or(|one| line.operation_type == one))
                                    .filter(|line| from.is_none_or(|from| line.operation_date >= from))
                                    .filter(|line| to.is_none_or(|to| line.operation_date < to))
                                    .filter(|line| performer.as_ref().is_none_or(|one| line.performed_by_user.username == *one))
                                    .filter(|line| search.as_ref().is_none_or(|text| {
                                        let names = [Some(&line.account_user), line.counterparty.as_ref(), Some(&line.performed_by_user)];
                                        names.into_iter().flatten().any(|one| one.username.as_str().contains(&text.to_lowercase()))
                                    }))
                                    .cloned()
                                    .collect();
                                assert_eq!(all_lines(&fixture, &scope, &filter).await, expected, "{scope:?} {filter:?}");
                                let totals = fixture.ledger.totals(&scope, &filter).await.unwrap().unwrap();
                                assert_eq!(keyed(&totals), totals_of(&expected), "{scope:?} {filter:?}");
                            }
                        }
                    }
                }
            }
            // An export, two lines at a time, equals the list.
            let rows = LedgerRows { scope: scope.clone(), filter: LedgerFilter::default() };
            let ids = fixture.ledger.ids(&rows, &ListQuery::default(), 100).await.unwrap();
            let mut file: Vec<LedgerLine> = Vec::new();
            for some in ids.chunks(2) {
                file.extend(fixture.ledger.rows(&rows, some).await.unwrap());
            }
            file.reverse();
            assert_eq!(file, all_lines(&fixture, &scope, &LedgerFilter::default()).await);
        }
    }

    async fn an_export_of_a_user_ends_when_the_user_leaves_the_subtree(db: &TestDb) {
        let fixture = seven_operations(db).await;
        let rows = |scope| LedgerRows { scope, filter: of("eva_1") };
        let begun = rows(subtree("ana_1"));
        let ids = fixture.ledger.ids(&begun, &ListQuery::default(), 100).await.unwrap();
        let (first, rest) = ids.split_at(1);
        assert_eq!((fixture.ledger.rows(&begun, first).await.unwrap().len(), rest.len()), (1, 2));
        fixture.edit("eva_1", |change| change.registrar = RegistrarChange::Becomes(Some(name("rival_1")))).await;
        assert_eq!(fixture.ledger.rows(&begun, rest).await.unwrap(), []);
        for (scope, found) in
            [(subtree("rival_1"), 2), (subtree("eva_1"), 2), (Scope::Everyone, 2), (Scope::Nobody, 0)]
        {
            assert_eq!(fixture.ledger.rows(&rows(scope), rest).await.unwrap().len(), found);
        }
    }

    async fn pages_read_an_index_and_never_the_whole_ledger(db: &TestDb) {
        let fixture = seven_operations(db).await;
        let day = LedgerFilter { from: Some(after(1)), to: Some(after(3)), ..LedgerFilter::default() };
        let scan = if db.is_sqlite() { "SCAN e" } else { "Seq Scan on entries" };
        for (scope, filter) in [
            (Scope::Everyone, LedgerFilter::default()),
            (Scope::Everyone, day.clone()),
            (Scope::Everyone, LedgerFilter { operation: Some(AddCredits), ..day.clone() }),
            (Scope::Everyone, LedgerFilter { performed_by: Some(name("ana_1")), ..day.clone() }),
            (Scope::Everyone, of("ana_1")),
            (subtree("ana_1"), LedgerFilter::default()),
            (subtree("ana_1"), of("eva_1")),
            (subtree("ana_1"), LedgerFilter { operation: Some(AddCredits), ..day }),
        ] {
            for statement in fixture.ledger.line_statements(&scope, &filter) {
                let plan = plan(db, &statement, false).await;
                let scans = plan.iter().any(|line| line.contains(scan));
                assert!(!scans, "{scope:?} {filter:?}\n{}\n{}", statement.sql, plan.join("\n"));
            }
        }
    }
}
