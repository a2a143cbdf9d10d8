//! The ledger with concurrent operations: tasks on the connections of two nodes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use domain_credits::{OperationType, Refusal};
use domain_kernel::RoleCode;
use domain_users::{Scope, UserStatus};
use futures_util::future::join_all;
use ports::{Inserted, Ledger, OrderConflict, StoreError, UserRepository, Written};

use crate::{
    fixture::{ROOT, TestUsers, change, name, order},
    support::{TestDb, edit_of, on_both, start},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCreditsForSale};

/// Two nodes, and the agents ana_1 and its sub-agent eva_1, with an app user each.
async fn nodes(db: &TestDb) -> [TestUsers; 2] {
    let users = [
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "ana_app", RoleCode::App),
        ("ana_1", "eva_1", RoleCode::Agent),
        ("eva_1", "eva_app", RoleCode::App),
        (ROOT, "boss_1", RoleCode::Superadmin),
        (ROOT, "boss_2", RoleCode::Superadmin),
    ];
    let fixture = TestUsers::with(db, &users).await;
    [fixture, TestUsers::on(db.other_node().await)]
}

/// The same on a server whose transactions are serializable by default.
async fn serializable(db: &TestDb) -> Option<[TestUsers; 2]> {
    if db.is_sqlite() {
        return None;
    }
    let database =
        db.rows("SELECT current_database() AS name").await[0].try_get::<String>("", "name").unwrap();
    db.run(&format!("ALTER DATABASE {database} SET default_transaction_isolation = 'serializable'")).await;
    let [one, two] = [db.other_node().await, db.other_node().await];
    TestUsers::of(db).await;
    for fixture in [TestUsers::on(one.clone())] {
        for (parent, username, role) in [
            (ROOT, "ana_1", RoleCode::Agent),
            ("ana_1", "ana_app", RoleCode::App),
            ("ana_1", "eva_1", RoleCode::Agent),
        ] {
            fixture.add(parent, username, role).await;
        }
    }
    Some([TestUsers::on(one), TestUsers::on(two)])
}

/// 64 sales of 20 units from a stock of 1,000: 1,000 are sold, and the others fail only for missing
/// stock.
async fn sell_out(nodes: [TestUsers; 2]) {
    nodes[0].stock("ana_1", 1000).await;
    let seller = |number: usize| {
        let node = nodes[number % 2].clone();
        tokio::spawn(async move {
            let (mut sold, mut left) = (0, 20);
            while left > 0 {
                left -= 1;
                match node.try_post(&order("ana_1", AddCredits, "ana_app", 1)).await {
                    Ok(Inserted::New(_)) => sold += 1,
                    Ok(Inserted::Conflict(OrderConflict::Refused(Refusal::InsufficientSaleCredits(0)))) => {}
                    // On a busy machine no connection may be available for five seconds: the
                    // response is an error, and nothing was written.
                    Err(StoreError::Unavailable(why)) if why.contains("acquire") => left += 1,
                    other => panic!("{other:?}"),
                }
            }
            sold
        })
    };
    // A verification meanwhile finds no breach.
    let closed = Arc::new(AtomicBool::new(false));
    let auditor = tokio::spawn({
        let (node, closed) = (nodes[1].clone(), closed.clone());
        async move {
            while !closed.load(Ordering::SeqCst) {
                assert_eq!(node.verified().await, []);
            }
        }
    });
    let sold: i64 = join_all((0..64).map(seller)).await.into_iter().map(Result::unwrap).sum();
    closed.store(true, Ordering::SeqCst);
    auditor.await.unwrap();
    assert_eq!(sold, 1000);
    assert_eq!((nodes[0].balances("ana_1").await.1, nodes[0].balances("ana_app").await.0), (0, 1000));
    assert_eq!(nodes[0].verified().await, []);
}

