//! Removals, and the last active superadmin.

use adapter_seaorm::SeaOrmSessions;
use domain_credits::OperationType::AddCredits;
use domain_kernel::RoleCode;
use domain_users::{Scope, UserStatus};
use futures_util::future::join_all;
use ports::{
    Removed, SessionRepository, UserInsert, UserRemovalConflict, UserRepository, UserUpdateConflict, Written,
};

use super::agents_with_customers;
use crate::{
    fixture::{ROOT, TestUsers, change, name, new_user, snapshot, subtree},
    support::{TestDb, after, edit_of, on_both, open_session, start},
};

on_both! {
    async fn the_last_active_superadmin_stays(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.register(ROOT, &UserInsert { status: UserStatus::Suspended, ..new_user("boss_1", RoleCode::Superadmin) }).await;
        let rows = snapshot(db).await;
        assert_eq!(fixture.edit(ROOT, |change| change.role = RoleCode::Admin).await, Written::Conflict(UserUpdateConflict::LastSuperadmin));
        assert_eq!(fixture.edit(ROOT, |change| change.status = UserStatus::Inactive).await, Written::Conflict(UserUpdateConflict::LastSuperadmin));
        let removed = fixture.users.remove(&Scope::Everyone, &name(ROOT), 1, &edit_of(ROOT, start())).await.unwrap();
        assert_eq!(removed, Removed::Conflict(UserRemovalConflict::LastSuperadmin));
        assert_eq!(snapshot(db).await, rows);
        fixture.edit("boss_1", |change| change.status = UserStatus::Active).await;
        assert!(matches!(fixture.edit(ROOT, |change| change.role = RoleCode::Admin).await, Written::Done(_)));
    }

    async fn of_two_superadmins_removed_concurrently_one_stays(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for round in 0..10 {
            let pair = [format!("one_{round}"), format!("two_{round}")];
            for username in &pair {
                fixture.add(ROOT, username, RoleCode::Superadmin).await;
            }
            fixture.edit(ROOT, |change| change.role = RoleCode::Admin).await;
            // By an edit, by removal, and one of each.
            let leave = |index: usize| {
                let (node, username) = (fixture.clone(), name(&pair[index]));
                tokio::spawn(async move {
                    if (round + index).is_multiple_of(3) || round % 3 == 1 {
                        let removed = node.users.remove(&Scope::Everyone, &username, 1, &edit_of(ROOT, start())).await.unwrap();
                        assert!(matches!(removed, Removed::Done | Removed::Conflict(UserRemovalConflict::LastSuperadmin)), "{removed:?}");
                        removed == Removed::Done
                    } else {
                        let current = node.users.find(&Scope::Everyone, &username).await.unwrap().unwrap();
                        let edit = ports::UserUpdate { status: UserStatus::Inactive, ..change(&current) };
                        let written = node.users.update(&Scope::Everyone, &username, &edit, 1, &edit_of(ROOT, start())).await.unwrap();
                        assert!(matches!(written, Written::Done(_) | Written::Conflict(UserUpdateConflict::LastSuperadmin)), "{written:?}");
                        matches!(written, Written::Done(_))
                    }
                })
            };
            let gone = join_all([leave(0), leave(1)]).await;
            let gone = gone.into_iter().filter(|one| *one.as_ref().unwrap()).count();
            assert_eq!(gone, 1);
            let left = "SELECT count(*) AS number FROM users WHERE role = 'superadmin' AND status = 'ACTIVE'";
            assert_eq!(db.number(left).await, 1);
            fixture.edit(ROOT, |change| change.role = RoleCode::Superadmin).await;
            db.run(&format!("UPDATE users SET role = 'admin' WHERE username_key <> '{}'", ROOT.to_lowercase())).await;
        }
    }

    async fn a_user_without_references_is_removed_with_its_sessions(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        open_session(db, "key", "leo_app").await;
        let remove = async |scope: &Scope, username: &str, version| {
            fixture.users.remove(scope, &name(username), version, &edit_of(ROOT, start())).await.unwrap()
        };
        assert_eq!(remove(&subtree("rival_1"), "leo_app", 1).await, Removed::Missing);
        assert_eq!(remove(&Scope::Everyone, "nobody", 1).await, Removed::Missing);
        let outdated = remove(&Scope::Everyone, "leo_app", 2).await;
        assert_eq!(outdated, Removed::Outdated(fixture.user("leo_app").await));
        assert_eq!(remove(&Scope::Everyone, "leo_1", 1).await, Removed::Conflict(UserRemovalConflict::InUse { movements: 0, registered: 1 }));
        assert!(sessions.find("key", start()).await.unwrap().is_some());
        assert_eq!(remove(&Scope::Everyone, "leo_app", 1).await, Removed::Done);
        assert_eq!(sessions.find("key", start()).await.unwrap(), None);
        assert_eq!(remove(&Scope::Everyone, "leo_app", 1).await, Removed::Missing);
        assert_eq!(remove(&Scope::Everyone, "leo_1", 1).await, Removed::Done);
        // Users with movements of credits, or a changed expiration, are not removed.
        fixture.stock("eva_1", 3).await;
        fixture.post("eva_1", AddCredits, "eva_app", 3).await;
        fixture.expire("rival_app", Some(after(3))).await;
        for (username, movements, registered) in [("eva_app", 1, 0), ("eva_1", 4, 1), ("rival_app", 1, 0)] {
            let version = fixture.user(username).await.version;
            let removed = remove(&Scope::Everyone, username, version).await;
            assert_eq!(removed, Removed::Conflict(UserRemovalConflict::InUse { movements, registered }), "{username}");
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_user_who_registers_another_one_concurrently_is_not_removed(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let node = TestUsers::on(db.other_node().await);
        for round in 0..20 {
            let agent = format!("agent_{round}");
            fixture.add(ROOT, &agent, RoleCode::Agent).await;
            let (one, two) = (fixture.clone(), node.clone());
            let (parent, removed) = (agent.clone(), agent.clone());
            let child = new_user(&format!("child_{round}"), RoleCode::App);
            let registering = tokio::spawn(async move { one.users.insert(&child, &edit_of(&parent, start()), None).await });
            let removing = tokio::spawn(async move { two.users.remove(&Scope::Everyone, &name(&removed), 1, &edit_of(ROOT, start())).await });
            drop((registering.await.unwrap().unwrap(), removing.await.unwrap().unwrap()));
            let orphans = "SELECT count(*) AS number FROM users u WHERE registered_by_id IS NOT NULL \
                 AND NOT EXISTS (SELECT 1 FROM users p WHERE p.id = u.registered_by_id)";
            assert_eq!(db.number(orphans).await, 0);
        }
    }
}
