//! Removes old rows, in batches, so that other writes wait briefly.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::{Aged, Retention, StoreError};
use sea_orm::{ConnectionTrait, DbErr};

use crate::{
    Database,
    db::{error::store_error, sql::Sql, transaction::Transaction},
    purging::purge,
};

/// Seconds of a quarter of an hour, the unit of the counts of visits.
const QUARTER: i64 = 900;

/// Removes old rows.
#[derive(Debug, Clone)]
pub struct SeaOrmRetention(pub Database);

/// Table, key and date of the rows to remove.
const fn place(what: Aged) -> (&'static str, &'static str, &'static str) {
    match what {
        Aged::Sessions => ("sessions", "key_hash", "ends_date"),
        Aged::IdempotencyKeys => ("idempotency_keys", "username_key, idempotency_key", "created_date"),
        Aged::Visits => ("visits", "id", "occurred_at"),
        Aged::Deliveries => ("webhook_deliveries", "id", "ended_at"),
        Aged::Operations => ("bulk_operations", "id", "finished_date"),
        Aged::Sheets => ("sheets", "id", "created_date"),
        Aged::Trash => ("trash", "id", "deleted_date"),
        Aged::AuditEntries => ("audit_entries", "id", "occurred_at"),
        // The key of a list: its streams are removed together.
        Aged::ReplacedStreams => ("channel_stream_versions", "channel_id, replaced_by", "replaced_at"),
        Aged::LinkChanges => ("link_changes", "id", "occurred_at"),
        Aged::RequestedLinks => ("links", "id", "requested_at"),
        Aged::LinkDays => ("link_days", "link_id, day", "day"),
        Aged::LinkHostDays => ("link_host_days", "host, day", "day"),
        Aged::LinkHosts => ("link_hosts", "host", "free_at"),
    }
}

async fn run(transaction: &Transaction, sql: Sql) -> Result<u64, DbErr> {
    let done = transaction.execute_raw(sql.statement(transaction.get_database_backend())).await?;
    Ok(done.rows_affected())
}

/// Removes the rows of old bulk operations, with a limit: an operation has up to a hundred
/// thousand, which are removed before it.
async fn remove_operation_rows(
    transaction: &Transaction,
    before: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    let tables = [
        ("bulk_operation_rows", "position"),
        ("bulk_operation_slices", "number"),
        ("applied_streams", "entry_id"),
    ];
    for (table, key) in tables {
        let mut sql = Sql::new(format!(
            "DELETE FROM {table} WHERE (operation_id, {key}) IN (SELECT r.operation_id, r.{key} FROM {table} r \
             JOIN bulk_operations o ON o.id = r.operation_id WHERE o.finished_date <= "
        ));
        sql.bind(before).push(" LIMIT ").bind(i64::from(most)).push(")");
        let removed = run(transaction, sql).await?;
        if removed > 0 {
            return Ok(removed);
        }
    }
    Ok(0)
}

/// Removes files without an operation, their slices first.
async fn remove_sheets(transaction: &Transaction, before: DateTime<Utc>, most: u32) -> Result<u64, DbErr> {
    let unused = "SELECT s.id FROM sheets s WHERE NOT EXISTS \
                  (SELECT 1 FROM bulk_operations o WHERE o.sheet_id = s.id) AND s.created_date <= ";
    let mut sql = Sql::new(format!(
        "DELETE FROM sheet_slices WHERE (sheet_id, number) IN (SELECT p.sheet_id, p.number FROM sheet_slices p \
         WHERE p.sheet_id IN ({unused}"
    ));
    sql.bind(before).push(") LIMIT ").bind(i64::from(most)).push(")");
    let removed = run(transaction, sql).await?;
    if removed > 0 {
        return Ok(removed);
    }
    let mut sql = Sql::new(format!("DELETE FROM sheets WHERE id IN ({unused}"));
    sql.bind(before).push(" LIMIT ").bind(i64::from(most)).push(")");
    run(transaction, sql).await
}

/// Removes rows of any table along the index of their date, with a limit. Raw: keys may be pairs,
/// and neither database limits a `DELETE`.
async fn remove(
    transaction: &Transaction,
    what: Aged,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    if what == Aged::Operations {
        let removed = remove_operation_rows(transaction, before, most).await?;
        if removed > 0 {
            return Ok(removed);
        }
    }
    let (table, key, date) = place(what);
    if what == Aged::Sheets {
        return remove_sheets(transaction, before, most).await;
    }
    if what == Aged::Trash {
        return purge(transaction, before, now, most).await;
    }
    let mut sql =
        Sql::new(format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {date} <= "));
    // Of lists that were replaced at the same time, the earlier ones first: a version has the streams of
    // the next list that is left.
    let order = if what == Aged::ReplacedStreams { ", channel_id, replaced_by" } else { "" };
    sql.bind(before).push(&format!(" ORDER BY {date}{order} LIMIT ")).bind(i64::from(most)).push(")");
    let mut removed = run(transaction, sql).await?;
    if what == Aged::Deliveries {
        // Deliveries of deleted webhooks, and old pending ones of webhooks that were paused for the
        // whole time.
        let mut sql = Sql::new(
            "DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhook_deliveries d \
             LEFT JOIN webhooks w ON w.id = d.webhook_id WHERE d.status = 'PENDING' \
             AND (w.id IS NULL OR (d.occurred_at <= ",
        );
        sql.bind(before)
            .push(" AND w.paused_date <= ")
            .bind(before)
            .push(")) LIMIT ")
            .bind(i64::from(most))
            .push(")");
        removed += run(transaction, sql).await?;
    }
    if what == Aged::Visits && removed > 0 {
        // Triggers have decremented the counts of visits; counters with the sum 0 are deleted. (A
        // count of PostgreSQL is distributed over several rows.)
        let mut sql = Sql::new(
            "DELETE FROM visits_counts WHERE (quarter, kind) IN (SELECT quarter, kind FROM visits_counts WHERE quarter <= ",
        );
        sql.bind(before.timestamp() / QUARTER).push(" GROUP BY quarter, kind HAVING sum(total) = 0)");
        run(transaction, sql).await?;
    }
    Ok(removed)
}

#[async_trait]
impl Retention for SeaOrmRetention {
    async fn remove(
        &self,
        what: Aged,
        before: DateTime<Utc>,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let removed = remove(&transaction, what, before, now, most).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(removed)
    }
}
