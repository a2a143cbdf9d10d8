//! Spreadsheet files, and the store of imported ones.

use std::{
    collections::{HashMap, HashSet},
    io::Write,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Cell, Code, Id, Locale, SheetRow, Violation};
use domain_operations::Resource;
use thiserror::Error;

use crate::StoreError;

/// Write error of a file: the disk is full, or the client has disconnected.
#[derive(Debug, Error)]
#[error("the spreadsheet could not be written: {0}")]
pub struct SheetFault(pub String);

/// Batches of spreadsheet rows; `None` after the last.
pub type SheetRows<'a> = dyn FnMut() -> Option<Result<Vec<Vec<Cell>>, SheetFault>> + Send + 'a;

/// Limits of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetLimits {
    /// Rows without the heading.
    pub rows: usize,
    pub columns: usize,
    /// Uncompressed size of a workbook, in bytes.
    pub unpacked: u64,
}

/// Reason why a file can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnreadableSheet {
    /// Not a spreadsheet.
    #[error("not a spreadsheet")]
    NotASpreadsheet,
    /// Bytes that are invalid in the detected encoding.
    #[error("damaged text")]
    Damaged,
    /// An unclosed quote in this row.
    #[error("an open quote in row {0}")]
    OpenQuote(i64),
    /// No rows.
    #[error("no rows")]
    Empty,
    /// More rows than this.
    #[error("more than {0} rows")]
    TooManyRows(usize),
    /// More columns than this.
    #[error("more than {0} columns")]
    TooManyColumns(usize),
    /// More uncompressed bytes than this.
    #[error("more than {0} bytes unpacked")]
    TooLarge(u64),
    /// The named worksheet does not exist; carries the existing ones.
    #[error("none of its worksheets")]
    NoSuchSheet(Vec<String>),
}

impl UnreadableSheet {
    /// Violation for the file.
    pub fn violation(self) -> Violation {
        let about = |code| Violation::new("file", code);
        match self {
            Self::NotASpreadsheet => about(Code::NotASpreadsheet),
            Self::Damaged => about(Code::DamagedText),
            Self::OpenQuote(row) => about(Code::OpenQuote).with("row", row),
            Self::Empty => about(Code::EmptySheet),
            Self::TooManyRows(max) => about(Code::TooManyRows).with("max", max),
            Self::TooManyColumns(max) => about(Code::TooManyColumns).with("max", max),
            Self::TooLarge(max) => about(Code::UnpackedTooLarge).with("max", max),
            Self::NoSuchSheet(names) => Violation::new("sheet", Code::UnknownSheet).with("allowed", names),
        }
    }
}

/// A part of a file that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum SheetPart {
    /// Worksheets of the workbook, and the selected one. Comes first, for workbooks only.
    Sheets {
        /// Names of all worksheets.
        names: Vec<String>,
        /// Name of the selected one.
        read: String,
    },
    /// Rows that are not blank, the heading first, in the order of the file.
    Rows(Vec<SheetRow>),
}

/// Reads and writes spreadsheet files. Blocks its thread.
pub trait SheetFiles: Send + Sync {
    /// Writes an XLSX file of one worksheet. The first row is its heading. Memory is constant in the number
    /// of rows.
    fn write_xlsx(&self, rows: &mut SheetRows<'_>, out: &mut (dyn Write + Send)) -> Result<(), SheetFault>;

    /// Reads a file: a worksheet of an XLSX workbook, by default the first that is not blank, or delimited
    /// text. Stops once `take` refuses a part.
    fn read(
        &self,
        file: Vec<u8>,
        sheet: Option<&str>,
        limits: SheetLimits,
        take: &mut (dyn FnMut(SheetPart) -> bool + Send),
    ) -> Result<(), UnreadableSheet>;
}

/// A file to import.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSheet {
    /// Resource of the rows: content of a kind, or users.
    pub resource: Resource,
    pub file_name: String,
    /// Language of the file.
    pub locale: Locale,
    /// Headings in the first row.
    pub headings: Vec<String>,
    pub created_by: String,
    pub created_date: DateTime<Utc>,
}

/// A file whose rows are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSheet {
    pub id: Id,
    pub sheet: NewSheet,
    /// Number of rows, without the heading.
    pub rows: i64,
}

/// Stores the rows of imported files, in slices.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SheetRepository: Send + Sync {
    /// Inserts a file that is being read.
    async fn begin(&self, sheet: NewSheet) -> Result<Id, StoreError>;

    /// Stores slices of rows in one transaction. `first` is the zero-based number of the first slice.
    async fn add_slices(&self, id: Id, first: i64, slices: Vec<Vec<SheetRow>>) -> Result<(), StoreError>;

    /// Marks the file as completely stored, with its number of rows.
    async fn finish(&self, id: Id, rows: i64) -> Result<(), StoreError>;

    /// Removes a file.
    async fn remove(&self, id: Id) -> Result<(), StoreError>;

    /// A completely stored file.
    async fn find(&self, id: Id) -> Result<Option<ImportedSheet>, StoreError>;

    /// A slice of the rows.
    async fn rows(&self, id: Id, number: i64) -> Result<Vec<SheetRow>, StoreError>;

    /// The columns that a user chose for headings of files of a kind; `None` for a heading that was left out.
    async fn chosen_columns(
        &self,
        username: &str,
        resource: Resource,
    ) -> Result<HashMap<String, Option<String>>, StoreError>;

    /// Stores the columns chosen by a user, beside those for other headings.
    async fn choose_columns(
        &self,
        username: &str,
        resource: Resource,
        columns: HashMap<String, Option<String>>,
    ) -> Result<(), StoreError>;

    /// Rows that an operation has finished, of these items, with these keys or with these IMDb ids.
    async fn done_rows(
        &self,
        operation: Id,
        items: Vec<Id>,
        keys: Vec<String>,
        imdb_ids: Vec<String>,
    ) -> Result<Vec<DoneRow>, StoreError>;

    /// The items among these that an operation added.
    async fn added_items(&self, operation: Id, items: &[Id]) -> Result<HashSet<Id>, StoreError>;
}

/// A finished file row of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneRow {
    /// Item; 0 where there is none.
    pub item: Id,
    /// Natural key as stored by the operation.
    pub key: Option<String>,
    /// IMDb id assigned by the row.
    pub imdb_id: Option<String>,
    /// Row number in the file.
    pub row: i64,
}
