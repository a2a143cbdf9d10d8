//! Decompresses by the first bytes, regardless of the file name: gzip with any number of members,
//! xz. Sizes, ratio and memory are limited.

use std::{
    cell::Cell,
    io::{self, BufRead, BufReader, Read},
    rc::Rc,
};

use domain_live::guide::GuideStop;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

use super::GuideLimits;

/// Compression of a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Plain,
    /// gzip, with one or several members.
    Gzip,
    Xz,
}

/// Minimum bytes for a check of the ratio.
const LEAST_FOR_RATIO: u64 = 4 << 20;

/// The exceeded limit, shared by the layers.
#[derive(Debug, Clone, Default)]
pub(super) struct StopCause(Rc<Cell<Option<GuideStop>>>);

impl StopCause {
    pub(super) fn get(&self) -> Option<GuideStop> {
        self.0.get()
    }

    /// Error that ends reading, with its cause recorded.
    pub(super) fn stop(&self, cause: GuideStop) -> io::Error {
        self.0.set(self.0.get().or(Some(cause)));
        io::Error::other(cause_text(cause))
    }
}

fn cause_text(cause: GuideStop) -> &'static str {
    use domain_kernel::Enumeration;
    cause.labels().english
}

/// Counts the bytes read, up to the limit.
struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
    most: u64,
    cause: StopCause,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer).inspect_err(|_| {
            let _ = self.cause.stop(GuideStop::Unreadable);
        })?;
        self.count.set(self.count.get() + count as u64);
        if self.count.get() > self.most { Err(self.cause.stop(GuideStop::TooLarge)) } else { Ok(count) }
    }
}

/// Decompressed bytes within the limits.
pub(super) struct Unpacked<'source> {
    inner: Box<dyn Read + 'source>,
    packing: Packing,
    packed: Rc<Cell<u64>>,
    unpacked: Rc<Cell<u64>>,
    limits: GuideLimits,
    cause: StopCause,
}

impl<'source> Unpacked<'source> {
    pub(super) fn new(
        source: impl Read + 'source,
        limits: GuideLimits,
        cause: &StopCause,
    ) -> io::Result<Self> {
        let packed = Rc::new(Cell::new(0));
        let counted = Counted {
            inner: source,
            count: Rc::clone(&packed),
            most: limits.packed_bytes,
            cause: cause.clone(),
        };
        let mut source = BufReader::with_capacity(64 << 10, counted);
        let head = source.fill_buf()?;
        let packing = if head.starts_with(&[0x1F, 0x8B]) {
            Packing::Gzip
        } else if head.starts_with(b"\xFD7zXZ\0") {
            Packing::Xz
        } else {
            Packing::Plain
        };
        let inner: Box<dyn Read + 'source> = match packing {
            Packing::Plain => Box::new(source),
            Packing::Gzip => Box::new(MultiGzDecoder::new(source)),
            Packing::Xz => {
                let kibibytes = u32::try_from(limits.xz_memory / 1024).unwrap_or(u32::MAX);
                Box::new(XzReader::new_mem_limit(source, true, kibibytes))
            }
        };
        let unpacked = Rc::new(Cell::new(0));
        Ok(Self { inner, packing, packed, unpacked, limits, cause: cause.clone() })
    }

    pub(super) fn packing(&self) -> Packing {
        self.packing
    }

    /// Counter of the decompressed bytes.
    pub(super) fn counter(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.unpacked)
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.inner.read(buffer) {
            Ok(count) => count,
            Err(error) if self.cause.get().is_some() => return Err(error),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(self.cause.stop(GuideStop::EndsTooEarly));
            }
            Err(error) => {
                let is_memory = error.kind() == io::ErrorKind::OutOfMemory;
                let cause = if is_memory { GuideStop::MemoryLimit } else { GuideStop::BrokenCompression };
                return Err(self.cause.stop(cause));
            }
        };
        let unpacked = self.unpacked.get() + count as u64;
        self.unpacked.set(unpacked);
        if unpacked > self.limits.unpacked_bytes {
            return Err(self.cause.stop(GuideStop::TooLargeUnpacked));
        }
        let is_packed = self.packing != Packing::Plain;
        if is_packed && unpacked > LEAST_FOR_RATIO && unpacked / self.packed.get().max(1) > self.limits.ratio
        {
            return Err(self.cause.stop(GuideStop::RatioTooHigh));
        }
        Ok(count)
    }
}
