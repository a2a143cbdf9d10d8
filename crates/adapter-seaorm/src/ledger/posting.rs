//! Moving credits. One transaction: both parties are read under a lock, in the order of their ids so that two transfers
//! that cross can't stop each other; the domain decides; both balances are written with a guard; then the operation
//! and its two entries. It is answered after the commit, never before.

use chrono::{DateTime, Utc};
use domain_credits::{
    Holding, Movement, OperationType, Party, Quote, Refusal, Reversed, Transfer, decide, quote, take_back,
};
use domain_kernel::{Enumeration, Id, RoleCode, Username};
use domain_users::{UserStatus, manages};
use ports::{CreditOrder, IdempotencyKey, Posted, Quoted, ReversalOrder, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult};
use uuid::Uuid;

use super::{SeaOrmLedger, history::movement_of};
use crate::{
    error::{db_error, is_overtaken, store_error},
    people::{role, status},
    retries::tried,
    sql::Sql,
    transaction::Transaction,
};

/// A user's row as a posting needs it.
#[derive(Debug, Clone)]
struct Row {
    id: Id,
    username: String,
    role: RoleCode,
    status: UserStatus,
    lineage: String,
    credits: i64,
    stock: i64,
    app_seq: i64,
    sale_seq: i64,
    expiration: Option<DateTime<Utc>>,
    started: bool,
    /// When their last movement was.
    last: Option<DateTime<Utc>>,
}

const COLUMNS: &str = "u.id, u.username, u.role, u.status, u.lineage, u.credits, u.sale_credits, u.app_seq, u.sale_seq, \
     u.expiration_date, u.subscription_started, (SELECT max(e.operation_date) FROM entries e WHERE e.user_id = u.id) AS last_date";

impl Row {
    fn read(row: &QueryResult) -> Result<Self, DbErr> {
        let text = |column: &str| row.try_get::<String>("", column);
        Ok(Self {
            id: row.try_get("", "id")?,
            username: text("username")?,
            role: role(&text("role")?).map_err(db_error)?,
            status: status(&text("status")?).map_err(db_error)?,
            lineage: text("lineage")?,
            credits: row.try_get("", "credits")?,
            stock: row.try_get("", "sale_credits")?,
            app_seq: row.try_get("", "app_seq")?,
            sale_seq: row.try_get("", "sale_seq")?,
            expiration: row.try_get("", "expiration_date")?,
            started: row.try_get("", "subscription_started")?,
            last: row.try_get("", "last_date")?,
        })
    }

    fn party(&self) -> Party {
        Party {
            role: self.role,
            active: self.status == UserStatus::Active,
            app: Holding { balance: self.credits, expiration: self.expiration },
            started: self.started,
            stock: self.stock,
        }
    }

    fn is(&self, username: &Username) -> bool {
        self.username.eq_ignore_ascii_case(username.as_str())
    }

    /// Whether this one sees the other at all: agents see their subtree and themselves.
    fn sees(&self, other: &Self) -> bool {
        match self.role {
            RoleCode::Superadmin | RoleCode::Admin => true,
            RoleCode::Agent => {
                self.id == other.id || other.lineage.starts_with(&format!("{}{}/", self.lineage, self.id))
            }
            RoleCode::ContentManager | RoleCode::App => false,
        }
    }

    fn manages(&self, other: &Self) -> bool {
        self.id != other.id && manages(self.role, other.role)
    }
}

/// What is written down of an operation.
struct Operation<'a> {
    uuid: &'a str,
    performer: &'a Row,
    kind: OperationType,
    amount: i64,
    reason: Option<&'a str>,
    once: Option<&'a IdempotencyKey>,
    reverses: Option<Id>,
    /// Whose sales it counts among.
    seller: Option<Id>,
    /// When it was, never before the last movement of either side.
    at: DateTime<Utc>,
    /// The server's clock: from here a first month runs.
    clock: DateTime<Utc>,
}

/// The first answer of a key that was used before.
enum Before {
    Never,
    Same(Id),
    Other,
}

impl SeaOrmLedger {
    fn backend(&self) -> DbBackend {
        self.database.backend()
    }

    async fn rows(&self, transaction: &Transaction, sql: Sql) -> Result<Vec<QueryResult>, DbErr> {
        self.faults.pass()?;
        transaction.query_all_raw(sql.statement(self.backend())).await
    }

