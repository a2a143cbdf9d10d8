//! The schedule of channels.

use std::collections::HashMap;

use async_trait::async_trait;
use domain_kernel::{Id, ListQuery, Page};
use domain_live::{
    health::Slot,
    programme::KeptProgramme,
    schedule::{ScheduleChannel, ScheduleSpan, Showing},
};

use crate::StoreError;

/// Filter of the schedule's channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleFilter {
    /// Span of the programmes.
    pub span: ScheduleSpan,
    /// Span that is examined for problems.
    pub examined: ScheduleSpan,
}

/// Reads the schedule.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ScheduleRepository: Send + Sync {
    /// A page of the active channels, by number. Filters: `ids`, `category`, `guide`, `without` (no guide),
    /// `reason` (of that), and problems within the range `examined`: `gaps`, `overlaps`, `placeholders`,
    /// `uncovered`. The search covers numbers and titles of channels, and titles of programmes within `span`.
    async fn channels(
        &self,
        span: ScheduleSpan,
        examined: ScheduleSpan,
        query: &ListQuery,
    ) -> Result<Page<Vec<ScheduleChannel>>, StoreError>;

    /// A limited number of active channels after an id, by id.
    async fn channels_after(&self, after: Id, count: u32) -> Result<Vec<ScheduleChannel>, StoreError>;

    /// An active channel.
    async fn channel(&self, id: Id) -> Result<Option<ScheduleChannel>, StoreError>;

    /// Programmes of these guide channels on air within a range of time, by channel and start; without
    /// descriptions, pictures, ratings and dates.
    async fn programmes(
        &self,
        guide_channels: &[Id],
        span: ScheduleSpan,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError>;

    /// Number of programmes of each of these guide channels on air within a range of time, which is that of channels
    /// with this offset in seconds; channels without any are left out.
    async fn programme_counts(
        &self,
        guide_channels: &[(Id, i64)],
        span: ScheduleSpan,
    ) -> Result<HashMap<(Id, i64), u64>, StoreError>;

    /// Times and titles of these programmes, by channel and start.
    async fn slots(&self, guide_channels: &[Id], span: ScheduleSpan) -> Result<Vec<(Id, Slot)>, StoreError>;

    /// Showings of a folded title on active channels that begin within a range of time, by start, limited.
    async fn showings(&self, folded: &str, span: ScheduleSpan, most: u64)
    -> Result<Vec<Showing>, StoreError>;

    /// The programme of a guide channel on air at a time, and those after it, limited.
    async fn on_from(&self, guide_channel: Id, now: i64, most: u64)
    -> Result<Vec<KeptProgramme>, StoreError>;
}
