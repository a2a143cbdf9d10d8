//! Users over the API: fields, permissions, ends of sessions, passwords.

mod access;
mod moving;
mod passwords;
mod rules;
mod writing;

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::TestApp,
    client::{Answer, Client},
};

/// ana_1 with ana_app and eva_1, who has eva_app; and a rival with a customer.
pub async fn agents_with_customers(app: &TestApp) -> Client<'_> {
    let admin = app.sign_in_as(RoleCode::Admin).await;
    admin.register("ana_1", "agent").await;
    admin.register("rival_1", "agent").await;
    let ana = app.sign_in("ana_1").await;
    ana.register("ana_app", "app").await;
    ana.register("eva_1", "agent").await;
    app.sign_in("eva_1").await.register("eva_app", "app").await;
    app.sign_in("rival_1").await.register("rival_app", "app").await;
    admin
}

async fn user(client: &Client<'_>, username: &str) -> Value {
    let answer = client.get(&format!("/api/users/{username}")).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

async fn patch(client: &Client<'_>, username: &str, change: &Value) -> Answer {
    client.patch(&format!("/api/users/{username}")).json(change).send().await
}

/// The form for the fields of a response.
fn form(user: &Value) -> Value {
    let mut form = json!({});
    for field in [
        "username",
        "fullName",
        "email",
        "phoneNumber",
        "language",
        "address",
        "comment",
        "roleCode",
        "expirationDate",
        "status",
    ] {
        form[field] = user[field].clone();
    }
    form
}

async fn is_in(client: &Client<'_>) -> bool {
    match client.post("/api/auth/refresh").send().await.status {
        200 => true,
        401 => false,
        other => panic!("{other}"),
    }
}
