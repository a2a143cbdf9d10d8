//! The document as an HTML page without scripts or external resources.

use serde_json::Value;

/// `/api/docs`: the operations by tag; with `search`, those that have it in their path, summary or
/// description.
pub(crate) fn readable(document: &Value, search: &str) -> String {
    let search = search.trim();
    let mut html = String::from(HEAD);
    add(
        &mut html,
        &format!(
            "<form role=\"search\"><label for=\"q\">Search</label> <input id=\"q\" name=\"q\" type=\"search\" value=\"{}\" \
         placeholder=\"Path, summary or scope\"> <button>Search</button></form></header><main><h1>{}</h1><p>{}</p>\
         <p>As OpenAPI 3.1: <a href=\"/api/openapi.json\">/api/openapi.json</a></p>",
            escape_text(search),
            escape(&document["info"]["title"]),
            prose(&document["info"]["description"]),
        ),
    );
    let groups = groups(document, &search.to_lowercase());
    html.push_str("<nav aria-label=\"Subjects\"><ul>");
    for (tag, _, operations) in &groups {
        add(
            &mut html,
            &format!("<li><a href=\"#tag-{tag}\">{tag}</a> <small>{}</small></li>", operations.len()),
        );
    }
    html.push_str("</ul></nav>");
    if groups.is_empty() {
        html.push_str("<p>Nothing found. <a href=\"/api/docs\">All operations</a></p>");
    }
    for (tag, description, operations) in &groups {
        add(&mut html, &format!("<section><h2 id=\"tag-{tag}\">{tag}</h2><p>{description}</p>"));
        for (path, method, operation) in operations {
            push_operation(&mut html, document, (path, method), operation);
        }
        html.push_str("</section>");
    }
    if search.is_empty() {
        push_schemas(&mut html, document);
        push_errors(&mut html);
    }
    html.push_str("</main></html>");
    html
}

type Group<'a> = (String, String, Vec<(&'a String, &'a String, &'a Value)>);

/// The operations of each tag, in the order of the tags.
fn groups<'a>(document: &'a Value, search: &str) -> Vec<Group<'a>> {
    let tags = document["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut groups: Vec<Group<'a>> =
        tags.iter().map(|tag| (escape(&tag["name"]), escape(&tag["description"]), Vec::new())).collect();
    for (path, item) in entries(&document["paths"]) {
        for (method, operation) in entries(item) {
            let texts = ["summary", "description", "operationId", "x-scope"].map(|key| &operation[key]);
            let found = path.to_lowercase().contains(search)
                || texts.iter().any(|text| escape(text).to_lowercase().contains(search));
            let tag = operation["tags"][0].as_str().unwrap_or_default();
            if let Some((_, _, operations)) = groups.iter_mut().find(|(name, ..)| found && name == tag) {
                operations.push((path, method, operation));
            }
        }
    }
    groups.retain(|(_, _, operations)| !operations.is_empty());
    groups
}

