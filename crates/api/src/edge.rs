//! Headers of every response: a request ID and the security headers for browsers.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::header::{
        CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
        STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
    middleware::Next,
    web::Data,
};
use tracing::Instrument;

use crate::TrustedProxies;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Defaults for responses that do not set them: nothing is loaded, and no site may frame the
/// response.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (REFERRER_POLICY, "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Settings of the outermost middleware.
pub(crate) struct EdgeSettings {
    pub(crate) secure: bool,
    pub(crate) proxies: TrustedProxies,
}

/// The context of the request that is being served.
pub(crate) struct RequestContext {
    id: String,
}

tokio::task_local! {
    static CONTEXT: RequestContext;
}

impl RequestContext {
    /// The ID of the request that is being served.
    pub(crate) fn request_id() -> String {
        CONTEXT.try_with(|context| context.id.clone()).unwrap_or_else(|_| new_id())
    }
}

fn new_id() -> String {
    format!("{:016x}", rand::random::<u64>())
}

/// The outermost middleware of the whole service.
pub async fn edge(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let settings = request.app_data::<Data<EdgeSettings>>().cloned();
    let id = settings.as_ref().and_then(|known| id_of_proxy(&request, known)).unwrap_or_else(new_id);
    let secure = settings.is_some_and(|known| known.secure);
    // Error level, so that the ID is in every line of the log.
    let span = tracing::error_span!("request", id);
    let context = RequestContext { id: id.clone() };
    match CONTEXT.scope(context, next.call(request).instrument(span)).await {
        Ok(mut answer) => {
            set_headers(answer.headers_mut(), &id, secure);
            Ok(answer)
        }
        // The request is dropped here; its response is the error's.
        Err(error) => {
            let mut answer = error.error_response();
            set_headers(answer.headers_mut(), &id, secure);
            Err(InternalError::from_response("", answer).into())
        }
    }
}

/// The request ID set by a trusted proxy.
fn id_of_proxy(request: &ServiceRequest, settings: &EdgeSettings) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let fits = (8..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let trusted = settings.proxies.trusts(request.peer_addr()?.ip());
    (fits && trusted).then(|| id.to_owned())
}

fn set_headers(headers: &mut HeaderMap, id: &str, secure: bool) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in HEADERS {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if secure {
        headers.insert(
            STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000; includeSubDomains"),
        );
    }
}
