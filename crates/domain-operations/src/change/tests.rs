//! Changes, their validation and their effect on items.

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
    let urls = json!([{"quality": null, "url": "http://c.d/1"}, {"quality": "HD", "url": "http://c.d/2"}]);
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
    let set = json!({"type": "SET", "set": {"status": "ACTIVE", "registeredBy": null, "roleCode": "app"}});
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
