//! The change of an operation, applied to one item as JSON. The kind of the item validates the
//! result.

use std::collections::HashSet;

use domain_kernel::{Code, Enumeration, Id, Violation, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ItemKey;

enumeration! {
    /// Type of a bulk change.
    pub enum ChangeType {
        /// Sets fields to a value.
        Set = "SET" ("Cambiar valores", "Set values"),
        /// Adds values to a list.
        Add = "ADD" ("Añadir a una lista", "Add to a list"),
        /// Removes values from a list.
        Remove = "REMOVE" ("Quitar de una lista", "Remove from a list"),
        /// Replaces a text by another wherever it occurs.
        Replace = "REPLACE" ("Buscar y reemplazar", "Find and replace"),
        /// Sets numbers of channels.
        Renumber = "RENUMBER" ("Renumerar", "Renumber"),
        /// Moves the item to the trash.
        Delete = "DELETE" ("Eliminar", "Delete"),
        /// Restores the item from the trash.
        Restore = "RESTORE" ("Restaurar", "Restore"),
    }
}

/// The field of channels that is stored apart from them: all their streams, in order.
pub const STREAMS: &str = "streams";

/// Fields that can be set, if the kind has them. `linkQuality` sets the quality of every link and
/// every stream.
const SETTABLE: &[&str] = &[
    "active",
    "adultContent",
    "categories",
    "categoryId",
    "classification",
    "country",
    "englishOnly",
    "gzip",
    "kidsContent",
    "linkQuality",
    "monoAudio",
    "status",
    "tvGuideId",
];
/// Fields of users that can be set.
const SETTABLE_OF_USERS: &[&str] = &["registeredBy", "roleCode", "status"];
/// Fields of reports that can be set.
const SETTABLE_OF_REPORTS: &[&str] = &["assignedTo", "notes", "priority", "status"];
/// Lists with values that can be added and removed, if the kind has them.
const LISTS: &[&str] = &["categories", "genres"];
/// Texts that can be searched, if the kind has them. `links` stands for the URLs of links, `streams`
/// for those of all streams of a channel.
const TEXTS: &[&str] = &[
    "backgroundImageUrl",
    "coverImageUrl",
    "description",
    "englishDescription",
    "epgId",
    "imageUrl",
    "links",
    "reference",
    "stationLogo",
    "stationName",
    "streamUrl",
    STREAMS,
    "title",
    "trailerUrl",
    "url",
];

/// A bulk change. Required fields depend on the type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct BulkChange {
    /// Type of the change.
    #[garde(skip)]
    #[serde(rename = "type")]
    pub change_type: ChangeType,
    /// For `SET`: fields with their values.
    #[garde(custom(only_for(self.change_type, &[ChangeType::Set])))]
    pub set: Option<Map<String, Value>>,
    /// For `ADD` and `REMOVE`: the list, `genres` or `categories`.
    #[garde(custom(only_for(self.change_type, &[ChangeType::Add, ChangeType::Remove])))]
    pub list: Option<String>,
    /// For `ADD` and `REMOVE`: the values.
    #[garde(custom(only_for(self.change_type, &[ChangeType::Add, ChangeType::Remove])))]
    pub values: Option<Vec<Value>>,
    /// For `REMOVE` from `categories`: the id of the category that takes the place of the removed
    /// ones; missing for none.
    #[garde(custom(not_for_others(self.change_type, ChangeType::Remove)))]
    #[schemars(range(min = 1))]
    pub replace_with: Option<Id>,
    /// For `REPLACE`: the fields to search.
    #[garde(custom(only_for(self.change_type, &[ChangeType::Replace])))]
    pub fields: Option<Vec<String>>,
    /// For `REPLACE`: the exact text to find.
    #[garde(
        inner(length(chars, min = 1, max = 2048)),
        custom(only_for(self.change_type, &[ChangeType::Replace]))
    )]
    #[schemars(length(min = 1, max = 2048), extend("x-verbatim" = true))]
    pub find: Option<String>,
    /// For `REPLACE`: the replacement; missing for none.
    #[garde(inner(length(chars, max = 2048)))]
    #[schemars(length(max = 2048), extend("x-verbatim" = true))]
    pub replacement: Option<String>,
    /// For `RENUMBER`: channels with their numbers. Other channels of the request keep theirs.
    #[garde(
        inner(length(min = 1, max = 10_000)),
        custom(only_for(self.change_type, &[ChangeType::Renumber]))
    )]
    #[schemars(length(min = 1, max = 10_000))]
    pub numbers: Option<Vec<ItemNumber>>,
}

