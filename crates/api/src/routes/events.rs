//! Current activity, as server-sent events and as a response (docs/spec/events.md).

use std::{
    collections::{HashMap, VecDeque},
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
use domain_kernel::{Actor, RoleCode, Username};
use domain_operations::Activity;
use futures_util::stream;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout_at},
};

use crate::{caller::AuthUser, openapi::Api, problem::Problem};

/// Maximum open streams of a user at a node. A further one ends the oldest: its client may have closed the
/// connection, which the server detects only when it writes.
const STREAMS_OF_USER: usize = 6;
/// Last text of a stream that a further one ends: delays its reconnection, so that seven clients do not end
/// each other's streams every second.
const REPLACED: &str = "retry: 30000\n\n";
/// Maximum time without data: proxies close idle connections.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// An event, because clients can't see comments: without one, a proxy buffers the stream.
const HEARTBEAT_EVENT: &str = "event: heartbeat\ndata: {}\n\n";
/// Interval at which a stream checks for new data.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Lifetime of a stream. The browser reconnects, with session and role read again.
const LIFETIME: Duration = Duration::from_mins(2);
/// Reconnection delay of the browser, in milliseconds.
const RECONNECT: u32 = 1000;

const LAST_EVENT_ID: &str = "Last-Event-ID";
const EVENT_STREAM: &str = "text/event-stream";

/// Current activity, and its serialized parts: most users may see the same ones.
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

/// A serialized part of the activity.
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
    /// The last activity read, for open streams.
    latest: watch::Sender<Option<Arc<Published>>>,
    closed: watch::Sender<bool>,
    /// By the key of the username, the oldest first; notified where a further one replaces it.
    by_user: Mutex<HashMap<String, VecDeque<Arc<Notify>>>>,
}

impl EventStreams {
    pub fn new(activity: Arc<ActivityService>) -> Self {
        Self {
            activity,
            latest: watch::Sender::default(),
            closed: watch::Sender::default(),
            by_user: Mutex::default(),
        }
    }

    /// Reads the activity if a stream is open. Each stream compares it with its own sent state,
    /// because streams open at different times.
    pub async fn publish(&self) -> Result<(), Error> {
        if self.latest.receiver_count() > 0 {
            self.latest.send_replace(Some(Arc::new(Published::new(self.activity.read().await?))));
        }
        Ok(())
    }

    /// Ends all streams, at shutdown.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    fn open_ones(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Arc<Notify>>>> {
        self.by_user.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(self: &Arc<Self>, username: &Username) -> OpenStream {
        let replaced = Arc::new(Notify::new());
        let mut streams = self.open_ones();
        let of_user = streams.entry(username.key()).or_default();
        if of_user.len() >= STREAMS_OF_USER
            && let Some(oldest) = of_user.pop_front()
        {
            oldest.notify_one();
        }
        of_user.push_back(replaced.clone());
        OpenStream { streams: self.clone(), user: username.key(), replaced }
    }
}

/// An open stream of a user, counted until it ends or is replaced.
struct OpenStream {
    streams: Arc<EventStreams>,
    user: String,
    replaced: Arc<Notify>,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut streams = self.streams.open_ones();
        if let Some(of_user) = streams.get_mut(&self.user) {
            of_user.retain(|one| !Arc::ptr_eq(one, &self.replaced));
            if of_user.is_empty() {
                streams.remove(&self.user);
            }
        }
    }
}

/// Sent state of a stream: name and hash of each part. The event ID has all of it, so that any node
/// can resume the stream.
#[derive(Default)]
struct Sent(Vec<(String, String)>);

impl Sent {
    /// The sent state in an event ID; empty for an invalid ID.
    fn after(id: &str) -> Self {
        let part = |part: &str| part.split_once('-').map(|(name, hash)| (name.to_owned(), hash.to_owned()));
        Self(id.split('.').filter_map(part).collect())
    }

