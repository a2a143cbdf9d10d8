//! Files with generated rows, such as entries of playlists or links of channels: an operation
//! imports them with progress, results and undo (docs/adr/0023-spreadsheet-imports.md).

use domain_kernel::{Actor, Cell, Code, Id, Locale, SheetRow, Violation, Violations};
use domain_operations::{MAX_ITEMS, Resource, SheetImport, rows_of_slice};
use ports::{NewSheet, SheetRepository};

use crate::{Calendar, Error, OperationRefusal, sheet_imports::may_import};

/// Description of a generated file.
#[derive(Clone, Copy)]
pub(crate) struct GeneratedSheet<'a> {
    pub(crate) resource: Resource,
    /// Name of the operation in lists.
    pub(crate) name: &'a str,
    /// Columns of the resource, with their headings.
    pub(crate) columns: &'a [(&'a str, &'a str)],
}

/// Subjects of stored rows, by row number.
pub(crate) struct StoredRows<T> {
    pub(crate) sheet: Id,
    pub(crate) rows: Vec<(i64, T)>,
}

/// Stores generated rows. Without rows no file is created.
pub(crate) struct SheetWriter<'a, T> {
    of: GeneratedSheet<'a>,
    sheets: &'a dyn SheetRepository,
    actor: &'a Actor,
    calendar: &'a Calendar,
    sheet: Option<Id>,
    waiting: Vec<SheetRow>,
    stand_for: Vec<(i64, T)>,
    slices: i64,
    total: i64,
}

impl<'a, T> SheetWriter<'a, T> {
    pub(crate) const fn new(
        of: GeneratedSheet<'a>,
        sheets: &'a dyn SheetRepository,
        actor: &'a Actor,
        calendar: &'a Calendar,
    ) -> Self {
        Self {
            of,
            sheets,
            actor,
            calendar,
            sheet: None,
            waiting: Vec::new(),
            stand_for: Vec::new(),
            slices: 0,
            total: 0,
        }
    }

    /// Adds a row; returns the rows that were stored, if the slice was full.
    pub(crate) async fn add(
        &mut self,
        cells: Vec<Cell>,
        stands_for: T,
    ) -> Result<Option<StoredRows<T>>, Error> {
        self.total += 1;
        self.waiting.push(SheetRow { number: self.total, cells });
        self.stand_for.push((self.total, stands_for));
        let full = rows_of_slice(self.of.resource, self.of.columns.len());
        if self.waiting.len() < full { Ok(None) } else { self.store().await.map(Some) }
    }

    /// Stores the pending rows as the last slice, and returns them.
    pub(crate) async fn rest(&mut self) -> Result<Option<StoredRows<T>>, Error> {
        if self.waiting.is_empty() { Ok(None) } else { self.store().await.map(Some) }
    }

    async fn store(&mut self) -> Result<StoredRows<T>, Error> {
        let GeneratedSheet { resource, name, columns } = self.of;
        let sheet = if let Some(sheet) = self.sheet {
            sheet
        } else {
            may_import(self.actor, resource)?;
            let new = NewSheet {
                resource,
                file_name: name.to_owned(),
                locale: Locale::English,
                headings: columns.iter().map(|(_, heading)| (*heading).to_owned()).collect(),
                created_by: self.actor.username.to_string(),
                created_date: self.calendar.now(),
            };
            *self.sheet.insert(self.sheets.begin(new).await?)
        };
        let rows = std::mem::take(&mut self.waiting);
        self.sheets.add_slices(sheet, self.slices, vec![rows]).await?;
        self.slices += 1;
        Ok(StoredRows { sheet, rows: std::mem::take(&mut self.stand_for) })
    }

    /// The complete file; `None` without rows.
    pub(crate) async fn finish(self) -> Result<Option<SheetImport>, Error> {
        let Some(sheet) = self.sheet else { return Ok(None) };
        self.sheets.finish(sheet, self.total).await?;
        Ok(Some(SheetImport {
            sheet,
            file_name: self.of.name.to_owned(),
            columns: self.of.columns.iter().map(|(key, _)| Some((*key).to_owned())).collect(),
            defaults: Vec::new(),
            rows: self.total,
        }))
    }
}

/// The ids of a request, each once; their number must be the confirmed one.
pub(crate) fn confirmed(mut ids: Vec<Id>, expected: Option<i64>) -> Result<Vec<Id>, Error> {
    ids.sort_unstable();
    ids.dedup();
    let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    if expected.is_some_and(|expected| expected != count) {
        return Err(Error::Operation(OperationRefusal::CountChanged(count)));
    }
    if ids.len() > MAX_ITEMS {
        let fault = Violation::new("filter", Code::TooMany).with("max", MAX_ITEMS);
        return Err(Violations(vec![fault]).into());
    }
    Ok(ids)
}
