//! Removes expired rows, and rows of deleted guides, in limited numbers.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Enumeration, Id};
use domain_live::{guide_fetch::GuideFetchState, programme::LONGEST};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query},
};

use super::SeaOrmGuides;
use crate::{
    db::{
        sql::{key_of, remove_selected},
        transaction::Transaction,
    },
    entities::{
        guide_channels::{Column, Entity},
        guide_fetches, guide_files, programmes,
    },
};

/// Channels whose programmes of one day a transaction removes.
const CHANNELS_AT_ONCE: u64 = 25;
/// Programmes of deleted guides, and channels without programmes, removed per transaction.
const ROWS_AT_ONCE: u64 = 1_000;
/// Parts of an upload removed per statement.
const PARTS_AT_ONCE: u64 = 20;
/// Retention of parts of a file that no fetch reads.
const UNREAD_PARTS: TimeDelta = TimeDelta::hours(1);

/// The table of guides, and its key. By name: the catalogue depends on this module.
const GUIDE_ID: (&str, &str) = ("tv_guides", "id");

/// The condition that the guide of a channel is deleted.
fn is_gone() -> Expr {
    let guide = Query::select()
        .column(GUIDE_ID)
        .from(GUIDE_ID.0)
        .and_where(Expr::col(GUIDE_ID).equals((Entity, Column::GuideId)))
        .take();
    Expr::exists(guide).not()
}

/// The condition that a fetch, whose guide is deleted, has recorded data.
fn is_known_of_gone() -> Condition {
    use guide_fetches::Column as Fetch;
    let guide = Query::select()
        .column(GUIDE_ID)
        .from(GUIDE_ID.0)
        .and_where(Expr::col(GUIDE_ID).equals((guide_fetches::Entity, Fetch::GuideId)))
        .take();
    let unfinished = [GuideFetchState::Waiting, GuideFetchState::Running].map(Enumeration::code);
    let is_known = Condition::any()
        .add(Fetch::Etag.is_not_null())
        .add(Fetch::LastModified.is_not_null())
        .add(Fetch::NextFetchDate.is_not_null())
        .add(Fetch::Upload.is_not_null())
        .add(Fetch::FinishedDate.is_not_null())
        .add(Fetch::State.is_in(unfinished));
    Condition::all().add(is_known).add(Expr::exists(guide).not())
}

