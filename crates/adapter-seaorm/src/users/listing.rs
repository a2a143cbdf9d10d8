//! The list of users.

use domain_kernel::{Bound, Filter, FilterValue, ListQuery, Page, fold, order_key};
use domain_users::{ExpiryFilter, Scope, User};
use ports::{StoreError, UserFilter};
use sea_orm::{DbBackend, QueryResult};

use super::{COLUMNS, SeaOrmUsers, push_scope, user};
use crate::{
    db::sql::Sql,
    list::{AccessPath, LOOK_UP, ListRequest, ListTable, PageWindow, Search, Totals, page, rows_of_list},
};

/// A search of users: the text, or the digits of a phone number.
pub(crate) fn search(query: &ListQuery) -> Search {
    Search::of(query.search.as_deref()).or(query.phone_digits.clone())
}

/// The lineage of the users whom this user registered, ending in this character.
fn push_lineage_beneath(sql: &mut Sql, username: &str, end: char) {
    sql.push(&format!("(SELECT a.lineage || a.id || '{end}' FROM users a WHERE a.username_key = "));
    sql.bind(fold(username)).push(")");
}

/// The list of users.
pub(super) struct UserList<'a> {
    pub(super) backend: DbBackend,
    pub(super) scope: &'a Scope,
    pub(super) deadline: Option<ExpiryFilter>,
}

impl ListTable for UserList<'_> {
    type Row = User;

    const TABLE: &'static str = "users";
    const ALIAS: &'static str = "m";
    const COLUMNS: &'static str = COLUMNS;
    const JOINS: &'static str = " LEFT JOIN users r ON r.id = m.registered_by_id";
    const DEFAULT_ORDER: (&'static str, bool) = ("m.id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = user;

    fn column(&self, field: &str) -> String {
        match (field, self.backend) {
            ("username", _) => "m.username_key".into(),
            ("fullName", _) => "m.full_name_key".into(),
            // The index of the filter by deadline has this order, and its rows have a date.
            ("expirationDate", _) if self.deadline.is_some() => "m.expiration_date".into(),
            ("expirationDate", DbBackend::Sqlite) => "coalesce(m.expiration_date, '~')".into(),
            ("expirationDate", _) => "coalesce(m.expiration_date, 'infinity')".into(),
            ("saleCredits", _) => "m.sale_credits".into(),
            ("signIns", _) => "m.sign_ins".into(),
            ("createdDate", _) => "m.created_date".into(),
            ("updatedDate", _) => "m.updated_date".into(),
            (other, _) => format!("m.{other}"),
        }
    }

    fn search(&self, query: &ListQuery) -> Search {
        search(query)
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath) {
        sql.push(" WHERE ");
        push_scope(sql, self.scope);
        let keep = path.keep(self.backend);
        match (&request.search, self.scope) {
            (Search::Nothing, _) => {}
            // A subtree has few users compared to all matches.
            (search, Scope::SubtreeOf(_)) => {
                sql.push(" AND ");
                search.push_match(sql, self.backend, "m");
            }
            (search, _) => {
                sql.push(" AND m.id IN (");
                search.push_ids(sql, self.backend, Self::TABLE);
                sql.push(")");
            }
        }
        if let Some(deadline) = self.deadline {
            sql.push(&format!(" AND {keep}m.role = 'app' AND {keep}m.expiration_date < "))
                .bind(deadline.before());
            if let Some(from) = deadline.from() {
                sql.push(&format!(" AND {keep}m.expiration_date >= ")).bind(from);
            }
        }
        for filter in &request.query.filters {
            self.push_filter(sql, filter, path, keep);
        }
    }

    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        let everyone = *self.scope == Scope::Everyone && self.deadline.is_none();
        // The counters have roles and statuses only.
        let is_counted =
            request.query.filters.iter().all(|filter| matches!(filter.value, FilterValue::Code(_)));
        if everyone && is_counted && request.query.search.is_none() {
            sql.push("SELECT CAST(coalesce(sum(m.total), 0) AS bigint) AS total FROM users_counts m");
            self.push_conditions(sql, request, AccessPath::FilterThenSort);
        } else if everyone && request.query.filters.is_empty() && request.search.text().is_some() {
            // A search of all users is counted by the search index only.
            sql.push("SELECT count(*) AS total FROM (");
            request.search.push_ids(sql, self.backend, Self::TABLE);
            sql.push(") found");
        } else {
            sql.push("SELECT count(*) AS total FROM users m");
            self.push_conditions(sql, request, AccessPath::FilterThenSort);
        }
    }

    fn needs_all(&self, _request: &ListRequest<'_>) -> bool {
        true
    }

    fn push_all(&self, sql: &mut Sql, _request: &ListRequest<'_>) {
        sql.push("SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM users_counts");
    }

    /// PostgreSQL decides by its statistics.
    fn access_path(&self, request: &ListRequest<'_>, window: PageWindow, totals: Totals) -> AccessPath {
        let has_filter = self.deadline.is_some() || !request.query.filters.is_empty();
        let is_in_order = self.deadline.is_some() && request.order.begins_with("m.expiration_date");
        let scans = self.backend == DbBackend::Sqlite
            && has_filter
            && !is_in_order
            && window.rows_read(totals) * LOOK_UP < totals.matching;
        if scans { AccessPath::IndexScan } else { AccessPath::FilterThenSort }
    }
}

