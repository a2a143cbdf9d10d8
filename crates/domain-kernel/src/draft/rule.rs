//! Rules for the values of a draft, parsed from its schema once.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Fields that the server adds to an entity. Ignored on input, so that a response can be sent back
/// (docs/spec/rest.md#methods).
pub const REPLACED_BY_SERVER: &[&str] = &[
    "id",
    "version",
    "views",
    "createdDate",
    "updatedDate",
    "updatedBy",
    "category",
    "episodeCount",
    "episodesStored",
    "qualities",
    "tvShowTitle",
];

/// Rule for a value of a draft.
#[derive(Debug)]
pub(super) enum Rule {
    Any,
    Flag,
    Number,
    /// 64-bit.
    Integer,
    /// 32-bit, with the bounds for a violation.
    SmallInteger {
        min: i64,
        max: i64,
    },
    Text(Text),
    List(Box<Field>),
    Object(Fields),
}

/// Rule for a text.
#[derive(Debug)]
pub(super) enum Text {
    OneLine,
    SeveralLines,
    Address,
    /// A password: not trimmed.
    Verbatim,
    Date,
    Moment,
    Code {
        codes: Vec<Value>,
        aliases: Vec<Value>,
        folds_case: bool,
    },
}

/// A value of a draft with its rule.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) rule: Rule,
    pub(super) nullable: bool,
    /// Whether null means a default.
    pub(super) has_default: bool,
    pub(super) required: bool,
}

/// The fields of an object.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) known: BTreeMap<String, Field>,
    /// Fields that are ignored without a violation.
    pub(super) read_only: Vec<String>,
    /// An object with arbitrary fields, whose rules are checked elsewhere.
    pub(super) takes_any: bool,
}

impl Fields {
    fn of(schema: &Value, definitions: &Value) -> Self {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let field = |(name, property): (&String, &Value)| {
            let required =
                schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name));
            (name.clone(), Field { required, ..Field::of(property, definitions) })
        };
        Self {
            known: properties.map(field).collect(),
            read_only: texts(&schema["x-readOnly"]).map(str::to_owned).collect(),
            takes_any: schema["properties"].is_null() && schema["additionalProperties"] == true,
        }
    }
}

impl Field {
    pub(super) fn of(property: &Value, definitions: &Value) -> Self {
        let (schema, nullable) = resolve(property, definitions);
        Self {
            rule: Rule::of(schema, definitions),
            nullable,
            has_default: has_default(property),
            required: false,
        }
    }
}

impl Rule {
    fn of(schema: &Value, definitions: &Value) -> Self {
        match main_type(schema) {
            "object" => Self::Object(Fields::of(schema, definitions)),
            "array" => Self::List(Box::new(Field::of(&schema["items"], definitions))),
            "string" => Self::Text(Text::of(schema)),
            "integer" if schema["format"] == "int32" => {
                let bound = |name: &str, widest: i32| schema[name].as_i64().unwrap_or_else(|| widest.into());
                Self::SmallInteger { min: bound("minimum", i32::MIN), max: bound("maximum", i32::MAX) }
            }
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Flag,
            _ => Self::Any,
        }
    }

    /// Type name in the schema.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Flag => "boolean",
            Self::Number => "number",
            Self::Integer | Self::SmallInteger { .. } => "integer",
            Self::Text(_) => "string",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// A placeholder that serde can parse. It never leaves this module, as its field has a violation.
    pub(super) fn placeholder(&self) -> Value {
        match self {
            Self::Any => Value::Null,
            Self::Flag => json!(false),
            Self::Number | Self::Integer | Self::SmallInteger { .. } => json!(0),
            Self::Text(Text::Date) => json!("2000-01-01"),
            Self::Text(Text::Moment) => json!("2000-01-01T00:00:00Z"),
            Self::Text(Text::Code { codes, .. }) => codes.first().cloned().unwrap_or_default(),
            Self::Text(_) => json!(""),
            Self::List(_) => json!([]),
            Self::Object(fields) => {
                let required = fields.known.iter().filter(|(_, field)| field.required);
                required
                    .map(|(name, field)| (name.clone(), field.rule.placeholder()))
                    .collect::<Map<_, _>>()
                    .into()
            }
        }
    }
}

impl Text {
    fn of(schema: &Value) -> Self {
        if schema["x-verbatim"] == true {
            return Self::Verbatim;
        }
        if let Some(codes) = schema["enum"].as_array() {
            return Self::Code {
                codes: codes.clone(),
                aliases: schema["x-aliases"].as_array().cloned().unwrap_or_default(),
                folds_case: schema["x-foldsCase"] == true,
            };
        }
        match schema["format"].as_str() {
            Some("date") => Self::Date,
            Some("date-time") => Self::Moment,
            Some("uri") => Self::Address,
            _ if schema["x-severalLines"] == true => Self::SeveralLines,
            _ => Self::OneLine,
        }
    }
}

/// The schema that a reference or an "or null" resolves to, and whether it is nullable.
pub(super) fn resolve<'a>(schema: &'a Value, definitions: &'a Value) -> (&'a Value, bool) {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return resolve(&definitions[name], definitions);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let nullable = choices.iter().any(|choice| choice["type"] == "null");
        let other = choices.iter().find(|choice| choice["type"] != "null").unwrap_or(schema);
        return (resolve(other, definitions).0, nullable);
    }
    let nullable = texts(&schema["type"]).any(|name| name == "null") || has_default(schema);
    (schema, nullable)
}

pub(super) fn main_type(schema: &Value) -> &str {
    let of_list = || texts(&schema["type"]).find(|name| *name != "null");
    schema["type"].as_str().or_else(of_list).unwrap_or("any")
}

/// Texts of a list; none for other values.
fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn has_default(schema: &Value) -> bool {
    schema.get("default").is_some()
}
