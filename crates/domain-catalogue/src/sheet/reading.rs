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
mod tests;
