//! Guides for fetches: bytes come from a URL or from parts of a file, a separate thread parses
//! them, programmes are passed on in slices. Bounded channels limit the buffered data.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use async_trait::async_trait;
use domain_kernel::Enumeration;
use domain_live::{
    fetch::{FetchFault, Validators},
    guide::{Channel, GuideFault, GuideStop, Programme},
    guide_fetch::LeftOutOfGuide,
};
use ports::{GuideFailure, GuideFetched, GuideFiles, GuideOrigin, GuideRead, GuideSink, StoreError};
use tokio::sync::{mpsc, oneshot};

use crate::{
    fetch::{Body, FetchError, Fetcher},
    guide::{GuideLimits, GuideOptions, GuideReport, Tz, read_guide},
};

/// Buffered pieces of a file: some hundred kilobytes.
const BYTES_WAITING: usize = 8;
/// Buffered slices of programmes.
const SLICES_WAITING: usize = 4;
/// Maximum programmes of a slice, and bytes of their texts.
const SLICE: usize = 500;
const SLICE_BYTES: usize = 256 << 10;
/// Maximum bytes of an ID: IDs are keys of an index.
const LONGEST_ID: usize = 1_000;

/// Fetches and reads guides.
pub struct HttpGuides {
    fetcher: Fetcher,
    limits: GuideLimits,
}

impl HttpGuides {
    pub fn new(fetcher: Fetcher, limits: GuideLimits) -> Self {
        Self { fetcher, limits }
    }
}

/// Received bytes, for a blocking reader.
struct Incoming {
    pieces: mpsc::Receiver<Vec<u8>>,
    piece: Vec<u8>,
    consumed: usize,
    /// Whether the receiver of programmes has stopped.
    unwanted: Arc<AtomicBool>,
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.consumed == self.piece.len() {
            if self.unwanted.load(Ordering::Relaxed) {
                return Err(io::Error::other("the receiver of programmes has stopped"));
            }
            let Some(piece) = self.pieces.blocking_recv() else { return Ok(0) };
            (self.piece, self.consumed) = (piece, 0);
        }
        let count = buffer.len().min(self.piece.len() - self.consumed);
        buffer[..count].copy_from_slice(&self.piece[self.consumed..self.consumed + count]);
        self.consumed += count;
        Ok(count)
    }
}

/// Outgoing programmes.
struct Slices {
    out: mpsc::Sender<Vec<Programme>>,
    slice: Vec<Programme>,
    bytes: usize,
    too_long: u64,
    unwanted: Arc<AtomicBool>,
}

fn bytes_of(programme: &Programme) -> usize {
    let texts = [&programme.titles, &programme.sub_titles, &programme.descriptions, &programme.categories];
    texts.into_iter().flatten().map(|text| text.text.len() + 48).sum::<usize>() + 256
}

impl Slices {
    fn add(&mut self, programme: Programme) {
        if programme.channel.len() > LONGEST_ID {
            self.too_long += 1;
            return;
        }
        self.bytes += bytes_of(&programme);
        self.slice.push(programme);
        if self.slice.len() >= SLICE || self.bytes >= SLICE_BYTES {
            self.hand_on();
        }
    }

    fn hand_on(&mut self) {
        self.bytes = 0;
        let slice = std::mem::take(&mut self.slice);
        if !slice.is_empty() && self.out.blocking_send(slice).is_err() {
            self.unwanted.store(true, Ordering::Relaxed);
        }
    }
}

/// Reads a file on its own thread; returns the report and the number of programmes with too long
/// IDs.
fn read_on_a_thread(
    pieces: mpsc::Receiver<Vec<u8>>,
    out: mpsc::Sender<Vec<Programme>>,
    options: GuideOptions,
) -> oneshot::Receiver<(GuideReport, u64)> {
    let (done, report) = oneshot::channel();
    thread::spawn(move || {
        let unwanted = Arc::new(AtomicBool::new(false));
        let incoming = Incoming { pieces, piece: Vec::new(), consumed: 0, unwanted: unwanted.clone() };
        let mut slices = Slices { out, slice: Vec::new(), bytes: 0, too_long: 0, unwanted };
        let report = read_guide(incoming, options, |programme| slices.add(programme));
        slices.hand_on();
        // Without a receiver, the fetch was cancelled.
        drop(done.send((report, slices.too_long)));
    });
    report
}

/// Origin of a guide's bytes.
enum Source<'a> {
    Web(Body),
    Parts(&'a mut dyn ports::GuideParts),
}

enum Broken {
    Source(FetchFault),
    Store(StoreError),
}

