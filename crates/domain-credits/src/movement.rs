//! A movement: one side of an operation (docs/spec/credits.md#movement).

use chrono::{DateTime, Utc};
use domain_kernel::{Id, UserRef, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OperationType;

enumeration! {
    /// Type of credits.
    pub enum CreditType {
        Normal = "NORMAL" ("Normal", "Normal"),
        Sale = "SALE" ("Venta", "Sale"),
    }
}

/// One movement of one balance. The movement of a paying agent is another one with the same `operationId`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Movement {
    /// Id of the movement.
    pub id: Id,
    /// Id of the operation, common to both of its movements.
    pub operation_id: Id,
    /// Time of the operation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub operation_date: DateTime<Utc>,
    /// Owner of the balance.
    pub target_user: UserRef,
    /// Performer of the operation.
    pub performed_by_user: UserRef,
    /// Type of the operation on this balance.
    pub operation_type: OperationType,
    /// Type of the credits.
    pub credit_type: CreditType,
    /// Number of credits, at least 1.
    pub amount: i64,
    /// The balance before.
    pub balance_before: i64,
    /// The balance after.
    pub balance_after: i64,
    /// Reason given by the performer.
    pub reason: Option<String>,
    /// The expiration before; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub expiration_before: Option<DateTime<Utc>>,
    /// The expiration after; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub expiration_after: Option<DateTime<Utc>>,
    /// Id of the operation that this one reverses.
    pub reverses_operation_id: Option<Id>,
    /// Whether it was reversed.
    pub reversed: bool,
    /// Whether it was imported with older history.
    pub imported: bool,
}
