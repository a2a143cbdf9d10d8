//! Parser from XML events to XMLTV.

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, BufReader, Read},
    ops::ControlFlow,
};

use chrono::{DateTime, Utc};
use domain_live::guide::{
    Channel, EpisodeNumber, GuideFault, GuideStop, Localized, Programme, Rating, end_without_stop,
};
use quick_xml::{
    Error, Reader,
    errors::IllFormedError,
    events::{BytesStart, Event},
};

use super::{
    GuideOptions, GuideReport, LeftOut, MOST_EXAMPLES,
    characters::allowed,
    markup::{attribute, attributes, entity},
    text::Utf8,
    time,
    unpack::StopCause,
};

/// The current child element of `tv`.
enum Open {
    Channel(Channel),
    Programme(Box<Raw>),
    Other,
}

/// A programme during parsing: its end may be the start of the next one.
struct Raw {
    programme: Programme,
    has_stop: bool,
    fault: Option<(GuideFault, String)>,
}

pub(super) struct Parser<'report, F> {
    options: GuideOptions,
    report: &'report mut GuideReport,
    each: F,
    cause: StopCause,
    by_id: HashMap<String, usize>,
    counts: HashMap<String, u64>,
    /// The last programme of a channel without an end, until the next one.
    waiting: BTreeMap<String, Programme>,
    held_bytes: usize,
    open: Open,
    /// 0 before and after a guide: another one may follow.
    depth: usize,
    /// Whether a guide has begun.
    has_root: bool,
    position: u64,
    /// The element of the current text, with its relevant attributes.
    leaf: Leaf,
    text: String,
}

#[derive(Default)]
struct Leaf {
    name: String,
    language: Option<String>,
    system: Option<String>,
}

impl<'report, F: FnMut(Programme)> Parser<'report, F> {
    pub(super) fn new(
        options: GuideOptions,
        report: &'report mut GuideReport,
        each: F,
        cause: StopCause,
    ) -> Self {
        Self {
            options,
            report,
            each,
            cause,
            by_id: HashMap::new(),
            counts: HashMap::new(),
            waiting: BTreeMap::new(),
            held_bytes: 0,
            open: Open::Other,
            depth: 0,
            has_root: false,
            position: 0,
            leaf: Leaf::default(),
            text: String::new(),
        }
    }

