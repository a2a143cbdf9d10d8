//! A movement as users read it: one side of an operation (docs/spec/credits.md#movement).

use chrono::{DateTime, Utc};
use domain_kernel::{Id, Username, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OperationType;

enumeration! {
    /// Which credits moved.
    pub enum CreditType {
        Normal = "NORMAL" ("Normal", "Normal"),
        Sale = "SALE" ("Venta", "Sale"),
    }
}

/// A user, by both names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Named")]
pub struct UserRef {
    /// Their public id.
    pub username: Username,
    /// The full name.
    pub full_name: String,
}

/// One movement of one balance. What an agent pays is a movement of its own, with the same `operationId`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Movement {
    /// By which it is addressed.
    pub id: Id,
    /// What both sides of one operation have in common.
    pub operation_id: Id,
    /// When it was done.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub operation_date: DateTime<Utc>,
    /// Whose balance moved.
    pub target_user: UserRef,
    /// Who did it.
    pub performed_by_user: UserRef,
    /// What happened to the balance.
    pub operation_type: OperationType,
    /// Which credits.
    pub credit_type: CreditType,
    /// How many, never below 1.
    pub amount: i64,
    /// The balance before.
    pub balance_before: i64,
    /// The balance after.
    pub balance_after: i64,
    /// Why, as the performer wrote it.
    pub reason: Option<String>,
    /// The expiration before; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub expiration_before: Option<DateTime<Utc>>,
    /// The expiration after; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub expiration_after: Option<DateTime<Utc>>,
    /// The operation that this one takes back.
    pub reverses_operation_id: Option<Id>,
    /// Whether it was reversed.
    pub reversed: bool,
    /// Whether it came with an import of older history.
    pub imported: bool,
}
