//! The built panel (frontend/dist), embedded: one binary, one origin. Debug builds read the files from disk.
//! Texts are stored compressed only, by frontend/scripts/compress.ts; for clients that accept neither
//! encoding they are decompressed.
//!
//! A crate of its own without dependencies on others, so that a change of the API does not embed the panel
//! again.

use std::{
    borrow::Cow,
    fmt::Write,
    io::{self, Read},
};

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
use flate2::read::GzDecoder;
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "../../frontend/dist/"]
struct Files;

/// Images and streams from any origin, trailers from two hosts, scripts from this origin only.
const POLICY: &str = "default-src 'self'; img-src 'self' https: http: data:; media-src https: http:; \
frame-src https://www.youtube-nocookie.com https://player.vimeo.com; style-src 'self' 'unsafe-inline'; script-src 'self'; \
object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Responds with a file of the panel, or with its page for every other path, as the panel routes those.
#[expect(clippy::unused_async, reason = "handlers are async")]
pub async fn serve(request: HttpRequest) -> HttpResponse {
    respond(&request, &Files::get)
}

/// Files by name.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<EmbeddedFile>;

fn respond(request: &HttpRequest, files: Lookup<'_>) -> HttpResponse {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return HttpResponse::MethodNotAllowed().finish();
    }
    let path = request.path().trim_start_matches('/');
    let is_asset = path.starts_with("assets/");
    let name = if is_file(path, files) {
        path
    } else if is_asset {
        return HttpResponse::NotFound().finish();
    } else {
        "index.html"
    };
    let Some(chosen) = best(name, request, files) else {
        return HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(
            "The panel is not built: run `npm ci && npm run build` in frontend/. The API is under /api.",
        );
    };
    let tag = EntityTag::new_strong(chosen.tag());
    let is_known = match IfNoneMatch::parse(request) {
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
    // Also set for files without an encoding, to prevent compression at each request.
    response
        .insert_header((CONTENT_ENCODING, chosen.encoding))
        .insert_header((CONTENT_TYPE, content_type(name)));
    match chosen.data() {
        Ok(data) => response.body(data),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

/// Whether a file has this name: compressed variants don't count, and a file may exist compressed only.
fn is_file(path: &str, files: Lookup<'_>) -> bool {
    let is_compressed = ENCODINGS.iter().any(|(_, ending)| path.ends_with(ending));
    !path.is_empty() && !is_compressed && (files(path).is_some() || files(&gzipped(path)).is_some())
}

/// Encodings of files, the best first; frontend/scripts/compress.ts writes them.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", GZIPPED)];
const GZIPPED: &str = ".gz";

fn gzipped(name: &str) -> String {
    format!("{name}{GZIPPED}")
}

/// A file with the encoding of the response.
struct Chosen {
    file: EmbeddedFile,
    encoding: &'static str,
    /// Whether the gzipped file is decompressed for the response.
    unpacks: bool,
}

impl Chosen {
    /// `ETag`, which differs by encoding.
    fn tag(&self) -> String {
        let hash = hex(&self.file.metadata.sha256_hash());
        if self.unpacks { format!("{hash}-{}", self.encoding) } else { hash }
    }

    fn data(self) -> io::Result<Cow<'static, [u8]>> {
        if !self.unpacks {
            return Ok(self.file.data);
        }
        let mut data = Vec::new();
        GzDecoder::new(&*self.file.data).read_to_end(&mut data)?;
        Ok(data.into())
    }
}

/// Best encoding of a file that the client accepts.
fn best(name: &str, request: &HttpRequest, files: Lookup<'_>) -> Option<Chosen> {
    let accepted = AcceptEncoding::parse(request).ok();
    let compressed = ENCODINGS.iter().find_map(|&(name_in_header, ending)| {
        let encoding: Encoding = name_in_header.parse().ok()?;
        let negotiated = accepted.as_ref()?.negotiate([&encoding].into_iter())?;
        let file = (negotiated == encoding).then(|| files(&format!("{name}{ending}")))??;
        Some(Chosen { file, encoding: name_in_header, unpacks: false })
    });
    let as_is = |unpacks| move |file| Chosen { file, encoding: "identity", unpacks };
    compressed.or_else(|| files(name).map(as_is(false))).or_else(|| files(&gzipped(name)).map(as_is(true)))
}

fn content_type(name: &str) -> String {
    let mime = mime_guess::from_path(name).first_raw().unwrap_or("application/octet-stream");
    if mime.starts_with("text/") { format!("{mime}; charset=utf-8") } else { mime.to_owned() }
}

fn hex(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write, path::Path};

    use actix_web::{
        body::MessageBody,
        http::header::{ACCEPT_ENCODING, ETAG, HeaderName, IF_NONE_MATCH},
        test::TestRequest,
        web::Bytes,
    };
    use flate2::{Compression, write::GzEncoder};
    use tempfile::TempDir;

    use super::*;

    const SCRIPT: &str = "export const answer = 42;";
    const STYLE: &str = "body{margin:0}";

    /// Files of a build: a script stored compressed only, and a style sheet too small for that.
    fn built() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let assets = folder.path().join("assets");
        fs::create_dir(&assets).unwrap();
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(SCRIPT.as_bytes()).unwrap();
        fs::write(assets.join("panel.js.gz"), packed.finish().unwrap()).unwrap();
        fs::write(assets.join("panel.js.br"), "packed by brotli").unwrap();
        fs::write(assets.join("small.css"), STYLE).unwrap();
        folder
    }

    fn get(folder: &Path, path: &str, headers: &[(HeaderName, &str)]) -> HttpResponse {
        let request = TestRequest::with_uri(path);
        let request = headers.iter().fold(request, |request, header| request.insert_header(header.clone()));
        respond(&request.to_http_request(), &|name: &str| {
            rust_embed::utils::read_file_from_fs(&folder.join(name)).ok()
        })
    }

    fn header(response: &HttpResponse, name: HeaderName) -> String {
        response.headers().get(name).unwrap().to_str().unwrap().to_owned()
    }

    fn body(response: HttpResponse) -> Bytes {
        response.into_body().try_into_bytes().unwrap()
    }

    #[test]
    fn clients_without_compression_get_the_file_decompressed() {
        let built = built();
        let plain: [&[(HeaderName, &str)]; 4] = [
            &[],
            &[(ACCEPT_ENCODING, "identity")],
            &[(ACCEPT_ENCODING, "zstd")],
            &[(ACCEPT_ENCODING, "br;q=0, gzip;q=0")],
        ];
        for accepted in plain {
            let response = get(built.path(), "/assets/panel.js", accepted);
            assert_eq!(response.status(), 200, "{accepted:?}");
            assert_eq!(header(&response, CONTENT_ENCODING), "identity", "{accepted:?}");
            assert_eq!(header(&response, CONTENT_TYPE), "text/javascript; charset=utf-8");
            assert_eq!(header(&response, CACHE_CONTROL), "public, max-age=31536000, immutable");
            assert_eq!(body(response), SCRIPT, "{accepted:?}");
        }
        let packed = get(built.path(), "/assets/panel.js", &[(ACCEPT_ENCODING, "gzip, br")]);
        assert_eq!(header(&packed, CONTENT_ENCODING), "br");
        assert_eq!(body(packed), "packed by brotli");
    }

    #[test]
    fn each_encoding_has_a_tag_by_which_it_is_known() {
        let built = built();
        let tags = ["br", "gzip", "identity"].map(|encoding| {
            let accepted = (ACCEPT_ENCODING, encoding);
            let tag = header(&get(built.path(), "/assets/panel.js", std::slice::from_ref(&accepted)), ETAG);
            let known = get(built.path(), "/assets/panel.js", &[accepted, (IF_NONE_MATCH, tag.as_str())]);
            assert_eq!(known.status(), 304, "{encoding}");
            assert_eq!(header(&known, ETAG), tag);
            assert!(body(known).is_empty(), "{encoding}");
            tag
        });
        assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
    }

    #[test]
    fn a_small_file_is_sent_as_it_is_and_a_packed_one_has_no_address_of_its_own() {
        let built = built();
        let small = get(built.path(), "/assets/small.css", &[(ACCEPT_ENCODING, "gzip, br")]);
        assert_eq!(header(&small, CONTENT_ENCODING), "identity");
        assert_eq!(body(small), STYLE);
        for path in ["/assets/panel.js.gz", "/assets/panel.js.br", "/assets/none.js"] {
            assert_eq!(get(built.path(), path, &[]).status(), 404, "{path}");
        }
    }
}
