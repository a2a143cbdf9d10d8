//! Files of lists: the request, which is recorded, and the rows, which are read as they are written.

use std::{pin::Pin, sync::Arc};

use domain_kernel::{Actor, Cell, Code, Id, ListQuery, Violation, Violations};
use domain_live::schedule::ScheduleChannel;
use ports::ListRows;

use super::{Cells, ListColumn, ListSheetService, SheetList, columns::SCHEDULE};
use crate::{
    Error, MAX_SHEET_ROWS, SheetRequest,
    sheets::{exported, refuse_paging, require_rows},
};

/// Rows per read.
pub(super) const ROWS_AT_ONCE: usize = 500;
/// Channels per read of their programmes: each has some dozens in a day.
const CHANNELS_AT_ONCE: usize = 50;

/// Progress of writing a list.
pub struct ListExport {
    /// Headings in the language of the file.
    pub headings: Vec<String>,
    rows: Box<dyn RowsInOrder>,
}

impl ListExport {
    /// The next rows; empty after the last.
    pub async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        self.rows.next().await
    }
}

/// A pending read of rows.
pub(super) type Reading<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<Cell>>, Error>> + 'a>>;

pub(super) trait RowsInOrder {
    fn next(&mut self) -> Reading<'_>;
}

/// Rows `R` of a store, which `seen` turns into the rows that the list shows.
struct ReadRows<F: Sync, R: Send + 'static, M> {
    source: Arc<dyn ListRows<F, R>>,
    filter: F,
    ids: Vec<Id>,
    /// Ids per read.
    at_once: usize,
    seen: M,
}

/// Progress of an export of rows `S`.
struct Export<F: Sync, R: Send + 'static, S: 'static, M> {
    read: ReadRows<F, R, M>,
    done: usize,
    columns: Vec<&'static ListColumn<S>>,
    cells: Cells,
}

impl<F: Sync, R: Send + 'static, S: 'static, M: AsyncFn(Vec<R>) -> Result<Vec<S>, Error>> RowsInOrder
    for Export<F, R, S, M>
{
    fn next(&mut self) -> Reading<'_> {
        Box::pin(self.next_rows())
    }
}

impl<F: Sync, R: Send + 'static, S: 'static, M: AsyncFn(Vec<R>) -> Result<Vec<S>, Error>> Export<F, R, S, M> {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        let Self { read, done, columns, cells } = self;
        while *done < read.ids.len() {
            let end = read.ids.len().min(*done + read.at_once);
            let rows = read.source.rows(&read.filter, &read.ids[*done..end]).await?;
            *done = end;
            let rows = (read.seen)(rows).await?;
            if !rows.is_empty() {
                return Ok(cells.rows(columns, &rows));
            }
        }
        Ok(Vec::new())
    }
}

/// The parameters of an export.
pub(super) struct RequestedExport<'a> {
    pub(super) service: &'a ListSheetService,
    pub(super) actor: &'a Actor,
    pub(super) list: SheetList,
    pub(super) request: &'a SheetRequest<'a>,
}

