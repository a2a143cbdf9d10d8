//! Backups: admins read their log and request one; the schedule makes them without a request.
//! `cartelera backup` copies and verifies the database; this module decides when, and records the
//! outcome.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Actor, Id};
use domain_settings::{Backup, BackupOrigin, BackupSchedule, BackupState};
use ports::{BackupLog, BackupOutcome};

use crate::{BackupRefusal, Calendar, Error};

/// Backups shown in the log.
const SHOWN: u64 = 100;
/// Maximum time that a requested backup waits for a node with a backup folder.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(1);

/// Age of the last good backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupStatus {
    /// The schedule; `None` without a backup folder.
    pub schedule: Option<BackupSchedule>,
    /// Start of the last good backup: it has every write acknowledged before.
    pub last_good: Option<DateTime<Utc>>,
    /// Whether the last good backup is too old.
    pub overdue: bool,
}

/// Use cases of backups.
pub struct BackupService {
    log: Arc<dyn BackupLog>,
    calendar: Calendar,
    schedule: Option<BackupSchedule>,
}

impl BackupService {
    /// `schedule` is `None` without a backup folder.
    pub fn new(log: Arc<dyn BackupLog>, calendar: Calendar, schedule: Option<BackupSchedule>) -> Self {
        Self { log, calendar, schedule }
    }

    /// The newest backups.
    pub async fn list(&self, actor: &Actor) -> Result<(BackupStatus, Vec<Backup>), Error> {
        require_admin(actor)?;
        Ok((self.status().await?, self.log.newest(SHOWN).await?))
    }

    /// Age of the last good backup. Without a schedule no backup is overdue: backups are made
    /// outside of the service.
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

    /// The backup to make now, marked as running, with its future file name. Only the backup job
    /// calls this, between two backups: one still marked as running was interrupted. Without a
    /// folder no backup is made; a requested one waits an hour for a node with a folder.
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

    /// Whether a backup is pending or running.
    pub async fn has_unfinished(&self) -> Result<bool, Error> {
        Ok(self.log.unfinished().await?.is_some())
    }

    /// Records the outcome of a backup.
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

    /// Files beyond the number of good backups to keep. Files that are not in the log belong to
    /// others.
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

    /// Clears the file name of a backup whose file was removed.
    pub async fn forget_file(&self, file_name: &str) -> Result<(), Error> {
        Ok(self.log.forget_file(file_name).await?)
    }
}

fn require_admin(actor: &Actor) -> Result<(), Error> {
    if actor.role.passes_every_check() { Ok(()) } else { Err(Error::Forbidden) }
}
