//! Refused requests in the log: caller, operation and reason. The request ID is in the line's span.

use std::{borrow::Cow, fmt};

use actix_web::{HttpMessage, HttpRequest, http::header::AUTHORIZATION, web::Data};
use application::AuditService;
use domain_kernel::{Code, ErrorKind, Username};

use crate::{TrustedProxies, problem::Problem};

/// The caller, after authentication.
#[derive(Clone)]
pub(crate) enum Who {
    /// A user.
    User(Username),
    /// An integrator, by the name of its key.
    Key(String),
}

impl fmt::Display for Who {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(username) => write!(formatter, "user {username}"),
            Self::Key(name) => write!(formatter, "key {name}"),
        }
    }
}

/// The request has a session key with a valid signature. The session may have ended.
pub(crate) struct HasSessionKey;

/// A path as it is logged: without the secret of a live profile, which is part of its address.
fn loggable(path: &str) -> Cow<'_, str> {
    const LIVE: &str = "/api/live/";
    let Some(rest) = path.strip_prefix(LIVE) else { return Cow::Borrowed(path) };
    let file = rest.find('/').map_or("", |end| &rest[end..]);
    Cow::Owned(format!("{LIVE}***{file}"))
}

/// Logs a refusal that may concern an operator.
pub(crate) fn log(request: &HttpRequest, problem: &Problem) {
    let code = problem.code();
    let known = request.extensions().get::<Who>().map(ToString::to_string);
    let worth_it = match code.kind() {
        // Without credentials the user has only not signed in yet.
        ErrorKind::Unauthenticated => code == Code::NotAuthenticated && has_credentials(request),
        ErrorKind::Forbidden | ErrorKind::Throttled => true,
        // An entity outside of the caller's scope is answered as missing.
        ErrorKind::Missing => known.is_some() && problem.is_about_scoped_entities(),
        _ => false,
    };
    if !worth_it {
        return;
    }
    let address = request.app_data::<Data<TrustedProxies>>().map(|proxies| proxies.caller_of(request));
    tracing::warn!(
        who = known.as_deref().unwrap_or("unknown"),
        address = address.as_deref().unwrap_or("unknown"),
        method = %request.method(),
        // Without the query, which has texts that users typed.
        path = %loggable(request.path()),
        code = code.as_str(),
        "request denied"
    );
}

/// Adds a user's request that was refused for a missing permission to the audit log.
pub(crate) async fn record(request: &HttpRequest, problem: &Problem) {
    if problem.code().kind() != ErrorKind::Forbidden {
        return;
    }
    let Some(Who::User(username)) = request.extensions().get::<Who>().cloned() else { return };
    let Some(audit) = request.app_data::<Data<AuditService>>() else { return };
    let address = request.app_data::<Data<TrustedProxies>>().and_then(|proxies| proxies.address_of(request));
    audit.record_denial(&username, address, (request.method().as_str(), &loggable(request.path()))).await;
}

fn has_credentials(request: &HttpRequest) -> bool {
    request.extensions().contains::<HasSessionKey>() || request.headers().contains_key(AUTHORIZATION)
}

#[cfg(test)]
mod tests {
    use super::loggable;

    #[test]
    fn the_secret_of_a_profile_is_not_logged() {
        for (path, logged) in [
            ("/api/live/pl_secret/playlist.m3u", "/api/live/***/playlist.m3u"),
            ("/api/live/pl_secret", "/api/live/***"),
            ("/api/live-profiles/1", "/api/live-profiles/1"),
            ("/api/movies", "/api/movies"),
        ] {
            assert_eq!(loggable(path), logged);
        }
    }
}
