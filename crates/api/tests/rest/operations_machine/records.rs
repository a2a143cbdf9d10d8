//! The same for what can't be deleted: generated edits of single users and reports, bulk changes of
//! them and their undos, against a model of status and agent of customers, and of status and
//! priority of reports.

use std::collections::BTreeMap;

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{
    comparison::ended,
    model::{Counts, Values},
    sequences::{Rng, SEQUENCES_OF_A_DATABASE, STEPS, Steps, sequences},
};
use crate::{app::TestApp, client::Client};

const RECORDS: u64 = 3;
const AGENTS: [&str; 2] = ["machine_north", "machine_south"];
const USER_STATUSES: [&str; 3] = ["ACTIVE", "INACTIVE", "SUSPENDED"];
const REPORT_STATUSES: [&str; 5] = ["REPORTADO", "EN_PROGRESO", "RESUELTO", "CERRADO", "RECHAZADO"];
const PRIORITIES: [&str; 3] = ["LOW", "MEDIUM", "HIGH"];

const USERS: &str = "users";
const REPORTS: &str = "issue-reports";

/// A customer or a report.
struct Record {
    resource: &'static str,
    /// As operations name it: the user name or the id.
    item: Value,
    values: Values,
}

impl Record {
    fn path(&self) -> String {
        let item = self.item.as_str().map_or_else(|| self.item.to_string(), str::to_owned);
        format!("/api/{}/{item}", self.resource)
    }

    /// Whether an edit, or a bulk change, may set this value. An undo may set any former one.
    fn allows(&self, field: &str, value: &Value) -> bool {
        if field != "status" {
            return true;
        }
        match (self.values["status"].as_str().unwrap(), value.as_str().unwrap()) {
            // They have no credits.
            ("INACTIVE", "ACTIVE") => false,
            ("RESUELTO", "EN_PROGRESO" | "RECHAZADO") => false,
            ("RECHAZADO", "EN_PROGRESO") => false,
            ("CERRADO", next) => ["CERRADO", "REPORTADO"].contains(&next),
            _ => true,
        }
    }
}

fn fields(resource: &str) -> [&'static str; 2] {
    if resource == USERS { ["registeredBy", "status"] } else { ["priority", "status"] }
}

fn record(resource: &'static str, item: &Value, stored: &Value) -> Record {
    let values = fields(resource).map(|field| (field, stored[field].clone())).into();
    Record { resource, item: item.clone(), values }
}

fn change(rng: &mut Rng, resource: &str) -> (&'static str, Value) {
    let is_of_users = resource == USERS;
    match rng.below(3) {
        0 if is_of_users && rng.below(3) == 0 => ("registeredBy", Value::Null),
        0 if is_of_users => ("registeredBy", json!(rng.one_of(&AGENTS))),
        0 => ("priority", json!(rng.one_of(&PRIORITIES))),
        _ if is_of_users => ("status", json!(rng.one_of(&USER_STATUSES))),
        _ => ("status", json!(rng.one_of(&REPORT_STATUSES))),
    }
}

