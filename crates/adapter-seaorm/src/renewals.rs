//! Customers by end of subscription (docs/spec/renewals.md).
//!
//! For all users a window is a range of `users_by_deadline`, which is in the order of the list. For
//! an agent the subtree is a range of `users_by_lineage`, which has the columns of conditions and
//! order: 100,000 customers are counted in some 20 ms and sorted in 40. In both cases only the rows
//! of the page are read.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{ListQuery, Page};
use domain_users::{ExpiryFilter, LastContact, Renewal, Scope};
use ports::{RenewalFilter, RenewalRepository, StoreError};
use sea_orm::{DbBackend, QueryResult, Statement};

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    list::{self, AccessPath, ListRequest, ListTable, Search, page, rows_of_list},
    users::{self, push_scope, user},
};

/// Lists customers by end of subscription.
#[derive(Debug, Clone)]
pub struct SeaOrmRenewals(pub Database);

/// The last contact `n` and the snooze `z` of a customer.
const JOINS: &str = " LEFT JOIN users r ON r.id = m.registered_by_id \
     LEFT JOIN user_notes n ON n.id = (SELECT c.id FROM user_notes c WHERE c.user_id = m.id AND c.kind = 'CONTACT' \
     ORDER BY c.contacted_on DESC, c.id DESC LIMIT 1) \
     LEFT JOIN customer_snoozes z ON z.user_id = m.id";

/// The customers of a scope whose subscription ends within a window, snoozed or not.
struct RenewalList<'a> {
    backend: DbBackend,
    scope: &'a Scope,
    window: ExpiryFilter,
    snoozed: bool,
}

fn renewal(row: &QueryResult) -> Result<Renewal, StoreError> {
    let contacted_on = row.try_get("", "contacted_on").map_err(store_error)?;
    let author: Option<String> = row.try_get("", "contact_author").map_err(store_error)?;
    let last_contact = match (contacted_on, author) {
        (Some(contacted_on), Some(author)) => Some(LastContact {
            contacted_on,
            author: users::username(&author)?,
            text: row.try_get("", "contact_note").map_err(store_error)?,
        }),
        _ => None,
    };
    let snoozed_until = row.try_get("", "snoozed_until").map_err(store_error)?;
    Ok(Renewal { user: user(row)?, last_contact, snoozed_until })
}

/// Keeps SQLite on the index of the subtree: by the index of expirations it would read every row
/// for its lineage.
fn plus(backend: DbBackend, scope: &Scope) -> &'static str {
    if backend == DbBackend::Sqlite && matches!(scope, Scope::SubtreeOf(_)) { "+" } else { "" }
}

/// A condition on the user `m`: the subscription ends within the window.
fn push_window(sql: &mut Sql, plus: &str, window: ExpiryFilter) {
    sql.push(&format!("{plus}m.expiration_date < ")).bind(window.before());
    if let Some(from) = window.from() {
        sql.push(&format!(" AND {plus}m.expiration_date >= ")).bind(from);
    }
}

/// A condition on the user `m`: snoozed at this time, or not. The snoozed customers are read once.
fn push_snoozed(sql: &mut Sql, snoozed: bool, now: DateTime<Utc>) {
    let word = if snoozed { "IN" } else { "NOT IN" };
    sql.push(&format!(" AND m.id {word} (SELECT z.user_id FROM customer_snoozes z WHERE z.until_date > "));
    sql.bind(now).push(")");
}

/// A condition on the user `m`: a customer of the scope, not snoozed, whose subscription ends
/// within the window.
pub(crate) fn push_ending(sql: &mut Sql, backend: DbBackend, scope: &Scope, window: ExpiryFilter) {
    push_customers(sql, backend, scope, &Search::Nothing);
    sql.push(&format!(" AND {}m.expiration_date < ", plus(backend, scope))).bind(window.before());
    push_snoozed(sql, false, window.now());
}

/// A condition on the user `m`: a customer of the scope that matches the search.
fn push_customers(sql: &mut Sql, backend: DbBackend, scope: &Scope, search: &Search) {
    push_scope(sql, scope);
    sql.push(&format!(" AND {}m.role = 'app'", plus(backend, scope)));
    match (search, scope) {
        (Search::Nothing, _) => {}
        // A subtree has few users compared to the matches of one or two letters.
        (Search::Short(_), Scope::SubtreeOf(_)) => {
            sql.push(" AND ");
            search.push_match(sql, backend, "m");
        }
        (search, _) if backend == DbBackend::Sqlite => {
            sql.push(" AND m.id IN (");
            search.push_ids(sql, backend, "users");
            sql.push(")");
        }
        // PostgreSQL would join all customers with the matches.
        (search, _) => {
            sql.push(" AND ");
            search.push_match(sql, backend, "m");
        }
    }
}

