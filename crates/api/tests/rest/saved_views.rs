//! Saved views over the API: ownership, visibility, and the default of a list.

use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

fn view(name: &str, changed: &Value) -> Value {
    let mut view = json!({"list": "movies", "name": name, "query": "missing=ENGLISH_SYNOPSIS&sort=-year"});
    for (field, value) in changed.as_object().unwrap() {
        view[field] = value.clone();
    }
    view
}

async fn save(client: &Client<'_>, view: &Value) -> (u16, Value) {
    let answer = client.post("/api/saved-views").json(view).send().await;
    (answer.status, answer.json())
}

/// The names that the client sees, with a star for a default.
async fn names(client: &Client<'_>) -> Vec<String> {
    let views = client.get("/api/saved-views").send().await.json();
    let name = |view: &Value| {
        let star = if view["isDefault"] == true { "*" } else { "" };
        format!("{}/{}{star}", view["list"].as_str().unwrap(), view["name"].as_str().unwrap())
    };
    views.as_array().unwrap().iter().map(name).collect()
}

on_both! {
    async fn a_view_is_private_unless_an_admin_shares_it_with_a_role(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let (status, own) = save(&ana, &view("Lo mío", &json!({"list": "users", "hiddenColumns": ["phone"]}))).await;
        assert_eq!((status, &own["owner"], &own["hiddenColumns"]), (201, &json!("ana_1"), &json!(["phone"])));
        let (status, shared) = save(&admin, &view("De todos", &json!({"sharedWith": "agent"}))).await;
        assert_eq!(status, 201);
        assert_eq!(save(&admin, &view("De nadie más", &json!({}))).await.0, 201);
        assert_eq!(names(&ana).await, ["movies/De todos", "users/Lo mío"]);
        assert_eq!(names(&admin).await, ["movies/De nadie más", "movies/De todos"]);

        // Agents neither share views nor change shared ones; other users' views are not found.
        assert_eq!(save(&ana, &view("De ana", &json!({"sharedWith": "agent"}))).await.0, 403);
        let (one, other) = (format!("/api/saved-views/{}", shared["id"]), format!("/api/saved-views/{}", own["id"]));
        assert_eq!(ana.put(&one).json(&view("Mía", &json!({}))).send().await.status, 404);
        assert_eq!(ana.delete(&one).send().await.status, 403);
        assert_eq!(admin.delete(&other).send().await.status, 404);
        assert_eq!(admin.put(&other).json(&view("Mía", &json!({}))).send().await.status, 404);

        let renamed = ana.put(&other).json(&view("Sin teléfono", &json!({"list": "users"}))).send().await;
        assert_eq!((renamed.status, &renamed.json()["hiddenColumns"]), (200, &json!(null)));
        assert_eq!(ana.delete(&other).send().await.status, 204);
        // Another admin sees a view that was shared with agents, and may delete it.
        let boss = app.sign_in("superadmin").await;
        assert_eq!(names(&boss).await, ["movies/De todos"]);
        assert_eq!(boss.delete(&one).send().await.status, 204);
        assert_eq!(names(&ana).await, Vec::<String>::new());
    }

    async fn names_are_unique_per_list_and_a_list_has_one_default(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let (_, first) = save(&admin, &view("Una", &json!({"sharedWith": "agent"}))).await;
        let (_, second) = save(&admin, &view("Otra", &json!({"sharedWith": "agent"}))).await;
        let (status, problem) = save(&admin, &view("UNA", &json!({}))).await;
        assert_eq!((status, &problem["errors"][0]["field"], &problem["errors"][0]["code"]),
            (422, &json!("name"), &json!("DUPLICATE")));
        assert_eq!(save(&admin, &view("Una", &json!({"list": "users"}))).await.0, 201);
        assert_eq!(save(&ana, &view("Una", &json!({}))).await.0, 201, "another user's");

        let default = |view: &Value| format!("/api/saved-views/{}/default", view["id"]);
        assert_eq!(ana.put(&default(&first)).send().await.status, 204);
        assert_eq!(ana.put(&default(&second)).send().await.status, 204, "replaces the first");
        assert_eq!(names(&ana).await, ["movies/Otra*", "movies/Una", "movies/Una"]);
        assert_eq!(names(&admin).await, ["movies/Otra", "movies/Una", "users/Una"], "only for the caller");
        assert_eq!(ana.delete(&default(&first)).send().await.status, 204, "it is not the default");
        assert_eq!(names(&ana).await[0], "movies/Otra*");
        assert_eq!(admin.delete(&format!("/api/saved-views/{}", second["id"])).send().await.status, 204);
        assert_eq!(names(&ana).await, ["movies/Una", "movies/Una"]);
        assert_eq!(ana.put(&default(&second)).send().await.status, 404);
    }
}
