//! Generated sequences of edits, bulk changes and undos, against a model: every value, and what becomes of every item.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{app::TestApp, client::Client};

const FILMS: u64 = 5;
const STEPS: usize = 14;
const CLASSIFICATIONS: [&str; 3] = ["G", "PG", "R"];

/// Pseudorandom numbers, the same in every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn change(&mut self) -> (&'static str, Value) {
        match self.below(3) {
            0 => ("kidsContent", json!(self.below(2) == 0)),
            1 => ("adultContent", json!(self.below(2) == 0)),
            _ => ("classification", json!(CLASSIFICATIONS[usize::try_from(self.below(3)).unwrap()])),
        }
    }
}

type Film = BTreeMap<&'static str, Value>;

/// What an operation changed: the film, the field, its value before and after.
type Changes = Vec<(i64, &'static str, Value, Value)>;

#[derive(Default)]
struct Model {
    films: BTreeMap<i64, Film>,
    operations: BTreeMap<i64, Changes>,
    undone: Vec<i64>,
}

impl Model {
    /// Changed, unchanged, refused.
    fn set(&mut self, ids: &[i64], (field, value): &(&'static str, Value)) -> (Changes, [i64; 3]) {
        let mut counts = [0; 3];
        let mut changes = Vec::new();
        for id in ids {
            let known = self.films.get_mut(id).unwrap().get_mut(field).unwrap();
            if known == value {
                counts[1] += 1;
            } else {
                counts[0] += 1;
                changes.push((*id, *field, known.clone(), value.clone()));
                *known = value.clone();
            }
        }
        (changes, counts)
    }

    fn undo(&mut self, id: i64) -> (Changes, [i64; 3]) {
        let mut counts = [0; 3];
        let mut changes = Vec::new();
        for (film, field, before, after) in self.operations[&id].clone() {
            let known = self.films.get_mut(&film).unwrap().get_mut(field).unwrap();
            if *known == after {
                counts[0] += 1;
                changes.push((film, field, after, before.clone()));
                *known = before;
            } else if *known == before {
                counts[1] += 1;
            } else {
                counts[2] += 1;
            }
        }
        self.undone.push(id);
        (changes, counts)
    }
}

async fn ended(app: &TestApp, client: &Client<'_>, begun: &Value) -> [i64; 3] {
    app.operate().await;
    let seen = client.get(&format!("/api/operations/{}", begun["id"])).send().await.json();
    assert_eq!(seen["state"], "FINISHED", "{seen}");
    ["changed", "unchanged", "refused"].map(|name| seen["counts"][name].as_i64().unwrap())
}

async fn step(app: &TestApp, client: &Client<'_>, rng: &mut Rng, model: &mut Model) {
    let all: Vec<i64> = model.films.keys().copied().collect();
    let change = rng.change();
    match rng.below(5) {
        0 | 1 => {
            let id = all[usize::try_from(rng.below(FILMS)).unwrap()];
            let body = json!({change.0: change.1});
            let edited = client.patch(&format!("/api/movies/{id}")).json(&body).send().await;
            assert_eq!(edited.status, 200, "{}", edited.text());
            model.set(&[id], &change);
        }
        2 | 3 => {
            let ids: Vec<i64> = all.into_iter().filter(|_| rng.below(2) == 0).collect();
            if ids.is_empty() {
                return;
            }
            let action = json!({"type": "SET", "set": {change.0: change.1}});
            let body = json!({"resource": "movies", "ids": ids, "action": action});
            let begun = client.post("/api/operations").json(&body).send().await.json();
            let (changes, counts) = model.set(&ids, &change);
            assert_eq!(ended(app, client, &begun).await, counts, "{body}");
            model.operations.insert(begun["id"].as_i64().unwrap(), changes);
        }
        _ => {
            let known: Vec<i64> = model.operations.keys().copied().collect();
            if known.is_empty() {
                return;
            }
            let id = known[usize::try_from(rng.below(known.len() as u64)).unwrap()];
            let undo = client.post(&format!("/api/operations/{id}/undo")).send().await;
            if model.undone.contains(&id) || model.operations[&id].is_empty() {
                assert_eq!(undo.status, 409, "{}", undo.text());
                return;
            }
            assert_eq!(undo.status, 202, "{}", undo.text());
            let (changes, counts) = model.undo(id);
            assert_eq!(ended(app, client, &undo.json()).await, counts, "undo of {id}");
            model.operations.insert(undo.json()["id"].as_i64().unwrap(), changes);
        }
    }
}

/// `CARTELERA_MACHINE_SEQUENCES` sets the number of sequences.
#[actix_web::test]
async fn bulk_operations_do_what_their_model_does() {
    #[expect(clippy::disallowed_methods, reason = "tests have no settings file")]
    let sequences = std::env::var("CARTELERA_MACHINE_SEQUENCES").ok().and_then(|text| text.parse().ok());
    let app = TestApp::new().await;
    let manager = app.manager().await;
    let draft = manager.film().await;
    for seed in 0..sequences.unwrap_or(25_u64) {
        let mut rng = Rng(seed);
        let mut model = Model::default();
        for _ in 0..FILMS {
            let film = manager.create("movies", &draft).await;
            let values =
                ["kidsContent", "adultContent", "classification"].map(|field| (field, film[field].clone()));
            model.films.insert(film["id"].as_i64().unwrap(), values.into());
        }
        for _ in 0..STEPS {
            step(&app, &manager, &mut rng, &mut model).await;
        }
        for (id, expected) in &model.films {
            let film = manager.get(&format!("/api/movies/{id}")).send().await.json();
            for (field, value) in expected {
                assert_eq!(film[field], *value, "{field} of {id}, sequence {seed}");
            }
        }
    }
}
