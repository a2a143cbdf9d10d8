//! The list of a kind of content: its columns, orders, conditions, totals and access paths (ADR
//! 0006, ADR 0037). Orders, filters and far pages read narrow indexes; totals are from counter
//! tables.

use domain_catalogue::{Content as _, Kind};
use domain_kernel::{Filter, FilterValue, ListQuery};
use ports::StoreError;
use sea_orm::{DbBackend, QueryResult};
use serde_json::value::RawValue;

use super::{
    filters::{Condition, OF_ALL, filter_column, push_filter, range},
    projection::Projection,
    table::{ContentTable, is_nullable, order_column, table_name},
};
use crate::{
    db::sql::{Sql, match_phrase, read_item},
    list::{
        AccessPath, IdSource, LOOK_UP, ListRequest, ListTable, Order, PageWindow, Search, Totals, push_ids,
    },
};

/// The list of a kind. One type for all kinds, so that the engine is compiled once.
pub(super) struct ContentList {
    pub(super) table: &'static str,
    pub(super) projection: Projection,
    backend: DbBackend,
    kind: Kind,
    conditions: &'static [(&'static str, Condition)],
    counted: &'static [&'static str],
    order_column: fn(&str) -> String,
    is_nullable: fn(&str) -> bool,
}

impl ContentList {
    pub(super) fn of<T: ContentTable>(backend: DbBackend) -> Self {
        Self {
            table: table_name::<T>(),
            projection: Projection::of::<T>(backend),
            backend,
            kind: T::Content::KIND,
            conditions: T::CONDITIONS,
            counted: T::COUNTED,
            order_column: order_column::<T>,
            is_nullable: is_nullable::<T>,
        }
    }
}

impl ListTable for ContentList {
    type Row = Box<RawValue>;

    const ALIAS: &'static str = "m";
    const DEFAULT_ORDER: (&'static str, bool) = ("m.id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = read_item;
    const FAR: u64 = 500;

    fn table(&self) -> &'static str {
        self.table
    }

    fn columns(&self) -> String {
        format!("CAST({} AS text) AS item", self.projection.row)
    }

    fn column(&self, field: &str) -> String {
        format!("m.{}", (self.order_column)(field))
    }

    fn is_nullable(&self, column: &str) -> bool {
        column.strip_prefix("m.").is_some_and(self.is_nullable)
    }

    /// In SQLite a search starts from the search index, or from the narrow index of the texts.
    fn id_source(&self, request: &ListRequest<'_>, path: AccessPath) -> IdSource {
        let table = self.table;
        let sorts = path == AccessPath::FilterThenSort && self.is_sqlite();
        let query = request.query;
        let tables = match request.search {
            Search::Indexed(_) if sorts && query.filters.is_empty() && query.sort.is_empty() => {
                return IdSource {
                    tables: format!("{table}_search s"),
                    id: "s.rowid".to_owned(),
                    order: Order::default().or(("s.rowid", false)),
                };
            }
            Search::Indexed(_) if sorts => format!("{table}_search s CROSS JOIN {table} m ON m.id = s.rowid"),
            Search::Short(_) if sorts => format!("{table} m INDEXED BY {table}_by_search_text"),
            _ => format!("{table} m"),
        };
        IdSource { tables, id: "m.id".to_owned(), order: request.order.clone() }
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath) {
        let mut word = " WHERE ";
        let mut and = |sql: &mut Sql| {
            sql.push(word);
            word = " AND ";
        };
        match &request.search {
            Search::Nothing => {}
            Search::Indexed(text) if self.is_sqlite() && path == AccessPath::FilterThenSort => {
                and(sql);
                sql.push(&format!("{}_search MATCH ", self.table)).bind(match_phrase(text));
            }
            search => {
                and(sql);
                search.push_match(sql, self.backend, "m");
            }
        }
        let filters = &request.query.filters;
        let alone = matches!(request.search, Search::Nothing) && filters.len() == 1;
        for filter in filters {
            and(sql);
            let condition = self.condition(&filter.field);
            push_filter(sql, self.backend, self.table, self.kind, (filter, condition), path, alone);
        }
    }

    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        let table = self.table;
        sql.push(&match request.search {
            _ if self.is_counted(request) => {
                format!("SELECT CAST(coalesce(sum(m.total), 0) AS bigint) AS total FROM {table}_counts m")
            }
            // Without filters the search index suffices.
            Search::Indexed(_) if self.is_sqlite() && request.query.filters.is_empty() => {
                format!("SELECT count(*) AS total FROM {table}_search s")
            }
            Search::Indexed(_) if self.is_sqlite() => {
                format!(
                    "SELECT count(*) AS total FROM {table}_search s CROSS JOIN {table} m ON m.id = s.rowid"
                )
            }
            _ => format!("SELECT count(*) AS total FROM {table} m"),
        });
        self.push_conditions(sql, request, AccessPath::FilterThenSort);
    }

    fn needs_all(&self, request: &ListRequest<'_>) -> bool {
        self.only_path(request).is_none()
    }

    fn push_all(&self, sql: &mut Sql, _request: &ListRequest<'_>) {
        sql.push(&format!("SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {}_counts", self.table));
    }

    fn only_path(&self, request: &ListRequest<'_>) -> Option<AccessPath> {
        match request.search {
            Search::Nothing if request.query.filters.is_empty() => Some(AccessPath::IndexScan),
            Search::Short(_) if !request.query.filters.is_empty() => Some(AccessPath::IndexScan),
            Search::Nothing if self.ranges_over_order(request) => Some(AccessPath::FilterThenSort),
            Search::Nothing if self.mixes_ids(request) => None,
            // These are already in the order of IDs.
            Search::Indexed(_) | Search::Nothing if request.order.begins_with("m.id") => {
                Some(AccessPath::FilterThenSort)
            }
            _ => None,
        }
    }

    /// Compares the cost of an index scan (rows until enough match) with that of sorting all
    /// matching rows.
    fn access_path(&self, request: &ListRequest<'_>, window: PageWindow, totals: Totals) -> AccessPath {
        let read = window.rows_read(totals);
        let (scan, sort) = match request.search {
            // An index scan fetches each row for its text; a filter reads the texts of all.
            Search::Short(_) => (read.saturating_mul(LOOK_UP), totals.all),
            Search::Indexed(_) | Search::Either(..) => (read, totals.matching),
            // The order's index has the filters that rows are counted by; for others an index scan
            // fetches each row. Sorting fetches each row for the columns of the order.
            Search::Nothing if self.is_counted(request) => (read, totals.matching.saturating_mul(LOOK_UP)),
            Search::Nothing => (read.saturating_mul(LOOK_UP), totals.matching.saturating_mul(LOOK_UP)),
        };
        if scan < sort { AccessPath::IndexScan } else { AccessPath::FilterThenSort }
    }

    fn is_scan(&self, request: &ListRequest<'_>) -> bool {
        let filters = &request.query.filters;
        let scans = |filter: &Filter| match self.condition(&filter.field) {
            Some(Condition::Duplicated) => true,
            Some(Condition::TitleOrNumber) => filters.iter().all(|other| other.field != "tvShowId"),
            _ => false,
        };
        matches!(request.search, Search::Short(_)) || filters.iter().any(scans)
    }
}

