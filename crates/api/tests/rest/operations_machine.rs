//! Generated sequences of edits, deletions, restorations and earlier versions of single films, and
//! of bulk changes, bulk deletions, bulk restorations, imports that change films, and their undos, and
//! of merges of two films, against a model: every value, every version, and the result of every item.
//! Among the values are titles that several films have, genres, and qualities and addresses of links;
//! the views of films and a report on each move with merges, and none is lost. `records` has the same
//! for users and reports.
//!
//! They are the same in every run: 25 on SQLite on a push, 400 nightly, or the number in
//! `CARTELERA_MACHINE_SEQUENCES`, and the first quarter of them on PostgreSQL. A sequence that fails
//! prints its number and its steps.

mod records;

use std::collections::BTreeMap;

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{app::TestApp, client::Client};

const FILMS: u64 = 5;
const STEPS: usize = 18;
/// Sequences per database: with more, lookups among similar films become slow.
const SEQUENCES_OF_A_DATABASE: usize = 100;
const CLASSIFICATIONS: [&str; 3] = ["G", "PG", "R"];
const GENRES: [&str; 3] = ["ACTION", "DRAMA", "HORROR"];
const QUALITIES: [&str; 3] = ["HD", "FHD", "4K"];
const HOSTS: [&str; 3] = ["one.example", "two.example", "three.example"];
/// Ends of titles. There are fewer than films: several films have one natural key.
const NAMES: [&str; 4] = ["uno", "dos", "tres", "cuatro"];

/// Pseudorandom numbers, the same in every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let length = u64::try_from(all.len()).unwrap();
        (length > 0).then(|| all[usize::try_from(self.below(length)).unwrap()])
    }

    /// Two of these, perhaps the same.
    fn two_of(&mut self, all: &[&'static str]) -> (&'static str, &'static str) {
        (self.one_of(all).unwrap(), self.one_of(all).unwrap())
    }

    fn change(&mut self) -> Change {
        match self.below(8) {
            0 => Change::Set("kidsContent", json!(self.below(2) == 0)),
            1 => Change::Set("adultContent", json!(self.below(2) == 0)),
            2 | 3 => Change::Set("classification", json!(self.one_of(&CLASSIFICATIONS))),
            4 => Change::Quality(self.one_of(&QUALITIES).unwrap()),
            5 => {
                let (find, replacement) = self.two_of(&HOSTS);
                Change::Replace("links", find, replacement)
            }
            6 => {
                let (find, replacement) = self.two_of(&NAMES);
                Change::Replace("title", find, replacement)
            }
            _ => Change::Genre(
                ["ADD", "REMOVE"][usize::from(self.below(2) == 0)],
                self.one_of(&GENRES).unwrap(),
            ),
        }
    }
}

