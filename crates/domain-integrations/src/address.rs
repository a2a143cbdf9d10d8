//! Allowed target addresses of webhooks: public ones, and those listed by the operator. Others could be
//! internal services without authentication.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Addresses and networks (`10.0.0.0/8`) listed by the operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Parses a comma-separated list; `Err` carries the invalid part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| network(part).ok_or_else(|| part.to_owned())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether one of them contains the address.
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address.to_canonical()))
    }
}

fn network(part: &str) -> Option<IpNet> {
    let network = part.parse().or_else(|_| part.parse::<IpAddr>().map(IpNet::from)).ok()?;
    // Addresses are compared in canonical form: `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
    match network.addr().to_canonical() {
        mapped @ IpAddr::V4(_) if network.addr().is_ipv6() && network.prefix_len() >= 96 => {
            IpNet::new(mapped, network.prefix_len() - 96).ok()
        }
        _ => Some(network),
    }
}

const fn v4(address: [u8; 4], bits: u8) -> Ipv4Net {
    let [a, b, c, d] = address;
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits)
}

const fn v6(first: u16, second: u16, bits: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), bits)
}

/// Special-purpose networks of the IANA registry, which are not public.
const SPECIAL_V4: &[Ipv4Net] = &[
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    v4([192, 0, 0, 0], 24),
    v4([192, 0, 2, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([192, 168, 0, 0], 16),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    // Multicast and reserved addresses, including broadcast.
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
];

/// The global unicast addresses of IPv6.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 3);

/// The special networks within them.
const SPECIAL_V6: &[Ipv6Net] = &[
    // Protocol assignments: Teredo, benchmarks, ORCHID.
    v6(0x2001, 0, 23),
    v6(0x2001, 0x0db8, 32),
    // 6to4 embeds an IPv4 address that a relay would reach.
    v6(0x2002, 0, 16),
    v6(0x3fff, 0, 20),
];

/// Whether the address is public. An IPv4 address mapped into IPv6, or behind NAT64, is checked as the IPv4
/// address.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|network| network.contains(&address)),
        IpAddr::V6(address) => {
            if let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = address.segments() {
                let inner = (u32::from(high) << 16) | u32::from(low);
                return is_public(IpAddr::V4(Ipv4Addr::from(inner)));
            }
            GLOBAL_V6.contains(&address) && !SPECIAL_V6.iter().any(|network| network.contains(&address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_reachable_from_the_internet_are_public() {
        for (address, expected) in [
            ("8.8.8.8", true),
            ("93.184.215.14", true),
            ("100.63.255.255", true),
            ("100.128.0.0", true),
            ("172.15.255.255", true),
            ("172.32.0.0", true),
            ("192.0.1.1", true),
            ("198.20.0.1", true),
            ("223.255.255.255", true),
            ("0.0.0.0", false),
            ("0.1.2.3", false),
            ("10.0.0.1", false),
            ("100.64.0.1", false),
            ("100.127.255.255", false),
            ("127.0.0.1", false),
            ("127.255.255.254", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.0.0.8", false),
            ("192.0.2.1", false),
            ("192.88.99.1", false),
            ("192.168.1.1", false),
            ("198.18.0.1", false),
            ("198.19.255.255", false),
            ("198.51.100.7", false),
            ("203.0.113.7", false),
            ("224.0.0.1", false),
            ("239.255.255.255", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700:4700::1111", true),
            ("2a00:1450:4003:80f::200e", true),
            ("::", false),
            ("::1", false),
            ("::127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:169.254.169.254", false),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b::a00:1", false),
            ("64:ff9b::808:808", true),
            ("64:ff9b:1::808:808", false),
            ("100::1", false),
            ("2001::1", false),
            ("2001:10::1", false),
            ("2001:db8::1", false),
            ("2002:7f00:1::", false),
            ("3fff::1", false),
            ("5f00::1", false),
            ("fc00::1", false),
            ("fd12:3456::1", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn operators_name_addresses_and_networks() {
        let named = Networks::parse("127.0.0.1, 10.1.0.0/16,fd00::/8").unwrap();
        for (address, expected) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("127.0.0.2", false),
            ("10.1.2.3", true),
            ("10.2.0.1", false),
            ("fd12::1", true),
            ("fc00::1", false),
            ("::1", false),
        ] {
            assert_eq!(named.contain(address.parse().unwrap()), expected, "{address}");
        }
        let mapped = Networks::parse("::ffff:127.0.0.1").unwrap();
        assert!(
            mapped.contain("127.0.0.1".parse().unwrap()) && !mapped.contain("127.0.0.2".parse().unwrap())
        );
        assert_eq!(Networks::parse(" "), Ok(Networks::default()));
        assert!(Networks::parse("0.0.0.0/0").unwrap().contain("10.0.0.1".parse().unwrap()));
        for bad in ["10.0.0.0/33", "::/129", "receiver.example", "10.0.0.1,x", "10.0.0.0/-1"] {
            assert!(Networks::parse(bad).is_err(), "{bad}");
        }
    }
}
