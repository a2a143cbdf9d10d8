//! Whose turn it is, and what became of it.

use chrono::{DateTime, Utc};
use domain_integrations::{Delivery, DeliveryStatus, EventType, Verdict, Webhook, is_to_be_paused};
use domain_kernel::{Enumeration, Id};
use ports::{DueDelivery, Noted, Outcome, StoreError, Written};
use sea_orm::{ConnectionTrait, DbErr};

use super::{DELIVERY, SeaOrmWebhooks, delivery, find_in, read};
use crate::db::{error::store_error, sql::Sql, transaction::Transaction};

/// Nothing is sent to webhooks that are inactive or paused, but tests.
const WANTED: &str = "((w.active AND w.paused_date IS NULL) OR d.event_type = 'TEST')";

impl SeaOrmWebhooks {
    pub(super) async fn with_something_due(&self, now: DateTime<Utc>) -> Result<Vec<Id>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT w.id FROM webhooks w WHERE EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id \
             AND d.status = 'PENDING' AND {WANTED} AND d.next_attempt_at <= "
        ));
        sql.bind(now).push(") ORDER BY w.id");
        let rows = self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        rows.iter().map(|row| read(row, "id")).collect()
    }

    pub(super) async fn due_deliveries(
        &self,
        webhook: Id,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT {DELIVERY}, w.url, w.secret FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id \
             WHERE d.status = 'PENDING' AND {WANTED} AND d.webhook_id = "
        ));
        sql.bind(webhook).push(" AND d.next_attempt_at <= ").bind(now);
        sql.push(
            " AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e WHERE e.status = 'PENDING' \
             AND e.webhook_id = d.webhook_id AND e.entity = d.entity AND e.id < d.id) \
             ORDER BY d.next_attempt_at, d.id LIMIT ",
        );
        sql.bind(i64::from(most));
        // The writer has the last word: what was written down a moment ago is not due any more.
        let rows = self.0.writer.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let due = |row| {
            Ok(DueDelivery { delivery: delivery(row)?, url: read(row, "url")?, secret: read(row, "secret")? })
        };
        rows.iter().map(due).collect()
    }

    pub(super) async fn write_down(
        &self,
        delivery: &Delivery,
        outcome: &Outcome,
    ) -> Result<Noted, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let noted = note(&transaction, delivery, outcome).await.map_err(store_error)?;
        if noted == Noted::Overtaken {
            // Whoever wrote it down has counted it.
            return Ok(noted);
        }
        transaction.commit().await.map_err(store_error)?;
        Ok(noted)
    }

    pub(super) async fn end_pause(&self, id: Id) -> Result<Written<Webhook>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let mut sql = Sql::new(
            "UPDATE webhooks SET paused_date = NULL, pause_fault = NULL, pause_status_code = NULL, \
             failing_since = NULL, failures = 0 WHERE paused_date IS NOT NULL AND id = ",
        );
        sql.bind(id);
        if run(&transaction, sql).await.map_err(store_error)? == 1 {
            let mut sql = Sql::new("UPDATE webhook_deliveries SET attempts = 0, next_attempt_at = ");
            sql.bind(DateTime::UNIX_EPOCH)
                .push(" WHERE status = 'PENDING' AND attempts > 0 AND webhook_id = ");
            sql.bind(id);
            run(&transaction, sql).await.map_err(store_error)?;
        }
        let webhook = find_in(&transaction, id).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(webhook.map_or(Written::Missing, Written::Done))
    }
}

async fn run(transaction: &Transaction, sql: Sql) -> Result<u64, DbErr> {
    let done = transaction.execute_raw(sql.statement(transaction.get_database_backend())).await?;
    Ok(done.rows_affected())
}

async fn note(transaction: &Transaction, delivery: &Delivery, outcome: &Outcome) -> Result<Noted, DbErr> {
    // The webhook first: attempts that end together wait for each other here, and each sees the failures of those before.
    let paused = if delivery.event_type == EventType::Test {
        false
    } else {
        count_failure(transaction, delivery.webhook, outcome).await?
    };
    let (status, next, ended) = match outcome.verdict {
        Verdict::Delivered => (DeliveryStatus::Delivered, None, Some(outcome.ended)),
        // Whatever waits for a webhook that is paused is sent once it is resumed.
        Verdict::GivenUp if paused => (DeliveryStatus::Pending, None, None),
        Verdict::GivenUp => (DeliveryStatus::Failed, None, Some(outcome.ended)),
        Verdict::Again(next) => (DeliveryStatus::Pending, Some(next), None),
    };
    let mut sql = Sql::new("UPDATE webhook_deliveries SET attempts = attempts + 1, status = ");
    sql.bind(status.code()).push(", next_attempt_at = ");
    sql.bind(next.unwrap_or(DateTime::UNIX_EPOCH)).push(", last_attempt_at = ").bind(outcome.at);
    sql.push(", status_code = ").bind(outcome.attempt.status_code.map(i32::from)).push(", fault = ");
    sql.bind(outcome.attempt.fault.map(|fault| fault.code().to_owned())).push(", duration_ms = ");
    sql.bind((outcome.ended - outcome.at).num_milliseconds()).push(", ended_at = ").bind(ended);
    sql.push(" WHERE id = ").bind(delivery.id).push(" AND status = 'PENDING' AND attempts = ");
    sql.bind(i32::try_from(delivery.attempts).unwrap_or(i32::MAX));
    Ok(match run(transaction, sql).await? {
        1 if paused => Noted::Paused,
        1 => Noted::Done,
        _ => Noted::Overtaken,
    })
}

/// Counts how often in a row, and since when, a receiver has failed; answers whether its webhook is paused now.
async fn count_failure(transaction: &Transaction, webhook: Id, outcome: &Outcome) -> Result<bool, DbErr> {
    if outcome.attempt.fault.is_none() {
        let mut sql =
            Sql::new("UPDATE webhooks SET failures = 0, failing_since = NULL WHERE failures > 0 AND id = ");
        sql.bind(webhook).push(" AND paused_date IS NULL");
        run(transaction, sql).await?;
        return Ok(false);
    }
    let mut sql =
        Sql::new("UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ");
    sql.bind(outcome.ended).push(") WHERE id = ").bind(webhook).push(" RETURNING failures, failing_since");
    let backend = transaction.get_database_backend();
    let Some(row) = transaction.query_one_raw(sql.statement(backend)).await? else { return Ok(false) };
    let failures: i32 = row.try_get("", "failures")?;
    let failing_since: DateTime<Utc> = row.try_get("", "failing_since")?;
    if !is_to_be_paused(u32::try_from(failures).unwrap_or(u32::MAX), failing_since, outcome.ended) {
        return Ok(false);
    }
    let mut sql = Sql::new("UPDATE webhooks SET paused_date = coalesce(paused_date, ");
    sql.bind(outcome.ended).push("), pause_status_code = ").bind(outcome.attempt.status_code.map(i32::from));
    sql.push(", pause_fault = ").bind(outcome.attempt.fault.map(|fault| fault.code().to_owned()));
    sql.push(" WHERE id = ").bind(webhook);
    run(transaction, sql).await?;
    Ok(true)
}
