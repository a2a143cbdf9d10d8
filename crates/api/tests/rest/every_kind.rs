//! For every kind of content, over the API, on both databases: create to delete, order by every
//! field, search, pages, bounds on both sides, unknown fields, references, and permissions.

use domain_catalogue::{CategoryType, Content, DuplicateReason, Kind, Reference, duplicate_reasons};
use domain_kernel::Enumeration;
use domain_live::link::LinkOwner;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

macro_rules! samples {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        /// The sample of a kind, and its references.
        fn sample(kind: Kind) -> (Value, Vec<Reference>) {
            match kind {
                $(Kind::$kind => {
                    let sample = domain_catalogue::$type::sample();
                    (serde_json::to_value(&sample).unwrap(), sample.references())
                })+
            }
        }
    };
}
domain_catalogue::for_each_kind!(samples);

#[test]
fn every_kind_with_links_is_probed_and_compared_by_their_addresses() {
    for kind in Kind::ALL {
        let fields = sample(*kind).0;
        let has = |name: &str| fields.get(name).is_some();
        let has_addresses = has("links") || has("streamUrl") || has("urlType");
        assert_eq!(LinkOwner::of(*kind).is_some(), has_addresses, "{kind:?}");
        assert_eq!(duplicate_reasons(*kind).contains(&DuplicateReason::Address), has_addresses, "{kind:?}");
    }
}

/// A valid item, with all referenced items stored.
pub async fn draft(client: &Client<'_>, kind: Kind) -> Value {
    let (mut draft, references) = sample(kind);
    for reference in references {
        let id = match (reference.kind, reference.category_type) {
            (Kind::Categories, Some(category_type)) => {
                let category =
                    json!({"description": "Una", "englishDescription": "One", "type": category_type.code()});
                client.create("categories", &category).await["id"].clone()
            }
            (kind, _) => {
                let target = Box::pin(self::draft(client, kind)).await;
                item(kind, client.create(kind.path(), &target).await)["id"].clone()
            }
        };
        let field = &mut draft[reference.field];
        *field = if field.is_array() { json!([id]) } else { id };
    }
    draft
}

/// Whether items of the kind have categories.
fn has_category(kind: Kind) -> bool {
    sample(kind).1.iter().any(|reference| reference.kind == Kind::Categories)
}

/// The item itself, without the envelope of the response.
pub fn item(kind: Kind, answer: Value) -> Value {
    let field = match kind {
        Kind::Sports => "sport",
        Kind::TvShows => "tvShow",
        _ => return answer,
    };
    match answer.get(field) {
        Some(item) => {
            assert_eq!(answer["success"], true);
            assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()));
            item.clone()
        }
        None => answer,
    }
}

/// The field with the item's name.
const fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Categories => "description",
        Kind::RadioStations => "stationName",
        _ => "title",
    }
}

/// The item with another name and number, so that it conflicts with no other.
pub fn another(kind: Kind, draft: &Value, number: i64) -> Value {
    let mut other = draft.clone();
    other[name_of(kind)] = json!(format!("Corazón {number:03}"));
    for field in ["seasonNumber", "episodeNumber", "channelNumber"] {
        if other.get(field).is_some() {
            other[field] = json!(number + 1);
        }
    }
    other
}

