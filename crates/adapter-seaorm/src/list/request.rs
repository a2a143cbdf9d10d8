//! The request of a list, and the window of a page.

use domain_kernel::ListQuery;
use sea_orm::DbBackend;

use super::{ListTable, Search};
use crate::db::sql::Sql;

/// The access path of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessPath {
    /// Scans the index of the order, and tests each row: efficient if most rows match.
    IndexScan,
    /// Reads the matching rows, and sorts them: efficient if few match.
    FilterThenSort,
}

impl AccessPath {
    /// Prefix of the column of a filter. A plus keeps SQLite from using the index of the filter
    /// instead of that of the order. PostgreSQL decides by its statistics.
    pub(crate) fn keep(self, backend: DbBackend) -> &'static str {
        if self == Self::IndexScan && backend == DbBackend::Sqlite { "+" } else { "" }
    }
}

/// Source of the IDs of a page.
pub(crate) struct IdSource {
    /// The tables after `FROM`.
    pub(crate) tables: String,
    /// The column of the ID.
    pub(crate) id: String,
    pub(crate) order: Order,
}

/// The number of matching rows, and of all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) matching: u64,
    pub(crate) all: u64,
}

impl Totals {
    /// Of a list of a million rows, for tests of plans.
    pub(crate) fn of_a_million(matching: u64) -> Self {
        Self { matching, all: matching.max(1_000_000) }
    }
}

/// The query of a list, with its search and order.
pub(crate) struct ListRequest<'a> {
    pub(crate) query: &'a ListQuery,
    pub(crate) search: Search,
    pub(crate) order: Order,
}

impl<'a> ListRequest<'a> {
    /// The request of a query for the table.
    pub(crate) fn of<T: ListTable>(table: &T, query: &'a ListQuery) -> Self {
        let order = table.order(query).with_nullable(|column| table.is_nullable(column));
        Self { query, search: table.search(query), order }
    }
}

/// A column of an order.
#[derive(Debug, Clone)]
struct OrderColumn {
    name: String,
    descending: bool,
    /// Whether the column is nullable.
    nullable: bool,
}

/// Columns in their precedence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order(Vec<OrderColumn>);

impl Order {
    /// The order of a query.
    pub(crate) fn requested(query: &ListQuery, column: impl Fn(&str) -> String) -> Self {
        let mut order = Self(Vec::with_capacity(query.sort.len() + 1));
        for sort in &query.sort {
            order.push(column(&sort.field), sort.descending);
        }
        order
    }

    fn push(&mut self, name: String, descending: bool) {
        self.0.push(OrderColumn { name, descending, nullable: false });
    }

    /// This order, or that of one column if this is empty.
    pub(crate) fn or(mut self, (column, descending): (&str, bool)) -> Self {
        if self.0.is_empty() {
            self.push(column.to_owned(), descending);
        }
        self
    }

    /// Adds a column to order equal rows by.
    pub(crate) fn then(mut self, column: String, descending: bool) -> Self {
        if !self.0.iter().any(|known| known.name == column) {
            self.push(column, descending);
        }
        self
    }

    /// Adds a column in the direction of the last one, so that one index serves both directions.
    pub(crate) fn then_like_last(self, column: String) -> Self {
        let descending = self.0.last().is_some_and(|last| last.descending);
        self.then(column, descending)
    }

    /// Marks nullable columns. By default SQLite orders nulls first, and PostgreSQL last. The
    /// indexes of PostgreSQL have the same order (migration 109).
    pub(crate) fn with_nullable(mut self, is_nullable: impl Fn(&str) -> bool) -> Self {
        for column in &mut self.0 {
            column.nullable = is_nullable(&column.name);
        }
        self
    }

    /// Whether this column is the first.
    pub(crate) fn begins_with(&self, column: &str) -> bool {
        self.0.first().is_some_and(|first| first.name == column)
    }

    /// The terms of `ORDER BY` in this order, or reversed.
    pub(crate) fn sql(&self, reversed: bool) -> String {
        let part = |column: &OrderColumn| {
            let direction = match (column.descending == reversed, column.nullable) {
                (true, false) => "ASC",
                (false, false) => "DESC",
                (true, true) => "ASC NULLS FIRST",
                (false, true) => "DESC NULLS LAST",
            };
            format!("{} {direction}", column.name)
        };
        self.0.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}

/// The rows of a page among the matching rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageWindow {
    /// Whether it is counted from the end of the list.
    pub(crate) from_end: bool,
    skipped: u64,
    limit: u64,
    shown: u64,
}

impl PageWindow {
    /// The window of a query, from the nearer end; `None` past the end.
    pub(crate) fn of(query: &ListQuery, total: u64) -> Option<Self> {
        let offset = query.offset();
        if offset >= total {
            return None;
        }
        let shown = u64::from(query.size).min(total - offset);
        Some(if offset > total / 2 {
            Self { from_end: true, skipped: total - offset - shown, limit: shown, shown }
        } else {
            Self { shown, ..Self::from_beginning(query) }
        })
    }

    /// The window of a query whose total is unknown.
    pub(crate) fn from_beginning(query: &ListQuery) -> Self {
        let size = query.size.into();
        Self { from_end: false, skipped: query.offset(), limit: size, shown: size }
    }

    /// The first rows of a list.
    pub(crate) const fn first(rows: u64) -> Self {
        Self { from_end: false, skipped: 0, limit: rows, shown: rows }
    }

    /// The number of matching rows to read for the page.
    pub(crate) const fn matches_read(self) -> u64 {
        self.skipped + self.shown
    }

    /// The number of rows to read for the page if all are tested in order.
    pub(crate) fn rows_read(self, totals: Totals) -> u64 {
        self.matches_read().saturating_mul(totals.all) / totals.matching.max(1)
    }

    /// ` LIMIT … OFFSET …`.
    pub(crate) fn push(self, sql: &mut Sql) {
        sql.push(" LIMIT ").bind(i64::try_from(self.limit).unwrap_or(i64::MAX)).push(" OFFSET ");
        sql.bind(i64::try_from(self.skipped).unwrap_or(i64::MAX));
    }
}

/// The scan that finds a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageScan {
    pub(crate) path: AccessPath,
    pub(crate) window: PageWindow,
}