on_both! {
    async fn exactly_the_stock_is_sold(db: &TestDb) {
        sell_out(nodes(db).await).await;
    }

    async fn exactly_the_stock_is_sold_on_a_serializable_server(db: &TestDb) {
        if let Some(nodes) = serializable(db).await {
            sell_out(nodes).await;
        }
    }

    async fn opposite_transfers_do_not_deadlock(db: &TestDb) {
        let nodes = nodes(db).await;
        nodes[0].stock("ana_1", 100).await;
        nodes[0].stock("eva_1", 100).await;
        for _ in 0..50 {
            let send = |node: &TestUsers, performer: &'static str, operation, target: &'static str| {
                let node = node.clone();
                tokio::spawn(async move { node.try_post(&order(performer, operation, target, 1)).await })
            };
            let [one, two] = &nodes;
            // Transfers in both directions between the same two users, and between two superadmins.
            let outcomes = join_all([
                send(one, "ana_1", AddCreditsForSale, "eva_1"),
                send(two, "ana_1", DeductCreditsForSale, "eva_1"),
                send(two, "boss_2", AddCreditsForSale, "ana_1"),
                send(one, "boss_1", DeductCreditsForSale, "ana_1"),
                send(two, "boss_1", AddCreditsForSale, "eva_1"),
                send(one, "boss_2", DeductCreditsForSale, "eva_1"),
            ])
            .await;
            for outcome in outcomes {
                assert!(matches!(outcome, Ok(Ok(Inserted::New(_)))), "{outcome:?}");
            }
        }
        assert_eq!((nodes[0].balances("ana_1").await.1, nodes[0].balances("eva_1").await.1), (100, 100));
        assert_eq!(nodes[0].verified().await, []);
    }

    async fn a_concurrent_edit_and_sale_are_both_stored(db: &TestDb) {
        let nodes = nodes(db).await;
        nodes[0].stock("ana_1", 1000).await;
        let seller = tokio::spawn({
            let node = nodes[0].clone();
            async move {
                for _ in 0..60 {
                    node.post("ana_1", AddCredits, "ana_app", 1).await;
                }
            }
        });
        let editor = tokio::spawn({
            let node = nodes[1].clone();
            async move {
                let mut done = 0;
                for number in 0..60 {
                    let full_name = format!("Nombre {number}");
                    // Based on a recent read: outdated or complete.
                    match node.edit("ana_app", |change| change.full_name.clone_from(&full_name)).await {
                        Written::Done(user) => {
                            assert_eq!(user.full_name, full_name);
                            done += 1;
                        }
                        Written::Outdated(_) => {}
                        other => panic!("{other:?}"),
                    }
                }
                done
            }
        });
        seller.await.unwrap();
        let edits: i64 = editor.await.unwrap();
        let user = nodes[0].user("ana_app").await;
        assert_eq!((user.credits, nodes[0].balances("ana_1").await.1), (60, 940));
        assert_eq!(user.version, 1 + 60 + edits);
        assert_eq!(nodes[0].verified().await, []);
    }

    async fn expirations_set_by_users_are_ordered_among_concurrent_sales(db: &TestDb) {
        let nodes = nodes(db).await;
        nodes[0].stock("ana_1", 1000).await;
        let seller = tokio::spawn({
            let node = nodes[0].clone();
            async move {
                for _ in 0..40 {
                    node.post("ana_1", AddCredits, "ana_app", 1).await;
                }
            }
        });
        let editor = tokio::spawn({
            let node = nodes[1].clone();
            async move {
                for number in 0..40 {
                    let date = (number % 3 > 0).then(|| start() + chrono::TimeDelta::days(number));
                    drop(node.edit("ana_app", |change| change.expiration_date = date).await);
                }
            }
        });
        seller.await.unwrap();
        editor.await.unwrap();
        assert_eq!(nodes[0].verified().await, []);
    }

    async fn after_a_suspension_the_agent_moves_no_credits(db: &TestDb) {
        let nodes = nodes(db).await;
        for round in 0..10 {
            let seller = format!("seller_{round}");
            nodes[0].add("ana_1", &seller, RoleCode::Agent).await;
            nodes[0].add(&seller, &format!("buyer_{round}"), RoleCode::App).await;
            nodes[0].stock(&seller, 10_000).await;
            let suspended = Arc::new(AtomicBool::new(false));
            let sell = |node: &TestUsers| {
                let (node, suspended) = (node.clone(), suspended.clone());
                let order = order(&seller, AddCredits, &format!("buyer_{round}"), 1);
                tokio::spawn(async move {
                    loop {
                        let over = suspended.load(Ordering::SeqCst);
                        match node.try_post(&order).await.unwrap() {
                            Inserted::New(_) => assert!(!over, "a suspended agent sold"),
                            Inserted::Conflict(OrderConflict::Refused(Refusal::NotActive)) => return,
                            other => panic!("{other:?}"),
                        }
                    }
                })
            };
            let selling = [sell(&nodes[0]), sell(&nodes[1])];
            let current = nodes[1].user(&seller).await;
            let mut edit = change(&current);
            // Suspended, deactivated, or no agent any more.
            match round % 2 {
                0 => edit.status = UserStatus::Suspended,
                _ => edit.status = UserStatus::Inactive,
            }
            let scope = Scope::Everyone;
            let written =
                nodes[1].users.update(&scope, &name(&seller), &edit, current.version, &edit_of(ROOT, start())).await.unwrap();
            assert!(matches!(written, Written::Done(_)), "{written:?}");
            suspended.store(true, Ordering::SeqCst);
            let sold = nodes[0].balances(&seller).await;
            for one in join_all(selling).await {
                one.unwrap();
            }
            assert_eq!(nodes[0].balances(&seller).await, sold);
        }
        assert_eq!(nodes[0].verified().await, []);
    }

    async fn a_concurrently_changed_target_gets_its_credits_or_none(db: &TestDb) {
        let nodes = nodes(db).await;
        nodes[0].stock("ana_1", 1000).await;
        let roles = tokio::spawn({
            let node = nodes[1].clone();
            async move {
                for number in 0..40 {
                    let role = if number % 2 == 0 { RoleCode::Agent } else { RoleCode::App };
                    drop(node.edit("ana_app", |change| change.role = role).await);
                }
            }
        });
        let mut sold = 0;
        for _ in 0..60 {
            let order = order("ana_1", AddCredits, "ana_app", 1);
            match nodes[0].ledger.post(&order, start()).await.unwrap() {
                Inserted::New(_) => sold += 1,
                Inserted::Conflict(OrderConflict::Refused(Refusal::WrongRole(RoleCode::App))) => {}
                other => panic!("{other:?}"),
            }
        }
        roles.await.unwrap();
        assert_eq!((nodes[0].balances("ana_app").await.0, nodes[0].balances("ana_1").await.1), (sold, 1000 - sold));
        assert_eq!(nodes[0].verified().await, []);
    }
}
