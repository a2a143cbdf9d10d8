//! Customers by when their subscription ends (docs/spec/renewals.md).
//!
//! For everybody a window is a range of `users_by_deadline`, which is in the order of the list. For an agent the subtree
//! is a range of `users_by_lineage`, which holds what the conditions and the order need: 100,000 customers are counted in
//! some 20 ms and sorted in 40. Either way no row is read but those of the page.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{ListQuery, Page};
use domain_users::{ExpiryFilter, Scope, User};
use ports::{RenewalFilter, RenewalRepository, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, QueryResult};

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    list::{AccessPath, ListRequest, ListTable, Search, page, rows_of_list},
    users::{self, push_scope, user},
};

/// Lists customers by when their subscription ends.
#[derive(Debug, Clone)]
pub struct SeaOrmRenewals(pub Database);

/// The customers of a scope whose subscription ends within a window.
struct RenewalList<'a> {
    backend: DbBackend,
    scope: &'a Scope,
    window: ExpiryFilter,
}

/// What keeps SQLite on the index of the subtree: from that of the expirations it would read every row for its lineage.
fn plus(backend: DbBackend, scope: &Scope) -> &'static str {
    if backend == DbBackend::Sqlite && matches!(scope, Scope::SubtreeOf(_)) { "+" } else { "" }
}

/// A condition on the user `m`: ends within the window.
fn push_window(sql: &mut Sql, plus: &str, window: ExpiryFilter) {
    sql.push(&format!("{plus}m.expiration_date < ")).bind(window.before());
    if let Some(from) = window.from() {
        sql.push(&format!(" AND {plus}m.expiration_date >= ")).bind(from);
    }
}

/// A condition on the user `m`: a customer of the scope, found by the search.
fn push_customers(sql: &mut Sql, backend: DbBackend, scope: &Scope, search: &Search) {
    push_scope(sql, scope);
    sql.push(&format!(" AND {}m.role = 'app'", plus(backend, scope)));
    match (search, scope) {
        (Search::Nothing, _) => {}
        // The users of a subtree are few beside all that match a letter or two.
        (Search::Short(_), Scope::SubtreeOf(_)) => {
            sql.push(" AND ");
            search.push_match(sql, backend, "m");
        }
        (search, _) => {
            sql.push(" AND m.id IN (");
            search.push_ids(sql, backend, "users");
            sql.push(")");
        }
    }
}

impl ListTable for RenewalList<'_> {
    type Row = User;

    const TABLE: &'static str = "users";
    const ALIAS: &'static str = "m";
    const COLUMNS: &'static str = users::COLUMNS;
    const JOINS: &'static str = " LEFT JOIN users r ON r.id = m.registered_by_id";
    const DEFAULT_ORDER: (&'static str, bool) = ("m.expiration_date", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = user;

    fn column(&self, _field: &str) -> String {
        "m.expiration_date".to_owned()
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _: AccessPath) {
        sql.push(" WHERE ");
        push_customers(sql, self.backend, self.scope, &request.search);
        sql.push(" AND ");
        push_window(sql, plus(self.backend, self.scope), self.window);
    }
}

/// A statement whose only row has `total_0`, `total_1`, …: how many customers each window has.
fn count_statement(
    backend: DbBackend,
    scope: &Scope,
    windows: &[ExpiryFilter],
    search: &Search,
    end: DateTime<Utc>,
) -> Sql {
    let mut sql = Sql::new("SELECT ");
    let is_range = *scope == Scope::Everyone && matches!(search, Search::Nothing);
    for (index, window) in windows.iter().enumerate() {
        sql.push(if index == 0 { "" } else { ", " });
        if is_range {
            sql.push("(SELECT count(*) FROM users m WHERE m.role = 'app' AND ");
            push_window(&mut sql, "", *window);
            sql.push(&format!(") AS total_{index}"));
        } else {
            sql.push("CAST(coalesce(sum(CASE WHEN ");
            push_window(&mut sql, "", *window);
            sql.push(&format!(" THEN 1 END), 0) AS bigint) AS total_{index}"));
        }
    }
    if !is_range {
        // One pass over those who end before the last window does.
        sql.push(" FROM users m WHERE ");
        push_customers(&mut sql, backend, scope, search);
        sql.push(&format!(" AND {}m.expiration_date < ", plus(backend, scope))).bind(end);
    }
    sql
}

#[async_trait]
impl RenewalRepository for SeaOrmRenewals {
    async fn list(
        &self,
        scope: &Scope,
        window: ExpiryFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<User>>, StoreError> {
        page(&self.0, &RenewalList { backend: self.0.backend(), scope, window }, query).await
    }

    async fn count<'a>(
        &self,
        scope: &Scope,
        windows: &[ExpiryFilter],
        search: Option<&'a str>,
    ) -> Result<Vec<u64>, StoreError> {
        let Some(end) = windows.iter().map(|window| window.before()).max() else { return Ok(Vec::new()) };
        let backend = self.0.backend();
        let statement = count_statement(backend, scope, windows, &Search::of(search), end).statement(backend);
        let row = self.0.reader.query_one_raw(statement).await.map_err(store_error)?;
        let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
        let total = |index: usize| {
            let total: i64 = row.try_get("", &format!("total_{index}")).map_err(store_error)?;
            Ok(u64::try_from(total).unwrap_or_default())
        };
        (0..windows.len()).map(total).collect()
    }
}

rows_of_list!(SeaOrmRenewals, 0, RenewalFilter, User, |store, filter| RenewalList {
    backend: store.0.backend(),
    scope: &filter.scope,
    window: filter.window,
});
