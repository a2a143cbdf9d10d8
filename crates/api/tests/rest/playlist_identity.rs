//! A source's life: a list that changes at every refresh keeps its entries.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use crate::{
    app::TestApp,
    playlists::{changes, read, source},
};

/// An entry as its provider sees it.
#[derive(Clone)]
struct Provided {
    number: usize,
    name: String,
    group: String,
    token: u64,
}

/// Numbers that look like chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn is(&mut self, in_hundred: u64) -> bool {
        self.next() % 100 < in_hundred
    }
}

fn provided(number: usize, chance: &mut Chance) -> Provided {
    let group = format!("Grupo {}", chance.next() % 20);
    Provided { number, name: format!("Canal {number}"), group, token: chance.next() }
}

fn written(list: &[Provided]) -> String {
    let entry = |one: &Provided| {
        format!(
            "#EXTINF:-1 tvg-id=\"c{0}\" group-title=\"{1}\",{2}\nhttp://h.example/live/canal-{0}/index.m3u8?token={3:x}\n",
            one.number, one.group, one.name, one.token
        )
    };
    std::iter::once("#EXTM3U\n".to_owned()).chain(list.iter().map(entry)).collect()
}

/// What is stored of entries.
const ROWS: &str = "SELECT id || ' ' || change || ' ' || content || ' ' || coalesce(missing_since, '-') AS line \
     FROM playlist_entries ORDER BY id";

#[actix_web::test]
async fn entries_keep_their_identity_through_ten_refreshes() {
    let app = TestApp::new().await;
    let manager = app.manager().await;
    let source = source(&manager, json!({})).await;
    let mut chance = Chance(7);
    let mut list: Vec<Provided> = (0..300).map(|number| provided(number, &mut chance)).collect();
    let mut ids: HashMap<usize, Value> = HashMap::new();
    let (mut kept, mut lost) = (0, 0);
    let mut ignored = None;
    for refresh in 0..10 {
        let run = read(&app, &manager, &source, &written(&list), "").await;
        assert_eq!(run["state"], "FINISHED", "{run}");
        let entries = changes(&manager, &source, &run, "_size=1000&change=NEW,CHANGED,UNCHANGED").await;
        let mut seen = HashSet::new();
        for entry in &entries {
            let url = entry["url"].as_str().unwrap();
            let number = url.split("canal-").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
            assert!(seen.insert(number), "refresh {refresh}: {url} is there twice");
            match ids.insert(number, entry["id"].clone()) {
                Some(id) if id != entry["id"] => lost += 1,
                Some(_) => kept += 1,
                None => {}
            }
        }
        match &ignored {
            None => {
                let body = json!({"ids": [entries[0]["id"]], "ignored": true});
                assert_eq!(manager.post(&format!("{source}/ignored")).json(&body).send().await.status, 200);
                ignored = Some(entries[0]["id"].clone());
            }
            Some(id) => assert!(entries.iter().all(|entry| entry["id"] != *id || entry["ignored"] == true)),
        }
        let rows = app.texts(ROWS, "line").await;
        read(&app, &manager, &source, &written(&list), "").await;
        assert_eq!(app.texts(ROWS, "line").await, rows, "the same list writes nothing");

        list.retain(|_| !chance.is(3));
        for one in &mut list {
            one.token = chance.next();
            if chance.is(5) {
                one.name = format!("{} HD {refresh}", one.name);
            }
            if chance.is(10) {
                one.group = format!("Grupo {}", chance.next() % 20);
            }
        }
        let doubled: Vec<Provided> = list.iter().filter(|_| chance.is(1)).cloned().collect();
        let next = 1_000 + refresh * 9;
        let new: Vec<Provided> = (next..next + 9).map(|number| provided(number, &mut chance)).collect();
        list.extend(new);
        list.sort_by_key(|one| one.token);
        // One in a hundred is there twice, for one refresh.
        let twice: Vec<Provided> = list.iter().cloned().chain(doubled).collect();
        read(&app, &manager, &source, &written(&twice), "").await;
    }
    assert!(kept > 2_000, "{kept}");
    assert!(lost * 1_000 <= kept * 5, "{lost} of {kept} lost their identity");
}
