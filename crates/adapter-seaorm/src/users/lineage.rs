//! Moves of users to another registering user, with their subtree, which changes the lineages of
//! the whole subtree (docs/adr/0010-subtrees.md).

use chrono::{DateTime, Utc};
use domain_kernel::{Id, RoleCode, Username};
use domain_users::manages;
use ports::UserUpdateConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryResult};

use super::{SeaOrmUsers, failure::Failure};
use crate::{
    db::{error::db_error, sql::Sql, transaction::Transaction, values::member},
    entities::users,
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
    fn read(row: &QueryResult) -> Result<Self, DbErr> {
        Ok(Self {
            id: row.try_get("", "id")?,
            role: member(&row.try_get::<String>("", "role")?).map_err(db_error)?,
            lineage: row.try_get("", "lineage")?,
        })
    }

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

/// A condition on the user `m`: this one, or in its subtree.
fn push_subtree(sql: &mut Sql, id: Id, prefix: &str) {
    sql.push("(m.id = ").bind(id).push(" OR (m.lineage >= ").bind(prefix).push(" AND m.lineage < ");
    // '0' is the successor of '/'.
    sql.bind(format!("{}0", prefix.trim_end_matches('/'))).push("))");
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
        let mut sql = Sql::new("SELECT m.id FROM users m WHERE ");
        push_subtree(&mut sql, user.id, &user.prefix());
        if let Some(registrar) = registrar {
            sql.push(" OR m.username_key = ").bind(registrar.key());
        }
        sql.push(" ORDER BY m.id FOR NO KEY UPDATE OF m");
        transaction.query_all_raw(sql.statement(self.0.backend())).await?;
        Ok(())
    }

    async fn node(&self, transaction: &Transaction, username: &Username) -> Result<Option<Node>, DbErr> {
        let mut sql = Sql::new("SELECT m.id, m.role, m.lineage FROM users m WHERE m.username_key = ");
        sql.bind(username.key());
        let row = transaction.query_one_raw(sql.statement(self.0.backend())).await?;
        row.as_ref().map(Node::read).transpose()
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
        let mut record = Sql::new(
            "INSERT INTO lineage_changes (user_id, app_seq, sale_seq, lineage_before, change_date) SELECT m.id, m.app_seq, m.sale_seq, m.lineage, ",
        );
        // PostgreSQL needs the type of a selected value.
        if self.0.backend() == DbBackend::Sqlite {
            record.bind(now);
        } else {
            record.push("CAST(").bind(now).push(" AS timestamp with time zone)");
        }
        record.push(" FROM users m WHERE m.app_seq + m.sale_seq > 0 AND ");
        push_subtree(&mut record, *id, &prefix);
        transaction.execute_raw(record.statement(self.0.backend())).await?;
        let mut update = Sql::new("UPDATE users AS m SET lineage = ");
        // The part of the lineage above the user has the same length for all of them.
        update.bind(to.as_str()).push(" || substr(m.lineage, ");
        update.bind(i32::try_from(from.len() + 1).unwrap_or(i32::MAX)).push(") WHERE ");
        push_subtree(&mut update, *id, &prefix);
        transaction.execute_raw(update.statement(self.0.backend())).await?;
        let update = users::Entity::update_many()
            .col_expr(users::Column::RegisteredById, (*registrar).into())
            .filter(users::Column::Id.eq(*id));
        update.exec(transaction).await?;
        Ok(())
    }
}
