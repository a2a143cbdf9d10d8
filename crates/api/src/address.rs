//! Where a request comes from.

use std::net::IpAddr;

use actix_web::HttpRequest;

/// Proxies whose `X-Forwarded-For` is believed, as addresses or networks (`10.0.0.0/8`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<(IpAddr, u8)>);

impl TrustedProxies {
    /// Reads a comma-separated list; `Err` has the part that can't be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| {
                let (address, bits) = part.split_once('/').map_or((part, None), |(a, b)| (a, Some(b)));
                let address: IpAddr = address.parse().map_err(|_| part.to_owned())?;
                let widest = if address.is_ipv4() { 32 } else { 128 };
                let bits = bits.map_or(Ok(widest), |bits| bits.parse().map_err(|_| part.to_owned()))?;
                if bits > widest { Err(part.to_owned()) } else { Ok((address, bits)) }
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|(network, bits)| match (network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let shift = 32 - u32::from(*bits);
                u32::from(*network).checked_shr(shift) == u32::from(address).checked_shr(shift)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let shift = 128 - u32::from(*bits);
                u128::from(*network).checked_shr(shift) == u128::from(address).checked_shr(shift)
            }
            _ => false,
        })
    }

    /// The caller's address: the peer's, or what the last trusted proxy says of it.
    pub(crate) fn caller_of(&self, request: &HttpRequest) -> String {
        let Some(mut address) = request.peer_addr().map(|peer| peer.ip()) else {
            return "unknown".to_owned();
        };
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
            let Ok(earlier) = hop.parse() else { break };
            address = earlier;
        }
        address.to_string()
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxies = TrustedProxies::parse("10.0.0.0/8, ::1").unwrap();
        for (peer, forwarded, caller) in [
            ("10.1.2.3:5", "203.0.113.9", "203.0.113.9"),
            ("10.1.2.3:5", "6.6.6.6, 203.0.113.9, 10.9.9.9", "203.0.113.9"),
            ("192.0.2.1:5", "203.0.113.9", "192.0.2.1"),
            ("10.1.2.3:5", "nonsense", "10.1.2.3"),
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
        for bad in ["10.0.0.0/33", "proxy", "10.0.0.1,x"] {
            assert!(TrustedProxies::parse(bad).is_err(), "{bad}");
        }
        assert!(TrustedProxies::parse("0.0.0.0/0").unwrap().trusts("8.8.8.8".parse().unwrap()));
    }
}
