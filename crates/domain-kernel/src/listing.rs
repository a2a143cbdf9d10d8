//! Query of a list, and a page of it (docs/spec/rest.md#paging).

use std::{collections::HashSet, hash::Hash};

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

/// Maximum page size.
pub const MAX_PAGE_SIZE: u32 = 1000;

/// Order by one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// Field name in JSON.
    pub field: String,
    /// Whether the order is descending.
    pub descending: bool,
}

/// A sort parameter without a field, or with a field twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortFault(pub String);

impl Sort {
    /// Parses `-year,+title`: no prefix, `+`, and the space that a `+` becomes in a URL, all mean ascending.
    pub fn parse(text: &str) -> Result<Vec<Self>, SortFault> {
        let mut order: Vec<Self> = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (descending, field) = match part.strip_prefix('-') {
                Some(field) => (true, field),
                None => (false, part.trim_start_matches([' ', '+'])),
            };
            let field = field.trim();
            if field.is_empty() || order.iter().any(|sort| sort.field == field) {
                return Err(SortFault(part.trim().to_owned()));
            }
            order.push(Self { field: field.to_owned(), descending });
        }
        Ok(order)
    }
}

/// A filter by the value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Field name in JSON.
    pub field: String,
    pub value: FilterValue,
}

/// The parsed value of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterValue {
    /// Boolean.
    Flag(bool),
    /// Id of another entity.
    Reference(i64),
    Number(i64),
    /// A member of an enumeration.
    Code(&'static str),
    /// Exact text.
    Text(String),
    /// One of several ids.
    References(Vec<i64>),
    /// One of several members of an enumeration.
    Codes(Vec<&'static str>),
    /// A calendar day.
    Day(NaiveDate),
    /// Timestamp.
    Moment(DateTime<Utc>),
}

/// Type of a filter's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    /// `true` or `false`.
    Flag,
    /// A positive number.
    Reference,
    /// A whole number.
    Number,
    /// One of these codes.
    Code(&'static [&'static str]),
    /// Any text.
    Text,
    /// One or several positive numbers, separated by commas.
    References,
    /// One or several of these codes, separated by commas.
    Codes(&'static [&'static str]),
    /// A calendar day, `2026-11-20`. The parameter is the field name with `From` or `To` appended, both
    /// inclusive.
    Day,
    /// A timestamp (RFC 3339). The parameter is the field name with `From` (inclusive) or `To` (exclusive)
    /// appended.
    Moment,
}

impl FilterKind {
    /// Parses a value.
    pub fn read(self, text: &str) -> Option<FilterValue> {
        match self {
            Self::Flag => text.parse().ok().map(FilterValue::Flag),
            Self::Reference => text.parse().ok().filter(|id| *id > 0).map(FilterValue::Reference),
            Self::Number => text.parse().ok().map(FilterValue::Number),
            // PostgreSQL does not support NUL in texts.
            Self::Text => {
                let text = text.trim();
                (!text.is_empty() && !text.contains('\0')).then(|| FilterValue::Text(text.to_owned()))
            }
            Self::Code(codes) => member(codes, text).map(FilterValue::Code),
            // A list of one is parsed as a single value.
            Self::References if !text.contains(',') => Self::Reference.read(text),
            Self::Codes(codes) if !text.contains(',') => Self::Code(codes).read(text),
            Self::References => {
                let id = |text: &str| text.trim().parse().ok().filter(|id| *id > 0);
                text.split(',').map(id).collect::<Option<_>>().map(each_once).map(FilterValue::References)
            }
            Self::Codes(codes) => {
                let code = |text: &str| member(codes, text.trim());
                text.split(',').map(code).collect::<Option<_>>().map(each_once).map(FilterValue::Codes)
            }
            Self::Day => calendar_day(text).map(FilterValue::Day),
            // A plus in a query string is decoded as a space.
            Self::Moment => DateTime::parse_from_rfc3339(&text.trim().replace(' ', "+"))
                .ok()
                .map(|moment| FilterValue::Moment(moment.with_timezone(&Utc))),
        }
    }
}

fn each_once<T: Copy + Eq + Hash>(mut values: Vec<T>) -> Vec<T> {
    let mut known = HashSet::new();
    values.retain(|value| known.insert(*value));
    values
}

fn member(codes: &'static [&'static str], text: &str) -> Option<&'static str> {
    codes.iter().copied().find(|code| *code == text)
}

/// A calendar date of ten characters.
pub fn calendar_day(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    text.parse().ok().filter(|_| text.len() == 10)
}

/// A bound of a range, appended to the field name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Lower bound.
    From,
    /// Upper bound.
    To,
}

impl Bound {
    /// Splits `releaseDateFrom` into the field and the bound.
    pub fn split(name: &str) -> Option<(&str, Self)> {
        let from = name.strip_suffix("From").map(|field| (field, Self::From));
        from.or_else(|| name.strip_suffix("To").map(|field| (field, Self::To)))
    }
}

