//! The log of a webhook, tests, and retries.

use chrono::{DateTime, Utc};
use domain_integrations::{Delivery, DeliveryStatus};
use domain_kernel::{Enumeration, FilterValue, Id, ListQuery, Page};
use ports::{DeliveryFilter, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, QueryResult, Statement,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{DELIVERY, SeaOrmWebhooks, delivery};
use crate::{
    db::{
        error::store_error,
        sql::{Sql, of},
        transaction::Transaction,
    },
    entities::webhook_deliveries::{Column, Entity},
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
};

/// Inserts a delivery that is selected from other rows, with the values in this order. Raw:
/// PostgreSQL needs the types of selected values.
const INSERT: &str = "INSERT INTO webhook_deliveries (webhook_id, event_type, entity, data, occurred_at, resend_of, \
     status, attempts, next_attempt_at) SELECT ";

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
        let mut sql = Sql::new(INSERT);
        sql.push("w.id, 'TEST', 'webhooks/' || w.id, '{}', ");
        self.push_moment(&mut sql, now);
        sql.push(", NULL, 'PENDING', 0, ");
        self.push_moment(&mut sql, DateTime::UNIX_EPOCH);
        sql.push(" FROM webhooks w WHERE w.id = ").bind(webhook).push(" RETURNING id");
        let transaction = self.0.begin().await.map_err(store_error)?;
        self.put(transaction, webhook, sql.statement(self.0.backend())).await
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
            let mut sql = Sql::new(INSERT);
            sql.push("d.webhook_id, d.event_type, d.entity, d.data, d.occurred_at, ");
            sql.push("coalesce(d.resend_of, d.id), 'PENDING', 0, ");
            self.push_moment(&mut sql, DateTime::UNIX_EPOCH);
            sql.push(" FROM webhook_deliveries d WHERE d.id = ").bind(id).push(" RETURNING id");
            sql.statement(backend)
        };
        tracing::info!(webhook, delivery = id, %now, "webhook delivery retried by an admin");
        self.put(transaction, webhook, statement).await
    }

    /// PostgreSQL needs the type of a selected value.
    fn push_moment(&self, sql: &mut Sql, moment: DateTime<Utc>) {
        let sqlite = self.0.backend() == sea_orm::DbBackend::Sqlite;
        sql.push("CAST(").bind(moment);
        sql.push(if sqlite { " AS text)" } else { " AS timestamp with time zone)" });
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
