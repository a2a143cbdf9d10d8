//! Refuses requests that another site makes a browser send. Clients that are no browsers send
//! neither `Origin` nor `Sec-Fetch-Site`, and pass.

use actix_web::{
    Error,
    body::{EitherBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::header::{HOST, ORIGIN},
    middleware::Next,
    web::Data,
};
use domain_kernel::Code;

use crate::{caller::bearer, problem::Problem, session_store::COOKIE_NAMES};

/// The origin of `CARTELERA_PUBLIC_URL`, if it is set. Behind a proxy that rewrites `Host` the
/// request does not have the public origin.
pub(crate) struct PublicOrigin(pub(crate) Option<String>);

/// The origin of an address as browsers write it: `https://tv.example`, with the port only if it is
/// not the default of the scheme.
pub fn origin_of(url: &str) -> Option<String> {
    let origin = url::Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

/// Refuses state-changing requests from other sites (docs/security.md). A request with a key and
/// without a session passes: another site can't make a browser send a key, and apps on televisions
/// run in browsers with other origins.
pub(crate) async fn refuse(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody>>, Error> {
    if !request.method().is_safe() && !has_key_alone(&request) && is_cross_site(&request) {
        return Ok(request.error_response(Problem::of(Code::CrossSite)).map_into_right_body());
    }
    Ok(next.call(request).await?.map_into_left_body())
}

fn has_key_alone(request: &ServiceRequest) -> bool {
    bearer(request.request()).is_some() && COOKIE_NAMES.iter().all(|name| request.cookie(name).is_none())
}

fn is_cross_site(request: &ServiceRequest) -> bool {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let site = header("sec-fetch-site");
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return true;
    }
    let Some(origin) = header(ORIGIN.as_str()) else { return false };
    let public = request.app_data::<Data<PublicOrigin>>().and_then(|public| public.0.as_deref());
    if let Some(public) = public {
        // A redirect from another name of this server counts as same-origin in browsers.
        return origin_of(origin).as_deref() != Some(public);
    }
    if site.is_some() {
        return false;
    }
    let host = header(HOST.as_str()).unwrap_or_default();
    origin.split_once("://").is_none_or(|(_, origin_host)| origin_host != host)
}
