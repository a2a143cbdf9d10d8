//! Phone numbers in searches, and the calling code of national numbers (docs/spec/users.md#phone-numbers).

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Least digits of a text that is searched for as a phone number.
const LEAST_DIGITS: usize = 4;

/// Least digits of a number without its country: fewer would match too many users.
const LEAST_NATIONAL_DIGITS: usize = 6;

/// Digits with which a number without plus has its calling code already.
const LEAST_INTERNATIONAL_DIGITS: usize = 11;

/// Calling code of a country: 1 to 3 digits, the first of which is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallingCode(u16);

impl CallingCode {
    /// Codes after which a number keeps its leading 0: Italy, Côte d'Ivoire, Benin, Congo and San Marino.
    const KEEPING_ZERO: [Self; 5] = [Self(39), Self(225), Self(229), Self(242), Self(378)];

    /// The code without plus or zeros before it; `None` where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let is_code =
            matches!(text.len(), 1..=3) && text.chars().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
        if is_code { text.parse().ok().map(Self) } else { None }
    }

    /// The digits after the code of an international number; `None` for a number of another country.
    fn strip(self, digits: &str) -> Option<&str> {
        digits.strip_prefix(&self.to_string())
    }

    /// National digits without the 0 that is dialled within the country.
    fn without_trunk(self, national: &str) -> &str {
        if Self::KEEPING_ZERO.contains(&self) {
            national
        } else {
            national.strip_prefix('0').unwrap_or(national)
        }
    }
}

