//! Types that two or more domains share: actors, permissions, list queries, violations of rules.
//!
//! Admission rule: a type belongs here only when two domains use it. No rule of a single domain, no I/O, no
//! async, no HTTP status and no SQL (docs/adr/0001-hexagon.md).

mod access;
mod address;
mod code;
pub mod csv;
mod diff;
mod draft;
mod enumeration;
mod identity;
mod integration;
mod kind;
mod listing;
mod origin;
mod secret;
mod sheet;
mod text;
pub mod timestamp;
mod validation;

pub use access::{Action, Actor, Denied, Permission, RoleCode, Subject};
pub use address::{LONGEST_ADDRESS, WebUrl, check_address};
pub use code::{Code, ErrorKind};
pub use diff::{FieldDiff, difference, restore};
pub use draft::{Choice, DraftReader, FieldShape, REPLACED_BY_SERVER};
pub use enumeration::{Enumeration, Labels, Locale, enumeration_schema};
pub use identity::{Id, UserRef, Username, Version};
pub use integration::{AuthError, Integrator, KeyScope, OutOfScope, Principal};
pub use kind::Kind;
pub use listing::{
    Bound, Filter, FilterKind, FilterValue, ListQuery, MAX_PAGE_SIZE, Page, Sort, SortFault, calendar_day,
};
pub use origin::{Origin, Source};
pub use secret::SecretFormat;
pub use sheet::{Cell, SheetRow};
pub use text::{fold, holds_forbidden_characters, order_key};
pub use validation::{MAX_VIOLATIONS, Today, Violation, Violations, checked, fault, within_years_ahead};

// The `enumeration!` macro writes `schemars` paths into the crates that call it.
#[doc(hidden)]
pub use schemars;
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json;
