//! Matches the headings of a spreadsheet with fields (docs/spec/import-export.md#spreadsheets-in).

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
    hash::BuildHasher,
};

use domain_kernel::{DraftReader, FieldShape, Locale, REPLACED_BY_SERVER, fold};

use super::{SheetColumn, Source, sheet_columns};
use crate::Content;

/// Maximum links per item with recognised columns.
const MOST_LINKS: usize = 200;

/// Columns that an import of a kind reads, for a number of links: `id`, which identifies items, and
/// all writable fields.
pub fn import_columns<C: Content>(reader: &DraftReader<C>, links: usize) -> Vec<SheetColumn> {
    let is_read = |column: &SheetColumn| match &column.source {
        Source::Field(name, _) => name == "id" || !REPLACED_BY_SERVER.contains(&name.as_str()),
        Source::Name(..) | Source::Link(..) => true,
    };
    let mut columns = sheet_columns(reader, links.min(MOST_LINKS));
    columns.retain(is_read);
    columns
}

/// Number of links with columns in the headings, such as `link3_url`.
pub fn links_in_headings<'a>(headings: impl Iterator<Item = &'a str>) -> usize {
    let place = |heading: &str| {
        let name = compact(&heading_key(heading));
        let rest = name.strip_prefix("link")?;
        rest[..rest.find(|character: char| !character.is_ascii_digit())?].parse::<usize>().ok()
    };
    headings.filter_map(place).filter(|place| *place <= MOST_LINKS).max().unwrap_or(0)
}

/// Names of a kind's columns in both languages.
pub struct ColumnNames<'a> {
    /// Columns.
    pub columns: &'a [SheetColumn],
    /// Names in Spanish.
    pub spanish: &'a [String],
    /// Names in English.
    pub english: &'a [String],
    /// Other names.
    pub others: &'a [OtherHeading<'a>],
}

/// A heading with the key of its column, and its language if it has one.
pub type OtherHeading<'a> = (&'a str, &'a str, Option<Locale>);

/// The column of a heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchedHeading {
    /// Key of the column, if it is the only one, and that of no other heading.
    pub key: Option<String>,
    /// Keys of the columns that it may be, if there is not just one, or several headings are it.
    pub fits: Vec<String>,
}

/// The column of each heading: as chosen before for the same heading, or by its names. A heading that
/// several columns have, and several headings of one column, have none. Also returns the language
/// of most headings.
pub fn match_headings<S: BuildHasher>(
    names: &ColumnNames<'_>,
    headings: &[String],
    chosen: &HashMap<String, Option<String>, S>,
    preferred: Locale,
) -> (Vec<MatchedHeading>, Locale) {
    let known = KnownNames::of(names);
    let choices = Choices::of(chosen);
    let (mut spanish, mut english) = (0, 0);
    let mut matched = Vec::with_capacity(headings.len());
    for heading in headings {
        let wanted = heading_key(heading);
        if wanted.is_empty() {
            matched.push(Match::None);
            continue;
        }
        let found = known.fitting(&wanted);
        let is_in = |locale| usize::from(found.iter().any(|name| name.locale == Some(locale)));
        spanish += is_in(Locale::Spanish);
        english += is_in(Locale::English);
        matched.push(match choices.find(heading, &wanted) {
            Choice::LeftOut => Match::None,
            Choice::Column(key) if names.columns.iter().any(|column| column.key == key) => Match::Chosen(key),
            _ => Match::Named(found.into_iter().map(|name| name.key).collect()),
        });
    }
    let locale = match spanish.cmp(&english) {
        Ordering::Greater => Locale::Spanish,
        Ordering::Less => Locale::English,
        Ordering::Equal => preferred,
    };
    (each_once(&matched), locale)
}