/// Resets fetches of deleted guides, so that a restored guide counts as never read.
async fn forget(connection: &impl ConnectionTrait) -> Result<u64, DbErr> {
    let never = guide_fetches::ActiveModel {
        etag: Set(None),
        last_modified: Set(None),
        next_fetch_date: Set(None),
        upload: Set(None),
        file_name: Set(None),
        requested_by: Set(None),
        state: Set(GuideFetchState::Never.code().to_owned()),
        fault: Set(None),
        status_code: Set(None),
        finished_date: Set(None),
        last_good_date: Set(None),
        newest_at: Set(None),
        counts: Set("{}".to_owned()),
        examples: Set("[]".to_owned()),
        ..guide_fetches::ActiveModel::default()
    };
    let update = guide_fetches::Entity::update_many().set(never).filter(is_known_of_gone());
    Ok(update.exec(connection).await?.rows_affected)
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

    async fn sweep_over(&self, before: i64) -> Result<bool, DbErr> {
        use programmes::Column as Programme;
        let channel = (programmes::Entity, Programme::ChannelId);
        let over = Query::select()
            .column(channel)
            .from(programmes::Entity)
            .and_where(Expr::col(channel).equals((Entity, Column::Id)))
            .and_where(Programme::StartAt.lt(before))
            .and_where(Programme::StopAt.lte(before))
            .take();
        let channels: Vec<Id> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Expr::exists(over))
            .limit(CHANNELS_AT_ONCE)
            .into_tuple()
            .all(&self.0.scanner)
            .await?;
        if channels.is_empty() {
            return Ok(false);
        }
        // One day more than the maximum duration of a programme: nothing older is left.
        let is_over = Programme::StartAt.lt(before - LONGEST).or(Programme::StopAt.lte(before));
        let delete = programmes::Entity::delete_many()
            .filter(Programme::ChannelId.is_in(channels))
            .filter(Programme::StartAt.lt(before))
            .filter(is_over);
        delete.exec(&self.0.writer).await?;
        Ok(true)
    }

    /// Ends the fetches of deleted guides, with or without channels: waiting files are not read any
    /// more.
    async fn forget_fetches(&self) -> Result<bool, DbErr> {
        let find = guide_fetches::Entity::find().select_only().column(guide_fetches::Column::GuideId);
        let any = find.filter(is_known_of_gone()).into_tuple::<Id>().one(&self.0.scanner).await?;
        Ok(any.is_some() && forget(&self.0.writer).await? > 0)
    }

    async fn sweep_gone(&self) -> Result<bool, DbErr> {
        let find = Entity::find().select_only().column(Column::Id).filter(is_gone()).limit(CHANNELS_AT_ONCE);
        let channels: Vec<Id> = find.into_tuple().all(&self.0.scanner).await?;
        if channels.is_empty() {
            return Ok(false);
        }
        let transaction = self.0.begin().await?;
        forget(&transaction).await?;
        if remove_programmes_of_gone(&transaction, &channels).await? == 0 {
            let delete = Entity::delete_many().filter(Column::Id.is_in(channels)).filter(is_gone());
            delete.exec(&transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Parts that were read, and those of an upload that was never completed.
    async fn sweep_files(&self, now: DateTime<Utc>) -> Result<bool, DbErr> {
        use guide_files::Column as Part;
        let of_part = (guide_files::Entity, Part::Upload);
        let fetch = Query::select()
            .column(guide_fetches::Column::GuideId)
            .from(guide_fetches::Entity)
            .and_where(Expr::col((guide_fetches::Entity, guide_fetches::Column::Upload)).equals(of_part))
            .take();
        let is_recent = Query::select()
            .column(("o", Part::Number))
            .from_as(guide_files::Entity, "o")
            .and_where(Expr::col(("o", Part::Upload)).equals(of_part))
            .and_where(Expr::col(("o", Part::CreatedDate)).gt(now - UNREAD_PARTS))
            .take();
        let unread = guide_files::Entity::find()
            .select_only()
            .column(Part::Upload)
            .filter(Expr::exists(fetch).not())
            .filter(Expr::exists(is_recent).not());
        let Some(upload) = unread.into_tuple::<i64>().one(&self.0.scanner).await? else { return Ok(false) };
        let parts = guide_files::Entity::find()
            .select_only()
            .exprs(key_of::<guide_files::Entity>())
            .filter(Part::Upload.eq(upload))
            .limit(PARTS_AT_ONCE);
        remove_selected::<guide_files::Entity>(&self.0.writer, parts.into_query()).await?;
        Ok(true)
    }
}

/// Removes programmes of these channels. A guide may have been restored since its channels were
/// read.
async fn remove_programmes_of_gone(transaction: &Transaction, channels: &[Id]) -> Result<u64, DbErr> {
    let channel = (programmes::Entity, programmes::Column::ChannelId);
    let of_gone = Query::select()
        .column((Entity, Column::Id))
        .from(Entity)
        .and_where(Expr::col((Entity, Column::Id)).equals(channel))
        .and_where(is_gone())
        .take();
    let programmes = programmes::Entity::find()
        .select_only()
        .exprs(key_of::<programmes::Entity>())
        .filter(programmes::Column::ChannelId.is_in(channels.iter().copied()))
        .filter(Expr::exists(of_gone))
        .limit(ROWS_AT_ONCE);
    remove_selected::<programmes::Entity>(transaction, programmes.into_query()).await
}
