//! Saved views of lists (docs/spec/screens.md#saved-views).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::SavedViewService;
use domain_kernel::{ErrorKind, RoleCode};
use domain_settings::{SavedView, StoredSavedView};
use serde_json::json;

use super::answer_headers::created_at;
use crate::{
    caller::AuthUser,
    extract::{Body, ItemId},
    openapi::Api,
    problem::Problem,
};

pub(crate) fn register(api: &mut Api) {
    let view = api.schemas.response::<StoredSavedView>();
    let body = api.schemas.request::<SavedView>();
    let tag = "saved-views";
    drop(
        api.route(Method::GET, "/saved-views", "listSavedViews", list)
            .about(tag, "List the saved views of all lists")
            .explained("The caller's own, and those shared with the caller's role, by list and name.")
            .requires_role(&RoleCode::STAFF)
            .answers(200, "The views.", json!({"type": "array", "items": view})),
    );
    drop(
        api.route(Method::POST, "/saved-views", "createSavedView", create)
            .about(tag, "Save a view of a list")
            .explained("Sharing with a role is for admins.")
            .requires_role(&RoleCode::STAFF)
            .takes(body.clone())
            .answers(201, "Created.", view.clone())
            .answers_header(201, "Location", "The address of the entity."),
    );
    drop(
        api.route(Method::PUT, "/saved-views/{id}", "updateSavedView", replace)
            .about(tag, "Replace a saved view of the caller")
            .requires_role(&RoleCode::STAFF)
            .takes(body)
            .answers(200, "The current state.", view)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::DELETE, "/saved-views/{id}", "deleteSavedView", delete)
            .about(tag, "Delete a saved view")
            .explained("The caller's own; for admins also shared ones.")
            .requires_role(&RoleCode::STAFF)
            .answers_nothing(204, "Deleted.")
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::PUT, "/saved-views/{id}/default", "setDefaultView", set_default)
            .about(tag, "Set the default view of a list")
            .explained("Only for the caller. Replaces the previous default of that list.")
            .requires_role(&RoleCode::STAFF)
            .answers_nothing(204, "The default is set.")
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::DELETE, "/saved-views/{id}/default", "unsetDefaultView", unset_default)
            .about(tag, "Unset the default view of a list")
            .requires_role(&RoleCode::STAFF)
            .answers_nothing(204, "The default is unset.")
            .fails(&[ErrorKind::Missing]),
    );
}

type Service = Data<SavedViewService>;

async fn list(caller: AuthUser, service: Service) -> Result<Json<Vec<StoredSavedView>>, Problem> {
    Ok(Json(service.list(&caller).await?))
}

async fn create(caller: AuthUser, service: Service, body: Body) -> Result<HttpResponse, Problem> {
    let view = service.save(&caller, None, &body.0).await?;
    Ok(created_at(format_args!("saved-views/{}", view.id), false).json(&view))
}

async fn replace(
    caller: AuthUser,
    service: Service,
    id: ItemId,
    body: Body,
) -> Result<Json<StoredSavedView>, Problem> {
    Ok(Json(service.save(&caller, Some(id.0), &body.0).await?))
}

async fn delete(caller: AuthUser, service: Service, id: ItemId) -> Result<HttpResponse, Problem> {
    service.delete(&caller, id.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn set_default(caller: AuthUser, service: Service, id: ItemId) -> Result<HttpResponse, Problem> {
    service.set_default(&caller, id.0, true).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn unset_default(caller: AuthUser, service: Service, id: ItemId) -> Result<HttpResponse, Problem> {
    service.set_default(&caller, id.0, false).await?;
    Ok(HttpResponse::NoContent().finish())
}
