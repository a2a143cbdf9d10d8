//! What is on.

use async_trait::async_trait;
use domain_kernel::{Id, ListQuery, Page};
use domain_live::{
    programme::KeptProgramme,
    schedule::{ScheduleChannel, ScheduleSpan},
};

use crate::StoreError;

/// Reads the schedule.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ScheduleRepository: Send + Sync {
    /// A page of the active channels, by number. Filters: `category`, `without` (no guide), `gaps` (in the span). The search looks
    /// in numbers and titles of channels, and in titles of programmes of the span.
    async fn channels(
        &self,
        span: ScheduleSpan,
        query: &ListQuery,
    ) -> Result<Page<Vec<ScheduleChannel>>, StoreError>;

    /// An active channel.
    async fn channel(&self, id: Id) -> Result<Option<ScheduleChannel>, StoreError>;

    /// Programmes of these channels of guides that are on in a span, by channel and beginning.
    async fn programmes(
        &self,
        guide_channels: &[Id],
        span: ScheduleSpan,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError>;

    /// The programme of a channel of a guide that is on at a time, and those after it; at most so many.
    async fn on_from(&self, guide_channel: Id, now: i64, most: u64)
    -> Result<Vec<KeptProgramme>, StoreError>;
}
