//! Fetches of guides: settings, the newest fetch, its claim.

use chrono::{DateTime, TimeZone, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, Id, Kind, Version, difference};
use domain_live::{
    fetch::Validators,
    guide_fetch::{GuideCounts, GuideFetch, GuideFetchState, GuideSettings},
};
use ports::{ClaimedFetch, Edit, GuideFetchEnd, NewGuideFetch, StoreError, UnfinishedFetch, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, QueryFilter, QueryResult,
    sea_query::{Expr, ExprTrait, Order, Query},
};
use serde::de::DeserializeOwned;

use super::{
    SeaOrmGuides, broken,
    fetch_rows::{UNFINISHED_STATES, ended, hold, settings_now, wait},
    is_ours, text_of,
};
use crate::{
    audit::{Record, fields_of, record_one},
    db::{
        error::store_error,
        sql::{Sql, of},
        values::member,
    },
    entities::guide_fetches::{ActiveModel, Column, Entity},
};

/// A guide with its fetch, if recorded.
#[derive(Debug, FromQueryResult)]
struct Row {
    id: i64,
    guide_title: String,
    active: bool,
    guide_url: String,
    version: Option<i64>,
    refresh_hours: Option<i32>,
    zone: Option<String>,
    shift_minutes: Option<i32>,
    priority: Option<i32>,
    state: Option<String>,
    attempt: Option<i64>,
    upload: Option<i64>,
    file_name: Option<String>,
    requested_by: Option<String>,
    fault: Option<String>,
    status_code: Option<i32>,
    url: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
    finished_date: Option<DateTime<Utc>>,
    last_good_date: Option<DateTime<Utc>>,
    next_fetch_date: Option<DateTime<Utc>>,
    newest_at: Option<i64>,
    counts: Option<String>,
    examples: Option<String>,
}

/// The columns of [`Row`]. Raw: a list of names is shorter than the columns of two tables.
const SELECT: &str = "SELECT t.id, t.title AS guide_title, t.active, t.url AS guide_url, f.version, f.refresh_hours, f.zone, \
     f.shift_minutes, f.priority, f.state, f.attempt, f.upload, f.file_name, f.requested_by, f.fault, f.status_code, f.url, f.etag, \
     f.last_modified, f.finished_date, f.last_good_date, f.next_fetch_date, f.newest_at, f.counts, f.examples \
     FROM tv_guides t LEFT JOIN guide_fetches f ON f.guide_id = t.id";

fn json<T: DeserializeOwned + Default>(text: Option<&str>) -> Result<T, StoreError> {
    text.map_or(Ok(T::default()), |text| serde_json::from_str(text).map_err(broken))
}

