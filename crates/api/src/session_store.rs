//! Sessions in actix-session. The middleware keeps the key in a signed cookie; only use cases write
//! the row, under the hash of the key, so that read access to the database is not enough to use a
//! session.

use std::{collections::HashMap, sync::Arc};

use actix_session::{
    Session, SessionMiddleware,
    config::{CookieContentSecurity, PersistentSession, TtlExtensionPolicy},
    storage::{LoadError, SaveError, SessionKey, SessionStore, UpdateError},
};
use actix_web::{
    Error as ActixError, HttpMessage, HttpRequest,
    body::MessageBody,
    cookie::{Cookie, Key, SameSite, time::Duration},
    dev::{ServiceRequest, ServiceResponse},
    http::header::{HeaderValue, SET_COOKIE},
    middleware::Next,
    rt,
};
use application::{Error, SessionService};
use chrono::{DateTime, Utc};
use domain_kernel::{RoleCode, Username};
use domain_users::{SESSION_IDLE, UserCredentials, UserStatus};
use ports::{OpenSession, StoreError};
use serde::{Deserialize, Serialize};

/// The key of the request with a valid signature, whether or not its session has ended.
const KEY: &str = "key";
/// The row of that key: a [`Loaded`].
const LOADED: &str = "loaded";
/// The key of a session that a use case opened.
const OPENED: &str = "opened";
/// The end of a refreshed session.
const ENDS: &str = "ends";

/// The user of a session, as stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SessionUser {
    pub(crate) username: Username,
    pub(crate) full_name: String,
    pub(crate) role: RoleCode,
    pub(crate) status: UserStatus,
}

impl From<UserCredentials> for SessionUser {
    fn from(user: UserCredentials) -> Self {
        let UserCredentials { username, full_name, role, status, .. } = user;
        Self { username, full_name, role, status }
    }
}

/// A session that has not ended, as requests need it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LoadedSession {
    pub(crate) key_hash: String,
    pub(crate) created_date: DateTime<Utc>,
    pub(crate) ends_date: DateTime<Utc>,
    pub(crate) user: SessionUser,
}

impl From<OpenSession> for LoadedSession {
    fn from(session: OpenSession) -> Self {
        let OpenSession { key_hash, created_date, ends_date, user, .. } = session;
        Self { key_hash, created_date, ends_date, user: user.into() }
    }
}

/// An error is part of the state: the middleware answers any error of a store with an empty 500,
/// also on routes that need no session.
#[derive(Serialize, Deserialize)]
enum Loaded {
    Open(LoadedSession),
    Ended,
    Unavailable(String),
    Broken(String),
}

/// The key of the request, with a valid signature.
pub(crate) fn key_of(session: &Session) -> Option<String> {
    session.get(KEY).ok().flatten()
}

/// The session of the request, unless it has ended.
pub(crate) fn loaded(session: &Session) -> Result<Option<LoadedSession>, Error> {
    let loaded = session.get(LOADED).map_err(|error| StoreError::Broken(error.to_string()))?;
    match loaded {
        Some(Loaded::Open(open)) => Ok(Some(open)),
        Some(Loaded::Ended) | None => Ok(None),
        Some(Loaded::Unavailable(reason)) => Err(StoreError::Unavailable(reason).into()),
        Some(Loaded::Broken(reason)) => Err(StoreError::Broken(reason).into()),
    }
}

/// Sets the cookie with the key of a session that a use case opened. The former session is ended.
pub(crate) fn adopt(session: &Session, key: String) {
    session.insert(OPENED, key).expect("a string is always valid JSON");
    session.renew();
}

/// Sends the cookie again after a use case extended the session.
pub(crate) fn prolong(session: &Session, ends: DateTime<Utc>) {
    session.insert(ENDS, ends).expect("a date is always valid JSON");
}

/// The names of the cookie: over http, and over https.
pub(crate) const COOKIE_NAMES: [&str; 2] = ["cartelera", "__Host-cartelera"];

/// The middleware, whose cookie ends with the session.
pub(crate) fn middleware(
    service: Arc<SessionService>,
    secure: bool,
    key: Key,
) -> SessionMiddleware<SessionRows> {
    let [open, secured] = COOKIE_NAMES;
    let name = if secure { secured } else { open };
    let lifecycle = PersistentSession::default()
        .session_ttl(Duration::seconds(SESSION_IDLE.num_seconds()))
        .session_ttl_extension_policy(TtlExtensionPolicy::OnStateChanges);
    SessionMiddleware::builder(SessionRows { service }, key)
        .cookie_name(name.to_owned())
        .cookie_secure(secure)
        .cookie_http_only(true)
        .cookie_same_site(SameSite::Lax)
        .cookie_content_security(CookieContentSecurity::Signed)
        .session_lifecycle(lifecycle)
        .build()
}

