//! Removes old rows, in batches, so that other writes wait briefly.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::{Aged, Retention, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    Database,
    db::{
        error::store_error,
        sql::{key_of, remove_selected},
        transaction::Transaction,
    },
    entities::{
        applied_streams, audit_entries, bulk_operation_rows, bulk_operation_slices, bulk_operations,
        channel_stream_versions, idempotency_keys, link_changes, link_days, link_host_days, link_hosts,
        links, sessions, sheet_slices, sheets, visits, webhook_deliveries, webhooks,
    },
    purging::purge,
};

/// Seconds of a quarter of an hour, the unit of the counts of visits.
const QUARTER: i64 = 900;

/// Removes old rows.
#[derive(Debug, Clone)]
pub struct SeaOrmRetention(pub Database);

/// Removes rows of any table along the index of their date, with a limit.
async fn remove_oldest<E: EntityTrait>(
    transaction: &Transaction,
    date: E::Column,
    before: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    let keys = E::find()
        .select_only()
        .exprs(key_of::<E>())
        .filter(date.lte(before))
        .order_by_asc(date)
        .limit(u64::from(most));
    remove_selected::<E>(transaction, keys.into_query()).await
}

/// Removes rows of old bulk operations from a table with the ID of their operation.
async fn remove_of_operations<E: EntityTrait>(
    transaction: &Transaction,
    operation: E::Column,
    before: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    let id = (bulk_operations::Entity, bulk_operations::Column::Id);
    let keys = Query::select()
        .exprs(key_of::<E>())
        .from(E::default())
        .inner_join(bulk_operations::Entity, Expr::col(id).equals(operation.as_column_ref()))
        .and_where(bulk_operations::Column::FinishedDate.lte(before))
        .limit(u64::from(most))
        .take();
    remove_selected::<E>(transaction, keys).await
}

/// Removes replaced lists of streams, each as a whole. Of those replaced at the same time the earlier
/// ones go first: a version has the streams of the next list that is left.
async fn remove_replaced_lists(
    transaction: &Transaction,
    before: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    use channel_stream_versions::{Column, Entity};
    let oldest = Entity::find()
        .select_only()
        .column(Column::ChannelId)
        .column(Column::ReplacedBy)
        .filter(Column::ReplacedAt.lte(before))
        .order_by_asc(Column::ReplacedAt)
        .order_by_asc(Column::ChannelId)
        .order_by_asc(Column::ReplacedBy)
        .limit(u64::from(most));
    let list = [Column::ChannelId, Column::ReplacedBy].map(|column| Expr::col(column.as_column_ref()));
    let delete = Entity::delete_many().filter(Expr::tuple(list).in_subquery(oldest.into_query()));
    Ok(delete.exec(transaction).await?.rows_affected)
}

/// Removes the rows of old bulk operations, with a limit: an operation has up to a hundred
/// thousand, which are removed before it.
async fn remove_operation_rows(
    transaction: &Transaction,
    before: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    use bulk_operation_rows::Column as Row;
    use bulk_operation_slices::Column as Slice;
    let removed =
        remove_of_operations::<bulk_operation_rows::Entity>(transaction, Row::OperationId, before, most)
            .await?;
    if removed > 0 {
        return Ok(removed);
    }
    let removed =
        remove_of_operations::<bulk_operation_slices::Entity>(transaction, Slice::OperationId, before, most)
            .await?;
    if removed > 0 {
        return Ok(removed);
    }
    let operation = applied_streams::Column::OperationId;
    remove_of_operations::<applied_streams::Entity>(transaction, operation, before, most).await
}

/// Old files without an operation.
fn unused_sheets(before: DateTime<Utc>) -> Select<sheets::Entity> {
    let file = (bulk_operations::Entity, bulk_operations::Column::SheetId);
    let operation = Query::select()
        .expr(Expr::cust("1"))
        .from(bulk_operations::Entity)
        .and_where(Expr::col(file).equals((sheets::Entity, sheets::Column::Id)))
        .take();
    sheets::Entity::find()
        .select_only()
        .column(sheets::Column::Id)
        .filter(Expr::exists(operation).not())
        .filter(sheets::Column::CreatedDate.lte(before))
}

