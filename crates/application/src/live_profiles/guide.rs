//! Guide of a profile: its playlist's channels that a guide has, then their programmes, in slices.

use std::collections::{BTreeMap, HashMap, VecDeque};

use chrono::{DateTime, Days, NaiveDate, Utc};
use domain_kernel::Id;
use domain_live::{profile::guide_id_in_profile, programme::KeptProgramme, schedule::ScheduleSpan};
use ports::{ChannelPlace, GuideWriter};
use sha2::{Digest, Sha256};

use super::{LiveProfileService, OpenedPlaylist};
use crate::Error;

/// Channels per slice.
const CHANNELS: u32 = 500;
/// Channels whose programmes are read at once.
const PROGRAMMES_OF: usize = 10;

/// A guide opened by its profile's user.
pub struct OpenedGuide {
    playlist: OpenedPlaylist,
    /// Changes with each change of the guide.
    pub fingerprint: String,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
}

/// Position within a guide while writing it.
pub struct GuidePosition {
    writer: Box<dyn GuideWriter>,
    shifts: Shifts,
    step: Step,
}

/// Minimum and maximum offsets of the playlist's channels against the written channel of a guide,
/// in seconds: players apply them by `tvg-shift`.
type Shifts = HashMap<Id, (i64, i64)>;

/// A written channel of a guide, and its ID in the profile's guide.
type Written = (Id, String);

enum Step {
    /// Position after a channel, and the written channels whose programmes follow.
    Channels(Option<ChannelPlace>, VecDeque<Written>),
    /// The channels whose programmes remain.
    Programmes(VecDeque<Written>),
}

impl LiveProfileService {
    /// Opens the guide of a secret, like [`LiveProfileService::open`] for its playlist.
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

    /// Initial position of a guide.
    pub fn beginning_of_guide(&self) -> GuidePosition {
        let step = Step::Channels(None, VecDeque::new());
        GuidePosition { writer: self.parts.guides.begin(), shifts: Shifts::new(), step }
    }

    /// A compressed part of a guide, and the next position; `None` at the end.
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

    /// Writes channels of a slice, without repeated ones of the same guide.
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
        let mut by_shifts: BTreeMap<(i64, i64), Vec<Id>> = BTreeMap::new();
        for (id, _) in &channels {
            let of = shifts.get(id).copied().unwrap_or_default();
            by_shifts.entry(of).or_default().push(*id);
        }
        let days = ScheduleSpan { from: guide.from, to: guide.to };
        let mut found: HashMap<Id, Vec<KeptProgramme>> = HashMap::new();
        for ((earlier, later), ids) in by_shifts {
            let (from, to) = (days.before(later).from, days.before(earlier).to);
            for (channel, programme) in self.parts.profiles.programmes(&ids, from, to).await? {
                found.entry(channel).or_default().push(programme);
            }
        }
        // In the order of the playlist, which is the same in every installation; IDs are not.
        for (id, name) in channels {
            for programme in found.remove(&id).unwrap_or_default() {
                writer.programme(&name, &programme);
            }
        }
        Ok(())
    }
}

impl OpenedPlaylist {
    /// ID of a channel in both playlist and guide.
    pub(super) fn guide_id(&self, epg_id: String, guide: Option<Id>) -> String {
        let shared = self.shared_ids.get(&epg_id).copied();
        guide_id_in_profile(epg_id, guide, shared)
    }
}
