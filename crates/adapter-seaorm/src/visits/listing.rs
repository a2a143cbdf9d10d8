//! The list of visits, and the long walk along it.

use chrono::{DateTime, Utc};
use domain_audience::Visit;
use domain_kernel::{Enumeration, Id, ListQuery, Page, fold};
use ports::{StoreError, VisitFilter};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::{COLUMNS, SeaOrmVisits, days::quarter_of, name_key, visit};
use crate::{
    error::store_error,
    paging::{Order, PageWindow, number, ordered, page},
    sql::{Sql, like_pattern, match_phrase},
};

/// What looking a row up costs, in entries of an index walked over.
const LOOK_UP: u64 = 4;

/// How a search is executed.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// All that are found are gathered: good where few are.
    Gathered,
    /// Each is tested along the order: good where many are.
    Tested,
}

fn searched(query: &ListQuery) -> Option<String> {
    query.search.as_deref().map(fold).filter(|text| !text.is_empty())
}

impl SeaOrmVisits {
    pub(super) async fn page(
        &self,
        filter: &VisitFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<Visit>>, StoreError> {
        let text = searched(query);
        // One or two letters make no trigram: the whole table is looked through, aside from the others.
        let short = text.as_ref().is_some_and(|text| text.chars().count() < 3);
        let connection = if short { &self.0.scanner } else { &self.0.reader };
        let total = number(connection, self.total(filter, text.as_deref()), "total").await?;
        let Some(stretch) = PageWindow::of(query, total) else {
            return page(query, Vec::new(), total, visit);
        };
        let mut manner = Manner::Tested;
        if text.is_some() {
            let whole = number(connection, self.total(filter, None), "total").await?;
            let walked = stretch.walked().saturating_mul(whole) / total.max(1);
            if walked.saturating_mul(LOOK_UP) >= total {
                manner = Manner::Gathered;
            }
        }
        let sql = self.rows(filter, query, text.as_deref(), manner, stretch);
        let rows = connection.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        page(query, rows, total, visit)
    }

    fn rows(
        &self,
        filter: &VisitFilter,
        query: &ListQuery,
        text: Option<&str>,
        manner: Manner,
        stretch: PageWindow,
    ) -> Sql {
        let column = |field: &str| if field == "id" { "v.id" } else { "v.occurred_at" };
        let mut order: Order =
            query.sort.iter().map(|sort| (column(&sort.field).to_owned(), sort.descending)).collect();
        if order.is_empty() {
            order.push(("v.occurred_at".into(), true));
        }
        let direction = order.last().is_none_or(|(_, descending)| *descending);
        if !order.iter().any(|(column, _)| column == "v.id") {
            order.push(("v.id".into(), direction));
        }
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM (SELECT v.id AS id FROM visits v"));
        self.push_conditions(&mut sql, filter, text, manner);
        sql.push(&format!(" ORDER BY {}", ordered(&order, stretch.from_end)));
        stretch.push(&mut sql);
        sql.push(&format!(") x JOIN visits v ON v.id = x.id ORDER BY {}", ordered(&order, false)));
        sql
    }

    /// How many there are: by the kept counts where these know, else by an index alone.
    fn total(&self, filter: &VisitFilter, text: Option<&str>) -> Sql {
        let edges = [filter.from, filter.to];
        let kept = edges
            .iter()
            .flatten()
            .all(|edge| edge.timestamp() % 900 == 0 && edge.timestamp_subsec_nanos() == 0);
        if text.is_none() && filter.username.is_none() && kept {
            let mut sql = Sql::new(
                "SELECT CAST(coalesce(sum(c.total), 0) AS bigint) AS total FROM visits_counts c WHERE 1 = 1",
            );
            if let Some(kind) = filter.kind {
                sql.push(" AND c.kind = ").bind(kind.code());
            }
            if let Some(from) = filter.from {
                sql.push(" AND c.quarter >= ").bind(quarter_of(from));
            }
            if let Some(to) = filter.to {
                sql.push(" AND c.quarter < ").bind(quarter_of(to));
            }
            return sql;
        }
        if let Some(text) = text.filter(|_| *filter == VisitFilter::default()) {
            // A search of all is counted by the search index alone.
            let mut sql = Sql::new("SELECT count(*) AS total FROM (");
            self.push_found(&mut sql, text);
            sql.push(") found");
            return sql;
        }
        let mut sql = Sql::new("SELECT count(*) AS total FROM visits v");
        self.push_conditions(&mut sql, filter, text, Manner::Gathered);
        sql
    }

    /// The ids of the visits that are found by this text.
    fn push_found(&self, sql: &mut Sql, text: &str) {
        match self.0.backend() {
            DbBackend::Sqlite if text.chars().count() >= 3 => {
                sql.push("SELECT rowid FROM visits_search WHERE visits_search MATCH ")
                    .bind(match_phrase(text));
            }
            DbBackend::Sqlite => {
                sql.push("SELECT f.id FROM visits f WHERE instr(f.search_text, ").bind(text).push(") > 0");
            }
            _ => {
                sql.push("SELECT f.id FROM visits f WHERE f.search_text LIKE ").bind(like_pattern(text));
                sql.push(r" ESCAPE '\'");
            }
        }
    }

    fn push_conditions(&self, sql: &mut Sql, filter: &VisitFilter, text: Option<&str>, manner: Manner) {
        sql.push(" WHERE 1 = 1");
        if let Some(username) = &filter.username {
            sql.push(" AND v.username_key = ").bind(name_key(username));
        }
        if let Some(from) = filter.from {
            sql.push(" AND v.occurred_at >= ").bind(from);
        }
        if let Some(to) = filter.to {
            sql.push(" AND v.occurred_at < ").bind(to);
        }
        if let Some(kind) = filter.kind {
            sql.push(" AND v.kind = ").bind(kind.code());
        }
        let Some(text) = text else { return };
        match (manner, self.0.backend()) {
            (Manner::Gathered, _) => {
                sql.push(" AND v.id IN (");
                self.push_found(sql, text);
                sql.push(")");
            }
            (Manner::Tested, DbBackend::Sqlite) => {
                sql.push(" AND instr(v.search_text, ").bind(text).push(") > 0");
            }
            (Manner::Tested, _) => {
                sql.push(" AND strpos(v.search_text, ").bind(text).push(") > 0");
            }
        }
    }

    /// The next of the list behind a visit, newest first. A search is tested along the way, so that a file costs one
    /// walk, however much is in it.
    pub(super) async fn stretch_behind(
        &self,
        filter: &VisitFilter,
        search: Option<String>,
        behind: Option<(DateTime<Utc>, Id)>,
        size: u32,
    ) -> Result<Vec<Visit>, StoreError> {
        let text = search.as_deref().map(fold).filter(|text| !text.is_empty());
        let sql = self.behind(filter, text.as_deref(), behind, size);
        let connection = if text.is_some() { &self.0.scanner } else { &self.0.reader };
        let rows = connection.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        rows.iter().map(visit).collect()
    }

    fn behind(
        &self,
        filter: &VisitFilter,
        text: Option<&str>,
        behind: Option<(DateTime<Utc>, Id)>,
        size: u32,
    ) -> Sql {
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM visits v"));
        self.push_conditions(&mut sql, filter, text, Manner::Tested);
        if let Some((at, id)) = behind {
            sql.push(" AND (v.occurred_at, v.id) < (").bind(at).push(", ").bind(id).push(")");
        }
        sql.push(" ORDER BY v.occurred_at DESC, v.id DESC LIMIT ").bind(i64::from(size));
        sql
    }

    /// The statements of a list's first page and of a file's second stretch, for tests that ask the planner about them.
    #[doc(hidden)]
    pub fn statements(&self, filter: &VisitFilter, query: &ListQuery) -> Vec<Statement> {
        let text = searched(query);
        let mut all = vec![self.total(filter, text.as_deref())];
        if let Some(stretch) = PageWindow::of(query, 1_000_000) {
            all.push(self.rows(filter, query, text.as_deref(), Manner::Tested, stretch));
        }
        all.push(self.behind(filter, text.as_deref(), Some((DateTime::UNIX_EPOCH, 1)), 1000));
        all.into_iter().map(|sql| sql.statement(self.0.backend())).collect()
    }
}
