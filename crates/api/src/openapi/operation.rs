//! The description of an operation: summary, authorization, request and responses.

use application::ListShape;
use domain_kernel::{Enumeration, ErrorKind, KeyScope, MAX_PAGE_SIZE, Permission, RoleCode};
use serde_json::{Map, Value, json};

use super::{Api, Purpose};
use crate::problem::status;

/// An operation under construction. Dropping it stores the description.
pub(crate) struct Operation<'a> {
    pub(super) api: &'a mut Api,
    pub(super) path: String,
    pub(super) method: String,
    pub(super) value: Value,
}

impl Operation<'_> {
    /// The tag and the summary.
    pub(crate) fn about(mut self, tag: &str, summary: &str) -> Self {
        self.value["tags"] = json!([tag]);
        self.value["summary"] = json!(summary);
        self
    }

    /// The description.
    pub(crate) fn explained(mut self, text: &str) -> Self {
        self.value["description"] = json!(text);
        self
    }

    /// Requires a permission. Every operation has an authorization, or is public.
    pub(crate) fn requires(mut self, permission: Permission) -> Self {
        self.value["x-permission"] = json!(permission.to_string());
        self.fails(&[ErrorKind::Unauthenticated, ErrorKind::Forbidden])
    }

    /// Requires the permission; without one, the role superadmin or admin.
    pub(crate) fn requires_or_admin(self, permission: Option<Permission>) -> Self {
        match permission {
            Some(permission) => self.requires(permission),
            None => self.requires_admin(),
        }
    }

    /// Requires the role superadmin or admin.
    pub(crate) fn requires_admin(mut self) -> Self {
        self.value["x-permission"] = json!("admin");
        self.fails(&[ErrorKind::Unauthenticated, ErrorKind::Forbidden])
    }

    /// Requires one of these roles.
    pub(crate) fn requires_role(mut self, roles: &[RoleCode]) -> Self {
        self.value["x-permission"] = json!("role");
        self.value["x-roles"] = roles.iter().map(|role| json!(role.code())).collect();
        self.fails(&[ErrorKind::Unauthenticated, ErrorKind::Forbidden])
    }

    /// Parameters of a list: page, size, order and search.
    pub(crate) fn lists(self, shape: &ListShape) -> Self {
        let search = json!({"type": "string", "maxLength": 200});
        self.pages(shape).query("search", search, "Substring to look for.")
    }

    /// Parameters of a list without a search: page, size and order.
    pub(crate) fn pages(self, shape: &ListShape) -> Self {
        let sorts = format!(
            "Comma-separated fields, each with + (or nothing) for ascending or - for descending. Fields: {}. The ID is always the last sort field.",
            shape.sorts.join(", ")
        );
        // The example is the ID only if it is the only field.
        let example = shape.sorts.iter().take(2).next_back().map(|field| format!("-{field}"));
        self.query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
            .query(
                "_size",
                json!({"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": shape.page_size}),
                "Rows per page.",
            )
            .query("_sort", json!({"type": "string", "examples": [example]}), &sorts)
    }

    /// Also open to integrators whose key has this scope.
    pub(crate) fn open_to(mut self, scope: KeyScope) -> Self {
        self.value["x-scope"] = json!(scope.code());
        self.value["security"] = json!([{"session": []}, {"key": []}]);
        self.fails(&[ErrorKind::Throttled])
    }

    /// Only for integrators whose key has this scope.
    pub(crate) fn requires_scope(mut self, scope: KeyScope) -> Self {
        self.value["x-permission"] = json!("key");
        self.value["x-scope"] = json!(scope.code());
        self.value["security"] = json!([{"key": []}]);
        self.fails(&[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::Throttled])
    }

    /// Requires a session.
    pub(crate) fn requires_session(mut self) -> Self {
        self.value["x-permission"] = json!("session");
        self.fails(&[ErrorKind::Unauthenticated])
    }

    /// Requires no authentication.
    pub(crate) fn public(mut self) -> Self {
        self.value["security"] = json!([]);
        self.value["x-permission"] = json!("public");
        self
    }

    /// Accepts an idempotency key.
    pub(crate) fn takes_effect_once(self) -> Self {
        self.header(
            "Idempotency-Key",
            json!({"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"}),
            "Makes the request idempotent: a repetition with the same key and body has the first response, another body is refused. Keys are kept for seven days unless configured otherwise; for operations on credits, without limit.",
        )
    }

    /// Requires an idempotency key.
    pub(crate) fn requires_idempotency_key(self) -> Self {
        self.takes_effect_once().of_last_parameter("required")
    }

    pub(crate) fn query(mut self, name: &str, schema: Value, description: &str) -> Self {
        self.parameter(name, "query", schema, description);
        self
    }

    /// A query parameter that is ignored if its value is blank (docs/spec/rest.md#filters).
    pub(crate) fn filter(self, name: &str, schema: Value, description: &str) -> Self {
        self.query(name, schema, description).of_last_parameter("allowEmptyValue")
    }

    /// A required query parameter.
    pub(crate) fn requires_query(self, name: &str, schema: Value, description: &str) -> Self {
        self.query(name, schema, description).of_last_parameter("required")
    }

    fn of_last_parameter(mut self, is: &str) -> Self {
        let list = self.value["parameters"].as_array_mut();
        if let Some(parameter) = list.and_then(|list| list.last_mut()) {
            parameter[is] = true.into();
        }
        self
    }

    pub(crate) fn header(mut self, name: &str, schema: Value, description: &str) -> Self {
        self.parameter(name, "header", schema, description);
        self
    }

    fn parameter(&mut self, name: &str, place: &str, schema: Value, description: &str) {
        let is_list = schema["type"] == "array";
        let mut parameter = json!({"name": name, "in": place, "schema": schema, "description": description});
        if is_list {
            parameter["explode"] = false.into();
        }
        if let Some(list) = self.value["parameters"].as_array_mut() {
            list.push(parameter);
        }
    }

    pub(crate) fn takes(mut self, schema: Value) -> Self {
        self.value["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
        self.fails(&[
            ErrorKind::Malformed,
            ErrorKind::TimedOut,
            ErrorKind::TooLarge,
            ErrorKind::WrongMedia,
            ErrorKind::Invalid,
        ])
    }

    /// An optional body.
    pub(crate) fn may_take(mut self, schema: Value) -> Self {
        self = self.takes(schema);
        self.value["requestBody"]["required"] = false.into();
        self
    }

    /// A file of any media type.
    pub(crate) fn takes_file(mut self) -> Self {
        self.value["requestBody"] = json!({
            "required": true,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        });
        self.fails(&[ErrorKind::Malformed, ErrorKind::TimedOut, ErrorKind::TooLarge, ErrorKind::Invalid])
    }

    /// A merge patch; the result must be valid. `application/json` is accepted as well.
    pub(crate) fn merges(mut self, schema: Value) -> Self {
        self = self.takes(Value::Null);
        self.value["requestBody"]["content"] = json!({"application/merge-patch+json": {"schema": schema}});
        self.explained("JSON merge patch (RFC 7396): the result must satisfy all rules.")
    }

    pub(crate) fn answers(mut self, status: u16, description: &str, schema: Value) -> Self {
        self.value["responses"][status.to_string()] =
            json!({"description": description, "content": {"application/json": {"schema": schema}}});
        self
    }

    /// One JSON object per line.
    pub(crate) fn answers_lines(mut self, status: u16, description: &str, line: &Value) -> Self {
        let schema = json!({
            "type": "string",
            "description": "Each line is an object with `contentSchema`.",
            "contentMediaType": "application/x-ndjson",
            "contentSchema": line,
        });
        self.value["responses"][status.to_string()] =
            json!({"description": description, "content": {"application/x-ndjson": {"schema": schema}}});
        self
    }

    /// A file of one of these media types.
    pub(crate) fn answers_file(mut self, status: u16, description: &str, media: &[&str]) -> Self {
        let content: Map<String, Value> =
            media.iter().map(|media| ((*media).to_owned(), json!({"schema": {"type": "string"}}))).collect();
        self.value["responses"][status.to_string()] = json!({"description": description, "content": content});
        self
    }

    /// Server-sent events; the schema is that of each event.
    pub(crate) fn answers_events(mut self, description: &str) -> Self {
        let text = json!({"type": "string"});
        let data = json!({"type": "string", "contentMediaType": "application/json"});
        let event = json!({"type": "object", "properties": {"event": text, "id": text, "data": data}});
        self.value["responses"]["200"] =
            json!({"description": description, "content": {"text/event-stream": {"schema": event}}});
        self
    }

    pub(crate) fn answers_nothing(mut self, status: u16, description: &str) -> Self {
        self.value["responses"][status.to_string()] = json!({"description": description});
        self
    }

    pub(crate) fn answers_header(mut self, status: u16, name: &str, description: &str) -> Self {
        self.value["responses"][status.to_string()]["headers"][name] =
            json!({"description": description, "schema": {"type": "string"}});
        self
    }

    pub(crate) fn fails(mut self, kinds: &[ErrorKind]) -> Self {
        for kind in kinds.iter().chain(&[ErrorKind::Unavailable, ErrorKind::Broken]) {
            let code = status(*kind);
            self.value["responses"][code.as_str()] =
                json!({"$ref": format!("#/components/responses/{}", code.as_str())});
        }
        self
    }
}

