//! Checks a draft against its rules.

use std::fmt;

use chrono::{DateTime, NaiveDate};
use serde_json::{Map, Value};

use super::rule::{Field, Fields, REPLACED_BY_SERVER, Rule, Text};
use crate::{Code, MAX_VIOLATIONS, Violation, holds_forbidden_characters};

/// Violations of a draft; the invalid values are replaced by placeholders.
pub(super) fn violations_of(draft: &Field, json: &mut Value) -> Vec<Violation> {
    let mut inspection = Inspection { violations: Vec::new() };
    inspection.inspect(draft, json, Place::Draft);
    inspection.violations
}

/// Path of a value in a draft. Formatted for a violation only, as most values have none.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// The draft itself.
    Draft,
    Field(&'a Place<'a>, &'a str),
    Entry(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draft => Ok(()),
            Self::Field(Self::Draft, name) => write!(f, "{name}"),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Entry(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

/// Violations found so far.
struct Inspection {
    violations: Vec<Violation>,
}

impl Inspection {
    fn note(&mut self, violation: Violation) {
        if !self.is_full() {
            self.violations.push(violation);
        }
    }

    /// Whether the maximum number of violations is reached; the rest of the draft is skipped.
    fn is_full(&self) -> bool {
        self.violations.len() >= MAX_VIOLATIONS
    }

    fn inspect(&mut self, field: &Field, json: &mut Value, place: Place<'_>) {
        if self.is_full() {
            return;
        }
        if json.is_null() {
            if !field.nullable {
                self.note(Violation::new(place.to_string(), Code::Required));
                *json = field.rule.placeholder();
            }
            return;
        }
        match (&field.rule, &mut *json) {
            (Rule::Object(fields), Value::Object(values)) => self.inspect_fields(fields, values, place),
            (Rule::List(entry), Value::Array(entries)) => {
                for (index, json) in entries.iter_mut().enumerate() {
                    if self.is_full() {
                        return;
                    }
                    self.inspect(entry, json, Place::Entry(&place, index));
                }
            }
            (Rule::Text(_), Value::String(_)) => self.inspect_text(field, json, place),
            (Rule::Integer | Rule::SmallInteger { .. }, Value::Number(number))
                if number.is_i64() || number.is_u64() =>
            {
                self.inspect_integer(&field.rule, json, place);
            }
            (Rule::Number, Value::Number(_)) | (Rule::Flag, Value::Bool(_)) | (Rule::Any, _) => {}
            (rule, json) => {
                self.note(
                    Violation::new(place.to_string(), Code::WrongType).with("expected", rule.type_name()),
                );
                *json = rule.placeholder();
            }
        }
    }

    fn inspect_fields(&mut self, fields: &Fields, values: &mut Map<String, Value>, place: Place<'_>) {
        if fields.takes_any {
            return;
        }
        let outermost = matches!(place, Place::Draft);
        values.retain(|name, _| {
            let expected = fields.known.contains_key(name);
            let is_the_servers = outermost && !expected && REPLACED_BY_SERVER.contains(&name.as_str());
            if is_the_servers || fields.read_only.contains(name) {
                return false;
            }
            if !expected && !self.is_full() {
                self.note(Violation::new(Place::Field(&place, name).to_string(), Code::UnknownField));
            }
            expected
        });
        for (name, field) in &fields.known {
            if let Some(value) = values.get_mut(name) {
                self.inspect(field, value, Place::Field(&place, name));
                // Null in a field with a default means the default, as if it was omitted.
                if value.is_null() && field.has_default {
                    values.remove(name);
                }
            } else if field.required {
                self.note(Violation::new(Place::Field(&place, name).to_string(), Code::Required));
                values.insert(name.clone(), field.rule.placeholder());
            }
        }
    }

    fn inspect_text(&mut self, field: &Field, json: &mut Value, place: Place<'_>) {
        let (Rule::Text(rule), Value::String(text)) = (&field.rule, &mut *json) else { return };
        if matches!(rule, Text::Verbatim) {
            return;
        }
        let trimmed = text.trim();
        if trimmed.is_empty() && field.nullable {
            *json = Value::Null;
            return;
        }
        if trimmed.len() != text.len() {
            *text = trimmed.to_owned();
        }
        let violation = match rule {
            Text::Code { codes, .. } if codes.iter().any(|code| code == text.as_str()) => return,
            Text::Code { codes, aliases, folds_case } => {
                let wanted = text.replace('-', "_");
                let folded = if *folds_case { wanted.to_uppercase() } else { wanted.clone() };
                let fits = |code: &Value| [text.as_str(), &wanted, &folded].iter().any(|form| code == form);
                if codes.iter().chain(aliases).any(fits) {
                    return;
                }
                Violation::new(place.to_string(), Code::UnknownValue).with("allowed", codes.clone())
            }
            // chrono also accepts years of five digits and one-digit months; a calendar date has ten
            // characters.
            Text::Date if text.len() == 10 && text.parse::<NaiveDate>().is_ok() => return,
            Text::Moment if DateTime::parse_from_rfc3339(text).is_ok() => return,
            Text::Date | Text::Moment => Violation::new(place.to_string(), Code::InvalidDate),
            Text::OneLine | Text::SeveralLines | Text::Address | Text::Verbatim => {
                if holds_forbidden_characters(text, matches!(rule, Text::SeveralLines)) {
                    self.note(Violation::new(place.to_string(), Code::ControlCharacters));
                }
                return;
            }
        };
        self.note(violation);
        *json = field.rule.placeholder();
    }

    /// A value that exceeds `i32` is out of bounds, not of a wrong type.
    fn inspect_integer(&mut self, rule: &Rule, json: &mut Value, place: Place<'_>) {
        let number = json.as_i64();
        let violation = match *rule {
            Rule::SmallInteger { max, .. } if number.is_none_or(|number| number > i32::MAX.into()) => {
                Violation::new(place.to_string(), Code::TooLarge).with("max", max)
            }
            Rule::SmallInteger { min, .. } if number.is_some_and(|number| number < i32::MIN.into()) => {
                Violation::new(place.to_string(), Code::TooSmall).with("min", min)
            }
            Rule::Integer if number.is_none() => {
                Violation::new(place.to_string(), Code::TooLarge).with("max", i64::MAX)
            }
            _ => return,
        };
        self.note(violation);
        *json = rule.placeholder();
    }
}
