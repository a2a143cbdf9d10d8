//! Rows of a spreadsheet as content (docs/spec/import-export.md#spreadsheets-in): which column is which field, and what the
//! cells of a row say of an item.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::BuildHasher,
};

use domain_kernel::{Cell, Code, DraftReader, Id, Kind, Locale, REPLACED_BY_SERVER, Violation, fold};
use serde_json::{Map, Value};

use super::{
    SheetColumn, Source,
    cells::{integer, text, value_of},
    sheet_columns,
};
use crate::Content;

/// Links of one item at most: so many groups of columns are known.
const MOST_LINKS: usize = 200;

/// The columns that an import of a kind reads, for so many links: `id`, by which items are recognised, and all that can be
/// written.
pub fn import_columns<C: Content>(reader: &DraftReader<C>, links: usize) -> Vec<SheetColumn> {
    let is_read = |column: &SheetColumn| match &column.source {
        Source::Field(name, _) => name == "id" || !REPLACED_BY_SERVER.contains(&name.as_str()),
        Source::Name(..) | Source::Link(..) => true,
    };
    let mut columns = sheet_columns(reader, links.min(MOST_LINKS));
    columns.retain(is_read);
    columns
}

/// The number of links that headings like `link3_url` have columns for.
pub fn links_in_headings<'a>(headings: impl Iterator<Item = &'a str>) -> usize {
    let place = |heading: &str| {
        let heading = heading.trim().to_lowercase();
        heading.strip_prefix("link")?.split_once('_')?.0.parse::<usize>().ok()
    };
    headings.filter_map(place).filter(|place| *place <= MOST_LINKS).max().unwrap_or(0)
}

/// What the columns of a kind are called in a language, one name for each.
pub struct ColumnNames<'a> {
    /// The columns.
    pub columns: &'a [SheetColumn],
    /// In Spanish.
    pub spanish: &'a [String],
    /// In English.
    pub english: &'a [String],
    /// What else they are called.
    pub others: &'a [OtherHeading<'a>],
}

/// A heading, folded, the key of its column, and its language, if it is of one.
pub type OtherHeading<'a> = (&'a str, &'a str, Option<Locale>);

/// The column of each heading, by what users chose before for the same heading, by its name in either language, by its
/// key, or by what else it is called, each column once; and the language that more of the headings are in.
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

/// What reading a row needs to know beside it.
pub struct RowContext<'a> {
    /// The language of the file.
    pub locale: Locale,
    /// The items that a field can mean by a name.
    pub named: &'a dyn Fn(&str, &str) -> Vec<Id>,
    /// Whether an item that a field refers to is called so.
    pub is_called: &'a dyn Fn(&str, Id, &str) -> bool,
}

/// What a row says of an item.
#[derive(Debug, Default)]
pub struct RowDraft {
    /// The id in the column `id`.
    pub id: Option<Id>,
    /// Cells that can't be read, by their field.
    pub problems: Vec<Violation>,
    fields: Map<String, Value>,
    /// By the place of the link.
    links: BTreeMap<usize, LinkCells>,
    /// Columns of names, which are read once the ids are.
    names: Vec<(String, bool, String)>,
}

#[derive(Debug, Default)]
struct LinkCells {
    /// Whether the address has a column: without one, a link is never removed.
    has_address: bool,
    fields: Map<String, Value>,
}

/// Reads a row. Columns of `None` are not imported.
pub fn read_row(columns: &[Option<SheetColumn>], cells: &[Cell], context: &RowContext<'_>) -> RowDraft {
    let mut draft = RowDraft::default();
    for (index, column) in columns.iter().enumerate() {
        let Some(column) = column else { continue };
        let cell = cells.get(index).unwrap_or(&Cell::Empty);
        match &column.source {
            Source::Field(name, _) if name == "id" => match integer(cell) {
                Some(id) => draft.id = Some(id),
                None if cell.is_blank() => {}
                None => draft.problems.push(Violation::new("id", Code::NotNumeric)),
            },
            Source::Field(name, shape) => match value_of(cell, name, shape, context.locale) {
                Ok(value) => drop(draft.fields.insert(name.clone(), value)),
                Err(problem) => draft.problems.push(problem),
            },
            Source::Name(name, _, is_list) => draft.names.push((name.clone(), *is_list, text(cell))),
            Source::Link(place, name, shape) => {
                let link = draft.links.entry(*place).or_default();
                link.has_address |= *name == "url";
                match value_of(cell, &format!("links[{place}].{name}"), shape, context.locale) {
                    Ok(value) => drop(link.fields.insert((*name).to_owned(), value)),
                    Err(problem) => draft.problems.push(problem),
                }
            }
        }
    }
    draft.read_names(context);
    draft
}