    fn id(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|(name, hash)| format!("{name}-{hash}")).collect();
        parts.join(".")
    }

    /// Events of the parts that differ from the sent state.
    fn events(&mut self, parts: &[Part]) -> String {
        let mut events = String::new();
        for Part { name, data, hash } in parts {
            match self.0.iter_mut().find(|(part, _)| part == name) {
                Some((_, known)) if known == hash => continue,
                Some((_, known)) => known.clone_from(hash),
                None => self.0.push((name.clone(), hash.clone())),
            }
            // Writing to a string does not fail.
            let _ = write!(events, "event: {name}\nid: {}\ndata: {data}\n\n", self.id());
        }
        events
    }
}

pub(crate) fn register(api: &mut Api) {
    let activity = api.schemas.response::<Activity>();
    drop(
        api.route(Method::GET, "/activity", "getActivity", activity_of_caller)
            .about("events", "Get current activity and numbers of pending items")
            .explained(
                "Parts that the caller may not see are null. Bulk operations are the caller's own, or \
                 all for admins.",
            )
            .requires_role(&RoleCode::STAFF)
            .answers(200, "Current activity.", activity),
    );
    drop(
        api.route(Method::GET, "/events", "streamEvents", stream_of_caller)
            .about("events", "Stream current activity as server-sent events")
            .explained(
                "One event per part of GET /activity, named like its field, with the field as data: first \
                 all parts, then changed parts within seconds. With Last-Event-ID, parts already sent by \
                 that stream are omitted, on any node. An event `heartbeat` follows 15 seconds of \
                 silence. A stream ends after two minutes; clients reconnect. A user can have six open \
                 streams per node; a further one ends the oldest.",
            )
            .requires_role(&RoleCode::STAFF)
            .header(LAST_EVENT_ID, json!({"type": "string"}), "ID of the last received event.")
            .answers_events("Events."),
    );
}

async fn activity_of_caller(
    caller: AuthUser,
    service: Data<ActivityService>,
) -> Result<Json<Activity>, Problem> {
    Ok(Json(service.of(&caller).await?))
}

/// A stream of one user. It polls once a second, counted from its opening: if all streams were
/// notified together, thousands of writes at once would delay other requests.
struct Following {
    latest: watch::Receiver<Option<Arc<Published>>>,
    closed: watch::Receiver<bool>,
    /// Polling interval.
    pause: Duration,
    next_poll: Instant,
    actor: Actor,
    sent: Sent,
    ends: Instant,
    /// Maximum time without data.
    silence: Duration,
    /// First text of the stream.
    first: Option<String>,
    open: OpenStream,
}

impl Following {
    /// Begins with the events that differ from the state in the event ID.
    async fn begin(
        open: OpenStream,
        service: &ActivityService,
        actor: &Actor,
        last: &str,
    ) -> Result<Self, Error> {
        // Marks the current value as seen only after this subscription.
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
            open,
        })
    }

    /// The next text; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        // Parts that are unchanged or not visible to the actor do not end the silence.
        let end_of_silence = self.ends.min(Instant::now() + self.silence);
        loop {
            let until = end_of_silence.min(self.next_poll);
            let (closed, replaced) = (&mut self.closed, &self.open.replaced);
            let ends = async {
                tokio::select! {
                    _ = closed.wait_for(|is_closed| *is_closed) => None,
                    () = replaced.notified() => Some(REPLACED.to_owned()),
                }
            };
            let ended = timeout_at(until, ends).await;
            if let Ok(last) = ended {
                self.ends = Instant::now();
                return last;
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

    /// Events since the last poll, if any.
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
        // Turns off buffering by proxies, and compression.
        .insert_header(("X-Accel-Buffering", "no"))
        .insert_header(ContentEncoding::Identity);
    if request.method() == Method::HEAD {
        return Ok(answer.finish());
    }
    let open = streams.into_inner().open(&caller.username);
    let last = request.headers().get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    let following = Following::begin(open, &service, &caller, last).await?;
    let texts = stream::unfold(following, |mut following| async move {
        let text = following.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), following))
    });
    Ok(answer.streaming(texts))
}

#[cfg(test)]
mod tests;
