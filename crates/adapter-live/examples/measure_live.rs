//! Measurements of `scripts/bench-live` without a server, and their baselines: one number of seconds each (docs/benchmarks.md#live-tv).
//!
//!     cargo run --release -p adapter-live --example measure_live -- lines PLAYLIST
//!     cargo run --release -p adapter-live --example measure_live -- reading PLAYLIST
//!     cargo run --release -p adapter-live --example measure_live -- events GUIDE.xml.gz
//!     cargo run --release -p adapter-live --example measure_live -- ratios PLAYLIST GUIDE.xml.gz

use std::{env, fs, hint::black_box, io::BufReader, time::Instant};

use adapter_live::{
    guide::{GuideOptions, read_guide},
    playlist::read,
};
use domain_live::playlist::Limits;
use flate2::bufread::MultiGzDecoder;
use quick_xml::{Reader, events::Event};

/// Number of the playlist's names compared with every name of the guide.
const SAMPLE: usize = 100;

/// Copies lines and attributes into owned strings, without keeping them.
fn lines(path: &str) -> f64 {
    let text = fs::read(path).expect("a playlist");
    let begun = Instant::now();
    for line in text.split(|byte| *byte == b'\n') {
        let line = String::from_utf8(line.to_vec()).unwrap_or_default();
        let mut attributes: Vec<(String, String)> = Vec::new();
        let mut rest = line.strip_prefix("#EXTINF:").unwrap_or_default();
        while let Some((name, after)) = rest.split_once("=\"") {
            let Some((value, after)) = after.split_once('"') else { break };
            attributes.push((name.trim().to_owned(), value.to_owned()));
            rest = after;
        }
        black_box((attributes, line));
    }
    begun.elapsed().as_secs_f64()
}

/// Reads the entries of the same list, without keeping them: compared with [`lines`].
fn reading(path: &str) -> f64 {
    let text = fs::read(path).expect("a playlist");
    let begun = Instant::now();
    let summary = read(text.as_slice(), Limits::default(), |entry| drop(black_box(entry)));
    assert!(summary.is_ok(), "it is a list");
    begun.elapsed().as_secs_f64()
}

/// Reads the decompressed XML events, without processing.
fn events(path: &str) -> f64 {
    let begun = Instant::now();
    let file = BufReader::new(fs::File::open(path).expect("a guide"));
    let mut reader = Reader::from_reader(BufReader::new(MultiGzDecoder::new(file)));
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).expect("XML") {
            Event::Eof => break,
            event => drop(black_box(event)),
        }
    }
    begun.elapsed().as_secs_f64()
}

/// Ratio of each pair of names, for a sample of the playlist's names.
fn ratios(playlist: &str, guide: &str) -> f64 {
    let mut names: Vec<String> = Vec::new();
    let text = fs::read(playlist).expect("a playlist");
    drop(read(text.as_slice(), Limits::default(), |entry| names.push(entry.name)));
    let file = fs::File::open(guide).expect("a guide");
    let report = read_guide(BufReader::new(file), GuideOptions::default(), |_| {});
    let others: Vec<String> =
        report.channels.into_iter().flat_map(|channel| channel.names).map(|name| name.text).collect();
    let step = (names.len() / SAMPLE).max(1);
    let begun = Instant::now();
    let mut compared = 0_usize;
    for name in names.iter().step_by(step).take(SAMPLE) {
        for other in &others {
            black_box(rapidfuzz::fuzz::ratio(name.chars(), other.chars()));
        }
        compared += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most a few thousand")]
    let whole = names.len() as f64 / compared.max(1) as f64;
    begun.elapsed().as_secs_f64() * whole
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let seconds = match arguments.as_slice() {
        ["lines", playlist] => lines(playlist),
        ["reading", playlist] => reading(playlist),
        ["events", guide] => events(guide),
        ["ratios", playlist, guide] => ratios(playlist, guide),
        _ => panic!("lines PLAYLIST, reading PLAYLIST, events GUIDE or ratios PLAYLIST GUIDE"),
    };
    println!("{seconds}");
}
