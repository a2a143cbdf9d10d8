//! Leases: a job runs on the node that holds its lease, and on no other until that one gives it back or is gone.

use async_trait::async_trait;
use chrono::TimeDelta;
use ports::{Leases, StoreError};
use sea_orm::{ConnectionTrait, DbBackend};

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
};

/// Keeps leases.
#[derive(Debug, Clone)]
pub struct SeaOrmLeases(pub Database);

#[async_trait]
impl Leases for SeaOrmLeases {
    async fn take(&self, name: &str, holder: &str, length: TimeDelta) -> Result<bool, StoreError> {
        let backend = self.0.backend();
        let mut sql = Sql::new("INSERT INTO leases (name, holder, until) VALUES (");
        sql.bind(name).push(", ").bind(holder).push(", ");
        // The clock of the database: those of nodes differ.
        let now = if backend == DbBackend::Sqlite {
            sql.push("strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', ");
            sql.bind(format!("{:+.3} seconds", length.as_seconds_f64())).push(")");
            "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
        } else {
            sql.push("clock_timestamp() + make_interval(secs => ").bind(length.as_seconds_f64()).push(")");
            "clock_timestamp()"
        };
        // One statement: of two who come at once, the second finds what the first wrote.
        sql.push(
            ") ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE ",
        );
        sql.push("leases.holder = excluded.holder OR leases.until <= ").push(now);
        let done = self.0.writer.execute_raw(sql.statement(backend)).await.map_err(store_error)?;
        Ok(done.rows_affected() == 1)
    }

    async fn give_back(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        let mut sql = Sql::new("DELETE FROM leases WHERE name = ");
        sql.bind(name).push(" AND holder = ").bind(holder);
        self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map(drop).map_err(store_error)
    }
}
