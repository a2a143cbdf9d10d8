//! Finds subscriptions that end, along indexes and in bounded steps, and records each end and stage
//! once. A trigger of the schema adds it to the outbox.
//!
//! An end is reached in two ways: by time, which a cursor over the index of ends follows; or by a
//! change of the end, which the ledger and the edits of expirations record.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_integrations::EventStage;
use domain_kernel::{Enumeration, Id, RoleCode};
use ports::{StoreError, SubscriptionEnds};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Select,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use crate::{
    Database,
    db::{error::store_error, sql::Sql, transaction::Transaction},
    entities::{notice_cursors, subscription_notices as notices, users},
};

/// Finds ends of subscriptions.
#[derive(Debug, Clone)]
pub struct SeaOrmSubscriptionEnds(pub Database);

/// The name of the cursor over changes of ends.
const MOVED: &str = "MOVED";
/// The date of a change by a slow transaction is older than its commit, so the last minutes are
/// read again.
const OVERLAP: TimeDelta = TimeDelta::minutes(5);

/// Notices of changed ends. Raw: SQLite needs a `+` to start from the few changes.
const INSERT_NOTICES: &str = "INSERT INTO subscription_notices (user_id, expiration_date, stage, noticed_date) SELECT u.id, u.expiration_date, ";

/// The position of a search.
struct Cursor {
    date: DateTime<Utc>,
    user: Id,
}

/// App users whose subscription ends after a cursor, along the index of ends.
fn ending(from: &Cursor, until: DateTime<Utc>, most: u32) -> Select<users::Entity> {
    use users::Column;
    let place = Expr::tuple([Column::ExpirationDate, Column::Id].map(Expr::col));
    users::Entity::find()
        .select_only()
        .columns([Column::Id, Column::ExpirationDate])
        .filter(Column::Role.eq(RoleCode::App.code()))
        .filter(place.gt(Expr::tuple([from.date.into(), from.user.into()])))
        .filter(Column::ExpirationDate.lt(until))
        .order_by_asc(Column::ExpirationDate)
        .order_by_asc(Column::Id)
        .limit(u64::from(most))
}

impl SeaOrmSubscriptionEnds {
    async fn cursor(&self, transaction: &Transaction, name: &str) -> Result<Option<Cursor>, DbErr> {
        let row = notice_cursors::Entity::find_by_id(name).one(transaction).await?;
        Ok(row.map(|row| Cursor { date: row.reached_date, user: row.reached_user_id }))
    }

    async fn reach(&self, transaction: &Transaction, name: &str, cursor: &Cursor) -> Result<(), DbErr> {
        use notice_cursors::Column;
        let row = notice_cursors::ActiveModel {
            stage: Set(name.to_owned()),
            reached_date: Set(cursor.date),
            reached_user_id: Set(cursor.user),
        };
        let moved = OnConflict::column(Column::Stage)
            .update_columns([Column::ReachedDate, Column::ReachedUserId])
            .to_owned();
        let insert = notice_cursors::Entity::insert(row).on_conflict(moved);
        insert.exec_without_returning(transaction).await.map(drop)
    }

