//! Which hosts are probed now: so many links of each at a time, and so many of all.

use std::collections::HashMap;

/// Probes that are under way at once.
const AT_ONCE: usize = 32;

/// The probes of this node.
#[derive(Default)]
pub(crate) struct Probes {
    /// Hosts with probes under way or in the pause after one, and how many.
    hosts: HashMap<String, u32>,
    /// Probes that are under way.
    under_way: usize,
}

impl Probes {
    /// Of hosts that have links due, the ones of which one more is probed now.
    pub(crate) fn begin(&mut self, mut hosts: Vec<String>, connections: u32) -> Vec<String> {
        hosts.retain(|host| self.hosts.get(host).is_none_or(|count| *count < connections));
        hosts.truncate(AT_ONCE.saturating_sub(self.under_way));
        for host in &hosts {
            *self.hosts.entry(host.clone()).or_default() += 1;
        }
        self.under_way += hosts.len();
        hosts
    }

    /// A probe has ended. Its host has its pause, and another host may be probed.
    pub(crate) const fn end(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// The pause after a probe of the host has ended.
    pub(crate) fn rested(&mut self, host: &str) {
        if let Some(count) = self.hosts.get_mut(host) {
            *count -= 1;
            if *count == 0 {
                self.hosts.remove(host);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(numbers: std::ops::Range<usize>) -> Vec<String> {
        numbers.map(|number| format!("h{number}.example")).collect()
    }

    #[test]
    fn a_host_in_its_pause_takes_no_probe_of_another() {
        let mut probes = Probes::default();
        assert_eq!(probes.begin(hosts(0..40), 1), hosts(0..32));
        assert!(probes.begin(hosts(32..40), 1).is_empty(), "32 are under way");
        for _ in 0..32 {
            probes.end();
        }
        assert_eq!(probes.begin(hosts(0..40), 1), hosts(32..40), "the others have their pause");
        probes.rested("h3.example");
        assert_eq!(probes.begin(hosts(0..40), 1), hosts(3..4));
    }

    #[test]
    fn a_host_has_as_many_probes_as_it_allows() {
        let mut probes = Probes::default();
        for expected in [1, 1, 0] {
            assert_eq!(probes.begin(hosts(0..1), 2).len(), expected);
        }
    }
}
