//! Routes and their documentation, registered together: a route can't be served without a
//! description.
//!
//! The document is OpenAPI 3.1. Schemas come from the domain's types, with the bounds of their
//! garde rules; errors from the table of codes. docs/openapi.json is this document, printed by
//! `cartelera openapi` and compared with it by a test.

mod operation;
mod page;
mod schemas;

use std::{collections::BTreeMap, fmt::Write, iter, rc::Rc};

use actix_web::{
    Error, FromRequest, Handler, HttpResponse, Resource, Responder,
    dev::{ServiceRequest, ServiceResponse, fn_service},
    guard,
    http::Method,
    web,
};
use domain_catalogue::Kind;
use domain_kernel::{Code, ErrorKind};
use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

pub(crate) use self::operation::Operation;
pub(crate) use self::page::readable;
use self::schemas::Schemas;
use crate::problem::status;

/// The routes of the API and their descriptions: for serving, or for the document. Serving omits
/// the descriptions, which need megabytes per worker thread.
pub struct Api {
    resources: BTreeMap<String, Resource>,
    paths: BTreeMap<String, Map<String, Value>>,
    pub(crate) schemas: Schemas,
    purpose: Purpose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Serving,
    Reading,
}

/// A handler with its extractors, as one type for all routes.
type Serve = Rc<dyn Fn(ServiceRequest) -> Served>;
type Served = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

impl Api {
    /// For serving: descriptions are dropped.
    pub(crate) fn serving() -> Self {
        Self::new(Purpose::Serving, Schemas::unwanted())
    }

    /// For the document.
    pub(crate) fn reading() -> Self {
        Self::new(Purpose::Reading, Schemas::new())
    }

    fn new(purpose: Purpose, schemas: Schemas) -> Self {
        Self { resources: BTreeMap::new(), paths: BTreeMap::new(), schemas, purpose }
    }

    /// Registers a handler and starts its description. `path` has no `/api`.
    pub(crate) fn route<H, A>(&mut self, method: Method, path: &str, id: &str, handler: H) -> Operation<'_>
    where
        H: Handler<A>,
        A: FromRequest + 'static,
        H::Output: Responder + 'static,
    {
        // There are hundreds of handlers: code that does not depend on their types is in `add`,
        // which is compiled once.
        let serve: Serve = Rc::new(move |request: ServiceRequest| -> Served {
            let handler = handler.clone();
            Box::pin(async move {
                let (request, mut payload) = request.into_parts();
                let response = match A::from_request(&request, &mut payload).await {
                    Ok(arguments) => handler.call(arguments).await.respond_to(&request).map_into_boxed_body(),
                    Err(error) => HttpResponse::from_error(error),
                };
                Ok(ServiceResponse::new(request, response))
            })
        });
        self.add(method, path, id, serve)
    }

    fn add(&mut self, method: Method, path: &str, id: &str, serve: Serve) -> Operation<'_> {
        let resource = self.resources.remove(path).unwrap_or_else(|| web::resource(path.to_owned()));
        // GET also serves HEAD (RFC 9110, 9.1).
        let route = if method == Method::GET {
            web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
        } else {
            web::method(method.clone())
        };
        let resource =
            resource.route(route.service(fn_service(move |request: ServiceRequest| serve(request))));
        self.resources.insert(path.to_owned(), resource);
        let parameters: Vec<Value> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| {
                let schema = if matches!(name, "id" | "tvShowId" | "deliveryId") {
                    json!({"type": "integer", "format": "int64", "minimum": 1})
                } else {
                    json!({"type": "string"})
                };
                json!({"name": name, "in": "path", "required": true, "schema": schema})
            })
            .collect();
        let value = json!({"operationId": id, "parameters": parameters, "responses": {}});
        Operation { path: path.to_owned(), method: method.as_str().to_lowercase(), value, api: self }
    }

    /// The methods of a path; others are answered 405 with `Allow`.
    pub(crate) fn into_resources(self) -> impl Iterator<Item = Resource> {
        let Self { resources, paths, .. } = self;
        resources.into_iter().map(move |(path, resource)| {
            let methods = paths.get(&path).into_iter().flat_map(Map::keys);
            let mut allowed: Vec<String> = methods.map(|method| method.to_uppercase()).collect();
            if allowed.iter().any(|method| method == "GET") {
                allowed.push("HEAD".to_owned());
            }
            resource.default_service(web::to(move || {
                std::future::ready(Err::<String, _>(crate::Problem::method_not_allowed(allowed.clone())))
            }))
        })
    }

    pub(crate) fn into_document(self) -> Value {
        let responses: Map<String, Value> = KINDS
            .iter()
            .map(|(kind, description)| {
                let codes: Vec<&str> =
                    Code::ALL.iter().filter(|code| code.kind() == *kind).map(|code| code.as_str()).collect();
                let response = json!({
                    "description": format!("{description} Codes: {}.", codes.join(", ")),
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                });
                (status(*kind).as_str().to_owned(), response)
            })
            .collect();
        let paths: Map<String, Value> =
            self.paths.into_iter().map(|(path, item)| (format!("/api{path}"), Value::Object(item))).collect();
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Cartelera",
                "version": env!("CARGO_PKG_VERSION"),
                "description": ABOUT,
                "contact": {"name": "Cartelera"},
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": "/"}],
            "tags": tags().map(|(name, text)| json!({"name": name, "description": text})).collect::<Value>(),
            "security": [{"session": []}],
            "paths": paths,
            "components": {
                "schemas": self.schemas.into_components(),
                "responses": responses,
                "securitySchemes": {
                    "session": {
                        "type": "apiKey", "in": "cookie", "name": "cartelera",
                        "description": "The cookie that POST /api/auth/login sets; `__Host-cartelera` over https.",
                    },
                    "key": {
                        "type": "http", "scheme": "bearer",
                        "description": "A key created by an admin: `Authorization: Bearer ck_…`. Each key has scopes and a limit of calls per minute.",
                    },
                },
            },
        })
    }
}

