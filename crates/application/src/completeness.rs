//! Missing parts of items of each kind (docs/spec/completeness.md). Every number is the total of a list
//! whose own filter uses a partial index.

use domain_catalogue::{Content, Kind};
use domain_kernel::{Action, Actor, Filter, FilterKind, FilterValue, ListQuery};

use crate::{ContentService, ContentServices, Error};

/// List filter by missing parts.
const MISSING: &str = "missing";

/// Missing parts of the items of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCompleteness {
    /// The kind.
    pub kind: Kind,
    /// Number of items.
    pub total: u64,
    /// Values of the list filter `missing` with their totals.
    pub missing: Vec<(&'static str, u64)>,
}

/// Use cases of completeness.
pub struct CompletenessService {
    contents: ContentServices,
}

impl<C: Content> ContentService<C> {
    /// Missing parts of this kind's items; `None` for kinds without required parts, or without
    /// permission to change them.
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
    pub fn new(contents: ContentServices) -> Self {
        Self { contents }
    }

    /// Missing parts by kind, for the kinds that the actor may change.
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
