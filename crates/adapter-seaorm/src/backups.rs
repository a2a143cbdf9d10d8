//! The log of backups.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id};
use domain_settings::{Backup, BackupOrigin, BackupState};
use ports::{BackupDates, BackupLog, BackupOutcome, StoreError};
use sea_orm::{ConnectionTrait, QueryResult};

use crate::{
    Database,
    db::{
        error::{is_unique, store_error},
        sql::Sql,
    },
};

/// Keeps the log of backups.
#[derive(Debug, Clone)]
pub struct SeaOrmBackups(pub Database);

/// Backups that the log remembers.
const REMEMBERED: i64 = 1000;

const COLUMNS: &str =
    "id, origin, requested_by, state, file_name, created_date, finished_date, duration_ms, size, detail";

fn backup(row: &QueryResult) -> Result<Backup, StoreError> {
    fn code<E: Enumeration>(row: &QueryResult, column: &str) -> Result<E, StoreError> {
        let text: String = row.try_get("", column).map_err(store_error)?;
        E::from_code(&text).ok_or_else(|| StoreError::Broken(format!("{column} {text}")))
    }
    Ok(Backup {
        id: row.try_get("", "id").map_err(store_error)?,
        origin: code(row, "origin")?,
        requested_by: row.try_get("", "requested_by").map_err(store_error)?,
        state: code(row, "state")?,
        file_name: row.try_get("", "file_name").map_err(store_error)?,
        created_date: row.try_get("", "created_date").map_err(store_error)?,
        finished_date: row.try_get("", "finished_date").map_err(store_error)?,
        duration_ms: row.try_get("", "duration_ms").map_err(store_error)?,
        size: row.try_get("", "size").map_err(store_error)?,
        detail: row.try_get("", "detail").map_err(store_error)?,
    })
}

#[async_trait]
impl BackupLog for SeaOrmBackups {
    async fn newest(&self, limit: u64) -> Result<Vec<Backup>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM backups ORDER BY id DESC LIMIT "));
        sql.bind(limit);
        let rows = self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        rows.iter().map(backup).collect()
    }

    async fn dates(&self) -> Result<BackupDates, StoreError> {
        let sql = Sql::new(
            "SELECT (SELECT max(created_date) FROM backups WHERE state = 'GOOD') AS last_good, \
             (SELECT max(created_date) FROM backups) AS last_attempt",
        );
        let row = self.0.reader.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(BackupDates::default()) };
        Ok(BackupDates {
            last_good: row.try_get("", "last_good").map_err(store_error)?,
            last_attempt: row.try_get("", "last_attempt").map_err(store_error)?,
        })
    }

    async fn add<'a>(
        &self,
        origin: BackupOrigin,
        requested_by: Option<&'a str>,
        now: DateTime<Utc>,
    ) -> Result<Option<Backup>, StoreError> {
        let mut sql = Sql::new("INSERT INTO backups (origin, requested_by, state, created_date) VALUES (");
        sql.bind(origin.code()).push(", ").bind(requested_by.map(str::to_owned)).push(", ");
        sql.bind(BackupState::Waiting.code()).push(", ").bind(now);
        sql.push(&format!(") RETURNING {COLUMNS}"));
        match self.0.writer.query_one_raw(sql.statement(self.0.backend())).await {
            Ok(row) => row.as_ref().map(backup).transpose(),
            // One index refuses a second backup that is unfinished.
            Err(error) if is_unique(&error) => Ok(None),
            Err(error) => Err(store_error(error)),
        }
    }

    async fn unfinished(&self) -> Result<Option<Backup>, StoreError> {
        let sql = Sql::new(format!("SELECT {COLUMNS} FROM backups WHERE finished_date IS NULL"));
        let row = self.0.reader.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        row.as_ref().map(backup).transpose()
    }

    async fn begin(&self, id: Id) -> Result<(), StoreError> {
        let mut sql = Sql::new("UPDATE backups SET state = ");
        sql.bind(BackupState::Running.code()).push(" WHERE finished_date IS NULL AND id = ").bind(id);
        self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map(drop).map_err(store_error)
    }

    async fn finish(&self, id: Id, outcome: &BackupOutcome, now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut sql = Sql::new("UPDATE backups SET finished_date = ");
        sql.bind(now).push(", state = ");
        match outcome {
            BackupOutcome::Good { file_name, size, duration_ms } => {
                sql.bind(BackupState::Good.code()).push(", file_name = ").bind(file_name.clone());
                sql.push(", size = ").bind(*size).push(", duration_ms = ").bind(*duration_ms);
            }
            BackupOutcome::Failed { detail, duration_ms } => {
                sql.bind(BackupState::Failed.code()).push(", detail = ").bind(detail.clone());
                sql.push(", duration_ms = ").bind(*duration_ms);
            }
        }
        sql.push(" WHERE id = ").bind(id);
        let backend = self.0.backend();
        self.0.writer.execute_raw(sql.statement(backend)).await.map_err(store_error)?;
        let mut old = Sql::new("DELETE FROM backups WHERE finished_date IS NOT NULL AND id <= ");
        old.bind(id - REMEMBERED);
        self.0.writer.execute_raw(old.statement(backend)).await.map(drop).map_err(store_error)
    }
}
