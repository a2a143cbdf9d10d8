//! The steps of a sequence, which are compared with the model one by one.

use serde_json::{Value, json};

use super::{
    comparison::{ended, values_of},
    model::{Change, Model, each_link},
    sequences::Rng,
};
use crate::{app::TestApp, client::Client};

const CLASSIFICATIONS: [&str; 3] = ["G", "PG", "R"];
const GENRES: [&str; 3] = ["ACTION", "DRAMA", "HORROR"];
pub(super) const QUALITIES: [&str; 3] = ["HD", "FHD", "4K"];
pub(super) const HOSTS: [&str; 3] = ["one.example", "two.example", "three.example"];
/// Ends of titles. There are fewer than films: several films have one natural key.
pub(super) const NAMES: [&str; 4] = ["uno", "dos", "tres", "cuatro"];

fn random_change(rng: &mut Rng) -> Change {
    match rng.below(8) {
        0 => Change::Set("kidsContent", json!(rng.below(2) == 0)),
        1 => Change::Set("adultContent", json!(rng.below(2) == 0)),
        2 | 3 => Change::Set("classification", json!(rng.one_of(&CLASSIFICATIONS))),
        4 => Change::Quality(rng.one_of(&QUALITIES).unwrap()),
        5 => {
            let (find, replacement) = rng.two_of(&HOSTS);
            Change::Replace("links", find, replacement)
        }
        6 => {
            let (find, replacement) = rng.two_of(&NAMES);
            Change::Replace("title", find, replacement)
        }
        _ => Change::Genre(["ADD", "REMOVE"][usize::from(rng.below(2) == 0)], rng.one_of(&GENRES).unwrap()),
    }
}

/// The value of a field in a request. Dates of links are set by the server.
pub(super) fn sent(field: &str, value: &Value) -> Value {
    if field == "links" {
        each_link(value, |link| link["audioLanguages"] = json!(["SPANISH"]))
    } else {
        value.clone()
    }
}

/// A change of one film, as by its form.
async fn step_of_one(client: &Client<'_>, rng: &mut Rng, model: &mut Model, id: i64) {
    let path = format!("/api/movies/{id}");
    let film = &model.films[&id];
    let (is_in_trash, there) = (film.is_in_trash, if film.is_in_trash { 404 } else { 200 });
    match rng.below(6) {
        0 => {
            let gone = client.delete(&path).send().await;
            assert_eq!(gone.status, if is_in_trash { 404 } else { 204 }, "{}", gone.text());
            model.note(format!("DELETE {id}"));
            model.moves(&[id], true, None, None);
        }
        1 => {
            // As a person who has confirmed that there is another one.
            let confirmed = rng.below(2) == 0;
            let query = if confirmed { "?duplicate=true" } else { "" };
            let back = client.post(&format!("{path}/restore{query}")).json(&json!({})).send().await;
            let expected = if !is_in_trash {
                404
            } else if !confirmed && model.is_key_in_use(id, None) {
                409
            } else {
                200
            };
            assert_eq!(back.status, expected, "{}", back.text());
            model.note(format!("restore{query} {id}: {expected}"));
            if expected == 200 {
                model.put(id, false, None);
            }
        }
        2 => {
            let history = client.get(&format!("{path}/history?_size=100")).send().await;
            // Also while the film is in the trash.
            assert_eq!(history.status, 200, "{}", history.text());
            let history = history.json();
            let mut written: Vec<&Value> = history["content"].as_array().unwrap().iter().rev().collect();
            let actions = ["CREATED", "UPDATED", "MERGED"];
            written.retain(|entry| actions.iter().any(|action| entry["action"] == *action));
            assert_eq!(written.len(), model.films[&id].versions.len(), "{history}");
            let at = usize::try_from(rng.below(u64::try_from(written.len()).unwrap())).unwrap();
            let earlier = client.get(&format!("{path}/history/{}", written[at]["version"])).send().await;
            assert_eq!(earlier.status, there, "{}", earlier.text());
            if is_in_trash {
                return;
            }
            let earlier = earlier.json();
            let wanted = model.films[&id].versions[at].clone();
            assert_eq!(values_of(&earlier["content"]), wanted, "version {at} of {id}");
            model.note(format!("PUT {id} as version {at} was"));
            let restored = client.put(&path).json(&earlier["content"]).send().await;
            assert_eq!(restored.status, 200, "{}", restored.text());
            model.write(id, wanted, None);
        }
        _ => {
            let change = random_change(rng);
            let field = change.field();
            let after = change.applied(&film.values[field]);
            model.note(format!("PATCH {id}: {field} = {after}"));
            let edited = client.patch(&path).json(&json!({field: sent(field, &after)})).send().await;
            assert_eq!(edited.status, there, "{}", edited.text());
            // An edit is a version even if it changes nothing.
            if !is_in_trash {
                let mut values = model.films[&id].values.clone();
                values.insert(field, after);
                model.write(id, values, None);
            }
        }
    }
}