impl RequestedExport<'_> {
    /// Exports a list that shows the rows of the store as they are.
    pub(super) async fn export<F: Sync + 'static, R: Send + 'static>(
        &self,
        source: &Arc<dyn ListRows<F, R>>,
        read: (F, ListQuery),
        all: &'static [ListColumn<R>],
    ) -> Result<ListExport, Error> {
        self.export_seen(source, read, async |rows: Vec<R>| Ok::<Vec<R>, Error>(rows), all).await
    }

    /// Exports what `seen` makes of the rows of the store.
    pub(super) async fn export_seen<F: Sync + 'static, R: Send + 'static, S: 'static>(
        &self,
        source: &Arc<dyn ListRows<F, R>>,
        (filter, query): (F, ListQuery),
        seen: impl AsyncFn(Vec<R>) -> Result<Vec<S>, Error> + 'static,
        all: &'static [ListColumn<S>],
    ) -> Result<ListExport, Error> {
        let columns = self.columns(all)?;
        let ids = source.ids(&filter, &query, MAX_SHEET_ROWS + 1).await?;
        let (source, at_once, total) = (source.clone(), ROWS_AT_ONCE, ids.len());
        self.begin_reading(ReadRows { source, filter, ids, at_once, seen }, columns, total).await
    }

    /// Exports the programmes of the schedule, in a span of a day at most.
    pub(super) async fn export_programmes(&self) -> Result<ListExport, Error> {
        let (schedule, source) = (self.service.live.schedule.clone(), self.service.sources.scheduled.clone());
        let (filter, query) = schedule.read_list(self.actor, self.request.pairs)?;
        let columns = self.columns(SCHEDULE)?;
        let ids = source.ids(&filter, &query, MAX_SHEET_ROWS + 1).await?;
        require_rows(ids.len())?;
        let (span, mut total) = (filter.span, 0);
        for part in ids.chunks(ROWS_AT_ONCE) {
            let channels = source.rows(&filter, part).await?;
            total += schedule.count_file_rows(&channels, span).await?;
        }
        let seen = async move |channels: Vec<ScheduleChannel>| schedule.file_rows(channels, span).await;
        let at_once = CHANNELS_AT_ONCE;
        self.begin_reading(ReadRows { source, filter, ids, at_once, seen }, columns, total).await
    }

    /// Records an export of so many rows, and begins to read them.
    async fn begin_reading<F, R, S, M>(
        &self,
        read: ReadRows<F, R, M>,
        columns: Vec<&'static ListColumn<S>>,
        total: usize,
    ) -> Result<ListExport, Error>
    where
        F: Sync + 'static,
        R: Send + 'static,
        S: 'static,
        M: AsyncFn(Vec<R>) -> Result<Vec<S>, Error> + 'static,
    {
        self.begin(columns, total, |columns, cells| Export { read, done: 0, columns, cells }).await
    }

    /// The chosen ones of a list's columns.
    pub(super) fn columns<S: 'static>(
        &self,
        all: &'static [ListColumn<S>],
    ) -> Result<Vec<&'static ListColumn<S>>, Violations> {
        refuse_paging(self.request.pairs)?;
        chosen(all, self.request.columns)
    }

    /// Records an export of so many rows, and begins it.
    pub(super) async fn begin<S: 'static, E: RowsInOrder + 'static>(
        &self,
        columns: Vec<&'static ListColumn<S>>,
        rows: usize,
        begin: impl FnOnce(Vec<&'static ListColumn<S>>, Cells) -> E,
    ) -> Result<ListExport, Error> {
        let Self { service, actor, list, request } = self;
        require_rows(rows)?;
        let entry = exported(list.path(), rows, request);
        service.audit.add(entry, service.calendar.edit_by(actor)).await?;
        let locale = request.locale;
        let headings = columns.iter().map(|column| column.labels.in_language(locale).to_owned()).collect();
        let cells = Cells { locale, calendar: service.calendar.clone() };
        Ok(ListExport { headings, rows: Box::new(begin(columns, cells)) })
    }
}

fn chosen<R>(
    all: &'static [ListColumn<R>],
    keys: Option<&str>,
) -> Result<Vec<&'static ListColumn<R>>, Violations> {
    let Some(keys) = keys else { return Ok(all.iter().collect()) };
    let mut columns: Vec<&'static ListColumn<R>> = Vec::new();
    for key in keys.split(',').map(str::trim).filter(|key| !key.is_empty()) {
        let Some(column) = all.iter().find(|column| column.key == key) else {
            let allowed: Vec<&str> = all.iter().map(|column| column.key).collect();
            let fault = Violation::new("columns", Code::UnknownValue).with("allowed", allowed);
            return Err(Violations(vec![fault]));
        };
        if columns.iter().all(|known| known.key != key) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return Err(Violations(vec![Violation::new("columns", Code::Required)]));
    }
    Ok(columns)
}
