//! Fetches of playlists and guides: cache validators and errors.

use domain_kernel::enumeration;

enumeration! {
    /// Error of a fetch.
    pub enum FetchFault {
        /// Neither http nor https, also of a redirect.
        InvalidAddress = "INVALID_ADDRESS" ("No es una dirección http o https", "Not an http or https address"),
        /// A private address that the operator has not allowed.
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección no es pública", "The address is not public"),
        Unreachable = "UNREACHABLE" ("No se pudo conectar", "Could not connect"),
        TimedOut = "TIMED_OUT" ("Tardó demasiado", "It took too long"),
        /// The connection ended before the response did.
        Interrupted = "INTERRUPTED" ("La descarga se interrumpió", "The download was interrupted"),
        /// More than five redirects.
        TooManyRedirects = "TOO_MANY_REDIRECTS" ("Demasiadas redirecciones", "Too many redirects"),
    }
}

/// Cache validators of a source's response, for conditional requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validators {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}
