//! Adding, changing, removing and importing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_catalogue::{Content, Kind, Stored};
use domain_kernel::{Id, Version, fold, order_key};
use ports::{ImportOutcome, ImportedItem, Inserted, InsertedAll, OnceOnly, Removed, StoreError, Written};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, IdenStatic, IntoActiveModel,
    Iterable, QueryFilter, SqlErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
    sea_query::{Expr, ExprTrait},
};
use serde_json::{Value, json};

use super::{
    SeaOrmContents,
    table::{ContentTable, column_of, folded_columns},
};
use crate::{
    error::{is_broken_reference, is_serialization_failure, store_error},
    sql::Sql,
};

/// How often a transaction is tried that PostgreSQL gave up in favour of another.
const TRIES: usize = 4;
/// Values that one statement may bind on both databases.
const MOST_VALUES: usize = 30_000;

fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::Broken(error.to_string())
}

/// What belongs to the server in a row.
#[derive(Clone, Copy)]
struct Envelope {
    id: Id,
    version: Version,
    views: i64,
    created: DateTime<Utc>,
    updated: DateTime<Utc>,
}

fn model<T: ContentTable>(content: &T::Content, envelope: Envelope) -> Result<T::Model, StoreError> {
    let mut json = serde_json::to_value(content).map_err(broken)?;
    let seen: Vec<String> = content.seen_in_list().lines().map(fold).collect();
    let keys: Vec<(String, String)> = folded_columns::<T>()
        .map(|(field, key)| (key, json[&field].as_str().map(order_key).unwrap_or_default()))
        .collect();
    let fields = json.as_object_mut().ok_or_else(|| broken("content that is no object"))?;
    fields.extend(keys.into_iter().map(|(key, text)| (key, Value::from(text))));
    fields.insert("id".into(), json!(envelope.id));
    fields.insert("version".into(), json!(envelope.version));
    fields.insert("views".into(), json!(envelope.views));
    fields.insert("createdDate".into(), json!(envelope.created));
    fields.insert("updatedDate".into(), json!(envelope.updated));
    fields.insert("naturalKey".into(), json!(content.natural_key()));
    fields.insert("searchText".into(), json!(seen.join("\n")));
    serde_json::from_value(json).map_err(broken)
}

fn stored<T: ContentTable>(model: &T::Model) -> Result<Stored<T::Content>, StoreError> {
    serde_json::from_value(serde_json::to_value(model).map_err(broken)?).map_err(broken)
}

/// A row to be inserted: everything set, but the id, which is the database's to give.
fn new_row<T: ContentTable>(model: T::Model) -> T::ActiveModel {
    let mut row = model.into_active_model().reset_all();
    unset::<T>(&mut row, &["id"]);
    row
}

fn unset<T: ContentTable>(row: &mut T::ActiveModel, columns: &[&str]) {
    for column in T::Column::iter().filter(|column| columns.contains(&column.as_str())) {
        row.not_set(column);
    }
}

fn named<T: ContentTable>(name: &str) -> T::Column {
    column_of::<T>(name).expect("every content table has the columns of the server; a test says so")
}

