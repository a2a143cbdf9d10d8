//! Spreadsheet files.

use std::io::Write;

use domain_kernel::Cell;
use thiserror::Error;

/// A file could not be written: the disk is full, or nobody reads it any more.
#[derive(Debug, Error)]
#[error("the spreadsheet could not be written: {0}")]
pub struct SheetFault(pub String);

/// Rows of a spreadsheet, some at a time; none after the last.
pub type SheetRows<'a> = dyn FnMut() -> Option<Result<Vec<Vec<Cell>>, SheetFault>> + Send + 'a;

/// Writes spreadsheet files. Blocks its thread.
pub trait SheetFiles: Send + Sync {
    /// Writes an XLSX file of one worksheet. The first row is its heading. Memory does not grow with the rows.
    fn write_xlsx(&self, rows: &mut SheetRows<'_>, out: &mut (dyn Write + Send)) -> Result<(), SheetFault>;
}