impl RowDraft {
    /// Names stand for ids where the ids have no column, or no value; where both are there, they must agree.
    fn read_names(&mut self, context: &RowContext<'_>) {
        for (field, is_list, names) in std::mem::take(&mut self.names) {
            if self.problems.iter().any(|problem| problem.field == field) {
                continue;
            }
            let ids = super::ids_of(self.fields.get(&field)).collect::<Vec<_>>();
            let outcome = if ids.is_empty() {
                ids_by_names(&field, &names, is_list, context)
            } else {
                if names.is_empty() || agree(&field, &ids, &names, context) {
                    continue;
                }
                Err(Violation::new(&field, Code::Contradictory))
            };
            match outcome {
                Ok(value) => drop(self.fields.insert(field, value)),
                Err(problem) => {
                    self.fields.remove(&field);
                    self.problems.push(problem);
                }
            }
        }
    }

    /// Gives fields without a value those of another row, with what is wrong with them.
    pub fn fill(&mut self, defaults: &Self) {
        let problem_of =
            |draft: &Self, field: &str| draft.problems.iter().any(|problem| problem.field == field);
        for (field, value) in &defaults.fields {
            let is_blank =
                self.fields.get(field).is_none_or(|own| own.is_null() || own == &Value::Array(Vec::new()));
            if is_blank && !problem_of(self, field) {
                self.fields.insert(field.clone(), value.clone());
            }
        }
        let unread = defaults.problems.iter().filter(|problem| {
            self.fields.get(&problem.field).is_none_or(Value::is_null) && !problem_of(self, &problem.field)
        });
        let unread: Vec<Violation> = unread.cloned().collect();
        self.problems.extend(unread);
    }

    /// What a row is called before it is an item: the first two of these fields that it has.
    pub fn title(&self, fields: &[&str]) -> String {
        let text = |field: &&str| match self.fields.get(*field)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        fields.iter().filter_map(text).take(2).collect::<Vec<_>>().join(" · ")
    }

    /// The text of a field, where the row has one.
    pub fn text_of(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// The natural key that the row has, or where its last columns are missing how it begins.
    pub fn natural_key<C: Content>(&self) -> Option<NaturalKey> {
        let present = C::NATURAL_KEY.iter().take_while(|field| self.fields.contains_key(**field)).count();
        let is_unreadable = |problem: &Violation| C::NATURAL_KEY.contains(&problem.field.as_str());
        if present == 0 || self.problems.iter().any(is_unreadable) {
            return None;
        }
        let Value::Object(mut item) = serde_json::to_value(C::sample()).ok()? else { return None };
        for field in &C::NATURAL_KEY[..present] {
            item.insert((*field).to_owned(), self.fields.get(*field)?.clone());
        }
        let content: C = serde_json::from_value(item.into()).ok()?;
        let key = content.natural_key();
        if present == C::NATURAL_KEY.len() {
            return Some(NaturalKey::Whole(key));
        }
        let lines: Vec<&str> = key.split('\n').take(present).collect();
        Some(NaturalKey::Beginning(lines.join("\n") + "\n"))
    }

    /// Puts what the row says into an item. Answers the places that the columns give to the links which remain: where the
    /// first is left out, the second is the first of the item.
    pub fn apply(&self, item: &mut Map<String, Value>) -> Vec<usize> {
        for (field, value) in &self.fields {
            let is_same = same_but_for_line_ends(item.get(field), value);
            if !is_same {
                item.insert(field.clone(), value.clone());
            }
        }
        if self.links.is_empty() {
            return Vec::new();
        }
        let stored = item.get("links").and_then(Value::as_array).cloned().unwrap_or_default();
        let most = stored.len().max(self.links.keys().max().map_or(0, |last| last + 1));
        let mut links = Vec::new();
        let mut places = Vec::new();
        for place in 0..most {
            if let Some(link) = self.link(place, stored.get(place)) {
                links.push(link);
                places.push(place);
            }
        }
        item.insert("links".to_owned(), links.into());
        places
    }

    fn link(&self, place: usize, stored: Option<&Value>) -> Option<Value> {
        let Some(cells) = self.links.get(&place) else { return stored.cloned() };
        let is_blank = cells.fields.values().all(Value::is_null);
        if is_blank && (cells.has_address || stored.is_none()) {
            return None;
        }
        let mut link = stored.and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, value) in &cells.fields {
            // Without its address a link has no row of its own: empty cells say nothing of it.
            if value.is_null() && !cells.has_address {
                continue;
            }
            let empty = value.is_null()
                && link.get(name).is_some_and(|stored| stored.as_array().is_some_and(Vec::is_empty));
            if !empty && link.get(name) != Some(value) {
                link.insert(name.clone(), value.clone());
                link.remove("updatedDate");
            }
        }
        Some(link.into())
    }
}

