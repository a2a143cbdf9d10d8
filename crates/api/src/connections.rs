//! Open connections: a limit per address, and an idle timeout.
//!
//! actix-web limits the time of a connection's first head only. Without a timeout, a later head
//! that never ends, a chunked body that no handler reads, or a response that the client does not
//! read would keep a connection open for ever.

use std::{
    any::Any,
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use actix_web::{
    Error,
    body::{BodySize, BoxBody, MessageBody},
    dev::{Extensions, ServiceRequest, ServiceResponse},
    middleware::Next,
    rt::{net::TcpStream, time::sleep},
    web::Bytes,
};
use rustix::net::{Shutdown, shutdown};

use crate::address::TrustedProxies;

/// The maximum time of an open connection without a request in progress or a response being sent.
const IDLE_LIMIT: Duration = Duration::from_mins(2);
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The minimum time between two logged refusals.
const LOG_INTERVAL_SECONDS: u64 = 60;

/// All open connections of the server of the API and the panel.
#[derive(Clone)]
pub struct Connections(Arc<Registry>);

struct Registry {
    per_address: usize,
    proxies: TrustedProxies,
    started: Instant,
    next_id: AtomicU64,
    last_logged: AtomicU64,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    by_id: HashMap<u64, Entry>,
    by_network: HashMap<IpAddr, usize>,
}

struct Entry {
    socket: OwnedFd,
    network: Option<IpAddr>,
    activity: Arc<Activity>,
}

/// The time of the last activity of a connection, in milliseconds since the start.
#[derive(Default)]
struct Activity {
    serving: AtomicUsize,
    last: AtomicU64,
}

/// Stored in the connection's extensions; dropped when the connection ends, which removes it from
/// the count.
struct Connection {
    id: u64,
    registry: Arc<Registry>,
    activity: Arc<Activity>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.registry.open();
        let Some(Entry { network: Some(network), .. }) = open.by_id.remove(&self.id) else { return };
        if let Some(count) = open.by_network.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                open.by_network.remove(&network);
            }
        }
    }
}

impl Registry {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn log_refusal(&self, address: IpAddr) {
        let second = self.now() / 1000 + LOG_INTERVAL_SECONDS;
        let last = self.last_logged.load(Ordering::Relaxed);
        if second >= last + LOG_INTERVAL_SECONDS
            && self.last_logged.compare_exchange(last, second, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            tracing::warn!(%address, limit = self.per_address, "connection refused: too many from this address");
        }
    }
}

/// The network that the limit applies to: an IPv4 address, or the /64 of an IPv6 address.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        address @ IpAddr::V4(_) => address,
    }
}

impl Connections {
    /// At most `per_address` connections of an address (IPv6: of a /64); `proxies` have no limit.
    #[must_use]
    pub fn new(per_address: usize, proxies: TrustedProxies) -> Self {
        Self(Arc::new(Registry {
            per_address,
            proxies,
            started: Instant::now(),
            next_id: AtomicU64::new(0),
            last_logged: AtomicU64::new(0),
            open: Mutex::default(),
        }))
    }

    /// Called by the server for each connection. One above the limit of its address is shut down at
    /// once.
    pub(crate) fn admit(&self, io: &dyn Any, extensions: &mut Extensions) {
        let Some(stream) = io.downcast_ref::<TcpStream>() else { return };
        let (Ok(peer), Ok(socket)) = (stream.peer_addr(), stream.as_fd().try_clone_to_owned()) else {
            return;
        };
        let registry = &self.0;
        let network = (!registry.proxies.trusts(peer.ip())).then(|| network_of(peer.ip()));
        let mut open = registry.open();
        if let Some(network) = network {
            let count = open.by_network.entry(network).or_default();
            if *count >= registry.per_address {
                drop(open);
                registry.log_refusal(peer.ip());
                let _ = shutdown(&socket, Shutdown::Both);
                return;
            }
            *count += 1;
        }
        let id = registry.next_id.fetch_add(1, Ordering::Relaxed);
        let activity = Arc::new(Activity { last: AtomicU64::new(registry.now()), ..Activity::default() });
        open.by_id.insert(id, Entry { socket, network, activity: activity.clone() });
        drop(open);
        extensions.insert(Connection { id, registry: registry.clone(), activity });
    }

    /// Shuts idle connections down until the task is aborted.
    pub async fn shut_idle_down(self) {
        loop {
            sleep(CHECK_INTERVAL).await;
            self.shut_down_idle_for(IDLE_LIMIT);
        }
    }

