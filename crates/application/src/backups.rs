//! Backups: admins read their log and request one; the schedule makes them without a request. The database is copied and
//! verified by `cartelera backup`; this decides when, and records how it ended.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Actor, Id};
use domain_settings::{Backup, BackupOrigin, BackupSchedule, BackupState};
use ports::{BackupLog, BackupOutcome};

use crate::{BackupRefusal, Calendar, Error};

/// Backups that the log shows.
const SHOWN: u64 = 100;
/// How long a requested backup waits for a node that has a folder.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(1);

/// How old the last good backup is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupStatus {
    /// What is made without a request; `None` if no folder is set.
    pub schedule: Option<BackupSchedule>,
    /// When the last good one began: everything acknowledged before is in it.
    pub last_good: Option<DateTime<Utc>>,
    /// Whether that is too long ago.
    pub overdue: bool,
}

/// The use cases of backups.
pub struct BackupService {
    log: Arc<dyn BackupLog>,
    calendar: Calendar,
    schedule: Option<BackupSchedule>,
}

impl BackupService {
    /// The use cases over their ports; without a schedule no folder is set.
    pub fn new(log: Arc<dyn BackupLog>, calendar: Calendar, schedule: Option<BackupSchedule>) -> Self {
        Self { log, calendar, schedule }
    }

    /// The newest backups.
    pub async fn list(&self, actor: &Actor) -> Result<(BackupStatus, Vec<Backup>), Error> {
        require_admin(actor)?;
        Ok((self.status().await?, self.log.newest(SHOWN).await?))
    }

    /// How old the last good backup is. Without a schedule nothing is overdue: somebody else makes the backups.
    pub async fn status(&self) -> Result<BackupStatus, Error> {
        let last_good = self.log.dates().await?.last_good;
        let now = self.calendar.now();
        let overdue = self.schedule.is_some_and(|schedule| schedule.is_overdue(last_good, now));
        Ok(BackupStatus { schedule: self.schedule, last_good, overdue })
    }

    /// Requests a backup; the job makes it within seconds.
    pub async fn request(&self, actor: &Actor) -> Result<Backup, Error> {
        require_admin(actor)?;
        if self.schedule.is_none() {
            return Err(Error::Backup(BackupRefusal::Off));
        }
        let name = actor.username.as_str();
        let added = self.log.add(BackupOrigin::Manual, &self.calendar.edit_by(actor)).await?;
        let backup = added.ok_or(Error::Backup(BackupRefusal::Unfinished))?;
        tracing::info!(actor = name, backup = backup.id, "backup requested");
        Ok(backup)
    }

    /// The backup to be made now, marked as running, with the file that it is going to have. Called by the one job
    /// that makes backups, while it makes none: one that is running was interrupted. Without a folder none is made: what waits
    /// is left to a node that has one, for an hour.
    pub async fn next(&self, file_name: &str) -> Result<Option<Backup>, Error> {
        let mut waiting = self.log.unfinished().await?;
        if let Some(interrupted) = waiting.take_if(|backup| backup.state == BackupState::Running) {
            let detail = "it was interrupted".to_owned();
            self.finish(interrupted.id, &BackupOutcome::Failed { detail, duration_ms: None }).await?;
        }
        let Some(schedule) = self.schedule else {
            let has_waited = |one: &mut Backup| self.calendar.now() - one.created_date >= LONGEST_WAIT;
            if let Some(requested) = waiting.take_if(has_waited) {
                let detail = "no backup folder is set (CARTELERA_BACKUP_DIR)".to_owned();
                self.finish(requested.id, &BackupOutcome::Failed { detail, duration_ms: None }).await?;
            }
            return Ok(None);
        };
        if waiting.is_none() {
            let dates = self.log.dates().await?;
            if schedule.is_due(dates.last_good, dates.last_attempt, self.calendar.now()) {
                waiting = self.log.add(BackupOrigin::Schedule, &self.calendar.edit_of_server()).await?;
            }
        }
        if let Some(backup) = &waiting {
            self.log.begin(backup.id, file_name).await?;
        }
        Ok(waiting)
    }

    /// Whether a backup waits or is being made.
    pub async fn has_unfinished(&self) -> Result<bool, Error> {
        Ok(self.log.unfinished().await?.is_some())
    }

    /// Records how a backup ended.
    pub async fn finish(&self, id: Id, outcome: &BackupOutcome) -> Result<(), Error> {
        self.log.finish(id, outcome, self.calendar.now()).await?;
        match outcome {
            BackupOutcome::Good { file_name, size, duration_ms } => {
                tracing::info!(backup = id, file_name, size, duration_ms, "backup verified");
            }
            BackupOutcome::Failed { detail, .. } => tracing::error!(backup = id, detail, "backup failed"),
        }
        let status = self.status().await?;
        if status.overdue {
            tracing::error!(last_good = ?status.last_good, "last good backup is too old");
        }
        Ok(())
    }

    /// The files that are not kept any more: those behind so many good ones. Files that the log does not name are somebody
    /// else's.
    pub async fn expired_files(&self) -> Result<Vec<String>, Error> {
        let Some(schedule) = self.schedule else { return Ok(Vec::new()) };
        let mut newer = 0;
        let mut expired = Vec::new();
        for (file, is_good) in self.log.files().await? {
            if newer >= schedule.keep {
                expired.push(file);
            }
            newer += usize::from(is_good);
        }
        Ok(expired)
    }

    /// Forgets the file of a backup, which was removed.
    pub async fn forget_file(&self, file_name: &str) -> Result<(), Error> {
        Ok(self.log.forget_file(file_name).await?)
    }
}

fn require_admin(actor: &Actor) -> Result<(), Error> {
    if actor.role.passes_every_check() { Ok(()) } else { Err(Error::Forbidden) }
}
