//! Writes an operation: balances with a guard, the operation, and its two entries.

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_credits::{OperationType, Transfer};
use domain_kernel::{Enumeration, Id, Origin, Username};
use ports::{Edit, IdempotencyKey};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QueryTrait,
    sea_query::{Expr, ExprTrait, UpdateStatement},
};
use serde_json::json;

use super::{SeaOrmLedger, users::LedgerUserRow};
use crate::{
    audit::{Record, added, fields_of, record_one},
    db::transaction::Transaction,
    entities::{
        entries, operations,
        users::{self, Column},
    },
};

/// An operation to write.
pub(super) struct Operation<'a> {
    pub(super) uuid: &'a str,
    pub(super) performer: &'a LedgerUserRow,
    pub(super) kind: OperationType,
    pub(super) amount: i64,
    pub(super) reason: Option<&'a str>,
    pub(super) once: Option<&'a IdempotencyKey>,
    pub(super) reverses: Option<Id>,
    /// The user whose sales it is counted in.
    pub(super) seller: Option<Id>,
    pub(super) target: &'a LedgerUserRow,
    /// `None` for the issuer.
    pub(super) payer: Option<&'a LedgerUserRow>,
    pub(super) transfer: &'a Transfer,
    /// Its date, never before the last movement of either side.
    pub(super) at: DateTime<Utc>,
    /// The server's time, from which a first month is counted.
    pub(super) clock: DateTime<Utc>,
    /// The origin of the request.
    pub(super) origin: Origin,
}

impl Operation<'_> {
    /// The target's balance and sequence number before the operation.
    fn before(&self) -> (i64, i64) {
        let target = self.target;
        if self.kind.is_for_sale() {
            (target.stock, target.sale_seq)
        } else {
            (target.credits, target.app_seq)
        }
    }

    /// The payer, and the remaining stock.
    fn payment(&self) -> Option<(&LedgerUserRow, i64)> {
        self.payer.zip(self.transfer.payer_stock)
    }
}

impl SeaOrmLedger {
    /// Writes both balances, the operation and its two entries; returns the ID of the target's
    /// entry.
    pub(super) async fn move_credits(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
    ) -> Result<Id, DbErr> {
        self.write_target(transaction, operation).await?;
        self.write_payer(transaction, operation).await?;
        self.write_sales(transaction, operation).await?;
        let id = self.write_operation(transaction, operation).await?;
        let entry = self.write_target_entry(transaction, operation, id).await?;
        self.write_other_entry(transaction, operation, id).await?;
        self.record(transaction, operation, entry).await?;
        Ok(entry)
    }

    async fn record(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
        entry: Id,
    ) -> Result<(), DbErr> {
        let (by, target) = (Username::parse(&operation.performer.username), &operation.target.username);
        let edit = Edit { by, at: operation.clock, origin: operation.origin };
        let moved = Record {
            action: AuditAction::CreditsMoved,
            resource: "credits",
            item: target.to_ascii_lowercase(),
            title: target.clone(),
            version: None,
            diff: added(fields_of(&json!({
                "movementId": entry,
                "operationType": operation.kind.code(),
                "amount": operation.amount,
                "reason": operation.reason,
            }))),
        };
        record_one(transaction, &edit, moved).await
    }

    async fn write_target(&self, transaction: &Transaction, operation: &Operation<'_>) -> Result<(), DbErr> {
        let (for_sale, transfer) = (operation.kind.is_for_sale(), operation.transfer);
        let (balance, seq) = operation.before();
        let id = operation.target.id;
        let update = if for_sale {
            sale_balance(id, balance, seq, transfer.target.balance)
        } else {
            // The expiration is part of the user's form, so a change increments the version.
            let row = users::ActiveModel {
                credits: Set(transfer.target.balance),
                expiration_date: Set(transfer.target.expiration),
                subscription_started: Set(transfer.started),
                updated_date: Set(operation.at),
                ..users::ActiveModel::default()
            };
            users::Entity::update_many()
                .set(row)
                .col_expr(Column::AppSeq, Expr::col(Column::AppSeq).add(1))
                .col_expr(Column::Version, Expr::col(Column::Version).add(1))
                .filter(Column::Id.eq(id))
                .filter(Column::Credits.eq(balance))
                .filter(Column::AppSeq.eq(seq))
                .into_query()
        };
        self.guarded(transaction, &update).await
    }

    async fn write_payer(&self, transaction: &Transaction, operation: &Operation<'_>) -> Result<(), DbErr> {
        let Some((payer, stock)) = operation.payment() else { return Ok(()) };
        self.guarded(transaction, &sale_balance(payer.id, payer.stock, payer.sale_seq, stock)).await
    }

