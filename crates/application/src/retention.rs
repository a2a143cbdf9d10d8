//! How long is kept what is not kept for good. The job that removes it is driven by the server, batch by batch.

use std::sync::Arc;

use chrono::TimeDelta;
use domain_catalogue::TRASH_DAYS;
use domain_live::link::ON_DEMAND_DAYS;
use ports::{Aged, Retention};

use crate::{Calendar, Error};

/// Rows that one transaction removes at most, so that nobody waits long for it.
const BATCH: u32 = 500;
/// How long bulk operations are kept, in days (docs/spec/operations.md#retention).
const OPERATIONS_DAYS: i64 = 30;
/// How long changes of links and their probes by day are kept, in days (docs/spec/live-tv.md#links-that-play).
const LINK_HISTORY_DAYS: i64 = 180;
/// How long files of imports are kept that no operation is about, in days.
const SHEETS_DAYS: i64 = 1;

/// How long is kept what has an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Visits, in days.
    pub visits_days: u16,
    /// Deliveries that arrived or failed for good, in days.
    pub deliveries_days: u16,
    /// Idempotency keys, in days.
    pub idempotency_days: u16,
    /// Entries of the audit log, in days.
    pub audit_days: u16,
}

impl RetentionPolicy {
    fn age(&self, what: Aged) -> TimeDelta {
        TimeDelta::days(match what {
            // A session that has ended is of no use to anybody.
            Aged::Sessions => 0,
            Aged::IdempotencyKeys => self.idempotency_days.into(),
            Aged::Visits => self.visits_days.into(),
            Aged::Deliveries => self.deliveries_days.into(),
            Aged::Operations => OPERATIONS_DAYS,
            Aged::Sheets => SHEETS_DAYS,
            Aged::Trash => TRASH_DAYS,
            Aged::AuditEntries => self.audit_days.into(),
            Aged::RequestedLinks => ON_DEMAND_DAYS,
            Aged::LinkChanges | Aged::LinkDays | Aged::LinkHostDays | Aged::LinkHosts => LINK_HISTORY_DAYS,
        })
    }
}

/// Removes what has reached its age.
pub struct RetentionService {
    store: Arc<dyn Retention>,
    calendar: Calendar,
    policy: RetentionPolicy,
}

impl RetentionService {
    /// Everything that has an age.
    pub const ALL: [Aged; 13] = [
        Aged::Sessions,
        Aged::IdempotencyKeys,
        Aged::Deliveries,
        Aged::Visits,
        Aged::Operations,
        Aged::Sheets,
        Aged::Trash,
        Aged::AuditEntries,
        Aged::LinkChanges,
        Aged::RequestedLinks,
        Aged::LinkDays,
        Aged::LinkHostDays,
        Aged::LinkHosts,
    ];

    /// The removal over its port.
    pub fn new(store: Arc<dyn Retention>, calendar: Calendar, policy: RetentionPolicy) -> Self {
        Self { store, calendar, policy }
    }

    /// Removes one batch; answers whether there may be more.
    pub async fn remove_batch(&self, what: Aged) -> Result<bool, Error> {
        let before = self.calendar.now() - self.policy.age(what);
        Ok(self.store.remove(what, before, BATCH).await? >= u64::from(BATCH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the table calls what no setting keeps longer or shorter.
    fn row(what: Aged) -> Option<&'static str> {
        match what {
            Aged::Sessions | Aged::IdempotencyKeys | Aged::Visits | Aged::Deliveries | Aged::AuditEntries => {
                None
            }
            Aged::Operations => Some("bulk operations and their rows"),
            Aged::Sheets => Some("files uploaded for an import that no operation is about"),
            Aged::Trash => Some("content in the trash"),
            Aged::RequestedLinks => Some("links of movies and other items that nobody requested again"),
            Aged::LinkChanges | Aged::LinkDays | Aged::LinkHostDays | Aged::LinkHosts => {
                Some("changes of links, and their probes by day")
            }
        }
    }

    #[test]
    fn the_specification_names_what_is_kept_for_how_long() {
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
