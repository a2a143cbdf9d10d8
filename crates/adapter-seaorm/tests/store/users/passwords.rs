//! Passwords that staff set.

use adapter_seaorm::{SeaOrmSessions, SeaOrmUsers};
use domain_users::{Scope, User};
use futures_util::future::join_all;
use ports::{NewSession, SessionRepository, UserRepository, Written};

use super::agents_with_customers;
use crate::{
    fixture::{ROOT, name, snapshot, subtree},
    support::{TestDb, after, edit_of, on_both, open_session, start},
};

on_both! {
    async fn a_new_password_ends_all_sessions_and_is_recorded_in_the_same_transaction(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        open_session(db, "own 1", "ana_app").await;
        open_session(db, "own 2", "ana_app").await;
        open_session(db, "other", "ana_1").await;
        db.run("UPDATE users SET password_hash = 'old', default_password = true WHERE username_key = 'ana_app'").await;
        let before = fixture.user("ana_app").await;
        assert_eq!((before.password_changed_date, before.password_changed_by.clone()), (None, None));
        let set = async |scope: &Scope, username: &str, version| {
            fixture.users.reset_password(scope, &name(username), "new", version, &edit_of("ana_1", after(5))).await.unwrap()
        };
        let rows = snapshot(db).await;
        for hidden in ["rival_app", "Root_1", "nobody"] {
            assert_eq!(set(&subtree("ana_1"), hidden, 1).await, Written::Missing, "{hidden}");
        }
        let outdated = set(&subtree("ana_1"), "ana_app", before.version + 1).await;
        assert_eq!(outdated, Written::Outdated(before.clone()));
        assert_eq!(snapshot(db).await, rows);
        assert_eq!(db.number("SELECT count(*) AS number FROM sessions").await, 3);
        // A failure between the writes of hash and sessions keeps the old password and the
        // sessions.
        let stop = if db.is_sqlite() {
            "CREATE TRIGGER stop BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'stop'); END"
        } else {
            "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$; \
             CREATE TRIGGER stop BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION stop()"
        };
        db.run(stop).await;
        let (scope, customer, agent) = (subtree("ana_1"), name("ana_app"), name("ana_1"));
        let failed = fixture.users.reset_password(&scope, &customer, "new", before.version, &edit_of(agent.as_str(), after(5))).await;
        assert!(failed.is_err());
        assert_eq!(snapshot(db).await, rows);
        db.run(if db.is_sqlite() { "DROP TRIGGER stop" } else { "DROP TRIGGER stop ON sessions" }).await;
        let Written::Done(changed) = set(&subtree("ana_1"), "ANA_APP", before.version).await else { panic!() };
        assert_eq!(changed, User {
            version: before.version + 1,
            updated_date: after(5),
            password_changed_date: Some(after(5)),
            password_changed_by: Some(name("ana_1")),
            ..before
        });
        assert_eq!(fixture.user("ana_app").await, changed);
        let written = "SELECT count(*) AS number FROM users WHERE password_hash = 'new' AND NOT default_password";
        assert_eq!(db.number(written).await, 1);
        for (key, ended) in [("own 1", true), ("own 2", true), ("other", false)] {
            assert_eq!(sessions.find(key, start()).await.unwrap().is_none(), ended, "{key}");
        }
    }

    async fn a_sign_in_with_the_old_password_does_not_survive_a_reset(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        let users = SeaOrmUsers(db.database.clone());
        db.run("UPDATE users SET password_hash = 'old' WHERE username_key = 'ana_app'").await;
        let key = |number: usize| NewSession {
            key_hash: format!("key {number}"),
            created_date: start(),
            ends_date: after(60),
            address: "192.0.2.1".into(),
            device: None,
        };
        // Sign-ins checked before the reset are stored before, between and after its statements.
        let checked = users.find_credentials(&name("ana_app")).await.unwrap().unwrap();
        let signing_in = (0..8).map(|number| {
            let (sessions, checked, session) = (sessions.clone(), checked.clone(), key(number));
            tokio::spawn(async move { sessions.open(&checked, &session).await })
        });
        let signing_in: Vec<_> = signing_in.collect();
        loop {
            // A sign-in does not change the version.
            let version = fixture.user("ana_app").await.version;
            let (customer, root) = (name("ana_app"), name(ROOT));
            let set =
                fixture.users.reset_password(&Scope::Everyone, &customer, "new", version, &edit_of(root.as_str(), after(1))).await;
            if matches!(set.unwrap(), Written::Done(_)) {
                break;
            }
        }
        assert!(!sessions.open(&checked, &key(8)).await.unwrap(), "the checked password was replaced");
        for outcome in join_all(signing_in).await {
            outcome.unwrap().unwrap();
        }
        assert_eq!(db.number("SELECT count(*) AS number FROM sessions").await, 0);
    }
}
