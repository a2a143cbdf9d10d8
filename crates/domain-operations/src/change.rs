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
mod tests {
    use serde_json::json;

    use super::*;

    fn change(json: Value) -> BulkChange {
        serde_json::from_value(json).unwrap()
    }

    fn changed(action: Value, item: Value) -> Value {
        let Value::Object(mut item) = item else { unreachable!("an item is an object") };
        change(action).apply(&ItemKey::Number(7), &mut item);
        item.into()
    }

    fn faults(action: Value) -> Vec<(String, &'static str)> {
        let has = |name: &str| ["active", "categoryId", "genres", "links", "title"].contains(&name);
        change(action).faults(has).into_iter().map(|fault| (fault.field, fault.code.as_str())).collect()
    }

    #[test]
    fn values_are_set() {
        let item = json!({"active": true, "title": "x"});
        let set = json!({"type": "SET", "set": {"active": false, "categoryId": 7}});
        assert_eq!(changed(set, item), json!({"active": false, "title": "x", "categoryId": 7}));
    }

    #[test]
    fn the_quality_of_every_link_is_set_and_only_changed_links_get_a_new_date() {
        let links = json!({"links": [
            {"quality": "HD", "updatedDate": "a"}, {"quality": "4K", "updatedDate": "b"}]});
        let set = json!({"type": "SET", "set": {"linkQuality": "4K"}});
        let expected = json!({"links": [{"quality": "4K"}, {"quality": "4K", "updatedDate": "b"}]});
        assert_eq!(changed(set, links), expected);
    }

    #[test]
    fn the_url_and_the_quality_of_every_stream_of_a_channel_are_changed() {
        let channel = || {
            json!({"url": "http://a.b/1", "streams": [
                {"quality": null, "url": "http://a.b/1"}, {"quality": "HD", "url": "http://a.b/2"}]})
        };
        let replace = json!({"type": "REPLACE", "fields": ["streams"], "find": "a.b", "replacement": "c.d"});
        let urls =
            json!([{"quality": null, "url": "http://c.d/1"}, {"quality": "HD", "url": "http://c.d/2"}]);
        assert_eq!(changed(replace.clone(), channel())["streams"], urls);
        let set = json!({"type": "SET", "set": {"linkQuality": "4K"}});
        let qualities =
            json!([{"quality": "4K", "url": "http://a.b/1"}, {"quality": "4K", "url": "http://a.b/2"}]);
        assert_eq!(changed(set.clone(), channel())["streams"], qualities);
        let titles = json!({"type": "REPLACE", "fields": ["title"], "find": "a"});
        for (action, concerned) in [(replace, true), (set, true), (titles, false)] {
            let action = change(action);
            assert_eq!(action.concerns_streams(), concerned, "{action:?}");
            assert!(action.faults(|name| ["streams", "title"].contains(&name)).is_empty(), "{action:?}");
        }
    }

    #[test]
    fn values_are_added_to_lists_and_removed_each_once() {
        let item = || json!({"genres": ["A", "B"]});
        let with = |change_type: &str, values: Value| {
            changed(json!({"type": change_type, "list": "genres", "values": values}), item())
        };
        assert_eq!(with("ADD", json!(["B", "C", "C"])), json!({"genres": ["A", "B", "C"]}));
        assert_eq!(with("REMOVE", json!(["A", "D"])), json!({"genres": ["B"]}));
    }

    #[test]
    fn a_removed_category_is_replaced_by_another_at_its_position_once() {
        let with = |categories: Value| {
            let action = json!({"type": "REMOVE", "list": "categories", "values": [1], "replaceWith": 2});
            changed(action, json!({"categories": categories}))["categories"].clone()
        };
        assert_eq!(with(json!([3, 1])), json!([3, 2]));
        assert_eq!(with(json!([3, 1, 2])), json!([3, 2]));
        assert_eq!(with(json!([2, 1, 3])), json!([2, 3]));
        assert_eq!(with(json!([3])), json!([3]));
    }

    #[test]
    fn a_text_is_replaced_as_it_is_in_titles_and_addresses_of_links() {
        let item = json!({"title": "a.b a.b", "links": [
            {"url": "http://a.b/1", "updatedDate": "x"}, {"url": "http://c/2", "updatedDate": "y"}]});
        let replace = |find: &str, replacement: Option<&str>| {
            let fields = json!(["title", "links", "trailerUrl"]);
            changed(
                json!({"type": "REPLACE", "fields": fields, "find": find, "replacement": replacement}),
                item.clone(),
            )
        };
        let expected = json!({"title": "c c", "links": [
            {"url": "http://c/1"}, {"url": "http://c/2", "updatedDate": "y"}]});
        assert_eq!(replace("a.b", Some("c")), expected);
        assert_eq!(replace("A.B", Some("c")), item, "case counts");
        assert_eq!(replace("a.b ", None)["title"], "a.b");
    }

