//! Content as rows of a spreadsheet (docs/spec/import-export.md#spreadsheets): the columns of a
//! kind, derived from its schema, and the cells of an item.

mod cells;
mod headings;
mod reading;

use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use domain_kernel::{Cell, Choice, DraftReader, FieldShape, Id, Kind, Locale};
use serde::{
    Deserialize,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

pub use headings::{
    ColumnNames, MatchedHeading, OtherHeading, import_columns, links_in_headings, match_headings,
};
pub use reading::{NaturalKey, RowContext, RowDraft, names_in_row, read_row};

use crate::{Content, Link};

/// Separator of several values in a cell.
const SEPARATOR: &str = ", ";

/// A column of a spreadsheet.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetColumn {
    /// Key in requests and in the headings of files for programs: `year`, `categoryId.name`,
    /// `link1_url`.
    pub key: String,
    source: Source,
}

#[derive(Debug, Clone, PartialEq)]
enum Source {
    Field(String, FieldShape),
    /// The name of a referenced item, and whether the field has several references.
    Name(String, Kind, bool),
    /// A field of a link, by the position of the link from 0.
    Link(usize, &'static str, FieldShape),
}

/// Context of cells besides their item.
pub struct SheetContext<'a> {
    /// Language of the file.
    pub locale: Locale,
    /// Name of an item of a kind in that language.
    pub name: &'a dyn Fn(Kind, Id) -> Option<String>,
    /// A timestamp in the service's time zone.
    pub local_time: &'a dyn Fn(DateTime<Utc>) -> NaiveDateTime,
}

/// Columns of a kind, for a maximum number of links, in the order of its fields.
pub fn sheet_columns<C: Content>(reader: &DraftReader<C>, links: usize) -> Vec<SheetColumn> {
    let mut columns = vec![field("id", FieldShape::Integer)];
    let links_reader = DraftReader::<Link>::new();
    for name in fields_in_order(&C::sample()) {
        let Some(shape) = reader.shape(&name) else { continue };
        if shape == FieldShape::Objects {
            columns.extend((0..links).flat_map(|place| link_columns(&links_reader, place)));
            continue;
        }
        let kind = C::FOREIGN_KEYS.iter().find(|(key, _)| *key == name).map(|(_, kind)| *kind);
        let is_list = shape == FieldShape::Integers;
        columns.push(field(&name, shape));
        if let Some(kind) = kind {
            let key = format!("{name}.name");
            columns.push(SheetColumn { key, source: Source::Name(name, kind, is_list) });
        }
    }
    columns.push(field("views", FieldShape::Integer));
    columns.extend(["createdDate", "updatedDate"].map(|name| field(name, FieldShape::Moment)));
    columns.push(field("updatedBy", FieldShape::Text));
    columns
}

/// Whether items of the kind have links.
pub fn has_links<C: Content>(reader: &DraftReader<C>) -> bool {
    reader.shape("links") == Some(FieldShape::Objects)
}

fn field(name: &str, shape: FieldShape) -> SheetColumn {
    SheetColumn { key: name.to_owned(), source: Source::Field(name.to_owned(), shape) }
}

/// Fields of a link, with the suffixes of their columns.
const LINK_FIELDS: [(&str, &str); 5] = [
    ("url", "url"),
    ("quality", "quality"),
    ("audioLanguages", "audio"),
    ("subtitleLanguages", "subtitles"),
    ("active", "active"),
];

fn link_columns(reader: &DraftReader<Link>, place: usize) -> Vec<SheetColumn> {
    let column = |(name, short): (&'static str, &str)| {
        let shape = reader.shape(name)?;
        let key = format!("link{}_{short}", place + 1);
        Some(SheetColumn { key, source: Source::Link(place, name, shape) })
    };
    LINK_FIELDS.into_iter().filter_map(column).collect()
}

impl SheetColumn {
    /// A column of a field other than content's.
    pub fn of_field(name: &str, shape: FieldShape) -> Self {
        field(name, shape)
    }

    /// The item's cell in this column. `item` is the JSON of a stored item.
    pub fn cell(&self, item: &Map<String, Value>, context: &SheetContext<'_>) -> Cell {
        match &self.source {
            Source::Field(name, shape) => cell(item.get(name), shape, context),
            Source::Name(name, kind, _) => {
                let ids = ids_of(item.get(name));
                let names: Vec<String> = ids.filter_map(|id| (context.name)(*kind, id)).collect();
                text(names.join(SEPARATOR))
            }
            Source::Link(place, name, shape) => {
                cell(item.get("links").and_then(|links| links[place].get(name)), shape, context)
            }
        }
    }

