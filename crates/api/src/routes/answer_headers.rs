//! Headers of answers: the version of an item, the URL of a new one, and whether an answer is
//! repeated.

use std::fmt::Display;

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::header::{ETAG, LOCATION},
};
use domain_kernel::Version;
use serde::Serialize;

/// Header of a response that repeats the one of an earlier request with the same idempotency key.
const REPLAYED: (&str, &str) = ("Idempotency-Replayed", "true");

/// The answer with the version of the item.
pub(super) fn with_version(mut answer: HttpResponseBuilder, version: Version) -> HttpResponseBuilder {
    answer.insert_header((ETAG, format!("\"{version}\"")));
    answer
}

/// The item with its version.
pub(super) fn tagged(answer: HttpResponseBuilder, version: Version, body: &impl Serialize) -> HttpResponse {
    with_version(answer, version).json(body)
}

/// The answer to a request with an idempotency key.
pub(super) fn with_replay(mut answer: HttpResponseBuilder, replayed: bool) -> HttpResponseBuilder {
    if replayed {
        answer.insert_header(REPLAYED);
    }
    answer
}

/// The answer to the creation of an item at this path of the API.
pub(super) fn created_at(path: impl Display, replayed: bool) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Created();
    answer.insert_header((LOCATION, format!("/api/{path}")));
    with_replay(answer, replayed)
}
