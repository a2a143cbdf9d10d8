//! Sessions as actix-session sees them. The middleware carries the key in a signed cookie; the row is written by the use
//! cases only, under the hash of the key, so that whoever can read the database still can't use a session.

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

/// The key that the request carries under a valid signature, whether or not it still opens a session.
const KEY: &str = "key";
/// What the database says about that key: a [`Loaded`].
const LOADED: &str = "loaded";
/// The key of a session that a use case opened.
const OPENED: &str = "opened";
/// When a refreshed session ends.
const ENDS: &str = "ends";

/// The user of a session, as the store has them now.
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

/// A session that has not ended, as far as requests need it.
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

/// A failure travels in the state: the middleware answers a bare 500 to any error of a store, also on routes that need
/// no session.
#[derive(Serialize, Deserialize)]
enum Loaded {
    Open(LoadedSession),
    Ended,
    Unavailable(String),
    Broken(String),
}

/// The key that the request carries under a valid signature.
pub(crate) fn key_of(session: &Session) -> Option<String> {
    session.get(KEY).ok().flatten()
}

/// The session that the request carries, unless it has ended.
pub(crate) fn loaded(session: &Session) -> Result<Option<LoadedSession>, Error> {
    let loaded = session.get(LOADED).map_err(|error| StoreError::Broken(error.to_string()))?;
    match loaded {
        Some(Loaded::Open(open)) => Ok(Some(open)),
        Some(Loaded::Ended) | None => Ok(None),
        Some(Loaded::Unavailable(reason)) => Err(StoreError::Unavailable(reason).into()),
        Some(Loaded::Broken(reason)) => Err(StoreError::Broken(reason).into()),
    }
}

/// Gives the browser the key of a session that a use case opened. The session that it had before is ended.
pub(crate) fn adopt(session: &Session, key: String) {
    session.insert(OPENED, key).expect("a text is always valid JSON");
    session.renew();
}

/// Sends the cookie again after a use case moved the end of the session.
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

/// What [`complete_cookies`] does to an answer.
#[derive(Default)]
struct CookieChanges {
    max_age: Option<Duration>,
    device: Option<Cookie<'static>>,
}

/// The session's cookie ends then: the middleware knows one lifetime for all.
pub(crate) fn end_cookie(request: &HttpRequest, ends: DateTime<Utc>, now: DateTime<Utc>) {
    let max_age = Some(Duration::seconds((ends - now).num_seconds()));
    request.extensions_mut().insert(CookieChanges { max_age, ..CookieChanges::default() });
}

/// A device's cookie follows the session's: simple clients keep the first one only.
pub(crate) fn add_device_cookie(request: &HttpRequest, cookie: Cookie<'static>) {
    let device = Some(cookie);
    request.extensions_mut().insert(CookieChanges { device, ..CookieChanges::default() });
}

/// Completes what the session middleware writes, and so goes around it.
pub(crate) async fn complete_cookies(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, ActixError> {
    let mut answer = next.call(request).await?;
    let changes = answer.request().extensions_mut().remove::<CookieChanges>();
    let Some(CookieChanges { max_age, device }) = changes else { return Ok(answer) };
    if let Some(max_age) = max_age {
        // Nobody but the session middleware has set a cookie so far.
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

/// The store of the middleware. It reads and ends rows; use cases open and prolong them, in their transactions and on
/// their conditions.
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
                    // Beside the request: it waits for no write.
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

    /// Adopts the key of the row that a use case inserted.
    async fn save(&self, state: HashMap<String, String>, _: &Duration) -> Result<SessionKey, SaveError> {
        let opened = state.get(OPENED).and_then(|json| serde_json::from_str::<String>(json).ok());
        let opened = opened
            .ok_or_else(|| SaveError::Other(anyhow::anyhow!("sessions are opened by use cases only")))?;
        SessionKey::try_from(opened).map_err(|error| SaveError::Other(error.into()))
    }

    /// Nothing of the state is kept; the key stays.
    async fn update(
        &self,
        key: SessionKey,
        _: HashMap<String, String>,
        _: &Duration,
    ) -> Result<SessionKey, UpdateError> {
        Ok(key)
    }

    /// A session ends when its row says so.
    async fn update_ttl(&self, _: &SessionKey, _: &Duration) -> Result<(), anyhow::Error> {
        Ok(())
    }

    /// Ends the session. A failure must not keep the browser from getting or losing its cookie.
    async fn delete(&self, key: &SessionKey) -> Result<(), anyhow::Error> {
        if let Err(error) = self.service.sign_out(key.as_ref()).await {
            tracing::warn!(%error, "failed to end session");
        }
        Ok(())
    }
}
