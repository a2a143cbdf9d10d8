//! Channels that keep their EPG IDs when entries have others
//! (docs/spec/matching.md#ids-of-playlists).

use std::collections::{HashMap, HashSet};

use domain_catalogue::{Stored, TvChannel};
use domain_kernel::Id;
use domain_live::{
    channel::ChannelFields,
    matching::{Decision, GuideChannel, GuideChannelRef, ListedId},
};
use ports::StoredEntry;

use super::{PlaylistService, items::Item};
use crate::Error;

/// An entry with a different EPG ID for a channel that has a guide.
pub(super) struct OtherId<'item> {
    entry: Id,
    channel: &'item Stored<TvChannel>,
    guide: Id,
    /// Title of the channel after applying the entry.
    title: String,
    epg_id: Option<String>,
}

impl<'item> OtherId<'item> {
    /// The different ID of a changed entry; `replaces` applies the list's values to fields changed
    /// by users.
    pub(super) fn of_changed(stored: &StoredEntry, item: &'item Item, replaces: bool) -> Option<Self> {
        let applied = stored.applied.as_ref().unwrap_or(&stored.entry);
        let title = || {
            let before = item.fields(applied);
            let own = if replaces { Vec::new() } else { before.own(applied, false) };
            before.with_changes(applied, &stored.entry, &own).title
        };
        Self::of(stored, item, || ChannelFields::of(&stored.entry).epg_id, title)
    }

    /// The ID of a new entry for an existing channel without one.
    pub(super) fn of_new(stored: &StoredEntry, item: &'item Item, fields: &ChannelFields) -> Option<Self> {
        let before = item.fields(&stored.entry);
        if before.epg_id.is_some() {
            return None;
        }
        Self::of(stored, item, || fields.epg_id.clone(), || before.title)
    }

    fn of(
        stored: &StoredEntry,
        item: &'item Item,
        epg_id: impl FnOnce() -> Option<String>,
        title: impl FnOnce() -> String,
    ) -> Option<Self> {
        let Item::Channel(channel) = item else { return None };
        let guide = channel.content.tv_guide_id?;
        // Most channels have no guide: no read for them.
        let epg_id = epg_id();
        let differs = channel.content.epg_id != epg_id;
        differs.then(|| Self { entry: stored.id, channel, guide, title: title(), epg_id })
    }

    fn in_guide(&self, id: Option<&String>) -> Option<GuideChannelRef> {
        id.map(|id| GuideChannelRef { guide_id: self.guide, xml_id: id.clone() })
    }

    fn now(&self) -> Option<GuideChannelRef> {
        self.in_guide(self.channel.content.epg_id.as_ref())
    }

    fn then(&self) -> Option<GuideChannelRef> {
        self.in_guide(self.epg_id.as_ref())
    }
}

impl PlaylistService {
    /// The entries whose channels keep their IDs.
    pub(super) async fn keeping_ids(&self, others: Vec<OtherId<'_>>) -> Result<HashSet<Id>, Error> {
        if others.is_empty() {
            return Ok(HashSet::new());
        }
        let channels: Vec<Id> = others.iter().map(|one| one.channel.id).collect();
        let mut decisions: HashMap<Id, Vec<Decision>> = HashMap::new();
        for (channel, decision) in self.stores.matches.decisions(&channels).await? {
            decisions.entry(channel).or_default().push(decision);
        }
        let refs: HashSet<GuideChannelRef> =
            others.iter().flat_map(|one| one.now().into_iter().chain(one.then())).collect();
        let refs: Vec<GuideChannelRef> = refs.into_iter().collect();
        let found = self.stores.matches.named_guide_channels(&refs).await?;
        let of = |(guide_id, channel): (Id, GuideChannel)| {
            (GuideChannelRef { guide_id, xml_id: channel.id.clone() }, channel)
        };
        let found: HashMap<GuideChannelRef, GuideChannel> = found.into_iter().map(of).collect();
        let keeps = |one: &OtherId<'_>| {
            let id = ListedId {
                title: &one.title,
                guide: one.guide,
                epg_id: one.channel.content.epg_id.as_deref(),
                decisions: decisions.get(&one.channel.id).map(Vec::as_slice).unwrap_or_default(),
                current: one.now().and_then(|of| found.get(&of)),
                listed: one.then().and_then(|of| found.get(&of)),
            };
            id.is_left()
        };
        Ok(others.iter().filter(|one| keeps(one)).map(|one| one.entry).collect())
    }
}
