//! The history: movements for users, within a scope. The issuer's entries are not shown.

use chrono::{DateTime, Utc};
use domain_credits::{CreditType, Movement, OperationType};
use domain_kernel::{Id, ListQuery, Page, Username};
use domain_users::Scope;
use ports::StoreError;
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryResult, QuerySelect};

use super::{SeaOrmLedger, users::user_ref};
use crate::{
    db::{error::store_error, sql::Sql},
    entities::users::{Column, Entity as Users},
    list::{AccessPath, ListRequest, ListTable, PageWindow, Search, Totals, page},
    users::{find_in, push_scope},
};

/// The columns of a movement `e`, with its operation `o`, the user `t` of its balance, and the
/// performer `p`.
pub(super) const COLUMNS: &str = "e.id, e.operation_id, e.operation_date, t.username AS target, t.full_name AS target_name, \
     p.username AS performer, p.full_name AS performer_name, e.account, e.delta, e.balance_before, e.balance_after, \
     o.reason, e.expiration_before, e.expiration_after, o.reverses_id, e.imported, \
     EXISTS (SELECT 1 FROM operations b WHERE b.reverses_id = o.id) AS reversed";
pub(super) const JOINS: &str = " JOIN operations o ON o.id = e.operation_id JOIN users t ON t.id = e.user_id \
     JOIN users p ON p.id = e.performer_id";

pub(super) fn movement(row: &QueryResult) -> Result<Movement, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    let date = |column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).map_err(store_error);
    let flag = |column: &str| row.try_get::<bool>("", column).map_err(store_error);
    let for_sale = text("account")? == "SALE";
    let delta = number("delta")?;
    Ok(Movement {
        id: number("id")?,
        operation_id: number("operation_id")?,
        operation_date: row.try_get("", "operation_date").map_err(store_error)?,
        target_user: user_ref(row, "target", "target_name")?,
        performed_by_user: user_ref(row, "performer", "performer_name")?,
        operation_type: OperationType::of_change(for_sale, delta),
        credit_type: if for_sale { CreditType::Sale } else { CreditType::Normal },
        amount: delta.abs(),
        balance_before: number("balance_before")?,
        balance_after: number("balance_after")?,
        reason: row.try_get("", "reason").map_err(store_error)?,
        expiration_before: date("expiration_before")?,
        expiration_after: date("expiration_after")?,
        reverses_operation_id: row.try_get("", "reverses_id").map_err(store_error)?,
        reversed: flag("reversed")?,
        imported: flag("imported")?,
    })
}

/// A movement, without a scope.
pub(super) async fn movement_of(
    connection: &impl ConnectionTrait,
    id: Id,
) -> Result<Option<Movement>, StoreError> {
    let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM entries e{JOINS} WHERE e.id = "));
    sql.bind(id);
    let row = connection.query_one_raw(sql.statement(connection.get_database_backend())).await;
    row.map_err(store_error)?.as_ref().map(movement).transpose()
}

/// A condition on the movement `e`: of a user in the scope, or of the agent.
fn push_within(sql: &mut Sql, scope: &Scope) {
    let Scope::SubtreeOf(agent) = scope else {
        sql.push(if *scope == Scope::Everyone { "e.user_id IS NOT NULL" } else { "1 = 0" });
        return;
    };
    sql.push("e.user_id IN (SELECT m.id FROM users m WHERE ");
    push_scope(sql, scope);
    sql.push(" UNION ALL SELECT a.id FROM users a WHERE a.username_key = ").bind(agent.key()).push(")");
}

/// The same for entries that are read in order: each is tested against the scope, and none is
/// sorted.
fn push_is_within(sql: &mut Sql, scope: &Scope) {
    let Scope::SubtreeOf(agent) = scope else { return push_within(sql, scope) };
    sql.push("EXISTS (SELECT 1 FROM users m WHERE m.id = +e.user_id AND (");
    push_scope(sql, scope);
    sql.push(" OR m.username_key = ").bind(agent.key()).push("))");
}

const ALL: &str = "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM entries_counts";

/// The parts of a search in movements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Movements of matching users.
    Targets,
    /// Movements of other users, by matching performers.
    Performers,
}

/// The list of movements in a scope, or of one user in it.
struct MovementList<'a> {
    backend: DbBackend,
    scope: &'a Scope,
    of: Option<&'a Username>,
}

