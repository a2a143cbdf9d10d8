//! What happens, as it happens: server-sent events, and the same as an answer (docs/spec/events.md).

use std::{
    collections::HashMap,
    convert::Infallible,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, ContentEncoding},
    },
    web::{Bytes, Data, Json},
};
use application::{ActivityService, Error};
use domain_kernel::{Actor, ErrorKind, RoleCode, Username};
use domain_operations::Activity;
use futures_util::stream;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::{caller::AuthUser, openapi::Api, problem::Problem};

/// Streams that a user may have open at a node.
const STREAMS_OF_USER: usize = 6;
/// When a user who has too many open may try again, in seconds.
const RETRY_SECONDS: u32 = 15;
/// The longest silence in a stream: proxies close connections on which nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// An event, because a client can't see comments: where none arrives, a proxy keeps them.
const HEARTBEAT_EVENT: &str = "event: heartbeat\ndata: {}\n\n";
/// How often a stream checks what was read.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long a stream lasts. The browser opens the next one, for which session and role are read anew.
const LIFETIME: Duration = Duration::from_mins(2);
/// How soon the browser opens the next one, in milliseconds.
const RECONNECT: u32 = 1000;

const LAST_EVENT_ID: &str = "Last-Event-ID";
const EVENT_STREAM: &str = "text/event-stream";

/// What is under way, and its parts as they are sent: most readers may see the same.
struct Published {
    activity: Activity,
    by_visible: Mutex<Vec<(Activity, Arc<[Part]>)>>,
}

impl Published {
    fn new(activity: Activity) -> Self {
        Self { activity, by_visible: Mutex::default() }
    }

    /// The parts that the actor may see.
    fn parts_for(&self, actor: &Actor) -> Arc<[Part]> {
        let visible = ActivityService::visible(&self.activity, actor);
        let mut known = self.by_visible.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, parts)) = known.iter().find(|(one, _)| *one == visible) {
            return parts.clone();
        }
        let parts: Arc<[Part]> = Part::all_of(&visible).into();
        known.push((visible, parts.clone()));
        parts
    }
}

/// A part of what is under way, as it is sent.
struct Part {
    name: String,
    data: String,
    hash: String,
}

impl Part {
    fn all_of(activity: &Activity) -> Vec<Self> {
        let Value::Object(parts) = json!(activity) else { return Vec::new() };
        let part = |(name, value): (String, Value)| {
            let data = value.to_string();
            let hash = format!("{:x}", Sha256::digest(&data))[..12].to_owned();
            Self { name, data, hash }
        };
        parts.into_iter().filter(|(_, value)| !value.is_null()).map(part).collect()
    }
}

/// The open streams of this node.
pub struct EventStreams {
    activity: Arc<ActivityService>,
    /// What was read last, for the streams that were open then.
    latest: watch::Sender<Option<Arc<Published>>>,
    closed: watch::Sender<bool>,
    /// By the key of the name.
    by_user: Mutex<HashMap<String, usize>>,
}

impl EventStreams {
    /// No stream yet.
    pub fn new(activity: Arc<ActivityService>) -> Self {
        Self {
            activity,
            latest: watch::Sender::default(),
            closed: watch::Sender::default(),
            by_user: Mutex::default(),
        }
    }

    /// Reads what is under way, where somebody has a stream open. Each stream compares it with what it has sent, since each was
    /// opened at another moment.
    pub async fn publish(&self) -> Result<(), Error> {
        if self.latest.receiver_count() > 0 {
            self.latest.send_replace(Some(Arc::new(Published::new(self.activity.read().await?))));
        }
        Ok(())
    }

    /// Ends all streams: the server stops.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.by_user.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(self: &Arc<Self>, username: &Username) -> Result<OpenStream, Error> {
        let mut counts = self.counts();
        let count = counts.entry(username.key()).or_default();
        if *count >= STREAMS_OF_USER {
            return Err(Error::Throttled(RETRY_SECONDS));
        }
        *count += 1;
        Ok(OpenStream { streams: self.clone(), user: username.key() })
    }
}

/// A stream of a user; counts until it ends.
struct OpenStream {
    streams: Arc<EventStreams>,
    user: String,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut counts = self.streams.counts();
        if let Some(count) = counts.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.user);
            }
        }
    }
}

/// What a stream has sent, part by part. An event id says all of it, so that any node can go on from there.
#[derive(Default)]
struct Sent(Vec<(String, String)>);

impl Sent {
    /// What the event with this id had sent. An id of somebody else's making has sent nothing.
    fn after(id: &str) -> Self {
        let part = |part: &str| part.split_once('-').map(|(name, hash)| (name.to_owned(), hash.to_owned()));
        Self(id.split('.').filter_map(part).collect())
    }

    fn id(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|(name, hash)| format!("{name}-{hash}")).collect();
        parts.join(".")
    }

    /// The events of what differs from what was sent.
    fn events(&mut self, parts: &[Part]) -> String {
        let mut events = String::new();
        for Part { name, data, hash } in parts {
            match self.0.iter_mut().find(|(part, _)| part == name) {
                Some((_, known)) if known == hash => continue,
                Some((_, known)) => known.clone_from(hash),
                None => self.0.push((name.clone(), hash.clone())),
            }
            // Writing to a text does not fail.
            let _ = write!(events, "event: {name}\nid: {}\ndata: {data}\n\n", self.id());
        }
        events
    }
}

