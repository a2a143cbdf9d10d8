//! Reads a draft from JSON and reports all violations at once.
//!
//! serde stops at the first wrong type, and garde never sees the rest. So the JSON is first checked against
//! the draft's own schema ([`Rule`]): wrong types, unknown codes, unknown fields and missing ones are
//! recorded and replaced by placeholders; then garde checks the result. Texts are trimmed on input, a blank
//! text in a nullable field becomes `null`, and forbidden characters are recorded.

mod inspection;
mod rule;

use std::marker::PhantomData;

use garde::{Valid, Validate};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use self::rule::REPLACED_BY_SERVER;
use self::{
    inspection::violations_of,
    rule::{Field, Rule, Text, main_type, resolve},
};
use crate::{Code, Locale, MAX_VIOLATIONS, Violation, Violations, checked};

/// Type of a field of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldShape {
    Text,
    Integer,
    Decimal,
    /// Boolean.
    Flag,
    Date,
    Moment,
    /// A member of an enumeration.
    Code(Vec<Choice>),
    /// Members of an enumeration.
    Codes(Vec<Choice>),
    Integers,
    /// Objects with fields of their own.
    Objects,
}

/// A member of an enumeration, with its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Stored code.
    pub code: String,
    /// Spanish label.
    pub spanish: String,
    /// English label.
    pub english: String,
}

impl Choice {
    /// Label in a language.
    pub fn label(&self, locale: Locale) -> &str {
        match locale {
            Locale::Spanish => &self.spanish,
            Locale::English => &self.english,
        }
    }
}

fn choices(schema: &Value) -> Vec<Choice> {
    let labels = &schema["x-labels"];
    let codes = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let label = |code: &str, language: &str| labels[code][language].as_str().unwrap_or(code).to_owned();
    codes
        .map(|code| Choice { code: code.to_owned(), spanish: label(code, "es"), english: label(code, "en") })
        .collect()
}

/// Parses drafts of one type.
#[derive(Debug)]
pub struct DraftReader<C> {
    schema: Value,
    definitions: Value,
    draft: Field,
    of: PhantomData<fn() -> C>,
}

impl<C: DeserializeOwned + JsonSchema + Validate> Default for DraftReader<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: DeserializeOwned + JsonSchema + Validate> DraftReader<C> {
    /// A reader with the schema of `C`. Expensive to create, so create it once.
    pub fn new() -> Self {
        let generator: SchemaGenerator = SchemaSettings::draft2020_12().into_generator();
        let mut schema = generator.into_root_schema_for::<C>().to_value();
        let definitions = schema.get_mut("$defs").map_or_else(|| json!({}), Value::take);
        let draft = Field::of(&schema, &definitions);
        Self { schema, definitions, draft, of: PhantomData }
    }

    /// Names of the draft's own fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.schema["properties"].as_object().into_iter().flat_map(|fields| fields.keys().map(String::as_str))
    }

    /// Type of a field; `None` where the draft lacks it.
    pub fn shape(&self, field: &str) -> Option<FieldShape> {
        let property = self.schema["properties"].get(field)?;
        let (schema, _) = resolve(property, &self.definitions);
        let format = schema["format"].as_str();
        Some(match main_type(schema) {
            "integer" => FieldShape::Integer,
            "number" => FieldShape::Decimal,
            "boolean" => FieldShape::Flag,
            "array" => match resolve(&schema["items"], &self.definitions).0 {
                items if items["enum"].is_array() => FieldShape::Codes(choices(items)),
                items if main_type(items) == "integer" => FieldShape::Integers,
                _ => FieldShape::Objects,
            },
            _ if schema["enum"].is_array() => FieldShape::Code(choices(schema)),
            _ if format == Some("date") => FieldShape::Date,
            _ if format == Some("date-time") => FieldShape::Moment,
            _ => FieldShape::Text,
        })
    }

    /// Removes artefacts of imported files from a draft: invisible characters, line breaks in single-line
    /// texts, backslashes that a shell left in a URL. For imports only; a form gets a violation.
    pub fn tidy(&self, json: &mut Value) {
        tidy(&self.draft.rule, json);
    }

    /// Parses a draft, or returns all its violations.
    pub fn read(&self, json: Value, context: &C::Context) -> Result<Valid<C>, Violations> {
        self.read_filled(json, context, &mut |_| {})
    }

    /// Parses a draft to which fields are added before its rules are checked.
    pub fn read_filled(
        &self,
        mut json: Value,
        context: &C::Context,
        fill: &mut dyn FnMut(&mut C),
    ) -> Result<Valid<C>, Violations> {
        let mut violations = violations_of(&self.draft, &mut json);
        if violations.len() >= MAX_VIOLATIONS {
            return Err(Violations(violations).shortened());
        }
        let mut draft = C::deserialize(&json).map_err(|_| {
            // The schema accepts it and serde does not: the schema of the type is wrong.
            if violations.is_empty() {
                violations.push(Violation::new("", Code::InvalidFormat));
            }
            Violations(std::mem::take(&mut violations))
        })?;
        fill(&mut draft);
        let broken: Vec<String> = violations.iter().map(|violation| violation.field.clone()).collect();
        match checked(draft, context) {
            Ok(valid) if violations.is_empty() => Ok(valid),
            Ok(_) => Err(Violations(violations).shortened()),
            Err(Violations(more)) => {
                violations.extend(
                    more.into_iter()
                        .map(|violation| self.without_flattened(violation))
                        .filter(|violation| !broken.iter().any(|path| is_within(&violation.field, path)))
                        .map(|violation| in_words_of_its_type(violation, &json)),
                );
                Err(Violations(violations).shortened())
            }
        }
    }
}

