//! The credit ledger: operations of two entries, the resulting balances, and their verification
//! (docs/adr/0009-ledger.md).
//!
//! Balances are written only here, and those of imports by `imported_movements`. The rules are the
//! domain's: they are evaluated on rows that are locked.

mod faults;
mod history;
mod importing;
mod lines;
mod posting;
mod renewals;
mod reversal_requests;
mod reversing;
mod statements;
mod user_sheets;
mod users;
mod verify;
mod writing;

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::{LedgerLine, LedgerTotal, Movement, Verdict};
use domain_kernel::{Id, ListQuery, Page, Username};
use domain_users::Scope;
use ports::{
    Breach, CreditOrder, History, Ledger, LedgerFilter, LedgerUser, Posted, Quoted, RenewalsQuoted,
    ReversalOrder, StoreError,
};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, StatementBuilder};

pub use self::{faults::Faults, user_sheets::SeaOrmUserSheets};
use crate::{
    Database,
    db::{sql::Sql, transaction::Transaction},
};

/// The store of credits.
#[derive(Debug, Clone)]
pub struct SeaOrmLedger {
    database: Database,
    faults: Faults,
}

impl SeaOrmLedger {
    /// The ledger in a database.
    pub fn new(database: Database) -> Self {
        Self { database, faults: Faults::default() }
    }

    /// The ledger with injected failures.
    #[doc(hidden)]
    #[must_use]
    pub fn with_faults(self, faults: Faults) -> Self {
        Self { faults, ..self }
    }

    pub(super) fn backend(&self) -> DbBackend {
        self.database.backend()
    }

    pub(super) async fn rows(&self, transaction: &Transaction, sql: Sql) -> Result<Vec<QueryResult>, DbErr> {
        self.faults.pass()?;
        transaction.query_all_raw(sql.statement(self.backend())).await
    }

    /// The rows of a query built by sea-query.
    pub(super) async fn query(
        &self,
        transaction: &Transaction,
        statement: &impl StatementBuilder,
    ) -> Result<Vec<QueryResult>, DbErr> {
        self.faults.pass()?;
        transaction.query_all(statement).await
    }

    /// Executes a statement built by sea-query; returns the number of changed rows.
    pub(super) async fn execute(
        &self,
        transaction: &Transaction,
        statement: &impl StatementBuilder,
    ) -> Result<u64, DbErr> {
        self.faults.pass()?;
        Ok(transaction.execute(statement).await?.rows_affected())
    }

    pub(super) async fn begin(&self) -> Result<Transaction, DbErr> {
        self.faults.pass()?;
        self.database.begin().await
    }

    pub(super) async fn commit(&self, transaction: Transaction) -> Result<(), DbErr> {
        self.faults.pass()?;
        transaction.commit().await?;
        self.faults.pass()
    }
}

#[async_trait]
impl Ledger for SeaOrmLedger {
    async fn post(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Posted, StoreError> {
        self.post_once(order, now).await
    }

    async fn reverse(&self, order: &ReversalOrder, now: DateTime<Utc>) -> Result<Posted, StoreError> {
        self.reverse_once(order, now).await
    }

    async fn quote(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Quoted, StoreError> {
        self.quoted(order, now).await
    }

    async fn quote_renewals(
        &self,
        performer: &Username,
        renewals: &[(Username, i64)],
        now: DateTime<Utc>,
    ) -> Result<RenewalsQuoted, StoreError> {
        self.renewals_quoted(performer, renewals, now).await
    }

    async fn done_under(
        &self,
        performer: &Username,
        keys: &[String],
    ) -> Result<Vec<(String, Movement)>, StoreError> {
        self.movements_under(performer, keys).await
    }

    async fn history<'a>(
        &self,
        scope: &Scope,
        of: Option<&'a Username>,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<Movement>>>, StoreError> {
        self.page(scope, of, query).await
    }

    async fn lines(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<LedgerLine>>>, StoreError> {
        self.line_page(scope, filter, query).await
    }

    async fn totals(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
    ) -> Result<Option<Vec<LedgerTotal>>, StoreError> {
        self.line_totals(scope, filter).await
    }

    async fn count(&self, scope: &Scope, of: &Username) -> Result<Option<u64>, StoreError> {
        self.count_of(scope, of).await
    }

    async fn find(&self, scope: &Scope, id: Id) -> Result<Option<Movement>, StoreError> {
        self.movement(scope, id).await
    }

    async fn users_named(&self, usernames: &[String]) -> Result<HashMap<String, LedgerUser>, StoreError> {
        self.named(usernames).await
    }

    async fn book_history(
        &self,
        histories: &[History],
        now: DateTime<Utc>,
    ) -> Result<Vec<Vec<Verdict>>, StoreError> {
        self.book(histories, now).await
    }

    async fn balances(&self, ids: &[Id]) -> Result<HashMap<Id, (i64, i64)>, StoreError> {
        self.balances_of(ids).await
    }

    async fn verify(&self, now: DateTime<Utc>) -> Result<Vec<Breach>, StoreError> {
        self.breaches(now).await
    }
}