/// A change of one field, of a single film or of many.
#[derive(Debug, Clone)]
enum Change {
    Set(&'static str, Value),
    /// Of every link.
    Quality(&'static str),
    /// The field, the text to find and its replacement.
    Replace(&'static str, &'static str, &'static str),
    /// `ADD` or `REMOVE`, and the genre.
    Genre(&'static str, &'static str),
}

impl Change {
    fn field(&self) -> &'static str {
        match self {
            Self::Set(field, _) | Self::Replace(field, ..) => field,
            Self::Quality(_) => "links",
            Self::Genre(..) => "genres",
        }
    }

    /// As an operation names it.
    fn action(&self) -> Value {
        match self {
            Self::Set(field, value) => json!({"type": "SET", "set": {*field: value}}),
            Self::Quality(quality) => json!({"type": "SET", "set": {"linkQuality": quality}}),
            Self::Replace(field, find, replacement) => {
                json!({"type": "REPLACE", "fields": [field], "find": find, "replacement": replacement})
            }
            Self::Genre(change_type, genre) => {
                json!({"type": change_type, "list": "genres", "values": [genre]})
            }
        }
    }

    /// The value of the field after the change.
    fn applied(&self, known: &Value) -> Value {
        match self {
            Self::Set(_, value) => value.clone(),
            Self::Quality(quality) => each_link(known, |link| link["quality"] = json!(quality)),
            Self::Replace("links", find, replacement) => each_link(known, |link| {
                let url = replaced(&link["url"], find, replacement);
                link["url"] = url;
            }),
            Self::Replace(_, find, replacement) => replaced(known, find, replacement),
            Self::Genre(change_type, genre) => {
                let genre = json!(genre);
                let mut genres = known.as_array().unwrap().clone();
                if *change_type == "REMOVE" {
                    genres.retain(|one| *one != genre);
                } else if !genres.contains(&genre) {
                    genres.push(genre);
                }
                Value::Array(genres)
            }
        }
    }
}

fn replaced(text: &Value, find: &str, replacement: &str) -> Value {
    json!(text.as_str().unwrap().replace(find, replacement))
}

fn each_link(links: &Value, change: impl FnMut(&mut Value)) -> Value {
    let mut links = links.clone();
    links.as_array_mut().unwrap().iter_mut().for_each(change);
    links
}

/// The value of a field in a request. Dates of links are set by the server.
fn sent(field: &str, value: &Value) -> Value {
    if field == "links" {
        each_link(value, |link| link["audioLanguages"] = json!(["SPANISH"]))
    } else {
        value.clone()
    }
}

type Values = BTreeMap<&'static str, Value>;

const FIELDS: [&str; 6] = ["kidsContent", "adultContent", "classification", "genres", "title", "links"];

/// Of links, only what changes them, and what distinguishes them.
fn values_of(film: &Value) -> Values {
    let mut values: Values = FIELDS.map(|field| (field, film[field].clone())).into();
    let links = each_link(&film["links"], |link| {
        let known = ["id", "quality", "url"].map(|name| (name, link[name].clone()));
        *link = json!(BTreeMap::from(known));
    });
    values.insert("links", links);
    values
}

/// The steps of a sequence, printed if it fails.
#[derive(Default)]
struct Steps {
    of: &'static str,
    seed: u64,
    lines: Vec<String>,
}

impl Drop for Steps {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "sequence {} of {} failed after these steps:\n{}",
                self.seed,
                self.of,
                self.lines.join("\n")
            );
        }
    }
}

struct Film {
    values: Values,
    views: i64,
    is_in_trash: bool,
    /// Its values after each change, oldest first.
    versions: Vec<Values>,
    /// The operation that changed it last; `None` for an edit of the single film.
    last: Option<i64>,
}

