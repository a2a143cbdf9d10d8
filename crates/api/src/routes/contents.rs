//! The calls of one content type, the same for every type (docs/spec/content.md#calls).

use std::future::ready;

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{Method, header::ETAG},
    web::{Bytes, Data, Json},
};
use application::{AuditService, ContentService, StreamService, Usage};
use domain_catalogue::{Content, Kind, Stored};
use domain_kernel::{Action, ErrorKind, KeyScope, MAX_PAGE_SIZE, Page, Principal};
use futures_util::{StreamExt, stream};
use ports::Rows;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    answer_headers::{created_at, tagged, with_version},
    audit::{AuditEntryAnswer, EarlierVersionAnswer, entry_page},
    list_parameters::{filter_schema, filter_words, list_words, sort_words},
};
use crate::{
    TrustedProxies,
    caller::{AuthAny, AuthApiKey, AuthUser},
    extract::{Body, IdempotencyKey, IfMatch, ItemId, Pairs, PathId},
    language::Language,
    locale,
    openapi::{Api, Operation},
    problem::Problem,
};

/// Whether the item is shown to viewers.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct StatusChange {
    /// `true` shows the item, `false` hides it.
    active: bool,
}

pub(crate) const ETAG_ABOUT: &str = "The entity's version, for If-Match.";

/// `a TV channel` of `TvChannel`.
pub(super) fn noun(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    let article = if words.starts_with('e') { "an" } else { "a" };
    format!("{article} {}", words.replace("tv ", "TV "))
}

/// Registers the routes of one kind.
pub(crate) fn register<C: Content>(api: &mut Api) {
    register_list::<C>(api);
    register_items::<C>(api);
    register_changes::<C>(api);
    register_history::<C>(api);
}

/// The plural of the kind's name in documentation.
fn plural(kind: Kind) -> String {
    kind.path().replace('-', " ").replace("tv ", "TV ")
}

fn register_list<C: Content>(api: &mut Api) {
    let kind = C::KIND;
    let (path, plural) = (kind.path(), plural(kind));
    let page = api.schemas.page::<C>();
    let listed = api
        .route(Method::GET, &format!("/{path}"), &format!("list{}", kind.singular()), list::<C>)
        .about(path, &format!("List {plural}"))
        .explained(&list_words::<C>())
        .requires(kind.permission(Action::Read))
        .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
        .query(
            "_size",
            json!({"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": kind.page_size()}),
            "Rows per page.",
        )
        .query("_sort", json!({"type": "string", "examples": ["-year,+title"]}), &sort_words::<C>())
        .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.");
    let listed = C::FILTERS.iter().fold(listed, |operation, (field, kind)| {
        operation.filter(field, filter_schema(*kind), &filter_words(field, *kind))
    });
    let listed = listed.answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]);
    // Seasons and episodes are reached through their show.
    let through_its_show = matches!(kind, Kind::Seasons | Kind::Episodes);
    drop(if through_its_show { listed } else { listed.open_to(KeyScope::CatalogueRead) });
}

fn register_items<C: Content>(api: &mut Api) {
    let kind = C::KIND;
    let (path, name, tag) = (kind.path(), kind.singular(), kind.path());
    let (plural, noun) = (plural(kind), noun(name));
    let response = api.schemas.response::<Stored<C>>();
    let created = in_envelope_schema::<C>(Action::Create, &response);
    let request = api.schemas.request::<C>();
    drop(
        api.route(Method::POST, &format!("/{path}"), &format!("create{name}"), create::<C>)
            .about(tag, &format!("Create {noun}"))
            .requires(kind.permission(Action::Create))
            .takes_effect_once()
            .takes(request)
            .answers(201, "Created.", created)
            .answers_header(201, "Location", "The address of the entity.")
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::GET, &format!("/{path}/{{id}}"), &format!("get{name}"), find::<C>)
            .about(tag, &format!("Get {noun}"))
            .explained(
                "With an API key: only active items and active links, and channels with the URL for players.",
            )
            .requires(kind.permission(Action::Read))
            .open_to(KeyScope::CatalogueRead)
            .answers(200, "The item.", response.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, &format!("/export/{path}"), &format!("export{name}"), export::<C>)
            .about(
                "export",
                &format!("Export all active {plural} as JSON lines, each as the single item with an API key"),
            )
            .requires_scope(KeyScope::Export)
            .answers_lines(200, "The items, in the order of their ids.", &response),
    );
}

