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
        } else {
            Self::Interrupted
        }
    }
}

fn is_caused_by<E: Error + 'static>(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if inner.is::<E>() {
            return true;
        }
        // An I/O error hands on the source of what it wraps, not what it wraps itself.
        cause = match inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => inner.source(),
        };
    }
    false
}