/// Removes files without an operation, their slices first.
async fn remove_sheets(transaction: &Transaction, before: DateTime<Utc>, most: u32) -> Result<u64, DbErr> {
    let slices = sheet_slices::Entity::find()
        .select_only()
        .exprs(key_of::<sheet_slices::Entity>())
        .filter(sheet_slices::Column::SheetId.in_subquery(unused_sheets(before).into_query()))
        .limit(u64::from(most));
    let removed = remove_selected::<sheet_slices::Entity>(transaction, slices.into_query()).await?;
    if removed > 0 {
        return Ok(removed);
    }
    let unused = unused_sheets(before).limit(u64::from(most));
    remove_selected::<sheets::Entity>(transaction, unused.into_query()).await
}

/// Removes pending deliveries of deleted webhooks, and old ones of webhooks that were paused for the
/// whole time.
async fn remove_undeliverable(
    transaction: &Transaction,
    before: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    let of = (webhook_deliveries::Entity, webhook_deliveries::Column::WebhookId);
    let id = Expr::col((webhooks::Entity, webhooks::Column::Id));
    let was_paused =
        webhook_deliveries::Column::OccurredAt.lte(before).and(webhooks::Column::PausedDate.lte(before));
    let keys = Query::select()
        .exprs(key_of::<webhook_deliveries::Entity>())
        .from(webhook_deliveries::Entity)
        .left_join(webhooks::Entity, id.clone().equals(of))
        // In the form of the index of pending deliveries.
        .and_where(Expr::cust("webhook_deliveries.status = 'PENDING'"))
        .and_where(id.is_null().or(was_paused))
        .limit(u64::from(most))
        .take();
    remove_selected::<webhook_deliveries::Entity>(transaction, keys).await
}

/// Removes counters of old visits with the sum 0: triggers have decremented them. (A count of
/// PostgreSQL is distributed over several rows.)
async fn remove_counters_of_visits(transaction: &Transaction, before: DateTime<Utc>) -> Result<(), DbErr> {
    const KEY: [&str; 2] = ["quarter", "kind"];
    let empty = Query::select()
        .columns(KEY)
        .from("visits_counts")
        .and_where(Expr::col("quarter").lte(before.timestamp() / QUARTER))
        .group_by_columns(KEY)
        .and_having(Expr::cust("sum(total) = 0"))
        .take();
    let delete = Query::delete()
        .from_table("visits_counts")
        .and_where(Expr::tuple(KEY.map(Expr::col)).in_subquery(empty))
        .take();
    transaction.execute(&delete).await.map(drop)
}

async fn remove_old(
    transaction: &Transaction,
    what: Aged,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    macro_rules! oldest {
        ($table:ident, $date:ident) => {
            remove_oldest::<$table::Entity>(transaction, $table::Column::$date, before, most).await
        };
    }
    match what {
        Aged::Sessions => oldest!(sessions, EndsDate),
        Aged::IdempotencyKeys => oldest!(idempotency_keys, CreatedDate),
        Aged::Visits => {
            let removed = oldest!(visits, OccurredAt)?;
            if removed > 0 {
                remove_counters_of_visits(transaction, before).await?;
            }
            Ok(removed)
        }
        Aged::Deliveries => {
            let removed = oldest!(webhook_deliveries, EndedAt)?;
            Ok(removed + remove_undeliverable(transaction, before, most).await?)
        }
        Aged::Operations => {
            let removed = remove_operation_rows(transaction, before, most).await?;
            if removed > 0 { Ok(removed) } else { oldest!(bulk_operations, FinishedDate) }
        }
        Aged::Sheets => remove_sheets(transaction, before, most).await,
        Aged::Trash => purge(transaction, before, now, most).await,
        Aged::AuditEntries => oldest!(audit_entries, OccurredAt),
        Aged::ReplacedStreams => remove_replaced_lists(transaction, before, most).await,
        Aged::LinkChanges => oldest!(link_changes, OccurredAt),
        Aged::RequestedLinks => oldest!(links, RequestedAt),
        Aged::LinkDays => oldest!(link_days, Day),
        Aged::LinkHostDays => oldest!(link_host_days, Day),
        Aged::LinkHosts => oldest!(link_hosts, FreeAt),
    }
}

#[async_trait]
impl Retention for SeaOrmRetention {
    async fn remove(
        &self,
        what: Aged,
        before: DateTime<Utc>,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let removed = remove_old(&transaction, what, before, now, most).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(removed)
    }
}
