//! `cartelera import`: NDJSON files in, counts out, and for every refused line its number and its reason.

mod issues;
mod people;

use std::{
    fs::File,
    io::{BufRead, BufReader, Cursor, IsTerminal, Read, Seek, SeekFrom, stderr},
    path::PathBuf,
};

use anyhow::{Context, bail};
use api::locale::{text, violations_text};
use application::{Change, ContentService, IdMap, ImportedLine, LineOutcome, Passwords, PendingHistory};
use domain_catalogue::{Content, Kind};
use domain_kernel::{Code, Tongue};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value};

use crate::compose::House;

/// Lines stored together.
const BATCH: usize = 1000;
/// Refused lines that are told one by one; of the rest only the number.
const TOLD: u64 = 1000;

const DEMO: [(Kind, &str); 9] = [
    (Kind::Categories, include_str!("../demo/categories.ndjson")),
    (Kind::TvGuides, include_str!("../demo/tv-guides.ndjson")),
    (Kind::TvChannels, include_str!("../demo/tv-channels.ndjson")),
    (Kind::RadioStations, include_str!("../demo/radio-stations.ndjson")),
    (Kind::Documentaries, include_str!("../demo/documentaries.ndjson")),
    (Kind::Movies, include_str!("../demo/movies.ndjson")),
    (Kind::Concerts, include_str!("../demo/concerts.ndjson")),
    (Kind::Sports, include_str!("../demo/sports.ndjson")),
    (Kind::TvShows, include_str!("../demo/tv-shows.ndjson")),
];

#[derive(Default)]
struct Counts {
    created: u64,
    updated: u64,
    unchanged: u64,
    refused: u64,
}

/// What a file holds, in the order in which one refers to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    /// Content; by its place among the kinds.
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

/// Imports files and the files of folders, what others refer to first.
pub(crate) async fn run(house: &House, paths: &[PathBuf], passwords: Passwords) -> anyhow::Result<()> {
    let files = sources(paths)?;
    let mut ids = IdMap::default();
    let (mut claims, mut history) = (Vec::new(), PendingHistory::default());
    let mut refused = 0;
    for (resource, path) in &files {
        let mut file = File::open(path).with_context(|| format!("{} can't be opened", path.display()))?;
        let size = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let counts = match resource {
            Resource::Content(place) => import_kind(house, Kind::ALL[*place], file, size, &mut ids).await?,
            Resource::Users => people::import_users(house, file, size, passwords, &mut claims).await?,
            Resource::CreditOperations => people::import_credits(house, file, size, &mut history).await?,
            Resource::IssueReports => issues::import_reports(house, file, size, &ids).await?,
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
    refused += people::settle(house, &claims, &history).await?;
    house.database.optimize().await?;
    anyhow::ensure!(refused == 0, "{refused} lines were refused");
    Ok(())
}

/// Loads the demo catalogue.
pub(crate) async fn load_demo(house: &House) -> anyhow::Result<()> {
    let mut ids = IdMap::default();
    let mut created = 0;
    for (kind, lines) in DEMO {
        let counts = import_kind(house, kind, Cursor::new(lines), lines.len() as u64, &mut ids).await?;
        if counts.refused > 0 {
            bail!("the demo catalogue is broken");
        }
        created += counts.created;
    }
    println!("Demo catalogue: {created} items added.");
    Ok(())
}

/// The files to read, in the order in which resources refer to each other.
fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<(Resource, PathBuf)>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            for resource in Resource::all() {
                let file = path.join(format!("{}.ndjson", resource.name()));
                if file.is_file() {
                    files.push((resource, file));
                }
            }
        } else {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let Some(resource) = Resource::all().find(|resource| resource.name() == stem) else {
                let names: Vec<String> =
                    Resource::all().map(|resource| format!("{}.ndjson", resource.name())).collect();
                bail!("{} is not named after a resource; names are {}", path.display(), names.join(", "));
            };
            files.push((resource, path.clone()));
        }
    }
    if files.is_empty() {
        bail!("there is no file to import");
    }
    files.sort_by_key(|(resource, _)| *resource);
    Ok(files)
}

