//! Taking reports in, changing and removing them. What was done is written down in the same transaction.

use chrono::{DateTime, Utc};
use domain_issues::{
    Author, HistoryAction, IssueContentType, NewReport, Priority, Report, ReportStatus, search_text,
    seen_in_group,
};
use domain_kernel::{Enumeration, Id, fold, order_key};
use ports::{IdempotencyKey, Inserted, ReportState, StoreError, Written};
use sea_orm::{ConnectionTrait, DbErr};

use super::{SeaOrmIssues, broken, columns, find, report};
use crate::{
    db::{
        error::{is_overtaken, is_serialization_failure, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    idempotency::{Earlier, answered, keep_answer},
};

/// Folded line by line: what the search looks in.
pub(super) fn folded(seen: &str) -> String {
    seen.lines().map(fold).collect::<Vec<_>>().join("\n")
}

/// What the search looks in.
pub(super) fn folded_search_text(new: &NewReport) -> String {
    let (content, description) = (new.content.as_deref(), new.description.as_deref());
    folded(&search_text(&new.title, content, description, new.content_type, new.report_type))
}

/// The item that a report is about: its key, and its name. `None` where nobody knows.
pub(super) fn item_of(new: &NewReport) -> Option<(String, String)> {
    let kind = new.content_type.code();
    let title = new.content.clone()?;
    let key = match new.content_id {
        Some(id) => format!("{kind}/{id}"),
        None => format!("{kind}/~{}", Some(fold(&title)).filter(|folded| !folded.is_empty())?),
    };
    Some((key, title))
}

/// What search finds a group by.
pub(super) fn group_text(title: &str, content_type: IssueContentType) -> String {
    folded(&seen_in_group(title, content_type))
}

impl SeaOrmIssues {
    pub(super) async fn add(
        &self,
        new: &NewReport,
        author: &Author,
        now: DateTime<Utc>,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<Report>, StoreError> {
        tried(is_overtaken, || self.try_add(new, author, now, once)).await.map_err(store_error)
    }

    async fn try_add(
        &self,
        new: &NewReport,
        author: &Author,
        now: DateTime<Utc>,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<Report>, DbErr> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        if let Some(once) = once {
            match answered(&transaction, once).await? {
                Some(Earlier::KeyReused) => return Ok(Inserted::KeyReused),
                Some(Earlier::Replayed(answer)) => {
                    return serde_json::from_str(&answer).map(Inserted::Replayed).map_err(broken);
                }
                None => {}
            }
        }
        let item = match item_of(new) {
            Some((key, title)) => Some(self.add_item(&transaction, new, &key, &title).await?),
            None => None,
        };
        let mut sql = Sql::new(
            "INSERT INTO issue_reports (status, content_type, content_id, item_id, report_type, priority, title, title_key, \
             content, reporter, description, search_text, created_date, updated_date) VALUES (",
        );
        sql.bind(ReportStatus::Reported.code()).push(", ").bind(new.content_type.code()).push(", ");
        sql.bind(new.content_id).push(", ").bind(item).push(", ").bind(new.report_type.code()).push(", ");
        sql.bind(Priority::default().code()).push(", ").bind(new.title.as_str()).push(", ");
        sql.bind(order_key(&new.title)).push(", ").bind(new.content.clone()).push(", ");
        sql.bind(new.reporter.clone()).push(", ").bind(new.description.clone()).push(", ");
        sql.bind(folded_search_text(new)).push(", ").bind(now).push(", ").bind(now);
        sql.push(&format!(") RETURNING {}", columns("")));
        let row = transaction.query_one_raw(sql.statement(backend)).await?;
        let added = report(&row.ok_or_else(|| broken("a report is gone in its own transaction"))?)?;
        let reported = Entry { action: HistoryAction::Reported, ..Entry::of(added.id) };
        let reported = Entry { status: (None, Some(added.status.code())), ..reported };
        self.write_down(&transaction, &reported, author, now).await?;
        if let Some(once) = once {
            let answer = serde_json::to_string(&added).map_err(broken)?;
            keep_answer(&transaction, once, answer, now).await?;
        }
        transaction.commit().await?;
        Ok(Inserted::New(added))
    }

    /// The item with this key, under the name that it has by now.
    async fn add_item(
        &self,
        transaction: &Transaction,
        new: &NewReport,
        key: &str,
        title: &str,
    ) -> Result<Id, DbErr> {
        let mut sql = Sql::new(
            "INSERT INTO issue_items (content_type, content_id, title, item_key, search_text) VALUES (",
        );
        sql.bind(new.content_type.code()).push(", ").bind(new.content_id).push(", ").bind(title).push(", ");
        sql.bind(key).push(", ").bind(group_text(title, new.content_type));
        sql.push(
            ") ON CONFLICT (item_key) DO UPDATE SET title = excluded.title, search_text = excluded.search_text \
             RETURNING id",
        );
        let row = transaction.query_one_raw(sql.statement(self.0.backend())).await?;
        row.ok_or_else(|| broken("an item is gone in its own transaction"))?.try_get("", "id")
    }

    pub(super) async fn write(
        &self,
        from: &Report,
        to: &ReportState,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError> {
        tried(is_serialization_failure, || self.try_write(from, to, author, now)).await.map_err(store_error)
    }

    async fn try_write(
        &self,
        from: &Report,
        to: &ReportState,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, DbErr> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        if let Some(item) = from.group_id {
            self.hold_item(&transaction, item).await?;
        }
        let mut sql = Sql::new("UPDATE issue_reports SET status = ");
        sql.bind(to.status.code()).push(", priority = ").bind(to.priority.code()).push(", assigned_to = ");
        sql.bind(to.assigned_to.as_ref().map(ToString::to_string)).push(", notes = ").bind(to.notes.clone());
        sql.push(", updated_date = ").bind(now).push(", version = version + 1 WHERE id = ").bind(from.id);
        sql.push(" AND version = ").bind(from.version).push(&format!(" RETURNING {}", columns("")));
        let Some(row) = transaction.query_one_raw(sql.statement(backend)).await? else {
            let now = find(&transaction, from.id).await?;
            return Ok(now.map_or(Written::Missing, Written::Outdated));
        };
        let changed = report(&row)?;
        let (before, after) = (from.assigned_to.as_ref(), to.assigned_to.as_ref());
        let entry = Entry {
            status: moved(from.status.code(), to.status.code()),
            priority: moved(from.priority.code(), to.priority.code()),
            assigned: if before == after {
                (None, None)
            } else {
                (before.map(domain_kernel::Username::as_str), after.map(domain_kernel::Username::as_str))
            },
            note: (from.notes != to.notes).then(|| to.notes.as_deref().unwrap_or_default()),
            ..Entry::of(from.id)
        };
        self.write_down(&transaction, &entry, author, now).await?;
        transaction.commit().await?;
        Ok(Written::Done(changed))
    }

    pub(super) async fn erase(
        &self,
        gone: &Report,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError> {
        tried(is_serialization_failure, || self.try_erase(gone, author, now)).await.map_err(store_error)
    }

    async fn try_erase(
        &self,
        gone: &Report,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(item) = gone.group_id {
            self.hold_item(&transaction, item).await?;
        }
        let mut sql = Sql::new("DELETE FROM issue_reports WHERE id = ");
        sql.bind(gone.id).push(" AND version = ").bind(gone.version);
        let done = transaction.execute_raw(sql.statement(self.0.backend())).await?;
        if done.rows_affected() == 0 {
            let now = find(&transaction, gone.id).await?;
            return Ok(now.map_or(Written::Missing, Written::Outdated));
        }
        let entry = Entry {
            action: HistoryAction::Deleted,
            status: (Some(gone.status.code()), None),
            note: Some(&gone.title),
            ..Entry::of(gone.id)
        };
        self.write_down(&transaction, &entry, author, now).await?;
        transaction.commit().await?;
        Ok(Written::Done(gone.clone()))
    }

    async fn write_down(
        &self,
        transaction: &Transaction,
        entry: &Entry<'_>,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let mut sql = Sql::new(
            "INSERT INTO issue_history (report_id, action, actor, actor_kind, status_from, status_to, priority_from, \
             priority_to, assigned_from, assigned_to, note, entry_date) VALUES (",
        );
        sql.bind(entry.report).push(", ").bind(entry.action.code()).push(", ").bind(author.name.as_str());
        sql.push(", ").bind(author.kind.code());
        for (from, to) in [entry.status, entry.priority, entry.assigned] {
            sql.push(", ").bind(from.map(str::to_owned)).push(", ").bind(to.map(str::to_owned));
        }
        sql.push(", ").bind(entry.note.map(str::to_owned)).push(", ").bind(now).push(")");
        transaction.execute_raw(sql.statement(self.0.backend())).await.map(drop)
    }
}

type Moved<'a> = (Option<&'a str>, Option<&'a str>);

/// Both sides, where they differ.
fn moved<'a>(from: &'a str, to: &'a str) -> Moved<'a> {
    if from == to { (None, None) } else { (Some(from), Some(to)) }
}

/// What is written down of something that was done.
struct Entry<'a> {
    report: Id,
    action: HistoryAction,
    status: Moved<'a>,
    priority: Moved<'a>,
    assigned: Moved<'a>,
    note: Option<&'a str>,
}

impl Entry<'_> {
    /// A change of nothing yet.
    fn of(report: Id) -> Self {
        let (status, priority, assigned) = ((None, None), (None, None), (None, None));
        Self { report, action: HistoryAction::Changed, status, priority, assigned, note: None }
    }
}
