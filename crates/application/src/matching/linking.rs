//! Many links at once: rows that set guide and id of channels, carried out as an operation with progress, a result for each and an
//! undo (docs/adr/0033-links-of-channels.md).

use domain_catalogue::{Content, TvChannel};
use domain_kernel::{Action, Actor, Cell, Code, Id, Locale, SheetRow, Violation, Violations, fault};
use domain_live::matching::{LinkVerdict, MatchLevel, Proposal};
use domain_operations::{BulkOperation, MAX_ITEMS, Resource, SLICE, SheetImport};
use garde::Validate;
use ports::{ExpectedLink, MatchTarget, NewSheet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{MatchingService, match_permission};
use crate::{
    Error, OperationRefusal,
    contents::parse,
    operations::pairs_of,
    read_list_query,
    sheet_imports::{VERSION_COLUMN, may_import},
};

/// Channels that a request names by their ids at most.
const MOST_NAMED: usize = 10_000;
/// Channels that are read at once.
const AT_ONCE: usize = 500;
/// What the operation is called in lists.
const NAME: &str = "EPG";
const COLUMNS: [&str; 4] = ["id", "tvGuideId", "epgId", VERSION_COLUMN];

/// Which channels get their best candidate: those that are named, or those that a filter shows. Channels that are decided, and
/// those without a candidate, are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AcceptEpgMatches")]
#[garde(context(()))]
pub struct AcceptRequest {
    /// The channels.
    #[garde(inner(length(min = 1, max = MOST_NAMED)))]
    #[schemars(length(min = 1, max = MOST_NAMED))]
    pub ids: Option<Vec<Id>>,
    /// The channels that the list shows with these parameters: `search` and the list's filters.
    #[garde(custom(exactly_one_of(&self.ids)))]
    pub filter: Option<Map<String, Value>>,
    /// How many channels the user has confirmed: with another number nothing is begun.
    #[garde(skip)]
    pub expected_count: Option<i64>,
}

type Filter = Option<Map<String, Value>>;

fn exactly_one_of<T>(ids: &Option<Vec<Id>>) -> impl FnOnce(&Filter, &T) -> garde::Result {
    let named = ids.is_some();
    move |filter, _| match (named, filter.is_some()) {
        (true, true) => Err(fault(Code::UnknownField, &[])),
        (false, false) => Err(fault(Code::Required, &[])),
        _ => Ok(()),
    }
}

impl MatchingService {
    /// Links channels with their best candidates: begins an operation.
    pub async fn accept(&self, actor: &Actor, body: &[u8]) -> Result<BulkOperation, Error> {
        actor.require(match_permission(Action::Update))?;
        let request = self.accept_requests.read(parse(body)?, &())?.into_inner();
        let most = MAX_ITEMS as u64 + 1;
        let mut ids = match (request.ids, request.filter) {
            (Some(ids), _) => ids,
            (None, filter) => {
                let pairs = pairs_of(&filter.unwrap_or_default())?;
                let query = read_list_query(&Self::list_shape(), &pairs)?;
                self.stores.matches.matching_ids(&query, most).await?
            }
        };
        ids.sort_unstable();
        ids.dedup();
        let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
        if request.expected_count.is_some_and(|expected| expected != count) {
            return Err(Error::Operation(OperationRefusal::CountChanged(count)));
        }
        if ids.len() > MAX_ITEMS {
            let fault = Violation::new("filter", Code::TooMany).with("max", MAX_ITEMS);
            return Err(Violations(vec![fault]).into());
        }
        let mut links = Vec::new();
        for some in ids.chunks(AT_ONCE) {
            for (found, target) in self.stores.matches.find_all(some).await? {
                let waits = found.level == MatchLevel::Review
                    || (found.level == MatchLevel::Auto && found.decision.is_none());
                if let (true, Some(best)) = (waits, found.candidates.into_iter().next()) {
                    links.push((target, best));
                }
            }
        }
        self.link(actor, links, LinkVerdict::Accepted)
            .await?
            .ok_or(Error::Operation(OperationRefusal::Nothing))
    }

    /// Begins to link channels; `None` where there are none.
    pub(super) async fn link(
        &self,
        actor: &Actor,
        links: Vec<(MatchTarget, Proposal)>,
        verdict: LinkVerdict,
    ) -> Result<Option<BulkOperation>, Error> {
        if links.is_empty() {
            return Ok(None);
        }
        let resource = Resource::Content(TvChannel::KIND);
        may_import(actor, resource)?;
        let sheet = NewSheet {
            resource,
            file_name: NAME.to_owned(),
            locale: Locale::English,
            headings: COLUMNS.iter().map(|heading| (*heading).to_owned()).collect(),
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
        };
        let sheet = self.stores.sheets.begin(sheet).await?;
        let by = (verdict == LinkVerdict::Accepted).then(|| actor.username.to_string());
        let total = i64::try_from(links.len()).unwrap_or(i64::MAX);
        let mut links = (1_i64..).zip(links);
        for slice in 0_i64.. {
            let some: Vec<_> = links.by_ref().take(SLICE).collect();
            if some.is_empty() {
                break;
            }
            let row = |(number, (target, best)): &(i64, (MatchTarget, Proposal))| SheetRow {
                number: *number,
                cells: vec![
                    Cell::Integer(target.channel),
                    Cell::Text(best.of.guide_id.to_string()),
                    Cell::Text(best.of.xml_id.clone()),
                    Cell::Integer(target.version),
                ],
            };
            self.stores.sheets.add_rows(sheet, slice, some.iter().map(row).collect()).await?;
            let expected = some.into_iter().map(|(row, (target, proposal))| ExpectedLink {
                row,
                target,
                verdict,
                by: by.clone(),
                proposal,
            });
            self.stores.matches.expect_links(sheet, expected.collect(), self.calendar.now()).await?;
        }
        self.stores.sheets.finish(sheet, total).await?;
        let import = SheetImport {
            sheet,
            file_name: NAME.to_owned(),
            columns: COLUMNS.iter().map(|key| Some((*key).to_owned())).collect(),
            defaults: Vec::new(),
            rows: total,
        };
        self.operations.begin_rows(actor, resource, import).await.map(Some)
    }
}
