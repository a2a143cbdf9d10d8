//! The store of one list of the settings page. These lists have dozens of rows: they are counted and searched as they
//! stand.

use std::marker::PhantomData;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{FilterValue, Id, ListQuery, Page, Version, fold};
use domain_settings::Kept;
use garde::Valid;
use ports::{EntryRepository, IdempotencyKey, Inserted, Removed, StoreError, Written};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use super::EntryTable;
use crate::{
    Database,
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::{Sql, like_pattern},
    },
    idempotency::{Earlier, answered, keep_answer},
    list::{AccessPath, ListRequest, ListTable, page},
};

/// Keeps one list of the settings page.
#[derive(Debug, Clone)]
pub struct SeaOrmEntries<E> {
    database: Database,
    of: PhantomData<fn() -> E>,
}

fn columns<E: EntryTable>() -> String {
    ["id", "version", "created_date", "updated_date"]
        .iter()
        .chain(E::COLUMNS)
        .copied()
        .collect::<Vec<_>>()
        .join(", ")
}

fn kept<E: EntryTable>(row: &QueryResult) -> Result<Kept<E>, StoreError> {
    let date = |column: &str| row.try_get::<DateTime<Utc>>("", column).map_err(store_error);
    Ok(Kept {
        id: row.try_get("", "id").map_err(store_error)?,
        version: row.try_get("", "version").map_err(store_error)?,
        entry: E::read(row)?,
        created_date: date("created_date")?,
        updated_date: date("updated_date")?,
    })
}

fn folded_search_text<E: EntryTable>(entry: &E) -> String {
    entry.search_text().lines().map(fold).collect::<Vec<_>>().join("\n")
}

fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::Broken(error.to_string())
}

/// The list of a table.
struct EntryList<E>(PhantomData<fn() -> E>);

impl<E: EntryTable> ListTable for EntryList<E> {
    type Row = Kept<E>;

    const TABLE: &'static str = E::TABLE;
    const ALIAS: &'static str = "m";
    const DEFAULT_ORDER: (&'static str, bool) = ("m.id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = kept::<E>;

    fn columns(&self) -> String {
        columns::<E>()
    }

    fn column(&self, field: &str) -> String {
        format!("m.{}", E::column(field))
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE 1 = 1");
        if let Some(text) = request.search.text() {
            sql.push(" AND m.search_text LIKE ").bind(like_pattern(text)).push(r" ESCAPE '\'");
        }
        for filter in &request.query.filters {
            sql.push(&format!(" AND m.{} = ", E::column(&filter.field)));
            match filter.value {
                FilterValue::Flag(flag) => sql.bind(flag),
                FilterValue::Code(code) => sql.bind(code),
                FilterValue::Text(ref text) => sql.bind(text.as_str()),
                FilterValue::Reference(number) | FilterValue::Number(number) => sql.bind(number),
            };
        }
    }
}

impl<E: EntryTable> SeaOrmEntries<E> {
    /// The list in a database.
    pub fn new(database: Database) -> Self {
        Self { database, of: PhantomData }
    }

    async fn read(&self, connection: &impl ConnectionTrait, id: Id) -> Result<Option<Kept<E>>, StoreError> {
        let mut sql = Sql::new(format!("SELECT {} FROM {} WHERE id = ", columns::<E>(), E::TABLE));
        sql.bind(id);
        let row = connection.query_one_raw(sql.statement(self.database.backend())).await;
        row.map_err(store_error)?.as_ref().map(kept).transpose()
    }

    /// Adds a row, in a transaction of its own; `Ok(Err(…))` is what the row or the kept answer can't say.
    async fn add(
        &self,
        entry: &E,
        now: DateTime<Utc>,
        once: Option<&IdempotencyKey>,
    ) -> Result<Result<Inserted<Kept<E>>, StoreError>, DbErr> {
        let transaction = self.database.begin().await?;
        if let Some(once) = once {
            match answered(&transaction, once).await? {
                Some(Earlier::KeyReused) => return Ok(Ok(Inserted::KeyReused)),
                Some(Earlier::Replayed(answer)) => {
                    return Ok(serde_json::from_str(&answer).map(Inserted::Replayed).map_err(broken));
                }
                None => {}
            }
        }
        let own = E::COLUMNS.join(", ");
        let mut sql = Sql::new(format!(
            "INSERT INTO {} (version, created_date, updated_date, search_text, {own}) VALUES (1, ",
            E::TABLE
        ));
        sql.bind(now).push(", ").bind(now).push(", ").bind(folded_search_text(entry)).push(", ");
        sql.bind_all(entry.values()).push(&format!(") RETURNING {}", columns::<E>()));
        let rows = transaction.query_all_raw(sql.statement(self.database.backend())).await?;
        let added = rows.first().ok_or_else(|| broken("an insert without a row")).and_then(kept::<E>);
        let added = match added {
            Ok(added) => added,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(once) = once {
            match serde_json::to_string(&added) {
                Ok(answer) => keep_answer(&transaction, once, answer, now).await?,
                Err(error) => return Ok(Err(broken(error))),
            }
        }
        transaction.commit().await?;
        Ok(Ok(Inserted::New(added)))
    }
}

#[async_trait]
impl<E: EntryTable> EntryRepository<E> for SeaOrmEntries<E> {
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Kept<E>>>, StoreError> {
        page(&self.database, &EntryList::<E>(PhantomData), query).await
    }

    async fn find(&self, id: Id) -> Result<Option<Kept<E>>, StoreError> {
        self.read(&self.database.reader, id).await
    }

    async fn insert(
        &self,
        entry: Valid<E>,
        now: DateTime<Utc>,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Kept<E>>, StoreError> {
        let entry = entry.into_inner();
        tried(is_overtaken, || self.add(&entry, now, once.as_ref()))
            .await
            .unwrap_or_else(|error| Err(store_error(error)))
    }

    async fn replace(
        &self,
        id: Id,
        entry: Valid<E>,
        expected: Option<Version>,
        now: DateTime<Utc>,
    ) -> Result<Written<Kept<E>>, StoreError> {
        let entry = entry.into_inner();
        let mut sql = Sql::new(format!("UPDATE {} SET version = version + 1, updated_date = ", E::TABLE));
        sql.bind(now).push(", search_text = ").bind(folded_search_text(&entry));
        for (column, value) in E::COLUMNS.iter().zip(entry.values()) {
            sql.push(&format!(", {column} = ")).bind(value);
        }
        sql.push(" WHERE id = ").bind(id);
        if let Some(expected) = expected {
            sql.push(" AND version = ").bind(expected);
        }
        sql.push(&format!(" RETURNING {}", columns::<E>()));
        let writer = &self.database.writer;
        let rows = writer.query_all_raw(sql.statement(self.database.backend())).await.map_err(store_error)?;
        match rows.first() {
            Some(row) => kept(row).map(Written::Done),
            None => Ok(self.read(writer, id).await?.map_or(Written::Missing, Written::Outdated)),
        }
    }

    async fn delete(&self, id: Id, expected: Option<Version>) -> Result<Removed<Kept<E>>, StoreError> {
        let mut sql = Sql::new(format!("DELETE FROM {} WHERE id = ", E::TABLE));
        sql.bind(id);
        if let Some(expected) = expected {
            sql.push(" AND version = ").bind(expected);
        }
        let writer = &self.database.writer;
        let done = writer.execute_raw(sql.statement(self.database.backend())).await.map_err(store_error)?;
        if done.rows_affected() == 1 {
            return Ok(Removed::Done);
        }
        Ok(self.read(writer, id).await?.map_or(Removed::Missing, Removed::Outdated))
    }
}
