//! What the API returns, compared with the model.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::model::{Counts, Model, Values, each_link};
use crate::{app::TestApp, client::Client};

const FIELDS: [&str; 6] = ["kidsContent", "adultContent", "classification", "genres", "title", "links"];

/// Of links, only what changes them, and what distinguishes them.
pub(super) fn values_of(film: &Value) -> Values {
    let mut values: Values = FIELDS.map(|field| (field, film[field].clone())).into();
    let links = each_link(&film["links"], |link| {
        let known = ["id", "quality", "url"].map(|name| (name, link[name].clone()));
        *link = json!(BTreeMap::from(known));
    });
    values.insert("links", links);
    values
}

/// Runs an operation to its end and returns the counts that it reports.
pub(super) async fn ended(app: &TestApp, client: &Client<'_>, begun: &Value) -> Counts {
    app.run_operations().await;
    let seen = client.get(&format!("/api/operations/{}", begun["id"])).send().await.json();
    assert_eq!(seen["state"], "FINISHED", "{seen}");
    ["changed", "unchanged", "refused", "missing"].map(|name| seen["counts"][name].as_i64().unwrap())
}

/// Compares every film and every report. The reports are an admin's.
pub(super) async fn compare_all(manager: &Client<'_>, admin: &Client<'_>, model: &Model) {
    let seed = model.steps.seed;
    for (id, film) in &model.films {
        let answer = manager.get(&format!("/api/movies/{id}")).send().await;
        assert_eq!(answer.status, if film.is_in_trash { 404 } else { 200 }, "{id}, sequence {seed}");
        if !film.is_in_trash {
            let answer = answer.json();
            assert_eq!(values_of(&answer), film.values, "{id}, sequence {seed}");
            assert_eq!(answer["views"], film.views, "{id}, sequence {seed}");
        }
    }
    for (report, film) in &model.reports {
        let stored = admin.get(&format!("/api/issue-reports/{report}")).send().await.json();
        assert_eq!(stored["contentId"], *film, "{stored}, sequence {seed}");
    }
}
