//! Rows of a spreadsheet as content (docs/spec/import-export.md#spreadsheets-in): the values of a
//! row's cells.

use std::collections::BTreeMap;

use domain_kernel::{Cell, Code, Id, Kind, Locale, Violation};
use serde_json::{Map, Value};

use super::{
    SheetColumn, Source,
    cells::{integer, text, value_of},
};
use crate::Content;

/// Context of a row.
pub struct RowContext<'a> {
    /// Language of the file.
    pub locale: Locale,
    /// Items with this name that a field can refer to.
    pub named: &'a dyn Fn(&str, &str) -> Vec<Id>,
    /// Whether an item that a field refers to has this name.
    pub is_called: &'a dyn Fn(&str, Id, &str) -> bool,
}

/// Values of an item in a row.
#[derive(Debug, Default)]
pub struct RowDraft {
    /// Id in the column `id`.
    pub id: Option<Id>,
    /// Invalid cells, by field.
    pub problems: Vec<Violation>,
    fields: Map<String, Value>,
    /// By position of the link.
    links: BTreeMap<usize, LinkCells>,
    /// Columns of names, read after the ids.
    names: Vec<(String, bool, String)>,
}

#[derive(Debug, Default)]
struct LinkCells {
    /// Whether the URL has a column: without one, a link is never removed.
    has_address: bool,
    fields: Map<String, Value>,
}

/// Reads a row. Columns of `None` are ignored.
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
    /// Names replace ids that have no column or no value; where both exist, they must agree.
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

    /// Sets fields without a value from another row, with its violations.
    pub fn fill(&mut self, defaults: &Self) {
        let problem_of =
            |draft: &Self, field: &str| draft.problems.iter().any(|problem| problem.field == field);
        for (field, value) in &defaults.fields {
            if self.is_blank(field) && !problem_of(self, field) {
                self.fields.insert(field.clone(), value.clone());
            }
        }
        let unread = defaults.problems.iter().filter(|problem| {
            self.fields.get(&problem.field).is_none_or(Value::is_null) && !problem_of(self, &problem.field)
        });
        let unread: Vec<Violation> = unread.cloned().collect();
        self.problems.extend(unread);
    }

    /// Whether a field has no column, or an empty cell.
    fn is_blank(&self, field: &str) -> bool {
        self.fields.get(field).is_none_or(|own| own.is_null() || own == &Value::Array(Vec::new()))
    }

    /// Display name of a row without an item: the first two of these fields with a value.
    pub fn title(&self, fields: &[&str]) -> String {
        let text = |field: &&str| match self.fields.get(*field)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        fields.iter().filter_map(text).take(2).collect::<Vec<_>>().join(" · ")
    }

    /// The text of a field, if the row has one.
    pub fn text_of(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// The natural key of the row, or its prefix if the last columns are missing.
    pub fn natural_key<C: Content>(&self) -> Option<NaturalKey> {
        self.key_of::<C>(|field| self.fields.get(field))
    }

    /// The natural key of the new item that the row would create, with values of another row for
    /// blank fields. `None` if that sets no field of the key.
    pub fn filled_key<C: Content>(&self, defaults: &Self) -> Option<NaturalKey> {
        let is_filled = |field: &str| self.is_blank(field) && !defaults.is_blank(field);
        if !C::NATURAL_KEY.iter().any(|field| is_filled(field)) {
            return None;
        }
        self.key_of::<C>(|field| {
            let row = if is_filled(field) { defaults } else { self };
            row.fields.get(field)
        })
    }

    /// The natural key of these values.
    fn key_of<'a, C: Content>(&self, value: impl Fn(&str) -> Option<&'a Value>) -> Option<NaturalKey> {
        let present = C::NATURAL_KEY.iter().take_while(|field| value(field).is_some()).count();
        let is_unreadable = |problem: &Violation| C::NATURAL_KEY.contains(&problem.field.as_str());
        if present == 0 || self.problems.iter().any(is_unreadable) {
            return None;
        }
        let Value::Object(mut item) = serde_json::to_value(C::sample()).ok()? else { return None };
        for field in &C::NATURAL_KEY[..present] {
            item.insert((*field).to_owned(), value(field)?.clone());
        }
        let content: C = serde_json::from_value(item.into()).ok()?;
        let key = content.natural_key();
        if present == C::NATURAL_KEY.len() {
            return Some(NaturalKey::Whole(key));
        }
        let lines: Vec<&str> = key.split('\n').take(present).collect();
        Some(NaturalKey::Beginning(lines.join("\n") + "\n"))
    }

    /// Keeps the item's values of natural key fields with an empty cell.
    pub fn keep_key<C: Content>(&mut self) {
        for field in C::NATURAL_KEY {
            if self.is_blank(field) {
                self.fields.remove(*field);
            }
        }
    }

    /// Applies the row to an item. Returns the column positions of the remaining links: if the
    /// first is omitted, the second is the item's first.
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
            // Without a URL a link has no values in the row: empty cells do not change it.
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

