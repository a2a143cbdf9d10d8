//! Whoever changes what somebody else has changed meanwhile is told.

use serde_json::json;

use crate::{
    app::{TestApp, on_both},
    client::category,
};

on_both! {
    #[smoke]
    async fn a_change_from_an_old_version_is_refused_and_shows_what_is_there(app: &TestApp) {
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

    async fn without_a_version_the_change_goes_through(app: &TestApp) {
        let ana = app.manager().await;
        let stored = ana.create("categories", &category()).await;
        let path = format!("/api/categories/{}", stored["id"]);
        for (name, version) in [("Una", None), ("Dos", Some("*")), ("Tres", Some("\"3\"")), ("Cuatro", Some("4"))] {
            let asked = ana.put(&path).json(&json!({"description": name, "englishDescription": "x1", "type": "MUSIC"}));
            let asked = match version {
                Some(version) => asked.header("if-match", version),
                None => asked,
            };
            let answer = asked.send().await;
            assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        }
    }
}

#[actix_web::test]
async fn what_cannot_be_a_version_matches_none() {
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