/// The effect of an operation.
#[derive(Clone)]
enum Done {
    /// The film, the field, its value before and after.
    Set(Vec<(i64, &'static str, Value, Value)>),
    Deleted(Vec<i64>),
    Restored(Vec<i64>),
}

impl Done {
    fn is_nothing(&self) -> bool {
        match self {
            Self::Set(changes) => changes.is_empty(),
            Self::Deleted(ids) | Self::Restored(ids) => ids.is_empty(),
        }
    }
}

/// Changed, unchanged, refused, missing.
type Counts = [i64; 4];

#[derive(Default)]
struct Model {
    films: BTreeMap<i64, Film>,
    operations: BTreeMap<i64, Done>,
    undone: Vec<i64>,
    /// Reports, and the films that they are about.
    reports: Vec<(i64, i64)>,
    steps: Steps,
}

impl Model {
    fn note(&mut self, step: String) {
        self.steps.lines.push(step);
    }

    fn write(&mut self, id: i64, values: Values, by: Option<i64>) {
        let film = self.films.get_mut(&id).unwrap();
        film.last = by;
        film.values = values.clone();
        film.versions.push(values);
    }

    fn set(&mut self, ids: &[i64], change: &Change, by: i64) -> (Done, Counts) {
        let field = change.field();
        let mut counts = [0; 4];
        let mut changes = Vec::new();
        for id in ids {
            let film = &self.films[id];
            let known = film.values[field].clone();
            let after = change.applied(&known);
            if film.is_in_trash {
                counts[3] += 1;
            } else if known == after {
                counts[1] += 1;
            } else {
                counts[0] += 1;
                let mut values = film.values.clone();
                values.insert(field, after.clone());
                self.write(*id, values, Some(by));
                changes.push((*id, field, known, after));
            }
        }
        (Done::Set(changes), counts)
    }

    fn put(&mut self, id: i64, to_trash: bool, by: Option<i64>) {
        let film = self.films.get_mut(&id).unwrap();
        (film.is_in_trash, film.last) = (to_trash, by);
    }

    /// Whether another film that is not in the trash has the natural key of this one. Films that
    /// the undo `except` restored existed beside it before and do not count.
    fn is_key_in_use(&self, id: i64, except: Option<i64>) -> bool {
        let title = &self.films[&id].values["title"];
        self.films.iter().any(|(other, film)| {
            let counts = except.is_none() || film.last != except;
            *other != id && !film.is_in_trash && counts && film.values["title"] == *title
        })
    }

    /// Moves films to the trash or out of it; those that are already there are missing, and those
    /// whose natural key is in use stay there. If the move undoes an operation, films that were
    /// changed after it stay.
    fn moves(&mut self, ids: &[i64], to_trash: bool, by: Option<i64>, undone: Option<i64>) -> (Done, Counts) {
        let mut counts = [0; 4];
        let mut moved = Vec::new();
        for id in ids {
            let film = &self.films[id];
            if film.is_in_trash == to_trash {
                counts[3] += 1;
            } else if (undone.is_some() && film.last != undone)
                || (!to_trash && self.is_key_in_use(*id, undone.and(by)))
            {
                counts[2] += 1;
            } else {
                counts[0] += 1;
                self.put(*id, to_trash, by);
                moved.push(*id);
            }
        }
        (if to_trash { Done::Deleted(moved) } else { Done::Restored(moved) }, counts)
    }

    /// The values of a film into which another one is merged. An added link whose id the film has
    /// gets an id from the server, as stored.
    fn together(&self, kept: i64, merged: i64, stored: &Values) -> Values {
        let (mut values, others) = (self.films[&kept].values.clone(), &self.films[&merged].values);
        if values["genres"] == json!([]) {
            values.insert("genres", others["genres"].clone());
        }
        let mut links = values["links"].as_array().unwrap().clone();
        for other in others["links"].as_array().unwrap() {
            if links.iter().any(|link| link["url"] == other["url"]) {
                continue;
            }
            let mut added = other.clone();
            if links.iter().any(|link| link["id"] == other["id"]) {
                added["id"] = stored["links"][links.len()]["id"].clone();
                assert!(links.iter().all(|link| link["id"] != added["id"]), "{stored:?}");
            }
            links.push(added);
        }
        values.insert("links", Value::Array(links));
        values
    }

    /// Moves a film to the trash whose views and reports are those of another one from then on.
    fn merge(&mut self, kept: i64, merged: i64, values: Values) {
        self.write(kept, values, None);
        self.put(merged, true, None);
        let views = std::mem::take(&mut self.films.get_mut(&merged).unwrap().views);
        self.films.get_mut(&kept).unwrap().views += views;
        for (_, film) in self.reports.iter_mut().filter(|(_, film)| *film == merged) {
            *film = kept;
        }
    }

    fn undo(&mut self, undone_id: i64, by: i64) -> (Done, Counts) {
        self.undone.push(undone_id);
        let changes = match self.operations[&undone_id].clone() {
            Done::Deleted(ids) => return self.moves(&ids, false, Some(by), Some(undone_id)),
            Done::Restored(ids) => return self.moves(&ids, true, Some(by), Some(undone_id)),
            Done::Set(changes) => changes,
        };
        let mut counts = [0; 4];
        let mut undone = Vec::new();
        for (id, field, before, after) in changes {
            let film = &self.films[&id];
            let known = &film.values[field];
            if film.is_in_trash {
                counts[3] += 1;
            } else if *known == after {
                counts[0] += 1;
                let mut values = film.values.clone();
                values.insert(field, before.clone());
                self.write(id, values, Some(by));
                undone.push((id, field, after, before));
            } else if *known == before {
                counts[1] += 1;
            } else {
                counts[2] += 1;
            }
        }
        (Done::Set(undone), counts)
    }
}

async fn ended(app: &TestApp, client: &Client<'_>, begun: &Value) -> Counts {
    app.run_operations().await;
    let seen = client.get(&format!("/api/operations/{}", begun["id"])).send().await.json();
    assert_eq!(seen["state"], "FINISHED", "{seen}");
    ["changed", "unchanged", "refused", "missing"].map(|name| seen["counts"][name].as_i64().unwrap())
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
            let change = rng.change();
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

async fn step(app: &TestApp, client: &Client<'_>, rng: &mut Rng, model: &mut Model) {
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
            let change = moves.is_empty().then(|| rng.change());
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
            model.operations.insert(operation, done);
        }
    }
}

/// How many sequences there are, on a push and nightly.
fn sequences(on_push: u64, nightly: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the number of sequences is set on the command line")]
    let said = std::env::var("CARTELERA_MACHINE_SEQUENCES").ok().and_then(|text| text.parse().ok());
    let is_nightly = std::env::var_os("CARTELERA_NIGHTLY").is_some_and(|value| value == "1");
    said.unwrap_or(if is_nightly { nightly } else { on_push })
}

/// A valid film with two links.
async fn film(manager: &Client<'_>) -> Value {
    let mut draft = manager.film().await;
    let link = |id: &str, host: &str| json!({"id": id, "quality": QUALITIES[0], "url": format!("https://{host}/{id}.m3u8")});
    draft["links"] = sent("links", &json!([link("a", HOSTS[0]), link("b", HOSTS[1])]));
    draft
}

/// The reports are an admin's.
async fn play(app: &TestApp, manager: &Client<'_>, admin: &Client<'_>, draft: &Value, seed: u64) {
    let mut rng = Rng(seed);
    let steps = Steps { of: "films", seed, lines: Vec::new() };
    let mut model = Model { steps, ..Model::default() };
    let mut draft = draft.clone();
    for number in 0..FILMS {
        // No film of another sequence has its natural key.
        let name = NAMES[usize::try_from(number).unwrap() % NAMES.len()];
        draft["title"] = json!(format!("Film {seed} {name}"));
        let film = manager.create("movies", &draft).await;
        let values = values_of(&film);
        let versions = vec![values.clone()];
        let (id, views) = (film["id"].as_i64().unwrap(), i64::try_from(number).unwrap() + 1);
        app.run(&format!("UPDATE movies SET views = {views} WHERE id = {id}")).await;
        let report = json!({
            "title": "No carga", "contentType": "MOVIE", "contentId": id, "reportType": "NOT_LOADING",
        });
        let report = admin.create("issue-reports", &report).await;
        model.reports.push((report["id"].as_i64().unwrap(), id));
        model.films.insert(id, Film { values, views, is_in_trash: false, versions, last: None });
    }
    for _ in 0..STEPS {
        step(app, manager, &mut rng, &mut model).await;
    }
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

async fn play_all(app: &TestApp, seeds: &[u64]) {
    let manager = app.manager().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    let draft = film(&manager).await;
    for seed in seeds {
        play(app, &manager, &admin, &draft, *seed).await;
    }
}

/// Every fourth sequence from this one.
async fn play_from(first: u64) {
    let seeds: Vec<u64> = (0..sequences(25, 400)).filter(|seed| seed % 4 == first).collect();
    for some in seeds.chunks(SEQUENCES_OF_A_DATABASE) {
        let app = TestApp::new().await;
        play_all(&app, some).await;
    }
}

/// The first quarter of the sequences, on PostgreSQL.
async fn play_on_postgres() {
    let seeds: Vec<u64> = (0..sequences(25, 400) / 4).collect();
    for some in seeds.chunks(SEQUENCES_OF_A_DATABASE) {
        let Some(app) = TestApp::on_postgres().await else { return };
        play_all(&app, some).await;
        app.drop_database().await;
    }
}

/// Quarters of the sequences, which run in parallel.
macro_rules! quarters {
    ($($name:ident $first:literal)+) => {
        mod bulk_operations_equal_their_model {
            $(
                #[actix_web::test]
                async fn $name() {
                    super::play_from($first).await;
                }
            )+

            #[actix_web::test]
            async fn postgres() {
                super::play_on_postgres().await;
            }
        }
    };
}

quarters! { first_quarter 0  second_quarter 1  third_quarter 2  last_quarter 3 }
