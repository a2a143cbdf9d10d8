//! The links of a sports event, one by one (docs/spec/content-types.md#sports).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json, Path},
};
use application::{ContentService, LinkChange};
use domain_catalogue::{Kind, Link, Sport};
use domain_kernel::{Action, ErrorKind};
use serde_json::json;

use super::contents::StatusChange;
use crate::{
    caller::AuthUser,
    extract::{Body, ItemId},
    openapi::Api,
    problem::Problem,
};

type Sports = Data<ContentService<Sport>>;

pub(crate) fn register(api: &mut Api) {
    let response = api.schemas.response::<Link>();
    let request = api.schemas.request::<Link>();
    let status = api.schemas.request::<StatusChange>();
    let (read, update) = (Kind::Sports.permission(Action::Read), Kind::Sports.permission(Action::Update));
    let missing = [ErrorKind::Missing, ErrorKind::Outdated];
    drop(
        api.route(Method::GET, "/sports/{id}/links", "listSportLinks", list)
            .about("sports", "List the links of a sports event")
            .requires(read)
            .answers(200, "The links.", json!({"type": "array", "items": response}))
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/sports/{id}/links", "addSportLink", add)
            .about("sports", "Add a link to a sports event")
            .requires(update)
            .takes(request.clone())
            .answers(201, "The link.", response.clone())
            .fails(&missing),
    );
    drop(
        api.route(Method::PUT, "/sports/{id}/links/{linkId}", "replaceSportLink", replace)
            .about("sports", "Replace a link of a sports event")
            .requires(update)
            .takes(request)
            .answers(200, "The link.", response.clone())
            .fails(&missing),
    );
    drop(
        api.route(Method::DELETE, "/sports/{id}/links/{linkId}", "deleteSportLink", remove)
            .about("sports", "Delete a link of a sports event; the last one can't be deleted")
            .requires(update)
            .answers_nothing(204, "Deleted.")
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::PATCH, "/sports/{id}/links/{linkId}/status", "setSportLinkStatus", set_active)
            .about("sports", "Show a link of a sports event to viewers or hide it")
            .requires(update)
            .takes(status)
            .answers(200, "The link.", response)
            .fails(&missing),
    );
}

async fn list(caller: AuthUser, service: Sports, id: ItemId) -> Result<Json<Vec<Link>>, Problem> {
    Ok(Json(service.links(&caller, id.0).await?))
}

async fn add(caller: AuthUser, service: Sports, id: ItemId, body: Body) -> Result<HttpResponse, Problem> {
    let sport = service.change_link(&caller, id.0, LinkChange::Add, &body.0).await?;
    Ok(HttpResponse::Created().json(sport.content.links.last()))
}

async fn replace(
    caller: AuthUser,
    service: Sports,
    path: Path<(String, String)>,
    id: ItemId,
    body: Body,
) -> Result<Json<Option<Link>>, Problem> {
    changed(&service, &caller, id, LinkChange::Replace(&path.1), &path.1, &body.0).await
}

async fn set_active(
    caller: AuthUser,
    service: Sports,
    path: Path<(String, String)>,
    id: ItemId,
    body: Body,
) -> Result<Json<Option<Link>>, Problem> {
    changed(&service, &caller, id, LinkChange::SetActive(&path.1), &path.1, &body.0).await
}

async fn changed(
    service: &ContentService<Sport>,
    caller: &AuthUser,
    id: ItemId,
    change: LinkChange<'_>,
    link: &str,
    body: &[u8],
) -> Result<Json<Option<Link>>, Problem> {
    let sport = service.change_link(caller, id.0, change, body).await?;
    Ok(Json(sport.content.links.into_iter().find(|other| other.id.as_deref() == Some(link))))
}

async fn remove(
    caller: AuthUser,
    service: Sports,
    path: Path<(String, String)>,
    id: ItemId,
) -> Result<HttpResponse, Problem> {
    service.change_link(&caller, id.0, LinkChange::Remove(&path.1), b"").await?;
    Ok(HttpResponse::NoContent().finish())
}