impl UserList<'_> {
    fn push_filter(&self, sql: &mut Sql, filter: &Filter, path: AccessPath, keep: &str) {
        match (&filter.value, filter.field.as_str(), Bound::split(&filter.field)) {
            (FilterValue::Code(code), field, _) => {
                let column = if field == "roleCode" { "role" } else { "status" };
                sql.push(&format!(" AND {keep}m.{column} = ")).bind(*code);
            }
            (FilterValue::Text(name), "registeredBy", _) => {
                // Users with the same registering user have the same lineage, which has an index.
                sql.push(&format!(" AND {keep}m.lineage = "));
                push_lineage_beneath(sql, name, '/');
            }
            (FilterValue::Text(name), "beneath", _) => {
                sql.push(&format!(" AND {keep}m.lineage >= "));
                push_lineage_beneath(sql, name, '/');
                // '0' is the successor of '/'.
                sql.push(&format!(" AND {keep}m.lineage < "));
                push_lineage_beneath(sql, name, '0');
            }
            (FilterValue::Text(text), ..) => self.push_beginning(sql, text, path),
            (FilterValue::Moment(moment), _, Some((field, bound))) => {
                let comparison = if bound == Bound::To { "<" } else { ">=" };
                if field == "expirationDate" {
                    // Only app users have a subscription, as in the filter by deadline.
                    sql.push(&format!(" AND {keep}m.role = 'app' AND {keep}m.expiration_date {comparison} "));
                } else {
                    sql.push(&format!(" AND {keep}m.created_date {comparison} "));
                }
                sql.bind(*moment);
            }
            _ => {}
        }
    }

    /// ` AND` the full name or the username has this prefix.
    fn push_beginning(&self, sql: &mut Sql, text: &str, path: AccessPath) {
        let (full_name, username) = (order_key(text), fold(text));
        let is_sqlite = self.backend == DbBackend::Sqlite;
        if is_sqlite && path == AccessPath::FilterThenSort && *self.scope == Scope::Everyone {
            // One index after the other; otherwise SQLite may scan the whole index of the order.
            sql.push(" AND m.id IN (SELECT f.id FROM users f WHERE ");
            sql.push_prefix("f.full_name_key", &full_name);
            sql.push(" UNION ALL SELECT f.id FROM users f WHERE ");
            sql.push_prefix("f.username_key", &username);
            sql.push(")");
            return;
        }
        // A subtree has few users compared to all with this prefix; so has a page if most users
        // have it.
        let keep = if is_sqlite { "+" } else { "" };
        sql.push(" AND (").push_prefix(&format!("{keep}m.full_name_key"), &full_name).push(" OR ");
        sql.push_prefix(&format!("{keep}m.username_key"), &username).push(")");
    }
}

impl SeaOrmUsers {
    pub(super) async fn page(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
    ) -> Result<Page<Vec<User>>, StoreError> {
        page(&self.0, &UserList { backend: self.0.backend(), scope, deadline }, query).await
    }
}

rows_of_list!(SeaOrmUsers, 0, UserFilter, User, |store, filter| UserList {
    backend: store.0.backend(),
    scope: &filter.scope,
    deadline: filter.deadline,
});
