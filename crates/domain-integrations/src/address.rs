//! Which addresses a webhook may be delivered to: those that anybody on the internet reaches, and those that the operator
//! names. Everything else could be a service that trusts whoever stands on this side of the firewall.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses and networks (`10.0.0.0/8`) that an operator names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<(IpAddr, u8)>);

impl Networks {
    /// Reads a comma-separated list; `Err` has the part that can't be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| network(part).ok_or_else(|| part.to_owned())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether the address is among them.
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|(network, bits)| match (network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => is_in_v4(address, *network, u32::from(*bits)),
            (IpAddr::V6(network), IpAddr::V6(address)) => is_in_v6(address, *network, u32::from(*bits)),
            _ => false,
        })
    }
}

fn network(part: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = part.split_once('/').map_or((part, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.parse().ok()?;
    let widest = if address.is_ipv4() { 32 } else { 128 };
    let bits: u8 = bits.map_or(Some(widest), |bits| bits.parse().ok())?;
    if bits > widest {
        return None;
    }
    // Addresses are compared in canonical form: `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
    match (address, address.to_canonical()) {
        (IpAddr::V6(_), mapped @ IpAddr::V4(_)) if bits >= 96 => Some((mapped, bits - 96)),
        _ => Some((address, bits)),
    }
}

fn is_in_v4(address: Ipv4Addr, network: Ipv4Addr, bits: u32) -> bool {
    let shift = 32 - bits;
    u32::from(address).checked_shr(shift) == u32::from(network).checked_shr(shift)
}

fn is_in_v6(address: Ipv6Addr, network: Ipv6Addr, bits: u32) -> bool {
    let shift = 128 - bits;
    u128::from(address).checked_shr(shift) == u128::from(network).checked_shr(shift)
}

/// What IANA's registry of special addresses keeps from the internet.
const SPECIAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast, and what was never given out, the broadcast address among it.
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// The same of the addresses that are given out in IPv6 (2000::/3); outside of them nothing is public.
const SPECIAL_V6: &[([u16; 8], u32)] = &[
    // Protocol assignments: Teredo, benchmarks, ORCHID.
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0x0db8, 0, 0, 0, 0, 0, 0], 32),
    // 6to4 carries an IPv4 address that a relay would reach.
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

/// Whether anybody on the internet reaches the address. An IPv4 address in the clothes of an IPv6 one (mapped, or behind
/// NAT64) is judged as what it is.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            !SPECIAL_V4.iter().any(|(network, bits)| is_in_v4(address, Ipv4Addr::from(*network), *bits))
        }
        IpAddr::V6(address) => {
            if let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = address.segments() {
                let inner = (u32::from(high) << 16) | u32::from(low);
                return is_public(IpAddr::V4(Ipv4Addr::from(inner)));
            }
            is_in_v6(address, Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)
                && !SPECIAL_V6
                    .iter()
                    .any(|(network, bits)| is_in_v6(address, Ipv6Addr::from(*network), *bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_internet_reaches_is_public() {
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