/// Natural key of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NaturalKey {
    /// The complete key.
    Whole(String),
    /// A prefix: the file lacks the last columns.
    Beginning(String),
}

impl NaturalKey {
    /// Whether an item with this key matches the row.
    pub fn fits(&self, item: &str) -> bool {
        match self {
            Self::Whole(key) => item == key,
            Self::Beginning(key) => item.starts_with(key.as_str()),
        }
    }
}

/// XLSX has one kind of line end, texts of forms may have another.
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
    // A name may contain a comma.
    if let Ok(id) = one(names) {
        return Ok(vec![id].into());
    }
    let parts = names.split([',', ';', '|', '\n']).map(str::trim).filter(|name| !name.is_empty());
    parts.map(one).collect::<Result<Vec<Id>, _>>().map(Value::from)
}

/// Whether these items have these names, in this order.
fn agree(field: &str, ids: &[Id], names: &str, context: &RowContext<'_>) -> bool {
    if let [id] = ids {
        return (context.is_called)(field, *id, names);
    }
    let parts: Vec<&str> =
        names.split([',', ';', '|', '\n']).map(str::trim).filter(|name| !name.is_empty()).collect();
    // If a name contains a comma there are more parts than items, and they can't be compared.
    parts.len() != ids.len() || ids.iter().zip(parts).all(|(id, name)| (context.is_called)(field, *id, name))
}

/// Names in the columns of names: kind and name.
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
    use domain_kernel::{DraftReader, REPLACED_BY_SERVER, fold, for_each_kind};
    use serde_json::json;

    use super::*;
    use crate::{
        Category, Movie, TvChannel,
        sheet::headings::{import_columns, links_in_headings},
    };

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

    /// Reads a row of texts. Categories 1 and 2 have the name Acción, 3 is Drama.
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
    fn fields_without_a_value_get_those_of_the_defaults_with_their_violations() {
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
            // Invalid cells are not replaced.
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
    fn a_row_changes_the_fields_of_its_cells_and_no_others() {
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
    fn names_replace_ids_and_must_agree_with_them() {
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
    fn a_natural_key_is_complete_or_a_prefix() {
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

    #[test]
    fn the_defaults_complete_a_natural_key() {
        let key = |row: &[(&str, &str)], defaults: &[(&str, &str)]| {
            read::<Movie>(row).filled_key::<Movie>(&read::<Movie>(defaults))
        };
        let whole = |text: &str| Some(NaturalKey::Whole(text.to_owned()));
        let begins = |text: &str| Some(NaturalKey::Beginning(text.to_owned()));
        let year: &[(&str, &str)] = &[("year", "2021")];
        assert_eq!(key(&[("title", "Dune"), ("year", ""), ("reference", "")], year), whole("dune\n2021\n"));
        assert_eq!(key(&[("title", "Dune"), ("reference", "R")], year), whole("dune\n2021\nr"));
        assert_eq!(key(&[("title", "Dune")], year), begins("dune\n2021\n"));
        // A value of the row is not replaced, even if it is invalid.
        assert_eq!(key(&[("title", "Dune"), ("year", "1984")], year), None);
        assert_eq!(key(&[("title", "Dune"), ("year", "x")], year), None);
        for useless in [&[("year", "x")], &[("year", "")], &[("durationMinutes", "90")]] {
            assert_eq!(key(&[("title", "Dune"), ("year", "")], useless), None, "{useless:?}");
        }
        let category = read::<Category>(&[("description", "Drama")]);
        let defaults = read::<Category>(&[("type", "MOVIE")]);
        assert_eq!(category.natural_key::<Category>(), None);
        assert_eq!(category.filled_key::<Category>(&defaults), whole("MOVIE\ndrama"));
    }

    #[test]
    fn empty_cells_of_the_natural_key_leave_an_item_as_it_is() {
        let mut film = object(&Movie::sample());
        let before = film.clone();
        let mut draft = read::<Movie>(&[("title", "Dune"), ("year", ""), ("reference", ""), ("actors", "")]);
        draft.keep_key::<Movie>();
        draft.apply(&mut film);
        assert_eq!((&film["year"], &film["reference"]), (&before["year"], &before["reference"]));
        assert_eq!((&film["title"], &film["actors"]), (&json!("Dune"), &Value::Null));
    }

    macro_rules! every_kind {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
            #[test]
            fn every_kind_has_a_line_of_its_key_for_each_field_and_imports_writable_fields() {
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
