//! Scheduled and requested backups: the node with the lease runs `cartelera backup` as a separate
//! process, which isolates its memory and its failures from the server.

use std::{
    fs,
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    path::Path,
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

/// Interval of checking for a due backup.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Interval of checking whether the process has ended.
const PROCESS_INTERVAL: Duration = Duration::from_millis(200);
/// File name prefix of scheduled backups.
const PREFIX: &str = "cartelera-";
/// Recorded length of a failed backup's output, in characters, and read length, in bytes.
const REASON_CHARACTERS: usize = 4_000;
const REASON_BYTES: u64 = 32_000;
/// Attempts of recording the outcome of a backup, which cover a short outage of the database.
const RECORD_ATTEMPTS: usize = 30;

/// Dependencies of the job.
pub(crate) struct BackupJob {
    pub(crate) service: Arc<BackupService>,
    pub(crate) lease: Lease,
    pub(crate) settings: Settings,
}

/// Handle of the job, to stop it.
pub(crate) struct RunningJob {
    job: Rc<BackupJob>,
    task: JoinHandle<()>,
}

/// A process that is killed on drop.
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
    /// Aborts a running backup, which the next job records as interrupted, and releases the lease.
    pub(crate) async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
        if let Err(error) = self.job.lease.release().await {
            tracing::warn!(%error, "failed to release lease of backups; it will expire");
        }
    }
}

/// Without a folder it ends once no backup is unfinished.
async fn run(job: Rc<BackupJob>) {
    loop {
        let looked = match &job.settings.backup_dir {
            Some(folder) => make_next(&job, folder).await.map(|()| false),
            None => end_unfinished(&job).await,
        };
        match looked {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "failed to check for a due backup, will retry"),
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Records the outcome of an unfinished backup without a process; returns whether there was none.
/// Another node may have a folder, so the lease is released at once.
async fn end_unfinished(job: &BackupJob) -> anyhow::Result<bool> {
    if !job.service.has_unfinished().await? {
        return Ok(true);
    }
    if job.lease.is_held().await? {
        let ended = job.service.next("").await;
        job.lease.release().await?;
        ended?;
    }
    Ok(false)
}

async fn make_next(job: &BackupJob, folder: &Path) -> anyhow::Result<()> {
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
    let made = make(job, folder, &folder.join(&name)).await;
    let duration_ms = i64::try_from(begun.elapsed().as_millis())?;
    let outcome = match made {
        Ok(size) => BackupOutcome::Good { file_name: name, size, duration_ms },
        Err(error) => BackupOutcome::Failed { detail: format!("{error:#}"), duration_ms: Some(duration_ms) },
    };
    record(job, backup.id, &outcome).await?;
    if matches!(outcome, BackupOutcome::Good { .. }) {
        remove_expired(job, folder).await?;
    }
    Ok(())
}

/// Records the outcome of a backup.
async fn record(job: &BackupJob, id: Id, outcome: &BackupOutcome) -> anyhow::Result<()> {
    for _ in 1..RECORD_ATTEMPTS {
        match job.service.finish(id, outcome).await {
            Ok(()) => return Ok(()),
            Err(error) => tracing::warn!(%error, "failed to record outcome of a backup, will retry"),
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(job.service.finish(id, outcome).await?)
}

/// Makes one backup; returns its size in bytes.
async fn make(job: &BackupJob, folder: &Path, file: &Path) -> anyhow::Result<i64> {
    fs::create_dir_all(folder).with_context(|| format!("{} can't be created", folder.display()))?;
    remove_leftovers(folder)?;
    let mut errors = tempfile::tempfile()?;
    let mut process = Process(
        Command::new(std::env::current_exe()?)
            .arg("backup")
            .arg(file)
            .env("CARTELERA_DATABASE_URL", &job.settings.database_url)
            .env("CARTELERA_PG_DUMP", &job.settings.pg_dump)
            .env("CARTELERA_TIME_ZONE", job.settings.time_zone.name())
            .env("CARTELERA_LOG", "error")
            .env("CARTELERA_LOG_FORMAT", "text")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors.try_clone()?)
            .spawn()?,
    );
    let status = loop {
        if let Some(status) = process.0.try_wait()? {
            break status;
        }
        // While the database does not respond it is unknown whether another node took over, so the
        // backup continues.
        ensure!(job.lease.is_held().await.unwrap_or(true), "another node took over");
        sleep(PROCESS_INTERVAL).await;
    };
    if !status.success() {
        anyhow::bail!("{}", reason_in(&mut errors)?);
    }
    Ok(i64::try_from(file.metadata()?.len())?)
}

/// The end of a process's output, which has the reason of a failure.
fn reason_in(output: &mut (impl Read + Seek)) -> io::Result<String> {
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(REASON_BYTES)))?;
    let mut bytes = Vec::new();
    output.take(REASON_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    let begin = text.char_indices().rev().nth(REASON_CHARACTERS - 1).map_or(0, |(index, _)| index);
    Ok(text[begin..].to_owned())
}

/// Removes scheduled backups beyond the number to keep. A failure is logged, and retried after the
/// next backup.
async fn remove_expired(job: &BackupJob, folder: &Path) -> anyhow::Result<()> {
    for name in job.service.expired_files().await? {
        // Names come from the database: rejects paths outside of the folder.
        if !name.starts_with(PREFIX) || name.contains('/') {
            continue;
        }
        match fs::remove_file(folder.join(&name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::warn!(%error, file = name, "failed to remove an old backup");
            }
            _ => job.service.forget_file(&name).await?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn the_reason_of_a_failure_is_the_end_of_the_output() {
        let reason = |output: &[u8]| reason_in(&mut Cursor::new(output)).unwrap();
        let printed = format!("{}\ncartelera: the disk is full\n", "ñ".repeat(50_000));
        let end = reason(printed.as_bytes());
        assert!(end.ends_with("ñ\ncartelera: the disk is full"), "{end}");
        assert_eq!(end.chars().count(), REASON_CHARACTERS);
        assert_eq!(reason(b"pg_restore: \xff\xfe\n"), "pg_restore: \u{fffd}\u{fffd}");
        assert_eq!(reason(b"cartelera: no\n"), "cartelera: no");
        assert_eq!(reason(b""), "");
    }
}
