//! Backups of the database, as their log records them (decisions: docs/adr/0017-backups.md).

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Id, enumeration};
use schemars::JsonSchema;
use serde::Serialize;

enumeration! {
    /// What became of a backup.
    pub enum BackupState {
        /// It was requested and has not begun.
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// It is being written and verified.
        Running = "RUNNING" ("En curso", "Running"),
        /// It was restored into a scratch database and verified.
        Good = "GOOD" ("Correcta", "Good"),
        /// There is no file, or none that could be restored.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

enumeration! {
    /// Why a backup was made.
    pub enum BackupOrigin {
        /// The schedule.
        Schedule = "SCHEDULE" ("Programada", "Scheduled"),
        /// An admin requested it.
        Manual = "MANUAL" ("Manual", "Manual"),
    }
}

/// A backup that was requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// Its number.
    pub id: Id,
    /// Why it was made.
    pub origin: BackupOrigin,
    /// Who requested it; null for the schedule.
    pub requested_by: Option<String>,
    /// What became of it.
    pub state: BackupState,
    /// The file's name in the folder of backups; null unless the backup is good.
    pub file_name: Option<String>,
    /// When it was requested.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: DateTime<Utc>,
    /// When it ended.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub finished_date: Option<DateTime<Utc>>,
    /// How long writing and verifying took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// The file's size in bytes.
    pub size: Option<i64>,
    /// Why it failed, as the command printed it.
    pub detail: Option<String>,
}

/// Which backups are made automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupSchedule {
    /// So often.
    pub every: TimeDelta,
    /// So many good ones are kept.
    pub keep: usize,
}

impl BackupSchedule {
    /// There is a warning once the last good backup is older than this, or a day older than the schedule has it.
    pub const OVERDUE_AFTER: TimeDelta = TimeDelta::days(2);
    /// After a failure the next attempt waits so long, or as long as the schedule if that is shorter.
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

    /// Whether the last good backup is too old.
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