/// The record, the field, its value before and after.
type Changed = (usize, &'static str, Value, Value);

#[derive(Default)]
struct Model {
    records: Vec<Record>,
    operations: BTreeMap<i64, Vec<Changed>>,
    /// Operations with an undo that changed something.
    undone: Vec<i64>,
    steps: Steps,
}

impl Model {
    fn set(&mut self, some: &[usize], (field, value): &(&'static str, Value)) -> (Vec<Changed>, Counts) {
        let mut counts = [0; 4];
        let mut changed = Vec::new();
        for index in some {
            let record = &mut self.records[*index];
            let known = record.values[field].clone();
            if known == *value {
                counts[1] += 1;
            } else if record.allows(field, value) {
                counts[0] += 1;
                record.values.insert(*field, value.clone());
                changed.push((*index, *field, known, value.clone()));
            } else {
                counts[2] += 1;
            }
        }
        (changed, counts)
    }

    fn undo(&mut self, operation: i64) -> (Vec<Changed>, Counts) {
        let mut counts = [0; 4];
        let mut changed = Vec::new();
        for (index, field, before, after) in self.operations[&operation].clone() {
            let record = &mut self.records[index];
            let known = record.values[field].clone();
            if known == after {
                counts[0] += 1;
                record.values.insert(field, before.clone());
                changed.push((index, field, after, before));
            } else if known == before {
                counts[1] += 1;
            } else {
                counts[2] += 1;
            }
        }
        (changed, counts)
    }
}

async fn step(app: &TestApp, admin: &Client<'_>, rng: &mut Rng, model: &mut Model) {
    let resource = [USERS, REPORTS][usize::from(rng.below(2) == 0)];
    let places = model.records.iter().enumerate().filter(|(_, record)| record.resource == resource);
    let places: Vec<usize> = places.map(|(index, _)| index).collect();
    match rng.below(4) {
        0 => {
            let index = rng.one_of(&places).unwrap();
            let (field, value) = change(rng, resource);
            let record = &model.records[index];
            let path = record.path();
            let is_allowed = record.allows(field, &value);
            model.steps.lines.push(format!("PATCH {path}: {field} = {value}"));
            let edited = admin.patch(&path).json(&json!({field: value})).send().await;
            assert_eq!(edited.status == 200, is_allowed, "{path}, {field} = {value}: {}", edited.text());
            if is_allowed {
                model.records[index].values.insert(field, value);
            }
        }
        1 | 2 => {
            let some: Vec<usize> = places.into_iter().filter(|_| rng.below(3) > 0).collect();
            if some.is_empty() {
                return;
            }
            let change = change(rng, resource);
            let items: Vec<&Value> = some.iter().map(|index| &model.records[*index].item).collect();
            let (field, value) = &change;
            let action = json!({"type": "SET", "set": {*field: value}});
            let body = json!({"resource": resource, "ids": items, "action": action});
            model.steps.lines.push(body.to_string());
            let begun = admin.post("/api/operations").json(&body).send().await;
            assert_eq!(begun.status, 202, "{body}: {}", begun.text());
            let begun = begun.json();
            let (changed, counts) = model.set(&some, &change);
            assert_eq!(ended(app, admin, &begun).await, counts, "{body}");
            model.operations.insert(begun["id"].as_i64().unwrap(), changed);
        }
        _ => {
            let known: Vec<i64> = model.operations.keys().copied().collect();
            let Some(id) = rng.one_of(&known) else { return };
            model.steps.lines.push(format!("undo of {id}"));
            let undo = admin.post(&format!("/api/operations/{id}/undo")).send().await;
            if model.undone.contains(&id) || model.operations[&id].is_empty() {
                assert_eq!(undo.status, 409, "{}", undo.text());
                return;
            }
            assert_eq!(undo.status, 202, "{}", undo.text());
            let undo = undo.json();
            let (changed, counts) = model.undo(id);
            assert_eq!(ended(app, admin, &undo).await, counts, "undo of {id}");
            if counts[0] > 0 {
                model.undone.push(id);
            }
            model.operations.insert(undo["id"].as_i64().unwrap(), changed);
        }
    }
}

async fn play(app: &TestApp, admin: &Client<'_>, agent: &Client<'_>, seed: u64) {
    let mut rng = Rng(seed);
    let steps = Steps { of: "users and reports", seed, lines: Vec::new() };
    let mut model = Model { steps, ..Model::default() };
    for number in 0..RECORDS {
        let customer = agent.register(&format!("machine_{seed}_{number}"), "app").await;
        model.records.push(record(USERS, &customer["username"], &customer));
        let draft = json!({"title": format!("Reporte {seed} {number}"), "contentType": "MOVIE", "reportType": "NOT_LOADING"});
        let report = admin.create(REPORTS, &draft).await;
        // Later changes of its status change nothing but that: it has an assignee.
        let path = format!("/api/{REPORTS}/{}", report["id"]);
        let begun = admin.patch(&path).json(&json!({"status": "EN_PROGRESO"})).send().await;
        assert_eq!(begun.status, 200, "{}", begun.text());
        model.records.push(record(REPORTS, &report["id"], &begun.json()));
    }
    for _ in 0..STEPS {
        step(app, admin, &mut rng, &mut model).await;
    }
    for known in &model.records {
        let path = known.path();
        let stored = admin.get(&path).send().await;
        assert_eq!(stored.status, 200, "{}", stored.text());
        let stored = record(known.resource, &known.item, &stored.json());
        assert_eq!(stored.values, known.values, "{path}, sequence {seed}");
    }
}

async fn play_all(app: &TestApp, seeds: &[u64]) {
    let admin = app.sign_in_as(RoleCode::Admin).await;
    for agent in AGENTS {
        admin.register(agent, "agent").await;
    }
    let agent = app.sign_in(AGENTS[0]).await;
    for seed in seeds {
        play(app, &admin, &agent, *seed).await;
    }
}

mod users_and_reports_equal_their_model {
    use super::*;

    #[actix_web::test]
    async fn sqlite() {
        let seeds: Vec<u64> = (0..sequences(15, 150)).collect();
        for some in seeds.chunks(SEQUENCES_OF_A_DATABASE) {
            play_all(&TestApp::new().await, some).await;
        }
    }

    #[actix_web::test]
    async fn postgres() {
        // The first third of the sequences.
        let seeds: Vec<u64> = (0..sequences(15, 150) / 3).collect();
        for some in seeds.chunks(SEQUENCES_OF_A_DATABASE) {
            let Some(app) = TestApp::on_postgres().await else { return };
            play_all(&app, some).await;
            app.drop_database().await;
        }
    }
}