/// Match of a heading.
enum Match<'a> {
    None,
    /// As chosen for an earlier file.
    Chosen(&'a str),
    /// The columns that have such a name.
    Named(BTreeSet<&'a str>),
}

/// The columns of headings, each of one heading; a choice precedes names.
fn each_once(matched: &[Match<'_>]) -> Vec<MatchedHeading> {
    let mut chosen: HashMap<&str, usize> = HashMap::new();
    let mut named: HashMap<&str, usize> = HashMap::new();
    for found in matched {
        match found {
            Match::Chosen(key) => *chosen.entry(key).or_default() += 1,
            Match::Named(keys) if keys.len() == 1 => {
                for key in keys {
                    *named.entry(key).or_default() += 1;
                }
            }
            Match::Named(_) | Match::None => {}
        }
    }
    let column = |found: &Match<'_>| match found {
        Match::None => MatchedHeading::default(),
        Match::Chosen(key) => of_one(key, chosen[key] == 1),
        Match::Named(keys) => match keys.iter().collect::<Vec<_>>()[..] {
            // The user chose another heading for it.
            [key] if chosen.get(key) == Some(&1) => MatchedHeading::default(),
            [key] => of_one(key, named[key] == 1 && !chosen.contains_key(key)),
            ref several => {
                let fits = several.iter().map(|key| (**key).to_owned()).collect();
                MatchedHeading { key: None, fits }
            }
        },
    };
    matched.iter().map(column).collect()
}

/// A heading that one column has, and other headings too or not.
fn of_one(key: &str, is_only: bool) -> MatchedHeading {
    let key = key.to_owned();
    if is_only {
        MatchedHeading { key: Some(key), fits: Vec::new() }
    } else {
        MatchedHeading { key: None, fits: vec![key] }
    }
}

/// Choice of a user for a heading of an earlier file.
#[derive(Clone, Copy, PartialEq)]
enum Choice<'a> {
    Column(&'a str),
    LeftOut,
    /// Nothing, or different columns for headings that were written differently.
    Unknown,
}

struct Choices<'a> {
    /// By the folded heading.
    exact: HashMap<&'a str, Choice<'a>>,
    /// By [`heading_key`].
    similar: HashMap<String, Choice<'a>>,
}

impl<'a> Choices<'a> {
    fn of<S: BuildHasher>(chosen: &'a HashMap<String, Option<String>, S>) -> Self {
        let mut choices = Self { exact: HashMap::new(), similar: HashMap::new() };
        for (heading, key) in chosen {
            let choice = key.as_deref().map_or(Choice::LeftOut, Choice::Column);
            choices.exact.insert(heading, choice);
            let known = choices.similar.entry(heading_key(heading)).or_insert(choice);
            if *known != choice {
                *known = Choice::Unknown;
            }
        }
        choices
    }

    fn find(&self, heading: &str, key: &str) -> Choice<'a> {
        let exact = self.exact.get(fold(heading).as_str());
        exact.or_else(|| self.similar.get(key)).copied().unwrap_or(Choice::Unknown)
    }
}

/// The key of a heading in comparisons: without case, accents, and asterisks of required fields; an
/// underscore or a hyphen is a space.
fn heading_key(heading: &str) -> String {
    let is_space = |character: char| matches!(character, ' ' | '_' | '-' | '‐' | '–' | '—');
    let folded = fold(heading).replace("(*)", " ");
    let words: Vec<&str> = folded.split(is_space).filter(|word| !word.is_empty()).collect();
    words.join(" ").trim_matches(|character: char| matches!(character, '*' | ':' | ' ')).to_owned()
}

/// A heading as it is compared with keys, whose words are not separated.
fn compact(heading: &str) -> String {
    heading.replace(' ', "")
}

/// Units after the names of columns: those that their cells are read in, since «Duración (h)» has other
/// values than the column of minutes.
const MINUTES: &[&str] = &["min", "mins", "minutos", "minutes"];
const MONTHS: &[&str] = &["meses", "months"];
const YEARS: &[&str] = &["aaaa", "yyyy"];
const DAYS: &[&str] = &["aaaa mm dd", "yyyy mm dd", "dd/mm/aaaa", "dd/mm/yyyy", "dd mm aaaa", "dd mm yyyy"];

