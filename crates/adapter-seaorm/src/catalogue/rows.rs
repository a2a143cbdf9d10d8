//! Common parts of writing all kinds: conversion between content and rows, and the transaction.

use chrono::{DateTime, Utc};
use domain_catalogue::{Content, Stored};
use domain_kernel::{Id, Version, fold, order_key};
use domain_operations::OperationRow;
use ports::StoreError;
use sea_orm::{ActiveModelTrait, IdenStatic, IntoActiveModel, Iterable};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::table::{ContentTable, column_of, folded_columns};
pub(super) use crate::db::values::broken;

/// The id of a row's item: content is known by numbers.
pub(super) fn id_of(row: &OperationRow) -> Id {
    row.item.number().unwrap_or_default()
}

/// The server's columns of a row.
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

/// The columns of the content, by their names in JSON.
pub(super) fn columns<T: ContentTable>(content: &T::Content) -> Result<Map<String, Value>, StoreError> {
    let Value::Object(mut fields) = serde_json::to_value(content).map_err(broken)? else {
        return Err(broken("content that is no object"));
    };
    let keys: Vec<(String, String)> =
        folded_columns::<T>().map(|(field, key)| (key, order_key_of(fields.get(&field)))).collect();
    fields.extend(keys.into_iter().map(|(key, text)| (key, Value::from(text))));
    fields.insert(NATURAL_KEY.into(), json!(content.natural_key()));
    fields.insert(SEARCH_TEXT.into(), json!(folded_lines(&content.search_text())));
    Ok(fields)
}

const NATURAL_KEY: &str = "naturalKey";
const SEARCH_TEXT: &str = "searchText";

fn order_key_of(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).map(order_key).unwrap_or_default()
}

fn folded_lines(text: &str) -> String {
    text.lines().map(fold).collect::<Vec<_>>().join("\n")
}

/// The columns in which two versions of content differ, with their new values, and the row with
/// these columns.
pub(super) fn changed_columns<T: ContentTable>(
    before: &T::Content,
    after: &T::Content,
    row: &OperationRow,
) -> Map<String, Value> {
    let mut fields = row.after.clone();
    let mut add = |name: &str, before: String, after: String| {
        if before != after {
            fields.insert(name.to_owned(), after.into());
        }
    };
    for (field, key) in folded_columns::<T>() {
        add(&key, order_key_of(row.before.get(&field)), order_key_of(row.after.get(&field)));
    }
    add(NATURAL_KEY, before.natural_key(), after.natural_key());
    let (old, new) = (before.search_text(), after.search_text());
    if old != new {
        add(SEARCH_TEXT, folded_lines(&old), folded_lines(&new));
    }
    fields
}

/// A row with these columns.
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
    let Value::Object(mut row) = serde_json::to_value(model).map_err(broken)? else {
        return Err(broken("a row that is no object"));
    };
    Ok(Stored {
        id: value_of(&mut row, "id")?,
        version: value_of(&mut row, "version")?,
        views: value_of(&mut row, "views")?,
        created_date: value_of(&mut row, "createdDate")?,
        updated_date: value_of(&mut row, "updatedDate")?,
        updated_by: value_of(&mut row, "updatedBy")?,
        content: serde_json::from_value(Value::Object(row)).map_err(broken)?,
    })
}

fn value_of<V: DeserializeOwned>(row: &mut Map<String, Value>, column: &str) -> Result<V, StoreError> {
    serde_json::from_value(row.remove(column).unwrap_or_default()).map_err(broken)
}

/// A row to insert: all columns except for the ID, which the database generates.
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
    column_of::<T>(name).expect("every content table has the columns of the server, as tested")
}
