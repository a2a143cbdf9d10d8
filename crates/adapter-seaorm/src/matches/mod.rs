//! Matches of channels with channels of guides: results of a job, decisions, settings
//! (docs/adr/0033-links-of-channels.md).
//!
//! The link is the channel's own `tvGuideId` and `epgId`; a decision changes them in the
//! transaction that records it.

mod deciding;
mod found;
mod list;
mod reading;
mod running;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, ListQuery, Page, Version};
use domain_live::matching::{
    Decision, EpgMatch, GuideChannel, GuideChannelRef, LinkVerdict, MatchLevel, Matching, MatchingCounts,
    MatchingSettings,
};
use garde::Valid;
use ports::{
    ChangedChannel, ChannelAlias, ClaimedMatching, Edit, ExpectedLink, FoundMatch, LastDecision, MatchGroup,
    MatchGuide, MatchRepository, MatchTarget, NewDecision, RenamedLink, StoreError, Written,
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, sea_query::Expr};

pub(crate) use self::list::{CHANNELS_OF_MATCHES, SHOWN};
use crate::{
    Database,
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::{Sql, changed_rows},
        transaction::Transaction,
        values::{broken, get, json, member, text_of},
    },
    entities::epg_matching,
};

/// Repository of matches.
#[derive(Debug, Clone)]
pub struct SeaOrmMatches(pub Database);

/// Rows per statement.
const ROWS_AT_ONCE: usize = 500;

/// Level of a channel with this decision.
fn level_of(verdict: &str) -> MatchLevel {
    let is_linked = [LinkVerdict::Linked, LinkVerdict::Accepted].iter().any(|one| one.code() == verdict);
    if is_linked { MatchLevel::Auto } else { MatchLevel::None }
}

async fn rows(connection: &impl ConnectionTrait, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
    let statement = sql.statement(connection.get_database_backend());
    connection.query_all_raw(statement).await.map_err(store_error)
}

/// Whether the run is unfinished and still has this claim. Locks it until the transaction ends.
async fn is_ours(transaction: &Transaction, claim: &ClaimedMatching) -> Result<bool, DbErr> {
    let hold = epg_matching::Entity::update_many()
        .col_expr(epg_matching::Column::Attempt, Expr::col(epg_matching::Column::Attempt))
        .filter(epg_matching::Column::Attempt.eq(claim.attempt));
    Ok(hold.exec(transaction).await?.rows_affected == 1)
}

#[async_trait]
impl MatchRepository for SeaOrmMatches {
    async fn matching(&self) -> Result<Matching, StoreError> {
        running::matching(&self.0.reader).await
    }

    async fn configure(
        &self,
        settings: Valid<MatchingSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Matching>, StoreError> {
        self.replace_settings(settings.into_inner(), expected, edit).await
    }

    async fn request(&self, edit: &Edit) -> Result<(), StoreError> {
        tried(is_overtaken, || self.try_request(edit)).await.map_err(store_error)
    }

    async fn schedule(&self) -> Result<bool, StoreError> {
        self.begin_due().await
    }

    async fn claim(&self) -> Result<Option<ClaimedMatching>, StoreError> {
        self.take_unfinished().await
    }

    async fn guides(&self) -> Result<Vec<MatchGuide>, StoreError> {
        reading::guides(&self.0.reader).await
    }

    async fn guide_channels(
        &self,
        guide: Id,
        after: Id,
        count: u32,
    ) -> Result<Vec<(Id, GuideChannel)>, StoreError> {
        reading::guide_channels(&self.0.scanner, guide, after, count).await
    }

    async fn aliases(&self) -> Result<Vec<ChannelAlias>, StoreError> {
        reading::aliases(&self.0.scanner).await
    }

    async fn targets(&self, whole: bool, after: Id, count: u32) -> Result<Vec<MatchTarget>, StoreError> {
        reading::targets(&self.0.scanner, whole, after, count).await
    }

    async fn renamed(&self, after: Id, count: u32) -> Result<Vec<RenamedLink>, StoreError> {
        reading::renamed(&self.0.scanner, after, count).await
    }

    async fn decisions(&self, channels: &[Id]) -> Result<Vec<(Id, Decision)>, StoreError> {
        reading::decisions(&self.0.reader, channels).await
    }

    async fn write(
        &self,
        claim: &ClaimedMatching,
        found: Vec<(MatchTarget, FoundMatch)>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        tried(is_overtaken, || self.try_write(claim, &found, now)).await.map_err(store_error)
    }

    async fn end_comparison(
        &self,
        claim: &ClaimedMatching,
        counts: MatchingCounts,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        tried(is_overtaken, || self.try_end_comparison(claim, counts, now)).await.map_err(store_error)
    }

    async fn sure(&self) -> Result<Vec<(Id, Version)>, StoreError> {
        reading::sure(&self.0.scanner).await
    }

    async fn end(&self, claim: &ClaimedMatching) -> Result<(), StoreError> {
        self.try_end(claim).await.map_err(store_error)
    }

    async fn fail(&self, claim: &ClaimedMatching, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.try_fail(claim, now).await.map_err(store_error)
    }

    async fn expect_links(
        &self,
        sheet: Id,
        links: Vec<ExpectedLink>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        tried(is_overtaken, || self.add_expected(sheet, &links, now)).await.map_err(store_error)
    }

    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<EpgMatch>>, StoreError> {
        list::page_of(&self.0, query).await
    }

    async fn groups(&self, query: &ListQuery) -> Result<Vec<MatchGroup>, StoreError> {
        list::groups_of(&self.0, query).await
    }

    async fn matching_ids(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError> {
        list::ids_of(&self.0, query, limit).await
    }

    async fn find_all(&self, channels: &[Id]) -> Result<Vec<(EpgMatch, MatchTarget)>, StoreError> {
        list::find_all(&self.0.reader, channels).await
    }

    async fn find_current(&self, channel: Id) -> Result<Option<(EpgMatch, MatchTarget)>, StoreError> {
        deciding::current(&self.0.reader, channel).await
    }

    async fn guide_channel_ids(
        &self,
        of: &[GuideChannelRef],
    ) -> Result<Vec<(GuideChannelRef, Id)>, StoreError> {
        reading::guide_channel_ids(&self.0.reader, of).await
    }

    async fn named_guide_channels(
        &self,
        of: &[GuideChannelRef],
    ) -> Result<Vec<(Id, GuideChannel)>, StoreError> {
        reading::named_guide_channels(&self.0.reader, of).await
    }

    async fn guide_channel(&self, of: &GuideChannelRef) -> Result<Option<GuideChannel>, StoreError> {
        reading::guide_channel(&self.0.reader, of).await
    }

    async fn guide_titles(&self) -> Result<Vec<(Id, String)>, StoreError> {
        reading::guide_titles(&self.0.reader).await
    }

    async fn decide(
        &self,
        decision: NewDecision,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError> {
        self.record_decision(&decision, edit).await
    }

    async fn last_decision(&self, channel: Id) -> Result<Option<LastDecision>, StoreError> {
        deciding::last(&self.0.writer, channel).await
    }

    async fn undo_last_decision(
        &self,
        target: &MatchTarget,
        last: &LastDecision,
        expected: Option<Version>,
        change: Option<ChangedChannel>,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError> {
        self.undo_decision(target, last, expected, change.as_ref(), edit).await
    }
}
