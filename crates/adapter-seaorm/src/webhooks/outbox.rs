//! Whose turn it is, and what became of it.

use chrono::{DateTime, Utc};
use domain_integrations::{Delivery, DeliveryStatus, Verdict};
use domain_kernel::{Enumeration, Id};
use ports::{DueDelivery, Outcome, StoreError};
use sea_orm::ConnectionTrait;

use super::{DELIVERY, SeaOrmWebhooks, delivery, read};
use crate::{error::store_error, sql::Sql};

/// Inactive webhooks are told nothing, but tests.
const WANTED: &str = "(w.active OR d.event_type = 'TEST')";

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

    pub(super) async fn whose_turn_it_is(
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
    ) -> Result<bool, StoreError> {
        let (status, next, ended) = match outcome.verdict {
            Verdict::Delivered => (DeliveryStatus::Delivered, None, Some(outcome.ended)),
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
        let done = self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        Ok(done.rows_affected() == 1)
    }

    /// A bounded part at a time, so that nobody waits long for the writer.
    pub(super) async fn forget(&self, before: DateTime<Utc>, most: u32) -> Result<u64, StoreError> {
        let mut sql = Sql::new(
            "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE ended_at < ",
        );
        sql.bind(before).push(" LIMIT ").bind(i64::from(most)).push(")");
        let ended = self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let mut sql = Sql::new(
            "DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhook_deliveries d \
             WHERE d.status = 'PENDING' AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id) LIMIT ",
        );
        sql.bind(i64::from(most)).push(")");
        let orphans =
            self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        Ok(ended.rows_affected() + orphans.rows_affected())
    }
}
