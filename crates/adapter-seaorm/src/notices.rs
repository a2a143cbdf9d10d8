//! The counts of notices, in one statement: from two partial indexes of low stock and pending
//! requests, and one scan of the index of expirations or of the subtree.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Username};
use domain_users::{ExpiryFilter, NoticeCount, NoticeKind, SeenNotice};
use ports::{NoticeQuery, NoticeRepository, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbBackend, EntityTrait, QueryFilter, QueryResult, QuerySelect, QueryTrait, Statement,
    sea_query::{Expr, OnConflict},
};

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    entities::{
        notice_views::{ActiveModel, Column, Entity},
        users,
    },
    renewals::push_ending,
    users::push_scope,
};

/// Counts pending matters.
#[derive(Debug, Clone)]
pub struct SeaOrmNotices(pub Database);

/// Agents with low stock, exactly as in the partial index and the trigger of the event (migration
/// 64), with the threshold of `domain_credits`.
const LOW: &str = "m.role = 'agent' AND m.status = 'ACTIVE' AND m.sale_credits < 12";

/// A state read earlier by one tab does not replace a later one of another tab.
const NOT_OLDER: &str = "notice_views.seen_newest IS NULL OR excluded.seen_newest IS NULL \
     OR excluded.seen_newest >= notice_views.seen_newest";

fn push_within(sql: &mut Sql, what: &str, window: ExpiryFilter) {
    sql.push("CASE WHEN ");
    if let Some(from) = window.from() {
        sql.push("m.expiration_date >= ").bind(from).push(" AND ");
    }
    sql.push("m.expiration_date < ").bind(window.before()).push(&format!(" THEN {what} END"));
}

/// A statement whose only row has all counts.
fn count_statement(backend: DbBackend, query: &NoticeQuery) -> Sql {
    let mut sql = Sql::new(
        "SELECT (SELECT m.sale_credits FROM users m WHERE m.role = 'agent' AND m.sale_credits < 12 AND m.username_key = ",
    );
    sql.bind(query.reader.key()).push(") AS own, (SELECT count(*) FROM users m WHERE ");
    push_scope(&mut sql, &query.scope);
    sql.push(&format!(" AND {LOW}) AS agents"));
    if query.for_admins {
        sql.push(
            ", (SELECT count(*) FROM reversal_requests r WHERE r.status = 'PENDING') AS requests, \
             (SELECT max(r.requested_date) FROM reversal_requests r WHERE r.status = 'PENDING') AS newest_request, \
             (SELECT count(*) FROM webhooks w WHERE w.active AND w.paused_date IS NOT NULL) AS webhooks, \
             (SELECT max(w.paused_date) FROM webhooks w WHERE w.active) AS newest_webhook",
        );
    }
    for (name, window) in [("expiring", query.expiring), ("expired", query.expired)] {
        sql.push(", CAST(coalesce(sum(");
        push_within(&mut sql, "1", window);
        sql.push(&format!("), 0) AS bigint) AS {name}, max("));
        push_within(&mut sql, "m.expiration_date", window);
        sql.push(&format!(") AS newest_{name}"));
    }
    sql.push(" FROM users m WHERE ");
    push_ending(&mut sql, backend, &query.scope, query.expiring);
    sql
}

impl SeaOrmNotices {
    /// The statement that counts, for tests of its plan.
    #[doc(hidden)]
    pub fn statement(&self, query: &NoticeQuery) -> Statement {
        let backend = self.0.backend();
        count_statement(backend, query).statement(backend)
    }
}

fn counts(row: &QueryResult, query: &NoticeQuery) -> Result<Vec<NoticeCount>, StoreError> {
    let number = |column: &str| {
        let number: Option<i64> = row.try_get("", column).map_err(store_error)?;
        Ok::<_, StoreError>(number.map(|number| u64::try_from(number).unwrap_or_default()))
    };
    let date = |column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).map_err(store_error);
    let mut all = Vec::new();
    if let Some(count) = number("own")? {
        all.push(NoticeCount { kind: NoticeKind::OwnLowStock, count, newest: None });
    }
    let mut some = |kind, count: Option<u64>, newest| {
        if let Some(count) = count.filter(|count| *count > 0) {
            all.push(NoticeCount { kind, count, newest });
        }
    };
    some(NoticeKind::AgentsLowStock, number("agents")?, None);
    if query.for_admins {
        some(NoticeKind::ReversalRequests, number("requests")?, date("newest_request")?);
    }
    some(NoticeKind::Expiring, number("expiring")?, date("newest_expiring")?);
    some(NoticeKind::Expired, number("expired")?, date("newest_expired")?);
    if query.for_admins {
        some(NoticeKind::WebhooksPaused, number("webhooks")?, date("newest_webhook")?);
    }
    Ok(all)
}

#[async_trait]
impl NoticeRepository for SeaOrmNotices {
    async fn counts(&self, query: &NoticeQuery) -> Result<Vec<NoticeCount>, StoreError> {
        let row = count_statement(self.0.backend(), query).only_row(&self.0.reader).await?;
        counts(&row, query)
    }

    async fn seen(&self, username: &Username) -> Result<Vec<SeenNotice>, StoreError> {
        let id = users::Entity::find()
            .select_only()
            .column(users::Column::Id)
            .filter(users::Column::UsernameKey.eq(username.key()))
            .into_query();
        let rows = Entity::find().filter(Column::UserId.in_subquery(id)).all(&self.0.reader).await;
        let seen = rows.map_err(store_error)?.into_iter().filter_map(|row| {
            // The kind may have been added by a later version.
            let kind = NoticeKind::from_code(&row.kind)?;
            let count = u64::try_from(row.seen_count).unwrap_or_default();
            Some(SeenNotice { kind, count, newest: row.seen_newest, seen_date: row.seen_date })
        });
        Ok(seen.collect())
    }

    async fn set_seen(&self, username: &Username, seen: &[SeenNotice]) -> Result<(), StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let user: Option<i64> = users::Entity::find()
            .select_only()
            .column(users::Column::Id)
            .filter(users::Column::UsernameKey.eq(username.key()))
            .into_tuple()
            .one(&transaction)
            .await
            .map_err(store_error)?;
        let Some(user_id) = user else { return Ok(()) };
        for notice in seen {
            let row = ActiveModel {
                user_id: Set(user_id),
                kind: Set(notice.kind.code().to_owned()),
                seen_count: Set(i64::try_from(notice.count).unwrap_or(i64::MAX)),
                seen_newest: Set(notice.newest),
                seen_date: Set(notice.seen_date),
            };
            let replaced = OnConflict::columns([Column::UserId, Column::Kind])
                .update_columns([Column::SeenCount, Column::SeenNewest, Column::SeenDate])
                .action_and_where(Expr::cust(NOT_OLDER))
                .to_owned();
            let insert = Entity::insert(row).on_conflict(replaced);
            insert.exec_without_returning(&transaction).await.map_err(store_error)?;
        }
        transaction.commit().await.map_err(store_error)
    }
}
