//! Lists for runs: fetched or uploaded, compressed in memory, read twice. Compression reduces a
//! list to a tenth.

use std::{
    io::{Read, Write},
    ops::Range,
};

use async_trait::async_trait;
use domain_live::{
    entry::Entry,
    playlist::{Limits, PlaylistFault, Summary},
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use ports::{FetchedPlaylist, OpenPlaylist, PlaylistFetchFault, PlaylistFiles, PlaylistPacker};

use crate::{
    fetch::{FetchError, Fetched, Fetcher},
    playlist::PlaylistReader,
};

/// Bytes decompressed per chunk.
const CHUNK: usize = 64 * 1024;

/// Fetches, compresses and reads lists.
pub struct HttpPlaylists {
    fetcher: Fetcher,
    limits: Limits,
}

impl HttpPlaylists {
    pub fn new(fetcher: Fetcher, limits: Limits) -> Self {
        Self { fetcher, limits }
    }
}

struct Packer {
    encoder: GzEncoder<Vec<u8>>,
    received: u64,
    most: u64,
}

impl Packer {
    fn new(limits: Limits) -> Self {
        Self { encoder: GzEncoder::new(Vec::new(), Compression::fast()), received: 0, most: limits.bytes }
    }
}

impl PlaylistPacker for Packer {
    fn feed(&mut self, bytes: &[u8]) -> Result<(), PlaylistFault> {
        self.received += bytes.len() as u64;
        if self.received > self.most {
            return Err(PlaylistFault::TooLarge);
        }
        // Writing to memory does not fail.
        self.encoder.write_all(bytes).map_err(|_| PlaylistFault::TooLarge)
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        self.encoder.finish().unwrap_or_default()
    }
}

struct Open<'a> {
    source: GzDecoder<&'a [u8]>,
    reader: Option<PlaylistReader>,
    summary: Summary,
    chunk: Vec<u8>,
    /// Unread part of the chunk.
    unread: Range<usize>,
}

impl OpenPlaylist for Open<'_> {
    fn next(&mut self) -> Result<Option<Vec<Entry>>, PlaylistFault> {
        let mut entries = Vec::new();
        loop {
            let Some(reader) = &mut self.reader else { return Ok(None) };
            if self.unread.is_empty() {
                let count = self.source.read(&mut self.chunk).map_err(|_| PlaylistFault::DamagedArchive)?;
                self.unread = 0..count;
            }
            let Range { start, end } = self.unread;
            if start < end {
                // A compressed list is compressed within the file.
                self.unread.start = end.min(start + reader.at_once());
                reader.feed(&self.chunk[start..self.unread.start], &mut |entry| entries.push(entry))?;
            } else if let Some(reader) = self.reader.take() {
                self.summary = reader.finish(&mut |entry| entries.push(entry))?;
            }
            if !entries.is_empty() {
                return Ok(Some(entries));
            }
        }
    }

    fn summary(&mut self) -> Summary {
        std::mem::take(&mut self.summary)
    }
}

#[async_trait]
impl PlaylistFiles for HttpPlaylists {
    fn limits(&self) -> Limits {
        self.limits
    }

    async fn fetch(&self, url: &str, etag: Option<&str>) -> Result<FetchedPlaylist, PlaylistFetchFault> {
        let mut packer = Packer::new(self.limits);
        let fetched = self.fetcher.fetch(url, etag, |bytes| packer.feed(bytes)).await;
        match fetched {
            Ok(Fetched::NotModified) => Ok(FetchedPlaylist::NotModified),
            Ok(Fetched::Whole { etag }) => {
                Ok(FetchedPlaylist::Whole { list: Box::new(packer).finish(), etag })
            }
            Err(FetchError::Fault(fault)) => Err(PlaylistFetchFault::Fault(fault)),
            Err(FetchError::Status(status)) => Err(PlaylistFetchFault::Status(status)),
            Err(FetchError::Refused(fault)) => Err(PlaylistFetchFault::Refused(fault)),
        }
    }

    fn packer(&self) -> Box<dyn PlaylistPacker> {
        Box::new(Packer::new(self.limits))
    }

    fn open<'a>(&self, list: &'a [u8]) -> Box<dyn OpenPlaylist + 'a> {
        Box::new(Open {
            source: GzDecoder::new(list),
            reader: Some(PlaylistReader::new(self.limits)),
            summary: Summary::default(),
            chunk: vec![0; CHUNK],
            unread: 0..0,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain_integrations::Networks;

    use super::*;
    use crate::fetch::Deadlines;

    fn files(bytes: u64) -> HttpPlaylists {
        drop(rustls::crypto::ring::default_provider().install_default());
        let fetcher = Fetcher::new(Networks::parse("").unwrap(), Deadlines::default()).unwrap();
        HttpPlaylists::new(fetcher, Limits { bytes, entries: 100_000 })
    }

    #[test]
    fn a_list_is_compressed_while_it_is_received_and_can_be_read_repeatedly() {
        let files = files(10_000);
        let mut packer = files.packer();
        packer.feed(b"#EXTM3U\n#EXTINF:-1,Siete\nhttp://h/7\n#EXTINF:-1,Ocho").unwrap();
        packer.feed(b"\nhttp://h/8\n#EXTINF:-1,Nueve\n").unwrap();
        let list = packer.finish();
        for _ in 0..2 {
            let mut open = files.open(&list);
            let mut names = Vec::new();
            while let Some(entries) = open.next().unwrap() {
                names.extend(entries.into_iter().map(|entry| entry.name));
            }
            assert_eq!(names, ["Siete", "Ocho"]);
            let summary = open.summary();
            assert_eq!((summary.entries, summary.refused.len()), (2, 1));
        }
    }

    #[test]
    fn the_number_of_buffered_entries_does_not_depend_on_compression() {
        let text =
            ["#EXTM3U group-title=\"", &"Cine;".repeat(100), "\"\n", &"http://h/1\n".repeat(80_000)].concat();
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(text.as_bytes()).unwrap();
        for came in [text.into_bytes(), packed.finish().unwrap()] {
            let files = files(10_000_000);
            let mut packer = files.packer();
            packer.feed(&came).unwrap();
            let list = packer.finish();
            let (mut open, mut total) = (files.open(&list), 0);
            while let Some(entries) = open.next().unwrap() {
                assert!(entries.len() <= 20_000, "{} at once", entries.len());
                total += entries.len();
            }
            assert_eq!((total, open.summary().entries), (80_000, 80_000));
        }
    }

    #[test]
    fn a_list_over_the_limit_is_refused_while_it_is_received() {
        let mut packer = files(10).packer();
        assert_eq!(packer.feed(&[b'x'; 11]), Err(PlaylistFault::TooLarge));
    }
}
