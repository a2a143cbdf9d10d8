//! Sign-in, refresh, logout and own sessions (docs/spec/access.md#sessions).

use actix_session::Session;
use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, header::USER_AGENT},
    web::{Data, Json, Path},
};
use application::{Credentials, ListedSession, Origin, SessionService, SignInService};
use chrono::{DateTime, Utc};
use domain_kernel::{ErrorKind, Locale, RoleCode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{
    Services, TrustedProxies,
    caller::{AuthUser, CurrentUser},
    device_cookie::DeviceCookies,
    extract::Body,
    language::Language,
    locale,
    openapi::Api,
    problem::Problem,
    session_store::{self, LoadedSession, SessionUser},
};

/// The response to signing in and refreshing.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LoginResult {
    /// `true`; error responses have `false` in addition to the fields of a problem.
    success: bool,
    /// Text for users.
    message: String,
    /// The signed-in user.
    user: CurrentUser,
    /// `null`; error responses have their code.
    error_code: Option<String>,
}

impl LoginResult {
    fn new(user: &SessionUser, services: &Services, locale: Locale) -> Self {
        let message = locale::texts(locale).get("auth.welcome").cloned().unwrap_or_default();
        let user = CurrentUser::new(user, services, locale);
        Self { success: true, message, user, error_code: None }
    }
}

/// Information for the sign-in screen.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SignInInfo {
    /// Whether the account of the first start is active and still has its first password.
    default_account: bool,
}

/// A session that has not ended.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Session")]
pub(crate) struct SessionAnswer {
    /// ID for ending the session. It does not authenticate.
    id: String,
    /// Whether it is the session of the request.
    current: bool,
    /// Address from which the user signed in; null if unknown.
    address: Option<String>,
    /// Browser, by its `User-Agent`.
    device: Option<String>,
    /// Time of the sign-in.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Time of the last use, to the minute.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_used_date: DateTime<Utc>,
    /// End of the session, unless it is refreshed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    ends_date: DateTime<Utc>,
}

impl From<ListedSession> for SessionAnswer {
    fn from(ListedSession { details, current }: ListedSession) -> Self {
        Self {
            id: details.id,
            current,
            address: details.address,
            device: details.device,
            created_date: details.created_date,
            last_used_date: details.last_used_date,
            ends_date: details.ends_date,
        }
    }
}

pub(crate) fn register(api: &mut Api) {
    let credentials = api.schemas.request::<Credentials>();
    let result = api.schemas.response::<LoginResult>();
    let info = api.schemas.response::<SignInInfo>();
    drop(
        api.route(Method::POST, "/auth/login", "login", login)
            .about("auth", "Sign in")
            .explained("Sets the session's cookie (HttpOnly, SameSite=Lax, 24 hours) and a cookie with the users who signed in on this device (400 days). Attempts are limited by name and network; an attempt counts while it is checked, and afterwards if it failed.")
            .public()
            .takes(credentials)
            .answers(200, "Signed in.", result.clone())
            .fails(&[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::Throttled]),
    );
    drop(
        api.route(Method::POST, "/auth/refresh", "refresh", refresh)
            .about("auth", "Extend the session by 24 hours")
            .explained("A session ends seven days after signing in, independent of refreshes.")
            .requires_session()
            .answers(200, "Still signed in.", result)
            .fails(&[ErrorKind::Forbidden]),
    );
    drop(
        api.route(Method::POST, "/auth/logout", "logout", logout)
            .about("auth", "Sign out")
            .public()
            .answers_nothing(204, "Signed out, or was not signed in.")
            .fails(&[ErrorKind::Forbidden]),
    );
    let session = api.schemas.response::<SessionAnswer>();
    drop(
        api.route(Method::GET, "/auth/sessions", "listSessions", list_sessions)
            .about("auth", "List the caller's sessions, last used first")
            .requires_role(&RoleCode::STAFF)
            .answers(200, "The sessions that have not ended.", json!({"type": "array", "items": session})),
    );
    drop(
        api.route(Method::DELETE, "/auth/sessions", "endOtherSessions", end_other_sessions)
            .about("auth", "End the caller's other sessions")
            .requires_role(&RoleCode::STAFF)
            .answers_nothing(204, "Ended."),
    );
    drop(
        api.route(Method::DELETE, "/auth/sessions/{sessionId}", "endSession", end_session)
            .about("auth", "End a session of the caller")
            .requires_role(&RoleCode::STAFF)
            .answers_nothing(204, "Ended.")
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/auth/info", "signInInfo", sign_in_info)
            .about("auth", "Get the information for the sign-in screen")
            .public()
            .answers(200, "The information.", info),
    );
}