fn register_changes<C: Content>(api: &mut Api) {
    let kind = C::KIND;
    let (name, tag) = (kind.singular(), kind.path());
    let (one, noun) = (format!("/{tag}/{{id}}"), noun(name));
    let id = |verb: &str| format!("{verb}{name}");
    let response = api.schemas.response::<Stored<C>>();
    let changed = in_envelope_schema::<C>(Action::Update, &response);
    let request = api.schemas.request::<C>();
    let status = api.schemas.request::<StatusChange>();
    let replaced = api
        .route(Method::PUT, &one, &id("replace"), replace::<C>)
        .about(tag, &format!("Replace {noun}"))
        .requires(kind.permission(Action::Update))
        .takes(request);
    drop(changes(replaced, changed.clone()));
    let patch = api.schemas.patch_of(name);
    let merged = api
        .route(Method::PATCH, &one, &id("update"), merge::<C>)
        .about(tag, &format!("Update some fields of {noun}"))
        .requires(kind.permission(Action::Update))
        .merges(patch);
    drop(changes(merged, changed));
    let toggled = api
        .route(Method::PATCH, &format!("{one}/status"), &format!("set{name}Status"), set_active::<C>)
        .about(tag, &format!("Show or hide {noun}"))
        .requires(kind.permission(Action::ToggleStatus))
        .takes(status);
    drop(changes(toggled, response));
    drop(
        if_match(api.route(Method::DELETE, &one, &id("delete"), delete::<C>))
            .about(tag, &format!("Delete {noun}"))
            .requires(kind.permission(Action::Delete))
            .explained("Moves the item to the trash. It can be restored for 30 days.")
            .answers_nothing(204, "Deleted.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict, ErrorKind::Outdated]),
    );
}

fn register_history<C: Content>(api: &mut Api) {
    let kind = C::KIND;
    let (name, tag) = (kind.singular(), kind.path());
    let (one, noun) = (format!("/{tag}/{{id}}"), noun(name));
    let response = api.schemas.response::<Stored<C>>();
    let patch = api.schemas.patch_of(name);
    drop(
        api.route(Method::POST, &format!("{one}/restore"), &format!("restore{name}"), restore::<C>)
            .about(tag, &format!("Restore {noun} from the trash"))
            .explained(
                "With its previous ID, links, views and parts. The body has the fields to replace, such as a category that was \
                 deleted; `{}` for none. If another item has the same natural \
                 key, the response is 409 with that item's ID, unless `duplicate` allows it.",
            )
            .query(
                "duplicate",
                json!({"type": "boolean", "default": false}),
                "Whether the natural key of another item is allowed. Numbers of seasons and episodes are always unique.",
            )
            .requires(kind.permission(Action::Delete))
            .merges(patch)
            .answers(200, "The restored item.", response)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let entry = api.schemas.response::<AuditEntryAnswer>();
    let page = api.schemas.page_of("AuditPage", "A page of the audit log.", &entry);
    drop(
        api.route(Method::GET, &format!("{one}/history"), &format!("listHistoryOf{name}"), history::<C>)
            .about(tag, &format!("List the changes of {noun}, newest first"))
            .requires(kind.permission(Action::Read))
            .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
            .query(
                "_size",
                json!({"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": 25}),
                "Rows per page.",
            )
            .answers(200, "A page of entries.", page)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
    let version = api.schemas.response::<EarlierVersionAnswer>();
    drop(
        api.route(
            Method::GET,
            &format!("{one}/history/{{version}}"),
            &format!("getVersionOf{name}"),
            earlier_version::<C>,
        )
        .about(tag, &format!("Get an earlier version of {noun}"))
        .explained("To restore it, replace the item by this content.")
        .requires(kind.permission(Action::Read))
        .answers(200, "The content.", version)
        .fails(&[ErrorKind::Missing]),
    );
}

/// References to a category or a guide.
pub(crate) fn register_usage<C: Content>(api: &mut Api) {
    let (kind, path, name) = (C::KIND, C::KIND.path(), C::KIND.singular());
    let usage = api.schemas.response::<Usage>();
    drop(
        api.route(Method::GET, &format!("/{path}/{{id}}/usage"), &format!("get{name}Usage"), usage_of::<C>)
            .about(path, &format!("Count the references to {}", noun(name)))
            .requires(kind.permission(Action::Read))
            .answers(200, "The number of references by kind.", usage)
            .fails(&[ErrorKind::Missing]),
    );
}

async fn usage_of<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
) -> Result<Json<Usage>, Problem> {
    Ok(Json(service.usage(&caller, id.0).await?))
}

pub(crate) fn if_match(operation: Operation<'_>) -> Operation<'_> {
    operation.header(
        "If-Match",
        json!({"type": "string", "examples": ["\"3\""]}),
        "Version that the change was made from; without it the version is not checked.",
    )
}

fn changes(operation: Operation<'_>, response: Value) -> Operation<'_> {
    if_match(operation)
        .answers(200, "The current state.", response)
        .answers_header(200, "ETag", ETAG_ABOUT)
        .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict])
}

pub(super) fn answered<C: Content>(answer: HttpResponseBuilder, stored: &Stored<C>) -> HttpResponse {
    tagged(answer, stored.version, stored)
}

/// The field with the item, for the two responses that have an envelope
/// (docs/spec/rest.md#methods): of saved sports, and of created shows.
fn envelope<C: Content>(action: Action) -> Option<&'static str> {
    match (C::KIND, action) {
        (Kind::Sports, _) => Some("sport"),
        (Kind::TvShows, Action::Create) => Some("tvShow"),
        _ => None,
    }
}

fn in_envelope_schema<C: Content>(action: Action, item: &Value) -> Value {
    let Some(field) = envelope::<C>(action) else { return item.clone() };
    json!({
        "type": "object",
        "properties": {"success": {"const": true}, "message": {"type": "string"}, field: item},
        "required": ["success", "message", field],
    })
}

fn enveloped<C: Content>(
    answer: HttpResponseBuilder,
    action: Action,
    language: Language,
    stored: &Stored<C>,
) -> HttpResponse {
    let Some(field) = envelope::<C>(action) else { return answered(answer, stored) };
    let key = if action == Action::Create { "created" } else { "updated" };
    let message = locale::texts(language.0).get(&format!("{}.{key}", C::KIND.path()));
    with_version(answer, stored.version).json(json!({ "success": true, "message": message, field: stored }))
}

async fn list<C: Content>(
    caller: AuthAny,
    service: Data<ContentService<C>>,
    streams: Data<StreamService>,
    pairs: Pairs,
) -> Result<Json<Page<Rows>>, Problem> {
    Ok(Json(match &caller.0 {
        Principal::Staff(actor) => service.list(actor, &pairs.0).await?,
        Principal::Integrator(by) => service.list_public(by, &streams, &pairs.0).await?,
    }))
}

async fn find<C: Content>(
    caller: AuthAny,
    service: Data<ContentService<C>>,
    streams: Data<StreamService>,
    id: ItemId,
) -> Result<HttpResponse, Problem> {
    Ok(match &caller.0 {
        Principal::Staff(actor) => answered(HttpResponse::Ok(), &service.find(actor, id.0).await?),
        Principal::Integrator(by) => {
            let (item, tag) = service.find_public(by, &streams, id.0).await?;
            HttpResponse::Ok().insert_header((ETAG, tag)).json(item)
        }
    })
}

/// The public catalogue as NDJSON, streamed while it is read.
async fn export<C: Content>(
    request: HttpRequest,
    program: AuthApiKey,
    service: Data<ContentService<C>>,
    streams: Data<StreamService>,
    audit: Data<AuditService>,
    proxies: Data<TrustedProxies>,
) -> Result<HttpResponse, Problem> {
    // The first part is read before the response starts, so that its errors are answered as
    // problems.
    let first = service.export(&program.0, &streams, 0).await?;
    audit.record_export_by_key(&program.0, proxies.address_of(&request), C::KIND).await?;
    let rest = stream::unfold(first.next, move |next| {
        let (service, streams, by) = (service.clone(), streams.clone(), program.0.clone());
        async move {
            let chunk = match service.export(&by, &streams, next?).await {
                Ok(chunk) => chunk,
                // The connection is closed without an end, so that clients notice the incomplete
                // response.
                Err(error) => return Some((Err(Problem::from(error)), None)),
            };
            Some((Ok(Bytes::from(chunk.lines)), chunk.next))
        }
    });
    let lines = stream::once(ready(Ok(Bytes::from(first.lines)))).chain(rest);
    Ok(HttpResponse::Ok().content_type("application/x-ndjson").streaming(lines))
}

async fn create<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    key: IdempotencyKey,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let created = service.create(&caller, &body.0, key.0.as_deref()).await?;
    let answer = created_at(format_args!("{}/{}", C::KIND.path(), created.stored.id), created.replayed);
    Ok(enveloped(answer, Action::Create, language, &created.stored))
}

