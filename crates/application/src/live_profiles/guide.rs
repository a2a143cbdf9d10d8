//! The guide of a profile: the channels of its playlist that a guide has, then their programmes, slice by slice.

use std::collections::{BTreeMap, HashMap, VecDeque};

use chrono::{DateTime, Days, NaiveDate, Utc};
use domain_kernel::Id;
use domain_live::{profile::guide_id_in_profile, schedule::ScheduleSpan};
use ports::{ChannelPlace, GuideWriter};
use sha2::{Digest, Sha256};

use super::{LiveProfileService, OpenedPlaylist};
use crate::Error;

/// Channels of a slice.
const CHANNELS: u32 = 500;
/// Channels whose programmes are read at once.
const PROGRAMMES_OF: usize = 10;

/// A guide whose address was called by whom its profile is for.
pub struct OpenedGuide {
    playlist: OpenedPlaylist,
    /// What differs as soon as the guide does.
    pub fingerprint: String,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
}

/// How far a guide has been written.
pub struct GuidePosition {
    writer: Box<dyn GuideWriter>,
    shifts: Shifts,
    step: Step,
}

/// By how many seconds the programmes of the playlist's channels are earlier and later, at the most, than those of the channel of a
/// guide that was written: players shift them by `tvg-shift`.
type Shifts = HashMap<Id, (i64, i64)>;

/// A channel of a guide that was written, and its id in the profile's guide.
type Written = (Id, String);

enum Step {
    /// Channels behind a place, and those that were written, whose programmes follow.
    Channels(Option<ChannelPlace>, VecDeque<Written>),
    /// The programmes of these.
    Programmes(VecDeque<Written>),
}

impl LiveProfileService {
    /// Opens the guide of an address, as [`LiveProfileService::open`] opens its playlist.
    pub async fn open_guide(&self, secret: &str) -> Result<OpenedGuide, Error> {
        let playlist = self.open(secret).await?;
        let today: NaiveDate = self.calendar.today().0;
        let last = today.checked_add_days(Days::new(playlist.profile.draft.guide_days.into()));
        let (from, to) =
            (self.calendar.beginning_of(today), self.calendar.beginning_of(last.unwrap_or(today)));
        let guides = self.parts.profiles.guides_fingerprint().await?;
        let mut fingerprint = Sha256::new();
        fingerprint.update(format!("guide {}\n{from} {to}\n{guides}", playlist.fingerprint));
        Ok(OpenedGuide { fingerprint: format!("{:x}", fingerprint.finalize()), playlist, from, to })
    }

    /// Where the writing of a guide begins.
    pub fn beginning_of_guide(&self) -> GuidePosition {
        let step = Step::Channels(None, VecDeque::new());
        GuidePosition { writer: self.parts.guides.begin(), shifts: Shifts::new(), step }
    }

    /// A part of a guide, packed, and where the next begins; `None` at the end.
    pub async fn guide_part(
        &self,
        guide: &OpenedGuide,
        position: GuidePosition,
    ) -> Result<(Vec<u8>, Option<GuidePosition>), Error> {
        let GuidePosition { mut writer, mut shifts, step } = position;
        let step = match step {
            Step::Channels(behind, written) => {
                self.write_channels(guide, writer.as_mut(), &mut shifts, (behind, written)).await?
            }
            Step::Programmes(mut waiting) => {
                let some: Vec<Written> = waiting.drain(..PROGRAMMES_OF.min(waiting.len())).collect();
                self.write_programmes(guide, writer.as_mut(), &shifts, some).await?;
                Step::Programmes(waiting)
            }
        };
        match step {
            Step::Programmes(waiting) if waiting.is_empty() => Ok((writer.finish(), None)),
            step => {
                let part = writer.take();
                Ok((part, Some(GuidePosition { writer, shifts, step })))
            }
        }
    }

    /// Writes channels of a slice. Those that are the same one of a guide are written once.
    async fn write_channels(
        &self,
        guide: &OpenedGuide,
        writer: &mut dyn GuideWriter,
        shifts: &mut Shifts,
        (behind, mut written): (Option<ChannelPlace>, VecDeque<Written>),
    ) -> Result<Step, Error> {
        let selection = guide.playlist.selection();
        let found = self.parts.profiles.guided_channels(selection, behind, CHANNELS).await?;
        let is_full = u32::try_from(found.len()).is_ok_and(|count| count == CHANNELS);
        let last = found.last().map(|channel| channel.place.clone()).filter(|_| is_full);
        for channel in found {
            let is_known = shifts.contains_key(&channel.guide_channel);
            let (earlier, later) = shifts.entry(channel.guide_channel).or_insert((0, 0));
            *earlier = channel.shift.min(*earlier);
            *later = channel.shift.max(*later);
            if is_known {
                continue;
            }
            let id = guide.playlist.guide_id(channel.epg_id, Some(channel.guide));
            writer.channel(&id, &channel.title, channel.image_url.as_deref());
            written.push_back((channel.guide_channel, id));
        }
        Ok(if last.is_some() { Step::Channels(last, written) } else { Step::Programmes(written) })
    }

    async fn write_programmes(
        &self,
        guide: &OpenedGuide,
        writer: &mut dyn GuideWriter,
        shifts: &Shifts,
        channels: Vec<Written>,
    ) -> Result<(), Error> {
        let mut by_shifts: BTreeMap<(i64, i64), HashMap<Id, String>> = BTreeMap::new();
        for (id, name) in channels {
            let of = shifts.get(&id).copied().unwrap_or_default();
            by_shifts.entry(of).or_default().insert(id, name);
        }
        let days = ScheduleSpan { from: guide.from, to: guide.to };
        for ((earlier, later), names) in by_shifts {
            let ids: Vec<Id> = names.keys().copied().collect();
            let (from, to) = (days.before(later).from, days.before(earlier).to);
            for (channel, programme) in self.parts.profiles.programmes(&ids, from, to).await? {
                if let Some(name) = names.get(&channel) {
                    writer.programme(name, &programme);
                }
            }
        }
        Ok(())
    }
}

impl OpenedPlaylist {
    /// The id that a channel has in playlist and guide alike.
    pub(super) fn guide_id(&self, epg_id: String, guide: Option<Id>) -> String {
        let shared = self.shared_ids.get(&epg_id).copied();
        guide_id_in_profile(epg_id, guide, shared)
    }
}
