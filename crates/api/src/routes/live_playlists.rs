//! What the address of a profile answers: players send no headers, so the secret is in the path. It is never logged
//! ([`crate::denied`]).

use std::future::ready;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, ETAG, EntityTag, Header, IF_NONE_MATCH, IfNoneMatch},
    },
    web::{Bytes, Data, Path},
};
use application::LiveProfileService;
use domain_kernel::ErrorKind;
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::{openapi::Api, problem::Problem};

/// The media type of M3U.
const M3U: &str = "audio/x-mpegurl";

pub(crate) fn register(api: &mut Api) {
    drop(
        api.route(Method::GET, "/live/{secret}/playlist.m3u", "getLivePlaylist", playlist)
            .about("live", "Get the playlist of a live profile")
            .explained(
                "For players: the secret in the path is all that they send. An address that is unknown or was revoked, or \
                 whose key no longer works, is not found. One for a subscriber answers only while they may play. Conditional \
                 requests are answered 304 while nothing has changed.",
            )
            .public()
            .header(
                "If-None-Match",
                json!({"type": "string"}),
                "The ETag of the playlist that the caller has.",
            )
            .answers_file(200, "The playlist, in UTF-8.", M3U)
            .answers_header(200, "ETag", "What the playlist is known by, for If-None-Match.")
            .answers_nothing(304, "The playlist is the one that the caller has.")
            .fails(&[ErrorKind::Missing, ErrorKind::Forbidden, ErrorKind::Throttled]),
    );
}

/// Whether the caller has what has this tag.
fn has(request: &HttpRequest, tag: &EntityTag) -> bool {
    if !request.headers().contains_key(IF_NONE_MATCH) {
        return false;
    }
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|one| one.weak_eq(tag)),
        Err(_) => false,
    }
}

/// A playlist, written while it is read.
async fn playlist(
    request: HttpRequest,
    service: Data<LiveProfileService>,
    secret: Path<String>,
) -> Result<HttpResponse, Problem> {
    let opened = service.open(&secret).await?;
    // Weak: channels may change while the playlist is read, and what is sent may be packed.
    let tag = EntityTag::new_weak(opened.fingerprint.clone());
    let headers = [(ETAG, tag.to_string()), (CACHE_CONTROL, "private, no-cache".to_owned())];
    let with_headers = |mut answer: actix_web::HttpResponseBuilder| {
        for header in headers {
            answer.insert_header(header);
        }
        answer
    };
    if has(&request, &tag) {
        return Ok(with_headers(HttpResponse::NotModified()).finish());
    }
    // The first part is read before the answer begins: what is wrong can still be said.
    let first = service.part(&opened, None).await?;
    let rest = stream::unfold(first.next, move |next| {
        let (service, opened) = (service.clone(), opened.clone());
        async move {
            let part = match service.part(&opened, Some(next?)).await {
                Ok(part) => part,
                // The connection is cut, so that nobody takes a part for the whole.
                Err(error) => return Some((Err(Problem::from(error)), None)),
            };
            Some((Ok(Bytes::from(part.text)), part.next))
        }
    });
    let lines = stream::once(ready(Ok(Bytes::from(first.text)))).chain(rest);
    Ok(with_headers(HttpResponse::Ok()).content_type(M3U).streaming(lines))
}
