//! The access path of a list's page: the index, the end to scan from, and whether totals are needed
//! to decide. No SQL (ADR 0006).

use domain_catalogue::{Content as _, Kind};
use domain_kernel::{Filter, FilterValue, ListQuery};

use super::{
    filters::{Condition, OF_ALL, filter_column, range},
    table::{ContentTable, is_nullable, order_column},
};
use crate::list::{AccessPath, ListRequest, Order, PageWindow, Search, Totals};

/// Cost of fetching a row, in index entries.
const LOOK_UP: u64 = 20;

/// The offset from which on a page is far: the total decides from which end it is read.
const FAR: u64 = 500;

/// The scan of a page.
#[derive(Clone, Copy)]
pub(super) struct PageScan {
    pub(super) path: AccessPath,
    pub(super) window: PageWindow,
}

/// The query of a list of contents.
pub(super) struct ContentRequest<'a> {
    pub(super) list: ListRequest<'a>,
    pub(super) kind: Kind,
    conditions: &'static [(&'static str, Condition)],
    counted: &'static [&'static str],
}

impl<'a> ContentRequest<'a> {
    pub(super) fn of<T: ContentTable>(query: &'a ListQuery) -> Self {
        let order = Order::requested(query, |field| format!("m.{}", order_column::<T>(field)))
            .then_like_last("m.id".to_owned())
            .with_nullable(|column| column.strip_prefix("m.").is_some_and(is_nullable::<T>));
        let list = ListRequest { query, search: Search::of(query.search.as_deref()), order };
        Self { list, kind: T::Content::KIND, conditions: T::CONDITIONS, counted: T::COUNTED }
    }

    pub(super) fn search(&self) -> &Search {
        &self.list.search
    }

    pub(super) fn filters(&self) -> &'a [Filter] {
        &self.list.query.filters
    }

    /// The condition of a filter that is not a comparison with its column.
    pub(super) fn condition(&self, field: &str) -> Option<Condition> {
        let known = self.conditions.iter().chain(OF_ALL);
        known.into_iter().find(|(name, _)| *name == field).map(|(_, condition)| *condition)
    }

    /// Whether the list reads an index from end to end, on a connection for scans.
    pub(super) fn reads_whole_index(&self) -> bool {
        let is_duplicated =
            |filter: &Filter| matches!(self.condition(&filter.field), Some(Condition::Duplicated));
        matches!(self.search(), Search::Short(_)) || self.filters().iter().any(is_duplicated)
    }

    /// Whether the counter table has the number of matching rows.
    pub(super) fn is_counted(&self) -> bool {
        matches!(self.search(), Search::Nothing) && self.filters().iter().all(|filter| self.counts_by(filter))
    }

    /// Whether rows are counted by the filter's column, which every index of an order also has.
    fn counts_by(&self, filter: &Filter) -> bool {
        self.counted.contains(&filter.field.as_str())
    }

    /// The column of a range filter: dates, and prefixes of names.
    fn ranged_column(&self, filter: &Filter) -> Option<String> {
        match self.condition(&filter.field) {
            Some(Condition::Prefix(column)) => Some(column.to_owned()),
            _ => range(filter).map(|_| filter_column(filter)),
        }
    }

    /// Whether a filter is a range of the column of the order: a part of the order's index.
    fn ranges_over_order(&self) -> bool {
        let is_first = |column: String| self.list.order.begins_with(&format!("m.{column}"));
        self.filters().iter().any(|filter| self.ranged_column(filter).is_some_and(is_first))
    }

    /// Whether the index of a filter has rows in the order of IDs for each value, but not for
    /// several values.
    fn mixes_ids(&self) -> bool {
        let several = |value: &FilterValue| matches!(value, FilterValue::References(_));
        self.filters().iter().any(|filter| several(&filter.value) || self.ranged_column(filter).is_some())
    }

    /// The scan of a page near the start, which needs no totals.
    pub(super) fn near(&self) -> Option<PageScan> {
        let path = self.only_path().filter(|_| self.list.query.offset() < FAR)?;
        Some(PageScan { path, window: PageWindow::from_beginning(self.list.query) })
    }

    /// The scan of any page, or `None` past the end.
    pub(super) fn scan(&self, totals: Totals) -> Option<PageScan> {
        let window = PageWindow::of(self.list.query, totals.matching)?;
        let path = self.only_path().unwrap_or_else(|| self.cheaper_path(totals, window));
        Some(PageScan { path, window })
    }

    /// The access path, if only one is possible.
    fn only_path(&self) -> Option<AccessPath> {
        match self.search() {
            Search::Nothing if self.filters().is_empty() => Some(AccessPath::IndexScan),
            Search::Short(_) if !self.filters().is_empty() => Some(AccessPath::IndexScan),
            Search::Nothing if self.ranges_over_order() => Some(AccessPath::FilterThenSort),
            Search::Nothing if self.mixes_ids() => None,
            // These are already in the order of IDs.
            Search::Indexed(_) | Search::Nothing if self.list.order.begins_with("m.id") => {
                Some(AccessPath::FilterThenSort)
            }
            _ => None,
        }
    }

    /// Compares the cost of an index scan (rows until enough match) with that of sorting all
    /// matching rows.
    fn cheaper_path(&self, totals: Totals, window: PageWindow) -> AccessPath {
        let read = window.rows_read(totals);
        let (scan, sort) = match self.search() {
            // An index scan fetches each row for its text; a filter reads the texts of all.
            Search::Short(_) => (read.saturating_mul(LOOK_UP), totals.all),
            Search::Indexed(_) | Search::Either(..) => (read, totals.matching),
            // The order's index has the filters that rows are counted by; for others an index scan
            // fetches each row. Sorting fetches each row for the columns of the order.
            Search::Nothing if self.is_counted() => (read, totals.matching.saturating_mul(LOOK_UP)),
            Search::Nothing => (read.saturating_mul(LOOK_UP), totals.matching.saturating_mul(LOOK_UP)),
        };
        if scan < sort { AccessPath::IndexScan } else { AccessPath::FilterThenSort }
    }
}
