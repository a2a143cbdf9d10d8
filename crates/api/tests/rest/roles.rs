//! Every operation of the document as every role, on users inside, outside and above what the caller keeps: real
//! targets and valid bodies, so that nothing is refused but for want of a right, and what is refused is read again
//! afterwards. An operation that has no row here fails.

use actix_web::http::Method;
use domain_catalogue::Kind;
use domain_kernel::{Enumeration, KeyScope, RoleCode};
use domain_settings::{BackgroundImage, Entry};
use domain_users::permissions_of;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::{Client, new_user},
    every_kind::{another, draft, item},
    openapi::operations,
    series::episode,
};

/// Where the user is whom an operation is about.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// Beneath the agent.
    Inside,
    /// Beneath somebody else.
    Outside,
    /// A superadmin.
    Above,
}

/// The public id of sessions that are put into the store.
const SESSION: &str = "feedfeedfeedfeed";

/// What is sent, and where to look whether it changed anything.
struct Row {
    path: String,
    body: Option<Value>,
    /// A file in the place of JSON.
    file: Option<&'static str>,
    watch: Vec<String>,
}

impl Row {
    fn read(path: impl Into<String>) -> Self {
        Self { path: path.into(), body: None, file: None, watch: Vec::new() }
    }

    fn write(path: impl Into<String>, body: Value, watch: &[&str]) -> Self {
        let watch = watch.iter().map(|path| (*path).to_owned()).collect();
        Self { path: path.into(), body: Some(body), file: None, watch }
    }
}

struct Matrix<'a> {
    app: &'a TestApp,
    boss: Client<'a>,
    made: std::cell::Cell<u32>,
}

impl<'a> Matrix<'a> {
    async fn new(app: &'a TestApp) -> Self {
        // Another admin than the caller: the call may end sessions.
        app.sign_in_as(RoleCode::Superadmin).await.register("keeper_1", "superadmin").await;
        let boss = app.sign_in("keeper_1").await;
        let stock = json!({"targetUsername": "agent", "amount": 1000});
        assert_eq!(boss.post("/api/credits/add-for-sale").json(&stock).send().await.status, 201);
        Self { app, boss, made: std::cell::Cell::new(0) }
    }

    fn number(&self) -> u32 {
        self.made.set(self.made.get() + 1);
        self.made.get()
    }

    /// A user of their own for every question.
    async fn target(&self, place: Place, role: &str) -> String {
        let name = format!("target_{}", self.number());
        match place {
            Place::Inside => self.app.sign_in_as(RoleCode::Agent).await.register(&name, role).await,
            Place::Outside => self.boss.register(&name, role).await,
            Place::Above => self.boss.register(&name, "superadmin").await,
        };
        name
    }

    async fn credits(&self, path: &str, target: &str) -> Value {
        let body = json!({"targetUsername": target, "amount": 5});
        let answer = self.boss.post(&format!("/api/credits/{path}")).json(&body).send().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()
    }

    /// A stored item of a kind, and one more that could be.
    async fn stored(&self, kind: Kind) -> (Value, Value) {
        let draft = draft(&self.boss, kind).await;
        let stored = self.boss.create(kind.path(), &draft).await;
        let other = another(kind, &draft, i64::from(self.number()));
        (item(kind, stored)["id"].clone(), other)
    }

    async fn of_kind(&self, kind: Kind, id: &str) -> Option<Row> {
        let list = format!("/api/{}", kind.path());
        let name = id.trim_start_matches(|c: char| c.is_lowercase());
        let verb = &id[..id.len() - name.len()];
        if name.ends_with("SpreadsheetColumns") {
            return Some(Row::read(format!("{list}/spreadsheet/columns")));
        }
        if verb == "export" && name.ends_with("Spreadsheet") {
            return Some(Row::read(format!("{list}/spreadsheet")));
        }
        if name.ends_with("SpreadsheetTemplate") {
            return Some(Row::read(format!("{list}/spreadsheet/template")));
        }
        if name.ends_with("Spreadsheet") {
            let uploads = format!("{list}/spreadsheet-imports");
            let file = "title,year\nMetropolis,1927\n";
            if verb == "upload" {
                return Some(Row { file: Some(file), ..Row::read(uploads) });
            }
            let uploaded =
                self.boss.post(&uploads).body("application/octet-stream", file).send().await.json();
            self.app.run("UPDATE sheets SET created_by = 'contentManager'").await;
            let columns = json!({"columns": ["active", null], "dryRun": true});
            return Some(Row::write(format!("{uploads}/{}/run", uploaded["id"]), columns, &[]));
        }
        if name.ends_with("Duplicates") {
            return Some(Row::read(format!("{list}/duplicates?reason=TITLE_AND_YEAR")));
        }
        if verb == "list" && !name.starts_with("HistoryOf") {
            return Some(Row::read(list));
        }
        let (stored, other) = self.stored(kind).await;
        let one = format!("{list}/{stored}");
        let all = format!("{list}?_size=1000");
        Some(match (verb, name.ends_with("Status")) {
            ("list", _) => Row::read(format!("{one}/history")),
            ("create", _) => Row::write(list, other, &[&all]),
            ("get", _) if name.starts_with("VersionOf") => Row::read(format!("{one}/history/1")),
            ("get", _) if !name.ends_with("Usage") => Row::read(one),
            ("replace", _) => Row::write(&one, other, &[&one]),
            ("update", _) => Row::write(&one, json!({"active": false}), &[&one]),
            ("delete", _) => Row { body: None, ..Row::write(&one, json!(null), &[&one, &all]) },
            ("restore", _) => {
                self.boss.delete(&one).send().await;
                Row::write(format!("{one}/restore"), json!({}), &[&one, &all])
            }
            ("get", _) if name.ends_with("Usage") => Row::read(format!("{one}/usage")),
            ("preview" | "merge", _) => {
                let next = item(kind, self.boss.create(kind.path(), &other).await)["id"].clone();
                let body = json!({"version": 1, "mergedId": next, "mergedVersion": 1});
                match verb {
                    "merge" => Row::write(format!("{one}/merge"), body, &[&one, &all]),
                    _ => Row::read(format!("{one}/merge?mergedId={next}")),
                }
            }
            ("move", _) => {
                let next = self.boss.create(kind.path(), &other).await["id"].clone();
                Row::write(format!("{one}/move"), json!({"to": next}), &[])
            }
            ("set", true) => Row::write(format!("{one}/status"), json!({"active": false}), &[&one]),
            _ => return None,
        })
    }

