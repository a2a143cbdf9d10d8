//! Users, sessions, the secret of the cookies, and nodes that start together.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use adapter_seaorm::{SeaOrmSessions, SeaOrmUsers};
use domain_kernel::{RoleCode, Username};
use domain_users::{Account, UserStatus};
use futures_util::future::join_all;
use ports::{SessionRepository, SessionState, SignIn, UserRepository};
use sea_orm::ConnectionTrait;

use crate::support::{Home, after, on_both, start};

fn name(text: &str) -> Username {
    Username::parse(text).unwrap()
}

fn account(username: &str) -> Account {
    Account {
        username: name(username),
        full_name: "Ana Núñez".into(),
        role: RoleCode::Superadmin,
        status: UserStatus::Active,
        password_hash: Some("$argon2id$…".into()),
    }
}

fn state(value: &str) -> SessionState {
    [("username".to_owned(), format!("\"{value}\""))].into()
}

/// One user more than `insert_first` can add.
async fn add_user(home: &Home, username: &str) {
    let moment = "2026-11-20T10:00:00.000+00:00";
    home.run(&format!(
        "INSERT INTO users (username, username_key, full_name, role, status, created_date, updated_date) \
         VALUES ('{username}', '{}', '{username}', 'agent', 'ACTIVE', '{moment}', '{moment}')",
        username.to_lowercase()
    ))
    .await;
}

async fn sessions_with_ana(home: &Home) -> SeaOrmSessions {
    SeaOrmUsers(home.database.clone()).insert_first(&account("Ana_1"), start()).await.unwrap();
    SeaOrmSessions::new(home.database.clone())
}

