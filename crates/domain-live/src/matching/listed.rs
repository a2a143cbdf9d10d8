//! Whether a channel takes the EPG ID of a playlist (docs/spec/matching.md#ids-of-playlists). Pure.

use domain_kernel::Id;

use super::{
    Before, Decision, GuideChannel, GuideChannelRef, LinkVerdict, MatchLevel, Matcher, Thresholds, Wanted,
};

/// A channel with a guide, and a different EPG ID of a playlist for it.
#[derive(Debug, Clone, Copy)]
pub struct ListedId<'channel> {
    /// Title of the channel after applying the playlist.
    pub title: &'channel str,
    pub guide: Id,
    /// Current EPG ID.
    pub epg_id: Option<&'channel str>,
    /// Decisions about the channel, oldest first.
    pub decisions: &'channel [Decision],
    /// The guide's channel with the current ID.
    pub current: Option<&'channel GuideChannel>,
    /// The guide's channel with the playlist's ID.
    pub listed: Option<&'channel GuideChannel>,
}

impl ListedId<'_> {
    /// Whether the channel keeps its current ID: a user has accepted it, or the playlist's ID is a
    /// rejected channel or one with another name, or replaces a channel with the same name.
    pub fn is_left(&self) -> bool {
        if self.is_accepted() {
            return true;
        }
        match self.listed {
            Some(listed) => self.is_decided_otherwise(listed) || !self.is_called_like(listed),
            None => self.current.is_some_and(|current| self.is_called_like(current)),
        }
    }

    fn is_accepted(&self) -> bool {
        let stands =
            |of: &GuideChannelRef| of.guide_id == self.guide && Some(of.xml_id.as_str()) == self.epg_id;
        let is_accepted =
            |one: &Decision| one.verdict == LinkVerdict::Accepted && one.of.as_ref().is_some_and(stands);
        self.decisions.iter().any(is_accepted)
    }

    /// Whether earlier decisions exclude an automatic link.
    fn is_decided_otherwise(&self, listed: &GuideChannel) -> bool {
        let before = Before::of(self.decisions, Some(self.guide), self.epg_id);
        let has_none = self.decisions.last().is_some_and(|last| last.verdict == LinkVerdict::NoGuide);
        let of = GuideChannelRef { guide_id: self.guide, xml_id: listed.id.clone() };
        before.is_refused || has_none || before.refused.contains(&of) || before.undone.contains(&of)
    }

    /// Whether the channel would be linked automatically with this one if both had its ID.
    fn is_called_like(&self, channel: &GuideChannel) -> bool {
        let matcher = Matcher::new(std::slice::from_ref(channel), Thresholds::default());
        let wanted = Wanted { name: self.title, tvg_id: &channel.id, ..Wanted::default() };
        matcher.find(&wanted).level == MatchLevel::Auto
    }
}

#[cfg(test)]
mod tests {
    use LinkVerdict::{Accepted, Linked, NoGuide, Refused};

    use super::*;

    const GUIDE: Id = 4;

    fn channel((id, name): (&str, &str)) -> GuideChannel {
        GuideChannel { id: id.to_owned(), names: vec![name.to_owned()], ..GuideChannel::default() }
    }

    fn decided((verdict, id): (LinkVerdict, &str)) -> Decision {
        let of = GuideChannelRef { guide_id: GUIDE, xml_id: id.to_owned() };
        Decision { verdict, of: Some(of).filter(|of| !of.xml_id.is_empty()), name: String::new() }
    }

    #[test]
    fn a_channel_keeps_its_id_if_the_list_has_another_or_a_rejected_channel() {
        const SEVEN: (&str, &str) = ("siete", "Siete");
        const EIGHT: (&str, &str) = ("ocho", "Canal Ocho");
        const NEW_SEVEN: (&str, &str) = ("siete.es", "Canal Siete HD");
        type Case<'case> = (
            &'case str,
            Option<&'case str>,
            &'case [(LinkVerdict, &'case str)],
            Option<(&'case str, &'case str)>,
            Option<(&'case str, &'case str)>,
            bool,
        );
        let cases: [Case<'_>; 19] = [
            // Linked automatically, or by the form.
            ("Siete", Some("siete"), &[(Linked, "siete")], Some(SEVEN), Some(EIGHT), true),
            ("Siete", Some("siete"), &[], Some(SEVEN), Some(EIGHT), true),
            ("ES: SIETE FHD", Some("siete"), &[], Some(SEVEN), Some(NEW_SEVEN), false),
            ("Siete", Some("siete"), &[(Linked, "siete")], Some(SEVEN), Some(NEW_SEVEN), false),
            // The list renames the channel, too.
            ("Ocho", Some("siete"), &[(Linked, "siete")], Some(SEVEN), Some(EIGHT), false),
            // The guide lacks the ID, or the list has none.
            ("Siete", Some("siete"), &[(Linked, "siete")], Some(SEVEN), None, true),
            ("Ocho", Some("siete"), &[(Linked, "siete")], Some(SEVEN), None, false),
            ("Siete", Some("siete"), &[], None, None, false),
            ("Siete", None, &[], None, None, false),
            ("Siete", None, &[], None, Some(SEVEN), false),
            ("Siete", None, &[], None, Some(EIGHT), true),
            ("Siete", None, &[(Refused, "siete")], None, Some(SEVEN), true),
            ("Siete", None, &[(Refused, "ocho")], None, Some(SEVEN), true),
            ("Siete", None, &[(Refused, "")], None, Some(SEVEN), true),
            ("Siete", None, &[(NoGuide, "")], None, Some(SEVEN), true),
            ("Siete", None, &[(Linked, "siete")], None, Some(SEVEN), true),
            // Rejected, then another one linked.
            (
                "Siete",
                Some("siete"),
                &[(Refused, "siete.es"), (Linked, "siete")],
                Some(SEVEN),
                Some(NEW_SEVEN),
                true,
            ),
            ("Siete", Some("siete"), &[(Accepted, "siete")], Some(SEVEN), Some(NEW_SEVEN), true),
            ("Siete", Some("siete"), &[(Accepted, "siete")], None, None, true),
        ];
        for (title, epg_id, decisions, current, listed, is_left) in cases {
            let decisions: Vec<Decision> = decisions.iter().copied().map(decided).collect();
            let (current, listed) = (current.map(channel), listed.map(channel));
            let id = ListedId {
                title,
                guide: GUIDE,
                epg_id,
                decisions: &decisions,
                current: current.as_ref(),
                listed: listed.as_ref(),
            };
            assert_eq!(id.is_left(), is_left, "{id:?}");
        }
    }
}
