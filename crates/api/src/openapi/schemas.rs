//! The schemas of the document. Requests and responses have different ones, because a response
//! always has all its fields.

use domain_catalogue::{Content, Kind, Stored};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// Collects the schemas of operations.
pub(crate) struct Schemas {
    input: SchemaGenerator,
    output: SchemaGenerator,
    made: Map<String, Value>,
    /// Names of the schemas that merge patches are derived from.
    patched: Vec<String>,
    wanted: bool,
}

impl Schemas {
    /// Collects no schemas: for serving.
    pub(super) fn unwanted() -> Self {
        Self { wanted: false, ..Self::new() }
    }

    pub(super) fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
            })
        };
        Self {
            input: settings().into_generator(),
            output: settings().for_serialize().into_generator(),
            made: Map::from_iter([("Problem".to_owned(), problem())]),
            patched: Vec::new(),
            wanted: true,
        }
    }

    /// The schema of a request.
    pub(crate) fn request<T: JsonSchema>(&mut self) -> Value {
        if !self.wanted {
            return Value::Null;
        }
        self.input.subschema_for::<T>().to_value()
    }

    /// The schema of a response.
    pub(crate) fn response<T: JsonSchema>(&mut self) -> Value {
        if !self.wanted {
            return Value::Null;
        }
        self.output.subschema_for::<T>().to_value()
    }

    /// A merge patch (RFC 7396) of the schema with this name: every field is optional and nullable.
    pub(crate) fn patch_of(&mut self, name: &str) -> Value {
        if self.patched.iter().all(|patched| patched != name) {
            self.patched.push(name.to_owned());
        }
        json!({"$ref": format!("#/components/schemas/{name}Patch")})
    }

    /// A page of a kind's list: rows without the fields omitted from lists, with their category.
    pub(crate) fn page<C: Content>(&mut self) -> Value {
        if !self.wanted {
            return Value::Null;
        }
        self.response::<Stored<C>>();
        let name = C::KIND.singular();
        let mut row = self.output.definitions()[&format!("Stored{name}")].clone();
        if let Some(fields) = row["properties"].as_object_mut() {
            fields.retain(|field, _| field != "updatedBy" && !C::OMITTED_FROM_LIST.contains(&field.as_str()));
            if C::KIND == Kind::TvShows {
                let stored = json!({
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of stored episodes; `totalEpisodes` is the number of episodes of the show.",
                });
                fields.insert("episodesStored".into(), stored);
            }
            if fields.contains_key("tvShowId") {
                let title = json!({"type": "string", "description": "Title of the show."});
                fields.insert("tvShowTitle".into(), title);
            }
            if C::OMITTED_FROM_LIST.contains(&"links") {
                let qualities = json!({
                    "type": "array",
                    "description": "Distinct qualities of the active links.",
                    "items": {"$ref": "#/components/schemas/LinkQuality"},
                });
                fields.insert("qualities".into(), qualities);
            }
            if fields.contains_key("categoryId") || fields.contains_key("categories") {
                fields.insert(
                    "category".into(),
                    json!({
                        "type": "object",
                        "description": "Category of the item.",
                        "properties": {
                            "id": {"type": "integer", "format": "int64"},
                            "description": {"type": "string"},
                            "englishDescription": {"type": "string"},
                        },
                        "required": ["id", "description", "englishDescription"],
                    }),
                );
            }
            row["required"] = fields.keys().cloned().collect();
        }
        row["description"] = json!(format!("A row of the list of {}.", C::KIND.path()));
        self.made.insert(format!("{name}Row"), row);
        let row = json!({"$ref": format!("#/components/schemas/{name}Row")});
        self.page_of(&format!("{name}Page"), &format!("A page of the list of {}.", C::KIND.path()), &row)
    }

    /// A page of rows with this schema, under a name.
    pub(crate) fn page_of(&mut self, name: &str, description: &str, row: &Value) -> Value {
        let page = json!({
            "type": "object",
            "description": description,
            "properties": {
                "content": {"type": "array", "items": row},
                "page": {"type": "integer", "minimum": 0, "description": "Zero-based."},
                "size": {"type": "integer", "minimum": 1, "maximum": domain_kernel::MAX_PAGE_SIZE},
                "totalPages": {"type": "integer", "minimum": 0},
                "totalElements": {"type": "integer", "minimum": 0},
            },
            "required": ["content", "page", "size", "totalPages", "totalElements"],
        });
        self.made.insert(name.to_owned(), page);
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// All schemas. A type with different schemas in requests and responses has the name `Stored…`
    /// in responses.
    pub(super) fn into_components(mut self) -> Map<String, Value> {
        let input = self.input.take_definitions(true);
        let mut output = self.output.take_definitions(true);
        let renamed: Vec<String> = output
            .iter()
            .filter(|(name, schema)| input.get(*name).is_some_and(|request| request != *schema))
            .map(|(name, _)| name.clone())
            .collect();
        for name in &renamed {
            if let Some(schema) = output.remove(name) {
                output.insert(format!("Stored{name}"), schema);
            }
        }
        output.extend(self.made);
        for schema in output.values_mut() {
            for name in &renamed {
                point(
                    schema,
                    &format!("#/components/schemas/{name}"),
                    &format!("#/components/schemas/Stored{name}"),
                );
            }
        }
        for name in self.patched {
            let patch = input.get(&name).map(|body| merge_patch(&name, body));
            output.extend(patch.map(|patch| (format!("{name}Patch"), patch)));
        }
        output.extend(input);
        output
    }
}

fn merge_patch(name: &str, body: &Value) -> Value {
    let mut fields = body["properties"].as_object().cloned().unwrap_or_default();
    for schema in fields.values_mut() {
        // A merge patch has no defaults: an omitted field stays unchanged.
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("default");
        }
        let nullable = match &schema["type"] {
            Value::Array(types) => types.iter().any(|one| one == "null"),
            _ => schema["anyOf"].as_array().is_some_and(|any| any.iter().any(|one| one["type"] == "null")),
        };
        if !nullable {
            *schema = json!({"anyOf": [schema.take(), {"type": "null"}]});
        }
    }
    json!({
        "type": "object",
        "description": format!("Fields of {name} to change; null removes (RFC 7396)."),
        "properties": fields,
    })
}

fn point(schema: &mut Value, from: &str, to: &str) {
    match schema {
        Value::Object(fields) => {
            if fields.get("$ref").is_some_and(|path| path == from) {
                fields.insert("$ref".into(), json!(to));
            }
            fields.values_mut().for_each(|value| point(value, from, to));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| point(value, from, to)),
        _ => {}
    }
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "A problem (RFC 9457).",
        "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "message": {"type": "string", "description": "Text for users, in the language of the request."},
            "code": {"type": "string", "description": "Stable code for clients, in UPPER_SNAKE (docs/errors.md)."},
            "errors": {
                "type": "array",
                "description": "All violations, if validation failed.",
                "items": {
                    "type": "object",
                    "properties": {
                        "field": {"type": "string", "description": "JSON path: `links[0].url`. Empty for the whole body."},
                        "code": {"type": "string"},
                        "message": {"type": "string"},
                        "arguments": {"type": "object", "additionalProperties": true},
                    },
                    "required": ["field", "code", "message", "arguments"],
                },
            },
            "arguments": {"type": "object", "additionalProperties": true},
            "current": {"type": "object", "description": "The current state of the entity, for VERSION_CONFLICT."},
            "requestId": {"type": "string", "description": "ID of the request in the log, for INTERNAL."},
        },
        "required": ["type", "title", "status", "detail", "message", "code"],
    })
}
