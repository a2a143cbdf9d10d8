//! Adding, changing and removing reports, with history entries in the same transaction.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain_issues::{Author, HistoryAction, NewReport, Priority, Report, ReportStatus, search_text};
use domain_kernel::{Enumeration, Id, Username, fold, order_key};
use domain_operations::Verdict;
use ports::{IdempotencyKey, Inserted, ReportState, StoreError, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Value,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{
    SeaOrmIssues, find,
    recording::{edit_by, record_of_change, record_of_deletion},
    report, returned,
};
use crate::{
    audit::{record, record_one},
    db::{
        error::{is_overtaken, is_serialization_failure, store_error},
        retries::tried,
        sql::{of, values_as_v},
        transaction::Transaction,
        values::text_of,
    },
    entities::{
        issue_history,
        issue_reports::{ActiveModel, Column, Entity},
    },
    idempotency::{inserted_before, keep_answer},
    report_items::{folded, key_of, titled_item},
};

/// The text for searches.
pub(super) fn folded_search_text(new: &NewReport) -> String {
    let (content, description) = (new.content.as_deref(), new.description.as_deref());
    folded(&search_text(&new.title, content, description, new.content_type, new.report_type))
}

/// The item of a report: its key, and its name. `None` if it is unknown.
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
        let added =
            report(&row.ok_or_else(|| DbErr::Custom("a report is missing in its transaction".into()))?)?;
        let reported = Entry { action: HistoryAction::Reported, ..Entry::of(added.id) };
        let reported = Entry { status: (None, Some(added.status.code())), ..reported };
        self.write_down(&transaction, &reported, author, now).await?;
        if let Some(once) = once {
            let answer = text_of(&added)?;
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

    /// Changes a report in this transaction, which has locked its item. Nothing is written unless
    /// it returns [`Written::Done`].
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
        self.write_down(transaction, &Entry::of_change(from, to), author, now).await?;
        record_one(transaction, &edit_by(author, now), record_of_change(from, to)).await?;
        Ok(Written::Done(changed))
    }

    /// Changes several reports in common statements. Returns the results of those that were changed
    /// since they were read.
    pub(super) async fn write_all(
        &self,
        transaction: &Transaction,
        changes: &[&(Report, ReportState)],
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<HashMap<Id, Verdict>, DbErr> {
        let row = |(from, to): &&(Report, ReportState)| -> [Value; 6] {
            [
                from.id.into(),
                from.version.into(),
                to.status.code().into(),
                to.priority.code().into(),
                to.assigned_to.as_ref().map(ToString::to_string).into(),
                to.notes.clone().into(),
            ]
        };
        let update = Query::update()
            .table(Entity)
            .values([
                (Column::Status, of("v", "column3")),
                (Column::Priority, of("v", "column4")),
                (Column::AssignedTo, of("v", "column5")),
                (Column::Notes, of("v", "column6")),
                (Column::UpdatedDate, now.into()),
                (Column::Version, Expr::col(Column::Version).add(1)),
            ])
            .from(values_as_v(changes.iter().map(row)))
            .and_where(of("issue_reports", Column::Id).eq(of("v", "column1")))
            .and_where(of("issue_reports", Column::Version).eq(of("v", "column2")))
            .returning(Query::returning().column(Column::Id))
            .take();
        let rows = transaction.query_all(&update).await?;
        let changed: HashSet<Id> = rows.iter().map(|row| row.try_get("", "id")).collect::<Result<_, _>>()?;
        let done: Vec<&(Report, ReportState)> =
            changes.iter().copied().filter(|(from, _)| changed.contains(&from.id)).collect();
        if !done.is_empty() {
            let entries = done.iter().map(|(from, to)| Entry::of_change(from, to).row(author, now));
            issue_history::Entity::insert_many(entries).exec_without_returning(transaction).await?;
            let records = done.iter().map(|(from, to)| record_of_change(from, to)).collect();
            record(transaction, &edit_by(author, now), records).await?;
        }
        let others = changes.iter().map(|(from, _)| from.id).filter(|id| !changed.contains(id));
        verdicts_of(transaction, others.collect()).await
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
        if !self.erase_all(&transaction, &[gone], author, now).await?.is_empty() {
            let now = find(&transaction, gone.id).await?;
            return Ok(now.map_or(Written::Missing, Written::Outdated));
        }
        transaction.commit().await?;
        Ok(Written::Done(gone.clone()))
    }

    /// Deletes several reports, whose items are locked, in common statements. Returns the results of
    /// those that were changed since they were read.
    pub(super) async fn erase_all(
        &self,
        transaction: &Transaction,
        gone: &[&Report],
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<HashMap<Id, Verdict>, DbErr> {
        let as_read = |report: &&Report| Column::Id.eq(report.id).and(Column::Version.eq(report.version));
        let delete = Query::delete()
            .from_table(Entity)
            .and_where(Column::Id.is_in(gone.iter().map(|report| report.id)))
            .cond_where(gone.iter().map(as_read).fold(Condition::any(), Condition::add))
            .returning(Query::returning().column(Column::Id))
            .take();
        let rows = transaction.query_all(&delete).await?;
        let erased: HashSet<Id> = rows.iter().map(|row| row.try_get("", "id")).collect::<Result<_, _>>()?;
        let done: Vec<&Report> = gone.iter().copied().filter(|report| erased.contains(&report.id)).collect();
        if !done.is_empty() {
            let entries = done.iter().map(|report| Entry::of_deletion(report).row(author, now));
            issue_history::Entity::insert_many(entries).exec_without_returning(transaction).await?;
            let records = done.iter().map(|report| record_of_deletion(report)).collect();
            record(transaction, &edit_by(author, now), records).await?;
        }
        let others = gone.iter().map(|report| report.id).filter(|id| !erased.contains(id));
        verdicts_of(transaction, others.collect()).await
    }

    async fn write_down(
        &self,
        transaction: &Transaction,
        entry: &Entry<'_>,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let row = entry.row(author, now);
        issue_history::Entity::insert(row).exec_without_returning(transaction).await.map(drop)
    }
}

/// The results of reports that were changed since they were read, or deleted.
async fn verdicts_of(transaction: &Transaction, ids: Vec<Id>) -> Result<HashMap<Id, Verdict>, DbErr> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Id.is_in(ids.iter().copied()))
        .into_tuple::<Id>()
        .all(transaction)
        .await?;
    let verdict = |id: &Id| if found.contains(id) { Verdict::Conflict } else { Verdict::Missing };
    Ok(ids.iter().map(|id| (*id, verdict(id))).collect())
}

