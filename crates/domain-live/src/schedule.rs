//! What is on: channels of the catalogue with the programmes of their guides (docs/spec/schedule.md#what-is-on).

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Id, enumeration};

/// The longest span that one call answers.
pub const LONGEST_SPAN: TimeDelta = TimeDelta::hours(24);
/// Channels that one call answers.
pub const MOST_CHANNELS: u32 = 100;
/// A longer time without a programme is a gap.
pub const GAP: TimeDelta = TimeDelta::minutes(30);

enumeration! {
    /// Why a channel has no programmes.
    pub enum WithoutGuide {
        NoGuide = "NO_GUIDE" ("No tiene guía asignada", "No guide is chosen"),
        GuideOff = "GUIDE_OFF" ("Su guía está inactiva", "Its guide is inactive"),
        NoId = "NO_ID" ("No tiene ID de EPG", "It has no EPG ID"),
        NeverRead = "NEVER_READ" ("Su guía todavía no se ha leído", "Its guide has not been read yet"),
        IdNotInGuide = "ID_NOT_IN_GUIDE" (
            "La guía no contiene su ID de EPG", "The guide does not contain its EPG ID"
        ),
        TwoFit = "TWO_FIT" ("Encajan dos canales de guía", "Two guide channels fit"),
        NobodyDecided = "NOBODY_DECIDED" (
            "Nadie ha decidido qué canal de guía es", "Nobody has decided which guide channel it is"
        ),
    }
}

/// Why a match waits for a decision (docs/spec/matching.md#what-was-found).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingMatch {
    /// The second candidate is too near the best one.
    TwoFit,
    /// Nobody has decided about its candidates.
    Undecided,
}

/// How a channel of the catalogue is linked with a channel of a guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelLink {
    /// Its guide: the id, whether it is active, whether it was ever read.
    pub guide: Option<(Id, bool, bool)>,
    /// Its id in the guide.
    pub epg_id: Option<String>,
    /// The channel of the guide with that id.
    pub guide_channel: Option<Id>,
    /// Seconds by which its programmes are later than those of the guide's channel.
    pub shift: i64,
    /// Its match, where one waits for a decision.
    pub pending: Option<PendingMatch>,
}

impl ChannelLink {
    /// Why it has no programmes; `None` where it is linked. What its own guide lacks comes first: no decision changes that.
    pub fn fault(&self) -> Option<WithoutGuide> {
        let has_id = self.epg_id.as_ref().is_some_and(|id| !id.trim().is_empty());
        match self.guide {
            Some((_, false, _)) => return Some(WithoutGuide::GuideOff),
            Some(_) if has_id && self.guide_channel.is_some() => return None,
            Some((_, true, false)) if has_id => return Some(WithoutGuide::NeverRead),
            _ => {}
        }
        Some(match self.pending {
            Some(PendingMatch::TwoFit) => WithoutGuide::TwoFit,
            Some(PendingMatch::Undecided) => WithoutGuide::NobodyDecided,
            None if self.guide.is_none() => WithoutGuide::NoGuide,
            None if !has_id => WithoutGuide::NoId,
            None => WithoutGuide::IdNotInGuide,
        })
    }
}

/// A channel of the catalogue in the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleChannel {
    /// The channel.
    pub id: Id,
    /// Its number on the remote control.
    pub number: i32,
    /// Its name.
    pub title: String,
    /// Its logo.
    pub image_url: Option<String>,
    /// The title of its guide.
    pub guide_title: Option<String>,
    /// What the guide calls it.
    pub guide_channel_title: Option<String>,
    /// With what its guide's programmes are found.
    pub link: ChannelLink,
}

/// The span that a schedule is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleSpan {
    /// From here on.
    pub from: DateTime<Utc>,
    /// Up to here.
    pub to: DateTime<Utc>,
}

impl ScheduleSpan {
    /// The same span in the times of a guide whose programmes are later by so many seconds.
    #[must_use]
    pub fn before(self, shift: i64) -> Self {
        let shift = TimeDelta::seconds(shift);
        Self { from: self.from - shift, to: self.to - shift }
    }
}

/// A showing of the title of a programme at another time or on another channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// The channel.
    pub channel: Id,
    /// Its number on the remote control.
    pub number: i32,
    /// Its name.
    pub channel_title: String,
    /// When it begins, in seconds of UTC.
    pub start: i64,
    /// When it ends.
    pub stop: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_without_programmes_says_why() {
        let link = |guide, epg_id: Option<&str>, guide_channel| ChannelLink {
            guide,
            epg_id: epg_id.map(str::to_owned),
            guide_channel,
            shift: 0,
            pending: None,
        };
        for (link, expected) in [
            (link(None, Some("siete"), None), Some(WithoutGuide::NoGuide)),
            (link(Some((1, false, true)), Some("siete"), None), Some(WithoutGuide::GuideOff)),
            (link(Some((1, true, true)), None, None), Some(WithoutGuide::NoId)),
            (link(Some((1, true, true)), Some(" "), None), Some(WithoutGuide::NoId)),
            (link(Some((1, true, false)), Some("siete"), None), Some(WithoutGuide::NeverRead)),
            (link(Some((1, true, true)), Some("siete"), None), Some(WithoutGuide::IdNotInGuide)),
            (link(Some((1, true, true)), Some("siete"), Some(3)), None),
        ] {
            assert_eq!(link.fault(), expected, "{link:?}");
            // A match that waits is the reason where the guide itself is none.
            let is_of_guide =
                matches!(expected, None | Some(WithoutGuide::GuideOff | WithoutGuide::NeverRead));
            for (pending, reason) in [
                (PendingMatch::TwoFit, WithoutGuide::TwoFit),
                (PendingMatch::Undecided, WithoutGuide::NobodyDecided),
            ] {
                let link = ChannelLink { pending: Some(pending), ..link.clone() };
                assert_eq!(link.fault(), if is_of_guide { expected } else { Some(reason) }, "{link:?}");
            }
        }
    }
}
