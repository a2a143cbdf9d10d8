//! The client address of a request.

use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use domain_integrations::Networks;

/// Proxies whose `X-Forwarded-For` is trusted, as addresses or networks (`10.0.0.0/8`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Networks);

impl TrustedProxies {
    /// Reads a comma-separated list; `Err` has the part that can't be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        Networks::parse(text).map(Self)
    }

    /// Whether the address is one of the proxies. `::ffff:10.0.0.1` is `10.0.0.1`.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.contain(address)
    }

    /// The caller's address as text.
    pub(crate) fn caller_of(&self, request: &HttpRequest) -> String {
        self.address_of(request).map_or_else(|| "unknown".to_owned(), |address| address.to_string())
    }

    /// The caller's address: that of the connection, or the last address of `X-Forwarded-For` that
    /// was not added by a trusted proxy.
    pub(crate) fn address_of(&self, request: &HttpRequest) -> Option<IpAddr> {
        let mut address = request.peer_addr()?.ip();
        let forwarded: Vec<&str> = request
            .headers()
            .get_all("x-forwarded-for")
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(',').map(str::trim))
            .collect();
        for hop in forwarded.iter().rev() {
            if !self.trusts(address) {
                break;
            }
            let Some(earlier) = address_of(hop) else { break };
            address = earlier;
        }
        Some(address.to_canonical())
    }
}

/// An address of `X-Forwarded-For`. Some proxies add a port: `192.0.2.1:567`, `[2001:db8::1]:567`.
fn address_of(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn forwarded_addresses_count_from_trusted_proxies_only() {
        let proxies = TrustedProxies::parse("10.0.0.0/8, ::1").unwrap();
        for (peer, forwarded, caller) in [
            ("10.1.2.3:5", "203.0.113.9", "203.0.113.9"),
            ("10.1.2.3:5", "6.6.6.6, 203.0.113.9, 10.9.9.9", "203.0.113.9"),
            ("192.0.2.1:5", "203.0.113.9", "192.0.2.1"),
            ("10.1.2.3:5", "nonsense", "10.1.2.3"),
            ("10.1.2.3:5", "6.6.6.6, nonsense", "10.1.2.3"),
            ("10.1.2.3:5", "", "10.1.2.3"),
            ("[::ffff:10.1.2.3]:5", "203.0.113.9", "203.0.113.9"),
            ("[::ffff:192.0.2.1]:5", "203.0.113.9", "192.0.2.1"),
            ("10.1.2.3:5", "203.0.113.9:567", "203.0.113.9"),
            ("10.1.2.3:5", "203.0.113.9, [::ffff:10.0.0.2]:99", "203.0.113.9"),
            ("10.1.2.3:5", "[2001:db8::7]:567", "2001:db8::7"),
            ("10.1.2.3:5", "[2001:db8::7]", "2001:db8::7"),
            ("10.1.2.3:5", "2001:db8::7", "2001:db8::7"),
            ("10.1.2.3:5", "::ffff:203.0.113.9", "203.0.113.9"),
            ("10.1.2.3:5", "203.0.113.9:port", "10.1.2.3"),
        ] {
            let request = TestRequest::default()
                .peer_addr(peer.parse().unwrap())
                .insert_header(("x-forwarded-for", forwarded))
                .to_http_request();
            assert_eq!(proxies.caller_of(&request), caller, "{peer} {forwarded}");
        }
    }

    #[test]
    fn networks_are_read_or_named() {
        assert_eq!(TrustedProxies::parse(""), Ok(TrustedProxies::default()));
        for bad in ["10.0.0.0/33", "proxy", "10.0.0.1,x", "10.0.0.1:80"] {
            assert!(TrustedProxies::parse(bad).is_err(), "{bad}");
        }
        let mapped = TrustedProxies::parse("::ffff:127.0.0.1, ::ffff:10.0.0.0/104").unwrap();
        assert!(mapped.trusts("127.0.0.1".parse().unwrap()) && mapped.trusts("10.9.9.9".parse().unwrap()));
        assert!(!mapped.trusts("127.0.0.2".parse().unwrap()) && !mapped.trusts("11.0.0.1".parse().unwrap()));
        assert!(TrustedProxies::parse("0.0.0.0/0").unwrap().trusts("8.8.8.8".parse().unwrap()));
    }
}
