//! The ledger by operation: a line is based on one entry `e`; `c` is the other entry of the
//! operation.

use chrono::{DateTime, Utc};
use domain_credits::{CreditType, LedgerLine, LedgerTotal, OperationType};
use domain_kernel::{ListQuery, Page, Username};
use domain_users::Scope;
use ports::{LedgerFilter, LedgerRows, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, QueryResult, Statement};

use super::{
    SeaOrmLedger,
    history::push_users_found,
    users::{optional_user_ref, user_ref},
};
use crate::{
    db::{error::store_error, sql::Sql},
    list::{AccessPath, ListRequest, ListTable, Search, page, rows_of_list, statements},
    users::{find_in, push_scope},
};

const COLUMNS: &str = "e.id, e.operation_id, e.operation_date, e.leg, e.account, e.delta, e.balance_after, \
     c.account AS other_account, c.delta AS other_delta, u.username, u.full_name, \
     q.username AS other_username, q.full_name AS other_full_name, p.username AS performer, \
     p.full_name AS performer_name, o.reason, o.reverses_id, e.imported, \
     e.expiration_before AS own_before, e.expiration_after AS own_after, \
     c.expiration_before AS other_before, c.expiration_after AS other_after, \
     EXISTS (SELECT 1 FROM operations b WHERE b.reverses_id = o.id) AS reversed, \
     coalesce(CASE WHEN e.leg = 0 THEN c.user_id ELSE e.user_id END = e.performer_id \
     AND substr(CASE WHEN e.leg = 0 THEN u.lineage ELSE q.lineage END, 1, length(p.lineage || p.id || '/')) \
     = p.lineage || p.id || '/', false) AS is_from_own_stock";
const OTHER: &str = " JOIN entries c ON c.operation_id = e.operation_id AND c.leg = 1 - e.leg";
const JOINS: &str = " JOIN entries c ON c.operation_id = e.operation_id AND c.leg = 1 - e.leg \
     JOIN operations o ON o.id = e.operation_id JOIN users u ON u.id = e.user_id \
     LEFT JOIN users q ON q.id = c.user_id JOIN users p ON p.id = e.performer_id";

fn credit_type(account: &str) -> CreditType {
    if account == "SALE" { CreditType::Sale } else { CreditType::Normal }
}

fn line(row: &QueryResult) -> Result<LedgerLine, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    let flag = |column: &str| row.try_get::<bool>("", column).map_err(store_error);
    let date = |column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).map_err(store_error);
    let (account, amount) = (text("account")?, number("delta")?);
    let is_target = row.try_get::<i16>("", "leg").map_err(store_error)? == 0;
    let account_user = user_ref(row, "username", "full_name")?;
    let counterparty = optional_user_ref(row, "other_username", "other_full_name")?;
    let (kind_account, change) =
        if is_target { (account.clone(), amount) } else { (text("other_account")?, number("other_delta")?) };
    let target_user = match (is_target, &counterparty) {
        (false, Some(target)) => target.clone(),
        _ => account_user.clone(),
    };
    Ok(LedgerLine {
        id: number("id")?,
        operation_id: number("operation_id")?,
        operation_date: row.try_get("", "operation_date").map_err(store_error)?,
        operation_type: OperationType::of_change(kind_account == "SALE", change),
        target_user,
        account_user,
        credit_type: credit_type(&account),
        amount,
        balance_after: number("balance_after")?,
        counterparty,
        performed_by_user: user_ref(row, "performer", "performer_name")?,
        reason: row.try_get("", "reason").map_err(store_error)?,
        expiration_before: date(if is_target { "own_before" } else { "other_before" })?,
        expiration_after: date(if is_target { "own_after" } else { "other_after" })?,
        reverses_operation_id: row.try_get("", "reverses_id").map_err(store_error)?,
        reversed: flag("reversed")?,
        imported: flag("imported")?,
        reversible_until: None,
        is_from_own_stock: flag("is_from_own_stock")?,
    })
}

