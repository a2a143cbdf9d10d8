//! Entries keep their identity over many refreshes of a changing list.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use crate::{
    app::TestApp,
    client::Client,
    playlists::{apply, changes, channels, read, source},
};

/// An entry at its provider.
#[derive(Clone)]
struct Provided {
    number: usize,
    name: String,
    group: String,
    token: u64,
}

/// Pseudorandom numbers, the same in every run.
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

impl Provided {
    /// The stable part of its address determines how it is recognized.
    fn address(&self) -> String {
        let Self { number, token, .. } = self;
        match number % 6 {
            // The address of others, except for the token.
            0..=2 => format!("http://h.example/live/index.m3u8?token={token:x}"),
            // No stable part.
            3 | 4 => format!("http://h.example/{token:x}/index.m3u8"),
            _ => format!("http://h.example/live/canal-{number}/index.m3u8?token={token:x}"),
        }
    }

    fn has_guide_id(&self) -> bool {
        !matches!(self.number % 6, 2 | 4)
    }

    /// Whether a part stays when it is renamed.
    fn may_be_renamed(&self) -> bool {
        self.has_guide_id() && self.number % 6 != 3
    }
}

fn written(list: &[Provided]) -> String {
    let entry = |one: &Provided| {
        let id = if one.has_guide_id() { format!("tvg-id=\"c{}\" ", one.number) } else { String::new() };
        format!("#EXTINF:-1 {id}group-title=\"{}\",{}\n{}\n", one.group, one.name, one.address())
    };
    std::iter::once("#EXTM3U\n".to_owned()).chain(list.iter().map(entry)).collect()
}

/// The number of an entry: the second word of its name, which stays.
fn number_of(entry: &Value) -> usize {
    entry["name"].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap()
}

/// Entries whose channels a user edited, and those that a user ignored: one of each kind.
const EDITED: [usize; 6] = [0, 1, 2, 3, 4, 5];
const IGNORED: [usize; 6] = [6, 7, 8, 9, 10, 11];

/// Ignores entries, and edits the channels of others. Returns these channels.
async fn decide(
    app: &TestApp,
    manager: &Client<'_>,
    source: &str,
    run: &Value,
    ids: &HashMap<usize, Value>,
) -> HashMap<usize, Value> {
    let body = json!({"ids": IGNORED.map(|number| ids[&number].clone()), "ignored": true});
    assert_eq!(manager.post(&format!("{source}/ignored")).json(&body).send().await.status, 200);
    let body = json!({"ids": EDITED.map(|number| ids[&number].clone())});
    apply(app, manager, source, run, body).await;
    let mut edited = HashMap::new();
    for channel in channels(manager).await {
        let number: usize = channel["title"].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let path = format!("/api/tv-channels/{}", channel["id"]);
        let changed = manager.patch(&path).json(&json!({"title": format!("Mío {number}")})).send().await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        edited.insert(number, channel["id"].clone());
    }
    assert_eq!(edited.len(), EDITED.len());
    edited
}

/// The stored entries.
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
    let mut decided: HashMap<usize, Value> = HashMap::new();
    let mut edited: HashMap<usize, Value> = HashMap::new();
    let mut signs = BTreeSet::new();
    for refresh in 0..10 {
        let run = read(&app, &manager, &source, &written(&list), "").await;
        assert_eq!(run["state"], "FINISHED", "{run}");
        let entries = changes(&manager, &source, &run, "_size=1000&change=NEW,CHANGED,UNCHANGED").await;
        let mut seen = HashSet::new();
        for entry in &entries {
            let number = number_of(entry);
            assert!(seen.insert(number), "refresh {refresh}: {entry} is there twice");
            signs.extend(entry["recognisedBy"].as_str().map(str::to_owned));
            match ids.insert(number, entry["id"].clone()) {
                Some(id) if id != entry["id"] => lost += 1,
                Some(_) => kept += 1,
                None => {}
            }
        }
        if refresh == 0 {
            decided.clone_from(&ids);
            edited = decide(&app, &manager, &source, &run, &ids).await;
        } else {
            for number in EDITED.into_iter().chain(IGNORED) {
                let entry = entries.iter().find(|entry| entry["id"] == decided[&number]);
                let entry =
                    entry.unwrap_or_else(|| panic!("refresh {refresh}: the entry of {number} is missing"));
                assert_eq!(number_of(entry), number, "refresh {refresh}: {entry}");
                assert_eq!(entry["ignored"], IGNORED.contains(&number), "refresh {refresh}: {entry}");
                assert_eq!(&entry["itemId"], edited.get(&number).unwrap_or(&Value::Null), "{entry}");
            }
        }
        let rows = app.texts(ROWS, "line").await;
        read(&app, &manager, &source, &written(&list), "").await;
        assert_eq!(app.texts(ROWS, "line").await, rows, "the same list writes nothing");
        if refresh > 0 {
            // One entry, and half of the next one.
            let cut_off = written(&list[..2]);
            let cut_off = &cut_off[..cut_off.len() - 20];
            for bad in ["", "<html><body>502</body></html>", cut_off] {
                let run = read(&app, &manager, &source, bad, "").await;
                assert_ne!(run["state"], "FINISHED", "refresh {refresh}: {bad}");
                assert_eq!(app.texts(ROWS, "line").await, rows, "refresh {refresh}: {bad} writes nothing");
            }
        }

        // Entries with decisions are never missing, because then they would not be compared.
        let is_decided = |number: &usize| EDITED.contains(number) || IGNORED.contains(number);
        list.retain(|one| is_decided(&one.number) || !chance.is(3));
        for one in &mut list {
            one.token = chance.next();
            if chance.is(5) && one.may_be_renamed() {
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
        // One in a hundred is duplicated for one refresh.
        let twice: Vec<Provided> = list.iter().cloned().chain(doubled).collect();
        read(&app, &manager, &source, &written(&twice), "").await;
    }
    assert!(kept > 2_000, "{kept}");
    assert!(lost * 1_000 <= kept * 5, "{lost} of {kept} lost their identity");
    let by = [
        "GUIDE_ID_AND_NAME",
        "NAME",
        "NAME_AND_GROUP",
        "PATH_AND_GUIDE_ID",
        "PATH_AND_NAME",
        "STABLE_ADDRESS",
    ];
    assert_eq!(signs.iter().map(String::as_str).collect::<Vec<_>>(), by, "each of these signs decided");

    let run = read(&app, &manager, &source, &written(&list), "").await;
    apply(&app, &manager, &source, &run, json!({"filter": {"change": "CHANGED"}})).await;
    let of: HashMap<usize, &Provided> = list.iter().map(|one| (one.number, one)).collect();
    let stored = channels(&manager).await;
    assert_eq!(stored.len(), EDITED.len(), "what was ignored became no channel");
    for (number, id) in &edited {
        let channel = stored.iter().find(|channel| channel["id"] == *id).unwrap();
        assert_eq!(
            (&channel["title"], &channel["url"]),
            (&json!(format!("Mío {number}")), &json!(of[number].address()))
        );
    }
}
