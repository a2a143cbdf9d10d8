//! Columns of likely duplicates: an item of a group per row.

use domain_kernel::{Cell, Labels};
use serde_json::Value;

use super::super::{ListColumn, optional, text};
use crate::{DuplicateItem, DuplicateRow};

pub(in super::super) const DUPLICATES: &[ListColumn<DuplicateRow>] = columns! {
    "group" "Grupo" "Group" |row, _cells| Cell::Integer(row.group.into());
    "value" "En común" "In common" |row, _cells| optional(row.value.as_ref());
    "commonYear" "Año en común" "Year in common" |row, _cells| row.year.map_or(Cell::Empty, |year| Cell::Integer(year.into()));
    "id" "ID" "ID" |row, _cells| Cell::Integer(row.item.id);
    "title" "Título" "Title" |row, _cells| text(&*row.item.title);
    "year" "Año" "Year" |row, _cells| whole(&row.item, "year");
    "show" "Serie" "TV show" |row, _cells| optional(row.item.show_title.as_ref());
    "showId" "ID de la serie" "TV show ID" |row, _cells| row.item.show_id().map_or(Cell::Empty, Cell::Integer);
    "season" "Temporada" "Season" |row, _cells| whole(&row.item, "seasonNumber");
    "episode" "Episodio" "Episode" |row, _cells| whole(&row.item, "episodeNumber");
    "imdbId" "ID de IMDb" "IMDb ID" |row, _cells| optional(row.item.fields.get("imdbId").and_then(Value::as_str));
    "active" "Activo" "Active" |row, _cells| Cell::Flag(is_active(&row.item));
    "links" "Enlaces" "Links" |row, _cells| links(&row.item);
    "views" "Vistas" "Views" |row, _cells| Cell::Integer(row.item.views);
};

fn whole(item: &DuplicateItem, field: &str) -> Cell {
    item.fields.get(field).and_then(Value::as_i64).map_or(Cell::Empty, Cell::Integer)
}

fn is_active(item: &DuplicateItem) -> bool {
    item.fields.get("active").and_then(Value::as_bool).unwrap_or_default()
}

/// Number of links, of kinds with links.
fn links(item: &DuplicateItem) -> Cell {
    let links = item.fields.get("links").and_then(Value::as_array);
    links.and_then(|links| i64::try_from(links.len()).ok()).map_or(Cell::Empty, Cell::Integer)
}
