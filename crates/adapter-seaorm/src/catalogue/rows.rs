//! What the writing of all kinds shares: content as a row and back, and the transaction it is written in.

use chrono::{DateTime, Utc};
use domain_catalogue::{Content, Stored};
use domain_kernel::{Id, Version, fold, order_key};
use ports::StoreError;
use sea_orm::{ActiveModelTrait, IdenStatic, IntoActiveModel, Iterable};
use serde_json::{Map, Value, json};

use super::table::{ContentTable, column_of, folded_columns};

pub(super) fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::Broken(error.to_string())
}

/// What belongs to the server in a row.
#[derive(Clone)]
pub(super) struct Envelope {
    pub(super) id: Id,
    pub(super) version: Version,
    pub(super) views: i64,
    pub(super) created: DateTime<Utc>,
    pub(super) updated: DateTime<Utc>,
    pub(super) updated_by: Option<String>,
}

pub(super) fn model<T: ContentTable>(
    content: &T::Content,
    envelope: Envelope,
) -> Result<T::Model, StoreError> {
    row_of::<T>(columns::<T>(content)?, envelope)
}

/// The columns that the content alone decides, by their names in JSON.
pub(super) fn columns<T: ContentTable>(content: &T::Content) -> Result<Map<String, Value>, StoreError> {
    let Value::Object(mut fields) = serde_json::to_value(content).map_err(broken)? else {
        return Err(broken("content that is no object"));
    };
    let seen: Vec<String> = content.search_text().lines().map(fold).collect();
    let keys: Vec<(String, String)> = folded_columns::<T>()
        .map(|(field, key)| {
            (key, fields.get(&field).and_then(Value::as_str).map(order_key).unwrap_or_default())
        })
        .collect();
    fields.extend(keys.into_iter().map(|(key, text)| (key, Value::from(text))));
    fields.insert("naturalKey".into(), json!(content.natural_key()));
    fields.insert("searchText".into(), json!(seen.join("\n")));
    Ok(fields)
}

/// A row of these columns.
pub(super) fn row_of<T: ContentTable>(
    mut fields: Map<String, Value>,
    envelope: Envelope,
) -> Result<T::Model, StoreError> {
    fields.insert("id".into(), json!(envelope.id));
    fields.insert("version".into(), json!(envelope.version));
    fields.insert("views".into(), json!(envelope.views));
    fields.insert("createdDate".into(), json!(envelope.created));
    fields.insert("updatedDate".into(), json!(envelope.updated));
    fields.insert("updatedBy".into(), json!(envelope.updated_by));
    serde_json::from_value(Value::Object(fields)).map_err(broken)
}

pub(super) fn stored<T: ContentTable>(model: &T::Model) -> Result<Stored<T::Content>, StoreError> {
    serde_json::from_value(serde_json::to_value(model).map_err(broken)?).map_err(broken)
}

/// A row to be inserted: everything set, but the id, which is the database's to give.
pub(super) fn new_row<T: ContentTable>(model: T::Model) -> T::ActiveModel {
    let mut row = model.into_active_model().reset_all();
    unset::<T>(&mut row, &["id"]);
    row
}

pub(super) fn unset<T: ContentTable>(row: &mut T::ActiveModel, columns: &[&str]) {
    for column in T::Column::iter().filter(|column| columns.contains(&column.as_str())) {
        row.not_set(column);
    }
}

pub(super) fn named<T: ContentTable>(name: &str) -> T::Column {
    column_of::<T>(name).expect("every content table has the columns of the server; a test says so")
}
