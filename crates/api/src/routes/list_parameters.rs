//! The parameters of lists, as the OpenAPI document describes them.

use domain_catalogue::Content;
use domain_kernel::{Bound, FilterKind};
use serde_json::{Value, json};

pub(super) fn list_words<C: Content>() -> String {
    let details = match C::OMITTED_FROM_LIST {
        [] => String::new(),
        details => format!("Rows leave out {}: those come with the single item. ", details.join(", ")),
    };
    format!(
        "{details}`search` ignores case and accents and looks in what a user sees in the list. Unknown sort fields and \
         filters are refused."
    )
}

pub(super) fn sort_words<C: Content>() -> String {
    let fields = ["id", "createdDate", "updatedDate"].into_iter().chain(C::SORTS.iter().copied());
    format!(
        "Comma-separated fields, each with + (or nothing) for ascending or - for descending. Fields: {}. Every order ends with the id.",
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

/// What a filter keeps, in the documentation.
pub(super) fn filter_words(field: &str, kind: FilterKind) -> String {
    let bound = Bound::split(field).filter(|_| matches!(kind, FilterKind::Day | FilterKind::Moment));
    match (kind, bound) {
        (FilterKind::Codes(_) | FilterKind::References, _) => "Any of these values, comma-separated.".into(),
        (FilterKind::Moment, Some((field, Bound::To))) => {
            format!("`{field}` before this time, or up to the end of this day where the service is.")
        }
        (FilterKind::Moment, Some((field, Bound::From))) => {
            format!("`{field}` from this time on, or from the beginning of this day where the service is.")
        }
        (_, Some((field, Bound::From))) => format!("`{field}` on this day or later."),
        (_, Some((field, Bound::To))) => format!("`{field}` on this day or earlier."),
        _ if field == "startsWith" => {
            "The name begins with this text, from the first letter or digit on, in any case.".into()
        }
        _ if field == "updatedBy" => "The username of who wrote it last. Not for keys.".into(),
        _ => "Filter by this value.".into(),
    }
}
