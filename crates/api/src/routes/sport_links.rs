//! Endpoints for the links of a sports event (docs/spec/content-types.md#sports).

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::Method,
    web::{Data, Path},
};
use application::{ContentService, LinkChange};
use domain_catalogue::{Kind, Link, Sport, Stored};
use domain_kernel::{Action, ErrorKind};
use serde_json::json;

use super::{
    answer_headers::with_version,
    contents::{ETAG_ABOUT, StatusChange, if_match},
};
use crate::{
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId},
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
            .answers(200, "Links of the event.", json!({"type": "array", "items": response}))
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        if_match(api.route(Method::POST, "/sports/{id}/links", "addSportLink", add))
            .about("sports", "Add a link to a sports event")
            .requires(update)
            .takes(request.clone())
            .explained(
                "A repeated link with the same `id` is rejected as a duplicate: send your own `id` to \
                 make the request repeatable.",
            )
            .answers(201, "Link of the event.", response.clone())
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&missing),
    );
    drop(
        if_match(api.route(Method::PUT, "/sports/{id}/links/{linkId}", "replaceSportLink", replace))
            .about("sports", "Replace a link of a sports event")
            .requires(update)
            .takes(request)
            .answers(200, "Link of the event.", response.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&missing),
    );
    drop(
        if_match(api.route(Method::DELETE, "/sports/{id}/links/{linkId}", "deleteSportLink", remove))
            .about("sports", "Delete a link of a sports event; the last one can't be deleted")
            .requires(update)
            .answers_nothing(204, "Deleted.")
            .answers_header(204, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Invalid]),
    );
    drop(
        if_match(api.route(
            Method::PATCH,
            "/sports/{id}/links/{linkId}/status",
            "setSportLinkStatus",
            set_active,
        ))
        .about("sports", "Show a link of a sports event to viewers or hide it")
        .requires(update)
        .takes(status)
        .answers(200, "Link of the event.", response)
        .answers_header(200, "ETag", ETAG_ABOUT)
        .fails(&missing),
    );
}

/// The answer with the event's version, which includes its links.
fn of_event(answer: HttpResponseBuilder, sport: &Stored<Sport>) -> HttpResponseBuilder {
    with_version(answer, sport.version)
}

async fn list(caller: AuthUser, service: Sports, id: ItemId) -> Result<HttpResponse, Problem> {
    let sport = service.find(&caller, id.0).await?;
    Ok(of_event(HttpResponse::Ok(), &sport).json(&sport.content.links))
}

async fn add(
    caller: AuthUser,
    service: Sports,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let sport = service.change_link(&caller, id.0, LinkChange::Add, &body.0, expected.0).await?;
    Ok(of_event(HttpResponse::Created(), &sport).json(sport.content.links.last()))
}

async fn replace(
    caller: AuthUser,
    service: Sports,
    path: Path<(String, String)>,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let change = LinkChange::Replace(&path.1);
    let sport = service.change_link(&caller, id.0, change, &body.0, expected.0).await?;
    Ok(changed(&sport, &path.1))
}

async fn set_active(
    caller: AuthUser,
    service: Sports,
    path: Path<(String, String)>,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let change = LinkChange::SetActive(&path.1);
    let sport = service.change_link(&caller, id.0, change, &body.0, expected.0).await?;
    Ok(changed(&sport, &path.1))
}

fn changed(sport: &Stored<Sport>, link: &str) -> HttpResponse {
    let found = sport.content.links.iter().find(|other| other.id.as_deref() == Some(link));
    of_event(HttpResponse::Ok(), sport).json(found)
}

async fn remove(
    caller: AuthUser,
    service: Sports,
    path: Path<(String, String)>,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    let sport = service.change_link(&caller, id.0, LinkChange::Remove(&path.1), b"", expected.0).await?;
    Ok(of_event(HttpResponse::NoContent(), &sport).finish())
}
