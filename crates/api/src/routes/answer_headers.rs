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
pub(crate) const REPLAYED: (&str, &str) = ("Idempotency-Replayed", "true");

/// The answer with the version of the item.
pub(super) fn tagged(
    mut answer: HttpResponseBuilder,
    version: Version,
    body: &impl Serialize,
) -> HttpResponse {
    answer.insert_header((ETAG, format!("\"{version}\""))).json(body)
}

/// The answer to a request with an idempotency key.
pub(super) fn with_replay(mut answer: HttpResponseBuilder, replayed: bool) -> HttpResponseBuilder {
    if replayed {
        answer.insert_header(REPLAYED);
    }
    answer
}

/// The same, for an item that was created at this path of the API.
pub(super) fn created_at(path: impl Display, replayed: bool) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Created();
    answer.insert_header((LOCATION, format!("/api/{path}")));
    with_replay(answer, replayed)
}
