//! The rows of the operations on users, credits, content, reports, settings and integrations.

use domain_catalogue::{Kind, duplicate_reasons};
use domain_kernel::{Enumeration, RoleCode};
use domain_settings::{BackgroundImage, Entry};
use serde_json::json;

use super::matrix::{Matrix, Place, Row, SESSION};
use crate::{client::new_user, every_kind::item, series::episode};

impl Matrix<'_> {
    pub(super) async fn of_kind(&self, kind: Kind, id: &str) -> Option<Row> {
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
            let reason = duplicate_reasons(kind)[0].code();
            return Some(Row::read(format!("{list}/duplicates?reason={reason}")));
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
                Row::write(format!("{one}/restore?duplicate=true"), json!({}), &[&one, &all])
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

    /// A file of users; imports are for admins.
    pub(super) async fn of_user_spreadsheet(&self, id: &str) -> Row {
        let uploads = "/api/users/spreadsheet-imports";
        let file = "username,email\nnuevo_hoja,a@example.com\n";
        if id == "uploadUserSpreadsheet" {
            return Row { file: Some(file), ..Row::read(uploads) };
        }
        let uploaded = self.boss.post(uploads).body("application/octet-stream", file).send().await.json();
        let columns = json!({"columns": ["username", "email"], "dryRun": true});
        Row::write(format!("{uploads}/{}/run", uploaded["id"]), columns, &[])
    }

    /// A session for every user, with the same public ID.
    pub(super) async fn sessions(&self) {
        let sql = format!(
            "INSERT INTO sessions (key_hash, user_id, created_date, ends_date) SELECT '{SESSION}' || username_key, id, \
             created_date, '2027-01-01T00:00:00.000+00:00' FROM users WHERE true ON CONFLICT (key_hash) DO NOTHING"
        );
        self.app.run(&sql).await;
    }

    pub(super) async fn of_user(&self, id: &str, place: Place) -> Option<Row> {
        let for_sale = id.ends_with("ForSale");
        let above = place == Place::Superadmin;
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
            "getVersionOfUser" => Row::read(format!("{path}/history/1")),
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
                let order = json!({"targetUsername": name, "amount": 1, "operationType": "ADD_CREDITS"});
                Row::write("/api/credits/quote", order, &[&path, &history])
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

    /// A note of the caller, if the caller may write one.
    pub(super) async fn of_note(&self, place: Place, caller: Option<RoleCode>) -> Row {
        let name = self.target(place, "app").await;
        let notes = format!("/api/users/{name}/notes");
        let may_write = match caller {
            Some(RoleCode::Superadmin) => true,
            Some(RoleCode::Admin) => place != Place::Superadmin,
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

    /// A request of the agent about one of its own sales.
    pub(super) async fn of_reversal_request(&self, path: &str) -> Row {
        let name = self.target(Place::Inside, "app").await;
        let agent = self.app.sign_in_as(RoleCode::Agent).await;
        let sale = json!({"targetUsername": name, "amount": 1});
        let sale = agent.post("/api/credits/add").json(&sale).send().await.json();
        let requested = agent.post(&format!("/api/credits/{}/reversal-requests", sale["id"])).send().await;
        assert_eq!(requested.status, 201, "{}", requested.text());
        let one = path.replace("{id}", &requested.json()["id"].to_string());
        Row::write(one, json!({}), &["/api/credits/reversal-requests?_size=100"])
    }

    /// A view of the caller, if the caller may save one.
    pub(super) async fn of_saved_view(&self, id: &str, path: &str, caller: Option<RoleCode>) -> Row {
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

    pub(super) async fn of_key(&self, id: &str) -> Row {
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

    pub(super) async fn of_issue(&self, id: &str) -> Option<Row> {
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
            _ => return None,
        })
    }

    pub(super) async fn of_what_belongs_together(&self, id: &str) -> Option<Row> {
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

    /// Entries of the lists of the settings.
    pub(super) async fn of_settings(&self, id: &str) -> Option<Row> {
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

    /// A new webhook with a delivery for each request.
    pub(super) async fn of_webhook(&self, id: &str) -> Option<Row> {
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

    /// A bulk operation of the content manager; admins see all operations.
    pub(super) async fn of_operation(&self, id: &str) -> Row {
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
                self.app.run_operations().await;
                Row::write(format!("{path}/undo"), json!(null), &[&path])
            }
        }
    }
}
