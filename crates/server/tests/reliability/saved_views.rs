//! Saved views of one user that two servers save at once: names differ, and there are as many as are
//! allowed. A user who is deleted meanwhile has none.

use domain_settings::MOST_SAVED_VIEWS;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Client, PASSWORD, TestDb, on_both_databases, rounds},
    live_edits::Two,
};

fn view(name: &str) -> Value {
    json!({"list": "movies", "name": name, "query": "sort=-year"})
}

/// Saves these views at alternate servers at once; the IDs of those that are saved, and the codes of the
/// refusals.
async fn saved(two: &Two, names: [&str; 4]) -> (Vec<i64>, Vec<String>) {
    let views = names.map(view);
    let save = |at: usize| two.send(at % 2, Method::POST, "/saved-views", &views[at]);
    let (first, second, third, fourth) = tokio::join!(save(0), save(1), save(2), save(3));
    let (mut ids, mut refusals) = (Vec::new(), Vec::new());
    for (status, answer) in [first, second, third, fourth] {
        if status == 201 {
            ids.push(answer["id"].as_i64().unwrap());
        } else {
            assert_eq!(status, 422, "{answer}");
            refusals.push(answer["errors"][0]["code"].as_str().unwrap().to_owned());
        }
    }
    (ids, refusals)
}

on_both_databases! {
    async fn a_user_has_no_more_views_than_allowed_by_two_servers(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        admin.post(url, "/saved-views", &view("1")).await;
        db.execute(&format!(
            "WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {}) \
             INSERT INTO saved_views (owner_id, list, name, name_key, query, created_date, updated_date) \
             SELECT owner_id, list, 'v' || n, 'v' || n, query, created_date, updated_date FROM saved_views, numbers",
            MOST_SAVED_VIEWS - 2
        ))
        .await;
        for round in 0..rounds(15) {
            let names = ["a", "b", "c", "d"].map(|name| format!("{name} {round}"));
            // Two are free. One of the same name is refused for it, as long as there is a free one.
            let same = round % 3 == 2;
            let third = if same { &names[1] } else { &names[2] };
            let (ids, refusals) = saved(&two, [&names[0], &names[1], third, &names[3]]).await;
            assert_eq!((ids.len(), refusals.len()), (2, 2), "round {round}: {refusals:?}");
            let is_expected = |code: &String| code == "TOO_MANY" || same && code == "DUPLICATE";
            assert!(refusals.iter().all(is_expected), "round {round}: {refusals:?}");
            let (_, views) = admin.get(url, "/saved-views").await;
            let views = views.as_array().unwrap();
            assert_eq!(views.len() as u64, MOST_SAVED_VIEWS, "round {round}");
            for (at, id) in ids.into_iter().enumerate() {
                assert!(views.iter().any(|view| view["id"] == id), "round {round}: {id}");
                let path = format!("/saved-views/{id}");
                let (status, answer) = two.send(at, Method::DELETE, &path, &json!(null)).await;
                assert_eq!(status, 204, "{answer}");
            }
        }
        two.stop();
    }

    async fn a_user_who_is_deleted_at_another_server_saves_no_view(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        let form = json!({
            "username": "ana_1", "fullName": "Ana", "email": "ana@example.com", "phoneNumber": "+34 600 123 456",
            "password": PASSWORD, "roleCode": "agent",
        });
        let other = two.urls()[1];
        for round in 0..rounds(15) {
            admin.post(url, "/users", &form).await;
            let ana = Client::sign_in(other, "ana_1").await;
            let view = view(&format!("Vista {round}"));
            // The user is deleted at different moments of the other request.
            let deleting = async {
                for _ in 0..round % 5 {
                    admin.get(url, "/saved-views").await;
                }
                two.send(0, Method::DELETE, "/users/ana_1", &json!(null)).await
            };
            let saving = ana.send(other, Method::POST, "/saved-views", None, Some(&view));
            let ((deleted, answer), saved) = tokio::join!(deleting, saving);
            assert_eq!(deleted, 204, "round {round}: {answer}");
            let (status, answer) = saved.unwrap();
            assert!([201, 401].contains(&status.as_u16()), "round {round}: {status} {answer}");
            let left = db.by_id::<String>("SELECT id, name FROM saved_views").await;
            assert!(left.is_empty(), "round {round}: {left:?}");
        }
        two.stop();
    }
}
