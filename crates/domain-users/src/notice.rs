//! Notices of the bell in the header (docs/spec/notices.md).

use chrono::{DateTime, Utc};
use domain_kernel::{Id, enumeration};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

enumeration! {
    /// Type of a notice.
    pub enum NoticeKind {
        /// The reader has few credits for sale left.
        OwnLowStock = "OWN_LOW_STOCK" ("Te quedan pocos créditos para venta", "You are low on credits for sale"),
        /// Agents have few credits for sale left.
        AgentsLowStock = "AGENTS_LOW_STOCK" ("Agentes con pocos créditos para venta", "Agents low on credits for sale"),
        /// Agents ask to reverse a sale.
        ReversalRequests = "REVERSAL_REQUESTS" ("Reversiones solicitadas", "Reversals requested"),
        /// Subscriptions end within seven days.
        Expiring = "EXPIRING" ("Suscripciones que vencen en los próximos 7 días", "Subscriptions expiring within 7 days"),
        /// Subscriptions have ended.
        Expired = "EXPIRED" ("Suscripciones vencidas", "Expired subscriptions"),
        /// The last good backup is too old.
        BackupOverdue = "BACKUP_OVERDUE" ("Copia de seguridad atrasada", "Backup overdue"),
        /// Webhooks are paused because their deliveries failed.
        WebhooksPaused = "WEBHOOKS_PAUSED" ("Webhooks en pausa", "Webhooks paused"),
    }
}

impl NoticeKind {
    /// Whether the notice is new again each day until the case is solved, because new and old cases
    /// look the same.
    pub const fn is_new_each_day(self) -> bool {
        matches!(self, Self::OwnLowStock | Self::AgentsLowStock | Self::BackupOverdue)
    }
}

/// Number of cases of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoticeCount {
    pub kind: NoticeKind,
    /// Number of cases; remaining credits for [`NoticeKind::OwnLowStock`].
    pub count: u64,
    /// Time of the newest case, where each has a date.
    pub newest: Option<DateTime<Utc>>,
}

/// State of a kind that a user has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenNotice {
    pub kind: NoticeKind,
    pub count: u64,
    /// Time of the newest case.
    pub newest: Option<DateTime<Utc>>,
    /// Time at which the user saw it.
    pub seen_date: DateTime<Utc>,
}

impl NoticeCount {
    /// Whether a user who saw this state has unseen cases. `day` is the start of the user's day.
    pub fn is_new(&self, seen: Option<&SeenNotice>, day: DateTime<Utc>) -> bool {
        let Some(seen) = seen else { return true };
        let is_more = match self.kind {
            // A lower stock is no additional case.
            NoticeKind::OwnLowStock => false,
            _ => self.count > seen.count,
        };
        if self.kind.is_new_each_day() {
            return seen.seen_date < day || is_more;
        }
        match (self.newest, seen.newest) {
            (Some(newest), Some(seen)) => newest > seen,
            _ => is_more,
        }
    }
}

/// Notices that the user has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
pub struct SeenNotices {
    /// Notices as received.
    #[garde(length(max = 20), dive)]
    #[schemars(length(max = 20))]
    pub notices: Vec<ShownNotice>,
}

/// A notice as received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct ShownNotice {
    /// Type of the notice.
    #[garde(skip)]
    pub kind: NoticeKind,
    /// Number of cases.
    #[garde(range(min = 0))]
    #[schemars(range(min = 0))]
    pub count: Id,
    /// Time of the newest case.
    #[garde(skip)]
    pub newest: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn a_notice_is_new_until_it_is_seen_and_when_there_is_more() {
        let day: DateTime<Utc> = "2026-11-20T00:00:00Z".parse().unwrap();
        let at = |hours| day + TimeDelta::hours(hours);
        let count = |kind, count, newest: Option<i64>| NoticeCount { kind, count, newest: newest.map(at) };
        let seen = |kind, count, newest: Option<i64>, seen: i64| SeenNotice {
            kind,
            count,
            newest: newest.map(at),
            seen_date: at(seen),
        };
        use NoticeKind::{AgentsLowStock, Expired, OwnLowStock, WebhooksPaused};
        for (now, before, is_new) in [
            (count(Expired, 3, Some(5)), None, true),
            (count(Expired, 3, Some(5)), Some(seen(Expired, 3, Some(5), 6)), false),
            // One was renewed and another one expired since.
            (count(Expired, 3, Some(7)), Some(seen(Expired, 3, Some(5), 6)), true),
            (count(Expired, 2, Some(4)), Some(seen(Expired, 3, Some(5), 6)), false),
            // It was seen before notices of webhooks had a date.
            (count(WebhooksPaused, 2, Some(5)), Some(seen(WebhooksPaused, 1, None, 6)), true),
            (count(WebhooksPaused, 1, Some(5)), Some(seen(WebhooksPaused, 2, None, 6)), false),
            // The one was resumed and another one paused since.
            (count(WebhooksPaused, 1, Some(7)), Some(seen(WebhooksPaused, 1, Some(5), 6)), true),
            // Low stock comes back with the next day.
            (count(OwnLowStock, 3, None), Some(seen(OwnLowStock, 5, None, 6)), false),
            (count(OwnLowStock, 3, None), Some(seen(OwnLowStock, 3, None, -1)), true),
            (count(OwnLowStock, 5, None), Some(seen(OwnLowStock, 3, None, 6)), false),
            (count(AgentsLowStock, 2, None), Some(seen(AgentsLowStock, 2, None, 6)), false),
            // More agents run low on the same day.
            (count(AgentsLowStock, 7, None), Some(seen(AgentsLowStock, 2, None, 6)), true),
        ] {
            assert_eq!(now.is_new(before.as_ref(), day), is_new, "{now:?} {before:?}");
        }
    }
}