/// What a row is recognised by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NaturalKey {
    /// The whole key.
    Whole(String),
    /// Keys that begin so: the file lacks the last columns.
    Beginning(String),
}

/// XLSX has one line end, texts of forms may have another.
fn same_but_for_line_ends(stored: Option<&Value>, value: &Value) -> bool {
    match (stored.and_then(Value::as_str), value.as_str()) {
        (Some(stored), Some(text)) => stored.replace("\r\n", "\n") == text.replace("\r\n", "\n"),
        _ => false,
    }
}

fn ids_by_names(
    field: &str,
    names: &str,
    is_list: bool,
    context: &RowContext<'_>,
) -> Result<Value, Violation> {
    if names.is_empty() {
        return Ok(Value::Null);
    }
    let one = |name: &str| match (context.named)(field, name)[..] {
        [] => Err(Violation::new(field, Code::UnknownName).with("name", name)),
        [id] => Ok(id),
        ref several => Err(Violation::new(field, Code::Ambiguous).with("ids", several)),
    };
    if !is_list {
        return one(names).map(Value::from);
    }
    // A name may have a comma in it.
    if let Ok(id) = one(names) {
        return Ok(vec![id].into());
    }
    let parts = names.split([',', ';', '|', '\n']).map(str::trim).filter(|name| !name.is_empty());
    parts.map(one).collect::<Result<Vec<Id>, _>>().map(Value::from)
}

/// Whether these items are called so, in their order.
fn agree(field: &str, ids: &[Id], names: &str, context: &RowContext<'_>) -> bool {
    if let [id] = ids {
        return (context.is_called)(field, *id, names);
    }
    let parts: Vec<&str> =
        names.split([',', ';', '|', '\n']).map(str::trim).filter(|name| !name.is_empty()).collect();
    // Where a name has a comma in it the parts are more: then nothing can be said against it.
    parts.len() != ids.len() || ids.iter().zip(parts).all(|(id, name)| (context.is_called)(field, *id, name))
}

