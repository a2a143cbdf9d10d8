//! Leases: a job runs on the node that holds its lease, and on no other until that node releases it
//! or fails.

use async_trait::async_trait;
use chrono::TimeDelta;
use ports::{Leases, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, OnConflict, Query},
};

use crate::{
    Database,
    db::{error::store_error, sql::of},
    entities::leases::{Column, Entity},
};

/// The store of leases.
#[derive(Debug, Clone)]
pub struct SeaOrmLeases(pub Database);

impl SeaOrmLeases {
    /// The current time and the end of a lease, by the clock of the database, because those of
    /// nodes differ.
    fn times(&self, length: TimeDelta) -> (Expr, Expr) {
        let seconds = length.as_seconds_f64();
        if self.0.backend() == DbBackend::Sqlite {
            let until = "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', ?)";
            (
                Expr::cust("strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"),
                Expr::cust_with_values(until, [format!("{seconds:+.3} seconds")]),
            )
        } else {
            let until = "clock_timestamp() + make_interval(secs => $1)";
            (Expr::cust("clock_timestamp()"), Expr::cust_with_values(until, [seconds]))
        }
    }
}

#[async_trait]
impl Leases for SeaOrmLeases {
    async fn take(&self, name: &str, holder: &str, length: TimeDelta) -> Result<bool, StoreError> {
        let (now, until) = self.times(length);
        // In one statement, so that of two concurrent nodes the second reads what the first wrote.
        let replaced = OnConflict::column(Column::Name)
            .update_columns([Column::Holder, Column::Until])
            .action_and_where(
                of("leases", Column::Holder).eq(of("excluded", Column::Holder)).or(of(
                    "leases",
                    Column::Until,
                )
                .lte(now)),
            )
            .to_owned();
        let insert = Query::insert()
            .into_table(Entity)
            .columns([Column::Name, Column::Holder, Column::Until])
            .values_panic([name.into(), holder.into(), until])
            .on_conflict(replaced)
            .take();
        let done = self.0.writer.execute(&insert).await.map_err(store_error)?;
        Ok(done.rows_affected() == 1)
    }

    async fn release(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        let delete = Entity::delete_many().filter(Column::Name.eq(name)).filter(Column::Holder.eq(holder));
        delete.exec(&self.0.writer).await.map(drop).map_err(store_error)
    }
}
