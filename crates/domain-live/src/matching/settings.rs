//! Settings and state of matching channels with guides (docs/spec/matching.md#settings).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Code, Id, Version, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LinkVerdict, MatchLevel, Proposal, Thresholds};

/// Minimum scores of automatic links and reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
pub struct MatchingSettings {
    /// Minimum score of an automatic link: 50 to 100, default 86.
    #[garde(range(min = 50, max = 100))]
    #[schemars(range(min = 50, max = 100))]
    pub auto: u8,
    /// Minimum score of a candidate for review: 15 to 100, at most `auto`, default 30.
    #[garde(range(min = 15, max = 100), custom(at_most(self.auto)))]
    #[schemars(range(min = 15, max = 100))]
    pub review: u8,
    /// Minimum lead of the best candidate over the second, in points: 0 to 50, default 6.
    #[garde(range(min = 0, max = 50))]
    #[schemars(range(min = 0, max = 50))]
    pub lead: u8,
    /// Whether certain matches are linked automatically; otherwise they wait for a user, who can
    /// accept them together.
    #[garde(skip)]
    pub automatic: bool,
}

fn at_most<T>(auto: u8) -> impl FnOnce(&u8, &T) -> garde::Result {
    move |review, _| if *review <= auto { Ok(()) } else { Err(fault(Code::TooLarge, &[("max", &auto)])) }
}

impl Default for MatchingSettings {
    fn default() -> Self {
        let Thresholds { auto, review, lead } = Thresholds::default();
        Self { auto, review, lead, automatic: true }
    }
}

impl From<MatchingSettings> for Thresholds {
    fn from(settings: MatchingSettings) -> Self {
        Self { auto: settings.auto, review: settings.review, lead: settings.lead }
    }
}

enumeration! {
    /// State of matching.
    pub enum MatchingState {
        Idle = "IDLE" ("Al día", "Up to date"),
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// Channels are compared with guides.
        Running = "RUNNING" ("En curso", "Running"),
        /// Channels were compared; certain matches are being linked.
        Linking = "LINKING" ("Enlazando", "Linking"),
        /// The last run failed. The next one begins after a change of a guide, or on request.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

/// Counts of the last run that compared channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchingCounts {
    /// Compared channels.
    pub channels: u64,
    /// Channels with a certain match.
    pub sure: u64,
    /// Channels with candidates for review.
    pub review: u64,
    /// Channels without a match.
    pub none: u64,
}

/// Settings and state of matching.
#[derive(Debug, Clone, PartialEq)]
pub struct Matching {
    pub settings: MatchingSettings,
    /// Version of the settings, from 1.
    pub version: Version,
    /// User who last changed the settings.
    pub updated_by: Option<String>,
    pub state: MatchingState,
    /// User who requested the run; `None` for the schedule.
    pub requested_by: Option<String>,
    /// End of the last run, including a failed one.
    pub finished_date: Option<DateTime<Utc>>,
    /// Counts of the last run that compared channels.
    pub counts: MatchingCounts,
    /// Current numbers of active channels by level.
    pub levels: BTreeMap<MatchLevel, u64>,
}

/// Match of a channel, and the decision about it.
#[derive(Debug, Clone, PartialEq)]
pub struct EpgMatch {
    /// ID of the channel.
    pub channel: Id,
    /// Version of candidates and decision, from 1.
    pub version: Version,
    pub number: i32,
    pub title: String,
    pub image_url: Option<String>,
    /// ID of its guide.
    pub guide: Option<Id>,
    pub epg_id: Option<String>,
    /// Whether its guide is active and has a channel with that ID.
    pub is_linked: bool,
    /// Shift that a user gave its programmes, in minutes; `None` for that of its playlist.
    pub shift_minutes: Option<i32>,
    /// Level of the match.
    pub level: MatchLevel,
    /// Up to five candidates, best first.
    pub candidates: Vec<Proposal>,
    /// The last decision.
    pub decision: Option<LinkVerdict>,
    /// User who decided.
    pub decided_by: Option<String>,
    pub decided_date: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::json;

    use super::*;

    #[test]
    fn each_threshold_has_its_bounds() {
        let read = |auto: i32, review: i32, lead: i32| {
            let json = json!({"auto": auto, "review": review, "lead": lead, "automatic": true});
            match DraftReader::<MatchingSettings>::new().read(json, &()) {
                Ok(_) => Vec::new(),
                Err(Violations(all)) => all.into_iter().map(|one| (one.field, one.code.as_str())).collect(),
            }
        };
        for (auto, review, lead) in [(86, 30, 6), (50, 50, 0), (100, 15, 50)] {
            assert_eq!(read(auto, review, lead), []);
        }
        for (auto, review, lead, field, code) in [
            (49, 30, 6, "auto", "TOO_SMALL"),
            (101, 30, 6, "auto", "TOO_LARGE"),
            (86, 14, 6, "review", "TOO_SMALL"),
            (86, 87, 6, "review", "TOO_LARGE"),
            (86, 30, 51, "lead", "TOO_LARGE"),
        ] {
            assert_eq!(read(auto, review, lead), [(field.to_owned(), code)], "{auto} {review} {lead}");
        }
    }
}
