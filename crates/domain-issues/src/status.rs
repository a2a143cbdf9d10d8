//! The status of a report and its transitions (docs/spec/reports.md#transitions).

use domain_kernel::{Enumeration, enumeration};

enumeration! {
    /// Status of a report.
    pub enum ReportStatus {
        Reported = "REPORTADO" ("Reportado", "Reported"),
        InProgress = "EN_PROGRESO" ("En progreso", "In progress"),
        Resolved = "RESUELTO" ("Resuelto", "Resolved"),
        Closed = "CERRADO" ("Cerrado", "Closed"),
        Rejected = "RECHAZADO" ("Rechazado", "Rejected"),
    }
}

impl ReportStatus {
    /// Whether the report is unresolved, as counted by the dashboards.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Reported | Self::InProgress)
    }

    /// Whether the transition is allowed. No change is always allowed; only admins can reopen a closed
    /// report.
    pub const fn may_become(self, next: Self, by_admin: bool) -> bool {
        use ReportStatus as S;
        match (self, next) {
            (S::Reported | S::InProgress, _) => true,
            (S::Rejected, S::InProgress) => false,
            (S::Rejected, _) => true,
            (S::Resolved, S::Reported | S::Closed | S::Resolved) | (S::Closed, S::Closed) => true,
            (S::Closed, S::Reported) => by_admin,
            _ => false,
        }
    }

    /// Allowed transitions from this status, for the panel.
    pub fn next(self, by_admin: bool) -> Vec<Self> {
        let goes = |next: &Self| *next != self && self.may_become(*next, by_admin);
        Self::ALL.iter().copied().filter(goes).collect()
    }
}

#[cfg(test)]
mod tests {
    use ReportStatus as S;

    use super::*;

    #[test]
    fn only_the_transitions_of_the_decisions_are_allowed() {
        let allowed: &[(S, &[S])] = &[
            (S::Reported, &[S::InProgress, S::Resolved, S::Rejected, S::Closed]),
            (S::InProgress, &[S::Reported, S::Resolved, S::Rejected, S::Closed]),
            (S::Rejected, &[S::Reported, S::Resolved, S::Closed]),
            (S::Resolved, &[S::Reported, S::Closed]),
            (S::Closed, &[]),
        ];
        for (from, to) in allowed {
            for next in S::ALL {
                let expected = from == next || to.contains(next);
                assert_eq!(from.may_become(*next, false), expected, "{from:?} to {next:?}");
            }
        }
        assert!(S::Closed.may_become(S::Reported, true));
        assert!(!S::Closed.may_become(S::Resolved, true));
    }

    #[test]
    fn the_next_states_exclude_the_current_one() {
        assert_eq!(S::Resolved.next(false), [S::Reported, S::Closed]);
        assert!(S::Closed.next(false).is_empty());
        assert_eq!(S::Closed.next(true), [S::Reported]);
        assert_eq!(S::Rejected.next(true), [S::Reported, S::Resolved, S::Closed]);
    }

    #[test]
    fn open_reports_are_the_reported_and_those_in_progress() {
        let open: Vec<_> = S::ALL.iter().copied().filter(|status| status.is_open()).collect();
        assert_eq!(open, [S::Reported, S::InProgress]);
    }
}
