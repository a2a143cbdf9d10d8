//! Due deliveries, and the results of attempts.

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_integrations::{Delivery, DeliveryStatus, EventType, Verdict, Webhook, is_to_be_paused};
use domain_kernel::{Enumeration, FieldDiff, Id};
use ports::{DueDelivery, Edit, Noted, Outcome, StoreError, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter,
    sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement},
};
use serde_json::json;

use super::{
    DELIVERY, PENDING, SeaOrmWebhooks,
    changing::{begin_anew, record_of},
    delivery, find_in, get,
};
use crate::{
    audit::{fields_of, record_one},
    db::{error::store_error, sql::of, transaction::Transaction},
    entities::{
        webhook_deliveries as deliveries,
        webhooks::{ActiveModel, Column, Entity},
    },
};

/// Inactive and paused webhooks get only tests.
const WANTED: &str = "((w.active AND w.paused_date IS NULL) OR d.event_type = 'TEST')";

/// The due deliveries `d` of a webhook `w`, along the partial index by due time: with a bound status
/// no database could use it.
fn due_of(webhook: Expr, now: DateTime<Utc>) -> SelectStatement {
    Query::select()
        .from_as(deliveries::Entity, "d")
        .and_where(Expr::cust("d.status = 'PENDING'"))
        .and_where(Expr::cust(WANTED))
        .and_where(of("d", deliveries::Column::WebhookId).eq(webhook))
        .and_where(of("d", deliveries::Column::NextAttemptAt).lte(now))
        .take()
}

impl SeaOrmWebhooks {
    /// Webhooks with a due delivery: one lookup for each in the partial index by due time.
    pub(super) async fn with_something_due(&self, now: DateTime<Utc>) -> Result<Vec<Id>, StoreError> {
        let due = due_of(of("w", Column::Id), now).expr(Expr::cust("1")).take();
        let query = Query::select()
            .expr(of("w", Column::Id))
            .from_as(Entity, "w")
            .and_where(Expr::exists(due))
            .order_by(("w", Column::Id), Order::Asc)
            .take();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        rows.iter().map(|row| get(row, "id")).collect()
    }

    /// Due deliveries of a webhook, only the first of each entity: along the partial indexes by due
    /// time and by entity, which neither database uses with a bound status.
    pub(super) async fn due_deliveries(
        &self,
        webhook: Id,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        use deliveries::Column as Delivery;
        let earlier = Query::select()
            .expr(Expr::cust("1"))
            .from_as(deliveries::Entity, "e")
            .and_where(Expr::cust("e.status = 'PENDING'"))
            .and_where(of("e", Delivery::WebhookId).eq(of("d", Delivery::WebhookId)))
            .and_where(of("e", Delivery::Entity).eq(of("d", Delivery::Entity)))
            .and_where(of("e", Delivery::Id).lt(of("d", Delivery::Id)))
            .take();
        let is_of_webhook = of("w", Column::Id).eq(of("d", Delivery::WebhookId));
        let query = due_of(webhook.into(), now)
            .expr(Expr::cust(DELIVERY))
            .exprs([Column::Url, Column::Secret].map(|column| of("w", column)))
            .join_as(JoinType::Join, Entity, "w", is_of_webhook)
            .and_where(Expr::exists(earlier).not())
            .order_by(("d", Delivery::NextAttemptAt), Order::Asc)
            .order_by(("d", Delivery::Id), Order::Asc)
            .limit(most.into())
            .take();
        // Read by the writer, so that deliveries whose result was just written are excluded.
        let rows = self.0.writer.query_all(&query).await.map_err(store_error)?;
        let due = |row| {
            Ok(DueDelivery { delivery: delivery(row)?, url: get(row, "url")?, secret: get(row, "secret")? })
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
            // The result was already written and counted.
            return Ok(noted);
        }
        transaction.commit().await.map_err(store_error)?;
        Ok(noted)
    }

    pub(super) async fn end_pause(&self, id: Id, edit: &Edit) -> Result<Written<Webhook>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let resumed = Entity::update_many()
            .set(ActiveModel {
                paused_date: Set(None),
                pause_fault: Set(None),
                pause_status_code: Set(None),
                failing_since: Set(None),
                failures: Set(0),
                ..ActiveModel::default()
            })
            .filter(Column::Id.eq(id))
            .filter(Column::PausedDate.is_not_null());
        let is_resumed = resumed.exec(&transaction).await.map_err(store_error)?.rows_affected == 1;
        if is_resumed {
            begin_anew(&transaction, id).await.map_err(store_error)?;
        }
        let webhook = find_in(&transaction, id).await?;
        if let Some(webhook) = webhook.as_ref().filter(|_| is_resumed) {
            let paused = |paused: bool| fields_of(&json!({"paused": paused}));
            let diff = FieldDiff { before: paused(true), after: paused(false) };
            let one = record_of(AuditAction::Updated, webhook, diff);
            record_one(&transaction, edit, one).await.map_err(store_error)?;
        }
        transaction.commit().await.map_err(store_error)?;
        Ok(webhook.map_or(Written::Missing, Written::Done))
    }
}

