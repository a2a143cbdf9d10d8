//! Playlist sources: a list is read, differences are shown and applied, and a failing source
//! changes nothing.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

/// A source with a category for its channels.
pub async fn source(client: &Client<'_>, changes: Value) -> String {
    let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
    let category = client.create("categories", &category).await["id"].clone();
    let mut draft = json!({"title": "España", "defaultCategoryId": category, "firstNumber": 500});
    for (name, value) in changes.as_object().unwrap() {
        draft[name] = value.clone();
    }
    let made = client.create("playlist-sources", &draft).await;
    format!("/api/playlist-sources/{}", made["id"])
}

/// A run of an uploaded list, after its end.
pub async fn read(app: &TestApp, client: &Client<'_>, source: &str, list: &str, query: &str) -> Value {
    let path = format!("{source}/upload?fileName=lista.m3u{query}");
    let begun = client.post(&path).body("application/octet-stream", list.to_owned()).send().await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    app.read_playlists().await;
    client.get(&format!("{source}/runs/{}", begun.json()["id"])).send().await.json()
}

/// Answers every request with a list, which can be replaced.
pub struct ListServer {
    pub url: String,
    list: Arc<Mutex<String>>,
}

impl ListServer {
    pub fn start(list: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/l.m3u", listener.local_addr().unwrap());
        let list = Arc::new(Mutex::new(list.to_owned()));
        let answers = list.clone();
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { continue };
                let mut head = BufReader::new(&connection).lines();
                while head.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let list = answers.lock().unwrap().clone();
                let length = list.len();
                // The client may have closed the connection.
                drop(write!(
                    connection,
                    "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{list}"
                ));
            }
        });
        Self { url, list }
    }

    pub fn answer(&self, list: &str) {
        list.clone_into(&mut self.list.lock().unwrap());
    }
}

/// New, changed, unchanged, missing, duplicates, refused.
pub fn counts(run: &Value) -> [i64; 6] {
    assert_eq!(run["state"], "FINISHED", "{run}");
    ["new", "changed", "unchanged", "missing", "duplicates", "refused"]
        .map(|name| run["counts"][name].as_i64().unwrap())
}

pub async fn changes(client: &Client<'_>, source: &str, run: &Value, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("{source}/runs/{}/changes?{query}", run["id"])).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["content"].as_array().unwrap().clone()
}

/// Applies entries and runs the operations; returns the operations.
pub async fn apply(app: &TestApp, client: &Client<'_>, source: &str, run: &Value, body: Value) -> Vec<Value> {
    let begun = client.post(&format!("{source}/runs/{}/apply", run["id"])).json(&body).send().await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    app.run_operations().await;
    let mut ended = Vec::new();
    for operation in begun.json()["operations"].as_array().unwrap() {
        ended.push(client.get(&format!("/api/operations/{}", operation["id"])).send().await.json());
    }
    ended
}

pub async fn channels(client: &Client<'_>) -> Vec<Value> {
    let page = client.get("/api/tv-channels?_sort=id&_size=100").send().await.json();
    page["content"].as_array().unwrap().clone()
}

pub const LIST: &str = "#EXTM3U url-tvg=\"http://g.example/g.xml\"\n\
    #EXTINF:-1 tvg-id=\"siete\" tvg-chno=\"7\" group-title=\"Noticias\",Siete\nhttp://h.example/7.m3u8?token=a\n\
    #EXTINF:-1 group-title=\"Cine\",Ocho\nhttp://h.example/8.m3u8\n\
    #EXTINF:-1 group-title=\"Cine\",Ocho\nhttp://h.example/8.m3u8\n\
    #EXTINF:-1 radio=\"true\" tvg-country=\"ES\" group-title=\"Jazz\",Radio Mar\nhttp://h.example/mar.aac\n\
    #EXTINF:-1,Sin dirección\n\
    #EXTINF:-1,Nueve\nhttp://h.example/9.m3u8\n";

