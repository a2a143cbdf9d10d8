//! An agent's request for a reversal by an admin (docs/spec/credits.md#mistaken-sales).

use chrono::{DateTime, Utc};
use domain_kernel::{Id, UserRef, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

enumeration! {
    /// Status of a reversal request.
    pub enum ReversalStatus {
        Pending = "PENDING" ("Pendiente", "Pending"),
        Approved = "APPROVED" ("Aprobada", "Approved"),
        Declined = "DECLINED" ("Rechazada", "Declined"),
    }
}

/// A request for the reversal of a sale by an admin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestedReversal {
    /// Id of the request.
    pub id: Id,
    /// Status of the request.
    pub status: ReversalStatus,
    /// Agent who made the request.
    pub requested_by: UserRef,
    /// Time of the request.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub requested_date: DateTime<Utc>,
    /// Reason given by the agent.
    pub reason: Option<String>,
    /// Id of the customer's movement of the sale.
    pub movement_id: Id,
    /// Id of the sale.
    pub operation_id: Id,
    /// Time of the sale.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub operation_date: DateTime<Utc>,
    /// Customer of the sale.
    pub target_user: UserRef,
    /// Number of credits sold.
    pub amount: i64,
    /// Admin who decided; null while the request is pending, or where that user was deleted.
    pub decided_by: Option<UserRef>,
    /// Time of the decision.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub decided_date: Option<DateTime<Utc>>,
    /// Note of the admin on the decision.
    pub note: Option<String>,
}
