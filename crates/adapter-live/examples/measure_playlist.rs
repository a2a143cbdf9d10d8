//! Measures the reader against its baseline in one run: the same lines and attributes copied into owned strings, nothing kept
//! (docs/benchmarks.md#playlists).
//!
//!     cargo run --release -p adapter-live --example measure_playlist [ENTRIES]

use std::{env, fmt::Write, hint::black_box, time::Instant};

use adapter_live::playlist::read;
use domain_live::{
    diff::{Fingerprint, Fingerprints, Known, identify},
    entry::Entry,
    playlist::Limits,
};

fn list(entries: usize, token: usize) -> String {
    let mut text = String::from("#EXTM3U x-tvg-url=\"http://guide.example/guide.xml.gz\"\n");
    for at in 0..entries {
        let group = at % 40;
        let _ = writeln!(
            text,
            "#EXTINF:-1 tvg-id=\"canal{at}.es\" tvg-name=\"Canal {at} HD\" tvg-logo=\"http://images.example/{at}.png\" \
             group-title=\"Grupo {group}\",ES: Canal {at} HD\nhttp://provider.example:8080/live/user/{token:08x}/{at}.ts"
        );
    }
    text
}

/// Copies lines and attributes into owned strings.
fn baseline(text: &[u8]) -> usize {
    let mut count = 0;
    for line in text.split(|byte| *byte == b'\n') {
        let line = String::from_utf8(line.to_vec()).unwrap_or_default();
        if let Some(rest) = line.strip_prefix("#EXTINF:") {
            let mut attributes: Vec<(String, String)> = Vec::new();
            let mut rest = rest;
            while let Some((name, after)) = rest.split_once("=\"") {
                let Some((value, after)) = after.split_once('"') else { break };
                attributes.push((name.trim().to_owned(), value.to_owned()));
                rest = after;
            }
            count += black_box(attributes).len();
        }
        black_box(line);
    }
    count
}

fn best(mut run: impl FnMut()) -> f64 {
    let time = |run: &mut dyn FnMut()| {
        let begin = Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    };
    (0..5).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

fn fingerprints(text: &str, marks: &Fingerprints) -> Vec<Fingerprint> {
    let mut found = Vec::new();
    let _ = read(text.as_bytes(), Limits::default(), |entry| found.push(marks.of(&entry)));
    found
}

fn main() {
    let entries = env::args().nth(1).map_or(200_000, |text| text.parse().expect("a number"));
    let (text, next) = (list(entries, 1), list(entries, 2));
    println!("{entries} entries, {} MB", text.len() / 1_000_000);
    let baseline = best(|| {
        black_box(baseline(text.as_bytes()));
    });
    let reading = best(|| {
        let summary = read(text.as_bytes(), Limits::default(), |entry: Entry| {
            black_box(entry);
        });
        assert_eq!(summary.expect("it is a list").entries as usize, entries);
    });
    println!("baseline {baseline:.3} s, reading {reading:.3} s: {:.2} times", reading / baseline);
    let marks = Fingerprints::default();
    let (old, new) = (fingerprints(&text, &marks), fingerprints(&next, &marks));
    let known: Vec<Known> = old.iter().map(|one| Known { fingerprint: *one, missing: false }).collect();
    for (name, list) in [("the same list", &old), ("every token new", &new)] {
        let took = best(|| {
            black_box(identify(&known, list));
        });
        println!("identifying, {name}: {took:.3} s, {:.2} times the baseline", took / baseline);
    }
    let took = best(|| {
        black_box(fingerprints(&next, &marks));
    });
    println!("reading with fingerprints: {took:.3} s, {:.2} times the baseline", took / baseline);
}
