//! The signed cookie with the users who signed in on a device before.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, CookieJar, Key, SameSite, time::Duration},
};
use domain_kernel::Username;

/// The maximum number of users in a cookie: those who signed in last.
const MOST_KNOWN: usize = 5;
/// The maximum lifetime of a cookie in browsers.
const DEVICE_DAYS: i64 = 400;
/// Distinguishes the value of this cookie from the key of a session: the signature covers only the
/// value.
const DEVICE: &str = "device:";

/// Name, protection and signature of the cookie.
#[derive(Clone)]
pub(crate) struct DeviceCookies {
    secure: bool,
    key: Key,
}

impl DeviceCookies {
    pub(crate) fn new(secure: bool, key: Key) -> Self {
        Self { secure, key }
    }

    fn name(&self) -> &'static str {
        if self.secure { "__Host-cartelera-device" } else { "cartelera-device" }
    }

    fn read(&self, request: &HttpRequest) -> Option<String> {
        let mut jar = CookieJar::new();
        jar.add_original(request.cookie(self.name())?);
        jar.signed(&self.key).get(self.name()).map(|cookie| cookie.value().to_owned())
    }

    /// The users who signed in on this device before, the latest first.
    pub(crate) fn known_users(&self, request: &HttpRequest) -> Vec<Username> {
        let value = self.read(request).unwrap_or_default();
        let names = value.strip_prefix(DEVICE).unwrap_or_default().split(',');
        names.filter_map(Username::parse).take(MOST_KNOWN).collect()
    }

    /// The cookie of a device on which this user signed in, after the users in `known`.
    pub(crate) fn written(&self, user: &Username, known: &[Username]) -> Cookie<'static> {
        let others = known.iter().filter(|other| *other != user).take(MOST_KNOWN - 1);
        let names: Vec<String> = std::iter::once(user).chain(others).map(|name| name.key().clone()).collect();
        let value = format!("{DEVICE}{}", names.join(","));
        let cookie = Cookie::build(self.name(), value).path("/").http_only(true).same_site(SameSite::Lax);
        let cookie = cookie.secure(self.secure).max_age(Duration::days(DEVICE_DAYS)).finish();
        let mut jar = CookieJar::new();
        jar.signed_mut(&self.key).add(cookie);
        jar.get(self.name()).cloned().unwrap_or_else(|| Cookie::new(self.name(), ""))
    }
}