async fn note(transaction: &Transaction, delivery: &Delivery, outcome: &Outcome) -> Result<Noted, DbErr> {
    // Locks the webhook first: concurrent results wait here, and each reads the failures of those
    // before.
    let paused = if delivery.event_type == EventType::Test {
        false
    } else {
        count_failure(transaction, delivery.webhook, outcome).await?
    };
    let (status, next, ended) = match outcome.verdict {
        Verdict::Delivered => (DeliveryStatus::Delivered, None, Some(outcome.ended)),
        // Pending deliveries of a paused webhook are sent after it is resumed.
        Verdict::GivenUp if paused => (DeliveryStatus::Pending, None, None),
        Verdict::GivenUp => (DeliveryStatus::Failed, None, Some(outcome.ended)),
        Verdict::Retry(next) => (DeliveryStatus::Pending, Some(next), None),
    };
    let attempt = &outcome.attempt;
    let mut update = deliveries::Entity::update_many()
        .set(deliveries::ActiveModel {
            status: Set(status.code().to_owned()),
            next_attempt_at: Set(next.unwrap_or(DateTime::UNIX_EPOCH)),
            last_attempt_at: Set(Some(outcome.at)),
            status_code: Set(attempt.status_code.map(i32::from)),
            fault: Set(attempt.fault.map(|fault| fault.code().to_owned())),
            duration_ms: Set(Some((outcome.ended - outcome.at).num_milliseconds())),
            ended_at: Set(ended),
            ..deliveries::ActiveModel::default()
        })
        .col_expr(deliveries::Column::Attempts, Expr::col(deliveries::Column::Attempts).add(1))
        .filter(deliveries::Column::Id.eq(delivery.id))
        .filter(Expr::cust(PENDING));
    // A success is final, even if an admin has requested a retry meanwhile.
    if outcome.verdict != Verdict::Delivered {
        let attempts = i32::try_from(delivery.attempts).unwrap_or(i32::MAX);
        update = update.filter(deliveries::Column::Attempts.eq(attempts));
    }
    Ok(match update.exec(transaction).await?.rows_affected {
        1 if paused => Noted::Paused,
        1 => Noted::Done,
        _ => Noted::Overtaken,
    })
}

/// Counts consecutive failures of a receiver, and since when; returns whether its webhook is paused
/// now.
async fn count_failure(transaction: &Transaction, webhook: Id, outcome: &Outcome) -> Result<bool, DbErr> {
    let by_id = Column::Id.eq(webhook);
    if outcome.attempt.fault.is_none() {
        let row = ActiveModel { failures: Set(0), failing_since: Set(None), ..ActiveModel::default() };
        let update = Entity::update_many()
            .set(row)
            .filter(by_id)
            .filter(Column::Failures.gt(0))
            .filter(Column::PausedDate.is_null());
        update.exec(transaction).await?;
        return Ok(false);
    }
    let since = Func::coalesce([Expr::col(Column::FailingSince), outcome.ended.into()]);
    let update = Query::update()
        .table(Entity)
        .values([
            (Column::Failures, Expr::col(Column::Failures).add(1)),
            (Column::FailingSince, since.into()),
        ])
        .and_where(by_id.clone())
        .returning(Query::returning().columns([Column::Failures, Column::FailingSince]))
        .take();
    let Some(row) = transaction.query_one(&update).await? else { return Ok(false) };
    let failures: i32 = row.try_get("", "failures")?;
    let failing_since: DateTime<Utc> = row.try_get("", "failing_since")?;
    if !is_to_be_paused(u32::try_from(failures).unwrap_or(u32::MAX), failing_since, outcome.ended) {
        return Ok(false);
    }
    let row = ActiveModel {
        pause_status_code: Set(outcome.attempt.status_code.map(i32::from)),
        pause_fault: Set(outcome.attempt.fault.map(|fault| fault.code().to_owned())),
        ..ActiveModel::default()
    };
    let paused = Func::coalesce([Expr::col(Column::PausedDate), outcome.ended.into()]);
    let update = Entity::update_many().set(row).col_expr(Column::PausedDate, paused.into()).filter(by_id);
    update.exec(transaction).await?;
    Ok(true)
}