/// Query of a list: page, search, order, filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Zero-based.
    pub page: u64,
    /// 1 to [`MAX_PAGE_SIZE`].
    pub size: u32,
    /// Substring to look for, ignoring case and accents. Blank means none.
    pub search: Option<String>,
    /// Digits of a phone number, which lists of users search for in addition to `search`.
    pub phone_digits: Option<String>,
    /// Sort fields; the id is always the last one.
    pub sort: Vec<Sort>,
    /// Combined with AND.
    pub filters: Vec<Filter>,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self { page: 0, size: 10, search: None, phone_digits: None, sort: Vec::new(), filters: Vec::new() }
    }
}

impl ListQuery {
    /// Number of rows before the page.
    pub fn offset(&self) -> u64 {
        self.page.saturating_mul(u64::from(self.size))
    }
}

/// One page of a list, with the exact totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// Rows in order. Empty after the last page.
    pub content: T,
    /// Zero-based.
    pub page: u64,
    /// Requested page size.
    pub size: u32,
    /// Number of pages.
    pub total_pages: u64,
    /// Number of all rows.
    pub total_elements: u64,
}

impl<T> Page<T> {
    /// The page with other rows.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Page<U> {
        let Self { content, page, size, total_pages, total_elements } = self;
        Page { content: change(content), page, size, total_pages, total_elements }
    }

    /// Page of `query` with `content`, out of `total_elements`.
    pub fn of(query: &ListQuery, content: T, total_elements: u64) -> Self {
        Self {
            content,
            page: query.page,
            size: query.size,
            total_pages: total_elements.div_ceil(u64::from(query.size)),
            total_elements,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sort(field: &str, descending: bool) -> Sort {
        Sort { field: field.into(), descending }
    }

    #[test]
    fn plus_space_and_nothing_all_mean_ascending() {
        for text in ["+title", " title", "title", "%2Btitle".replace("%2B", "+").as_str()] {
            assert_eq!(Sort::parse(text), Ok(vec![sort("title", false)]), "{text:?}");
        }
        assert_eq!(Sort::parse("-year,+title"), Ok(vec![sort("year", true), sort("title", false)]));
        assert_eq!(Sort::parse("-year, title,"), Ok(vec![sort("year", true), sort("title", false)]));
        assert_eq!(Sort::parse(""), Ok(vec![]));
    }

    #[test]
    fn a_prefix_without_a_field_and_a_field_twice_are_faults() {
        assert_eq!(Sort::parse("-"), Err(SortFault("-".into())));
        assert_eq!(Sort::parse("year,-year"), Err(SortFault("-year".into())));
    }

    #[test]
    fn several_values_are_any_of_them_and_one_is_itself() {
        let codes = FilterKind::Codes(&["DRAMA", "ACTION"]);
        assert_eq!(codes.read("DRAMA"), Some(FilterValue::Code("DRAMA")));
        assert_eq!(codes.read("DRAMA, ACTION"), Some(FilterValue::Codes(vec!["DRAMA", "ACTION"])));
        assert_eq!(FilterKind::References.read("7"), Some(FilterValue::Reference(7)));
        assert_eq!(FilterKind::References.read("7,9"), Some(FilterValue::References(vec![7, 9])));
        for wrong in ["DRAMA,", "DRAMA,WESTERN", ","] {
            assert_eq!(codes.read(wrong), None, "{wrong}");
        }
        for wrong in ["7,0", "7,x", "7,,9"] {
            assert_eq!(FilterKind::References.read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn days_and_moments_are_read_as_they_are_written() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        assert_eq!(FilterKind::Day.read("2026-11-20"), Some(FilterValue::Day(day)));
        assert_eq!(FilterKind::Day.read("2026-1-2"), None);
        let moment = "2026-11-20T09:00:00Z".parse().unwrap();
        for text in ["2026-11-20T09:00:00Z", "2026-11-20T10:00:00+01:00", "2026-11-20T10:00:00 01:00"] {
            assert_eq!(FilterKind::Moment.read(text), Some(FilterValue::Moment(moment)), "{text}");
        }
        assert_eq!(FilterKind::Moment.read("2026-11-20"), None, "of which time zone?");
        assert_eq!(Bound::split("releaseDateFrom"), Some(("releaseDate", Bound::From)));
        assert_eq!(Bound::split("updatedDateTo"), Some(("updatedDate", Bound::To)));
        assert_eq!(Bound::split("year"), None);
    }

    #[test]
    fn pages_are_counted_up() {
        let query = ListQuery { page: 2, size: 10, ..ListQuery::default() };
        assert_eq!(Page::of(&query, (), 21).total_pages, 3);
        assert_eq!(Page::of(&query, (), 20).total_pages, 2);
        assert_eq!(Page::of(&query, (), 0).total_pages, 0);
        assert_eq!(query.offset(), 20);
        assert_eq!(ListQuery { page: u64::MAX, ..query }.offset(), u64::MAX);
    }
}
