//! Failures of requests.

use std::{error::Error, io};

use crate::guard::{Forbidden, UnknownName};

/// Reason for no response, or an incomplete one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionFault {
    /// No address of the host is public or listed by the operator.
    Forbidden,
    /// Name resolution failed.
    UnknownName,
    /// TLS failed: certificate or handshake.
    Tls,
    /// Timeout.
    TimedOut,
    /// Connection failed.
    Unreachable,
    /// Connection closed before the end of the response.
    Interrupted,
    /// The response head is not HTTP.
    Unreadable,
}

impl ConnectionFault {
    /// Fault of a request error.
    pub fn of(error: &reqwest::Error) -> Self {
        if is_caused_by::<Forbidden>(error) {
            Self::Forbidden
        } else if is_caused_by::<UnknownName>(error) {
            Self::UnknownName
        } else if is_caused_by::<rustls::Error>(error) {
            Self::Tls
        } else if error.is_timeout() {
            Self::TimedOut
        } else if error.is_connect() {
            Self::Unreachable
        } else if cause::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
            Self::Unreadable
        } else {
            Self::Interrupted
        }
    }
}

fn is_caused_by<E: Error + 'static>(error: &reqwest::Error) -> bool {
    cause::<E>(error).is_some()
}

/// First cause of this type in a chain of errors.
fn cause<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if let Some(found) = inner.downcast_ref::<E>() {
            return Some(found);
        }
        // `source` of an I/O error skips the wrapped error itself.
        cause = match inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => inner.source(),
        };
    }
    None
}
