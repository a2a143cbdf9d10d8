//! HTTP clients for URLs entered by users: webhooks, playlists and guides. A name is resolved once, addresses
//! that are neither public nor listed by the operator are discarded, and the connection goes to one of the
//! others.
//!
//! Requests and responses are up to the caller.

mod fault;
mod guard;

use std::{net::SocketAddr, sync::Arc};

use domain_integrations::Networks;
use reqwest::{Client, ClientBuilder, RequestBuilder, dns::Resolve, redirect::Policy};
use tokio::net::{TcpStream, UdpSocket};
use url::{Host, Url};

use crate::guard::{Guard, SystemResolver};
pub use crate::{fault::ConnectionFault, guard::Forbidden};

/// A client for public addresses, and the private addresses listed by the operator. It follows no redirect
/// and uses no proxy, because both would bypass the check of the address.
#[derive(Debug, Clone)]
pub struct GuardedClient {
    client: Client,
    guard: Guard,
}

impl GuardedClient {
    /// A client with additional settings.
    pub fn new(
        allowed: Networks,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, String> {
        Self::with_resolver(allowed, Arc::new(SystemResolver), settings)
    }

    /// A client with its own resolver, for tests of names that change their address.
    #[doc(hidden)]
    pub fn with_resolver(
        allowed: Networks,
        resolver: Arc<dyn Resolve>,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, String> {
        let guard = Guard::new(allowed, resolver);
        let client = settings(Client::builder())
            // Names are resolved once, by the guard, so that the checked address is the one of the
            // connection.
            .dns_resolver(guard.clone())
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            // A pooled connection would outlive its check.
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { client, guard })
    }

    /// A GET request.
    pub fn get(&self, url: Url) -> Result<RequestBuilder, Forbidden> {
        self.check(&url)?;
        Ok(self.client.get(url))
    }

    /// A POST request.
    pub fn post(&self, url: Url) -> Result<RequestBuilder, Forbidden> {
        self.check(&url)?;
        Ok(self.client.post(url))
    }

    /// Connects to the host of a URL of another protocol, and closes the connection.
    pub async fn connect(&self, url: &Url, default_port: u16) -> Result<(), ConnectionFault> {
        let addresses = self.addresses(url, url.port().unwrap_or(default_port)).await?;
        TcpStream::connect(addresses.as_slice()).await.map_err(|_| ConnectionFault::Unreachable).map(drop)
    }

    /// A UDP socket connected to the host of a URL.
    pub async fn connect_udp(&self, url: &Url, port: u16) -> Result<UdpSocket, ConnectionFault> {
        let addresses = self.addresses(url, port).await?;
        let address = addresses.first().ok_or(ConnectionFault::Forbidden)?;
        let own: SocketAddr =
            if address.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0_u16; 8], 0).into() };
        let socket = UdpSocket::bind(own).await.map_err(|_| ConnectionFault::Unreachable)?;
        socket.connect(address).await.map_err(|_| ConnectionFault::Unreachable)?;
        Ok(socket)
    }

    /// Allowed addresses of a host.
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

    /// Checks a literal address, which needs no resolver.
    fn check(&self, url: &Url) -> Result<(), Forbidden> {
        self.guard.check_literal(url)
    }
}
