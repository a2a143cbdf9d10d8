//! The invariants of the ledger, checked on every row (docs/ledger.md numbers them). Read-only; one
//! query each, except for the expirations, which are computed user by user.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_credits::{Step, replay};
use domain_kernel::Id;
use ports::{Breach, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, QueryResult};

use super::SeaOrmLedger;
use crate::db::{error::store_error, sql::Sql, transaction::Transaction};

/// Maximum reported rows per invariant.
const REPORTED_ROWS: usize = 100;
/// Users per query of expirations.
const USERS: i64 = 20_000;

/// Invariants, each with a query that returns no rows if it holds; its only column describes the
/// breach.
const QUERIES: &[(u8, &str)] = &[
    (
        1,
        "SELECT 'all entries add up to ' || s AS broken FROM (SELECT coalesce(sum(delta), 0) AS s FROM entries) x WHERE s <> 0",
    ),
    (
        1,
        "SELECT 'user ' || u.id || ' has ' || u.credits || ' credits, entries say ' || coalesce(s, 0) AS broken FROM users u \
         LEFT JOIN (SELECT user_id, sum(delta) AS s FROM entries WHERE account = 'APP' GROUP BY user_id) x ON x.user_id = u.id \
         WHERE u.credits <> coalesce(s, 0)",
    ),
    (
        1,
        "SELECT 'user ' || u.id || ' has ' || u.sale_credits || ' credits for sale, entries say ' || coalesce(s, 0) AS broken FROM users u \
         LEFT JOIN (SELECT user_id, sum(delta) AS s FROM entries WHERE account = 'SALE' GROUP BY user_id) x ON x.user_id = u.id \
         WHERE u.sale_credits <> coalesce(s, 0)",
    ),
    (
        2,
        "SELECT 'entry ' || id || ' does not follow the one before it' AS broken FROM (SELECT id, seq, balance_before, \
         lag(balance_after, 1, CAST(0 AS bigint)) OVER w AS before, lag(seq, 1, CAST(0 AS bigint)) OVER w AS last FROM entries \
         WHERE user_id IS NOT NULL WINDOW w AS (PARTITION BY user_id, account ORDER BY seq)) x \
         WHERE balance_before <> before OR seq <> last + 1",
    ),
    (
        2,
        "SELECT 'user ' || u.id || ' counts ' || u.app_seq || ' movements of app credits, not ' || coalesce(n, 0) AS broken FROM users u \
         LEFT JOIN (SELECT user_id, max(seq) AS n FROM entries WHERE account = 'APP' GROUP BY user_id) x ON x.user_id = u.id \
         WHERE u.app_seq <> coalesce(n, 0)",
    ),
    (
        2,
        "SELECT 'user ' || u.id || ' counts ' || u.sale_seq || ' movements of stock, not ' || coalesce(n, 0) AS broken FROM users u \
         LEFT JOIN (SELECT user_id, max(seq) AS n FROM entries WHERE account = 'SALE' GROUP BY user_id) x ON x.user_id = u.id \
         WHERE u.sale_seq <> coalesce(n, 0)",
    ),
    (
        3,
        "SELECT 'entry ' || id || ' leaves ' || balance_after AS broken FROM entries WHERE balance_after < 0 OR balance_before < 0",
    ),
    // No expiration means "never expires" only for users whose subscription has started.
    (
        6,
        "SELECT 'user ' || id || ' has not started and has credits or an expiration' AS broken FROM users \
         WHERE NOT subscription_started AND (credits <> 0 OR expiration_date IS NOT NULL)",
    ),
    (
        3,
        "SELECT 'user ' || id || ' is below nothing' AS broken FROM users WHERE credits < 0 OR sale_credits < 0",
    ),
    (
        4,
        "SELECT 'operation ' || o.id || ' has ' || coalesce(n, 0) || ' entries that add up to ' || coalesce(s, 0) AS broken FROM operations o \
         LEFT JOIN (SELECT operation_id, count(*) AS n, sum(delta) AS s, max(abs(delta)) AS a FROM entries GROUP BY operation_id) x \
         ON x.operation_id = o.id WHERE coalesce(n, 0) <> 2 OR s <> 0 OR a <> o.amount",
    ),
    (
        5,
        "SELECT 'key ' || idempotency_key || ' of user ' || performer_id || ' was used ' || count(*) || ' times' AS broken \
         FROM operations WHERE idempotency_key IS NOT NULL GROUP BY performer_id, idempotency_key HAVING count(*) > 1",
    ),
    (
        5,
        "SELECT 'operation ' || reverses_id || ' was reversed ' || count(*) || ' times' AS broken FROM operations \
         WHERE reverses_id IS NOT NULL GROUP BY reverses_id HAVING count(*) > 1",
    ),
    // An incomplete operation: its entries do not have the reversed or sold amount.
    (
        7,
        "SELECT 'operation ' || b.id || ' does not take back what operation ' || o.id || ' moved' AS broken FROM operations b \
         JOIN operations o ON o.id = b.reverses_id WHERE b.amount <> o.amount OR b.sold <> -o.sold",
    ),
    (
        7,
        "SELECT 'user ' || u.id || ' has sold ' || u.total_sales || ', operations say ' || coalesce(s, 0) AS broken FROM users u \
         LEFT JOIN (SELECT seller_id, sum(sold) AS s FROM operations WHERE seller_id IS NOT NULL GROUP BY seller_id) x \
         ON x.seller_id = u.id WHERE u.total_sales <> coalesce(s, 0)",
    ),
    (
        11,
        "SELECT 'entry ' || e.id || ' and its operation differ on who and when' AS broken FROM entries e \
          JOIN operations o ON o.id = e.operation_id WHERE e.performer_id <> o.performer_id OR e.operation_date <> o.operation_date",
    ),
    (
        11,
        "SELECT 'entry ' || id || ' is older than the one before it' AS broken FROM (SELECT id, operation_date, \
          lag(operation_date) OVER (PARTITION BY user_id, account ORDER BY seq) AS before FROM entries \
          WHERE user_id IS NOT NULL) x WHERE operation_date < before",
    ),
    // An agent pays, or is paid, itself; the target was in its subtree: by the lineage before the
    // target's next move, or by the current one.
    (
        12,
        "SELECT 'operation ' || o.id || ' of agent ' || o.performer_id || ' is outside its subtree' AS broken FROM operations o \
          JOIN entries t ON t.operation_id = o.id AND t.leg = 0 JOIN entries p ON p.operation_id = o.id AND p.leg = 1 \
          JOIN users u ON u.id = t.user_id \
          WHERE o.reverses_id IS NULL AND p.user_id IS NOT NULL AND (p.user_id <> o.performer_id \
          OR coalesce((SELECT c.lineage_before FROM lineage_changes c WHERE c.user_id = u.id \
          AND CASE t.account WHEN 'APP' THEN c.app_seq ELSE c.sale_seq END >= t.seq ORDER BY c.id LIMIT 1), u.lineage) \
          NOT LIKE '%/' || o.performer_id || '/%')",
    ),
    (
        12,
        "SELECT 'operation ' || id || ' is one''s own' AS broken FROM (SELECT o.id FROM operations o JOIN entries t \
          ON t.operation_id = o.id AND t.leg = 0 WHERE t.user_id = o.performer_id AND NOT o.imported) x",
    ),
    (
        13,
        "SELECT 'operation ' || o.id || ' moves ' || o.amount AS broken FROM operations o \
          LEFT JOIN operations r ON r.id = o.reverses_id WHERE o.amount < 1 OR (NOT coalesce(r.imported, o.imported) \
          AND (o.amount > 1000000 OR (o.amount > 1200 AND o.operation_type IN ('ADD_CREDITS', 'DEDUCT_CREDITS'))))",
    ),
];