on_both! {
    async fn a_user_is_found_in_any_spelling_and_keeps_their_own(home: &Home) {
        let users = SeaOrmUsers(home.database.clone());
        assert_eq!(users.find(&name("ana_1")).await.unwrap(), None);
        assert!(users.insert_first(&account("Ana_1"), start()).await.unwrap());
        for spelling in ["Ana_1", "ana_1", "ANA_1"] {
            let found = users.find(&name(spelling)).await.unwrap().unwrap();
            assert_eq!(found, account("Ana_1"));
            assert_eq!(found.username.as_str(), "Ana_1");
        }
        assert_eq!(users.find(&name("Ana_2")).await.unwrap(), None);
        assert_eq!(users.find(&name("AnaX1")).await.unwrap(), None, "an underscore is no wildcard");
    }

    async fn only_an_empty_store_takes_a_first_user(home: &Home) {
        let users = SeaOrmUsers(home.database.clone());
        assert!(!users.has_superadmin().await.unwrap());
        assert!(users.insert_first(&account("Ana_1"), start()).await.unwrap());
        assert!(users.has_superadmin().await.unwrap());
        assert!(!users.insert_first(&account("Eva_2"), start()).await.unwrap());
        assert!(!users.insert_first(&account("ANA_1"), start()).await.unwrap());
        assert_eq!(home.number("SELECT count(*) AS number FROM users").await, 1);
    }

    async fn of_nodes_that_start_together_one_adds_the_first_user(home: &Home) {
        let mut nodes = Vec::new();
        for _ in 0..4 {
            nodes.push(SeaOrmUsers(home.other_node().await));
        }
        let start_up = |users: SeaOrmUsers| tokio::spawn(async move { users.insert_first(&account("admin"), start()).await });
        let outcomes = join_all(nodes.into_iter().map(start_up)).await;
        let added = outcomes.into_iter().filter(|outcome| *outcome.as_ref().unwrap().as_ref().unwrap()).count();
        assert_eq!(added, 1);
        assert_eq!(home.number("SELECT count(*) AS number FROM users").await, 1);
    }

    async fn the_hint_of_the_default_account_goes_with_its_first_password(home: &Home) {
        let users = SeaOrmUsers(home.database.clone());
        assert!(!users.default_password_stands().await.unwrap());
        users.insert_first(&account("admin"), start()).await.unwrap();
        assert!(users.default_password_stands().await.unwrap());
        assert!(!users.set_password(&name("nobody"), "x", None, after(1)).await.unwrap());
        assert!(users.default_password_stands().await.unwrap());
        assert!(users.set_password(&name("ADMIN"), "new hash", None, after(1)).await.unwrap());
        assert!(!users.default_password_stands().await.unwrap());
        let found = users.find(&name("admin")).await.unwrap().unwrap();
        assert_eq!(found.password_hash.as_deref(), Some("new hash"));
        assert_eq!(home.number("SELECT version AS number FROM users").await, 2);
    }

    async fn sign_ins_are_counted(home: &Home) {
        let users = SeaOrmUsers(home.database.clone());
        users.insert_first(&account("Ana_1"), start()).await.unwrap();
        for spelling in ["Ana_1", "ana_1", "nobody"] {
            let sign_in = SignIn {
                username: name(spelling),
                full_name: "Ana Núñez".into(),
                at: start(),
                address: "192.0.2.1".into(),
                device: Some("Firefox".into()),
            };
            users.count_sign_in(&sign_in).await.unwrap();
        }
        assert_eq!(home.number("SELECT sign_ins AS number FROM users").await, 2);
    }

    async fn a_session_is_open_until_its_time_is_over(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        sessions.open("key", &name("ana_1"), &state("a"), start(), after(60)).await.unwrap();
        let open = sessions.find("key", after(59)).await.unwrap().unwrap();
        assert_eq!((open.state, open.account.username.as_str()), (state("a"), "Ana_1"));
        assert_eq!(open.account.full_name, "Ana Núñez");
        assert_eq!(open.account.password_hash, None, "nobody needs it");
        assert_eq!(sessions.find("key", after(60)).await.unwrap(), None);
        assert_eq!(sessions.find("other", start()).await.unwrap(), None);
    }

    async fn role_and_status_are_read_anew_each_time(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        sessions.open("key", &name("Ana_1"), &state("a"), start(), after(60)).await.unwrap();
        for (role, status) in [("agent", "ACTIVE"), ("app", "SUSPENDED"), ("contentManager", "INACTIVE")] {
            home.run(&format!("UPDATE users SET role = '{role}', status = '{status}'")).await;
            let account = sessions.find("key", start()).await.unwrap().unwrap().account;
            assert_eq!(serde_json::to_value(account.role).unwrap(), role);
            assert_eq!(serde_json::to_value(account.status).unwrap(), status);
        }
    }

    async fn what_another_node_changes_of_a_user_or_a_session_counts_at_once(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        let elsewhere = home.other_node().await;
        let (users, others) = (SeaOrmUsers(elsewhere.clone()), SeaOrmSessions::new(elsewhere.clone()));
        for round in 0..20 {
            sessions.open("key", &name("ana_1"), &state("a"), start(), after(60)).await.unwrap();
            let seen = async || sessions.find("key", start()).await.unwrap();
            assert_eq!((seen().await, seen().await.is_some()), (seen().await, true), "round {round}");
            for status in ["SUSPENDED", "ACTIVE"] {
                let sql = format!("UPDATE users SET status = '{status}'");
                elsewhere.connection().execute_unprepared(&sql).await.unwrap();
                assert_eq!(serde_json::to_value(seen().await.unwrap().account.status).unwrap(), status);
            }
            assert!(others.update("key", &state("b"), after(90)).await.unwrap());
            assert_eq!(seen().await.unwrap().state, state("b"));
            // What moves the log, but changes nothing, ends nothing.
            elsewhere.optimize().await.unwrap();
            assert!(seen().await.is_some());
            match round % 3 {
                0 => others.end("key").await.unwrap(),
                1 => others.sweep(after(90)).await.unwrap(),
                _ => assert!(users.set_password(&name("ana_1"), "new", None, after(1)).await.unwrap()),
            }
            assert_eq!(seen().await, None, "round {round}");
        }
    }

    async fn nobody_who_asks_while_somebody_writes_remembers_what_was_before(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        sessions.open("key", &name("ana_1"), &state("a"), start(), after(60)).await.unwrap();
        let elsewhere = home.other_node().await;
        let asked = Arc::new(AtomicBool::new(true));
        let asking = (0..3).map(|_| {
            let (sessions, asked) = (sessions.clone(), asked.clone());
            tokio::spawn(async move {
                while asked.load(Ordering::Relaxed) {
                    sessions.find("key", start()).await.unwrap().unwrap();
                    tokio::task::yield_now().await;
                }
            })
        });
        let asking: Vec<_> = asking.collect();
        for round in 0..200 {
            let sql = format!("UPDATE users SET full_name = 'Ana {round}'");
            elsewhere.connection().execute_unprepared(&sql).await.unwrap();
            let open = sessions.find("key", start()).await.unwrap().unwrap();
            assert_eq!(open.account.full_name, format!("Ana {round}"));
        }
        asked.store(false, Ordering::Relaxed);
        for outcome in join_all(asking).await {
            outcome.unwrap();
        }
    }

    async fn every_request_reads_its_session_by_one_statement(home: &Home) {
        sessions_with_ana(home).await;
        let statements = Arc::new(AtomicUsize::new(0));
        let counted = statements.clone();
        let watched = home.database.clone().watched(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let sessions = SeaOrmSessions::new(watched);
        sessions.open("key", &name("ana_1"), &state("a"), start(), after(60)).await.unwrap();
        statements.store(0, Ordering::Relaxed);
        for minute in 0..10 {
            assert!(sessions.find("key", after(minute)).await.unwrap().is_some());
        }
        assert_eq!(statements.load(Ordering::Relaxed), 10);
        assert!(sessions.find("key", after(60)).await.unwrap().is_none(), "its time is over all the same");
    }

    async fn a_session_is_extended_and_never_rises_again(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        sessions.open("key", &name("ana_1"), &state("a"), start(), after(60)).await.unwrap();
        assert!(sessions.update("key", &state("b"), after(120)).await.unwrap());
        assert_eq!(sessions.find("key", after(90)).await.unwrap().unwrap().state, state("b"));
        sessions.end("key").await.unwrap();
        sessions.end("key").await.unwrap();
        assert!(!sessions.update("key", &state("c"), after(500)).await.unwrap());
        assert_eq!(sessions.find("key", start()).await.unwrap(), None);
    }

    async fn a_new_password_ends_all_sessions_but_the_one_that_asked(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        let users = SeaOrmUsers(home.database.clone());
        add_user(home, "Eva_2").await;
        for (key, user) in [("own", "Ana_1"), ("one", "Ana_1"), ("two", "ana_1"), ("three", "Eva_2")] {
            sessions.open(key, &name(user), &state(user), start(), after(60)).await.unwrap();
        }
        users.set_password(&name("ANA_1"), "new", Some("own"), after(1)).await.unwrap();
        for (key, stays) in [("own", true), ("one", false), ("two", false), ("three", true)] {
            assert_eq!(sessions.find(key, start()).await.unwrap().is_some(), stays, "{key}");
        }
        users.set_password(&name("ANA_1"), "newer", None, after(2)).await.unwrap();
        assert!(sessions.find("own", start()).await.unwrap().is_none());
        home.run("DELETE FROM users").await;
        assert_eq!(sessions.find("three", start()).await.unwrap(), None, "a session goes with its user");
    }

    async fn nobody_opens_a_session_for_nobody(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        assert!(sessions.open("key", &name("nobody"), &state("x"), start(), after(60)).await.is_err());
    }

    async fn what_has_ended_is_swept_and_the_rest_stays(home: &Home) {
        let sessions = sessions_with_ana(home).await;
        for (key, minutes) in [("past", 10), ("now", 60), ("future", 61)] {
            sessions.open(key, &name("ana_1"), &state(key), start(), after(minutes)).await.unwrap();
        }
        sessions.sweep(after(60)).await.unwrap();
        assert_eq!(home.number("SELECT count(*) AS number FROM sessions").await, 1);
        assert!(sessions.find("future", after(60)).await.unwrap().is_some());
    }

    async fn all_nodes_sign_cookies_with_the_same_secret(home: &Home) {
        let mut nodes = Vec::new();
        for number in 0..6 {
            nodes.push((SeaOrmSessions::new(home.other_node().await), format!("candidate {number}")));
        }
        let ask = |(node, candidate): (SeaOrmSessions, String)| {
            tokio::spawn(async move { node.cookie_secret(&candidate).await.unwrap() })
        };
        let secrets: Vec<String> =
            join_all(nodes.into_iter().map(ask)).await.into_iter().map(Result::unwrap).collect();
        assert!(secrets[0].starts_with("candidate "));
        assert!(secrets.iter().all(|secret| *secret == secrets[0]), "{secrets:?}");
        let later = SeaOrmSessions::new(home.other_node().await).cookie_secret("late").await.unwrap();
        assert_eq!(later, secrets[0]);
    }

    async fn a_database_that_answers_says_so(home: &Home) {
        home.database.ping().await.unwrap();
        home.database.optimize().await.unwrap();
        home.database.ping().await.unwrap();
    }
}

async fn nodes_migrate_together(home: Home) {
    let mut nodes = Vec::new();
    for _ in 0..4 {
        nodes.push(home.other_node().await);
    }
    let start_up =
        |node: adapter_seaorm::Database| tokio::spawn(async move { node.migrate(migrations::migrate).await });
    for outcome in join_all(nodes.into_iter().map(start_up)).await {
        outcome.unwrap().unwrap();
    }
    assert_eq!(home.number("SELECT count(*) AS number FROM movies").await, 0);
    home.database.migrate(migrations::migrate).await.unwrap();
    home.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_one_after_the_other_on_sqlite() {
    nodes_migrate_together(Home::bare_sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_one_after_the_other_on_postgres() {
    if let Some(home) = Home::bare_postgres().await {
        nodes_migrate_together(home).await;
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn files_that_are_created_belong_to_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::bare_sqlite().await;
    home.database.migrate(migrations::migrate).await.unwrap();
    let file = home.file();
    for extension in ["db", "db-wal", "db-shm", "lock"] {
        let file = file.with_extension(extension);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}
