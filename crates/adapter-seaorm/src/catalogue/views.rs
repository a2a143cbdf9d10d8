//! Adds views: a batch is one transaction, with one statement per kind of item.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audience::{Played, PlayedType, View};
use domain_kernel::Id;
use ports::{IdempotencyKey, Inserted, StoreError, ViewCounts, ViewRepository};
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, Value,
    sea_query::{Expr, ExprTrait, LockType, Order, Query},
};

use crate::{
    Database,
    catalogue::table,
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::{of, values_as_v},
        transaction::Transaction,
        values::broken,
    },
    idempotency::{inserted_before, keep_answer},
};

/// Adds views.
#[derive(Debug, Clone)]
pub struct SeaOrmViews(pub Database);

#[async_trait]
impl ViewRepository for SeaOrmViews {
    async fn count(
        &self,
        views: &[View],
        once: &IdempotencyKey,
        now: DateTime<Utc>,
    ) -> Result<Inserted<ViewCounts>, StoreError> {
        tried(is_overtaken, || self.try_count(views, once, now))
            .await
            .unwrap_or_else(|error| Err(store_error(error)))
    }
}

impl SeaOrmViews {
    async fn try_count(
        &self,
        views: &[View],
        once: &IdempotencyKey,
        now: DateTime<Utc>,
    ) -> Result<Result<Inserted<ViewCounts>, StoreError>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(before) = inserted_before(&transaction, once).await? {
            return Ok(Ok(before));
        }
        // In the order of kinds and IDs, so that concurrent batches do not deadlock.
        let mut sums: BTreeMap<PlayedType, BTreeMap<Id, i64>> = BTreeMap::new();
        for view in views {
            *sums.entry(view.content_type).or_default().entry(view.content_id).or_default() += view.count;
        }
        let mut counts = ViewCounts { counted: 0, unknown: Vec::new() };
        for (content_type, sums) in sums {
            let returning: &[&str] =
                if content_type == PlayedType::Episode { &["id", "tv_show_id"] } else { &["id"] };
            let rows = add(&transaction, table(content_type.kind()), &sums, returning).await?;
            let mut shows: BTreeMap<Id, i64> = BTreeMap::new();
            let mut known = BTreeMap::new();
            for row in rows {
                let id: Id = row.try_get("", "id")?;
                let count = sums.get(&id).copied().unwrap_or_default();
                known.insert(id, count);
                if content_type == PlayedType::Episode {
                    *shows.entry(row.try_get("", "tv_show_id")?).or_default() += count;
                }
            }
            if !shows.is_empty() {
                add(&transaction, "tv_shows", &shows, &["id"]).await?;
            }
            counts.counted += known.values().sum::<i64>();
            let missing = sums.keys().filter(|id| !known.contains_key(id));
            counts.unknown.extend(missing.map(|id| Played { content_type, content_id: *id }));
        }
        let answer = match serde_json::to_string(&counts) {
            Ok(answer) => answer,
            Err(error) => return Ok(Err(broken(error))),
        };
        keep_answer(&transaction, once, answer, now).await?;
        transaction.commit().await?;
        Ok(Ok(Inserted::New(counts)))
    }
}

/// Adds to the views of these rows of any table; returns the existing ones. The rows are locked in
/// the order of their IDs, then updated by one statement along the primary key.
async fn add(
    transaction: &Transaction,
    table: &'static str,
    sums: &BTreeMap<Id, i64>,
    returning: &[&'static str],
) -> Result<Vec<sea_orm::QueryResult>, DbErr> {
    if transaction.get_database_backend() != DbBackend::Sqlite {
        let hold = Query::select()
            .column("id")
            .from(table)
            .and_where(Expr::col("id").is_in(sums.keys().copied()))
            .order_by("id", Order::Asc)
            .lock(LockType::NoKeyUpdate)
            .take();
        transaction.query_all(&hold).await?;
    }
    let rows = sums.iter().map(|(id, count)| [Value::from(*id), Value::from(*count)]);
    let update = Query::update()
        .table(table)
        .value("views", Expr::col("views").add(of("v", "column2")))
        .from(values_as_v(rows))
        .and_where(of(table, "id").eq(of("v", "column1")))
        .returning(Query::returning().columns(returning.iter().copied()))
        .take();
    transaction.query_all(&update).await
}
