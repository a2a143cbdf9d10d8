//! The dashboards (docs/spec/dashboards.md).

use std::collections::BTreeMap;

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::DashboardService;
use chrono::{DateTime, Utc};
use domain_issues::IssueContentType;
use domain_kernel::{Enumeration, Username};
use ports::MonthCounts;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{caller::AuthUser, openapi::Api, problem::Problem};

/// A month of the chart.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Month {
    /// `YYYY-MM`, in UTC.
    month: String,
    /// Users registered.
    registrations: i64,
    /// Credits sold, less reversals.
    credits_sold: i64,
}

/// A user whose subscription ends next.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ExpiringUser {
    /// Public ID of the user.
    username: Username,
    /// Full name.
    full_name: String,
    /// App credits.
    credits: i64,
    /// End of the subscription.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_date: DateTime<Utc>,
}

/// Stock of an agent, and figures of its subtree without the agent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AgentDashboard {
    /// Stock of sale credits of the agent.
    total_sale_credits: i64,
    /// App credits of the agent's app users.
    total_app_credits: i64,
    /// Number of the agent's users.
    total_registered_users: u64,
    /// Number of agents among them.
    total_registered_agents: u64,
    /// App users with an expiration in the past.
    expired_users: u64,
    /// App users whose subscription ends later this month.
    users_about_to_expire: u64,
    /// The last twelve months, oldest first.
    monthly: Vec<Month>,
    /// Active app users whose subscriptions end next, soonest first; at most ten.
    expiring_next: Vec<ExpiringUser>,
}

/// An agent with its sales.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SellingAgent {
    /// Full name.
    full_name: String,
    /// Public ID of the agent.
    username: Username,
    /// Added app credits and transferred stock, less reversals.
    total_sales: i64,
}

macro_rules! content_counts {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched $visits:tt counted($($name:ident)?) $($rest:tt)*)?];)+) => {
        /// Active content, by type.
        #[derive(Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        struct ContentCounts {
            $($($(#[doc = $about] $name: u64,)?)?)+
        }

        impl From<ports::ContentCounts> for ContentCounts {
            fn from(counts: ports::ContentCounts) -> Self {
                Self { $($($($name: counts.$name,)?)?)+ }
            }
        }
    };
}
domain_kernel::for_each_kind!(content_counts);

/// Figures of all users, and of the catalogue.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AdminDashboard {
    /// Number of all users.
    total_users: u64,
    /// Number of agents among them.
    total_agents: u64,
    /// App users with an expiration in the past.
    expired_users: u64,
    /// App users whose subscription ends later this month.
    users_about_to_expire: u64,
    /// The five agents with the highest sales.
    top_selling_agents: Vec<SellingAgent>,
    /// Active content.
    content_counts: ContentCounts,
    /// The last twelve months, oldest first.
    monthly: Vec<Month>,
    /// Active app users whose subscriptions end next, soonest first; at most ten.
    expiring_next: Vec<ExpiringUser>,
}

/// Figures of the catalogue and of viewers' reports.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ContentManagerDashboard {
    /// Active content.
    content_counts: ContentCounts,
    /// Unresolved reports by content type; all types are present.
    unresolved_issues: BTreeMap<&'static str, u64>,
}

pub(crate) fn register(api: &mut Api) {
    let agent = api.schemas.response::<AgentDashboard>();
    drop(
        api.route(Method::GET, "/agent/dashboard", "agentDashboard", of_agent)
            .about("dashboards", "Get the dashboard of an agent")
            .requires_role(DashboardService::AGENT)
            .answers(200, "The dashboard.", agent),
    );
    let admin = api.schemas.response::<AdminDashboard>();
    drop(
        api.route(Method::GET, "/admin/dashboard", "adminDashboard", of_admin)
            .about("dashboards", "Get the dashboard of an admin")
            .requires_role(DashboardService::ADMIN)
            .answers(200, "The dashboard.", admin),
    );
    let manager = api.schemas.response::<ContentManagerDashboard>();
    drop(
        api.route(Method::GET, "/content-manager/dashboard", "contentManagerDashboard", of_content_manager)
            .about("dashboards", "Get the dashboard of a content manager")
            .requires_role(DashboardService::CONTENT_MANAGER)
            .answers(200, "The dashboard.", manager),
    );
}

fn months(months: Vec<MonthCounts>) -> Vec<Month> {
    let month = |one: MonthCounts| Month {
        month: one.month,
        registrations: one.registrations,
        credits_sold: one.credits_sold,
    };
    months.into_iter().map(month).collect()
}

fn expiring(users: Vec<ports::ExpiringUser>) -> Vec<ExpiringUser> {
    let one = |one: ports::ExpiringUser| ExpiringUser {
        username: one.username,
        full_name: one.full_name,
        credits: one.credits,
        expiration_date: one.expiration_date,
    };
    users.into_iter().map(one).collect()
}

async fn of_agent(
    caller: AuthUser,
    service: Data<DashboardService>,
) -> Result<Json<AgentDashboard>, Problem> {
    let seen = service.of_agent(&caller).await?;
    Ok(Json(AgentDashboard {
        total_sale_credits: seen.stock,
        total_app_credits: seen.users.app_credits,
        total_registered_users: seen.users.users,
        total_registered_agents: seen.users.agents,
        expired_users: seen.users.expired,
        users_about_to_expire: seen.users.about_to_expire,
        monthly: months(seen.months),
        expiring_next: expiring(seen.expiring),
    }))
}

async fn of_admin(
    caller: AuthUser,
    service: Data<DashboardService>,
) -> Result<Json<AdminDashboard>, Problem> {
    let seen = service.of_admin(&caller).await?;
    let seller = |one: ports::UserSales| SellingAgent {
        full_name: one.full_name,
        username: one.username,
        total_sales: one.total_sales,
    };
    Ok(Json(AdminDashboard {
        total_users: seen.users.users,
        total_agents: seen.users.agents,
        expired_users: seen.users.expired,
        users_about_to_expire: seen.users.about_to_expire,
        top_selling_agents: seen.top_sellers.into_iter().map(seller).collect(),
        content_counts: seen.contents.into(),
        monthly: months(seen.months),
        expiring_next: expiring(seen.expiring),
    }))
}

async fn of_content_manager(
    caller: AuthUser,
    service: Data<DashboardService>,
) -> Result<Json<ContentManagerDashboard>, Problem> {
    let seen = service.of_content_manager(&caller).await?;
    let of = |code: &str| seen.unresolved_issues.iter().find(|(of, _)| of == code).map_or(0, |(_, n)| *n);
    Ok(Json(ContentManagerDashboard {
        content_counts: seen.contents.into(),
        unresolved_issues: IssueContentType::CODES.iter().map(|code| (*code, of(code))).collect(),
    }))
}
