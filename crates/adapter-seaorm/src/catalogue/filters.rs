//! The SQL conditions of filters on a row `m`.

use domain_catalogue::{Kind, TitleId};
use domain_kernel::{Bound, Filter, FilterValue, fold, order_key};
use sea_orm::DbBackend;

use super::comparing::push_duplicates;
use crate::{
    db::sql::{Sql, column_name},
    list::{AccessPath, push_comparison},
};

/// A filter other than a comparison with the column of the same name.
#[derive(Debug, Clone, Copy)]
pub enum Condition {
    /// SQL that is true for `true`, and false for `false`.
    Flag(&'static str),
    /// SQL for each code, for SQLite and for `PostgreSQL`. Each has a partial index.
    Codes(&'static [(&'static str, &'static str, &'static str)]),
    /// The JSON array in this column holds the code, or one of the codes.
    Contains(&'static str),
    /// A subquery to which the comparison with the value is appended.
    Compared(&'static str),
    /// The folded text in this column equals that of the value.
    Folded(&'static str),
    /// The folded text in this column begins with that of the value.
    Prefix(&'static str),
    /// The text in this column equals the value in lower case.
    Lower(&'static str),
    /// The text in this column equals the value in any case. Indexes of migration 67 have the same
    /// expression.
    AnyCase(&'static str),
    /// The ID of the film database in this column equals the value, ignoring leading zeros.
    TitleId(&'static str),
    /// One of these expressions, for SQLite and for `PostgreSQL`, equals the value, a URL. Each has
    /// an index; in `PostgreSQL` on its digest, because a URL can be longer than an index entry.
    Address(&'static [(&'static str, &'static str)]),
    /// The folded title of an episode, or its number, contains the folded text.
    TitleOrNumber,
    /// The item has a likely duplicate, for any of the reasons of its kind. Each reason has an index
    /// in which equal items are adjacent.
    Duplicated,
}

/// Filters of all kinds.
pub(super) const OF_ALL: &[(&str, Condition)] = &[("updatedBy", Condition::AnyCase("updated_by"))];

/// The filter of items of kinds that are compared.
pub(super) const OF_COMPARED: (&str, Condition) = ("duplicated", Condition::Duplicated);

/// Filters of films, documentaries, concerts, sports events and TV shows.
pub(super) const OF_MEDIA: &[(&str, Condition)] =
    &[("genre", Condition::Contains("genres")), OF_TITLED[0], OF_TITLED[1], OF_COMPARED];

/// Filters of these, and of seasons and episodes. The partial indexes of migrations 41, 70 and 115
/// have exactly the same conditions.
pub(super) const OF_TITLED: &[(&str, Condition)] =
    &[("missing", Condition::Codes(MISSING)), ("startsWith", Condition::Prefix("title_key"))];

/// Filters of items with links. The indexes of migrations 43 and 44 have the same expressions.
pub(super) const OF_LINKS: &[(&str, Condition)] = &[("linkUrl", Condition::Address(LINK_URLS))];

/// Filters of items with an ID of the film database.
pub(super) const OF_TITLES: (&str, Condition) = ("imdbId", Condition::TitleId("imdb_id"));

/// Filters of films, documentaries, concerts and sports events.
pub(super) const OF_PLAYABLE: &[(&str, Condition)] =
    &[OF_MEDIA[0], OF_MEDIA[1], OF_MEDIA[2], OF_MEDIA[3], OF_LINKS[0]];

/// The addresses of the first three links (docs/spec/content.md#lists).
const LINK_URLS: &[(&str, &str)] = &[
    ("json_extract(m.links, '$[0].url')", "m.links->0->>'url'"),
    ("json_extract(m.links, '$[1].url')", "m.links->1->>'url'"),
    ("json_extract(m.links, '$[2].url')", "m.links->2->>'url'"),
];

const MISSING: &[(&str, &str, &str)] = &[
    ("COVER", "m.cover_image_url IS NULL", "m.cover_image_url IS NULL"),
    ("SPANISH_SYNOPSIS", "m.spanish_synopsis IS NULL", "m.spanish_synopsis IS NULL"),
    ("ENGLISH_SYNOPSIS", "m.english_synopsis IS NULL", "m.english_synopsis IS NULL"),
    ("TRAILER", "m.trailer_url IS NULL", "m.trailer_url IS NULL"),
    (
        "LINKS",
        r#"instr(m.links, '"active":true') = 0"#,
        r#"NOT m.links @> CAST('[{"active": true}]' AS jsonb)"#,
    ),
    ("EPISODES", WITHOUT_EPISODES, WITHOUT_EPISODES),
];

/// No index of shows has this: the unique index of episodes is probed for each show.
const WITHOUT_EPISODES: &str = "NOT EXISTS (SELECT 1 FROM episodes e WHERE e.tv_show_id = m.id)";

/// Adds the SQL of one filter. `alone` means that it is the only condition.
pub(super) fn push_filter(
    sql: &mut Sql,
    backend: DbBackend,
    table: &str,
    kind: Kind,
    (filter, condition): (&Filter, Option<Condition>),
    path: AccessPath,
    alone: bool,
) {
    let is_sqlite = backend == DbBackend::Sqlite;
    let keep = path.keep(backend);
    match (condition, &filter.value) {
        (Some(Condition::Flag(condition)), value) => {
            let not = if *value == FilterValue::Flag(false) { "NOT " } else { "" };
            sql.push(&format!("{not}({condition})"));
        }
        (Some(Condition::Codes(conditions)), FilterValue::Code(code)) => {
            let found = conditions.iter().find(|(known, _, _)| known == code);
            let (sqlite, postgres) = found.map_or(("FALSE", "FALSE"), |(_, one, other)| (*one, *other));
            sql.push(if is_sqlite { sqlite } else { postgres });
        }
        (Some(Condition::Contains(column)), value) => {
            // The table's rows are wide; SQLite has a narrow index of this column.
            let by_index = is_sqlite && path != AccessPath::IndexScan && !alone;
            push_contains(sql, is_sqlite, column, value, by_index.then_some(table));
        }
        (Some(Condition::Duplicated), value) => {
            // PostgreSQL reads the rows of a NOT IN once per item if it estimates that they exceed the memory of a
            // hash table, and those of a NOT EXISTS if it estimates few. Its estimate for an array is ten rows,
            // independent of its statistics: it makes a hash table of them.
            let (begin, end) = match (*value == FilterValue::Flag(false), is_sqlite) {
                (false, _) => ("IN (", ")"),
                (true, true) => ("NOT IN (", ")"),
                (true, false) => ("NOT IN (SELECT unnest(array_agg(d.id)) FROM (", ") d(id))"),
            };
            sql.push(&format!("{keep}m.id {begin}"));
            push_duplicates(sql, is_sqlite, (table, kind));
            sql.push(end);
        }
        (Some(Condition::Compared(column)), value) => {
            sql.push(column);
            push_comparison(sql, value);
            sql.push(")");
        }
        (Some(Condition::Folded(column)), FilterValue::Text(text)) => {
            sql.push(&format!("{keep}m.{column} = ")).bind(order_key(text));
        }
        (Some(Condition::Prefix(column)), FilterValue::Text(text)) => {
            sql.push_prefix(&format!("{keep}m.{column}"), &order_key(text));
        }
        (Some(Condition::Lower(column)), FilterValue::Text(text)) => {
            sql.push(&format!("{keep}m.{column} = ")).bind(text.to_lowercase());
        }
        (Some(Condition::AnyCase(column)), FilterValue::Text(text)) => {
            sql.push(&format!("{keep}lower(m.{column}) = ")).bind(text.to_lowercase());
        }
        (Some(Condition::TitleId(column)), FilterValue::Text(text)) => {
            let id = TitleId::parse(text).map_or_else(|| text.clone(), |id| id.to_string());
            sql.push(&format!("{keep}m.{column} = ")).bind(id);
        }
        (Some(Condition::Address(expressions)), FilterValue::Text(text)) => {
            push_address(sql, is_sqlite, expressions, text, keep);
        }
        (Some(Condition::TitleOrNumber), FilterValue::Text(text)) => {
            push_title_or_number(sql, is_sqlite, &fold(text));
        }
        (_, FilterValue::Day(_) | FilterValue::Moment(_)) => push_bound(sql, filter, keep),
        (_, value) => {
            sql.push(&format!("{keep}m.{}", column_name(&filter.field)));
            push_comparison(sql, value);
        }
    }
}

/// The JSON array in this column has the code, or one of the codes: in the row, or by an index of
/// this table.
fn push_contains(sql: &mut Sql, is_sqlite: bool, column: &str, value: &FilterValue, indexed: Option<&str>) {
    let codes = match value {
        FilterValue::Code(code) => std::slice::from_ref(code),
        FilterValue::Codes(codes) => codes,
        _ => &[],
    };
    let any = |alias: &str| {
        let one = |code: &&str| {
            if is_sqlite {
                format!("instr({alias}.{column}, '\"{code}\"') > 0")
            } else {
                format!("{alias}.{column} @> CAST('[\"{code}\"]' AS jsonb)")
            }
        };
        codes.iter().map(one).collect::<Vec<_>>().join(" OR ")
    };
    sql.push(&match indexed {
        Some(table) => format!("m.id IN (SELECT g.id FROM {table} g WHERE {})", any("g")),
        None => format!("({})", any("m")),
    });
}

/// One of these expressions equals the address.
fn push_address(sql: &mut Sql, is_sqlite: bool, expressions: &[(&str, &str)], address: &str, keep: &str) {
    for (index, (sqlite, postgres)) in expressions.iter().enumerate() {
        sql.push(if index == 0 { "(" } else { " OR " });
        if is_sqlite {
            sql.push(&format!("{keep}{sqlite} = ")).bind(address);
        } else {
            sql.push(&format!("md5({postgres}) = md5(")).bind(address).push(")");
        }
    }
    sql.push(")");
}

/// The text is in the title of an episode, with which its search text begins, or in its number. `S1E2`
/// follows the title.
fn push_title_or_number(sql: &mut Sql, is_sqlite: bool, text: &str) {
    if text.is_empty() {
        sql.push("TRUE");
        return;
    }
    let position = if is_sqlite { "instr" } else { "strpos" };
    sql.push(&format!("({position}(m.search_text, ")).bind(text);
    sql.push(&format!(
        ") BETWEEN 1 AND length(m.search_text) - length('s' || m.season_number || 'e' || m.episode_number) - {} \
         OR {position}(CAST(m.episode_number AS text), ",
        text.chars().count()
    ));
    sql.bind(text).push(") > 0)");
}

/// The column of a filter: that of its field, without the bound of a range.
pub(super) fn filter_column(filter: &Filter) -> String {
    column_name(range(filter).map_or(&filter.field, |(field, _)| field))
}

/// The field and the bound of a range filter.
pub(super) fn range(filter: &Filter) -> Option<(&str, Bound)> {
    Bound::split(&filter.field)
        .filter(|_| matches!(filter.value, FilterValue::Day(_) | FilterValue::Moment(_)))
}

fn push_bound(sql: &mut Sql, filter: &Filter, keep: &str) {
    let is_end = matches!(range(filter), Some((_, Bound::To)));
    sql.push(&format!("{keep}m.{}", filter_column(filter)));
    match &filter.value {
        // A day is inclusive; a time is exclusive at the end.
        FilterValue::Day(day) => sql.push(if is_end { " <= " } else { " >= " }).bind(*day),
        FilterValue::Moment(moment) => sql.push(if is_end { " < " } else { " >= " }).bind(*moment),
        _ => sql,
    };
}
