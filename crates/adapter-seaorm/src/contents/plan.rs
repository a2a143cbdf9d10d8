//! How the page of a list is found: along which index, from which end, and what must be known to decide. Decisions
//! only, no SQL (ADR 0006).

use domain_kernel::{Filter, ListQuery, fold};

use super::{
    filters::Condition,
    table::{ContentTable, order_column},
};

/// What looking a row up costs, in entries of an index walked over.
const LOOK_UP: u64 = 20;

/// Beyond this many rows, a page is far, and the total decides from which end to walk.
const FAR: u64 = 500;

/// What is looked for.
#[derive(Debug)]
pub(super) enum Search {
    Nothing,
    /// Three letters and more: the trigram index.
    Indexed(String),
    /// One or two letters: along the narrow index.
    Short(String),
}

/// How the rows of a page are found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessPath {
    /// Along the index of the order, testing as it goes: good when most rows fit.
    Walk,
    /// From the rows that fit, sorted afterwards: good when few do.
    Gather,
}

/// How many rows match, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) matching: u64,
    pub(super) all: u64,
}

/// Where a page is read.
#[derive(Clone, Copy)]
pub(super) struct IndexScan {
    pub(super) plan: AccessPath,
    pub(super) from_end: bool,
    pub(super) skipped: u64,
    pub(super) size: u64,
}

/// A list as somebody asks for it.
pub(super) struct ListRequest<'a> {
    pub(super) query: &'a ListQuery,
    pub(super) search: Search,
    /// Columns and whether they descend, the id last, in the direction of the last field so that an index serves both
    /// ways.
    pub(super) order: Vec<(String, bool)>,
    conditions: &'static [(&'static str, Condition)],
    counted: &'static [&'static str],
}

impl<'a> ListRequest<'a> {
    pub(super) fn of<T: ContentTable>(query: &'a ListQuery) -> Self {
        let search = match query.search.as_deref().map(fold).filter(|text| !text.is_empty()) {
            None => Search::Nothing,
            Some(text) if text.chars().count() < 3 => Search::Short(text),
            Some(text) => Search::Indexed(text),
        };
        let mut order: Vec<(String, bool)> =
            query.sort.iter().map(|sort| (order_column::<T>(&sort.field), sort.descending)).collect();
        if !order.iter().any(|(column, _)| column == "id") {
            let descending = order.last().is_some_and(|(_, descending)| *descending);
            order.push(("id".to_owned(), descending));
        }
        Self { query, search, order, conditions: T::CONDITIONS, counted: T::COUNTED }
    }

    /// The condition behind a filter that is more than a comparison with its column.
    pub(super) fn condition(&self, field: &str) -> Option<Condition> {
        self.conditions.iter().find(|(name, _)| *name == field).map(|(_, condition)| *condition)
    }

    /// Whether the kept counts know how many rows fit.
    pub(super) fn is_counted(&self) -> bool {
        let counted = |filter: &Filter| self.counted.contains(&filter.field.as_str());
        matches!(self.search, Search::Nothing) && self.query.filters.iter().all(counted)
    }

    pub(super) fn is_by_id(&self) -> bool {
        self.order[0].0 == "id"
    }

    /// The way to a page near the beginning, where no total is needed to choose it.
    pub(super) fn near(&self) -> Option<IndexScan> {
        let (skipped, size) = (self.query.offset(), self.query.size.into());
        let plan = self.only_plan().filter(|_| skipped < FAR)?;
        Some(IndexScan { plan, from_end: false, skipped, size })
    }

    /// The way to any page, or `None` where it is past the end.
    pub(super) fn way(&self, totals: Totals) -> Option<IndexScan> {
        let (offset, total) = (self.query.offset(), totals.matching);
        if offset >= total {
            return None;
        }
        let size = u64::from(self.query.size);
        let shown = size.min(total - offset);
        // The last page costs what the first one does: walk from the nearer end.
        let from_end = offset > total / 2;
        let skipped = if from_end { total - offset - shown } else { offset };
        let plan = self.only_plan().unwrap_or_else(|| self.cheaper_plan(totals, skipped + shown));
        // From the beginning the end comes by itself, wherever it is by then.
        let size = if from_end { shown } else { size };
        Some(IndexScan { plan, from_end, skipped, size })
    }

    /// The plan, where there is no choice.
    fn only_plan(&self) -> Option<AccessPath> {
        match self.search {
            Search::Nothing if self.query.filters.is_empty() => Some(AccessPath::Walk),
            Search::Short(_) if !self.query.filters.is_empty() => Some(AccessPath::Walk),
            // These come in the order of ids by themselves.
            Search::Indexed(_) | Search::Nothing if self.is_by_id() => Some(AccessPath::Gather),
            _ => None,
        }
    }

    /// Compares what walking costs (rows until enough fit) with what gathering costs (all that fit).
    fn cheaper_plan(&self, totals: Totals, needed: u64) -> AccessPath {
        let Totals { matching, all } = totals;
        let walked = needed.saturating_mul(all) / matching.max(1);
        let (walk, gather) = match self.search {
            // Each row that is walked is looked up for its text; gathered are those that a scan of all texts finds.
            Search::Short(_) => (walked.saturating_mul(LOOK_UP), all),
            Search::Indexed(_) => (walked, matching),
            // The order's index knows the filters; whatever is gathered is looked up for its place in the order.
            Search::Nothing => (walked, matching.saturating_mul(LOOK_UP)),
        };
        if walk < gather { AccessPath::Walk } else { AccessPath::Gather }
    }
}
