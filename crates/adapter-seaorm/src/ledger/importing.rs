//! Imports older history: booked against the issuer, marked as imported, in batches of one transaction each.

use std::{collections::HashMap, fmt::Write};

use domain_credits::{Account, OperationType, PastMovement, Verdict, continued};
use domain_kernel::{Enumeration, Id};
use ports::{History, HistoryMovement, Holder, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, DbErr};
use uuid::Uuid;

use super::SeaOrmLedger;
use crate::{
    db::{error::store_error, sql::Sql, transaction::Transaction},
    users::role,
};

/// Rows of one insert: well within the values that a statement may bind on both databases.
const ROWS: usize = 1000;
const OPENING: &str = "Saldo inicial (importado)";

/// A movement to be written.
struct Booking<'a> {
    holder: Id,
    account: &'static str,
    seq: i64,
    past: PastMovement,
    performer: Id,
    sold: i64,
    reason: Option<&'a str>,
    kind: OperationType,
}

/// An account, and how many movements it counts.
struct SubscriptionStatus {
    account: Account,
    seq: i64,
}

impl SeaOrmLedger {
    pub(super) async fn named(&self, usernames: &[String]) -> Result<HashMap<String, Holder>, StoreError> {
        let mut found = HashMap::with_capacity(usernames.len());
        for names in usernames.chunks(ROWS) {
            let mut sql = Sql::new("SELECT username_key, id, role FROM users WHERE username_key IN (");
            sql.bind_all(names.iter().map(|name| name.to_ascii_lowercase())).push(")");
            let rows = self.database.reader.query_all_raw(sql.statement(self.database.backend())).await;
            for row in rows.map_err(store_error)? {
                let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
                let holder =
                    Holder { id: row.try_get("", "id").map_err(store_error)?, role: role(&text("role")?)? };
                found.insert(text("username_key")?, holder);
            }
        }
        Ok(found)
    }

    pub(super) async fn balances_of(&self, ids: &[Id]) -> Result<HashMap<Id, (i64, i64)>, StoreError> {
        let mut found = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(ROWS) {
            let sql = Sql::new(format!(
                "SELECT id, credits, sale_credits FROM users WHERE id IN ({})",
                listed(ids)
            ));
            let rows = self.database.reader.query_all_raw(sql.statement(self.database.backend())).await;
            for row in rows.map_err(store_error)? {
                let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
                found.insert(number("id")?, (number("credits")?, number("sale_credits")?));
            }
        }
        Ok(found)
    }

    pub(super) async fn book(&self, histories: &[History]) -> Result<Vec<Vec<Verdict>>, StoreError> {
        let transaction = self.database.begin().await.map_err(store_error)?;
        let verdicts = self.book_all(&transaction, histories).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(verdicts)
    }

    async fn book_all(
        &self,
        transaction: &Transaction,
        histories: &[History],
    ) -> Result<Vec<Vec<Verdict>>, DbErr> {
        let mut accounts = self.account_states(transaction, histories).await?;
        let mut all = Vec::with_capacity(histories.len());
        let mut bookings = Vec::new();
        let mut sales: HashMap<Id, i64> = HashMap::new();
        let mut balances = Vec::new();
        for history in histories {
            let Some(state) = accounts.remove(&(history.holder, history.for_sale)) else {
                return Err(DbErr::Custom(format!("user {} has no account", history.holder)));
            };
            let past: Vec<PastMovement> = history.movements.iter().map(|movement| movement.past).collect();
            let (judged, opening) = continued(&state.account, &past);
            let mut verdicts = vec![Verdict::Known; past.len()];
            let (mut seq, mut balance) = (state.seq, state.account.balance);
            for (index, verdict) in judged {
                verdicts[index] = verdict;
                if verdict != Verdict::Booked {
                    continue;
                }
                let movement = &history.movements[index];
                if opening != 0 && seq == state.seq {
                    seq += 1;
                    bookings.push(opened(history, movement, opening, seq));
                }
                seq += 1;
                balance = movement.past.before + movement.past.change;
                let booking = booked(history, movement, seq);
                if booking.sold != 0 {
                    let sum = sales.entry(movement.performer).or_default();
                    *sum = sum
                        .checked_add(booking.sold)
                        .ok_or_else(|| DbErr::Custom("the sales of an import overflow".into()))?;
                }
                bookings.push(booking);
            }
            if seq != state.seq {
                balances.push((history.holder, history.for_sale, balance, seq));
            }
            all.push(verdicts);
        }
        self.write_balances(transaction, &balances, &sales).await?;
        for rows in bookings.chunks(ROWS) {
            self.write_bookings(transaction, rows).await?;
        }
        Ok(all)
    }