    fn shut_down_idle_for(&self, limit: Duration) {
        let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let now = self.0.now();
        for entry in self.0.open().by_id.values() {
            let Activity { serving, last } = &*entry.activity;
            if serving.load(Ordering::Relaxed) == 0
                && now.saturating_sub(last.load(Ordering::Relaxed)) >= limit
            {
                // The server reads the end of the stream, and drops the connection.
                let _ = shutdown(&entry.socket, Shutdown::Both);
            }
        }
    }
}

/// Records the time at which requests of a connection are served and their responses sent.
pub(crate) async fn track(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let connection = request.conn_data::<Connection>();
    let tracked = connection.map(|connection| (connection.registry.clone(), connection.activity.clone()));
    let Some((registry, activity)) = tracked else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let serving = Serving::new(&registry, &activity);
    let answer = next.call(request).await;
    drop(serving);
    Ok(answer?.map_body(|_, body| BoxBody::new(TrackedBody { body: body.boxed(), registry, activity })))
}

struct Serving<'a> {
    registry: &'a Registry,
    activity: &'a Activity,
}

impl<'a> Serving<'a> {
    fn new(registry: &'a Registry, activity: &'a Activity) -> Self {
        activity.serving.fetch_add(1, Ordering::Relaxed);
        Self { registry, activity }
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        self.activity.last.store(self.registry.now(), Ordering::Relaxed);
        self.activity.serving.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A body whose chunks count as activity.
struct TrackedBody {
    body: BoxBody,
    registry: Arc<Registry>,
    activity: Arc<Activity>,
}

impl MessageBody for TrackedBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let chunk = Pin::new(&mut self.body).poll_next(context);
        if chunk.is_ready() {
            self.activity.last.store(self.registry.now(), Ordering::Relaxed);
        }
        chunk
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn connections(per_address: usize) -> Connections {
        Connections::new(per_address, TrustedProxies::parse("::1").unwrap())
    }

    #[test]
    fn an_ipv6_caller_is_a_network_of_64_bits_and_a_mapped_address_is_ipv4() {
        let network = |text: &str| network_of(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
    }

    /// Both ends of a connection.
    fn pair() -> (TcpStream, std::net::TcpStream) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let (server, _) = listener.accept().unwrap();
        server.set_nonblocking(true).unwrap();
        (TcpStream::from_std(server).unwrap(), client)
    }

    #[actix_web::test]
    async fn connections_count_until_they_end() {
        let connections = connections(2);
        let (one, _client) = pair();
        let mut extensions: Vec<Extensions> = (0..3).map(|_| Extensions::new()).collect();
        for extension in &mut extensions {
            connections.admit(&one, extension);
        }
        let admitted = || extensions.iter().filter(|kept| kept.contains::<Connection>()).count();
        assert_eq!(admitted(), 2, "the third is above the limit");
        extensions.clear();
        assert!(connections.0.open().by_network.is_empty() && connections.0.open().by_id.is_empty());
    }

    #[actix_web::test]
    async fn an_idle_connection_is_shut_down_and_a_serving_one_is_not() {
        let connections = connections(10);
        let (idle, mut idle_client) = pair();
        let (busy, mut busy_client) = pair();
        let (mut of_idle, mut of_busy) = (Extensions::new(), Extensions::new());
        connections.admit(&idle, &mut of_idle);
        connections.admit(&busy, &mut of_busy);
        let connection = of_busy.get::<Connection>().unwrap();
        let serving = Serving::new(&connection.registry, &connection.activity);
        connections.shut_down_idle_for(Duration::from_hours(1));
        busy_client.set_nonblocking(true).unwrap();
        idle_client.set_nonblocking(true).unwrap();
        assert!(idle_client.read(&mut [0]).is_err(), "not idle for the whole limit");
        idle_client.set_nonblocking(false).unwrap();
        connections.shut_down_idle_for(Duration::ZERO);
        assert_eq!(idle_client.read(&mut [0]).unwrap(), 0);
        assert!(busy_client.read(&mut [0]).is_err(), "it serves a request");
        drop(serving);
        busy_client.set_nonblocking(false).unwrap();
        connections.shut_down_idle_for(Duration::ZERO);
        assert_eq!(busy_client.read(&mut [0]).unwrap(), 0);
    }
}
