//! Calls that were refused, in the log: who, what and why. The request id is in the line's span.

use actix_web::{HttpMessage, HttpRequest, http::header::AUTHORIZATION, web::Data};
use domain_kernel::{Code, ErrorKind};

use crate::{TrustedProxies, problem::Problem};

/// Who called, once that is known: `user ana` or `key 7`.
pub(crate) struct Who(pub(crate) String);

/// The caller has a session key under a valid signature, which may have ended.
pub(crate) struct HasSessionKey;

/// Logs a refusal that an operator may want to look into.
pub(crate) fn log(request: &HttpRequest, problem: &Problem) {
    let code = problem.code();
    let known = request.extensions().get::<Who>().map(|who| who.0.clone());
    let worth_it = match code.kind() {
        // Without credentials it is somebody who has not signed in yet.
        ErrorKind::Unauthenticated => code == Code::NotAuthenticated && has_credentials(request),
        ErrorKind::Forbidden | ErrorKind::Throttled => true,
        // What is outside of the caller's scope does not exist for them.
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
        // The query may hold anything that users typed.
        path = request.path(),
        code = code.as_str(),
        "request denied"
    );
}

fn has_credentials(request: &HttpRequest) -> bool {
    request.extensions().contains::<HasSessionKey>() || request.headers().contains_key(AUTHORIZATION)
}
