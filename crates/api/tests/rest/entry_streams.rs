//! Entries of a playlist as further streams of channels: they follow the playlist, and are new
//! again after their stream is removed.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    links::channel,
    playlists::{apply, read, source},
};

pub(crate) const LIST: &str = "#EXTM3U\n\
    #EXTINF:-1 tvg-id=\"siete\",Siete reserva\n#EXTVLCOPT:http-referrer=http://r.example/\nhttp://h.example/7.m3u8?token=a|User-Agent=VLC\n\
    #EXTINF:-1,Ocho\nhttp://h.example/8.m3u8\n\
    #EXTINF:-1 radio=\"true\",Radio Mar\nhttp://h.example/mar.aac\n";
pub(crate) const OWN: &str = "https://a.example/1.m3u8";

pub(crate) struct Listed<'a> {
    pub(crate) client: Client<'a>,
    pub(crate) source: String,
    pub(crate) run: Value,
    pub(crate) channel: Value,
}

impl Listed<'_> {
    /// A source with a list that was read, and a channel.
    pub(crate) async fn new(app: &TestApp) -> Listed<'_> {
        let client = app.manager().await;
        let source = source(&client, json!({"title": "Reservas"})).await;
        let channel = channel(&client, OWN).await;
        let run = read(app, &client, &source, LIST, "").await;
        Listed { client, source, run, channel }
    }

    pub(crate) async fn entry(&self, name: &str) -> Value {
        let path = format!("{}/runs/{}/changes?search={name}", self.source, self.run["id"]);
        self.client.get(&path).send().await.json()["content"][0].clone()
    }

    /// Makes an entry a stream of a channel; answers the status, and why it was refused or the operation.
    pub(crate) async fn add(&self, app: &TestApp, entry: &Value, channel: &Value) -> (u16, Value) {
        let path = format!("{}/entries/{entry}/stream", self.source);
        let answer = self.client.post(&path).json(&json!({"channelId": channel})).send().await;
        app.run_operations().await;
        let shown = answer.json();
        (
            answer.status,
            if answer.status == 202 { shown["operations"][0].clone() } else { shown["detail"].clone() },
        )
    }

    /// The entry becomes a stream of the channel.
    pub(crate) async fn follow(&self, app: &TestApp, entry: &Value) -> Value {
        let (status, operation) = self.add(app, entry, &self.channel).await;
        assert_eq!(status, 202, "{operation}");
        operation
    }

    pub(crate) async fn streams(&self) -> Value {
        self.client.get(&format!("/api/tv-channels/{}/streams", self.channel)).send().await.json()
    }

    pub(crate) async fn addresses(&self) -> Vec<String> {
        let streams = self.streams().await;
        let of = |stream: &Value| stream["url"].as_str().unwrap_or_default().to_owned();
        streams["streams"].as_array().unwrap().iter().map(of).collect()
    }

    pub(crate) async fn put(&self, streams: &[Value]) {
        let body = json!({"failover": "AUTO", "streams": streams});
        let path = format!("/api/tv-channels/{}/streams", self.channel);
        let answer = self.client.put(&path).json(&body).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }

    /// Moves the channel to the trash.
    async fn delete(&self) {
        let one = format!("/api/tv-channels/{}", self.channel);
        let version = self.client.get(&one).send().await.json()["version"].clone();
        let deleted = self.client.delete(&one).header("if-match", &format!("\"{version}\"")).send().await;
        assert_eq!(deleted.status, 204, "{}", deleted.text());
    }

    async fn restore(&self) {
        let path = format!("/api/tv-channels/{}/restore", self.channel);
        let restored = self.client.post(&path).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
    }

    pub(crate) async fn read(&mut self, app: &TestApp, list: &str) {
        self.run = read(app, &self.client, &self.source, list, "&acceptLoss=true").await;
    }

    /// Begins to apply the changed entries; answers the operation.
    async fn begin(&self) -> Value {
        let path = format!("{}/runs/{}/apply", self.source, self.run["id"]);
        let answer = self.client.post(&path).json(&json!({"filter": {"change": "CHANGED"}})).send().await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.json()["operations"][0].clone()
    }

    pub(crate) async fn apply(&self, app: &TestApp) -> Value {
        let begun = self.begin().await;
        app.run_operations().await;
        begun
    }

    /// Undoes an operation; answers the operation that did.
    async fn undo(&self, app: &TestApp, operation: &Value) -> Value {
        let undo = self.client.post(&format!("/api/operations/{}/undo", operation["id"])).send().await;
        assert_eq!(undo.status, 202, "{}", undo.text());
        app.run_operations().await;
        undo.json()
    }

    /// The only row of an operation.
    async fn row(&self, operation: &Value) -> Value {
        let rows = self.client.get(&format!("/api/operations/{}/rows", operation["id"])).send().await.json();
        assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
        rows[0].clone()
    }
}

