//! Removes expired rows, and rows of deleted guides, in limited numbers.

use chrono::{DateTime, TimeDelta, Utc};
use domain_live::programme::LONGEST;
use sea_orm::{ConnectionTrait, DbErr};

use super::{SeaOrmGuides, changed_rows};
use crate::db::sql::Sql;

/// Channels whose programmes of one day a transaction removes.
const CHANNELS_AT_ONCE: i64 = 25;
/// Programmes of deleted guides, and channels without programmes, removed per transaction.
const ROWS_AT_ONCE: i64 = 1_000;
/// Retention of parts of a file that no fetch reads.
const UNREAD_PARTS: TimeDelta = TimeDelta::hours(1);

/// Condition that the fetch `f`, whose guide is deleted, has recorded data.
const KNOWN_OF_GONE: &str = "(f.etag IS NOT NULL OR f.last_modified IS NOT NULL OR f.next_fetch_date IS NOT NULL \
     OR f.upload IS NOT NULL OR f.finished_date IS NOT NULL OR f.state IN ('WAITING', 'RUNNING')) \
     AND NOT EXISTS (SELECT 1 FROM tv_guides t WHERE t.id = f.guide_id)";

/// Resets fetches of deleted guides, so that a restored guide counts as never read.
fn forgotten() -> Sql {
    Sql::new(format!(
        "UPDATE guide_fetches SET etag = NULL, last_modified = NULL, next_fetch_date = NULL, upload = NULL, file_name = NULL, \
         requested_by = NULL, state = 'NEVER', fault = NULL, status_code = NULL, finished_date = NULL, last_good_date = NULL, \
         newest_at = NULL, counts = '{{}}', examples = '[]' \
         WHERE guide_id IN (SELECT f.guide_id FROM guide_fetches f WHERE {KNOWN_OF_GONE})"
    ))
}

impl SeaOrmGuides {
    /// Whether there may be more. Reads first: an idle node writes nothing.
    pub(super) async fn sweep_some(
        &self,
        ended_before: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let more = self.sweep_over(ended_before.timestamp()).await?;
        let more = self.forget_fetches().await? || more;
        let more = self.sweep_gone().await? || more;
        Ok(self.sweep_files(now).await? || more)
    }

    async fn ids(&self, sql: Sql, column: &str) -> Result<Vec<i64>, DbErr> {
        let rows = self.0.scanner.query_all_raw(sql.statement(self.0.backend())).await?;
        rows.iter().map(|row| row.try_get("", column)).collect()
    }

    async fn sweep_over(&self, before: i64) -> Result<bool, DbErr> {
        let over = |sql: &mut Sql| {
            // One day more than the maximum duration of a programme: nothing older is left.
            sql.push("start_at < ").bind(before).push(" AND (start_at < ").bind(before - LONGEST);
            sql.push(" OR stop_at <= ").bind(before).push(")");
        };
        let mut sql = Sql::new(
            "SELECT g.id FROM guide_channels g WHERE EXISTS (SELECT 1 FROM programmes p WHERE p.channel_id = g.id AND p.",
        );
        sql.push("start_at < ").bind(before).push(" AND p.stop_at <= ").bind(before).push(") LIMIT ");
        sql.bind(CHANNELS_AT_ONCE);
        let channels = self.ids(sql, "id").await?;
        if channels.is_empty() {
            return Ok(false);
        }
        let mut sql = Sql::new("DELETE FROM programmes WHERE channel_id IN (");
        sql.bind_all(channels.iter().copied()).push(") AND ");
        over(&mut sql);
        changed_rows(&self.0.writer, sql).await?;
        Ok(true)
    }

    /// Ends the fetches of deleted guides, with or without channels: waiting files are not read any
    /// more.
    async fn forget_fetches(&self) -> Result<bool, DbErr> {
        let sql = Sql::new(format!("SELECT f.guide_id FROM guide_fetches f WHERE {KNOWN_OF_GONE} LIMIT 1"));
        if self.ids(sql, "guide_id").await?.is_empty() {
            return Ok(false);
        }
        Ok(changed_rows(&self.0.writer, forgotten()).await? > 0)
    }

    async fn sweep_gone(&self) -> Result<bool, DbErr> {
        const GONE: &str = "NOT EXISTS (SELECT 1 FROM tv_guides t WHERE t.id = g.guide_id)";
        let mut sql = Sql::new(format!("SELECT g.id FROM guide_channels g WHERE {GONE} LIMIT "));
        sql.bind(CHANNELS_AT_ONCE);
        let channels = self.ids(sql, "id").await?;
        if channels.is_empty() {
            return Ok(false);
        }
        let transaction = self.0.begin().await?;
        changed_rows(&transaction, forgotten()).await?;
        let mut sql = Sql::new(
            "DELETE FROM programmes WHERE (channel_id, start_at) IN (SELECT p.channel_id, p.start_at FROM programmes p \
             WHERE p.channel_id IN (",
        );
        // A guide may have been restored since its channels were read.
        sql.bind_all(channels.iter().copied());
        sql.push(&format!(
            ") AND EXISTS (SELECT 1 FROM guide_channels g WHERE g.id = p.channel_id AND {GONE}) LIMIT "
        ));
        sql.bind(ROWS_AT_ONCE).push(")");
        if changed_rows(&transaction, sql).await? == 0 {
            let mut sql = Sql::new(
                "DELETE FROM guide_channels WHERE id IN (SELECT g.id FROM guide_channels g WHERE g.id IN (",
            );
            sql.bind_all(channels.iter().copied()).push(&format!(") AND {GONE})"));
            changed_rows(&transaction, sql).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Parts that were read, and those of an upload that was never completed.
    async fn sweep_files(&self, now: DateTime<Utc>) -> Result<bool, DbErr> {
        let mut sql = Sql::new(
            "SELECT f.number, f.upload FROM guide_files f WHERE NOT EXISTS (SELECT 1 FROM guide_fetches g \
             WHERE g.upload = f.upload) AND NOT EXISTS (SELECT 1 FROM guide_files o WHERE o.upload = f.upload \
             AND o.created_date > ",
        );
        sql.bind(now - UNREAD_PARTS).push(") LIMIT ").bind(10_i64);
        let uploads = self.ids(sql, "upload").await?;
        let Some(upload) = uploads.first() else { return Ok(false) };
        let mut sql = Sql::new(
            "DELETE FROM guide_files WHERE (upload, number) IN (SELECT f.upload, f.number FROM guide_files f \
             WHERE f.upload = ",
        );
        sql.bind(*upload).push(" LIMIT ").bind(20_i64).push(")");
        changed_rows(&self.0.writer, sql).await?;
        Ok(true)
    }
}
