//! Likely duplicates as a file: an item of a group per row.

use std::sync::Arc;

use domain_kernel::Cell;

use super::{
    Cells, ListColumn, ListExport,
    columns::DUPLICATES,
    exporting::{ROWS_AT_ONCE, Reading, RequestedExport, RowsInOrder},
};
use crate::{DuplicateRow, DuplicateService, Error, MAX_SHEET_ROWS, duplicates::DuplicateFile};

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
