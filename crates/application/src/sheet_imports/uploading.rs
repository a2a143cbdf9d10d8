//! Uploaded files: stores rows while reading, and matches headings with the columns of a kind.

use domain_catalogue::{ColumnNames, MatchedHeading, SheetColumn, links_in_headings, match_headings};
use domain_kernel::{Actor, Cell, Id, Locale, SheetRow, Violations};
use domain_operations::{Resource, rows_of_slice};
use ports::{ImportedSheet, NewSheet, SheetPart, UnreadableSheet};

use super::{LINKS_OF_A_TEMPLATE, SheetImportService, may_import};
use crate::{
    Error,
    sheet_import_users::{OTHER_USER_HEADINGS, is_secret},
};

/// Stored characters of a heading.
const LONGEST_HEADING: usize = 200;
/// Sample values shown per column.
const SAMPLES: usize = 3;
/// Shown characters of a sample value.
const LONGEST_SAMPLE: usize = 80;

/// A column of an uploaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedColumn {
    pub heading: String,
    /// First values that are not blank.
    pub samples: Vec<String>,
    /// The suggested column of the kind.
    pub key: Option<String>,
    /// Columns of the kind that it may be, if that is not clear.
    pub fits: Vec<String>,
}

/// An uploaded file.
#[derive(Debug, Clone, PartialEq)]
pub struct UploadedSheet {
    pub sheet: ImportedSheet,
    /// Its worksheets, for a workbook.
    pub worksheets: Vec<String>,
    /// The worksheet that was read.
    pub worksheet: Option<String>,
    pub columns: Vec<UploadedColumn>,
    /// Columns of the kind.
    pub known: Vec<SheetColumn>,
}

/// Name of a file, and the preferred language of its headings.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    /// File name.
    pub file_name: &'a str,
    /// Language of the request.
    pub locale: Locale,
}

/// Names of a kind's columns in a language: the labels of its form.
pub type Headings<'a> = dyn Fn(&[SheetColumn], Locale) -> Vec<String> + Sync + 'a;

impl SheetImportService {
    /// Stores the rows of a file while reading. `next` returns the next part; nothing at the end.
    pub async fn upload(
        &self,
        actor: &Actor,
        resource: Resource,
        upload: Upload<'_>,
        headings_of: &Headings<'_>,
        next: &mut (impl AsyncFnMut() -> Option<Result<SheetPart, UnreadableSheet>> + Send),
    ) -> Result<UploadedSheet, Error> {
        may_import(actor, resource)?;
        let mut begun = None;
        let outcome = self.store(actor, resource, upload, headings_of, next, &mut begun).await;
        if outcome.is_err()
            && let Some(id) = begun
        {
            self.sheets.remove(id).await?;
        }
        outcome
    }

    async fn store(
        &self,
        actor: &Actor,
        resource: Resource,
        upload: Upload<'_>,
        headings_of: &Headings<'_>,
        next: &mut (impl AsyncFnMut() -> Option<Result<SheetPart, UnreadableSheet>> + Send),
        begun: &mut Option<Id>,
    ) -> Result<UploadedSheet, Error> {
        let (mut worksheets, mut worksheet) = (Vec::new(), None);
        let mut found: Option<(NewSheet, Vec<UploadedColumn>, Vec<SheetColumn>)> = None;
        let (mut size, mut width) = (1, 0);
        let mut waiting: Vec<SheetRow> = Vec::new();
        let mut secrets: Vec<usize> = Vec::new();
        let (mut number, mut total) = (0_i64, 0_i64);
        while let Some(part) = next().await {
            let mut rows = match part.map_err(|fault| Violations(vec![fault.violation()]))? {
                SheetPart::Sheets { names, read } => {
                    (worksheets, worksheet) = (names, Some(read));
                    continue;
                }
                SheetPart::Rows(rows) => rows,
            };
            if found.is_none() {
                if rows.is_empty() {
                    continue;
                }
                let heading = rows.remove(0);
                secrets = secrets_of(resource, &heading);
                clear(&mut rows, &secrets);
                let matched = self.matched(actor, resource, upload, headings_of, &heading, &rows).await?;
                width = matched.0.headings.len();
                size = rows_of_slice(resource, width);
                *begun = Some(self.sheets.begin(matched.0.clone()).await?);
                found = Some(matched);
            }
            let Some(id) = *begun else { continue };
            clear(&mut rows, &secrets);
            // Columns without a heading are ignored.
            for row in &mut rows {
                row.cells.truncate(width);
            }
            waiting.append(&mut rows);
            while waiting.len() >= size {
                let rest = waiting.split_off(size);
                let slice = std::mem::replace(&mut waiting, rest);
                total += rows_of(&slice);
                self.sheets.add_slices(id, number, vec![slice]).await?;
                number += 1;
            }
        }
        let empty = || Violations(vec![UnreadableSheet::Empty.violation()]);
        let (Some(id), Some((sheet, columns, known))) = (*begun, found) else { return Err(empty().into()) };
        if !waiting.is_empty() {
            total += rows_of(&waiting);
            self.sheets.add_slices(id, number, vec![waiting]).await?;
        }
        if total == 0 {
            return Err(empty().into());
        }
        self.sheets.finish(id, total).await?;
        tracing::info!(actor = actor.username.as_str(), sheet = id, rows = total, "spreadsheet uploaded");
        let sheet = ImportedSheet { id, sheet, rows: total };
        Ok(UploadedSheet { sheet, worksheets, worksheet, columns, known })
    }

