//! Where a change comes from.

use std::net::IpAddr;

use crate::{Id, enumeration};

enumeration! {
    /// By what a change is made.
    pub enum Source {
        /// A request of somebody who is signed in.
        Request = "REQUEST" ("Panel o API", "Panel or API"),
        /// A slice of a bulk operation.
        BulkOperation = "BULK_OPERATION" ("Operación masiva", "Bulk operation"),
        /// An import by the command line.
        Import = "IMPORT" ("Importación", "Import"),
        /// The server itself: a command or a job.
        Server = "SERVER" ("Servidor", "Server"),
    }
}

/// Where a change comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// By what it is made.
    pub source: Source,
    /// The client's address, of a request.
    pub address: Option<IpAddr>,
    /// The bulk operation that it is part of.
    pub operation: Option<Id>,
}

impl Origin {
    /// The server itself.
    pub const SERVER: Self = Self::of(Source::Server);

    /// A source without an address.
    pub const fn of(source: Source) -> Self {
        Self { source, address: None, operation: None }
    }
}
