//! Leases: a job runs on the node that holds its lease, and on no other until that one gives it back or is gone.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::{Leases, StoreError};
use sea_orm::ConnectionTrait;

use crate::{Database, error::store_error, sql::Sql};

/// Keeps leases.
#[derive(Debug, Clone)]
pub struct SeaOrmLeases(pub Database);

#[async_trait]
impl Leases for SeaOrmLeases {
    async fn take(
        &self,
        name: &str,
        holder: &str,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut sql = Sql::new("INSERT INTO leases (name, holder, until) VALUES (");
        sql.bind(name).push(", ").bind(holder).push(", ").bind(until);
        // One statement: of two who come at once, the second finds what the first wrote.
        sql.push(
            ") ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE ",
        );
        sql.push("leases.holder = excluded.holder OR leases.until <= ").bind(now);
        let done = self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        Ok(done.rows_affected() == 1)
    }

    async fn give_back(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        let mut sql = Sql::new("DELETE FROM leases WHERE name = ");
        sql.bind(name).push(" AND holder = ").bind(holder);
        self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map(drop).map_err(store_error)
    }
}
