//! A change that is based on an old version is refused with the current state.

use domain_catalogue::{Content, Sport};
use domain_kernel::RoleCode;
use futures_util::future::{join, join_all};
use serde_json::json;

use crate::{
    app::{TestApp, on_both},
    client::category,
};

on_both! {
    #[smoke]
    async fn a_change_of_an_old_version_is_refused_with_the_current_state(app: &TestApp) {
        let ana = app.manager().await;
        let stored = ana.create("categories", &category()).await;
        let path = format!("/api/categories/{}", stored["id"]);
        let theirs = ana.patch(&path).json(&json!({"description": "De otra persona"})).send().await.json();
        let mut mine = stored.clone();
        mine["description"] = json!("Mía");
        for answer in [
            ana.put(&path).header("if-match", "\"1\"").json(&mine).send().await,
            ana.patch(&path).header("if-match", "\"1\"").json(&json!({"description": "Mía"})).send().await,
            ana.patch(&format!("{path}/status")).header("if-match", "\"1\"").json(&json!({"active": false})).send().await,
            ana.delete(&path).header("if-match", "\"1\"").send().await,
        ] {
            assert_eq!((answer.status, answer.code()), (412, "VERSION_CONFLICT".to_owned()));
            assert_eq!(answer.json()["current"], theirs);
        }
        assert_eq!(ana.get(&path).send().await.json(), theirs);
    }

    async fn without_a_version_the_change_succeeds(app: &TestApp) {
        let ana = app.manager().await;
        let stored = ana.create("categories", &category()).await;
        let path = format!("/api/categories/{}", stored["id"]);
        for (name, version) in [("Una", None), ("Dos", Some("*")), ("Tres", Some("\"3\"")), ("Cuatro", Some("4"))] {
            let requested = ana.put(&path).json(&json!({"description": name, "englishDescription": "x1", "type": "MUSIC"}));
            let requested = match version {
                Some(version) => requested.header("if-match", version),
                None => requested,
            };
            let answer = requested.send().await;
            assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        }
    }
}

#[actix_web::test]
async fn an_invalid_version_matches_none() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let stored = ana.create("categories", &category()).await;
    let path = format!("/api/categories/{}", stored["id"]);
    for version in ["\"\"", "\"abc\"", "\"1.0\"", "\"99999999999999999999\"", "ñ", "", "\"0\"", "\"-1\""] {
        let answer = ana.delete(&path).header("if-match", version).send().await;
        assert_eq!(answer.status, 412, "{version}");
    }
    assert_eq!(ana.get(&path).send().await.status, 200);
}

on_both! {
    async fn permissions_are_checked_on_the_version_that_is_written(app: &TestApp) {
        let owner = app.sign_in_as(RoleCode::Superadmin).await;
        let admin = app.sign_in_as(RoleCode::Admin).await;
        for round in 0..15 {
            let name = format!("agent_{round}");
            owner.register(&name, "agent").await;
            let path = format!("/api/users/{name}");
            let promote = owner.patch(&path).json(&json!({"roleCode": "superadmin"})).send();
            // The version that the promotion will create, sent until it exists.
            let suspend = async {
                loop {
                    let requested = admin.patch(&path).header("if-match", "\"2\"");
                    let answer = requested.json(&json!({"status": "SUSPENDED"})).send().await;
                    if answer.status != 412 {
                        return answer.status;
                    }
                }
            };
            let (promoted, suspended) = join(promote, suspend).await;
            assert_eq!((promoted.status, suspended), (200, 403), "{}", promoted.text());
            assert_eq!(owner.get(&path).send().await.json()["status"], "ACTIVE");
        }
    }

    async fn without_a_version_concurrent_changes_all_succeed(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        admin.register("ana_1", "agent").await;
        let form = json!({
            "fullName": "Ana Núñez", "email": "ana@example.com", "phoneNumber": "12345678", "address": null,
            "comment": null, "roleCode": "agent", "status": "ACTIVE",
        });
        let put = || admin.put("/api/users/ana_1").json(&form).send();
        let toggle = || admin.patch("/api/users/ana_1/toggle-status").send();
        let answers = join(join_all((0..8).map(|_| put())), join_all((0..8).map(|_| toggle()))).await;
        for answer in answers.0.iter().chain(&answers.1) {
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        assert_eq!(admin.get("/api/users/ana_1").send().await.json()["version"], 17);

        let manager = app.manager().await;
        let mut event = serde_json::to_value(Sport::sample()).unwrap();
        let mut category = category();
        category["type"] = json!("SPORTS");
        event["categoryId"] = manager.create("categories", &category).await["id"].clone();
        let answer = manager.post("/api/sports").json(&event).send().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let path = format!("/api/sports/{}/links", answer.json()["sport"]["id"]);
        let mut link = event["links"][0].clone();
        link.as_object_mut().unwrap().remove("id");
        let add = || manager.post(&path).json(&link).send();
        for answer in join_all((0..8).map(|_| add())).await {
            assert!(answer.status < 300, "{} {}", answer.status, answer.text());
        }
        let links = manager.get(&path).send().await.json();
        assert_eq!(links.as_array().unwrap().len(), 8 + event["links"].as_array().unwrap().len());
    }
}
