//! Bulk links: rows that set guide and ID of channels, run as an operation with progress, results
//! and undo (docs/adr/0033-links-of-channels.md).

use domain_catalogue::{Content, TvChannel};
use domain_kernel::{Action, Actor, Cell, Id};
use domain_live::matching::{EpgMatch, LinkVerdict, MatchLevel, Proposal};
use domain_operations::{BulkOperation, MAX_ITEMS, MAX_NAMED_ITEMS, Resource, SheetImport, exactly_one_of};
use garde::Validate;
use ports::{ExpectedLink, MatchTarget};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{MatchingService, match_permission};
use crate::{
    Error, OperationRefusal,
    body::parse,
    generated_sheets::{GeneratedSheet, SheetWriter, StoredRows, confirmed},
    operations::pairs_of,
    read_list_query,
    sheet_imports::{VERSION_COLUMN, may_import},
    versions::retry_at_most,
};

/// Channels per read.
const AT_ONCE: usize = 500;
/// Attempts to create the rows during concurrent decisions; each creates all of them.
const ATTEMPTS: usize = 5;
/// Name of the operation in lists.
const NAME: &str = "EPG";
const COLUMNS: [(&str, &str); 4] =
    [("id", "id"), ("tvGuideId", "tvGuideId"), ("epgId", "epgId"), (VERSION_COLUMN, VERSION_COLUMN)];

/// Channels to link with their best candidate: by ID or by filter. Decided or linked channels, and
/// those without a candidate, are skipped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AcceptEpgMatches")]
#[garde(context(()))]
pub struct AcceptRequest {
    /// IDs of the channels.
    #[garde(inner(length(min = 1, max = MAX_NAMED_ITEMS)))]
    #[schemars(length(min = 1, max = MAX_NAMED_ITEMS))]
    pub ids: Option<Vec<Id>>,
    /// List parameters that select the channels: `search` and filters.
    #[garde(custom(exactly_one_of(&self.ids)))]
    pub filter: Option<Map<String, Value>>,
    /// Number of channels confirmed by the user; a different number is rejected.
    #[garde(skip)]
    pub expected_count: Option<i64>,
}

/// Result of creating rows.
enum Rows {
    Made(SheetImport),
    /// No pending channel.
    None,
}

impl MatchingService {
    /// Starts an operation that links channels with their best candidates.
    pub async fn accept(&self, actor: &Actor, body: &[u8]) -> Result<BulkOperation, Error> {
        actor.require(match_permission(Action::Update))?;
        let request = self.accept_requests.read(parse(body)?, &())?.into_inner();
        let most = MAX_ITEMS as u64 + 1;
        let ids = match (request.ids, request.filter) {
            (Some(ids), _) => ids,
            (None, filter) => {
                let pairs = pairs_of(&filter.unwrap_or_default())?;
                let query = read_list_query(&Self::list_shape(), &pairs)?;
                self.stores.matches.matching_ids(&query, most).await?
            }
        };
        let ids = confirmed(ids, request.expected_count)?;
        let waits = |found: &EpgMatch, _: &MatchTarget| {
            found.level != MatchLevel::None && found.decision.is_none() && !found.is_linked
        };
        self.link(actor, &ids, LinkVerdict::Accepted, waits)
            .await?
            .ok_or(Error::Operation(OperationRefusal::Nothing))
    }

    /// Starts to link the pending ones of these channels with their best candidates; `None` without
    /// any.
    pub(super) async fn link(
        &self,
        actor: &Actor,
        channels: &[Id],
        verdict: LinkVerdict,
        waits: impl Fn(&EpgMatch, &MatchTarget) -> bool,
    ) -> Result<Option<BulkOperation>, Error> {
        let resource = Resource::Content(TvChannel::KIND);
        may_import(actor, resource)?;
        // A concurrent decision is read in the next attempt.
        let attempt = async || self.rows_of(actor, channels, verdict, &waits).await;
        let made = retry_at_most(ATTEMPTS, attempt).await?;
        match made {
            Rows::Made(import) => self.operations.begin_rows(actor, resource, import).await.map(Some),
            Rows::None => Ok(None),
        }
    }

    /// Stores the rows that link the channels. `None` after a concurrent decision about one of
    /// them, without any stored rows.
    async fn rows_of(
        &self,
        actor: &Actor,
        channels: &[Id],
        verdict: LinkVerdict,
        waits: &impl Fn(&EpgMatch, &MatchTarget) -> bool,
    ) -> Result<Option<Rows>, Error> {
        let resource = Resource::Content(TvChannel::KIND);
        let of = GeneratedSheet { resource, name: NAME, columns: &COLUMNS };
        let mut rows = SheetWriter::new(of, &*self.stores.sheets, actor, &self.calendar);
        let by = (verdict == LinkVerdict::Accepted).then(|| actor.username.to_string());
        let expect = async |slice: Option<StoredRows<(MatchTarget, Proposal)>>| -> Result<bool, Error> {
            let Some(slice) = slice else { return Ok(true) };
            let link =
                |(row, (target, proposal))| ExpectedLink { row, target, verdict, by: by.clone(), proposal };
            let links = slice.rows.into_iter().map(link).collect();
            let now = self.calendar.now();
            let are_expected = self.stores.matches.expect_links(slice.sheet, links, now).await?;
            if !are_expected {
                self.stores.sheets.remove(slice.sheet).await?;
            }
            Ok(are_expected)
        };
        for some in channels.chunks(AT_ONCE) {
            for (found, target) in self.stores.matches.find_all(some).await? {
                if !waits(&found, &target) {
                    continue;
                }
                let Some(best) = found.candidates.into_iter().next() else { continue };
                let cells = vec![
                    Cell::Integer(target.channel),
                    Cell::Text(best.of.guide_id.to_string()),
                    Cell::Text(best.of.xml_id.clone()),
                    Cell::Integer(target.version),
                ];
                if !expect(rows.add(cells, (target, best)).await?).await? {
                    return Ok(None);
                }
            }
        }
        if !expect(rows.rest().await?).await? {
            return Ok(None);
        }
        Ok(Some(rows.finish().await?.map_or(Rows::None, Rows::Made)))
    }
}
