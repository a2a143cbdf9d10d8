//! Viewers' reports: lists, single reports with their history, changes, and the items that several complain of.

mod groups;
mod importing;
mod items;
mod listing;
mod writing;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_issues::{
    Assignee, Author, GroupChange, HistoryEntry, IssueContentType, IssueGroup, NewReport, Report,
    ReportStatus,
};
use domain_kernel::{Enumeration, Id, ListQuery, Page, RoleCode, Username};
use ports::{
    IdempotencyKey, ImportedReport, Inserted, IssueFilter, IssueItem, IssueRepository, ReportState,
    StoreError, Written,
};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    users::username,
};

/// Keeps viewers' reports.
#[derive(Debug, Clone)]
pub struct SeaOrmIssues(pub Database);

/// Somebody still has to do something about it: as the partial indexes say it.
pub(crate) const OPEN: &str = "IN ('REPORTADO', 'EN_PROGRESO')";
/// What is read of a report.
const COLUMNS: [&str; 16] = [
    "id",
    "version",
    "title",
    "description",
    "content_type",
    "content_id",
    "content",
    "report_type",
    "reporter",
    "created_date",
    "updated_date",
    "status",
    "priority",
    "assigned_to",
    "notes",
    "item_id",
];

/// The columns of a report, each after this prefix.
fn columns(prefix: &str) -> String {
    COLUMNS.map(|column| format!("{prefix}{column}")).join(", ")
}

fn broken(what: impl std::fmt::Display) -> DbErr {
    DbErr::Custom(what.to_string())
}

/// A member of an enumeration.
fn code<E: Enumeration>(text: &str) -> Result<E, DbErr> {
    E::from_code(text).ok_or_else(|| broken(format!("an unknown code, {text}")))
}

fn optional_code<E: Enumeration>(row: &QueryResult, column: &str) -> Result<Option<E>, DbErr> {
    row.try_get::<Option<String>>("", column)?.as_deref().map(code).transpose()
}

fn name(text: &str) -> Result<Username, DbErr> {
    username(text).map_err(broken)
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

fn entry(row: &QueryResult) -> Result<HistoryEntry, DbErr> {
    let text = |column: &str| row.try_get::<String>("", column);
    let optional = |column: &str| row.try_get::<Option<String>>("", column);
    Ok(HistoryEntry {
        id: row.try_get("", "id")?,
        date: row.try_get("", "entry_date")?,
        action: code(&text("action")?)?,
        by: text("actor")?,
        by_kind: code(&text("actor_kind")?)?,
        status_from: optional_code(row, "status_from")?,
        status_to: optional_code(row, "status_to")?,
        priority_from: optional_code(row, "priority_from")?,
        priority_to: optional_code(row, "priority_to")?,
        assigned_from: optional("assigned_from")?,
        assigned_to: optional("assigned_to")?,
        note: optional("note")?,
    })
}

impl SeaOrmIssues {
    /// The rows that a statement reads.
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
    let mut sql = Sql::new(format!("SELECT {} FROM issue_reports WHERE id = ", columns("")));
    sql.bind(id);
    let row = connection.query_one_raw(sql.statement(connection.get_database_backend())).await?;
    row.as_ref().map(report).transpose()
}

#[async_trait]
impl IssueRepository for SeaOrmIssues {
    async fn list(&self, filter: &IssueFilter, query: &ListQuery) -> Result<Page<Vec<Report>>, StoreError> {
        self.page(filter, query).await
    }

    async fn find(&self, id: Id) -> Result<Option<Report>, StoreError> {
        find(&self.0.reader, id).await.map_err(store_error)
    }

    async fn history(&self, id: Id) -> Result<Vec<HistoryEntry>, StoreError> {
        let mut sql = Sql::new("SELECT * FROM issue_history WHERE report_id = ");
        sql.bind(id).push(" ORDER BY id");
        self.read_all(sql, entry).await
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
        let sql = Sql::new(
            "SELECT status, CAST(sum(total) AS bigint) AS total FROM issue_reports_counts GROUP BY status",
        );
        let count = |row: &QueryResult| {
            let total: i64 = row.try_get("", "total")?;
            Ok((code(&row.try_get::<String>("", "status")?)?, total.unsigned_abs()))
        };
        self.read_all(sql, count).await
    }

    async fn staff(&self, roles: &[RoleCode]) -> Result<Vec<Assignee>, StoreError> {
        let mut sql = Sql::new("SELECT username, full_name FROM users WHERE status = 'ACTIVE' AND role IN (");
        sql.bind_all(roles.iter().map(|role| role.code())).push(") ORDER BY full_name_key, id");
        let assignee = |row: &QueryResult| {
            Ok(Assignee {
                username: name(&row.try_get::<String>("", "username")?)?,
                full_name: row.try_get("", "full_name")?,
            })
        };
        self.read_all(sql, assignee).await
    }

    async fn groups(
        &self,
        content_type: Option<IssueContentType>,
        query: &ListQuery,
    ) -> Result<Page<Vec<IssueGroup>>, StoreError> {
        self.page_of_groups(content_type, query).await
    }

    async fn has_group(&self, group: Id) -> Result<bool, StoreError> {
        let mut sql = Sql::new("SELECT id FROM issue_items WHERE id = ");
        sql.bind(group);
        Ok(!self.rows(sql).await.map_err(store_error)?.is_empty())
    }

    async fn change_group(
        &self,
        group: Id,
        change: &GroupChange,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Option<u64>, StoreError> {
        self.write_group(group, change, author, now).await
    }

    async fn import(&self, batch: Vec<ImportedReport>, now: DateTime<Utc>) -> Result<Vec<bool>, StoreError> {
        self.import_batch(batch, now).await
    }
}
