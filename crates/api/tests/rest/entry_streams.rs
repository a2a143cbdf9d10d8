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

const LIST: &str = "#EXTM3U\n\
    #EXTINF:-1 tvg-id=\"siete\",Siete reserva\n#EXTVLCOPT:http-referrer=http://r.example/\nhttp://h.example/7.m3u8?token=a|User-Agent=VLC\n\
    #EXTINF:-1,Ocho\nhttp://h.example/8.m3u8\n\
    #EXTINF:-1 radio=\"true\",Radio Mar\nhttp://h.example/mar.aac\n";
const OWN: &str = "https://a.example/1.m3u8";

struct Listed<'a> {
    client: Client<'a>,
    source: String,
    run: Value,
    channel: Value,
}

impl Listed<'_> {
    /// A source with a list that was read, and a channel.
    async fn new(app: &TestApp) -> Listed<'_> {
        let client = app.manager().await;
        let source = source(&client, json!({"title": "Reservas"})).await;
        let channel = channel(&client, OWN).await;
        let run = read(app, &client, &source, LIST, "").await;
        Listed { client, source, run, channel }
    }

    async fn entry(&self, name: &str) -> Value {
        let path = format!("{}/runs/{}/changes?search={name}", self.source, self.run["id"]);
        self.client.get(&path).send().await.json()["content"][0].clone()
    }

    /// Makes an entry a stream of a channel; returns the status and the code of a refusal.
    async fn add(&self, entry: &Value, channel: &Value) -> (u16, Value) {
        let path = format!("{}/entries/{entry}/stream", self.source);
        let answer = self.client.post(&path).json(&json!({"channelId": channel})).send().await;
        let refused = if answer.status == 204 { Value::Null } else { answer.json()["detail"].clone() };
        (answer.status, refused)
    }

    async fn streams(&self) -> Value {
        self.client.get(&format!("/api/tv-channels/{}/streams", self.channel)).send().await.json()
    }

    async fn addresses(&self) -> Vec<String> {
        let streams = self.streams().await;
        let of = |stream: &Value| stream["url"].as_str().unwrap_or_default().to_owned();
        streams["streams"].as_array().unwrap().iter().map(of).collect()
    }

    async fn put(&self, streams: &[Value]) {
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

    async fn read(&mut self, app: &TestApp, list: &str) {
        self.run = read(app, &self.client, &self.source, list, "&acceptLoss=true").await;
    }

    async fn apply(&self) -> Value {
        let path = format!("{}/runs/{}/apply", self.source, self.run["id"]);
        let answer = self.client.post(&path).json(&json!({"filter": {"change": "CHANGED"}})).send().await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.json()
    }
}

on_both! {
    async fn a_stream_has_the_values_of_its_entry_and_follows_it(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let entry = listed.entry("siete").await;
        assert_eq!(listed.add(&entry["id"], &listed.channel).await.0, 204);
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
        let applied = listed.apply().await;
        assert_eq!((&applied["operations"], &applied["streamCount"]), (&json!([]), &json!(1)), "streams change immediately, without an operation");
        let title = listed.client.get(&format!("/api/tv-channels/{}", listed.channel)).send().await.json()["title"].clone();
        let shown = json!({"entryId": entry["id"], "name": "Siete dos", "channelId": listed.channel, "channelTitle": title, "verdict": "CHANGED"});
        assert_eq!(applied["streams"], json!([shown]));
        let second = listed.streams().await["streams"][1].clone();
        assert_eq!([&second["label"], &second["url"]], ["Mi reserva", "http://h.example/7.m3u8?token=b"]);
        assert_eq!(listed.entry("siete").await["change"], "UNCHANGED");

        // As the first stream it is the channel's URL, and still follows the list.
        let streams = listed.streams().await["streams"].clone();
        listed.put(&[streams[1].clone(), streams[0].clone()]).await;
        listed.read(app, &LIST.replace("token=a", "token=c")).await;
        listed.apply().await;
        assert_eq!(listed.addresses().await, ["http://h.example/7.m3u8?token=c", OWN]);
        let channel = listed.client.get(&format!("/api/tv-channels/{}", listed.channel)).send().await.json();
        assert_eq!(channel["url"], "http://h.example/7.m3u8?token=c");
        let history = listed.client.get(&format!("/api/tv-channels/{}/history", listed.channel)).send().await.text();
        assert!(history.contains("Siete reserva · http://h.example/7.m3u8?token=***"), "{history}");
    }

    async fn a_stream_that_was_made_before_directives_counted_gets_their_headers_and_an_edited_one_does_not(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let entry = listed.entry("siete").await;
        assert_eq!(listed.add(&entry["id"], &listed.channel).await.0, 204);
        let header = |name: &str, value: &str| json!({"name": name, "value": value});
        let agent = header("User-Agent", "VLC");
        for (stored, token, expected) in [
            (json!([agent]), "token=b", json!([agent, header("Referer", "http://r.example/")])),
            (json!([header("User-Agent", "Kodi")]), "token=c", json!([header("User-Agent", "Kodi")])),
        ] {
            app.run(&format!("UPDATE channel_streams SET headers = '{stored}' WHERE entry_id = {}", entry["id"])).await;
            listed.read(app, &LIST.replace("token=a", token)).await;
            listed.apply().await;
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
            listed.read(app, &with_agent(listed_agent)).await;
            apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"change": "CHANGED"}})).await;
            let mut streams = listed.streams().await;
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
        assert_eq!(listed.add(&id, &listed.channel).await.0, 204);
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
        assert_eq!(listed.add(&id, &listed.channel).await.0, 204);
        let streams = listed.streams().await["streams"].clone();
        listed.put(&[streams[0].clone()]).await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("NEW"), &Value::Null));
        // A restored channel does not have the stream.
        listed.delete().await;
        listed.restore().await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("NEW"), &Value::Null));
        assert_eq!(listed.add(&id, &listed.channel).await.0, 204);

        // After deleting and restoring its channel.
        listed.delete().await;
        assert_eq!(listed.entry("siete").await["change"], "NEW");
        listed.restore().await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("UNCHANGED"), &listed.channel));

        // A stream that gets the URL of another one is removed; the other one stays.
        listed.read(app, &LIST.replace("http://h.example/7.m3u8?token=a|User-Agent=VLC", OWN)).await;
        assert_eq!(listed.apply().await["streams"][0]["verdict"], "REMOVED");
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
        assert_eq!(listed.add(&siete, &listed.channel).await.0, 204);
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
            (&siete["id"], &listed.channel, 204),
            (&siete["id"], &other, 409),
            (&ocho["id"], &other, 204),
        ] {
            assert_eq!(listed.add(entry, channel).await.0, expected, "{entry} {channel}");
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
        let (status, why) = again.add(&again.entry("ocho").await["id"], &full).await;
        assert_eq!((status, why.as_str().unwrap_or_default().contains("20")), (409, true), "{why}");
        assert_eq!(again.add(&again.entry("ocho").await["id"], &other).await.0, 409, "another entry is that stream");
    }
}
