//! Why a request had no answer.

use std::{error::Error, io};

use crate::guard::{Forbidden, UnknownName};

/// Why a request had no answer, or none to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionFault {
    /// No address of the host is public or named by the operator.
    Forbidden,
    /// The name of the host could not be resolved.
    UnknownName,
    /// The certificate or the handshake was refused.
    Tls,
    /// It took too long.
    TimedOut,
    /// No connection came about.
    Unreachable,
    /// The connection ended before the answer did.
    Interrupted,
    /// The head of the answer is not that of HTTP.
    Unreadable,
}

impl ConnectionFault {
    /// The fault behind an error of a request.
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

/// The first error of this type among the causes of another.
fn cause<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if let Some(found) = inner.downcast_ref::<E>() {
            return Some(found);
        }
        // An I/O error hands on the source of what it wraps, not what it wraps itself.
        cause = match inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => inner.source(),
        };
    }
    None
}
