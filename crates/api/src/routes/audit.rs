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

/// An entry of the audit log.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditEntry")]
pub(crate) struct AuditEntryAnswer {
    /// ID of the entry, ascending in order of insertion.
    id: Id,
    /// Time of the action.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// Username of the user; null for the server, an import or a key.
    actor: Option<String>,
    /// Source of the action.
    source: Source,
    /// Address of the client, for requests.
    address: Option<String>,
    /// ID of the bulk operation that made the change.
    operation_id: Option<Id>,
    action: AuditAction,
    /// Resource of the item: the path of a kind of content, `users` or `sessions`.
    resource: String,
    /// ID of the item: that of content, or a username.
    item: String,
    /// Title of the item at that time.
    title: String,
    /// Version of the item after the action; null for items without versions.
    version: Option<Version>,
    /// Changed fields with their previous values.
    before: Map<String, Value>,
    /// The same fields with their new values.
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

/// An earlier version of an item or a user.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EarlierVersion")]
pub(crate) struct EarlierVersionAnswer {
    version: Version,
    /// Content of that version: the fields of a request.
    content: Map<String, Value>,
}

impl From<EarlierVersion> for EarlierVersionAnswer {
    fn from(earlier: EarlierVersion) -> Self {
        Self { version: earlier.version, content: earlier.content }
    }
}

/// The response with a page of entries.
pub(crate) fn entry_page(page: Page<Vec<AuditEntry>>) -> Json<Page<Vec<AuditEntryAnswer>>> {
    Json(page.map(|entries| entries.into_iter().map(AuditEntryAnswer::from).collect()))
}

pub(crate) fn register(api: &mut Api) {
    let entry = api.schemas.response::<AuditEntryAnswer>();
    let page = api.schemas.page_of("AuditPage", "A page of the audit log.", &entry);
    let date = || json!({"type": "string", "examples": ["2026-11-20", "2026-11-20T10:00:00Z"]});
    drop(
        api.route(Method::GET, "/audit", "listAuditEntries", list)
            .about("audit", "List the entries of the audit log, newest first")
            .explained(
                "An entry is added in the transaction of its action, and never changed. Entries have no passwords or \
                 secrets.",
            )
            .requires(AUDIT_READ)
            .pages(&AuditService::list_shape())
            .filter("action", json!({"type": "string", "enum": AuditAction::CODES}), "Only this action.")
            .filter("actor", json!({"type": "string", "maxLength": 100}), "Only actions of this user.")
            .filter("resource", json!({"type": "string", "enum": resources()}), "Only actions on this resource.")
            .filter("item", json!({"type": "string"}), "Only actions on this item: an ID, or a username.")
            .query("from", date(), "From this day, in the service's time zone, or from this time.")
            .query("to", date(), "To this day (inclusive), or before this time.")
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
