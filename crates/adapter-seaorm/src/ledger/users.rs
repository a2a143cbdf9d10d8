//! The users of an operation: their rows, read and locked.

use chrono::{DateTime, Utc};
use domain_credits::{Holding, UserSummary};
use domain_kernel::{Id, RoleCode, UserRef, Username};
use domain_users::{UserStatus, manages};
use ports::StoreError;
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, QueryResult,
    sea_query::{Expr, ExprTrait, LockType, Order, Query, SelectStatement},
};

use super::SeaOrmLedger;
use crate::{
    db::{
        error::{db_error, store_error},
        sql::of,
        transaction::Transaction,
        values::member,
    },
    entities::users::{Column, Entity},
    users::username,
};

/// The user whose user name and full name are in these columns.
pub(super) fn user_ref(row: &QueryResult, name: &str, full_name: &str) -> Result<UserRef, StoreError> {
    let found = optional_user_ref(row, name, full_name)?;
    found.ok_or_else(|| StoreError::Broken(format!("no user name in {name}")))
}

/// The same of an outer join; `None` where it found no user.
pub(super) fn optional_user_ref(
    row: &QueryResult,
    name: &str,
    full_name: &str,
) -> Result<Option<UserRef>, StoreError> {
    let text = |column: &str| row.try_get::<Option<String>>("", column).map_err(store_error);
    match (text(name)?, text(full_name)?) {
        (Some(name), Some(full_name)) => Ok(Some(UserRef { username: username(&name)?, full_name })),
        _ => Ok(None),
    }
}

/// A user's row for a posting.
#[derive(Debug, Clone)]
pub(super) struct LedgerUserRow {
    pub(super) id: Id,
    pub(super) username: String,
    pub(super) role: RoleCode,
    pub(super) status: UserStatus,
    pub(super) lineage: String,
    pub(super) credits: i64,
    pub(super) stock: i64,
    pub(super) app_seq: i64,
    pub(super) sale_seq: i64,
    pub(super) expiration: Option<DateTime<Utc>>,
    pub(super) started: bool,
    /// The date of the last movement.
    pub(super) last: Option<DateTime<Utc>>,
}

const COLUMNS: &str = "u.id, u.username, u.role, u.status, u.lineage, u.credits, u.sale_credits, u.app_seq, u.sale_seq, \
     u.expiration_date, u.subscription_started, (SELECT max(e.operation_date) FROM entries e WHERE e.user_id = u.id) AS last_date";

impl LedgerUserRow {
    fn read(row: &QueryResult) -> Result<Self, DbErr> {
        let text = |column: &str| row.try_get::<String>("", column);
        Ok(Self {
            id: row.try_get("", "id")?,
            username: text("username")?,
            role: member(&text("role")?).map_err(db_error)?,
            status: member(&text("status")?).map_err(db_error)?,
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

    pub(super) fn summary(&self) -> UserSummary {
        UserSummary {
            role: self.role,
            active: self.status == UserStatus::Active,
            app: Holding { balance: self.credits, expiration: self.expiration },
            started: self.started,
            stock: self.stock,
        }
    }

    pub(super) fn is(&self, username: &Username) -> bool {
        self.username.eq_ignore_ascii_case(username.as_str())
    }

    /// Whether the user is visible to this one: agents see their subtree and themselves.
    pub(super) fn sees(&self, other: &Self) -> bool {
        match self.role {
            RoleCode::Superadmin | RoleCode::Admin => true,
            RoleCode::Agent => {
                self.id == other.id || other.lineage.starts_with(&format!("{}{}/", self.lineage, self.id))
            }
            RoleCode::ContentManager | RoleCode::App => false,
        }
    }

    pub(super) fn manages(&self, other: &Self) -> bool {
        self.id != other.id && manages(self.role, other.role)
    }
}

fn select(columns: &'static str, keys: &[String]) -> SelectStatement {
    Query::select()
        .expr(Expr::cust(columns))
        .from_as(Entity, "u")
        .and_where(of("u", Column::UsernameKey).is_in(keys.iter().map(String::as_str)))
        .take()
}

impl SeaOrmLedger {
    /// The rows of these users, locked until the transaction ends, in the order of their IDs. They
    /// are read after they are locked, because other values in a statement that waited for a lock
    /// are as old as the statement.
    pub(super) async fn locked_users(
        &self,
        transaction: &Transaction,
        keys: &[String],
    ) -> Result<Vec<LedgerUserRow>, DbErr> {
        if self.backend() != DbBackend::Sqlite {
            let mut hold = select("u.id", keys);
            hold.order_by(("u", Column::Id), Order::Asc).lock_with_tables(LockType::NoKeyUpdate, ["u"]);
            self.query(transaction, &hold).await?;
        }
        self.query(transaction, &select(COLUMNS, keys)).await?.iter().map(LedgerUserRow::read).collect()
    }

    /// The current rows, without a lock.
    pub(super) async fn unlocked(&self, keys: &[String]) -> Result<Vec<LedgerUserRow>, StoreError> {
        let rows = self.database.reader.query_all(&select(COLUMNS, keys)).await.map_err(store_error)?;
        rows.iter().map(LedgerUserRow::read).collect::<Result<_, DbErr>>().map_err(store_error)
    }
}
