//! TV guides: fetches, channels and programmes (docs/adr/0032-programme-store.md).
//!
//! Written by one job. The content of a file waits in `guide_staged` until the file is read
//! completely; then the programmes of each channel are replaced in one transaction.

mod channels;
mod fetch_rows;
mod fetches;
mod links;
mod programmes;
mod schedule;
mod staging;
mod sweeping;

pub(crate) use self::{
    links::{decided_shift, decision_of_link, linked, record_links, still_counts, withdraw_links},
    programmes::programme_of,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, ListQuery, Page, Version};
use domain_live::{
    distance::Shown,
    guide::Channel,
    guide_fetch::{GuideFetch, GuideFetchState, GuideSettings},
    programme::{KeptProgramme, SpanChange},
};
use garde::Valid;
use ports::{
    ClaimedFetch, Edit, GuideFetchBegun, GuideFetchEnd, GuideStore, ListedGuideChannel, NewGuideFetch,
    StagedPart, StoreError, UnfinishedFetch, Written,
};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, sea_query::Expr};

use crate::{
    Database,
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::changed_rows,
        transaction::Transaction,
        values::{broken, text_of},
    },
    entities::guide_fetches::{Column, Entity},
};

/// Repository of guides.
#[derive(Debug, Clone)]
pub struct SeaOrmGuides(pub Database);

/// Rows per statement: limits the wait of other requests for the thread.
const ROWS_AT_ONCE: usize = 100;

/// Whether the fetch is unfinished and still has this claim. Locks it until the transaction ends.
async fn is_ours(transaction: &Transaction, claim: &ClaimedFetch) -> Result<bool, DbErr> {
    let hold = Entity::update_many()
        .col_expr(Column::Attempt, Expr::col(Column::Attempt))
        .filter(Column::GuideId.eq(claim.guide.guide))
        .filter(Column::Attempt.eq(claim.attempt))
        .filter(Column::State.eq(GuideFetchState::Running.code()));
    Ok(hold.exec(transaction).await?.rows_affected == 1)
}

#[async_trait]
impl GuideStore for SeaOrmGuides {
    async fn fetches(&self) -> Result<Vec<GuideFetch>, StoreError> {
        fetches::all(&self.0.reader, None).await
    }

    async fn fetch(&self, guide: Id) -> Result<Option<GuideFetch>, StoreError> {
        fetches::find_in(&self.0.reader, guide).await
    }

    async fn configure(
        &self,
        guide: Id,
        settings: Valid<GuideSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<GuideFetch>, StoreError> {
        self.replace_settings(guide, &settings.into_inner(), expected, edit).await
    }

    async fn begin_upload(&self, guide: Id, now: DateTime<Utc>) -> Result<i64, StoreError> {
        tried(is_overtaken, || self.try_begin_upload(guide, now)).await.map_err(store_error)
    }

    async fn keep_part(
        &self,
        guide: Id,
        upload: i64,
        number: i64,
        content: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.add_part(guide, upload, number, content, now).await.map_err(store_error)
    }

    async fn part(&self, upload: i64, number: i64) -> Result<Option<Vec<u8>>, StoreError> {
        self.find_part(upload, number).await.map_err(store_error)
    }

    async fn begin(&self, fetch: NewGuideFetch) -> Result<GuideFetchBegun, StoreError> {
        let begun = tried(is_overtaken, || self.try_begin(&fetch)).await.map_err(store_error)?;
        let Some(found) = fetches::find_in(&self.0.writer, fetch.guide).await? else {
            return Ok(GuideFetchBegun::Missing);
        };
        Ok(if begun { GuideFetchBegun::Begun(Box::new(found)) } else { GuideFetchBegun::Unfinished })
    }

    async fn schedule(&self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        self.begin_due(now).await
    }

    async fn note_stale(&self, guides: &[Id], now: DateTime<Utc>) -> Result<(), StoreError> {
        self.try_note_stale(guides, now).await.map_err(store_error)
    }

    async fn unfinished(&self) -> Result<Vec<UnfinishedFetch>, StoreError> {
        self.in_order().await
    }

    async fn claim(&self, guide: Id) -> Result<Option<ClaimedFetch>, StoreError> {
        self.take_unfinished(guide).await
    }

    async fn stage(&self, claim: &ClaimedFetch, parts: Vec<StagedPart>) -> Result<bool, StoreError> {
        self.try_stage(claim, parts).await.map_err(store_error)
    }

    async fn staged(&self, claim: &ClaimedFetch, xml_ids: &[String]) -> Result<Vec<StagedPart>, StoreError> {
        self.staged_of(claim, xml_ids).await.map_err(store_error)
    }

    async fn unstage(&self, claim: &ClaimedFetch) -> Result<bool, StoreError> {
        self.try_unstage(claim).await.map_err(store_error)
    }

    async fn write_channels(
        &self,
        claim: &ClaimedFetch,
        channels: &[Channel],
    ) -> Result<Option<Vec<Id>>, StoreError> {
        tried(is_overtaken, || self.try_write_channels(claim, channels)).await.map_err(store_error)
    }

    async fn programmes(
        &self,
        channels: &[Id],
        from: i64,
        to: i64,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError> {
        programmes::of_channels(&self.0.reader, channels, from, to).await
    }

    async fn write_spans(
        &self,
        claim: &ClaimedFetch,
        changes: Vec<(Id, SpanChange)>,
    ) -> Result<bool, StoreError> {
        tried(is_overtaken, || self.try_write_spans(claim, &changes)).await.map_err(store_error)
    }

    async fn listed_channels(
        &self,
        guide: Id,
        query: &ListQuery,
    ) -> Result<Page<Vec<ListedGuideChannel>>, StoreError> {
        channels::listed(&self.0, guide, query).await
    }

    async fn shown_elsewhere(
        &self,
        guide: Id,
        folded: &[String],
        from: i64,
        to: i64,
    ) -> Result<Vec<(Id, Shown)>, StoreError> {
        channels::shown_elsewhere(&self.0, guide, folded, (from, to)).await
    }

    async fn unused(&self) -> Result<Vec<(Id, u64)>, StoreError> {
        self.unused_channels().await.map_err(store_error)
    }

    async fn forget_channels(
        &self,
        claim: &ClaimedFetch,
        kept: &[Id],
        with_programmes: bool,
    ) -> Result<(), StoreError> {
        let forget = || self.try_forget_channels(claim, kept, with_programmes);
        tried(is_overtaken, forget).await.map_err(store_error)
    }

    async fn wait_again(&self, claim: &ClaimedFetch, unpacked_bytes: u64) -> Result<(), StoreError> {
        self.try_wait_again(claim, unpacked_bytes).await
    }

    async fn end(
        &self,
        claim: &ClaimedFetch,
        end: GuideFetchEnd,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        self.try_end(claim, &end, now).await.map_err(store_error)
    }

    async fn sweep(&self, ended_before: DateTime<Utc>, now: DateTime<Utc>) -> Result<bool, StoreError> {
        self.sweep_some(ended_before, now).await.map_err(store_error)
    }
}