    /// A file of users: no other than admins may import it.
    async fn of_user_spreadsheet(&self, id: &str) -> Row {
        let uploads = "/api/users/spreadsheet-imports";
        let file = "username,email\nnuevo_hoja,a@example.com\n";
        if id == "uploadUserSpreadsheet" {
            return Row { file: Some(file), ..Row::read(uploads) };
        }
        let uploaded = self.boss.post(uploads).body("application/octet-stream", file).send().await.json();
        let columns = json!({"columns": ["username", "email"], "dryRun": true});
        Row::write(format!("{uploads}/{}/run", uploaded["id"]), columns, &[])
    }

    /// A session for everybody, under a public id that is the same for all.
    async fn sessions(&self) {
        let sql = format!(
            "INSERT INTO sessions (key_hash, user_id, created_date, ends_date) SELECT '{SESSION}' || username_key, id, \
             created_date, '2027-01-01T00:00:00.000+00:00' FROM users WHERE true ON CONFLICT (key_hash) DO NOTHING"
        );
        self.app.run(&sql).await;
    }

    async fn of_user(&self, id: &str, place: Place) -> Option<Row> {
        let for_sale = id.ends_with("ForSale");
        let above = place == Place::Above;
        let is_agent = for_sale || id.ends_with("Statement");
        let name = self.target(place, if is_agent { "agent" } else { "app" }).await;
        let path = format!("/api/users/{name}");
        let history = format!("/api/credits/history/{name}");
        if !above && (id.ends_with("redits") || for_sale || id.ends_with("CreditsOf")) {
            self.credits(if for_sale { "add-for-sale" } else { "add" }, &name).await;
        }
        let body = json!({"targetUsername": name, "amount": 1});
        let credits = |path: &str| {
            Row::write(
                format!("/api/credits/{path}"),
                body.clone(),
                &[&format!("/api/users/{name}"), &history],
            )
        };
        Some(match id {
            "getUser" => Row::read(path),
            "replaceUser" => {
                let mut form = new_user(&name, if above { "superadmin" } else { "app" });
                form.as_object_mut().unwrap().remove("password");
                form["fullName"] = json!("Otro Nombre");
                form["status"] = json!("INACTIVE");
                Row::write(&path, form, &[&path])
            }
            "updateUser" => Row::write(&path, json!({"fullName": "Otro Nombre"}), &[&path]),
            "deleteUser" => Row { body: None, ..Row::write(&path, json!(null), &[&path]) },
            "listHistoryOfUser" => Row::read(format!("{path}/history")),
            "listVisitsOfUser" => Row::read(format!("{path}/visits")),
            "listDevicesOfUser" => Row::read(format!("{path}/devices")),
            "listReportsOfUser" => Row::read(format!("{path}/reports")),
            "listNotesOfUser" => Row::read(format!("{path}/notes")),
            "addNoteToUser" => {
                let path = format!("{path}/notes");
                Row::write(&path, json!({"kind": "NOTE", "text": "Paga en efectivo"}), &[&path])
            }
            "getSnoozeOfUser" => Row::read(format!("{path}/snooze")),
            "snoozeUser" | "endSnoozeOfUser" => {
                let path = format!("{path}/snooze");
                if id == "snoozeUser" {
                    return Some(Row::write(&path, json!({"until": "2026-12-01"}), &[&path]));
                }
                let snoozed = self.boss.put(&path).json(&json!({"until": "2026-12-01"})).send().await;
                assert_eq!(snoozed.status, 204, "{}", snoozed.text());
                Row { body: None, ..Row::write(&path, json!(null), &[&path]) }
            }
            "listUserSessions" => Row::read(format!("{path}/sessions")),
            "endUserSessions" => {
                self.sessions().await;
                let path = format!("{path}/sessions");
                Row { body: None, ..Row::write(&path, json!(null), &[&path]) }
            }
            "resetPassword" => {
                Row::write(format!("{path}/password"), json!({"password": "Otra clave 2"}), &[&path])
            }
            "toggleUserStatus" => Row::write(format!("{path}/toggle-status"), json!(null), &[&path]),
            "addCredits" => credits("add"),
            "deductCredits" => credits("deduct"),
            "addCreditsForSale" => credits("add-for-sale"),
            "deductCreditsForSale" => credits("deduct-for-sale"),
            "quoteCredits" => {
                let ask = json!({"targetUsername": name, "amount": 1, "operationType": "ADD_CREDITS"});
                Row::write("/api/credits/quote", ask, &[&path, &history])
            }
            "getCredits" | "reverseCredits" | "requestReversal" => {
                let movement = self.credits("add", &name).await;
                let one = format!("/api/credits/{}", movement["id"]);
                match id {
                    "getCredits" => Row::read(one),
                    "requestReversal" => Row::write(format!("{one}/reversal-requests"), json!({}), &[]),
                    _ => Row::write(format!("{one}/reverse"), json!({}), &[&path, &one]),
                }
            }
            "getStatement" => Row::read(format!("/api/statements/{name}")),
            "exportStatement" => Row::read(format!("/api/statements/{name}/export")),
            "listCreditsOf" => Row::read(history),
            "recentCreditsOf" => Row::read(format!("{history}/recent")),
            "countCreditsOf" => Row::read(format!("{history}/count")),
            _ => return None,
        })
    }