fn total(row: &QueryResult) -> Result<LedgerTotal, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    Ok(LedgerTotal {
        operation_type: OperationType::of_change(text("kind_account")? == "SALE", number("kind_sign")?),
        credit_type: credit_type(&text("account")?),
        operations: number("operations")?.unsigned_abs(),
        added: number("added")?,
        deducted: number("deducted")?,
    })
}

/// The condition for the entry of each operation that a line is based on.
fn push_viewpoint(sql: &mut Sql, scope: &Scope, of: Option<&Username>) {
    let own = |sql: &mut Sql, name: &Username| {
        sql.push("(SELECT id FROM users WHERE username_key = ").bind(name.key()).push(")");
    };
    sql.push(" WHERE e.user_id IS NOT NULL AND ");
    match (of, scope) {
        (Some(of), _) => {
            // A user who left the scope since the start of an export has no entries in it any more.
            sql.push("e.user_id = (SELECT m.id FROM users m WHERE m.username_key = ").bind(of.key());
            sql.push(" AND (");
            push_scope(sql, scope);
            if let Scope::SubtreeOf(agent) = scope {
                sql.push(" OR m.username_key = ").bind(agent.key());
            }
            sql.push("))");
        }
        (None, Scope::Everyone) => {
            sql.push("e.leg = 0");
        }
        (None, Scope::Nobody) => {
            sql.push("1 = 0");
        }
        (None, Scope::SubtreeOf(agent)) => {
            sql.push("e.user_id IN (SELECT m.id FROM users m WHERE ");
            push_scope(sql, scope);
            sql.push(" UNION ALL SELECT a.id FROM users a WHERE a.username_key = ").bind(agent.key());
            sql.push(") AND (e.user_id = ");
            own(sql, agent);
            sql.push(" OR (e.leg = 0 AND (c.user_id IS NULL OR c.user_id <> ");
            own(sql, agent);
            // If both accounts are in the subtree, the target's entry is used.
            sql.push(")))");
        }
    }
}

/// The list of lines.
struct LineList<'a> {
    backend: DbBackend,
    scope: &'a Scope,
    filter: &'a LedgerFilter,
}

impl ListTable for LineList<'_> {
    type Row = LedgerLine;

    const TABLE: &'static str = "entries";
    const ALIAS: &'static str = "e";
    const COLUMNS: &'static str = COLUMNS;
    const SORTS: &'static [(&'static str, &'static str)] =
        &[("amount", "delta"), ("operationDate", "operation_date")];
    const JOINS: &'static str = JOINS;
    const DEFAULT_ORDER: (&'static str, bool) = ("e.operation_date", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = line;

    /// Joins the other entry only if a filter or a column needs it.
    fn condition_joins(&self) -> &'static str {
        if self.is_of_targets() { "" } else { OTHER }
    }

    fn push_conditions(&self, sql: &mut Sql, _request: &ListRequest<'_>, _path: AccessPath) {
        self.push_filter(sql);
    }
}

