//! Imports of reports, in batches of one transaction each.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain_issues::{AuthorKind, HistoryAction};
use domain_kernel::{Enumeration, Id};
use ports::{ImportedReport, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, OnConflict, Order, Query},
};

use super::{
    SeaOrmIssues,
    writing::{item_of, new_row},
};
use crate::{
    audit::record_import,
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::insert_from,
        transaction::Transaction,
    },
    entities::{
        issue_history, issue_items,
        issue_reports::{ActiveModel, Column, Entity},
    },
    report_items::group_text,
};

/// Rows per insert: below the limit of bound values of both databases.
const ROWS: usize = 500;

impl SeaOrmIssues {
    pub(super) async fn import_batch(
        &self,
        batch: Vec<ImportedReport>,
        now: DateTime<Utc>,
    ) -> Result<Vec<bool>, StoreError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        // It locks many items in the file's order, so that PostgreSQL may abort it after a
        // deadlock.
        tried(is_overtaken, || self.take_batch(&batch, now)).await.map_err(store_error)
    }

    async fn take_batch(&self, batch: &[ImportedReport], now: DateTime<Utc>) -> Result<Vec<bool>, DbErr> {
        let transaction = self.0.begin().await?;
        let mut known = self.known(&transaction, batch).await?;
        // The first of two equal reports is kept.
        let new: Vec<bool> = batch.iter().map(|one| known.insert(one.natural_key.clone())).collect();
        let added: Vec<&ImportedReport> =
            batch.iter().zip(&new).filter(|(_, new)| **new).map(|(one, _)| one).collect();
        for rows in added.chunks(ROWS) {
            let items = self.take_items(&transaction, rows).await?;
            self.take_rows(&transaction, rows, &items, now).await?;
        }
        record_import(&transaction, "issue-reports", &[("created", added.len())], now).await?;
        transaction.commit().await?;
        Ok(new)
    }

    async fn known(
        &self,
        transaction: &Transaction,
        batch: &[ImportedReport],
    ) -> Result<HashSet<String>, DbErr> {
        let mut known = HashSet::new();
        for batch in batch.chunks(ROWS) {
            let keys = Entity::find()
                .select_only()
                .column(Column::NaturalKey)
                .filter(Column::NaturalKey.is_in(batch.iter().map(|one| one.natural_key.as_str())));
            known.extend(keys.into_tuple::<String>().all(transaction).await?);
        }
        Ok(known)
    }

    /// The items of the reports, by their keys.
    async fn take_items(
        &self,
        transaction: &Transaction,
        rows: &[&ImportedReport],
    ) -> Result<HashMap<String, Id>, DbErr> {
        let mut items: HashMap<String, Id> = HashMap::new();
        let mut new = Vec::new();
        for one in rows {
            let Some((key, title)) = item_of(&one.report) else { continue };
            if items.contains_key(&key) {
                continue;
            }
            new.push(issue_items::ActiveModel {
                content_type: Set(one.report.content_type.code().to_owned()),
                content_id: Set(one.report.content_id),
                search_text: Set(group_text(&title, one.report.content_type)),
                title: Set(title),
                item_key: Set(key.clone()),
                ..issue_items::ActiveModel::default()
            });
            items.insert(key, 0);
        }
        if new.is_empty() {
            return Ok(items);
        }
        let kept = OnConflict::column(issue_items::Column::ItemKey).do_nothing().to_owned();
        let insert = issue_items::Entity::insert_many(new).on_conflict(kept).into_query();
        transaction.execute(&insert).await?;
        let ids = issue_items::Entity::find()
            .select_only()
            .columns([issue_items::Column::ItemKey, issue_items::Column::Id])
            .filter(issue_items::Column::ItemKey.is_in(items.keys()))
            .into_tuple::<(String, Id)>();
        items.extend(ids.all(transaction).await?);
        Ok(items)
    }

    async fn take_rows(
        &self,
        transaction: &Transaction,
        rows: &[&ImportedReport],
        items: &HashMap<String, Id>,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let new = rows.iter().map(|one| {
            let item = item_of(&one.report).and_then(|(key, _)| items.get(&key).copied());
            ActiveModel {
                status: Set(one.state.status.code().to_owned()),
                priority: Set(one.state.priority.code().to_owned()),
                assigned_to: Set(one.state.assigned_to.as_ref().map(ToString::to_string)),
                natural_key: Set(Some(one.natural_key.clone())),
                notes: Set(one.state.notes.clone()),
                created_date: Set(one.reported_date),
                ..new_row(&one.report, item, now)
            }
        });
        Entity::insert_many(new).exec_without_returning(transaction).await?;
        let reported = vec![
            (issue_history::Column::ReportId, Expr::col(Column::Id)),
            (issue_history::Column::Action, HistoryAction::Reported.code().into()),
            (issue_history::Column::Actor, "import".into()),
            (issue_history::Column::ActorKind, AuthorKind::Import.code().into()),
            (issue_history::Column::StatusTo, Expr::col(Column::Status)),
            (issue_history::Column::EntryDate, Expr::col(Column::CreatedDate)),
        ];
        let keys = rows.iter().map(|one| one.natural_key.as_str());
        let new = Query::select()
            .from(Entity)
            .and_where(Column::NaturalKey.is_in(keys))
            .order_by(Column::Id, Order::Asc)
            .take();
        transaction.execute(&insert_from(issue_history::Entity, reported, new)).await.map(drop)
    }
}
