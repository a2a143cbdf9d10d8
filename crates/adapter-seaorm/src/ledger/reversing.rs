//! Reversals of earlier operations.

use chrono::{DateTime, Utc};
use domain_credits::{OperationType, Refusal, Reversed, reverse};
use domain_kernel::{Enumeration, Id};
use ports::{Edit, Inserted, OrderConflict, Posted, ReversalOrder};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QuerySelect, QueryTrait};

use super::{
    SeaOrmLedger,
    posting::{Earlier, monotone},
    users::LedgerUserRow,
    writing::Operation,
};
use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::operations,
};

/// An operation with its two entries and their users, by the ID of an entry: six lookups by primary
/// and unique keys. Raw: columns of six joined tables under other names.
const SELECT_ORIGINAL: &str = "SELECT o.id, o.operation_type, o.amount, o.sold, o.imported, o.started_subscription, \
     o.reverses_id IS NOT NULL AS is_reversal, o.operation_date, o.performer_id, p.user_id AS payer_id, t.seq, \
     t.expiration_before, t.expiration_after, tu.username_key AS target, \
     pu.username_key AS payer, su.username_key AS seller \
     FROM entries e JOIN operations o ON o.id = e.operation_id \
     JOIN entries t ON t.operation_id = o.id AND t.leg = 0 JOIN users tu ON tu.id = t.user_id \
     JOIN entries p ON p.operation_id = o.id AND p.leg = 1 LEFT JOIN users pu ON pu.id = p.user_id \
     LEFT JOIN users su ON su.id = o.seller_id \
     WHERE e.user_id IS NOT NULL AND e.id = ";

/// The operation to reverse, and the keys of its users.
pub(super) struct Original {
    pub(super) id: Id,
    pub(super) reversed: Reversed,
    /// The number of the target's entry in its account.
    seq: i64,
    /// The performer, if the same user paid.
    pub(super) own_of: Option<Id>,
    pub(super) target: String,
    payer: Option<String>,
    seller: Option<String>,
}

impl Original {
    fn read(row: &QueryResult) -> Result<Self, DbErr> {
        let kind: String = row.try_get("", "operation_type")?;
        let operation = OperationType::from_code(&kind)
            .ok_or_else(|| DbErr::Custom(format!("an unknown operation, {kind}")))?;
        let imported: bool = row.try_get("", "imported")?;
        let performer: Id = row.try_get("", "performer_id")?;
        let payer: Option<Id> = row.try_get("", "payer_id")?;
        Ok(Self {
            id: row.try_get("", "id")?,
            reversed: Reversed {
                operation,
                amount: row.try_get("", "amount")?,
                expiration_before: row.try_get("", "expiration_before")?,
                expiration_after: row.try_get("", "expiration_after")?,
                moved_expiration: !imported && !operation.is_for_sale(),
                started_subscription: row.try_get("", "started_subscription")?,
                sold: row.try_get("", "sold")?,
                is_reversal: row.try_get("", "is_reversal")?,
                is_reversed: false,
                imported,
                at: row.try_get("", "operation_date")?,
                is_own: false,
                is_last: false,
            },
            seq: row.try_get("", "seq")?,
            own_of: payer.filter(|payer| *payer == performer),
            target: row.try_get("", "target")?,
            payer: row.try_get("", "payer")?,
            seller: row.try_get("", "seller")?,
        })
    }

    /// The keys of the users whose rows a reversal locks.
    fn keys(&self, performer: &str) -> Vec<String> {
        let keys =
            [Some(performer), Some(self.target.as_str()), self.payer.as_deref(), self.seller.as_deref()];
        keys.into_iter().flatten().map(str::to_owned).collect()
    }
}