    async fn follow_time(
        &self,
        stage: EventStage,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        most: u32,
    ) -> Result<u32, DbErr> {
        let transaction = self.0.begin().await?;
        let Some(from) = self.cursor(&transaction, stage.code()).await? else {
            self.reach(&transaction, stage.code(), &Cursor { date: until, user: 0 }).await?;
            transaction.commit().await?;
            return Ok(0);
        };
        // After a long downtime there are no warnings of ends in the past.
        let from = if stage == EventStage::Expiring && from.date < now {
            Cursor { date: now, user: 0 }
        } else {
            from
        };
        if from.date >= until {
            return Ok(0);
        }
        let found: Vec<(Id, DateTime<Utc>)> =
            ending(&from, until, most).into_tuple().all(&transaction).await?;
        let mut reached = Cursor { date: until, user: 0 };
        for (id, date) in found.iter().copied() {
            let notice = notices::ActiveModel {
                user_id: Set(id),
                expiration_date: Set(date),
                stage: Set(stage.code().to_owned()),
                noticed_date: Set(now),
            };
            let once = OnConflict::columns([
                notices::Column::UserId,
                notices::Column::ExpirationDate,
                notices::Column::Stage,
            ])
            .do_nothing()
            .to_owned();
            let insert = notices::Entity::insert(notice).on_conflict(once);
            insert.exec_without_returning(&transaction).await?;
            if found.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
                // There may be more before `until`, also with the same date.
                reached = Cursor { date, user: id };
            }
        }
        self.reach(&transaction, stage.code(), &reached).await?;
        transaction.commit().await?;
        Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
    }

    async fn follow_moves(&self, now: DateTime<Utc>, warned_until: DateTime<Utc>) -> Result<u32, DbErr> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        let from = self.cursor(&transaction, MOVED).await?;
        let reached = Cursor { date: now, user: 0 };
        let Some(from) = from else {
            self.reach(&transaction, MOVED, &reached).await?;
            transaction.commit().await?;
            return Ok(0);
        };
        // A plus keeps SQLite from scanning all ended subscriptions: few were changed.
        let keep = if backend == DbBackend::Sqlite { "+" } else { "" };
        let mut noticed = 0;
        for (stage, lower, upper) in
            [(EventStage::Expiring, Some(now), warned_until), (EventStage::Expired, None, now)]
        {
            let mut sql = Sql::new(INSERT_NOTICES);
            sql.push("CAST(").bind(stage.code()).push(" AS text), ");
            push_moment(&mut sql, now, backend);
            sql.push(&format!(" FROM users u WHERE {keep}u.role = 'app' AND {keep}u.expiration_date < "));
            sql.bind(upper);
            if let Some(lower) = lower {
                sql.push(&format!(" AND {keep}u.expiration_date >= ")).bind(lower);
            }
            sql.push(
                " AND u.id IN (SELECT e.user_id FROM entries e WHERE e.user_id IS NOT NULL AND e.account = 'APP' \
                 AND NOT e.imported AND e.operation_date >= ",
            );
            sql.bind(from.date - OVERLAP);
            sql.push(" UNION SELECT x.user_id FROM expiration_edits x WHERE x.edit_date >= ");
            sql.bind(from.date - OVERLAP);
            sql.push(") ON CONFLICT (user_id, expiration_date, stage) DO NOTHING");
            noticed += transaction.execute_raw(sql.statement(backend)).await?.rows_affected();
        }
        self.reach(&transaction, MOVED, &reached).await?;
        transaction.commit().await?;
        Ok(u32::try_from(noticed).unwrap_or(u32::MAX))
    }
}

/// PostgreSQL needs the type of a selected value.
fn push_moment(sql: &mut Sql, moment: DateTime<Utc>, backend: DbBackend) {
    sql.push("CAST(").bind(moment);
    let sqlite = backend == DbBackend::Sqlite;
    sql.push(if sqlite { " AS text)" } else { " AS timestamp with time zone)" });
}

#[async_trait]
impl SubscriptionEnds for SeaOrmSubscriptionEnds {
    async fn record_expirations(
        &self,
        stage: EventStage,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        most: u32,
    ) -> Result<u32, StoreError> {
        self.follow_time(stage, now, until, most).await.map_err(store_error)
    }

    async fn record_changes(
        &self,
        now: DateTime<Utc>,
        warned_until: DateTime<Utc>,
    ) -> Result<u32, StoreError> {
        self.follow_moves(now, warned_until).await.map_err(store_error)
    }

    async fn remove_notices(&self, before: DateTime<Utc>) -> Result<(), StoreError> {
        let delete = notices::Entity::delete_many().filter(notices::Column::ExpirationDate.lt(before));
        delete.exec(&self.0.writer).await.map(drop).map_err(store_error)
    }
}
