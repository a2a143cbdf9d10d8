//! Keeps requests from reaching internal services.

use std::{
    error::Error,
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use domain_integrations::{Networks, is_public};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// The address is not public, and not listed by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forbidden;

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the address is not public")
    }
}

impl Error for Forbidden {}

/// Name resolution failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownName;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name could not be resolved")
    }
}

impl Error for UnknownName {}

/// Name resolution of the system.
pub(crate) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Checks addresses before a connection.
#[derive(Clone)]
pub(crate) struct Guard {
    allowed: Arc<Networks>,
    resolver: Arc<dyn Resolve>,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

impl Guard {
    pub(crate) fn new(allowed: Networks, resolver: Arc<dyn Resolve>) -> Self {
        Self { allowed: Arc::new(allowed), resolver }
    }

    fn lets_through(&self, address: IpAddr) -> bool {
        is_public(address) || self.allowed.contain(address)
    }

    /// Checks a literal address in a URL, in any notation: the parser has normalized decimal and octal ones.
    pub(crate) fn check_literal(&self, url: &Url) -> Result<(), Forbidden> {
        let address: IpAddr = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) => return Ok(()),
            None => return Err(Forbidden),
        };
        if self.lets_through(address) { Ok(()) } else { Err(Forbidden) }
    }

    /// Allowed addresses of a name.
    pub(crate) async fn resolved(
        &self,
        name: &str,
        port: u16,
    ) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
        let name: Name = name.parse().map_err(|_| UnknownName)?;
        let found = self.resolver.resolve(name).await.map_err(|_| UnknownName)?;
        let found = found.map(|address| SocketAddr::new(address.ip(), port));
        Ok(self.allowed(found)?)
    }

    fn allowed(&self, found: impl Iterator<Item = SocketAddr>) -> Result<Vec<SocketAddr>, Forbidden> {
        let allowed: Vec<SocketAddr> = found.filter(|address| self.lets_through(address.ip())).collect();
        if allowed.is_empty() { Err(Forbidden) } else { Ok(allowed) }
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let allowed = guard.resolved(name.as_str(), 0).await?;
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(allowed: &str) -> Guard {
        Guard::new(Networks::parse(allowed).unwrap(), Arc::new(SystemResolver))
    }

    #[test]
    fn literal_addresses_are_checked_in_every_spelling() {
        for (url, passes) in [
            ("https://93.184.215.14/", true),
            ("https://[2606:4700::1111]/", true),
            ("https://example.com/", true),
            ("http://127.0.0.1:9000/", false),
            ("http://127.1/", false),
            ("http://2130706433/", false),
            ("http://0x7f.1/", false),
            ("http://0177.0.0.1/", false),
            ("http://0/", false),
            ("http://10.0.0.1/", false),
            ("http://169.254.169.254/latest/meta-data/", false),
            ("http://[::1]/", false),
            ("http://[::]/", false),
            ("http://[::ffff:127.0.0.1]/", false),
            ("http://[::ffff:7f00:1]/", false),
            ("http://[64:ff9b::7f00:1]/", false),
            ("http://[fd00::1]/", false),
            ("http://[fe80::1]/", false),
            ("http://127.0.0.1./", false),
        ] {
            let url: Url = url.parse().unwrap();
            assert_eq!(guard("").check_literal(&url).is_ok(), passes, "{url}");
        }
    }

    #[test]
    fn only_addresses_listed_by_the_operator_are_allowed() {
        let guard = guard("127.0.0.1,10.1.0.0/16");
        for (url, passes) in [
            ("http://127.0.0.1:9000/", true),
            ("http://[::ffff:127.0.0.1]/", true),
            ("http://10.1.2.3/", true),
            ("http://10.2.2.3/", false),
            ("http://127.0.0.2/", false),
            ("http://[::1]/", false),
        ] {
            assert_eq!(guard.check_literal(&url.parse().unwrap()).is_ok(), passes, "{url}");
        }
    }

    #[test]
    fn of_several_addresses_of_a_name_only_the_allowed_are_connected_to() {
        let found = |text: &str| text.split(',').map(|one| one.parse().unwrap()).collect::<Vec<SocketAddr>>();
        let pass = |text| guard("").allowed(found(text).into_iter());
        assert_eq!(pass("8.8.8.8:0,10.0.0.1:0,[::1]:0"), Ok(found("8.8.8.8:0")));
        assert_eq!(pass("10.0.0.1:0,[::1]:0"), Err(Forbidden));
    }

    #[tokio::test]
    async fn names_of_the_local_machine_are_refused() {
        let refused = guard("").resolve("localhost".parse().unwrap()).await;
        assert!(refused.err().unwrap().is::<Forbidden>());
    }
}