on_both! {
    #[smoke]
    async fn every_kind_is_created_read_changed_and_deleted(app: &TestApp) {
        let client = app.manager().await;
        for kind in Kind::ALL.iter().copied() {
            let all = format!("/api/{}", kind.path());
            let draft = draft(&client, kind).await;
            let answer = client.post(&all).header("idempotency-key", kind.path()).json(&draft).send().await;
            assert_eq!(answer.status, 201, "{all}: {}", answer.text());
            let created = item(kind, answer.json());
            let one = format!("{all}/{}", created["id"]);
            assert_eq!(answer.header("location"), Some(one.as_str()));
            let again = client.post(&all).header("idempotency-key", kind.path()).json(&draft).send().await;
            assert_eq!((again.status, again.json()), (201, answer.json()), "{all}: the first response again");

            let found = client.get(&one).send().await;
            assert_eq!(found.json(), created, "{one}");
            assert_eq!(found.header("etag"), Some("\"1\""));
            for (field, value) in draft.as_object().unwrap() {
                if field != "episodeCount" {
                    assert_eq!(created[field], *value, "{one} {field}");
                }
            }

            let put = client.put(&one).header("if-match", "\"1\"").json(&created).send().await;
            assert_eq!(put.status, 200, "{one}: a response can be sent back: {}", put.text());
            let late = client.put(&one).header("if-match", "\"1\"").json(&created).send().await;
            assert_eq!((late.status, &late.json()["current"]["id"]), (412, &created["id"]), "{one}");

            let patch = client.patch(&one).json(&json!({name_of(kind): "Otro nombre"})).send().await;
            assert_eq!(item(kind, patch.json())[name_of(kind)], "Otro nombre", "{one}: {}", patch.text());
            let hidden = client.patch(&format!("{one}/status")).json(&json!({"active": false})).send().await;
            assert_eq!((hidden.status, &hidden.json()["active"]), (200, &json!(false)), "{one}");

            assert_eq!(client.delete(&one).send().await.status, 204, "{one}");
            let gone = client.get(&one).send().await;
            assert_eq!((gone.status, gone.code().as_str()), (404, "NOT_FOUND"), "{one}");
            assert!(!gone.json()["message"].as_str().unwrap().contains("NOT_FOUND"), "{one} has a text");
        }
    }

    #[smoke]
    async fn lists_are_ordered_searched_and_paged(app: &TestApp) {
        let client = app.manager().await;
        for kind in Kind::ALL.iter().copied() {
            let all = format!("/api/{}", kind.path());
            let first = draft(&client, kind).await;
            let before = client.count(kind.path()).await;
            for number in 0..13 {
                let answer = client.post(&all).json(&another(kind, &first, number)).send().await;
                assert_eq!(answer.status, 201, "{all}: {}", answer.text());
            }
            for field in sortable(kind) {
                let mut seen = Vec::new();
                for page in 0..=before / 5 + 3 {
                    let path = format!("{all}?_sort=-{field}&_size=5&_page={page}");
                    let answer = client.get(&path).send().await;
                    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
                    assert_eq!(answer.json()["totalElements"], before + 13, "{path}");
                    seen.extend(answer.json()["content"].as_array().unwrap().iter().map(|row| row["id"].to_string()));
                }
                let rows = seen.len();
                seen.sort();
                seen.dedup();
                assert_eq!((rows as u64, seen.len() as u64), (before + 13, before + 13), "{all} by {field}");
            }
            let found = client.get(&format!("{all}?search=CORAZON")).send().await.json();
            assert_eq!(found["totalElements"], 13, "{all}: accents and case don't matter");
            let inactive = client.get(&format!("{all}?active=false")).send().await.json();
            assert_eq!(inactive["totalElements"], 0, "{all}");
            let rows = client.get(&all).send().await.json();
            assert_eq!(rows["size"], if kind == Kind::Sports { 25 } else { 10 }, "{all}");
            for hidden in ["links", "englishSynopsis"] {
                assert!(rows["content"][0].get(hidden).is_none(), "{all} rows have no {hidden}");
            }
            if has_category(kind) {
                assert_eq!(rows["content"][0]["category"]["englishDescription"], "One", "{all}");
            }
        }
    }
}

on_both! {
    async fn links_without_ids_and_dates_keep_their_previous_ones(app: &TestApp) {
        let client = app.manager().await;
        let mut kinds = 0;
        for kind in Kind::ALL.iter().copied() {
            let mut draft = draft(&client, kind).await;
            if !draft["links"].is_array() {
                continue;
            }
            kinds += 1;
            draft["links"][0]["id"] = json!("a");
            let created = item(kind, client.create(kind.path(), &draft).await);
            let one = format!("/api/{}/{}", kind.path(), created["id"]);
            for field in ["id", "createdDate", "updatedDate"] {
                draft["links"][0].as_object_mut().unwrap().remove(field);
            }
            let put = client.put(&one).json(&draft).send().await;
            assert_eq!(put.status, 200, "{one}: {}", put.text());
            assert_eq!(item(kind, put.json())["links"], created["links"], "{one}");
        }
        assert_eq!(kinds, 5);
    }
}

fn sortable(kind: Kind) -> Vec<String> {
    let document = api::document();
    let parameters = document["paths"][format!("/api/{}", kind.path())]["get"]["parameters"].clone();
    let words = parameters.as_array().unwrap().iter().find(|parameter| parameter["name"] == "_sort").unwrap();
    let words = words["description"].as_str().unwrap();
    let fields = words.split("Fields: ").nth(1).unwrap().split(". ").next().unwrap();
    fields.split(", ").map(str::to_owned).collect()
}

