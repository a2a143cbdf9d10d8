//! The built panel (frontend/dist), embedded: one binary, one origin. In debug builds the files are read from disk.
//!
//! A leaf of its own, so that touching the API never compresses the panel again. Nothing else may enter.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    http::{
        Method, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue,
            VARY,
        },
    },
};
use actix_web_rust_embed_responder::{EmbedRespondable, EmbedResponse, IntoResponse};
use rust_embed_for_web::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../frontend/dist/"]
struct Files;

/// Images and streams come from anywhere, trailers from two hosts, scripts from here only.
const POLICY: &str = "default-src 'self'; img-src 'self' https: http: data:; media-src https: http:; \
frame-src https://www.youtube-nocookie.com https://player.vimeo.com; style-src 'self' 'unsafe-inline'; script-src 'self'; \
object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Answers with a file of the panel; with its page for every address that is no file, because the panel routes
/// those itself.
#[expect(clippy::unused_async, reason = "handlers are async")]
pub async fn serve(request: HttpRequest) -> HttpResponse {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return HttpResponse::build(StatusCode::METHOD_NOT_ALLOWED).finish();
    }
    let path = request.path().trim_start_matches('/');
    let is_asset = path.starts_with("assets/");
    let file = Files::get(path).filter(|_| !path.is_empty());
    let mut answer = match (file, is_asset) {
        (Some(file), _) => respond(file.into_response(), &request),
        (None, true) => return HttpResponse::NotFound().finish(),
        (None, false) => match Files::get("index.html") {
            Some(page) => respond(page.into_response(), &request),
            None => HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(
                "The panel is not built: run `npm ci && npm run build` in frontend/. The API is under /api.",
            ),
        },
    };
    let cache = if is_asset { "public, max-age=31536000, immutable" } else { "no-cache" };
    set(answer.headers_mut(), CACHE_CONTROL, cache);
    set(answer.headers_mut(), VARY, "accept-encoding");
    set(answer.headers_mut(), CONTENT_SECURITY_POLICY, POLICY);
    if cfg!(debug_assertions) {
        // Nothing was compressed beforehand, and doing it at each request takes longer than it spares.
        set(answer.headers_mut(), CONTENT_ENCODING, "identity");
    }
    answer
}

fn respond<T: EmbedRespondable>(file: EmbedResponse<T>, request: &HttpRequest) -> HttpResponse
where
    EmbedResponse<T>: Responder,
{
    file.respond_to(request).map_into_boxed_body()
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}
