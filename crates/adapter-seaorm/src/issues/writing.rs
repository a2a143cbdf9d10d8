//! Taking reports in, changing and removing them. What was done is written down in the same transaction.

use chrono::{DateTime, Utc};
use domain_issues::{Author, HistoryAction, NewReport, Priority, Report, ReportStatus, search_text};
use domain_kernel::{Enumeration, Id, fold, order_key};
use ports::{IdempotencyKey, Inserted, ReportState, StoreError, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryTrait,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{SeaOrmIssues, broken, find, report, returned};
use crate::{
    db::{
        error::{is_overtaken, is_serialization_failure, store_error},
        retries::tried,
        transaction::Transaction,
    },
    entities::{
        issue_history,
        issue_reports::{ActiveModel, Column, Entity},
    },
    idempotency::{inserted_before, keep_answer},
    report_items::{folded, key_of, titled_item},
};

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
        Some(id) => key_of(new.content_type, id),
        None => format!("{kind}/~{}", Some(fold(&title)).filter(|folded| !folded.is_empty())?),
    };
    Some((key, title))
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
        let transaction = self.0.begin().await?;
        if let Some(once) = once
            && let Some(before) = inserted_before(&transaction, once).await?
        {
            return Ok(before);
        }
        let item = match item_of(new) {
            Some((key, title)) => {
                Some(titled_item(&transaction, new.content_type, new.content_id, &key, &title).await?)
            }
            None => None,
        };
        let mut insert = Entity::insert(new_row(new, item, now)).into_query();
        let row = transaction.query_one(insert.returning(returned())).await?;
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
        let transaction = self.0.begin().await?;
        if let Some(item) = from.group_id {
            self.hold_item(&transaction, item).await?;
        }
        let written = self.write_in(&transaction, from, to, author, now).await?;
        if matches!(written, Written::Done(_)) {
            transaction.commit().await?;
        }
        Ok(written)
    }

    /// Changes a report in this transaction, which holds the item that it is about. Nothing is written unless it answers
    /// [`Written::Done`].
    pub(super) async fn write_in(
        &self,
        transaction: &Transaction,
        from: &Report,
        to: &ReportState,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, DbErr> {
        let update = Query::update()
            .table(Entity)
            .values([
                (Column::Status, to.status.code().into()),
                (Column::Priority, to.priority.code().into()),
                (Column::AssignedTo, to.assigned_to.as_ref().map(ToString::to_string).into()),
                (Column::Notes, to.notes.clone().into()),
                (Column::UpdatedDate, now.into()),
                (Column::Version, Expr::col(Column::Version).add(1)),
            ])
            .and_where(Column::Id.eq(from.id))
            .and_where(Column::Version.eq(from.version))
            .returning(returned())
            .take();
        let Some(row) = transaction.query_one(&update).await? else {
            let now = find(transaction, from.id).await?;
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
        self.write_down(transaction, &entry, author, now).await?;
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
        let delete =
            Entity::delete_many().filter(Column::Id.eq(gone.id)).filter(Column::Version.eq(gone.version));
        if delete.exec(&transaction).await?.rows_affected == 0 {
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
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let row = issue_history::ActiveModel {
            report_id: Set(entry.report),
            action: Set(entry.action.code().to_owned()),
            actor: Set(author.name.clone()),
            actor_kind: Set(author.kind.code().to_owned()),
            status_from: Set(owned(entry.status.0)),
            status_to: Set(owned(entry.status.1)),
            priority_from: Set(owned(entry.priority.0)),
            priority_to: Set(owned(entry.priority.1)),
            assigned_from: Set(owned(entry.assigned.0)),
            assigned_to: Set(owned(entry.assigned.1)),
            note: Set(owned(entry.note)),
            entry_date: Set(now),
            ..issue_history::ActiveModel::default()
        };
        issue_history::Entity::insert(row).exec_without_returning(transaction).await.map(drop)
    }
}

/// A report as it arrives.
pub(super) fn new_row(new: &NewReport, item: Option<Id>, now: DateTime<Utc>) -> ActiveModel {
    ActiveModel {
        status: Set(ReportStatus::Reported.code().to_owned()),
        content_type: Set(new.content_type.code().to_owned()),
        content_id: Set(new.content_id),
        item_id: Set(item),
        report_type: Set(new.report_type.code().to_owned()),
        priority: Set(Priority::default().code().to_owned()),
        title: Set(new.title.clone()),
        title_key: Set(order_key(&new.title)),
        content: Set(new.content.clone()),
        reporter: Set(new.reporter.clone()),
        description: Set(new.description.clone()),
        search_text: Set(folded_search_text(new)),
        created_date: Set(now),
        updated_date: Set(now),
        ..ActiveModel::default()
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