const ABOUT: &str = "The back-office of a streaming and live-TV service. JSON both ways, UTF-8; timestamps are RFC 3339 in \
UTC, calendar dates YYYY-MM-DD. Messages are in Spanish unless `Accept-Language` prefers English. Texts are trimmed; control and \
invisible characters are refused. Fields that the server adds (`id`, `version`, `views`, `createdDate`, `updatedDate`, `category`) \
are ignored in bodies, so that a response can be sent back; any other unknown field is refused. Bodies have at most 1 MiB.";

/// The documented kinds of failures.
const KINDS: &[(ErrorKind, &str)] = &[
    (ErrorKind::Malformed, "The request can't be parsed."),
    (ErrorKind::Unauthenticated, "No valid session or key, or wrong credentials."),
    (ErrorKind::Forbidden, "The caller lacks the permission."),
    (ErrorKind::Missing, "Not found, or outside of the caller's scope."),
    (ErrorKind::Conflict, "Conflicts with the current state."),
    (
        ErrorKind::Outdated,
        "The entity was changed since the version in If-Match; `current` is the entity now.",
    ),
    (ErrorKind::TimedOut, "The body did not arrive in time."),
    (ErrorKind::TooLarge, "The body is larger than 1 MiB, or than 4 KiB under `/api/auth`."),
    (ErrorKind::WrongMedia, "The body is not `application/json`."),
    (ErrorKind::Invalid, "Validation failed; `errors` has each field with its code and bounds."),
    (ErrorKind::Throttled, "Too many requests; retry after `Retry-After` seconds."),
    (ErrorKind::Upstream, "The film database failed."),
    (ErrorKind::Unavailable, "The database can't be reached; retry after `Retry-After` seconds."),
    (ErrorKind::Broken, "An internal error; the log has it under the request id."),
];

/// The tags beside those of content, in reading order.
const TAGS: &[(&str, &str)] = &[
    ("base-urls", "Base URLs of internal channels and radio stations."),
    ("lookup", "Titles of the external film database."),
    ("operations", "Bulk operations: preview, run in the background, results per item, undo."),
    ("completeness", "Missing parts and likely duplicates of the catalogue."),
    ("spreadsheets", "Lists other than content as CSV or Excel files."),
    ("schedule", "Schedule of channels."),
    ("epg-matches", "Matches of channels with channels of guides: candidates, decisions, history."),
    ("links", "Links of channels and stations: results of probes, and changes of state."),
    ("playlist-sources", "Sources of playlists, their runs, and applied entries."),
    ("live-profiles", "Profiles of published playlists: their channels and their recipients."),
    ("live", "Published playlists and guides of live profiles."),
    ("trash", "Deleted content, kept for 30 days."),
    ("audit", "Changes with their user, time and address."),
    ("users", "Users, their roles and their status."),
    ("renewals", "Customers by end of subscription, and previews of renewals."),
    ("credits", "Credits: operations, quotes, history, reversals."),
    ("issue-reports", "Viewers' reports, single and in groups."),
    ("dashboards", "Figures for the start page of each role."),
    ("events", "Current activity, as a response or as a stream."),
    ("notices", "Pending matters of each user."),
    ("saved-views", "Saved views of lists: filters, order and columns under a name."),
    ("visits", "Sign-ins and visits."),
    ("app-settings", "Settings of the streaming app."),
    ("background-images", "Background images of the streaming app."),
    ("renewal-messages", "Reminders to customers before the end of their subscription, in both languages."),
    ("alert-messages", "Alert messages of the streaming app."),
    ("integrator-keys", "API keys of integrators."),
    ("integrators", "Operations for integrators with an API key."),
    ("export", "The catalogue as one JSON object per line."),
    ("webhooks", "Webhooks and the log of their deliveries."),
    ("backups", "Backups, and whether they can be restored."),
    ("service", "Health of the service, and this document."),
];

/// All tags with their descriptions.
fn tags() -> impl Iterator<Item = (&'static str, &'static str)> {
    let contents = Kind::ALL.iter().map(|kind| (kind.path(), kind.about()));
    iter::once(("auth", "Signing in and out, and the session.")).chain(contents).chain(TAGS.iter().copied())
}

/// docs/errors.md: every code with its status, meaning and texts.
pub fn errors_page() -> String {
    use crate::locale::texts;
    use domain_kernel::Locale;

    let mut page = String::from(
        "# Errors\n\nGenerated by `just generate` from the table of codes in `crates/domain-kernel/src/code.rs`.\n\n\
         | Code | Status | Meaning | Español | English |\n|---|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let status = match code.kind() {
            ErrorKind::Field => "in `errors`".to_owned(),
            kind => status(kind).as_u16().to_string(),
        };
        let words = |locale| texts(locale).get(code.as_str()).cloned().unwrap_or_default();
        let _ = writeln!(
            page,
            "| `{}` | {status} | {} | {} | {} |",
            code.as_str(),
            code.meaning().trim(),
            words(Locale::Spanish),
            words(Locale::English)
        );
    }
    page
}
