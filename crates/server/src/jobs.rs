//! Runs the jobs, independently of requests. Their work is defined in `application`; of all nodes,
//! the one with the lease runs a job.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::rt::{
    self,
    task::JoinHandle,
    time::{sleep, timeout},
};
use application::{CataloguePosition, Error, Job, Lease, RetentionService};
use domain_integrations::Verdict;
use domain_kernel::Id;
use domain_live::link::ProbePolicy;
use tokio::{runtime::Handle, sync::oneshot};

use crate::{compose::Jobs, probes::Probes};

/// Poll interval of deliveries, where there were none.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Guides read at once: while one waits for its host, a small one of another host is read.
const GUIDES_AT_ONCE: usize = 2;
/// Playlists fetched at once: a host that answers slowly delays no other. One is read at a time.
const PLAYLISTS_AT_ONCE: usize = 2;
/// Maximum concurrent deliveries; a webhook that does not respond delays no other.
const AT_ONCE: usize = 16;
/// Interval of detecting expirations.
const WATCH: Duration = Duration::from_mins(1);
/// Interval of the retention.
const SWEEP: Duration = Duration::from_hours(1);
/// Pause between two batches of removed rows, in which others can write.
const BATCH_PAUSE: Duration = Duration::from_millis(100);
/// Poll interval of bulk operations started by another node: users wait for a preview.
const OPERATION_POLL: Duration = Duration::from_millis(200);
/// Pause after a slice of synchronised links, in which others can write.
const SLICE_PAUSE: Duration = Duration::from_millis(5);
/// Poll interval of playlists and guides to read, where there were none.
const READ_POLL: Duration = Duration::from_millis(500);
/// Interval of scheduling due sources and guides.
const SCHEDULE: Duration = Duration::from_secs(30);
/// Renewal interval of the lease during a task: a playlist or a guide takes minutes.
const RENEWAL: Duration = Duration::from_secs(5);
/// Minimum interval of synchronising new and changed links.
const SYNCHRONIZE: Duration = Duration::from_secs(5);
/// Maximum share of time for that synchronisation: one of this number.
const SYNCHRONIZE_SHARE: u32 = 50;
/// Interval of processing reports of links, and changes of their state.
const FOLLOW: Duration = Duration::from_secs(5);
/// Delay after a failed job, or while another node has the lease.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// Delay of a webhook whose successful delivery could not be recorded, and is sent again.
const UNRECORDED_DELAY: Duration = Duration::from_secs(15);
/// Number of attempts for which a stop waits for deliveries in flight.
const RELEASE_ATTEMPTS: usize = 30;
const RELEASE_INTERVAL: Duration = Duration::from_millis(100);
/// Consecutive batches of one webhook before another one takes its slot.
const BATCHES_IN_A_ROW: usize = 50;

/// Handle of the running jobs.
pub(crate) struct Running {
    runner: Rc<JobRunner>,
    tasks: Vec<JoinHandle<()>>,
}

/// State shared by the tasks.
struct JobRunner {
    jobs: Jobs,
    /// Whether no new work is started.
    stopping: Cell<bool>,
    /// Webhooks with a delivery in flight, to which no other task delivers.
    busy: RefCell<HashSet<Id>>,
    /// Running probes, and hosts in the pause after one.
    probes: RefCell<Probes>,
    /// Webhook that was served last.
    last: Cell<Id>,
}

/// Starts all jobs.
pub(crate) fn start(jobs: Jobs) -> Running {
    let runner = Rc::new(JobRunner {
        jobs,
        stopping: Cell::new(false),
        busy: RefCell::new(HashSet::new()),
        probes: RefCell::new(Probes::default()),
        last: Cell::new(0),
    });
    let mut tasks = vec![
        rt::spawn(deliver(runner.clone())),
        rt::spawn(watch(runner.clone())),
        rt::spawn(sweep(runner.clone())),
        rt::spawn(operate(runner.clone())),
        rt::spawn(schedule_playlists(runner.clone())),
        rt::spawn(schedule_guides(runner.clone())),
        rt::spawn(synchronize_links(runner.clone())),
        rt::spawn(follow_links(runner.clone())),
        rt::spawn(probe_links(runner.clone())),
        rt::spawn(schedule_matching(runner.clone())),
        rt::spawn(match_channels(runner.clone())),
    ];
    tasks.extend((0..PLAYLISTS_AT_ONCE).map(|_| rt::spawn(read_playlists(runner.clone()))));
    tasks.extend((0..GUIDES_AT_ONCE).map(|_| rt::spawn(read_guides(runner.clone()))));
    Running { runner, tasks }
}

