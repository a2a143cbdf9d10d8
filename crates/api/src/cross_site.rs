//! Requests that another site makes a browser send. Programs send neither header and pass.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::{HOST, ORIGIN},
    middleware::Next,
};
use domain_kernel::Code;

use crate::problem::Problem;

/// Refuses state-changing requests from other sites (docs/security.md).
pub(crate) async fn refuse(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    if !request.method().is_safe() && comes_from_elsewhere(&request) {
        return Err(Problem::of(Code::CrossSite).into());
    }
    next.call(request).await
}

fn comes_from_elsewhere(request: &ServiceRequest) -> bool {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = header("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    let Some(origin) = header(ORIGIN.as_str()) else { return false };
    let host = header(HOST.as_str()).unwrap_or_default();
    origin.split_once("://").is_none_or(|(_, origin_host)| origin_host != host)
}
