//! Users, sessions, the secret of the cookies, and nodes that start at the same time.

use adapter_seaorm::{SeaOrmRetention, SeaOrmSessions, SeaOrmUsers};
use chrono::{DateTime, Utc};
use domain_kernel::{RoleCode, Username};
use domain_users::{UserCredentials, UserStatus};
use futures_util::future::join_all;
use ports::{
    Aged, NewPassword, NewSession, Retention, SessionKeyChange, SessionRepository, UserRepository, session_id,
};
use sea_orm::{ConnectionTrait, TransactionTrait};

use crate::{
    indexes::plan,
    support::{TestDb, after, edit, edit_of, on_both, start},
};

fn name(text: &str) -> Username {
    Username::parse(text).unwrap()
}

fn credentials(username: &str) -> UserCredentials {
    UserCredentials {
        username: name(username),
        full_name: "Ana Núñez".into(),
        role: RoleCode::Superadmin,
        status: UserStatus::Active,
        password_hash: Some("$argon2id$…".into()),
    }
}

/// A session with this hash of its key.
fn session(key_hash: &str, ends_date: DateTime<Utc>) -> NewSession {
    NewSession {
        key_hash: key_hash.into(),
        created_date: start(),
        ends_date,
        address: "192.0.2.1".into(),
        device: Some("Firefox".into()),
    }
}

fn new_password(hash: &str) -> NewPassword {
    NewPassword { hash: hash.into(), checked: None, keep_session: None }
}

/// A further user, which `insert_first` can't add.
async fn add_user(db: &TestDb, username: &str) {
    let moment = "2026-11-20T10:00:00.000+00:00";
    db.run(&format!(
        "INSERT INTO users (username, username_key, full_name, role, status, password_hash, created_date, updated_date) \
         VALUES ('{username}', '{}', '{username}', 'superadmin', 'ACTIVE', '$argon2id$…', '{moment}', '{moment}')",
        username.to_lowercase()
    ))
    .await;
}

async fn sessions_with_ana(db: &TestDb) -> SeaOrmSessions {
    SeaOrmUsers(db.database.clone()).insert_first(&credentials("Ana_1"), start()).await.unwrap();
    SeaOrmSessions::new(db.database.clone())
}

