//! Fetches of playlists and guides: by what an answer is known, and why there was none.

use domain_kernel::enumeration;

enumeration! {
    /// Why a fetch failed.
    pub enum FetchFault {
        /// Not an address of http or https, or a redirect to none.
        InvalidAddress = "INVALID_ADDRESS" ("No es una dirección http o https", "Not an http or https address"),
        /// The address is private, and the operator does not name it.
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección no es pública", "The address is not public"),
        /// No connection came about.
        Unreachable = "UNREACHABLE" ("No se pudo conectar", "Could not connect"),
        /// It took too long.
        TimedOut = "TIMED_OUT" ("Tardó demasiado", "It took too long"),
        /// The connection ended before the answer did.
        Interrupted = "INTERRUPTED" ("La descarga se interrumpió", "The download was interrupted"),
        /// More than five redirects.
        TooManyRedirects = "TOO_MANY_REDIRECTS" ("Demasiadas redirecciones", "Too many redirects"),
    }
}

/// By what the answer of a source is known: a source that still has it need not send it again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validators {
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
}
