//! The log of a webhook, tests, and repetitions.

use chrono::{DateTime, Utc};
use domain_integrations::{Delivery, DeliveryStatus};
use domain_kernel::{FilterValue, Id, ListQuery, Page};
use ports::StoreError;
use sea_orm::ConnectionTrait;

use super::{DELIVERY, SeaOrmWebhooks, delivery};
use crate::{
    error::store_error,
    paging::{Order, PageWindow, number, ordered, page},
    sql::{Sql, like_pattern},
    transaction::Transaction,
};

const INSERT: &str = "INSERT INTO webhook_deliveries (webhook_id, event_type, entity, data, occurred_at, resend_of, \
     status, attempts, next_attempt_at) SELECT ";

impl SeaOrmWebhooks {
    /// Newest first by default.
    pub(super) async fn log_page(
        &self,
        id: Id,
        query: &ListQuery,
    ) -> Result<Page<Vec<Delivery>>, StoreError> {
        let connection = &self.0.reader;
        let conditions = |sql: &mut Sql| {
            sql.push(" WHERE d.webhook_id = ").bind(id);
            for filter in &query.filters {
                if let FilterValue::Code(code) = filter.value {
                    let column = if filter.field == "eventType" { "event_type" } else { "status" };
                    sql.push(&format!(" AND d.{column} = ")).bind(code);
                }
            }
            if let Some(text) = query.search.as_deref().filter(|text| !text.trim().is_empty()) {
                // Names of entities are ASCII.
                sql.push(" AND lower(d.entity) LIKE ").bind(like_pattern(&text.trim().to_lowercase()));
                sql.push(r" ESCAPE '\'");
            }
        };
        let mut sql = Sql::new("SELECT count(*) AS total FROM webhook_deliveries d");
        conditions(&mut sql);
        let total = number(connection, sql, "total").await?;
        let Some(stretch) = PageWindow::of(query, total) else {
            return page(query, Vec::new(), total, delivery);
        };
        let column = |field: &str| if field == "occurredAt" { "d.occurred_at" } else { "d.id" };
        let mut order: Order =
            query.sort.iter().map(|sort| (column(&sort.field).to_owned(), sort.descending)).collect();
        order.push(("d.id".to_owned(), order.last().is_none_or(|(_, descending)| *descending)));
        let mut sql =
            Sql::new(format!("SELECT {DELIVERY} FROM (SELECT d.id AS id FROM webhook_deliveries d"));
        conditions(&mut sql);
        sql.push(&format!(" ORDER BY {}", ordered(&order, stretch.from_end)));
        stretch.push(&mut sql);
        sql.push(&format!(
            ") f JOIN webhook_deliveries d ON d.id = f.id ORDER BY {}",
            ordered(&order, false)
        ));
        let rows = connection.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        page(query, rows, total, delivery)
    }

    pub(super) async fn logged(
        &self,
        connection: &impl ConnectionTrait,
        webhook: Id,
        id: Id,
    ) -> Result<Option<Delivery>, StoreError> {
        let mut sql = Sql::new(format!("SELECT {DELIVERY} FROM webhook_deliveries d WHERE d.webhook_id = "));
        sql.bind(webhook).push(" AND d.id = ").bind(id);
        let row = connection.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
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
        self.put(transaction, webhook, sql).await
    }

    pub(super) async fn repeat(
        &self,
        webhook: Id,
        id: Id,
        now: DateTime<Utc>,
    ) -> Result<Option<Delivery>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(first) = self.logged(&transaction, webhook, id).await? else { return Ok(None) };
        let mut sql = Sql::new("");
        if first.status == DeliveryStatus::Pending {
            sql.push("UPDATE webhook_deliveries SET next_attempt_at = ").bind(DateTime::UNIX_EPOCH);
            sql.push(" WHERE status = 'PENDING' AND id = ").bind(id).push(" RETURNING id");
        } else {
            sql.push(INSERT).push("d.webhook_id, d.event_type, d.entity, d.data, d.occurred_at, ");
            sql.push("coalesce(d.resend_of, d.id), 'PENDING', 0, ");
            self.push_moment(&mut sql, DateTime::UNIX_EPOCH);
            sql.push(" FROM webhook_deliveries d WHERE d.id = ").bind(id).push(" RETURNING id");
        }
        tracing::info!(webhook, delivery = id, %now, "webhook delivery retried by an admin");
        self.put(transaction, webhook, sql).await
    }

    /// PostgreSQL asks for the type of a value that is selected.
    fn push_moment(&self, sql: &mut Sql, moment: DateTime<Utc>) {
        let sqlite = self.0.backend() == sea_orm::DbBackend::Sqlite;
        sql.push("CAST(").bind(moment);
        sql.push(if sqlite { " AS text)" } else { " AS timestamp with time zone)" });
    }

    async fn put(
        &self,
        transaction: Transaction,
        webhook: Id,
        sql: Sql,
    ) -> Result<Option<Delivery>, StoreError> {
        let row = transaction.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let id: Id = row.try_get("", "id").map_err(store_error)?;
        let put = self.logged(&transaction, webhook, id).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(put)
    }
}
