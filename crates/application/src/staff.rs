//! Access to the panel.

use domain_kernel::{Actor, RoleCode};

use crate::Error;

/// Subscribers do not use the panel.
pub(crate) fn require_staff(actor: &Actor) -> Result<(), Error> {
    if RoleCode::STAFF.contains(&actor.role) { Ok(()) } else { Err(Error::Forbidden) }
}
