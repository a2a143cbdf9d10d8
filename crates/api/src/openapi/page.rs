//! The document as a page to read: plain HTML, no scripts, nothing from elsewhere.

use serde_json::Value;

/// `/api/docs`.
pub(crate) fn readable(document: &Value) -> String {
    let mut html = String::from(HEAD);
    let mut push = |text: &str| html.push_str(text);
    push(&format!(
        "<h1>{}</h1><p>{}</p>",
        escape(&document["info"]["title"]),
        escape(&document["info"]["description"])
    ));
    push("<p>As OpenAPI 3.1: <a href=\"/api/openapi.json\">/api/openapi.json</a></p><h2>Calls</h2>");
    for (path, item) in entries(&document["paths"]) {
        for (method, operation) in entries(item) {
            push(&format!(
                "<details id=\"{id}\"><summary><b>{}</b> <code>{}</code> {}</summary>",
                method.to_uppercase(),
                escape_text(path),
                escape(&operation["summary"]),
                id = escape(&operation["operationId"]),
            ));
            push(&format!(
                "<p>{}</p><p>Permission: <code>{}</code></p>",
                escape(&operation["description"]),
                escape(&operation["x-permission"])
            ));
            let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
            if !parameters.is_empty() {
                push("<table><tr><th>Parameter</th><th>In</th><th>Rules</th><th></th></tr>");
                for parameter in parameters {
                    push(&format!(
                        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                        escape(&parameter["name"]),
                        escape(&parameter["in"]),
                        rules(&parameter["schema"]),
                        escape(&parameter["description"]),
                    ));
                }
                push("</table>");
            }
            if let Some(schema) = operation["requestBody"]["content"]["application/json"].get("schema") {
                push(&format!("<p>Body: {}</p>", rules(schema)));
            }
            push("<table><tr><th>Answer</th><th></th><th>Body</th></tr>");
            for (status, response) in entries(&operation["responses"]) {
                let shared =
                    response["$ref"].as_str().and_then(|path| document.pointer(path.trim_start_matches('#')));
                let response = shared.unwrap_or(response);
                let schema = entries(&response["content"]).next().map(|(_, media)| rules(&media["schema"]));
                push(&format!(
                    "<tr><td>{status}</td><td>{}</td><td>{}</td></tr>",
                    escape(&response["description"]),
                    schema.unwrap_or_default(),
                ));
            }
            push("</table></details>");
        }
    }
    push("<h2>Shapes</h2>");
    for (name, schema) in entries(&document["components"]["schemas"]) {
        push(&format!(
            "<details id=\"{name}\"><summary><b>{name}</b></summary><p>{}</p>",
            escape(&schema["description"])
        ));
        if schema["properties"].is_object() {
            push("<table><tr><th>Field</th><th>Required</th><th>Rules</th><th></th></tr>");
            for (field, property) in entries(&schema["properties"]) {
                let required =
                    schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == field));
                push(&format!(
                    "<tr><td><code>{field}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    if required { "yes" } else { "" },
                    rules(property),
                    escape(&property["description"]),
                ));
            }
            push("</table>");
        } else {
            push(&format!("<p>{}</p>", rules(schema)));
        }
        push("</details>");
    }
    push("<h2>Errors</h2><table><tr><th>Code</th><th>Meaning</th></tr>");
    for code in domain_kernel::Code::ALL {
        push(&format!(
            "<tr id=\"{0}\"><td><code>{0}</code></td><td>{1}</td></tr>",
            code.as_str(),
            escape_text(code.meaning())
        ));
    }
    push("</table></main></html>");
    html
}

const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
<title>Cartelera API</title><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}\
main{max-width:72rem;margin:auto;padding:1.5rem}details{border-bottom:1px solid #8884;padding:.5rem 0}summary{cursor:pointer}\
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;\
border-bottom:1px solid #8883}code{overflow-wrap:anywhere}</style><main>";

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn escape(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escape_text(text),
        other => escape_text(&other.to_string()),
    }
}

/// A schema in a few words: its type and its bounds.
fn rules(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(rules).collect::<Vec<_>>().join(" or ");
    }
    let mut parts = vec![match &schema["type"] {
        Value::Array(types) => types.iter().map(escape).collect::<Vec<_>>().join(" or "),
        other => escape(other),
    }];
    if schema["items"].is_object() {
        parts.push(format!("of {}", rules(&schema["items"])));
    }
    for (key, words) in [
        ("format", ""),
        ("minLength", "at least "),
        ("maxLength", "at most "),
        ("minimum", "≥ "),
        ("maximum", "≤ "),
        ("minItems", "at least "),
        ("maxItems", "at most "),
        ("pattern", ""),
        ("default", "default "),
        ("enum", "one of "),
        ("x-maxYearsAhead", "years ahead ≤ "),
        ("x-decimals", "decimals ≤ "),
        ("x-schemes", "schemes "),
    ] {
        if let Some(value) = schema.get(key) {
            parts.push(format!("{words}{}", escape(value)));
        }
    }
    parts.join(", ")
}
