//! Backups of the database, as in their log (decisions: docs/adr/0017-backups.md).

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Id, enumeration};
use schemars::JsonSchema;
use serde::Serialize;

enumeration! {
    /// State of a backup.
    pub enum BackupState {
        /// Requested, not started.
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// Being written and verified.
        Running = "RUNNING" ("En curso", "Running"),
        /// Verified by restoring it into a scratch database.
        Good = "GOOD" ("Correcta", "Good"),
        /// No file, or none that could be restored.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

enumeration! {
    /// Origin of a backup.
    pub enum BackupOrigin {
        /// Schedule.
        Schedule = "SCHEDULE" ("Programada", "Scheduled"),
        /// Request of an admin.
        Manual = "MANUAL" ("Manual", "Manual"),
    }
}

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// Id of the backup.
    pub id: Id,
    /// Origin of the backup.
    pub origin: BackupOrigin,
    /// User name of the requesting admin; null for the schedule.
    pub requested_by: Option<String>,
    /// State of the backup.
    pub state: BackupState,
    /// File name in the folder of backups; null unless the backup is good.
    pub file_name: Option<String>,
    /// Time of the request.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: DateTime<Utc>,
    /// End of the backup.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub finished_date: Option<DateTime<Utc>>,
    /// Duration of writing and verifying, in milliseconds.
    pub duration_ms: Option<i64>,
    /// File size, in bytes.
    pub size: Option<i64>,
    /// Error output of the command.
    pub detail: Option<String>,
}

/// Schedule of automatic backups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupSchedule {
    /// Interval.
    pub every: TimeDelta,
    /// Number of good backups to keep.
    pub keep: usize,
}

impl BackupSchedule {
    /// Minimum age of the last good backup for a warning; a longer schedule adds a day to its interval.
    pub const OVERDUE_AFTER: TimeDelta = TimeDelta::days(2);
    /// Delay before the next attempt after a failure; the interval of the schedule if that is shorter.
    const RETRY_AFTER: TimeDelta = TimeDelta::hours(1);

    /// Whether a backup is due, by the start of the last good one and of the last attempt.
    pub fn is_due(
        &self,
        last_good: Option<DateTime<Utc>>,
        last_attempt: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> bool {
        let older = |date: Option<DateTime<Utc>>, age: TimeDelta| date.is_none_or(|date| now - date >= age);
        older(last_good, self.every) && older(last_attempt, self.every.min(Self::RETRY_AFTER))
    }

    /// Whether the last good backup is overdue.
    pub fn is_overdue(&self, last_good: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
        let age = Self::OVERDUE_AFTER.max(self.every + TimeDelta::days(1));
        last_good.is_none_or(|date| now - date > age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_due_after_its_interval_and_sooner_again_after_a_failure() {
        let schedule = BackupSchedule { every: TimeDelta::hours(24), keep: 7 };
        let now: DateTime<Utc> = "2026-11-22T10:00:00Z".parse().unwrap();
        let ago = |minutes| Some(now - TimeDelta::minutes(minutes));
        assert!(schedule.is_due(None, None, now), "the first one at once");
        assert!(!schedule.is_due(ago(60), ago(60), now));
        assert!(schedule.is_due(ago(24 * 60), ago(24 * 60), now));
        assert!(!schedule.is_due(ago(30 * 60), ago(59), now), "a failure is not repeated at once");
        assert!(schedule.is_due(ago(30 * 60), ago(60), now));
        assert!(!schedule.is_overdue(ago(48 * 60), now));
        assert!(schedule.is_overdue(ago(48 * 60 + 1), now));
        assert!(schedule.is_overdue(None, now));
        let weekly = BackupSchedule { every: TimeDelta::days(7), keep: 7 };
        assert!(
            !weekly.is_overdue(ago(8 * 24 * 60), now),
            "a weekly backup may be a week old, and late by a day"
        );
        assert!(weekly.is_overdue(ago(8 * 24 * 60 + 1), now));
    }
}