async fn login(
    request: HttpRequest,
    session: Session,
    services: Data<Services>,
    proxies: Data<TrustedProxies>,
    devices: Data<DeviceCookies>,
    language: Language,
    body: Result<Body, Problem>,
) -> Result<HttpResponse, Problem> {
    let body = body.map_err(Problem::of_sign_in)?;
    let address = proxies.caller_of(&request);
    let device = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    let known_users = devices.known_users(&request);
    let origin = Origin { address: &address, device, known_users: &known_users };
    let signed_in = services.sign_in.sign_in(&body.0, origin).await.map_err(Problem::of_sign_in)?;
    let user = SessionUser::from(signed_in.user);
    session_store::adopt(&session, signed_in.session_key);
    session_store::add_device_cookie(&request, devices.written(&user.username, &known_users));
    Ok(HttpResponse::Ok().json(LoginResult::new(&user, &services, language.0)))
}

async fn refresh(
    request: HttpRequest,
    session: Session,
    caller: Result<AuthUser, Problem>,
    services: Data<Services>,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let caller = caller.map_err(Problem::of_sign_in)?;
    // Parallel tabs share the key, so it stays; the session is extended.
    let LoadedSession { key_hash, created_date, .. } = &caller.session;
    let ends = services.sessions.refresh(key_hash, *created_date).await.map_err(Problem::of_sign_in)?;
    session_store::prolong(&session, ends);
    session_store::end_cookie(&request, ends, services.calendar.now());
    let result = LoginResult::new(&caller.session.user, &services, language.0);
    Ok(HttpResponse::Ok().json(result))
}

/// Removes the cookie in any case; if the session could not be ended, the response is an error.
async fn logout(session: Session, service: Data<SessionService>, language: Language) -> HttpResponse {
    let Some(key) = session_store::key_of(&session) else { return HttpResponse::NoContent().finish() };
    // Ended here, because the middleware can't report that ending failed.
    let ended = service.sign_out(&key).await;
    // Removes the cookie, and ends the row again, which has no effect.
    session.purge();
    match ended {
        Ok(()) => HttpResponse::NoContent().finish(),
        // Localized here: an error that is localized by the middleware loses its headers, and so
        // the cookie.
        Err(error) => Problem::from(error).in_words(language.0),
    }
}

async fn list_sessions(
    caller: AuthUser,
    service: Data<SessionService>,
) -> Result<Json<Vec<SessionAnswer>>, Problem> {
    let own = service.list_own(&caller, &caller.session.key_hash).await?;
    Ok(Json(own.into_iter().map(SessionAnswer::from).collect()))
}

async fn end_other_sessions(
    caller: AuthUser,
    service: Data<SessionService>,
) -> Result<HttpResponse, Problem> {
    service.end_others(&caller, &caller.session.key_hash).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn end_session(
    caller: AuthUser,
    service: Data<SessionService>,
    id: Path<String>,
) -> Result<HttpResponse, Problem> {
    service.end_own(&caller, &id).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn sign_in_info(service: Data<SignInService>) -> Result<Json<SignInInfo>, Problem> {
    Ok(Json(SignInInfo { default_account: service.has_default_password().await? }))
}
