//! Spreadsheet files, and the store of those that are imported.

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

/// A file could not be written: the disk is full, or nobody reads it any more.
#[derive(Debug, Error)]
#[error("the spreadsheet could not be written: {0}")]
pub struct SheetFault(pub String);

/// Rows of a spreadsheet, some at a time; none after the last.
pub type SheetRows<'a> = dyn FnMut() -> Option<Result<Vec<Vec<Cell>>, SheetFault>> + Send + 'a;

/// How much a file may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetLimits {
    /// Rows beside the heading.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Bytes of a workbook as they are unpacked.
    pub unpacked: u64,
}

/// Why a file can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnreadableSheet {
    /// It is no spreadsheet.
    #[error("not a spreadsheet")]
    NotASpreadsheet,
    /// Some of its bytes are of no text in the encoding of the others.
    #[error("damaged text")]
    Damaged,
    /// A quote in this row is not closed.
    #[error("an open quote in row {0}")]
    OpenQuote(i64),
    /// It has no rows.
    #[error("no rows")]
    Empty,
    /// It has more rows than this.
    #[error("more than {0} rows")]
    TooManyRows(usize),
    /// It has more columns than this.
    #[error("more than {0} columns")]
    TooManyColumns(usize),
    /// It unpacks to more bytes than this.
    #[error("more than {0} bytes unpacked")]
    TooLarge(u64),
    /// It has no such worksheet, but these.
    #[error("none of its worksheets")]
    NoSuchSheet(Vec<String>),
}

impl UnreadableSheet {
    /// The rule that the file breaks.
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

/// What is found in a file as it is read.
#[derive(Debug, Clone, PartialEq)]
pub enum SheetPart {
    /// The worksheets of the workbook, and which one is read. Comes first, for workbooks alone.
    Sheets {
        /// The names of all.
        names: Vec<String>,
        /// The one that is read.
        read: String,
    },
    /// Rows that are not blank, the heading first, in the order of the file.
    Rows(Vec<SheetRow>),
}

/// Reads and writes spreadsheet files. Blocks its thread.
pub trait SheetFiles: Send + Sync {
    /// Writes an XLSX file of one worksheet. The first row is its heading. Memory does not grow with the rows.
    fn write_xlsx(&self, rows: &mut SheetRows<'_>, out: &mut (dyn Write + Send)) -> Result<(), SheetFault>;

    /// Reads a file: a worksheet of an XLSX workbook, the first that is not blank if none is named, or a text with
    /// separated cells. Stops once `take` does not take a part any more.
    fn read(
        &self,
        file: Vec<u8>,
        sheet: Option<&str>,
        limits: SheetLimits,
        take: &mut (dyn FnMut(SheetPart) -> bool + Send),
    ) -> Result<(), UnreadableSheet>;
}

/// A file that is to be imported.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSheet {
    /// What its rows are: content of a kind, or users.
    pub resource: Resource,
    /// What it is called.
    pub file_name: String,
    /// The language that it is written in.
    pub locale: Locale,
    /// Its first row.
    pub headings: Vec<String>,
    /// Who uploads it.
    pub created_by: String,
    /// When.
    pub created_date: DateTime<Utc>,
}

/// A file whose rows are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSheet {
    /// Its number.
    pub id: Id,
    /// What it is.
    pub sheet: NewSheet,
    /// Its rows, without the heading.
    pub rows: i64,
}

/// Keeps the rows of files that are imported, in slices.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SheetRepository: Send + Sync {
    /// Records a file that is being read.
    async fn begin(&self, sheet: NewSheet) -> Result<Id, StoreError>;

    /// Stores slices of its rows in one transaction. `first` is the number of the first of them, from 0.
    async fn add_slices(&self, id: Id, first: i64, slices: Vec<Vec<SheetRow>>) -> Result<(), StoreError>;

    /// All rows of the file are stored: so many.
    async fn finish(&self, id: Id, rows: i64) -> Result<(), StoreError>;

    /// Removes a file.
    async fn remove(&self, id: Id) -> Result<(), StoreError>;

    /// A file of which all rows are stored.
    async fn find(&self, id: Id) -> Result<Option<ImportedSheet>, StoreError>;

    /// A slice of its rows.
    async fn rows(&self, id: Id, number: i64) -> Result<Vec<SheetRow>, StoreError>;

    /// The columns that a user chose for headings of files of a kind; `None` for a heading that was left out.
    async fn chosen_columns(
        &self,
        username: &str,
        resource: Resource,
    ) -> Result<HashMap<String, Option<String>>, StoreError>;

    /// Remembers the columns that a user chooses, beside those for other headings.
    async fn choose_columns(
        &self,
        username: &str,
        resource: Resource,
        columns: HashMap<String, Option<String>>,
    ) -> Result<(), StoreError>;

    /// The rows that an operation has done already, of these items, with these keys or with these IMDb ids.
    async fn done_rows(
        &self,
        operation: Id,
        items: Vec<Id>,
        keys: Vec<String>,
        imdb_ids: Vec<String>,
    ) -> Result<Vec<DoneRow>, StoreError>;

    /// Those of the items that an operation added.
    async fn added_items(&self, operation: Id, items: &[Id]) -> Result<HashSet<Id>, StoreError>;
}

/// A row of a file that an operation has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneRow {
    /// The item; 0 where there is none.
    pub item: Id,
    /// Its natural key, as the operation keeps it.
    pub key: Option<String>,
    /// The IMDb id that it got by the row.
    pub imdb_id: Option<String>,
    /// Its number in the file.
    pub row: i64,
}