/// Changes that [`complete_cookies`] makes to a response.
#[derive(Default)]
struct CookieChanges {
    max_age: Option<Duration>,
    device: Option<Cookie<'static>>,
}

/// The cookie expires at this time. The middleware has one lifetime for all sessions.
pub(crate) fn end_cookie(request: &HttpRequest, ends: DateTime<Utc>, now: DateTime<Utc>) {
    let max_age = Some(Duration::seconds((ends - now).num_seconds()));
    request.extensions_mut().insert(CookieChanges { max_age, ..CookieChanges::default() });
}

/// Adds a device's cookie after the session's, because simple clients store only the first one.
pub(crate) fn add_device_cookie(request: &HttpRequest, cookie: Cookie<'static>) {
    let device = Some(cookie);
    request.extensions_mut().insert(CookieChanges { device, ..CookieChanges::default() });
}

/// Completes the cookies of the session middleware, so it wraps that middleware.
pub(crate) async fn complete_cookies(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, ActixError> {
    let mut answer = next.call(request).await?;
    let changes = answer.request().extensions_mut().remove::<CookieChanges>();
    let Some(CookieChanges { max_age, device }) = changes else { return Ok(answer) };
    if let Some(max_age) = max_age {
        // Only the session middleware has set a cookie so far.
        let written: Vec<HeaderValue> = answer.headers_mut().remove(SET_COOKIE).collect();
        for value in written {
            let cookie = value.to_str().ok().and_then(|text| Cookie::parse_encoded(text).ok());
            let mut cookie = cookie.expect("the session middleware writes cookies that can be read");
            cookie.set_max_age(max_age);
            append(&mut answer, &cookie);
        }
    }
    if let Some(device) = device {
        append(&mut answer, &device);
    }
    Ok(answer)
}

fn append<B>(answer: &mut ServiceResponse<B>, cookie: &Cookie<'_>) {
    let value = HeaderValue::from_str(&cookie.encoded().to_string());
    answer.headers_mut().append(SET_COOKIE, value.expect("an encoded cookie is a valid header"));
}

/// The store of the middleware. It reads and ends rows; use cases open and extend them in their
/// transactions.
#[derive(Clone)]
pub(crate) struct SessionRows {
    service: Arc<SessionService>,
}

impl SessionStore for SessionRows {
    /// Every key has a state, so that the cookie of an ended session can be removed.
    async fn load(&self, key: &SessionKey) -> Result<Option<HashMap<String, String>>, LoadError> {
        let loaded = match self.service.find(key.as_ref()).await {
            Ok(None) => Loaded::Ended,
            Ok(Some(open)) => {
                if self.service.is_to_be_touched(&open) {
                    let (service, key_hash) = (self.service.clone(), open.key_hash.clone());
                    // In the background: the request does not wait for the write.
                    drop(rt::spawn(async move { service.touch(&key_hash).await }));
                }
                Loaded::Open(open.into())
            }
            Err(Error::Store(StoreError::Unavailable(reason))) => Loaded::Unavailable(reason),
            Err(error) => Loaded::Broken(error.to_string()),
        };
        let json = |error: serde_json::Error| LoadError::Other(error.into());
        let key = serde_json::to_string(key.as_ref()).map_err(json)?;
        let loaded = serde_json::to_string(&loaded).map_err(json)?;
        Ok(Some([(KEY.to_owned(), key), (LOADED.to_owned(), loaded)].into()))
    }

    /// Returns the key of the row that a use case inserted.
    async fn save(&self, state: HashMap<String, String>, _: &Duration) -> Result<SessionKey, SaveError> {
        let opened = state.get(OPENED).and_then(|json| serde_json::from_str::<String>(json).ok());
        let opened = opened
            .ok_or_else(|| SaveError::Other(anyhow::anyhow!("sessions are opened by use cases only")))?;
        SessionKey::try_from(opened).map_err(|error| SaveError::Other(error.into()))
    }

    /// The state is not stored; the key stays.
    async fn update(
        &self,
        key: SessionKey,
        _: HashMap<String, String>,
        _: &Duration,
    ) -> Result<SessionKey, UpdateError> {
        Ok(key)
    }

    /// The end of a session is that of its row.
    async fn update_ttl(&self, _: &SessionKey, _: &Duration) -> Result<(), anyhow::Error> {
        Ok(())
    }

    /// Ends the session. An error must not prevent the browser from getting or losing its cookie.
    async fn delete(&self, key: &SessionKey) -> Result<(), anyhow::Error> {
        if let Err(error) = self.service.sign_out(key.as_ref()).await {
            tracing::warn!(%error, "failed to end session");
        }
        Ok(())
    }
}
