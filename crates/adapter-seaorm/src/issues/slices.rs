//! Bulk operations on reports: which the list shows, and the change of a slice of them.

use chrono::{DateTime, Utc};
use domain_issues::Author;
use domain_kernel::{Id, ListQuery};
use domain_operations::Verdict;
use ports::{IssueFilter, ReportSlice, SliceWritten, StoreError, Written};
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
        // In one order, so that nobody waits for each other.
        let mut groups: Vec<Id> =
            slice.items.iter().filter_map(|item| item.change.as_ref()?.0.group_id).collect();
        groups.sort_unstable();
        groups.dedup();
        for group in groups {
            self.hold_item(&transaction, group).await?;
        }
        let mut rows = Vec::with_capacity(slice.items.len());
        for item in &slice.items {
            let mut row = item.row.clone();
            if let Some((from, to)) = &item.change {
                match self.write_in(&transaction, from, to, author, now).await? {
                    Written::Done(_) => {}
                    Written::Missing => row.fail(Verdict::Missing, Vec::new()),
                    Written::Outdated(_) => row.fail(Verdict::Conflict, Vec::new()),
                }
            }
            rows.push(row);
        }
        match record_slice(&transaction, slice.slice, rows, now).await? {
            Some(counts) => transaction.commit().await.map(|()| SliceWritten::Done(counts)),
            None => Ok(SliceWritten::Overtaken),
        }
    }
}
