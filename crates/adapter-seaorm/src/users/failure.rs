//! Errors of transactions about users, and whether they are retried.

use ports::StoreError;
use sea_orm::DbErr;

use crate::db::error::{is_overtaken, store_error};

/// An error inside a transaction: of the database, or of stored values.
pub(crate) enum Failure {
    Database(DbErr),
    Store(StoreError),
}

impl From<DbErr> for Failure {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Failure {
    pub(crate) fn is_worth_another_try(&self) -> bool {
        matches!(self, Self::Database(error) if is_overtaken(error))
    }

    pub(crate) fn into_store_error(self) -> StoreError {
        match self {
            Self::Database(error) => store_error(error),
            Self::Store(error) => error,
        }
    }
}
