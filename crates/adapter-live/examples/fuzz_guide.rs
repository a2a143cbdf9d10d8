//! Reads mutated guides, compressed and uncompressed: any input must end in a result, without a
//! panic, a hang or much memory. Run by `scripts/fuzz-guide`.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use adapter_live::guide::{GuideOptions, read_guide};
use flate2::{Compression, write::GzEncoder};
use lzma_rust2::{XzOptions, XzWriter};

const GUIDE: &str = r#"<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tv SYSTEM "xmltv.dtd">
<tv><!-- a <comment> --><channel id="uno"><display-name lang="es">Uno</display-name><icon src="x"/></channel>
<programme start="20260101060000 +0100" stop="20260101070000 CET" channel="uno"><title lang="es">Tom &amp; Jerry &eacute;</title>
<desc><![CDATA[a < b]]></desc><episode-num system="xmltv_ns">1.4.</episode-num><rating><value>7</value></rating><new/></programme>
<programme start="202601010700" channel="uno"><title>ñandú ミ</title></programme></tv>"#;

/// Maximum time for one small input.
const SLOWEST: Duration = Duration::from_secs(2);

const PIECES: &[&[u8]] = &[
    b"<",
    b">",
    b"]]>",
    b"<![CDATA[",
    b"<!--",
    b"-->",
    b"<!DOCTYPE",
    b"&",
    b"&#0;",
    b"\xFF\xFE",
    b"\"",
    b"?>",
    b"<a>",
    b"</tv>",
    b"\0",
];

/// xorshift64: the same numbers for the same seed.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or_default()
    }
}

fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..=rng.below(8) {
        if bytes.is_empty() {
            return;
        }
        let place = rng.below(bytes.len());
        match rng.below(5) {
            0 => bytes[place] = rng.below(256).to_le_bytes()[0],
            1 => bytes.truncate(place),
            2 => {
                let end = (place + rng.below(200)).min(bytes.len());
                let part = bytes[place..end].repeat(1 + rng.below(40));
                bytes.splice(place..place, part);
            }
            3 => {
                bytes.remove(place);
            }
            _ => {
                let piece = PIECES[rng.below(PIECES.len())];
                bytes.splice(place..place, piece.iter().copied());
            }
        }
    }
}

fn packed(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    match rng.below(4) {
        0 => {
            let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
            writer.write_all(bytes).expect("memory can be written to");
            writer.finish().expect("memory can be written to")
        }
        1 => {
            let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).expect("the preset exists");
            writer.write_all(bytes).expect("memory can be written to");
            writer.finish().expect("memory can be written to")
        }
        _ => bytes.to_vec(),
    }
}

/// Peak memory of this process in KiB, if the system has it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seconds, seed) = (number(600), number(16));
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut rng = Rng(seed.max(1));
    let mut inputs = 0_u64;
    while Instant::now() < until {
        let mut bytes = GUIDE.as_bytes().to_vec();
        mutate(&mut bytes, &mut rng);
        let mut bytes = packed(&bytes, &mut rng);
        if rng.below(2) == 0 {
            mutate(&mut bytes, &mut rng);
        }
        let begun = Instant::now();
        let mut programmes = 0;
        let report = read_guide(bytes.as_slice(), GuideOptions::default(), |_| programmes += 1);
        assert_eq!(report.programmes, programmes);
        assert!(begun.elapsed() < SLOWEST, "{bytes:?} takes {:?}", begun.elapsed());
        inputs += 1;
    }
    let peak = peak().unwrap_or_default() / 1024;
    println!("{inputs} guides, at most {peak} MiB");
    assert!(peak <= 64, "{peak} MiB are too many");
}
