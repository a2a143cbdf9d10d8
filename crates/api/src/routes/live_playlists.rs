//! Playlist and guide at the URL of a profile: players send no headers, so the secret is in the
//! path. It is never logged ([`crate::denied`]).

use std::{future::ready, mem, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{
        Method,
        header::{CACHE_CONTROL, ContentEncoding, ETAG, EntityTag, Header, IF_NONE_MATCH, IfNoneMatch},
    },
    web::{Bytes, Data, Path},
};
use application::LiveProfileService;
use domain_kernel::ErrorKind;
use futures_util::{StreamExt, stream};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{cross_site::PublicOrigin, openapi::Api, problem::Problem, read_ahead::read_ahead};

/// Media type of M3U.
const M3U: &str = "audio/x-mpegurl";
/// The guide is a compressed file, not a response with a content encoding.
const GZIP: &str = "application/gzip";

pub(crate) fn register(api: &mut Api) {
    drop(
        api.route(Method::GET, "/live/{secret}/playlist.m3u", "getLivePlaylist", playlist)
            .about("live", "Get the playlist of a live profile")
            .explained(
                "For players, which only send the secret in the path. An unknown or revoked secret, or \
                 one of an invalid key, is not found. The secret of a subscriber works only while the \
                 subscriber may play. Conditional requests return 304 without changes.",
            )
            .public()
            .header(
                "If-None-Match",
                json!({"type": "string"}),
                "ETag of the caller's version of the playlist.",
            )
            .answers_file(200, "Playlist in UTF-8.", &[M3U])
            .answers_header(200, "ETag", "ETag of the playlist, for If-None-Match.")
            .answers_nothing(304, "The caller's version of the playlist is current.")
            .fails(&[ErrorKind::Missing, ErrorKind::Forbidden, ErrorKind::Throttled]),
    );
    drop(
        api.route(Method::GET, "/live/{secret}/guide.xml.gz", "getLiveGuide", guide)
            .about("live", "Get the guide of a live profile")
            .explained(
                "For players, referenced by the header of the playlist: XMLTV, compressed by gzip. It has \
                 the playlist's channels that are in a guide, with the playlist's IDs, and their \
                 programmes of the profile's `guideDays`.",
            )
            .public()
            .header("If-None-Match", json!({"type": "string"}), "ETag of the caller's version of the guide.")
            .answers_file(200, "Guide file.", &[GZIP])
            .answers_header(200, "ETag", "ETag of the guide, for If-None-Match.")
            .answers_nothing(304, "The caller's version of the guide is current.")
            .fails(&[ErrorKind::Missing, ErrorKind::Forbidden, ErrorKind::Throttled]),
    );
}

/// Response with an ETag, or 304 if the client has the same version.
fn tagged(request: &HttpRequest, fingerprint: &str) -> Result<HttpResponseBuilder, HttpResponse> {
    // Weak: channels and programmes may change during the response, which may be compressed.
    let tag = EntityTag::new_weak(fingerprint.to_owned());
    let is_known = has(request, &tag);
    let mut answer = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    answer.insert_header((ETAG, tag.to_string())).insert_header((CACHE_CONTROL, "private, no-cache"));
    if is_known { Err(answer.finish()) } else { Ok(answer) }
}

/// URL of a profile's playlist for players.
pub(super) fn playlist_address(request: &HttpRequest, secret: &str) -> String {
    address_of(request, secret, "playlist.m3u")
}

/// URL of one of the two files of a profile: based on the public URL if configured, else on that of
/// the request.
fn address_of(request: &HttpRequest, secret: &str, file: &str) -> String {
    let public = request.app_data::<Data<PublicOrigin>>().and_then(|public| public.0.clone());
    let origin = public.unwrap_or_else(|| {
        let connection = request.connection_info();
        format!("{}://{}", connection.scheme(), connection.host())
    });
    format!("{origin}/api/live/{secret}/{file}")
}

/// Whether the client has the version with this ETag.
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

/// A playlist, streamed.
async fn playlist(
    request: HttpRequest,
    service: Data<LiveProfileService>,
    secret: Path<String>,
) -> Result<HttpResponse, Problem> {
    let opened = service.open(&secret).await?;
    let address = address_of(&request, &secret, "guide.xml.gz");
    let mut answer = match tagged(&request, &format!("{}-{:x}", opened.fingerprint, Sha256::digest(&address)))
    {
        Ok(answer) => answer,
        Err(not_modified) => return Ok(not_modified),
    };
    // The first slice is read before the response begins, so that errors get a status.
    let (first, next) = service.read_slice(&opened, None).await?;
    let opened = Arc::new(opened);
    let reading = (service.clone(), opened.clone());
    let rest = read_ahead(next, move |from| {
        let (service, opened) = reading.clone();
        async move { service.read_slice(&opened, Some(from)).await }
    });
    let (mut text, mut entries) = (String::new(), 0);
    service.begin_playlist(&mut text, address);
    // An error in a later slice aborts the connection, so that the client does not take a part as
    // complete.
    let lines = stream::once(ready(Ok(first))).chain(rest).map(move |slice| {
        service.write_slice(&mut text, &opened, slice?, &mut entries);
        Ok::<_, Problem>(Bytes::from(mem::take(&mut text)))
    });
    Ok(answer.content_type(M3U).streaming(lines))
}

/// A guide, streamed.
async fn guide(
    request: HttpRequest,
    service: Data<LiveProfileService>,
    secret: Path<String>,
) -> Result<HttpResponse, Problem> {
    let opened = service.open_guide(&secret).await?;
    let mut answer = match tagged(&request, &opened.fingerprint) {
        Ok(answer) => answer,
        Err(not_modified) => return Ok(not_modified),
    };
    let (first, next) = service.guide_part(&opened, service.beginning_of_guide()).await?;
    let opened = Arc::new(opened);
    let rest = stream::unfold(next, move |next| {
        let (service, opened) = (service.clone(), opened.clone());
        async move {
            match service.guide_part(&opened, next?).await {
                Ok((part, next)) => Some((Ok(Bytes::from(part)), next)),
                Err(error) => Some((Err(Problem::from(error)), None)),
            }
        }
    });
    let parts = stream::once(ready(Ok(Bytes::from(first)))).chain(rest);
    // The file is compressed already.
    answer.insert_header(ContentEncoding::Identity);
    Ok(answer.content_type(GZIP).streaming(parts))
}
