//! What runs beside the server: jobs, backups, and what is written down or verified from time to time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::rt::{
    spawn,
    task::JoinHandle,
    time::{sleep, timeout},
};
use application::{KeyService, LiveProfileService};

use crate::{
    backup::{self, schedule::RunningJob},
    compose::App,
    connections::Connections,
    jobs::{self, Running},
};

/// How often the ledger is verified.
const VERIFY: Duration = Duration::from_hours(24);
/// How often the calls of keys are written down.
const RECORD_USES: Duration = Duration::from_secs(5);
/// How often is read what is under way, where somebody follows it.
const FOLLOW: Duration = Duration::from_secs(1);
/// The part of the time that this reading takes at most: one of so many.
const SHARE_OF_READING: u32 = 20;
/// How long a stop waits for jobs.
const JOB_SHUTDOWN: Duration = Duration::from_secs(4);

/// What runs beside the server.
pub(crate) struct Background {
    /// Ended without waiting: nothing is lost.
    tasks: [JoinHandle<()>; 4],
    keys: Arc<KeyService>,
    live_profiles: Arc<LiveProfileService>,
    jobs: Running,
    backups: Option<RunningJob>,
}

impl Background {
    pub(crate) fn start(app: App, connections: Connections) -> Self {
        let (keys, credits) = (app.services.keys.clone(), app.services.credits.clone());
        let live_profiles = app.services.live_profiles.clone();
        let record_uses = {
            let (keys, live_profiles) = (keys.clone(), live_profiles.clone());
            async move {
                loop {
                    sleep(RECORD_USES).await;
                    if let Err(error) = keys.note_uses().await {
                        tracing::warn!(%error, "failed to record calls of keys, will retry");
                    }
                    if let Err(error) = live_profiles.note_uses().await {
                        tracing::warn!(%error, "failed to record calls of live profiles, will retry");
                    }
                }
            }
        };
        let verify_ledger = async move {
            loop {
                if let Err(error) = credits.verify().await {
                    tracing::warn!(%error, "failed to verify ledger");
                }
                sleep(VERIFY).await;
            }
        };
        let events = app.services.events.clone();
        let publish_events = async move {
            loop {
                let begun = Instant::now();
                if let Err(error) = events.publish().await {
                    tracing::warn!(%error, "failed to read what is under way, will retry");
                }
                sleep(FOLLOW.max(begun.elapsed() * SHARE_OF_READING)).await;
            }
        };
        Self {
            tasks: [
                spawn(record_uses),
                spawn(verify_ledger),
                spawn(publish_events),
                spawn(connections.shut_idle_down()),
            ],
            keys,
            live_profiles,
            jobs: jobs::start(app.jobs),
            backups: app.backups.map(backup::schedule::start),
        }
    }

    pub(crate) async fn stop(self) {
        for task in self.tasks {
            task.abort();
        }
        let finish = async {
            if let Err(error) = self.keys.note_uses().await {
                tracing::warn!(%error, "failed to record the last calls of keys");
            }
            if let Err(error) = self.live_profiles.note_uses().await {
                tracing::warn!(%error, "failed to record the last calls of live profiles");
            }
            self.jobs.stop().await;
            if let Some(backups) = self.backups {
                backups.stop().await;
            }
        };
        if timeout(JOB_SHUTDOWN, finish).await.is_err() {
            tracing::warn!("stopped before all jobs had ended");
        }
    }
}
