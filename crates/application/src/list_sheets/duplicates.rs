//! Likely duplicates as a file: an item of a group per row.

use std::sync::Arc;

use domain_kernel::{Cell, Labels};
use serde_json::Value;

use super::{
    Cells, ListColumn, ListExport,
    exporting::{ROWS_AT_ONCE, Reading, RequestedExport, RowsInOrder},
    optional, text,
};
use crate::{
    DuplicateItem, DuplicateRow, DuplicateService, Error, MAX_SHEET_ROWS, duplicates::DuplicateFile,
};

macro_rules! columns {
    ($($key:literal $spanish:literal $english:literal |$row:ident| $cell:expr;)+) => {
        &[$(ListColumn {
            key: $key,
            labels: Labels { spanish: $spanish, english: $english },
            cell: |$row, _cells| $cell,
        },)+]
    };
}

pub(super) const DUPLICATES: &[ListColumn<DuplicateRow>] = columns! {
    "group" "Grupo" "Group" |row| Cell::Integer(row.group.into());
    "value" "En común" "In common" |row| optional(row.value.as_ref());
    "commonYear" "Año en común" "Year in common" |row| row.year.map_or(Cell::Empty, |year| Cell::Integer(year.into()));
    "id" "ID" "ID" |row| Cell::Integer(row.item.id);
    "title" "Título" "Title" |row| text(&*row.item.title);
    "year" "Año" "Year" |row| whole(&row.item, "year");
    "show" "Serie" "TV show" |row| optional(row.item.show_title.as_ref());
    "showId" "ID de la serie" "TV show ID" |row| row.item.show_id().map_or(Cell::Empty, Cell::Integer);
    "season" "Temporada" "Season" |row| whole(&row.item, "seasonNumber");
    "episode" "Episodio" "Episode" |row| whole(&row.item, "episodeNumber");
    "imdbId" "ID de IMDb" "IMDb ID" |row| optional(row.item.fields.get("imdbId").and_then(Value::as_str));
    "active" "Activo" "Active" |row| Cell::Flag(is_active(&row.item));
    "links" "Enlaces" "Links" |row| links(&row.item);
    "views" "Vistas" "Views" |row| Cell::Integer(row.item.views);
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

struct DuplicateExport {
    service: Arc<DuplicateService>,
    file: DuplicateFile,
    columns: Vec<&'static ListColumn<DuplicateRow>>,
    cells: Cells,
}

impl RowsInOrder for DuplicateExport {
    fn next(&mut self) -> Reading<'_> {
        Box::pin(self.read())
    }
}

impl DuplicateExport {
    async fn read(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        let rows = self.service.next_rows(&mut self.file, ROWS_AT_ONCE).await?;
        Ok(self.cells.rows(&self.columns, &rows))
    }
}

impl RequestedExport<'_> {
    /// Exports the groups of one kind, for one reason.
    pub(super) async fn export_duplicates(&self) -> Result<ListExport, Error> {
        let columns = self.columns(DUPLICATES)?;
        let service = self.service.readers.duplicates.clone();
        let file = service.begin_file(self.actor, self.request.pairs, MAX_SHEET_ROWS + 1).await?;
        let rows = file.rows();
        self.begin(columns, rows, |columns, cells| DuplicateExport { service, file, columns, cells }).await
    }
}
