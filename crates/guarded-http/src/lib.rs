//! HTTP clients for addresses that users enter: webhooks, playlists and guides. A name is resolved once, addresses that are
//! neither public nor named by the operator are left out, and the connection goes to one of those that remain.
//!
//! What is sent and what is done with an answer is not decided here.

mod fault;
mod guard;

use domain_integrations::Networks;
use reqwest::{Client, ClientBuilder, RequestBuilder, redirect::Policy};
use tokio::net::TcpStream;
use url::{Host, Url};

use crate::guard::Guard;
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
        let guard = Guard::new(allowed);
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
        self.check(url).map_err(|Forbidden| ConnectionFault::Forbidden)?;
        let port = url.port().unwrap_or(default_port);
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![(address, port).into()],
            Some(Host::Ipv6(address)) => vec![(address, port).into()],
            Some(Host::Domain(name)) => self.guard.resolved(name, port).await.map_err(|error| {
                if error.is::<Forbidden>() {
                    ConnectionFault::Forbidden
                } else {
                    ConnectionFault::UnknownName
                }
            })?,
            None => return Err(ConnectionFault::Forbidden),
        };
        TcpStream::connect(addresses.as_slice()).await.map_err(|_| ConnectionFault::Unreachable).map(drop)
    }

    /// A literal address needs no resolver.
    fn check(&self, url: &Url) -> Result<(), Forbidden> {
        self.guard.check_literal(url)
    }
}