pub(crate) fn register(api: &mut Api) {
    let activity = api.schemas.response::<Activity>();
    drop(
        api.route(Method::GET, "/activity", "getActivity", activity_of_caller)
            .about("events", "Get what is under way, and how much waits for somebody")
            .explained("A part that the caller may not see is null. Bulk operations are the caller's own, all of them for admins.")
            .requires_role(&RoleCode::STAFF)
            .answers(200, "What is under way now.", activity),
    );
    drop(
        api.route(Method::GET, "/events", "streamEvents", stream_of_caller)
            .about("events", "Follow what is under way as server-sent events")
            .explained(
                "An event for each part of GET /activity, named like its field, with the field as data: all of them first, then each \
                 that differs, within seconds. With Last-Event-ID, what that stream had sent already is left out, on every node. An \
                 event `heartbeat` is sent after 15 seconds of silence. A stream ends after two minutes: clients reconnect. A user has at most \
                 six open at a node.",
            )
            .requires_role(&RoleCode::STAFF)
            .header(LAST_EVENT_ID, json!({"type": "string"}), "The id of the last event that arrived.")
            .answers_events("The events.")
            .fails(&[ErrorKind::Throttled]),
    );
}

async fn activity_of_caller(
    caller: AuthUser,
    service: Data<ActivityService>,
) -> Result<Json<Activity>, Problem> {
    Ok(Json(service.of(&caller).await?))
}

/// A stream of one caller. It looks for what was read since once a second, counted from its opening: streams that are notified
/// together would be written together, and thousands of them keep every other call waiting.
struct Following {
    latest: watch::Receiver<Option<Arc<Published>>>,
    closed: watch::Receiver<bool>,
    /// Between two polls.
    pause: Duration,
    next_poll: Instant,
    actor: Actor,
    sent: Sent,
    ends: Instant,
    /// The longest time without a text.
    silence: Duration,
    /// Sent before anything else.
    first: Option<String>,
    _open: OpenStream,
}

impl Following {
    /// The events that differ from what the one with this id had sent come first.
    async fn begin(
        open: OpenStream,
        service: &ActivityService,
        actor: &Actor,
        last: &str,
    ) -> Result<Self, Error> {
        // What is read from here on is new to it.
        let latest = open.streams.latest.subscribe();
        let mut sent = Sent::after(last);
        let events = sent.events(&Part::all_of(&service.of(actor).await?));
        Ok(Self {
            latest,
            closed: open.streams.closed.subscribe(),
            pause: POLL_INTERVAL,
            next_poll: Instant::now() + POLL_INTERVAL,
            actor: actor.clone(),
            sent,
            ends: Instant::now() + LIFETIME,
            silence: HEARTBEAT,
            first: Some(format!("retry: {RECONNECT}\n\n{events}")),
            _open: open,
        })
    }

    /// The next text, once there is one; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        // What the actor may not see, or knows, breaks no silence.
        let end_of_silence = self.ends.min(Instant::now() + self.silence);
        loop {
            let until = end_of_silence.min(self.next_poll);
            if timeout_at(until, self.closed.wait_for(|is_closed| *is_closed)).await.is_ok() {
                return None;
            }
            if Instant::now() >= end_of_silence {
                return (Instant::now() < self.ends).then(|| HEARTBEAT_EVENT.to_owned());
            }
            self.next_poll = Instant::now() + self.pause;
            if let Some(events) = self.new_events() {
                return Some(events);
            }
        }
    }

    /// The events of what was read since the last poll, where there are any.
    fn new_events(&mut self) -> Option<String> {
        if !self.latest.has_changed().unwrap_or_default() {
            return None;
        }
        let latest = self.latest.borrow_and_update().clone()?;
        let events = self.sent.events(&latest.parts_for(&self.actor));
        (!events.is_empty()).then_some(events)
    }
}

async fn stream_of_caller(
    caller: AuthUser,
    request: HttpRequest,
    service: Data<ActivityService>,
    streams: Data<EventStreams>,
) -> Result<HttpResponse, Problem> {
    let mut answer = HttpResponse::Ok();
    answer
        .content_type(EVENT_STREAM)
        .insert_header((CACHE_CONTROL, "no-store"))
        // A proxy is not to collect them, nor is anything to pack them.
        .insert_header(("X-Accel-Buffering", "no"))
        .insert_header(ContentEncoding::Identity);
    if request.method() == Method::HEAD {
        return Ok(answer.finish());
    }
    let open = streams.into_inner().open(&caller.username)?;
    let last = request.headers().get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    let following = Following::begin(open, &service, &caller, last).await?;
    let texts = stream::unfold(following, |mut following| async move {
        let text = following.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), following))
    });
    Ok(answer.streaming(texts))
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use domain_kernel::{Origin, Source};
    use domain_operations::ReportActivity;
    use ports::{ActivityRepository, StoreError};

    use super::*;

    /// So many reports are open.
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
            let open = self.streams.open(&actor.username).unwrap();
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
        // The node reads what it has read before; the stream was opened in between.
        node.have(0).await;
        assert!(second.new_events().unwrap().contains("\"open\":0"));
        node.have(0).await;
        assert_eq!(second.new_events(), None);
    }

    #[actix_web::test]
    async fn what_somebody_may_not_see_does_not_put_off_their_heartbeat() {
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
}
