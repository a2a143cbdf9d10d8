//! The signed cookie that says who signed in on a device before.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, CookieJar, Key, SameSite, time::Duration},
};
use domain_kernel::Username;

/// Users that a device remembers: those who signed in last.
const MOST_KNOWN: usize = 5;
/// The longest that browsers keep a cookie.
const DEVICE_DAYS: i64 = 400;
/// Distinguishes the value of this cookie from the key of a session: the signature covers the value only.
const DEVICE: &str = "device:";

/// How the cookie is called, protected and signed.
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

    /// Who signed in on this device before, the latest first.
    pub(crate) fn known_users(&self, request: &HttpRequest) -> Vec<Username> {
        let value = self.read(request).unwrap_or_default();
        let names = value.strip_prefix(DEVICE).unwrap_or_default().split(',');
        names.filter_map(Username::parse).take(MOST_KNOWN).collect()
    }

    /// The cookie of a device on which this user signed in, beside those who did before.
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
