//! Timestamps in responses: RFC 3339 in UTC with exactly three fractional digits, so that text order is time
//! order. For `#[serde(serialize_with = "domain_kernel::timestamp::serialize")]`.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

/// A timestamp, or none.
pub trait Timestamp {
    /// Formatted text.
    fn to_text(&self) -> Option<String>;
}

impl Timestamp for DateTime<Utc> {
    fn to_text(&self) -> Option<String> {
        Some(text(*self))
    }
}

impl Timestamp for Option<DateTime<Utc>> {
    fn to_text(&self) -> Option<String> {
        self.map(text)
    }
}

/// `2026-11-22T10:37:45.000Z`.
pub fn text(date: DateTime<Utc>) -> String {
    date.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Serializes the text, or null.
pub fn serialize<T: Timestamp, S: Serializer>(date: &T, serializer: S) -> Result<S::Ok, S::Error> {
    date.to_text().serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_second_has_three_digits_too() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        assert_eq!(text(at("2026-11-22T10:37:45Z")), "2026-11-22T10:37:45.000Z");
        assert_eq!(text(at("2026-11-22T12:37:45.1239+02:00")), "2026-11-22T10:37:45.123Z");
    }
}
