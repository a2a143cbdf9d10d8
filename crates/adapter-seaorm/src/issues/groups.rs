//! The items with open reports, and changes of all reports of a group.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_issues::{Author, GroupChange, IssueContentType, IssueGroup, Priority, ReportStatus, ReportType};
use domain_kernel::{Enumeration, Id, ListQuery, Page, Username};
use ports::StoreError;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QueryResult,
    QuerySelect, QueryTrait,
    sea_query::{Asterisk, Expr, Func, LockType, Query},
};

use super::{OPEN, SeaOrmIssues, code, listing::push_search, name};
use crate::{
    db::{
        error::{is_serialization_failure, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    entities::{issue_items, issue_reports},
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

    pub(super) async fn write_group(
        &self,
        group: Id,
        change: &GroupChange,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Option<u64>, StoreError> {
        tried(is_serialization_failure, || self.try_write_group(group, change, author, now))
            .await
            .map_err(store_error)
    }

    async fn try_write_group(
        &self,
        group: Id,
        change: &GroupChange,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Option<u64>, DbErr> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        if !self.lock(&transaction, group).await? {
            return Ok(None);
        }
        transaction.execute_raw(insert_history(group, change, author, now).statement(backend)).await?;
        let sql = update_reports(group, change, now);
        let done = transaction.execute_raw(sql.statement(backend)).await?;
        transaction.commit().await?;
        Ok(Some(done.rows_affected()))
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

    /// Locks the item and its open reports until the transaction ends, against new reports and
    /// changes.
    async fn lock(&self, transaction: &Transaction, group: Id) -> Result<bool, DbErr> {
        if !self.hold_item(transaction, group).await? {
            return Ok(false);
        }
        if self.0.backend() != DbBackend::Sqlite {
            // Literals, because PostgreSQL does not use a partial index for bound values.
            let reports = issue_reports::Entity::find()
                .select_only()
                .column(issue_reports::Column::Id)
                .filter(issue_reports::Column::ItemId.eq(group))
                .filter(Expr::cust(format!("status {OPEN}")))
                .order_by_asc(issue_reports::Column::Id)
                .lock(LockType::Update);
            let query = Query::select()
                .expr(Func::count(Expr::col(Asterisk)))
                .from_subquery(reports.into_query(), "held")
                .take();
            transaction.query_one(&query).await?;
        }
        Ok(true)
    }
}

/// Adds history entries for every open report that differs. Reads the reports before they are
/// updated, along the index of open reports. Raw: `IS DISTINCT FROM`.
fn insert_history(group: Id, change: &GroupChange, author: &Author, now: DateTime<Utc>) -> Sql {
    let mut sql = Sql::new(
        "INSERT INTO issue_history (report_id, action, actor, actor_kind, status_from, status_to, priority_from, \
         priority_to, assigned_from, assigned_to, note, entry_date) SELECT w.id, 'CHANGED', ",
    );
    sql.bind(author.name.as_str()).push(", ").bind(author.kind.code());
    for column in ["status", "priority", "assigned_to"] {
        let differs = format!("CASE WHEN w.{column} IS DISTINCT FROM w.new_{column} THEN");
        sql.push(&format!(", {differs} w.{column} END, {differs} w.new_{column} END"));
    }
    sql.push(", CASE WHEN w.notes IS DISTINCT FROM w.new_notes THEN coalesce(w.new_notes, '') END, ");
    sql.bind(now).push(" FROM ");
    push_wanted(&mut sql, group, change);
    sql.push(&format!(" WHERE {DIFFERS} ORDER BY w.id"));
    sql
}

/// Updates every open report that differs, along the index of open reports. Raw: `UPDATE … FROM
/// (SELECT …)`.
fn update_reports(group: Id, change: &GroupChange, now: DateTime<Utc>) -> Sql {
    let mut sql = Sql::new(
        "UPDATE issue_reports SET status = w.new_status, priority = w.new_priority, assigned_to = w.new_assigned_to, \
         notes = w.new_notes, version = version + 1, updated_date = ",
    );
    sql.bind(now).push(" FROM ");
    push_wanted(&mut sql, group, change);
    sql.push(&format!(" WHERE issue_reports.id = w.id AND ({DIFFERS})"));
    sql
}

const DIFFERS: &str = "w.status IS DISTINCT FROM w.new_status OR w.priority IS DISTINCT FROM w.new_priority \
     OR w.assigned_to IS DISTINCT FROM w.new_assigned_to OR w.notes IS DISTINCT FROM w.new_notes";

/// The open reports on an item with their current and new values: `(…) w`.
fn push_wanted(sql: &mut Sql, group: Id, change: &GroupChange) {
    let text = |sql: &mut Sql, value: Option<&str>| {
        sql.push("CAST(").bind(value.map(str::to_owned)).push(" AS text)");
    };
    sql.push("(SELECT m.id, m.status, m.priority, m.assigned_to, m.notes, ");
    match change.status {
        Some(status) => text(sql, Some(status.code())),
        None => drop(sql.push("m.status")),
    }
    sql.push(" AS new_status, ");
    match change.priority {
        Some(priority) => text(sql, Some(priority.code())),
        None => drop(sql.push("m.priority")),
    }
    sql.push(" AS new_priority, coalesce(");
    match &change.assigned_to {
        Some(assigned) => text(sql, assigned.as_ref().map(Username::as_str)),
        None => drop(sql.push("m.assigned_to")),
    }
    // A report in progress has an assignee.
    sql.push(", CASE WHEN ");
    match change.status {
        Some(ReportStatus::InProgress) => drop(sql.push("1 = 1")),
        Some(_) => drop(sql.push("1 = 0")),
        None => drop(sql.push("m.status = 'EN_PROGRESO'")),
    }
    sql.push(" THEN ");
    text(sql, change.stand_in.as_ref().map(Username::as_str));
    sql.push(" END) AS new_assigned_to, ");
    match &change.notes {
        Some(notes) => text(sql, notes.as_deref()),
        None => drop(sql.push("m.notes")),
    }
    sql.push(" AS new_notes FROM issue_reports m WHERE m.item_id = ").bind(group);
    sql.push(&format!(" AND m.status {OPEN}) w"));
}
