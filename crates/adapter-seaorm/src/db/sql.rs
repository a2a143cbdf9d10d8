//! Composition of SQL. `$1`, `$2`, … mean the same in both databases.

use std::fmt::Write;

use domain_kernel::{Enumeration, Id};
use ports::StoreError;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, Iterable, PrimaryKeyToColumn, QueryFilter,
    QueryResult, Statement, Value,
    sea_query::{Expr, ExprTrait, InsertStatement, IntoIden, Query, SelectStatement, TableRef, ValueTuple},
};

use serde::de::DeserializeOwned;

use crate::db::error::store_error;

/// The codes of those members of an enumeration that satisfy a condition.
pub(crate) fn codes<E: Enumeration>(wanted: impl Fn(E) -> bool) -> impl Iterator<Item = String> {
    E::ALL.iter().copied().filter(move |member| wanted(*member)).map(|member| member.code().to_owned())
}

/// A statement under construction: its text and its values.
#[derive(Debug, Default, Clone)]
pub struct Sql {
    pub(crate) text: String,
    values: Vec<Value>,
}

impl Sql {
    /// The start of a statement.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), values: Vec::new() }
    }

    /// Appends text.
    pub fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends a value as the next placeholder.
    pub fn bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        let _ = write!(self.text, "${}", self.values.len());
        self
    }

    /// Appends values, comma-separated.
    pub fn bind_all(&mut self, values: impl IntoIterator<Item = impl Into<Value>>) -> &mut Self {
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            self.bind(value);
        }
        self
    }

    /// The condition that the text in this column, which is compared byte by byte, has this prefix:
    /// a range of its index.
    pub(crate) fn push_prefix(&mut self, column: &str, begin: &str) -> &mut Self {
        // No text with this prefix is greater.
        let end = format!("{begin}{}", char::MAX);
        self.push(&format!("({column} >= ")).bind(begin);
        self.push(&format!(" AND {column} < ")).bind(end).push(")")
    }

    /// The condition that the text in this column contains this one, without wildcards.
    pub fn push_like(&mut self, column: &str, text: &str) -> &mut Self {
        self.push(&format!("{column} LIKE ")).bind(like_pattern(text)).push(r" ESCAPE '\'")
    }

    /// The only row of a statement that always has one.
    pub(crate) async fn only_row(self, connection: &impl ConnectionTrait) -> Result<QueryResult, StoreError> {
        let statement = self.statement(connection.get_database_backend());
        let row = connection.query_one_raw(statement).await.map_err(store_error)?;
        row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))
    }

    /// The column `total` of the only row.
    pub(crate) async fn total(self, connection: &impl ConnectionTrait) -> Result<u64, StoreError> {
        let row = self.only_row(connection).await?;
        let total: i64 = row.try_get("", "total").map_err(store_error)?;
        Ok(u64::try_from(total).unwrap_or_default())
    }

    /// The start of a query whose only row has all rows: an array of these columns each, in this
    /// order. ` FROM …` follows, and [`Sql::json_rows`] reads it. The driver's thread transfers
    /// rows one by one, which takes longer than parsing.
    pub(crate) fn as_json(backend: DbBackend, columns: &str, order: &str) -> Self {
        let rows = json_group(backend);
        let row = json_array(backend, columns);
        Self::new(format!("SELECT CAST({rows}({row} ORDER BY {order}) AS text) AS json_rows"))
    }

    /// The rows of a query that starts with [`Sql::as_json`].
    pub(crate) async fn json_rows<T: DeserializeOwned>(
        self,
        connection: &impl ConnectionTrait,
    ) -> Result<Vec<T>, StoreError> {
        rows_in_json(&self.only_row(connection).await?)
    }

    /// The start of a query that has a row for each ID in the column `of`, with the rows of that ID
    /// as in [`Sql::as_json`], but unordered, because SQLite copies them for sorting. ` FROM …
    /// GROUP BY …` follows, and [`Sql::json_rows_by_id`] reads it.
    pub(crate) fn as_json_by_id(backend: DbBackend, of: &str, columns: &str) -> Self {
        let (rows, row) = (json_group(backend), json_array(backend, columns));
        Self::new(format!("SELECT {of} AS id, CAST({rows}({row}) AS text) AS json_rows"))
    }

    /// The IDs and their rows of a query that starts with [`Sql::as_json_by_id`].
    pub(crate) async fn json_rows_by_id<T: DeserializeOwned>(
        self,
        connection: &impl ConnectionTrait,
    ) -> Result<Vec<(Id, Vec<T>)>, StoreError> {
        let statement = self.statement(connection.get_database_backend());
        let found = connection.query_all_raw(statement).await.map_err(store_error)?;
        let mut all = Vec::with_capacity(found.len());
        // Each text is dropped after it is parsed.
        for row in found {
            let id: Id = row.try_get("", "id").map_err(store_error)?;
            all.push((id, rows_in_json(&row)?));
        }
        Ok(all)
    }

    /// A value: a JSON array of the column `item` of a query, in the order of its rows.
    pub(crate) fn push_items(&mut self, backend: DbBackend, push_query: impl FnOnce(&mut Self)) {
        let concat = if backend == DbBackend::Sqlite { "group_concat" } else { "string_agg" };
        self.push(&format!("(SELECT '[' || coalesce({concat}(r.item, ','), '') || ']' FROM ("));
        push_query(self);
        self.push(") r)");
    }

    /// The statement for a database.
    pub fn statement(self, backend: DbBackend) -> Statement {
        let text = if backend == DbBackend::Sqlite { without_numbers(&self.text) } else { self.text };
        Statement::from_sql_and_values(backend, text, self.values)
    }
}

