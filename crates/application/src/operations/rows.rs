//! Outcomes of the items of an operation.

use domain_kernel::{Action, Actor, Enumeration, FilterKind, FilterValue, Id, MAX_PAGE_SIZE};
use domain_operations::{BulkOperation, OperationRow, Verdict};
use ports::RowFilter;
use serde_json::json;

use super::{OperationService, permissions::permission};
use crate::{AuditService, Error, ListShape, read_list_query};

/// Default page size of rows.
const ROWS: u32 = 100;

/// Progress of reading failed items.
#[derive(Debug)]
pub struct FailedRows {
    operation: BulkOperation,
    /// Verdicts to read; the last one is next.
    verdicts: Vec<Verdict>,
    offset: u64,
}

impl OperationService {
    /// List parameters of an operation's rows.
    fn rows_shape() -> ListShape {
        ListShape {
            page_size: ROWS,
            sorts: vec!["position"],
            filters: &[("verdict", FilterKind::Code(Verdict::CODES)), ("problems", FilterKind::Flag)],
        }
    }

    /// A page of an operation's rows, in the order of its items. Requires the permission to read
    /// the items.
    pub async fn rows(
        &self,
        actor: &Actor,
        id: Id,
        pairs: &[(String, String)],
    ) -> Result<Vec<OperationRow>, Error> {
        let operation = self.find(actor, id).await?;
        actor.require(permission(operation.resource, Action::Read))?;
        let query = read_list_query(&Self::rows_shape(), pairs)?;
        let verdict = query.filters.iter().find_map(|filter| match filter.value {
            FilterValue::Code(code) => Verdict::from_code(code),
            _ => None,
        });
        let has_problems = query.filters.iter().any(|filter| filter.value == FilterValue::Flag(true));
        let filter = RowFilter { verdict, has_problems };
        Ok(self.operations.rows(&operation, filter, query.offset(), query.size.into()).await?)
    }

    /// Begins to read the items that were not changed as requested: rejected, in conflict, missing,
    /// or partially changed. Recorded in the audit log, because rows of user imports contain their
    /// data.
    pub async fn failures(&self, audit: &AuditService, actor: &Actor, id: Id) -> Result<FailedRows, Error> {
        let operation = self.find(actor, id).await?;
        actor.require(permission(operation.resource, Action::Read))?;
        let after =
            [("format".to_owned(), json!("csv")), ("kind".to_owned(), json!(operation.resource.path()))];
        let item = (operation.id.to_string(), format!("#{}", operation.id));
        audit.record_export(actor, "operations", item, after.into_iter().collect()).await?;
        Ok(FailedRows {
            operation,
            verdicts: vec![Verdict::Changed, Verdict::Missing, Verdict::Conflict, Verdict::Refused],
            offset: 0,
        })
    }

    /// The next rows; empty after the last.
    pub async fn next_failures(&self, failed: &mut FailedRows) -> Result<Vec<OperationRow>, Error> {
        while let Some(verdict) = failed.verdicts.last().copied() {
            let limit = MAX_PAGE_SIZE.into();
            let filter = RowFilter { verdict: Some(verdict), has_problems: verdict == Verdict::Changed };
            let rows = self.operations.rows(&failed.operation, filter, failed.offset, limit).await?;
            if !rows.is_empty() {
                failed.offset += limit;
                return Ok(rows);
            }
            failed.verdicts.pop();
            failed.offset = 0;
        }
        Ok(Vec::new())
    }
}
