//! The rows of the operations of live TV.

use domain_catalogue::Kind;
use serde_json::{Value, json};

use super::matrix::{Matrix, Row};

impl Matrix<'_> {
    /// A new channel with an epg match for each request.
    pub(super) async fn of_epg_match(&self, id: &str) -> Row {
        let list = "/api/epg-matches?_size=1000";
        let matching = "/api/epg-matching";
        let settings = |lead| json!({"auto": 90, "review": 30, "lead": lead, "automatic": false});
        match id {
            "listEpgMatch" => return Row::read(list),
            "countEpgMatch" => return Row::read("/api/epg-matches/counts"),
            "getEpgMatching" => return Row::read(matching),
            "replaceEpgMatching" => return Row::write(matching, settings(self.number() % 50), &[matching]),
            "runEpgMatching" => {
                self.app.run("UPDATE epg_matching SET state = 'IDLE'").await;
                return Row::write(format!("{matching}/run"), json!(null), &[matching]);
            }
            _ => {}
        }
        let (channel, _) = self.stored(Kind::TvChannels).await;
        if id == "getEpgCandidates" {
            return Row::read(format!("/api/epg-matches/candidates?channel={channel}"));
        }
        let link = format!("/api/tv-channels/{channel}/guide-link");
        if id == "linkTvChannel" {
            return Row::write(link, json!({"verdict": "NO_GUIDE"}), &[list]);
        }
        let decided = self.boss.put(&link).json(&json!({"verdict": "NO_GUIDE"})).send().await;
        assert_eq!(decided.status, 200, "{}", decided.text());
        if id == "undoEpgDecision" {
            return Row::write("/api/epg-matches/undo", json!({"channelId": channel}), &[list]);
        }
        // The match is pending, with a candidate.
        let candidate =
            r#"[{"guideId": 1, "xmlId": "siete", "name": "Siete", "score": 90, "for": [], "against": []}]"#;
        let waits = "UPDATE epg_matches SET level = 'REVIEW', decision = NULL, candidates = '";
        self.app.run(&format!("{waits}{candidate}' WHERE id = {channel}")).await;
        Row::write("/api/epg-matches/accept", json!({"ids": [channel]}), &["/api/operations"])
    }

    /// A new playlist source with a finished run for each request.
    pub(super) async fn of_playlist(&self, id: &str) -> Option<Row> {
        let list = "/api/playlist-sources";
        let draft = json!({"title": format!("Lista {}", self.number()), "url": "http://127.0.0.1:9/l.m3u"});
        let source = self.boss.create("playlist-sources", &draft).await;
        let one = format!("{list}/{}", source["id"]);
        let runs = format!("{one}/runs");
        let file = "#EXTM3U\n#EXTINF:-1,Siete\nhttp://h.example/7\n";
        if id == "uploadPlaylist" {
            return Some(Row { file: Some(file), ..Row::read(format!("{one}/upload")) });
        }
        let upload = self.boss.post(&format!("{one}/upload")).body("application/octet-stream", file);
        let run = upload.send().await.json();
        self.app.read_playlists().await;
        let run = format!("{runs}/{}", run["id"]);
        let changes = format!("{run}/changes");
        let entry = self.boss.get(&changes).send().await.json()["content"][0]["id"].clone();
        let other = json!({"title": format!("Otra {}", self.number())});
        let all = "/api/playlist-sources?_size=1000";
        if id == "mergePlaylistEntries" {
            // Another list: its entry is new, and the first one is missing.
            let file = "#EXTM3U\n#EXTINF:-1,Otro\nhttp://h.example/8\n";
            let upload = self.boss.post(&format!("{one}/upload")).body("application/octet-stream", file);
            let run = upload.send().await.json();
            self.app.read_playlists().await;
            let changes = format!("{runs}/{}/changes?change=NEW,MISSING", run["id"]);
            let entries = self.boss.get(&changes).send().await.json()["content"].clone();
            let of = |missing: bool| {
                let mut all = entries.as_array().unwrap().iter();
                all.find(|one| one["missingSince"].is_null() != missing).unwrap()["id"].clone()
            };
            let path = format!("{one}/entries/{}/merge", of(false));
            return Some(Row::write(path, json!({"missingId": of(true)}), &[&changes]));
        }
        Some(match id {
            "listPlaylistSource" => Row::read(list),
            "createPlaylistSource" => Row::write(list, other, &[all]),
            "getPlaylistSource" => Row::read(one),
            "replacePlaylistSource" => Row::write(&one, other, &[&one]),
            "updatePlaylistSource" => Row::write(&one, json!({"active": false}), &[&one]),
            "deletePlaylistSource" => Row { body: None, ..Row::write(&one, json!(null), &[&one, all]) },
            "listPlaylistGroups" => Row::read(format!("{one}/groups")),
            "listPlaylistRun" => Row::read(runs),
            "runPlaylistSource" => Row::write(&runs, json!({}), &[&runs]),
            "getPlaylistRun" => Row::read(run),
            "listPlaylistChanges" => Row::read(changes),
            "exportPlaylistChangeSheet" | "exportPlaylistLineSheet" => {
                let list =
                    if id == "exportPlaylistLineSheet" { "playlist-lines" } else { "playlist-changes" };
                let (source, run) = (&source["id"], run.rsplit('/').next().unwrap());
                Row::read(format!("/api/spreadsheets/{list}?source={source}&run={run}"))
            }
            "listPlaylistLines" => Row::read(format!("{run}/lines")),
            "countPlaylistChanges" => Row::read(format!("{run}/counts")),
            "applyPlaylistEntries" => Row::write(format!("{run}/apply"), json!({"ids": [entry]}), &[&run]),
            "addPlaylistEntryToStreams" => {
                let (channel, _) = self.stored(Kind::TvChannels).await;
                let path = format!("{one}/entries/{entry}/stream");
                Row::write(path, json!({"channelId": channel}), &["/api/operations"])
            }
            "addPlaylistEntriesToStreams" => {
                let (channel, _) = self.stored(Kind::TvChannels).await;
                let body = json!({"streams": [{"entryId": entry, "channelId": channel}]});
                Row::write(format!("{one}/streams"), body, &["/api/operations"])
            }
            "ignorePlaylistEntries" => {
                let body = json!({"ids": [entry], "ignored": true});
                Row::write(format!("{one}/ignored"), body, &[&changes])
            }
            _ => return None,
        })
    }

    /// The link of a channel.
    pub(super) async fn of_link(&self, id: &str) -> Row {
        let (channel, _) = self.stored(Kind::TvChannels).await;
        self.app.links.take_all_over().await.unwrap();
        let links = self.boss.get("/api/links?_size=1000").send().await.json();
        let of = |link: &&Value| link["owner"] == "tv-channels" && link["itemId"] == channel;
        let link = links["content"].as_array().unwrap().iter().find(of).unwrap()["id"].clone();
        match id {
            "probeLink" => Row::write(format!("/api/links/{link}/probe"), json!({}), &[]),
            "listLinkDays" => Row::read(format!("/api/links/{link}/days")),
            _ => Row::read(format!("/api/links/{link}/changes")),
        }
    }

    /// The links of a film or another item.
    pub(super) async fn of_item_links(&self, id: &str, path: &str) -> Row {
        let kind = Kind::ALL.iter().find(|kind| path.split('/').nth(2) == Some(kind.path())).unwrap();
        let (item, _) = self.stored(*kind).await;
        let path = path.replace("{id}", &item.to_string());
        if id.starts_with("list") { Row::read(path) } else { Row::write(&path, json!(null), &[&path]) }
    }

    /// A new profile of a key for each request.
    pub(super) async fn of_live_profile(&self, id: &str) -> Option<Row> {
        let key = json!({"name": "TV", "scopes": ["CATALOGUE_READ"]});
        let key = self.boss.create("integrator-keys", &key).await["id"].clone();
        let draft = || json!({"name": format!("Perfil {}", self.number()), "keyId": key});
        let made = self.boss.create("live-profiles", &draft()).await;
        let list = "/api/live-profiles";
        let all = "/api/live-profiles?_size=1000";
        let one = format!("{list}/{}", made["id"]);
        Some(match id {
            "getLivePlaylist" => {
                Row::read(format!("/api/live/{}/playlist.m3u", made["secret"].as_str().unwrap()))
            }
            "getLiveGuide" => {
                Row::read(format!("/api/live/{}/guide.xml.gz", made["secret"].as_str().unwrap()))
            }
            "listLiveProfile" => Row::read(list),
            "createLiveProfile" => Row::write(list, draft(), &[all]),
            "getLiveProfile" => Row::read(one),
            "replaceLiveProfile" => Row::write(&one, draft(), &[&one]),
            "deleteLiveProfile" => Row { body: None, ..Row::write(&one, json!(null), &[&one, all]) },
            "rotateLiveProfileSecret" => Row::write(format!("{one}/rotate-secret"), json!(null), &[&one]),
            "revokeLiveProfile" => Row::write(format!("{one}/revoke"), json!(null), &[&one]),
            _ => return None,
        })
    }

    /// A new guide with its fetch for each request.
    pub(super) async fn of_guide_fetch(&self, id: &str) -> Option<Row> {
        let guide = self.stored(Kind::TvGuides).await.0;
        let fetching = format!("/api/tv-guides/{guide}/fetching");
        let file = "<tv><channel id='siete'/></tv>";
        Some(match id {
            "listGuideFetch" => Row::read("/api/guide-fetches"),
            "getGuideFetch" => Row::read(fetching),
            "listGuideChannels" => Row::read(format!("/api/tv-guides/{guide}/channels")),
            "replaceGuideSettings" => Row::write(&fetching, json!({"zone": "Europe/Madrid"}), &[&fetching]),
            "fetchGuide" => Row::write(format!("/api/tv-guides/{guide}/fetch"), json!(null), &[&fetching]),
            "uploadGuide" => Row { file: Some(file), ..Row::read(format!("/api/tv-guides/{guide}/upload")) },
            _ => return None,
        })
    }
}
