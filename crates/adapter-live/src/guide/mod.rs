//! Streaming reader of XMLTV guides: decompresses, decodes, truncates and parses, and passes
//! programmes on one by one (docs/spec/live-tv.md#reading-a-guide). Fetches nothing, and expands
//! only XML's and HTML's character entities.

mod characters;
mod collect;
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

/// Limits of a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideLimits {
    /// Maximum compressed bytes.
    pub packed_bytes: u64,
    /// Maximum decompressed bytes.
    pub unpacked_bytes: u64,
    /// Maximum ratio of decompressed to compressed bytes.
    pub ratio: u64,
    /// Maximum memory of xz, in bytes.
    pub xz_memory: u64,
    /// Maximum nesting of elements.
    pub depth: usize,
    /// Maximum bytes of one text; longer ones are truncated.
    pub text_bytes: usize,
    /// Maximum bytes in memory of all channels, and of programmes without an end, which wait for
    /// the next one.
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

/// Options of reading a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideOptions {
    /// Time zone of times without one.
    pub zone: Tz,
    pub limits: GuideLimits,
}

impl Default for GuideOptions {
    fn default() -> Self {
        Self { zone: Tz::UTC, limits: GuideLimits::default() }
    }
}

/// A rejected part of a guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub fault: GuideFault,
    /// Position in the decompressed UTF-8 text, in bytes.
    pub position: u64,
    /// Rejected value: an ID, a time, a title.
    pub text: String,
}

/// Result of reading a guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuideReport {
    /// Distinct channels, in the order of the guide.
    pub channels: Vec<Channel>,
    /// Undeclared channels of programmes, with the numbers of these.
    pub undeclared: BTreeMap<String, u64>,
    /// Number of programmes passed on, by channel.
    pub programmes_by_channel: BTreeMap<String, u64>,
    /// Number of programmes passed on.
    pub programmes: u64,
    /// Number of programmes without an end.
    pub without_stop: u64,
    /// Numbers of rejections, by reason.
    pub left_out: BTreeMap<GuideFault, u64>,
    /// The first rejections.
    pub examples: Vec<LeftOut>,
    /// Reason for stopping before the end of the file.
    pub stopped: Option<GuideStop>,
    pub packing: Packing,
    /// Decompressed bytes that were read.
    pub unpacked_bytes: u64,
    /// Encoding of the file.
    pub encoding: &'static str,
}

impl GuideReport {
    /// Whether the complete part of a truncated or damaged file is kept.
    pub fn is_partial(&self) -> bool {
        self.stopped.is_some() && !self.is_refused()
    }

    /// Whether nothing of it may be used: it is no guide, or exceeds a limit.
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

/// Maximum examples of rejections for one reason.
const MOST_EXAMPLES: u64 = 20;

/// Reads a guide and passes on its programmes one by one. Faults are counted in the report; a
/// caller that stores programmes discards them if the report [is refused](GuideReport::is_refused).
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
        unpacked_bytes: 0,
        encoding: "UTF-8",
    };
    let mut counter = None;
    let opened = unpack::Unpacked::new(source, options.limits, &cause).and_then(|unpacked| {
        report.packing = unpacked.packing();
        counter = Some(unpacked.counter());
        text::Utf8::new(unpacked, options.limits.text_bytes, &cause)
    });
    match opened {
        Ok(text) => {
            parse::Parser::new(options, &mut report, each, cause)
                .run(BufReader::with_capacity(64 << 10, text));
        }
        Err(_) => report.stopped = Some(cause.get().unwrap_or(GuideStop::Unreadable)),
    }
    report.unpacked_bytes = counter.map_or(0, |counter| counter.get());
    report
}
