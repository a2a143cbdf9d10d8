//! Selection of hosts to probe: limited concurrency per host and in total.

use std::collections::HashMap;

/// Maximum concurrent probes.
const AT_ONCE: usize = 32;

/// Probes of this node.
#[derive(Default)]
pub(crate) struct Probes {
    /// Number of running probes and pauses by host.
    hosts: HashMap<String, u32>,
    /// Number of running probes.
    running: usize,
}

impl Probes {
    /// Selects the hosts with due links of which one more link is probed now.
    pub(crate) fn begin(&mut self, mut hosts: Vec<String>, connections: u32) -> Vec<String> {
        hosts.retain(|host| self.hosts.get(host).is_none_or(|count| *count < connections));
        hosts.truncate(AT_ONCE.saturating_sub(self.running));
        for host in &hosts {
            *self.hosts.entry(host.clone()).or_default() += 1;
        }
        self.running += hosts.len();
        hosts
    }

    /// Records the end of a probe: the pause of its host begins, and another host may be probed.
    pub(crate) const fn end(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Records the end of the pause of a host.
    pub(crate) fn end_pause(&mut self, host: &str) {
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
    fn a_host_in_its_pause_uses_no_probe_of_another() {
        let mut probes = Probes::default();
        assert_eq!(probes.begin(hosts(0..40), 1), hosts(0..32));
        assert!(probes.begin(hosts(32..40), 1).is_empty(), "32 are running");
        for _ in 0..32 {
            probes.end();
        }
        assert_eq!(probes.begin(hosts(0..40), 1), hosts(32..40), "the others have their pause");
        probes.end_pause("h3.example");
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
