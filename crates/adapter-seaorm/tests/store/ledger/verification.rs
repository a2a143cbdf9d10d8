//! Constraints of the schema, and the detection of every breach.

use domain_credits::OperationType;

use crate::{
    fixture::{ROOT, snapshot},
    ledger::test_users,
    support::{TestDb, after, on_both},
};
use OperationType::{AddCredits, AddCreditsForSale};

/// Removes all constraints and triggers of the ledger.
async fn without_guards(db: &TestDb) {
    if db.is_sqlite() {
        for row in db.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'").await {
            db.run(&format!("DROP TRIGGER {}", row.try_get::<String>("", "name").unwrap())).await;
        }
        db.run("PRAGMA ignore_check_constraints = 1").await;
        db.run("PRAGMA foreign_keys = 0").await;
        // A constraint is removed by replacing its table.
        for (table, columns) in [
            (
                "operations",
                "id integer PRIMARY KEY, uuid, performer_id bigint, idempotency_key text, fingerprint text, \
              operation_type text, amount bigint, reason text, sold bigint DEFAULT 0, seller_id bigint, reverses_id bigint, \
              imported boolean DEFAULT false, operation_date timestamp_with_timezone_text, \
              started_subscription boolean DEFAULT false, clock_date timestamp_with_timezone_text",
            ),
            (
                "entries",
                "id integer PRIMARY KEY, operation_id bigint, leg smallint, account text, user_id bigint, \
              seq bigint, delta bigint, balance_before bigint, balance_after bigint, \
              expiration_before timestamp_with_timezone_text, expiration_after timestamp_with_timezone_text, \
              performer_id bigint, operation_date timestamp_with_timezone_text, imported boolean DEFAULT false",
            ),
        ] {
            db.run(&format!("CREATE TABLE bare ({columns})")).await;
            db.run(&format!("INSERT INTO bare SELECT * FROM {table}")).await;
            db.run(&format!("DROP TABLE {table}")).await;
            db.run(&format!("ALTER TABLE bare RENAME TO {table}")).await;
        }
        return;
    }
    for table in ["users", "operations", "entries", "expiration_edits"] {
        db.run(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")).await;
        let constraints = format!(
            "SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype IN ('c', 'u')"
        );
        for row in db.rows(&constraints).await {
            let name = row.try_get::<String>("", "conname").unwrap();
            db.run(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}")).await;
        }
    }
}

