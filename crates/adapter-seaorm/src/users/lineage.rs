//! Moves of users to another registering user, with their subtree, which changes the lineages of
//! the whole subtree (docs/adr/0010-subtrees.md).

use chrono::{DateTime, Utc};
use domain_kernel::{Id, RoleCode, Username};
use domain_users::manages;
use ports::UserUpdateConflict;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{BinOper, Expr, ExprTrait, Func, LockType, Query},
};

use super::{SeaOrmUsers, failure::Failure};
use crate::{
    db::{error::db_error, sql::insert_from, transaction::Transaction, values::member},
    entities::{
        lineage_changes,
        users::{Column, Entity},
    },
};

/// The key of the lock of all lineages on PostgreSQL.
const LINEAGE_LOCK: i64 = 0x6361_7274_6c69_6e65;

/// The use of lineages in a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineageUse {
    /// Registers users, concurrently with other such transactions.
    Extend,
    /// Moves users, exclusively.
    Change,
}

/// Locks the lineages until the transaction ends. Two concurrent moves could create a cycle, and a
/// user registered during a move would get an outdated lineage. Called before any row is locked, to
/// prevent deadlocks.
pub(crate) async fn hold_lineages(transaction: &Transaction, of: LineageUse) -> Result<(), DbErr> {
    // On SQLite one transaction writes at a time.
    if transaction.get_database_backend() == DbBackend::Sqlite {
        return Ok(());
    }
    let shared = if of == LineageUse::Extend { "_shared" } else { "" };
    let lock = format!("SELECT pg_advisory_xact_lock{shared}({LINEAGE_LOCK})");
    transaction.execute_unprepared(&lock).await.map(drop)
}

/// A user in the tree.
struct Node {
    id: Id,
    role: RoleCode,
    lineage: String,
}

impl Node {
    /// The prefix of the lineages in the user's subtree.
    fn prefix(&self) -> String {
        format!("{}{}/", self.lineage, self.id)
    }
}

/// A valid move of a user with the subtree.
pub(super) struct Movement {
    id: Id,
    registrar: Option<Id>,
    /// The previous and the new lineage of the user.
    lineage: (String, String),
}

/// The condition that a user is this one, or in its subtree.
fn is_in_subtree(id: Id, prefix: &str) -> Condition {
    // '0' is the successor of '/'.
    let end = format!("{}0", prefix.trim_end_matches('/'));
    let below = Condition::all().add(Column::Lineage.gte(prefix)).add(Column::Lineage.lt(end));
    Condition::any().add(Column::Id.eq(id)).add(below)
}

impl SeaOrmUsers {
    /// Locks the rows of a move in the order of their IDs, as the ledger does: a concurrent sale to
    /// one of the users is posted before the move, or reads the new lineage.
    pub(super) async fn hold_subtree(
        &self,
        transaction: &Transaction,
        username: &Username,
        registrar: Option<&Username>,
    ) -> Result<(), Failure> {
        if self.0.backend() == DbBackend::Sqlite {
            return Ok(());
        }
        let Some(user) = self.node(transaction, username).await? else { return Ok(()) };
        let registrar = registrar.map(|registrar| Column::UsernameKey.eq(registrar.key()));
        let hold = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Condition::any().add(is_in_subtree(user.id, &user.prefix())).add_option(registrar))
            .order_by_asc(Column::Id)
            .lock(LockType::NoKeyUpdate);
        hold.into_tuple::<Id>().all(transaction).await?;
        Ok(())
    }

    async fn node(&self, transaction: &Transaction, username: &Username) -> Result<Option<Node>, DbErr> {
        let find = Entity::find().select_only().columns([Column::Id, Column::Role, Column::Lineage]);
        let find = find.filter(Column::UsernameKey.eq(username.key()));
        let found: Option<(Id, String, String)> = find.into_tuple().one(transaction).await?;
        let node = |(id, code, lineage): (Id, String, String)| {
            Ok(Node { id, role: member(&code).map_err(db_error)?, lineage })
        };
        found.map(node).transpose()
    }

    /// The move of a user with this role to the registering user, or the reason why it is
    /// impossible.
    pub(super) async fn movement(
        &self,
        transaction: &Transaction,
        username: &Username,
        role: RoleCode,
        registrar: Option<&Username>,
    ) -> Result<Result<Movement, UserUpdateConflict>, Failure> {
        let user = self.node(transaction, username).await?;
        let user = user.ok_or_else(|| DbErr::RecordNotFound("a user who is locked".into()))?;
        let Some(registrar) = registrar else {
            let lineage = (user.lineage, "/".to_owned());
            return Ok(Ok(Movement { id: user.id, registrar: None, lineage }));
        };
        let Some(registrar) = self.node(transaction, registrar).await? else {
            return Ok(Err(UserUpdateConflict::UnknownRegistrar));
        };
        if registrar.id == user.id || registrar.lineage.starts_with(&user.prefix()) {
            return Ok(Err(UserUpdateConflict::OwnSubtree));
        }
        if !manages(registrar.role, role) {
            return Ok(Err(UserUpdateConflict::RegistrarRole));
        }
        let lineage = (user.lineage, registrar.prefix());
        Ok(Ok(Movement { id: user.id, registrar: Some(registrar.id), lineage }))
    }

    /// Moves the user with the subtree. The previous lineages of users with ledger entries are
    /// recorded.
    pub(super) async fn move_subtree(
        &self,
        transaction: &Transaction,
        movement: &Movement,
        now: DateTime<Utc>,
    ) -> Result<(), Failure> {
        let Movement { id, registrar, lineage: (from, to) } = movement;
        let prefix = format!("{from}{id}/");
        let before = vec![
            (lineage_changes::Column::UserId, Expr::col(Column::Id)),
            (lineage_changes::Column::AppSeq, Expr::col(Column::AppSeq)),
            (lineage_changes::Column::SaleSeq, Expr::col(Column::SaleSeq)),
            (lineage_changes::Column::LineageBefore, Expr::col(Column::Lineage)),
            (lineage_changes::Column::ChangeDate, now.into()),
        ];
        let with_entries = Query::select()
            .from(Entity)
            .and_where(Expr::col(Column::AppSeq).add(Expr::col(Column::SaleSeq)).gt(0))
            .cond_where(is_in_subtree(*id, &prefix))
            .take();
        transaction.execute(&insert_from(lineage_changes::Entity, before, with_entries)).await?;
        // The part of the lineage above the user has the same length for all of them.
        let first = i32::try_from(from.len() + 1).unwrap_or(i32::MAX);
        let below = Func::cust("substr").arg(Expr::col(Column::Lineage)).arg(first);
        let lineage = Expr::val(to.as_str()).binary(BinOper::Custom("||"), below);
        let update =
            Entity::update_many().col_expr(Column::Lineage, lineage).filter(is_in_subtree(*id, &prefix));
        update.exec(transaction).await?;
        let update = Entity::update_many()
            .col_expr(Column::RegisteredById, (*registrar).into())
            .filter(Column::Id.eq(*id));
        update.exec(transaction).await?;
        Ok(())
    }
}