impl Running {
    /// Stops the jobs, and releases their leases. Deliveries in flight get a short time to end and
    /// to be recorded; longer ones are sent again.
    pub(crate) async fn stop(self) {
        self.runner.stopping.set(true);
        for task in &self.tasks {
            task.abort();
        }
        for _ in 0..RELEASE_ATTEMPTS {
            if self.runner.busy.borrow().is_empty() {
                break;
            }
            sleep(RELEASE_INTERVAL).await;
        }
        let Jobs {
            delivering,
            watching,
            sweeping,
            operating,
            reading,
            reading_guides,
            matching_channels,
            probing,
            ..
        } = &self.runner.jobs;
        // A delivery in flight may arrive after the next one of its entity: the lease is kept until
        // it expires.
        let delivered = self.runner.busy.borrow().is_empty().then_some(delivering);
        let leases = [watching, sweeping, operating, reading, reading_guides, matching_channels, probing];
        for lease in delivered.into_iter().chain(leases) {
            if let Err(error) = lease.release().await {
                tracing::warn!(%error, "failed to release lease; it will expire");
            }
        }
    }
}

impl JobRunner {
    /// Whether the job may run on this node; a failure of the store means no.
    async fn holds(&self, lease: &Lease) -> bool {
        if self.stopping.get() {
            return false;
        }
        lease.is_held().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "failed to acquire lease");
            false
        })
    }

    /// Selects the webhooks to start, round-robin.
    fn begin(&self, mut waiting: Vec<Id>) -> Vec<Id> {
        let mut busy = self.busy.borrow_mut();
        waiting.retain(|webhook| !busy.contains(webhook));
        waiting.sort_by_key(|webhook| (*webhook <= self.last.get(), *webhook));
        waiting.truncate(AT_ONCE.saturating_sub(busy.len()));
        busy.extend(&waiting);
        self.last.set(waiting.last().copied().unwrap_or(self.last.get()));
        waiting
    }
}

fn log_outcome(what: &str, outcome: Result<(), Error>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, what, "job failed, will retry");
    }
}

