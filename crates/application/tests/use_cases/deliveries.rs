//! Order of deliveries, pauses after failures, and leases; permissions of webhooks.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};

use application::{Calendar, DeliveryService, Error, Lease, SubscriptionWatch, WebhookService};
use chrono::{DateTime, TimeDelta, Utc};
use domain_integrations::{Attempt, Delivery, DeliveryFault, DeliveryStatus, EventStage, EventType, Verdict};
use domain_kernel::{Actor, Origin, RoleCode, Username};
use domain_users::permissions_of;
use ports::{
    Clock, DueDelivery, MockLeases, MockOutbox, MockSubscriptionEnds, MockWebhookRepository,
    MockWebhookSender, Noted, StoreError,
};

fn start() -> DateTime<Utc> {
    "2026-11-21T03:00:00Z".parse().unwrap()
}

/// A clock in milliseconds, set by the test.
#[derive(Clone, Default)]
struct HandClock(Arc<AtomicI64>);

impl HandClock {
    fn forward(&self, by: TimeDelta) {
        self.0.fetch_add(by.num_milliseconds(), Ordering::Relaxed);
    }

    fn calendar(&self) -> Calendar {
        Calendar::new(Arc::new(self.clone()), chrono_tz::UTC)
    }
}

impl Clock for HandClock {
    fn now(&self) -> DateTime<Utc> {
        start() + TimeDelta::milliseconds(self.0.load(Ordering::Relaxed))
    }
}

fn due(event_type: EventType, attempts: u32) -> DueDelivery {
    let delivery = Delivery {
        id: 42,
        webhook: 7,
        message: "msg_40".into(),
        event_type,
        entity: "movies/1".into(),
        data: r#"{"resource":"movies","id":1}"#.into(),
        occurred_at: start() - TimeDelta::hours(1),
        status: DeliveryStatus::Pending,
        attempts,
        next_attempt_at: None,
        last_attempt_at: None,
        status_code: None,
        fault: None,
        duration_ms: None,
        delivered_at: None,
        resend_of: Some(40),
    };
    DueDelivery { delivery, url: "https://example.com/".into(), secret: "whsec_eA==".into() }
}

/// The recorded attempt of a delivery with this outcome after 250 ms.
async fn attempted(due: DueDelivery, attempt: Attempt) -> (Verdict, ports::Outcome, DeliveryService) {
    let clock = HandClock::default();
    let mut sender = MockWebhookSender::new();
    let slow = clock.clone();
    sender.expect_send().times(1).returning(move |message| {
        let body: serde_json::Value = serde_json::from_str(&message.body).unwrap();
        assert_eq!((message.id.as_str(), message.sent_at), ("msg_40", start()));
        assert_eq!((&body["id"], &body["timestamp"]), (&"msg_40".into(), &"2026-11-21T02:00:00.000Z".into()));
        assert_eq!(body["data"]["resource"], "movies");
        slow.forward(TimeDelta::milliseconds(250));
        attempt
    });
    let noted = Arc::new(Mutex::new(None));
    let mut outbox = MockOutbox::new();
    let keep = noted.clone();
    outbox.expect_note().times(1).returning(move |delivery, outcome| {
        assert_eq!(delivery.id, 42);
        *keep.lock().unwrap() = Some(*outcome);
        Ok(Noted::Done)
    });
    let service = DeliveryService::new(Arc::new(outbox), Arc::new(sender), clock.calendar());
    let verdict = service.attempt(&due).await.unwrap();
    let outcome = noted.lock().unwrap().take().unwrap();
    (verdict, outcome, service)
}

const ARRIVED: Attempt = Attempt { status_code: Some(200), fault: None };

fn failed(fault: DeliveryFault) -> Attempt {
    Attempt { status_code: None, fault: Some(fault) }
}

#[tokio::test]
async fn an_arrived_delivery_is_recorded_with_its_duration() {
    let (verdict, outcome, service) = attempted(due(EventType::ItemChanged, 3), ARRIVED).await;
    assert_eq!((verdict, outcome.verdict), (Verdict::Delivered, Verdict::Delivered));
    assert_eq!((outcome.at, outcome.ended - outcome.at), (start(), TimeDelta::milliseconds(250)));
    assert_eq!(service.figures().by_outcome(), [("delivered", 1), ("retried", 0), ("failed", 0)]);
}

#[tokio::test]
async fn every_failure_is_retried_later_and_finally_given_up() {
    use DeliveryFault::{ForbiddenAddress, Redirected, Refused, TimedOut, Unreachable, Unreadable};
    for fault in [Refused, Redirected, TimedOut, Unreachable, ForbiddenAddress, Unreadable] {
        for (attempts, pause) in [(0, 5), (1, 30), (8, 43_200)] {
            let (verdict, outcome, _) = attempted(due(EventType::ItemChanged, attempts), failed(fault)).await;
            let next = outcome.ended + TimeDelta::seconds(pause);
            assert_eq!((verdict, outcome.attempt.fault), (Verdict::Retry(next), Some(fault)));
        }
        let (verdict, _, service) = attempted(due(EventType::ItemChanged, 9), failed(fault)).await;
        assert_eq!(verdict, Verdict::GivenUp);
        assert_eq!(service.figures().by_outcome()[2], ("failed", 1));
    }
    let (verdict, ..) = attempted(due(EventType::Test, 0), failed(TimedOut)).await;
    assert_eq!(verdict, Verdict::GivenUp, "a test is tried once");
}

