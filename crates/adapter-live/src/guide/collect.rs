//! Channels and programmes of a guide: channels are collected for the report, programmes are passed
//! on once their end is known. Bytes held in memory are limited.

use std::collections::{BTreeMap, HashMap};

use domain_live::guide::{Channel, GuideFault, GuideStop, Programme, end_without_stop};

use super::{GuideReport, LeftOut, MOST_EXAMPLES, unpack::StopCause};

/// A programme as it was read: its end may be the start of the next one.
pub(super) struct RawProgramme {
    pub(super) programme: Programme,
    pub(super) has_stop: bool,
    pub(super) fault: Option<(GuideFault, String)>,
}

pub(super) struct Collector<'report, F> {
    pub(super) report: &'report mut GuideReport,
    each: F,
    pub(super) cause: StopCause,
    most_held_bytes: usize,
    by_id: HashMap<String, usize>,
    counts: HashMap<String, u64>,
    /// The last programme of a channel without an end, until the next one.
    waiting: BTreeMap<String, Programme>,
    held_bytes: usize,
    /// Position in the file, for examples of what is left out.
    pub(super) position: u64,
}

impl<'report, F: FnMut(Programme)> Collector<'report, F> {
    pub(super) fn new(
        report: &'report mut GuideReport,
        each: F,
        cause: StopCause,
        most_held_bytes: usize,
    ) -> Self {
        Self {
            report,
            each,
            cause,
            most_held_bytes,
            by_id: HashMap::new(),
            counts: HashMap::new(),
            waiting: BTreeMap::new(),
            held_bytes: 0,
            position: 0,
        }
    }

    /// Counts a part that is left out; the first of each fault are examples.
    pub(super) fn leave_out(&mut self, fault: GuideFault, text: String) {
        let count = self.report.left_out.entry(fault).or_default();
        *count += 1;
        if *count <= MOST_EXAMPLES {
            let text = if text.chars().count() > 120 { text.chars().take(120).collect() } else { text };
            self.report.examples.push(LeftOut { fault, position: self.position, text });
        }
    }

    /// Merges a repeated channel: names and images of both.
    pub(super) fn add_channel(&mut self, mut channel: Channel) {
        let id = channel.id.trim();
        if id.len() < channel.id.len() {
            channel.id = String::from(id);
        }
        if channel.id.is_empty() {
            let name = channel.names.first().map(|name| name.text.clone()).unwrap_or_default();
            self.leave_out(GuideFault::ChannelWithoutId, name);
            return;
        }
        if let Some(known) = self.by_id.get(&channel.id) {
            let known = &mut self.report.channels[*known];
            let before = size_of_channel(known);
            add_new(&mut known.names, channel.names);
            add_new(&mut known.icons, channel.icons);
            add_new(&mut known.addresses, channel.addresses);
            let more = size_of_channel(known) - before;
            self.hold(more);
            return;
        }
        self.hold(size_of_channel(&channel));
        self.by_id.insert(channel.id.clone(), self.report.channels.len());
        self.report.channels.push(channel);
    }

    /// Passes on a programme. One without an end is held until the next of its channel.
    pub(super) fn add_programme(&mut self, raw: RawProgramme) {
        let RawProgramme { programme, has_stop, fault } = raw;
        if let Some((fault, text)) = fault {
            self.leave_out(fault, text);
            return;
        }
        if programme.titles.is_empty() {
            self.leave_out(GuideFault::ProgrammeWithoutTitle, programme.channel);
            return;
        }
        if let Some(mut before) = self.waiting.remove(&programme.channel) {
            self.held_bytes -= size_of(&before);
            before.stop = end_without_stop(before.start, Some(programme.start));
            self.hand_on(before);
        }
        if has_stop {
            self.hand_on(programme);
        } else {
            self.report.without_stop += 1;
            self.hold(size_of(&programme));
            self.waiting.insert(programme.channel.clone(), programme);
        }
    }

    /// Counts bytes in memory until the end of the file, or until the channel's next programme.
    fn hold(&mut self, bytes: usize) {
        self.held_bytes += bytes;
        if self.held_bytes > self.most_held_bytes {
            let _ = self.cause.stop(GuideStop::TooLargeUnpacked);
        }
    }

    fn hand_on(&mut self, programme: Programme) {
        self.report.programmes += 1;
        if let Some(count) = self.counts.get_mut(&programme.channel) {
            *count += 1;
        } else {
            self.hold(programme.channel.len() * 3 + 256);
            self.counts.insert(programme.channel.clone(), 1);
        }
        (self.each)(programme);
    }

    /// Passes on the programmes without an end, and completes the report.
    pub(super) fn finish(mut self, cut: u64) {
        let is_whole = self.report.stopped.is_none() && self.cause.get().is_none();
        for (_, mut programme) in std::mem::take(&mut self.waiting) {
            self.held_bytes -= size_of(&programme);
            if is_whole {
                programme.stop = end_without_stop(programme.start, None);
                self.hand_on(programme);
            } else {
                // The next programme, which would define its end, may be missing.
                self.leave_out(GuideFault::EndUnknown, programme.channel);
            }
        }
        if cut > 0 {
            self.report.left_out.insert(GuideFault::TextCut, cut);
        }
        if let Some(cause) = self.cause.get() {
            self.report.stopped.get_or_insert(cause);
        }
        let counts = std::mem::take(&mut self.counts);
        self.report.undeclared = counts
            .iter()
            .filter(|(id, _)| !self.by_id.contains_key(*id))
            .map(|(id, count)| (id.clone(), *count))
            .collect();
        self.report.programmes_by_channel = counts.into_iter().collect();
    }
}

/// Approximate memory size of a channel.
fn size_of_channel(channel: &Channel) -> usize {
    let languages = channel.names.iter().filter_map(|name| name.language.as_ref());
    channel.id.len() * 2
        + channel.names.iter().map(|name| name.text.len() + 48).sum::<usize>()
        + languages.chain(&channel.icons).chain(&channel.addresses).map(|text| text.len() + 24).sum::<usize>()
        + 128
}

/// Approximate memory size of a programme.
fn size_of(programme: &Programme) -> usize {
    /// Size of a text or a number within a list.
    const PART: usize = 48;
    let texts = [&programme.titles, &programme.sub_titles, &programme.descriptions, &programme.categories];
    let length = |of: &Option<String>| of.as_ref().map_or(0, String::len);
    let texts: usize =
        texts.into_iter().flatten().map(|one| one.text.len() + length(&one.language) + PART).sum();
    let numbers: usize = programme.episodes.iter().map(|one| one.system.len() + one.value.len() + PART).sum();
    let ratings: usize =
        programme.ratings.iter().map(|one| one.value.len() + length(&one.system) + 2 * PART).sum();
    let others: usize = [&programme.icon, &programme.date].into_iter().flatten().map(String::len).sum();
    size_of_val(programme) + 2 * programme.channel.len() + texts + numbers + ratings + others
}

/// Maximum distinct elements of a list.
const MOST_OF_A_LIST: usize = 64;

/// Adds an element that the list lacks, up to the maximum.
pub(super) fn push_one<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if list.len() < MOST_OF_A_LIST && !list.contains(&one) {
        list.push(one);
    }
}

fn add_new<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        push_one(known, one);
    }
}
