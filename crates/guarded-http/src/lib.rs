//! HTTP clients for addresses that users enter: webhooks, playlists and guides. A name is resolved once, addresses that are
//! neither public nor named by the operator are left out, and the connection goes to one of those that remain.
//!
//! What is sent and what is done with an answer is not decided here.

mod fault;
mod guard;

use std::{net::SocketAddr, sync::Arc};

use domain_integrations::Networks;
use reqwest::{Client, ClientBuilder, RequestBuilder, dns::Resolve, redirect::Policy};
use tokio::net::{TcpStream, UdpSocket};
use url::{Host, Url};

use crate::guard::{Guard, SystemResolver};
pub use crate::{fault::ConnectionFault, guard::Forbidden};

/// A client that reaches the internet, and the private addresses that the operator names. It follows no redirect and uses no
/// proxy: both would lead elsewhere than the address that was checked.
#[derive(Debug, Clone)]
pub struct GuardedClient {
    client: Client,
    guard: Guard,
}

impl GuardedClient {
    /// A client with these further settings.
    pub fn new(
        allowed: Networks,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, String> {
        Self::with_resolver(allowed, Arc::new(SystemResolver), settings)
    }

    /// The same with a resolver of its own, for tests of names that change their address.
    #[doc(hidden)]
    pub fn with_resolver(
        allowed: Networks,
        resolver: Arc<dyn Resolve>,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, String> {
        let guard = Guard::new(allowed, resolver);
        let client = settings(Client::builder())
            // Names are resolved once, by the guard: what it has seen is what is connected to.
            .dns_resolver(guard.clone())
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            // A connection that is kept would outlive its check.
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { client, guard })
    }

    /// A request by GET.
    pub fn get(&self, url: Url) -> Result<RequestBuilder, Forbidden> {
        self.check(&url)?;
        Ok(self.client.get(url))
    }

    /// A request by POST.
    pub fn post(&self, url: Url) -> Result<RequestBuilder, Forbidden> {
        self.check(&url)?;
        Ok(self.client.post(url))
    }

    /// Connects to the host of an address of another protocol, and hangs up.
    pub async fn connect(&self, url: &Url, default_port: u16) -> Result<(), ConnectionFault> {
        let addresses = self.addresses(url, url.port().unwrap_or(default_port)).await?;
        TcpStream::connect(addresses.as_slice()).await.map_err(|_| ConnectionFault::Unreachable).map(drop)
    }

    /// A socket that sends to the host of an address of a protocol over UDP, and receives from it alone.
    pub async fn connect_udp(&self, url: &Url, port: u16) -> Result<UdpSocket, ConnectionFault> {
        let addresses = self.addresses(url, port).await?;
        let address = addresses.first().ok_or(ConnectionFault::Forbidden)?;
        let own: SocketAddr =
            if address.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0_u16; 8], 0).into() };
        let socket = UdpSocket::bind(own).await.map_err(|_| ConnectionFault::Unreachable)?;
        socket.connect(address).await.map_err(|_| ConnectionFault::Unreachable)?;
        Ok(socket)
    }

    /// The addresses of a host that may be connected to.
    async fn addresses(&self, url: &Url, port: u16) -> Result<Vec<SocketAddr>, ConnectionFault> {
        self.check(url).map_err(|Forbidden| ConnectionFault::Forbidden)?;
        match url.host() {
            Some(Host::Ipv4(address)) => Ok(vec![(address, port).into()]),
            Some(Host::Ipv6(address)) => Ok(vec![(address, port).into()]),
            Some(Host::Domain(name)) => self.guard.resolved(name, port).await.map_err(|error| {
                if error.is::<Forbidden>() {
                    ConnectionFault::Forbidden
                } else {
                    ConnectionFault::UnknownName
                }
            }),
            None => Err(ConnectionFault::Forbidden),
        }
    }

    /// A literal address needs no resolver.
    fn check(&self, url: &Url) -> Result<(), Forbidden> {
        self.guard.check_literal(url)
    }
}
