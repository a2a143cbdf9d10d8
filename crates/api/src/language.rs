//! The language of a response: `es` unless English is preferred (docs/spec/rest.md#language).
//! Handlers return codes; this middleware turns them into texts.

use std::{
    convert::Infallible,
    future::{Ready, ready},
};

use actix_web::{
    Error, FromRequest, HttpRequest, HttpResponse,
    body::{BoxBody, EitherBody, MessageBody},
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::InternalError,
    http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_LANGUAGE, HeaderMap, HeaderValue, VARY},
    middleware::Next,
};
use domain_kernel::Locale;

use crate::{denied, problem::Problem};

/// The language of a request.
#[derive(Clone, Copy)]
pub(crate) struct Language(pub(crate) Locale);

impl FromRequest for Language {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(negotiate(request.headers()))))
    }
}

/// Adds the texts of errors, and the headers of every response of the API.
pub(crate) async fn localize(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody, BoxBody>>, Error> {
    let locale = negotiate(request.headers());
    let mut answer = match next.call(request).await {
        Ok(answer) => match answer.response().error() {
            Some(error) => {
                if let Some(problem) = error.as_error::<Problem>() {
                    denied::log(answer.request(), problem);
                    denied::record(answer.request(), problem).await;
                }
                let worded = in_words(error, locale);
                answer.into_response(worded).map_into_right_body()
            }
            None => answer.map_into_left_body(),
        },
        // The request is dropped here; its response is the error's.
        Err(error) => {
            let mut worded = in_words(&error, locale);
            set_headers(worded.headers_mut(), locale);
            return Err(InternalError::from_response("", worded).into());
        }
    };
    set_headers(answer.headers_mut(), locale);
    Ok(answer)
}

fn set_headers(headers: &mut HeaderMap, locale: Locale) {
    if !headers.contains_key(CONTENT_LANGUAGE) {
        headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(locale.code()));
    }
    headers.append(VARY, HeaderValue::from_static("accept-language"));
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

fn in_words(error: &Error, locale: Locale) -> HttpResponse {
    match error.as_error::<Problem>() {
        Some(problem) => problem.in_words(locale),
        None => Problem::from_foreign(error).in_words(locale),
    }
}

/// English if it is preferred to Spanish, else Spanish.
fn negotiate(headers: &HeaderMap) -> Locale {
    let text = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (mut spanish, mut english) = (0.0_f32, 0.0_f32);
    for part in text.split(',') {
        let mut pieces = part.split(';');
        let range = pieces.next().unwrap_or_default().trim().to_ascii_lowercase();
        let weight =
            pieces.find_map(|piece| piece.trim().strip_prefix("q=")?.trim().parse().ok()).unwrap_or(1.0);
        match range.split('-').next() {
            Some("es") => spanish = spanish.max(weight),
            Some("en") => english = english.max(weight),
            _ => {}
        }
    }
    if english > spanish { Locale::English } else { Locale::Spanish }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spanish_unless_english_is_preferred() {
        for (header, expected) in [
            ("", Locale::Spanish),
            ("es", Locale::Spanish),
            ("en", Locale::English),
            ("en-GB,en;q=0.9", Locale::English),
            ("es-MX,es;q=0.9,en;q=0.8", Locale::Spanish),
            ("en,es", Locale::Spanish),
            ("es;q=0.3, EN;q=0.7", Locale::English),
            ("fr, en;q=0.5", Locale::English),
            ("de", Locale::Spanish),
            ("*", Locale::Spanish),
            ("en;q=x", Locale::English),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_str(header).unwrap());
            assert_eq!(negotiate(&headers), expected, "{header}");
        }
    }
}