    async fn write(&self, transaction: &Transaction, sql: Sql) -> Result<u64, DbErr> {
        self.faults.pass()?;
        Ok(transaction.execute_raw(sql.statement(self.backend())).await?.rows_affected())
    }

    async fn begin(&self) -> Result<Transaction, DbErr> {
        self.faults.pass()?;
        self.database.begin().await
    }

    async fn commit(&self, transaction: Transaction) -> Result<(), DbErr> {
        self.faults.pass()?;
        transaction.commit().await?;
        self.faults.pass()
    }

    pub(super) async fn post_once(
        &self,
        order: &CreditOrder,
        now: DateTime<Utc>,
    ) -> Result<Posted, StoreError> {
        let uuid = Uuid::new_v4().to_string();
        self.settled(tried(is_overtaken, || self.try_post(order, &uuid, now)).await, &uuid).await
    }

    pub(super) async fn reverse_once(
        &self,
        order: &ReversalOrder,
        now: DateTime<Utc>,
    ) -> Result<Posted, StoreError> {
        let uuid = Uuid::new_v4().to_string();
        self.settled(tried(is_overtaken, || self.try_reverse(order, &uuid, now)).await, &uuid).await
    }

    /// What became of a transaction. Where it failed at its very end nobody knows whether it was written: its uuid,
    /// made before the first try, tells.
    async fn settled(&self, outcome: Result<Posted, DbErr>, uuid: &str) -> Result<Posted, StoreError> {
        let error = match outcome {
            Ok(posted) => return Ok(posted),
            Err(error) => error,
        };
        let mut sql = Sql::new(
            "SELECT e.id FROM operations o JOIN entries e ON e.operation_id = o.id AND e.leg = 0 WHERE o.uuid = ",
        );
        sql.bind(uuid);
        let found = self.database.writer.query_one_raw(sql.statement(self.backend())).await;
        match found {
            Ok(Some(row)) => {
                let id: Id = row.try_get("", "id").map_err(store_error)?;
                let written = movement_of(&self.database.writer, id).await?;
                written.map(Posted::Done).ok_or_else(|| store_error(error))
            }
            Ok(None) => Err(store_error(error)),
            Err(away) => Err(StoreError::Unavailable(format!("{error}; and then {away}"))),
        }
    }

    async fn try_post(&self, order: &CreditOrder, uuid: &str, now: DateTime<Utc>) -> Result<Posted, DbErr> {
        let transaction = self.begin().await?;
        let parties = self.parties(&transaction, &[order.performer.key(), order.target.key()]).await?;
        let Some(performer) = parties.iter().find(|row| row.is(&order.performer)) else {
            return Ok(Posted::Refused(Refusal::NotActive));
        };
        match self.done_before(&transaction, performer, order.once.as_ref()).await? {
            Before::Never => {}
            Before::Other => return Ok(Posted::KeyReused),
            Before::Same(id) => return self.again(&transaction, id).await,
        }
        let target = parties.iter().find(|row| row.is(&order.target)).filter(|target| performer.sees(target));
        let Some(target) = target else { return Ok(Posted::Hidden) };
        let at = monotone(now, [performer.last, target.last]);
        let (performing, targeted) = (performer.party(), target.party());
        let manages = performer.manages(target);
        let transfer = match decide(order.operation, order.amount, &performing, &targeted, manages, now) {
            Ok(transfer) => transfer,
            Err(refusal) => return Ok(Posted::Refused(refusal)),
        };
        let operation = Operation {
            uuid,
            performer,
            kind: order.operation,
            amount: order.amount,
            reason: order.reason.as_deref(),
            once: order.once.as_ref(),
            reverses: None,
            seller: (transfer.sold != 0).then_some(performer.id),
            at,
            clock: now,
        };
        let payer = transfer.payer_stock.map(|_| performer);
        let id = self.move_credits(&transaction, &operation, target, payer, &transfer).await?;
        self.finish(transaction, id).await
    }

