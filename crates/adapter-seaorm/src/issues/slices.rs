//! Bulk operations on reports: the reports of a list, and the change of a slice of them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_issues::{Author, Report};
use domain_kernel::{Id, ListQuery};
use ports::{IssueFilter, ReportSlice, ReportState, SliceWritten, StoreError};
use sea_orm::DbErr;

use super::{SeaOrmIssues, listing::ReportList};
use crate::{
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
    },
    list::keys,
    operations::record_slice,
};

impl SeaOrmIssues {
    pub(super) async fn ids_of_list(
        &self,
        filter: &IssueFilter,
        query: &ListQuery,
        limit: u64,
    ) -> Result<Vec<Id>, StoreError> {
        let table = ReportList { backend: self.0.backend(), filter };
        let rows = keys(&self.0, &table, "id", query, limit).await?;
        rows.iter().map(|row| row.try_get("", "id").map_err(store_error)).collect()
    }

    pub(super) async fn change_slice(
        &self,
        slice: &ReportSlice,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<SliceWritten, StoreError> {
        tried(is_overtaken, || self.try_slice(slice, author, now)).await.map_err(store_error)
    }

    async fn try_slice(
        &self,
        slice: &ReportSlice,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<SliceWritten, DbErr> {
        let transaction = self.0.begin().await?;
        let changes: Vec<&(Report, ReportState)> =
            slice.items.iter().filter_map(|item| item.change.as_ref()).collect();
        let deletions: Vec<&Report> = slice.items.iter().filter_map(|item| item.deletes.as_ref()).collect();
        let reports = changes.iter().map(|(from, _)| from).chain(deletions.iter().copied());
        let groups: Vec<Id> = reports.filter_map(|report| report.group_id).collect();
        if !groups.is_empty() {
            self.hold_items(&transaction, &groups).await?;
        }
        let mut failed = HashMap::new();
        if !changes.is_empty() {
            failed.extend(self.write_all(&transaction, &changes, author, now).await?);
        }
        if !deletions.is_empty() {
            failed.extend(self.erase_all(&transaction, &deletions, author, now).await?);
        }
        let mut rows = Vec::with_capacity(slice.items.len());
        for item in &slice.items {
            let mut row = item.row.clone();
            let report = item.change.as_ref().map(|(from, _)| from).or(item.deletes.as_ref());
            let verdict = report.and_then(|report| failed.get(&report.id));
            if let Some(verdict) = verdict {
                row.fail(*verdict, Vec::new());
            }
            rows.push(row);
        }
        match record_slice(&transaction, slice.slice, &rows, now).await? {
            Some(counts) => transaction.commit().await.map(|()| SliceWritten::Done(counts)),
            None => Ok(SliceWritten::Overtaken),
        }
    }
}