impl ContentList {
    /// The largest number of links of a matching row.
    pub(super) fn most_links(&self, query: &ListQuery) -> Sql {
        let request = ListRequest::of(self, query);
        let length = if self.is_sqlite() { "json_array_length" } else { "jsonb_array_length" };
        let mut sql = Sql::new(format!(
            "SELECT CAST(coalesce(max({length}(l.links)), 0) AS bigint) AS most FROM {} l WHERE l.id IN (",
            self.table
        ));
        push_ids(&mut sql, self, &request, AccessPath::FilterThenSort, false, "id");
        sql.push(")");
        sql
    }

    fn is_sqlite(&self) -> bool {
        self.backend == DbBackend::Sqlite
    }

    /// The condition of a filter that is not a comparison with its column.
    fn condition(&self, field: &str) -> Option<Condition> {
        let known = self.conditions.iter().chain(OF_ALL);
        known.into_iter().find(|(name, _)| *name == field).map(|(_, condition)| *condition)
    }

    /// Whether the counter table has the number of matching rows. Every index of an order has its
    /// columns, too.
    fn is_counted(&self, request: &ListRequest<'_>) -> bool {
        matches!(request.search, Search::Nothing)
            && request.query.filters.iter().all(|filter| self.counted.contains(&filter.field.as_str()))
    }

    /// The column of a range filter: dates, and prefixes of names.
    fn ranged_column(&self, filter: &Filter) -> Option<String> {
        match self.condition(&filter.field) {
            Some(Condition::Prefix(column)) => Some(column.to_owned()),
            _ => range(filter).map(|_| filter_column(filter)),
        }
    }

    /// Whether a filter is a range of the column of the order: a part of the order's index.
    fn ranges_over_order(&self, request: &ListRequest<'_>) -> bool {
        let is_first = |column: String| request.order.begins_with(&format!("m.{column}"));
        request.query.filters.iter().any(|filter| self.ranged_column(filter).is_some_and(is_first))
    }

    /// Whether the index of a filter has rows in the order of IDs for each value, but not for
    /// several values.
    fn mixes_ids(&self, request: &ListRequest<'_>) -> bool {
        let several = |value: &FilterValue| matches!(value, FilterValue::References(_));
        let mixes = |filter: &Filter| several(&filter.value) || self.ranged_column(filter).is_some();
        request.query.filters.iter().any(mixes)
    }
}