    /// The items referenced in this column.
    pub fn references(&self, item: &Map<String, Value>) -> Vec<(Kind, Id)> {
        let Source::Name(name, kind, _) = &self.source else { return Vec::new() };
        ids_of(item.get(name)).map(|id| (*kind, id)).collect()
    }

    /// The field whose name is the heading, and whether the column has ids of references; `None`
    /// for columns of links.
    pub fn heading(&self, columns: &[Self]) -> Option<(&str, bool)> {
        match &self.source {
            Source::Field(name, _) => {
                let is_named = |other: &Self| matches!(&other.source, Source::Name(of, ..) if of == name);
                Some((name, columns.iter().any(is_named)))
            }
            Source::Name(name, ..) => Some((name, false)),
            Source::Link(..) => None,
        }
    }

    /// Kind of the references in the column.
    pub fn names(&self) -> Option<(&str, Kind)> {
        match &self.source {
            Source::Name(name, kind, _) => Some((name, *kind)),
            Source::Field(..) | Source::Link(..) => None,
        }
    }

    /// Column of a path in a violation of a kind's draft: `links[1].url` is in `link2_url`.
    pub fn key_of(path: &str) -> String {
        let Some((place, rest)) = path.strip_prefix("links[").and_then(|rest| rest.split_once(']')) else {
            return path.split(['.', '[']).next().unwrap_or_default().to_owned();
        };
        let field = rest.trim_start_matches('.').split(['.', '[']).next().unwrap_or_default();
        let short = LINK_FIELDS.iter().find(|(name, _)| *name == field).map_or("url", |(_, short)| short);
        format!("link{}_{short}", place.parse::<usize>().unwrap_or_default() + 1)
    }

    /// Whether it is a column of a link.
    pub const fn is_of_link(&self) -> bool {
        matches!(self.source, Source::Link(..))
    }
}

fn ids_of(value: Option<&Value>) -> impl Iterator<Item = Id> {
    let one = value.and_then(Value::as_i64);
    one.into_iter().chain(value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_i64))
}

fn text(text: String) -> Cell {
    if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
}

fn cell(value: Option<&Value>, shape: &FieldShape, context: &SheetContext<'_>) -> Cell {
    let Some(value) = value else { return Cell::Empty };
    let found = match (shape, value) {
        (FieldShape::Integer, _) => value.as_i64().map(Cell::Integer),
        (FieldShape::Decimal, _) => value.as_f64().map(Cell::Decimal),
        (FieldShape::Flag, _) => value.as_bool().map(Cell::Flag),
        (FieldShape::Date, Value::String(day)) => day.parse::<NaiveDate>().ok().map(Cell::Date),
        (FieldShape::Moment, Value::String(moment)) => {
            moment.parse::<DateTime<Utc>>().ok().map(|moment| Cell::Moment((context.local_time)(moment)))
        }
        (FieldShape::Code(choices), Value::String(code)) => Some(text(label(choices, code, context.locale))),
        (FieldShape::Codes(choices), Value::Array(codes)) => {
            let labels = codes.iter().filter_map(Value::as_str);
            let labels: Vec<String> = labels.map(|code| label(choices, code, context.locale)).collect();
            Some(text(labels.join(SEPARATOR)))
        }
        (FieldShape::Integers, Value::Array(numbers)) => {
            let numbers: Vec<String> = numbers.iter().map(Value::to_string).collect();
            Some(text(numbers.join(SEPARATOR)))
        }
        (_, Value::String(value)) => Some(text(value.clone())),
        _ => None,
    };
    found.unwrap_or(Cell::Empty)
}

fn label(choices: &[Choice], code: &str, locale: Locale) -> String {
    let known = choices.iter().find(|choice| choice.code == code);
    known.map_or(code, |choice| choice.label(locale)).to_owned()
}

