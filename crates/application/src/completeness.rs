//! What the catalogue lacks, kind by kind (docs/spec/completeness.md). Every number is the total of a list, which the list's own
//! filter finds along a partial index.

use domain_catalogue::{Content, Kind};
use domain_kernel::{Action, Actor, Filter, FilterKind, FilterValue, ListQuery};

use crate::{ContentService, ContentServices, Error};

/// The filter of lists by what items lack.
const MISSING: &str = "missing";

/// What items of one kind lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCompleteness {
    /// The kind.
    pub kind: Kind,
    /// How many items there are.
    pub total: u64,
    /// How many lack what: the values of the filter `missing` of its list, and their totals.
    pub missing: Vec<(&'static str, u64)>,
}

/// The use cases of completeness.
pub struct CompletenessService {
    contents: ContentServices,
}

impl<C: Content> ContentService<C> {
    /// What items of this kind lack; `None` where nothing is expected of them, or the actor may not change them.
    async fn completeness(&self, actor: &Actor) -> Result<Option<KindCompleteness>, Error> {
        let expected = C::FILTERS.iter().find_map(|(field, kind)| match kind {
            FilterKind::Code(parts) if *field == MISSING => Some(*parts),
            _ => None,
        });
        let Some(parts) = expected.filter(|_| actor.may(C::KIND.permission(Action::Update))) else {
            return Ok(None);
        };
        let total = async |filters: Vec<Filter>| -> Result<u64, Error> {
            let query = ListQuery { size: 1, filters, ..ListQuery::default() };
            Ok(self.repository.list(&query).await?.total_elements)
        };
        let mut missing = Vec::with_capacity(parts.len());
        for part in parts {
            let lacking = Filter { field: MISSING.to_owned(), value: FilterValue::Code(part) };
            missing.push((*part, total(vec![lacking]).await?));
        }
        Ok(Some(KindCompleteness { kind: C::KIND, total: total(Vec::new()).await?, missing }))
    }
}

impl CompletenessService {
    /// The use cases over the content.
    pub fn new(contents: ContentServices) -> Self {
        Self { contents }
    }

    /// What each kind lacks that the actor may change and that something is expected of.
    pub async fn list(&self, actor: &Actor) -> Result<Vec<KindCompleteness>, Error> {
        let mut all = Vec::new();
        macro_rules! each {
            ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
                $(all.extend(Box::pin(self.contents.$field.completeness(actor)).await?);)+
            };
        }
        domain_catalogue::for_each_kind!(each);
        if all.is_empty() { Err(Error::Forbidden) } else { Ok(all) }
    }
}