    /// A note of the caller's, where the caller may write one.
    async fn of_note(&self, place: Place, caller: Option<RoleCode>) -> Row {
        let name = self.target(place, "app").await;
        let notes = format!("/api/users/{name}/notes");
        let may_write = match caller {
            Some(RoleCode::Superadmin) => true,
            Some(RoleCode::Admin) => place != Place::Above,
            Some(RoleCode::Agent) => place == Place::Inside,
            _ => false,
        };
        let author = match caller.filter(|_| may_write) {
            Some(role) => self.app.sign_in_as(role).await,
            None => self.app.sign_in("keeper_1").await,
        };
        let note = author.post(&notes).json(&json!({"kind": "NOTE", "text": "Mal escrita"})).send().await;
        assert_eq!(note.status, 201, "{}", note.text());
        let path = format!("{notes}/{}", note.json()["id"]);
        Row { body: None, ..Row::write(path, json!(null), &[&notes]) }
    }

    /// A request of the agent about a sale of its own.
    async fn of_reversal_request(&self, path: &str) -> Row {
        let name = self.target(Place::Inside, "app").await;
        let agent = self.app.sign_in_as(RoleCode::Agent).await;
        let sale = json!({"targetUsername": name, "amount": 1});
        let sale = agent.post("/api/credits/add").json(&sale).send().await.json();
        let asked = agent.post(&format!("/api/credits/{}/reversal-requests", sale["id"])).send().await;
        assert_eq!(asked.status, 201, "{}", asked.text());
        let one = path.replace("{id}", &asked.json()["id"].to_string());
        Row::write(one, json!({}), &["/api/credits/reversal-requests?_size=100"])
    }

    /// A view of the caller's, where the caller may have one.
    async fn of_saved_view(&self, id: &str, path: &str, caller: Option<RoleCode>) -> Row {
        let view = |name| json!({"list": "movies", "name": format!("Vista {name}")});
        if id == "listSavedViews" {
            return Row::read(path);
        }
        if id == "createSavedView" {
            return Row::write(path, view(self.number()), &[]);
        }
        let owner = caller.filter(|role| RoleCode::STAFF.contains(role)).unwrap_or(RoleCode::Admin);
        let owner = self.app.sign_in_as(owner).await;
        let stored = owner.post("/api/saved-views").json(&view(self.number())).send().await;
        assert_eq!(stored.status, 201, "{}", stored.text());
        let path = path.replace("{id}", &stored.json()["id"].to_string());
        if id == "updateSavedView" { Row::write(path, view(self.number()), &[]) } else { Row::read(path) }
    }

    async fn of_key(&self, id: &str) -> Row {
        let list = "/api/integrator-keys";
        let draft = json!({"name": "TV", "scopes": ["CATALOGUE_READ"]});
        let made = self.boss.create("integrator-keys", &draft).await;
        let one = format!("{list}/{}", made["id"]);
        match id {
            "getIntegratorKey" => Row::read(one),
            "keepIntegratorKey" => Row::write(format!("{one}/keep"), json!(null), &[&one]),
            "revokeIntegratorKey" => Row::write(format!("{one}/revoke"), json!(null), &[&one]),
            _ => Row::write(list, draft, &[list]),
        }
    }

