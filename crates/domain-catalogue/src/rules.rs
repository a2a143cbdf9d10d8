//! Validation rules that garde does not have, shared by several kinds.

use std::collections::HashSet;

pub(crate) use domain_kernel::within_years_ahead;
use domain_kernel::{Code, Id, fault};

use crate::TitleId;

/// At most one decimal: ratings have steps of 0.1 (docs/spec/content.md#common-fields). The schema
/// has `x-decimals`.
pub(crate) fn one_decimal<T>(number: &Option<f64>, _: &T) -> garde::Result {
    let fits = number.is_none_or(|number| (number * 10.0 - (number * 10.0).round()).abs() < 1e-9);
    if fits { Ok(()) } else { Err(fault(Code::TooPrecise, &[("decimals", &1)])) }
}

/// No repeated values.
pub(crate) fn unique<V: std::hash::Hash + Eq, T>(values: &[V], _: &T) -> garde::Result {
    let mut seen = HashSet::new();
    if values.iter().all(|value| seen.insert(value)) { Ok(()) } else { Err(fault(Code::Duplicate, &[])) }
}

/// An id greater than 0.
pub(crate) fn an_id<T>(id: &Id, _: &T) -> garde::Result {
    if *id >= 1 { Ok(()) } else { Err(fault(Code::UnknownReference, &[])) }
}

/// A title id of the film database: `tt` and up to 10 ASCII digits (older lists omit leading
/// zeros).
pub(crate) fn title_id<T>(text: &Option<String>, _: &T) -> garde::Result {
    let Some(text) = text else { return Ok(()) };
    let digits = text.strip_prefix("tt").unwrap_or_default();
    let fits = (1..=10).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if fits { Ok(()) } else { Err(fault(Code::InvalidFormat, &[("example", &"tt0133093")])) }
}

/// The canonical form of a title id.
pub(crate) fn normalise_title_id(id: &mut Option<String>) {
    if let Some(normal) = id.as_deref().and_then(TitleId::parse) {
        *id = Some(normal.to_string());
    }
}

/// Default value true.
pub(crate) const fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_have_one_decimal() {
        for good in [None, Some(0.0), Some(8.7), Some(0.1), Some(10.0), Some(9.9), Some(3.3)] {
            assert!(one_decimal(&good, &()).is_ok(), "{good:?}");
        }
        for bad in [8.75, 0.01, 9.999] {
            assert!(one_decimal(&Some(bad), &()).is_err(), "{bad}");
        }
    }

    #[test]
    fn title_ids_are_tt_and_up_to_ten_digits() {
        for good in ["tt0133093", "tt420238", "tt1234567890"] {
            assert!(title_id(&Some(good.into()), &()).is_ok());
        }
        for bad in ["0133093", "tt", "tt12345678901", "TT0133093", "tt０１３３０９３", "tt01330 3"] {
            assert!(title_id(&Some(bad.into()), &()).is_err(), "{bad}");
        }
    }
}
