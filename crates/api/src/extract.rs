//! Extractors of the handlers.

use std::{
    future::{Future, Ready, ready},
    io,
    pin::Pin,
};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    error::PayloadError,
    http::header::{CONTENT_TYPE, IF_MATCH},
    web::Bytes,
};
use domain_kernel::{Code, Id, Locale, Version, Violation, Violations};

use crate::{body_limit::largest, problem::Problem};

/// A JSON body before parsing: the permission is checked first.
pub(crate) struct Body(pub(crate) Bytes);

impl FromRequest for Body {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let kind =
            request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_json = essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"));
        let largest = largest(request.path());
        let bytes = Bytes::from_request(request, payload);
        Box::pin(async move {
            if !is_json {
                return Err(Problem::of(Code::UnsupportedMediaType));
            }
            bytes.await.map(Self).map_err(|error| match error.as_error::<PayloadError>() {
                Some(fault) => body_fault(fault, largest),
                None if error.as_response_error().status_code().as_u16() == 413 => {
                    Problem::too_large(largest)
                }
                None => Problem::of(Code::Malformed),
            })
        })
    }
}

/// The error of a body that did not arrive, with a limit of so many bytes.
pub(crate) fn body_fault(fault: &PayloadError, largest: usize) -> Problem {
    match fault {
        PayloadError::Overflow => Problem::too_large(largest),
        PayloadError::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            Problem::of(Code::RequestTimeout)
        }
        _ => Problem::of(Code::Malformed),
    }
}

/// The pairs of the query string, in their order.
pub(crate) struct Pairs(pub(crate) Vec<(String, String)>);

impl FromRequest for Pairs {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let pairs = actix_web::web::Query::<Vec<(String, String)>>::from_query(request.query_string());
        ready(pairs.map(|pairs| Self(pairs.into_inner())).map_err(|_| Problem::of(Code::Malformed)))
    }
}

impl Pairs {
    /// The value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The language of a file: the parameter `language`, because a link can't send a header, else
    /// that of the request.
    pub(crate) fn language(&self, of_request: Locale) -> Locale {
        match self.get("language") {
            Some("es") => Locale::Spanish,
            Some("en") => Locale::English,
            _ => of_request,
        }
    }

    /// The parameters without this one.
    pub(crate) fn without(mut self, name: &str) -> Vec<(String, String)> {
        self.0.retain(|(key, _)| key != name);
        self.0
    }
}

/// The ID in the path. An invalid ID is answered as not found.
pub(crate) struct ItemId(pub(crate) Id);

impl FromRequest for ItemId {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let id = request.match_info().get("id").and_then(|text| text.parse::<Id>().ok());
        ready(id.map(Self).ok_or_else(Problem::no_such_path))
    }
}

/// Further IDs in the path, by name.
pub(crate) struct PathId(Vec<(String, String)>);

impl PathId {
    /// The ID under a name; `None` if it is invalid.
    pub(crate) fn named(&self, name: &str) -> Option<Id> {
        self.0.iter().find(|(key, _)| key == name)?.1.parse().ok()
    }
}

impl FromRequest for PathId {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let pairs = request.match_info().iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        ready(Ok(Self(pairs.collect())))
    }
}

/// The version that a change was made from. An invalid version matches none.
pub(crate) struct IfMatch(pub(crate) Option<Version>);

impl FromRequest for IfMatch {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text =
            request.headers().get(IF_MATCH).map(|value| value.to_str().unwrap_or("?").trim().to_owned());
        let version = text.filter(|text| text != "*").map(|text| {
            let tag = text.strip_prefix("W/").unwrap_or(&text);
            tag.trim_matches('"').parse::<Version>().unwrap_or(-1)
        });
        ready(Ok(Self(version)))
    }
}

/// The idempotency key of a create.
pub(crate) struct IdempotencyKey(pub(crate) Option<String>);

impl FromRequest for IdempotencyKey {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(value) = request.headers().get("idempotency-key") else { return ready(Ok(Self(None))) };
        let text = value.to_str().unwrap_or_default();
        let fits = (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        ready(if fits {
            Ok(Self(Some(text.to_owned())))
        } else {
            let violation = Violation::new("Idempotency-Key", Code::InvalidFormat);
            Err(application::Error::Invalid(Violations(vec![violation])).into())
        })
    }
}