/// The triggers that guard a table, by their names in SQLite and PostgreSQL.
type Guards = (&'static str, &'static [&'static str], &'static [&'static str]);

const GUARDS: [Guards; 4] = [
    ("operations", &["operations_no_UPDATE", "operations_no_DELETE"], &["operations_append_only"]),
    (
        "entries",
        &["entries_no_UPDATE", "entries_no_DELETE", "entries_stand", "entries_paired"],
        &["entries_append_only", "entries_checked"],
    ),
    (
        "expiration_edits",
        &["expiration_edits_no_UPDATE", "expiration_edits_no_DELETE"],
        &["expiration_edits_append_only"],
    ),
    (
        "users",
        &[
            "users_credits_by_ledger",
            "users_credits_begin_at_none",
            "users_sale_credits_by_ledger",
            "users_sale_credits_begin_at_none",
        ],
        &["users_balances_guarded"],
    ),
];

impl SeaOrmLedger {
    pub(super) async fn breaches(&self, now: DateTime<Utc>) -> Result<Vec<Breach>, StoreError> {
        // Credits may be moved during verification, so all queries must read the same state.
        let transaction = &self.database.snapshot().await.map_err(store_error)?;
        let mut found = Vec::new();
        for (invariant, query) in QUERIES {
            let rows = self.rows_of(transaction, Sql::new(format!("{query} LIMIT {REPORTED_ROWS}"))).await?;
            for row in rows {
                found.push(Breach {
                    invariant: *invariant,
                    row: row.try_get("", "broken").map_err(store_error)?,
                });
            }
        }
        let mut early = Sql::new(
            "SELECT 'operation ' || id || ' is in the future' AS broken FROM operations WHERE operation_date > ",
        );
        early.bind(now + chrono::TimeDelta::minutes(5)).push(&format!(" LIMIT {REPORTED_ROWS}"));
        for row in self.rows_of(transaction, early).await? {
            found.push(Breach { invariant: 11, row: row.try_get("", "broken").map_err(store_error)? });
        }
        self.check_guards(transaction, &mut found).await?;
        self.check_expirations(transaction, &mut found).await?;
        Ok(found)
    }

    async fn rows_of(&self, transaction: &Transaction, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        transaction.query_all_raw(sql.statement(self.database.backend())).await.map_err(store_error)
    }

    /// Invariant 10 (docs/ledger.md#what-always-holds): rows are never changed. The stored state
    /// can't show that, so the existence of the triggers is checked.
    async fn check_guards(
        &self,
        transaction: &Transaction,
        found: &mut Vec<Breach>,
    ) -> Result<(), StoreError> {
        let sqlite = self.database.backend() == DbBackend::Sqlite;
        for (table, of_sqlite, of_postgres) in GUARDS {
            let existing = if sqlite {
                format!("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{table}'")
            } else {
                format!(
                    "SELECT CAST(tgname AS text) AS name FROM pg_trigger WHERE tgrelid = '{table}'::regclass AND tgenabled <> 'D'"
                )
            };
            let rows = self.rows_of(transaction, Sql::new(existing)).await?;
            let existing: Vec<String> = rows
                .iter()
                .map(|row| row.try_get("", "name"))
                .collect::<Result<_, _>>()
                .map_err(store_error)?;
            let guards = if sqlite { of_sqlite } else { of_postgres };
            found.extend(
                guards.iter().filter(|guard| !existing.iter().any(|name| name == *guard)).map(|guard| {
                    Breach { invariant: 10, row: format!("{table} has lost its guard {guard}") }
                }),
            );
        }
        Ok(())
    }

    /// Invariant 6: an expiration is the result of all its changes, in order.
    async fn check_expirations(
        &self,
        transaction: &Transaction,
        found: &mut Vec<Breach>,
    ) -> Result<(), StoreError> {
        let mut from: Id = 0;
        let mut reported = 0;
        loop {
            let mut users = Sql::new("SELECT id, expiration_date FROM users WHERE id > ");
            users.bind(from).push(" ORDER BY id LIMIT ").bind(USERS);
            let users = self.rows_of(transaction, users).await?;
            let ids: Vec<Id> = users
                .iter()
                .map(|row| row.try_get("", "id"))
                .collect::<Result<_, _>>()
                .map_err(store_error)?;
            let Some(last) = ids.last().copied() else { return Ok(()) };
            let mut steps = self.steps(transaction, from, last).await?;
            for (row, id) in users.iter().zip(&ids) {
                let column: Option<DateTime<Utc>> =
                    row.try_get("", "expiration_date").map_err(store_error)?;
                let steps = steps.remove(id).unwrap_or_default();
                if let Some(broken) = broken_fold(*id, column, steps)
                    && reported < REPORTED_ROWS
                {
                    reported += 1;
                    found.push(Breach { invariant: 6, row: broken });
                }
            }
            from = last;
        }
    }

    /// The changes of the expirations of users in a range of IDs (the first excluded), in order.
    async fn steps(
        &self,
        transaction: &Transaction,
        from: Id,
        to: Id,
    ) -> Result<HashMap<Id, Vec<Found>>, StoreError> {
        let mut sql = Sql::new(
            "SELECT e.user_id, e.seq, CAST(0 AS bigint) AS edit, e.delta, \
             coalesce(o.clock_date, e.operation_date) AS at, e.expiration_before AS before, \
             e.expiration_after AS after, e.imported, o.reverses_id IS NOT NULL AS reversal, r.expiration_before AS found, \
             r.expiration_after AS left_at, coalesce(r.imported, e.imported) \
             OR (e.balance_after > 0 AND coalesce(reversed.started_subscription, false)) AS still, o.started_subscription AS starts \
             FROM entries e JOIN operations o ON o.id = e.operation_id \
             LEFT JOIN entries r ON r.operation_id = o.reverses_id AND r.leg = 0 \
             LEFT JOIN operations reversed ON reversed.id = o.reverses_id WHERE e.account = 'APP' AND e.user_id > ",
        );
        sql.bind(from).push(" AND e.user_id <= ").bind(to);
        let nothing = if self.database.backend() == DbBackend::Sqlite { "NULL" } else { "NULL::timestamptz" };
        sql.push(&format!(
            " UNION ALL SELECT x.user_id, x.app_seq, x.id, 0, x.edit_date, x.expiration_before, x.expiration_after, false, \
             false, {nothing}, {nothing}, false, false FROM expiration_edits x WHERE x.user_id > "
        ));
        sql.bind(from).push(" AND x.user_id <= ").bind(to).push(" ORDER BY 1, 2, 3");
        let mut all: HashMap<Id, Vec<Found>> = HashMap::new();
        for row in self.rows_of(transaction, sql).await? {
            let user: Id = row.try_get("", "user_id").map_err(store_error)?;
            all.entry(user).or_default().push(Found::read(&row)?);
        }
        Ok(all)
    }
}

/// A change with its recorded expirations before and after.
struct Found {
    step: Step,
    before: Option<DateTime<Utc>>,
    after: Option<DateTime<Utc>>,
    imported: bool,
}

impl Found {
    fn read(row: &QueryResult) -> Result<Self, StoreError> {
        let date = |column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).map_err(store_error);
        let flag = |column: &str| row.try_get::<bool>("", column).map_err(store_error);
        let delta: i64 = row.try_get("", "delta").map_err(store_error)?;
        let edit: i64 = row.try_get("", "edit").map_err(store_error)?;
        let (before, after, imported) = (date("before")?, date("after")?, flag("imported")?);
        let (deducts, amount) = (delta < 0, delta.abs());
        let step = if edit > 0 {
            Step::Edit(after)
        } else if imported {
            Step::Imported
        } else if flag("reversal")? {
            Step::Reversal {
                deducts,
                amount,
                at: row.try_get("", "at").map_err(store_error)?,
                starts: flag("starts")?,
                moved: !flag("still")?,
                before: date("found")?,
                after: date("left_at")?,
            }
        } else {
            Step::Operation { deducts, amount, at: row.try_get("", "at").map_err(store_error)? }
        };
        Ok(Self { step, before, after, imported })
    }
}

fn broken_fold(id: Id, column: Option<DateTime<Utc>>, steps: Vec<Found>) -> Option<String> {
    let folded = replay(steps.iter().map(|found| found.step));
    for (found, folded) in steps.iter().zip(&folded) {
        let Some(folded) = folded else {
            return Some(format!("user {id}: an expiration leaves the calendar"));
        };
        let same = found.imported || (found.before == folded.before && found.after == folded.after);
        if !same {
            return Some(format!(
                "user {id}: a movement has {:?} to {:?}, expected {:?} to {:?}",
                found.before, found.after, folded.before, folded.after
            ));
        }
    }
    let end = folded.last().and_then(|last| last.map(|last| last.after)).flatten();
    (end != column).then(|| format!("user {id} expires {column:?}, expected {end:?}"))
}
