//! Viewers' reports: lists, single reports with their history, changes, and groups by item.

mod groups;
mod importing;
mod items;
mod listing;
mod recording;
mod slices;
mod writing;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_issues::{Author, HistoryEntry, IssueContentType, IssueGroup, NewReport, Report, ReportStatus};
use domain_kernel::{Enumeration, Id, ListQuery, Page, RoleCode, UserRef, Username};
use domain_users::UserStatus;
use ports::{
    IdempotencyKey, ImportedReport, Inserted, IssueFilter, IssueItem, IssueRepository, ReportSlice,
    ReportState, SliceWritten, StoreError, Written,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IdenStatic, QueryFilter, QueryOrder, QueryResult,
    QuerySelect,
    sea_query::{Expr, ExprTrait, Query, ReturningClause},
};

use crate::{
    Database,
    db::{
        error::{db_error, store_error},
        sql::Sql,
        values::member,
    },
    entities::{
        issue_history,
        issue_reports::{Column, Entity},
        users,
    },
    idempotency::inserted_before,
    users::username,
};

/// The store of viewers' reports.
#[derive(Debug, Clone)]
pub struct SeaOrmIssues(pub Database);

/// Reports that need work, exactly as in the partial indexes.
pub(crate) const OPEN: &str = "IN ('REPORTADO', 'EN_PROGRESO')";

/// The columns of a report.
const COLUMNS: [Column; 16] = [
    Column::Id,
    Column::Version,
    Column::Title,
    Column::Description,
    Column::ContentType,
    Column::ContentId,
    Column::Content,
    Column::ReportType,
    Column::Reporter,
    Column::CreatedDate,
    Column::UpdatedDate,
    Column::Status,
    Column::Priority,
    Column::AssignedTo,
    Column::Notes,
    Column::ItemId,
];

/// The columns of a report, of the row `m`.
fn columns() -> String {
    COLUMNS.map(|column| format!("m.{}", column.as_str())).join(", ")
}

/// The columns that a write of a report returns.
fn returned() -> ReturningClause {
    Query::returning().columns(COLUMNS)
}

/// A member of an enumeration.
fn code<E: Enumeration>(text: &str) -> Result<E, DbErr> {
    member(text).map_err(db_error)
}

fn optional_code<E: Enumeration>(text: Option<&str>) -> Result<Option<E>, DbErr> {
    text.map(code).transpose()
}

fn name(text: &str) -> Result<Username, DbErr> {
    username(text).map_err(db_error)
}

fn report(row: &QueryResult) -> Result<Report, DbErr> {
    let text = |column: &str| row.try_get::<String>("", column);
    let optional = |column: &str| row.try_get::<Option<String>>("", column);
    Ok(Report {
        id: row.try_get("", "id")?,
        version: row.try_get("", "version")?,
        title: text("title")?,
        description: optional("description")?,
        content_type: code(&text("content_type")?)?,
        content_id: row.try_get("", "content_id")?,
        content: optional("content")?,
        report_type: code(&text("report_type")?)?,
        reporter: optional("reporter")?,
        reported_date: row.try_get("", "created_date")?,
        updated_date: row.try_get("", "updated_date")?,
        status: code(&text("status")?)?,
        priority: code(&text("priority")?)?,
        assigned_to: optional("assigned_to")?.as_deref().map(name).transpose()?,
        notes: optional("notes")?,
        group_id: row.try_get("", "item_id")?,
    })
}

fn entry(row: issue_history::Model) -> Result<HistoryEntry, DbErr> {
    Ok(HistoryEntry {
        id: row.id,
        date: row.entry_date,
        action: code(&row.action)?,
        by: row.actor,
        by_kind: code(&row.actor_kind)?,
        status_from: optional_code(row.status_from.as_deref())?,
        status_to: optional_code(row.status_to.as_deref())?,
        priority_from: optional_code(row.priority_from.as_deref())?,
        priority_to: optional_code(row.priority_to.as_deref())?,
        assigned_from: row.assigned_from,
        assigned_to: row.assigned_to,
        note: row.note,
    })
}

impl SeaOrmIssues {
    /// The rows of a query.
    async fn rows(&self, sql: Sql) -> Result<Vec<QueryResult>, DbErr> {
        self.0.reader.query_all_raw(sql.statement(self.0.backend())).await
    }

    async fn read_all<R>(
        &self,
        sql: Sql,
        read: impl Fn(&QueryResult) -> Result<R, DbErr>,
    ) -> Result<Vec<R>, StoreError> {
        let rows = self.rows(sql).await.map_err(store_error)?;
        rows.iter().map(read).collect::<Result<_, DbErr>>().map_err(store_error)
    }
}

