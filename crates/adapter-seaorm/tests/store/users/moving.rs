//! Moves of users to another registering user: scopes, unchanged data, and concurrency.

use domain_credits::OperationType::{AddCredits, AddCreditsForSale};
use domain_kernel::RoleCode;
use domain_users::{Scope, User};
use futures_util::future::join_all;
use ports::{Inserted, OrderConflict, RegistrarChange, UserRepository, UserUpdateConflict, Written};

use super::agents_with_customers;
use crate::{
    fixture::{ROOT, TestUsers, change, name, new_user, order, snapshot, subtree},
    support::{TestDb, edit_of, on_both, start},
};

/// Moves a user, as the root.
async fn moved(
    fixture: &TestUsers,
    username: &str,
    registrar: Option<&str>,
) -> Written<User, UserUpdateConflict> {
    fixture.edit(username, |change| change.registrar = RegistrarChange::Becomes(registrar.map(name))).await
}

async fn sees(fixture: &TestUsers, agent: &str, username: &str) -> bool {
    fixture.users.find(&subtree(agent), &name(username)).await.unwrap().is_some()
}

/// Users whose lineage does not equal that of the registering user with its ID.
async fn misplaced(db: &TestDb) -> i64 {
    db.number(
        "SELECT count(*) AS number FROM users u LEFT JOIN users r ON r.id = u.registered_by_id \
         WHERE u.lineage <> coalesce(r.lineage || r.id || '/', '/')",
    )
    .await
}

