//! Reads mutated playlists for the number of seconds in the first argument
//! (`scripts/fuzz-playlist`). Fails on a panic, an input that is read differently in pieces or
//! takes longer than two seconds, a list that is read differently after it was written, or 64 MiB
//! of memory.
//!
//! fuzz_playlist [SECONDS] [SEED]

use std::{
    env, fs,
    io::Write,
    time::{Duration, Instant},
};

use adapter_live::playlist::{PlaylistReader, write_entry, write_header};
use domain_live::{
    entry::Entry,
    playlist::{Limits, PlaylistFault, Summary},
};
use flate2::{Compression, write::GzEncoder};

/// Maximum time for one small input, as a whole and in pieces.
const SLOWEST: Duration = Duration::from_secs(2);

/// Fragments of the syntax.
const PIECES: &[&str] = &[
    "#EXTM3U",
    "#EXTINF:-1",
    "#EXTINF:",
    "#EXTGRP:",
    "#EXTVLCOPT:a=b",
    "#KODIPROP:x=\"y\"",
    "#EXTHTTP:{\"a\":1}",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "\"",
    "'",
    "=",
    ",",
    ";",
    "|",
    "&",
    " tvg-id=\"a\"",
    " tvg-name='b'",
    " group-title=\"A;B\"",
    " radio=true",
    " x-tvg-url=\"http://g/1.xml,http://g/2\"",
    "http://h/1",
    "https://h.example/live/u/p/7.ts?token=1",
    "udp://@239.0.0.1:1",
    "ftp://h/1",
    "#EXT-X-STREAM-INF:",
    "#EXT-X-TARGETDURATION:6",
    "<html>",
    "{",
    "[",
    "\u{feff}",
    "\0",
    "ñ",
    "東",
    "\u{202e}",
    "/movie/u/p/1.mp4",
    "S01E02",
    "Canal Siete",
];

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or_default()
    }
}

fn input(numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..numbers.below(120) {
        bytes.extend_from_slice(PIECES[numbers.below(PIECES.len())].as_bytes());
    }
    for _ in 0..numbers.below(4) {
        let at = numbers.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = u8::try_from(numbers.below(256)).unwrap_or_default();
        }
    }
    match numbers.below(12) {
        0 => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            bytes = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        1 => bytes = bytes.repeat(numbers.below(400)),
        2 => {
            // Occasionally a decompression bomb.
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            let times = if numbers.below(20) == 0 { 20_000 } else { 1 };
            for _ in 0..times {
                encoder.write_all(&bytes).expect("memory takes what is written");
            }
            bytes = encoder.finish().expect("memory takes what is written");
            if numbers.below(3) == 0 {
                bytes.truncate(numbers.below(bytes.len()));
            }
        }
        _ => {}
    }
    bytes
}

type Outcome = Result<(Vec<Entry>, Summary), PlaylistFault>;

fn read(bytes: &[u8], size: usize) -> Outcome {
    let limits = Limits { bytes: 2 * 1024 * 1024, entries: 2_000 };
    let (mut reader, mut entries) = (PlaylistReader::new(limits), Vec::new());
    for chunk in bytes.chunks(size) {
        reader.feed(chunk, &mut |entry| entries.push(entry))?;
    }
    let summary = reader.finish(&mut |entry| entries.push(entry))?;
    Ok((entries, summary))
}

fn written(entries: &[Entry]) -> String {
    let mut text = String::new();
    write_header(&mut text, &[]);
    for entry in entries {
        write_entry(&mut text, entry);
    }
    text
}

/// Peak memory of the process, in MiB.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.split_whitespace().next().and_then(|number| number.parse::<usize>().ok()).unwrap_or_default() / 1024
}

fn main() {
    let mut arguments = env::args().skip(1);
    let mut number = |default: u64| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (seconds, seed) = (number(60), number(16));
    let (begin, mut numbers) = (Instant::now(), Numbers(seed.max(1)));
    let (mut inputs, mut total, idle) = (0_u64, 0_usize, peak());
    while begin.elapsed() < Duration::from_secs(seconds) {
        let bytes = input(&mut numbers);
        let size = 1 + numbers.below(64);
        let begun = Instant::now();
        let whole = read(&bytes, usize::MAX);
        let pieces = read(&bytes, size);
        assert!(begun.elapsed() < SLOWEST, "{bytes:?} takes {:?}", begun.elapsed());
        // The first of two faults in a damaged archive depends on the size of the pieces.
        let damaged = [&whole, &pieces].contains(&&Err(PlaylistFault::DamagedArchive));
        assert!(whole == pieces || (damaged && whole.is_err() && pieces.is_err()), "in pieces: {bytes:?}");
        if let Ok((entries, _)) = whole
            && !entries.is_empty()
        {
            total += entries.len();
            let text = written(&entries);
            let (again, _) = read(text.as_bytes(), usize::MAX).expect("what was written is a list");
            assert_eq!(again.len(), entries.len(), "an entry was lost: {text}");
            assert_eq!(written(&again), text, "written again");
        }
        inputs += 1;
        assert!(peak() - idle <= 64, "more than 64 MiB");
    }
    println!("{inputs} inputs, {total} entries, {} MiB above {idle} MiB", peak() - idle);
}
