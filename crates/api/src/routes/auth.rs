//! Coming, staying and going (panel.md sections 4 and 7).

use actix_session::Session;
use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, header::USER_AGENT},
    web::{Data, Json},
};
use application::{Credentials, Error, SignInService};
use domain_kernel::{ErrorKind, Tongue};
use ports::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Services, TrustedProxies,
    caller::{Caller, SessionAccount, SignedInUser},
    extract::Body,
    language::Language,
    locale,
    openapi::Api,
    problem::Problem,
    session_store::USERNAME,
};

/// What signing in and refreshing answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LoginResult {
    /// `true`; failures carry `false` beside the problem's own fields.
    success: bool,
    /// For people.
    message: String,
    /// Who is signed in.
    user: SignedInUser,
    /// `null`; failures carry their code.
    error_code: Option<String>,
}

impl LoginResult {
    fn new(account: &SessionAccount, tongue: Tongue) -> Self {
        let message = locale::texts(tongue).get("auth.welcome").cloned().unwrap_or_default();
        Self { success: true, message, user: SignedInUser::new(account, tongue), error_code: None }
    }
}

/// What the sign-in screen may know.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SignInInfo {
    /// The account of the first start still has its first password.
    default_account: bool,
}

pub(crate) fn register(api: &mut Api) {
    let credentials = api.schemas.taken::<Credentials>();
    let result = api.schemas.given::<LoginResult>();
    let info = api.schemas.given::<SignInInfo>();
    drop(
        api.route(Method::POST, "/auth/login", "login", login)
            .about("auth", "Sign in")
            .explained("Sets the session's cookie: HttpOnly, SameSite=Lax, 24 hours. Failures are slowed down, successes never.")
            .public()
            .takes(credentials)
            .answers(200, "Signed in.", result.clone())
            .fails(&[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::Throttled]),
    );
    drop(
        api.route(Method::POST, "/auth/refresh", "refresh", refresh)
            .about("auth", "Extend the session by 24 hours")
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
    drop(
        api.route(Method::GET, "/auth/info", "signInInfo", sign_in_info)
            .about("auth", "What the sign-in screen shows")
            .public()
            .answers(200, "Whether to hint at the default account.", info),
    );
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Store(StoreError::Broken(format!("the session can't be written: {error}")))
}

async fn login(
    request: HttpRequest,
    service: Data<SignInService>,
    proxies: Data<TrustedProxies>,
    session: Session,
    language: Language,
    body: Result<Body, Problem>,
) -> Result<Json<LoginResult>, Problem> {
    let body = body.map_err(Problem::of_sign_in)?;
    let address = proxies.caller_of(&request);
    let device = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    let account = service.sign_in(&body.0, &address, device).await.map_err(Problem::of_sign_in)?;
    let account = SessionAccount::from(account);
    // A new key: whoever planted the old one is left outside.
    session.clear();
    session.renew();
    session.insert(USERNAME, &account.username).map_err(failed).map_err(Problem::of_sign_in)?;
    Ok(Json(LoginResult::new(&account, language.0)))
}

async fn refresh(
    caller: Result<Caller, Problem>,
    services: Data<Services>,
    session: Session,
    language: Language,
) -> Result<Json<LoginResult>, Problem> {
    let caller = caller.map_err(Problem::of_sign_in)?;
    // The key stays (parallel tabs), its time begins anew.
    session.insert("refreshed", services.clock.now()).map_err(failed).map_err(Problem::of_sign_in)?;
    Ok(Json(LoginResult::new(&caller.account, language.0)))
}

async fn logout(session: Session) -> HttpResponse {
    session.purge();
    HttpResponse::NoContent().finish()
}

async fn sign_in_info(service: Data<SignInService>) -> Result<Json<SignInInfo>, Problem> {
    Ok(Json(SignInInfo { default_account: service.default_account_stands().await? }))
}
