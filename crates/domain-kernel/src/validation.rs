//! Violations as data: field, code and arguments. Messages are formatted by the API.

use std::{
    borrow::Cow,
    fmt::{Display, Write},
};

use chrono::{Datelike, NaiveDate};
use garde::{
    Valid, Validate,
    i18n::{I18n, InvalidCreditCard, InvalidEmail, InvalidPhoneNumber, InvalidUrl, IpKind, with_i18n},
};
use serde_json::{Map, Value};

use crate::Code;

/// The day on which a rule is evaluated: "this year + 5" needs one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Today(pub NaiveDate);

/// One violation of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// JSON path of the field: `title`, `links[0].url`. Empty for the body as a whole.
    pub field: String,
    pub code: Code,
    /// Arguments of the message: `min`, `max`, `allowed`, …
    pub arguments: Map<String, Value>,
}

impl Violation {
    /// A violation without arguments.
    pub fn new(field: impl Into<String>, code: Code) -> Self {
        Self { field: field.into(), code, arguments: Map::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }
}

/// Maximum number of reported violations.
pub const MAX_VIOLATIONS: usize = 50;
/// Maximum length of a text from the request that a violation repeats, in characters.
const LONGEST_ECHO: usize = 200;

/// All violations of a draft, at most [`MAX_VIOLATIONS`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{} rules are broken, first {:?}", .0.len(), .0.first())]
pub struct Violations(pub Vec<Violation>);

impl Violations {
    /// At most [`MAX_VIOLATIONS`] of the violations, without long texts of the request, as they are part of a
    /// response.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.0.truncate(MAX_VIOLATIONS);
        for violation in &mut self.0 {
            shorten(&mut violation.field);
            violation.arguments.values_mut().for_each(shorten_value);
        }
        self
    }
}

fn shorten_value(value: &mut Value) {
    match value {
        Value::String(text) => shorten(text),
        Value::Array(values) => values.iter_mut().for_each(shorten_value),
        _ => {}
    }
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_ECHO) {
        text.truncate(end);
        text.push('…');
    }
}

/// Error of a custom garde rule: a code with its arguments.
pub fn fault(code: Code, arguments: &[(&str, &dyn Display)]) -> garde::Error {
    garde::Error::new(spell(code, arguments))
}

/// A year of at most this year + `ahead` (docs/spec/content-types.md#movies); `x-maxYearsAhead` in the
/// schema.
pub fn within_years_ahead(ahead: i32) -> impl FnOnce(&i32, &Today) -> garde::Result {
    move |year, today| {
        let max = today.0.year() + ahead;
        if *year <= max { Ok(()) } else { Err(fault(Code::TooLarge, &[("max", &max)])) }
    }
}

/// Checks a value against its own garde rules; `path` is the prefix of its field names.
pub fn checked<C: Validate>(value: C, context: &C::Context) -> Result<Valid<C>, Violations> {
    with_i18n(Codes, || garde::Unvalidated::new(value).validate_with(context)).map_err(|report| {
        Violations(
            report
                .iter()
                .take(MAX_VIOLATIONS)
                .map(|(path, error)| read_back(&json_path(&path.to_string()), error.message()))
                .collect(),
        )
    })
}

/// garde carries text; this encodes a code and its arguments, `TOO_SHORT\u{1f}min=2`.
fn spell(code: Code, arguments: &[(&str, &dyn Display)]) -> String {
    let mut text = code.as_str().to_owned();
    for (name, value) in arguments {
        let _ = write!(text, "\u{1f}{name}={value}");
    }
    text
}

fn read_back(field: &str, text: &str) -> Violation {
    let mut parts = text.split('\u{1f}');
    let name = parts.next().unwrap_or_default();
    let code = Code::ALL.iter().copied().find(|code| code.as_str() == name).unwrap_or(Code::InvalidFormat);
    parts.filter_map(|part| part.split_once('=')).fold(
        Violation::new(field, code),
        |violation, (name, value)| {
            let value = serde_json::from_str::<serde_json::Number>(value)
                .map_or_else(|_| Value::from(value), Value::Number);
            violation.with(name, value)
        },
    )
}

