//! `cartelera import` that ends before its last file: existing users have the values of the files,
//! and the next run continues.

use std::{fmt::Write, fs, path::Path, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    guides::number,
    harness::{Client, Server, TestDb, on_both_databases, rounds, run, spawn},
};

/// More than one batch of an import.
const CUSTOMERS: i64 = 1500;
const APP_USERS: &str = "SELECT count(*) AS number FROM users WHERE role = 'app'";
const WITHOUT_THEIR_CREDITS: &str =
    "SELECT count(*) AS number FROM users WHERE role = 'app' AND credits <> 2";

fn user(name: &str, role: &str, credits: i64, sale_credits: i64) -> Value {
    json!({
        "username": name, "fullName": "Ana Núñez", "email": "ana@example.com", "phoneNumber": "+34 600 000 000",
        "roleCode": role, "credits": credits, "saleCredits": sale_credits, "expirationDate": "2040-01-31",
        "status": "ACTIVE",
    })
}

fn write_lines(folder: &Path, name: &str, lines: &[Value]) {
    let text = lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    });
    fs::write(folder.join(name), text).unwrap();
}

/// One user with a history, others without, and a report that the trigger of the test rejects.
fn write_files(folder: &Path) {
    let mut seller = user("agent_1", "agent", 0, 40);
    seller["expirationDate"] = Value::Null;
    let users = [seller, user("ana_1", "app", 5, 0), user("eva_2", "app", 3, 0)];
    let sold = json!({
        "operationDate": "2024-05-08T15:48:00Z", "targetUser": {"username": "eva_2", "fullName": "Eva"},
        "performedByUser": {"username": "agent_1", "fullName": "Luz"}, "operationType": "ADD_CREDITS",
        "creditType": "NORMAL", "amount": 3, "balanceBefore": 0, "balanceAfter": 3, "reason": "Renovación",
    });
    let report = json!({
        "title": "No carga", "contentType": "MOVIE", "content": "Dune", "reportType": "NOT_LOADING",
        "reportedDate": "2024-06-08T15:48:00Z", "status": "RESUELTO",
    });
    write_lines(folder, "users.ndjson", &users);
    write_lines(folder, "credit-operations.ndjson", &[sold]);
    write_lines(folder, "issue-reports.ndjson", &[report]);
}

/// App credits and stock of the users of the files, and the number of operations of the ledger.
async fn balances(db: &TestDb) -> (Vec<(Value, Value)>, Value) {
    let server = Server::start(db);
    let admin = Client::sign_in(&server.url, "admin").await;
    let mut balances = Vec::new();
    for name in ["agent_1", "ana_1", "eva_2"] {
        let (_, user) = admin.get(&server.url, &format!("/users/{name}")).await;
        balances.push((user["credits"].clone(), user["saleCredits"].clone()));
    }
    let (_, ledger) = admin.get(&server.url, "/credits/ledger?_size=1").await;
    server.stop(Duration::from_secs(30));
    (balances, ledger["totalElements"].clone())
}

on_both_databases! {
    async fn balances_exist_after_an_aborted_import_and_are_booked_once(db: &TestDb) {
        db.execute(if db.is_sqlite() {
            "CREATE TRIGGER stop BEFORE INSERT ON issue_reports BEGIN SELECT RAISE(ABORT, 'stop'); END"
        } else {
            "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$; \
             CREATE TRIGGER stop BEFORE INSERT ON issue_reports FOR EACH ROW EXECUTE FUNCTION stop()"
        })
        .await;
        let folder = db.folder().join("import");
        fs::create_dir(&folder).unwrap();
        write_files(&folder);
        let arguments = ["import", folder.to_str().unwrap(), "--without-passwords"];
        let stopped = run(db, &arguments, "");
        assert!(!stopped.success && stopped.stdout.contains("3 created"), "{stopped:?}");
        let booked = [(0, 40), (5, 0), (3, 0)].map(|(credits, stock)| (json!(credits), json!(stock)));
        let booked = (booked.to_vec(), json!(3));
        assert_eq!(balances(db).await, booked);

        db.execute(if db.is_sqlite() { "DROP TRIGGER stop" } else { "DROP TRIGGER stop ON issue_reports" }).await;
        for added in ["1 created", "0 created"] {
            let again = run(db, &arguments, "");
            assert!(again.success && again.stdout.contains("3 unchanged"), "{again:?}");
            assert!(again.stdout.lines().last().unwrap().contains(added), "{again:?}");
            assert_eq!(balances(db).await, booked);
        }
        let verified = run(db, &["ledger", "verify"], "");
        assert!(verified.success, "{verified:?}");
    }

    async fn no_user_exists_without_their_balance_after_a_kill(db: &TestDb) {
        let connection = db.connect().await;
        let mut expected = 0;
        for round in 0..rounds(1) {
            let folder = db.folder().join(format!("import-{round}"));
            fs::create_dir(&folder).unwrap();
            let customers: Vec<Value> =
                (0..CUSTOMERS).map(|number| user(&format!("cliente_{round}_{number}"), "app", 2, 0)).collect();
            write_lines(&folder, "users.ndjson", &customers);
            let arguments = ["import", folder.to_str().unwrap(), "--without-passwords"];
            let mut import = spawn(db, &arguments);
            while number(&connection, APP_USERS).await == expected && import.try_wait().unwrap().is_none() {
                sleep(Duration::from_millis(5)).await;
            }
            import.kill().unwrap();
            import.wait().unwrap();
            assert_eq!(number(&connection, WITHOUT_THEIR_CREDITS).await, 0);
            let again = run(db, &arguments, "");
            assert!(again.success, "{again:?}");
            expected += CUSTOMERS;
            assert_eq!(number(&connection, APP_USERS).await, expected);
            assert_eq!(number(&connection, WITHOUT_THEIR_CREDITS).await, 0);
        }
        connection.close().await.unwrap();
        let verified = run(db, &["ledger", "verify"], "");
        assert!(verified.success, "{verified:?}");
    }
}
