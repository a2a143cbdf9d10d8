//! The log of a webhook, tests, and retries.

use chrono::{DateTime, Utc};
use domain_integrations::{Delivery, DeliveryStatus, EventType};
use domain_kernel::{Enumeration, FilterValue, Id, ListQuery, Page};
use ports::{DeliveryFilter, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, QueryResult, Statement,
    sea_query::{Expr, ExprTrait, Func, Query, SelectStatement},
};

use super::{DELIVERY, SeaOrmWebhooks, delivery};
use crate::{
    db::{
        error::store_error,
        sql::{Sql, insert_from, of},
        transaction::Transaction,
    },
    entities::{
        webhook_deliveries::{Column, Entity},
        webhooks,
    },
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
};

/// Inserts a pending delivery that is due at once, with these values of other rows.
fn insert_due(backend: DbBackend, mut values: Vec<(Column, Expr)>, from: SelectStatement) -> Statement {
    values.extend([
        (Column::Status, DeliveryStatus::Pending.code().into()),
        (Column::Attempts, 0.into()),
        (Column::NextAttemptAt, moment(backend, DateTime::UNIX_EPOCH)),
    ]);
    backend.build(insert_from(Entity, values, from).returning_col(Column::Id))
}

/// PostgreSQL needs the type of a selected value.
fn moment(backend: DbBackend, moment: DateTime<Utc>) -> Expr {
    let date = if backend == DbBackend::Sqlite { "text" } else { "timestamp with time zone" };
    Expr::val(moment).cast_as(date)
}

/// The list of a webhook's deliveries, newest first by default.
struct DeliveryList {
    webhook: Id,
}

rows_of_list!(SeaOrmWebhooks, 0, DeliveryFilter, Delivery, |store, filter| DeliveryList {
    webhook: filter.webhook
});

impl ListTable for DeliveryList {
    type Row = Delivery;

    const TABLE: &'static str = "webhook_deliveries";
    const ALIAS: &'static str = "d";
    const COLUMNS: &'static str = DELIVERY;
    const SORTS: &'static [(&'static str, &'static str)] = &[("occurredAt", "occurred_at")];
    const DEFAULT_ORDER: (&'static str, bool) = ("d.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = delivery;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE d.webhook_id = ").bind(self.webhook);
        for filter in &request.query.filters {
            if let FilterValue::Code(code) = filter.value {
                let column = if filter.field == "eventType" { "event_type" } else { "status" };
                sql.push(&format!(" AND d.{column} = ")).bind(code);
            }
        }
        if let Some(text) = request.search.text() {
            // Names of entities are ASCII.
            sql.push(" AND ").push_like("lower(d.entity)", text);
        }
    }
}

impl SeaOrmWebhooks {
    pub(super) async fn log_page(
        &self,
        id: Id,
        query: &ListQuery,
    ) -> Result<Page<Vec<Delivery>>, StoreError> {
        page(&self.0, &DeliveryList { webhook: id }, query).await
    }

    pub(super) async fn logged(
        &self,
        connection: &impl ConnectionTrait,
        webhook: Id,
        id: Id,
    ) -> Result<Option<Delivery>, StoreError> {
        let query = Query::select()
            .expr(Expr::cust(DELIVERY))
            .from_as(Entity, "d")
            .and_where(of("d", Column::WebhookId).eq(webhook))
            .and_where(of("d", Column::Id).eq(id))
            .take();
        let row = connection.query_one(&query).await.map_err(store_error)?;
        row.as_ref().map(delivery).transpose()
    }

    pub(super) async fn put_test(
        &self,
        webhook: Id,
        now: DateTime<Utc>,
    ) -> Result<Option<Delivery>, StoreError> {
        let backend = self.0.backend();
        let values = vec![
            (Column::WebhookId, of("w", webhooks::Column::Id)),
            (Column::EventType, EventType::Test.code().into()),
            (Column::Entity, Expr::cust("'webhooks/' || w.id")),
            (Column::Data, "{}".into()),
            (Column::OccurredAt, moment(backend, now)),
        ];
        let from = Query::select()
            .from_as(webhooks::Entity, "w")
            .and_where(of("w", webhooks::Column::Id).eq(webhook))
            .take();
        let transaction = self.0.begin().await.map_err(store_error)?;
        self.put(transaction, webhook, insert_due(backend, values, from)).await
    }

    pub(super) async fn repeat(
        &self,
        webhook: Id,
        id: Id,
        now: DateTime<Utc>,
    ) -> Result<Option<Delivery>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(first) = self.logged(&transaction, webhook, id).await? else { return Ok(None) };
        let backend = self.0.backend();
        let statement = if first.status == DeliveryStatus::Pending {
            let update = Query::update()
                .table(Entity)
                .value(Column::NextAttemptAt, DateTime::UNIX_EPOCH)
                // Its attempts start at 0: requested retries do not use up its ten attempts.
                .value(Column::Attempts, 0)
                .and_where(Column::Status.eq(DeliveryStatus::Pending.code()))
                .and_where(Column::Id.eq(id))
                .returning_col(Column::Id)
                .take();
            backend.build(&update)
        } else {
            let first = [Column::ResendOf, Column::Id].map(|column| of("d", column));
            let same =
                [Column::WebhookId, Column::EventType, Column::Entity, Column::Data, Column::OccurredAt];
            let mut values: Vec<(Column, Expr)> = same.map(|column| (column, of("d", column))).into();
            values.push((Column::ResendOf, Func::coalesce(first).into()));
            let from = Query::select().from_as(Entity, "d").and_where(of("d", Column::Id).eq(id)).take();
            insert_due(backend, values, from)
        };
        tracing::info!(webhook, delivery = id, %now, "webhook delivery retried by an admin");
        self.put(transaction, webhook, statement).await
    }

    async fn put(
        &self,
        transaction: Transaction,
        webhook: Id,
        statement: Statement,
    ) -> Result<Option<Delivery>, StoreError> {
        let row = transaction.query_one_raw(statement).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let id: Id = row.try_get("", "id").map_err(store_error)?;
        let put = self.logged(&transaction, webhook, id).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(put)
    }
}
