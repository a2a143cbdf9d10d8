//! Statements: movements of an agent's stock within a period.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::StockMovements;
use domain_kernel::{Id, UserRef, Username};
use domain_users::Scope;

use crate::StoreError;

/// Sum of stock movements of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockSum {
    /// Type of the movements.
    pub of: StockMovements,
    /// Signed change of the stock.
    pub amount: i64,
    /// Number of movements.
    pub movements: u64,
}

/// Stock of a user within a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementAccount {
    /// Id in the store.
    pub id: Id,
    pub user: UserRef,
    /// Whether the user is an agent, or ever had a stock.
    pub has_stock: bool,
    /// Inclusive.
    pub from: DateTime<Utc>,
    /// Exclusive.
    pub to: DateTime<Utc>,
    /// Stock after the last movement before the period.
    pub opening: i64,
    /// Stock after the last movement of the period.
    pub closing: i64,
    /// Last movement of the period. Later movements are excluded from further reads.
    pub last: Option<Id>,
    /// Sums by type of movement.
    pub sums: Vec<StockSum>,
}

/// Movements between a stock and the balance of one other user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRows {
    /// Other user.
    pub user: UserRef,
    /// Sums by type of movement.
    pub sums: Vec<StockSum>,
}

/// Reads statements.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Statements: Send + Sync {
    /// Stock of a user within a period. `None` where the user is not visible.
    async fn account(
        &self,
        scope: &Scope,
        of: &Username,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Option<StatementAccount>, StoreError>;

    /// Movements by the other user, ordered by name, after this name, limited.
    async fn rows<'a>(
        &self,
        account: &StatementAccount,
        after: Option<&'a Username>,
        size: u32,
    ) -> Result<Vec<StatementRows>, StoreError>;
}
