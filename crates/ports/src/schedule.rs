//! What is on.

use async_trait::async_trait;
use domain_kernel::{Id, ListQuery, Page};
use domain_live::{
    health::Slot,
    programme::KeptProgramme,
    schedule::{ScheduleChannel, ScheduleSpan, Showing},
};

use crate::StoreError;

/// Reads the schedule.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ScheduleRepository: Send + Sync {
    /// A page of the active channels, by number. Filters: `ids`, `category`, `guide`, `without` (no guide), `reason` (why), and
    /// what there is in the span `examined`: `gaps`, `overlaps`, `placeholders`, `uncovered`. The search looks in numbers and
    /// titles of channels, and in titles of programmes of `span`.
    async fn channels(
        &self,
        span: ScheduleSpan,
        examined: ScheduleSpan,
        query: &ListQuery,
    ) -> Result<Page<Vec<ScheduleChannel>>, StoreError>;

    /// So many active channels in the order of their ids, those behind one.
    async fn channels_after(&self, after: Id, count: u32) -> Result<Vec<ScheduleChannel>, StoreError>;

    /// An active channel.
    async fn channel(&self, id: Id) -> Result<Option<ScheduleChannel>, StoreError>;

    /// Programmes of these channels of guides that are on in a span, by channel and beginning; without descriptions, pictures,
    /// ratings and dates.
    async fn programmes(
        &self,
        guide_channels: &[Id],
        span: ScheduleSpan,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError>;

    /// Times and titles of the same, by channel and beginning.
    async fn slots(&self, guide_channels: &[Id], span: ScheduleSpan) -> Result<Vec<(Id, Slot)>, StoreError>;

    /// Showings of a folded title that begin in a span, by their beginning, on active channels; at most so many.
    async fn showings(&self, folded: &str, span: ScheduleSpan, most: u64)
    -> Result<Vec<Showing>, StoreError>;

    /// The programme of a channel of a guide that is on at a time, and those after it; at most so many.
    async fn on_from(&self, guide_channel: Id, now: i64, most: u64)
    -> Result<Vec<KeptProgramme>, StoreError>;
}
