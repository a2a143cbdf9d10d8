//! Profiles: their URLs, playlists and guides. This file has what their tests share: a profile, its
//! playlist, channels and categories.

mod guides;
mod playlists;
mod profiles;

use serde_json::{Value, json};

use crate::{
    app::TestApp,
    client::{Answer, Client},
};

const LIST: &str = "/api/live-profiles";

/// A profile for a key of its own.
async fn profile(admin: &Client<'_>, changes: Value) -> Value {
    let key = json!({"name": "TV", "scopes": ["CATALOGUE_READ"]});
    let key = admin.create("integrator-keys", &key).await["id"].clone();
    let mut draft = json!({"name": "Salón", "keyId": key});
    for (name, value) in changes.as_object().unwrap() {
        draft[name] = value.clone();
    }
    admin.create("live-profiles", &draft).await
}

fn address(made: &Value) -> String {
    format!("/api/live/{}/playlist.m3u", made["secret"].as_str().unwrap())
}

async fn playlist(app: &TestApp, made: &Value) -> Answer {
    app.anonymous().get(&address(made)).send().await
}

/// A playlist without its first line, which has the URL of the guide.
fn entries(playlist: &str) -> &str {
    playlist.split_once('\n').unwrap().1
}

async fn category(admin: &Client<'_>, name: &str) -> Value {
    let category = json!({"description": name, "englishDescription": name, "type": "TV_CHANNEL"});
    admin.create("categories", &category).await["id"].clone()
}

async fn channel(admin: &Client<'_>, category: &Value, number: i64, changes: Value) -> Value {
    let mut draft = json!({
        "channelNumber": number, "title": format!("Canal {number}"), "categories": [category],
        "urlType": "EXTERNAL", "url": format!("https://h.example/{number}.m3u8"),
    });
    for (name, value) in changes.as_object().unwrap() {
        draft[name] = value.clone();
    }
    admin.create("tv-channels", &draft).await
}
