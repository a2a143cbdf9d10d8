//! The cookies of signing in, both signed: one carries the key of a session, the other proves who signed in on a device
//! before. The store knows keys by their hashes only, so that whoever can read it still can't use a session.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, CookieJar, Key, SameSite, time::Duration},
};
use chrono::{DateTime, Utc};
use domain_kernel::Username;

/// Users that a device remembers: those who signed in last.
const MOST_KNOWN: usize = 5;
/// The longest that browsers keep a cookie.
const DEVICE_DAYS: i64 = 400;
/// Tells the value of a device's cookie from the key of a session: the signature covers the value only.
const DEVICE: &str = "device:";

/// How the cookies are called, protected and signed.
#[derive(Clone)]
pub(crate) struct SessionCookies {
    secure: bool,
    key: Key,
}

impl SessionCookies {
    pub(crate) fn new(secure: bool, key: Key) -> Self {
        Self { secure, key }
    }

    fn session_name(&self) -> &'static str {
        if self.secure { "__Host-cartelera" } else { "cartelera" }
    }

    fn device_name(&self) -> &'static str {
        if self.secure { "__Host-cartelera-device" } else { "cartelera-device" }
    }

    fn read(&self, request: &HttpRequest, name: &str) -> Option<String> {
        let mut jar = CookieJar::new();
        jar.add_original(request.cookie(name)?);
        jar.signed(&self.key).get(name).map(|cookie| cookie.value().to_owned())
    }

    fn written(&self, name: &'static str, value: String, lives: Duration) -> Cookie<'static> {
        let cookie = Cookie::build(name, value).path("/").http_only(true).same_site(SameSite::Lax);
        let mut jar = CookieJar::new();
        jar.signed_mut(&self.key).add(cookie.secure(self.secure).max_age(lives).finish());
        jar.get(name).cloned().unwrap_or_else(|| Cookie::new(name, ""))
    }

    /// The key of the session that a request carries, if the signature is ours.
    pub(crate) fn session_key(&self, request: &HttpRequest) -> Option<String> {
        self.read(request, self.session_name()).filter(|value| !value.starts_with(DEVICE))
    }

    /// The cookie of a session that ends then.
    pub(crate) fn session(&self, key: String, ends: DateTime<Utc>, now: DateTime<Utc>) -> Cookie<'static> {
        self.written(self.session_name(), key, Duration::seconds((ends - now).num_seconds()))
    }

    /// Takes the cookie of a session away.
    pub(crate) fn no_session(&self) -> Cookie<'static> {
        let cookie = Cookie::build(self.session_name(), "").path("/").http_only(true);
        let mut cookie = cookie.same_site(SameSite::Lax).secure(self.secure).finish();
        cookie.make_removal();
        cookie
    }

    /// Who signed in on this device before, the latest first.
    pub(crate) fn known_users(&self, request: &HttpRequest) -> Vec<Username> {
        let value = self.read(request, self.device_name()).unwrap_or_default();
        let names = value.strip_prefix(DEVICE).unwrap_or_default().split(',');
        names.filter_map(Username::parse).take(MOST_KNOWN).collect()
    }

    /// The cookie of a device on which this user signed in, beside those who did before.
    pub(crate) fn device(&self, user: &Username, known: &[Username]) -> Cookie<'static> {
        let others = known.iter().filter(|other| *other != user).take(MOST_KNOWN - 1);
        let names: Vec<String> =
            std::iter::once(user).chain(others).map(|name| name.key().clone()).collect();
        let value = format!("{DEVICE}{}", names.join(","));
        self.written(self.device_name(), value, Duration::days(DEVICE_DAYS))
    }
}