impl<T: ContentTable> SeaOrmContents<T> {
    /// A transaction that writes from its first statement on.
    async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.database.writer.begin_with_options(options).await
    }

    pub(super) async fn add(
        &self,
        content: T::Content,
        now: DateTime<Utc>,
        once: Option<OnceOnly>,
    ) -> Result<Inserted<T::Content>, StoreError> {
        let envelope = Envelope { id: 0, version: 1, views: 0, created: now, updated: now };
        let model = model::<T>(&content, envelope)?;
        let mut tries = 0;
        loop {
            let outcome = match &once {
                None => T::insert(new_row::<T>(model.clone()))
                    .exec_with_returning(&self.database.writer)
                    .await
                    .map(|row| stored::<T>(&row).map(Inserted::New)),
                Some(once) => self.add_once(&model, now, once).await,
            };
            tries += 1;
            match outcome {
                Ok(inserted) => return inserted,
                // Two of the same key at the same moment: the second finds the first's answer next time round.
                Err(error) if tries < TRIES && is_serialization_failure(&error) => {}
                Err(error) if is_unique(&error) => {
                    if let Some(other) = self.standing_at(&content).await? {
                        return Ok(Inserted::Taken(other));
                    }
                    if tries >= TRIES {
                        return Err(store_error(error));
                    }
                }
                Err(error) => return Err(store_error(error)),
            }
        }
    }

    /// The item that has this one's natural key, where the kind allows no two with it.
    async fn standing_at(&self, content: &T::Content) -> Result<Option<Stored<T::Content>>, StoreError> {
        if !T::ONCE {
            return Ok(None);
        }
        let found = T::find()
            .filter(named::<T>("natural_key").eq(content.natural_key()))
            .one(&self.database.writer)
            .await
            .map_err(store_error)?;
        found.as_ref().map(stored::<T>).transpose()
    }

    async fn add_once(
        &self,
        model: &T::Model,
        now: DateTime<Utc>,
        once: &OnceOnly,
    ) -> Result<Result<Inserted<T::Content>, StoreError>, DbErr> {
        let transaction = self.begin().await?;
        let backend = self.database.backend();
        let mut known = Sql::new("SELECT fingerprint, answer FROM idempotency_keys WHERE username_key = ");
        known.bind(once.username.as_str()).push(" AND idempotency_key = ").bind(once.key.as_str());
        if let Some(row) = transaction.query_one_raw(known.statement(backend)).await? {
            let fingerprint: String = row.try_get("", "fingerprint")?;
            if fingerprint != once.fingerprint {
                return Ok(Ok(Inserted::Mismatch));
            }
            let answer: String = row.try_get("", "answer")?;
            return Ok(serde_json::from_str(&answer).map(Inserted::Again).map_err(broken));
        }
        let row = T::insert(new_row::<T>(model.clone())).exec_with_returning(&transaction).await?;
        let item = match stored::<T>(&row) {
            Ok(item) => item,
            Err(error) => return Ok(Err(error)),
        };
        let answer = match serde_json::to_string(&item) {
            Ok(answer) => answer,
            Err(error) => return Ok(Err(broken(error))),
        };
        let mut keep = Sql::new(
            "INSERT INTO idempotency_keys (username_key, idempotency_key, fingerprint, answer, created_date) VALUES (",
        );
        keep.bind(once.username.as_str()).push(", ").bind(once.key.as_str()).push(", ");
        keep.bind(once.fingerprint.as_str()).push(", ").bind(answer).push(", ").bind(now).push(")");
        transaction.execute_raw(keep.statement(backend)).await?;
        transaction.commit().await?;
        Ok(Ok(Inserted::New(item)))
    }

    pub(super) async fn add_all(
        &self,
        contents: Vec<T::Content>,
        now: DateTime<Utc>,
    ) -> Result<InsertedAll<T::Content>, StoreError> {
        let envelope = Envelope { id: 0, version: 1, views: 0, created: now, updated: now };
        let mut rows = Vec::with_capacity(contents.len());
        for content in &contents {
            rows.push(new_row::<T>(model::<T>(content, envelope)?));
        }
        let transaction = self.begin().await.map_err(store_error)?;
        match T::insert_many(rows).exec_with_returning(&transaction).await {
            Ok(inserted) => {
                transaction.commit().await.map_err(store_error)?;
                let ids: Result<Vec<Id>, StoreError> =
                    inserted.iter().map(|row| stored::<T>(row).map(|item| item.id)).collect();
                ids.map(InsertedAll::New)
            }
            Err(error) if is_unique(&error) => {
                drop(transaction);
                for content in &contents {
                    if let Some(other) = self.standing_at(content).await? {
                        return Ok(InsertedAll::Taken(other));
                    }
                }
                Err(store_error(error))
            }
            Err(error) => Err(store_error(error)),
        }
    }

    pub(super) async fn change(
        &self,
        id: Id,
        content: &T::Content,
        expected: Option<Version>,
        now: DateTime<Utc>,
    ) -> Result<Written<T::Content>, StoreError> {
        let envelope = Envelope { id, version: 0, views: 0, created: now, updated: now };
        let mut row = model::<T>(content, envelope)?.into_active_model().reset_all();
        unset::<T>(&mut row, &["id", "version", "views", "created_date"]);
        unset::<T>(&mut row, T::KEPT);
        match self.write(id, row, expected, None).await {
            Err(error) if is_unique(&error) => match self.standing_at(content).await? {
                Some(other) => Ok(Written::Taken(other)),
                None => Err(store_error(error)),
            },
            outcome => outcome.map_err(store_error)?,
        }
    }

    pub(super) async fn activate(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        now: DateTime<Utc>,
    ) -> Result<Written<T::Content>, StoreError> {
        let mut row = <T::ActiveModel as Default>::default();
        row.set(named::<T>("active"), active.into());
        row.set(named::<T>("updated_date"), now.into());
        let differs = named::<T>("active").ne(active);
        match self.write(id, row, expected, Some(differs)).await.map_err(store_error)?? {
            // Nothing to change: it is active, or not, already.
            Written::Outdated(current) if expected.is_none_or(|version| version == current.version) => {
                Ok(Written::Done(current))
            }
            other => Ok(other),
        }
    }

    async fn write(
        &self,
        id: Id,
        row: T::ActiveModel,
        expected: Option<Version>,
        condition: Option<Expr>,
    ) -> Result<Result<Written<T::Content>, StoreError>, DbErr> {
        let version = named::<T>("version");
        let mut tries = 0;
        let rows = loop {
            let mut update = T::update_many()
                .set(row.clone())
                .col_expr(version, Expr::col(version).add(1))
                .filter(named::<T>("id").eq(id));
            if let Some(expected) = expected {
                update = update.filter(version.eq(expected));
            }
            if let Some(condition) = condition.clone() {
                update = update.filter(condition);
            }
            tries += 1;
            match update.exec_with_returning(&self.database.writer).await {
                Err(error) if tries < TRIES && is_serialization_failure(&error) => {}
                other => break other?,
            }
        };
        Ok(if let Some(row) = rows.first() {
            stored::<T>(row).map(Written::Done)
        } else {
            let found = self.read(&self.database.writer, id).await;
            found.map(|found| found.map_or(Written::Missing, Written::Outdated))
        })
    }

    pub(super) async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
    ) -> Result<Removed<T::Content>, StoreError> {
        let users = self.users_of(id).await?;
        if !users.is_empty() {
            return Ok(Removed::InUse(users));
        }
        let mut delete = T::delete_many().filter(named::<T>("id").eq(id));
        if let Some(expected) = expected {
            delete = delete.filter(named::<T>("version").eq(expected));
        }
        match delete.exec(&self.database.writer).await {
            Ok(done) if done.rows_affected == 1 => Ok(Removed::Done),
            Ok(_) => {
                Ok(self.read(&self.database.writer, id).await?.map_or(Removed::Missing, Removed::Outdated))
            }
            // Somebody began to use it a moment ago.
            Err(error) if is_broken_reference(&error) => Ok(Removed::InUse(self.users_of(id).await?)),
            Err(error) => Err(store_error(error)),
        }
    }

    /// How much of which kind refers to an item.
    async fn users_of(&self, id: Id) -> Result<Vec<(Kind, u64)>, StoreError> {
        let mut users = Vec::new();
        for referrer in T::REFERRERS {
            let mut sql = Sql::new(referrer.counted);
            sql.bind(id);
            let row = self.database.writer.query_one_raw(sql.statement(self.database.backend())).await;
            let total: i64 = match row.map_err(store_error)? {
                Some(row) => row.try_get("", "total").map_err(store_error)?,
                None => 0,
            };
            if total > 0 {
                users.push((referrer.kind, total.unsigned_abs()));
            }
        }
        Ok(users)
    }

    pub(super) async fn take_in(
        &self,
        batch: Vec<ImportedItem<T::Content>>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ImportOutcome>, StoreError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let transaction = self.begin().await.map_err(store_error)?;
        let mut known = self.known_items(&transaction, &batch).await?;
        let mut outcomes: Vec<Option<ImportOutcome>> = vec![None; batch.len()];
        let mut rows = Vec::new();
        // New items by key, and the same ones again further down: the first stands.
        let mut added: HashMap<String, usize> = HashMap::new();
        let mut again: Vec<(usize, usize)> = Vec::new();
        for (index, item) in batch.into_iter().enumerate() {
            let mut content = item.content.into_inner();
            let key = content.natural_key();
            if let Some(first) = added.get(&key) {
                again.push((index, *first));
                continue;
            }
            match known.get_mut(&key) {
                None => {
                    let created = item.created_date.unwrap_or(now);
                    let updated = item.updated_date.unwrap_or(created);
                    content.settle(None, created);
                    let envelope = Envelope { id: 0, version: 1, views: item.views, created, updated };
                    rows.push((index, new_row::<T>(model::<T>(&content, envelope)?)));
                    added.insert(key, index);
                }
                Some(existing) => {
                    content.settle(Some(&existing.content), now);
                    if content == existing.content {
                        outcomes[index] = Some(ImportOutcome::Unchanged(existing.id));
                        continue;
                    }
                    let envelope =
                        Envelope { id: existing.id, version: 0, views: 0, created: now, updated: now };
                    let mut row = model::<T>(&content, envelope)?.into_active_model().reset_all();
                    unset::<T>(&mut row, &["id", "version", "views", "created_date"]);
                    unset::<T>(&mut row, T::KEPT);
                    let version = named::<T>("version");
                    T::update_many()
                        .set(row)
                        .col_expr(version, Expr::col(version).add(1))
                        .filter(named::<T>("id").eq(existing.id))
                        .exec(&transaction)
                        .await
                        .map_err(store_error)?;
                    existing.content = content;
                    outcomes[index] = Some(ImportOutcome::Updated(existing.id));
                }
            }
        }
        let per_statement = (MOST_VALUES / T::Column::iter().count()).max(1);
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let (indexes, chunk): (Vec<usize>, Vec<T::ActiveModel>) =
                rows.by_ref().take(per_statement).unzip();
            let inserted =
                T::insert_many(chunk).exec_with_returning(&transaction).await.map_err(store_error)?;
            for (index, row) in indexes.into_iter().zip(inserted) {
                let id = stored::<T>(&row)?.id;
                outcomes[index] = Some(ImportOutcome::Created(id));
            }
        }
        transaction.commit().await.map_err(store_error)?;
        for (index, first) in again {
            if let Some(ImportOutcome::Created(id)) = outcomes[first] {
                outcomes[index] = Some(ImportOutcome::Unchanged(id));
            }
        }
        outcomes
            .into_iter()
            .map(|outcome| outcome.ok_or_else(|| broken("an imported item got lost")))
            .collect()
    }

    /// Items of the batch that are stored already, by natural key; of several alike, the oldest.
    async fn known_items(
        &self,
        transaction: &DatabaseTransaction,
        batch: &[ImportedItem<T::Content>],
    ) -> Result<HashMap<String, Stored<T::Content>>, StoreError> {
        let mut keys: Vec<String> = batch.iter().map(|item| item.content.natural_key()).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut known = HashMap::new();
        for keys in keys.chunks(MOST_VALUES) {
            let rows = T::find()
                .filter(named::<T>("natural_key").is_in(keys.iter().cloned()))
                .all(transaction)
                .await
                .map_err(store_error)?;
            for row in &rows {
                let item = stored::<T>(row)?;
                let key = item.content.natural_key();
                match known.get(&key) {
                    Some(Stored { id, .. }) if *id < item.id => {}
                    _ => {
                        known.insert(key, item);
                    }
                }
            }
        }
        Ok(known)
    }
}

fn is_unique(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}