fn units_of(column: &SheetColumn) -> &'static [&'static str] {
    match &column.source {
        Source::Field(_, FieldShape::Date) => DAYS,
        Source::Field(name, _) => match name.as_str() {
            "durationMinutes" => MINUTES,
            "credits" => MONTHS,
            "year" => YEARS,
            _ => &[],
        },
        Source::Name(..) | Source::Link(..) => &[],
    }
}

/// The name before one of these units, in brackets or not; the whole name if it has none.
fn without_unit<'a>(name: &'a str, units: &[&str]) -> &'a str {
    let inner = name.strip_suffix([')', ']']).and_then(|rest| rest.rsplit_once(['(', '[']));
    let found = inner.filter(|(_, unit)| units.contains(&unit.trim())).map(|(name, _)| name);
    let unbracketed = || {
        let rest = units.iter().find_map(|unit| name.strip_suffix(*unit))?;
        rest.ends_with([' ', '/', ',']).then_some(rest)
    };
    let bare = found.or_else(unbracketed).map(|name| name.trim_end_matches([' ', '/', ',']));
    bare.filter(|name| !name.is_empty()).unwrap_or(name)
}

/// A name of a column.
#[derive(Debug, Clone, Copy)]
struct Name<'a> {
    /// Key of the column.
    key: &'a str,
    units: &'static [&'static str],
    /// Its language, if it has one.
    locale: Option<Locale>,
}

/// Names of columns by the keys of their headings.
struct KnownNames<'a> {
    whole: HashMap<String, Vec<Name<'a>>>,
    /// Without their units.
    bare: HashMap<String, Vec<Name<'a>>>,
    /// Keys of columns.
    keys: HashMap<String, Name<'a>>,
}

impl<'a> KnownNames<'a> {
    fn of(names: &ColumnNames<'a>) -> Self {
        let mut known = Self { whole: HashMap::new(), bare: HashMap::new(), keys: HashMap::new() };
        for (index, column) in names.columns.iter().enumerate() {
            let name = |locale| Name { key: &column.key, units: units_of(column), locale };
            known.keys.insert(compact(&heading_key(&column.key)), name(None));
            for (labels, locale) in [(names.spanish, Locale::Spanish), (names.english, Locale::English)] {
                if let Some(label) = labels.get(index) {
                    known.add(label, name(Some(locale)));
                }
            }
        }
        for (heading, key, locale) in names.others {
            if let Some(column) = names.columns.iter().find(|column| column.key == *key) {
                known.add(heading, Name { key: &column.key, units: units_of(column), locale: *locale });
            }
        }
        known
    }

    fn add(&mut self, name: &str, of: Name<'a>) {
        let name = heading_key(name);
        self.bare.entry(without_unit(&name, of.units).to_owned()).or_default().push(of);
        self.whole.entry(name).or_default().push(of);
    }

    /// The names that a heading is; if none, those that it is without units.
    fn fitting(&self, heading: &str) -> Vec<Name<'a>> {
        let mut found: Vec<Name<'a>> = self.whole.get(heading).cloned().unwrap_or_default();
        found.extend(self.keys.get(&compact(heading)));
        if found.is_empty() {
            found.extend(self.bare.get(heading).into_iter().flatten());
            for units in [MINUTES, MONTHS, YEARS, DAYS] {
                let bare = without_unit(heading, units);
                if bare.len() < heading.len() {
                    let named = self.bare.get(bare).into_iter().flatten();
                    let keyed = self.keys.get(&compact(bare));
                    found.extend(named.chain(keyed).filter(|name| name.units == units));
                }
            }
        }
        // «Categories» is the label of the names of a field, and the key of its ids.
        let named: Vec<&str> = found.iter().filter_map(|name| name.key.strip_suffix(".name")).collect();
        found.retain(|name| !named.contains(&name.key));
        found
    }
}

#[cfg(test)]
mod tests;
