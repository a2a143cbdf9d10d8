//! What the dashboards count. Each answer costs a handful of index reads, never a scan per card.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Kind, Username, for_each_kind};
use domain_users::{ExpiryFilter, Scope};

use crate::StoreError;

/// How many of the users in a scope there are, and how they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserCounts {
    /// All of them.
    pub users: u64,
    /// Those who are agents.
    pub agents: u64,
    /// App users whose expiration is past.
    pub expired: u64,
    /// App users whose expiration is still to come this month.
    pub about_to_expire: u64,
    /// App credits of the app users, in a subtree; 0 for everybody.
    pub app_credits: i64,
}

macro_rules! content_counts {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched $visits:tt counted($($name:ident)?) $($rest:tt)*)?];)+) => {
        /// Active content, by type.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct ContentCounts {
            $($($(#[doc = $about] pub $name: u64,)?)?)+
        }

        impl ContentCounts {
            /// The kinds that are counted, after the names of their numbers.
            pub const KINDS: &'static [(&'static str, Kind)] = &[$($($((stringify!($name), Kind::$kind),)?)?)+];

            /// Counts the active items of each kind that is counted.
            pub fn of<E>(mut count: impl FnMut(Kind) -> Result<u64, E>) -> Result<Self, E> {
                Ok(Self { $($($($name: count(Kind::$kind)?,)?)?)+ })
            }
        }
    };
}
for_each_kind!(content_counts);

/// An agent and what it has sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSales {
    /// The full name.
    pub full_name: String,
    /// Their public id.
    pub username: Username,
    /// App credits it added and stock it handed on, less reversals.
    pub total_sales: i64,
}

/// A month of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthCounts {
    /// `YYYY-MM`, in UTC.
    pub month: String,
    /// Users registered.
    pub registrations: i64,
    /// Credits sold: of everybody, app credits added less those deducted, without imported opening balances; of an agent, what
    /// it sold.
    pub credits_sold: i64,
}

/// Somebody whose subscription ends next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiringUser {
    /// Their public id.
    pub username: Username,
    /// The full name.
    pub full_name: String,
    /// App credits.
    pub credits: i64,
    /// When it ends.
    pub expiration_date: DateTime<Utc>,
}

/// Counts for the dashboards.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Dashboards: Send + Sync {
    /// The users in a scope.
    async fn users(
        &self,
        scope: &Scope,
        expired: ExpiryFilter,
        about_to_expire: ExpiryFilter,
    ) -> Result<UserCounts, StoreError>;

    /// Active content.
    async fn contents(&self) -> Result<ContentCounts, StoreError>;

    /// Unresolved reports by the code of their content type; types without any may be missing.
    async fn unresolved_issues(&self) -> Result<Vec<(String, u64)>, StoreError>;

    /// An agent's own stock.
    async fn stock(&self, agent: &Username) -> Result<i64, StoreError>;

    /// Those who sold most, most first; nobody who sold nothing.
    async fn top_sellers(&self, limit: u32) -> Result<Vec<UserSales>, StoreError>;

    /// Registrations and sales since a day, by month; months without any are missing.
    async fn months(&self, scope: &Scope, since: NaiveDate) -> Result<Vec<MonthCounts>, StoreError>;

    /// Active app users whose subscriptions end next, soonest first.
    async fn expiring(
        &self,
        scope: &Scope,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ExpiringUser>, StoreError>;
}
