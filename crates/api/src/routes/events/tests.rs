//! Events over a repository in memory.

use async_trait::async_trait;
use domain_kernel::{Origin, Source};
use domain_operations::ReportActivity;
use ports::{ActivityRepository, StoreError};

use super::*;

/// A repository with this number of open reports.
#[derive(Default)]
struct Reports(Mutex<u64>);

#[async_trait]
impl ActivityRepository for Reports {
    async fn read(&self) -> Result<Activity, StoreError> {
        let reports = Some(ReportActivity { open: *self.0.lock().unwrap(), newest: 1, last_change: 1 });
        Ok(Activity { jobs: Vec::new(), ended: Vec::new(), links: None, reviews: None, reports })
    }
}

struct Node {
    reports: Arc<Reports>,
    service: Arc<ActivityService>,
    streams: Arc<EventStreams>,
}

impl Node {
    fn new() -> Self {
        let reports = Arc::new(Reports::default());
        let service = Arc::new(ActivityService::new(reports.clone()));
        Self { reports, service: service.clone(), streams: Arc::new(EventStreams::new(service)) }
    }

    async fn open(&self, role: RoleCode) -> Following {
        let username = Username::parse("rosa_1").unwrap();
        let origin = Origin::of(Source::Request);
        let actor = Actor { username, role, permissions: &[], origin };
        let open = self.streams.open(&actor.username);
        let mut following = Following::begin(open, &self.service, &actor, "").await.unwrap();
        following.next().await.unwrap();
        following
    }

    async fn have(&self, open: u64) {
        *self.reports.0.lock().unwrap() = open;
        self.streams.publish().await.unwrap();
    }
}

#[actix_web::test]
async fn a_stream_that_was_opened_between_two_readings_is_notified_of_the_second() {
    let node = Node::new();
    let _first = node.open(RoleCode::Admin).await;
    node.have(0).await;
    *node.reports.0.lock().unwrap() = 1;
    let mut second = node.open(RoleCode::Admin).await;
    assert_eq!(second.new_events(), None, "that was read before it was opened");
    // The node publishes the same activity as before; the stream was opened in between.
    node.have(0).await;
    assert!(second.new_events().unwrap().contains("\"open\":0"));
    node.have(0).await;
    assert_eq!(second.new_events(), None);
}

#[actix_web::test]
async fn a_seventh_stream_of_a_user_ends_the_oldest_which_is_opened_again_later() {
    let node = Node::new();
    let mut streams = Vec::new();
    for _ in 0..=STREAMS_OF_USER {
        streams.push(node.open(RoleCode::Admin).await);
    }
    let mut oldest = streams.remove(0);
    assert_eq!(oldest.next().await.as_deref(), Some(REPLACED));
    assert_eq!(oldest.next().await, None);
    drop(oldest);
    for stream in &mut streams {
        stream.silence = Duration::ZERO;
        assert_eq!(stream.next().await.as_deref(), Some(HEARTBEAT_EVENT), "the others go on");
    }
    assert_eq!(node.streams.open_ones()["rosa_1"].len(), STREAMS_OF_USER);
    drop(streams);
    assert!(node.streams.open_ones().is_empty());
}

#[actix_web::test]
async fn parts_a_user_may_not_see_do_not_delay_the_heartbeat() {
    let node = Node::new();
    let mut agent = node.open(RoleCode::Agent).await;
    agent.silence = Duration::from_millis(20);
    agent.pause = Duration::from_millis(1);
    agent.next_poll = Instant::now();
    let streams = node.streams.clone();
    let reports = node.reports.clone();
    let busy = actix_web::rt::spawn(async move {
        loop {
            *reports.0.lock().unwrap() += 1;
            streams.publish().await.unwrap();
            tokio::task::yield_now().await;
        }
    });
    let heartbeat = timeout_at(Instant::now() + Duration::from_secs(10), agent.next()).await;
    busy.abort();
    assert_eq!(heartbeat.unwrap().as_deref(), Some(HEARTBEAT_EVENT));
}
