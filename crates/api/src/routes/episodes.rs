//! Episodes and seasons through their show (docs/spec/content-types.md#episodes).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{ContentService, StreamService};
use domain_catalogue::{Content, Episode, Kind, Season, Stored};
use domain_kernel::{Action, ErrorKind, Id, KeyScope, MAX_PAGE_SIZE, Page, Permission, Principal};
use ports::Rows;
use serde_json::json;

use super::{
    answer_headers::{created_at, with_replay},
    contents::{StatusChange, answered, if_match},
};
use crate::{
    caller::{AuthAny, AuthUser},
    extract::{Body, IdempotencyKey, IfMatch, ItemId, Pairs, PathId},
    openapi::Api,
    problem::Problem,
};

type Episodes = Data<ContentService<Episode>>;

pub(crate) fn register(api: &mut Api) {
    register_lists(api);
    register_creates(api);
    register_changes(api);
}

const fn permission(action: Action) -> Permission {
    Kind::Episodes.permission(action)
}

fn register_lists(api: &mut Api) {
    let (episodes, seasons) = (api.schemas.page::<Episode>(), api.schemas.page::<Season>());
    let size = json!({"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": 10});
    drop(
        api.route(Method::GET, "/tv-shows/{tvShowId}/episodes", "listShowEpisodes", list_episodes)
            .about("episodes", "List the episodes of a show")
            .explained("Search, order and filters are those of GET /api/episodes.")
            .requires(permission(Action::Read))
            .open_to(KeyScope::CatalogueRead)
            .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
            .query("_size", size.clone(), "Rows per page.")
            .query("_sort", json!({"type": "string"}), "As for GET /api/episodes.")
            .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.")
            .query("active", json!({"type": "boolean"}), "Filter by this value.")
            .answers(200, "A page of rows.", episodes)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/tv-shows/{tvShowId}/seasons", "listShowSeasons", list_seasons)
            .about("seasons", "List the seasons of a show")
            .requires(permission(Action::Read))
            .open_to(KeyScope::CatalogueRead)
            .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
            .query("_size", size, "Rows per page.")
            .query("_sort", json!({"type": "string"}), "As for GET /api/seasons.")
            .answers(200, "A page of rows.", seasons)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
}

fn register_creates(api: &mut Api) {
    let (request, response) = (api.schemas.request::<Episode>(), api.schemas.response::<Stored<Episode>>());
    drop(
        api.route(Method::POST, "/tv-shows/{tvShowId}/episodes", "createShowEpisode", create)
            .about("episodes", "Add an episode to a show")
            .explained("`tvShowId` may be left out of the body. A second episode with the same season and number is refused; the error has the ID of the first one.")
            .requires(permission(Action::Create))
            .takes_effect_once()
            .takes(request.clone())
            .answers(201, "Created.", response.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .answers_header(201, "ETag", "The entity's version, for If-Match.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/tv-shows/{tvShowId}/episodes/batch", "createShowEpisodes", create_all)
            .about("episodes", "Add several episodes to a show, all or none")
            .explained("At most 500. Violations have the JSON path: `episodes[3].title`.")
            .requires(permission(Action::Create))
            .takes_effect_once()
            .takes(json!({
                "type": "object",
                "properties": {"episodes": {"type": "array", "minItems": 1, "maxItems": 500, "items": request}},
                "required": ["episodes"],
            }))
            .answers(
                201,
                "The stored episodes.",
                json!({
                    "type": "object",
                    "properties": {"created": {"type": "integer", "minimum": 1}},
                    "required": ["created"],
                }),
            )
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

fn register_changes(api: &mut Api) {
    let (request, response) = (api.schemas.request::<Episode>(), api.schemas.response::<Stored<Episode>>());
    let status = api.schemas.request::<StatusChange>();
    let one = "/tv-shows/{tvShowId}/episodes/{id}";
    let failures = [ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict];
    drop(
        if_match(api.route(Method::PUT, one, "replaceShowEpisode", replace))
            .about("episodes", "Replace an episode of a show")
            .requires(permission(Action::Update))
            .takes(request)
            .answers(200, "The current state.", response.clone())
            .fails(&failures),
    );
    drop(
        if_match(api.route(Method::DELETE, one, "deleteShowEpisode", delete))
            .about("episodes", "Delete an episode of a show")
            .requires(permission(Action::Delete))
            .answers_nothing(204, "Deleted.")
            .fails(&failures),
    );
    drop(
        if_match(api.route(Method::PATCH, &format!("{one}/status"), "setShowEpisodeStatus", set_active))
            .about("episodes", "Show or hide an episode of a show")
            .requires(permission(Action::ToggleStatus))
            .takes(status)
            .answers(200, "The current state.", response)
            .fails(&failures),
    );
}

fn show(path: &PathId) -> Result<Id, Problem> {
    path.named("tvShowId").ok_or_else(Problem::no_such_path)
}

async fn list_episodes(
    caller: AuthAny,
    service: Episodes,
    streams: Data<StreamService>,
    path: PathId,
    pairs: Pairs,
) -> Result<Json<Page<Rows>>, Problem> {
    list_of_show(&caller.0, &service, &streams, show(&path)?, &pairs).await
}

async fn list_seasons(
    caller: AuthAny,
    service: Data<ContentService<Season>>,
    streams: Data<StreamService>,
    path: PathId,
    pairs: Pairs,
) -> Result<Json<Page<Rows>>, Problem> {
    list_of_show(&caller.0, &service, &streams, show(&path)?, &pairs).await
}

async fn list_of_show<C: Content>(
    caller: &Principal,
    service: &ContentService<C>,
    streams: &StreamService,
    show: Id,
    pairs: &Pairs,
) -> Result<Json<Page<Rows>>, Problem> {
    Ok(Json(match caller {
        Principal::Staff(actor) => service.list_of_show(actor, show, &pairs.0).await?,
        Principal::Integrator(by) => service.list_public_of_show(by, streams, show, &pairs.0).await?,
    }))
}

async fn create(
    caller: AuthUser,
    service: Episodes,
    path: PathId,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let created = service.create_in_show(&caller, show(&path)?, &body.0, key.0.as_deref()).await?;
    let answer = created_at(format_args!("episodes/{}", created.stored.id), created.replayed);
    Ok(answered(answer, &created.stored))
}

async fn create_all(
    caller: AuthUser,
    service: Episodes,
    path: PathId,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let created = service.create_all_in_show(&caller, show(&path)?, &body.0, key.0.as_deref()).await?;
    let mut answer = with_replay(HttpResponse::Created(), created.replayed);
    Ok(answer.json(json!({ "created": created.count })))
}

async fn replace(
    caller: AuthUser,
    service: Episodes,
    path: PathId,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let stored = service.replace_in_show(&caller, show(&path)?, id.0, &body.0, expected.0).await?;
    Ok(answered(HttpResponse::Ok(), &stored))
}

async fn set_active(
    caller: AuthUser,
    service: Episodes,
    path: PathId,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    caller.require(Kind::Episodes.permission(Action::ToggleStatus)).map_err(application::Error::from)?;
    service.require_of_show(show(&path)?, id.0).await?;
    Ok(answered(HttpResponse::Ok(), &service.set_active(&caller, id.0, &body.0, expected.0).await?))
}

async fn delete(
    caller: AuthUser,
    service: Episodes,
    path: PathId,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    caller.require(Kind::Episodes.permission(Action::Delete)).map_err(application::Error::from)?;
    service.require_of_show(show(&path)?, id.0).await?;
    service.delete(&caller, id.0, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
