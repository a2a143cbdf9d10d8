//! Rows as they are found in a file: counted, without blank ones, some at a time.

use domain_kernel::{Cell, SheetRow};
use ports::{SheetLimits, SheetPart, UnreadableSheet};

/// Rows that are passed on together.
const ROWS_AT_ONCE: usize = 100;
/// Bytes after which rows are passed on, however few.
const BYTES_AT_ONCE: usize = 1024 * 1024;
/// What a cell takes beside its text, with the memory that is reserved for a short one.
const BYTES_OF_CELL: usize = 64;
/// Characters of a cell that are read: more than any field takes, so that a longer text is refused as one.
const LONGEST_CELL: usize = 40_000;

/// Passes on the rows of a file.
pub(crate) struct Rows<'a> {
    limits: SheetLimits,
    take: &'a mut (dyn FnMut(SheetPart) -> bool + Send),
    some: Vec<SheetRow>,
    /// Bytes of their cells.
    bytes: usize,
    /// Rows that are not blank, the heading among them.
    found: usize,
    /// Nobody takes rows any more.
    pub(crate) is_stopped: bool,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(limits: SheetLimits, take: &'a mut (dyn FnMut(SheetPart) -> bool + Send)) -> Self {
        Self { limits, take, some: Vec::new(), bytes: 0, found: 0, is_stopped: false }
    }

    /// Adds a row, by its number in the file from 1. A blank one is left out, and blank cells at its end are.
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

    /// Passes on what is left; a file without rows beneath its heading is refused.
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
