//! Settings that two servers save at once: of two changes of the same version one is refused, and each
//! one that is acknowledged is in the audit log with the values that it replaced.

use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::{
    harness::{Client, TestDb, on_both_databases, rounds},
    live_edits::Two,
};

fn general_settings(number: u32) -> Value {
    json!({
        "itemsPerPage": 1 + number % 1_000, "monthlyCreditsPrice": f64::from(number) + 0.25,
        "annualCreditsPrice": f64::from(number % 3), "maxTransactionsPerAgent": 12 + number % 2,
        "allowedPeriods": {"months": number.is_multiple_of(2), "years": true},
    })
}

fn alert_message(number: u32) -> Value {
    json!({"message": format!("Aviso {number}")})
}

/// The address is removed by every third change.
fn base_url(number: u32) -> Value {
    let address = format!("https://{number}.example/");
    json!({"baseUrl": (!number.is_multiple_of(3)).then_some(address)})
}

/// Whether an object has these values.
fn has(found: &Value, values: &Value) -> bool {
    values.as_object().unwrap().iter().all(|(field, value)| found[field] == *value)
}

/// The changes of a resource in the audit log, oldest first.
async fn logged(admin: &Client, url: &str, resource: &str) -> Vec<Value> {
    let mut entries = Vec::new();
    for page in 0.. {
        let path = format!("/audit?resource={resource}&action=UPDATED&_size=100&_page={page}");
        let (_, found) = admin.get(url, &path).await;
        let found = found["content"].as_array().unwrap();
        entries.extend(found.iter().cloned());
        if found.len() < 100 {
            break;
        }
    }
    entries.reverse();
    entries
}

/// Requires that each logged change replaced the values of the ones before, and returns the last values.
fn replayed(mut values: Map<String, Value>, entries: &[Value]) -> Map<String, Value> {
    for entry in entries {
        let part = |name: &str| entry[name].as_object().cloned().unwrap_or_default();
        let (before, after) = (part("before"), part("after"));
        assert_ne!(before, after, "{entry}");
        for field in before.keys().chain(after.keys()) {
            let replaced = before.get(field).unwrap_or(&Value::Null);
            assert_eq!(values.get(field).unwrap_or(&Value::Null), replaced, "{field}: {entry}");
        }
        for field in before.keys().chain(after.keys()) {
            values.insert(field.clone(), after.get(field).cloned().unwrap_or_default());
        }
    }
    values
}

/// Concurrent changes without a version, which are both made, one after the other.
async fn both_are_made(two: &Two, path: &str, bodies: [&Value; 2]) {
    let put = |at: usize| two.send(at, Method::PUT, path, bodies[at]);
    let (one, other) = tokio::join!(put(0), put(1));
    for ((status, answer), body) in [one, other].into_iter().zip(bodies) {
        assert_eq!(status, 200, "{answer}");
        assert!(has(&answer, body), "{answer} {body}");
    }
    let (admin, url) = two.first();
    let (_, found) = admin.get(url, path).await;
    assert!(bodies.iter().any(|body| has(&found, body)), "{found} {bodies:?}");
}

/// Changes of the same version, and changes without one, of what is at this path. Each has another value
/// of the field.
async fn changes_of_versions_are_logged(
    two: &Two,
    (path, resource, field): (&str, &str, &str),
    body: impl Fn(u32) -> Value,
) {
    let (admin, url) = two.first();
    let (_, first) = admin.get(url, path).await;
    let mut made = Vec::new();
    let mut number = 0;
    let mut bodies = || {
        number += 2;
        [body(number), body(number + 1)]
    };
    for round in 0..rounds(12) {
        let (_, before) = admin.get(url, path).await;
        let changes = bodies();
        let (won, refused) = two.race(path, &before["version"], [&changes[0], &changes[1]]).await;
        assert_eq!(refused, 412, "round {round}");
        let (_, found) = admin.get(url, path).await;
        assert!(has(&found, &changes[won]), "round {round}: {found} {}", changes[won]);
        made.push(changes[won][field].to_string());

        let changes = bodies();
        both_are_made(two, path, [&changes[0], &changes[1]]).await;
        made.extend(changes.iter().map(|change| change[field].to_string()));
    }
    let entries = logged(admin, url, resource).await;
    let versions: Vec<u64> = entries.iter().map(|entry| entry["version"].as_u64().unwrap()).collect();
    assert!(versions.iter().copied().eq(2..2 + made.len() as u64), "{versions:?}");
    let last = replayed(first.as_object().unwrap().clone(), &entries);
    let (_, found) = admin.get(url, path).await;
    let fields = body(0);
    for field in fields.as_object().unwrap().keys() {
        assert_eq!(found[field], last[field], "{field}");
    }
    let mut logged: Vec<String> = entries.iter().map(|entry| entry["after"][field].to_string()).collect();
    logged.sort();
    made.sort();
    assert_eq!(logged, made);
}

/// The base URL has no version, and no row where it is not set.
async fn changes_of_the_base_url_are_logged(two: &Two) {
    let (admin, url) = two.first();
    let mut made = Vec::new();
    for number in (0..).step_by(2).take(rounds(18)) {
        let changes = [base_url(number), base_url(number + 1)];
        both_are_made(two, "/channels-base-url", [&changes[0], &changes[1]]).await;
        made.extend(changes.iter().filter_map(|change| change["baseUrl"].as_str().map(str::to_owned)));
    }
    let entries = logged(admin, url, "channels-base-url").await;
    let last = replayed(Map::new(), &entries);
    let (_, found) = admin.get(url, "/channels-base-url").await;
    assert_eq!(last.values().collect::<Vec<_>>(), [&found["baseUrl"]]);
    let values = entries.iter().filter_map(|entry| entry["after"].as_object()?.values().next()?.as_str());
    let mut logged: Vec<&str> = values.collect();
    logged.sort_unstable();
    made.sort();
    assert_eq!(logged, made);
}

on_both_databases! {
    async fn changes_of_settings_at_two_servers_are_logged_with_what_they_replaced(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        let of_settings = ("/app-settings", "app-settings", "monthlyCreditsPrice");
        changes_of_versions_are_logged(&two, of_settings, general_settings).await;
        let stored = admin.post(url, "/alert-messages", &alert_message(0)).await;
        let path = format!("/alert-messages/{}", stored["id"]);
        changes_of_versions_are_logged(&two, (&path, "alert-messages", "message"), alert_message).await;
        changes_of_the_base_url_are_logged(&two).await;
        two.stop();
    }
}