impl SeaOrmLedger {
    pub(super) async fn try_reverse(
        &self,
        order: &ReversalOrder,
        uuid: &str,
        now: DateTime<Utc>,
    ) -> Result<Posted, DbErr> {
        let transaction = self.begin().await?;
        let Some(original) = self.original(&transaction, order.movement).await? else {
            return Ok(Inserted::Conflict(OrderConflict::Hidden));
        };
        let performer_key = order.performer.key();
        let users = self.locked_users(&transaction, &original.keys(&performer_key)).await?;
        let named = |key: &str| users.iter().find(|row| row.username.eq_ignore_ascii_case(key));
        let Some(performer) = named(&performer_key) else {
            return Ok(Inserted::Conflict(OrderConflict::Refused(Refusal::NotActive)));
        };
        match self.earlier(&transaction, performer, order.once.as_ref()).await? {
            Earlier::None => {}
            Earlier::KeyReused => return Ok(Inserted::KeyReused),
            Earlier::Replayed(id) => return self.replayed(&transaction, id).await,
        }
        let Some(target) = named(&original.target).filter(|target| performer.sees(target)) else {
            return Ok(Inserted::Conflict(OrderConflict::Hidden));
        };
        let payer = original.payer.as_deref().and_then(named);
        let seller = original.seller.as_deref().and_then(named);
        let reversed = self.locked_state(&transaction, &original, performer, target).await?;
        let paying = payer.map(LedgerUserRow::summary);
        let manages = performer.manages(target);
        let transfer = match reverse(
            &reversed,
            &performer.summary(),
            &target.summary(),
            paying.as_ref(),
            manages,
            now,
        ) {
            Ok(transfer) => transfer,
            Err(refusal) => return Ok(Inserted::Conflict(OrderConflict::Refused(refusal))),
        };
        let operation = Operation {
            uuid,
            performer,
            kind: reversed.operation.inverse(),
            amount: reversed.amount,
            reason: order.reason.as_deref(),
            once: order.once.as_ref(),
            reverses: Some(original.id),
            seller: seller.map(|seller| seller.id),
            target,
            payer,
            transfer: &transfer,
            at: monotone(now, [target.last, payer.and_then(|payer| payer.last)]),
            clock: now,
            origin: order.origin,
        };
        let id = self.move_credits(&transaction, &operation).await?;
        if !self.approve(&transaction, original.id, order, performer, now).await? {
            return Ok(Inserted::Conflict(OrderConflict::Refused(Refusal::AlreadyDecided)));
        }
        self.finish(transaction, id).await
    }

    /// The operation with its state under the lock: of two reversals of one operation the second
    /// waits for the row of the target.
    async fn locked_state(
        &self,
        transaction: &Transaction,
        original: &Original,
        performer: &LedgerUserRow,
        target: &LedgerUserRow,
    ) -> Result<Reversed, DbErr> {
        let is_reversed = self.is_reversed(transaction, original.id).await?;
        let count = if original.reversed.operation.is_for_sale() { target.sale_seq } else { target.app_seq };
        Ok(Reversed {
            is_reversed,
            is_own: original.own_of == Some(performer.id),
            is_last: original.seq == count,
            ..original.reversed
        })
    }

    /// Approves the pending request for the operation. `false` if the order names a request that was
    /// declined meanwhile: then nothing may be written.
    async fn approve(
        &self,
        transaction: &Transaction,
        operation: Id,
        order: &ReversalOrder,
        performer: &LedgerUserRow,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let reason = order.reason.as_deref();
        let edit = Edit { by: Some(order.performer.clone()), at: now, origin: order.origin };
        let approved =
            self.approve_pending(transaction, operation, order.request, performer, reason, &edit).await?;
        Ok(order.request.is_none() || approved > 0)
    }

    pub(super) async fn original(
        &self,
        transaction: &Transaction,
        movement: Id,
    ) -> Result<Option<Original>, DbErr> {
        let mut sql = Sql::new(SELECT_ORIGINAL);
        sql.bind(movement);
        self.rows(transaction, sql).await?.first().map(Original::read).transpose()
    }

    pub(super) async fn is_reversed(&self, transaction: &Transaction, operation: Id) -> Result<bool, DbErr> {
        let query = operations::Entity::find()
            .select_only()
            .column(operations::Column::Id)
            .filter(operations::Column::ReversesId.eq(operation));
        Ok(!self.query(transaction, &query.into_query()).await?.is_empty())
    }
}