    pub(super) fn run<R: Read>(mut self, source: BufReader<Utf8<R>>) {
        let mut reader = Reader::from_reader(source);
        let config = reader.config_mut();
        // Guides have unescaped "Tom & Jerry"; names of end tags are not compared, depths are
        // counted here.
        config.allow_dangling_amp = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.check_comments = false;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            self.position = reader.buffer_position();
            if let Some(cause) = self.cause.get() {
                self.report.stopped = Some(cause);
                break;
            }
            let next = match reader.read_event_into(&mut buffer) {
                Ok(event) => self.event(event),
                // After a guide, text without markup is ignored.
                Err(error) if self.is_behind_guide() && !matches!(error, Error::Io(_)) => {
                    ControlFlow::Break(())
                }
                Err(error) => {
                    self.report.stopped = Some(self.cause.get().unwrap_or_else(|| stop_of(&error)));
                    ControlFlow::Break(())
                }
            };
            if next.is_break() {
                break;
            }
        }
        let is_unreadable =
            |stop: GuideStop| matches!(stop, GuideStop::EndsTooEarly | GuideStop::BrokenMarkup);
        if !self.has_root && self.report.stopped.is_none_or(is_unreadable) {
            self.report.stopped = Some(GuideStop::NotAGuide);
        }
        // Reads to the end of the file, which verifies a compressed one.
        let mut source = reader.into_inner();
        if self.report.stopped.is_none() && io::copy(&mut source, &mut io::sink()).is_err() {
            self.report.stopped = Some(self.cause.get().unwrap_or(GuideStop::Unreadable));
        }
        let text = source.into_inner();
        self.report.encoding = text.encoding();
        let cut = text.cut;
        self.finish(cut);
    }

    /// Whether a guide has ended and no other has begun. `cat a.xml.gz b.xml.gz` has several.
    fn is_behind_guide(&self) -> bool {
        self.has_root && self.depth == 0
    }

    /// Breaks at the end of the file, at a root element other than a guide, and after a fatal
    /// error.
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Start(start) => return self.begin_element(&start),
            Event::Empty(start) => return self.empty_element(&start),
            Event::End(_) => return self.end_element(),
            Event::Text(text) => self.push(&text.xml10_content()),
            Event::CData(text) => self.push(&text.xml10_content()),
            Event::GeneralRef(reference) => self.push_reference(&reference.into_inner()),
            Event::Eof => {
                if self.depth > 0 {
                    self.report.stopped = Some(GuideStop::EndsTooEarly);
                }
                return ControlFlow::Break(());
            }
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_element(&mut self, start: &BytesStart<'_>) -> ControlFlow<()> {
        if self.depth == 0 && self.begin_guide(start).is_break() {
            return ControlFlow::Break(());
        }
        self.depth += 1;
        if self.depth > self.options.limits.depth {
            self.report.stopped = Some(GuideStop::TooDeep);
            return ControlFlow::Break(());
        }
        self.start(start);
        ControlFlow::Continue(())
    }

    /// Handles a root element: begins a guide, or ends reading.
    fn begin_guide(&mut self, start: &BytesStart<'_>) -> ControlFlow<()> {
        if !is_root(start) {
            return ControlFlow::Break(());
        }
        self.has_root = true;
        ControlFlow::Continue(())
    }

    fn empty_element(&mut self, start: &BytesStart<'_>) -> ControlFlow<()> {
        if self.depth == 0 {
            return self.begin_guide(start);
        }
        self.depth += 1;
        self.start(start);
        self.end();
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn end_element(&mut self) -> ControlFlow<()> {
        if self.depth == 0 && !self.has_root {
            return ControlFlow::Break(());
        }
        self.end();
        self.depth = self.depth.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn push_reference(&mut self, name: &str) {
        match entity(name) {
            Some(text) => self.push(&text),
            None => {
                if self.is_within_leaf() {
                    self.leave_out(GuideFault::UnknownEntity, format!("&{name};"));
                    self.push(&format!("&{name};"));
                }
            }
        }
    }

    fn is_within_leaf(&self) -> bool {
        self.depth >= 3 && !self.leaf.name.is_empty()
    }

    fn push(&mut self, text: &str) {
        if !self.is_within_leaf() {
            return;
        }
        let text = allowed(text);
        let free = self.options.limits.text_bytes.saturating_sub(self.text.len());
        if text.len() <= free {
            self.text.push_str(&text);
        } else {
            let end = (0..=free).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            if end > 0 {
                self.text.push_str(&text[..end]);
            }
        }
    }

    fn leave_out(&mut self, fault: GuideFault, text: String) {
        let count = self.report.left_out.entry(fault).or_default();
        *count += 1;
        if *count <= MOST_EXAMPLES {
            let text = if text.chars().count() > 120 { text.chars().take(120).collect() } else { text };
            self.report.examples.push(LeftOut { fault, position: self.position, text });
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) {
        let name = start.local_name();
        let name = name.as_ref();
        match self.depth {
            2 => {
                self.open = match name {
                    "channel" => Open::Channel(Channel {
                        id: attribute(start, "id").unwrap_or_default(),
                        ..Channel::default()
                    }),
                    "programme" => Open::Programme(Box::new(self.programme(start))),
                    _ => Open::Other,
                };
            }
            3 => {
                self.begin_leaf(start, name);
                match &mut self.open {
                    Open::Channel(channel) if name == "icon" => {
                        if let Some(icon) = attribute(start, "src") {
                            push_one(&mut channel.icons, icon);
                        }
                    }
                    Open::Programme(raw) => match name {
                        "icon" if raw.programme.icon.is_none() => {
                            raw.programme.icon = attribute(start, "src");
                        }
                        "new" | "premiere" => raw.programme.is_new = true,
                        "previously-shown" => raw.programme.is_repeat = true,
                        _ => {}
                    },
                    _ => {}
                }
            }
            4 if self.leaf.name == "rating" && name == "value" => self.text.clear(),
            _ => {}
        }
    }

    fn begin_leaf(&mut self, start: &BytesStart<'_>, name: &str) {
        self.text.clear();
        self.leaf.name.clear();
        let is_kept = match &self.open {
            Open::Channel(_) => matches!(name, "display-name" | "url"),
            Open::Programme(_) => {
                matches!(
                    name,
                    "title" | "sub-title" | "desc" | "category" | "episode-num" | "date" | "rating"
                )
            }
            Open::Other => false,
        };
        if is_kept {
            self.leaf.name.push_str(name);
            self.leaf.language = attribute(start, "lang").filter(|language| !language.is_empty());
            self.leaf.system = attribute(start, "system").filter(|system| !system.is_empty());
        }
    }

    /// Attributes of a programme. Faults are reported at its end.
    fn programme(&self, start: &BytesStart<'_>) -> Raw {
        let zone = self.options.zone;
        let [channel, begins, ends] = attributes(start, ["channel", "start", "stop"]);
        let channel = channel.map(|id| id.trim().to_owned()).unwrap_or_default();
        let begins = begins.unwrap_or_default();
        let ends = ends.filter(|stop| !stop.trim().is_empty());
        let mut fault = None;
        if channel.is_empty() {
            fault = Some((GuideFault::ProgrammeWithoutChannel, begins.clone()));
        } else if begins.trim().is_empty() {
            fault = Some((GuideFault::ProgrammeWithoutStart, channel.clone()));
        }
        let mut read = |text: &str| match time::read(text, zone) {
            Ok(time) => time,
            Err(reason) => {
                fault.get_or_insert((reason, text.to_owned()));
                DateTime::<Utc>::UNIX_EPOCH
            }
        };
        let start_time = read(&begins);
        let stop_time = ends.as_deref().map(&mut read);
        if let Some(stop) = stop_time
            && fault.is_none()
            && stop <= start_time
        {
            fault = Some((GuideFault::EndsBeforeStart, format!("{begins} – {}", ends.unwrap_or_default())));
        }
        let programme = Programme {
            channel,
            start: start_time,
            stop: stop_time.unwrap_or(start_time),
            titles: Vec::new(),
            sub_titles: Vec::new(),
            descriptions: Vec::new(),
            categories: Vec::new(),
            episodes: Vec::new(),
            icon: None,
            ratings: Vec::new(),
            date: None,
            is_new: false,
            is_repeat: false,
        };
        Raw { programme, has_stop: stop_time.is_some(), fault }
    }

    fn end(&mut self) {
        match self.depth {
            2 => match std::mem::replace(&mut self.open, Open::Other) {
                Open::Channel(channel) => self.end_channel(channel),
                Open::Programme(raw) => self.end_programme(*raw),
                Open::Other => {}
            },
            3 => self.end_leaf(),
            _ => {}
        }
    }

    fn end_leaf(&mut self) {
        let text = self.text.trim();
        if text.is_empty() || self.leaf.name.is_empty() {
            self.leaf.name.clear();
            return;
        }
        let text = text.to_owned();
        let localized = |text: String, leaf: &mut Leaf| Localized { language: leaf.language.take(), text };
        match (&mut self.open, self.leaf.name.as_str()) {
            (Open::Channel(channel), "display-name") => {
                let name = localized(text, &mut self.leaf);
                push_one(&mut channel.names, name);
            }
            (Open::Channel(channel), "url") => push_one(&mut channel.addresses, text),
            (Open::Programme(raw), name) => {
                let programme = &mut raw.programme;
                match name {
                    "title" => push_one(&mut programme.titles, localized(text, &mut self.leaf)),
                    "sub-title" => push_one(&mut programme.sub_titles, localized(text, &mut self.leaf)),
                    "desc" => push_one(&mut programme.descriptions, localized(text, &mut self.leaf)),
                    "category" => push_one(&mut programme.categories, localized(text, &mut self.leaf)),
                    "episode-num" => {
                        let system = self.leaf.system.take().unwrap_or_else(|| "onscreen".to_owned());
                        push_one(&mut programme.episodes, EpisodeNumber { system, value: text });
                    }
                    "date" => programme.date = Some(text),
                    "rating" => {
                        push_one(
                            &mut programme.ratings,
                            Rating { system: self.leaf.system.take(), value: text },
                        );
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        self.leaf.name.clear();
    }

    /// Merges a repeated channel: names and images of both.
    fn end_channel(&mut self, mut channel: Channel) {
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

    fn end_programme(&mut self, raw: Raw) {
        let Raw { programme, has_stop, fault } = raw;
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
        if self.held_bytes > self.options.limits.held_bytes {
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

    fn finish(mut self, cut: u64) {
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

/// Reason for stopping at malformed XML.
fn stop_of(error: &Error) -> GuideStop {
    // The XML library's syntax errors are elements, comments and entities without an end.
    let is_early = matches!(error, Error::Syntax(_) | Error::IllFormed(IllFormedError::MissingEndTag(_)));
    if is_early { GuideStop::EndsTooEarly } else { GuideStop::BrokenMarkup }
}

fn is_root(start: &BytesStart<'_>) -> bool {
    start.local_name().as_ref() == "tv"
}

/// Maximum distinct elements of a list.
const MOST_OF_A_LIST: usize = 64;

fn push_one<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if list.len() < MOST_OF_A_LIST && !list.contains(&one) {
        list.push(one);
    }
}

fn add_new<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        push_one(known, one);
    }
}
