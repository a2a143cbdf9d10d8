//! `cartelera playlist`: parses a playlist like the import and prints its entries, for support,
//! tests and benchmarks.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Write},
    path::Path,
};

use adapter_live::playlist::{ReadError, read};
use anyhow::{Context, anyhow};
use domain_kernel::{Enumeration, Locale};
use domain_live::{
    entry::Entry,
    playlist::{Duplicates, EntryDuplicateReason, Limits, PlaylistFault, Summary},
};
use serde_json::{Map, Value, json};

/// Attributes with a field of their own.
const FIELDS: &[(&str, &str)] = &[
    ("tvg-id", "tvgId"),
    ("tvg-name", "tvgName"),
    ("tvg-logo", "tvgLogo"),
    ("tvg-chno", "tvgChno"),
    ("tvg-country", "tvgCountry"),
    ("tvg-language", "tvgLanguage"),
    ("tvg-shift", "tvgShift"),
    ("tvg-rec", "tvgRec"),
    ("catchup", "catchup"),
    ("catchup-days", "catchupDays"),
    ("catchup-source", "catchupSource"),
    ("timeshift", "timeshift"),
];

/// Prints one JSON object per entry, and the counts as the last line.
pub(crate) fn print(path: &Path, limits: Limits) -> anyhow::Result<()> {
    if path == Path::new("-") {
        print_from(io::stdin().lock(), limits)
    } else {
        print_from(File::open(path).with_context(|| format!("{} can't be read", path.display()))?, limits)
    }
}

fn print_from(source: impl Read, limits: Limits) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut outcome = Ok(());
    let mut duplicates = Duplicates::default();
    let (mut number, mut repeated) = (0, 0);
    let summary = read(source, limits, |entry| {
        number += 1;
        let duplicate = duplicates.of(number, &entry);
        repeated += u32::from(duplicate.is_some());
        if outcome.is_ok() {
            outcome = write_line(&mut out, &object(number, entry, duplicate));
        }
    });
    let summary = summary.map_err(|error| match error {
        ReadError::Io(error) => anyhow!(error).context("the playlist can't be read"),
        ReadError::Refused(fault) => anyhow!(refusal(fault, limits)),
    })?;
    outcome.and_then(|()| write_line(&mut out, &counts(&summary, repeated))).and_then(|()| out.flush())?;
    Ok(())
}

fn write_line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn refusal(fault: PlaylistFault, limits: Limits) -> String {
    let limit = match fault {
        PlaylistFault::TooLarge => format!(": at most {} bytes", limits.bytes),
        PlaylistFault::TooManyEntries => format!(": at most {}", limits.entries),
        _ => String::new(),
    };
    format!("{}: {}{limit}", fault.code(), fault.labels().in_language(Locale::English))
}

fn object(number: u32, entry: Entry, duplicate: Option<(u32, EntryDuplicateReason)>) -> Value {
    let radio = entry.is_radio();
    let mut object = Map::new();
    let mut attributes = Map::new();
    object.insert("n".into(), number.into());
    object.insert("line".into(), entry.line.into());
    object.insert("name".into(), entry.name.into());
    object.insert("url".into(), entry.url.into());
    object.insert("groups".into(), entry.groups.into());
    object.insert("radio".into(), radio.into());
    for (name, value) in entry.tags {
        match FIELDS.iter().find(|(tag, _)| *tag == name.as_str()) {
            Some((_, field)) => object.insert((*field).into(), value.into()),
            None => attributes.insert(name.as_str().into(), value.into()),
        };
    }
    if let Some(duration) = entry.duration {
        object.insert("duration".into(), duration.into());
    }
    if !attributes.is_empty() {
        object.insert("attributes".into(), attributes.into());
    }
    if !entry.directives.is_empty() {
        let one = |directive: domain_live::entry::Directive| json!({"name": directive.name, "value": directive.value});
        object.insert("directives".into(), entry.directives.into_iter().map(one).collect());
    }
    if !entry.headers.is_empty() {
        let headers = entry.headers.into_iter().map(|(name, value)| (name, value.into()));
        object.insert("headers".into(), Value::Object(headers.collect()));
    }
    if let Some((of, reason)) = duplicate {
        object.insert("duplicateOf".into(), json!({"n": of, "reason": reason.code()}));
    }
    object.into()
}

fn counts(summary: &Summary, duplicates: u32) -> Value {
    let refused = summary.refused.iter().map(|refused| {
        let labels = refused.reason.labels();
        json!({"line": refused.line, "reason": refused.reason.code(), "message": labels.in_language(Locale::English)})
    });
    json!({
        "entries": summary.entries,
        "duplicates": duplicates,
        "films": summary.films,
        "series": summary.series,
        "guides": summary.guides,
        "refused": refused.collect::<Vec<_>>(),
    })
}
