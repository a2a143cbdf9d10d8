//! Reads list parameters, and reports all violations together.

use chrono::{DateTime, Utc};
use domain_catalogue::Content;
use domain_kernel::{
    Bound, Code, Filter, FilterKind, FilterValue, Id, ListQuery, MAX_PAGE_SIZE, Sort, Violation, Violations,
    calendar_day,
};
use domain_users::{CallingCode, phone_digits};

use crate::Calendar;

/// Sort fields of every kind.
const COMMON_SORTS: [&str; 3] = ["id", "createdDate", "updatedDate"];

/// Parameters of a list.
#[derive(Debug, Clone)]
pub struct ListShape {
    pub page_size: u32,
    /// Sort fields.
    pub sorts: Vec<&'static str>,
    /// Filter fields.
    pub filters: &'static [(&'static str, FilterKind)],
}

impl ListShape {
    /// The list of a kind of content.
    pub fn of<C: Content>() -> Self {
        let sorts = COMMON_SORTS.into_iter().chain(C::SORTS.iter().copied()).collect();
        Self { page_size: C::KIND.page_size(), sorts, filters: C::FILTERS }
    }
}

/// Reads a list query from the pairs of a query string (docs/spec/rest.md#paging).
pub fn read_query<C: Content>(
    calendar: &Calendar,
    pairs: &[(String, String)],
) -> Result<ListQuery, Violations> {
    read_dated_query(calendar, &ListShape::of::<C>(), pairs)
}

/// The same for any list whose filters of moments also accept days of the service's time zone.
pub(crate) fn read_dated_query(
    calendar: &Calendar,
    shape: &ListShape,
    pairs: &[(String, String)],
) -> Result<ListQuery, Violations> {
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| with_moment(calendar, shape.filters, name, value)).collect();
    read_list_query(shape, &pairs)
}

/// The phone number that a search of users is for.
pub(crate) fn searched_phone(query: &ListQuery, country: Option<CallingCode>) -> Option<String> {
    query.search.as_deref().and_then(|text| phone_digits(text, country))
}