async fn deliver(runner: Rc<JobRunner>) {
    loop {
        if !runner.holds(&runner.jobs.delivering).await {
            sleep(RETRY_DELAY).await;
            continue;
        }
        match runner.jobs.deliveries.waiting().await {
            Ok(waiting) => {
                for webhook in runner.begin(waiting) {
                    let runner = runner.clone();
                    rt::spawn(async move {
                        if let Err(error) = deliver_waiting(&runner, webhook).await {
                            tracing::warn!(%error, webhook, "webhook delivery failed, will retry");
                            sleep(UNRECORDED_DELAY).await;
                        }
                        runner.busy.borrow_mut().remove(&webhook);
                    });
                }
            }
            Err(error) => tracing::warn!(%error, "failed to read pending deliveries"),
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Delivers the due deliveries of one webhook, in batches and in order per entity: until there are
/// none, it fails, the lease is lost, or others have waited long enough.
async fn deliver_waiting(runner: &Rc<JobRunner>, webhook: Id) -> Result<(), Error> {
    for _ in 0..BATCHES_IN_A_ROW {
        if !runner.holds(&runner.jobs.delivering).await {
            break;
        }
        let due = runner.jobs.deliveries.due(webhook).await?;
        if due.is_empty() {
            break;
        }
        let attempts: Vec<_> = due
            .into_iter()
            .map(|due| {
                let deliveries = runner.jobs.deliveries.clone();
                rt::spawn(async move { deliveries.attempt(&due).await })
            })
            .collect();
        let mut all_arrived = true;
        for attempt in attempts {
            let verdict = attempt.await.unwrap_or(Ok(Verdict::GivenUp))?;
            all_arrived &= verdict == Verdict::Delivered;
        }
        if !all_arrived {
            break;
        }
    }
    Ok(())
}

/// Runs an action periodically, while this node has the lease.
async fn every(pause: Duration, runner: &JobRunner, lease: &Lease, work: impl AsyncFn()) {
    loop {
        if runner.holds(lease).await {
            work().await;
        }
        sleep(pause).await;
    }
}

async fn watch(runner: Rc<JobRunner>) {
    every(WATCH, &runner, &runner.jobs.watching, async || {
        log_outcome("recording expiring subscriptions", runner.jobs.subscriptions.record_notices().await);
    })
    .await;
}

/// Runs bulk operations, slice by slice.
async fn operate(runner: Rc<JobRunner>) {
    let operations = runner.jobs.operations.clone();
    let begun = async || drop(timeout(OPERATION_POLL, runner.jobs.operation_begun.notified()).await);
    run_each(&runner, &runner.jobs.operating, "bulk operation", begun, operations).await;
}

/// Starts due refreshes.
async fn schedule_playlists(runner: Rc<JobRunner>) {
    every(SCHEDULE, &runner, &runner.jobs.reading, async || {
        let begun = runner.jobs.playlists.schedule().await;
        log_outcome("scheduling playlists", begun.map(drop));
    })
    .await;
}

/// Starts due fetches of guides.
async fn schedule_guides(runner: Rc<JobRunner>) {
    every(SCHEDULE, &runner, &runner.jobs.reading_guides, async || {
        let begun = runner.jobs.guides.schedule().await;
        log_outcome("scheduling guides", begun.map(drop));
        log_outcome("recording stale guides", runner.jobs.guides.note_stale().await);
    })
    .await;
}

async fn read_playlists(runner: Rc<JobRunner>) {
    let playlists = runner.jobs.playlists.clone();
    run_each(&runner, &runner.jobs.reading, "playlist", || sleep(READ_POLL), playlists).await;
}

async fn read_guides(runner: Rc<JobRunner>) {
    let guides = runner.jobs.guides.clone();
    run_each(&runner, &runner.jobs.reading_guides, "guide", || sleep(READ_POLL), guides).await;
}

/// Schedules a match if guides or channels have changed since they were compared.
async fn schedule_matching(runner: Rc<JobRunner>) {
    every(SCHEDULE, &runner, &runner.jobs.matching_channels, async || {
        let begun = runner.jobs.matching.schedule().await;
        log_outcome("scheduling matching", begun.map(drop));
    })
    .await;
}

async fn match_channels(runner: Rc<JobRunner>) {
    let matching = runner.jobs.matching.clone();
    run_each(&runner, &runner.jobs.matching_channels, "matches", || sleep(READ_POLL), matching).await;
}

/// Runs pending tasks one after the other, each on its own thread: reading, comparing and the rules of
/// a slice would block the runtime's thread, which also receives the responses of the database, for
/// milliseconds to seconds. Where a job has several of these loops, the service limits what runs
/// concurrently. The lease is renewed meanwhile; the store rejects writes after a takeover by another
/// node. There is no pause between two tasks: each begins with a read, during which others can write.
/// Without a pending task, it polls after `idle`.
async fn run_each(
    runner: &JobRunner,
    lease: &Lease,
    what: &'static str,
    idle: impl AsyncFn(),
    job: Arc<dyn Job>,
) {
    loop {
        if !runner.holds(lease).await {
            sleep(RETRY_DELAY).await;
            continue;
        }
        let next = job.clone();
        let runtime = Handle::current();
        let (done, mut outcome) = oneshot::channel();
        // Not a thread of the runtime: a stop would wait for those, and a fetch takes minutes.
        std::thread::spawn(move || {
            let outcome = runtime.block_on(next.run_next());
            // Without a receiver, the process is about to end.
            drop(done.send(outcome));
        });
        let outcome = loop {
            match timeout(RENEWAL, &mut outcome).await {
                Ok(outcome) => break outcome,
                Err(_) => drop(runner.holds(lease).await),
            }
        };
        match outcome {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => idle().await,
            Ok(Err(error)) => {
                tracing::warn!(what, %error, "job failed, will retry");
                sleep(RETRY_DELAY).await;
            }
            Err(error) => {
                tracing::error!(what, %error, "job ended early");
                sleep(RETRY_DELAY).await;
            }
        }
    }
}

/// Synchronises links with the catalogue: new channels, other addresses.
async fn synchronize_links(runner: Rc<JobRunner>) {
    let Some(links) = runner.jobs.links.clone() else { return };
    loop {
        let mut pause = SYNCHRONIZE;
        let mut position = CataloguePosition::default();
        while runner.holds(&runner.jobs.probing).await {
            let begun = Instant::now();
            match links.take_over(&mut position).await {
                Ok(true) => sleep(SLICE_PAUSE).await,
                Ok(false) => {
                    pause = pause.max(begun.elapsed() * SYNCHRONIZE_SHARE);
                    break;
                }
                Err(error) => {
                    tracing::warn!(%error, "failed to synchronise links, will retry");
                    break;
                }
            }
        }
        sleep(pause).await;
    }
}

/// Requests probes of reported links, and processes changes of links. A separate task, because the
/// synchronisation of a large catalogue takes long.
async fn follow_links(runner: Rc<JobRunner>) {
    if runner.jobs.links.is_none() {
        return;
    }
    every(FOLLOW, &runner, &runner.jobs.probing, async || {
        let requested = runner.jobs.link_reports.request_reported().await;
        log_outcome("requesting probes of reported links", requested.map(drop));
        if runner.jobs.resolves_reports {
            let resolved = runner.jobs.link_reports.resolve_recovered().await;
            log_outcome("resolving recovered reports", resolved.map(drop));
        }
        log_outcome("switching items by the state of their links", runner.jobs.link_switches.run().await);
    })
    .await;
}

/// Probes due links: per host with the concurrency of the policy, with a pause after each.
async fn probe_links(runner: Rc<JobRunner>) {
    let Some(links) = runner.jobs.links.clone() else { return };
    let ProbePolicy { connections, pause, .. } = *links.policy();
    let pause = pause.to_std().unwrap_or_default();
    loop {
        if !runner.holds(&runner.jobs.probing).await {
            sleep(RETRY_DELAY).await;
            continue;
        }
        match links.due_hosts().await {
            Ok(hosts) => {
                let begun = runner.probes.borrow_mut().begin(hosts, connections);
                for host in begun {
                    let (runner, links) = (runner.clone(), links.clone());
                    rt::spawn(async move {
                        if let Err(error) = links.probe_next(&host).await {
                            tracing::warn!(%error, "failed to probe a link, will retry");
                        }
                        runner.probes.borrow_mut().end();
                        // Jitter, so that nodes and hosts don't probe in step.
                        sleep(pause + Duration::from_millis(rand::random_range(0..500))).await;
                        runner.probes.borrow_mut().end_pause(&host);
                    });
                }
            }
            Err(error) => tracing::warn!(%error, "failed to read due links"),
        }
        sleep(POLL_INTERVAL).await;
    }
}

async fn sweep(runner: Rc<JobRunner>) {
    every(SWEEP, &runner, &runner.jobs.sweeping, async || {
        log_outcome("removing old rows", remove_old(&runner).await);
        log_outcome("removing old programmes", remove_programmes(&runner).await);
        log_outcome("removing marks of switched items", runner.jobs.link_switches.sweep().await);
        log_outcome("removing old notices", runner.jobs.subscriptions.sweep().await);
    })
    .await;
}

/// Removes rows past their retention, with a pause after each batch, while this node has the lease.
async fn remove_old(runner: &JobRunner) -> Result<(), Error> {
    for what in RetentionService::ALL {
        while runner.holds(&runner.jobs.sweeping).await && runner.jobs.retention.remove_batch(what).await? {
            sleep(BATCH_PAUSE).await;
        }
    }
    Ok(())
}

/// Removes past programmes likewise.
async fn remove_programmes(runner: &JobRunner) -> Result<(), Error> {
    while runner.holds(&runner.jobs.sweeping).await && runner.jobs.guides.sweep().await? {
        sleep(BATCH_PAUSE).await;
    }
    Ok(())
}
