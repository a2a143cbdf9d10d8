//! Reads and writes playlists (docs/spec/live-tv.md#reading). Bytes are pushed as they arrive;
//! memory has one line and the current entry, never the list.
//!
//! Four independent steps: `unpack` (gzip), `decode` (text), `lines` and `parser`, which parses
//! `#EXTINF` by `extinf`. `write` is the reverse.

mod address;
mod decode;
mod extinf;
mod lines;
mod parser;
mod unpack;
mod write;

use std::io::{self, Read};

use domain_live::{
    entry::Entry,
    playlist::{Limits, PlaylistFault, Summary},
};

pub use self::write::{M3uWriter, write_entry, write_header};
use self::{decode::Decode, lines::Lines, parser::Parser, unpack::Unpack};

/// Bytes read from a source at once.
const CHUNK: usize = 64 * 1024;
/// Bytes of gzip that decompress to about as many at its highest ratio.
const PACKED_CHUNK: usize = 64;

/// Push parser of a playlist.
pub struct PlaylistReader {
    limits: Limits,
    received: u64,
    unpacked: u64,
    unpack: Unpack,
    decode: Decode,
    lines: Lines,
    parser: Parser,
}

impl PlaylistReader {
    /// A reader that rejects lists over the limits.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            received: 0,
            unpacked: 0,
            unpack: Unpack::default(),
            decode: Decode::default(),
            lines: Lines::default(),
            parser: Parser::new(limits.entries),
        }
    }

    /// Bytes per call of `feed` if their entries are kept: up to some thousand entries.
    pub(crate) fn at_once(&self) -> usize {
        if self.unpack.is_plain() { CHUNK } else { PACKED_CHUNK }
    }

    /// Reads the next bytes and passes on complete entries.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl FnMut(Entry)) -> Result<(), PlaylistFault> {
        self.received += bytes.len() as u64;
        if self.received > self.limits.bytes {
            return Err(PlaylistFault::TooLarge);
        }
        let Self { limits, unpacked, unpack, decode, lines, parser, .. } = self;
        unpack.feed(bytes, &mut |plain| {
            *unpacked += plain.len() as u64;
            if *unpacked > limits.bytes {
                return Err(PlaylistFault::TooLarge);
            }
            decode.feed(plain, &mut |text, decode| {
                lines.feed(text, &mut |number, line| parser.line(number, line, decode, sink))
            })
        })
    }

    /// Reads the last line, and returns the summary.
    pub fn finish(mut self, sink: &mut impl FnMut(Entry)) -> Result<Summary, PlaylistFault> {
        let Self { limits, unpacked, unpack, decode, lines, parser, .. } = &mut self;
        unpack.finish(&mut |plain| {
            *unpacked += plain.len() as u64;
            if *unpacked > limits.bytes {
                return Err(PlaylistFault::TooLarge);
            }
            decode.feed(plain, &mut |text, decode| {
                lines.feed(text, &mut |number, line| parser.line(number, line, decode, sink))
            })
        })?;
        decode.finish(&mut |text, decode| {
            lines.feed(text, &mut |number, line| parser.line(number, line, decode, sink))
        })?;
        let guess = decode.guess_mut();
        lines.finish(&mut |number, line| parser.line(number, line, guess, sink))?;
        self.parser.finish()
    }
}

/// Error of reading a source.
#[derive(Debug)]
pub enum ReadError {
    Io(io::Error),
    /// The content was rejected.
    Refused(PlaylistFault),
}

/// Reads a whole source.
pub fn read(
    mut source: impl Read,
    limits: Limits,
    mut sink: impl FnMut(Entry),
) -> Result<Summary, ReadError> {
    let mut reader = PlaylistReader::new(limits);
    let mut chunk = vec![0; CHUNK];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return reader.finish(&mut sink).map_err(ReadError::Refused),
            Ok(count) => reader.feed(&chunk[..count], &mut sink).map_err(ReadError::Refused)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::Io(error)),
        }
    }
}

#[cfg(test)]
mod tests;
