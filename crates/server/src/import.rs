//! `cartelera import`: imports NDJSON files, prints counts, and the number and reason of every
//! rejected line.

mod issues;
mod users;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, IsTerminal, Read, Seek, SeekFrom, stderr},
    mem::take,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use api::locale::{text, violations_text};
use application::{Change, IdMap, ImportedLine, LineOutcome, Passwords, PendingHistory};
use domain_catalogue::Kind;
use domain_kernel::{Code, Locale};
use flate2::read::GzDecoder;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value};

use crate::compose::App;

/// Lines per batch.
const BATCH: usize = 1000;
/// Rejected lines that are printed individually; the others are only counted.
const REPORTED_LINES: u64 = 1000;

/// Maximum length of a line, in bytes.
const LONGEST_LINE: u64 = 16_000_000;
/// Byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Demo catalogue, as compressed by build.rs.
const DEMO: [(Kind, &[u8]); 9] = [
    (Kind::Categories, include_bytes!(concat!(env!("OUT_DIR"), "/categories.ndjson.gz"))),
    (Kind::TvGuides, include_bytes!(concat!(env!("OUT_DIR"), "/tv-guides.ndjson.gz"))),
    (Kind::TvChannels, include_bytes!(concat!(env!("OUT_DIR"), "/tv-channels.ndjson.gz"))),
    (Kind::RadioStations, include_bytes!(concat!(env!("OUT_DIR"), "/radio-stations.ndjson.gz"))),
    (Kind::Documentaries, include_bytes!(concat!(env!("OUT_DIR"), "/documentaries.ndjson.gz"))),
    (Kind::Movies, include_bytes!(concat!(env!("OUT_DIR"), "/movies.ndjson.gz"))),
    (Kind::Concerts, include_bytes!(concat!(env!("OUT_DIR"), "/concerts.ndjson.gz"))),
    (Kind::Sports, include_bytes!(concat!(env!("OUT_DIR"), "/sports.ndjson.gz"))),
    (Kind::TvShows, include_bytes!(concat!(env!("OUT_DIR"), "/tv-shows.ndjson.gz"))),
];

#[derive(Default)]
struct Counts {
    created: u64,
    updated: u64,
    unchanged: u64,
    refused: u64,
}

/// Resource of a file, in the order of references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    /// Content; by its position among the kinds.
    Content(usize),
    Users,
    CreditOperations,
    IssueReports,
}

impl Resource {
    fn all() -> impl Iterator<Item = Self> {
        (0..Kind::ALL.len()).map(Self::Content).chain([
            Self::Users,
            Self::CreditOperations,
            Self::IssueReports,
        ])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Content(place) => Kind::ALL[place].path(),
            Self::Users => "users",
            Self::CreditOperations => "credit-operations",
            Self::IssueReports => "issue-reports",
        }
    }
}

/// An open file to import.
#[derive(Debug)]
struct Source {
    resource: Resource,
    path: PathBuf,
    file: File,
    size: u64,
}

impl Source {
    fn open(resource: Resource, path: PathBuf) -> anyhow::Result<Self> {
        let cannot_open = || format!("{} can't be opened", path.display());
        let mut file = File::open(&path).with_context(cannot_open)?;
        let size = file.seek(SeekFrom::End(0)).with_context(cannot_open)?;
        file.rewind().with_context(cannot_open)?;
        Ok(Self { resource, path, file, size })
    }
}

/// Imports files and the files of folders, referenced resources first.
pub(crate) async fn run(app: &App, paths: &[PathBuf], passwords: Passwords) -> anyhow::Result<()> {
    let sources = sources(paths)?;
    let with_history = users::with_history(app, &sources)?;
    let mut ids = IdMap::default();
    let (mut claims, mut history) = (Vec::new(), PendingHistory::default());
    let mut refused = 0;
    for Source { resource, path, file, size } in &sources {
        if *resource > Resource::CreditOperations {
            // The history is booked: compares balances before a failure of a later file can end the
            // import.
            refused += users::reconcile(app, &take(&mut claims), &history).await?;
        }
        let size = *size;
        let counts = match resource {
            Resource::Content(place) => import_kind(app, Kind::ALL[*place], file, size, &mut ids).await?,
            Resource::Users => {
                users::import_users(app, file, size, passwords, &with_history, &mut claims).await?
            }
            Resource::CreditOperations => users::import_credits(app, file, size, &mut history).await?,
            Resource::IssueReports => issues::import_reports(app, file, size, &ids).await?,
        };
        println!(
            "{}: {} created, {} updated, {} unchanged, {} refused",
            path.display(),
            counts.created,
            counts.updated,
            counts.unchanged,
            counts.refused
        );
        refused += counts.refused;
    }
    refused += users::reconcile(app, &claims, &history).await?;
    app.database.optimize().await?;
    match refused {
        0 => Ok(()),
        1 => bail!("1 line was refused"),
        _ => bail!("{refused} lines were refused"),
    }
}

