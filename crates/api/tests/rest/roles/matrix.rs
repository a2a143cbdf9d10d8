//! The matrix: the request of an operation for each role and target, and whether it changed
//! anything.

use actix_web::http::Method;
use domain_catalogue::Kind;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::{Client, new_user},
    every_kind::{another, draft, item},
};

/// The position of the target user relative to the agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// In the agent's subtree.
    Inside,
    /// In another subtree.
    Outside,
    Superadmin,
}

/// The public ID of stored sessions.
pub(super) const SESSION: &str = "feedfeedfeedfeed";

/// A request, and the paths that show whether it changed anything.
pub(super) struct Row {
    pub(super) path: String,
    pub(super) body: Option<Value>,
    /// A file instead of JSON.
    pub(super) file: Option<&'static str>,
    pub(super) watch: Vec<String>,
}

impl Row {
    pub(super) fn read(path: impl Into<String>) -> Self {
        Self { path: path.into(), body: None, file: None, watch: Vec::new() }
    }

    pub(super) fn write(path: impl Into<String>, body: Value, watch: &[&str]) -> Self {
        let watch = watch.iter().map(|path| (*path).to_owned()).collect();
        Self { path: path.into(), body: Some(body), file: None, watch }
    }
}

pub(super) struct Matrix<'a> {
    pub(super) app: &'a TestApp,
    pub(super) boss: Client<'a>,
    pub(super) made: std::cell::Cell<u32>,
}

impl<'a> Matrix<'a> {
    pub(super) async fn new(app: &'a TestApp) -> Self {
        // A second superadmin, because the request may end sessions.
        app.sign_in_as(RoleCode::Superadmin).await.register("keeper_1", "superadmin").await;
        let boss = app.sign_in("keeper_1").await;
        let stock = json!({"targetUsername": "agent", "amount": 1000});
        assert_eq!(boss.post("/api/credits/add-for-sale").json(&stock).send().await.status, 201);
        Self { app, boss, made: std::cell::Cell::new(0) }
    }

    pub(super) fn number(&self) -> u32 {
        self.made.set(self.made.get() + 1);
        self.made.get()
    }

    /// A new user for each request.
    pub(super) async fn target(&self, place: Place, role: &str) -> String {
        let name = format!("target_{}", self.number());
        match place {
            Place::Inside => self.app.sign_in_as(RoleCode::Agent).await.register(&name, role).await,
            Place::Outside => self.boss.register(&name, role).await,
            Place::Superadmin => self.boss.register(&name, "superadmin").await,
        };
        name
    }

    pub(super) async fn credits(&self, path: &str, target: &str) -> Value {
        let body = json!({"targetUsername": target, "amount": 5});
        let answer = self.boss.post(&format!("/api/credits/{path}")).json(&body).send().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()
    }

    /// A stored item of a kind, and another valid one.
    pub(super) async fn stored(&self, kind: Kind) -> (Value, Value) {
        let draft = draft(&self.boss, kind).await;
        let stored = self.boss.create(kind.path(), &draft).await;
        let other = another(kind, &draft, i64::from(self.number()));
        (item(kind, stored)["id"].clone(), other)
    }

    async fn of_channel(&self, id: &str, path: &str) -> Row {
        let (channel, _) = self.stored(Kind::TvChannels).await;
        let path = path.replace("{id}", &channel.to_string()).replace("{version}", "1");
        if id != "replaceStreamsOfTvChannel" {
            return Row::read(path);
        }
        let stream = json!({"urlType": "EXTERNAL", "url": "https://a.example/other.m3u8"});
        Row::write(&path, json!({"streams": [stream]}), &[&path])
    }

    /// The row of an operation. Each operation has one.
    pub(super) async fn row(&self, id: &str, path: &str, place: Place, caller: Option<RoleCode>) -> Row {
        let url = || json!({"baseUrl": format!("https://s{}.example/", self.number())});
        let row = match id {
            "exportRenewalSheet" => Some(Row::read(format!("{path}?window=EXPIRED"))),
            "exportWebhookDeliverySheet" => Some(Row::read(format!("{path}?webhook=1"))),
            "exportDuplicateSheet" => Some(Row::read(format!("{path}?kind=movies&reason=IMDB_ID"))),
            "exportPlaylistChangeSheet" | "exportPlaylistLineSheet" => self.of_playlist(id).await,
            "exportGuideChannelSheet" => {
                let (guide, _) = self.stored(Kind::TvGuides).await;
                Some(Row::read(format!("{path}?guide={guide}")))
            }
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
                // An unfinished backup would refuse another one.
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
                // Signing in is recorded as a visit, and the request signs in.
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
            _ if path.ends_with("/{id}/probes") => Some(self.of_item_links(id, path).await),
            "listLinkChanges" | "listLinkDays" | "probeLink" => Some(self.of_link(id).await),
            "getSchedule" | "getGuideHealth" | "listLinks" | "getLinkSummary" => Some(Row::read(path)),
            "getNowNext"
            | "getProgramme"
            | "getStreamsOfTvChannel"
            | "getEarlierStreamsOfTvChannel"
            | "replaceStreamsOfTvChannel" => Some(self.of_channel(id, path).await),
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
        row.unwrap_or_else(|| panic!("{id} ({path}) needs a row in this matrix"))
    }

    pub(super) async fn state(&self, row: &Row) -> Vec<(u16, Value)> {
        let mut all = Vec::new();
        for path in &row.watch {
            let answer = self.boss.get(path).send().await;
            all.push((answer.status, answer.json()));
        }
        all
    }

    /// Sends a request; returns the status and whether anything changed.
    pub(super) async fn send(&self, method: &str, row: &Row, role: Option<RoleCode>) -> (u16, bool) {
        let client = match role {
            Some(role) => self.app.sign_in_as(role).await,
            None => self.app.anonymous(),
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

/// Whether an operation needs only its path.
pub(super) fn is_plain_read(id: &str) -> bool {
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
            | "getAppSettings"
            | "getChannelsBaseUrl"
            | "getRadioStationsBaseUrl"
    )
}

/// Whether it is about an entry of a list of the settings.
pub(super) fn is_entry(id: &str) -> bool {
    ["BackgroundImage", "AlertMessage", "RenewalMessage"].iter().any(|kind| id.ends_with(kind))
}

pub(super) fn of_renewals(id: &str, path: &str) -> Option<Row> {
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

/// Whether it is about a user, which requires the caller's scope.
pub(super) fn is_about_a_user(path: &str, id: &str) -> bool {
    (path.contains("{username}") && !path.starts_with("/api/subscribers"))
        || (path.starts_with("/api/credits/")
            && !path.starts_with("/api/credits/ledger")
            && !path.starts_with("/api/credits/reversal-requests")
            && id != "listCredits")
}
