//! Values of rows: codes, JSON and numbers, and the error of one that can't be read.

use domain_kernel::Enumeration;
use ports::StoreError;
use sea_orm::{DbErr, QueryResult, TryGetable};
use serde::{Serialize, de::DeserializeOwned};

use crate::db::error::store_error;

pub(crate) fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::Broken(error.to_string())
}

/// The value of a column.
pub(crate) fn get<T: TryGetable>(row: &QueryResult, column: &str) -> Result<T, StoreError> {
    row.try_get("", column).map_err(store_error)
}

/// The member of an enumeration for a code.
pub(crate) fn member<E: Enumeration>(code: &str) -> Result<E, StoreError> {
    E::from_code(code).ok_or_else(|| broken(format!("an unknown code, {code}")))
}

pub(crate) fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(broken)
}

/// The value as JSON.
pub(crate) fn text_of(value: &impl Serialize) -> Result<String, DbErr> {
    serde_json::to_string(value).map_err(|error| DbErr::Type(error.to_string()))
}