async fn find(connection: &impl ConnectionTrait, id: Id) -> Result<Option<Report>, DbErr> {
    let query = Query::select().columns(COLUMNS).from(Entity).and_where(Column::Id.eq(id)).take();
    connection.query_one(&query).await?.as_ref().map(report).transpose()
}

#[async_trait]
impl IssueRepository for SeaOrmIssues {
    async fn list(&self, filter: &IssueFilter, query: &ListQuery) -> Result<Page<Vec<Report>>, StoreError> {
        self.page(filter, query).await
    }

    async fn matching_ids(
        &self,
        filter: &IssueFilter,
        query: &ListQuery,
        limit: u64,
    ) -> Result<Vec<Id>, StoreError> {
        self.ids_of_list(filter, query, limit).await
    }

    async fn write_slice(
        &self,
        slice: ReportSlice,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<SliceWritten, StoreError> {
        self.change_slice(&slice, author, now).await
    }

    async fn find(&self, id: Id) -> Result<Option<Report>, StoreError> {
        find(&self.0.reader, id).await.map_err(store_error)
    }

    async fn find_all(&self, ids: &[Id]) -> Result<Vec<Report>, StoreError> {
        let these = Column::Id.is_in(ids.iter().copied());
        let query = Query::select().columns(COLUMNS).from(Entity).and_where(these).take();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        rows.iter().map(report).collect::<Result<_, DbErr>>().map_err(store_error)
    }

    async fn history(&self, id: Id) -> Result<Vec<HistoryEntry>, StoreError> {
        let query = issue_history::Entity::find()
            .filter(issue_history::Column::ReportId.eq(id))
            .order_by_asc(issue_history::Column::Id);
        let rows = query.all(&self.0.reader).await.map_err(store_error)?;
        rows.into_iter().map(entry).collect::<Result<_, DbErr>>().map_err(store_error)
    }

    async fn items(&self, wanted: &[(IssueContentType, Id)]) -> Result<Vec<IssueItem>, StoreError> {
        self.items_of(wanted).await
    }

    async fn ids_by_title(
        &self,
        wanted: &[(IssueContentType, String)],
    ) -> Result<Vec<Option<Id>>, StoreError> {
        self.ids_of(wanted).await
    }

    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Report>>, StoreError> {
        inserted_before(&self.0.reader, once).await.map_err(store_error)
    }

    async fn insert(
        &self,
        report: &NewReport,
        author: &Author,
        now: DateTime<Utc>,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Report>, StoreError> {
        self.add(report, author, now, once.as_ref()).await
    }

    async fn change(
        &self,
        from: &Report,
        to: &ReportState,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError> {
        self.write(from, to, author, now).await
    }

    async fn delete(
        &self,
        report: &Report,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError> {
        self.erase(report, author, now).await
    }

    async fn counts(&self) -> Result<Vec<(ReportStatus, u64)>, StoreError> {
        // From the counter table, which has a few dozen rows.
        let query = Query::select()
            .column("status")
            .expr_as(Expr::col("total").sum().cast_as("bigint"), "total")
            .from("issue_reports_counts")
            .group_by_col("status")
            .take();
        let count = |row: &QueryResult| {
            let total: i64 = row.try_get("", "total")?;
            Ok((code(&row.try_get::<String>("", "status")?)?, total.unsigned_abs()))
        };
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        rows.iter().map(count).collect::<Result<_, DbErr>>().map_err(store_error)
    }

    async fn staff(&self, roles: &[RoleCode]) -> Result<Vec<UserRef>, StoreError> {
        let query = users::Entity::find()
            .select_only()
            .columns([users::Column::Username, users::Column::FullName])
            .filter(users::Column::Status.eq(UserStatus::Active.code()))
            .filter(users::Column::Role.is_in(roles.iter().map(|role| role.code())))
            .order_by_asc(users::Column::FullNameKey)
            .order_by_asc(users::Column::Id)
            .into_tuple::<(String, String)>();
        let rows = query.all(&self.0.reader).await.map_err(store_error)?;
        let assignee =
            |(name, full_name): (String, String)| Ok(UserRef { username: username(&name)?, full_name });
        rows.into_iter().map(assignee).collect()
    }

    async fn groups(
        &self,
        content_type: Option<IssueContentType>,
        query: &ListQuery,
    ) -> Result<Page<Vec<IssueGroup>>, StoreError> {
        self.page_of_groups(content_type, query).await
    }

    async fn import(&self, batch: Vec<ImportedReport>, now: DateTime<Utc>) -> Result<Vec<bool>, StoreError> {
        self.import_batch(batch, now).await
    }
}
