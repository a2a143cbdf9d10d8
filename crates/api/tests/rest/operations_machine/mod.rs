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

mod comparison;
mod model;
mod records;
mod sequences;
mod steps;

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use self::{
    comparison::{compare_all, values_of},
    model::{Film, Model},
    sequences::{Rng, SEQUENCES_OF_A_DATABASE, STEPS, Steps, sequences},
    steps::{HOSTS, NAMES, QUALITIES, sent, step},
};
use crate::{app::TestApp, client::Client};

const FILMS: u64 = 5;

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
    compare_all(manager, admin, &model).await;
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
