//! XMLTV guides, read as a stream: bytes unpacked, decoded, cut, parsed, one programme after the other handed on
//! (docs/spec/live-tv.md#reading-a-guide). Nothing is fetched, no entity is expanded but XML's and HTML's characters.

mod characters;
mod markup;
mod parse;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod unpack;
mod write;

use std::{
    collections::BTreeMap,
    io::{BufReader, Read},
};

pub use chrono_tz::Tz;
use domain_live::guide::{Channel, GuideFault, GuideStop, Programme};
pub(crate) use markup::attribute;
pub use unpack::Packing;
pub use write::XmltvFormat;

/// Bounds of a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideLimits {
    /// As it comes.
    pub packed_bytes: u64,
    /// Unpacked.
    pub unpacked_bytes: u64,
    /// Unpacked to packed.
    pub ratio: u64,
    /// What xz may take.
    pub xz_memory: u64,
    /// Elements within each other.
    pub depth: usize,
    /// Bytes of one text; more is cut.
    pub text_bytes: usize,
    /// Bytes of all channels and of programmes without an end: they are held until the end, or until the next one.
    pub held_bytes: usize,
}

impl Default for GuideLimits {
    fn default() -> Self {
        Self {
            packed_bytes: 200 << 20,
            unpacked_bytes: 4 << 30,
            ratio: 200,
            xz_memory: 64 << 20,
            depth: 32,
            text_bytes: 64 << 10,
            held_bytes: 32 << 20,
        }
    }
}

/// How a guide is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideOptions {
    /// The zone of times that name none.
    pub zone: Tz,
    /// What is refused.
    pub limits: GuideLimits,
}

impl Default for GuideOptions {
    fn default() -> Self {
        Self { zone: Tz::UTC, limits: GuideLimits::default() }
    }
}

/// One thing that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Why.
    pub fault: GuideFault,
    /// Where in the unpacked UTF-8 text, in bytes.
    pub position: u64,
    /// What it says: an id, a time, a title.
    pub text: String,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuideReport {
    /// Channels in the order in which they came, each once.
    pub channels: Vec<Channel>,
    /// Channels that programmes name and that are nowhere described, with their programmes.
    pub undeclared: BTreeMap<String, u64>,
    /// Programmes of each channel that were handed on.
    pub programmes_by_channel: BTreeMap<String, u64>,
    /// How many programmes were handed on.
    pub programmes: u64,
    /// Programmes whose end the guide does not say.
    pub without_stop: u64,
    /// How many were left out, by reason.
    pub left_out: BTreeMap<GuideFault, u64>,
    /// The first of what was left out.
    pub examples: Vec<LeftOut>,
    /// Why the reading ended before the end of the file.
    pub stopped: Option<GuideStop>,
    /// How it was packed.
    pub packing: Packing,
    /// What it was decoded from.
    pub encoding: &'static str,
}

impl GuideReport {
    /// Whether what was whole is kept although the file ends too early or is damaged from some place on.
    pub fn is_partial(&self) -> bool {
        self.stopped.is_some() && !self.is_refused()
    }

    /// Whether nothing of it may be used: it is no guide, or it breaks a bound.
    pub fn is_refused(&self) -> bool {
        match self.stopped {
            None | Some(GuideStop::EndsTooEarly | GuideStop::BrokenMarkup | GuideStop::BrokenCompression) => {
                false
            }
            Some(
                GuideStop::TooDeep
                | GuideStop::TagTooLong
                | GuideStop::TooLarge
                | GuideStop::TooLargeUnpacked
                | GuideStop::RatioTooHigh
                | GuideStop::MemoryLimit
                | GuideStop::NotAGuide
                | GuideStop::Unreadable,
            ) => true,
        }
    }
}

/// So many examples of what was left out are kept.
const MOST_EXAMPLES: usize = 20;

/// Reads a guide and hands on its programmes one by one. What is broken is counted in the report; a caller that
/// stores programmes discards them where the report [is refused](GuideReport::is_refused).
pub fn read_guide(source: impl Read, options: GuideOptions, each: impl FnMut(Programme)) -> GuideReport {
    let cause = unpack::StopCause::default();
    let mut report = GuideReport {
        channels: Vec::new(),
        undeclared: BTreeMap::new(),
        programmes_by_channel: BTreeMap::new(),
        programmes: 0,
        without_stop: 0,
        left_out: BTreeMap::new(),
        examples: Vec::new(),
        stopped: None,
        packing: Packing::Plain,
        encoding: "UTF-8",
    };
    let opened = unpack::Unpacked::new(source, options.limits, &cause).and_then(|unpacked| {
        report.packing = unpacked.packing();
        text::Utf8::new(unpacked, options.limits.text_bytes, &cause)
    });
    match opened {
        Ok(text) => {
            parse::Parser::new(options, &mut report, each, cause)
                .run(BufReader::with_capacity(64 << 10, text));
        }
        Err(_) => report.stopped = Some(cause.get().unwrap_or(GuideStop::Unreadable)),
    }
    report
}
