//! Counts of the dashboards. Each answer takes a handful of index reads, never a scan per card.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Kind, Username, for_each_kind};
use domain_users::{ExpiryFilter, Scope};

use crate::StoreError;

/// Counts of the users in a scope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserCounts {
    pub users: u64,
    /// Users with the role of agent.
    pub agents: u64,
    /// App users with an expiration in the past.
    pub expired: u64,
    /// App users with an expiration later this month.
    pub about_to_expire: u64,
    /// App credits of the app users in a subtree; 0 for a global scope.
    pub app_credits: i64,
}

macro_rules! content_counts {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched $visits:tt counted($($name:ident)?) $($rest:tt)*)?];)+) => {
        /// Numbers of active content by type.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct ContentCounts {
            $($($(#[doc = $about] pub $name: u64,)?)?)+
        }

        impl ContentCounts {
            /// Counted kinds with the names of their counts.
            pub const KINDS: &'static [(&'static str, Kind)] = &[$($($((stringify!($name), Kind::$kind),)?)?)+];

            /// Counts the active items of each counted kind.
            pub fn of<E>(mut count: impl FnMut(Kind) -> Result<u64, E>) -> Result<Self, E> {
                Ok(Self { $($($($name: count(Kind::$kind)?,)?)?)+ })
            }
        }
    };
}
for_each_kind!(content_counts);

/// An agent with its sales.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSales {
    pub full_name: String,
    pub username: Username,
    /// App credits added and stock transferred, less reversals.
    pub total_sales: i64,
}

/// One month of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthCounts {
    /// `YYYY-MM`, in UTC.
    pub month: String,
    /// Number of registered users.
    pub registrations: i64,
    /// Credits sold: for all users, app credits added less those deducted, without imported opening balances;
    /// for an agent, its sales.
    pub credits_sold: i64,
}

/// A user whose subscription expires soon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiringUser {
    pub username: Username,
    pub full_name: String,
    /// App credits.
    pub credits: i64,
    pub expiration_date: DateTime<Utc>,
}

/// Counts of the dashboards.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Dashboards: Send + Sync {
    /// Counts of the users in a scope.
    async fn users(
        &self,
        scope: &Scope,
        expired: ExpiryFilter,
        about_to_expire: ExpiryFilter,
    ) -> Result<UserCounts, StoreError>;

    /// Numbers of active content.
    async fn contents(&self) -> Result<ContentCounts, StoreError>;

    /// Unresolved reports by the code of their content type; types without any may be missing.
    async fn unresolved_issues(&self) -> Result<Vec<(String, u64)>, StoreError>;

    /// Stock of an agent.
    async fn stock(&self, agent: &Username) -> Result<i64, StoreError>;

    /// Users with the most sales, descending; users without sales are omitted.
    async fn top_sellers(&self, limit: u32) -> Result<Vec<UserSales>, StoreError>;

    /// Registrations and sales since a day, by month; months without any are omitted.
    async fn months(&self, scope: &Scope, since: NaiveDate) -> Result<Vec<MonthCounts>, StoreError>;

    /// Active app users whose subscriptions end next, soonest first.
    async fn expiring(
        &self,
        scope: &Scope,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ExpiringUser>, StoreError>;
}