/// The names that a row has in columns of names: the kind that is named, and the name.
pub fn names_in_row(columns: &[Option<SheetColumn>], cells: &[Cell]) -> Vec<(Kind, String)> {
    let mut names = Vec::new();
    for (column, cell) in columns.iter().zip(cells) {
        let Some(SheetColumn { source: Source::Name(_, kind, is_list), .. }) = column else { continue };
        let whole = text(cell);
        if *is_list {
            names.extend(whole.split([',', ';', '|', '\n']).map(|name| (*kind, name.trim().to_owned())));
        }
        names.push((*kind, whole));
    }
    names.retain(|(_, name)| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use domain_kernel::{REPLACED_BY_SERVER, for_each_kind};
    use serde_json::json;

    use super::*;
    use crate::{Movie, TvChannel};

    fn object(item: &impl serde::Serialize) -> Map<String, Value> {
        match serde_json::to_value(item) {
            Ok(Value::Object(fields)) => fields,
            other => panic!("{other:?}"),
        }
    }

    fn columns<C: Content>(keys: &[&str]) -> Vec<Option<SheetColumn>> {
        let known = import_columns(&DraftReader::<C>::new(), links_in_headings(keys.iter().copied()));
        keys.iter().map(|key| known.iter().find(|column| column.key == *key).cloned()).collect()
    }

    /// Reads a row of texts. Categories 1 and 2 are called Acción, 3 is Drama.
    fn read<C: Content>(row: &[(&str, &str)]) -> RowDraft {
        let keys: Vec<&str> = row.iter().map(|(key, _)| *key).collect();
        let cells: Vec<Cell> = row.iter().map(|(_, text)| Cell::Text((*text).into())).collect();
        let names = [(1, "accion"), (2, "accion"), (3, "drama")];
        let context = RowContext {
            locale: Locale::Spanish,
            named: &|_, name| {
                names.iter().filter(|(_, known)| fold(name) == *known).map(|(id, _)| *id).collect()
            },
            is_called: &|_, id, name| names.contains(&(id, fold(name).as_str())),
        };
        read_row(&columns::<C>(&keys), &cells, &context)
    }

    #[test]
    fn fields_without_a_value_get_those_of_the_defaults_with_what_is_wrong_with_them() {
        let defaults =
            read::<Movie>(&[("categoryId.name", "Drama"), ("year", "mil"), ("durationMinutes", "90")]);
        for (row, expected, faults) in [
            // No column, and an empty cell.
            (
                vec![("title", "Uno"), ("durationMinutes", "")],
                (json!(3), json!(90)),
                vec![("year", "NOT_NUMERIC")],
            ),
            // Its own values remain.
            (
                vec![("categoryId", "1"), ("year", "1927"), ("durationMinutes", "120")],
                (json!(1), json!(120)),
                vec![],
            ),
            // What can't be read is not replaced.
            (
                vec![("categoryId.name", "Acción"), ("year", "x")],
                (Value::Null, json!(90)),
                vec![("categoryId", "AMBIGUOUS"), ("year", "NOT_NUMERIC")],
            ),
        ] {
            let mut draft = read::<Movie>(&row);
            draft.fill(&defaults);
            let mut item = Map::new();
            draft.apply(&mut item);
            let field = |name: &str| item.get(name).cloned().unwrap_or_default();
            assert_eq!((field("categoryId"), field("durationMinutes")), expected, "{row:?}");
            let mut found = problems(&draft);
            found.sort_unstable();
            assert_eq!(found, faults, "{row:?}");
        }
    }

    fn problems(draft: &RowDraft) -> Vec<(&str, &str)> {
        draft.problems.iter().map(|problem| (problem.field.as_str(), problem.code.as_str())).collect()
    }

    #[test]
    fn headings_are_matched_in_both_languages_each_column_once_and_as_it_was_chosen() {
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

    #[test]
    fn a_row_puts_its_cells_into_an_item_and_leaves_the_rest() {
        let mut film = object(&Movie::sample());
        let before = film.clone();
        let draft =
            read::<Movie>(&[("title", " Dune "), ("rating", "8,3"), ("actors", ""), ("active", "no")]);
        assert!(draft.apply(&mut film).is_empty());
        assert_eq!(
            (&film["title"], &film["rating"], &film["actors"]),
            (&json!("Dune"), &json!(8.3), &Value::Null)
        );
        assert_eq!((&film["active"], &film["year"]), (&json!(false), &before["year"]));
        let mut lines = Map::from_iter([("spanishSynopsis".to_owned(), json!("a\r\nb"))]);
        read::<Movie>(&[("spanishSynopsis", "a\nb")]).apply(&mut lines);
        assert_eq!(lines["spanishSynopsis"], "a\r\nb", "another line end is no change");
    }

    #[test]
    fn names_stand_for_ids_and_must_agree_with_them() {
        let category = |row: &[(&str, &str)]| {
            let draft = read::<Movie>(row);
            let found = draft.fields.get("categoryId").cloned();
            let codes: Vec<String> =
                draft.problems.iter().map(|problem| problem.code.as_str().to_owned()).collect();
            (found, codes.join(","))
        };
        let ok = |id: i64| (Some(json!(id)), String::new());
        let no = |code: &str| (None, code.to_owned());
        assert_eq!(category(&[("categoryId.name", "DRAMA")]), ok(3));
        assert_eq!(category(&[("categoryId.name", "Acción")]), no("AMBIGUOUS"));
        assert_eq!(category(&[("categoryId.name", "Otra")]), no("UNKNOWN_NAME"));
        assert_eq!(category(&[("categoryId", "2"), ("categoryId.name", "Acción")]), ok(2));
        assert_eq!(category(&[("categoryId", "3"), ("categoryId.name", "")]), ok(3));
        assert_eq!(category(&[("categoryId", ""), ("categoryId.name", "Drama")]), ok(3));
        assert_eq!(category(&[("categoryId", "3"), ("categoryId.name", "Acción")]), no("CONTRADICTORY"));
        assert_eq!(category(&[("categoryId", "x"), ("categoryId.name", "Drama")]), no("NOT_NUMERIC"));
        let channel = read::<TvChannel>(&[("categories", "3, 1"), ("categories.name", "Drama, Acción")]);
        assert_eq!((channel.fields["categories"].clone(), problems(&channel)), (json!([3, 1]), vec![]));
        let channel = read::<TvChannel>(&[("categories.name", "Drama; Drama")]);
        assert_eq!(channel.fields["categories"], json!([3, 3]));
    }

    #[test]
    fn links_keep_their_places_and_their_identity() {
        let stored = json!({"links": [
            {"id": "a", "url": "u1", "quality": "HD", "updatedDate": "x", "subtitleLanguages": []},
            {"id": "b", "url": "u2", "quality": "HD", "updatedDate": "x"},
            {"id": "c", "url": "u3"},
        ]});
        let applied = |row: &[(&str, &str)]| {
            let mut item = object(&stored);
            let places = read::<Movie>(row).apply(&mut item);
            let ids: Vec<String> = item["links"]
                .as_array()
                .unwrap()
                .iter()
                .map(|link| {
                    format!(
                        "{}{}",
                        link["id"].as_str().unwrap_or("-"),
                        if link.get("updatedDate").is_some() { "" } else { "*" }
                    )
                })
                .collect();
            (ids.join(" "), places)
        };
        assert_eq!(
            applied(&[("link1_url", "u1"), ("link1_subtitles", "")]),
            ("a b c*".into(), vec![0, 1, 2])
        );
        assert_eq!(applied(&[("link2_url", "new")]), ("a b* c*".into(), vec![0, 1, 2]));
        assert_eq!(applied(&[("link1_url", ""), ("link1_quality", "")]), ("b c*".into(), vec![1, 2]));
        assert_eq!(
            applied(&[("link1_quality", ""), ("link4_quality", "")]),
            ("a b c*".into(), vec![0, 1, 2])
        );
        assert_eq!(applied(&[("link5_url", "new")]), ("a b c* -*".into(), vec![0, 1, 2, 4]));
        assert_eq!(SheetColumn::key_of("links[1].audioLanguages[0]"), "link2_audio");
        assert_eq!(SheetColumn::key_of("categories[0]"), "categories");
    }

    #[test]
    fn a_natural_key_is_whole_or_begins_so() {
        let key = |row: &[(&str, &str)]| read::<Movie>(row).natural_key::<Movie>();
        let whole = |text: &str| Some(NaturalKey::Whole(text.to_owned()));
        let begins = |text: &str| Some(NaturalKey::Beginning(text.to_owned()));
        assert_eq!(key(&[("title", "Dune"), ("year", "2021"), ("reference", "R")]), whole("dune\n2021\nr"));
        assert_eq!(key(&[("title", "Dune"), ("year", "2021"), ("reference", "")]), whole("dune\n2021\n"));
        assert_eq!(key(&[("title", "Dune"), ("year", "2021")]), begins("dune\n2021\n"));
        assert_eq!(key(&[("title", "Dune")]), begins("dune\n"));
        assert_eq!(key(&[("year", "2021")]), None);
        assert_eq!(key(&[("title", ""), ("year", "2021")]), None);
        assert_eq!(key(&[("title", "Dune"), ("year", "x")]), None);
    }

    macro_rules! every_kind {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
            #[test]
            fn every_kind_has_a_line_of_its_key_for_each_field_and_imports_what_can_be_written() {
                $({
                    let sample = crate::$type::sample();
                    let fields = <crate::$type as Content>::NATURAL_KEY;
                    assert_eq!(sample.natural_key().split('\n').count(), fields.len(), $path);
                    for (line, field) in fields.iter().enumerate() {
                        let mut item = object(&sample);
                        item[*field] = match &item[*field] {
                            Value::Number(number) => json!(number.as_i64().unwrap() + 1),
                            Value::String(code) if *field == "type" && code == "MOVIE" => json!("TV_CHANNEL"),
                            Value::String(_) if *field == "type" => json!("MOVIE"),
                            _ => json!("other"),
                        };
                        let other: crate::$type = serde_json::from_value(item.into()).unwrap();
                        let (before, after) = (sample.natural_key(), other.natural_key());
                        let differ: Vec<usize> = before.split('\n').zip(after.split('\n')).enumerate()
                            .filter(|(_, (one, other))| one != other).map(|(line, _)| line).collect();
                        assert_eq!(differ, [line], "{field} of {}", $path);
                    }
                    let columns = import_columns(&DraftReader::<crate::$type>::new(), 1);
                    assert_eq!(columns[0].key, "id");
                    assert!(columns[1..].iter().all(|column| !REPLACED_BY_SERVER.contains(&column.key.as_str())));
                })+
            }
        };
    }
    for_each_kind!(every_kind);
}