/// The row of a new report.
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

/// Both values, if they differ.
fn moved<'a>(from: &'a str, to: &'a str) -> Moved<'a> {
    if from == to { (None, None) } else { (Some(from), Some(to)) }
}

/// A history entry.
struct Entry<'a> {
    report: Id,
    action: HistoryAction,
    status: Moved<'a>,
    priority: Moved<'a>,
    assigned: Moved<'a>,
    note: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// An entry without changes.
    fn of(report: Id) -> Self {
        let (status, priority, assigned) = ((None, None), (None, None), (None, None));
        Self { report, action: HistoryAction::Changed, status, priority, assigned, note: None }
    }

    /// The entry for the deletion of a report.
    fn of_deletion(gone: &'a Report) -> Self {
        Self {
            action: HistoryAction::Deleted,
            status: (Some(gone.status.code()), None),
            note: Some(&gone.title),
            ..Self::of(gone.id)
        }
    }

    /// The entry for a change of a report.
    fn of_change(from: &'a Report, to: &'a ReportState) -> Self {
        let (before, after) = (from.assigned_to.as_ref(), to.assigned_to.as_ref());
        Self {
            status: moved(from.status.code(), to.status.code()),
            priority: moved(from.priority.code(), to.priority.code()),
            assigned: if before == after {
                (None, None)
            } else {
                (before.map(Username::as_str), after.map(Username::as_str))
            },
            note: (from.notes != to.notes).then(|| to.notes.as_deref().unwrap_or_default()),
            ..Self::of(from.id)
        }
    }

    fn row(&self, author: &Author, now: DateTime<Utc>) -> issue_history::ActiveModel {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        issue_history::ActiveModel {
            report_id: Set(self.report),
            action: Set(self.action.code().to_owned()),
            actor: Set(author.name.clone()),
            actor_kind: Set(author.kind.code().to_owned()),
            status_from: Set(owned(self.status.0)),
            status_to: Set(owned(self.status.1)),
            priority_from: Set(owned(self.priority.0)),
            priority_to: Set(owned(self.priority.1)),
            assigned_from: Set(owned(self.assigned.0)),
            assigned_to: Set(owned(self.assigned.1)),
            note: Set(owned(self.note)),
            entry_date: Set(now),
            ..issue_history::ActiveModel::default()
        }
    }
}