impl ListTable for RenewalList<'_> {
    type Row = Renewal;

    const TABLE: &'static str = "users";
    const ALIAS: &'static str = "m";
    const JOINS: &'static str = JOINS;
    const DEFAULT_ORDER: (&'static str, bool) = ("m.expiration_date", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = renewal;

    fn columns(&self) -> String {
        format!(
            "{}, n.contacted_on, n.author AS contact_author, n.note AS contact_note, z.until_date AS snoozed_until",
            users::COLUMNS
        )
    }

    fn column(&self, _field: &str) -> String {
        "m.expiration_date".to_owned()
    }

    fn search(&self, query: &ListQuery) -> Search {
        users::search(query)
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _: AccessPath) {
        sql.push(" WHERE ");
        push_customers(sql, self.backend, self.scope, &request.search);
        sql.push(" AND ");
        push_window(sql, plus(self.backend, self.scope), self.window);
        push_snoozed(sql, self.snoozed, self.window.now());
    }
}

/// A statement whose only row has `total_0`, `total_1`, …: the number of customers of each window.
fn count_statement(
    backend: DbBackend,
    scope: &Scope,
    windows: &[ExpiryFilter],
    snoozed: bool,
    search: &Search,
    end: ExpiryFilter,
) -> Sql {
    let mut sql = Sql::new("SELECT ");
    let is_range = *scope == Scope::Everyone && matches!(search, Search::Nothing);
    for (index, window) in windows.iter().enumerate() {
        sql.push(if index == 0 { "" } else { ", " });
        if is_range {
            sql.push("(SELECT count(*) FROM users m WHERE m.role = 'app' AND ");
            push_window(&mut sql, "", *window);
            push_snoozed(&mut sql, snoozed, window.now());
            sql.push(&format!(") AS total_{index}"));
        } else {
            sql.push("CAST(coalesce(sum(CASE WHEN ");
            push_window(&mut sql, "", *window);
            sql.push(&format!(" THEN 1 END), 0) AS bigint) AS total_{index}"));
        }
    }
    if !is_range {
        // One scan of the customers of the last window.
        sql.push(" FROM users m WHERE ");
        push_customers(&mut sql, backend, scope, search);
        sql.push(&format!(" AND {}m.expiration_date < ", plus(backend, scope))).bind(end.before());
        push_snoozed(&mut sql, snoozed, end.now());
    }
    sql
}

impl SeaOrmRenewals {
    /// The statements of the counts, and of a page of a million rows, for tests of their plans.
    #[doc(hidden)]
    pub fn statements(&self, scope: &Scope, window: ExpiryFilter, query: &ListQuery) -> Vec<Statement> {
        let backend = self.0.backend();
        let table = RenewalList { backend, scope, window, snoozed: false };
        let request = ListRequest::of(&table, query);
        let counts = count_statement(backend, scope, &[window, window], false, &request.search, window);
        let mut all = list::statements(backend, &table, query, 1_000_000);
        all.insert(0, counts.statement(backend));
        all
    }
}

#[async_trait]
impl RenewalRepository for SeaOrmRenewals {
    async fn list(
        &self,
        scope: &Scope,
        window: ExpiryFilter,
        snoozed: bool,
        query: &ListQuery,
    ) -> Result<Page<Vec<Renewal>>, StoreError> {
        page(&self.0, &RenewalList { backend: self.0.backend(), scope, window, snoozed }, query).await
    }

    async fn count(
        &self,
        scope: &Scope,
        windows: &[ExpiryFilter],
        snoozed: bool,
        query: &ListQuery,
    ) -> Result<Vec<u64>, StoreError> {
        let last = windows.iter().copied().max_by_key(|window| window.before());
        let Some(end) = last else { return Ok(Vec::new()) };
        let backend = self.0.backend();
        let search = users::search(query);
        let sql = count_statement(backend, scope, windows, snoozed, &search, end);
        let row = sql.only_row(&self.0.reader).await?;
        let total = |index: usize| {
            let total: i64 = row.try_get("", &format!("total_{index}")).map_err(store_error)?;
            Ok(u64::try_from(total).unwrap_or_default())
        };
        (0..windows.len()).map(total).collect()
    }
}

impl SeaOrmRenewals {
    fn filtered<'a>(&self, filter: &'a RenewalFilter) -> RenewalList<'a> {
        let RenewalFilter { scope, window, snoozed } = filter;
        RenewalList { backend: self.0.backend(), scope, window: *window, snoozed: *snoozed }
    }
}

rows_of_list!(SeaOrmRenewals, 0, RenewalFilter, Renewal, |store, filter| store.filtered(filter));
