//! Scheduled and requested backups: of all nodes, the one that holds the lease runs `cartelera backup` as a process of its
//! own. Its memory and its failures are not the server's.

use std::{
    fs,
    io::{ErrorKind, Read, Seek},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::rt::{self, task::JoinHandle, time::sleep};
use anyhow::{Context, ensure};
use application::{BackupService, Lease};
use domain_kernel::Id;
use ports::BackupOutcome;

use super::{Kind, remove_leftovers, timestamp};
use crate::config::Settings;

/// How often the job looks for a backup to make.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// How often the job looks whether the process has ended.
const PROCESS_INTERVAL: Duration = Duration::from_millis(200);
/// How files of scheduled backups begin.
const PREFIX: &str = "cartelera-";
/// How often it is tried to record how a backup ended: a database that does not answer for a moment loses none.
const RECORD_ATTEMPTS: usize = 30;

/// What the job needs.
pub(crate) struct BackupJob {
    pub(crate) service: Arc<BackupService>,
    pub(crate) lease: Lease,
    pub(crate) settings: Settings,
    pub(crate) folder: PathBuf,
}

/// The job, until it is stopped.
pub(crate) struct RunningJob {
    job: Rc<BackupJob>,
    task: JoinHandle<()>,
}

/// A process that is killed where it is not waited for any more.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn start(job: BackupJob) -> RunningJob {
    let job = Rc::new(job);
    let task = rt::spawn(run(job.clone()));
    RunningJob { job, task }
}

impl RunningJob {
    /// Stops a backup that is being made, which the next job records as interrupted, and gives the lease back.
    pub(crate) async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
        if let Err(error) = self.job.lease.give_back().await {
            tracing::warn!(%error, "failed to release lease of backups; it will expire");
        }
    }
}

async fn run(job: Rc<BackupJob>) {
    loop {
        if let Err(error) = make_next(&job).await {
            tracing::warn!(%error, "failed to check for a due backup, will retry");
        }
        sleep(POLL_INTERVAL).await;
    }
}

async fn make_next(job: &BackupJob) -> anyhow::Result<()> {
    if !job.lease.is_held().await? {
        return Ok(());
    }
    let extension = match Kind::of(&job.settings.database_url) {
        Kind::Sqlite => "db",
        Kind::Postgres => "dump",
    };
    let name = format!("{PREFIX}{}.{extension}", timestamp());
    let Some(backup) = job.service.next(&name).await? else { return Ok(()) };
    let begun = Instant::now();
    let made = make(job, &job.folder.join(&name)).await;
    let duration_ms = i64::try_from(begun.elapsed().as_millis())?;
    let outcome = match made {
        Ok(size) => BackupOutcome::Good { file_name: name, size, duration_ms },
        Err(error) => BackupOutcome::Failed { detail: format!("{error:#}"), duration_ms: Some(duration_ms) },
    };
    record(job, backup.id, &outcome).await?;
    if matches!(outcome, BackupOutcome::Good { .. }) {
        remove_expired(job).await?;
    }
    Ok(())
}

/// Records how a backup ended.
async fn record(job: &BackupJob, id: Id, outcome: &BackupOutcome) -> anyhow::Result<()> {
    for _ in 1..RECORD_ATTEMPTS {
        match job.service.finish(id, outcome).await {
            Ok(()) => return Ok(()),
            Err(error) => tracing::warn!(%error, "failed to record how a backup ended, will retry"),
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(job.service.finish(id, outcome).await?)
}

/// Makes one backup; answers its size in bytes.
async fn make(job: &BackupJob, file: &Path) -> anyhow::Result<i64> {
    fs::create_dir_all(&job.folder).with_context(|| format!("{} can't be created", job.folder.display()))?;
    remove_leftovers(&job.folder)?;
    let mut errors = tempfile::tempfile()?;
    let mut process = Process(
        Command::new(std::env::current_exe()?)
            .arg("backup")
            .arg(file)
            .env("CARTELERA_DATABASE_URL", &job.settings.database_url)
            .env("CARTELERA_PG_DUMP", &job.settings.pg_dump)
            .env("CARTELERA_TIME_ZONE", job.settings.time_zone.name())
            .env("CARTELERA_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors.try_clone()?)
            .spawn()?,
    );
    let status = loop {
        if let Some(status) = process.0.try_wait()? {
            break status;
        }
        // Whether another node took over is not known while the database does not answer: the backup goes on.
        ensure!(job.lease.is_held().await.unwrap_or(true), "another node took over");
        sleep(PROCESS_INTERVAL).await;
    };
    if !status.success() {
        errors.rewind()?;
        let mut text = String::new();
        errors.take(4000).read_to_string(&mut text)?;
        anyhow::bail!("{}", text.trim());
    }
    Ok(i64::try_from(file.metadata()?.len())?)
}

/// Removes scheduled backups that are not kept any more. What can't be removed stays, and is tried again after the
/// next backup.
async fn remove_expired(job: &BackupJob) -> anyhow::Result<()> {
    for name in job.service.expired_files().await? {
        // Names come from the database: none leads out of the folder.
        if !name.starts_with(PREFIX) || name.contains('/') {
            continue;
        }
        match fs::remove_file(job.folder.join(&name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::warn!(%error, file = name, "failed to remove an old backup");
            }
            _ => job.service.forget_file(&name).await?,
        }
    }
    Ok(())
}