on_both! {
    async fn a_stream_has_the_values_of_its_entry_and_follows_it(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let entry = listed.entry("siete").await;
        listed.follow(app, &entry["id"]).await;
        let streams = listed.streams().await["streams"].clone();
        let second = &streams[1];
        assert_eq!(streams.as_array().unwrap().len(), 2);
        assert_eq!(
            [&second["label"], &second["url"], &second["origin"], &second["source"]],
            ["Siete reserva", "http://h.example/7.m3u8?token=a", "PLAYLIST", "Reservas"],
        );
        let referer = json!({"name": "Referer", "value": "http://r.example/"});
        assert_eq!(second["headers"], json!([{"name": "User-Agent", "value": "VLC"}, referer]));
        let entry = listed.entry("siete").await;
        let shown = [&entry["change"], &entry["streamOf"], &entry["itemId"]];
        assert_eq!(shown, [&json!("UNCHANGED"), &listed.channel, &Value::Null]);

        // With another token and another name: the label set by a user stays.
        let mut named = second.clone();
        named["label"] = json!("Mi reserva");
        listed.put(&[streams[0].clone(), named]).await;
        listed.read(app, &LIST.replace("token=a", "token=b").replace("Siete reserva", "Siete dos")).await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], entry["fields"].as_array().unwrap().len()), (&json!("CHANGED"), 2));
        let applied = listed.apply(app).await;
        assert_eq!((&applied["resource"], &applied["total"]), (&json!("tv-channels"), &json!(1)));
        let row = listed.row(&applied).await;
        assert_eq!((&row["verdict"], &row["itemId"]), (&json!("CHANGED"), &listed.channel));
        let masked = json!(["Mi reserva · http://h.example/7.m3u8?token=*** · User-Agent, Referer: ***"]);
        assert_eq!((&row["before"]["streams"], &row["after"]["streams"]), (&masked, &masked));
        let second = listed.streams().await["streams"][1].clone();
        assert_eq!([&second["label"], &second["url"]], ["Mi reserva", "http://h.example/7.m3u8?token=b"]);
        assert_eq!(listed.entry("siete").await["change"], "UNCHANGED");

        // As the first stream it is the channel's URL, and still follows the list.
        let streams = listed.streams().await["streams"].clone();
        listed.put(&[streams[1].clone(), streams[0].clone()]).await;
        listed.read(app, &LIST.replace("token=a", "token=c")).await;
        listed.apply(app).await;
        assert_eq!(listed.addresses().await, ["http://h.example/7.m3u8?token=c", OWN]);
        let channel = listed.client.get(&format!("/api/tv-channels/{}", listed.channel)).send().await.json();
        assert_eq!(channel["url"], "http://h.example/7.m3u8?token=c");
        let history = listed.client.get(&format!("/api/tv-channels/{}/history", listed.channel)).send().await.text();
        assert!(history.contains("Siete reserva · http://h.example/7.m3u8?token=***"), "{history}");
    }

    async fn a_stream_that_was_made_before_directives_counted_gets_their_headers_and_an_edited_one_does_not(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let entry = listed.entry("siete").await;
        listed.follow(app, &entry["id"]).await;
        let header = |name: &str, value: &str| json!({"name": name, "value": value});
        let agent = header("User-Agent", "VLC");
        for (stored, token, expected) in [
            (json!([agent]), "token=b", json!([agent, header("Referer", "http://r.example/")])),
            (json!([header("User-Agent", "Kodi")]), "token=c", json!([header("User-Agent", "Kodi")])),
        ] {
            app.run(&format!("UPDATE channel_streams SET headers = '{stored}' WHERE entry_id = {}", entry["id"])).await;
            listed.read(app, &LIST.replace("token=a", token)).await;
            listed.apply(app).await;
            let second = listed.streams().await["streams"][1].clone();
            assert_eq!(second["url"], format!("http://h.example/7.m3u8?{token}"));
            assert_eq!(second["headers"], expected);
        }
    }

    async fn a_first_stream_beside_a_spare_has_the_headers_of_its_list_until_a_form_gives_it_others(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let with_agent = |agent: &str| LIST.replace("User-Agent=VLC", &format!("User-Agent={agent}"));
        let ended = apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"search": "siete"}})).await;
        assert_eq!(ended[0]["counts"]["created"], 1, "{ended:?}");
        listed.channel = listed.entry("siete").await["itemId"].clone();
        let first = listed.streams().await["streams"][0].clone();
        listed.put(&[first, json!({"urlType": "EXTERNAL", "url": OWN})]).await;
        let agent = |streams: &Value| streams["streams"][0]["headers"][0]["value"].clone();
        for (listed_agent, expected) in [("Kodi", "Kodi"), ("Infuse", "Mine"), ("Plex", "Mine")] {
            let version = listed.streams().await["version"].clone();
            listed.read(app, &with_agent(listed_agent)).await;
            apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"change": "CHANGED"}})).await;
            let mut streams = listed.streams().await;
            // A change of the streams that were read before is refused.
            assert_eq!(streams["version"] != version, listed_agent != "Plex", "{streams}");
            if listed_agent == "Infuse" {
                assert_eq!(agent(&streams), "Infuse");
                streams["streams"][0]["headers"][0]["value"] = json!("Mine");
                listed.put(streams["streams"].as_array().unwrap()).await;
                streams = listed.streams().await;
            }
            assert_eq!(agent(&streams), expected, "{streams}");
        }
    }

    async fn the_entry_of_a_first_stream_is_new_while_the_channel_has_another_address(app: &TestApp) {
        let listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        let streams = listed.streams().await["streams"].clone();
        listed.put(&[streams[1].clone(), streams[0].clone()]).await;
        let own = streams[1]["url"].as_str().unwrap().to_owned();
        let one = format!("/api/tv-channels/{}", listed.channel);
        for (address, change) in
            [("https://b.example/2.m3u8", "NEW"), (&own, "UNCHANGED"), ("https://c.example/3.m3u8", "NEW")]
        {
            let mut channel = listed.client.get(&one).send().await.json();
            channel["url"] = json!(address);
            let version = channel["version"].to_string();
            let put = listed.client.put(&one).header("if-match", &format!("\"{version}\"")).json(&channel);
            let changed = put.send().await;
            assert_eq!(changed.status, 200, "{}", changed.text());
            assert_eq!(listed.entry("siete").await["change"], change, "{address}");
        }
        // Restoring the channel does not restore it either.
        listed.delete().await;
        listed.restore().await;
        assert_eq!(listed.entry("siete").await["change"], "NEW");
    }

    async fn an_entry_is_new_again_while_its_stream_is_gone(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        let streams = listed.streams().await["streams"].clone();
        listed.put(&[streams[0].clone()]).await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("NEW"), &Value::Null));
        // A restored channel does not have the stream.
        listed.delete().await;
        listed.restore().await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("NEW"), &Value::Null));
        listed.follow(app, &id).await;

        // After deleting and restoring its channel.
        listed.delete().await;
        assert_eq!(listed.entry("siete").await["change"], "NEW");
        listed.restore().await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("UNCHANGED"), &listed.channel));

        // A stream that gets the URL of another one is removed; the other one stays.
        listed.read(app, &LIST.replace("http://h.example/7.m3u8?token=a|User-Agent=VLC", OWN)).await;
        let applied = listed.apply(app).await;
        let row = listed.row(&applied).await;
        assert_eq!((&row["verdict"], &row["after"]["streams"]), (&json!("CHANGED"), &json!([])));
        assert_eq!(listed.addresses().await, [OWN]);
        assert_eq!(listed.entry("siete").await["change"], "NEW");
    }

    async fn a_refused_entry_becomes_a_stream_or_a_missing_entry_afterwards(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        listed.source = source(&listed.client, json!({"title": "Sin categoría", "defaultCategoryId": null})).await;
        listed.read(app, LIST).await;
        let ended = apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"radio": false}})).await;
        assert_eq!(ended[0]["counts"]["refused"], json!(2), "a channel has a category");
        let siete = listed.entry("siete").await["id"].clone();
        listed.follow(app, &siete).await;
        assert_eq!(listed.addresses().await.len(), 2);
        // After a month the operation is removed.
        for table in ["bulk_operation_rows", "bulk_operation_slices", "bulk_operations", "sheets"] {
            app.run(&format!("DELETE FROM {table}")).await;
        }
        let ocho = listed.entry("ocho").await["id"].clone();
        listed.read(app, "#EXTM3U\n#EXTINF:-1,Octavo\nhttp://other.example/octavo.m3u8\n").await;
        let new = listed.entry("octavo").await["id"].clone();
        let path = format!("{}/entries/{new}/merge", listed.source);
        let merged = listed.client.post(&path).json(&json!({"missingId": ocho})).send().await;
        assert_eq!(merged.status, 204, "{}", merged.text());
    }

    async fn only_a_new_entry_becomes_a_stream_within_the_limit_of_the_channel(app: &TestApp) {
        let listed = Listed::new(app).await;
        let [siete, ocho, radio] = [listed.entry("siete").await, listed.entry("ocho").await, listed.entry("mar").await];
        let other = channel(&listed.client, "http://h.example/8.m3u8").await;
        for (entry, channel, expected) in [
            (&radio["id"], &listed.channel, 409),
            (&siete["id"], &json!(999_999), 404),
            (&json!(999_999), &listed.channel, 404),
            (&siete["id"], &listed.channel, 202),
            (&siete["id"], &other, 409),
            (&ocho["id"], &other, 202),
        ] {
            assert_eq!(listed.add(app, entry, channel).await.0, expected, "{entry} {channel}");
        }
        let adopted = listed.client.get(&format!("/api/tv-channels/{other}/streams")).send().await.json();
        let adopted = adopted["streams"].as_array().unwrap().clone();
        assert_eq!((adopted.len(), &adopted[0]["origin"]), (1, &json!("PLAYLIST")), "it had that URL");
        let body = json!({"channelId": listed.channel});
        let agent = app.sign_in_as(RoleCode::Agent).await;
        let path = format!("{}/entries/{}/stream", listed.source, ocho["id"]);
        assert_eq!(agent.post(&path).json(&body).send().await.status, 403);

        let full = channel(&listed.client, "https://f.example/0.m3u8").await;
        let stream = |at: usize| json!({"urlType": "EXTERNAL", "url": format!("https://f.example/{at}.m3u8")});
        let body = json!({"failover": "MANUAL", "streams": (0..20).map(stream).collect::<Vec<_>>()});
        let path = format!("/api/tv-channels/{full}/streams");
        assert_eq!(listed.client.put(&path).json(&body).send().await.status, 200);
        let again = source(&listed.client, json!({"title": "Otra"})).await;
        let run = read(app, &listed.client, &again, LIST, "").await;
        let again = Listed { source: again, run, ..listed };
        let (status, why) = again.add(app, &again.entry("ocho").await["id"], &full).await;
        assert_eq!((status, why.as_str().unwrap_or_default().contains("20")), (409, true), "{why}");
        assert_eq!(again.add(app, &again.entry("ocho").await["id"], &other).await.0, 409, "another entry is that stream");
    }

    #[smoke]
    async fn streams_are_applied_by_an_operation_and_undone_with_it(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        let before = listed.streams().await["streams"].clone();
        listed.read(app, &LIST.replace("token=a", "token=b").replace("Siete reserva", "Siete dos")).await;
        let begun = listed.begin().await;
        assert_eq!(listed.streams().await["streams"], before, "nothing changes in the request");
        app.run_operations().await;
        let after = listed.streams().await["streams"].clone();
        assert_eq!([&after[1]["label"], &after[1]["url"]], ["Siete dos", "http://h.example/7.m3u8?token=b"]);
        assert_eq!(listed.entry("siete").await["change"], "UNCHANGED");

        let undone = listed.undo(app, &begun).await;
        assert_eq!(listed.streams().await["streams"], before);
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("CHANGED"), &listed.channel));
        assert_eq!(entry["fields"].as_array().unwrap().len(), 2, "it can be applied again");

        // The undo is undone, too.
        listed.undo(app, &undone).await;
        assert_eq!(listed.streams().await["streams"], after);
        assert_eq!(listed.entry("siete").await["change"], "UNCHANGED");
    }

    async fn an_undo_leaves_a_stream_that_was_edited_since(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        listed.read(app, &LIST.replace("token=a", "token=b")).await;
        let begun = listed.apply(app).await;
        let mut streams = listed.streams().await["streams"].as_array().unwrap().clone();
        streams[1]["label"] = json!("Mía");
        streams.push(json!({"urlType": "EXTERNAL", "url": "https://a.example/3.m3u8"}));
        listed.put(&streams).await;
        let undone = listed.undo(app, &begun).await;
        let row = listed.row(&undone).await;
        let problem = &row["problems"][0];
        assert_eq!([&row["verdict"], &problem["code"], &problem["field"]], ["REFUSED", "CHANGED_SINCE", "streams"]);
        let addresses = [OWN, "http://h.example/7.m3u8?token=b", "https://a.example/3.m3u8"];
        assert_eq!(listed.addresses().await, addresses);
        assert_eq!(listed.entry("siete").await["change"], "UNCHANGED", "it still follows");
    }

    async fn an_edit_of_streams_beside_an_apply_stays_and_is_a_conflict_of_the_row(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        listed.read(app, &LIST.replace("token=a", "token=b")).await;
        let begun = listed.begin().await;
        let mut streams = listed.streams().await["streams"].as_array().unwrap().clone();
        streams[1]["label"] = json!("Mía");
        listed.put(&streams).await;
        app.run_operations().await;
        assert_eq!(listed.row(&begun).await["verdict"], "CONFLICT");
        let second = listed.streams().await["streams"][1].clone();
        assert_eq!([&second["label"], &second["url"]], ["Mía", "http://h.example/7.m3u8?token=a"]);
        assert_eq!(listed.entry("siete").await["change"], "CHANGED");
        listed.apply(app).await;
        let second = listed.streams().await["streams"][1].clone();
        assert_eq!([&second["label"], &second["url"]], ["Mía", "http://h.example/7.m3u8?token=b"], "applied again");
    }

    async fn a_second_apply_is_refused_and_changes_no_stream(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        listed.read(app, &LIST.replace("token=a", "token=b")).await;
        listed.begin().await;
        let before = listed.streams().await;
        let path = format!("{}/runs/{}/apply", listed.source, listed.run["id"]);
        let second = listed.client.post(&path).json(&json!({"filter": {}})).send().await;
        assert_eq!(second.status, 409, "{}", second.text());
        assert_eq!(listed.streams().await, before);
        app.run_operations().await;
        assert_eq!(listed.addresses().await, [OWN, "http://h.example/7.m3u8?token=b"]);
    }

    async fn a_new_stream_and_a_removed_one_are_undone(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        let added = listed.follow(app, &id).await;
        let undone = listed.undo(app, &added).await;
        assert_eq!(listed.addresses().await, [OWN]);
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("NEW"), &Value::Null));
        listed.undo(app, &undone).await;
        let before = listed.streams().await["streams"].clone();
        assert_eq!(before.as_array().unwrap().len(), 2);
        assert_eq!(listed.entry("siete").await["streamOf"], listed.channel);

        listed.read(app, &LIST.replace("http://h.example/7.m3u8?token=a|User-Agent=VLC", OWN)).await;
        let removed = listed.apply(app).await;
        assert_eq!(listed.addresses().await, [OWN]);
        listed.undo(app, &removed).await;
        assert_eq!(listed.streams().await["streams"], before);
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("CHANGED"), &listed.channel));
    }

    #[smoke]
    async fn a_channel_with_its_spare_stream_is_one_row_and_undone_together(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let ended = apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"search": "ocho"}})).await;
        assert_eq!(ended[0]["counts"]["created"], 1, "{ended:?}");
        listed.channel = listed.entry("ocho").await["itemId"].clone();
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        listed.read(app, &LIST.replace("token=a", "token=b").replace("8.m3u8", "8.m3u8?token=b")).await;
        let begun = listed.apply(app).await;
        assert_eq!(listed.row(&begun).await["verdict"], "CHANGED");
        let urls = |token: &str| [format!("http://h.example/8.m3u8{token}"), "http://h.example/7.m3u8".to_owned()];
        let [own, spare] = urls("?token=b");
        assert_eq!(listed.addresses().await, [own, format!("{spare}?token=b")]);
        for name in ["siete", "ocho"] {
            assert_eq!(listed.entry(name).await["change"], "UNCHANGED", "{name}");
        }
        listed.undo(app, &begun).await;
        let [own, spare] = urls("");
        assert_eq!(listed.addresses().await, [own, format!("{spare}?token=a")]);
        assert_eq!(listed.entry("siete").await["change"], "CHANGED");
    }

    #[smoke]
    async fn a_channel_that_gets_another_address_while_its_first_stream_is_removed_keeps_the_others(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let ended = apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"search": "ocho"}})).await;
        assert_eq!(ended[0]["counts"]["created"], 1, "{ended:?}");
        listed.channel = listed.entry("ocho").await["itemId"].clone();
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        let [typed, own] = ["https://t.example/1.m3u8", "http://h.example/8.m3u8"];
        let streams = listed.streams().await["streams"].clone();
        let last = json!({"urlType": "EXTERNAL", "url": typed});
        listed.put(&[streams[1].clone(), streams[0].clone(), last]).await;
        let before = listed.streams().await["streams"].clone();
        // The first stream gets the address of the last one, and the channel's own entry another one.
        let list = LIST.replace("http://h.example/7.m3u8?token=a|User-Agent=VLC", typed);
        listed.read(app, &list.replace("/8.m3u8", "/88.m3u8")).await;
        let body = json!({"filter": {"change": "CHANGED"}, "replaceEdited": true});
        let ended = apply(app, &listed.client, &listed.source, &listed.run, body).await;
        assert_eq!(listed.row(&ended[0]).await["verdict"], "CHANGED");
        assert_eq!(listed.addresses().await, ["http://h.example/88.m3u8", own, typed]);
        let (siete, ocho) = (listed.entry("siete").await, listed.entry("ocho").await);
        assert_eq!((&siete["change"], &siete["streamOf"]), (&json!("NEW"), &Value::Null), "it is no stream any more");
        assert_eq!((&ocho["change"], &ocho["itemId"]), (&json!("UNCHANGED"), &listed.channel));
        listed.undo(app, &ended[0]).await;
        assert_eq!(listed.streams().await["streams"], before);
        let siete = listed.entry("siete").await;
        assert_eq!((&siete["change"], &siete["streamOf"]), (&json!("CHANGED"), &listed.channel));
    }
}
