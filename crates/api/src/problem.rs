//! Errors as problem details (RFC 9457): `application/problem+json` with `message` for users and
//! `code` for clients (docs/spec/rest.md#errors). The kind of the code determines the status.

use std::fmt;

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use application::Error;
use chrono::{DateTime, Utc};
use domain_kernel::{Code, ErrorKind, Locale, MAX_VIOLATIONS, Violation};
use domain_users::{CallingCode, User};
use serde_json::{Map, Value, json};

use crate::{body_limit::LARGEST_BODY, edge::RequestContext, locale, user::UserAnswer};

/// The status of a kind of failure.
pub(crate) fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Malformed => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::Missing => StatusCode::NOT_FOUND,
        ErrorKind::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Outdated => StatusCode::PRECONDITION_FAILED,
        ErrorKind::TimedOut => StatusCode::REQUEST_TIMEOUT,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::WrongMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::Invalid | ErrorKind::Field => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::Throttled => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Upstream => StatusCode::BAD_GATEWAY,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Broken => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// An error response before localization.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    topic: Option<String>,
    arguments: Map<String, Value>,
    violations: Vec<Violation>,
    current: Option<Value>,
    /// The current state of the user; the name of the role depends on the language of the response.
    current_user: Option<(Box<User>, DateTime<Utc>, Option<CallingCode>)>,
    retry_after: Option<u32>,
    /// Responses of `/auth` have the fields of docs/spec/access.md#sign-in in addition.
    of_sign_in: bool,
    request_id: Option<String>,
    /// Methods that the path has.
    allowed: Vec<String>,
    /// The response has `WWW-Authenticate: Bearer`.
    challenged: bool,
}

impl Problem {
    /// A problem without further details.
    pub(crate) fn of(code: Code) -> Self {
        Self {
            code,
            topic: None,
            arguments: Map::new(),
            violations: Vec::new(),
            current: None,
            current_user: None,
            retry_after: None,
            of_sign_in: false,
            request_id: None,
            allowed: Vec::new(),
            challenged: false,
        }
    }

    /// The path does not have the method of the request, but has these.
    pub(crate) fn method_not_allowed(allowed: Vec<String>) -> Self {
        Self { allowed, ..Self::of(Code::MethodNotAllowed) }
    }

    pub(crate) fn no_such_path() -> Self {
        Self::of(Code::NotFound)
    }

    /// The body is larger than the limit.
    pub(crate) fn too_large(max: usize) -> Self {
        let arguments = Map::from_iter([("max".to_owned(), json!(max))]);
        Self { arguments, ..Self::of(Code::PayloadTooLarge) }
    }

    /// An error of a request that requires a key.
    pub(crate) fn of_key(error: Error) -> Self {
        let problem = Self::from(error);
        if problem.code != Code::NotAuthenticated {
            return problem;
        }
        Self { topic: Some("key".to_owned()), ..problem }.challenged()
    }

    /// The problem with a challenge for a bearer token.
    pub(crate) fn challenged(self) -> Self {
        Self { challenged: true, ..self }
    }

    /// What went wrong.
    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Whether it is about entities with a scope.
    pub(crate) fn is_about_scoped_entities(&self) -> bool {
        matches!(self.topic.as_deref(), Some("users" | "credits"))
    }

    /// The problem in the format of `/auth`.
    pub(crate) fn of_sign_in(error: impl Into<Self>) -> Self {
        Self { of_sign_in: true, ..error.into() }
    }

    /// A problem for an error of actix-web.
    pub(crate) fn from_foreign(error: &actix_web::Error) -> Self {
        match error.as_response_error().status_code().as_u16() {
            400 => Self::of(Code::Malformed),
            404 => Self::of(Code::NotFound),
            405 => Self::of(Code::MethodNotAllowed),
            408 => Self::of(Code::RequestTimeout),
            413 => Self::too_large(LARGEST_BODY),
            415 => Self::of(Code::UnsupportedMediaType),
            _ => Self::internal(error),
        }
    }

