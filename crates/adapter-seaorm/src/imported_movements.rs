//! Posts imported movements: against the issuer, marked as imported, in the transaction of the
//! import. Not part of `ledger`, because users are imported with their balances, and `ledger`
//! depends on `users`.

use std::collections::HashMap;

use domain_credits::{Account, OPENING_REASON, OperationType, PastMovement, Verdict, continued};
use domain_kernel::{Enumeration, Id};
use ports::{History, HistoryMovement};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Value,
    sea_query::{Expr, ExprTrait, LockType, Query},
};
use uuid::Uuid;

use crate::{
    db::{
        sql::{of, values_as_v},
        transaction::Transaction,
    },
    entities::{entries, operations, users},
};

/// Rows per insert: below the limit of bound values of both databases.
const ROWS: usize = 1000;

/// A movement to write.
struct Booking<'a> {
    user: Id,
    account: &'static str,
    seq: i64,
    past: PastMovement,
    performer: Id,
    sold: i64,
    reason: Option<&'a str>,
    kind: OperationType,
}

/// An account, and its number of movements.
struct AccountState {
    account: Account,
    seq: i64,
}

/// Posts movements that continue the account's history; returns a result for each movement.
pub(crate) async fn book(
    transaction: &Transaction,
    histories: &[History],
) -> Result<Vec<Vec<Verdict>>, DbErr> {
    let mut accounts = account_states(transaction, histories).await?;
    let mut all = Vec::with_capacity(histories.len());
    let mut bookings = Vec::new();
    let mut sales: HashMap<Id, i64> = HashMap::new();
    let mut balances = Vec::new();
    for history in histories {
        let Some(state) = accounts.remove(&(history.user, history.for_sale)) else {
            return Err(DbErr::Custom(format!("user {} has no account", history.user)));
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
            balances.push((history.user, history.for_sale, balance, seq));
        }
        all.push(verdicts);
    }
    write_balances(transaction, &balances, &sales).await?;
    for rows in bookings.chunks(ROWS) {
        write_bookings(transaction, rows).await?;
    }
    Ok(all)
}

/// The current accounts, locked until the transaction ends.
async fn account_states(
    transaction: &Transaction,
    histories: &[History],
) -> Result<HashMap<(Id, bool), AccountState>, DbErr> {
    let mut ids: Vec<Id> = histories.iter().map(|history| history.user).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = HashMap::new();
    for ids in ids.chunks(ROWS) {
        let rows = users::Entity::find()
            .select_only()
            .columns([
                users::Column::Id,
                users::Column::Credits,
                users::Column::AppSeq,
                users::Column::SaleCredits,
                users::Column::SaleSeq,
            ])
            .filter(users::Column::Id.is_in(ids.iter().copied()))
            .order_by_asc(users::Column::Id)
            .lock(LockType::NoKeyUpdate)
            .into_tuple::<(Id, i64, i64, i64, i64)>();
        for (id, credits, app_seq, stock, sale_seq) in rows.all(transaction).await? {
            for (for_sale, balance, seq) in [(false, credits, app_seq), (true, stock, sale_seq)] {
                let account = Account { balance, last: None, known: Vec::new() };
                found.insert((id, for_sale), AccountState { account, seq });
            }
        }
        let movements = entries::Entity::find()
            .filter(entries::Column::UserId.is_in(ids.iter().copied()))
            .order_by_asc(entries::Column::UserId)
            .order_by_asc(entries::Column::Account)
            .order_by_asc(entries::Column::Seq);
        for entry in movements.all(transaction).await? {
            let account = entry.user_id.map(|id| (id, entry.account == "SALE"));
            let Some(state) = account.and_then(|account| found.get_mut(&account)) else { continue };
            let past = PastMovement {
                at: entry.operation_date,
                change: entry.delta,
                before: entry.balance_before.unwrap_or_default(),
            };
            state.account.last = Some(past.at);
            if entry.imported {
                state.account.known.push(past);
            }
        }
    }
    Ok(found)
}

