//! Current activity: unfinished jobs, the last ends of others, counts by state.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Enumeration;
use domain_live::{guide_fetch::GuideFetchState, link::LinkState, matching::MatchLevel};
use domain_operations::{
    Activity, EndedJob, Job, JobKind, LinkActivity, MAX_JOBS, ReportActivity, ReviewActivity,
};
use ports::{ActivityRepository, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QueryResult,
    QuerySelect,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};

use crate::{
    Database,
    catalogue::{GuideColumn, TvGuidesTable},
    db::{error::store_error, sql::Sql, values::member},
    entities::{bulk_operations, epg_matching, guide_fetches, playlist_runs, playlist_sources},
    issues::OPEN,
    links::push_switched_off,
    matches::{CHANNELS_OF_MATCHES, SHOWN},
};

/// Reads current activity.
#[derive(Debug, Clone)]
pub struct SeaOrmActivity(pub Database);

/// Unfinished runs of playlists: the ID and title of the source, and the user who started the run.
fn unfinished_runs() -> SelectStatement {
    use playlist_runs::Column as Run;
    use playlist_sources::Column as Source;
    let source_id = (playlist_sources::Entity, Source::Id);
    Query::select()
        .columns([Source::Id, Source::Title].map(|column| (playlist_sources::Entity, column)))
        .column((playlist_runs::Entity, Run::CreatedBy))
        .from(playlist_runs::Entity)
        .inner_join(
            playlist_sources::Entity,
            Expr::col(source_id).equals((playlist_runs::Entity, Run::SourceId)),
        )
        .and_where(Run::FinishedDate.is_null())
        .order_by((playlist_runs::Entity, Run::Id), Order::Asc)
        .limit(MAX_JOBS)
        .take()
}

/// Unfinished fetches: the ID and title of the guide, and the user who requested the fetch.
fn unfinished_fetches() -> SelectStatement {
    use guide_fetches::Column as Fetch;
    let guide_id = (TvGuidesTable, GuideColumn::Id);
    let unfinished = [GuideFetchState::Waiting, GuideFetchState::Running].map(Enumeration::code);
    Query::select()
        .columns([GuideColumn::Id, GuideColumn::Title].map(|column| (TvGuidesTable, column)))
        .expr_as(Expr::col((guide_fetches::Entity, Fetch::RequestedBy)), "created_by")
        .from(guide_fetches::Entity)
        .inner_join(TvGuidesTable, Expr::col(guide_id).equals((guide_fetches::Entity, Fetch::GuideId)))
        .and_where(Fetch::State.is_in(unfinished))
        .order_by(guide_id, Order::Asc)
        .limit(MAX_JOBS)
        .take()
}

/// The last end of each job; of operations, by kind of items and user. For operations and runs only
/// the newest are read, because this is executed each second, and years of them are stored. Raw: built
/// by sea-query, its four parts would be longer than the statement.
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
    id: i64,
    title: String,
    created_by: Option<String>,
}

fn operation_of(row: bulk_operations::Model) -> Job {
    let done = row.changed + row.unchanged + row.refused + row.conflicts + row.missing + row.created;
    Job {
        kind: JobKind::Operation,
        id: Some(row.id),
        title: Some(row.kind),
        done: Some(done),
        total: Some(row.total),
        created_by: Some(row.created_by),
    }
}

impl SeaOrmActivity {
    async fn rows(&self, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)
    }

    async fn jobs(&self) -> Result<Vec<Job>, StoreError> {
        let operations = bulk_operations::Entity::find()
            .filter(bulk_operations::Column::FinishedDate.is_null())
            .filter(Expr::col(bulk_operations::Column::DryRun).not())
            .order_by_asc(bulk_operations::Column::Id)
            .limit(MAX_JOBS);
        let operations = operations.all(&self.0.reader).await.map_err(store_error)?;
        let mut jobs: Vec<Job> = operations.into_iter().map(operation_of).collect();
        for (kind, unfinished) in
            [(JobKind::PlaylistRun, unfinished_runs()), (JobKind::GuideFetch, unfinished_fetches())]
        {
            for row in self.0.reader.query_all(&unfinished).await.map_err(store_error)? {
                let JobRow { id, title, created_by } =
                    JobRow::from_query_result(&row, "").map_err(store_error)?;
                jobs.push(Job {
                    kind,
                    id: Some(id),
                    title: Some(title),
                    done: None,
                    total: None,
                    created_by,
                });
            }
        }
        let matching = epg_matching::Entity::find()
            .filter(epg_matching::Column::State.is_not_in(["IDLE", "FAILED"]))
            .one(&self.0.reader)
            .await
            .map_err(store_error)?;
        jobs.extend(matching.map(|row| Job {
            kind: JobKind::MatchingRun,
            id: None,
            title: None,
            done: None,
            total: None,
            created_by: row.requested_by,
        }));
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
