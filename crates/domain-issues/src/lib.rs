//! Viewers' reports of what does not play, and the states a report goes through (panel.md section 4, decisions.md
//! "Issue reports").
//!
//! Rules only. Who reports and who is assigned are names to this crate; it looks nobody up.

use domain_kernel::enumeration;

enumeration! {
    /// Where a report stands.
    pub enum ReportStatus {
        Reported = "REPORTADO" ("Reportado", "Reported"),
        InProgress = "EN_PROGRESO" ("En progreso", "In progress"),
        Resolved = "RESUELTO" ("Resuelto", "Resolved"),
        Closed = "CERRADO" ("Cerrado", "Closed"),
        Rejected = "RECHAZADO" ("Rechazado", "Rejected"),
    }
}

enumeration! {
    /// What a report is about.
    pub enum IssueContentType {
        Tv = "TV" ("Canal de TV", "TV channel"),
        Movie = "MOVIE" ("Película", "Movie"),
        Documentary = "DOCUMENTARY" ("Documental", "Documentary"),
        Sport = "SPORT" ("Deporte", "Sport"),
        Concert = "CONCERT" ("Concierto", "Concert"),
        Episode = "EPISODE" ("Episodio", "Episode"),
        Trailer = "TRAILER" ("Tráiler", "Trailer"),
    }
}

impl ReportStatus {
    /// Whether somebody still has to do something about it: what dashboards count.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Reported | Self::InProgress)
    }

    /// Whether a report may go from here to there. The same state again is fine; reopening a closed report is for
    /// admins.
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
}

#[cfg(test)]
mod tests {
    use ReportStatus as S;
    use domain_kernel::Enumeration;

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
    fn open_reports_are_the_reported_and_those_in_progress() {
        let open: Vec<_> = S::ALL.iter().copied().filter(|status| status.is_open()).collect();
        assert_eq!(open, [S::Reported, S::InProgress]);
    }
}
