//! Background tasks of the server: jobs, backups, and periodic records and verifications.

use std::time::{Duration, Instant};

use actix_web::rt::{
    spawn,
    task::JoinHandle,
    time::{sleep, timeout},
};
use api::Connections;
use tokio::sync::oneshot;

use crate::{
    backup::{self, schedule::RunningJob},
    compose::App,
    jobs::{self, Running},
};

/// Interval of the verification of the ledger.
const VERIFY: Duration = Duration::from_hours(24);
/// Interval of recording the calls of keys.
const RECORD_USES: Duration = Duration::from_secs(5);
/// Interval of reading the activity, while clients follow it.
const FOLLOW: Duration = Duration::from_secs(1);
/// Maximum share of time for that reading: one of this number.
const SHARE_OF_READING: u32 = 20;
/// Time that a stop waits for jobs.
const JOB_SHUTDOWN: Duration = Duration::from_secs(4);

/// Background tasks of the server.
pub(crate) struct Background {
    /// Aborted at a stop, without losing data.
    tasks: [JoinHandle<()>; 3],
    /// Records calls, once more at the stop.
    record_uses: JoinHandle<()>,
    stop_recording: oneshot::Sender<()>,
    jobs: Running,
    backups: RunningJob,
}

impl Background {
    pub(crate) fn start(app: App, connections: Connections) -> Self {
        let (keys, credits) = (app.services.keys.clone(), app.services.credits.clone());
        let live_profiles = app.services.live_profiles.clone();
        let record_uses = async move || {
            if let Err(error) = keys.note_uses().await {
                tracing::warn!(%error, "failed to record calls of keys");
            }
            if let Err(error) = live_profiles.note_uses().await {
                tracing::warn!(%error, "failed to record calls of live profiles");
            }
        };
        let (stop_recording, stopped) = oneshot::channel();
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
                    tracing::warn!(%error, "failed to read activity, will retry");
                }
                sleep(FOLLOW.max(begun.elapsed() * SHARE_OF_READING)).await;
            }
        };
        Self {
            tasks: [spawn(verify_ledger), spawn(publish_events), spawn(connections.shut_idle_down())],
            record_uses: spawn(until_stopped(RECORD_USES, stopped, record_uses)),
            stop_recording,
            jobs: jobs::start(app.jobs),
            backups: backup::schedule::start(app.backups),
        }
    }

    pub(crate) async fn stop(self) {
        for task in self.tasks {
            task.abort();
        }
        let finish = async {
            let _ = self.stop_recording.send(());
            let _ = self.record_uses.await;
            self.jobs.stop().await;
            self.backups.stop().await;
        };
        if timeout(JOB_SHUTDOWN, finish).await.is_err() {
            tracing::warn!("stopped before all jobs had ended");
        }
    }
}

/// Runs an action periodically, and once more at the stop. A running action is not aborted: calls
/// being recorded would be lost, or counted twice.
async fn until_stopped(pause: Duration, mut stopped: oneshot::Receiver<()>, once: impl AsyncFn()) {
    loop {
        let is_last = timeout(pause, &mut stopped).await.is_ok();
        once().await;
        if is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, rc::Rc};

    use super::*;

    #[actix_web::test]
    async fn a_stop_aborts_no_running_action_and_runs_once_more() {
        let (begun, ended) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let once = {
            let (begun, ended) = (begun.clone(), ended.clone());
            async move || {
                begun.set(begun.get() + 1);
                sleep(Duration::from_millis(200)).await;
                ended.set(ended.get() + 1);
            }
        };
        let (stop, stopped) = oneshot::channel();
        let task = spawn(until_stopped(Duration::from_millis(1), stopped, once));
        while begun.get() == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        let under_way = begun.get();
        stop.send(()).unwrap();
        task.await.unwrap();
        assert_eq!((begun.get(), ended.get()), (under_way + 1, under_way + 1));
    }

    #[actix_web::test]
    async fn a_stop_does_not_wait_for_the_next_period() {
        let done = Rc::new(Cell::new(0));
        let once = {
            let done = done.clone();
            async move || done.set(done.get() + 1)
        };
        let (stop, stopped) = oneshot::channel();
        let task = spawn(until_stopped(Duration::from_hours(1), stopped, once));
        stop.send(()).unwrap();
        task.await.unwrap();
        assert_eq!(done.get(), 1);
    }
}
