//! Ends of runs, with the lines that they left out.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Enumeration, Id};
use domain_live::run::RunState;
use ports::{ClaimedRun, LeftOut, RunEnd};
use sea_orm::{ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::claiming::is_ours;
use crate::{
    db::transaction::Transaction,
    entities::{
        playlist_run_files as files, playlist_run_lines as lines,
        playlist_runs::{ActiveModel, Column, Entity},
        playlist_sources,
    },
    playlists::{ROWS_AT_ONCE, SeaOrmPlaylists, text_of},
};

/// Maximum stored runs of a source.
const KEPT_RUNS: u64 = 50;
/// Delay of the next scheduled run after a failed one, if the interval of the source is longer.
const RETRY_DELAY: TimeDelta = TimeDelta::hours(1);

impl SeaOrmPlaylists {
    pub(super) async fn try_end(
        &self,
        claim: &ClaimedRun,
        end: &RunEnd,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if !is_ours(&transaction, claim).await? {
            return Ok(false);
        }
        let row = ActiveModel {
            state: Set(end.state.code().to_owned()),
            finished_date: Set(Some(now)),
            fault: Set(end.fault.map(|fault| fault.code().to_owned())),
            status_code: Set(end.status_code.map(i32::from)),
            limit_value: Set(end.limit),
            counts: Set(text_of(&end.counts)?),
            guides: Set(text_of(&end.guides)?),
            waits_for_apply: Set(claim.run.scheduled && end.state == RunState::Finished),
            ..<ActiveModel as Default>::default()
        };
        Entity::update_many().set(row).filter(Column::Id.eq(claim.run.id)).exec(&transaction).await?;
        files::Entity::delete_by_id(claim.run.id).exec(&transaction).await?;
        let line = |left: &LeftOut| lines::ActiveModel {
            run_id: Set(claim.run.id),
            line: Set(left.line.into()),
            change: Set(left.change.code().to_owned()),
            reason: Set(left.reason.clone()),
            name: Set(left.name.clone()),
            of_line: Set(left.of_line.map(i64::from)),
            ..<lines::ActiveModel as Default>::default()
        };
        let all: Vec<_> = end.left_out.iter().map(line).collect();
        for some in all.chunks(ROWS_AT_ONCE) {
            lines::Entity::insert_many(some.iter().cloned()).exec_without_returning(&transaction).await?;
        }
        if end.state == RunState::Finished {
            let etag = playlist_sources::ActiveModel {
                etag: Set(end.etag.clone()),
                ..<playlist_sources::ActiveModel as Default>::default()
            };
            // Validators of another URL would be wrong.
            let address = claim.source.draft.url.as_ref().map(|url| url.0.clone());
            let update = playlist_sources::Entity::update_many().set(etag);
            let update = update.filter(playlist_sources::Column::Id.eq(claim.source.id));
            update.filter(playlist_sources::Column::Url.eq(address)).exec(&transaction).await?;
        }
        if claim.run.scheduled && end.state == RunState::Failed {
            // Only earlier: the interval may be shorter, and a source that is off has no next refresh.
            let again = playlist_sources::ActiveModel {
                next_refresh_date: Set(Some(now + RETRY_DELAY)),
                ..<playlist_sources::ActiveModel as Default>::default()
            };
            let update = playlist_sources::Entity::update_many().set(again);
            let update = update.filter(playlist_sources::Column::Id.eq(claim.source.id));
            update
                .filter(playlist_sources::Column::NextRefreshDate.gt(now + RETRY_DELAY))
                .exec(&transaction)
                .await?;
        }
        remove_old_runs(&transaction, claim.source.id).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Removes all runs of a source except for the last ones.
async fn remove_old_runs(transaction: &Transaction, source: Id) -> Result<(), DbErr> {
    let oldest = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::SourceId.eq(source))
        .order_by_desc(Column::Id)
        .offset(KEPT_RUNS)
        .into_tuple::<Id>()
        .one(transaction)
        .await?;
    if let Some(oldest) = oldest {
        // The changes of the newest successful run can be applied, regardless of later failed ones.
        let good = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::SourceId.eq(source))
            .filter(Column::State.eq(RunState::Finished.code()))
            .order_by_desc(Column::Id)
            .into_tuple::<Id>()
            .one(transaction)
            .await?;
        let delete = Entity::delete_many().filter(Column::SourceId.eq(source));
        let delete = delete.filter(Column::Id.lte(oldest)).filter(Column::Id.ne(good.unwrap_or_default()));
        delete.exec(transaction).await?;
    }
    Ok(())
}