    /// The accounts as they stand, held until the transaction ends.
    async fn account_states(
        &self,
        transaction: &Transaction,
        histories: &[History],
    ) -> Result<HashMap<(Id, bool), SubscriptionStatus>, DbErr> {
        let backend = self.database.backend();
        let mut ids: Vec<Id> = histories.iter().map(|history| history.holder).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut found = HashMap::new();
        for ids in ids.chunks(ROWS) {
            let ids = listed(ids);
            let lock = if backend == DbBackend::Sqlite { "" } else { " FOR NO KEY UPDATE" };
            let sql = Sql::new(format!(
                "SELECT id, credits, sale_credits, app_seq, sale_seq FROM users WHERE id IN ({ids}) ORDER BY id{lock}"
            ));
            for row in transaction.query_all_raw(sql.statement(backend)).await? {
                let id: Id = row.try_get("", "id")?;
                for (for_sale, balance, seq) in
                    [(false, "credits", "app_seq"), (true, "sale_credits", "sale_seq")]
                {
                    let account =
                        Account { balance: row.try_get("", balance)?, last: None, known: Vec::new() };
                    found.insert((id, for_sale), SubscriptionStatus { account, seq: row.try_get("", seq)? });
                }
            }
            let sql = Sql::new(format!(
                "SELECT user_id, account, operation_date, delta, balance_before, imported FROM entries \
                 WHERE user_id IN ({ids}) ORDER BY user_id, account, seq"
            ));
            for row in transaction.query_all_raw(sql.statement(backend)).await? {
                let for_sale = row.try_get::<String>("", "account")? == "SALE";
                let Some(state) = found.get_mut(&(row.try_get("", "user_id")?, for_sale)) else {
                    continue;
                };
                let past = PastMovement {
                    at: row.try_get("", "operation_date")?,
                    change: row.try_get("", "delta")?,
                    before: row.try_get("", "balance_before")?,
                };
                state.account.last = Some(past.at);
                if row.try_get::<bool>("", "imported")? {
                    state.account.known.push(past);
                }
            }
        }
        Ok(found)
    }

    async fn write_balances(
        &self,
        transaction: &Transaction,
        balances: &[(Id, bool, i64, i64)],
        sales: &HashMap<Id, i64>,
    ) -> Result<(), DbErr> {
        for (for_sale, balance, seq) in [(false, "credits", "app_seq"), (true, "sale_credits", "sale_seq")] {
            let rows: Vec<String> = balances
                .iter()
                .filter(|row| row.1 == for_sale)
                .map(|(id, _, balance, seq)| format!("({id}, {balance}, {seq})"))
                .collect();
            // Whoever bought credits before the import has started.
            let started = if for_sale { "" } else { ", subscription_started = true" };
            for rows in rows.chunks(ROWS) {
                self.execute(
                    transaction,
                    format!(
                        "WITH v (id, balance, seq) AS (VALUES {}) UPDATE users SET {balance} = v.balance, {seq} = v.seq{started}, \
                         version = version + 1 FROM v WHERE users.id = v.id",
                        rows.join(", ")
                    ),
                )
                .await?;
            }
        }
        let mut sales: Vec<(&Id, &i64)> = sales.iter().collect();
        sales.sort_unstable();
        for (seller, sold) in sales {
            self.execute(
                transaction,
                format!("UPDATE users SET total_sales = total_sales + {sold} WHERE id = {seller}"),
            )
            .await?;
        }
        Ok(())
    }