/// Counts of the newest fetch. Unreadable ones count as zero until the next fetch replaces them: an error would
/// fail the list and the fetches of all guides.
fn counts_of(text: Option<&str>) -> GuideCounts {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn fetch_of(row: &Row) -> Result<GuideFetch, StoreError> {
    let first = GuideSettings::default();
    let hours = row.refresh_hours.and_then(|hours| u16::try_from(hours).ok());
    Ok(GuideFetch {
        guide: row.id,
        title: row.guide_title.clone(),
        active: row.active,
        version: row.version.unwrap_or(1),
        settings: GuideSettings {
            refresh_hours: hours.unwrap_or(first.refresh_hours),
            zone: row.zone.clone().unwrap_or(first.zone),
            shift_minutes: row.shift_minutes.unwrap_or(first.shift_minutes),
            priority: row.priority.and_then(|one| u16::try_from(one).ok()).unwrap_or(first.priority),
        },
        state: row.state.as_deref().map(member).transpose()?.unwrap_or(GuideFetchState::Never),
        file_name: row.file_name.clone(),
        requested_by: row.requested_by.clone(),
        fault: row.fault.as_deref().map(member).transpose()?,
        status_code: row.status_code.and_then(|code| u16::try_from(code).ok()),
        finished_date: row.finished_date,
        last_good_date: row.last_good_date,
        next_fetch_date: row.next_fetch_date,
        newest_programme: row.newest_at.and_then(|at| Utc.timestamp_opt(at, 0).single()),
        counts: counts_of(row.counts.as_deref()),
        examples: json(row.examples.as_deref())?,
    })
}

/// Guides by ID, one or all.
async fn rows(connection: &impl ConnectionTrait, guide: Option<Id>) -> Result<Vec<Row>, StoreError> {
    let mut sql = Sql::new(SELECT);
    if let Some(guide) = guide {
        sql.push(" WHERE t.id = ").bind(guide);
    }
    sql.push(" ORDER BY t.id");
    let found = connection.query_all_raw(sql.statement(connection.get_database_backend())).await;
    let found = found.map_err(store_error)?;
    found.iter().map(|row| Row::from_query_result(row, "").map_err(store_error)).collect()
}

pub(super) async fn all(
    connection: &impl ConnectionTrait,
    guide: Option<Id>,
) -> Result<Vec<GuideFetch>, StoreError> {
    rows(connection, guide).await?.iter().map(fetch_of).collect()
}

pub(super) async fn find_in(
    connection: &impl ConnectionTrait,
    guide: Id,
) -> Result<Option<GuideFetch>, StoreError> {
    Ok(all(connection, Some(guide)).await?.pop())
}

/// Time of the next fetch after a change of settings: none without a schedule; immediately if
/// programme times change, unless they come from an upload; after a first or a shorter interval at
/// its end.
fn next_fetch(before: &GuideFetch, settings: &GuideSettings, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let interval = settings.interval()?;
    let turn = before.finished_date.map(|finished| finished + interval);
    let Some(known) = before.settings.interval() else { return turn };
    let next = before.next_fetch_date?;
    if !before.settings.reads_like(settings) && before.file_name.is_none() {
        return Some(now);
    }
    Some(turn.filter(|turn| interval < known && *turn < next).unwrap_or(next))
}

impl SeaOrmGuides {
    pub(super) async fn replace_settings(
        &self,
        guide: Id,
        settings: &GuideSettings,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<GuideFetch>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        hold(&transaction, guide).await.map_err(store_error)?;
        let Some(before) = find_in(&transaction, guide).await? else { return Ok(Written::Missing) };
        if expected.is_some_and(|expected| expected != before.version) {
            return Ok(Written::Outdated(before));
        }
        let mut row = ActiveModel {
            refresh_hours: Set(i32::from(settings.refresh_hours)),
            zone: Set(settings.zone.clone()),
            shift_minutes: Set(settings.shift_minutes),
            priority: Set(i32::from(settings.priority)),
            next_fetch_date: Set(next_fetch(&before, settings, edit.at)),
            ..ActiveModel::default()
        };
        if !before.settings.reads_like(settings) {
            row.etag = Set(None);
            row.last_modified = Set(None);
            if before.last_good_date.is_some() && before.counts.read_by.is_none() {
                // Guides read before this was recorded get the replaced settings.
                let counts =
                    GuideCounts { read_by: Some(before.settings.read_by()), ..before.counts.clone() };
                row.counts = Set(text_of(&counts).map_err(store_error)?);
            }
        }
        let update = Entity::update_many()
            .set(row)
            .col_expr(Column::Version, Expr::col(Column::Version).add(1))
            .filter(Column::GuideId.eq(guide));
        update.exec(&transaction).await.map_err(store_error)?;
        let Some(after) = find_in(&transaction, guide).await? else { return Ok(Written::Missing) };
        let record = Record {
            action: AuditAction::Updated,
            resource: Kind::TvGuides.path(),
            item: guide.to_string(),
            title: after.title.clone(),
            version: None,
            diff: difference(&fields_of(&before.settings), &fields_of(&after.settings)),
        };
        record_one(&transaction, edit, record).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Written::Done(after))
    }

    /// Whether a fetch was recorded: the guide exists, and has no unfinished fetch.
    pub(super) async fn try_begin(&self, fetch: &NewGuideFetch) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        let guide =
            Query::select().column("id").from("tv_guides").and_where(Expr::col("id").eq(fetch.guide)).take();
        if transaction.query_one(&guide).await?.is_none() {
            return Ok(false);
        }
        let (name, upload) = fetch.file.clone().unzip();
        let by = Some(fetch.requested_by.clone());
        let begun = wait(&transaction, fetch.guide, (upload, name, by)).await?;
        transaction.commit().await?;
        Ok(begun)
    }

    /// Records stale guides with the time since when.
    pub(super) async fn try_note_stale(&self, guides: &[Id], now: DateTime<Utc>) -> Result<(), DbErr> {
        let since = |date: Option<DateTime<Utc>>| {
            Entity::update_many().set(ActiveModel { stale_since: Set(date), ..ActiveModel::default() })
        };
        let mut fresh = since(None).filter(Column::StaleSince.is_not_null());
        if !guides.is_empty() {
            let stale = since(Some(now))
                .filter(Column::StaleSince.is_null())
                .filter(Column::GuideId.is_in(guides.iter().copied()));
            stale.exec(&self.0.writer).await?;
            fresh = fresh.filter(Column::GuideId.is_not_in(guides.iter().copied()));
        }
        fresh.exec(&self.0.writer).await.map(drop)
    }

    /// Begins fetches of the active guides with a schedule that are due, were never fetched, or have
    /// another URL than the last fetch.
    pub(super) async fn begin_due(&self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let mut begun = 0;
        for row in rows(&self.0.reader, None).await? {
            let unfinished =
                matches!(row.state.as_deref(), Some(state) if ["WAITING", "RUNNING"].contains(&state));
            let moved = row.url.as_ref().is_some_and(|url| *url != row.guide_url);
            let due = row.next_fetch_date.is_none_or(|next| next <= now) || moved;
            // Without a schedule, the guide may be an uploaded one, whose URL has no file.
            let is_scheduled = row.refresh_hours != Some(0);
            if !row.active || unfinished || !due || !is_scheduled {
                continue;
            }
            let done = wait(&self.0.writer, row.id, (None, None, None)).await;
            begun += u64::from(done.map_err(store_error)?);
        }
        Ok(begun)
    }

    pub(super) async fn in_order(&self) -> Result<Vec<UnfinishedFetch>, StoreError> {
        // Requested guides first, then in the order of their due times; guides never read precede others.
        let is_download = || of("f", Column::Upload).is_null();
        let query = Query::select()
            .expr(of("f", Column::GuideId))
            .expr_as(Expr::case(is_download(), of("t", "url")), "url")
            .expr_as(Expr::case(is_download(), of("f", Column::Counts)), "counts")
            .from_as(Entity, "f")
            .join_as(JoinType::Join, "tv_guides", "t", of("t", "id").eq(of("f", Column::GuideId)))
            .and_where(of("f", Column::State).is_in(UNFINISHED_STATES.map(Enumeration::code)))
            .order_by_expr(of("f", Column::RequestedBy).is_null(), Order::Asc)
            .order_by_expr(of("f", Column::NextFetchDate).is_not_null(), Order::Asc)
            .order_by(("f", Column::NextFetchDate), Order::Asc)
            .order_by(("f", Column::GuideId), Order::Asc)
            .take();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        let fetch = |row: &QueryResult| -> Result<UnfinishedFetch, StoreError> {
            let counts: Option<String> = row.try_get("", "counts").map_err(store_error)?;
            Ok(UnfinishedFetch {
                guide: row.try_get("", "guide_id").map_err(store_error)?,
                url: row.try_get("", "url").map_err(store_error)?,
                unpacked_bytes: counts_of(counts.as_deref()).unpacked_bytes,
            })
        };
        rows.iter().map(fetch).collect()
    }

    pub(super) async fn take_unfinished(&self, guide: Id) -> Result<Option<ClaimedFetch>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let claim = Entity::update_many()
            .col_expr(Column::State, GuideFetchState::Running.code().into())
            .col_expr(Column::Attempt, Expr::col(Column::Attempt).add(1))
            .filter(Column::State.is_in(UNFINISHED_STATES.map(Enumeration::code)))
            .filter(Column::GuideId.eq(guide));
        claim.exec(&transaction).await.map_err(store_error)?;
        let row = rows(&transaction, Some(guide)).await?.pop();
        transaction.commit().await.map_err(store_error)?;
        let Some(row) = row.filter(|row| row.state.as_deref() == Some("RUNNING")) else { return Ok(None) };
        let guide = fetch_of(&row)?;
        let same = row.url.as_ref() == Some(&row.guide_url);
        let known = Validators { etag: row.etag, last_modified: row.last_modified };
        Ok(Some(ClaimedFetch {
            guide,
            url: row.guide_url,
            known: if same { known } else { Validators::default() },
            upload: row.upload,
            attempt: row.attempt.unwrap_or_default(),
        }))
    }

    pub(super) async fn try_wait_again(
        &self,
        claim: &ClaimedFetch,
        unpacked_bytes: u64,
    ) -> Result<(), StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        if !is_ours(&transaction, claim).await.map_err(store_error)? {
            return Ok(());
        }
        let Some(now) = find_in(&transaction, claim.guide.guide).await? else { return Ok(()) };
        let counts = GuideCounts { unpacked_bytes: Some(unpacked_bytes), ..now.counts };
        let row = ActiveModel {
            state: Set(GuideFetchState::Waiting.code().to_owned()),
            counts: Set(text_of(&counts).map_err(store_error)?),
            ..ActiveModel::default()
        };
        let update = Entity::update_many().set(row).filter(Column::GuideId.eq(claim.guide.guide));
        update.exec(&transaction).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)
    }

    pub(super) async fn try_end(
        &self,
        claim: &ClaimedFetch,
        end: &GuideFetchEnd,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if !is_ours(&transaction, claim).await? {
            return Ok(false);
        }
        let (reads_alike, turn) =
            settings_now(&transaction, claim.guide.guide, &claim.guide.settings).await?;
        // Programmes read with a former time zone or shift are read again immediately; an upload is
        // read once, because a fetch would use the URL. A shorter interval saved meanwhile applies.
        // So does the end of the schedule, or its beginning.
        let planned = match (claim.guide.settings.interval(), turn) {
            (_, None) => None,
            (None, Some(turn)) => Some(now + turn),
            (Some(_), Some(turn)) => end.next_fetch_date.map(|next| Ord::min(next, now + turn)),
        };
        let (known, next) = if reads_alike {
            (end.known.clone().unwrap_or_else(|| claim.known.clone()), planned)
        } else if turn.is_some() && claim.upload.is_none() {
            (Validators::default(), Some(now))
        } else {
            (Validators::default(), planned)
        };
        let row = ended(claim, end, known, next, now)?;
        let mut update = Entity::update_many().set(row).filter(Column::GuideId.eq(claim.guide.guide));
        if let Some(newest) = end.newest {
            let later = Expr::col(Column::NewestAt);
            let newest_at: Expr = if end.state == GuideFetchState::Partial {
                // Programmes after a partial read stay.
                Expr::case(later.clone().gt(newest), later).finally(newest).into()
            } else {
                newest.into()
            };
            update = update.col_expr(Column::NewestAt, newest_at);
        }
        update.exec(&transaction).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
