//! Rows of a file: counted, without blank ones, in batches.

use domain_kernel::{Cell, SheetRow};
use ports::{SheetLimits, SheetPart, UnreadableSheet};

/// Maximum rows per batch.
const ROWS_AT_ONCE: usize = 100;
/// Bytes after which a batch is passed on.
const BYTES_AT_ONCE: usize = 1024 * 1024;
/// Approximate bytes of a cell without its text, including the memory reserved for a short one.
const BYTES_OF_CELL: usize = 64;
/// Characters read of a cell: more than any field allows, so that longer texts are rejected.
const LONGEST_CELL: usize = 40_000;

/// Passes on the rows of a file in batches.
pub(crate) struct Rows<'a> {
    limits: SheetLimits,
    take: &'a mut (dyn FnMut(SheetPart) -> bool + Send),
    some: Vec<SheetRow>,
    /// Bytes of their cells.
    bytes: usize,
    /// Number of rows that are not blank, including the heading.
    found: usize,
    /// Whether the receiver has stopped.
    pub(crate) is_stopped: bool,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(limits: SheetLimits, take: &'a mut (dyn FnMut(SheetPart) -> bool + Send)) -> Self {
        Self { limits, take, some: Vec::new(), bytes: 0, found: 0, is_stopped: false }
    }

    /// Adds a row with its number in the file, from 1. Blank rows, and blank cells at the end of a
    /// row, are dropped.
    pub(crate) fn add(&mut self, number: i64, mut cells: Vec<Cell>) -> Result<(), UnreadableSheet> {
        let used = cells.iter().rposition(|cell| !cell.is_blank()).map_or(0, |last| last + 1);
        if used == 0 {
            return Ok(());
        }
        if used > self.limits.columns {
            return Err(UnreadableSheet::TooManyColumns(self.limits.columns));
        }
        cells.truncate(used);
        self.bytes += BYTES_OF_CELL * used;
        for cell in &mut cells {
            if let Cell::Text(text) = cell
                && let Some((end, _)) = text.char_indices().nth(LONGEST_CELL)
            {
                text.truncate(end);
            }
            if let Cell::Text(text) = cell {
                self.bytes += text.len();
            }
        }
        self.found += 1;
        if self.found > self.limits.rows + 1 {
            return Err(UnreadableSheet::TooManyRows(self.limits.rows));
        }
        self.some.push(SheetRow { number, cells });
        if self.some.len() >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.pass_on();
        }
        Ok(())
    }

    /// Passes on the remaining rows; rejects a file without rows below its heading.
    pub(crate) fn finish(mut self) -> Result<(), UnreadableSheet> {
        self.pass_on();
        if self.found > 1 { Ok(()) } else { Err(UnreadableSheet::Empty) }
    }

    fn pass_on(&mut self) {
        let some = std::mem::take(&mut self.some);
        self.bytes = 0;
        if !some.is_empty() && !self.is_stopped {
            self.is_stopped = !(self.take)(SheetPart::Rows(some));
        }
    }
}