/// The fields of an item in the order of its struct.
fn fields_in_order(item: &impl serde::Serialize) -> Vec<String> {
    struct Names(Vec<String>);
    impl<'de> Deserialize<'de> for Names {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Keys;
            impl<'de> Visitor<'de> for Keys {
                type Value = Names;

                fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                    formatter.write_str("an object")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
                    let mut names = Vec::new();
                    while let Some((name, IgnoredAny)) = map.next_entry()? {
                        names.push(name);
                    }
                    Ok(Names(names))
                }
            }
            deserializer.deserialize_map(Keys)
        }
    }
    let json = serde_json::to_string(item).unwrap_or_default();
    serde_json::from_str::<Names>(&json).map(|names| names.0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use domain_kernel::for_each_kind;

    use super::*;
    use crate::{Movie, TvChannel};

    fn keys(columns: &[SheetColumn]) -> Vec<&str> {
        columns.iter().map(|column| column.key.as_str()).collect()
    }

    fn object(item: &impl serde::Serialize) -> Map<String, Value> {
        match serde_json::to_value(item) {
            Ok(Value::Object(fields)) => fields,
            other => panic!("{other:?}"),
        }
    }

    fn row(columns: &[SheetColumn], item: &Map<String, Value>, locale: Locale) -> Vec<(String, String)> {
        let context = SheetContext {
            locale,
            name: &|kind, id| Some(format!("{} {id}", kind.path())),
            local_time: &|moment| moment.naive_utc(),
        };
        columns.iter().map(|column| (column.key.clone(), column.cell(item, &context).text(locale))).collect()
    }

    #[test]
    fn a_film_has_its_fields_in_order_and_a_group_of_columns_for_each_link() {
        let columns = sheet_columns(&DraftReader::<Movie>::new(), 2);
        let keys = keys(&columns);
        assert_eq!(keys[..4], ["id", "title", "imdbId", "year"]);
        assert!(keys.windows(2).any(|pair| pair == ["categoryId", "categoryId.name"]), "{keys:?}");
        let link = ["link2_url", "link2_quality", "link2_audio", "link2_subtitles", "link2_active"];
        assert!(keys.windows(5).any(|part| part == link), "{keys:?}");
        assert_eq!(keys[keys.len() - 4..], ["views", "createdDate", "updatedDate", "updatedBy"]);
    }

    #[test]
    fn cells_are_written_as_users_write_them() {
        let mut item = object(&Movie::sample());
        item.insert("createdDate".into(), "2026-11-22T10:37:45.000Z".into());
        let columns = sheet_columns(&DraftReader::<Movie>::new(), 2);
        let spanish = row(&columns, &item, Locale::Spanish);
        let english = row(&columns, &item, Locale::English);
        for (key, es, en) in [
            ("title", "The Matrix", "The Matrix"),
            ("year", "1999", "1999"),
            ("releaseDate", "1999-03-31", "1999-03-31"),
            ("rating", "8,7", "8.7"),
            ("genres", "Acción, Ciencia ficción", "Action, Science fiction"),
            ("categoryId", "1", "1"),
            ("categoryId.name", "categories 1", "categories 1"),
            ("adultContent", "No", "No"),
            ("active", "Sí", "Yes"),
            (
                "link1_url",
                "https://cdn.example.com/the-matrix/1080.m3u8",
                "https://cdn.example.com/the-matrix/1080.m3u8",
            ),
            ("link1_audio", "Español, Inglés", "Spanish, English"),
            ("link2_url", "", ""),
            ("createdDate", "2026-11-22 10:37:45", "2026-11-22 10:37:45"),
            ("updatedBy", "", ""),
        ] {
            assert!(spanish.contains(&(key.into(), es.into())), "{key} of {spanish:?}");
            assert!(english.contains(&(key.into(), en.into())), "{key} of {english:?}");
        }
    }

    #[test]
    fn a_list_of_references_has_its_ids_and_its_names() {
        let mut item = object(&TvChannel::sample());
        item.insert("categories".into(), serde_json::json!([3, 4]));
        let columns = sheet_columns(&DraftReader::<TvChannel>::new(), 0);
        let cells = row(&columns, &item, Locale::English);
        assert!(cells.contains(&("categories".into(), "3, 4".into())), "{cells:?}");
        assert!(
            cells.contains(&("categories.name".into(), "categories 3, categories 4".into())),
            "{cells:?}"
        );
        let names = columns.iter().find(|column| column.key == "categories.name").unwrap();
        assert_eq!(names.references(&item), [(Kind::Categories, 3), (Kind::Categories, 4)]);
        assert_eq!(names.heading(&columns), Some(("categories", false)));
        let ids = columns.iter().find(|column| column.key == "categories").unwrap();
        assert_eq!(ids.heading(&columns), Some(("categories", true)));
    }

    macro_rules! every_field_has_a_cell {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
            #[test]
            fn every_field_of_every_kind_has_a_cell_and_no_label_has_a_separator() {
                $({
                    let reader = DraftReader::<crate::$type>::new();
                    let columns = sheet_columns(&reader, 1);
                    let item = object(&crate::$type::sample());
                    let cells = row(&columns, &item, Locale::Spanish);
                    for name in reader.fields().filter(|name| *name != "links") {
                        let (_, cell) = cells.iter().find(|(key, _)| key == name).unwrap();
                        assert!(!cell.is_empty() || item[name].is_null(), "{name} of {}", $path);
                        let choices = match reader.shape(name) {
                            Some(FieldShape::Codes(choices)) => choices,
                            _ => Vec::new(),
                        };
                        for choice in choices {
                            assert!(!choice.spanish.contains(',') && !choice.english.contains(','), "{choice:?}");
                        }
                    }
                })+
            }
        };
    }
    for_each_kind!(every_field_has_a_cell);
}
