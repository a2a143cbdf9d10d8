//! The document describes exactly the served routes.

use std::{collections::BTreeSet, fs, path::Path};

use domain_catalogue::Kind;
use domain_kernel::RoleCode;
use serde_json::Value;

use crate::app::TestApp;

/// Every operation: method, path and description.
pub fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, item): (&String, &Value)| {
        let operations = item.as_object().unwrap().iter();
        operations
            .map(|(method, operation)| (method.to_uppercase(), path.clone(), operation.clone()))
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

#[test]
fn the_document_in_the_repository_is_the_one_that_is_served() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let kept: Value = serde_json::from_str(&fs::read_to_string(root.join("openapi.json")).unwrap()).unwrap();
    assert!(kept == api::document(), "docs/openapi.json is out of date: run `just generate`");
    let errors = fs::read_to_string(root.join("errors.md")).unwrap();
    assert!(errors == api::openapi::errors_page(), "docs/errors.md is out of date: run `just generate`");
}

#[test]
fn every_kind_has_all_its_operations() {
    let document = api::document();
    for kind in Kind::ALL {
        let path = kind.path();
        for (path, methods) in [
            (format!("/api/{path}"), ["get", "post"].as_slice()),
            (format!("/api/{path}/{{id}}"), &["get", "put", "patch", "delete"]),
            (format!("/api/{path}/{{id}}/status"), &["patch"]),
        ] {
            for method in methods {
                assert!(document["paths"][&path][method].is_object(), "{method} {path}");
            }
        }
    }
}

/// Only these routes export lists, and they record the exports in the audit log.
#[test]
fn only_routes_of_spreadsheets_export_lists() {
    let document = api::document();
    for (method, path, operation) in operations(&document) {
        let is_file = operation["responses"]["200"]["content"]["text/csv"].is_object();
        let is_of_spreadsheets = path.contains("/spreadsheet/") || path.ends_with("/spreadsheet");
        let is_of_lists = path.starts_with("/api/spreadsheets/");
        // A statement and the failures of an operation are not lists.
        let is_no_list =
            ["/api/statements/{username}/export", "/api/operations/{id}/failures"].contains(&path.as_str());
        assert!(!is_file || is_of_spreadsheets || is_of_lists || is_no_list, "{method} {path}");
    }
}

#[test]
fn every_operation_has_its_authorization_and_errors() {
    let document = api::document();
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let name = format!("{method} {path}");
        assert!(
            ids.insert(operation["operationId"].as_str().unwrap().to_owned()),
            "{name}: its id is used twice"
        );
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        let permission =
            operation["x-permission"].as_str().unwrap_or_else(|| panic!("{name} has no authorization"));
        let mut expected: Vec<&str> = match permission {
            "public" => vec![],
            "session" => vec!["401", "500", "503"],
            _ => vec!["401", "403", "500", "503"],
        };
        if operation["requestBody"].is_object() {
            expected.extend(["400", "413", "422"]);
            // A file is recognized by its content, not by its media type.
            let is_file = operation["requestBody"]["content"]["application/octet-stream"].is_object();
            expected.extend((!is_file).then_some("415"));
        }
        if path.contains("{id}") {
            expected.push("404");
        }
        let parameters = operation["parameters"].as_array().unwrap();
        let has = |parameter: &str| parameters.iter().any(|one| one["name"] == parameter);
        if has("If-Match") {
            expected.push("412");
        }
        if has("Idempotency-Key") {
            expected.push("409");
        }
        if has("_sort") {
            expected.push("422");
        }
        for status in expected {
            assert!(operation["responses"][status].is_object(), "{name} does not describe {status}");
        }
        let good = operation["responses"]
            .as_object()
            .unwrap()
            .keys()
            .filter(|status| status.starts_with('2'))
            .count();
        assert_eq!(good, 1, "{name} has one successful response");
        for hole in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
            let described = parameters
                .iter()
                .any(|one| one["name"] == hole && one["in"] == "path" && one["required"] == true);
            assert!(described, "{name}: {hole}");
        }
        let scope = operation["x-scope"].as_str();
        let security = match (permission, scope) {
            ("public", None) => Some(0),
            ("key", Some(_)) => Some(1),
            (_, Some(_)) => Some(2),
            (_, None) => None,
        };
        assert_eq!(operation["security"].as_array().map(Vec::len), security, "{name}");
    }
}

fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_reference_resolves_and_every_schema_is_used() {
    let document = api::document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 50);
    for reference in &found {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} is external"));
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        let reference = format!("#/components/schemas/{name}");
        assert!(found.contains(&reference.as_str()), "{name} is unused");
    }
}

#[test]
fn bounds_are_in_the_document() {
    let document = api::document();
    for (pointer, bound) in [
        ("Movie/properties/title/minLength", 2),
        ("Movie/properties/title/maxLength", 200),
        ("Movie/properties/year/minimum", 1900),
        ("Movie/properties/year/x-maxYearsAhead", 5),
        ("Movie/properties/durationMinutes/minimum", 1),
        ("Movie/properties/reference/maxLength", 100),
        ("Movie/properties/spanishSynopsis/maxLength", 10_000),
        ("Movie/properties/links/minItems", 1),
        ("Link/properties/audioLanguages/minItems", 1),
        ("Category/properties/description/minLength", 2),
        ("Category/properties/englishDescription/maxLength", 100),
        ("WebUrl/maxLength", 2048),
    ] {
        let found = document.pointer(&format!("/components/schemas/{pointer}"));
        assert_eq!(found, Some(&Value::from(bound)), "{pointer}");
    }
}

#[test]
fn every_tag_is_described_and_used() {
    let document = api::document();
    let described: std::collections::BTreeSet<&str> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .inspect(|tag| assert!(!tag["description"].as_str().unwrap().is_empty()))
        .map(|tag| tag["name"].as_str().unwrap())
        .collect();
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    let used: std::collections::BTreeSet<&str> =
        operations.flat_map(|one| one["tags"].as_array().unwrap()).map(|tag| tag.as_str().unwrap()).collect();
    assert_eq!(described, used);
}

/// A blank filter is ignored (docs/spec/rest.md#filters), as documented.
#[actix_web::test]
async fn a_blank_filter_is_none() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Superadmin).await;
    let mut tried = 0;
    for (method, path, operation) in operations(&api::document()) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let (filters, others): (Vec<&Value>, Vec<&Value>) =
            parameters.partition(|parameter| parameter["allowEmptyValue"] == true);
        if method != "GET" || others.iter().any(|other| other["required"] == true) {
            continue;
        }
        for parameter in filters {
            let path = format!("{path}?{}=", parameter["name"].as_str().unwrap());
            let answer = admin.get(&path).send().await;
            assert_ne!(answer.status, 422, "{path}: {}", answer.text());
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}