    async fn try_reverse(
        &self,
        order: &ReversalOrder,
        uuid: &str,
        now: DateTime<Utc>,
    ) -> Result<Posted, DbErr> {
        let transaction = self.begin().await?;
        let mut sql = Sql::new(
            "SELECT o.id, o.operation_type, o.amount, o.sold, o.imported, o.started_subscription, o.reverses_id IS NOT NULL AS is_reversal, \
             t.expiration_before, t.expiration_after, tu.username_key AS target, pu.username_key AS payer, \
             su.username_key AS seller \
             FROM entries e JOIN operations o ON o.id = e.operation_id \
             JOIN entries t ON t.operation_id = o.id AND t.leg = 0 JOIN users tu ON tu.id = t.user_id \
             JOIN entries p ON p.operation_id = o.id AND p.leg = 1 LEFT JOIN users pu ON pu.id = p.user_id \
             LEFT JOIN users su ON su.id = o.seller_id \
             WHERE e.user_id IS NOT NULL AND e.id = ",
        );
        sql.bind(order.movement);
        let found = self.rows(&transaction, sql).await?;
        let Some(found) = found.first() else { return Ok(Posted::Hidden) };
        let original: Id = found.try_get("", "id")?;
        let target: String = found.try_get("", "target")?;
        let payer: Option<String> = found.try_get("", "payer")?;
        let seller: Option<String> = found.try_get("", "seller")?;
        let names: Vec<String> =
            [Some(order.performer.key()), Some(target.clone()), payer.clone(), seller.clone()]
                .into_iter()
                .flatten()
                .collect();
        let parties = self.parties(&transaction, &names).await?;
        let named = |key: &str| parties.iter().find(|row| row.username.eq_ignore_ascii_case(key));
        let Some(performer) = named(&order.performer.key()) else {
            return Ok(Posted::Refused(Refusal::NotActive));
        };
        match self.done_before(&transaction, performer, order.once.as_ref()).await? {
            Before::Never => {}
            Before::Other => return Ok(Posted::KeyReused),
            Before::Same(id) => return self.again(&transaction, id).await,
        }
        let Some(target) = named(&target).filter(|target| performer.sees(target)) else {
            return Ok(Posted::Hidden);
        };
        let (payer, seller) = (payer.as_deref().and_then(named), seller.as_deref().and_then(named));
        // Tested under the lock: two reversals of one operation queue at the row of the target.
        let mut sql = Sql::new("SELECT id FROM operations WHERE reverses_id = ");
        sql.bind(original);
        let is_reversed = !self.rows(&transaction, sql).await?.is_empty();
        let kind: String = found.try_get("", "operation_type")?;
        let kind = OperationType::from_code(&kind)
            .ok_or_else(|| DbErr::Custom(format!("an unknown operation, {kind}")))?;
        let imported: bool = found.try_get("", "imported")?;
        let before = Reversed {
            operation: kind,
            amount: found.try_get("", "amount")?,
            expiration_before: found.try_get("", "expiration_before")?,
            expiration_after: found.try_get("", "expiration_after")?,
            moved_expiration: !imported && !kind.is_for_sale(),
            started_subscription: found.try_get("", "started_subscription")?,
            sold: found.try_get("", "sold")?,
            is_reversal: found.try_get("", "is_reversal")?,
            is_reversed,
        };
        let at = monotone(now, [target.last, payer.and_then(|payer| payer.last)]);
        let paying = payer.map(Row::party);
        let manages = performer.manages(target);
        let transfer =
            match take_back(&before, &performer.party(), &target.party(), paying.as_ref(), manages, now) {
                Ok(transfer) => transfer,
                Err(refusal) => return Ok(Posted::Refused(refusal)),
            };
        let operation = Operation {
            uuid,
            performer,
            kind: kind.inverse(),
            amount: before.amount,
            reason: order.reason.as_deref(),
            once: order.once.as_ref(),
            reverses: Some(original),
            seller: seller.map(|seller| seller.id),
            at,
            clock: now,
        };
        let id = self.move_credits(&transaction, &operation, target, payer, &transfer).await?;
        self.finish(transaction, id).await
    }