fn push_operation(html: &mut String, document: &Value, (path, method): (&str, &str), operation: &Value) {
    let mut push = |text: &str| html.push_str(text);
    push(&format!(
        "<details id=\"{id}\"><summary><b class=\"{method}\">{}</b> <code>{}</code> {}</summary>",
        method.to_uppercase(),
        escape_text(path),
        escape(&operation["summary"]),
        id = escape(&operation["operationId"]),
    ));
    push(&format!("<p>{}</p><p>", prose(&operation["description"])));
    for (name, key) in [("Permission", "x-permission"), ("Scope of keys", "x-scope")] {
        if operation[key].is_string() {
            push(&format!("{name}: <code>{}</code> ", escape(&operation[key])));
        }
    }
    push(&format!("</p><pre>{}</pre>", escape_text(&curl(path, method, operation))));
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !parameters.is_empty() {
        push("<table><tr><th>Parameter</th><th>In</th><th>Rules</th><th></th></tr>");
        for parameter in parameters {
            push(&format!(
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape(&parameter["name"]),
                escape(&parameter["in"]),
                rules(&parameter["schema"]),
                prose(&parameter["description"]),
            ));
        }
        push("</table>");
    }
    if let Some((media, body)) = entries(&operation["requestBody"]["content"]).next() {
        push(&format!("<p>Body (<code>{media}</code>): {}</p>", rules(&body["schema"])));
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

/// A command to copy. Operations with a scope use a key; all others use the cookie of a session.
fn curl(path: &str, method: &str, operation: &Value) -> String {
    let mut command = String::from("curl");
    if method != "get" {
        add(&mut command, &format!(" -X {}", method.to_uppercase()));
    }
    if operation["x-scope"].is_string() {
        command.push_str(" -H \"Authorization: Bearer $KEY\"");
    } else if operation["x-permission"].is_string() {
        command.push_str(" -b cookies.txt -H \"Origin: $URL\"");
    }
    if let Some((media, _)) = entries(&operation["requestBody"]["content"]).next() {
        add(&mut command, &format!(" -H \"Content-Type: {media}\" -d @body.json"));
    }
    add(&mut command, &format!(" \"$URL{path}\""));
    command
}

fn push_schemas(html: &mut String, document: &Value) {
    let mut push = |text: &str| html.push_str(text);
    push("<section><h2 id=\"schemas\">Schemas</h2>");
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
    push("</section>");
}

fn push_errors(html: &mut String) {
    html.push_str("<section><h2 id=\"errors\">Errors</h2><table><tr><th>Code</th><th>Meaning</th></tr>");
    for code in domain_kernel::Code::ALL {
        add(
            html,
            &format!(
                "<tr id=\"{0}\"><td><code>{0}</code></td><td>{1}</td></tr>",
                code.as_str(),
                escape_text(code.meaning())
            ),
        );
    }
    html.push_str("</table></section>");
}

/// The colours are the panel's (frontend/src/app/base.css).
const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
<title>Cartelera API</title><style>:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1a1b2e;--line:#dee2e6;--accent:#2f4ec4}\
@media(prefers-color-scheme:dark){:root{--page:#15171c;--card:#1e2128;--text:#e6e8ee;--line:#3a3f4b;--accent:#9db2ff}}\
body{font:16px/1.5 system-ui,sans-serif;margin:0;background:var(--page);color:var(--text)}a{color:var(--accent)}\
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;justify-content:space-between;background:var(--card);\
border-bottom:1px solid var(--line);padding:.75rem 1.5rem;position:sticky;top:0}header a{font-weight:700;color:inherit;text-decoration:none}\
input{width:16rem;max-width:60vw}input,button{font:inherit;padding:.35rem .7rem;border:1px solid var(--line);border-radius:6px;background:var(--page);color:inherit}\
button{background:var(--accent);color:var(--card);border-color:var(--accent)}main{max-width:76rem;margin:auto;padding:1rem 1.5rem}\
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0}section{background:var(--card);border:1px solid var(--line);\
border-radius:8px;padding:.25rem 1.25rem 1rem;margin:1rem 0;overflow-x:auto}h2{scroll-margin-top:5rem}details{border-top:1px solid var(--line);\
padding:.5rem 0;scroll-margin-top:5rem}summary{cursor:pointer}summary b{display:inline-block;min-width:4.5rem}\
pre{background:var(--page);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;white-space:pre-wrap;overflow-wrap:anywhere}\
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;\
border-bottom:1px solid var(--line)}code{overflow-wrap:anywhere}</style><header><a href=\"/api/docs\">Cartelera API</a>";

fn add(text: &mut String, part: &str) {
    text.push_str(part);
}

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

/// A description, with code in backticks.
fn prose(value: &Value) -> String {
    let mut html = String::new();
    for (index, part) in escape(value).split('`').enumerate() {
        html.push_str(match index {
            0 => "",
            _ if index % 2 == 1 => "<code>",
            _ => "</code>",
        });
        html.push_str(part);
    }
    html
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
