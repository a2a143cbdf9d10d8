//! Rows of fetches of guides: their lock, and the columns that a state sets.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Enumeration, Id};
use domain_live::{
    fetch::Validators,
    guide_fetch::{GuideFetchState, GuideSettings},
};
use ports::{ClaimedFetch, GuideFetchEnd};
use sea_orm::{
    ActiveValue::Set,
    ConnectionTrait, DbErr, EntityTrait,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::text_of;
use crate::{
    db::{sql::of, transaction::Transaction},
    entities::guide_fetches::{ActiveModel, Column, Entity},
};

/// States of a fetch that is waiting or runs.
pub(super) const UNFINISHED_STATES: [GuideFetchState; 2] =
    [GuideFetchState::Waiting, GuideFetchState::Running];

/// The row of a never-fetched guide.
fn first_row(guide: Id) -> ActiveModel {
    let settings = GuideSettings::default();
    ActiveModel {
        guide_id: Set(guide),
        version: Set(1),
        refresh_hours: Set(i32::from(settings.refresh_hours)),
        zone: Set(settings.zone),
        shift_minutes: Set(settings.shift_minutes),
        priority: Set(i32::from(settings.priority)),
        state: Set(GuideFetchState::Never.code().to_owned()),
        attempt: Set(0),
        counts: Set("{}".to_owned()),
        examples: Set("[]".to_owned()),
        ..ActiveModel::default()
    }
}

/// A column of the row that is stored already.
fn stored(column: Column) -> Expr {
    of("guide_fetches", column)
}

/// Locks the row of a guide until the transaction ends; creates it for a never-fetched guide.
pub(super) async fn hold(transaction: &Transaction, guide: Id) -> Result<(), DbErr> {
    let unchanged =
        OnConflict::column(Column::GuideId).value(Column::Version, stored(Column::Version)).to_owned();
    let insert = Entity::insert(first_row(guide)).on_conflict(unchanged);
    insert.exec_without_returning(transaction).await.map(drop)
}

/// The current settings of a locked row that affect reading and schedule: whether they equal those
/// read by, and the interval.
pub(super) async fn settings_now(
    transaction: &Transaction,
    guide: Id,
    like: &GuideSettings,
) -> Result<(bool, Option<TimeDelta>), DbErr> {
    let row = Entity::find_by_id(guide).one(transaction).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the row that is held".into()))?;
    let refresh_hours = u16::try_from(row.refresh_hours).unwrap_or_default();
    let now =
        GuideSettings { refresh_hours, zone: row.zone, shift_minutes: row.shift_minutes, ..like.clone() };
    Ok((now.reads_like(like), now.interval()))
}

/// Makes a fetch wait for the job, unless one is unfinished. An uploaded file replaces a fetch of
/// the URL: a running one writes nothing more.
pub(super) async fn wait(
    connection: &impl ConnectionTrait,
    guide: Id,
    (upload, name, by): (Option<i64>, Option<String>, Option<String>),
) -> Result<bool, DbErr> {
    let row = ActiveModel {
        state: Set(GuideFetchState::Waiting.code().to_owned()),
        upload: Set(upload),
        file_name: Set(name),
        requested_by: Set(by),
        ..first_row(guide)
    };
    let is_finished = stored(Column::State).is_not_in(UNFINISHED_STATES.map(Enumeration::code));
    let replaces_url = of("excluded", Column::Upload).is_not_null().and(stored(Column::Upload).is_null());
    let again = OnConflict::column(Column::GuideId)
        .update_columns([Column::State, Column::Upload, Column::FileName, Column::RequestedBy])
        .action_and_where(is_finished.or(replaces_url))
        .to_owned();
    let insert = Entity::insert(row).on_conflict(again);
    Ok(insert.exec_without_returning(connection).await? == 1)
}

/// The columns that the end of a fetch sets, without the newest programme.
pub(super) fn ended(
    claim: &ClaimedFetch,
    end: &GuideFetchEnd,
    known: Validators,
    next: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<ActiveModel, DbErr> {
    let mut row = ActiveModel {
        upload: Set(None),
        state: Set(end.state.code().to_owned()),
        fault: Set(end.fault.map(|fault| fault.code().to_owned())),
        status_code: Set(end.status_code.map(i32::from)),
        finished_date: Set(Some(now)),
        etag: Set(known.etag),
        last_modified: Set(known.last_modified),
        next_fetch_date: Set(next),
        ..ActiveModel::default()
    };
    if claim.upload.is_none() {
        row.url = Set(Some(claim.url.clone()));
    }
    if end.state != GuideFetchState::Failed {
        row.last_good_date = Set(Some(now));
    }
    if let Some((counts, examples)) = &end.found {
        row.counts = Set(text_of(counts)?);
        row.examples = Set(text_of(examples)?);
    }
    Ok(row)
}
