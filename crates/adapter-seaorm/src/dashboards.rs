//! Figures of the dashboards.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_issues::ReportStatus;
use domain_kernel::{Enumeration, RoleCode, Username};
use domain_users::{ExpiryFilter, Scope};
use ports::{ContentCounts, Dashboards, ExpiringUser, MonthCounts, StoreError, UserCounts, UserSales};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    Database,
    catalogue::table,
    db::{
        error::store_error,
        sql::{Sql, codes},
    },
    entities::users::{self, Column},
    users::{push_scope, username},
};

/// Reads the figures of the dashboards.
#[derive(Debug, Clone)]
pub struct SeaOrmDashboards(pub Database);

impl SeaOrmDashboards {
    async fn rows(&self, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)
    }

    /// The month of a time, `YYYY-MM` in UTC.
    fn month(&self, column: &str) -> String {
        match self.0.backend() {
            DbBackend::Sqlite => format!("substr({column}, 1, 7)"),
            _ => format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM')"),
        }
    }
}

fn number(row: &QueryResult, column: &str) -> Result<i64, StoreError> {
    row.try_get("", column).map_err(store_error)
}

fn count(row: &QueryResult, column: &str) -> Result<u64, StoreError> {
    Ok(u64::try_from(number(row, column)?).unwrap_or_default())
}

fn push_deadline(sql: &mut Sql, deadline: ExpiryFilter) {
    sql.push("m.role = 'app' AND m.expiration_date < ").bind(deadline.before());
    if let Some(from) = deadline.from() {
        sql.push(" AND m.expiration_date >= ").bind(from);
    }
}

#[async_trait]
impl Dashboards for SeaOrmDashboards {
    async fn users(
        &self,
        scope: &Scope,
        expired: ExpiryFilter,
        about_to_expire: ExpiryFilter,
    ) -> Result<UserCounts, StoreError> {
        let deadlines = [("expired", expired), ("about_to_expire", about_to_expire)];
        let mut sql;
        if *scope == Scope::Everyone {
            // From counter tables, and two ranges of one index.
            sql = Sql::new(
                "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS users, \
                 CAST(coalesce(sum(CASE WHEN role = 'agent' THEN total END), 0) AS bigint) AS agents, CAST(0 AS bigint) AS app_credits",
            );
            for (name, deadline) in deadlines {
                sql.push(", (SELECT count(*) FROM users m WHERE ");
                push_deadline(&mut sql, deadline);
                sql.push(&format!(") AS {name}"));
            }
            sql.push(" FROM users_counts");
        } else {
            // One scan of the subtree's range of a covering index.
            sql = Sql::new(
                "SELECT count(*) AS users, count(CASE WHEN m.role = 'agent' THEN 1 END) AS agents, \
                 CAST(coalesce(sum(CASE WHEN m.role = 'app' THEN m.credits END), 0) AS bigint) AS app_credits",
            );
            for (name, deadline) in deadlines {
                sql.push(", count(CASE WHEN ");
                push_deadline(&mut sql, deadline);
                sql.push(&format!(" THEN 1 END) AS {name}"));
            }
            sql.push(" FROM users m WHERE ");
            push_scope(&mut sql, scope);
        }
        let row = sql.only_row(&self.0.reader).await?;
        Ok(UserCounts {
            users: count(&row, "users")?,
            agents: count(&row, "agents")?,
            expired: count(&row, "expired")?,
            about_to_expire: count(&row, "about_to_expire")?,
            app_credits: number(&row, "app_credits")?,
        })
    }

    async fn contents(&self) -> Result<ContentCounts, StoreError> {
        let totals: Vec<String> = ContentCounts::KINDS
            .iter()
            .map(|(_, kind)| {
                let table = table(*kind);
                format!(
                    "(SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {table}_counts WHERE active) AS {table}"
                )
            })
            .collect();
        let sql = Sql::new(format!("SELECT {}", totals.join(", ")));
        let row = sql.only_row(&self.0.reader).await?;
        ContentCounts::of(|kind| count(&row, table(kind)))
    }