async fn import_kind(
    house: &House,
    kind: Kind,
    source: impl Read,
    size: u64,
    ids: &mut IdMap,
) -> anyhow::Result<Counts> {
    ids.expect(kind);
    let bar = progress(kind.path(), size);
    let counts = match kind {
        Kind::Categories => import_lines(&house.services.categories, source, ids, &bar).await,
        Kind::TvGuides => import_lines(&house.services.tv_guides, source, ids, &bar).await,
        Kind::TvChannels => import_lines(&house.services.tv_channels, source, ids, &bar).await,
        Kind::RadioStations => import_lines(&house.services.radio_stations, source, ids, &bar).await,
        Kind::Documentaries => import_lines(&house.services.documentaries, source, ids, &bar).await,
        Kind::Movies => import_lines(&house.services.movies, source, ids, &bar).await,
        Kind::Concerts => import_lines(&house.services.concerts, source, ids, &bar).await,
        Kind::Sports => import_lines(&house.services.sports, source, ids, &bar).await,
        Kind::Seasons => import_lines(&house.services.seasons, source, ids, &bar).await,
        Kind::Episodes => import_lines(&house.services.episodes, source, ids, &bar).await,
        Kind::TvShows => import_shows(house, source, ids, &bar).await,
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

/// Shows carry their episodes inside: those are imported as episodes, once their show is there.
async fn import_shows(
    house: &House,
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
        for (number, outcome) in house.services.tv_shows.import(shows, ids).await? {
            count(&mut counts, Kind::TvShows.path(), number, outcome, bar);
        }
        while !episodes.is_empty() {
            let rest = episodes.split_off(episodes.len().min(BATCH));
            for (number, outcome) in house.services.episodes.import(episodes, ids).await? {
                count(&mut counts, Kind::Episodes.path(), number, outcome, bar);
            }
            episodes = rest;
        }
    }
    told(&counts, Kind::TvShows.path());
    Ok(counts)
}

async fn import_lines<C: Content>(
    service: &ContentService<C>,
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
        for (number, outcome) in service.import(batch, ids).await? {
            count(&mut counts, C::KIND.path(), number, outcome, bar);
        }
    }
    told(&counts, C::KIND.path());
    Ok(counts)
}

fn told(counts: &Counts, name: &str) {
    if counts.refused > TOLD {
        eprintln!("{name}: {} more lines were refused", counts.refused - TOLD);
    }
}

/// A file, line by line, with their numbers.
struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
}

impl<R: Read> Lines<R> {
    fn new(source: R) -> Self {
        Self { reader: BufReader::with_capacity(1 << 20, source), number: 0 }
    }

    /// The next lines that are not blank; none at the end.
    fn batch(&mut self, size: usize, bar: &ProgressBar) -> anyhow::Result<Vec<ImportedLine>> {
        let mut batch = Vec::with_capacity(size);
        let mut line = Vec::new();
        while batch.len() < size {
            line.clear();
            let read = self.reader.read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            self.number += 1;
            bar.inc(read as u64);
            if !line.trim_ascii().is_empty() {
                let json = serde_json::from_slice(&line).map_err(|error| error.to_string());
                batch.push(ImportedLine { number: self.number, json });
            }
        }
        Ok(batch)
    }
}

fn count(counts: &mut Counts, name: &str, number: u64, outcome: LineOutcome, bar: &ProgressBar) {
    let reason = match outcome {
        LineOutcome::Taken(Change::Created) => return counts.created += 1,
        LineOutcome::Taken(Change::Updated) => return counts.updated += 1,
        LineOutcome::Taken(Change::Unchanged) => return counts.unchanged += 1,
        LineOutcome::Malformed(reason) => {
            let mut arguments = Map::new();
            arguments.insert("reason".into(), Value::from(reason.clone()));
            format!("{} ({reason})", text(Tongue::English, None, Code::Malformed, &arguments))
        }
        LineOutcome::Refused(violations) => violations_text(Tongue::English, &violations.0),
    };
    counts.refused += 1;
    if counts.refused <= TOLD {
        bar.suspend(|| eprintln!("{name} line {number}: {reason}"));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn files_come_in_the_order_of_their_references_and_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["issue-reports", "credit-operations", "movies", "categories", "users", "other"] {
            File::create(folder.path().join(format!("{name}.ndjson"))).unwrap();
        }
        let names: Vec<&str> =
            sources(&[folder.path().to_owned()]).unwrap().iter().map(|(one, _)| one.name()).collect();
        assert_eq!(names, ["categories", "movies", "users", "credit-operations", "issue-reports"]);
        assert!(sources(&[Path::new("films.ndjson").to_owned()]).is_err());
        assert!(sources(&[tempfile::tempdir().unwrap().path().to_owned()]).is_err());
    }
}