    /// Suggested columns for the headings of a file, with sample values.
    async fn matched(
        &self,
        actor: &Actor,
        resource: Resource,
        upload: Upload<'_>,
        headings_of: &Headings<'_>,
        heading: &SheetRow,
        rows: &[SheetRow],
    ) -> Result<(NewSheet, Vec<UploadedColumn>, Vec<SheetColumn>), Error> {
        let text = |cell: &Cell| cell.text(Locale::English).trim().chars().take(LONGEST_HEADING).collect();
        let widest = rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        let mut headings: Vec<String> = heading.cells.iter().map(text).collect();
        headings.resize(headings.len().max(widest), String::new());
        let links = links_in_headings(headings.iter().map(String::as_str)).max(LINKS_OF_A_TEMPLATE);
        let known = self.import_columns(resource, links);
        let spanish = headings_of(&known, Locale::Spanish);
        let english = headings_of(&known, Locale::English);
        let others = if resource == Resource::Users { OTHER_USER_HEADINGS } else { &[] };
        let names = ColumnNames { columns: &known, spanish: &spanish, english: &english, others };
        let chosen = self.sheets.chosen_columns(&actor.username.key(), resource).await?;
        let (matched, locale) = match_headings(&names, &headings, &chosen, upload.locale);
        let samples = |index: usize| {
            let cells = rows.iter().filter_map(|row| row.cells.get(index)).filter(|cell| !cell.is_blank());
            let short = |cell: &Cell| cell.text(locale).chars().take(LONGEST_SAMPLE).collect();
            cells.take(SAMPLES).map(short).collect()
        };
        let column = |(index, (heading, found)): (usize, (&String, MatchedHeading))| UploadedColumn {
            heading: heading.clone(),
            samples: samples(index),
            key: found.key,
            fits: found.fits,
        };
        let columns = headings.iter().zip(matched).enumerate().map(column).collect();
        let file_name: String = upload.file_name.chars().filter(|c| !c.is_control()).take(200).collect();
        let sheet = NewSheet {
            resource,
            file_name,
            locale,
            headings,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
        };
        Ok((sheet, columns, known))
    }
}

fn rows_of(slice: &[SheetRow]) -> i64 {
    i64::try_from(slice.len()).unwrap_or(i64::MAX)
}

/// Columns that are not stored: passwords of users.
fn secrets_of(resource: Resource, heading: &SheetRow) -> Vec<usize> {
    let cells = heading.cells.iter().enumerate().filter(|_| resource == Resource::Users);
    cells.filter(|(_, cell)| is_secret(&cell.text(Locale::English))).map(|(place, _)| place).collect()
}

fn clear(rows: &mut [SheetRow], places: &[usize]) {
    for row in rows {
        for place in places {
            if let Some(cell) = row.cells.get_mut(*place) {
                *cell = Cell::Empty;
            }
        }
    }
}
