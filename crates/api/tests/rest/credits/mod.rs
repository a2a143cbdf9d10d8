//! Credits over the API.

mod history;
mod reversals;
mod sales;

use serde_json::{Value, json};

use crate::client::{Answer, Client};

async fn give(client: &Client<'_>, operation: &str, target: &str, amount: i64) -> Answer {
    let body = json!({"targetUsername": target, "amount": amount, "reason": "Prueba"});
    client.post(&format!("/api/credits/{operation}")).json(&body).send().await
}

async fn done(client: &Client<'_>, operation: &str, target: &str, amount: i64) -> Value {
    let answer = give(client, operation, target, amount).await;
    assert_eq!(answer.status, 201, "{operation} {target}: {}", answer.text());
    let movement = answer.json();
    assert_eq!(answer.header("location"), Some(format!("/api/credits/{}", movement["id"]).as_str()));
    movement
}

/// Credits, stock and expiration.
async fn holds(client: &Client<'_>, username: &str) -> Value {
    let user = client.get(&format!("/api/users/{username}")).send().await.json();
    json!([user["credits"], user["saleCredits"], user["expirationDate"]])
}
