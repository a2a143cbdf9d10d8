//! Writes an operation: balances with a guard, the operation, and its two entries.

use chrono::{DateTime, Utc};
use domain_credits::{OperationType, Transfer};
use domain_kernel::{Enumeration, Id};
use ports::IdempotencyKey;
use sea_orm::{DbErr, QueryResult};

use super::{SeaOrmLedger, users::LedgerUser};
use crate::db::{sql::Sql, transaction::Transaction};

const INSERT_OPERATION: &str = "INSERT INTO operations (uuid, performer_id, idempotency_key, fingerprint, operation_type, amount, reason, \
     sold, seller_id, reverses_id, started_subscription, clock_date, operation_date) VALUES (";
const INSERT_ENTRY: &str = "INSERT INTO entries (operation_id, leg, account, user_id, seq, delta, balance_before, balance_after, \
     expiration_before, expiration_after, performer_id, operation_date) VALUES (";

/// An operation that was decided.
pub(super) struct Operation<'a> {
    pub(super) uuid: &'a str,
    pub(super) performer: &'a LedgerUser,
    pub(super) kind: OperationType,
    pub(super) amount: i64,
    pub(super) reason: Option<&'a str>,
    pub(super) once: Option<&'a IdempotencyKey>,
    pub(super) reverses: Option<Id>,
    /// The user among whose sales it counts.
    pub(super) seller: Option<Id>,
    pub(super) target: &'a LedgerUser,
    /// `None` for the issuer.
    pub(super) payer: Option<&'a LedgerUser>,
    pub(super) transfer: &'a Transfer,
    /// Its date, never before the last movement of either side.
    pub(super) at: DateTime<Utc>,
    /// The server's clock, from which a first month runs.
    pub(super) clock: DateTime<Utc>,
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

    /// The payer, and the stock that is left.
    fn payment(&self) -> Option<(&LedgerUser, i64)> {
        self.payer.zip(self.transfer.payer_stock)
    }
}

impl SeaOrmLedger {
    /// Writes both balances, the operation and its two entries; answers the id of the target's entry.
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
        Ok(entry)
    }

    async fn write_target(&self, transaction: &Transaction, operation: &Operation<'_>) -> Result<(), DbErr> {
        let (for_sale, transfer) = (operation.kind.is_for_sale(), operation.transfer);
        let (balance, seq) = operation.before();
        let mut sql = Sql::new("UPDATE users SET ");
        if for_sale {
            sql.push("sale_credits = ").bind(transfer.target.balance).push(", sale_seq = sale_seq + 1");
        } else {
            sql.push("credits = ").bind(transfer.target.balance).push(", app_seq = app_seq + 1");
            // The expiration is part of the user's form: an open form must learn that it changed.
            sql.push(", expiration_date = ").bind(transfer.target.expiration);
            sql.push(", subscription_started = ").bind(transfer.started);
            sql.push(", version = version + 1, updated_date = ").bind(operation.at);
        }
        sql.push(" WHERE id = ").bind(operation.target.id);
        sql.push(if for_sale { " AND sale_credits = " } else { " AND credits = " }).bind(balance);
        sql.push(if for_sale { " AND sale_seq = " } else { " AND app_seq = " }).bind(seq);
        self.guarded(transaction, sql).await
    }

    async fn write_payer(&self, transaction: &Transaction, operation: &Operation<'_>) -> Result<(), DbErr> {
        let Some((payer, stock)) = operation.payment() else { return Ok(()) };
        let mut sql = Sql::new("UPDATE users SET sale_credits = ");
        sql.bind(stock).push(", sale_seq = sale_seq + 1");
        sql.push(" WHERE id = ").bind(payer.id).push(" AND sale_credits = ").bind(payer.stock);
        sql.push(" AND sale_seq = ").bind(payer.sale_seq);
        self.guarded(transaction, sql).await
    }

    async fn write_sales(&self, transaction: &Transaction, operation: &Operation<'_>) -> Result<(), DbErr> {
        let Some(seller) = operation.seller else { return Ok(()) };
        let mut sql = Sql::new("UPDATE users SET total_sales = total_sales + ");
        sql.bind(operation.transfer.sold).push(" WHERE id = ").bind(seller);
        self.guarded(transaction, sql).await
    }

    async fn write_operation(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
    ) -> Result<Id, DbErr> {
        let (transfer, once) = (operation.transfer, operation.once);
        let starts = !operation.kind.is_for_sale() && transfer.starts(&operation.target.party());
        let mut sql = Sql::new(INSERT_OPERATION);
        sql.bind(operation.uuid).push(", ").bind(operation.performer.id).push(", ");
        sql.bind(once.map(|once| once.key.clone())).push(", ");
        sql.bind(once.map(|once| once.fingerprint.clone())).push(", ");
        sql.bind(operation.kind.code()).push(", ").bind(operation.amount).push(", ");
        sql.bind(operation.reason.map(str::to_owned)).push(", ").bind(transfer.sold).push(", ");
        sql.bind(operation.seller).push(", ").bind(operation.reverses).push(", ").bind(starts).push(", ");
        sql.bind(Some(operation.clock).filter(|clock| *clock != operation.at)).push(", ");
        sql.bind(operation.at).push(") RETURNING id");
        inserted_id(&self.rows(transaction, sql).await?)
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
        let mut sql = Sql::new(INSERT_ENTRY);
        sql.bind(id).push(", 0, ").bind(account).push(", ");
        sql.bind(target.id).push(", ").bind(seq + 1).push(", ").bind(transfer.change).push(", ");
        sql.bind(balance).push(", ").bind(transfer.target.balance).push(", ");
        sql.bind(expirations.0).push(", ").bind(expirations.1).push(", ");
        sql.bind(operation.performer.id).push(", ").bind(operation.at).push(") RETURNING id");
        inserted_id(&self.rows(transaction, sql).await?)
    }

    /// The entry of the payer or of the issuer.
    async fn write_other_entry(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
        id: Id,
    ) -> Result<(), DbErr> {
        let change = -operation.transfer.change;
        let mut sql = Sql::new(INSERT_ENTRY);
        sql.bind(id);
        if let Some((payer, stock)) = operation.payment() {
            sql.push(", 1, 'SALE', ").bind(payer.id).push(", ").bind(payer.sale_seq + 1).push(", ");
            sql.bind(change).push(", ").bind(payer.stock).push(", ").bind(stock);
        } else {
            sql.push(", 1, 'HOUSE', NULL, NULL, ").bind(change).push(", NULL, NULL");
        }
        sql.push(", NULL, NULL, ").bind(operation.performer.id).push(", ").bind(operation.at).push(")");
        self.write(transaction, sql).await.map(drop)
    }

    /// A balance is written only over the one that was read.
    async fn guarded(&self, transaction: &Transaction, sql: Sql) -> Result<(), DbErr> {
        match self.write(transaction, sql).await? {
            1 => Ok(()),
            _ => Err(DbErr::Custom("a balance changed under its lock".into())),
        }
    }
}

fn inserted_id(rows: &[QueryResult]) -> Result<Id, DbErr> {
    rows.first().ok_or_else(|| DbErr::Custom("an insert without a row".into()))?.try_get("", "id")
}
