//! How channels are matched with guides, and how far that is (docs/spec/matching.md#settings).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Code, Id, Version, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LinkVerdict, MatchLevel, Proposal, Thresholds};

/// From which scores on something is done with a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
pub struct MatchingSettings {
    /// A channel is linked without asking from this score on: 50 to 100. 86 until it is changed.
    #[garde(range(min = 50, max = 100))]
    #[schemars(range(min = 50, max = 100))]
    pub auto: u8,
    /// Somebody decides from this score on: 15 to 100, at most the score for a link. 30 until it is changed.
    #[garde(range(min = 15, max = 100), custom(at_most(self.auto)))]
    #[schemars(range(min = 15, max = 100))]
    pub review: u8,
    /// So many points the best candidate has to be before the second: 0 to 50. 6 until it is changed.
    #[garde(range(min = 0, max = 50))]
    #[schemars(range(min = 0, max = 50))]
    pub lead: u8,
    /// Whether sure ones are linked without asking; else they wait with the others, and are accepted together.
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
    /// How far matching is.
    pub enum MatchingState {
        /// Nothing is to be done.
        Idle = "IDLE" ("Al día", "Up to date"),
        /// It has not begun.
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// Channels are compared with guides.
        Running = "RUNNING" ("En curso", "Running"),
        /// Channels were compared; those that a guide surely has are being linked.
        Linking = "LINKING" ("Enlazando", "Linking"),
        /// The last run failed. Another one begins when a guide has changed since, or when it is requested.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

/// What the last run that compared channels came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchingCounts {
    /// Channels that were compared.
    pub channels: u64,
    /// Those that a guide surely has.
    pub sure: u64,
    /// Those that somebody has to decide.
    pub review: u64,
    /// Those that no guide seems to have.
    pub none: u64,
}

/// How channels are matched, and how far that is.
#[derive(Debug, Clone, PartialEq)]
pub struct Matching {
    /// The settings.
    pub settings: MatchingSettings,
    /// Counts changes of the settings from 1.
    pub version: Version,
    /// Who changed them last.
    pub updated_by: Option<String>,
    /// How far it is.
    pub state: MatchingState,
    /// Who requested it; `None` for the schedule.
    pub requested_by: Option<String>,
    /// When the last run ended, also one that failed.
    pub finished_date: Option<DateTime<Utc>>,
    /// What the last one that compared channels came to.
    pub counts: MatchingCounts,
    /// Active channels by level, as they are now.
    pub levels: BTreeMap<MatchLevel, u64>,
}

/// What was found for a channel, and what was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct EpgMatch {
    /// The channel.
    pub channel: Id,
    /// Counts what was found and decided, from 1.
    pub version: Version,
    /// The number of the channel on the remote control.
    pub number: i32,
    /// The name of the channel.
    pub title: String,
    /// Its logo.
    pub image_url: Option<String>,
    /// Its id in the guide.
    pub epg_id: Option<String>,
    /// Whether its guide is active and has a channel with that id.
    pub is_linked: bool,
    /// What is to be done.
    pub level: MatchLevel,
    /// Up to five, best first.
    pub candidates: Vec<Proposal>,
    /// What was decided last.
    pub decision: Option<LinkVerdict>,
    /// By whom.
    pub decided_by: Option<String>,
    /// When.
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
