//! Entries of playlists that become those of another channel or station, also by merging the two.

use serde_json::json;

use crate::{
    app::{TestApp, on_both},
    entry_streams::{LIST, Listed, OWN},
    links::channel,
    playlists::apply,
};

on_both! {
    async fn an_entry_that_became_a_stream_of_another_channel_stays_when_its_former_channel_changes(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        let streams = listed.streams().await["streams"].clone();
        listed.put(&[streams[1].clone(), streams[0].clone()]).await;
        let one = format!("/api/tv-channels/{}", listed.channel);
        let set_url = async |address: &str| {
            let mut channel = listed.client.get(&one).send().await.json();
            channel["url"] = json!(address);
            let version = channel["version"].to_string();
            let put = listed.client.put(&one).header("if-match", &format!("\"{version}\"")).json(&channel);
            let changed = put.send().await;
            assert_eq!(changed.status, 200, "{}", changed.text());
        };
        set_url("https://b.example/2.m3u8").await;
        let other = channel(&listed.client, "https://d.example/4.m3u8").await;
        let (status, operation) = listed.add(app, &id, &other).await;
        assert_eq!(status, 202, "{operation}");
        let own = streams[1]["url"].as_str().unwrap();
        for address in ["https://c.example/3.m3u8", own, "https://e.example/5.m3u8"] {
            set_url(address).await;
            let entry = listed.entry("siete").await;
            assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("UNCHANGED"), &other), "{address}: {entry}");
        }
        // The former channel has its stream again, as a typed one: a change of its list leaves the entry alone.
        set_url(own).await;
        let mut typed = listed.streams().await["streams"].as_array().unwrap().clone();
        assert_eq!((&typed[0]["url"], &typed[0]["origin"]), (&json!(own), &json!("TYPED")), "{typed:?}");
        typed[0]["label"] = json!("Mía");
        listed.put(&typed).await;
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("UNCHANGED"), &other), "{entry}");
        listed.read(app, &LIST.replace("token=a", "token=b")).await;
        listed.apply(app).await;
        let of_other = listed.client.get(&format!("/api/tv-channels/{other}/streams")).send().await.json();
        assert_eq!(of_other["streams"][1]["url"], "http://h.example/7.m3u8?token=b");
        assert_eq!(listed.addresses().await[0], own);
    }

    async fn a_merged_channel_brings_its_address_and_its_entry_as_a_stream(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"search": "ocho"}})).await;
        let page = listed.client.get("/api/tv-channels?search=ocho").send().await.json();
        let other = page["content"][0].clone();
        let one = format!("/api/tv-channels/{}", listed.channel);
        let version = listed.client.get(&one).send().await.json()["version"].clone();
        let body = json!({"version": version, "mergedId": other["id"], "mergedVersion": other["version"]});
        let merged = listed.client.post(&format!("{one}/merge")).json(&body).send().await;
        assert_eq!(merged.status, 200, "{}", merged.text());
        assert_eq!(listed.addresses().await, [OWN, "http://h.example/8.m3u8"]);
        let entry = listed.entry("ocho").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("UNCHANGED"), &listed.channel), "{entry}");
        // The stream follows the playlist.
        listed.read(app, &LIST.replace("/8.m3u8", "/88.m3u8")).await;
        apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"change": "CHANGED"}})).await;
        assert_eq!(listed.addresses().await, [OWN, "http://h.example/88.m3u8"]);
        // Restoring the merged channel leaves the entry where it is.
        let restored = listed.client.post(&format!("/api/tv-channels/{}/restore", other["id"])).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        assert_eq!(listed.entry("ocho").await["streamOf"], listed.channel);
    }

    async fn a_merged_channel_brings_the_entry_of_its_first_stream(app: &TestApp) {
        let listed = Listed::new(app).await;
        let id = listed.entry("siete").await["id"].clone();
        listed.follow(app, &id).await;
        let streams = listed.streams().await["streams"].clone();
        listed.put(&[streams[1].clone(), streams[0].clone()]).await;
        let kept = channel(&listed.client, "https://kept.example/4.m3u8").await;
        let version = listed.streams().await["version"].clone();
        let body = json!({"version": 1, "mergedId": listed.channel, "mergedVersion": version});
        let merged = listed.client.post(&format!("/api/tv-channels/{kept}/merge")).json(&body).send().await;
        assert_eq!(merged.status, 200, "{}", merged.text());
        let entry = listed.entry("siete").await;
        assert_eq!((&entry["change"], &entry["streamOf"]), (&json!("UNCHANGED"), &kept), "{entry}");
    }

    async fn the_entry_of_a_merged_station_is_that_of_the_kept_one(app: &TestApp) {
        let mut listed = Listed::new(app).await;
        let list = LIST.replace("radio=\"true\"", "radio=\"true\" tvg-country=\"ES\" group-title=\"Jazz\"");
        listed.read(app, &list).await;
        apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"search": "mar"}})).await;
        let page = listed.client.get("/api/radio-stations?search=mar").send().await.json();
        let path = format!("/api/radio-stations/{}", page["content"][0]["id"]);
        let other = listed.client.get(&path).send().await.json();
        let mut kept = other.clone();
        (kept["code"], kept["stationName"]) = (json!("MAR"), json!("La del Mar"));
        let fields = ["id", "version", "views", "createdDate", "updatedDate", "updatedBy"];
        kept.as_object_mut().unwrap().retain(|name, _| !fields.contains(&name.as_str()));
        let kept = listed.client.create("radio-stations", &kept).await["id"].clone();
        let body = json!({"version": 1, "mergedId": other["id"], "mergedVersion": other["version"]});
        let merged = listed.client.post(&format!("/api/radio-stations/{kept}/merge")).json(&body).send().await;
        assert_eq!(merged.status, 200, "{}", merged.text());
        let entry = listed.entry("mar").await;
        assert_eq!((&entry["change"], &entry["itemId"]), (&json!("UNCHANGED"), &kept), "{entry}");
        // The station follows the playlist, and the list does not add the other one again.
        listed.read(app, &list.replace("/mar.aac", "/mar2.aac")).await;
        apply(app, &listed.client, &listed.source, &listed.run, json!({"filter": {"change": "CHANGED"}})).await;
        let station = listed.client.get(&format!("/api/radio-stations/{kept}")).send().await.json();
        assert_eq!(station["streamUrl"], "http://h.example/mar2.aac");
        // Restoring the merged station leaves the entry where it is.
        let restored = listed.client.post(&format!("{path}/restore")).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        assert_eq!(listed.entry("mar").await["itemId"], kept);
    }
}
