//! The built panel (frontend/dist), embedded: one binary, one origin. In debug builds the files are read from disk.
//!
//! A leaf of its own, so that touching the API never embeds the panel again. Nothing else may enter.

use std::fmt::Write;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{
            AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETag,
            Encoding, EntityTag, Header, IfNoneMatch, VARY,
        },
    },
};
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "../../frontend/dist/"]
struct Files;

/// Images and streams come from anywhere, trailers from two hosts, scripts from here only.
const POLICY: &str = "default-src 'self'; img-src 'self' https: http: data:; media-src https: http:; \
frame-src https://www.youtube-nocookie.com https://player.vimeo.com; style-src 'self' 'unsafe-inline'; script-src 'self'; \
object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Responds with a file of the panel, or with its page for every address that is no file: the panel routes those.
#[expect(clippy::unused_async, reason = "handlers are async")]
pub async fn serve(request: HttpRequest) -> HttpResponse {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return HttpResponse::MethodNotAllowed().finish();
    }
    let path = request.path().trim_start_matches('/');
    let is_asset = path.starts_with("assets/");
    let name = if is_file(path) {
        path
    } else if is_asset {
        return HttpResponse::NotFound().finish();
    } else {
        "index.html"
    };
    let Some((file, encoding)) = best(name, &request) else {
        return HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(
            "The panel is not built: run `npm ci && npm run build` in frontend/. The API is under /api.",
        );
    };
    let tag = EntityTag::new_strong(hex(&file.metadata.sha256_hash()));
    let is_known = match IfNoneMatch::parse(&request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(&tag)),
        Err(_) => false,
    };
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((
            CACHE_CONTROL,
            if is_asset { "public, max-age=31536000, immutable" } else { "no-cache" },
        ))
        .insert_header((VARY, "accept-encoding"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header(ETag(tag));
    if is_known {
        return response.finish();
    }
    // Set for files that are sent as they are, too: they are not compressed at each request.
    response.insert_header((CONTENT_ENCODING, encoding)).insert_header((CONTENT_TYPE, content_type(name)));
    response.body(file.data)
}

/// Compressed files are no files of their own.
fn is_file(path: &str) -> bool {
    let is_compressed = ENCODINGS.iter().any(|(_, ending)| path.ends_with(ending));
    !path.is_empty() && !is_compressed && Files::get(path).is_some()
}

/// How files may be compressed, the best first; frontend/scripts/compress.ts writes them.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// The file in the best encoding that the client accepts, and the name of that encoding.
fn best(name: &str, request: &HttpRequest) -> Option<(EmbeddedFile, &'static str)> {
    let accepted = AcceptEncoding::parse(request).ok();
    let compressed = ENCODINGS.iter().find_map(|(name_in_header, ending)| {
        let encoding: Encoding = name_in_header.parse().ok()?;
        let negotiated = accepted.as_ref()?.negotiate([&encoding].into_iter())?;
        let file = (negotiated == encoding).then(|| Files::get(&format!("{name}{ending}")))??;
        Some((file, *name_in_header))
    });
    compressed.or_else(|| Files::get(name).map(|file| (file, "identity")))
}

fn content_type(name: &str) -> String {
    let mime = Files::get(name).map_or_else(String::new, |file| file.metadata.mimetype().to_owned());
    if mime.starts_with("text/") { format!("{mime}; charset=utf-8") } else { mime }
}

fn hex(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