    async fn write_sales(&self, transaction: &Transaction, operation: &Operation<'_>) -> Result<(), DbErr> {
        let Some(seller) = operation.seller else { return Ok(()) };
        let update = users::Entity::update_many()
            .col_expr(Column::TotalSales, Expr::col(Column::TotalSales).add(operation.transfer.sold))
            .filter(Column::Id.eq(seller));
        self.guarded(transaction, &update.into_query()).await
    }

    async fn write_operation(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
    ) -> Result<Id, DbErr> {
        let (transfer, once) = (operation.transfer, operation.once);
        let starts = !operation.kind.is_for_sale() && transfer.starts(&operation.target.summary());
        let row = operations::ActiveModel {
            uuid: Set(operation.uuid.to_owned()),
            performer_id: Set(operation.performer.id),
            idempotency_key: Set(once.map(|once| once.key.clone())),
            fingerprint: Set(once.map(|once| once.fingerprint.clone())),
            operation_type: Set(operation.kind.code().to_owned()),
            amount: Set(operation.amount),
            reason: Set(operation.reason.map(str::to_owned)),
            sold: Set(transfer.sold),
            seller_id: Set(operation.seller),
            reverses_id: Set(operation.reverses),
            started_subscription: Set(starts),
            clock_date: Set(Some(operation.clock).filter(|clock| *clock != operation.at)),
            operation_date: Set(operation.at),
            ..operations::ActiveModel::default()
        };
        let mut insert = operations::Entity::insert(row).into_query();
        inserted_id(&self.query(transaction, insert.returning_col(operations::Column::Id)).await?)
    }

    async fn write_target_entry(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
        id: Id,
    ) -> Result<Id, DbErr> {
        let (target, transfer) = (operation.target, operation.transfer);
        let (balance, seq) = operation.before();
        let (account, expirations) = if operation.kind.is_for_sale() {
            ("SALE", (None, None))
        } else {
            ("APP", (target.expiration, transfer.target.expiration))
        };
        let row = entries::ActiveModel {
            operation_id: Set(id),
            leg: Set(0),
            account: Set(account.to_owned()),
            user_id: Set(Some(target.id)),
            seq: Set(Some(seq + 1)),
            delta: Set(transfer.change),
            balance_before: Set(Some(balance)),
            balance_after: Set(Some(transfer.target.balance)),
            expiration_before: Set(expirations.0),
            expiration_after: Set(expirations.1),
            performer_id: Set(operation.performer.id),
            operation_date: Set(operation.at),
            ..entries::ActiveModel::default()
        };
        let mut insert = entries::Entity::insert(row).into_query();
        inserted_id(&self.query(transaction, insert.returning_col(entries::Column::Id)).await?)
    }

    /// The entry of the payer or of the issuer.
    async fn write_other_entry(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
        id: Id,
    ) -> Result<(), DbErr> {
        let row = entries::ActiveModel {
            operation_id: Set(id),
            leg: Set(1),
            delta: Set(-operation.transfer.change),
            performer_id: Set(operation.performer.id),
            operation_date: Set(operation.at),
            ..entries::ActiveModel::default()
        };
        let row = if let Some((payer, stock)) = operation.payment() {
            entries::ActiveModel {
                account: Set("SALE".to_owned()),
                user_id: Set(Some(payer.id)),
                seq: Set(Some(payer.sale_seq + 1)),
                balance_before: Set(Some(payer.stock)),
                balance_after: Set(Some(stock)),
                ..row
            }
        } else {
            entries::ActiveModel { account: Set("HOUSE".to_owned()), ..row }
        };
        self.execute(transaction, &entries::Entity::insert(row).into_query()).await.map(drop)
    }

    /// Writes a balance only if it still has the value that was read.
    async fn guarded(&self, transaction: &Transaction, update: &UpdateStatement) -> Result<(), DbErr> {
        match self.execute(transaction, update).await? {
            1 => Ok(()),
            _ => Err(DbErr::Custom("a locked balance was changed".into())),
        }
    }
}

/// Writes an agent's stock with its sequence number, if it still has the value that was read.
fn sale_balance(id: Id, balance: i64, seq: i64, new: i64) -> UpdateStatement {
    users::Entity::update_many()
        .set(users::ActiveModel { sale_credits: Set(new), ..users::ActiveModel::default() })
        .col_expr(Column::SaleSeq, Expr::col(Column::SaleSeq).add(1))
        .filter(Column::Id.eq(id))
        .filter(Column::SaleCredits.eq(balance))
        .filter(Column::SaleSeq.eq(seq))
        .into_query()
}

fn inserted_id(rows: &[QueryResult]) -> Result<Id, DbErr> {
    rows.first().ok_or_else(|| DbErr::Custom("an insert without a row".into()))?.try_get("", "id")
}
