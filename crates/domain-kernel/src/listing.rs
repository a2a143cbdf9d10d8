//! The request of a list, and a page of it (docs/spec/rest.md#paging).

use serde::{Deserialize, Serialize};

/// The largest page anybody may ask for: a whole look-up list.
pub const MAX_PAGE_SIZE: u32 = 1000;

/// One field of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// The JSON name of the field.
    pub field: String,
    /// Largest first.
    pub descending: bool,
}

/// A sort text that names no field, or one field twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortFault(pub String);

impl Sort {
    /// Reads `-year,+title`: no prefix, `+`, and the space that a `+` becomes in a URL, all mean ascending.
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

/// Keep only what has this value in this field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The JSON name of the field.
    pub field: String,
    /// The value it must have.
    pub value: FilterValue,
}

/// The value of a filter, read by its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterValue {
    /// Yes or no.
    Flag(bool),
    /// The id of something else.
    Reference(i64),
    /// A number.
    Number(i64),
    /// A member of an enumeration.
    Code(&'static str),
    /// A text that a field must equal.
    Text(String),
}

/// A field a list can be filtered by, and what values it takes.
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
}

impl FilterKind {
    /// Reads a value as the caller wrote it.
    pub fn read(self, text: &str) -> Option<FilterValue> {
        match self {
            Self::Flag => text.parse().ok().map(FilterValue::Flag),
            Self::Reference => text.parse().ok().filter(|id| *id > 0).map(FilterValue::Reference),
            Self::Number => text.parse().ok().map(FilterValue::Number),
            Self::Text => Some(FilterValue::Text(text.trim().to_owned())).filter(|_| !text.trim().is_empty()),
            Self::Code(codes) => codes.iter().find(|code| **code == text).map(|code| FilterValue::Code(code)),
        }
    }
}

/// The request of a list: page, search, order, filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Zero-based.
    pub page: u64,
    /// 1 to [`MAX_PAGE_SIZE`].
    pub size: u32,
    /// Substring to look for, ignoring case and accents. Blank means none.
    pub search: Option<String>,
    /// Fields in order; the id is always the last word.
    pub sort: Vec<Sort>,
    /// All must hold.
    pub filters: Vec<Filter>,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self { page: 0, size: 10, search: None, sort: Vec::new(), filters: Vec::new() }
    }
}

impl ListQuery {
    /// How many rows come before the page.
    pub fn offset(&self) -> u64 {
        self.page.saturating_mul(u64::from(self.size))
    }
}

/// One page of a list, with the true totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The rows, in order. Empty past the end.
    pub content: T,
    /// Zero-based.
    pub page: u64,
    /// The requested number of rows.
    pub size: u32,
    /// How many pages of this size there are.
    pub total_pages: u64,
    /// How many rows there are in all.
    pub total_elements: u64,
}

impl<T> Page<T> {
    /// The same page with other rows.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Page<U> {
        let Self { content, page, size, total_pages, total_elements } = self;
        Page { content: change(content), page, size, total_pages, total_elements }
    }

    /// The page of `query` that holds `content`, out of `total_elements`.
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
    fn pages_are_counted_up() {
        let query = ListQuery { page: 2, size: 10, ..ListQuery::default() };
        assert_eq!(Page::of(&query, (), 21).total_pages, 3);
        assert_eq!(Page::of(&query, (), 20).total_pages, 2);
        assert_eq!(Page::of(&query, (), 0).total_pages, 0);
        assert_eq!(query.offset(), 20);
        assert_eq!(ListQuery { page: u64::MAX, ..query }.offset(), u64::MAX);
    }
}