    async fn of_issue(&self, id: &str) -> Option<Row> {
        let list = "/api/issue-reports";
        let report = json!({
            "title": "No carga", "contentType": "MOVIE", "content": format!("Película {}", self.number()),
            "reportType": "NOT_LOADING",
        });
        if id == "createIssueReport" {
            return Some(Row::write(list, report, &["/api/issue-reports/stats"]));
        }
        let stored = self.boss.create("issue-reports", &report).await;
        let one = format!("{list}/{}", stored["id"]);
        Some(match id {
            "getIssueReport" => Row::read(one),
            "listLinksOfReport" => Row::read(format!("{one}/links")),
            "updateIssueReport" => Row::write(&one, json!({"status": "RESUELTO"}), &[&one]),
            "deleteIssueReport" => Row { body: None, ..Row::write(&one, json!(null), &[&one]) },
            "updateIssueGroup" => {
                let group = format!("{list}/groups/{}", stored["groupId"]);
                Row::write(group, json!({"status": "RESUELTO"}), &[&one])
            }
            _ => return None,
        })
    }

    async fn of_what_belongs_together(&self, id: &str) -> Option<Row> {
        if id.contains("SportLink") {
            let (sport, _) = self.stored(Kind::Sports).await;
            let list = format!("/api/sports/{sport}/links");
            let url = format!("https://s.example/{}.m3u8", self.number());
            let link = || json!({"quality": "FHD", "url": url, "audioLanguages": ["RUSSIAN"]});
            self.boss.post(&list).json(&link()).send().await;
            let links = self.boss.get(&list).send().await.json();
            let one = format!("{list}/{}", links[0]["id"].as_str().unwrap());
            return Some(match id {
                "listSportLinks" => Row::read(list),
                "addSportLink" => Row::write(&list, link(), &[&list]),
                "replaceSportLink" => Row::write(one, link(), &[&list]),
                "deleteSportLink" => Row { body: None, ..Row::write(one, json!(null), &[&list]) },
                "setSportLinkStatus" => {
                    Row::write(format!("{one}/status"), json!({"active": false}), &[&list])
                }
                _ => return None,
            });
        }
        let (show, _) = self.stored(Kind::TvShows).await;
        let list = format!("/api/tv-shows/{show}/episodes");
        let stored = self.boss.post(&list).json(&episode(1, 1)).send().await.json();
        let one = format!("{list}/{}", stored["id"]);
        let all = format!("{list}?_size=1000");
        Some(match id {
            "listShowSeasons" => Row::read(format!("/api/tv-shows/{show}/seasons")),
            "listShowEpisodes" => Row::read(list),
            "createShowEpisode" => Row::write(&list, episode(1, 2), &[&all]),
            "createShowEpisodes" => {
                Row::write(format!("{list}/batch"), json!({"episodes": [episode(1, 2)]}), &[&all])
            }
            "replaceShowEpisode" => Row::write(one, episode(1, 3), &[&all]),
            "deleteShowEpisode" => Row { body: None, ..Row::write(one, json!(null), &[&all]) },
            "setShowEpisodeStatus" => Row::write(format!("{one}/status"), json!({"active": false}), &[&all]),
            _ => return None,
        })
    }

    /// Entries of the settings page's lists.
    async fn of_settings(&self, id: &str) -> Option<Row> {
        let entry = |number: u32| {
            if id.ends_with("RenewalMessage") {
                json!({"name": format!("Aviso {number}"), "spanish": "Hola, {name}", "english": "Hello, {name}"})
            } else if id.ends_with("AlertMessage") {
                json!({"message": format!("Aviso {number}")})
            } else {
                let mut image = serde_json::to_value(BackgroundImage::sample()).unwrap();
                image["title"] = json!(format!("Imagen {number}"));
                image
            }
        };
        let (list, kind) = match () {
            () if id.ends_with("RenewalMessage") => ("renewal-messages", "RenewalMessage"),
            () if id.ends_with("AlertMessage") => ("alert-messages", "AlertMessage"),
            () => ("background-images", "BackgroundImage"),
        };
        let stored = self.boss.create(list, &entry(self.number())).await;
        let list = format!("/api/{list}");
        let one = format!("{list}/{}", stored["id"]);
        let all = format!("{list}?_size=1000");
        let verb = id.trim_end_matches(kind);
        Some(match verb {
            "list" => Row::read(list),
            "get" => Row::read(one),
            "create" => Row::write(list, entry(self.number()), &[&all]),
            "replace" => Row::write(&one, entry(self.number()), &[&one]),
            "update" => Row::write(&one, entry(self.number()), &[&one]),
            "delete" => Row { body: None, ..Row::write(&one, json!(null), &[&one, &all]) },
            _ => return None,
        })
    }

