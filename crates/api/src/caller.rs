//! The authenticated caller of a request.

use std::{
    future::{Future, Ready, ready},
    ops::Deref,
    pin::Pin,
};

use actix_session::SessionExt;
use actix_web::{
    FromRequest, HttpMessage, HttpRequest, dev::Payload, http::header::AUTHORIZATION, web::Data,
};
use application::{Error, KeyService};
use domain_kernel::{
    Actor, Code, Enumeration, Integrator, Locale, Origin, Principal, RoleCode, Source, Username,
};
use domain_users::{UserStatus, permissions_of};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Services,
    address::TrustedProxies,
    denied::{HasSessionKey, Who},
    problem::Problem,
    session_store::{self, LoadedSession, SessionUser},
};

/// An active user with a session.
pub(crate) struct AuthUser {
    actor: Actor,
    pub(crate) session: LoadedSession,
}

impl Deref for AuthUser {
    type Target = Actor;

    fn deref(&self) -> &Actor {
        &self.actor
    }
}

type Extracted<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

impl FromRequest for AuthUser {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(find(request))
    }
}

fn find(request: &HttpRequest) -> Result<AuthUser, Problem> {
    let state = request.get_session();
    if session_store::key_of(&state).is_some() {
        request.extensions_mut().insert(HasSessionKey);
    }
    let session = session_store::loaded(&state)?;
    if let Some(session) = &session {
        request.extensions_mut().insert(Who::User(session.user.username.clone()));
    }
    let session = session.filter(|session| session.user.status == UserStatus::Active);
    // A key has no access to the routes of users, whatever its scopes.
    let unauthenticated =
        || if bearer(request).is_some() { Error::Forbidden } else { Error::NotAuthenticated };
    let session = session.ok_or_else(unauthenticated)?;
    let (username, role) = (session.user.username.clone(), session.user.role);
    let address = request.app_data::<Data<TrustedProxies>>().and_then(|proxies| proxies.address_of(request));
    let origin = Origin { address, ..Origin::of(Source::Request) };
    let actor = Actor { username, role, permissions: permissions_of(role), origin };
    Ok(AuthUser { actor, session })
}

/// The text of a key, where the request carries one.
pub(crate) fn bearer(request: &HttpRequest) -> Option<&str> {
    let text = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// An integrator, authenticated by its key.
pub(crate) struct AuthApiKey(pub(crate) Integrator);

impl FromRequest for AuthApiKey {
    type Error = Problem;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let Some(key) = bearer(&request) else {
                // A user with a session is authenticated but not authorized.
                return Err(match find(&request) {
                    Ok(_) => Error::Forbidden.into(),
                    Err(problem) if problem.code() == Code::NotAuthenticated => {
                        Problem::of_key(Error::NotAuthenticated)
                    }
                    Err(problem) => problem,
                });
            };
            let keys = request.app_data::<Data<KeyService>>();
            let keys = keys.expect("the key service is mounted beside every route");
            let integrator = keys.admit(key).await.map_err(Problem::of_key)?;
            request.extensions_mut().insert(Who::Key(integrator.name.clone()));
            Ok(Self(integrator))
        })
    }
}

/// The caller of a route for users and integrators.
pub(crate) struct AuthAny(pub(crate) Principal);

impl FromRequest for AuthAny {
    type Error = Problem;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if bearer(request).is_none() {
            return Box::pin(ready(find(request).map(|caller| Self(Principal::Staff(caller.actor)))));
        }
        let program = AuthApiKey::from_request(request, payload);
        Box::pin(async move { Ok(Self(Principal::Integrator(program.await?.0))) })
    }
}

/// The signed-in user, as the panel stores them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CurrentUser {
    /// User name.
    username: Username,
    /// The full name.
    full_name: String,
    /// Code of the role.
    role_code: RoleCode,
    /// Name of the role, in the language of the request.
    role_name: String,
    /// Permissions held; superadmin and admin pass every check without holding any.
    permissions: Vec<String>,
    /// The service's time zone: days on which subscriptions end are its days.
    time_zone: &'static str,
}

impl CurrentUser {
    pub(crate) fn new(user: &SessionUser, services: &Services, locale: Locale) -> Self {
        Self {
            username: user.username.clone(),
            full_name: user.full_name.clone(),
            role_code: user.role,
            role_name: user.role.labels().in_language(locale).to_owned(),
            permissions: permissions_of(user.role).iter().map(ToString::to_string).collect(),
            time_zone: services.calendar.zone_name(),
        }
    }
}