on_both! {
    async fn a_user_is_found_in_any_spelling_and_keeps_its_own(db: &TestDb) {
        let users = SeaOrmUsers(db.database.clone());
        assert_eq!(users.find_credentials(&name("ana_1")).await.unwrap(), None);
        assert!(users.insert_first(&credentials("Ana_1"), start()).await.unwrap());
        for spelling in ["Ana_1", "ana_1", "ANA_1"] {
            let found = users.find_credentials(&name(spelling)).await.unwrap().unwrap();
            assert_eq!(found, credentials("Ana_1"));
            assert_eq!(found.username.as_str(), "Ana_1");
        }
        assert_eq!(users.find_credentials(&name("Ana_2")).await.unwrap(), None);
        assert_eq!(users.find_credentials(&name("AnaX1")).await.unwrap(), None, "an underscore is no wildcard");
    }

    async fn a_first_user_is_only_added_to_an_empty_store(db: &TestDb) {
        let users = SeaOrmUsers(db.database.clone());
        assert!(!users.has_superadmin().await.unwrap());
        assert!(users.insert_first(&credentials("Ana_1"), start()).await.unwrap());
        assert!(users.has_superadmin().await.unwrap());
        assert!(!users.insert_first(&credentials("Eva_2"), start()).await.unwrap());
        assert!(!users.insert_first(&credentials("ANA_1"), start()).await.unwrap());
        assert_eq!(db.number("SELECT count(*) AS number FROM users").await, 1);
    }

    async fn of_nodes_that_start_together_one_adds_the_first_user(db: &TestDb) {
        let mut nodes = Vec::new();
        for _ in 0..4 {
            nodes.push(SeaOrmUsers(db.other_node().await));
        }
        let start_up = |users: SeaOrmUsers| tokio::spawn(async move { users.insert_first(&credentials("admin"), start()).await });
        let outcomes = join_all(nodes.into_iter().map(start_up)).await;
        let added = outcomes.into_iter().filter(|outcome| *outcome.as_ref().unwrap().as_ref().unwrap()).count();
        assert_eq!(added, 1);
        assert_eq!(db.number("SELECT count(*) AS number FROM users").await, 1);
    }

    async fn the_hint_of_the_default_account_ends_with_its_first_password(db: &TestDb) {
        let users = SeaOrmUsers(db.database.clone());
        assert!(!users.has_default_password().await.unwrap());
        users.insert_first(&credentials("admin"), start()).await.unwrap();
        assert!(users.has_default_password().await.unwrap());
        assert!(!users.change_password(&name("nobody"), &new_password("x"), &edit_of("nobody", after(1))).await.unwrap());
        assert!(users.has_default_password().await.unwrap());
        assert!(users.change_password(&name("ADMIN"), &new_password("new hash"), &edit_of("ADMIN", after(1))).await.unwrap());
        assert!(!users.has_default_password().await.unwrap());
        let found = users.find_credentials(&name("admin")).await.unwrap().unwrap();
        assert_eq!(found.password_hash.as_deref(), Some("new hash"));
        assert_eq!(db.number("SELECT version AS number FROM users").await, 2);
    }

    async fn a_stronger_hash_replaces_the_checked_one_and_nothing_else_changes(db: &TestDb) {
        let users = SeaOrmUsers(db.database.clone());
        users.insert_first(&credentials("admin"), start()).await.unwrap();
        let before = users.find_credentials(&name("admin")).await.unwrap().unwrap().password_hash.unwrap();
        assert!(!users.rehash(&name("admin"), "another hash", "strong").await.unwrap());
        assert!(users.rehash(&name("ADMIN"), &before, "strong").await.unwrap());
        let after = users.find_credentials(&name("admin")).await.unwrap().unwrap();
        assert_eq!(after.password_hash.as_deref(), Some("strong"));
        assert_eq!(db.number("SELECT version AS number FROM users").await, 1);
        assert!(users.has_default_password().await.unwrap(), "the password is the same");
    }

    async fn the_default_account_is_found_along_an_index(db: &TestDb) {
        let statements = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = statements.clone();
        let watched = db.database.clone().watched(move |statement| seen.lock().unwrap().push(statement.clone()));
        SeaOrmUsers(watched).has_default_password().await.unwrap();
        let statements = statements.lock().unwrap().clone();
        let of_users: Vec<_> = statements.iter().filter(|statement| statement.sql.contains("default_password")).collect();
        let [statement] = of_users.as_slice() else { panic!("{statements:?}") };
        let plan = plan(db, statement, false).await.join("\n");
        assert!(plan.contains("users_default_password"), "{plan}");
    }

    async fn a_session_is_opened_and_counted_for_the_checked_account(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        let changed = [
            ("password_hash = 'another'", "password_hash = '$argon2id$…'"),
            ("role = 'agent'", "role = 'superadmin'"),
            ("status = 'SUSPENDED'", "status = 'ACTIVE'"),
        ];
        for (change, back) in changed {
            db.run(&format!("UPDATE users SET {change}")).await;
            assert!(!sessions.open(&credentials("Ana_1"), &session("key", after(60))).await.unwrap(), "{change}");
            db.run(&format!("UPDATE users SET {back}")).await;
        }
        assert!(!sessions.open(&credentials("nobody"), &session("key", after(60))).await.unwrap());
        let written = "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM visits) + sign_ins AS number FROM users";
        assert_eq!(db.number(written).await, 0, "nothing is written");
        assert!(sessions.open(&credentials("Ana_1"), &session("key", after(60))).await.unwrap());
        assert_eq!(db.number(written).await, 3);
        // A failure leaves the connection usable.
        assert!(sessions.open(&credentials("Ana_1"), &session("other", after(60))).await.unwrap());
        assert!(sessions.open(&credentials("Ana_1"), &session("other", after(60))).await.is_err(), "the key is unique");
        assert_eq!(db.number(written).await, 6);
    }

    async fn a_concurrent_change_of_the_password_ends_sessions_of_the_old_one(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        let elsewhere = db.other_node().await;
        // As during a change of the password: the hash is written first, then the sessions. A user
        // signs in in between.
        let changing = elsewhere.connection().begin().await.unwrap();
        changing.execute_unprepared("UPDATE users SET password_hash = 'new'").await.unwrap();
        let signing_in = {
            let sessions = sessions.clone();
            tokio::spawn(async move { sessions.open(&credentials("Ana_1"), &session("key", after(60))).await })
        };
        db.until_a_lock_is_awaited().await;
        changing.execute_unprepared("DELETE FROM sessions").await.unwrap();
        changing.commit().await.unwrap();
        assert!(!signing_in.await.unwrap().unwrap(), "the checked password was replaced");
        assert_eq!(db.number("SELECT count(*) AS number FROM sessions").await, 0);
    }

    async fn a_session_is_open_until_its_time_is_over(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        sessions.open(&credentials("ana_1"), &session("key", after(60))).await.unwrap();
        let open = sessions.find("key", after(59)).await.unwrap().unwrap();
        assert_eq!((open.key_hash.as_str(), open.user.username.as_str()), ("key", "Ana_1"));
        assert_eq!((open.created_date, open.last_used_date, open.ends_date), (start(), start(), after(60)));
        assert_eq!(open.user.full_name, "Ana Núñez");
        assert_eq!(open.user.password_hash, None, "it is not needed");
        assert_eq!(sessions.find("key", after(60)).await.unwrap(), None);
        assert_eq!(sessions.find("other", start()).await.unwrap(), None);
    }

    async fn role_and_status_are_read_each_time(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        sessions.open(&credentials("Ana_1"), &session("key", after(60))).await.unwrap();
        for (role, status) in [("agent", "ACTIVE"), ("app", "SUSPENDED"), ("contentManager", "INACTIVE")] {
            db.run(&format!("UPDATE users SET role = '{role}', status = '{status}'")).await;
            let account = sessions.find("key", start()).await.unwrap().unwrap().user;
            assert_eq!(serde_json::to_value(account.role).unwrap(), role);
            assert_eq!(serde_json::to_value(account.status).unwrap(), status);
        }
    }

    async fn changes_of_users_and_sessions_by_another_node_apply_at_once(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        let elsewhere = db.other_node().await;
        let (users, others) = (SeaOrmUsers(elsewhere.clone()), SeaOrmSessions::new(elsewhere.clone()));
        for round in 0..6 {
            let ana = users.find_credentials(&name("ana_1")).await.unwrap().unwrap();
            assert!(sessions.open(&ana, &session("key", after(60))).await.unwrap());
            let seen = async || sessions.find("key", start()).await.unwrap();
            assert!(seen().await.is_some(), "round {round}");
            for status in ["SUSPENDED", "ACTIVE"] {
                let sql = format!("UPDATE users SET status = '{status}'");
                elsewhere.connection().execute_unprepared(&sql).await.unwrap();
                assert_eq!(serde_json::to_value(seen().await.unwrap().user.status).unwrap(), status);
            }
            assert!(others.extend("key", after(90)).await.unwrap());
            assert_eq!(seen().await.unwrap().ends_date, after(90));
            match round % 3 {
                0 => others.end("key").await.unwrap(),
                1 => assert_eq!(others.end_all(&name("ana_1"), None, &edit(start())).await.unwrap(), 1),
                _ => assert!(users.change_password(&name("ana_1"), &new_password("new"), &edit_of("ana_1", after(1))).await.unwrap()),
            }
            assert_eq!(seen().await, None, "round {round}");
        }
    }

    async fn a_session_is_extended_and_an_ended_one_is_not(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        sessions.open(&credentials("ana_1"), &session("key", after(60))).await.unwrap();
        assert!(sessions.extend("key", after(120)).await.unwrap());
        assert_eq!(sessions.find("key", after(90)).await.unwrap().unwrap().ends_date, after(120));
        sessions.end("key").await.unwrap();
        sessions.end("key").await.unwrap();
        assert!(!sessions.extend("key", after(500)).await.unwrap());
        assert_eq!(sessions.find("key", start()).await.unwrap(), None);
    }

    async fn the_last_use_is_written_once_it_is_old_enough(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        sessions.open(&credentials("ana_1"), &session("key", after(60))).await.unwrap();
        let used = async || sessions.find("key", start()).await.unwrap().unwrap().last_used_date;
        sessions.touch("key", after(5), after(-1)).await.unwrap();
        assert_eq!(used().await, start(), "the stored time is recent enough");
        sessions.touch("key", after(5), after(4)).await.unwrap();
        assert_eq!(used().await, after(5));
        // A session from before the column existed.
        db.run("UPDATE sessions SET last_used_date = NULL").await;
        assert_eq!(used().await, start());
        sessions.touch("key", after(6), after(5)).await.unwrap();
        assert_eq!(used().await, after(6));
    }

    async fn a_users_sessions_are_listed_and_ended(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        add_user(db, "Eva_2").await;
        let keys = ["aaaaaaaaaaaaaaaa1", "bbbbbbbbbbbbbbbb1", "cccccccccccccccc1"];
        for key in keys {
            sessions.open(&credentials("Ana_1"), &session(key, after(60))).await.unwrap();
        }
        sessions.open(&credentials("Ana_1"), &session("ended", after(1))).await.unwrap();
        sessions.open(&credentials("Eva_2"), &session("dddddddddddddddd1", after(60))).await.unwrap();
        sessions.touch(keys[1], after(3), after(2)).await.unwrap();
        sessions.touch(keys[2], after(4), after(3)).await.unwrap();
        let listed = sessions.list(&name("ANA_1"), after(5), 10).await.unwrap();
        let ids: Vec<&str> = listed.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, [session_id(keys[2]), session_id(keys[1]), session_id(keys[0])], "the last used first");
        assert!(listed.iter().all(|one| !keys.contains(&one.id.as_str())), "an id is not the key's hash");
        assert_eq!((listed[0].address.as_deref(), listed[0].device.as_deref()), (Some("192.0.2.1"), Some("Firefox")));
        assert_eq!((listed[0].created_date, listed[0].last_used_date, listed[0].ends_date), (start(), after(4), after(60)));
        assert_eq!(sessions.list(&name("ANA_1"), after(5), 2).await.unwrap().len(), 2);
        assert!(!sessions.end_one(&name("Eva_2"), session_id(keys[0]), &edit(start())).await.unwrap(), "only sessions of the user");
        assert!(sessions.end_one(&name("Ana_1"), session_id(keys[0]), &edit(start())).await.unwrap());
        assert!(!sessions.end_one(&name("Ana_1"), session_id(keys[0]), &edit(start())).await.unwrap());
        assert_eq!(sessions.end_all(&name("Ana_1"), Some(keys[1]), &edit(start())).await.unwrap(), 2, "the ended one, too");
        for (key, stays) in [(keys[0], false), (keys[1], true), (keys[2], false), ("dddddddddddddddd1", true)] {
            assert_eq!(sessions.find(key, start()).await.unwrap().is_some(), stays, "{key}");
        }
    }

    async fn a_new_password_ends_all_sessions_but_the_callers_which_gets_another_key(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        let users = SeaOrmUsers(db.database.clone());
        add_user(db, "Eva_2").await;
        for (key, user) in [("own", "Ana_1"), ("one", "Ana_1"), ("two", "ana_1"), ("three", "Eva_2")] {
            sessions.open(&credentials(user), &session(key, after(60))).await.unwrap();
        }
        let keep = |from: &str| Some(SessionKeyChange { from: from.into(), to: "own 2".into() });
        let change = |hash: &str, checked: &str, from: &str| NewPassword {
            hash: hash.into(),
            checked: Some(checked.into()),
            keep_session: keep(from),
        };
        let all = ["own", "own 2", "one", "two", "three"];
        let open = async || {
            let mut open = Vec::new();
            for key in all {
                if sessions.find(key, start()).await.unwrap().is_some() {
                    open.push(key);
                }
            }
            open
        };
        // The current password was changed meanwhile, or the session has ended: nothing is written.
        assert!(!users.change_password(&name("ANA_1"), &change("new", "wrong", "own"), &edit_of("ANA_1", after(1))).await.unwrap());
        for ended in ["gone", "three"] {
            let refused = change("new", "$argon2id$…", ended);
            assert!(!users.change_password(&name("ANA_1"), &refused, &edit_of("ANA_1", after(1))).await.unwrap());
        }
        assert_eq!(open().await, ["own", "one", "two", "three"]);
        assert_eq!(users.find_credentials(&name("ana_1")).await.unwrap(), Some(credentials("Ana_1")));
        assert!(users.change_password(&name("ANA_1"), &change("new", "$argon2id$…", "own"), &edit_of("ANA_1", after(1))).await.unwrap());
        assert_eq!(open().await, ["own 2", "three"]);
        users.change_password(&name("ANA_1"), &new_password("newer"), &edit_of("ANA_1", after(2))).await.unwrap();
        assert_eq!(open().await, ["three"]);
        db.run("DELETE FROM users").await;
        assert_eq!(sessions.find("three", start()).await.unwrap(), None, "a session is deleted with its user");
    }

    async fn only_ended_sessions_are_removed(db: &TestDb) {
        let sessions = sessions_with_ana(db).await;
        for (key, minutes) in [("past", 10), ("before", 20), ("now", 60), ("future", 61)] {
            sessions.open(&credentials("ana_1"), &session(key, after(minutes))).await.unwrap();
        }
        let retention = SeaOrmRetention(db.database.clone());
        let remove = async |most| retention.remove(Aged::Sessions, after(60), after(60), most).await.unwrap();
        assert_eq!((remove(2).await, remove(2).await, remove(2).await), (2, 1, 0), "in batches");
        assert_eq!(db.number("SELECT count(*) AS number FROM sessions").await, 1);
        assert!(sessions.find("future", after(60)).await.unwrap().is_some());
    }

    async fn all_nodes_sign_cookies_with_the_same_secret(db: &TestDb) {
        let mut nodes = Vec::new();
        for number in 0..6 {
            nodes.push((SeaOrmSessions::new(db.other_node().await), format!("candidate {number}")));
        }
        let read = |(node, candidate): (SeaOrmSessions, String)| {
            tokio::spawn(async move { node.cookie_secret(&candidate).await.unwrap() })
        };
        let secrets: Vec<String> =
            join_all(nodes.into_iter().map(read)).await.into_iter().map(Result::unwrap).collect();
        assert!(secrets[0].starts_with("candidate "));
        assert!(secrets.iter().all(|secret| *secret == secrets[0]), "{secrets:?}");
        let later = SeaOrmSessions::new(db.other_node().await).cookie_secret("late").await.unwrap();
        assert_eq!(later, secrets[0]);
    }

    async fn an_available_database_responds(db: &TestDb) {
        db.database.ping().await.unwrap();
        db.database.optimize().await.unwrap();
        db.database.ping().await.unwrap();
        if !db.is_sqlite() {
            // Index-only scans read no rows of all-visible pages.
            let visible = "SELECT CAST(relallvisible AS bigint) AS number FROM pg_class WHERE relname = 'seaql_migrations'";
            assert!(db.number(visible).await > 0);
        }
    }
}

async fn nodes_migrate_together(db: TestDb) {
    let mut nodes = Vec::new();
    for _ in 0..4 {
        nodes.push(db.other_node().await);
    }
    let start_up =
        |node: adapter_seaorm::Database| tokio::spawn(async move { node.migrate(migrations::migrate).await });
    for outcome in join_all(nodes.into_iter().map(start_up)).await {
        outcome.unwrap().unwrap();
    }
    assert_eq!(db.number("SELECT count(*) AS number FROM movies").await, 0);
    db.database.migrate(migrations::migrate).await.unwrap();
    db.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_one_after_the_other_on_sqlite() {
    nodes_migrate_together(TestDb::bare_sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_one_after_the_other_on_postgres() {
    if let Some(db) = TestDb::bare_postgres().await {
        nodes_migrate_together(db).await;
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn created_files_are_readable_only_by_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let db = TestDb::bare_sqlite().await;
    db.database.migrate(migrations::migrate).await.unwrap();
    let file = db.file();
    for extension in ["db", "db-wal", "db-shm", "lock"] {
        let file = file.with_extension(extension);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}
