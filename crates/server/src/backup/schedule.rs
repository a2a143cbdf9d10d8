//! Scheduled and requested backups: of all nodes, the one that holds the lease runs `cartelera backup` as a process of its
//! own. Its memory and its failures are not the server's.

use std::{
    fs,
    io::{Read, Seek},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::rt::{self, task::JoinHandle, time::sleep};
use anyhow::{Context, ensure};
use application::{BackupService, Lease};
use ports::BackupOutcome;

use super::{Kind, remove_leftovers, timestamp};
use crate::config::Settings;

/// How often the job looks for a backup to make.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// How often the job looks whether the process has ended.
const PROCESS_INTERVAL: Duration = Duration::from_millis(200);
/// How files of scheduled backups begin.
const PREFIX: &str = "cartelera-";

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
    let Some(backup) = job.service.next().await? else { return Ok(()) };
    let begun = Instant::now();
    let made = make(job).await;
    let duration_ms = i64::try_from(begun.elapsed().as_millis())?;
    let outcome = match made {
        Ok((file_name, size)) => BackupOutcome::Good { file_name, size, duration_ms },
        Err(error) => BackupOutcome::Failed { detail: format!("{error:#}"), duration_ms: Some(duration_ms) },
    };
    Ok(job.service.finish(backup.id, &outcome).await?)
}

/// Makes one backup: its file and its size.
async fn make(job: &BackupJob) -> anyhow::Result<(String, i64)> {
    let extension = match Kind::of(&job.settings.database_url) {
        Kind::Sqlite => "db",
        Kind::Postgres => "dump",
    };
    fs::create_dir_all(&job.folder).with_context(|| format!("{} can't be created", job.folder.display()))?;
    remove_leftovers(&job.folder)?;
    let name = format!("{PREFIX}{}.{extension}", timestamp());
    let file = job.folder.join(&name);
    let mut errors = tempfile::tempfile()?;
    let mut process = Process(
        Command::new(std::env::current_exe()?)
            .arg("backup")
            .arg(&file)
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
        ensure!(job.lease.is_held().await?, "another node took over");
        sleep(PROCESS_INTERVAL).await;
    };
    if !status.success() {
        errors.rewind()?;
        let mut text = String::new();
        errors.take(4000).read_to_string(&mut text)?;
        anyhow::bail!("{}", text.trim());
    }
    let size = i64::try_from(file.metadata()?.len())?;
    let keep = job.service.status().await?.schedule.map_or(usize::MAX, |schedule| schedule.keep);
    remove_old(&job.folder, extension, keep)?;
    Ok((name, size))
}

/// Removes all but the newest backups: only good ones have such a name.
fn remove_old(folder: &Path, extension: &str, keep: usize) -> anyhow::Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(PREFIX) && path.extension().is_some_and(|known| known == extension)
        })
        .collect();
    // Names carry the time: their order is that of the backups.
    files.sort();
    let removed = files.len().saturating_sub(keep);
    for file in files.iter().take(removed) {
        fs::remove_file(file).with_context(|| format!("{} can't be removed", file.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_backups_are_kept_and_other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["cartelera-20261120T1.db", "cartelera-20261121T1.db", "cartelera-20261122T1.db"];
        for name in names.iter().chain(&["mine.db", "cartelera-20200101T1.dump"]) {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        remove_old(folder.path(), "db", 2).unwrap();
        let mut left: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|one| one.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["cartelera-20200101T1.dump", names[1], names[2], "mine.db"]);
    }
}