/// Replaces a day by its first or last moment in the service's time zone.
fn with_moment(
    calendar: &Calendar,
    filters: &[(&'static str, FilterKind)],
    name: &str,
    value: &str,
) -> (String, String) {
    let takes_moment = filters.iter().any(|(field, kind)| *field == name && *kind == FilterKind::Moment);
    let day = calendar_day(value).filter(|_| takes_moment);
    let moment = day.map(|day| match Bound::split(name) {
        Some((_, Bound::To)) => calendar.beginning_after(day),
        _ => calendar.beginning_of(day),
    });
    let value = moment.map_or_else(|| value.to_owned(), |moment| moment.to_rfc3339());
    (name.to_owned(), value)
}

/// Maximum filters of a list, and ids of one filter: databases limit the depth of a condition and
/// the values of a statement.
const MOST_FILTERS: usize = 100;
const MOST_REFERENCES: usize = 10_000;

/// The same for any list.
pub fn read_list_query(shape: &ListShape, pairs: &[(String, String)]) -> Result<ListQuery, Violations> {
    let mut query = ListQuery { size: shape.page_size, ..ListQuery::default() };
    let mut violations = Vec::new();
    for (name, value) in pairs {
        match name.as_str() {
            "_page" => match value.trim().parse::<u64>() {
                // SQL counts rows in 63 bits.
                Ok(page) => query.page = page.min(u64::MAX >> 12),
                Err(_) => violations.push(number_fault("_page", value, 0)),
            },
            "_size" => match value.trim().parse::<u32>() {
                Ok(size @ 1..=MAX_PAGE_SIZE) => query.size = size,
                Ok(0) => violations.push(Violation::new("_size", Code::TooSmall).with("min", 1)),
                Ok(_) => violations.push(Violation::new("_size", Code::TooLarge).with("max", MAX_PAGE_SIZE)),
                Err(_) => violations.push(number_fault("_size", value, 1)),
            },
            "_sort" => match sort(shape, value) {
                Ok(order) => query.sort = order,
                Err(violation) => violations.push(violation),
            },
            "search" => query.search = Some(value.clone()).filter(|text| !text.trim().is_empty()),
            field => match filter(shape, field, value) {
                Ok(Some(filter)) if query.filters.contains(&filter) => {}
                Ok(Some(_)) if query.filters.len() == MOST_FILTERS => {
                    violations.push(Violation::new(field, Code::TooMany).with("max", MOST_FILTERS));
                    break;
                }
                Ok(filter) => query.filters.extend(filter),
                Err(violation) => violations.push(violation),
            },
        }
    }
    if query.search.as_ref().is_some_and(|text| text.chars().count() > 200) {
        violations.push(Violation::new("search", Code::TooLong).with("max", 200));
    }
    if violations.is_empty() { Ok(query) } else { Err(Violations(violations)) }
}

/// The same for a list with its own filters, which were read before and are not in `rest`;
/// `violations` are theirs.
pub(crate) fn read_rest(
    shape: &ListShape,
    rest: &[(String, String)],
    own_filters: &[&'static str],
    mut violations: Vec<Violation>,
) -> Result<ListQuery, Violations> {
    match read_list_query(shape, rest) {
        Ok(query) if violations.is_empty() => return Ok(query),
        Ok(_) => {}
        Err(Violations(more)) => violations.extend(more.into_iter().map(|violation| match violation.code {
            Code::UnknownFilter => violation.with("allowed", own_filters.to_vec()),
            _ => violation,
        })),
    }
    Err(Violations(violations))
}

/// The id in this required parameter, and the other parameters. The file of a list has as a parameter what the
/// list has in its path.
pub(crate) fn required_id(
    pairs: &[(String, String)],
    name: &'static str,
) -> Result<(Id, Vec<(String, String)>), Violations> {
    let (of, others): (Vec<_>, Vec<_>) = pairs.iter().cloned().partition(|(known, _)| known == name);
    let id = match of.as_slice() {
        [(_, id)] => id.parse().map_err(|_| Violation::new(name, Code::InvalidFormat)),
        _ => Err(Violation::new(name, Code::Required)),
    };
    Ok((id.map_err(|fault| Violations(vec![fault]))?, others))
}

/// The time range of a list; `to` is exclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TimeRange {
    pub(crate) from: Option<DateTime<Utc>>,
    pub(crate) to: Option<DateTime<Utc>>,
}

impl TimeRange {
    /// Reads `from` and `to`: moments, or days of the service's time zone, both included. Blank
    /// values are ignored.
    pub(crate) fn read(
        calendar: &Calendar,
        pairs: &[(String, String)],
        violations: &mut Vec<Violation>,
    ) -> Self {
        let mut range = Self::default();
        for (name, value) in pairs.iter().filter(|(_, value)| !value.trim().is_empty()) {
            let edge = match name.as_str() {
                "from" => &mut range.from,
                "to" => &mut range.to,
                _ => continue,
            };
            match moment(calendar, name, value) {
                Ok(moment) => *edge = Some(moment),
                Err(violation) => violations.push(violation),
            }
        }
        if let (Some(from), Some(to)) = (range.from, range.to)
            && to <= from
        {
            violations.push(Violation::new("to", Code::TooSmall).with("min", calendar.clock_time(from)));
        }
        range
    }
}

/// Reads a moment. A day is its first moment, in `to` its last.
pub(crate) fn moment(calendar: &Calendar, name: &str, text: &str) -> Result<DateTime<Utc>, Violation> {
    if let Some(day) = calendar_day(text) {
        return Ok(if name == "to" { calendar.beginning_after(day) } else { calendar.beginning_of(day) });
    }
    // A plus sign is decoded as a space.
    let text = text.trim().replace(' ', "+");
    let moment = DateTime::parse_from_rfc3339(&text).map(|moment| moment.with_timezone(&Utc));
    moment.map_err(|_| Violation::new(name, Code::InvalidDate))
}

/// Violations of filters with two values: no row has both.
pub(crate) fn second_values(query: &ListQuery) -> Vec<Violation> {
    let names: Vec<&str> = query.filters.iter().map(|filter| filter.field.as_str()).collect();
    let again = names.iter().enumerate().filter(|(index, name)| names[..*index].contains(*name));
    again.map(|(_, name)| second_value(name)).collect()
}

/// Violation of a filter with two values.
pub(crate) fn second_value(field: &str) -> Violation {
    Violation::new(field, Code::TooMany).with("max", 1)
}

fn number_fault(field: &str, value: &str, min: u32) -> Violation {
    let digits = value.trim().trim_start_matches('-');
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Violation::new(field, Code::WrongType).with("expected", "integer")
    } else if value.trim().starts_with('-') {
        Violation::new(field, Code::TooSmall).with("min", min)
    } else if field == "_size" {
        Violation::new(field, Code::TooLarge).with("max", MAX_PAGE_SIZE)
    } else {
        Violation::new(field, Code::TooLarge).with("max", u64::MAX >> 12)
    }
}

fn sort(shape: &ListShape, text: &str) -> Result<Vec<Sort>, Violation> {
    let unknown = || Violation::new("_sort", Code::UnknownSortField).with("allowed", shape.sorts.clone());
    let order = Sort::parse(text).map_err(|_| unknown())?;
    let known = order.iter().all(|sort| shape.sorts.contains(&sort.field.as_str()));
    if known { Ok(order) } else { Err(unknown()) }
}

/// A blank value is no filter, because forms send blank values.
fn filter(shape: &ListShape, field: &str, value: &str) -> Result<Option<Filter>, Violation> {
    let Some((_, kind)) = shape.filters.iter().find(|(name, _)| *name == field) else {
        let allowed: Vec<&str> = shape.filters.iter().map(|(name, _)| *name).collect();
        return Err(Violation::new(field, Code::UnknownFilter).with("allowed", allowed));
    };
    if value.is_empty() {
        return Ok(None);
    }
    match (kind.read(value), kind) {
        (Some(FilterValue::References(ids)), _) if ids.len() > MOST_REFERENCES => {
            Err(Violation::new(field, Code::TooMany).with("max", MOST_REFERENCES))
        }
        (Some(value), _) => Ok(Some(Filter { field: field.to_owned(), value })),
        (None, FilterKind::Flag) => {
            Err(Violation::new(field, Code::UnknownValue).with("allowed", vec!["true", "false"]))
        }
        (None, FilterKind::Text) if value.contains('\0') => {
            Err(Violation::new(field, Code::ControlCharacters))
        }
        // A text of white space is no filter either.
        (None, FilterKind::Text) => Ok(None),
        (None, FilterKind::Reference | FilterKind::References | FilterKind::Number) => {
            Err(Violation::new(field, Code::WrongType).with("expected", "integer"))
        }
        (None, FilterKind::Code(codes) | FilterKind::Codes(codes)) => {
            Err(Violation::new(field, Code::UnknownValue).with("allowed", codes.to_vec()))
        }
        (None, FilterKind::Day | FilterKind::Moment) => Err(Violation::new(field, Code::InvalidDate)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain_catalogue::{Category, Movie};
    use domain_kernel::FilterValue;
    use ports::MockClock;

    use super::*;

    fn read<C: Content>(pairs: &[(&str, &str)]) -> Result<ListQuery, Vec<(String, &'static str)>> {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        read_query::<C>(&madrid(), &pairs)
            .map_err(|Violations(all)| all.into_iter().map(|v| (v.field, v.code.as_str())).collect())
    }

    fn madrid() -> Calendar {
        Calendar::new(Arc::new(MockClock::new()), chrono_tz::Europe::Madrid)
    }

    #[test]
    fn a_day_is_that_of_the_services_time_zone_and_a_moment_is_unchanged() {
        let read = |name: &str, value: &str| read::<Movie>(&[(name, value)]).unwrap().filters.remove(0).value;
        let moment = |text: &str| FilterValue::Moment(text.parse().unwrap());
        assert_eq!(read("updatedDateFrom", "2026-11-20"), moment("2026-11-19T23:00:00Z"));
        assert_eq!(read("updatedDateTo", "2026-11-20"), moment("2026-11-20T23:00:00Z"), "the day is in it");
        assert_eq!(read("createdDateTo", "2026-11-20T09:00:00Z"), moment("2026-11-20T09:00:00Z"));
        assert_eq!(read("releaseDateTo", "2026-11-20"), FilterValue::Day("2026-11-20".parse().unwrap()));
    }

    #[test]
    fn a_request_without_parameters_gets_the_first_ten() {
        assert_eq!(read::<Movie>(&[]), Ok(ListQuery::default()));
        assert_eq!(read::<Movie>(&[("search", "  "), ("active", "")]), Ok(ListQuery::default()));
    }

    #[test]
    fn page_size_search_sort_and_filters_are_read() {
        let parameters = [("_page", "2"), ("_size", "1000"), ("search", "co%"), ("_sort", "-year, title")];
        let query =
            read::<Movie>(&[&parameters[..], &[("active", "true"), ("categoryId", "7")]].concat()).unwrap();
        assert_eq!((query.page, query.size, query.search.as_deref()), (2, 1000, Some("co%")));
        assert_eq!(query.sort.len(), 2);
        assert_eq!(query.filters[1].value, FilterValue::Reference(7));
        let by_type = read::<Category>(&[("type", "TV_SHOW")]).unwrap();
        assert_eq!(by_type.filters[0].value, FilterValue::Code("TV_SHOW"));
    }

    #[test]
    fn all_violations_are_reported_at_once_by_parameter() {
        for (name, value, code) in [
            ("_page", "-1", "TOO_SMALL"),
            ("_page", "x", "WRONG_TYPE"),
            ("_page", "99999999999999999999999", "TOO_LARGE"),
            ("_size", "0", "TOO_SMALL"),
            ("_size", "1001", "TOO_LARGE"),
            ("_size", "-5", "TOO_SMALL"),
            ("_size", "ten", "WRONG_TYPE"),
            ("_sort", "synopsis", "UNKNOWN_SORT_FIELD"),
            ("_sort", "title;drop", "UNKNOWN_SORT_FIELD"),
            ("titel", "x", "UNKNOWN_FILTER"),
            ("active", "yes", "UNKNOWN_VALUE"),
            ("categoryId", "one", "WRONG_TYPE"),
            ("categoryId", "0", "WRONG_TYPE"),
            ("categoryId", "1,x", "WRONG_TYPE"),
            ("genre", "DRAMA,NOVEL", "UNKNOWN_VALUE"),
            ("updatedDateFrom", "yesterday", "INVALID_DATE"),
            ("releaseDateTo", "2026-02-30", "INVALID_DATE"),
        ] {
            assert_eq!(read::<Movie>(&[(name, value)]), Err(vec![(name.to_owned(), code)]), "{name}={value}");
        }
        assert_eq!(read::<Movie>(&[("_size", "0"), ("x", "1")]).unwrap_err().len(), 2);
    }

    #[test]
    fn a_huge_page_number_is_accepted() {
        assert!(read::<Movie>(&[("_page", "9999999999999999")]).is_ok());
    }
}
