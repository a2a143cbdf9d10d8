//! The parameters of lists in the OpenAPI document.

use domain_catalogue::Content;
use domain_kernel::{Bound, FilterKind};
use serde_json::{Value, json};

pub(super) fn list_words<C: Content>() -> String {
    let details = match C::OMITTED_FROM_LIST {
        [] => String::new(),
        details => format!("Rows omit {}, which the single item has. ", details.join(", ")),
    };
    format!(
        "{details}`search` ignores case and accents, and applies to the visible columns of the list. Unknown sort fields and \
         filters are refused."
    )
}

pub(super) fn sort_words<C: Content>() -> String {
    let fields = ["id", "createdDate", "updatedDate"].into_iter().chain(C::SORTS.iter().copied());
    format!(
        "Comma-separated fields, each with + (or nothing) for ascending or - for descending. Fields: {}. The ID is always the last sort field.",
        fields.collect::<Vec<_>>().join(", ")
    )
}

pub(super) fn filter_schema(kind: FilterKind) -> Value {
    match kind {
        FilterKind::Flag => json!({"type": "boolean"}),
        FilterKind::Reference => json!({"type": "integer", "format": "int64", "minimum": 1}),
        FilterKind::Number => json!({"type": "integer", "format": "int64"}),
        FilterKind::Code(codes) => json!({"type": "string", "enum": codes}),
        FilterKind::Text => json!({"type": "string"}),
        FilterKind::References => {
            json!({"type": "array", "items": {"type": "integer", "format": "int64", "minimum": 1}})
        }
        FilterKind::Codes(codes) => json!({"type": "array", "items": {"type": "string", "enum": codes}}),
        FilterKind::Day => json!({"type": "string", "format": "date"}),
        FilterKind::Moment => json!({"type": "string", "examples": ["2026-11-20", "2026-11-20T09:00:00Z"]}),
    }
}

/// The description of a bound of a range of times.
pub(super) fn range_words(field: &str) -> String {
    filter_words(field, FilterKind::Moment)
}

/// The description of a filter.
pub(super) fn filter_words(field: &str, kind: FilterKind) -> String {
    let bound = Bound::split(field).filter(|_| matches!(kind, FilterKind::Day | FilterKind::Moment));
    match (kind, bound) {
        (FilterKind::Codes(_) | FilterKind::References, _) => "Any of these values, comma-separated.".into(),
        (FilterKind::Moment, Some((field, Bound::To))) => {
            format!("`{field}` before this time, or to this day (inclusive) in the service's time zone.")
        }
        (FilterKind::Moment, Some((field, Bound::From))) => {
            format!("`{field}` from this time, or from this day in the service's time zone.")
        }
        (_, Some((field, Bound::From))) => format!("`{field}` on this day or later."),
        (_, Some((field, Bound::To))) => format!("`{field}` on this day or earlier."),
        _ if field == "startsWith" => {
            "Names with this prefix, from the first letter or digit on, ignoring case.".into()
        }
        _ if field == "titleOrNumber" => {
            "The title or the episode number contains this text, ignoring case and accents.".into()
        }
        _ if field == "updatedBy" => "Username of the last editor. Not for API keys.".into(),
        _ => "Filter by this value.".into(),
    }
}
