//! Current activity: unfinished jobs, the last ends of others, counts by state.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Enumeration;
use domain_live::{link::LinkState, matching::MatchLevel};
use domain_operations::{
    Activity, EndedJob, Job, JobKind, LinkActivity, MAX_JOBS, ReportActivity, ReviewActivity,
};
use ports::{ActivityRepository, StoreError};
use sea_orm::{ConnectionTrait, FromQueryResult, QueryResult};

use crate::{
    Database,
    db::{error::store_error, sql::Sql, values::member},
    issues::OPEN,
    links::push_switched_off,
    matches::{CHANNELS_OF_MATCHES, SHOWN},
};

/// Reads current activity.
#[derive(Debug, Clone)]
pub struct SeaOrmActivity(pub Database);

/// Unfinished jobs of each kind with the columns of [`JobRow`].
const JOBS: [(JobKind, &str); 4] = [
    (
        JobKind::Operation,
        "SELECT o.id, o.kind AS title, o.changed + o.unchanged + o.refused + o.conflicts + o.missing + o.created AS done, \
         o.total, o.created_by FROM bulk_operations o WHERE o.finished_date IS NULL AND NOT o.dry_run ORDER BY o.id LIMIT ",
    ),
    (
        JobKind::PlaylistRun,
        "SELECT r.source_id AS id, s.title, CAST(NULL AS bigint) AS done, CAST(NULL AS bigint) AS total, r.created_by \
         FROM playlist_runs r JOIN playlist_sources s ON s.id = r.source_id WHERE r.finished_date IS NULL ORDER BY r.id LIMIT ",
    ),
    (
        JobKind::GuideFetch,
        "SELECT t.id, t.title, CAST(NULL AS bigint) AS done, CAST(NULL AS bigint) AS total, f.requested_by AS created_by \
         FROM guide_fetches f JOIN tv_guides t ON t.id = f.guide_id WHERE f.state IN ('WAITING', 'RUNNING') ORDER BY t.id LIMIT ",
    ),
    (
        JobKind::MatchingRun,
        "SELECT CAST(NULL AS bigint) AS id, CAST(NULL AS text) AS title, CAST(NULL AS bigint) AS done, \
         CAST(NULL AS bigint) AS total, m.requested_by AS created_by FROM epg_matching m \
         WHERE m.state NOT IN ('IDLE', 'FAILED') LIMIT ",
    ),
];

/// The last end of each job; of operations, by kind of items and user. For operations and runs only
/// the newest are read, because this is executed each second, and years of them are stored.
const ENDED: &str = "SELECT 'OPERATION' AS job, o.kind AS title, o.created_by, max(o.finished_date) AS finished_date \
     FROM (SELECT n.kind, n.created_by, n.finished_date FROM bulk_operations n \
     WHERE n.finished_date IS NOT NULL AND NOT n.dry_run ORDER BY n.id DESC LIMIT 200) o GROUP BY o.kind, o.created_by \
     UNION ALL SELECT 'PLAYLIST_RUN', CAST(NULL AS text), CAST(NULL AS text), max(r.finished_date) \
     FROM (SELECT n.finished_date FROM playlist_runs n WHERE n.finished_date IS NOT NULL ORDER BY n.id DESC LIMIT 50) r \
     UNION ALL SELECT 'GUIDE_FETCH', CAST(NULL AS text), CAST(NULL AS text), max(f.finished_date) FROM guide_fetches f \
     UNION ALL SELECT 'MATCHING_RUN', CAST(NULL AS text), CAST(NULL AS text), max(m.finished_date) FROM epg_matching m";

#[derive(FromQueryResult)]
struct EndedRow {
    job: String,
    title: Option<String>,
    created_by: Option<String>,
    finished_date: Option<DateTime<Utc>>,
}

#[derive(FromQueryResult)]
struct LinkRow {
    down: i64,
    last_change: Option<i64>,
    switched_off: i64,
    last_switch: Option<DateTime<Utc>>,
}

