//! The store of one list of the settings. These lists have dozens of rows, so they are counted and
//! searched without indexes.

use std::marker::PhantomData;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{FieldDiff, Id, ListQuery, Page, Version, difference, fold};
use domain_settings::StoredEntry;
use garde::Valid;
use ports::{Edit, EntryRepository, IdempotencyKey, Inserted, Removed, StoreError, Written};
use sea_orm::{
    ConnectionTrait, DbErr, QueryResult,
    sea_query::{Expr, ExprTrait, LockType, Query},
};

use super::EntryTable;
use crate::{
    Database,
    audit::{self as recorded, Record, fields_of, record_one},
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
        values::broken,
    },
    idempotency::{inserted_before, keep_answer},
    list::{AccessPath, ListRequest, ListTable, page, push_comparison},
};

/// The store of one list of the settings.
#[derive(Debug, Clone)]
pub struct SeaOrmEntries<E> {
    database: Database,
    of: PhantomData<fn() -> E>,
}

/// Columns that every table of entries has.
const COMMON: [&str; 4] = ["id", "version", "created_date", "updated_date"];

fn columns<E: EntryTable>() -> impl Iterator<Item = &'static str> {
    COMMON.into_iter().chain(E::COLUMNS.iter().copied())
}

fn kept<E: EntryTable>(row: &QueryResult) -> Result<StoredEntry<E>, StoreError> {
    let date = |column: &str| row.try_get::<DateTime<Utc>>("", column).map_err(store_error);
    Ok(StoredEntry {
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

/// The columns of an entry, with their values.
fn own_values<E: EntryTable>(entry: &E) -> impl Iterator<Item = (&'static str, Expr)> {
    let own = E::COLUMNS.iter().copied().zip(entry.values().into_iter().map(Expr::val));
    [("search_text", folded_search_text(entry).into())].into_iter().chain(own)
}

/// The audit entry of an entry of the list.
fn record_of<E: EntryTable>(action: AuditAction, entry: &StoredEntry<E>, diff: FieldDiff) -> Record {
    let title = entry.entry.search_text().lines().next().unwrap_or_default().to_owned();
    Record {
        action,
        resource: E::PATH,
        item: entry.id.to_string(),
        title,
        version: Some(entry.version),
        diff,
    }
}

/// The list of a table.
struct EntryList<E>(PhantomData<fn() -> E>);

impl<E: EntryTable> ListTable for EntryList<E> {
    type Row = StoredEntry<E>;

    const TABLE: &'static str = E::TABLE;
    const ALIAS: &'static str = "m";
    const DEFAULT_ORDER: (&'static str, bool) = ("m.id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = kept::<E>;

    fn columns(&self) -> String {
        columns::<E>().collect::<Vec<_>>().join(", ")
    }

    fn column(&self, field: &str) -> String {
        format!("m.{}", E::column(field))
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE 1 = 1");
        if let Some(text) = request.search.text() {
            sql.push(" AND ").push_like("m.search_text", text);
        }
        for filter in &request.query.filters {
            sql.push(&format!(" AND m.{}", E::column(&filter.field)));
            push_comparison(sql, &filter.value);
        }
    }
}

impl<E: EntryTable> SeaOrmEntries<E> {
    /// The list in a database.
    pub fn new(database: Database) -> Self {
        Self { database, of: PhantomData }
    }

    async fn read(
        &self,
        connection: &impl ConnectionTrait,
        id: Id,
    ) -> Result<Option<StoredEntry<E>>, StoreError> {
        let query =
            Query::select().columns(columns::<E>()).from(E::TABLE).and_where(Expr::col("id").eq(id)).take();
        let row = connection.query_one(&query).await;
        row.map_err(store_error)?.as_ref().map(kept).transpose()
    }

    /// An entry, locked until the transaction ends.
    async fn locked(&self, transaction: &Transaction, id: Id) -> Result<Option<StoredEntry<E>>, StoreError> {
        let row = Query::select()
            .columns(columns::<E>())
            .from(E::TABLE)
            .and_where(Expr::col("id").eq(id))
            .lock(LockType::Update)
            .take();
        transaction.query_one(&row).await.map_err(store_error)?.as_ref().map(kept).transpose()
    }

    /// Adds a row, in a separate transaction; `Ok(Err(…))` is an invalid row or stored response.
    async fn add(
        &self,
        entry: &E,
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<Result<Inserted<StoredEntry<E>>, StoreError>, DbErr> {
        let transaction = self.database.begin().await?;
        if let Some(once) = once
            && let Some(before) = inserted_before(&transaction, once).await?
        {
            return Ok(Ok(before));
        }
        let (names, values): (Vec<&str>, Vec<Expr>) =
            [("version", 1.into()), ("created_date", edit.at.into()), ("updated_date", edit.at.into())]
                .into_iter()
                .chain(own_values(entry))
                .unzip();
        let insert = Query::insert()
            .into_table(E::TABLE)
            .columns(names)
            .values_panic(values)
            .returning(Query::returning().columns(columns::<E>()))
            .take();
        let rows = transaction.query_all(&insert).await?;
        let added = rows.first().ok_or_else(|| broken("an insert without a row")).and_then(kept::<E>);
        let added = match added {
            Ok(added) => added,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(once) = once {
            match serde_json::to_string(&added) {
                Ok(answer) => keep_answer(&transaction, once, answer, edit.at).await?,
                Err(error) => return Ok(Err(broken(error))),
            }
        }
        let diff = recorded::added(fields_of(&added.entry));
        record_one(&transaction, edit, record_of(AuditAction::Created, &added, diff)).await?;
        transaction.commit().await?;
        Ok(Ok(Inserted::New(added)))
    }
}

#[async_trait]
impl<E: EntryTable> EntryRepository<E> for SeaOrmEntries<E> {
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<StoredEntry<E>>>, StoreError> {
        page(&self.database, &EntryList::<E>(PhantomData), query).await
    }

    async fn find(&self, id: Id) -> Result<Option<StoredEntry<E>>, StoreError> {
        self.read(&self.database.reader, id).await
    }

    async fn insert(
        &self,
        entry: Valid<E>,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<StoredEntry<E>>, StoreError> {
        let entry = entry.into_inner();
        tried(is_overtaken, || self.add(&entry, edit, once.as_ref()))
            .await
            .unwrap_or_else(|error| Err(store_error(error)))
    }

    async fn replace(
        &self,
        id: Id,
        entry: Valid<E>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredEntry<E>>, StoreError> {
        let entry = entry.into_inner();
        let transaction = self.database.begin().await.map_err(store_error)?;
        let Some(before) = self.locked(&transaction, id).await? else { return Ok(Written::Missing) };
        if expected.is_some_and(|expected| expected != before.version) {
            return Ok(Written::Outdated(before));
        }
        let update = Query::update()
            .table(E::TABLE)
            .values([("version", Expr::col("version").add(1)), ("updated_date", edit.at.into())])
            .values(own_values(&entry))
            .and_where(Expr::col("id").eq(id))
            .returning(Query::returning().columns(columns::<E>()))
            .take();
        let rows = transaction.query_all(&update).await.map_err(store_error)?;
        let row = rows.first().ok_or_else(|| broken("a locked entry is missing"))?;
        let after = kept::<E>(row)?;
        let diff = difference(&fields_of(&before.entry), &fields_of(&after.entry));
        let change = record_of(AuditAction::Updated, &after, diff);
        record_one(&transaction, edit, change).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Written::Done(after))
    }

    async fn delete(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Removed<StoredEntry<E>>, StoreError> {
        let transaction = self.database.begin().await.map_err(store_error)?;
        let Some(before) = self.locked(&transaction, id).await? else { return Ok(Removed::Missing) };
        if expected.is_some_and(|expected| expected != before.version) {
            return Ok(Removed::Outdated(before));
        }
        let delete = Query::delete().from_table(E::TABLE).and_where(Expr::col("id").eq(id)).take();
        transaction.execute(&delete).await.map_err(store_error)?;
        let diff = FieldDiff { before: fields_of(&before.entry), ..FieldDiff::default() };
        let deleted = record_of(AuditAction::Deleted, &before, diff);
        record_one(&transaction, edit, deleted).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Removed::Done)
    }
}
