//! Phone numbers in searches, and the calling code of national numbers (docs/spec/users.md#list).

use std::fmt;

/// Least digits of a text that is searched for as a phone number.
const LEAST_DIGITS: usize = 4;

/// Least digits of a number without its country: fewer would match too many users.
const LEAST_NATIONAL_DIGITS: usize = 6;

/// Calling code of a country: 1 to 3 digits, the first of which is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallingCode(u16);

impl CallingCode {
    /// Codes after which a number keeps its leading 0: Italy, Côte d'Ivoire, Benin, Congo and San Marino. The same
    /// as `keepingZero` in frontend/src/features/renewals/message.ts.
    const KEEPING_ZERO: [Self; 5] = [Self(39), Self(225), Self(229), Self(242), Self(378)];

    /// The code without plus or zeros before it; `None` where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let is_code =
            matches!(text.len(), 1..=3) && text.chars().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
        if is_code { text.parse().ok().map(Self) } else { None }
    }

    /// The digits of a number of this country without code and trunk prefix, as they are in both spellings
    /// of the number; `None` for a number of another country.
    fn national(self, digits: &str, is_international: bool) -> Option<&str> {
        let digits = if is_international { digits.strip_prefix(&self.to_string())? } else { digits };
        let keeps_zero = Self::KEEPING_ZERO.contains(&self);
        let digits = if keeps_zero { digits } else { digits.strip_prefix('0').unwrap_or(digits) };
        (digits.len() >= LEAST_NATIONAL_DIGITS).then_some(digits)
    }
}

impl fmt::Display for CallingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Digits of a text that looks like a phone number, without the prefix zeros of an international call and
/// without the calling code of the service's country: searched for in addition to the text.
pub fn phone_digits(text: &str, country: Option<CallingCode>) -> Option<String> {
    if !text.chars().all(|c| c.is_ascii_digit() || " -()+./".contains(c)) {
        return None;
    }
    let all: String = text.chars().filter(char::is_ascii_digit).collect();
    let (digits, is_international) = match all.strip_prefix("00") {
        Some(digits) => (digits, true),
        None => (all.as_str(), text.trim_start_matches([' ', '(']).starts_with('+')),
    };
    let national = country.and_then(|code| code.national(digits, is_international));
    let digits = national.unwrap_or(digits);
    (digits.len() >= LEAST_DIGITS).then(|| digits.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<CallingCode> {
        let code = CallingCode::parse(text);
        assert!(code.is_some(), "{text}");
        code
    }

    #[test]
    fn a_calling_code_has_one_to_three_digits() {
        for good in ["1", "34", "598"] {
            assert_eq!(code(good).map(|code| code.to_string()).as_deref(), Some(good));
        }
        for bad in ["", "+34", "0034", "034", "0", "1234", "3a", " 34", "٣٤"] {
            assert_eq!(CallingCode::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_digits_of_what_looks_like_a_phone_number_are_looked_for() {
        for (text, digits) in [
            ("600123456", Some("600123456")),
            ("+34 600-123 456", Some("34600123456")),
            ("0034 (600) 123.456", Some("34600123456")),
            ("600-1", Some("6001")),
            ("4 - 12", None),
            ("00 12", None),
            ("ana 600123456", None),
            ("", None),
        ] {
            assert_eq!(phone_digits(text, None).as_deref(), digits, "{text}");
        }
    }

    #[test]
    fn the_calling_code_of_the_service_is_not_searched_for() {
        for (country, text, digits) in [
            ("34", "+34 600 111 222", "600111222"),
            ("34", "0034 600-111-222", "600111222"),
            ("34", "(+34) 600111222", "600111222"),
            ("34", "600 111 222", "600111222"),
            ("34", "+34 600 111", "600111"),
            // Too few would be left.
            ("34", "+34 600 11", "3460011"),
            // Without a prefix, 34 may be the beginning of a national number.
            ("34", "34600111222", "34600111222"),
            ("34", "+44 7700 900123", "447700900123"),
            ("1", "+1 212 555 0100", "2125550100"),
            // The trunk prefix is dialled within the country only.
            ("44", "+44 7700 900123", "7700900123"),
            ("44", "+44 (0)7700 900123", "7700900123"),
            ("44", "07700 900123", "7700900123"),
            ("44", "07700 9", "077009"),
            ("39", "+39 06 6982 1234", "0669821234"),
            ("39", "06 6982 1234", "0669821234"),
            ("225", "+225 01 23 45 67 89", "0123456789"),
            ("378", "0549 882 345", "0549882345"),
        ] {
            assert_eq!(phone_digits(text, code(country)).as_deref(), Some(digits), "{country}: {text}");
        }
    }

    #[test]
    fn both_spellings_of_a_number_are_found_by_both() {
        for (country, national, international) in
            [("34", "600 111 222", "+34 600 111 222"), ("44", "07700 900123", "0044 7700 900123")]
        {
            for typed in [national, international] {
                let searched = phone_digits(typed, code(country)).unwrap();
                for stored in [national, international] {
                    let stored: String = stored.chars().filter(char::is_ascii_digit).collect();
                    assert!(stored.contains(&searched), "{typed} does not find {stored}");
                }
            }
        }
    }
}
