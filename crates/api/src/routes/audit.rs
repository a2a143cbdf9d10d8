//! The audit log (docs/spec/audit.md).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::{AUDIT_READ, AuditService, EarlierVersion};
use chrono::{DateTime, Utc};
use domain_audit::{AuditAction, AuditEntry, resources};
use domain_kernel::{Enumeration, ErrorKind, Id, Page, Source, Version};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{caller::AuthUser, extract::Pairs, openapi::Api, problem::Problem};

/// Something that was done.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditEntry")]
pub(crate) struct AuditEntryAnswer {
    /// Counts up in the order in which entries were added.
    id: Id,
    /// When.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// The username; null where it was the server, an import or a key.
    actor: Option<String>,
    /// By what.
    source: Source,
    /// The client's address, of a request.
    address: Option<String>,
    /// The bulk operation that it was part of.
    operation_id: Option<Id>,
    /// What was done.
    action: AuditAction,
    /// What it is about: the path of a kind of content, `users` or `sessions`.
    resource: String,
    /// Which one: the id of content, a username.
    item: String,
    /// What it was called then.
    title: String,
    /// The version that it has since then; null where it has none.
    version: Option<Version>,
    /// The fields that changed, as they were.
    before: Map<String, Value>,
    /// The same fields afterwards.
    after: Map<String, Value>,
}

impl From<AuditEntry> for AuditEntryAnswer {
    fn from(entry: AuditEntry) -> Self {
        Self {
            id: entry.id,
            occurred_at: entry.occurred_at,
            actor: entry.actor.map(|actor| actor.to_string()),
            source: entry.origin.source,
            address: entry.origin.address.map(|address| address.to_string()),
            operation_id: entry.origin.operation,
            action: entry.action,
            resource: entry.resource,
            item: entry.item,
            title: entry.title,
            version: entry.version,
            before: entry.diff.before,
            after: entry.diff.after,
        }
    }
}

/// An item or a user as it was.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EarlierVersion")]
pub(crate) struct EarlierVersionAnswer {
    /// Its version then.
    version: Version,
    /// Its content then: the fields of a request.
    content: Map<String, Value>,
}

impl From<EarlierVersion> for EarlierVersionAnswer {
    fn from(earlier: EarlierVersion) -> Self {
        Self { version: earlier.version, content: earlier.content }
    }
}

/// A page of entries as it is answered.
pub(crate) fn entry_page(page: Page<Vec<AuditEntry>>) -> Json<Page<Vec<AuditEntryAnswer>>> {
    Json(page.map(|entries| entries.into_iter().map(AuditEntryAnswer::from).collect()))
}

pub(crate) fn register(api: &mut Api) {
    let entry = api.schemas.response::<AuditEntryAnswer>();
    let page = api.schemas.page_of("AuditPage", "A page of the audit log.", &entry);
    let date = || json!({"type": "string", "examples": ["2026-11-20", "2026-11-20T10:00:00Z"]});
    drop(
        api.route(Method::GET, "/audit", "listAuditEntries", list)
            .about("audit", "List who changed what, newest first")
            .explained(
                "An entry is added by the transaction that does what it says, and never changed. Passwords and secrets are in \
                 no entry.",
            )
            .requires(AUDIT_READ)
            .pages(&AuditService::list_shape())
            .filter("action", json!({"type": "string", "enum": AuditAction::CODES}), "Only this.")
            .filter("actor", json!({"type": "string", "maxLength": 100}), "Only by this user.")
            .filter("resource", json!({"type": "string", "enum": resources()}), "Only about these.")
            .filter("item", json!({"type": "string"}), "Only about this one of them: an id, a username.")
            .query("from", date(), "From this day of the service's time zone on, or from this time on.")
            .query("to", date(), "Up to this day with all of it, or before this time.")
            .answers(200, "A page of entries.", page)
            .fails(&[ErrorKind::Invalid]),
    );
}

async fn list(
    caller: AuthUser,
    service: Data<AuditService>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<AuditEntryAnswer>>>, Problem> {
    Ok(entry_page(service.list(&caller, &pairs.0).await?))
}
