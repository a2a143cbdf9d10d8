//! Parser from XML events to XMLTV.

use std::{
    io::{self, BufReader, Read},
    ops::ControlFlow,
};

use chrono::{DateTime, Utc};
use domain_live::guide::{Channel, EpisodeNumber, GuideFault, GuideStop, Localized, Programme, Rating};
use quick_xml::{
    Error, Reader,
    errors::IllFormedError,
    events::{BytesStart, Event},
};

use super::{
    GuideOptions, GuideReport,
    characters::allowed,
    collect::{Collector, RawProgramme, push_one},
    markup::{attribute, attributes, entity},
    text::Utf8,
    time,
    unpack::StopCause,
};

/// The current child element of `tv`.
enum Open {
    Channel(Channel),
    Programme(Box<RawProgramme>),
    Other,
}

pub(super) struct Parser<'report, F> {
    options: GuideOptions,
    collector: Collector<'report, F>,
    open: Open,
    /// 0 before and after a guide: another one may follow.
    depth: usize,
    /// Whether a guide has begun.
    has_root: bool,
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
        let collector = Collector::new(report, each, cause, options.limits.held_bytes);
        Self {
            options,
            collector,
            open: Open::Other,
            depth: 0,
            has_root: false,
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
            self.collector.position = reader.buffer_position();
            if let Some(cause) = self.collector.cause.get() {
                self.collector.report.stopped = Some(cause);
                break;
            }
            let next = match reader.read_event_into(&mut buffer) {
                Ok(event) => self.event(event),
                // After a guide, text without markup is ignored.
                Err(error) if self.is_behind_guide() && !matches!(error, Error::Io(_)) => {
                    ControlFlow::Break(())
                }
                Err(error) => {
                    self.collector.report.stopped =
                        Some(self.collector.cause.get().unwrap_or_else(|| stop_of(&error)));
                    ControlFlow::Break(())
                }
            };
            if next.is_break() {
                break;
            }
        }
        let is_unreadable =
            |stop: GuideStop| matches!(stop, GuideStop::EndsTooEarly | GuideStop::BrokenMarkup);
        if !self.has_root && self.collector.report.stopped.is_none_or(is_unreadable) {
            self.collector.report.stopped = Some(GuideStop::NotAGuide);
        }
        // Reads to the end of the file, which verifies a compressed one.
        let mut source = reader.into_inner();
        if self.collector.report.stopped.is_none() && io::copy(&mut source, &mut io::sink()).is_err() {
            self.collector.report.stopped = Some(self.collector.cause.get().unwrap_or(GuideStop::Unreadable));
        }
        let text = source.into_inner();
        self.collector.report.encoding = text.encoding();
        let cut = text.cut;
        self.collector.finish(cut);
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
                    self.collector.report.stopped = Some(GuideStop::EndsTooEarly);
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
            self.collector.report.stopped = Some(GuideStop::TooDeep);
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
                    self.collector.leave_out(GuideFault::UnknownEntity, format!("&{name};"));
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
    fn programme(&self, start: &BytesStart<'_>) -> RawProgramme {
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
        RawProgramme { programme, has_stop: stop_time.is_some(), fault }
    }

    fn end(&mut self) {
        match self.depth {
            2 => match std::mem::replace(&mut self.open, Open::Other) {
                Open::Channel(channel) => self.collector.add_channel(channel),
                Open::Programme(raw) => self.collector.add_programme(*raw),
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
