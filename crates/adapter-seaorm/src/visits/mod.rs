//! Visits: ten million rows that are only inserted. Totals and days are from counts that triggers
//! maintain by quarter of an hour; everything else scans an index.

mod days;
mod listing;
mod recording;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_audience::{DayOfVisits, SeenDevice, Visit, VisitKind, VisitReport, Watched};
use domain_kernel::{ListQuery, Page};
use ports::{IdempotencyKey, Inserted, StoreError, VisitFilter, VisitRepository};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect, sea_query::Expr};

pub(crate) use self::recording::{NewVisit, insert};
use crate::{
    Database,
    db::{error::store_error, values::member},
    entities::visits::{Column, Entity},
    idempotency::inserted_before,
};

/// The store of visits.
#[derive(Debug, Clone)]
pub struct SeaOrmVisits(pub Database);

/// The key of a username, equal for all spellings.
pub(crate) fn name_key(username: &str) -> String {
    username.to_lowercase()
}

/// The columns of a visit `v`.
const COLUMNS: &str = "v.id, v.occurred_at, v.kind, v.username, v.full_name, v.address, v.device, v.content_type, \
     v.content_id, v.content_title, v.source, \
     EXISTS (SELECT 1 FROM users u WHERE u.username_key = v.username_key) AS registered";

fn visit(row: &QueryResult) -> Result<Visit, StoreError> {
    let text = |column: &str| row.try_get::<Option<String>>("", column).map_err(store_error);
    let kind: String = row.try_get("", "kind").map_err(store_error)?;
    let content = match text("content_type")? {
        None => None,
        Some(code) => Some(Watched {
            content_type: member(&code)?,
            content_id: row.try_get("", "content_id").map_err(store_error)?,
            title: text("content_title")?,
        }),
    };
    Ok(Visit {
        id: row.try_get("", "id").map_err(store_error)?,
        occurred_at: row.try_get("", "occurred_at").map_err(store_error)?,
        kind: member(&kind)?,
        username: row.try_get("", "username").map_err(store_error)?,
        full_name: text("full_name")?,
        registered: row.try_get("", "registered").map_err(store_error)?,
        address: text("address")?,
        device: text("device")?,
        content,
        source: text("source")?,
    })
}

#[async_trait]
impl VisitRepository for SeaOrmVisits {
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<u64>>, StoreError> {
        inserted_before(&self.0.reader, once).await.map_err(store_error)
    }

    async fn record(
        &self,
        visits: &[VisitReport],
        source: &str,
        now: DateTime<Utc>,
        once: &IdempotencyKey,
    ) -> Result<Inserted<u64>, StoreError> {
        self.add(visits, source, now, once).await
    }

    async fn list(&self, filter: &VisitFilter, query: &ListQuery) -> Result<Page<Vec<Visit>>, StoreError> {
        self.page(filter, query).await
    }

    async fn per_day(
        &self,
        username: Option<String>,
        kind: Option<VisitKind>,
        days: &[(NaiveDate, DateTime<Utc>)],
        end: DateTime<Utc>,
    ) -> Result<Vec<DayOfVisits>, StoreError> {
        self.counted_by_day(username.as_deref(), kind, days, end).await
    }

    async fn devices(
        &self,
        username: &str,
        from: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<SeenDevice>, StoreError> {
        let found: Vec<(String, DateTime<Utc>, i64)> = Entity::find()
            .select_only()
            .column(Column::Device)
            .column_as(Column::OccurredAt.max(), "last_seen")
            .column_as(Expr::cust("count(*)"), "visits")
            .filter(Column::UsernameKey.eq(name_key(username)))
            .filter(Column::OccurredAt.gte(from))
            .filter(Column::Device.is_not_null())
            .group_by(Column::Device)
            .order_by_desc(Column::OccurredAt.max())
            .order_by_asc(Column::Device)
            .limit(u64::from(most))
            .into_tuple()
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        let device = |(device, last_seen, visits): (String, DateTime<Utc>, i64)| SeenDevice {
            device,
            last_seen,
            visits: visits.unsigned_abs(),
        };
        Ok(found.into_iter().map(device).collect())
    }
}