/// Writes all balances of one kind in one statement along the primary key. Raw: `UPDATE … FROM
/// (VALUES …)`; the values are trusted numbers, more than a statement can bind.
async fn write_balances(
    transaction: &Transaction,
    balances: &[(Id, bool, i64, i64)],
    sales: &HashMap<Id, i64>,
) -> Result<(), DbErr> {
    use users::Column as User;
    for (for_sale, balance, seq) in
        [(false, User::Credits, User::AppSeq), (true, User::SaleCredits, User::SaleSeq)]
    {
        let rows: Vec<[i64; 3]> = balances
            .iter()
            .filter(|row| row.1 == for_sale)
            .map(|(id, _, balance, seq)| [*id, *balance, *seq])
            .collect();
        for rows in rows.chunks(ROWS) {
            let mut update = Query::update();
            update
                .table(users::Entity)
                .value(balance, of("v", "column2"))
                .value(seq, of("v", "column3"))
                .value(User::Version, of("users", User::Version).add(1))
                .from(values_as_v(rows.iter().map(|row| row.map(Value::from))))
                .and_where(of("users", User::Id).eq(of("v", "column1")));
            // A user who bought credits before the import has started the subscription.
            if !for_sale {
                update.value(User::SubscriptionStarted, true);
            }
            transaction.execute(&update).await?;
        }
    }
    let mut sales: Vec<(&Id, &i64)> = sales.iter().collect();
    sales.sort_unstable();
    for (seller, sold) in sales {
        users::Entity::update_many()
            .col_expr(users::Column::TotalSales, Expr::col(users::Column::TotalSales).add(*sold))
            .filter(users::Column::Id.eq(*seller))
            .exec(transaction)
            .await?;
    }
    Ok(())
}

async fn write_bookings(transaction: &Transaction, bookings: &[Booking<'_>]) -> Result<(), DbErr> {
    let uuids: Vec<String> = bookings.iter().map(|_| Uuid::new_v4().to_string()).collect();
    let rows = bookings.iter().zip(&uuids).map(|(booking, uuid)| operations::ActiveModel {
        uuid: Set(uuid.clone()),
        performer_id: Set(booking.performer),
        operation_type: Set(booking.kind.code().to_owned()),
        amount: Set(booking.past.change.abs()),
        reason: Set(booking.reason.map(str::to_owned)),
        sold: Set(booking.sold),
        seller_id: Set(Some(booking.performer).filter(|_| booking.sold != 0)),
        imported: Set(true),
        operation_date: Set(booking.past.at),
        ..operations::ActiveModel::default()
    });
    let mut insert = operations::Entity::insert_many(rows).into_query();
    insert.returning(Query::returning().columns([operations::Column::Id, operations::Column::Uuid]));
    let mut ids: HashMap<String, Id> = HashMap::with_capacity(bookings.len());
    for row in transaction.query_all(&insert).await? {
        ids.insert(row.try_get("", "uuid")?, row.try_get("", "id")?);
    }
    let mut rows = Vec::with_capacity(2 * bookings.len());
    for (booking, uuid) in bookings.iter().zip(&uuids) {
        let id = ids
            .get(uuid)
            .ok_or_else(|| DbErr::Custom("an operation is missing in its transaction".into()))?;
        rows.extend(entries_of(booking, *id));
    }
    entries::Entity::insert_many(rows).exec_without_returning(transaction).await.map(drop)
}

/// The entries of an imported operation: the user's and the issuer's.
fn entries_of(booking: &Booking<'_>, operation: Id) -> [entries::ActiveModel; 2] {
    let PastMovement { change, before, at } = booking.past;
    let both = entries::ActiveModel {
        operation_id: Set(operation),
        performer_id: Set(booking.performer),
        operation_date: Set(at),
        imported: Set(true),
        ..entries::ActiveModel::default()
    };
    let entry = entries::ActiveModel {
        leg: Set(0),
        account: Set(booking.account.to_owned()),
        user_id: Set(Some(booking.user)),
        seq: Set(Some(booking.seq)),
        delta: Set(change),
        balance_before: Set(Some(before)),
        balance_after: Set(Some(before + change)),
        ..both.clone()
    };
    let issuer = entries::ActiveModel {
        leg: Set(1),
        account: Set("HOUSE".to_owned()),
        user_id: Set(None),
        seq: Set(None),
        delta: Set(-change),
        balance_before: Set(None),
        balance_after: Set(None),
        ..both
    };
    [entry, issuer]
}

fn account(history: &History) -> &'static str {
    if history.for_sale { "SALE" } else { "APP" }
}

fn booked<'a>(history: &History, movement: &'a HistoryMovement, seq: i64) -> Booking<'a> {
    let kind = OperationType::of_change(history.for_sale, movement.past.change);
    Booking {
        user: history.user,
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

/// The opening balance of an account, before its history.
fn opened<'a>(history: &History, first: &'a HistoryMovement, opening: i64, seq: i64) -> Booking<'a> {
    Booking {
        past: PastMovement { at: first.past.at, change: opening, before: 0 },
        sold: 0,
        reason: Some(OPENING_REASON),
        kind: OperationType::of_change(history.for_sale, opening),
        ..booked(history, first, seq)
    }
}