    /// A webhook with a delivery, of their own for every question.
    async fn of_webhook(&self, id: &str) -> Option<Row> {
        let draft = json!({"name": format!("Avisos {}", self.number()), "url": "https://example.com/hook", "events": ["ITEM_REMOVED"]});
        let webhook = self.boss.create("webhooks", &draft).await;
        let one = format!("/api/webhooks/{}", webhook["id"]);
        let log = format!("{one}/deliveries");
        let queued = self.boss.post(&format!("{one}/test")).send().await.json();
        let delivery = format!("{log}/{}", queued["id"]);
        let other =
            json!({"name": "Otros avisos", "url": "https://example.com/", "events": ["ISSUE_OPENED"]});
        let all = "/api/webhooks?_size=1000";
        Some(match id {
            "listWebhook" => Row::read("/api/webhooks"),
            "createWebhook" => Row::write("/api/webhooks", other, &[all]),
            "getWebhook" => Row::read(one),
            "replaceWebhook" => Row::write(&one, other, &[&one]),
            "updateWebhook" => Row::write(&one, json!({"active": false}), &[&one]),
            "deleteWebhook" => Row { body: None, ..Row::write(&one, json!(null), &[&one, all]) },
            "rotateWebhookSecret" => Row::write(format!("{one}/rotate-secret"), json!(null), &[&one]),
            "resumeWebhook" => {
                let pause = "UPDATE webhooks SET paused_date = created_date, failing_since = created_date, failures = 10";
                self.app.run(&format!("{pause} WHERE id = {}", webhook["id"])).await;
                Row::write(format!("{one}/resume"), json!(null), &[&one])
            }
            "testWebhook" => Row::write(format!("{one}/test"), json!(null), &[&log]),
            "listWebhookDeliveries" => Row::read(log),
            "getWebhookDelivery" => Row::read(delivery),
            "resendWebhookDelivery" => {
                self.app.deliver().await;
                Row::write(format!("{delivery}/resend"), json!(null), &[&log])
            }
            _ => return None,
        })
    }

    /// A bulk operation of the content manager: admins see everybody's.
    async fn of_operation(&self, id: &str) -> Row {
        let (film, _) = self.stored(Kind::Movies).await;
        let action = json!({"type": "SET", "set": {"kidsContent": true}});
        let body = json!({"resource": "movies", "ids": [film], "action": action});
        let list = "/api/operations";
        if id == "beginOperation" {
            return Row::write(list, body, &[list]);
        }
        let begun = self.boss.post(list).json(&body).send().await.json();
        self.app.run("UPDATE bulk_operations SET created_by = 'contentManager'").await;
        let path = format!("{list}/{}", begun["id"]);
        match id {
            "listOperations" => Row::read(list),
            "getOperation" => Row::read(path),
            "listOperationRows" => Row::read(format!("{path}/rows")),
            "exportOperationFailures" => Row::read(format!("{path}/failures")),
            "cancelOperation" => Row::write(format!("{path}/cancel"), json!(null), &[&path]),
            _ => {
                self.app.operate().await;
                Row::write(format!("{path}/undo"), json!(null), &[&path])
            }
        }
    }

    /// A channel about whose guide is decided, of their own for every question.
    async fn of_epg_match(&self, id: &str) -> Row {
        let list = "/api/epg-matches?_size=1000";
        let matching = "/api/epg-matching";
        let settings = |lead| json!({"auto": 90, "review": 30, "lead": lead, "automatic": false});
        match id {
            "listEpgMatch" => return Row::read(list),
            "getEpgMatching" => return Row::read(matching),
            "replaceEpgMatching" => return Row::write(matching, settings(self.number() % 50), &[matching]),
            "runEpgMatching" => {
                self.app.run("UPDATE epg_matching SET state = 'IDLE'").await;
                return Row::write(format!("{matching}/run"), json!(null), &[matching]);
            }
            _ => {}
        }
        let (channel, _) = self.stored(Kind::TvChannels).await;
        let link = format!("/api/tv-channels/{channel}/guide-link");
        if id == "linkTvChannel" {
            return Row::write(link, json!({"verdict": "NO_GUIDE"}), &[list]);
        }
        let decided = self.boss.put(&link).json(&json!({"verdict": "NO_GUIDE"})).send().await;
        assert_eq!(decided.status, 200, "{}", decided.text());
        if id == "undoEpgDecision" {
            return Row::write("/api/epg-matches/undo", json!({"channelId": channel}), &[list]);
        }
        // It waits with a candidate.
        let candidate =
            r#"[{"guideId": 1, "xmlId": "siete", "name": "Siete", "score": 90, "for": [], "against": []}]"#;
        let waits = "UPDATE epg_matches SET level = 'REVIEW', decision = NULL, candidates = '";
        self.app.run(&format!("{waits}{candidate}' WHERE id = {channel}")).await;
        Row::write("/api/epg-matches/accept", json!({"ids": [channel]}), &["/api/operations"])
    }