    pub(super) async fn quoted(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Quoted, StoreError> {
        let keys = [order.performer.key(), order.target.key()];
        let found =
            self.database.reader.query_all_raw(select(COLUMNS, &keys).statement(self.backend())).await;
        let rows = found.map_err(store_error)?.iter().map(Row::read).collect::<Result<Vec<Row>, DbErr>>();
        let rows = rows.map_err(store_error)?;
        let Some(performer) = rows.iter().find(|row| row.is(&order.performer)) else {
            return Ok(Quoted::Refused(Refusal::NotActive));
        };
        let target = rows.iter().find(|row| row.is(&order.target)).filter(|target| performer.sees(target));
        let Some(target) = target else { return Ok(Quoted::Hidden) };
        let quoted: Result<Quote, Refusal> = quote(
            order.operation,
            order.amount,
            &performer.party(),
            &target.party(),
            performer.manages(target),
            now,
        );
        Ok(quoted.map_or_else(Quoted::Refused, Quoted::Quote))
    }

    /// The rows of these people, held until the transaction ends, in the order of their ids. They are read once they
    /// are held: what a statement finds beside the row that it waited for is as old as the statement.
    async fn parties(&self, transaction: &Transaction, keys: &[String]) -> Result<Vec<Row>, DbErr> {
        if self.backend() != DbBackend::Sqlite {
            let mut hold = select("u.id", keys);
            hold.push(" ORDER BY u.id FOR NO KEY UPDATE OF u");
            self.rows(transaction, hold).await?;
        }
        self.rows(transaction, select(COLUMNS, keys)).await?.iter().map(Row::read).collect()
    }

    async fn done_before(
        &self,
        transaction: &Transaction,
        performer: &Row,
        once: Option<&IdempotencyKey>,
    ) -> Result<Before, DbErr> {
        let Some(once) = once else { return Ok(Before::Never) };
        let mut sql = Sql::new(
            "SELECT o.fingerprint, e.id FROM operations o JOIN entries e ON e.operation_id = o.id AND e.leg = 0 \
             WHERE o.performer_id = ",
        );
        sql.bind(performer.id).push(" AND o.idempotency_key = ").bind(once.key.as_str());
        let rows = self.rows(transaction, sql).await?;
        let Some(row) = rows.first() else { return Ok(Before::Never) };
        let same = row.try_get::<String>("", "fingerprint")? == once.fingerprint;
        Ok(if same { Before::Same(row.try_get("", "id")?) } else { Before::Other })
    }

    async fn again(&self, transaction: &Transaction, id: Id) -> Result<Posted, DbErr> {
        let first = movement_of(transaction, id).await.map_err(db_error)?;
        let first = first.ok_or_else(|| DbErr::Custom("the first answer is gone".into()))?;
        // As it was answered, whatever became of it since.
        Ok(Posted::Replayed(Movement { reversed: false, ..first }))
    }

    async fn finish(&self, transaction: Transaction, id: Id) -> Result<Posted, DbErr> {
        let movement = movement_of(&transaction, id).await.map_err(db_error)?;
        let movement =
            movement.ok_or_else(|| DbErr::Custom("a movement is gone in its own transaction".into()))?;
        self.commit(transaction).await?;
        Ok(Posted::Done(movement))
    }

    /// Writes both balances, the operation and its two entries; answers the id of the target's entry.
    async fn move_credits(
        &self,
        transaction: &Transaction,
        operation: &Operation<'_>,
        target: &Row,
        payer: Option<&Row>,
        transfer: &Transfer,
    ) -> Result<Id, DbErr> {
        let for_sale = operation.kind.is_for_sale();
        let (balance, seq) =
            if for_sale { (target.stock, target.sale_seq) } else { (target.credits, target.app_seq) };
        let mut sql = Sql::new("UPDATE users SET ");
        if for_sale {
            sql.push("sale_credits = ").bind(transfer.target.balance).push(", sale_seq = sale_seq + 1");
        } else {
            // The expiration is part of the form: whoever has it open must learn that it moved.
            sql.push("credits = ")
                .bind(transfer.target.balance)
                .push(", app_seq = app_seq + 1, expiration_date = ");
            sql.bind(transfer.target.expiration)
                .push(", subscription_started = ")
                .bind(transfer.started)
                .push(", version = version + 1, updated_date = ")
                .bind(operation.at);
        }
        sql.push(" WHERE id = ").bind(target.id);
        sql.push(if for_sale { " AND sale_credits = " } else { " AND credits = " }).bind(balance);
        sql.push(if for_sale { " AND sale_seq = " } else { " AND app_seq = " }).bind(seq);
        self.guarded(transaction, sql).await?;
        if let (Some(payer), Some(stock)) = (payer, transfer.payer_stock) {
            let mut sql = Sql::new("UPDATE users SET sale_credits = ");
            sql.bind(stock).push(", sale_seq = sale_seq + 1");
            sql.push(" WHERE id = ").bind(payer.id).push(" AND sale_credits = ").bind(payer.stock);
            sql.push(" AND sale_seq = ").bind(payer.sale_seq);
            self.guarded(transaction, sql).await?;
        }
        if let Some(seller) = operation.seller {
            let mut sql = Sql::new("UPDATE users SET total_sales = total_sales + ");
            sql.bind(transfer.sold).push(" WHERE id = ").bind(seller);
            self.guarded(transaction, sql).await?;
        }
        let mut sql = Sql::new(
            "INSERT INTO operations (uuid, performer_id, idempotency_key, fingerprint, operation_type, amount, reason, sold, \
             seller_id, reverses_id, started_subscription, clock_date, operation_date) VALUES (",
        );
        sql.bind(operation.uuid).push(", ").bind(operation.performer.id).push(", ");
        sql.bind(operation.once.map(|once| once.key.clone())).push(", ");
        sql.bind(operation.once.map(|once| once.fingerprint.clone())).push(", ");
        sql.bind(operation.kind.code()).push(", ").bind(operation.amount).push(", ");
        sql.bind(operation.reason.map(str::to_owned)).push(", ").bind(transfer.sold).push(", ");
        sql.bind(operation.seller)
            .push(", ")
            .bind(operation.reverses)
            .push(", ")
            .bind(!for_sale && transfer.starts(&target.party()))
            .push(", ")
            .bind(Some(operation.clock).filter(|clock| *clock != operation.at))
            .push(", ")
            .bind(operation.at)
            .push(") RETURNING id");
        let id: Id = first(&self.rows(transaction, sql).await?)?;
        let mut sql = Sql::new(ENTRY);
        sql.push("VALUES (").bind(id).push(", 0, ").bind(if for_sale { "SALE" } else { "APP" }).push(", ");
        sql.bind(target.id).push(", ").bind(seq + 1).push(", ").bind(transfer.change).push(", ");
        sql.bind(balance).push(", ").bind(transfer.target.balance).push(", ");
        let expirations =
            if for_sale { (None, None) } else { (target.expiration, transfer.target.expiration) };
        sql.bind(expirations.0).push(", ").bind(expirations.1).push(", ");
        sql.bind(operation.performer.id).push(", ").bind(operation.at).push(") RETURNING id");
        let entry: Id = first(&self.rows(transaction, sql).await?)?;
        let mut sql = Sql::new(ENTRY);
        sql.push("VALUES (").bind(id);
        match (payer, transfer.payer_stock) {
            (Some(payer), Some(stock)) => {
                sql.push(", 1, 'SALE', ").bind(payer.id).push(", ").bind(payer.sale_seq + 1).push(", ");
                sql.bind(-transfer.change).push(", ").bind(payer.stock).push(", ").bind(stock);
            }
            _ => {
                sql.push(", 1, 'HOUSE', NULL, NULL, ").bind(-transfer.change).push(", NULL, NULL");
            }
        }
        sql.push(", NULL, NULL, ").bind(operation.performer.id).push(", ").bind(operation.at).push(")");
        self.write(transaction, sql).await?;
        Ok(entry)
    }

    /// A balance is written only over the one that was read.
    async fn guarded(&self, transaction: &Transaction, sql: Sql) -> Result<(), DbErr> {
        match self.write(transaction, sql).await? {
            1 => Ok(()),
            _ => Err(DbErr::Custom("a balance changed under its lock".into())),
        }
    }
}

const ENTRY: &str = "INSERT INTO entries (operation_id, leg, account, user_id, seq, delta, balance_before, balance_after, \
     expiration_before, expiration_after, performer_id, operation_date) ";

fn select(columns: &str, keys: &[String]) -> Sql {
    let mut sql = Sql::new(format!("SELECT {columns} FROM users u WHERE u.username_key IN ("));
    sql.bind_all(keys.iter().map(String::as_str)).push(")");
    sql
}

fn first(rows: &[QueryResult]) -> Result<Id, DbErr> {
    rows.first().ok_or_else(|| DbErr::Custom("an insert without a row".into()))?.try_get("", "id")
}

/// The server's clock, but never before an account's last movement: a clock may be set back, a history may not.
fn monotone(now: DateTime<Utc>, last: [Option<DateTime<Utc>>; 2]) -> DateTime<Utc> {
    last.into_iter().flatten().fold(now, DateTime::max)
}
