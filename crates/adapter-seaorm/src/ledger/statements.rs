//! Statements: the totals of the movements of one stock in a time span. Read along
//! `entries_by_user`.

use chrono::{DateTime, Utc};
use domain_credits::{CreditType, StockMovements};
use domain_kernel::{Id, RoleCode, UserRef, Username};
use domain_users::Scope;
use ports::{StatementAccount, StatementRows, Statements, StockSum, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect, QueryTrait,
    Select, Statement,
};

use super::{SeaOrmLedger, users::user_ref};
use crate::{
    db::{error::store_error, sql::Sql},
    entities::entries::{Column, Entity},
    users::find_in,
};

/// The values that determine the concept of a movement `e`: its side, the other entry `c`, its
/// direction, its operation `o`.
const KIND: &str = "e.leg, c.account AS other_account, CASE WHEN e.delta > 0 THEN 1 ELSE 0 END AS adds, \
     CASE WHEN o.reverses_id IS NULL THEN 0 ELSE 1 END AS reversal, CASE WHEN e.imported THEN 1 ELSE 0 END AS imported";
const JOINS: &str = " FROM entries e JOIN entries c ON c.operation_id = e.operation_id AND c.leg = 1 - e.leg \
     JOIN operations o ON o.id = e.operation_id";
const KIND_OF_GROUP: &str = "g.leg, g.other_account, g.adds, g.reversal, g.imported";
const SUMS: &str = "CAST(sum(g.delta) AS bigint) AS amount, count(*) AS movements";

/// The movements of an account in the time span.
fn push_movements(sql: &mut Sql, account: &StatementAccount) {
    sql.push(" WHERE e.user_id = ").bind(account.id).push(" AND e.account = 'SALE' AND e.operation_date >= ");
    sql.bind(account.from).push(" AND e.operation_date < ").bind(account.to);
    // A user's entries are written with the lock of the user's row, so that later ones have greater
    // IDs.
    sql.push(" AND e.id <= ").bind(account.last.unwrap_or_default());
}

fn sums(account: &StatementAccount) -> Sql {
    let mut sql = Sql::new(format!("SELECT {KIND_OF_GROUP}, {SUMS} FROM (SELECT {KIND}, e.delta{JOINS}"));
    push_movements(&mut sql, account);
    sql.push(&format!(") g GROUP BY {KIND_OF_GROUP}"));
    sql
}

fn rows(account: &StatementAccount, after: Option<&Username>, size: u32) -> Sql {
    let mut sql = Sql::new(format!(
        "SELECT g.username, g.full_name, {KIND_OF_GROUP}, {SUMS} FROM \
         (SELECT q.username, q.username_key, q.full_name, {KIND}, e.delta{JOINS} JOIN users q ON q.id = c.user_id"
    ));
    push_movements(&mut sql, account);
    sql.push(&format!(
        " AND c.user_id IN (SELECT p.user_id FROM (SELECT DISTINCT q.username_key, c.user_id{JOINS} \
         JOIN users q ON q.id = c.user_id"
    ));
    push_movements(&mut sql, account);
    if let Some(after) = after {
        sql.push(" AND q.username_key > ").bind(after.key());
    }
    sql.push(" ORDER BY q.username_key LIMIT ").bind(i64::from(size)).push(") p)");
    sql.push(&format!(
        ") g GROUP BY g.username_key, g.username, g.full_name, {KIND_OF_GROUP} ORDER BY g.username_key, {KIND_OF_GROUP}"
    ));
    sql
}

/// The last movement of a stock before a time: its ID and the balance after it.
fn last_before(user: Id, before: DateTime<Utc>) -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::BalanceAfter])
        .filter(Column::UserId.eq(user))
        .filter(Column::Account.eq("SALE"))
        .filter(Column::OperationDate.lt(before))
        .order_by_desc(Column::OperationDate)
        .order_by_desc(Column::Id)
        .limit(1)
}

fn sum(row: &QueryResult) -> Result<StockSum, StoreError> {
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    let flag = |column: &str| row.try_get::<i32>("", column).map(|flag| flag == 1).map_err(store_error);
    let other: String = row.try_get("", "other_account").map_err(store_error)?;
    let other = match other.as_str() {
        "APP" => Some(CreditType::Normal),
        "SALE" => Some(CreditType::Sale),
        _ => None,
    };
    Ok(StockSum {
        of: StockMovements {
            is_target: row.try_get::<i16>("", "leg").map_err(store_error)? == 0,
            other,
            adds: flag("adds")?,
            is_reversal: flag("reversal")?,
            imported: flag("imported")?,
        },
        amount: number("amount")?,
        movements: number("movements")?.unsigned_abs(),
    })
}

impl SeaOrmLedger {
    async fn read(&self, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        let statement = sql.statement(self.database.backend());
        self.database.reader.query_all_raw(statement).await.map_err(store_error)
    }

    async fn stock_before(&self, user: Id, before: DateTime<Utc>) -> Result<Option<(Id, i64)>, StoreError> {
        last_before(user, before).into_tuple().one(&self.database.reader).await.map_err(store_error)
    }

    /// The statements of a statement and of the second step of its rows, for tests of their plans.
    #[doc(hidden)]
    pub fn statement_statements(&self, account: &StatementAccount) -> Vec<Statement> {
        let backend = self.database.backend();
        vec![
            last_before(account.id, account.to).build(backend),
            sums(account).statement(backend),
            rows(account, Some(&account.user.username), 100).statement(backend),
        ]
    }
}

#[async_trait::async_trait]
impl Statements for SeaOrmLedger {
    async fn account(
        &self,
        scope: &Scope,
        of: &Username,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Option<StatementAccount>, StoreError> {
        let Some(user) = find_in(&self.database.reader, scope, of).await? else { return Ok(None) };
        let Some(row) = self.unlocked(&[of.key()]).await?.into_iter().next() else { return Ok(None) };
        let closing = self.stock_before(row.id, to).await?;
        let opening = self.stock_before(row.id, from).await?.map(|(_, balance)| balance);
        let mut account = StatementAccount {
            id: row.id,
            user: UserRef { username: user.username, full_name: user.full_name },
            has_stock: user.role == RoleCode::Agent || row.sale_seq > 0,
            from,
            to,
            opening: opening.unwrap_or_default(),
            closing: closing.map_or(0, |(_, balance)| balance),
            last: closing.map(|(id, _)| id),
            sums: Vec::new(),
        };
        account.sums = self.read(sums(&account)).await?.iter().map(sum).collect::<Result<_, _>>()?;
        Ok(Some(account))
    }

    async fn rows<'a>(
        &self,
        account: &StatementAccount,
        after: Option<&'a Username>,
        size: u32,
    ) -> Result<Vec<StatementRows>, StoreError> {
        let mut all: Vec<StatementRows> = Vec::new();
        for row in self.read(rows(account, after, size)).await? {
            let user = user_ref(&row, "username", "full_name")?;
            let sum = sum(&row)?;
            match all.last_mut() {
                Some(last) if last.user.username == user.username => last.sums.push(sum),
                _ => all.push(StatementRows { user, sums: vec![sum] }),
            }
        }
        Ok(all)
    }
}
