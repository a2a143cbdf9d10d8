//! Integrators' keys. There are few, so their list needs no index.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_audit::AuditAction;
use domain_integrations::Key;
use domain_kernel::{Enumeration, FieldDiff, Id, KeyScope, ListQuery, Page, fold};
use ports::{Edit, KeyDay, KeyRepository, KeyToKeep, KeyUse, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QueryResult, QueryTrait,
    sea_query::{Expr, ExprTrait, OnConflict, Query},
};
use serde_json::{Map, json};

use crate::{
    Database,
    audit::{Record, added, fields_of, record_one},
    db::{error::store_error, sql::Sql},
    entities::{
        integrator_key_days as days,
        integrator_keys::{ActiveModel, Column, Entity},
    },
    list::{AccessPath, ListRequest, ListTable, Order, page, rows_of_list},
    users::username,
};

/// The store of keys.
#[derive(Debug, Clone)]
pub struct SeaOrmKeys(pub Database);

/// The columns of a key. Whether its creator is active is read along the unique index of usernames.
const COLUMNS: &str = "id, name, hint, scopes, expires_date, calls_per_minute, created_by, created_date, revoked_date, \
     last_used_date, calls, refused_calls, kept_by, EXISTS (SELECT 1 FROM users u WHERE u.role IN ('superadmin', 'admin') \
     AND u.status = 'ACTIVE' AND u.username_key = lower(coalesce(kept_by, created_by))) AS has_active_owner";

fn key(row: &QueryResult) -> Result<Key, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    let date = |column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).map_err(store_error);
    let rate = u32::try_from(number("calls_per_minute")?);
    Ok(Key {
        id: number("id")?,
        name: text("name")?,
        hint: text("hint")?,
        // Scopes that no longer exist are ignored.
        scopes: text("scopes")?.split(',').filter_map(KeyScope::from_code).collect(),
        expires_date: row.try_get("", "expires_date").map_err(store_error)?,
        calls_per_minute: rate.map_err(|error| StoreError::Broken(error.to_string()))?,
        created_by: username(&text("created_by")?)?,
        kept_by: row
            .try_get::<Option<String>>("", "kept_by")
            .map_err(store_error)?
            .as_deref()
            .map(username)
            .transpose()?,
        has_active_owner: row.try_get("", "has_active_owner").map_err(store_error)?,
        created_date: row.try_get("", "created_date").map_err(store_error)?,
        revoked_date: date("revoked_date")?,
        last_used_date: date("last_used_date")?,
        calls: number("calls")?,
        refused_calls: number("refused_calls")?,
    })
}

fn one(row: Result<Option<QueryResult>, DbErr>) -> Result<Option<Key>, StoreError> {
    row.map_err(store_error)?.as_ref().map(key).transpose()
}

impl SeaOrmKeys {
    /// The key that satisfies the condition.
    async fn read(&self, condition: Expr) -> Result<Option<Key>, StoreError> {
        let query = Query::select().expr(Expr::cust(COLUMNS)).from(Entity).and_where(condition).take();
        one(self.0.reader.query_one(&query).await)
    }

    /// Changes a key that is not revoked, with an audit entry; reads it in any case.
    async fn update(
        &self,
        id: Id,
        (column, value): (Column, Expr),
        action: AuditAction,
        edit: &Edit,
    ) -> Result<Option<Key>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let update = Query::update()
            .table(Entity)
            .value(column, value)
            .and_where(Column::Id.eq(id))
            .and_where(Column::RevokedDate.is_null())
            .returning(Query::returning().expr(Expr::cust(COLUMNS)))
            .take();
        let Some(changed) = one(transaction.query_one(&update).await)? else {
            let query =
                Query::select().expr(Expr::cust(COLUMNS)).from(Entity).and_where(Column::Id.eq(id)).take();
            return one(transaction.query_one(&query).await);
        };
        let kept_by = changed.kept_by.as_ref().filter(|_| action == AuditAction::Updated);
        let diff = added(kept_by.map_or_else(Map::new, |by| fields_of(&json!({"keptBy": by}))));
        record_one(&transaction, edit, record_of_key(action, &changed, diff)).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Some(changed))
    }

    async fn write_uses(&self, uses: &[KeyUse]) -> Result<(), DbErr> {
        let transaction = self.0.begin().await?;
        for one in uses {
            Entity::update_many()
                .col_expr(Column::Calls, Expr::col(Column::Calls).add(one.calls))
                .col_expr(Column::RefusedCalls, Expr::col(Column::RefusedCalls).add(one.refused))
                .col_expr(Column::LastUsedDate, one.last.into())
                .filter(Column::Id.eq(one.key))
                .exec(&transaction)
                .await?;
            let row = days::ActiveModel {
                key_id: Set(one.key),
                day: Set(one.day),
                calls: Set(one.calls),
                refused: Set(one.refused),
            };
            let added =
                |column: days::Column| Expr::col((days::Entity, column)).add(Expr::col(("excluded", column)));
            let add = OnConflict::columns([days::Column::KeyId, days::Column::Day])
                .value(days::Column::Calls, added(days::Column::Calls))
                .value(days::Column::Refused, added(days::Column::Refused))
                .to_owned();
            days::Entity::insert(row).on_conflict(add).exec_without_returning(&transaction).await?;
        }
        transaction.commit().await
    }
}