/// A channel with its new number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemNumber {
    /// Id of the channel.
    pub id: Id,
    /// Number on the remote control.
    pub number: i32,
}

const LINKS: &str = "links";
const LINK_QUALITY: &str = "linkQuality";

/// The field that `RENUMBER` changes.
const NUMBER: &str = "channelNumber";

/// A field is allowed for these types of change only.
fn only_for<T>(
    found: ChangeType,
    types: &'static [ChangeType],
) -> impl FnOnce(&Option<T>, &()) -> garde::Result {
    move |value, ()| match (value.is_some(), types.contains(&found)) {
        (false, true) => Err(fault(Code::Required, &[])),
        (true, false) => Err(fault(Code::UnknownField, &[])),
        _ => Ok(()),
    }
}

/// An optional field of one type of change.
fn not_for_others<T>(
    found: ChangeType,
    allowed: ChangeType,
) -> impl FnOnce(&Option<T>, &()) -> garde::Result {
    move |value, ()| match value {
        Some(_) if found != allowed => Err(fault(Code::UnknownField, &[])),
        _ => Ok(()),
    }
}

impl BulkChange {
    /// Violations of a change of users.
    pub fn faults_for_users(&self) -> Vec<Violation> {
        self.faults_of_set(SETTABLE_OF_USERS, &[ChangeType::Set])
    }

    /// Violations of a change of reports.
    pub fn faults_for_reports(&self) -> Vec<Violation> {
        if self.deletes() {
            return Vec::new();
        }
        self.faults_of_set(SETTABLE_OF_REPORTS, &[ChangeType::Set, ChangeType::Delete])
    }

    /// Violations of a change that may only set some of these fields.
    fn faults_of_set(&self, settable: &[&str], types: &[ChangeType]) -> Vec<Violation> {
        let Some(set) = &self.set else {
            let allowed: Vec<&str> = types.iter().map(|change_type| change_type.code()).collect();
            return vec![Violation::new("action.type", Code::UnknownValue).with("allowed", allowed)];
        };
        if set.is_empty() {
            return vec![Violation::new("action.set", Code::Required)];
        }
        let unknown = set.keys().filter(|name| !settable.contains(&name.as_str()));
        unknown
            .map(|name| {
                let violation = Violation::new(format!("action.set.{name}"), Code::UnknownValue);
                violation.with("allowed", settable.to_vec())
            })
            .collect()
    }

    /// Violations of a change of a kind of content with these fields.
    pub fn faults(&self, has: impl Fn(&str) -> bool) -> Vec<Violation> {
        let known = |name: &str, all: &[&str]| all.contains(&name) && (has(name) || is_of_links(name, &has));
        let unknown = |path: String, all: &[&str]| {
            let allowed: Vec<&str> = all.iter().copied().filter(|name| known(name, all)).collect();
            Violation::new(path, Code::UnknownValue).with("allowed", allowed)
        };
        let mut faults = Vec::new();
        if let Some(set) = &self.set {
            if set.is_empty() {
                faults.push(Violation::new("action.set", Code::Required));
            }
            let names = set.keys().filter(|name| !known(name, SETTABLE));
            faults.extend(names.map(|name| unknown(format!("action.set.{name}"), SETTABLE)));
        }
        if let Some(list) = self.list.as_deref().filter(|list| !known(list, LISTS)) {
            let _ = list;
            faults.push(unknown("action.list".into(), LISTS));
        }
        if self.replace_with.is_some() && self.list.as_deref() != Some("categories") {
            faults.push(Violation::new("action.replaceWith", Code::UnknownField));
        }
        if self.values.as_ref().is_some_and(Vec::is_empty) {
            faults.push(Violation::new("action.values", Code::Required));
        }
        if let Some(fields) = &self.fields {
            if fields.is_empty() {
                faults.push(Violation::new("action.fields", Code::Required));
            }
            let wrong = fields.iter().enumerate().filter(|(_, name)| !known(name, TEXTS));
            faults.extend(wrong.map(|(index, _)| unknown(format!("action.fields[{index}]"), TEXTS)));
        }
        if let Some(numbers) = &self.numbers {
            if !has(NUMBER) {
                faults.push(Violation::new("action.type", Code::UnknownValue));
            }
            let mut seen = HashSet::new();
            let twice = numbers.iter().position(|one| !seen.insert(one.id));
            faults.extend(
                twice.map(|index| Violation::new(format!("action.numbers[{index}].id"), Code::Duplicate)),
            );
        }
        faults
    }

