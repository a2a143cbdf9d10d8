//! Statements with a deadline, and the only way to a write transaction.
//!
//! Invariant: a commit that returns `Ok` was the COMMIT of an outermost transaction in which every
//! statement succeeded (docs/adr/0016-nothing-beneath-the-database.md).

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    QueryResult, Statement, TransactionOptions, TransactionTrait,
};

/// A pool whose statements have a deadline.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    pub(crate) connections: DatabaseConnection,
    /// The maximum time of a statement, including its wait for a connection. sqlx has no timeout
    /// for a frozen or unreachable server. `None` for SQLite, which runs in this process.
    deadline: Option<Duration>,
}

impl Pool {
    pub(crate) fn new(connections: DatabaseConnection, deadline: Option<Duration>) -> Self {
        Self { connections, deadline }
    }

    /// A transaction whose statements have this deadline instead of the pool's.
    pub(crate) async fn begin(
        &self,
        options: TransactionOptions,
        deadline: Option<Duration>,
    ) -> Result<Transaction, DbErr> {
        let inner = within(self.deadline, self.connections.begin_with_options(options)).await?;
        Ok(Transaction { inner, deadline: deadline.or(self.deadline), failed: AtomicBool::new(false) })
    }
}

async fn within<T>(
    deadline: Option<Duration>,
    statement: impl Future<Output = Result<T, DbErr>>,
) -> Result<T, DbErr> {
    let Some(deadline) = deadline else { return statement.await };
    let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
    tokio::time::timeout(deadline, statement).await.map_err(late)?
}

#[async_trait]
impl ConnectionTrait for Pool {
    fn get_database_backend(&self) -> DbBackend {
        self.connections.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        within(self.deadline, self.connections.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        within(self.deadline, self.connections.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        within(self.deadline, self.connections.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        within(self.deadline, self.connections.query_all_raw(statement)).await
    }
}

/// An outermost transaction. Dropped without [`Transaction::commit`], it is rolled back.
#[derive(Debug)]
pub struct Transaction {
    inner: DatabaseTransaction,
    deadline: Option<Duration>,
    /// Whether a statement failed. PostgreSQL reports success of COMMIT and rolls back; SQLite may
    /// have rolled back by itself and executed later statements outside of a transaction. Such a
    /// transaction is never committed.
    failed: AtomicBool,
}

impl Transaction {
    /// Commits, unless a statement failed.
    pub async fn commit(self) -> Result<(), DbErr> {
        if self.failed.load(Ordering::Relaxed) {
            return Err(DbErr::Custom("a transaction with a failed statement can't be committed".into()));
        }
        within(self.deadline, self.inner.commit()).await
    }

    async fn noted<T>(&self, statement: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        // Set before the statement, so that a cancelled one counts as failed.
        let failed_before = self.failed.swap(true, Ordering::Relaxed);
        let outcome = within(self.deadline, statement).await;
        self.failed.store(failed_before || outcome.is_err(), Ordering::Relaxed);
        outcome
    }
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.noted(self.inner.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.noted(self.inner.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.noted(self.inner.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.noted(self.inner.query_all_raw(statement)).await
    }
}