on_both! {
    async fn the_schema_refuses_invalid_rows_of_the_ledger(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.post("ana_1", AddCredits, "ana_app", 3).await;
        fixture.expire("ana_app", Some(after(3))).await;
        let before = snapshot(db).await;
        let (user, seq) = ("(SELECT id FROM users WHERE username_key = 'ana_app')", 2);
        let entry = |operation: &str, leg: i64, account: &str, of: &str, numbers: &str| {
            format!(
                "INSERT INTO entries (operation_id, leg, account, user_id, seq, delta, balance_before, balance_after, \
                 performer_id, operation_date) SELECT {operation}, {leg}, '{account}', {of}, {numbers}, id, created_date \
                 FROM users WHERE username_key = 'ana_app'"
            )
        };
        let operation = "INSERT INTO operations (uuid, performer_id, operation_type, amount, operation_date) \
             SELECT 'u', id, 'ADD_CREDITS', 3, created_date FROM users WHERE username_key = 'ana_app'";
        for refused in [
            "UPDATE users SET credits = credits + 1".to_owned(),
            "UPDATE users SET credits = 0 WHERE username_key = 'ana_app'".to_owned(),
            "UPDATE users SET sale_credits = sale_credits + 1 WHERE username_key = 'ana_1'".to_owned(),
            "UPDATE users SET credits = -1, app_seq = app_seq + 1 WHERE username_key = 'ana_app'".to_owned(),
            "INSERT INTO users (username, username_key, full_name, role, status, created_date, updated_date, credits) \
             SELECT 'x', 'x', 'x', role, status, created_date, updated_date, 5 FROM users WHERE username_key = 'ana_1'".to_owned(),
            "UPDATE operations SET amount = 4".to_owned(),
            "UPDATE operations SET reason = 'x'".to_owned(),
            "DELETE FROM operations".to_owned(),
            "UPDATE entries SET delta = 4".to_owned(),
            "UPDATE entries SET operation_date = NULL".to_owned(),
            "DELETE FROM entries WHERE leg = 1".to_owned(),
            "UPDATE expiration_edits SET expiration_after = NULL".to_owned(),
            "DELETE FROM expiration_edits".to_owned(),
            // An entry that does not match its balance, or has invalid values.
            entry("1", 0, "APP", user, &format!("{seq}, 1, 3, 4")),
            entry("1", 1, "APP", user, &format!("{seq}, 0, 3, 3")),
            entry("1", 1, "APP", user, &format!("{seq}, 1, 3, 5")),
            entry("1", 1, "HOUSE", "NULL", "1, 1, NULL, NULL"),
            entry("1", 2, "HOUSE", "NULL", "NULL, 1, NULL, NULL"),
            entry("4711", 0, "HOUSE", "NULL", "NULL, 1, NULL, NULL"),
        ] {
            assert!(db.try_run(&refused).await.is_err(), "{refused}");
        }
        assert_eq!(snapshot(db).await, before);
        // A second leg needs the first, and takes the opposite amount.
        db.run(operation).await;
        let id = "(SELECT max(id) FROM operations)";
        assert!(db.try_run(&entry(id, 1, "HOUSE", "NULL", "NULL, 3, NULL, NULL")).await.is_err(), "without the first");
        db.run(&entry(id, 0, "HOUSE", "NULL", "NULL, -3, NULL, NULL")).await;
        assert!(db.try_run(&entry(id, 1, "HOUSE", "NULL", "NULL, 2, NULL, NULL")).await.is_err(), "unequal");
        let broken: Vec<u8> = fixture.verified().await.iter().map(|breach| breach.invariant).collect();
        assert_eq!(broken, [1, 4], "an incomplete operation is found");
    }

    async fn a_missing_trigger_is_reported(db: &TestDb) {
        let fixture = test_users(db).await;
        let guards: &[(&str, &str)] = if db.is_sqlite() {
            &[("entries_no_UPDATE", ""), ("entries_stand", ""), ("users_sale_credits_by_ledger", "")]
        } else {
            &[("operations_append_only", "operations"), ("entries_checked", "entries"), ("users_balances_guarded", "users")]
        };
        for (number, (guard, table)) in guards.iter().enumerate() {
            let drop = format!("DROP TRIGGER {guard}");
            let disable = format!("ALTER TABLE {table} DISABLE TRIGGER {guard}");
            db.run(if db.is_sqlite() { &drop } else { &disable }).await;
            let breaches = fixture.verified().await;
            assert_eq!(breaches.len(), number + 1);
            assert!(breaches.iter().any(|one| one.invariant == 10 && one.row.ends_with(guard)), "{breaches:?}");
        }
    }

    async fn every_violated_invariant_is_reported(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.post("ana_1", AddCredits, "ana_app", 3).await;
        let sold = fixture.post("ana_1", AddCreditsForSale, "eva_1", 5).await;
        fixture.reverse(ROOT, sold.id).await;
        fixture.expire("eva_app", Some(after(9))).await;
        assert_eq!(fixture.verified().await, []);
        without_guards(db).await;
        let found = async || {
            let mut all: Vec<u8> = fixture.verified().await.iter().map(|breach| breach.invariant).collect();
            all.dedup();
            all
        };
        assert_eq!(found().await, [10], "the guards are missing");
        let app = "(SELECT id FROM users WHERE username_key = 'ana_app')";
        let ana = "(SELECT id FROM users WHERE username_key = 'ana_1')";
        let rival = "(SELECT id FROM users WHERE username_key = 'rival_app')";
        let later = "'2026-11-20 12:00:00+00:00'";
        let sale = "(SELECT min(operation_id) FROM entries WHERE account = 'APP')";
        for (invariant, plant, undo) in [
            (1, format!("UPDATE users SET credits = credits + 1 WHERE id = {app}"), format!("UPDATE users SET credits = credits - 1 WHERE id = {app}")),
            (1, format!("UPDATE users SET sale_credits = sale_credits - 1 WHERE id = {ana}"), format!("UPDATE users SET sale_credits = sale_credits + 1 WHERE id = {ana}")),
            (1, "UPDATE entries SET delta = delta - 1 WHERE account = 'HOUSE' AND id = 2".into(), "UPDATE entries SET delta = delta + 1 WHERE account = 'HOUSE' AND id = 2".into()),
            (2, "UPDATE entries SET balance_before = balance_before + 1 WHERE id = 1".into(), "UPDATE entries SET balance_before = balance_before - 1 WHERE id = 1".into()),
            (2, "UPDATE entries SET seq = seq + 7 WHERE id = 1".into(), "UPDATE entries SET seq = seq - 7 WHERE id = 1".into()),
            (2, format!("UPDATE users SET app_seq = app_seq + 1 WHERE id = {app}"), format!("UPDATE users SET app_seq = app_seq - 1 WHERE id = {app}")),
            (2, format!("UPDATE users SET sale_seq = sale_seq - 1 WHERE id = {ana}"), format!("UPDATE users SET sale_seq = sale_seq + 1 WHERE id = {ana}")),
            (3, "UPDATE entries SET balance_after = balance_after - 1000 WHERE id = 1".into(), "UPDATE entries SET balance_after = balance_after + 1000 WHERE id = 1".into()),
            (3, format!("UPDATE users SET credits = -1 WHERE id = {rival}"), format!("UPDATE users SET credits = 0 WHERE id = {rival}")),
            (4, format!("UPDATE entries SET leg = 0, operation_id = 1 WHERE leg = 1 AND operation_id = {sale}"), format!("UPDATE entries SET leg = 1, operation_id = {sale} WHERE id = (SELECT max(id) FROM entries WHERE operation_id = 1)")),
            (4, "UPDATE operations SET amount = amount + 1 WHERE id = 1".into(), "UPDATE operations SET amount = amount - 1 WHERE id = 1".into()),
            (5, "UPDATE operations SET idempotency_key = 'k' WHERE id < 3".into(), "UPDATE operations SET idempotency_key = NULL".into()),
            (5, "UPDATE operations SET reverses_id = 4 WHERE id = 2".into(), "UPDATE operations SET reverses_id = NULL WHERE id = 2".into()),
            (6, format!("UPDATE users SET expiration_date = {later} WHERE id = {app}"), format!("UPDATE users SET expiration_date = (SELECT expiration_after FROM entries WHERE user_id = {app}) WHERE id = {app}")),
            (6, format!("UPDATE users SET expiration_date = {later} WHERE id = {rival}"), format!("UPDATE users SET expiration_date = NULL WHERE id = {rival}")),
            (6, format!("INSERT INTO expiration_edits (user_id, app_seq, edit_date, expiration_before) SELECT {app}, 0, created_date, created_date FROM users WHERE id = {app}"), format!("DELETE FROM expiration_edits WHERE user_id = {app}")),
            (7, format!("UPDATE users SET total_sales = total_sales + 1 WHERE id = {ana}"), format!("UPDATE users SET total_sales = total_sales - 1 WHERE id = {ana}")),
            (7, "UPDATE operations SET sold = sold - 1 WHERE reverses_id IS NOT NULL".into(), "UPDATE operations SET sold = sold + 1 WHERE reverses_id IS NOT NULL".into()),
            (11, format!("UPDATE entries SET performer_id = {app} WHERE id = 1"), "UPDATE entries SET performer_id = (SELECT performer_id FROM operations WHERE id = 1) WHERE id = 1".into()),
            (11, "UPDATE operations SET operation_date = '2031-01-01 00:00:00+00:00' WHERE id = 1".into(), "UPDATE operations SET operation_date = (SELECT operation_date FROM entries WHERE id = 1) WHERE id = 1".into()),
            (11, format!("UPDATE entries SET operation_date = {later} WHERE id = 1"), "UPDATE entries SET operation_date = (SELECT operation_date FROM operations WHERE id = 1) WHERE id = 1".into()),
            (12, format!("UPDATE entries SET user_id = {rival} WHERE account = 'APP' AND user_id = {app}"), format!("UPDATE entries SET user_id = {app} WHERE account = 'APP'")),
            (12, format!("UPDATE operations SET performer_id = {app} WHERE id = {sale}"), format!("UPDATE operations SET performer_id = {ana} WHERE id = {sale}")),
            (13, "UPDATE operations SET amount = 0 WHERE id = 1".into(), "UPDATE operations SET amount = 100 WHERE id = 1".into()),
            (13, format!("UPDATE operations SET amount = 1201 WHERE id = {sale}"), format!("UPDATE operations SET amount = 3 WHERE id = {sale}")),
        ] {
            assert!(db.run(&plant).await > 0, "{plant}");
            let breaches = found().await;
            assert!(breaches.contains(&invariant), "{invariant}: {plant}: {breaches:?}");
            db.run(&undo).await;
            assert_eq!(found().await, [10], "{undo}: {:?}", fixture.verified().await);
        }
    }
}