    async fn execute(&self, transaction: &Transaction, sql: String) -> Result<(), DbErr> {
        transaction.execute_raw(Sql::new(sql).statement(self.database.backend())).await.map(drop)
    }

    async fn write_bookings(&self, transaction: &Transaction, bookings: &[Booking<'_>]) -> Result<(), DbErr> {
        let backend = self.database.backend();
        let mut sql = Sql::new(
            "INSERT INTO operations (uuid, performer_id, operation_type, amount, reason, sold, seller_id, imported, \
             operation_date) VALUES ",
        );
        let uuids: Vec<String> = bookings.iter().map(|_| Uuid::new_v4().to_string()).collect();
        for (index, (booking, uuid)) in bookings.iter().zip(&uuids).enumerate() {
            let seller = if booking.sold == 0 { "NULL".to_owned() } else { booking.performer.to_string() };
            sql.push(if index == 0 { "(" } else { ", (" }).bind(uuid.as_str());
            sql.push(&format!(
                ", {}, '{}', {}, ",
                booking.performer,
                booking.kind.code(),
                booking.past.change.abs()
            ));
            sql.bind(booking.reason.map(str::to_owned));
            sql.push(&format!(", {}, {seller}, true, ", booking.sold)).bind(booking.past.at).push(")");
        }
        sql.push(" RETURNING id, uuid");
        let mut ids: HashMap<String, Id> = HashMap::with_capacity(bookings.len());
        for row in transaction.query_all_raw(sql.statement(backend)).await? {
            ids.insert(row.try_get("", "uuid")?, row.try_get("", "id")?);
        }
        let mut sql = Sql::new(
            "INSERT INTO entries (operation_id, leg, account, user_id, seq, delta, balance_before, balance_after, performer_id, \
             operation_date, imported) VALUES ",
        );
        for (index, (booking, uuid)) in bookings.iter().zip(&uuids).enumerate() {
            let id = ids
                .get(uuid)
                .ok_or_else(|| DbErr::Custom("an operation is gone in its own transaction".into()))?;
            let Booking { holder, account, seq, past, performer, .. } = booking;
            let PastMovement { change, before, at } = past;
            let mut row = String::new();
            let _ = write!(
                row,
                "{}({id}, 0, '{account}', {holder}, {seq}, {change}, {before}, {}, {performer}, ",
                if index == 0 { "" } else { ", " },
                before + change
            );
            sql.push(&row).bind(*at);
            row.clear();
            let _ =
                write!(row, ", true), ({id}, 1, 'HOUSE', NULL, NULL, {}, NULL, NULL, {performer}, ", -change);
            sql.push(&row).bind(*at).push(", true)");
        }
        transaction.execute_raw(sql.statement(backend)).await.map(drop)
    }
}

/// Ids, comma-separated: numbers need no quotes.
fn listed(ids: &[Id]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn account(history: &History) -> &'static str {
    if history.for_sale { "SALE" } else { "APP" }
}

fn booked<'a>(history: &History, movement: &'a HistoryMovement, seq: i64) -> Booking<'a> {
    let kind = OperationType::of_change(history.for_sale, movement.past.change);
    Booking {
        holder: history.holder,
        account: account(history),
        seq,
        past: movement.past,
        performer: movement.performer,
        sold: if movement.by_agent && kind != OperationType::DeductCredits {
            movement.past.change
        } else {
            0
        },
        reason: movement.reason.as_deref(),
        kind,
    }
}

/// What an account had before its history begins.
fn opened<'a>(history: &History, first: &'a HistoryMovement, opening: i64, seq: i64) -> Booking<'a> {
    Booking {
        past: PastMovement { at: first.past.at, change: opening, before: 0 },
        sold: 0,
        reason: Some(OPENING),
        kind: OperationType::of_change(history.for_sale, opening),
        ..booked(history, first, seq)
    }
}
