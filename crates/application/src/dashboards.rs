//! The dashboard of each role (docs/spec/dashboards.md).

use std::sync::Arc;

use chrono::{Datelike, Months, NaiveDate};
use domain_kernel::{Actor, RoleCode};
use domain_users::Scope;
use ports::{ContentCounts, Dashboards, ExpiringUser, MonthCounts, UserCounts, UserSales};

use crate::{Calendar, Error};

/// Number of agents in the ranking.
const TOP: u32 = 5;
/// Number of months in the chart, including the current one.
const MONTHS: u32 = 12;
/// Number of users in the list of next expirations.
const NEXT: u32 = 10;

/// Use cases of dashboards.
pub struct DashboardService {
    dashboards: Arc<dyn Dashboards>,
    calendar: Calendar,
}

/// Figures of an agent's subtree, without the agent.
#[derive(Debug, Clone)]
pub struct AgentDashboard {
    /// Sale credits of the agent.
    pub stock: i64,
    /// Users of the subtree.
    pub users: UserCounts,
    /// Registrations and sales by month, oldest first.
    pub months: Vec<MonthCounts>,
    /// Next expirations.
    pub expiring: Vec<ExpiringUser>,
}

/// Figures of all users.
#[derive(Debug, Clone)]
pub struct AdminDashboard {
    pub users: UserCounts,
    /// Agents with the most sales.
    pub top_sellers: Vec<UserSales>,
    /// Active content.
    pub contents: ContentCounts,
    /// Registrations and sales by month, oldest first.
    pub months: Vec<MonthCounts>,
    /// Next expirations.
    pub expiring: Vec<ExpiringUser>,
}

/// Figures of the catalogue and of viewers' reports.
#[derive(Debug, Clone)]
pub struct ContentManagerDashboard {
    /// Active content.
    pub contents: ContentCounts,
    /// Unresolved reports by the code of their content type.
    pub unresolved_issues: Vec<(String, u64)>,
}

impl DashboardService {
    /// Roles with the agents' dashboard.
    pub const AGENT: &'static [RoleCode] = &[RoleCode::Agent];
    /// Roles with the admins' dashboard.
    pub const ADMIN: &'static [RoleCode] = &[RoleCode::Superadmin, RoleCode::Admin];
    /// Roles with the content managers' dashboard.
    pub const CONTENT_MANAGER: &'static [RoleCode] =
        &[RoleCode::Superadmin, RoleCode::Admin, RoleCode::ContentManager];

    pub fn new(dashboards: Arc<dyn Dashboards>, calendar: Calendar) -> Self {
        Self { dashboards, calendar }
    }

    /// Dashboard of an agent.
    pub async fn of_agent(&self, actor: &Actor) -> Result<AgentDashboard, Error> {
        require(actor, Self::AGENT)?;
        let scope = Scope::of(actor);
        Ok(AgentDashboard {
            stock: self.dashboards.stock(&actor.username).await?,
            users: self.users(&scope).await?,
            months: self.months(&scope).await?,
            expiring: self.dashboards.expiring(&scope, self.calendar.now(), NEXT).await?,
        })
    }

    /// Dashboard of an admin.
    pub async fn of_admin(&self, actor: &Actor) -> Result<AdminDashboard, Error> {
        require(actor, Self::ADMIN)?;
        let scope = Scope::of(actor);
        Ok(AdminDashboard {
            users: self.users(&scope).await?,
            top_sellers: self.dashboards.top_sellers(TOP).await?,
            contents: self.dashboards.contents().await?,
            months: self.months(&scope).await?,
            expiring: self.dashboards.expiring(&scope, self.calendar.now(), NEXT).await?,
        })
    }

    /// Dashboard of a content manager.
    pub async fn of_content_manager(&self, actor: &Actor) -> Result<ContentManagerDashboard, Error> {
        require(actor, Self::CONTENT_MANAGER)?;
        Ok(ContentManagerDashboard {
            contents: self.dashboards.contents().await?,
            unresolved_issues: self.dashboards.unresolved_issues().await?,
        })
    }

    async fn users(&self, scope: &Scope) -> Result<UserCounts, Error> {
        let (expired, about) = (self.calendar.expired(), self.calendar.about_to_expire());
        Ok(self.dashboards.users(scope, expired, about).await?)
    }

    /// The last twelve months, including empty ones. Months are those of UTC, because daily counts
    /// have no time zone.
    async fn months(&self, scope: &Scope) -> Result<Vec<MonthCounts>, Error> {
        let this = self.calendar.now().date_naive();
        let this = this.with_day(1).unwrap_or(this);
        let first = this.checked_sub_months(Months::new(MONTHS - 1)).unwrap_or(this);
        let found = self.dashboards.months(scope, first).await?;
        let month = |day: NaiveDate| {
            let name = day.format("%Y-%m").to_string();
            let known = found.iter().find(|one| one.month == name).cloned();
            known.unwrap_or(MonthCounts { month: name, registrations: 0, credits_sold: 0 })
        };
        Ok((0..MONTHS).filter_map(|n| first.checked_add_months(Months::new(n))).map(month).collect())
    }
}

fn require(actor: &Actor, roles: &[RoleCode]) -> Result<(), Error> {
    if roles.contains(&actor.role) { Ok(()) } else { Err(Error::Forbidden) }
}
