//! Decompresses gzip, recognised by its first bytes regardless of the file name. Several members
//! are one text.

use std::{io::Write, mem};

use domain_live::playlist::PlaylistFault;
use flate2::write::MultiGzDecoder;

/// Bytes decompressed at once: up to 4 MB at gzip's highest ratio.
const SLICE: usize = 4 * 1024;

#[derive(Default)]
pub(super) enum Unpack {
    /// Fewer than two bytes so far.
    #[default]
    Begin,
    /// One byte so far, the first of gzip.
    FirstByte,
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), PlaylistFault>;

impl Unpack {
    /// Whether the bytes are not compressed.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain)
    }

    pub(super) fn feed(&mut self, mut bytes: &[u8], sink: Sink<'_>) -> Result<(), PlaylistFault> {
        loop {
            match self {
                Self::Begin => match bytes {
                    [] => return Ok(()),
                    [0x1f] => {
                        *self = Self::FirstByte;
                        return Ok(());
                    }
                    [0x1f, 0x8b, ..] => *self = Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
                    _ => *self = Self::Plain,
                },
                Self::FirstByte => match bytes {
                    [] => return Ok(()),
                    [0x8b, ..] => {
                        *self = Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new())));
                        self.feed(&[0x1f], sink)?;
                    }
                    _ => {
                        *self = Self::Plain;
                        sink(&[0x1f])?;
                    }
                },
                Self::Plain => return sink(bytes),
                Self::Gzip(decoder) => {
                    while !bytes.is_empty() {
                        let (slice, rest) = bytes.split_at(bytes.len().min(SLICE));
                        decoder.write_all(slice).map_err(|_| PlaylistFault::DamagedArchive)?;
                        hand_on(decoder.get_mut(), sink)?;
                        bytes = rest;
                    }
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn finish(&mut self, sink: Sink<'_>) -> Result<(), PlaylistFault> {
        match self {
            Self::Begin | Self::Plain => Ok(()),
            Self::FirstByte => sink(&[0x1f]),
            Self::Gzip(decoder) => {
                decoder.try_finish().map_err(|_| PlaylistFault::DamagedArchive)?;
                hand_on(decoder.get_mut(), sink)
            }
        }
    }
}

fn hand_on(unpacked: &mut Vec<u8>, sink: Sink<'_>) -> Result<(), PlaylistFault> {
    let plain = mem::take(unpacked);
    if !plain.is_empty() {
        sink(&plain)?;
    }
    *unpacked = plain;
    unpacked.clear();
    Ok(())
}