#[derive(FromQueryResult)]
struct JobRow {
    id: Option<i64>,
    title: Option<String>,
    done: Option<i64>,
    total: Option<i64>,
    created_by: Option<String>,
}

impl SeaOrmActivity {
    async fn rows(&self, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)
    }

    async fn jobs(&self) -> Result<Vec<Job>, StoreError> {
        let mut jobs = Vec::new();
        for (kind, unfinished) in JOBS {
            let mut sql = Sql::new(unfinished);
            sql.bind(i64::try_from(MAX_JOBS).unwrap_or(i64::MAX));
            for row in self.rows(sql).await? {
                let JobRow { id, title, done, total, created_by } =
                    JobRow::from_query_result(&row, "").map_err(store_error)?;
                jobs.push(Job { kind, id, title, done, total, created_by });
            }
        }
        Ok(jobs)
    }

    async fn ended(&self) -> Result<Vec<EndedJob>, StoreError> {
        let mut ended = Vec::new();
        for row in self.rows(Sql::new(ENDED)).await? {
            let EndedRow { job, title, created_by, finished_date } =
                EndedRow::from_query_result(&row, "").map_err(store_error)?;
            let Some(finished_date) = finished_date else { continue };
            ended.push(EndedJob { kind: member(&job)?, title, finished_date, created_by });
        }
        Ok(ended)
    }

    async fn links(&self) -> Result<LinkActivity, StoreError> {
        let mut sql = Sql::new("SELECT (SELECT count(*) FROM links l WHERE l.active AND l.state = ");
        sql.bind(LinkState::Down.code()).push(
            ") AS down, (SELECT max(h.id) FROM link_changes h) AS last_change, o.switched_off, o.last_switch FROM \
             (SELECT count(*) AS switched_off, max(s.since) AS last_switch FROM (",
        );
        push_switched_off(&mut sql);
        sql.push(") s) o");
        let row = sql.only_row(&self.0.reader).await?;
        let LinkRow { down, last_change, switched_off, last_switch } =
            LinkRow::from_query_result(&row, "").map_err(store_error)?;
        Ok(LinkActivity {
            down: down.unsigned_abs(),
            switched_off: switched_off.unsigned_abs(),
            last_switch,
            last_change: last_change.unwrap_or_default(),
        })
    }

    /// These columns of the only row; 0 for null.
    async fn numbers<const N: usize>(&self, sql: Sql, columns: [&str; N]) -> Result<[i64; N], StoreError> {
        let row = sql.only_row(&self.0.reader).await?;
        let mut numbers = [0; N];
        for (number, column) in numbers.iter_mut().zip(columns) {
            *number = row.try_get::<Option<i64>>("", column).map_err(store_error)?.unwrap_or_default();
        }
        Ok(numbers)
    }
}

#[async_trait]
impl ActivityRepository for SeaOrmActivity {
    async fn read(&self) -> Result<Activity, StoreError> {
        let links = self.links().await?;
        let mut reviews = Sql::new(format!(
            "SELECT count(*) AS total FROM epg_matches x{CHANNELS_OF_MATCHES}{SHOWN} AND x.level = "
        ));
        reviews.bind(MatchLevel::Review.code());
        let [waiting] = self.numbers(reviews, ["total"]).await?;
        let reports = Sql::new(format!(
            "SELECT (SELECT CAST(coalesce(sum(n.total), 0) AS bigint) FROM issue_reports_counts n \
             WHERE n.status {OPEN}) AS total, (SELECT max(i.id) FROM issue_reports i) AS newest, \
             (SELECT max(h.id) FROM issue_history h) AS last"
        ));
        let [open, newest, last_change] = self.numbers(reports, ["total", "newest", "last"]).await?;
        let reports = ReportActivity { open: open.unsigned_abs(), newest, last_change };
        Ok(Activity {
            jobs: self.jobs().await?,
            ended: self.ended().await?,
            links: Some(links),
            reviews: Some(ReviewActivity { waiting: waiting.unsigned_abs() }),
            reports: Some(reports),
        })
    }
}
