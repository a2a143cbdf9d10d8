//! A reversal that an agent asks an admin for (docs/spec/credits.md#mistaken-sales).

use chrono::{DateTime, Utc};
use domain_kernel::{Id, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::UserRef;

enumeration! {
    /// What became of a request.
    pub enum ReversalStatus {
        Pending = "PENDING" ("Pendiente", "Pending"),
        Approved = "APPROVED" ("Aprobada", "Approved"),
        Declined = "DECLINED" ("Rechazada", "Declined"),
    }
}

/// A request that an admin reverses a sale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestedReversal {
    /// By which it is addressed.
    pub id: Id,
    /// What became of it.
    pub status: ReversalStatus,
    /// Who asks.
    pub requested_by: UserRef,
    /// Since when.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub requested_date: DateTime<Utc>,
    /// Why, as the agent wrote it.
    pub reason: Option<String>,
    /// The customer's movement of the sale.
    pub movement_id: Id,
    /// The sale.
    pub operation_id: Id,
    /// When it was done.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub operation_date: DateTime<Utc>,
    /// The customer.
    pub target_user: UserRef,
    /// How many credits were sold.
    pub amount: i64,
    /// Who decided; null where nobody has, or where that user was deleted.
    pub decided_by: Option<UserRef>,
    /// When.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub decided_date: Option<DateTime<Utc>>,
    /// What whoever decided says to it.
    pub note: Option<String>,
}