    #[test]
    fn users_and_reports_have_fields_of_their_own_and_no_other_change() {
        let of = |faults: Vec<Violation>| -> Vec<(String, &'static str)> {
            faults.into_iter().map(|fault| (fault.field, fault.code.as_str())).collect()
        };
        let users = |action: Value| of(change(action).faults_for_users());
        let reports = |action: Value| of(change(action).faults_for_reports());
        let set =
            json!({"type": "SET", "set": {"status": "ACTIVE", "registeredBy": null, "roleCode": "app"}});
        assert_eq!(users(set), []);
        let unknown = vec![("action.set.fullName".to_owned(), "UNKNOWN_VALUE")];
        assert_eq!(users(json!({"type": "SET", "set": {"fullName": "x"}})), unknown);
        for other in ["DELETE", "RESTORE"] {
            assert_eq!(users(json!({"type": other})), [("action.type".into(), "UNKNOWN_VALUE")]);
        }
        let set = json!({"type": "SET", "set": {"status": "CERRADO", "assignedTo": null, "priority": "LOW", "notes": "x"}});
        assert_eq!(reports(set), []);
        assert_eq!(reports(json!({"type": "SET", "set": {}})), [("action.set".into(), "REQUIRED")]);
        assert_eq!(reports(json!({"type": "DELETE"})), []);
        assert_eq!(reports(json!({"type": "RESTORE"})), [("action.type".into(), "UNKNOWN_VALUE")]);
    }

    #[test]
    fn named_channels_get_their_number_and_others_keep_theirs() {
        let to = |numbers: Value| {
            changed(json!({"type": "RENUMBER", "numbers": numbers}), json!({"channelNumber": 1}))
        };
        let both = json!([{"id": 3, "number": 50}, {"id": 7, "number": 51}]);
        assert_eq!(to(both), json!({"channelNumber": 51}));
        assert_eq!(to(json!([{"id": 3, "number": 50}])), json!({"channelNumber": 1}));
    }

    #[test]
    fn numbers_are_for_kinds_that_have_them_and_each_channel_is_named_once() {
        let faults = |field: &str, numbers: Value| {
            let change = change(json!({"type": "RENUMBER", "numbers": numbers}));
            let found = change.faults(|name| name == field);
            found.into_iter().map(|fault| (fault.field, fault.code.as_str())).collect::<Vec<_>>()
        };
        let one = json!([{"id": 3, "number": 50}]);
        assert_eq!(faults("channelNumber", one.clone()), []);
        assert_eq!(faults("title", one), [("action.type".to_owned(), "UNKNOWN_VALUE")]);
        let twice = json!([{"id": 3, "number": 50}, {"id": 3, "number": 51}]);
        let fault = ("action.numbers[1].id".to_owned(), "DUPLICATE");
        assert_eq!(faults("channelNumber", twice), [fault]);
    }

    #[test]
    fn a_field_that_the_kind_lacks_or_that_is_not_for_bulk_is_refused() {
        assert_eq!(faults(json!({"type": "SET", "set": {"active": true, "linkQuality": "HD"}})), []);
        let unknown = |field: &str| vec![(field.to_owned(), "UNKNOWN_VALUE")];
        assert_eq!(faults(json!({"type": "SET", "set": {"title": "x"}})), unknown("action.set.title"));
        assert_eq!(faults(json!({"type": "SET", "set": {"country": "x"}})), unknown("action.set.country"));
        assert_eq!(faults(json!({"type": "SET", "set": {}})), [("action.set".into(), "REQUIRED")]);
        assert_eq!(faults(json!({"type": "DELETE"})), []);
        assert_eq!(faults(json!({"type": "RESTORE"})), []);
        let list = json!({"type": "ADD", "list": "categories", "values": [1]});
        assert_eq!(faults(list), unknown("action.list"));
        let fields = json!({"type": "REPLACE", "fields": ["title", "url"], "find": "x"});
        assert_eq!(faults(fields), unknown("action.fields[1]"));
    }
}