    async fn unresolved_issues(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let query = Query::select()
            .column("content_type")
            .expr_as(Expr::col("total").sum().cast_as("bigint"), "total")
            .from("issue_reports_counts")
            .and_where(Expr::col("status").is_in(codes(ReportStatus::is_open)))
            .group_by_col("content_type")
            .take();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        rows.iter()
            .map(|row| Ok((row.try_get("", "content_type").map_err(store_error)?, count(row, "total")?)))
            .collect()
    }

    async fn stock(&self, agent: &Username) -> Result<i64, StoreError> {
        let stock = users::Entity::find()
            .select_only()
            .column(Column::SaleCredits)
            .filter(Column::UsernameKey.eq(agent.key()))
            .into_tuple::<i64>()
            .one(&self.0.reader)
            .await;
        stock.map_err(store_error)?.ok_or_else(|| StoreError::Broken("a missing agent".into()))
    }

    async fn top_sellers(&self, limit: u32) -> Result<Vec<UserSales>, StoreError> {
        let rows = users::Entity::find()
            .select_only()
            .columns([Column::FullName, Column::Username, Column::TotalSales])
            .filter(Column::Role.eq(RoleCode::Agent.code()))
            .filter(Column::TotalSales.gt(0))
            .order_by_desc(Column::TotalSales)
            .order_by_desc(Column::Id)
            .limit(u64::from(limit))
            .into_tuple::<(String, String, i64)>()
            .all(&self.0.reader)
            .await;
        let seller = |(full_name, name, total_sales): (String, String, i64)| {
            Ok(UserSales { full_name, username: username(&name)?, total_sales })
        };
        rows.map_err(store_error)?.into_iter().map(seller).collect()
    }

    async fn months(&self, scope: &Scope, since: NaiveDate) -> Result<Vec<MonthCounts>, StoreError> {
        let mut sql = Sql::new(
            "SELECT month, CAST(sum(registered) AS bigint) AS registered, CAST(sum(sold) AS bigint) AS sold FROM (",
        );
        if let Scope::SubtreeOf(agent) = scope {
            let begin = since.and_time(chrono::NaiveTime::MIN).and_utc();
            sql.push(&format!(
                "SELECT {} AS month, 1 AS registered, 0 AS sold FROM users m WHERE ",
                self.month("m.created_date")
            ));
            push_scope(&mut sql, scope);
            sql.push(" AND m.created_date >= ").bind(begin);
            sql.push(&format!(
                " UNION ALL SELECT {}, 0, o.sold FROM operations o WHERE o.operation_date >= ",
                self.month("o.operation_date")
            ));
            sql.bind(begin)
                .push(" AND o.seller_id = (SELECT id FROM users WHERE username_key = ")
                .bind(agent.key());
            sql.push(")");
        } else {
            let day = since.to_string();
            sql.push("SELECT substr(day, 1, 7) AS month, total AS registered, 0 AS sold FROM users_registered WHERE day >= ");
            sql.bind(day.as_str());
            sql.push(" UNION ALL SELECT substr(day, 1, 7), 0, total FROM credits_sold WHERE day >= ")
                .bind(day);
        }
        sql.push(") x GROUP BY month ORDER BY month");
        let rows = self.rows(sql).await?;
        let month = |row: &QueryResult| {
            Ok(MonthCounts {
                month: row.try_get("", "month").map_err(store_error)?,
                registrations: number(row, "registered")?,
                credits_sold: number(row, "sold")?,
            })
        };
        rows.iter().map(month).collect()
    }

    async fn expiring(
        &self,
        scope: &Scope,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ExpiringUser>, StoreError> {
        let mut sql =
            Sql::new("SELECT m.username, m.full_name, m.credits, m.expiration_date FROM users m WHERE ");
        push_scope(&mut sql, scope);
        sql.push(" AND m.role = 'app' AND m.status = 'ACTIVE' AND m.expiration_date >= ").bind(now);
        sql.push(" ORDER BY m.expiration_date, m.id LIMIT ").bind(i64::from(limit));
        let rows = self.rows(sql).await?;
        let expiring = |row: &QueryResult| {
            let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
            Ok(ExpiringUser {
                username: username(&text("username")?)?,
                full_name: text("full_name")?,
                credits: number(row, "credits")?,
                expiration_date: row.try_get("", "expiration_date").map_err(store_error)?,
            })
        };
        rows.iter().map(expiring).collect()
    }
}
