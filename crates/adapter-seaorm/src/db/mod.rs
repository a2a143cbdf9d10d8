//! The database: connections, transactions, errors, retries, and composition of SQL.

mod connection;
pub(crate) mod error;
pub(crate) mod retries;
pub(crate) mod sql;
pub(crate) mod transaction;
pub(crate) mod values;

pub use self::{
    connection::{Database, DatabaseSettings, sqlite_file},
    sql::Sql,
    transaction::Transaction,
};