async fn replace<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
    expected: IfMatch,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let stored = service.replace(&caller, id.0, &body.0, expected.0).await?;
    Ok(enveloped(HttpResponse::Ok(), Action::Update, language, &stored))
}

async fn merge<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
    expected: IfMatch,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let stored = service.merge(&caller, id.0, &body.0, expected.0).await?;
    Ok(enveloped(HttpResponse::Ok(), Action::Update, language, &stored))
}

async fn set_active<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answered(HttpResponse::Ok(), &service.set_active(&caller, id.0, &body.0, expected.0).await?))
}

async fn restore<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
    pairs: Pairs,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let duplicate = pairs.get("duplicate") == Some("true");
    Ok(answered(HttpResponse::Ok(), &service.restore(&caller, id.0, &body.0, duplicate).await?))
}

async fn history<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    audit: Data<AuditService>,
    id: ItemId,
    pairs: Pairs,
) -> Result<Json<Page<Vec<AuditEntryAnswer>>>, Problem> {
    Ok(entry_page(audit.history(&service, &caller, id.0, &pairs.0).await?))
}

async fn earlier_version<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    audit: Data<AuditService>,
    id: ItemId,
    path: PathId,
) -> Result<Json<EarlierVersionAnswer>, Problem> {
    let version = path.named("version").ok_or_else(Problem::no_such_path)?;
    let found = audit.version_of(&service, &caller, id.0, version).await?;
    Ok(Json(found.into()))
}

async fn delete<C: Content>(
    caller: AuthUser,
    service: Data<ContentService<C>>,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    service.delete(&caller, id.0, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
