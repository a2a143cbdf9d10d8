//! Statements: what moved the stock of an agent within a time.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::{StockMovements, UserRef};
use domain_kernel::{Id, Username};
use domain_users::Scope;

use crate::StoreError;

/// Alike movements, added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockSum {
    /// What they have in common.
    pub of: StockMovements,
    /// By how much the stock moved; negative where it went down.
    pub amount: i64,
    /// How many they are.
    pub movements: u64,
}

/// The stock of a user within a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementAccount {
    /// By which the store knows them.
    pub id: Id,
    /// Whose.
    pub user: UserRef,
    /// Whether they are an agent, or ever had a stock.
    pub has_stock: bool,
    /// From this time on.
    pub from: DateTime<Utc>,
    /// Before this time.
    pub to: DateTime<Utc>,
    /// The stock after the last movement before that time.
    pub opening: i64,
    /// The stock after the last movement within it.
    pub closing: i64,
    /// The last movement within it. What is added later does not belong to what was read.
    pub last: Option<Id>,
    /// What moved it.
    pub sums: Vec<StockSum>,
}

/// What moved between a stock and one other user's balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRows {
    /// With whom.
    pub user: UserRef,
    /// What moved.
    pub sums: Vec<StockSum>,
}

/// Reads statements.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Statements: Send + Sync {
    /// The stock of a user within a time. `None` where the user is not to be seen.
    async fn account(
        &self,
        scope: &Scope,
        of: &Username,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Option<StatementAccount>, StoreError>;

    /// What moved it, by the other user, in the order of their names, after this name: at most so many users.
    async fn rows<'a>(
        &self,
        account: &StatementAccount,
        after: Option<&'a Username>,
        size: u32,
    ) -> Result<Vec<StatementRows>, StoreError>;
}