/// garde names fields as in Rust; responses use their JSON names.
fn json_path(path: &str) -> String {
    let mut json = String::with_capacity(path.len());
    let mut raise = false;
    for c in path.chars() {
        match c {
            '_' => raise = true,
            c if raise => {
                json.push(c.to_ascii_uppercase());
                raise = false;
            }
            c => json.push(c),
        }
    }
    json
}

/// Codes for garde's messages.
struct Codes;

impl I18n for Codes {
    fn length_lower_than(&self, min: usize) -> Cow<'static, str> {
        spell(Code::TooShort, &[("min", &min)]).into()
    }
    fn length_greater_than(&self, max: usize) -> Cow<'static, str> {
        spell(Code::TooLong, &[("max", &max)]).into()
    }
    fn range_lower_than(&self, min: &dyn Display) -> Cow<'static, str> {
        spell(Code::TooSmall, &[("min", min)]).into()
    }
    fn range_greater_than(&self, max: &dyn Display) -> Cow<'static, str> {
        spell(Code::TooLarge, &[("max", max)]).into()
    }
    fn credit_card_invalid(&self, _: InvalidCreditCard) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn pattern_no_match(&self, _: &dyn Display) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn contains_missing(&self, _: &dyn Display) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn url_invalid(&self, _: InvalidUrl) -> Cow<'static, str> {
        Code::InvalidUrl.as_str().into()
    }
    fn prefix_missing(&self, _: &dyn Display) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn suffix_missing(&self, _: &dyn Display) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn phone_number_invalid(&self, _: InvalidPhoneNumber) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn ip_invalid(&self, _: IpKind) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn matches_field_mismatch(&self, _: &dyn Display) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn email_invalid(&self, _: InvalidEmail) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn ascii_invalid(&self) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn alphanumeric_invalid(&self) -> Cow<'static, str> {
        Code::InvalidFormat.as_str().into()
    }
    fn required_not_set(&self) -> Cow<'static, str> {
        Code::Required.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Validate)]
    struct Inner {
        #[garde(length(chars, min = 2, max = 3))]
        short_text: String,
    }

    #[derive(Debug, Validate)]
    struct Outer {
        #[garde(range(min = 1900, max = 2100))]
        year: i32,
        #[garde(length(min = 1), dive)]
        inner_list: Vec<Inner>,
    }

    #[test]
    fn every_broken_rule_is_reported_with_its_json_path_and_bounds() {
        let outer = Outer { year: 1800, inner_list: vec![Inner { short_text: "ñ".into() }] };
        let Violations(mut found) = checked(outer, &()).unwrap_err();
        found.sort_by(|a, b| a.field.cmp(&b.field));
        assert_eq!(
            found,
            vec![
                Violation::new("innerList[0].shortText", Code::TooShort).with("min", 2),
                Violation::new("year", Code::TooSmall).with("min", 1900),
            ]
        );
    }

    #[test]
    fn repeated_input_is_truncated_in_violations() {
        let long = "ñ".repeat(1000);
        let one = Violation::new(long.as_str(), Code::UnknownValue).with("allowed", vec![long.as_str()]);
        let Violations(all) = Violations(vec![one; 60]).shortened();
        assert_eq!(all.len(), MAX_VIOLATIONS);
        let short = format!("{}…", "ñ".repeat(200));
        assert_eq!((&all[0].field, &all[0].arguments["allowed"][0]), (&short, &Value::from(short.as_str())));
    }

    #[test]
    fn the_year_may_be_five_ahead_and_not_six() {
        let today = Today(NaiveDate::from_ymd_opt(2026, 12, 31).unwrap());
        assert!(within_years_ahead(5)(&2031, &today).is_ok());
        assert_eq!(within_years_ahead(5)(&2032, &today).unwrap_err().message(), "TOO_LARGE\u{1f}max=2031");
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        let outer = Outer { year: 2000, inner_list: vec![Inner { short_text: "ñññ".into() }] };
        assert!(checked(outer, &()).is_ok());
    }
}
