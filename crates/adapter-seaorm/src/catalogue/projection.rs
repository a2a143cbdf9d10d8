//! Rows as JSON, built by the database (ADR 0005).

use domain_catalogue::{Content, Kind};
use sea_orm::{ColumnTrait, ColumnType, DbBackend, IdenStatic, Iterable};

use super::table::{ContentTable, is_internal, json_name};

/// The SQL that turns a row `m` into JSON.
pub(super) struct Projection {
    /// Without the fields omitted from lists, with the category.
    pub(super) row: String,
    /// With all fields.
    pub(super) whole: String,
}

impl Projection {
    pub(super) fn of<T: ContentTable>(backend: DbBackend) -> Self {
        let field = |column: &T::Column| {
            format!(
                "'{}', {}",
                json_name(column.as_str()),
                json_of(backend, column.as_str(), column.def().get_column_type())
            )
        };
        let object = |fields: &[String]| match backend {
            DbBackend::Sqlite => format!("json_object({})", fields.join(", ")),
            _ => format!("json_build_object({})", fields.join(", ")),
        };
        let shown = || T::Column::iter().filter(|column| !is_internal(column.as_str()));
        let whole: Vec<String> = shown().map(|column| field(&column)).collect();
        let mut row: Vec<String> = shown()
            .filter(|column| column.as_str() != "updated_by")
            .filter(|column| !T::Content::OMITTED_FROM_LIST.contains(&json_name(column.as_str()).as_str()))
            .map(|column| field(&column))
            .collect();
        // The category, or the first of several.
        let has = |name: &str| shown().any(|column| column.as_str() == name);
        let category = match backend {
            _ if has("category_id") => Some("m.category_id"),
            DbBackend::Sqlite if has("categories") => Some("json_extract(m.categories, '$[0]')"),
            _ if has("categories") => Some("CAST(m.categories->>0 AS bigint)"),
            _ => None,
        };
        if let Some(id) = category {
            let parts = ["id", "description", "english_description"]
                .map(|column| format!("'{}', c.{column}", json_name(column)));
            let category = object(&parts);
            row.push(format!("'category', (SELECT {category} FROM categories c WHERE c.id = {id})"));
        }
        if T::Content::KIND == Kind::TvShows {
            row.push(
                "'episodesStored', (SELECT CAST(coalesce(sum(e.total), 0) AS bigint) FROM episodes_counts e \
                 WHERE e.tv_show_id = m.id)"
                    .to_owned(),
            );
        }
        if has("tv_show_id") {
            row.push("'tvShowTitle', (SELECT s.title FROM tv_shows s WHERE s.id = m.tv_show_id)".to_owned());
        }
        if has("links") && T::Content::OMITTED_FROM_LIST.contains(&"links") {
            row.push(format!("'qualities', {}", qualities_of_active_links(backend)));
        }
        Self { row: object(&row), whole: object(&whole) }
    }
}

/// The distinct qualities of a row's active links.
fn qualities_of_active_links(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Sqlite => {
            "json((SELECT json_group_array(DISTINCT json_extract(l.value, '$.quality')) FROM json_each(m.links) l \
             WHERE json_extract(l.value, '$.active')))"
        }
        _ => {
            "(SELECT coalesce(jsonb_agg(DISTINCT l->'quality'), '[]') FROM jsonb_array_elements(m.links) l \
             WHERE CAST(l->>'active' AS boolean))"
        }
    }
}

/// A column as JSON. SQLite has no types for booleans, JSON and time zones.
fn json_of(backend: DbBackend, column: &str, of: &ColumnType) -> String {
    match (backend, of) {
        (DbBackend::Sqlite, ColumnType::Boolean) => {
            format!("json(CASE m.{column} WHEN 1 THEN 'true' ELSE 'false' END)")
        }
        (DbBackend::Sqlite, ColumnType::JsonBinary | ColumnType::Json) => format!("json(m.{column})"),
        // SQLite stores the bound text, which has no fraction for whole seconds.
        (DbBackend::Sqlite, ColumnType::TimestampWithTimeZone) => format!(
            "CASE WHEN substr(m.{column}, 20, 1) = '.' THEN substr(m.{column}, 1, 23) ELSE substr(m.{column}, 1, 19) || '.000' \
             END || 'Z'"
        ),
        (_, ColumnType::TimestampWithTimeZone) => {
            format!(r#"to_char(m.{column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#)
        }
        _ => format!("m.{column}"),
    }
}