/// The audit entry of a key, without its text or hash.
fn record_of_key(action: AuditAction, key: &Key, diff: FieldDiff) -> Record {
    let (item, title) = (key.id.to_string(), key.name.clone());
    Record { action, resource: "integrator-keys", item, title, version: None, diff }
}

/// The list of keys.
struct KeyList;

impl ListTable for KeyList {
    type Row = Key;

    const TABLE: &'static str = "integrator_keys";
    const ALIAS: &'static str = "k";
    const COLUMNS: &'static str = COLUMNS;
    const SORTS: &'static [(&'static str, &'static str)] = &[
        ("name", "name_key"),
        ("createdDate", "created_date"),
        ("lastUsedDate", "last_used_date"),
        ("calls", "calls"),
    ];
    const NULLABLE: &'static [&'static str] = &["k.last_used_date"];
    const DEFAULT_ORDER: (&'static str, bool) = ("k.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = key;

    /// Equal keys are ordered newest first, in both directions.
    fn order(&self, query: &ListQuery) -> Order {
        Order::requested(query, |field| self.column(field)).then("k.id".to_owned(), true)
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        if let Some(text) = request.search.text() {
            sql.push(" WHERE ").push_like("k.name_key", text);
        }
    }
}

#[async_trait]
impl KeyRepository for SeaOrmKeys {
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Key>>, StoreError> {
        page(&self.0, &KeyList, query).await
    }

    async fn find(&self, id: Id) -> Result<Option<Key>, StoreError> {
        self.read(Column::Id.eq(id)).await
    }

    async fn find_by_hash(&self, hash: &str) -> Result<Option<Key>, StoreError> {
        self.read(Column::KeyHash.eq(hash)).await
    }

    async fn insert(&self, new: &KeyToKeep, edit: &Edit) -> Result<Key, StoreError> {
        let by = edit.by.as_ref().ok_or_else(|| StoreError::Broken("keys are made by users".into()))?;
        let requested = &new.requested;
        let scopes: Vec<&str> = requested.scopes.iter().map(|scope| scope.code()).collect();
        let row = ActiveModel {
            name: Set(requested.name.clone()),
            name_key: Set(fold(&requested.name)),
            key_hash: Set(new.hash.clone()),
            hint: Set(new.hint.clone()),
            scopes: Set(scopes.join(",")),
            expires_date: Set(requested.expires_date),
            calls_per_minute: Set(i64::from(requested.calls_per_minute)),
            created_by: Set(by.to_string()),
            created_date: Set(edit.at),
            ..ActiveModel::default()
        };
        let mut insert = Entity::insert(row).into_query();
        insert.returning(Query::returning().expr(Expr::cust(COLUMNS)));
        let transaction = self.0.begin().await.map_err(store_error)?;
        let inserted = one(transaction.query_one(&insert).await)?;
        let key = inserted.ok_or_else(|| StoreError::Broken("an insert without a row".into()))?;
        let diff = added(fields_of(requested));
        let made = record_of_key(AuditAction::Created, &key, diff);
        record_one(&transaction, edit, made).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(key)
    }

    async fn revoke(&self, id: Id, edit: &Edit) -> Result<Option<Key>, StoreError> {
        self.update(id, (Column::RevokedDate, edit.at.into()), AuditAction::Revoked, edit).await
    }

    async fn keep(&self, id: Id, edit: &Edit) -> Result<Option<Key>, StoreError> {
        let by = edit.by.as_ref().ok_or_else(|| StoreError::Broken("keys are kept by users".into()))?;
        self.update(id, (Column::KeptBy, by.as_str().into()), AuditAction::Updated, edit).await
    }

    async fn note(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.write_uses(uses).await.map_err(store_error)
    }

    async fn days(&self, id: Id, from: NaiveDate) -> Result<Vec<KeyDay>, StoreError> {
        let rows = days::Entity::find()
            .filter(days::Column::KeyId.eq(id))
            .filter(days::Column::Day.gte(from))
            .order_by_asc(days::Column::Day)
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        let day = |row: days::Model| KeyDay { day: row.day, calls: row.calls, refused: row.refused };
        Ok(rows.into_iter().map(day).collect())
    }
}

rows_of_list!(SeaOrmKeys, 0, (), Key, |store, _filter| KeyList);