impl ListTable for MovementList<'_> {
    type Row = Movement;

    const TABLE: &'static str = "entries";
    const ALIAS: &'static str = "e";
    const COLUMNS: &'static str = COLUMNS;
    const JOINS: &'static str = JOINS;
    const DEFAULT_ORDER: (&'static str, bool) = ("e.operation_date", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = movement;

    fn column(&self, field: &str) -> String {
        let column = match field {
            "amount" => "abs(e.delta)",
            "operationDate" => "e.operation_date",
            _ => "e.id",
        };
        column.to_owned()
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath) {
        let search = &request.search;
        sql.push(" WHERE ");
        match (search, path) {
            (Search::Nothing, AccessPath::IndexScan) if self.of.is_none() => push_is_within(sql, self.scope),
            (Search::Nothing, _) => self.push_accounts(sql),
            (_, AccessPath::IndexScan) => {
                self.push_accounts(sql);
                // The plus keeps SQLite on the index of the order.
                self.push_found(sql, search, " AND (+e.user_id IN");
                self.push_found(sql, search, " OR +e.performer_id IN");
                sql.push(")");
            }
            (_, AccessPath::FilterThenSort) => {
                self.push_accounts_found(sql);
                self.push_found(sql, search, " AND e.id IN (SELECT t.id FROM entries t WHERE t.user_id IN");
                self.push_found(
                    sql,
                    search,
                    " UNION SELECT p.id FROM entries p WHERE p.user_id IS NOT NULL AND p.performer_id IN",
                );
                sql.push(")");
            }
        }
    }

    /// Counted by shards for all users, by the user's own counters for one, by rows for a search.
    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        match (&request.search, self.of, self.scope) {
            (Search::Nothing, Some(of), _) => {
                sql.push("SELECT app_seq + sale_seq AS total FROM users WHERE username_key = ");
                sql.bind(of.key());
            }
            (Search::Nothing, None, Scope::Everyone) => drop(sql.push(ALL)),
            (Search::Nothing, None, scope) => {
                sql.push("SELECT count(*) AS total FROM entries e WHERE ");
                push_within(sql, scope);
            }
            // Targets, and performers on other targets: two ranges of two indexes. A single
            // condition would read every entry.
            (search, ..) => {
                sql.push("SELECT (SELECT count(*) FROM entries e WHERE ");
                self.push_part(sql, search, Part::Targets);
                sql.push(") + (SELECT count(*) FROM entries e WHERE ");
                self.push_part(sql, search, Part::Performers);
                sql.push(") AS total");
            }
        }
    }

    fn needs_all(&self, request: &ListRequest<'_>) -> bool {
        request.query.search.is_some() || (self.of.is_none() && *self.scope != Scope::Everyone)
    }

    fn push_all(&self, sql: &mut Sql, _request: &ListRequest<'_>) {
        sql.push(ALL);
    }

    fn access_path(&self, _request: &ListRequest<'_>, window: PageWindow, totals: Totals) -> AccessPath {
        if window.rows_read(totals) < totals.matching {
            AccessPath::IndexScan
        } else {
            AccessPath::FilterThenSort
        }
    }
}

impl MovementList<'_> {
    /// A condition on the movement `e`: of an account of the list.
    fn push_accounts(&self, sql: &mut Sql) {
        match self.of {
            // The scope of the user was checked before.
            Some(of) => {
                sql.push("e.user_id = (SELECT id FROM users WHERE username_key = ").bind(of.key()).push(")");
            }
            None => push_within(sql, self.scope),
        }
    }

    /// The same for entries that are found by their user.
    fn push_accounts_found(&self, sql: &mut Sql) {
        if self.of.is_none() && *self.scope == Scope::Everyone {
            // These entries are not the issuer's. A repeated condition would make SQLite choose the
            // wrong index.
            sql.push("1 = 1");
        } else {
            self.push_accounts(sql);
        }
    }

    fn push_part(&self, sql: &mut Sql, search: &Search, part: Part) {
        match part {
            Part::Targets => {
                self.push_accounts_found(sql);
                self.push_found(sql, search, " AND e.user_id IN");
            }
            Part::Performers => {
                self.push_accounts(sql);
                self.push_found(sql, search, " AND e.performer_id IN");
                self.push_found(sql, search, " AND e.user_id NOT IN");
            }
        }
    }

    fn push_found(&self, sql: &mut Sql, search: &Search, before: &str) {
        sql.push(before).push(" (");
        push_users_found(sql, self.backend, self.scope, search);
        sql.push(")");
    }
}

/// A query for the IDs of matching users: in the scope by all texts of their search, others only by
/// username, which is all that the scope reads of them.
pub(super) fn push_users_found(sql: &mut Sql, backend: DbBackend, scope: &Scope, search: &Search) {
    let (Some(text), Scope::SubtreeOf(_) | Scope::Nobody) = (search.text(), scope) else {
        search.push_ids(sql, backend, "users");
        return;
    };
    sql.push("SELECT m.id FROM users m WHERE m.id IN (");
    search.push_ids(sql, backend, "users");
    sql.push(") AND (");
    push_scope(sql, scope);
    let instr = if backend == DbBackend::Sqlite { "instr" } else { "strpos" };
    for name in ["m.username_key", "m.full_name_key"] {
        sql.push(&format!(" OR {instr}({name}, ")).bind(text).push(") > 0");
    }
    sql.push(")");
}

impl SeaOrmLedger {
    pub(super) async fn page(
        &self,
        scope: &Scope,
        of: Option<&Username>,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<Movement>>>, StoreError> {
        if let Some(of) = of
            && find_in(&self.database.reader, scope, of).await?.is_none()
        {
            return Ok(None);
        }
        let table = MovementList { backend: self.database.backend(), scope, of };
        page(&self.database, &table, query).await.map(Some)
    }

    pub(super) async fn count_of(&self, scope: &Scope, of: &Username) -> Result<Option<u64>, StoreError> {
        if find_in(&self.database.reader, scope, of).await?.is_none() {
            return Ok(None);
        }
        let counts = Users::find()
            .select_only()
            .columns([Column::AppSeq, Column::SaleSeq])
            .filter(Column::UsernameKey.eq(of.key()))
            .into_tuple::<(i64, i64)>()
            .one(&self.database.reader)
            .await
            .map_err(store_error)?;
        Ok(counts.map(|(app, sale)| (app + sale).unsigned_abs()))
    }

    pub(super) async fn movement(&self, scope: &Scope, id: Id) -> Result<Option<Movement>, StoreError> {
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM entries e{JOINS} WHERE e.id = "));
        sql.bind(id).push(" AND ");
        push_within(&mut sql, scope);
        let row = self.database.reader.query_one_raw(sql.statement(self.database.backend())).await;
        row.map_err(store_error)?.as_ref().map(movement).transpose()
    }
}
