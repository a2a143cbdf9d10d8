//! Retention of data. The server's job removes expired rows batch by batch.

use std::sync::Arc;

use chrono::TimeDelta;
use domain_catalogue::TRASH_DAYS;
use domain_live::link::ON_DEMAND_DAYS;
use ports::{Aged, Retention};

use crate::{Calendar, Error};

/// Maximum rows removed per transaction, so that other writers wait briefly. Only the parts of one show of the trash
/// may exceed it.
const BATCH: u32 = 500;
/// Retention of bulk operations, in days (docs/spec/operations.md#retention).
const OPERATIONS_DAYS: i64 = 30;
/// Retention of link changes and daily probe counts, in days
/// (docs/spec/live-tv.md#links-that-play).
const LINK_HISTORY_DAYS: i64 = 180;
/// Retention of import files without an operation, in days.
const SHEETS_DAYS: i64 = 1;

/// Configured retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    pub visits_days: u16,
    /// Deliveries that arrived or failed permanently, in days.
    pub deliveries_days: u16,
    pub idempotency_days: u16,
    pub audit_days: u16,
}

impl RetentionPolicy {
    fn age(&self, what: Aged) -> TimeDelta {
        TimeDelta::days(match what {
            // An ended session has no use.
            Aged::Sessions => 0,
            Aged::IdempotencyKeys => self.idempotency_days.into(),
            Aged::Visits => self.visits_days.into(),
            Aged::Deliveries => self.deliveries_days.into(),
            Aged::Operations => OPERATIONS_DAYS,
            Aged::Sheets => SHEETS_DAYS,
            Aged::Trash => TRASH_DAYS,
            // The audit log has the changes that replaced them.
            Aged::AuditEntries | Aged::ReplacedStreams => self.audit_days.into(),
            Aged::RequestedLinks => ON_DEMAND_DAYS,
            Aged::LinkChanges | Aged::LinkDays | Aged::LinkHostDays | Aged::LinkHosts => LINK_HISTORY_DAYS,
        })
    }
}

/// Removes expired rows.
pub struct RetentionService {
    store: Arc<dyn Retention>,
    calendar: Calendar,
    policy: RetentionPolicy,
}

impl RetentionService {
    /// Every table with a retention.
    pub const ALL: [Aged; 14] = [
        Aged::Sessions,
        Aged::IdempotencyKeys,
        Aged::Deliveries,
        Aged::Visits,
        Aged::Operations,
        Aged::Sheets,
        Aged::Trash,
        Aged::AuditEntries,
        Aged::ReplacedStreams,
        Aged::LinkChanges,
        Aged::RequestedLinks,
        Aged::LinkDays,
        Aged::LinkHostDays,
        Aged::LinkHosts,
    ];

    pub fn new(store: Arc<dyn Retention>, calendar: Calendar, policy: RetentionPolicy) -> Self {
        Self { store, calendar, policy }
    }

    /// Removes one batch; returns whether there may be more.
    pub async fn remove_batch(&self, what: Aged) -> Result<bool, Error> {
        let now = self.calendar.now();
        let before = now - self.policy.age(what);
        Ok(self.store.remove(what, before, now, BATCH).await? >= u64::from(BATCH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name in the documented table, for entries without a setting.
    fn row(what: Aged) -> Option<&'static str> {
        match what {
            Aged::Sessions
            | Aged::IdempotencyKeys
            | Aged::Visits
            | Aged::Deliveries
            | Aged::AuditEntries
            | Aged::ReplacedStreams => None,
            Aged::Operations => Some("bulk operations and their rows"),
            Aged::Sheets => Some("files uploaded for an import that no operation is about"),
            Aged::Trash => Some("content in the trash"),
            Aged::RequestedLinks => Some("links of movies and other items that were not requested again"),
            Aged::LinkChanges | Aged::LinkDays | Aged::LinkHostDays | Aged::LinkHosts => {
                Some("changes of links, and their probes by day")
            }
        }
    }

    #[test]
    fn the_specification_has_the_retention_of_each_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/operations.md");
        let page = std::fs::read_to_string(page).unwrap();
        let policy =
            RetentionPolicy { visits_days: 1, deliveries_days: 1, idempotency_days: 1, audit_days: 1 };
        for what in RetentionService::ALL {
            let Some(name) = row(what) else { continue };
            let days = policy.age(what).num_days();
            let line = format!("| {name} | {days} {} |", if days == 1 { "day" } else { "days" });
            assert!(page.lines().any(|found| found == line), "{line}");
        }
    }
}