/// The authorization of an operation as text.
fn who_may(operation: &Value) -> String {
    let scope = operation["x-scope"].as_str();
    let users = match operation["x-permission"].as_str() {
        Some("public") => "Needs no session.".to_owned(),
        Some("session") => "Requires a session.".to_owned(),
        Some("admin") => "Requires the role superadmin or admin.".to_owned(),
        Some("role") => {
            let roles = operation["x-roles"].as_array().into_iter().flatten().filter_map(Value::as_str);
            format!(
                "Requires one of the roles {}.",
                roles.map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ")
            )
        }
        Some("key") => "Requires an API key.".to_owned(),
        permission => format!("Requires the permission `{}`.", permission.unwrap_or_default()),
    };
    match scope {
        Some(scope) => format!("{users} A key needs the scope `{scope}`."),
        None => users,
    }
}

impl Drop for Operation<'_> {
    fn drop(&mut self) {
        if self.api.purpose == Purpose::Reading {
            let who = who_may(&self.value);
            let description = match self.value["description"].as_str() {
                Some(text) => format!("{text}\n\n{who}"),
                None => who,
            };
            self.value["description"] = json!(description);
        }
        let said = if self.api.purpose == Purpose::Reading { self.value.take() } else { Value::Null };
        let item = self.api.paths.entry(std::mem::take(&mut self.path)).or_default();
        item.insert(std::mem::take(&mut self.method), said);
    }
}