/// Merges a film into another one.
async fn merge(client: &Client<'_>, rng: &mut Rng, model: &mut Model) {
    let there = model.films.iter().filter(|(_, film)| !film.is_in_trash);
    let there: Vec<i64> = there.map(|(id, _)| *id).collect();
    let (Some(kept), Some(merged)) = (rng.one_of(&there), rng.one_of(&there)) else { return };
    if kept == merged {
        return;
    }
    model.note(format!("merge of {merged} into {kept}"));
    let version = async |id: i64| {
        let film = client.get(&format!("/api/movies/{id}")).send().await;
        film.json()["version"].clone()
    };
    let body = json!({
        "version": version(kept).await, "mergedId": merged, "mergedVersion": version(merged).await,
    });
    let answer = client.post(&format!("/api/movies/{kept}/merge")).json(&body).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let stored = values_of(&answer.json());
    assert_eq!(stored, model.together(kept, merged, &stored), "merge of {merged} into {kept}");
    model.merge(kept, merged, stored);
}

/// Starts an import of a file that sets a value of these films.
async fn import(client: &Client<'_>, ids: &[i64], field: &str, value: &Value) -> Value {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let lines: Vec<String> = ids.iter().map(|id| format!("{id};{text}\n")).collect();
    let file = format!("id;{field}\n{}", lines.concat());
    let uploads = "/api/movies/spreadsheet-imports";
    let uploaded = client.post(&format!("{uploads}?fileName=films.csv"));
    let uploaded = uploaded.body("application/octet-stream", file).send().await;
    assert_eq!(uploaded.status, 201, "{}", uploaded.text());
    let run = format!("{uploads}/{}/run", uploaded.json()["id"]);
    let begun = client.post(&run).json(&json!({"columns": ["id", field]})).send().await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    begun.json()
}

pub(super) async fn step(app: &TestApp, client: &Client<'_>, rng: &mut Rng, model: &mut Model) {
    let all: Vec<i64> = model.films.keys().copied().collect();
    match rng.below(8) {
        0..=2 => {
            let id = rng.one_of(&all).unwrap();
            step_of_one(client, rng, model, id).await;
        }
        3..=5 => {
            let ids: Vec<i64> = all.into_iter().filter(|_| rng.below(2) == 0).collect();
            if ids.is_empty() {
                return;
            }
            let moves = ["DELETE", "RESTORE", "", ""][usize::try_from(rng.below(4)).unwrap()];
            let change = moves.is_empty().then(|| random_change(rng));
            let action = change.as_ref().map_or_else(|| json!({"type": moves}), Change::action);
            let body = json!({"resource": "movies", "ids": ids, "action": action});
            let begun = match &change {
                Some(Change::Set(field, value)) if rng.below(2) == 0 => {
                    model.note(format!("import of {body}"));
                    import(client, &ids, field, value).await
                }
                _ => {
                    model.note(body.to_string());
                    client.post("/api/operations").json(&body).send().await.json()
                }
            };
            let operation = begun["id"].as_i64().unwrap();
            let (done, counts) = match &change {
                Some(change) => model.set(&ids, change, operation),
                None => model.moves(&ids, moves == "DELETE", Some(operation), None),
            };
            assert_eq!(ended(app, client, &begun).await, counts, "{body}");
            model.operations.insert(operation, done);
        }
        6 => merge(client, rng, model).await,
        _ => {
            let known: Vec<i64> = model.operations.keys().copied().collect();
            let Some(id) = rng.one_of(&known) else { return };
            model.note(format!("undo of {id}"));
            let undo = client.post(&format!("/api/operations/{id}/undo")).send().await;
            if model.undone.contains(&id) || model.operations[&id].is_nothing() {
                assert_eq!(undo.status, 409, "{}", undo.text());
                return;
            }
            assert_eq!(undo.status, 202, "{}", undo.text());
            let operation = undo.json()["id"].as_i64().unwrap();
            let (done, counts) = model.undo(id, operation);
            assert_eq!(ended(app, client, &undo.json()).await, counts, "undo of {id}");
            if counts[0] > 0 {
                model.undone.push(id);
            }
            model.operations.insert(operation, done);
        }
    }
}