/// Loads the demo catalogue into an empty one. A repeated import would revert changes and deletions
/// by staff.
pub(crate) async fn load_demo(app: &App) -> anyhow::Result<()> {
    if !(app.services.contents.is_empty().await? && app.services.trash.is_empty().await?) {
        println!("Demo catalogue: not loaded, there is content already.");
        return Ok(());
    }
    let mut ids = IdMap::default();
    let mut created = 0;
    for (kind, packed) in DEMO {
        let lines = unpacked(packed)?;
        let size = lines.len() as u64;
        let counts = import_kind(app, kind, Cursor::new(lines), size, &mut ids).await?;
        if counts.refused > 0 {
            bail!("the demo catalogue is broken");
        }
        created += counts.created;
    }
    println!("Demo catalogue: {created} items added.");
    Ok(())
}

fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Files to read, in the order of references. Nothing is imported where one is unknown (a misspelt
/// name would silently omit data) or can't be opened.
fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let (mut files, mut unknown) = (Vec::new(), Vec::new());
    for path in paths {
        let found = if path.is_dir() { files_of(path)? } else { vec![path.clone()] };
        for file in found {
            anyhow::ensure!(file.exists(), "{} does not exist", file.display());
            match resource_of(&file) {
                Some(resource) => files.push((resource, file)),
                None => unknown.push(file.display().to_string()),
            }
        }
    }
    if !unknown.is_empty() {
        let names: Vec<String> =
            Resource::all().map(|resource| format!("{}.ndjson", resource.name())).collect();
        let are = if unknown.len() == 1 { "is" } else { "are" };
        bail!("{} {are} not named after a resource; names are {}", unknown.join(", "), names.join(", "));
    }
    if files.is_empty() {
        bail!("there is no file to import");
    }
    files.sort_by_key(|(resource, _)| *resource);
    files.into_iter().map(|(resource, path)| Source::open(resource, path)).collect()
}

