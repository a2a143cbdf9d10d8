//! Drives the jobs that nobody asks for, beside the requests and never within one. What they do is in `application`; of
//! however many nodes, the one that holds the lease does it.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    rc::Rc,
    time::Duration,
};

use actix_web::rt::{self, task::JoinHandle, time::sleep};
use application::{Error, Lease, RetentionService};
use domain_integrations::Verdict;
use domain_kernel::Id;

use crate::compose::Jobs;

/// How often is looked for something to deliver, where there was nothing.
const LOOK: Duration = Duration::from_secs(1);
/// Webhooks that are told at once; one that does not answer keeps none of the others waiting.
const AT_ONCE: usize = 16;
/// How often is looked for subscriptions that come to their end.
const WATCH: Duration = Duration::from_mins(1);
/// How often what is old is forgotten.
const SWEEP: Duration = Duration::from_hours(1);
/// The pause between two batches of rows that are removed, in which others write.
const BATCH_PAUSE: Duration = Duration::from_millis(100);
/// How soon a node that does not hold the lease asks again.
const ASK_AGAIN: Duration = Duration::from_secs(5);

/// How long a webhook rests whose delivery could not be written down: it is going to be sent again.
const REST: Duration = Duration::from_secs(15);
/// How long a stop waits for what is on its way: so many moments.
const PATIENCE: usize = 30;
const MOMENT: Duration = Duration::from_millis(100);
/// Batches of one webhook until another one gets its place.
const TURN: usize = 50;

/// Jobs that run until they are stopped.
pub(crate) struct Running {
    desk: Rc<Desk>,
    tasks: Vec<JoinHandle<()>>,
}

/// What the tasks share.
struct Desk {
    jobs: Jobs,
    /// Nothing new is begun any more.
    stopping: Cell<bool>,
    /// Webhooks that are being told: nobody else tells them meanwhile.
    busy: RefCell<HashSet<Id>>,
    /// The webhook whose turn came last.
    last: Cell<Id>,
}

/// Starts them all.
pub(crate) fn start(jobs: Jobs) -> Running {
    let desk = Rc::new(Desk {
        jobs,
        stopping: Cell::new(false),
        busy: RefCell::new(HashSet::new()),
        last: Cell::new(0),
    });
    let tasks = vec![
        rt::spawn(deliver(desk.clone())),
        rt::spawn(watch(desk.clone())),
        rt::spawn(sweep(desk.clone())),
    ];
    Running { desk, tasks }
}

impl Running {
    /// Stops them, and lets other nodes take over at once. What is on its way gets a moment to arrive and to be written
    /// down; what takes longer is sent again.
    pub(crate) async fn stop(self) {
        self.desk.stopping.set(true);
        for task in &self.tasks {
            task.abort();
        }
        for _ in 0..PATIENCE {
            if self.desk.busy.borrow().is_empty() {
                break;
            }
            sleep(MOMENT).await;
        }
        let Jobs { delivering, watching, sweeping, .. } = &self.desk.jobs;
        for lease in [delivering, watching, sweeping] {
            if let Err(error) = lease.give_back().await {
                tracing::warn!(%error, "failed to release lease; it will expire");
            }
        }
    }
}

impl Desk {
    /// Whether the job may run here; a store that is away is no lease.
    async fn holds(&self, lease: &Lease) -> bool {
        if self.stopping.get() {
            return false;
        }
        lease.is_held().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "failed to acquire lease");
            false
        })
    }

    /// Of those that have something due, the ones that begin now: whose turn was longest ago comes first.
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

fn told(what: &str, outcome: Result<(), Error>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, what, "job failed, will retry");
    }
}

async fn deliver(desk: Rc<Desk>) {
    loop {
        if !desk.holds(&desk.jobs.delivering).await {
            sleep(ASK_AGAIN).await;
            continue;
        }
        match desk.jobs.deliveries.waiting().await {
            Ok(waiting) => {
                for webhook in desk.begin(waiting) {
                    let desk = desk.clone();
                    rt::spawn(async move {
                        if let Err(error) = tell(&desk, webhook).await {
                            tracing::warn!(%error, webhook, "webhook delivery failed, will retry");
                            sleep(REST).await;
                        }
                        desk.busy.borrow_mut().remove(&webhook);
                    });
                }
            }
            Err(error) => tracing::warn!(%error, "failed to read pending deliveries"),
        }
        sleep(LOOK).await;
    }
}

/// Tells one webhook what is due, some at a time and each entity in its order: until nothing is, it does not take it, the
/// lease is gone, or others had to wait long enough.
async fn tell(desk: &Rc<Desk>, webhook: Id) -> Result<(), Error> {
    for _ in 0..TURN {
        if !desk.holds(&desk.jobs.delivering).await {
            break;
        }
        let due = desk.jobs.deliveries.due(webhook).await?;
        if due.is_empty() {
            break;
        }
        let attempts: Vec<_> = due
            .into_iter()
            .map(|due| {
                let deliveries = desk.jobs.deliveries.clone();
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

async fn watch(desk: Rc<Desk>) {
    loop {
        if desk.holds(&desk.jobs.watching).await {
            told("looking for subscriptions that end", desk.jobs.subscriptions.look().await);
        }
        sleep(WATCH).await;
    }
}

async fn sweep(desk: Rc<Desk>) {
    loop {
        if desk.holds(&desk.jobs.sweeping).await {
            told("removing old rows", remove_old(&desk).await);
            told("forgetting old notices", desk.jobs.subscriptions.sweep().await);
        }
        sleep(SWEEP).await;
    }
}

/// Removes what has reached its age, with a pause after each batch, for as long as this node holds the lease.
async fn remove_old(desk: &Desk) -> Result<(), Error> {
    for what in RetentionService::ALL {
        while desk.holds(&desk.jobs.sweeping).await && desk.jobs.retention.remove_batch(what).await? {
            sleep(BATCH_PAUSE).await;
        }
    }
    Ok(())
}
