//! The items with open reports, and their locks.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_issues::{IssueContentType, IssueGroup, Priority, ReportStatus, ReportType};
use domain_kernel::{Enumeration, Id, ListQuery, Page, Username};
use ports::StoreError;
use sea_orm::{
    ColumnTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect,
    sea_query::LockType,
};

use super::{OPEN, SeaOrmIssues, code, listing::push_search, name};
use crate::{
    db::{error::store_error, sql::Sql, transaction::Transaction},
    entities::issue_items,
    list::{AccessPath, ListRequest, ListTable, PageWindow, Search, Totals, page, rows_of_list},
};

/// An item in the list of groups.
struct Item {
    id: Id,
    content_type: IssueContentType,
    content_id: Option<Id>,
    title: String,
}

fn item(row: &QueryResult) -> Result<Item, DbErr> {
    Ok(Item {
        id: row.try_get("", "id")?,
        content_type: code(&row.try_get::<String>("", "content_type")?)?,
        content_id: row.try_get("", "content_id")?,
        title: row.try_get("", "title")?,
    })
}

/// The list of items with open reports.
struct GroupList {
    backend: DbBackend,
    content_type: Option<IssueContentType>,
}

rows_of_list!(
    SeaOrmIssues,
    0,
    Option<IssueContentType>,
    IssueGroup,
    |store, content_type| GroupList { backend: store.0.backend(), content_type: *content_type },
    |rows| store.summed_up(rows).await.map_err(store_error)
);

impl ListTable for GroupList {
    type Row = Item;

    const TABLE: &'static str = "issue_items";
    const ALIAS: &'static str = "m";
    const COLUMNS: &'static str = "m.id, m.content_type, m.content_id, m.title";
    const SORTS: &'static [(&'static str, &'static str)] = &[("reports", "open"), ("lastDate", "last_date")];
    const DEFAULT_ORDER: (&'static str, bool) = ("m.open", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = |row| item(row).map_err(store_error);
    const SCANS_SHORT_SEARCHES: bool = true;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath) {
        sql.push(" WHERE m.waiting");
        if let Some(content_type) = self.content_type {
            sql.push(" AND m.content_type = ").bind(content_type.code());
        }
        push_search(sql, &request.search, self.backend, Self::TABLE, path);
    }

    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        sql.push(match request.search {
            Search::Nothing => {
                "SELECT CAST(coalesce(sum(m.total), 0) AS bigint) AS total FROM issue_items_counts m"
            }
            _ => "SELECT count(*) AS total FROM issue_items m",
        });
        self.push_conditions(sql, request, AccessPath::FilterThenSort);
    }

    fn access_path(&self, _request: &ListRequest<'_>, _window: PageWindow, _totals: Totals) -> AccessPath {
        AccessPath::FilterThenSort
    }
}

/// Aggregates of the open reports on an item.
#[derive(Default)]
struct Sum {
    reports: u64,
    in_progress: u64,
    types: Vec<(ReportType, u64)>,
    dates: Option<(DateTime<Utc>, DateTime<Utc>)>,
    priority: Option<Priority>,
    assigned: Vec<Username>,
}

impl SeaOrmIssues {
    pub(super) async fn page_of_groups(
        &self,
        content_type: Option<IssueContentType>,
        query: &ListQuery,
    ) -> Result<Page<Vec<IssueGroup>>, StoreError> {
        let page = page(&self.0, &GroupList { backend: self.0.backend(), content_type }, query).await?;
        if page.content.is_empty() {
            return Ok(Page::of(query, Vec::new(), page.total_elements));
        }
        let groups = self.summed_up(page.content).await.map_err(store_error)?;
        Ok(Page::of(query, groups, page.total_elements))
    }

    async fn summed_up(&self, items: Vec<Item>) -> Result<Vec<IssueGroup>, DbErr> {
        let ids: Vec<Id> = items.iter().map(|item| item.id).collect();
        let mut sums = self.sums(&ids).await?;
        let mut groups = Vec::with_capacity(items.len());
        for item in items {
            // The last of its reports may have been closed meanwhile.
            let Some(sum) = sums.remove(&item.id) else { continue };
            let (Some((first_date, last_date)), Some(priority)) = (sum.dates, sum.priority) else { continue };
            let mut types = sum.types;
            types.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
            groups.push(IssueGroup {
                id: item.id,
                content_type: item.content_type,
                content_id: item.content_id,
                title: item.title,
                reports: sum.reports,
                in_progress: sum.in_progress,
                report_types: types.into_iter().map(|(kind, _)| kind).collect(),
                first_date,
                last_date,
                priority,
                assigned_to: sum.assigned,
            });
        }
        Ok(groups)
    }

    /// Aggregates of the open reports, along the index of open reports.
    async fn sums(&self, ids: &[Id]) -> Result<HashMap<Id, Sum>, DbErr> {
        // Without this SQLite would scan all open reports.
        let index = if self.0.backend() == DbBackend::Sqlite { " INDEXED BY issue_reports_open" } else { "" };
        let mut sql = Sql::new(format!(
            "SELECT item_id, report_type, priority, status, assigned_to, count(*) AS reports, min(created_date) AS first_date, \
             max(created_date) AS last_date FROM issue_reports{index} WHERE item_id IN ("
        ));
        sql.bind_all(ids.iter().copied()).push(&format!(
            ") AND status {OPEN} GROUP BY item_id, report_type, priority, status, assigned_to ORDER BY assigned_to"
        ));
        let mut sums: HashMap<Id, Sum> = HashMap::new();
        for row in self.rows(sql).await? {
            let text = |column: &str| row.try_get::<String>("", column);
            let sum = sums.entry(row.try_get("", "item_id")?).or_default();
            let reports = row.try_get::<i64>("", "reports")?.unsigned_abs();
            sum.reports += reports;
            if code::<ReportStatus>(&text("status")?)? == ReportStatus::InProgress {
                sum.in_progress += reports;
            }
            let kind: ReportType = code(&text("report_type")?)?;
            match sum.types.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += reports,
                None => sum.types.push((kind, reports)),
            }
            sum.priority = sum.priority.max(Some(code(&text("priority")?)?));
            let dates: (DateTime<Utc>, DateTime<Utc>) =
                (row.try_get("", "first_date")?, row.try_get("", "last_date")?);
            let (first, last) = sum.dates.unwrap_or(dates);
            sum.dates = Some((first.min(dates.0), last.max(dates.1)));
            if let Some(assigned) = row.try_get::<Option<String>>("", "assigned_to")? {
                let assigned = name(&assigned)?;
                if !sum.assigned.contains(&assigned) {
                    sum.assigned.push(assigned);
                }
            }
        }
        Ok(sums)
    }

    /// Locks an item until the transaction ends; returns whether it exists. Every change of reports
    /// on an item starts with this lock, because different orders of locks would deadlock.
    pub(super) async fn hold_item(&self, transaction: &Transaction, item: Id) -> Result<bool, DbErr> {
        let query = issue_items::Entity::find_by_id(item).lock(LockType::Update);
        Ok(query.one(transaction).await?.is_some())
    }

    /// Locks several items, in the order of their IDs.
    pub(super) async fn hold_items(&self, transaction: &Transaction, items: &[Id]) -> Result<(), DbErr> {
        let query = issue_items::Entity::find()
            .select_only()
            .column(issue_items::Column::Id)
            .filter(issue_items::Column::Id.is_in(items.iter().copied()))
            .order_by_asc(issue_items::Column::Id)
            .lock(LockType::Update);
        query.into_tuple::<Id>().all(transaction).await.map(drop)
    }
}