    /// An internal error: the log has its details, the response the request ID.
    fn internal(error: &dyn fmt::Display) -> Self {
        let id = RequestContext::request_id();
        tracing::error!(request_id = id, error = %error, "request failed");
        Self { request_id: Some(id), ..Self::of(Code::Internal) }
    }

    pub(crate) fn in_words(&self, locale: Locale) -> HttpResponse {
        let status = status(self.code.kind());
        let message = self.message(locale);
        let mut body = json!({
            "type": format!("/api/docs#{}", self.code.as_str()),
            "title": status.canonical_reason().unwrap_or_default(),
            "status": status.as_u16(),
            "detail": message,
            "message": message,
            "code": self.code.as_str(),
        });
        if !self.violations.is_empty() {
            body["errors"] = errors(&self.violations, locale);
        } else if !self.arguments.is_empty() {
            body["arguments"] = Value::Object(self.arguments.clone());
        }
        if let Some(current) = &self.current {
            body["current"] = current.clone();
        }
        if let Some((user, now, country)) = &self.current_user {
            body["current"] = json!(UserAnswer::new(user, locale, *now, *country));
        }
        if let Some(id) = &self.request_id {
            body["requestId"] = json!(id);
        }
        if self.of_sign_in {
            body["success"] = json!(false);
            body["user"] = Value::Null;
            body["errorCode"] = json!(self.code.as_str());
        }
        let mut answer = HttpResponse::build(status);
        if let Some(seconds) = self.retry_after {
            answer.insert_header((RETRY_AFTER, seconds.to_string()));
        }
        if !self.allowed.is_empty() {
            answer.insert_header((ALLOW, self.allowed.join(", ")));
        }
        if self.challenged {
            answer.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        answer.content_type("application/problem+json").body(body.to_string())
    }

    /// Code and text in this language, for a response that lists it; a single violation replaces
    /// the general code.
    pub(crate) fn code_and_message(&self, locale: Locale) -> (Code, String) {
        match self.violations.as_slice() {
            [violation] => (violation.code, locale::violation_text(locale, violation)),
            _ => (self.code, self.message(locale)),
        }
    }

    fn message(&self, locale: Locale) -> String {
        let mut arguments = self.arguments.clone();
        if self.code == Code::InUse {
            arguments.insert("uses".into(), locale::counts_text(locale, &self.arguments).into());
        }
        if self.code == Code::InvalidTransition {
            locale::name_statuses(locale, &mut arguments);
        }
        if !self.violations.is_empty() {
            arguments.insert("problems".into(), locale::violations_text(locale, &self.violations).into());
        }
        locale::text(locale, self.topic.as_deref(), self.code, &arguments)
    }
}

/// The maximum size of the violations in a response.
const LARGEST_ERRORS: usize = 32 * 1024;

/// Violations with texts, as many as fit into the maximum size.
fn errors(violations: &[Violation], locale: Locale) -> Value {
    let mut remaining = LARGEST_ERRORS;
    let entries = violations.iter().take(MAX_VIOLATIONS).map(|violation| {
        json!({
            "field": violation.field,
            "code": violation.code.as_str(),
            "message": locale::violation_text(locale, violation),
            "arguments": violation.arguments,
        })
    });
    entries
        .take_while(|entry| {
            let size = entry.to_string().len();
            let fits = size <= remaining;
            remaining = remaining.saturating_sub(size);
            fits
        })
        .collect()
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let code = error.code();
        if code == Code::Internal {
            return Self::internal(&error);
        }
        let base = Self {
            topic: error.topic(),
            arguments: error.arguments(),
            retry_after: error.retry_after(),
            ..Self::of(code)
        };
        match error {
            Error::Invalid(violations) => Self { violations: violations.shortened().0, ..base },
            Error::OutdatedUser { current, now, country } => {
                Self { current_user: Some((current, now, country)), ..base }
            }
            Error::Outdated(current) => Self { current: Some(*current), ..base },
            _ => base,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        status(self.code.kind())
    }

    fn error_response(&self) -> HttpResponse {
        self.in_words(Locale::default())
    }
}
