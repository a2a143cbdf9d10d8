//! Posts operations in one transaction: both users are read with a lock, in the order of their IDs
//! so that two opposite transfers can't deadlock; the domain decides; both balances are written
//! with a guard, then the operation and its two entries. The response follows the commit.

use chrono::{DateTime, Utc};
use domain_credits::{Movement, Quote, Refusal, decide, quote};
use domain_kernel::Id;
use ports::{
    CreditOrder, IdempotencyKey, Inserted, OrderConflict, Posted, Quoted, ReversalOrder, StoreError,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
};
use uuid::Uuid;

use super::{SeaOrmLedger, history::movement_of, users::LedgerUserRow, writing::Operation};
use crate::{
    db::{
        error::{db_error, is_overtaken, store_error},
        retries::tried,
        transaction::Transaction,
    },
    entities::{entries, operations},
};

/// The earlier use of an idempotency key.
pub(super) enum Earlier {
    None,
    /// The same request: its movement.
    Replayed(Id),
    KeyReused,
}

impl SeaOrmLedger {
    pub(super) async fn post_once(
        &self,
        order: &CreditOrder,
        now: DateTime<Utc>,
    ) -> Result<Posted, StoreError> {
        let uuid = Uuid::new_v4().to_string();
        self.confirmed(tried(is_overtaken, || self.try_post(order, &uuid, now)).await, &uuid).await
    }

    pub(super) async fn reverse_once(
        &self,
        order: &ReversalOrder,
        now: DateTime<Utc>,
    ) -> Result<Posted, StoreError> {
        let uuid = Uuid::new_v4().to_string();
        self.confirmed(tried(is_overtaken, || self.try_reverse(order, &uuid, now)).await, &uuid).await
    }

    /// The outcome of a transaction. After a failed commit the operation may have been stored: it
    /// is looked up by its UUID, which was generated before the first attempt.
    async fn confirmed(&self, outcome: Result<Posted, DbErr>, uuid: &str) -> Result<Posted, StoreError> {
        let error = match outcome {
            Ok(posted) => return Ok(posted),
            Err(error) => error,
        };
        let query = select_target_entry().filter(operations::Column::Uuid.eq(uuid)).into_query();
        let found = self.database.writer.query_one(&query).await;
        match found {
            Ok(Some(row)) => {
                let id: Id = row.try_get("", "id").map_err(store_error)?;
                let written = movement_of(&self.database.writer, id).await?;
                written.map(Inserted::New).ok_or_else(|| store_error(error))
            }
            Ok(None) => Err(store_error(error)),
            Err(away) => Err(StoreError::Unavailable(format!("{error}; and then {away}"))),
        }
    }

    async fn try_post(&self, order: &CreditOrder, uuid: &str, now: DateTime<Utc>) -> Result<Posted, DbErr> {
        let transaction = self.begin().await?;
        let users = self.locked_users(&transaction, &[order.performer.key(), order.target.key()]).await?;
        let Some(performer) = users.iter().find(|row| row.is(&order.performer)) else {
            return Ok(Inserted::Conflict(OrderConflict::Refused(Refusal::NotActive)));
        };
        match self.earlier(&transaction, performer, order.once.as_ref()).await? {
            Earlier::None => {}
            Earlier::KeyReused => return Ok(Inserted::KeyReused),
            Earlier::Replayed(id) => return self.replayed(&transaction, id).await,
        }
        let target = users.iter().find(|row| row.is(&order.target)).filter(|target| performer.sees(target));
        let Some(target) = target else { return Ok(Inserted::Conflict(OrderConflict::Hidden)) };
        let (performing, targeted) = (performer.summary(), target.summary());
        let manages = performer.manages(target);
        let transfer = match decide(order.operation, order.amount, &performing, &targeted, manages, now) {
            Ok(transfer) => transfer,
            Err(refusal) => return Ok(Inserted::Conflict(OrderConflict::Refused(refusal))),
        };
        if let Some(Err(refusal)) = order.expected.map(|expected| expected.check(order.operation, &targeted))
        {
            return Ok(Inserted::Conflict(OrderConflict::Refused(refusal)));
        }
        let operation = Operation {
            uuid,
            performer,
            kind: order.operation,
            amount: order.amount,
            reason: order.reason.as_deref(),
            once: order.once.as_ref(),
            reverses: None,
            seller: (transfer.sold != 0).then_some(performer.id),
            target,
            payer: transfer.payer_stock.map(|_| performer),
            transfer: &transfer,
            at: monotone(now, [performer.last, target.last]),
            clock: now,
            origin: order.origin,
        };
        let id = self.move_credits(&transaction, &operation).await?;
        self.finish(transaction, id).await
    }

    pub(super) async fn quoted(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Quoted, StoreError> {
        let keys = [order.performer.key(), order.target.key()];
        let rows = self.unlocked(&keys).await?;
        let Some(performer) = rows.iter().find(|row| row.is(&order.performer)) else {
            return Ok(Quoted::Refused(Refusal::NotActive));
        };
        let target = rows.iter().find(|row| row.is(&order.target)).filter(|target| performer.sees(target));
        let Some(target) = target else { return Ok(Quoted::Hidden) };
        let quoted: Result<Quote, Refusal> = quote(
            order.operation,
            order.amount,
            &performer.summary(),
            &target.summary(),
            performer.manages(target),
            now,
        );
        Ok(quoted.map_or_else(Quoted::Refused, Quoted::Quote))
    }

    pub(super) async fn earlier(
        &self,
        transaction: &Transaction,
        performer: &LedgerUserRow,
        once: Option<&IdempotencyKey>,
    ) -> Result<Earlier, DbErr> {
        let Some(once) = once else { return Ok(Earlier::None) };
        let query = select_target_entry()
            .column(operations::Column::Fingerprint)
            .filter(operations::Column::PerformerId.eq(performer.id))
            .filter(operations::Column::IdempotencyKey.eq(once.key.as_str()));
        let rows = self.query(transaction, &query.into_query()).await?;
        let Some(row) = rows.first() else { return Ok(Earlier::None) };
        let same = row.try_get::<String>("", "fingerprint")? == once.fingerprint;
        Ok(if same { Earlier::Replayed(row.try_get("", "id")?) } else { Earlier::KeyReused })
    }

    pub(super) async fn replayed(&self, transaction: &Transaction, id: Id) -> Result<Posted, DbErr> {
        let first = movement_of(transaction, id).await.map_err(db_error)?;
        let first = first.ok_or_else(|| DbErr::Custom("the first response is missing".into()))?;
        // The first response, independent of later changes.
        Ok(Inserted::Replayed(Movement { reversed: false, ..first }))
    }

    pub(super) async fn finish(&self, transaction: Transaction, id: Id) -> Result<Posted, DbErr> {
        let movement = movement_of(&transaction, id).await.map_err(db_error)?;
        let movement =
            movement.ok_or_else(|| DbErr::Custom("a movement is missing in its transaction".into()))?;
        self.commit(transaction).await?;
        Ok(Inserted::New(movement))
    }
}

/// The ids of the targets' entries, with their operations.
fn select_target_entry() -> Select<entries::Entity> {
    entries::Entity::find()
        .select_only()
        .column(entries::Column::Id)
        .inner_join(operations::Entity)
        .filter(entries::Column::Leg.eq(0))
}

/// The server's time, but never before an account's last movement: a clock may be set back, the
/// history must be ordered.
pub(super) fn monotone(now: DateTime<Utc>, last: [Option<DateTime<Utc>>; 2]) -> DateTime<Utc> {
    last.into_iter().flatten().fold(now, DateTime::max)
}