#[tokio::test]
async fn an_attempt_recorded_by_another_node_is_not_counted_and_an_unrecorded_one_is_an_error() {
    for (noted, counted) in [(Ok(Noted::Overtaken), true), (Err(()), false)] {
        let mut sender = MockWebhookSender::new();
        sender.expect_send().returning(|_| ARRIVED);
        let mut outbox = MockOutbox::new();
        outbox
            .expect_note()
            .returning(move |_, _| noted.map_err(|()| StoreError::Unavailable("away".into())));
        let calendar = HandClock::default().calendar();
        let service = DeliveryService::new(Arc::new(outbox), Arc::new(sender), calendar);
        assert_eq!(service.attempt(&due(EventType::ItemChanged, 0)).await.is_ok(), counted);
        assert_eq!(service.figures().by_outcome()[0].1, 0);
    }
}

#[tokio::test]
async fn a_lease_is_renewed_after_half_of_its_time_and_not_before() {
    let clock = HandClock::default();
    let mut leases = MockLeases::new();
    let times = Arc::new(Mutex::new(Vec::new()));
    let keep = times.clone();
    let now = clock.clone();
    leases.expect_take().returning(move |name, holder, length| {
        assert_eq!((name, holder, length), ("job", "node", TimeDelta::seconds(20)));
        let seconds = (now.now() - start()).num_seconds();
        keep.lock().unwrap().push(seconds);
        // After the second minute another node has the lease.
        Ok(seconds < 120)
    });
    leases.expect_release().times(1).returning(|_, _| Ok(()));
    let lease = Lease::new(Arc::new(leases), clock.calendar(), "job", "node".into(), TimeDelta::seconds(20));
    let mut held = 0;
    for _ in 0..130 {
        held += i32::from(lease.is_held().await.unwrap());
        clock.forward(TimeDelta::seconds(1));
    }
    assert_eq!(held, 120);
    let renewed: Vec<_> = times.lock().unwrap().iter().take(4).copied().collect();
    assert_eq!(renewed, [0, 10, 20, 30]);
    lease.release().await.unwrap();
}

#[tokio::test]
async fn a_clock_that_was_set_back_does_not_extend_a_lease() {
    let clock = HandClock::default();
    clock.forward(TimeDelta::hours(5));
    let mut leases = MockLeases::new();
    leases.expect_take().times(2).returning(|_, _, _| Ok(true));
    let lease = Lease::new(Arc::new(leases), clock.calendar(), "job", "node".into(), TimeDelta::seconds(20));
    assert!(lease.is_held().await.unwrap());
    clock.forward(TimeDelta::hours(-3));
    assert!(lease.is_held().await.unwrap());
}

#[tokio::test]
async fn expirations_within_a_week_are_recorded_in_steps_until_there_are_no_more() {
    let mut ends = MockSubscriptionEnds::new();
    let requested = Arc::new(Mutex::new(Vec::new()));
    let keep = requested.clone();
    ends.expect_record_expirations().returning(move |stage, now, until, most| {
        let mut requested = keep.lock().unwrap();
        requested.push((stage, (until - now).num_days()));
        Ok(if requested.len() < 3 { most } else { 0 })
    });
    ends.expect_record_changes()
        .withf(|now, until| (*until - *now).num_days() == 7)
        .times(1)
        .returning(|_, _| Ok(0));
    SubscriptionWatch::new(Arc::new(ends), HandClock::default().calendar()).record_notices().await.unwrap();
    let (expiring, expired) = ((EventStage::Expiring, 7), (EventStage::Expired, 0));
    assert_eq!(*requested.lock().unwrap(), [expiring, expiring, expiring, expired]);
}

#[tokio::test]
async fn without_admin_neither_store_nor_receiver_is_called() {
    // Mocks without expectations panic at a call.
    let service = WebhookService::new(
        Arc::new(MockWebhookRepository::new()),
        Arc::new(MockWebhookSender::new()),
        HandClock::default().calendar(),
    );
    for role in [RoleCode::Agent, RoleCode::ContentManager, RoleCode::App] {
        let username = Username::parse("somebody").unwrap();
        let actor = Actor { username, role, permissions: permissions_of(role), origin: Origin::SERVER };
        let refused = [
            service.list(&actor, &[]).await.map(drop),
            service.find(&actor, 1).await.map(drop),
            service.create(&actor, b"{", None).await.map(drop),
            service.replace(&actor, 1, b"{", None).await.map(drop),
            service.merge(&actor, 1, b"{", None).await.map(drop),
            service.delete(&actor, 1, None).await,
            service.rotate_secret(&actor, 1).await.map(drop),
            service.test(&actor, 1).await.map(drop),
            service.log(&actor, 1, &[]).await.map(drop),
            service.delivery(&actor, 1, 1).await.map(drop),
            service.resend(&actor, 1, 1).await.map(drop),
        ];
        assert!(refused.iter().all(|one| matches!(one, Err(Error::Forbidden))), "{refused:?}");
    }
}
