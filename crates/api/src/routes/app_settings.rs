//! The settings of the streaming app, its background images and alert messages
//! (docs/spec/settings.md).

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::Method,
    web::{Data, Json},
};
use application::{AppSettingsService, EntryService};
use domain_kernel::{Action, ErrorKind, KeyScope, Page, Permission};
use domain_settings::{
    AlertMessage, AppSettings, BackgroundImage, Entry, RenewalMessage, SETTINGS, StoredAppSettings,
    StoredEntry,
};

use super::{
    answer_headers::{created_at, tagged},
    contents::{ETAG_ABOUT, if_match},
    list_parameters::filter_schema,
};
use crate::{
    caller::{AuthAny, AuthUser},
    extract::{Body, IdempotencyKey, IfMatch, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

const READ: Permission = Permission::new(SETTINGS, Action::Read);
const UPDATE: Permission = Permission::new(SETTINGS, Action::Update);

pub(crate) fn register(api: &mut Api) {
    let response = api.schemas.response::<StoredAppSettings>();
    let request = api.schemas.request::<AppSettings>();
    drop(
        api.route(Method::GET, "/app-settings", "getAppSettings", find_settings)
            .about("app-settings", "Get the settings of the streaming app")
            .requires(READ)
            .open_to(KeyScope::SettingsRead)
            .answers(200, "The settings.", response.clone())
            .answers_header(200, "ETag", ETAG_ABOUT),
    );
    drop(
        if_match(api.route(Method::PUT, "/app-settings", "replaceAppSettings", replace_settings))
            .about("app-settings", "Replace the settings of the streaming app")
            .explained("All fields are required, so that an omitted price does not become 0.")
            .requires(UPDATE)
            .takes(request)
            .answers(200, "The current state.", response)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Outdated]),
    );
    register_list::<BackgroundImage>(api, "background images", "background image");
    register_list::<AlertMessage>(api, "alert messages", "alert message");
    register_list::<RenewalMessage>(api, "renewal messages", "renewal message");
}

fn register_list<E: Entry>(api: &mut Api, several: &str, one: &str) {
    let (tag, name) = (E::PATH, E::NAME);
    let all = format!("/{}", E::PATH);
    let single = format!("/{}/{{id}}", E::PATH);
    let article = if one.starts_with('a') { "an" } else { "a" };
    let response = api.schemas.response::<StoredEntry<E>>();
    let request = api.schemas.request::<E>();
    let page =
        api.schemas.page_of(&format!("{name}Page"), &format!("A page of the list of {several}."), &response);
    let listed = api
        .route(Method::GET, &all, &format!("list{name}"), list::<E>)
        .about(tag, &format!("List {several}"))
        .requires(READ)
        .open_to(KeyScope::SettingsRead)
        .lists(&EntryService::<E>::list_shape());
    let listed = E::FILTERS.iter().fold(listed, |operation, (field, kind)| {
        operation.filter(field, filter_schema(*kind), "Filter by this value.")
    });
    drop(listed.answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
    drop(
        api.route(Method::POST, &all, &format!("create{name}"), create::<E>)
            .about(tag, &format!("Create {article} {one}"))
            .requires(UPDATE)
            .takes_effect_once()
            .takes(request.clone())
            .answers(201, "Created.", response.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::GET, &single, &format!("get{name}"), find::<E>)
            .about(tag, &format!("Get {article} {one}"))
            .requires(READ)
            .open_to(KeyScope::SettingsRead)
            .answers(200, "The entity.", response.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    let changed = [ErrorKind::Missing, ErrorKind::Outdated];
    drop(
        if_match(api.route(Method::PUT, &single, &format!("replace{name}"), replace::<E>))
            .about(tag, &format!("Replace {article} {one}"))
            .requires(UPDATE)
            .takes(request)
            .answers(200, "The current state.", response.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&changed),
    );
    let patch = api.schemas.patch_of(name);
    drop(
        if_match(api.route(Method::PATCH, &single, &format!("update{name}"), merge::<E>))
            .about(tag, &format!("Update some fields of {article} {one}"))
            .requires(UPDATE)
            .merges(patch)
            .answers(200, "The current state.", response)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&changed),
    );
    drop(
        if_match(api.route(Method::DELETE, &single, &format!("delete{name}"), delete::<E>))
            .about(tag, &format!("Delete {article} {one}"))
            .requires(UPDATE)
            .answers_nothing(204, "Deleted.")
            .fails(&changed),
    );
}

fn settings_answer(stored: &StoredAppSettings) -> HttpResponse {
    tagged(HttpResponse::Ok(), stored.version, stored)
}

fn answer<E: Entry>(answer: HttpResponseBuilder, kept: &StoredEntry<E>) -> HttpResponse {
    tagged(answer, kept.version, kept)
}

async fn find_settings(caller: AuthAny, service: Data<AppSettingsService>) -> Result<HttpResponse, Problem> {
    Ok(settings_answer(&service.find(&caller.0).await?))
}

async fn replace_settings(
    caller: AuthUser,
    service: Data<AppSettingsService>,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(settings_answer(&service.replace(&caller, &body.0, expected.0).await?))
}

async fn list<E: Entry>(
    caller: AuthAny,
    service: Data<EntryService<E>>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<StoredEntry<E>>>>, Problem> {
    Ok(Json(service.list(&caller.0, &pairs.0).await?))
}

async fn find<E: Entry>(
    caller: AuthAny,
    service: Data<EntryService<E>>,
    id: ItemId,
) -> Result<HttpResponse, Problem> {
    Ok(answer(HttpResponse::Ok(), &service.find(&caller.0, id.0).await?))
}

async fn create<E: Entry>(
    caller: AuthUser,
    service: Data<EntryService<E>>,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let created = service.create(&caller, &body.0, key.0.as_deref()).await?;
    let built = created_at(format_args!("{}/{}", E::PATH, created.kept.id), created.replayed);
    Ok(answer(built, &created.kept))
}

async fn replace<E: Entry>(
    caller: AuthUser,
    service: Data<EntryService<E>>,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answer(HttpResponse::Ok(), &service.replace(&caller, id.0, &body.0, expected.0).await?))
}

async fn merge<E: Entry>(
    caller: AuthUser,
    service: Data<EntryService<E>>,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answer(HttpResponse::Ok(), &service.merge(&caller, id.0, &body.0, expected.0).await?))
}

async fn delete<E: Entry>(
    caller: AuthUser,
    service: Data<EntryService<E>>,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    service.delete(&caller, id.0, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
