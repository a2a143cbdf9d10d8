//! Schedule: channels of the catalogue with the programmes of their guides
//! (docs/spec/schedule.md#what-is-on).

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Id, enumeration, fold};

/// Maximum span of a request.
pub const LONGEST_SPAN: TimeDelta = TimeDelta::hours(24);
/// Maximum channels of a response.
pub const MOST_CHANNELS: u32 = 100;
/// Minimum duration of a gap without a programme.
pub const GAP: TimeDelta = TimeDelta::minutes(30);

enumeration! {
    /// Reason why a channel has no programmes.
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

/// Reason why a match needs a decision (docs/spec/matching.md#what-was-found).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingMatch {
    /// The second candidate is too close to the best one.
    TwoFit,
    /// The candidates have not been decided.
    Undecided,
}

/// Link between a channel of the catalogue and a channel of a guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelLink {
    /// Its guide: the ID, whether it is active, whether it was ever read.
    pub guide: Option<(Id, bool, bool)>,
    pub epg_id: Option<String>,
    /// The channel of the guide with that ID.
    pub guide_channel: Option<Id>,
    /// Offset of its programmes against the guide's channel, in seconds.
    pub shift: i64,
    /// Reason of a pending match.
    pub pending: Option<PendingMatch>,
}

impl ChannelLink {
    /// Reason why it has no programmes; `None` for a linked channel. Faults of its own guide come
    /// first, because no decision resolves them.
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
    pub id: Id,
    pub number: i32,
    pub title: String,
    pub image_url: Option<String>,
    pub guide_title: Option<String>,
    /// Name in the guide.
    pub guide_channel_title: Option<String>,
    pub link: ChannelLink,
}

impl ScheduleChannel {
    /// Its names in the catalogue and in the guide, folded: programmes with such a title are placeholders.
    pub fn folded_names(&self) -> Vec<String> {
        let names = [Some(&self.title), self.guide_channel_title.as_ref()];
        names.into_iter().flatten().map(|name| fold(name)).collect()
    }
}

/// Time span of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleSpan {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
}

impl ScheduleSpan {
    /// The same span in the times of a guide with this offset, in seconds.
    #[must_use]
    pub fn before(self, shift: i64) -> Self {
        let shift = TimeDelta::seconds(shift);
        Self { from: self.from - shift, to: self.to - shift }
    }
}

/// Another broadcast of a programme's title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    pub channel: Id,
    pub number: i32,
    pub channel_title: String,
    /// Start, in seconds of UTC.
    pub start: i64,
    /// End, in seconds of UTC.
    pub stop: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_without_programmes_has_a_reason() {
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
            // A pending match is the reason if the guide has no fault.
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
