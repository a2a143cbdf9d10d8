//! Profiles of published playlists, managed by admins.

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::Method,
    web::{Data, Json},
};
use application::{LiveProfileService, ProfileWithSecret, live_profile_permission};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, ErrorKind, Id, Page, Version};
use domain_live::profile::{LiveProfile, LiveProfileDraft, ProfileState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    answer_headers::{created_at, tagged},
    contents::{ETAG_ABOUT, if_match},
    live_playlists::playlist_address,
};
use crate::{
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

/// Live profile, without its secret.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LiveProfile")]
struct LiveProfileAnswer {
    /// ID of the profile.
    id: Id,
    /// Version of the profile, from 1.
    version: Version,
    #[serde(flatten)]
    draft: LiveProfileDraft,
    /// Name of the integrator key.
    key_name: Option<String>,
    /// First characters of the secret.
    hint: String,
    /// State of the URL.
    state: ProfileState,
    /// User who made the last change.
    updated_by: String,
    /// Time of creation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    updated_date: DateTime<Utc>,
    /// Time when the URL was revoked.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    revoked_date: Option<DateTime<Utc>>,
    /// Time of the last call of the URL, to a few seconds.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_used_date: Option<DateTime<Utc>>,
    /// Number of calls of the URL.
    calls: i64,
}

/// Live profile with its secret, which is only shown once.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewLiveProfile {
    #[serde(flatten)]
    of: LiveProfileAnswer,
    /// Secret within the paths `/api/live/{secret}/playlist.m3u` and `…/guide.xml.gz`.
    secret: String,
    /// URL of the playlist for players: based on `CARTELERA_PUBLIC_URL` if configured, else on that
    /// of the request.
    address: String,
}

impl From<LiveProfile> for LiveProfileAnswer {
    fn from(profile: LiveProfile) -> Self {
        let state = profile.state();
        Self {
            id: profile.id,
            version: profile.version,
            draft: profile.draft,
            key_name: profile.key_name,
            hint: profile.hint,
            state,
            updated_by: profile.updated_by,
            created_date: profile.created_date,
            updated_date: profile.updated_date,
            revoked_date: profile.revoked_date,
            last_used_date: profile.last_used_date,
            calls: profile.calls,
        }
    }
}

const TAG: &str = "live-profiles";

pub(crate) fn register(api: &mut Api) {
    let profile = api.schemas.response::<LiveProfileAnswer>();
    let with_secret = api.schemas.response::<NewLiveProfile>();
    register_reading(api, &profile);
    register_changes(api, &profile, &with_secret);
    register_addresses(api, profile, with_secret);
}

fn register_reading(api: &mut Api, profile: &Value) {
    let page = api.schemas.page_of("LiveProfilePage", "Page of profiles.", profile);
    drop(
        api.route(Method::GET, "/live-profiles", "listLiveProfile", list)
            .about(TAG, "List live profiles")
            .explained("Newest first. `search` applies to names and usernames.")
            .requires(live_profile_permission(Action::Read))
            .lists(&LiveProfileService::list_shape())
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/live-profiles/{id}", "getLiveProfile", find)
            .about(TAG, "Get a live profile")
            .requires(live_profile_permission(Action::Read))
            .answers(200, "The profile.", profile.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
}

fn register_changes(api: &mut Api, profile: &Value, with_secret: &Value) {
    let draft = api.schemas.request::<LiveProfileDraft>();
    drop(
        api.route(Method::POST, "/live-profiles", "createLiveProfile", create)
            .about(TAG, "Create a live profile")
            .explained(
                "The response has the URL and its secret, which are only shown once: only the secret's \
                 hash is stored. A repeated request therefore creates another profile.",
            )
            .requires(live_profile_permission(Action::Create))
            .takes(draft.clone())
            .answers(201, "Created.", with_secret.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        if_match(api.route(Method::PUT, "/live-profiles/{id}", "replaceLiveProfile", replace))
            .about(TAG, "Replace a live profile")
            .explained("The URL does not change.")
            .requires(live_profile_permission(Action::Update))
            .takes(draft)
            .answers(200, "The current state.", profile.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict]),
    );
    drop(
        if_match(api.route(Method::DELETE, "/live-profiles/{id}", "deleteLiveProfile", delete))
            .about(TAG, "Delete a live profile with its URL")
            .requires(live_profile_permission(Action::Delete))
            .answers_nothing(204, "Deleted.")
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
}

fn register_addresses(api: &mut Api, profile: Value, with_secret: Value) {
    drop(
        api.route(
            Method::POST,
            "/live-profiles/{id}/rotate-secret",
            "rotateLiveProfileSecret",
            rotate_secret,
        )
        .about(TAG, "Replace the secret of a live profile")
        .explained(
            "No body. The response has the new URL and its secret, which are only shown once. The \
             previous URL stops working; a revoked profile works again.",
        )
        .requires(live_profile_permission(Action::Update))
        .answers(200, "Profile with the new secret.", with_secret)
        .answers_header(200, "ETag", ETAG_ABOUT)
        .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/live-profiles/{id}/revoke", "revokeLiveProfile", revoke)
            .about(TAG, "Revoke the URL of a live profile")
            .explained("No body. The URL stops working.")
            .requires(live_profile_permission(Action::Update))
            .answers(200, "The current state.", profile)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
}

type Profiles = Data<LiveProfileService>;

fn answered(profile: LiveProfile) -> HttpResponse {
    tagged(HttpResponse::Ok(), profile.version, &LiveProfileAnswer::from(profile))
}

fn with_secret(request: &HttpRequest, answer: HttpResponseBuilder, made: ProfileWithSecret) -> HttpResponse {
    let ProfileWithSecret { profile, secret } = made;
    let (version, address) = (profile.version, playlist_address(request, &secret));
    tagged(answer, version, &NewLiveProfile { of: profile.into(), secret, address })
}

async fn list(
    caller: AuthUser,
    service: Profiles,
    pairs: Pairs,
) -> Result<Json<Page<Vec<LiveProfileAnswer>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(LiveProfileAnswer::from).collect())))
}

async fn find(caller: AuthUser, service: Profiles, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(answered(service.find(&caller, id.0).await?))
}

async fn create(
    request: HttpRequest,
    caller: AuthUser,
    service: Profiles,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let made = service.create(&caller, &body.0).await?;
    let answer = created_at(format_args!("live-profiles/{}", made.profile.id), false);
    Ok(with_secret(&request, answer, made))
}

async fn replace(
    caller: AuthUser,
    service: Profiles,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answered(service.replace(&caller, id.0, &body.0, expected.0).await?))
}

async fn delete(
    caller: AuthUser,
    service: Profiles,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    service.delete(&caller, id.0, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn rotate_secret(
    request: HttpRequest,
    caller: AuthUser,
    service: Profiles,
    id: ItemId,
) -> Result<HttpResponse, Problem> {
    let made = service.replace_secret(&caller, id.0).await?;
    Ok(with_secret(&request, HttpResponse::Ok(), made))
}

async fn revoke(caller: AuthUser, service: Profiles, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(answered(service.revoke(&caller, id.0).await?))
}