impl LineList<'_> {
    /// Whether every line is based on the target's entry.
    fn is_of_targets(&self) -> bool {
        *self.scope == Scope::Everyone && self.filter.of.is_none()
    }

    /// The account and the change of the target, which determine the operation type.
    fn kind(&self) -> (&'static str, &'static str) {
        if self.is_of_targets() {
            ("e.account", "e.delta")
        } else {
            (
                "CASE WHEN e.leg = 0 THEN e.account ELSE c.account END",
                "CASE WHEN e.leg = 0 THEN e.delta ELSE c.delta END",
            )
        }
    }

    fn push_filter(&self, sql: &mut Sql) {
        let filter = self.filter;
        push_viewpoint(sql, self.scope, filter.of.as_ref());
        if let Some(from) = filter.from {
            sql.push(" AND e.operation_date >= ").bind(from);
        }
        if let Some(to) = filter.to {
            sql.push(" AND e.operation_date < ").bind(to);
        }
        if let Some(operation) = filter.operation {
            let (account, change) = self.kind();
            let sold = if operation.is_for_sale() { "SALE" } else { "APP" };
            sql.push(&format!(" AND {account} = ")).bind(sold);
            sql.push(&format!(" AND {change} {} 0", if operation.deducts() { "<" } else { ">" }));
        }
        if let Some(performer) = &filter.performed_by {
            sql.push(" AND e.performer_id = (SELECT id FROM users WHERE username_key = ");
            sql.bind(performer.key()).push(")");
        }
        let search = Search::of(filter.search.as_deref());
        if search.text().is_some() {
            sql.push(" AND e.operation_id IN (SELECT s.operation_id FROM entries s WHERE s.user_id IN (");
            push_users_found(sql, self.backend, self.scope, &search);
            sql.push(") UNION SELECT s.operation_id FROM entries s WHERE s.user_id IS NOT NULL AND s.performer_id IN (");
            push_users_found(sql, self.backend, self.scope, &search);
            sql.push("))");
        }
    }

    fn totals(&self) -> Sql {
        let (account, change) = self.kind();
        let mut sql = Sql::new(format!(
            "SELECT g.kind_account, g.kind_sign, g.account, count(*) AS operations, \
             CAST(sum(CASE WHEN g.delta > 0 THEN g.delta ELSE 0 END) AS bigint) AS added, \
             CAST(sum(CASE WHEN g.delta < 0 THEN -g.delta ELSE 0 END) AS bigint) AS deducted FROM \
             (SELECT {account} AS kind_account, CAST(CASE WHEN {change} < 0 THEN -1 ELSE 1 END AS bigint) AS kind_sign, \
             e.account AS account, e.delta AS delta FROM entries e{}",
            self.condition_joins()
        ));
        self.push_filter(&mut sql);
        sql.push(
            ") g GROUP BY g.kind_account, g.kind_sign, g.account \
             ORDER BY g.kind_account, g.kind_sign DESC, g.account",
        );
        sql
    }
}

impl SeaOrmLedger {
    fn line_list<'a>(&self, scope: &'a Scope, filter: &'a LedgerFilter) -> LineList<'a> {
        LineList { backend: self.database.backend(), scope, filter }
    }

    /// Whether the user of the filter, if there is one, is in the scope.
    async fn may_see(&self, scope: &Scope, filter: &LedgerFilter) -> Result<bool, StoreError> {
        match &filter.of {
            Some(of) => Ok(find_in(&self.database.reader, scope, of).await?.is_some()),
            None => Ok(true),
        }
    }

    pub(super) async fn line_page(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<LedgerLine>>>, StoreError> {
        if !self.may_see(scope, filter).await? {
            return Ok(None);
        }
        page(&self.database, &self.line_list(scope, filter), query).await.map(Some)
    }

    pub(super) async fn line_totals(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
    ) -> Result<Option<Vec<LedgerTotal>>, StoreError> {
        if !self.may_see(scope, filter).await? {
            return Ok(None);
        }
        let statement = self.line_list(scope, filter).totals().statement(self.database.backend());
        let rows = self.database.reader.query_all_raw(statement).await.map_err(store_error)?;
        rows.iter().map(total).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// The statements of a first page and its totals, for tests of their plans.
    #[doc(hidden)]
    pub fn line_statements(&self, scope: &Scope, filter: &LedgerFilter) -> Vec<Statement> {
        let query = ListQuery { size: 10, ..ListQuery::default() };
        let table = self.line_list(scope, filter);
        let backend = self.database.backend();
        let mut all = statements(backend, &table, &query, 1_000_000);
        all.push(table.totals().statement(backend));
        all
    }
}

rows_of_list!(SeaOrmLedger, database, LedgerRows, LedgerLine, |store, of| LineList {
    backend: store.database.backend(),
    scope: &of.scope,
    filter: &of.filter,
});