    /// Whether it changes streams of channels, which are read for such changes only.
    pub fn concerns_streams(&self) -> bool {
        self.set.iter().flatten().any(|(name, _)| name == LINK_QUALITY)
            || self.fields.iter().flatten().any(|name| name == STREAMS)
    }

    /// Whether it only activates or deactivates items.
    pub fn only_toggles(&self) -> bool {
        self.set.as_ref().is_some_and(|set| set.keys().all(|name| name == "active"))
    }

    /// Whether it deletes items.
    pub fn deletes(&self) -> bool {
        self.change_type == ChangeType::Delete
    }

    /// Whether it restores items from the trash.
    pub fn restores(&self) -> bool {
        self.change_type == ChangeType::Restore
    }

    /// Applies the change to one item. Deletions and restorations do not change the content.
    pub fn apply(&self, key: &ItemKey, item: &mut Map<String, Value>) {
        match self.change_type {
            ChangeType::Renumber => {
                if let Some(one) = self.numbers.iter().flatten().find(|one| key.number() == Some(one.id)) {
                    item.insert(NUMBER.to_owned(), one.number.into());
                }
            }
            ChangeType::Set => {
                for (name, value) in self.set.iter().flatten() {
                    if name == LINK_QUALITY {
                        for link in objects(item, LINKS) {
                            set_in_link(link, "quality", value);
                        }
                        for stream in objects(item, STREAMS) {
                            stream.insert("quality".to_owned(), value.clone());
                        }
                    } else {
                        item.insert(name.clone(), value.clone());
                    }
                }
            }
            ChangeType::Delete | ChangeType::Restore => {}
            ChangeType::Add | ChangeType::Remove => self.change_list(item),
            ChangeType::Replace => {
                for name in self.fields.iter().flatten() {
                    if name == STREAMS {
                        for stream in objects(item, STREAMS) {
                            if let Some(url) = stream.get("url").and_then(|url| self.replaced(url)) {
                                stream.insert("url".to_owned(), url);
                            }
                        }
                    } else if name == LINKS {
                        for link in objects(item, LINKS) {
                            let url = link.get("url").and_then(|url| self.replaced(url));
                            if let Some(url) = url {
                                set_in_link(link, "url", &url);
                            }
                        }
                    } else if let Some(text) = item.get(name).and_then(|text| self.replaced(text)) {
                        item.insert(name.clone(), text);
                    }
                }
            }
        }
    }

    fn change_list(&self, item: &mut Map<String, Value>) {
        let Some(name) = &self.list else { return };
        let mut list = item.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        for value in self.values.iter().flatten() {
            let known = list.contains(value);
            match self.change_type {
                ChangeType::Add if !known => list.push(value.clone()),
                ChangeType::Remove if known => match self.replace_with {
                    Some(id) => replace_in(&mut list, value, &id.into()),
                    None => list.retain(|one| one != value),
                },
                _ => {}
            }
        }
        item.insert(name.clone(), Value::Array(list));
    }

    /// The text after the replacement; `None` if it does not occur.
    fn replaced(&self, text: &Value) -> Option<Value> {
        let (text, find) = (text.as_str()?, self.find.as_deref()?);
        let replacement = self.replacement.as_deref().unwrap_or_default();
        text.contains(find).then(|| Value::from(text.replace(find, replacement)))
    }
}

/// Replaces a value by another at its position, which the list has once.
fn replace_in(list: &mut Vec<Value>, value: &Value, by: &Value) {
    let mut replaced = Vec::with_capacity(list.len());
    for one in list.drain(..) {
        let one = if one == *value { by.clone() } else { one };
        if !replaced.contains(&one) {
            replaced.push(one);
        }
    }
    *list = replaced;
}

/// Whether the name is a part of links or streams, and the kind has those.
fn is_of_links(name: &str, has: &impl Fn(&str) -> bool) -> bool {
    name == LINK_QUALITY && (has(LINKS) || has(STREAMS))
}

/// The objects in this list of an item.
fn objects<'a>(
    item: &'a mut Map<String, Value>,
    list: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> + use<'a> {
    let objects = item.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    objects.filter_map(Value::as_object_mut)
}

/// A changed link loses its date, which the server sets.
fn set_in_link(link: &mut Map<String, Value>, name: &str, value: &Value) {
    if link.get(name) != Some(value) {
        link.insert(name.to_owned(), value.clone());
        link.remove("updatedDate");
    }
}

#[cfg(test)]
mod tests;