impl Source<'_> {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        match self {
            Self::Web(body) => body.next().await.map_err(Broken::Source),
            Self::Parts(parts) => parts.next().await.map_err(Broken::Store),
        }
    }
}

/// Sends bytes until the end, or until the reader stops.
async fn pump(mut source: Source<'_>, pieces: mpsc::Sender<Vec<u8>>) -> Result<(), Broken> {
    while let Some(piece) = source.next().await? {
        if pieces.send(piece).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// Passes on programmes; returns whether all were accepted.
async fn drain(
    mut slices: mpsc::Receiver<Vec<Programme>>,
    sink: &mut dyn GuideSink,
) -> Result<bool, StoreError> {
    while let Some(slice) = slices.recv().await {
        if !sink.take(slice).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Limits of a file with at most so many unpacked bytes. Its channels may take twice as much in memory.
fn within(limits: GuideLimits, unpacked_bytes: u64) -> GuideLimits {
    let held = usize::try_from(unpacked_bytes).unwrap_or(usize::MAX).saturating_mul(2);
    GuideLimits { unpacked_bytes, held_bytes: limits.held_bytes.min(held), ..limits }
}

fn without_long_ids(channels: Vec<Channel>, left_out: &mut u64) -> Vec<Channel> {
    let before = channels.len();
    let kept: Vec<Channel> = channels.into_iter().filter(|channel| channel.id.len() <= LONGEST_ID).collect();
    *left_out += (before - kept.len()) as u64;
    kept
}

fn read_of(report: GuideReport, mut too_long: u64, known: Validators) -> GuideRead {
    let refused = report.is_refused();
    let undeclared = report.undeclared.into_keys().map(|id| Channel { id, ..Channel::default() });
    let channels = without_long_ids(report.channels.into_iter().chain(undeclared).collect(), &mut too_long);
    let mut left_out: Vec<(GuideFault, u64)> = report.left_out.into_iter().collect();
    if too_long > 0 {
        left_out.push((GuideFault::IdTooLong, too_long));
    }
    let example =
        |one: crate::guide::LeftOut| LeftOutOfGuide { reason: one.fault.code().to_owned(), text: one.text };
    GuideRead {
        channels,
        programmes: report.programmes,
        left_out,
        examples: report.examples.into_iter().map(example).collect(),
        stopped: report.stopped,
        refused,
        known,
        unpacked_bytes: report.unpacked_bytes,
    }
}

#[async_trait]
impl GuideFiles for HttpGuides {
    fn largest(&self) -> u64 {
        self.limits.packed_bytes
    }

    async fn read(
        &self,
        origin: GuideOrigin<'_>,
        zone: &str,
        most_unpacked: Option<u64>,
        sink: &mut dyn GuideSink,
    ) -> Result<GuideFetched, GuideFailure> {
        let most_unpacked = most_unpacked.filter(|most| *most < self.limits.unpacked_bytes);
        let limits = most_unpacked.map_or(self.limits, |most| within(self.limits, most));
        let (source, known) = match origin {
            GuideOrigin::Upload(parts) => (Source::Parts(parts), Validators::default()),
            GuideOrigin::Address(url, known) => match self.fetcher.open::<StoreError>(url, known).await {
                Ok(None) => return Ok(GuideFetched::NotModified),
                Ok(Some(body)) => {
                    let known = body.known.clone();
                    (Source::Web(body), known)
                }
                Err(FetchError::Fault(fault)) => return Err(GuideFailure::Fault(fault)),
                Err(FetchError::Status(status)) => return Err(GuideFailure::Status(status)),
                Err(FetchError::Refused(error)) => return Err(GuideFailure::Store(error)),
            },
        };
        let (pieces, incoming) = mpsc::channel(BYTES_WAITING);
        let (out, slices) = mpsc::channel(SLICES_WAITING);
        let zone = zone.parse().unwrap_or(Tz::UTC);
        let report = read_on_a_thread(incoming, out, GuideOptions { zone, limits });
        let (pumped, drained) = tokio::join!(pump(source, pieces), drain(slices, sink));
        if !drained.map_err(GuideFailure::Store)? {
            return Ok(GuideFetched::Ended);
        }
        let gone =
            || GuideFailure::Store(StoreError::Broken("the thread that reads a guide ended early".into()));
        let (report, too_long) = report.await.map_err(|_| gone())?;
        if most_unpacked.is_some() && report.stopped == Some(GuideStop::TooLargeUnpacked) {
            return Ok(GuideFetched::Larger);
        }
        let mut read = read_of(report, too_long, known);
        match pumped {
            Err(Broken::Store(error)) => return Err(GuideFailure::Store(error)),
            // The received part is a truncated file.
            Err(Broken::Source(fault)) if read.refused || read.programmes == 0 => {
                return Err(GuideFailure::Fault(fault));
            }
            Err(Broken::Source(_)) => read.stopped = read.stopped.or(Some(GuideStop::EndsTooEarly)),
            Ok(()) => {}
        }
        Ok(GuideFetched::Read(Box::new(read)))
    }
}

#[cfg(test)]
mod tests {
    use domain_integrations::Networks;
    use ports::GuideParts;

    use super::*;
    use crate::fetch::Deadlines;

    struct Pieces(Vec<Vec<u8>>);

    #[async_trait]
    impl GuideParts for Pieces {
        async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(if self.0.is_empty() { None } else { Some(self.0.remove(0)) })
        }
    }

    /// Accepts this number of programmes.
    struct Taker {
        titles: Vec<String>,
        most: usize,
    }

    #[async_trait]
    impl GuideSink for Taker {
        async fn take(&mut self, programmes: Vec<Programme>) -> Result<bool, StoreError> {
            self.titles.extend(programmes.into_iter().map(|programme| programme.titles[0].text.clone()));
            Ok(self.titles.len() < self.most)
        }
    }

    fn guides() -> HttpGuides {
        drop(rustls::crypto::ring::default_provider().install_default());
        let fetcher = Fetcher::new(Networks::parse("").unwrap(), Deadlines::default()).unwrap();
        HttpGuides::new(fetcher, GuideLimits::default())
    }

    fn guide(programmes: usize) -> Vec<u8> {
        let one = |hour: usize| {
            format!(
                "<programme channel='c' start='20260101{:02}{:02}00'><title>{hour}</title></programme>",
                hour / 60,
                hour % 60
            )
        };
        let all: String = (0..programmes).map(one).collect();
        format!("<tv><channel id='c'/>{all}</tv>").into_bytes()
    }

    async fn read_up_to(
        file: Vec<u8>,
        most: usize,
        most_unpacked: Option<u64>,
    ) -> (GuideFetched, Vec<String>) {
        let mut pieces = Pieces(file.chunks(97).map(<[u8]>::to_vec).collect());
        let mut taker = Taker { titles: Vec::new(), most };
        let origin = GuideOrigin::Upload(&mut pieces);
        let read = guides().read(origin, "UTC", most_unpacked, &mut taker).await.unwrap();
        (read, taker.titles)
    }

    async fn read(file: Vec<u8>, most: usize) -> (GuideFetched, Vec<String>) {
        read_up_to(file, most, None).await
    }

    #[tokio::test]
    async fn a_file_is_read_up_to_the_size_that_the_caller_accepts() {
        let file = guide(100);
        let bytes = file.len() as u64;
        let (fetched, _) = read_up_to(file.clone(), usize::MAX, Some(bytes - 1)).await;
        assert_eq!(fetched, GuideFetched::Larger);
        let (fetched, titles) = read_up_to(file, usize::MAX, Some(bytes)).await;
        let GuideFetched::Read(read) = fetched else { panic!("{fetched:?}") };
        assert_eq!((read.unpacked_bytes, titles.len()), (bytes, 100));
    }

    #[tokio::test]
    async fn a_file_in_pieces_is_read_whole() {
        let (fetched, titles) = read(guide(1_200), usize::MAX).await;
        let GuideFetched::Read(read) = fetched else { panic!("{fetched:?}") };
        assert_eq!((read.programmes, titles.len(), read.channels.len()), (1_200, 1_200, 1));
        assert_eq!((read.stopped, read.refused), (None, false));
    }

    #[tokio::test]
    async fn reading_ends_when_the_receiver_stops() {
        let (fetched, titles) = read(guide(1_400), 500).await;
        assert_eq!(fetched, GuideFetched::Ended);
        assert_eq!(titles.len(), 500);
    }

    #[tokio::test]
    async fn an_id_that_is_too_long_is_left_out_and_counted() {
        // The text has the unit of the limit.
        assert_eq!(GuideFault::IdTooLong.labels().spanish, format!("ID de más de {LONGEST_ID} bytes"));
        for id in ["x".repeat(LONGEST_ID + 1), "ж".repeat(LONGEST_ID / 2 + 1)] {
            let file = format!(
                "<tv><channel id='{id}'/><programme channel='{id}' start='2026010100'><title>a</title></programme></tv>"
            );
            let (fetched, titles) = read(file.into_bytes(), usize::MAX).await;
            let GuideFetched::Read(read) = fetched else { panic!("{fetched:?}") };
            assert_eq!((titles.len(), read.channels.len()), (0, 0));
            assert_eq!(read.left_out, [(GuideFault::IdTooLong, 2)]);
        }
    }
}