impl<C> DraftReader<C> {
    /// garde includes the name of the struct of flattened fields in the path; the JSON has the fields alone.
    fn without_flattened(&self, mut violation: Violation) -> Violation {
        if let Some((first, rest)) = violation.field.split_once('.')
            && self.schema["properties"].get(first.split('[').next().unwrap_or(first)).is_none()
        {
            violation.field = rest.to_owned();
        }
        violation
    }
}

/// Nested texts have the same rules as those of the draft itself.
fn tidy(rule: &Rule, json: &mut Value) {
    match (rule, json) {
        (Rule::Object(fields), Value::Object(values)) => {
            for (name, value) in values {
                if let Some(field) = fields.known.get(name) {
                    tidy(&field.rule, value);
                }
            }
        }
        (Rule::List(entry), Value::Array(values)) => {
            for value in values {
                tidy(&entry.rule, value);
            }
        }
        (rule, Value::String(text)) => tidy_text(rule, text),
        _ => {}
    }
}

fn tidy_text(rule: &Rule, text: &mut String) {
    text.retain(|c| !matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2060}' | '\u{FEFF}'));
    match rule {
        Rule::Text(Text::Address) => text.retain(|c| c != '\\'),
        Rule::Text(Text::SeveralLines) => {}
        _ if text.contains(['\t', '\n', '\r']) => {
            *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        _ => {}
    }
}

/// Whether `field` is `path` or nested in it.
fn is_within(field: &str, path: &str) -> bool {
    field.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// garde's `length` has the same message for texts and lists, and for short and empty texts.
fn in_words_of_its_type(mut violation: Violation, json: &Value) -> Violation {
    let pointer = format!("/{}", violation.field.replace(['.', '['], "/").replace(']', ""));
    match (violation.code, json.pointer(&pointer)) {
        (Code::TooShort, Some(Value::Array(_))) => violation.code = Code::TooFew,
        (Code::TooLong, Some(Value::Array(_))) => violation.code = Code::TooMany,
        (Code::TooShort | Code::InvalidUrl | Code::InvalidFormat, Some(Value::String(text)))
            if text.is_empty() =>
        {
            violation = Violation::new(violation.field, Code::Required);
        }
        _ => {}
    }
    violation
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use serde::{Deserialize, Serialize};

    use super::*;

    crate::enumeration! {
        /// Sizes.
        pub enum Size { Small = "S" ("Pequeño", "Small"), PlusSize = "P_1" ("Grande", "Large") }
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
    #[serde(rename_all = "camelCase")]
    struct Part {
        #[garde(length(chars, min = 1, max = 5))]
        part_name: String,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
    #[serde(rename_all = "camelCase")]
    struct Thing {
        #[garde(length(chars, min = 2, max = 10))]
        name: String,
        #[garde(range(min = 1))]
        count: i32,
        #[garde(skip)]
        size: Size,
        #[garde(skip)]
        made: Option<NaiveDate>,
        #[garde(inner(length(chars, max = 8)))]
        note: Option<String>,
        #[garde(length(min = 1), dive)]
        parts: Vec<Part>,
        #[garde(skip)]
        #[serde(default)]
        done: bool,
    }

    fn read(json: Value) -> Result<Thing, Vec<(String, &'static str)>> {
        DraftReader::<Thing>::new().read(json, &()).map(Valid::into_inner).map_err(|Violations(found)| {
            found.into_iter().map(|violation| (violation.field, violation.code.as_str())).collect()
        })
    }

    fn good() -> Value {
        json!({"name": "  Box ", "count": 1, "size": "S", "parts": [{"partName": "lid"}]})
    }

    fn with(field: &str, value: Value) -> Value {
        let mut json = good();
        json[field] = value;
        json
    }

    #[test]
    fn a_good_draft_is_read_trimmed_with_its_defaults() {
        let thing = read(good()).unwrap();
        assert_eq!((thing.name.as_str(), thing.made, thing.done), ("Box", None, false));
    }

    #[test]
    fn what_the_server_adds_is_ignored_and_other_unknown_fields_are_not() {
        assert!(read(with("views", json!(7))).is_ok());
        assert_eq!(read(with("titel", json!("x"))), Err(vec![("titel".into(), "UNKNOWN_FIELD")]));
        let nested = with("parts", json!([{"partName": "lid", "views": 1}]));
        assert_eq!(read(nested), Err(vec![("parts[0].views".into(), "UNKNOWN_FIELD")]));
    }

    #[test]
    fn all_violations_are_reported_at_once_types_and_codes_among_them() {
        let bad = json!({
            "name": "x", "count": "three", "size": "XL", "made": "2024-02-30",
            "parts": [{"partName": "ok"}, {"partName": "too long"}, {}], "extra": null,
        });
        let mut found = read(bad).unwrap_err();
        found.sort();
        assert_eq!(
            found,
            vec![
                ("count".into(), "WRONG_TYPE"),
                ("extra".into(), "UNKNOWN_FIELD"),
                ("made".into(), "INVALID_DATE"),
                ("name".into(), "TOO_SHORT"),
                ("parts[1].partName".into(), "TOO_LONG"),
                ("parts[2].partName".into(), "REQUIRED"),
                ("size".into(), "UNKNOWN_VALUE"),
            ]
        );
    }

    #[test]
    fn a_draft_with_too_many_violations_is_not_looked_at_to_its_end() {
        let long = "x".repeat(100_000);
        let mut unknown = good();
        for number in 0..10_000 {
            unknown[format!("{long}{number}")[99_990..].to_owned()] = json!(number);
        }
        unknown[long.as_str()] = json!(1);
        let values = with("parts", json!(vec![json!({"partName": 7}); 10_000]));
        let rules = with("parts", json!(vec![json!({"partName": "much too long"}); 10_000]));
        for bad in [unknown, values, rules] {
            let found = read(bad).unwrap_err();
            assert_eq!(found.len(), 50);
            assert!(found.iter().all(|(field, _)| field.len() < 300));
        }
    }

    #[test]
    fn each_kind_of_wrong_value_is_named() {
        for (field, value, code) in [
            ("name", json!(7), "WRONG_TYPE"),
            ("name", json!(null), "REQUIRED"),
            ("name", json!("  "), "REQUIRED"),
            ("name", json!("a\0b"), "CONTROL_CHARACTERS"),
            ("name", json!("a\nb"), "CONTROL_CHARACTERS"),
            ("count", json!(1.5), "WRONG_TYPE"),
            ("count", json!(0), "TOO_SMALL"),
            ("count", json!(3_000_000_000_i64), "TOO_LARGE"),
            ("count", json!(-3_000_000_000_i64), "TOO_SMALL"),
            ("size", json!("s"), "UNKNOWN_VALUE"),
            ("size", json!(["S"]), "WRONG_TYPE"),
            ("made", json!("01/02/2024"), "INVALID_DATE"),
            ("made", json!("2024-1-2"), "INVALID_DATE"),
            ("parts", json!([]), "TOO_FEW"),
            ("parts", json!({}), "WRONG_TYPE"),
            ("done", json!("yes"), "WRONG_TYPE"),
        ] {
            let found = read(with(field, value.clone())).unwrap_err();
            assert_eq!(found, vec![(field.to_owned(), code)], "{field} = {value}");
        }
        assert_eq!(read(json!([1])).unwrap_err()[0], (String::new(), "WRONG_TYPE"));
    }

    #[test]
    fn tidying_removes_control_and_invisible_characters_only() {
        let reader = DraftReader::<Thing>::new();
        let mut json = with("name", json!("\u{FEFF}Big\n\tbox\u{200B}"));
        assert!(reader.read(json.clone(), &()).is_err());
        reader.tidy(&mut json);
        assert_eq!(reader.read(json, &()).unwrap().name, "Big box");
        let mut parts = with("parts", json!([{"partName": "l\u{200B}id"}, {"partName": "a\r\nb\u{2060}"}]));
        reader.tidy(&mut parts);
        let parts = reader.read(parts, &()).unwrap().into_inner().parts;
        assert_eq!(parts.iter().map(|part| part.part_name.as_str()).collect::<Vec<_>>(), ["lid", "a b"]);
        let mut broken = with("name", json!("a\0b"));
        reader.tidy(&mut broken);
        assert!(reader.read(broken, &()).is_err(), "a NUL is no accident");
    }

    #[test]
    fn blank_optional_texts_are_no_texts_and_null_means_the_default() {
        assert_eq!(read(with("note", json!(" "))).unwrap().note, None);
        assert!(!read(with("done", json!(null))).unwrap().done);
        assert_eq!(read(with("size", json!("P-1"))).unwrap().size, Size::PlusSize);
    }
}