/// Files of a folder except hidden ones.
fn files_of(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let cannot_read = || format!("{} can't be read", folder.display());
    let mut files = Vec::new();
    for entry in folder.read_dir().with_context(cannot_read)? {
        let entry = entry.with_context(cannot_read)?;
        if entry.path().is_file() && !entry.file_name().as_encoded_bytes().starts_with(b".") {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn resource_of(file: &Path) -> Option<Resource> {
    let name = file.file_name()?.to_str()?.strip_suffix(".ndjson")?;
    Resource::all().find(|resource| resource.name() == name)
}

async fn import_kind(
    app: &App,
    kind: Kind,
    source: impl Read,
    size: u64,
    ids: &mut IdMap,
) -> anyhow::Result<Counts> {
    ids.expect(kind);
    let bar = progress(kind.path(), size);
    let counts = match kind {
        Kind::TvShows => import_shows(app, source, ids, &bar).await,
        _ => import_lines(app, kind, source, ids, &bar).await,
    };
    bar.finish_and_clear();
    counts
}

fn progress(name: &'static str, size: u64) -> ProgressBar {
    let target =
        if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(size), target);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    bar.with_prefix(name)
}

/// Shows have nested episodes, which are imported as episodes after their show.
async fn import_shows(
    app: &App,
    source: impl Read,
    ids: &mut IdMap,
    bar: &ProgressBar,
) -> anyhow::Result<Counts> {
    ids.expect(Kind::Episodes);
    let mut counts = Counts::default();
    let mut lines = Lines::new(source);
    loop {
        let mut shows = lines.batch(BATCH / 10, bar)?;
        if shows.is_empty() {
            break;
        }
        let mut episodes = Vec::new();
        for line in &mut shows {
            let inside = line.json.as_mut().ok().and_then(|json| json.as_object_mut()?.remove("episodes"));
            let Some(Value::Array(inside)) = inside else { continue };
            let number = line.number;
            episodes.extend(inside.into_iter().map(|json| ImportedLine { number, json: Ok(json) }));
        }
        for (number, outcome) in app.services.contents.import(Kind::TvShows, shows, ids).await? {
            count(&mut counts, Kind::TvShows.path(), number, outcome, bar);
        }
        while !episodes.is_empty() {
            let rest = episodes.split_off(episodes.len().min(BATCH));
            for (number, outcome) in app.services.contents.import(Kind::Episodes, episodes, ids).await? {
                count(&mut counts, Kind::Episodes.path(), number, outcome, bar);
            }
            episodes = rest;
        }
    }
    print_totals(&counts, Kind::TvShows.path());
    Ok(counts)
}

async fn import_lines(
    app: &App,
    kind: Kind,
    source: impl Read,
    ids: &mut IdMap,
    bar: &ProgressBar,
) -> anyhow::Result<Counts> {
    let mut counts = Counts::default();
    let mut lines = Lines::new(source);
    loop {
        let batch = lines.batch(BATCH, bar)?;
        if batch.is_empty() {
            break;
        }
        for (number, outcome) in app.services.contents.import(kind, batch, ids).await? {
            count(&mut counts, kind.path(), number, outcome, bar);
        }
    }
    print_totals(&counts, kind.path());
    Ok(counts)
}

fn print_totals(counts: &Counts, name: &str) {
    match counts.refused.saturating_sub(REPORTED_LINES) {
        0 => {}
        1 => eprintln!("{name}: 1 more line was refused"),
        more => eprintln!("{name}: {more} more lines were refused"),
    }
}

/// Numbered lines of a file.
struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
}

impl<R: Read> Lines<R> {
    fn new(source: R) -> Self {
        Self { reader: BufReader::with_capacity(1 << 20, source), number: 0 }
    }

    /// Next lines that are not blank; empty at the end.
    fn batch(&mut self, size: usize, bar: &ProgressBar) -> anyhow::Result<Vec<ImportedLine>> {
        let mut batch = Vec::with_capacity(size);
        let mut line = Vec::new();
        while batch.len() < size {
            line.clear();
            let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            self.number += 1;
            bar.inc(read as u64);
            if read as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
                bar.inc(self.reader.skip_until(b'\n')? as u64);
                let reason = format!("longer than {} MB", LONGEST_LINE / 1_000_000);
                batch.push(ImportedLine { number: self.number, json: Err(reason) });
                continue;
            }
            let mut text = line.as_slice();
            if self.number == 1 {
                text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
            }
            if !text.trim_ascii().is_empty() {
                let json = serde_json::from_slice(text).map_err(|error| reason(&error));
                batch.push(ImportedLine { number: self.number, json });
            }
        }
        Ok(batch)
    }
}

/// Reason of a malformed line, without serde_json's line number, which is always 1.
fn reason(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

fn count(counts: &mut Counts, name: &str, number: u64, outcome: LineOutcome, bar: &ProgressBar) {
    let reason = match outcome {
        LineOutcome::Accepted(Change::Created) => return counts.created += 1,
        LineOutcome::Accepted(Change::Updated) => return counts.updated += 1,
        LineOutcome::Accepted(Change::Unchanged) => return counts.unchanged += 1,
        LineOutcome::Malformed(reason) => {
            let mut arguments = Map::new();
            arguments.insert("reason".into(), Value::from(reason.clone()));
            format!("{} ({reason})", text(Locale::English, None, Code::Malformed, &arguments))
        }
        LineOutcome::Refused(violations) => violations_text(Locale::English, &violations.0),
    };
    counts.refused += 1;
    if counts.refused <= REPORTED_LINES {
        bar.suspend(|| eprintln!("{name} line {number}: {reason}"));
    }
}

#[cfg(test)]
mod tests;