/// The aggregate for a JSON array of all rows.
fn json_group(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite { "json_group_array" } else { "json_agg" }
}

fn rows_in_json<T: DeserializeOwned>(row: &QueryResult) -> Result<Vec<T>, StoreError> {
    // PostgreSQL returns NULL for no rows.
    let rows: Option<String> = row.try_get("", "json_rows").map_err(store_error)?;
    let rows = rows.as_deref().map_or(Ok(Vec::new()), serde_json::from_str);
    rows.map_err(|error| StoreError::Broken(error.to_string()))
}

/// These columns as one JSON array.
fn json_array(backend: DbBackend, columns: &str) -> String {
    let array = if backend == DbBackend::Sqlite { "json_array" } else { "json_build_array" };
    format!("{array}({columns})")
}

/// The column `item`: these columns as the text of one JSON array, in this order.
pub(crate) fn json_item(backend: DbBackend, columns: &str) -> String {
    format!("CAST({} AS text) AS item", json_array(backend, columns))
}

/// Reads the JSON in the column `item`.
pub(crate) fn read_item<T: DeserializeOwned>(row: &QueryResult) -> Result<T, StoreError> {
    let text: String = row.try_get("", "item").map_err(store_error)?;
    serde_json::from_str(&text).map_err(|error| StoreError::Broken(error.to_string()))
}

/// The text with `?` instead of `$1`, `$2`, …, which are in this order: with numbered placeholders
/// SQLite searches all names for each value.
fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // A guide binds millions of values, so the digits are incremented in place instead of
    // formatted.
    let (mut rest, mut number, mut digits) = (text, 1_usize, String::from("1"));
    while let Some((before, after)) = rest.split_once('$') {
        plain.push_str(before);
        if let Some(behind) = after.strip_prefix(digits.as_str()) {
            plain.push('?');
            rest = behind;
            number += 1;
            digits.clear();
            let _ = write!(digits, "{number}");
        } else {
            plain.push('$');
            rest = after;
        }
    }
    plain.push_str(rest);
    plain
}

/// `INSERT INTO … SELECT …`: columns with their values, which may be columns of `from`.
pub(crate) fn insert_from<E: EntityTrait>(
    into: E,
    values: Vec<(E::Column, Expr)>,
    mut from: SelectStatement,
) -> InsertStatement {
    let (columns, exprs): (Vec<E::Column>, Vec<Expr>) = values.into_iter().unzip();
    let mut insert = Query::insert().into_table(into).columns(columns).to_owned();
    // It fails if the numbers of columns and values differ.
    let _ = insert.select_from(from.exprs(exprs).take());
    insert
}

/// `(VALUES …) AS v` with these rows, at least one, for `FROM`. Their columns are `v.column1`,
/// `v.column2`, …, as both databases name them. In PostgreSQL all values of a column must have one
/// type, `NULL` included.
pub(crate) fn values_as_v<R: IntoIterator<Item = Value>>(rows: impl IntoIterator<Item = R>) -> TableRef {
    let rows = rows.into_iter().map(|row| ValueTuple::Many(row.into_iter().collect()));
    TableRef::ValuesList(rows.collect(), "v".into_iden())
}

/// The columns of a table's primary key.
pub(crate) fn key_of<E: EntityTrait>() -> Vec<Expr> {
    E::PrimaryKey::iter().map(|key| Expr::col(key.into_column().as_column_ref())).collect()
}

/// Removes the rows whose keys a query selects; returns their number. Neither database limits a
/// `DELETE`.
pub(crate) async fn remove_selected<E: EntityTrait>(
    connection: &impl ConnectionTrait,
    keys: SelectStatement,
) -> Result<u64, DbErr> {
    let delete = E::delete_many().filter(Expr::tuple(key_of::<E>()).in_subquery(keys));
    Ok(delete.exec(connection).await?.rows_affected)
}

/// Executes a statement; returns the number of changed rows.
pub(crate) async fn changed_rows(connection: &impl ConnectionTrait, sql: Sql) -> Result<u64, DbErr> {
    let done = connection.execute_raw(sql.statement(connection.get_database_backend())).await?;
    Ok(done.rows_affected())
}

/// The column `column` of the table with this alias.
pub(crate) fn of(alias: &'static str, column: impl IntoIden) -> Expr {
    Expr::col((alias, column.into_iden()))
}

/// The column's name in the database: `coverImageUrl` is `cover_image_url`.
pub(crate) fn column_name(field: &str) -> String {
    field.chars().fold(String::new(), |mut name, c| {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
        name
    })
}

/// The pattern of a text without wildcards, for `LIKE … ESCAPE '\'`.
fn like_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// The text as one phrase, for `MATCH` of FTS5.
pub(crate) fn match_phrase(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
