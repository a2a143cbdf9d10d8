//! Two superadmins who take the role from each other through two servers at once: one of both does, and
//! a superadmin stays.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    bulk_operations::ended,
    harness::{Client, PASSWORD, TestDb, on_both_databases, rounds},
    live_edits::Two,
};

const NAMES: [&str; 2] = ["boss_1", "boss_2"];
const ACTIVE: &str = "SELECT id, username FROM users WHERE role = 'superadmin' AND status = 'ACTIVE'";

/// How a user ceases to be an active superadmin.
#[derive(Debug, Clone, Copy)]
enum End {
    Deletion,
    Deactivation,
    Toggle,
    OtherRole,
    Operation,
}

const ENDS: [End; 5] = [End::Deletion, End::Deactivation, End::Toggle, End::OtherRole, End::Operation];

impl End {
    /// Method, path and body of the request.
    fn request(self, username: &str) -> (Method, String, Value) {
        let path = format!("/users/{username}");
        let inactive = json!({"status": "INACTIVE"});
        match self {
            Self::Deletion => (Method::DELETE, path, json!(null)),
            Self::Deactivation => (Method::PATCH, path, inactive),
            Self::Toggle => (Method::PATCH, format!("{path}/toggle-status"), json!(null)),
            Self::OtherRole => (Method::PATCH, path, json!({"roleCode": "admin"})),
            Self::Operation => {
                let action = json!({"type": "SET", "set": inactive});
                let body = json!({"resource": "users", "ids": [username], "action": action});
                (Method::POST, "/operations".to_owned(), body)
            }
        }
    }
}

fn superadmin(username: &str) -> Value {
    json!({
        "username": username, "fullName": "Boss", "email": "boss@example.com", "phoneNumber": "+34 600 123 456",
        "password": PASSWORD, "roleCode": "superadmin",
    })
}

/// Ends the role of a superadmin; whether it was done. `reader` sees operations to their end.
async fn ends(by: &Client, reader: &Client, url: &str, end: End, username: &str) -> bool {
    let (method, path, body) = end.request(username);
    let (status, answer) = by.send(url, method, &path, None, Some(&body)).await.unwrap();
    if status == 202 {
        let operation = ended(reader, url, &answer).await;
        let failure = &operation["failure"];
        assert!(failure.is_null() || failure == "FORBIDDEN", "{operation}");
        return operation["counts"]["changed"] == 1;
    }
    // Refused, as the last one, or because the user who asks for it is not there any more.
    let is_refusal = [401, 403, 404, 409, 412].contains(&status.as_u16());
    assert!(status.is_success() || is_refusal, "{end:?}: {status} {answer}");
    status.is_success()
}

/// Makes a user an active superadmin again.
async fn restore(by: &Client, url: &str, username: &str) {
    let path = format!("/users/{username}");
    let (status, _) = by.get(url, &path).await;
    if status == 404 {
        by.post(url, "/users", &superadmin(username)).await;
        return;
    }
    let form = json!({"status": "ACTIVE", "roleCode": "superadmin"});
    let (status, answer) = by.send(url, Method::PATCH, &path, None, Some(&form)).await.unwrap();
    assert_eq!(status, 200, "{answer}");
}

on_both_databases! {
    async fn of_two_superadmins_who_end_each_others_role_at_two_servers_one_stays(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, _) = two.first();
        let urls = two.urls();
        for name in NAMES {
            admin.post(urls[0], "/users", &superadmin(name)).await;
        }
        let mut bosses = [Client::sign_in(urls[0], NAMES[0]).await, Client::sign_in(urls[1], NAMES[1]).await];
        let demoted = json!({"roleCode": "admin", "email": "a@example.com", "phoneNumber": "+34 600 123 456"});
        let (status, answer) =
            bosses[0].send(urls[0], Method::PATCH, "/users/admin", None, Some(&demoted)).await.unwrap();
        assert_eq!(status, 200, "{answer}");
        let reader = Client::sign_in(urls[0], "admin").await;
        for round in 0..rounds(15) {
            // Each with each in 25 rounds.
            let of_first = ENDS[round % ENDS.len()];
            let of_second = ENDS[(round + round / ENDS.len()) % ENDS.len()];
            let both = tokio::join!(
                ends(&bosses[0], &reader, urls[0], of_second, NAMES[1]),
                ends(&bosses[1], &reader, urls[1], of_first, NAMES[0]),
            );
            let stays = match both {
                (true, false) => 0,
                (false, true) => 1,
                _ => panic!("round {round}: {of_first:?} {of_second:?}: {both:?}"),
            };
            let left: Vec<String> = db.by_id(ACTIVE).await.into_values().collect();
            assert_eq!(left, [NAMES[stays]], "round {round}: {of_first:?} {of_second:?}");
            let gone = 1 - stays;
            restore(&bosses[stays], urls[stays], NAMES[gone]).await;
            bosses[gone] = Client::sign_in(urls[gone], NAMES[gone]).await;
        }
        two.stop();
    }
}
