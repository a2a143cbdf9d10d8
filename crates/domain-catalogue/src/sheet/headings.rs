//! Matches the headings of a spreadsheet with fields (docs/spec/import-export.md#spreadsheets-in).

use std::{
    collections::{HashMap, HashSet},
    hash::BuildHasher,
};

use domain_kernel::{DraftReader, Locale, REPLACED_BY_SERVER, fold};

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
        let heading = heading.trim().to_lowercase();
        heading.strip_prefix("link")?.split_once('_')?.0.parse::<usize>().ok()
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

/// A heading, folded, with the key of its column, and its language if it has one.
pub type OtherHeading<'a> = (&'a str, &'a str, Option<Locale>);

/// The column of each heading: as chosen before for the same heading, by name in either language,
/// by key, or by other names; each column once. Also returns the language of most headings.
pub fn match_headings<S: BuildHasher>(
    names: &ColumnNames<'_>,
    headings: &[String],
    chosen: &HashMap<String, Option<String>, S>,
    preferred: Locale,
) -> (Vec<Option<String>>, Locale) {
    let found_in = |labels: &[String], heading: &str| {
        labels.iter().position(|label| fold(label) == heading).map(|index| names.columns[index].key.clone())
    };
    let mut seen = HashSet::new();
    let (mut spanish, mut english) = (0, 0);
    let mut matched = Vec::with_capacity(headings.len());
    for heading in headings {
        let wanted = fold(heading);
        let (es, en) = (found_in(names.spanish, &wanted), found_in(names.english, &wanted));
        let is_key = |column: &&SheetColumn| column.key.eq_ignore_ascii_case(heading.trim());
        let by_key = names.columns.iter().find(is_key).map(|column| column.key.clone());
        let other = names.others.iter().find(|(heading, ..)| *heading == wanted);
        let by_other = other.map(|(_, key, _)| (*key).to_owned());
        let is_in = |locale| {
            es.is_none() && en.is_none() && other.is_some_and(|(.., language)| *language == Some(locale))
        };
        spanish += usize::from(es.is_some() || is_in(Locale::Spanish));
        english += usize::from(en.is_some() || is_in(Locale::English));
        let by_name =
            if preferred == Locale::Spanish { es.or(en) } else { en.or(es) }.or(by_key).or(by_other);
        let key = match chosen.get(&wanted) {
            Some(None) => None,
            Some(Some(key)) if names.columns.iter().any(|column| column.key == *key) => Some(key.clone()),
            _ => by_name,
        };
        matched.push(key.filter(|key| !wanted.is_empty() && seen.insert(key.clone())));
    }
    let locale = match spanish.cmp(&english) {
        std::cmp::Ordering::Greater => Locale::Spanish,
        std::cmp::Ordering::Less => Locale::English,
        std::cmp::Ordering::Equal => preferred,
    };
    (matched, locale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Movie;

    #[test]
    fn headings_are_matched_in_both_languages_each_column_once_and_as_chosen_before() {
        let columns = import_columns(&DraftReader::<Movie>::new(), 1);
        let labels = |title: &str, year: &str| -> Vec<String> {
            let label = |column: &SheetColumn| match column.key.as_str() {
                "title" => title.to_owned(),
                "year" => year.to_owned(),
                key => key.to_owned(),
            };
            columns.iter().map(label).collect()
        };
        let (spanish, english) = (labels("Título", "Año"), labels("Title", "Year"));
        let names = ColumnNames {
            columns: &columns,
            spanish: &spanish,
            english: &english,
            others: &[("released", "year", None), ("length", "durationMinutes", Some(Locale::English))],
        };
        let headings =
            ["titulo", "YEAR", "Año", "link1_URL", "Notas", "", "Length", "Released"].map(str::to_owned);
        let key = |text: &str| Some(text.to_owned());
        let (matched, locale) =
            match_headings(&names, &headings, &HashMap::<String, Option<String>>::new(), Locale::Spanish);
        let expected =
            [key("title"), key("year"), None, key("link1_url"), None, None, key("durationMinutes"), None];
        assert_eq!((matched, locale), (expected.to_vec(), Locale::Spanish));
        let nothing = HashMap::<String, Option<String>>::new();
        let (_, locale) = match_headings(&names, &["Length".to_owned()], &nothing, Locale::Spanish);
        assert_eq!(locale, Locale::English, "headings of another panel are in a language, too");
        let chosen = HashMap::from([("notas".to_owned(), key("actors")), ("titulo".to_owned(), None)]);
        let (matched, _) = match_headings(&names, &headings, &chosen, Locale::English);
        assert_eq!((&matched[0], &matched[4]), (&None, &key("actors")));
        assert_eq!(
            links_in_headings(["link3_url", "LINK12_x", "links", "link999999999999_url"].into_iter()),
            12
        );
        assert_eq!(links_in_headings(["link5000_url"].into_iter()), 0);
    }
}