on_both! {
    async fn a_customer_moves_with_history_and_credits(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.stock("ana_1", 10).await;
        fixture.stock("rival_1", 10).await;
        fixture.post("ana_1", AddCredits, "ana_app", 3).await;
        let before = fixture.user("ana_app").await;
        let after = User { registered_by: Some(name("rival_1")), version: before.version + 1, ..before.clone() };
        assert_eq!(moved(&fixture, "ana_app", Some("RIVAL_1")).await, Written::Done(after.clone()));
        assert_eq!(fixture.user("ana_app").await, after);
        assert_eq!((sees(&fixture, "ana_1", "ana_app").await, sees(&fixture, "rival_1", "ana_app").await), (false, true));
        // Sales of the former agent stay its sales; later ones are those of the new agent.
        let sold = "SELECT total_sales AS number FROM users WHERE username_key = 'ana_1'";
        assert_eq!(db.number(sold).await, 3);
        assert_eq!(fixture.try_post(&order("ana_1", AddCredits, "ana_app", 1)).await.unwrap(), Inserted::Conflict(OrderConflict::Hidden));
        fixture.post("rival_1", AddCredits, "ana_app", 2).await;
        assert_eq!(fixture.balances("ana_app").await, (5, 0));
        assert_eq!(fixture.verified().await, []);
        // To no registering user, and back.
        assert!(matches!(moved(&fixture, "ana_app", None).await, Written::Done(user) if user.registered_by.is_none()));
        assert!(!sees(&fixture, "rival_1", "ana_app").await);
        assert_eq!(fixture.verified().await, []);
        moved(&fixture, "ana_app", Some("ana_1")).await;
        fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        assert_eq!(fixture.verified().await, []);
        assert_eq!(misplaced(db).await, 0);
    }

    async fn an_agent_moves_with_its_subtree(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.stock("ana_1", 20).await;
        fixture.post("ana_1", AddCreditsForSale, "eva_1", 9).await;
        fixture.post("eva_1", AddCreditsForSale, "leo_1", 4).await;
        fixture.post("leo_1", AddCredits, "leo_app", 2).await;
        let versions = [fixture.user("leo_1").await.version, fixture.user("leo_app").await.version];
        moved(&fixture, "eva_1", Some("rival_1")).await;
        for username in ["eva_1", "eva_app", "leo_1", "leo_app"] {
            assert!(!sees(&fixture, "ana_1", username).await && sees(&fixture, "rival_1", username).await, "{username}");
        }
        assert!(sees(&fixture, "ana_1", "ana_app").await);
        assert!(sees(&fixture, "eva_1", "leo_app").await);
        // Users in the subtree are unchanged.
        assert_eq!(versions, [fixture.user("leo_1").await.version, fixture.user("leo_app").await.version]);
        assert_eq!(fixture.user("leo_1").await.registered_by, Some(name("eva_1")));
        fixture.post("leo_1", AddCredits, "leo_app", 1).await;
        fixture.post("eva_1", AddCreditsForSale, "leo_1", 1).await;
        assert_eq!(fixture.balances("ana_1").await, (0, 11));
        assert_eq!((fixture.verified().await, misplaced(db).await), (vec![], 0));
    }

    async fn a_sale_outside_of_the_former_subtree_is_found(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.stock("ana_1", 5).await;
        fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        moved(&fixture, "ana_app", Some("rival_1")).await;
        assert_eq!(fixture.verified().await, []);
        // As if its previous lineage had been another one.
        db.run("UPDATE lineage_changes SET lineage_before = '/'").await;
        let breaches = fixture.verified().await;
        assert_eq!(breaches.iter().map(|breach| breach.invariant).collect::<Vec<_>>(), [12]);
    }

    async fn moves_that_break_a_rule_change_nothing(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.add(ROOT, "carla_1", RoleCode::ContentManager).await;
        let rows = snapshot(db).await;
        for (username, registrar, conflict) in [
            ("ana_app", "nobody", UserUpdateConflict::UnknownRegistrar),
            ("ana_app", "rival_app", UserUpdateConflict::RegistrarRole),
            ("ana_app", "carla_1", UserUpdateConflict::RegistrarRole),
            ("carla_1", "ana_1", UserUpdateConflict::RegistrarRole),
            ("ana_1", "ana_1", UserUpdateConflict::OwnSubtree),
            ("ana_1", "eva_1", UserUpdateConflict::OwnSubtree),
            ("ana_1", "leo_1", UserUpdateConflict::OwnSubtree),
        ] {
            let outcome = moved(&fixture, username, Some(registrar)).await;
            assert_eq!(outcome, Written::Conflict(conflict), "{username} to {registrar}");
        }
        assert_eq!(snapshot(db).await, rows);
    }

    async fn two_concurrent_moves_make_no_cycle(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let node = TestUsers::on(db.other_node().await);
        for _ in 0..10 {
            let cross = |node: TestUsers, username: &'static str, registrar: &'static str| {
                tokio::spawn(async move { moved(&node, username, Some(registrar)).await })
            };
            let outcomes = join_all([
                cross(fixture.clone(), "ana_1", "rival_1"),
                cross(node.clone(), "rival_1", "ana_1"),
            ])
            .await;
            let outcomes: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
            let done = outcomes.iter().filter(|outcome| matches!(outcome, Written::Done(_))).count();
            let circle = Written::Conflict(UserUpdateConflict::OwnSubtree);
            assert_eq!((done, outcomes.contains(&circle)), (1, true), "{outcomes:?}");
            assert_eq!(misplaced(db).await, 0);
            for username in ["ana_1", "rival_1"] {
                assert!(matches!(moved(&fixture, username, Some(ROOT)).await, Written::Done(_)));
            }
        }
    }

    async fn a_sale_is_posted_before_the_move_or_is_hidden(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let node = TestUsers::on(db.other_node().await);
        fixture.stock("ana_1", 500).await;
        let mut posted = 0;
        for round in 0..20 {
            // In every second round the customer moves with its agent.
            let username = if round % 2 == 0 { "eva_app" } else { "eva_1" };
            let registrar = if round % 2 == 0 { "eva_1" } else { "ana_1" };
            let seller = |node: TestUsers| {
                tokio::spawn(async move { node.try_post(&order("ana_1", AddCredits, "eva_app", 1)).await.unwrap() })
            };
            let mover = {
                let node = node.clone();
                tokio::spawn(async move { moved(&node, username, Some("rival_1")).await })
            };
            let sold = join_all([seller(fixture.clone()), seller(node.clone()), seller(fixture.clone())]).await;
            // If a concurrent sale has changed the customer's version, the move is refused as
            // outdated.
            let mut outcome = mover.await.unwrap();
            while matches!(outcome, Written::Outdated(_)) {
                outcome = moved(&fixture, username, Some("rival_1")).await;
            }
            assert!(matches!(outcome, Written::Done(_)), "{outcome:?}");
            for one in sold {
                match one.unwrap() {
                    Inserted::New(_) => posted += 1,
                    Inserted::Conflict(OrderConflict::Hidden) => {}
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(fixture.try_post(&order("ana_1", AddCredits, "eva_app", 1)).await.unwrap(), Inserted::Conflict(OrderConflict::Hidden));
            assert_eq!(fixture.balances("eva_app").await.0, posted);
            assert!(matches!(moved(&fixture, username, Some(registrar)).await, Written::Done(_)));
        }
        assert_eq!((fixture.verified().await, misplaced(db).await), (vec![], 0));
    }

    async fn a_user_registered_during_a_move_of_the_agent_moves_too(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let node = TestUsers::on(db.other_node().await);
        for round in 0..20 {
            let child = new_user(&format!("child_{round}"), RoleCode::App);
            let (one, two) = (fixture.clone(), node.clone());
            let registering = tokio::spawn(async move { one.users.insert(&child, &edit_of("leo_1", start()), None).await });
            let to = if round % 2 == 0 { "rival_1" } else { "ana_1" };
            let moving = tokio::spawn(async move { moved(&two, "eva_1", Some(to)).await });
            registering.await.unwrap().unwrap();
            assert!(matches!(moving.await.unwrap(), Written::Done(_)));
            assert!(sees(&fixture, to, &format!("child_{round}")).await);
            assert_eq!(misplaced(db).await, 0);
        }
    }

    async fn a_move_is_in_the_history_of_the_moved_user(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        moved(&fixture, "eva_1", Some("rival_1")).await;
        let rows = db.rows("SELECT item, before, after FROM audit_entries WHERE action = 'UPDATED' AND resource = 'users'").await;
        let text = |column: &str| rows[0].try_get::<String>("", column).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(
            [text("item"), text("before"), text("after")],
            ["eva_1", r#"{"registeredBy":"ana_1"}"#, r#"{"registeredBy":"rival_1"}"#]
        );
    }

    async fn a_change_of_an_agent_without_a_move_locks_no_other_user(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let current = fixture.user("eva_1").await;
        let same = change(&current);
        let written = fixture.users.update(&Scope::Everyone, &name("eva_1"), &same, current.version, &edit_of(ROOT, start())).await;
        assert!(matches!(written.unwrap(), Written::Done(user) if user.registered_by == Some(name("ana_1"))));
    }
}
