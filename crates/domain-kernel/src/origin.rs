//! Origin of a change.

use std::net::IpAddr;

use crate::{Id, enumeration};

enumeration! {
    /// Source of a change.
    pub enum Source {
        /// A request with a session.
        Request = "REQUEST" ("Panel o API", "Panel or API"),
        /// A slice of a bulk operation.
        BulkOperation = "BULK_OPERATION" ("Operación masiva", "Bulk operation"),
        /// An import by the command line.
        Import = "IMPORT" ("Importación", "Import"),
        /// A command or a job of the server.
        Server = "SERVER" ("Servidor", "Server"),
    }
}

/// Origin of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub source: Source,
    /// IP address of the client, for a request.
    pub address: Option<IpAddr>,
    /// Bulk operation that the change is part of.
    pub operation: Option<Id>,
}

impl Origin {
    pub const SERVER: Self = Self::of(Source::Server);

    /// A source without an address.
    pub const fn of(source: Source) -> Self {
        Self { source, address: None, operation: None }
    }
}
