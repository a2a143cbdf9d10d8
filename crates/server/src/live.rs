//! Commands that read playlists and guides from files: no database, no server.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Write, stdin, stdout},
    num::NonZero,
    path::Path,
    thread,
};

use adapter_live::{
    guide::{GuideOptions, GuideReport, Packing, read_guide},
    playlist::{ReadError, read},
    probe::{ProbedLink, Prober},
};
use anyhow::{Context, anyhow, bail};
use domain_integrations::Networks;
use domain_kernel::Enumeration;
use domain_live::{
    address::masked,
    entry::Entry,
    guide::GuideStop,
    matching::{
        Candidate, GuideChannel, MatchLevel, Matched, Matcher, Thresholds, Wanted, countries_of_entry,
        languages_of_entry,
    },
    playlist::Limits,
};
use serde_json::{Value, json};

/// Entries per matching batch, which bounds the memory.
const MATCHED_AT_ONCE: usize = 2_048;

fn open(file: &Path) -> anyhow::Result<Box<dyn Read>> {
    if file == Path::new("-") {
        return Ok(Box::new(stdin()));
    }
    let opened = File::open(file).with_context(|| format!("{} can't be read", file.display()))?;
    Ok(Box::new(opened))
}

/// Prints a summary of a guide: its channels, the number of programmes, and the omitted ones with
/// reasons.
pub(crate) fn guide(file: &Path, zone: adapter_live::guide::Tz) -> anyhow::Result<()> {
    let report = read_guide(open(file)?, GuideOptions { zone, ..GuideOptions::default() }, drop);
    writeln!(stdout(), "{}", serde_json::to_string_pretty(&described(&report))?)?;
    match report.stopped.filter(|_| report.is_refused()) {
        Some(stop) => bail!("{}: {}", file.display(), stop.labels().english),
        None => Ok(()),
    }
}

fn described(report: &GuideReport) -> Value {
    let programmes = |id: &str| report.programmes_by_channel.get(id).copied().unwrap_or_default();
    let channels: Vec<Value> = report
        .channels
        .iter()
        .map(|channel| {
            let names: Vec<&str> = channel.names.iter().map(|name| name.text.as_str()).collect();
            json!({ "id": channel.id, "names": names, "programmes": programmes(&channel.id) })
        })
        .collect();
    let left_out: serde_json::Map<String, Value> =
        report.left_out.iter().map(|(fault, count)| (fault.code().to_owned(), json!(count))).collect();
    let examples: Vec<Value> = report
        .examples
        .iter()
        .map(|one| json!({ "reason": one.fault, "position": one.position, "text": one.text }))
        .collect();
    json!({
        "packing": match report.packing {
            Packing::Plain => "none",
            Packing::Gzip => "gzip",
            Packing::Xz => "xz",
        },
        "encoding": report.encoding,
        "channels": channels,
        "programmes": report.programmes,
        "withoutStop": report.without_stop,
        "undeclaredChannels": report.undeclared,
        "leftOut": left_out,
        "examples": examples,
        "partial": report.is_partial(),
        "refused": report.is_refused(),
        "stopped": report.stopped.map(GuideStop::code),
    })
}

/// Prints the probe result of each link.
pub(crate) async fn probe(urls: Vec<String>, allowed: Networks) -> anyhow::Result<()> {
    let prober = Prober::new(allowed).map_err(|error| anyhow!(error))?;
    for url in urls {
        let probe = prober.probe(&ProbedLink { url: url.clone(), ..ProbedLink::default() }).await;
        writeln!(stdout(), "{}", json!({ "url": masked(&url), "probe": probe }))?;
    }
    Ok(())
}

/// Prints the matching guide channel of each entry of a playlist.
pub(crate) fn match_files(playlist: &Path, guide: &Path, limits: Limits) -> anyhow::Result<()> {
    let report = read_guide(open(guide)?, GuideOptions::default(), drop);
    if let Some(stop) = report.stopped.filter(|_| report.is_refused()) {
        bail!("{}: {}", guide.display(), stop.labels().english);
    }
    // Standard output has one line per entry only.
    if let Some(stop) = report.stopped {
        eprintln!("{} was read in part: {}", guide.display(), stop.labels().english);
    }
    let channels: Vec<GuideChannel> =
        report.channels.into_iter().map(|channel| GuideChannel::new(channel.id, channel.names)).collect();
    let matcher = Matcher::new(&channels, Thresholds::default());
    let mut out = BufWriter::new(stdout().lock());
    let mut entries: Vec<(u32, Entry)> = Vec::new();
    let mut number = 0_u32;
    let mut written = Ok(());
    let outcome = read(open(playlist)?, limits, |entry: Entry| {
        number += 1;
        entries.push((number, entry));
        if entries.len() == MATCHED_AT_ONCE && written.is_ok() {
            written = write_matches(&mut out, &entries, &matcher, &channels);
            entries.clear();
        }
    });
    written?;
    write_matches(&mut out, &entries, &matcher, &channels)?;
    out.flush()?;
    let summary = outcome.map_err(|error| match error {
        ReadError::Io(error) => anyhow!(error).context(format!("{} can't be read", playlist.display())),
        ReadError::Refused(fault) => anyhow!("{}: {}", playlist.display(), fault.labels().english),
    })?;
    if !summary.refused.is_empty() {
        eprintln!(
            "{} of {} lines were left out; `cartelera playlist` names them",
            summary.refused.len(),
            playlist.display()
        );
    }
    Ok(())
}

/// Prints the lines of entries, which are matched on all cores.
fn write_matches(
    out: &mut impl Write,
    entries: &[(u32, Entry)],
    matcher: &Matcher,
    channels: &[GuideChannel],
) -> io::Result<()> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let lines_of = |some: &[(u32, Entry)]| -> String {
        let mut search = matcher.search();
        let mut lines = String::new();
        for (number, entry) in some {
            let matched = search.find(&Wanted {
                name: &entry.name,
                tvg_id: entry.tag("tvg-id").unwrap_or_default(),
                countries: &countries_of_entry(entry),
                languages: &languages_of_entry(entry),
            });
            lines.push_str(&matched_line(*number, entry, &matched, channels).to_string());
            lines.push('\n');
        }
        lines
    };
    let lines_of = &lines_of;
    thread::scope(|scope| {
        let parts = entries.chunks(entries.len().div_ceil(processors).max(1));
        let threads: Vec<_> = parts.map(|some| scope.spawn(move || lines_of(some))).collect();
        for thread in threads {
            let lines = thread.join().map_err(|_| io::Error::other("a comparison ended early"))?;
            out.write_all(lines.as_bytes())?;
        }
        Ok(())
    })
}

fn matched_line(number: u32, entry: &Entry, matched: &Matched, channels: &[GuideChannel]) -> Value {
    let id = |candidate: &Candidate| channels[candidate.channel].id.as_str();
    let auto = matched.candidates.first().filter(|_| matched.level == MatchLevel::Auto).map(id);
    let candidates: Vec<Value> = matched
        .candidates
        .iter()
        .map(|one| json!({ "id": id(one), "score": one.score, "for": one.for_, "against": one.against }))
        .collect();
    json!({
        "n": number,
        "name": entry.name,
        "tvgId": entry.tag("tvg-id").unwrap_or_default(),
        "auto": auto,
        "candidates": candidates,
    })
}