    /// A playlist source with a finished run, of their own for every question.
    async fn of_playlist(&self, id: &str) -> Option<Row> {
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
            "listPlaylistLines" => Row::read(format!("{run}/lines")),
            "applyPlaylistEntries" => Row::write(format!("{run}/apply"), json!({"ids": [entry]}), &[&run]),
            "ignorePlaylistEntries" => {
                let body = json!({"ids": [entry], "ignored": true});
                Row::write(format!("{one}/ignored"), body, &[&changes])
            }
            _ => return None,
        })
    }

    /// The link of a channel.
    async fn of_link(&self, id: &str) -> Row {
        let (channel, _) = self.stored(Kind::TvChannels).await;
        while self.app.links.take_over().await.unwrap() {}
        let links = self.boss.get("/api/links?_size=1000").send().await.json();
        let of = |link: &&Value| link["owner"] == "tv-channels" && link["itemId"] == channel;
        let link = links["content"].as_array().unwrap().iter().find(of).unwrap()["id"].clone();
        match id {
            "probeLink" => Row::write(format!("/api/links/{link}/probe"), json!({}), &[]),
            _ => Row::read(format!("/api/links/{link}/changes")),
        }
    }

    /// A profile of a key, of its own for every question.
    async fn of_live_profile(&self, id: &str) -> Option<Row> {
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

    /// How a guide is fetched, a guide of its own for every question.
    async fn of_guide_fetch(&self, id: &str) -> Option<Row> {
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

    /// The row of an operation. What is not here has none.
    async fn row(&self, id: &str, path: &str, place: Place, caller: Option<RoleCode>) -> Row {
        let url = || json!({"baseUrl": format!("https://s{}.example/", self.number())});
        let row = match id {
            "exportRenewalSheet" => Some(Row::read(format!("{path}?window=EXPIRED"))),
            "exportWebhookDeliverySheet" => Some(Row::read(format!("{path}?webhook=1"))),
            _ if is_plain_read(id) || path.starts_with("/api/spreadsheets/") => Some(Row::read(path)),
            "seeNotices" => Some(Row::write(path, json!({"notices": []}), &[])),
            _ if path.starts_with("/api/renewals") => of_renewals(id, path),
            "endSession" => {
                self.sessions().await;
                Some(Row::read(format!("/api/auth/sessions/{SESSION}")))
            }
            "login" => Some(Row::write(path, json!({"username": "admin", "password": PASSWORD}), &[])),
            "setChannelsBaseUrl" | "setRadioStationsBaseUrl" => Some(Row::write(path, url(), &[path])),
            "requestBackup" => {
                // One that is unfinished refuses another one.
                self.app.run("DELETE FROM backups").await;
                Some(Row::write(path, json!(null), &[path]))
            }
            "createIntegratorKey" | "getIntegratorKey" | "keepIntegratorKey" | "revokeIntegratorKey" => {
                Some(self.of_key(id).await)
            }
            _ if path.starts_with("/api/saved-views") => Some(self.of_saved_view(id, path, caller).await),
            "approveReversal" | "declineReversal" => Some(self.of_reversal_request(path).await),
            "countViews" => {
                let (film, _) = self.stored(Kind::Movies).await;
                let views = json!({"views": [{"contentType": "MOVIE", "contentId": film}]});
                Some(Row::write(path, views, &[&format!("/api/movies/{film}")]))
            }
            "recordVisits" => {
                let visits = json!({"visits": [{"kind": "VISIT", "username": "app"}]});
                // Signing in is a visit too, and asking signs in.
                Some(Row::write(path, visits, &["/api/visits?kind=VISIT"]))
            }
            "getSubscriber" => {
                Some(Row::read(format!("/api/subscribers/{}", self.target(place, "app").await)))
            }
            _ if path.starts_with("/api/export/") => Some(Row::read(path)),
            "replaceAppSettings" => {
                let settings = json!({
                    "itemsPerPage": 20, "monthlyCreditsPrice": 9.99, "annualCreditsPrice": 99.5,
                    "allowedPeriods": {"months": true, "years": true},
                    "maxTransactionsPerAgent": self.number(),
                });
                Some(Row::write(path, settings, &[path]))
            }
            _ if is_entry(id) => self.of_settings(id).await,
            "lookupSearch" => Some(Row::read(format!("{path}?title=matrix"))),
            "lookupTitle" => Some(Row::read("/api/lookup/titles/tt0133093?as=movie")),
            "lookupSeason" => Some(Row::read("/api/lookup/titles/tt0903747/episodes?season=1")),
            "changePassword" => {
                let change = json!({"currentPassword": PASSWORD, "newPassword": "Otra clave 2"});
                Some(Row::write(path, change, &[]))
            }
            "createUser" => {
                let name = format!("nuevo_{}", self.number());
                Some(Row::write(path, new_user(&name, "app"), &["/api/users?_size=1000&_sort=id"]))
            }
            "getUserSpreadsheetTemplate" => Some(Row::read(path)),
            "uploadUserSpreadsheet" | "importUserSpreadsheet" => Some(self.of_user_spreadsheet(id).await),
            _ if path.starts_with("/api/operations") => Some(self.of_operation(id).await),
            _ if path.starts_with("/api/issue-reports") => self.of_issue(id).await,
            _ if path.starts_with("/api/webhooks") => self.of_webhook(id).await,
            _ if path.starts_with("/api/live-profiles") || path.starts_with("/api/live/") => {
                self.of_live_profile(id).await
            }
            _ if path.starts_with("/api/playlist-sources") => self.of_playlist(id).await,
            "listLinkChanges" | "probeLink" => Some(self.of_link(id).await),
            "getSchedule" | "getGuideHealth" | "listLinks" | "getLinkSummary" => Some(Row::read(path)),
            "getNowNext" | "getProgramme" | "getStreamsOfTvChannel" => {
                let (channel, _) = self.stored(Kind::TvChannels).await;
                Some(Row::read(path.replace("{id}", &channel.to_string())))
            }
            "replaceStreamsOfTvChannel" => {
                let (channel, _) = self.stored(Kind::TvChannels).await;
                let path = path.replace("{id}", &channel.to_string());
                let stream = json!({"urlType": "EXTERNAL", "url": "https://a.example/other.m3u8"});
                Some(Row::write(&path, json!({"streams": [stream]}), &[&path]))
            }
            "listGuideFetch"
            | "listGuideChannels"
            | "getGuideFetch"
            | "replaceGuideSettings"
            | "fetchGuide"
            | "uploadGuide" => self.of_guide_fetch(id).await,
            _ if path.contains("epg-match") || path.ends_with("/guide-link") => {
                Some(self.of_epg_match(id).await)
            }
            "deleteNoteOfUser" => Some(self.of_note(place, caller).await),
            _ if is_about_a_user(path, id) => self.of_user(id, place).await,
            _ if path.starts_with("/api/tv-shows/{tvShowId}") || path.contains("/links") => {
                self.of_what_belongs_together(id).await
            }
            _ => match Kind::ALL.iter().find(|kind| path.split('/').nth(2) == Some(kind.path())) {
                Some(kind) => self.of_kind(*kind, id).await,
                None => None,
            },
        };
        row.unwrap_or_else(|| panic!("{id} ({path}) needs a row in this matrix: whom is it for?"))
    }

    async fn state(&self, row: &Row) -> Vec<(u16, Value)> {
        let mut all = Vec::new();
        for path in &row.watch {
            let answer = self.boss.get(path).send().await;
            all.push((answer.status, answer.json()));
        }
        all
    }

    /// Sends a request; returns the status and whether anything changed.
    async fn send(&self, method: &str, row: &Row, role: Option<RoleCode>) -> (u16, bool) {
        let client = match role {
            Some(role) => self.app.sign_in_as(role).await,
            None => self.app.nobody(),
        };
        let before = self.state(row).await;
        let requested = client.request(Method::from_bytes(method.as_bytes()).unwrap(), &row.path);
        let answer = match (&row.body, row.file) {
            (_, Some(file)) => requested.body("application/octet-stream", file).send().await,
            (Some(body), None) => requested.json(body).send().await,
            (None, None) => requested.send().await,
        };
        assert!(answer.status < 500, "{method} {}: {}", row.path, answer.text());
        (answer.status, self.state(row).await != before)
    }
}

/// Whether an operation needs nothing but its path.
fn is_plain_read(id: &str) -> bool {
    matches!(
        id,
        "signInInfo"
            | "logout"
            | "refresh"
            | "live"
            | "ready"
            | "docs"
            | "openapi"
            | "adminDashboard"
            | "agentDashboard"
            | "contentManagerDashboard"
            | "listSessions"
            | "endOtherSessions"
            | "listUser"
            | "listRoles"
            | "listCredits"
            | "listLedger"
            | "totalLedger"
            | "exportLedger"
            | "listReversalRequests"
            | "listIntegratorKey"
            | "listIssueReports"
            | "listIssueGroups"
            | "getIssueStats"
            | "getBackups"
            | "listTrash"
            | "listAuditEntries"
            | "listCompleteness"
            | "countDuplicates"
            | "listIssueAssignees"
            | "listNotices"
            | "getActivity"
            | "streamEvents"
            | "listVisits"
            | "countVisitsPerDay"
            | "exportVisits"
            | "getAppSettings"
            | "getChannelsBaseUrl"
            | "getRadioStationsBaseUrl"
    )
}

/// Whether it is about an entry of a list of the settings page.
fn is_entry(id: &str) -> bool {
    ["BackgroundImage", "AlertMessage", "RenewalMessage"].iter().any(|kind| id.ends_with(kind))
}

fn of_renewals(id: &str, path: &str) -> Option<Row> {
    match id {
        "listRenewals" => Some(Row::read(format!("{path}?window=DAYS_30"))),
        "countRenewals" | "listMessagesForSellers" => Some(Row::read(path)),
        "quoteRenewals" => {
            let customers = json!({"customers": [{"username": "app", "months": 1}]});
            Some(Row::write(path, customers, &[]))
        }
        "findRenewalSales" => Some(Row::write(path, json!({"keys": ["none"]}), &[])),
        _ => None,
    }
}

/// Whether it is about somebody, whom not everybody sees.
fn is_about_a_user(path: &str, id: &str) -> bool {
    (path.contains("{username}") && !path.starts_with("/api/subscribers"))
        || (path.starts_with("/api/credits/")
            && !path.starts_with("/api/credits/ledger")
            && !path.starts_with("/api/credits/reversal-requests")
            && id != "listCredits")
}

/// What the role gets of an operation on a user of that place; `None` where it is done.
fn refusal(role: RoleCode, id: &str, operation: &Value, place: Place, about_a_user: bool) -> Option<u16> {
    let permission = operation["x-permission"].as_str().unwrap();
    let holds = match permission {
        "public" | "session" => true,
        "admin" => role.passes_every_check(),
        // A key is not a user's, and a user's rights are not a key's.
        "key" => false,
        "role" => operation["x-roles"].as_array().unwrap().iter().any(|one| one == role.code()),
        _ => {
            role.passes_every_check()
                || permissions_of(role).iter().any(|held| held.to_string() == permission)
        }
    };
    if !holds {
        return Some(403);
    }
    if !about_a_user {
        return None;
    }
    let reads = [
        "getUser",
        "listHistoryOfUser",
        "listVisitsOfUser",
        "listDevicesOfUser",
        "listReportsOfUser",
        "listNotesOfUser",
        "getSnoozeOfUser",
        "listCreditsOf",
        "recentCreditsOf",
        "countCreditsOf",
    ]
    .contains(&id);
    match (role, place) {
        (RoleCode::Agent, Place::Outside | Place::Above) => Some(404),
        // The movement of the matrix is an admin's; an agent reverses its own sales.
        (RoleCode::Agent, Place::Inside) if ["reverseCredits", "requestReversal"].contains(&id) => Some(403),
        (RoleCode::Admin, Place::Above) if !reads => Some(403),
        _ => None,
    }
}

#[actix_web::test]
async fn each_role_may_what_the_document_says_and_nothing_else() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    let (mut allowed, mut refused) = (0, 0);
    for (method, path, operation) in operations(&api::document()) {
        let id = operation["operationId"].as_str().unwrap();
        let about_a_user = is_about_a_user(&path, id);
        // Nobody gives a superadmin credits, or renews one: there is nothing to read or take back.
        let not_above = path.starts_with("/api/credits")
            || path.starts_with("/api/statements")
            || ["snoozeUser", "endSnoozeOfUser"].contains(&id);
        for role in [None].into_iter().chain(RoleCode::ALL.iter().copied().map(Some)) {
            for place in [Place::Inside, Place::Outside, Place::Above] {
                if place != Place::Inside && (!about_a_user || (place == Place::Above && not_above)) {
                    continue;
                }
                let row = matrix.row(id, &path, place, role).await;
                let (status, changed) = matrix.send(&method, &row, role).await;
                let reported = format!("{id} as {role:?}, {place:?}: {status}");
                let expected = match role {
                    None if operation["x-permission"] == "public" => None,
                    None => Some(401),
                    Some(role) => refusal(role, id, &operation, place, about_a_user),
                };
                if let Some(expected) = expected {
                    assert_eq!(status, expected, "{reported}");
                    assert!(!changed, "{reported}, and yet it was done");
                    refused += 1;
                } else {
                    assert!((200..300).contains(&status), "{reported}");
                    let reads = method == "GET" || id == "quoteCredits" || row.watch.is_empty();
                    assert_eq!(changed, !reads, "{reported}");
                    allowed += 1;
                }
                if id == "changePassword" {
                    let hash = "(SELECT password_hash FROM users WHERE username = 'suspended')";
                    app.run(&format!("UPDATE users SET password_hash = {hash}")).await;
                }
            }
        }
    }
    println!("{allowed} allowed, {refused} refused");
    assert!(allowed > 300 && refused > 400, "{allowed} and {refused}");
}

