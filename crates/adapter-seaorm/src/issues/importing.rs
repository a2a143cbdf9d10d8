//! Bringing reports in, in batches of one transaction each.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain_issues::{AuthorKind, HistoryAction};
use domain_kernel::{Enumeration, Id, order_key};
use ports::{ImportedReport, StoreError};
use sea_orm::{ConnectionTrait, DbErr};

use super::{
    SeaOrmIssues,
    writing::{folded_search_text, group_text, item_of},
};
use crate::db::{
    error::{is_overtaken, store_error},
    retries::tried,
    sql::Sql,
    transaction::Transaction,
};

/// Rows of one insert: well within the values that a statement may bind on both databases.
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
        // It holds many items, in the file's order: on PostgreSQL somebody who holds one may wait for another.
        tried(is_overtaken, || self.take_batch(&batch, now)).await.map_err(store_error)
    }

    async fn take_batch(&self, batch: &[ImportedReport], now: DateTime<Utc>) -> Result<Vec<bool>, DbErr> {
        let transaction = self.0.begin().await?;
        let mut known = self.known(&transaction, batch).await?;
        // The first of two alike stands.
        let new: Vec<bool> = batch.iter().map(|one| known.insert(one.natural_key.clone())).collect();
        let added: Vec<&ImportedReport> =
            batch.iter().zip(&new).filter(|(_, new)| **new).map(|(one, _)| one).collect();
        for rows in added.chunks(ROWS) {
            let items = self.take_items(&transaction, rows).await?;
            self.take_rows(&transaction, rows, &items, now).await?;
        }
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
            let mut sql = Sql::new("SELECT natural_key FROM issue_reports WHERE natural_key IN (");
            sql.bind_all(batch.iter().map(|one| one.natural_key.as_str())).push(")");
            for row in transaction.query_all_raw(sql.statement(self.0.backend())).await? {
                known.insert(row.try_get("", "natural_key")?);
            }
        }
        Ok(known)
    }

    /// The items that reports are about, by their keys.
    async fn take_items(
        &self,
        transaction: &Transaction,
        rows: &[&ImportedReport],
    ) -> Result<HashMap<String, Id>, DbErr> {
        let backend = self.0.backend();
        let mut items: HashMap<String, Id> = HashMap::new();
        let mut sql = Sql::new(
            "INSERT INTO issue_items (content_type, content_id, title, item_key, search_text) VALUES ",
        );
        for one in rows {
            let Some((key, title)) = item_of(&one.report) else { continue };
            if items.contains_key(&key) {
                continue;
            }
            sql.push(if items.is_empty() { "(" } else { ", (" });
            sql.bind(one.report.content_type.code()).push(", ").bind(one.report.content_id).push(", ");
            sql.bind(title.as_str()).push(", ").bind(key.as_str()).push(", ");
            sql.bind(group_text(&title, one.report.content_type)).push(")");
            items.insert(key, 0);
        }
        if items.is_empty() {
            return Ok(items);
        }
        sql.push(" ON CONFLICT (item_key) DO NOTHING");
        transaction.execute_raw(sql.statement(backend)).await?;
        let mut sql = Sql::new("SELECT item_key, id FROM issue_items WHERE item_key IN (");
        sql.bind_all(items.keys().map(String::as_str)).push(")");
        for row in transaction.query_all_raw(sql.statement(backend)).await? {
            items.insert(row.try_get("", "item_key")?, row.try_get("", "id")?);
        }
        Ok(items)
    }

    async fn take_rows(
        &self,
        transaction: &Transaction,
        rows: &[&ImportedReport],
        items: &HashMap<String, Id>,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let backend = self.0.backend();
        let mut sql = Sql::new(
            "INSERT INTO issue_reports (status, content_type, content_id, item_id, report_type, priority, assigned_to, title, \
             title_key, content, reporter, natural_key, description, notes, search_text, created_date, updated_date) VALUES ",
        );
        for (index, one) in rows.iter().enumerate() {
            let (new, state) = (&one.report, &one.state);
            let item = item_of(new).and_then(|(key, _)| items.get(&key).copied());
            sql.push(if index == 0 { "(" } else { ", (" }).bind(state.status.code()).push(", ");
            sql.bind(new.content_type.code())
                .push(", ")
                .bind(new.content_id)
                .push(", ")
                .bind(item)
                .push(", ");
            sql.bind(new.report_type.code()).push(", ").bind(state.priority.code()).push(", ");
            sql.bind(state.assigned_to.as_ref().map(ToString::to_string)).push(", ");
            sql.bind(new.title.as_str()).push(", ").bind(order_key(&new.title)).push(", ");
            sql.bind(new.content.clone()).push(", ").bind(new.reporter.clone()).push(", ");
            sql.bind(one.natural_key.as_str()).push(", ").bind(new.description.clone()).push(", ");
            sql.bind(state.notes.clone()).push(", ").bind(folded_search_text(new)).push(", ");
            sql.bind(one.reported_date).push(", ").bind(now).push(")");
        }
        transaction.execute_raw(sql.statement(backend)).await?;
        let mut sql = Sql::new(
            "INSERT INTO issue_history (report_id, action, actor, actor_kind, status_to, entry_date) SELECT id, ",
        );
        sql.bind(HistoryAction::Reported.code()).push(", 'import', ").bind(AuthorKind::Import.code());
        sql.push(", status, created_date FROM issue_reports WHERE natural_key IN (");
        sql.bind_all(rows.iter().map(|one| one.natural_key.as_str())).push(") ORDER BY id");
        transaction.execute_raw(sql.statement(backend)).await.map(drop)
    }
}