impl fmt::Display for CallingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A phone number with its calling code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InternationalNumber {
    /// Digits from the calling code on, without plus or zeros before it and without the 0 that is dialled within the
    /// country.
    pub digits: String,
    /// Whether the calling code is assumed: of a long number without plus or `00`, if the service has no country.
    pub assumed: bool,
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The digits without the prefix zeros of an international call, and whether the number is international.
fn without_prefix(text: &str) -> (String, bool) {
    let all = digits_of(text);
    match all.strip_prefix("00") {
        Some(digits) => (digits.to_owned(), true),
        None => (all, text.trim_start_matches([' ', '(']).starts_with('+')),
    }
}

/// Calling code and national digits of a number whose 0 within the country is in parentheses after its code, as in
/// `+44 (0)7700`; without that 0 where the country does not keep it.
fn split_at_trunk(text: &str) -> Option<(CallingCode, String)> {
    let text = text.replace(' ', "");
    let (before, after) = text.split_once("(0)")?;
    let code = CallingCode::parse(&without_prefix(before).0)?;
    let national = format!("0{}", digits_of(after));
    Some((code, code.without_trunk(&national).to_owned()))
}

/// The international form of a stored number; `None` where its calling code is unknown. A number without plus or `00`
/// is one of the service's country.
pub fn international_number(text: &str, country: Option<CallingCode>) -> Option<InternationalNumber> {
    let with_code = |code: CallingCode, national: &str| format!("{code}{}", code.without_trunk(national));
    let certain = |digits: String| Some(InternationalNumber { digits, assumed: false });
    if let Some((code, national)) = split_at_trunk(text) {
        return certain(format!("{code}{national}"));
    }
    let (digits, is_international) = without_prefix(text);
    let has_code = is_international || digits.len() >= LEAST_INTERNATIONAL_DIGITS;
    if digits.is_empty() {
        return None;
    }
    let Some(code) = country else {
        return has_code.then_some(InternationalNumber { digits, assumed: !is_international });
    };
    match code.strip(&digits).filter(|_| has_code) {
        Some(national) => certain(with_code(code, national)),
        None if is_international => certain(digits),
        None => certain(with_code(code, &digits)),
    }
}

/// The digits of a stored number as searches find them: as it is written, and without the 0 in parentheses after its
/// calling code where it has one, so that the number is found in both spellings.
pub(crate) fn searchable_digits(text: &str) -> impl Iterator<Item = String> {
    let written = digits_of(text);
    let without_trunk = split_at_trunk(text).map(|(code, national)| format!("{code}{national}"));
    let without_trunk = without_trunk.filter(|digits| !written.contains(digits.as_str()));
    [Some(written).filter(|digits| !digits.is_empty()), without_trunk].into_iter().flatten()
}

/// Digits of a text that looks like a phone number, without the prefix zeros of an international call and
/// without the calling code of the service's country: searched for in addition to the text.
pub fn phone_digits(text: &str, country: Option<CallingCode>) -> Option<String> {
    if !text.chars().all(|c| c.is_ascii_digit() || " -()+./".contains(c)) {
        return None;
    }
    let is_enough = |national: &str| national.len() >= LEAST_NATIONAL_DIGITS;
    // These digits are in the spellings with and without the 0.
    if let Some((_, national)) = split_at_trunk(text).filter(|(_, national)| is_enough(national)) {
        return Some(national);
    }
    let (digits, is_international) = without_prefix(text);
    let national = country.and_then(|code| {
        let national = if is_international { code.strip(&digits)? } else { digits.as_str() };
        Some(code.without_trunk(national)).filter(|national| is_enough(national))
    });
    let digits = national.unwrap_or(&digits);
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
            // The 0 in parentheses is dialled within the country only.
            ("+44 (0)7700 900123", Some("7700900123")),
            ("0044 (0) 7700-900123", Some("7700900123")),
            ("+39 (0)6 6982 1234", Some("0669821234")),
            ("(0)7700 900123", Some("07700900123")),
            // Too few would be left.
            ("+44 (0)7700", Some("4407700")),
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
            ("34", "+44 (0)7700 900123", "7700900123"),
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
    fn a_number_gets_the_calling_code_of_the_service_and_loses_the_zero_within_the_country() {
        for (text, country, digits) in [
            ("+34 600-111 222", "52", "34600111222"),
            ("600 111 222", "34", "34600111222"),
            ("07700 900123", "44", "447700900123"),
            ("06 6982 1234", "39", "390669821234"),
            ("+39 06 6982 1234", "39", "390669821234"),
            ("01 23 45 67 89", "225", "2250123456789"),
            ("34 5551234", "34", "34345551234"),
            ("(0034) 600 111 222", "34", "34600111222"),
            ("(+34) 600 111 222", "34", "34600111222"),
            // Long enough to have the code already.
            ("34600111222", "34", "34600111222"),
            ("44 07700 900123", "44", "447700900123"),
            // A national number of eleven digits.
            ("11 91234 5678", "55", "5511912345678"),
            ("+44 (0)7700 900123", "44", "447700900123"),
            // Of another country, too.
            ("+44 (0)7700 900123", "34", "447700900123"),
            ("0044 ( 0 ) 7700 900123", "34", "447700900123"),
            ("44 (0)7700 900123", "34", "447700900123"),
            ("+39 (0)6 6982 1234", "34", "390669821234"),
            ("(0)7700 900123", "44", "447700900123"),
        ] {
            let expected = InternationalNumber { digits: digits.into(), assumed: false };
            assert_eq!(international_number(text, code(country)), Some(expected), "{country}: {text}");
        }
        assert_eq!(international_number("", code("34")), None);
    }

    #[test]
    fn without_the_service_s_country_a_number_needs_its_own_code() {
        for (text, digits, assumed) in [
            ("0034 600 111 222", "34600111222", false),
            ("+44 (0)7700 900123", "447700900123", false),
            ("34600111222", "34600111222", true),
        ] {
            let expected = InternationalNumber { digits: digits.into(), assumed };
            assert_eq!(international_number(text, None), Some(expected), "{text}");
        }
        for text in ["600 111 222", "", "+", "()"] {
            assert_eq!(international_number(text, None), None, "{text}");
        }
    }

    #[test]
    fn a_stored_number_is_found_by_its_digits_with_and_without_the_zero_in_parentheses() {
        for (text, digits) in [
            ("+34 600-111 222", &["34600111222"][..]),
            ("0034 600 111 222", &["0034600111222"]),
            ("+44 (0)20 7946 0958", &["4402079460958", "442079460958"]),
            ("0044 ( 0 ) 20-7946-0958", &["004402079460958", "442079460958"]),
            ("44 (0)20 7946 0958", &["4402079460958", "442079460958"]),
            // The country keeps it.
            ("+39 (0)6 6982 1234", &["390669821234"]),
            // The country is not known.
            ("(0)20 7946 0958", &["02079460958"]),
            ("+(0)20 7946 0958", &["02079460958"]),
            ("", &[]),
        ] {
            assert_eq!(searchable_digits(text).collect::<Vec<_>>(), digits, "{text}");
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
                    let found = searchable_digits(stored).any(|digits| digits.contains(&searched));
                    assert!(found, "{typed} does not find {stored}");
                }
            }
        }
    }

    #[test]
    fn a_number_of_any_country_is_found_with_and_without_the_zero_in_parentheses() {
        for country in [None, code("34"), code("44")] {
            let spellings = ["+44 (0)20 7946 0958", "+44 20 7946 0958", "0044 (0) 20-7946", "0044 20 7946"];
            for typed in spellings {
                let searched = phone_digits(typed, country).unwrap();
                for stored in &spellings[..2] {
                    let found = searchable_digits(stored).any(|digits| digits.contains(&searched));
                    assert!(found, "{country:?}: {typed} does not find {stored}");
                }
            }
        }
    }
}