/// Values at, below and above each bound of a field in the document.
fn at_bounds(rule: &Value) -> Vec<(Value, bool)> {
    let text = |length: i64| json!("x".repeat(usize::try_from(length.max(0)).unwrap()));
    let mut values = Vec::new();
    if rule["format"] == "uri" || rule["enum"].is_array() || rule["pattern"].is_string() {
        return values;
    }
    if let Some(min) = rule["minLength"].as_i64() {
        values.extend([(text(min), true), (text(min - 1), false)]);
    }
    if let Some(max) = rule["maxLength"].as_i64() {
        values.extend([(text(max), true), (text(max + 1), false)]);
    }
    if let Some(min) = rule["minimum"].as_f64().filter(|_| rule["x-category"].is_null()) {
        values.extend([(number(rule, min), true), (number(rule, min - 1.0), false)]);
    }
    if let Some(max) = rule["maximum"].as_f64() {
        values.extend([(number(rule, max), true), (number(rule, max + 1.0), false)]);
    }
    if rule["minItems"].as_i64() == Some(1) {
        values.push((json!([]), false));
    }
    values
}

#[expect(clippy::cast_possible_truncation, reason = "bounds of integers are integers")]
fn number(rule: &Value, value: f64) -> Value {
    let types = rule["type"].to_string();
    if types.contains("integer") { json!(value as i64) } else { json!(value) }
}

on_both! {
    async fn each_bound_of_each_field_holds_on_both_sides_and_a_refusal_stores_nothing(app: &TestApp) {
        let client = app.manager().await;
        let document = api::document();
        let mut tried = 0;
        for kind in Kind::ALL.iter().copied() {
            let all = format!("/api/{}", kind.path());
            let good = draft(&client, kind).await;
            let schema = &document["components"]["schemas"][kind.singular()];
            for (field, rule) in schema["properties"].as_object().unwrap() {
                // A show's ID is a reference, and the rules of a channel's address depend on its
                // type.
                if field == "tvShowId" || rule["x-address"].is_string() || rule["readOnly"] == true {
                    continue;
                }
                for (value, fits) in at_bounds(rule) {
                    let before = client.count(kind.path()).await;
                    let mut draft = good.clone();
                    draft[field] = value.clone();
                    let answer = client.post(&all).json(&draft).send().await;
                    let name = format!("{all} {field} = {:.40}: {}", value.to_string(), answer.text());
                    tried += 1;
                    if fits {
                        assert_eq!(answer.status, 201, "{name}");
                        let id = item(kind, answer.json())["id"].clone();
                        assert_eq!(client.delete(&format!("{all}/{id}")).send().await.status, 204, "{name}");
                    } else {
                        let broken = answer.field_codes();
                        assert!(broken.iter().any(|(path, _)| path == field), "{name}");
                    }
                    assert_eq!(client.count(kind.path()).await, before, "{name}");
                }
            }
            let mut unknown = good.clone();
            unknown["titel"] = json!("x");
            let answer = client.post(&all).json(&unknown).send().await;
            assert_eq!(answer.field_codes(), [("titel".to_owned(), "UNKNOWN_FIELD".to_owned())], "{all}");
        }
        assert!(tried > 100, "{tried} bounds");
    }

    async fn references_of_an_item_must_exist_and_have_the_right_type(app: &TestApp) {
        let client = app.manager().await;
        for kind in Kind::ALL.iter().copied() {
            let all = format!("/api/{}", kind.path());
            let good = draft(&client, kind).await;
            let mut cases = Vec::new();
            for Reference { field, category_type, .. } in sample(kind).1 {
                let value = |id: Value| if good[field].is_array() { json!([id]) } else { id };
                cases.push((field, value(json!(987_654)), "UNKNOWN_REFERENCE"));
                if let Some(category_type) = category_type {
                    let other = if category_type == CategoryType::Movie { "MUSIC" } else { "MOVIE" };
                    let other = json!({"description": "Otra", "englishDescription": "Other", "type": other});
                    let other = client.create("categories", &other).await["id"].clone();
                    cases.push((field, value(other), "WRONG_CATEGORY_TYPE"));
                }
            }
            for (field, value, code) in cases {
                let mut draft = good.clone();
                draft[field] = value;
                let answer = client.post(&all).json(&draft).send().await;
                assert_eq!(answer.field_codes(), [(field.to_owned(), code.to_owned())], "{all}");
            }
        }
    }
}