/// Entries with these numbers in the list.
fn numbered(numbers: &[&str]) -> String {
    let entry = |(at, number): (usize, &&str)| {
        format!("#EXTINF:-1 tvg-chno=\"{number}\",Canal {at}\nhttp://h.example/{at}.m3u8\n")
    };
    format!("#EXTM3U\n{}", numbers.iter().enumerate().map(entry).collect::<String>())
}

on_both! {
    #[smoke]
    async fn entries_without_a_valid_number_are_numbered_after_the_others(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        for numbers in [&["", "5.1", "9000"][..], &["", "5.1", "9000", "", "5.2"]] {
            let run = read(app, &manager, &source, &numbered(numbers), "").await;
            apply(app, &manager, &source, &run, json!({"filter": {"change": "NEW"}})).await;
        }
        let stored = channels(&manager).await;
        let numbers: Vec<i64> = stored.iter().map(|one| one["channelNumber"].as_i64().unwrap()).collect();
        assert_eq!(numbers, [500, 501, 9000, 502, 503]);
    }

    #[smoke]
    async fn a_list_becomes_channels_and_stations_and_an_undo_removes_them(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        assert_eq!(counts(&run), [4, 0, 0, 0, 1, 1], "{run}");
        assert_eq!(run["guides"], json!(["http://g.example/g.xml"]));
        assert!(channels(&manager).await.is_empty(), "nothing changes by reading");
        let lines = manager.get(&format!("{source}/runs/{}/lines", run["id"])).send().await.json();
        let reasons: Vec<&Value> = lines["content"].as_array().unwrap().iter().map(|line| &line["reason"]).collect();
        assert_eq!(reasons, [&json!("SAME_ADDRESS"), &json!("NAME_WITHOUT_ADDRESS")], "{lines}");

        let ended = apply(app, &manager, &source, &run, json!({"filter": {"change": "NEW"}, "expectedCount": 4})).await;
        let created = |operation: &Value| (operation["resource"].clone(), operation["counts"]["created"].clone());
        let made: Vec<_> = ended.iter().map(created).collect();
        assert_eq!(made, [(json!("tv-channels"), json!(3)), (json!("radio-stations"), json!(1))], "{ended:?}");
        let stored = channels(&manager).await;
        let numbers: Vec<_> = stored.iter().map(|one| (one["title"].clone(), one["channelNumber"].clone())).collect();
        assert_eq!(numbers, [(json!("Siete"), json!(7)), (json!("Ocho"), json!(500)), (json!("Nueve"), json!(501))]);
        assert_eq!((&stored[0]["url"], &stored[0]["epgId"]), (&json!("http://h.example/7.m3u8?token=a"), &json!("siete")));
        assert_eq!(changes(&manager, &source, &run, "change=NEW").await, Vec::<Value>::new());
        let unchanged = changes(&manager, &source, &run, "change=UNCHANGED").await;
        assert_eq!((unchanged.len(), &unchanged[0]["itemId"]), (4, &stored[0]["id"]));
        let again = manager.post(&format!("{source}/runs/{}/apply", run["id"])).json(&json!({"filter": {}})).send().await;
        assert_eq!(again.status, 409, "{}", again.text());

        let undo = format!("/api/operations/{}/undo", ended[0]["id"]);
        assert_eq!(manager.post(&undo).send().await.status, 202);
        app.run_operations().await;
        assert!(channels(&manager).await.is_empty());
        assert_eq!(changes(&manager, &source, &run, "change=NEW").await.len(), 3, "they are new again");
    }

    async fn a_refresh_applies_changes_except_for_fields_changed_by_a_user(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"radio": false}})).await;
        let before = channels(&manager).await;
        let eight = format!("/api/tv-channels/{}", before[1]["id"]);
        assert_eq!(manager.patch(&eight).json(&json!({"title": "Mi ocho"})).send().await.status, 200);

        let same = read(app, &manager, &source, LIST, "").await;
        assert_eq!(counts(&same), [0, 0, 4, 0, 1, 1]);
        let other = LIST.replace("token=a", "token=b").replace(",Ocho", ",Ocho HD").replace(",Nueve", ",Nueve HD");
        let run = read(app, &manager, &source, &other, "").await;
        assert_eq!(counts(&run), [0, 3, 1, 0, 1, 1]);
        let found = changes(&manager, &source, &run, "change=CHANGED").await;
        let field = |row: &Value| row["fields"].as_array().unwrap().iter().map(|one| (one["field"].clone(), one["own"].clone())).collect::<Vec<_>>();
        assert_eq!(field(&found[0]), [(json!("URL"), json!(false))], "{found:?}");
        assert_eq!(field(&found[1]), [(json!("NAME"), json!(true))], "{found:?}");
        let old = manager.get(&format!("{source}/runs/{}/changes", same["id"])).send().await;
        assert_eq!(old.status, 409, "a later run has the findings");

        let ended = apply(app, &manager, &source, &run, json!({"filter": {"change": "CHANGED"}})).await;
        assert_eq!(ended[0]["counts"]["changed"], 2, "{ended:?}");
        let after = channels(&manager).await;
        let shown = |one: &Value| (one["title"].clone(), one["url"].clone(), one["channelNumber"].clone());
        let expected = [
            (json!("Siete"), json!("http://h.example/7.m3u8?token=b"), json!(7)),
            (json!("Mi ocho"), json!("http://h.example/8.m3u8"), json!(500)),
            (json!("Nueve HD"), json!("http://h.example/9.m3u8"), json!(501)),
        ];
        assert_eq!(after.iter().map(shown).collect::<Vec<_>>(), expected);
        assert!(changes(&manager, &source, &run, "change=CHANGED").await.is_empty());
    }

    async fn a_failing_source_changes_nothing_and_has_the_reason(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"radio": false}})).await;
        let entries = changes(&manager, &source, &run, "").await;
        let halved: String = LIST.split_inclusive('\n').take(3).collect();
        for (list, state, fault) in [
            ("", "FAILED", "EMPTY"),
            ("#EXTM3U\n", "FAILED", "EMPTY"),
            ("<html><body>502</body></html>", "FAILED", "HTML"),
            ("{\"error\": 1}", "FAILED", "JSON"),
            ("#EXTM3U\n#EXTINF:-1,Solo\n", "FAILED", "EMPTY"),
            ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6.0,\na.ts\n", "FAILED", "HLS_MEDIA"),
            ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n", "FAILED", "HLS_MASTER"),
            ("<?xml version=\"1.0\"?><tv></tv>", "FAILED", "XML"),
            ("Bad Gateway", "FAILED", "NOT_A_PLAYLIST"),
            (&halved, "STOPPED", "TOO_MANY_MISSING"),
        ] {
            let bad = read(app, &manager, &source, list, "").await;
            assert_eq!((&bad["state"], &bad["fault"]), (&json!(state), &json!(fault)), "{list}");
            assert_eq!(changes(&manager, &source, &run, "").await, entries, "{list}");
        }
        let accepted = read(app, &manager, &source, &halved, "&acceptLoss=true").await;
        assert_eq!(counts(&accepted), [0, 0, 1, 3, 0, 0]);
        let missing = changes(&manager, &source, &accepted, "change=MISSING").await;
        assert!(missing.iter().all(|row| row["missingSince"].is_string()), "{missing:?}");
        assert_eq!(channels(&manager).await.len(), 3, "nothing is deleted");
        let back = read(app, &manager, &source, LIST, "").await;
        assert_eq!(counts(&back)[..4], [0, 0, 4, 0]);
        let mut found = changes(&manager, &source, &back, "").await;
        for entry in &mut found {
            entry["recognisedBy"] = Value::Null;
        }
        assert_eq!(found, entries, "a former address restores the former entry");
    }

    async fn ignored_entries_stay_ignored_through_renames_and_are_never_applied(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        let eight = changes(&manager, &source, &run, "search=och").await;
        assert_eq!(eight.len(), 1);
        let body = json!({"ids": [eight[0]["id"]], "ignored": true});
        let ignored = manager.post(&format!("{source}/ignored")).json(&body).send().await;
        assert_eq!(ignored.json(), json!({"changed": 1}));
        let run = read(app, &manager, &source, &LIST.replace(",Ocho", ",Ocho HD"), "").await;
        let shown = changes(&manager, &source, &run, "ignored=true").await;
        assert_eq!((shown.len(), &shown[0]["name"]), (1, &json!("Ocho HD")));
        let nothing = json!({"ids": [eight[0]["id"]]});
        let refused = manager.post(&format!("{source}/runs/{}/apply", run["id"])).json(&nothing).send().await;
        assert_eq!(refused.status, 409);
        let ended = apply(app, &manager, &source, &run, json!({"filter": {"radio": false}})).await;
        assert_eq!(ended[0]["counts"]["created"], 2);
    }

    async fn entries_are_ignored_and_restored_by_a_filter_with_their_confirmed_number(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        let ignore = async |body: Value| manager.post(&format!("{source}/ignored")).json(&body).send().await;
        let of_channels = json!({"radio": false});
        let refused = ignore(json!({"filter": of_channels, "expectedCount": 2, "ignored": true})).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        let ignored = ignore(json!({"filter": of_channels, "expectedCount": 3, "ignored": true})).await;
        assert_eq!((ignored.status, &ignored.json()["changed"]), (200, &json!(3)), "{}", ignored.text());
        assert_eq!(changes(&manager, &source, &run, "ignored=false").await.len(), 1);
        let restored = ignore(json!({"filter": {"search": "ocho"}, "expectedCount": 1, "ignored": false})).await;
        assert_eq!(restored.json()["changed"], 1, "{}", restored.text());
        assert_eq!(changes(&manager, &source, &run, "ignored=true").await.len(), 2);
        for body in [json!({"ignored": true}), json!({"ids": [1], "filter": {}, "ignored": true})] {
            let refused = ignore(body.clone()).await;
            assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (422, &json!("filter")), "{body}");
        }
    }

    async fn a_new_entry_identified_with_a_missing_one_gets_its_channel(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"radio": false}})).await;
        let eight = changes(&manager, &source, &run, "change=UNCHANGED&search=och").await[0].clone();
        // Another name, address, number and guide ID: only a user can recognize the entry.
        let list = LIST.replace(",Ocho\nhttp://h.example/8.m3u8", ",Canal de Cine\nhttp://otro.example/cine");
        let run = read(app, &manager, &source, &list, "&acceptLoss=true").await;
        let new = changes(&manager, &source, &run, "change=NEW&search=canal+de").await[0].clone();
        let missing = changes(&manager, &source, &run, "change=MISSING").await;
        assert_eq!((missing.len(), &missing[0]["id"]), (1, &eight["id"]));
        let merge = |entry: &Value, missing: &Value| {
            let path = format!("{source}/entries/{entry}/merge");
            manager.post(&path).json(&json!({"missingId": missing}))
        };
        // The two entries must be missing and new.
        for (entry, other) in [(&eight["id"], &new["id"]), (&new["id"], &json!(999_999)), (&new["id"], &new["id"])] {
            assert_eq!(merge(entry, other).send().await.status, 404, "{entry} {other}");
        }
        let merged = merge(&new["id"], &eight["id"]).send().await;
        assert_eq!(merged.status, 204, "{}", merged.text());
        assert_eq!(merge(&new["id"], &eight["id"]).send().await.status, 404, "the new one is deleted");
        let shown = changes(&manager, &source, &run, "change=CHANGED").await;
        assert_eq!((&shown[0]["id"], &shown[0]["itemId"]), (&eight["id"], &eight["itemId"]));
        // It is applied to the same channel, and recognized in the next list.
        let applied = apply(app, &manager, &source, &run, json!({"ids": [eight["id"]]})).await;
        assert_eq!(applied[0]["counts"]["changed"], 1, "{applied:?}");
        let channel = manager.get(&format!("/api/tv-channels/{}", eight["itemId"])).send().await.json();
        assert_eq!(channel["url"], "http://otro.example/cine");
        let again = read(app, &manager, &source, &list, "").await;
        assert_eq!((&again["counts"]["new"], &again["counts"]["missing"]), (&json!(0), &json!(0)), "{again}");
    }

    async fn a_new_entry_is_identified_only_with_missing_ones(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let list = |from: u8| {
            let entry = |number: u8| format!("#EXTINF:-1 tvg-chno=\"{number}\",Siete\nhttp://h{number}.example/siete\n");
            format!("#EXTM3U\n{}{}", entry(from), entry(from + 1))
        };
        let run = read(app, &manager, &source, &list(1), "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"change": "NEW"}})).await;
        let run = read(app, &manager, &source, &list(5), "&acceptLoss=true").await;
        let new = changes(&manager, &source, &run, "change=NEW").await;
        let missing = changes(&manager, &source, &run, "change=MISSING").await;
        assert_eq!((new.len(), new[0]["candidates"].as_array().unwrap().len()), (2, 2), "{new:?}");
        let candidate = &new[0]["candidates"][0];
        let row = missing.iter().find(|row| row["id"] == candidate["id"]).unwrap();
        for field in ["name", "url", "groups", "number", "guideId", "missingSince", "itemType", "itemId"] {
            assert_eq!(candidate[field], row[field], "{field}: a candidate is compared field by field");
        }
        let path = format!("{source}/entries/{}/merge", new[0]["id"]);
        let merged = manager.post(&path).json(&json!({"missingId": missing[0]["id"]})).send().await;
        assert_eq!(merged.status, 204, "{}", merged.text());
        let left = changes(&manager, &source, &run, "change=NEW").await;
        let candidates = left[0]["candidates"].as_array().unwrap();
        assert_eq!((left.len(), candidates.len(), &candidates[0]["id"]), (1, 1, &missing[1]["id"]), "{left:?}");
    }

    async fn a_duplicate_entry_has_the_other_entry_and_the_field(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let source = source(&manager, json!({})).await;
        let list = "#EXTM3U\n#EXTINF:-1 tvg-id=\"siete\",Siete\nhttp://h.example/7\n\
            #EXTINF:-1 tvg-id=\"siete\",Siete HD\nhttp://h.example/7hd\n";
        let run = read(app, &manager, &source, list, "").await;
        assert_eq!(counts(&run), [2, 0, 0, 0, 0, 0], "both are there");
        let first = changes(&manager, &source, &run, "duplicate=false").await[0].clone();
        assert_eq!((&first["name"], &first["duplicateOf"]), (&json!("Siete"), &Value::Null));
        apply(app, &manager, &source, &run, json!({"ids": [first["id"]]})).await;
        let second = changes(&manager, &source, &run, "duplicate=true").await[0].clone();
        let channel = channels(&manager).await[0]["id"].clone();
        let of = json!({"id": first["id"], "name": "Siete", "reason": "SAME_GUIDE_ID", "itemType": "tv-channels", "itemId": channel});
        assert_eq!((&second["name"], &second["duplicateOf"]), (&json!("Siete HD"), &of));
    }

    #[smoke]
    async fn entries_that_were_read_again_but_not_applied_still_count_as_new(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        read(app, &manager, &source, LIST, "").await;
        let run = read(app, &manager, &source, LIST, "").await;
        assert_eq!(counts(&run)[..3], [0, 0, 4], "since the last reading");
        let of = async |run: &Value| manager.get(&format!("{source}/runs/{}/counts", run["id"])).send().await.json();
        let expected = |numbers: [i64; 5]| {
            let [new, changed, unchanged, missing, ignored] = numbers;
            json!({"new": new, "changed": changed, "unchanged": unchanged, "missing": missing, "ignored": ignored})
        };
        assert_eq!(of(&run).await, expected([4, 0, 0, 0, 0]));
        let nueve = changes(&manager, &source, &run, "search=nueve").await[0]["id"].clone();
        let ignored = manager.post(&format!("{source}/ignored")).json(&json!({"ids": [nueve], "ignored": true})).send().await;
        assert_eq!(ignored.status, 200, "{}", ignored.text());
        apply(app, &manager, &source, &run, json!({"filter": {"change": "NEW", "radio": false}})).await;
        assert_eq!(of(&run).await, expected([1, 0, 2, 0, 1]));
        let list = LIST.replace("token=a", "token=b").replace("radio=\"true\"", "").replace("Radio Mar\nhttp://h.example/mar", "Otra\nhttp://h.example/otra");
        let last = read(app, &manager, &source, &list, "").await;
        for change in ["new", "changed", "unchanged", "missing"] {
            let query = format!("change={}&ignored=false", change.to_uppercase());
            let listed = changes(&manager, &source, &last, &query).await.len();
            assert_eq!(of(&last).await[change], json!(listed), "{change}");
        }
        assert_eq!(of(&run).await["status"], 409, "a later run has other changes");
    }

    async fn groups_get_their_category_or_the_one_with_their_name(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({"defaultCategoryId": null})).await;
        let cinema = json!({"description": "Películas", "englishDescription": "Cine", "type": "TV_CHANNEL"});
        let cinema = manager.create("categories", &cinema).await["id"].clone();
        let run = read(app, &manager, &source, LIST, "").await;
        let groups = manager.get(&format!("{source}/groups")).send().await.json();
        for (grouped, expected) in [("false", &["Nueve"][..]), ("true", &["Siete", "Ocho", "Radio Mar"][..])] {
            let found = changes(&manager, &source, &run, &format!("grouped={grouped}")).await;
            let names: Vec<&Value> = found.iter().map(|one| &one["name"]).collect();
            assert_eq!(names, expected, "{grouped}");
        }
        let group = groups.as_array().unwrap().iter().find(|one| one["group"] == "Cine").unwrap();
        assert_eq!((&group["entries"], &group["suggestion"]), (&json!(1), &cinema));
        let mapping = json!({"categories": [{"group": "Cine", "categoryId": cinema}]});
        assert_eq!(manager.patch(&source).json(&mapping).send().await.status, 200);
        let ended = apply(app, &manager, &source, &run, json!({"filter": {"radio": false}})).await;
        let counts = &ended[0]["counts"];
        assert_eq!((&counts["created"], &counts["refused"]), (&json!(1), &json!(2)), "a channel has a category");
        assert_eq!(channels(&manager).await[0]["categories"], json!([cinema]));
        assert_eq!(changes(&manager, &source, &run, "change=NEW&radio=false").await.len(), 2);
        let unknown = json!({"categories": [{"group": "Cine", "categoryId": 99_999}]});
        let refused = manager.patch(&source).json(&unknown).send().await;
        assert_eq!(refused.json()["errors"][0]["field"], "categories[0].categoryId", "{}", refused.text());
    }

    async fn a_category_of_a_source_is_not_deleted_and_keeps_its_type(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let category = manager.get(&source).send().await.json()["defaultCategoryId"].clone();
        let path = format!("/api/categories/{category}");
        let refused = manager.delete(&path).send().await;
        assert_eq!((refused.status, refused.code()), (409, "IN_USE".to_owned()));
        assert_eq!(refused.json()["message"], "No se puede eliminar: se usa en 1 lista M3U.");
        let english = manager.delete(&path).header("accept-language", "en").send().await;
        assert_eq!(english.json()["message"], "It can't be deleted: it is used by 1 playlist.");
        let usage = manager.get(&format!("{path}/usage")).send().await.json();
        assert_eq!(usage, json!({"total": 1, "kinds": [{"kind": "playlist-sources", "count": 1}]}));
        let other = manager.patch(&path).json(&json!({"type": "MOVIE"})).send().await;
        assert_eq!(other.field_codes(), [("type".to_owned(), "FIXED_WHILE_USED".to_owned())]);
        let target = json!({"description": "Otra", "englishDescription": "Other", "type": "TV_CHANNEL"});
        let target = manager.create("categories", &target).await["id"].clone();
        let moved = manager.post(&format!("{path}/move")).json(&json!({"to": target})).send().await;
        assert_eq!(moved.json(), json!({"operations": [], "sources": 1, "profiles": 0}));
        assert_eq!(manager.get(&source).send().await.json()["defaultCategoryId"], target);
        assert_eq!(manager.delete(&path).send().await.status, 204);
    }

    async fn a_due_refresh_applies_changes_automatically(app: &TestApp) {
        let manager = app.manager().await;
        // Nothing listens there: only the start of the run and its failure are tested.
        let due = json!({"url": "http://127.0.0.1:9/l.m3u", "refreshHours": 1, "automatic": "ALL"});
        let source = source(&manager, due).await;
        app.read_playlists().await;
        let runs = format!("{source}/runs");
        assert_eq!(manager.get(&runs).send().await.json()["totalElements"], 0);
        app.clock.forward(chrono::TimeDelta::minutes(61));
        app.read_playlists().await;
        let manager = app.manager().await;
        let page = manager.get(&runs).send().await.json();
        assert_eq!(page["totalElements"], 1, "{page}");
        let run = &page["content"][0];
        assert_eq!((&run["scheduled"], &run["state"], &run["fault"]), (&json!(true), &json!("FAILED"), &json!("UNREACHABLE")));
        app.read_playlists().await;
        assert_eq!(manager.get(&runs).send().await.json()["totalElements"], 1, "once an hour");
    }

    async fn an_edit_after_an_apply_has_begun_stays_and_is_reported(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {}})).await;
        let [siete, _, nueve] = &channels(&manager).await[..] else { panic!("three channels") };
        let run = read(app, &manager, &source, &LIST.replace("token=a", "token=b").replace(",Nueve", ",Nueve HD"), "").await;
        let begun = manager.post(&format!("{source}/runs/{}/apply", run["id"])).json(&json!({"filter": {"change": "CHANGED"}})).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        let edit = json!({"channelNumber": 77});
        assert_eq!(manager.patch(&format!("/api/tv-channels/{}", siete["id"])).json(&edit).send().await.status, 200);
        app.run_operations().await;
        let ended = manager.get(&format!("/api/operations/{}", begun.json()["operations"][0]["id"])).send().await.json();
        assert_eq!((&ended["counts"]["changed"], &ended["counts"]["conflicts"]), (&json!(1), &json!(1)), "{ended}");
        let stored = channels(&manager).await;
        assert_eq!((&stored[0]["channelNumber"], &stored[0]["url"]), (&json!(77), &siete["url"]), "the edit stays");
        assert_eq!((&stored[2]["id"], &stored[2]["title"]), (&nueve["id"], &json!("Nueve HD")));
        let waiting = changes(&manager, &source, &run, "change=CHANGED").await;
        assert_eq!((waiting.len(), &waiting[0]["itemId"]), (1, &siete["id"]), "it can be applied again");
        let again = apply(app, &manager, &source, &run, json!({"filter": {"change": "CHANGED"}})).await;
        assert_eq!(again[0]["counts"]["changed"], 1);
        let stored = channels(&manager).await;
        assert_eq!((&stored[0]["channelNumber"], &stored[0]["url"]), (&json!(77), &json!("http://h.example/7.m3u8?token=b")));
    }

    async fn a_due_refresh_applies_only_changes_allowed_by_its_source(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url, "refreshHours": 1, "automatic": "CHANGES"})).await;
        let begun = manager.post(&format!("{source}/runs")).json(&json!({})).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.read_playlists().await;
        apply(app, &manager, &source, &begun.json(), json!({"filter": {"radio": false}})).await;
        let eight = format!("/api/tv-channels/{}", channels(&manager).await[1]["id"]);
        assert_eq!(manager.patch(&eight).json(&json!({"title": "Mi ocho"})).send().await.status, 200);
        let after_an_hour = async |list: &str| {
            server.answer(list);
            app.clock.forward(chrono::TimeDelta::minutes(61));
            app.read_playlists().await;
            app.run_operations().await;
            let manager = app.manager().await;
            let row = |one: &Value| format!("{} {}", one["title"].as_str().unwrap(), one["url"].as_str().unwrap());
            channels(&manager).await.iter().map(row).collect::<Vec<_>>()
        };
        let changed = LIST.replace("token=a", "token=b").replace(",Ocho", ",Ocho HD");
        let more = format!("{changed}#EXTINF:-1,Diez\nhttp://h.example/10.m3u8\n");
        let first = ["Siete http://h.example/7.m3u8?token=b", "Mi ocho http://h.example/8.m3u8", "Nueve http://h.example/9.m3u8"];
        assert_eq!(after_an_hour(&more).await, first, "what is new waits, what a user changed stays");
        assert_eq!(after_an_hour("").await, first, "an empty answer changes nothing");
        assert_eq!(after_an_hour("#EXTM3U\n").await, first);
        assert_eq!(after_an_hour("<html><body>Mantenimiento</body></html>").await, first);
        let manager = app.manager().await;
        assert_eq!(manager.patch(&source).json(&json!({"automatic": "NOTHING"})).send().await.status, 200);
        assert_eq!(after_an_hour(&more.replace("token=b", "token=c")).await, first);
        let manager = app.manager().await;
        assert_eq!(manager.patch(&source).json(&json!({"automatic": "ALL"})).send().await.status, 200);
        let all = after_an_hour(&more.replace("token=b", "token=d")).await;
        assert_eq!(all[0], "Siete http://h.example/7.m3u8?token=d");
        assert_eq!((all[1].as_str(), all[3].as_str()), (first[1], "Diez http://h.example/10.m3u8"), "{all:?}");
        let last = after_an_hour(&more.replace("token=b", "token=d")).await;
        assert_eq!(last, all);
    }

    async fn one_run_at_a_time_and_one_per_key(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let refused = manager.post(&format!("{source}/runs")).json(&json!({})).send().await;
        assert_eq!(refused.status, 409, "the source has no address");
        let upload = || manager.post(&format!("{source}/upload")).body("application/octet-stream", LIST).header("idempotency-key", "one");
        let first = upload().send().await;
        assert_eq!(first.json(), upload().send().await.json(), "the same request again");
        let another = manager.post(&format!("{source}/upload")).body("application/octet-stream", LIST).send().await;
        assert_eq!(another.status, 409, "{}", another.text());
        app.read_playlists().await;
        let large = "x".repeat(1024 * 1024 + 1);
        let refused = manager.post(&format!("{source}/upload")).body("application/octet-stream", large).send().await;
        assert_eq!(refused.status, 413, "{}", refused.text());
    }
}

#[actix_web::test]
async fn credentials_require_the_permission_to_change_a_source_and_are_not_in_the_audit_log() {
    let app = TestApp::new().await;
    let manager = app.manager().await;
    let secret = "http://ana:clave1@h.example/get.php?username=ana&password=clave2";
    let source = source(&manager, json!({"url": secret})).await;
    assert_eq!(
        manager.get(&source).send().await.json()["url"],
        secret,
        "visible with the permission to change it"
    );
    assert_eq!(manager.patch(&source).json(&json!({"title": "Otra"})).send().await.status, 200);
    let outdated =
        manager.patch(&source).header("if-match", "\"1\"").json(&json!({"title": "x y"})).send().await;
    assert_eq!(outdated.status, 412);
    // A masked value would be saved as an edit.
    assert_eq!(outdated.json()["current"]["url"], secret);
    let admin = app.sign_in_as(RoleCode::Admin).await;
    let log = admin.get("/api/audit?resource=playlist-sources").send().await;
    assert_eq!(log.status, 200, "{}", log.text());
    assert_eq!(log.json()["totalElements"], 2, "{}", log.text());
    assert!(!log.text().contains("clave"), "{}", log.text());
}