#[actix_web::test]
async fn permission_comes_before_everything_else_that_is_wrong() {
    let app = TestApp::new().await;
    let agent = app.sign_in_as(RoleCode::Agent).await;
    for requested in [
        agent.post("/api/movies").body("application/json", "{"),
        agent.post("/api/movies").json(&json!({"title": "x"})),
        agent.get("/api/movies/999"),
        agent.delete("/api/categories/999"),
        agent.get("/api/movies?_sort=nonsense"),
        agent.get("/api/lookup/titles/nonsense"),
        agent.post("/api/credits/deduct").body("application/json", "{"),
        agent.delete("/api/users/nobody"),
        agent.post("/api/users").json(&json!({"roleCode": "admin"})),
    ] {
        assert_eq!(requested.send().await.status, 403);
    }
}

#[actix_web::test]
async fn a_key_opens_what_its_scopes_say_and_nothing_by_anybodys_permission() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    let with = app.program(KeyScope::CODES).await;
    let (mut opened, mut closed) = (0, 0);
    for (method, path, operation) in operations(&api::document()) {
        let id = operation["operationId"].as_str().unwrap();
        if operation["x-permission"] == "public" {
            continue;
        }
        let row = matrix.row(id, &path, Place::Inside, None).await;
        let before = matrix.state(&row).await;
        let requested = async |client: &Client<'_>| {
            let requested = client.request(Method::from_bytes(method.as_bytes()).unwrap(), &row.path);
            let requested = requested.header("idempotency-key", id);
            let answer = match &row.body {
                Some(body) => requested.json(body).send().await,
                None => requested.send().await,
            };
            answer.status
        };
        let Some(scope) = operation["x-scope"].as_str() else {
            assert_eq!(requested(&with).await, 403, "{id} with every scope");
            assert!(matrix.state(&row).await == before, "{id}: done by a key");
            closed += 1;
            continue;
        };
        let others: Vec<&str> = KeyScope::CODES.iter().copied().filter(|other| *other != scope).collect();
        assert_eq!(requested(&app.program(&others).await).await, 403, "{id} without {scope}");
        assert!(matrix.state(&row).await == before, "{id}: done without {scope}");
        let status = requested(&app.program(&[scope]).await).await;
        assert!((200..300).contains(&status), "{id} with {scope}: {status}");
        opened += 1;
    }
    println!("{opened} open to keys, {closed} closed");
    assert!(opened > 30 && closed > 60, "{opened} and {closed}");
}
