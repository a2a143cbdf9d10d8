//! Sign-in, refresh, logout and own sessions (docs/spec/access.md#sessions).

use actix_session::Session;
use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, header::USER_AGENT},
    web::{Data, Json, Path},
};
use application::{Calendar, Credentials, ListedSession, Origin, SessionService, SignInService};
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

/// What signing in and refreshing answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LoginResult {
    /// `true`; failures carry `false` beside the problem's own fields.
    success: bool,
    /// For users.
    message: String,
    /// Who is signed in.
    user: CurrentUser,
    /// `null`; failures carry their code.
    error_code: Option<String>,
}

impl LoginResult {
    fn new(user: &SessionUser, calendar: &Calendar, locale: Locale) -> Self {
        let message = locale::texts(locale).get("auth.welcome").cloned().unwrap_or_default();
        let user = CurrentUser::new(user, calendar, locale);
        Self { success: true, message, user, error_code: None }
    }
}

/// What the sign-in screen may know.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SignInInfo {
    /// The account of the first start still has its first password, and is active.
    default_account: bool,
}

/// A session that has not ended.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Session")]
pub(crate) struct SessionAnswer {
    /// By which it is ended. It opens nothing.
    id: String,
    /// Whether it is the one that is edited.
    current: bool,
    /// From which address its user signed in; null where that is not known.
    address: Option<String>,
    /// With which browser, by its own word.
    device: Option<String>,
    /// When its user signed in.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// When it was last used, to a minute.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_used_date: DateTime<Utc>,
    /// When it ends unless it is refreshed.
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
            .explained("Sets the session's cookie (HttpOnly, SameSite=Lax, 24 hours) and a cookie that says who signed in on this device before (400 days). Attempts are counted before they are checked, by name and network; right ones are not counted.")
            .public()
            .takes(credentials)
            .answers(200, "Signed in.", result.clone())
            .fails(&[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::Throttled]),
    );
    drop(
        api.route(Method::POST, "/auth/refresh", "refresh", refresh)
            .about("auth", "Extend the session by 24 hours")
            .explained("A session ends seven days after signing in, however often it is refreshed.")
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
            .about("auth", "List one's own sessions, last used first")
            .requires_role(&RoleCode::STAFF)
            .answers(200, "The sessions that have not ended.", json!({"type": "array", "items": session})),
    );
    drop(
        api.route(Method::DELETE, "/auth/sessions", "endOtherSessions", end_other_sessions)
            .about("auth", "End one's own sessions but the current one")
            .requires_role(&RoleCode::STAFF)
            .answers_nothing(204, "Ended."),
    );
    drop(
        api.route(Method::DELETE, "/auth/sessions/{sessionId}", "endSession", end_session)
            .about("auth", "End one of one's own sessions")
            .requires_role(&RoleCode::STAFF)
            .answers_nothing(204, "Ended.")
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/auth/info", "signInInfo", sign_in_info)
            .about("auth", "Get what the sign-in screen shows")
            .public()
            .answers(200, "Whether to hint at the default account.", info),
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
    Ok(HttpResponse::Ok().json(LoginResult::new(&user, &services.calendar, language.0)))
}

async fn refresh(
    request: HttpRequest,
    session: Session,
    caller: Result<AuthUser, Problem>,
    services: Data<Services>,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let caller = caller.map_err(Problem::of_sign_in)?;
    // The key stays (parallel tabs), its time begins anew.
    let LoadedSession { key_hash, created_date, .. } = &caller.session;
    let ends = services.sessions.refresh(key_hash, *created_date).await.map_err(Problem::of_sign_in)?;
    session_store::prolong(&session, ends);
    session_store::end_cookie(&request, ends, services.calendar.now());
    let result = LoginResult::new(&caller.session.user, &services.calendar, language.0);
    Ok(HttpResponse::Ok().json(result))
}

/// Takes the cookie away in any case; where the session could not be ended, the answer says so.
async fn logout(session: Session, service: Data<SessionService>, language: Language) -> HttpResponse {
    let Some(key) = session_store::key_of(&session) else { return HttpResponse::NoContent().finish() };
    // Ended here, because the middleware can't answer that a session could not be ended.
    let ended = service.sign_out(&key).await;
    // Removes the cookie, and ends the row once more, which changes nothing.
    session.purge();
    match ended {
        Ok(()) => HttpResponse::NoContent().finish(),
        // In words already: an error that gets its words on the way out loses its headers, so the cookie.
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
