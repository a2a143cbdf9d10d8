//! Lists of content as spreadsheets (docs/spec/import-export.md#spreadsheets).

use std::{
    future::ready,
    io::{self, Write},
    mem,
    sync::Arc,
};

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{Method, header},
    rt,
    web::{Bytes, Data, Json},
};
use application::{Error, SheetExport, SheetRequest, SheetService};
use domain_catalogue::{Content, Kind, SheetColumn};
use domain_kernel::{
    Action, Cell, Code, ErrorKind, FilterKind, Locale, Violation, Violations,
    csv::{BYTE_ORDER_MARK, line_in, line_of},
};
use futures_util::{StreamExt, stream, stream::try_unfold};
use ports::{SheetFault, SheetFiles, StoreError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tokio::sync::mpsc;

use super::list_parameters::{filter_schema, filter_words, sort_words};
use crate::{caller::AuthUser, extract::Pairs, language::Language, locale, openapi::Api, problem::Problem};

/// The media type of XLSX files.
pub(super) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// The media types of all spreadsheets.
pub(super) const SHEET_FILES: [&str; 2] = ["text/csv", XLSX];
/// Bytes per part of a response.
const PART: usize = 64 * 1024;

/// Formats of files, by extension.
pub(super) const FORMATS: [&str; 2] = ["csv", "xlsx"];

/// A column for spreadsheets.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SpreadsheetColumn")]
pub(super) struct ColumnAnswer {
    /// Key of the column in `columns`.
    pub(super) key: String,
    /// Heading in the language of the request.
    pub(super) heading: String,
}

/// Registers the routes of one kind.
pub(crate) fn register<C: Content>(api: &mut Api) {
    publish(api, C::KIND, &sort_words::<C>(), C::FILTERS);
}

fn publish(api: &mut Api, kind: Kind, sorts: &str, filters: &[(&str, FilterKind)]) {
    let (path, name) = (kind.path(), kind.singular());
    let column = api.schemas.response::<ColumnAnswer>();
    drop(
        api.route(
            Method::GET,
            &format!("/{path}/spreadsheet/columns"),
            &format!("list{name}SpreadsheetColumns"),
            move |caller, service, language| ready(columns(kind, caller, service, language)),
        )
        .about(path, "List the columns for spreadsheets of this list")
        .requires(kind.permission(Action::Read))
        .answers(200, "The columns, in their order.", json!({"type": "array", "items": column})),
    );
    let exported = api
        .route(
            Method::GET,
            &format!("/{path}/spreadsheet"),
            &format!("export{name}Spreadsheet"),
            move |caller, service, files, pairs, language| {
                spreadsheet(kind, caller, service, files, pairs, language)
            },
        )
        .about(path, "Export this list as a spreadsheet")
        .explained(
            "All rows that match search and filters, at most 1,000,000, in the order of `_sort`. In CSV every cell is \
             quoted, and one that starts like a formula is prefixed by an apostrophe; Spanish files have semicolons and decimal \
             commas. Times are in the service's time zone.",
        )
        .requires(kind.permission(Action::Read))
        .query("format", json!({"type": "string", "enum": FORMATS, "default": "csv"}), "Format of the file.")
        .query(
            "columns",
            json!({"type": "string", "examples": ["title,year,links"]}),
            "Comma-separated columns; default: all. `links` are the columns of all links.",
        )
        .query(
            "language",
            json!({"type": "string", "enum": ["es", "en"]}),
            "Language of the file; default: that of the request. For links, which can't send a header.",
        )
        .query("_sort", json!({"type": "string", "examples": ["-year,+title"]}), sorts)
        .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.");
    let exported = filters.iter().fold(exported, |operation, (field, kind)| {
        operation.filter(field, filter_schema(*kind), &filter_words(field, *kind))
    });
    drop(exported.answers_file(200, "The file.", &SHEET_FILES).fails(&[ErrorKind::Invalid]));
}

fn columns(
    kind: Kind,
    caller: AuthUser,
    service: Data<SheetService>,
    language: Language,
) -> Result<Json<Vec<ColumnAnswer>>, Problem> {
    let columns = service.columns(&caller, kind)?;
    Ok(Json(columns_answer(kind, &columns, language.0)))
}

/// Columns with their headings in a language.
pub(super) fn columns_answer(kind: Kind, columns: &[SheetColumn], locale: Locale) -> Vec<ColumnAnswer> {
    let headings = headings(kind, columns, locale);
    let answer =
        |(column, heading): (&SheetColumn, String)| ColumnAnswer { key: column.key.clone(), heading };
    columns.iter().zip(headings).map(answer).collect()
}

async fn spreadsheet(
    kind: Kind,
    caller: AuthUser,
    service: Data<SheetService>,
    files: Data<dyn SheetFiles>,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let request = FileRequest::read(pairs, language.0)?;
    let export = service.begin(&caller, kind, &request.request()).await?;
    let heading = headings(kind, &export.columns, request.locale);
    request.answer(kind.path(), heading, ContentRows { service, export }, files).await
}

/// The parameters of an export, of content or of another list.
pub(super) struct FileRequest {
    format: &'static str,
    pub(super) locale: Locale,
    columns: Option<String>,
    listed: Vec<(String, String)>,
}

impl FileRequest {
    pub(super) fn read(pairs: Pairs, language: Locale) -> Result<Self, Problem> {
        let format = match pairs.get("format") {
            None | Some("csv") => "csv",
            Some("xlsx") => "xlsx",
            Some(_) => {
                let fault = Violation::new("format", Code::UnknownValue).with("allowed", FORMATS.to_vec());
                return Err(Error::from(Violations(vec![fault])).into());
            }
        };
        let locale = pairs.language(language);
        let columns = pairs.get("columns").map(str::to_owned);
        let own = ["format", "columns", "language"];
        let listed = pairs.0.into_iter().filter(|(name, _)| !own.contains(&name.as_str())).collect();
        Ok(Self { format, locale, columns, listed })
    }

    pub(super) fn request(&self) -> SheetRequest<'_> {
        SheetRequest {
            pairs: &self.listed,
            columns: self.columns.as_deref(),
            locale: self.locale,
            format: self.format,
        }
    }

    /// The file, streamed while its rows are read.
    pub(super) async fn answer(
        &self,
        name: &str,
        heading: Vec<String>,
        rows: impl RowSource,
        files: Data<dyn SheetFiles>,
    ) -> Result<HttpResponse, Problem> {
        if self.format == "csv" {
            return csv_file(name, heading, rows, self.locale).await;
        }
        let answer = attachment(&format!("{name}.xlsx"), XLSX, self.locale);
        xlsx(answer, files, rows, heading).await
    }
}

/// A CSV file, streamed while its rows are read.
pub(super) async fn csv_file(
    name: &str,
    heading: Vec<String>,
    rows: impl RowSource,
    locale: Locale,
) -> Result<HttpResponse, Problem> {
    let answer = attachment(&format!("{name}.csv"), "text/csv; charset=utf-8", locale);
    csv(answer, rows, &heading, locale).await
}

fn attachment(name: &str, media_type: &'static str, locale: Locale) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")));
    answer.insert_header((header::CONTENT_LANGUAGE, locale.code()));
    answer.insert_header((header::CONTENT_TYPE, media_type));
    answer
}

/// The rows of a file in batches; empty after the last.
pub(super) trait RowSource: 'static {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error>;
}

struct ContentRows {
    service: Data<SheetService>,
    export: SheetExport,
}

impl RowSource for ContentRows {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        self.service.next_rows(&mut self.export).await
    }
}

/// Headings of columns: the label of the field, with "(ID)" if another column has the names;
/// columns of links have their keys, by which imports recognize them.
pub(super) fn headings(kind: Kind, columns: &[SheetColumn], locale: Locale) -> Vec<String> {
    let heading = |column: &SheetColumn| match column.heading(columns) {
        None => column.key.clone(),
        Some((field, has_ids)) => {
            let label = locale::field_label(locale, kind, field);
            if has_ids { format!("{label} (ID)") } else { label.to_owned() }
        }
    };
    columns.iter().map(heading).collect()
}

async fn csv(
    mut answer: HttpResponseBuilder,
    mut source: impl RowSource,
    heading: &[String],
    locale: Locale,
) -> Result<HttpResponse, Problem> {
    let lines = move |rows: &[Vec<Cell>]| {
        let mut text = String::new();
        for row in rows {
            text += &line_of(locale, row);
        }
        text
    };
    let head = format!("{BYTE_ORDER_MARK}{}", line_in(locale, heading.iter().map(String::as_str)));
    // Read before the response starts, so that an error is answered as a problem.
    let first = source.next_rows().await?;
    let begun = Some((head, first, source));
    let body = try_unfold(begun, move |state| async move {
        let Some((head, rows, mut source)) = state else { return Ok::<_, Problem>(None) };
        let text = head + &lines(&rows);
        let next = source.next_rows().await?;
        let state = (!next.is_empty()).then(|| (String::new(), next, source));
        Ok(Some((Bytes::from(text), state)))
    });
    Ok(answer.streaming(Box::pin(body)))
}

/// Makes the file in a separate thread, which receives rows and sends bytes. The start of the file
/// depends on its end, so the response starts after all rows were read; an error before is answered
/// as a problem.
async fn xlsx(
    mut answer: HttpResponseBuilder,
    files: Data<dyn SheetFiles>,
    mut source: impl RowSource,
    heading: Vec<String>,
) -> Result<HttpResponse, Problem> {
    let (rows, mut received) = mpsc::channel::<Result<Vec<Vec<Cell>>, SheetFault>>(2);
    let (parts, mut made) = mpsc::channel::<Result<Bytes, Error>>(4);
    let failed = parts.clone();
    let files: Arc<dyn SheetFiles> = files.into_inner();
    tokio::task::spawn_blocking(move || {
        let mut out = Parts { to: parts.clone(), part: Vec::with_capacity(PART) };
        let written = files.write_xlsx(&mut || received.blocking_recv(), &mut out);
        let written = written.and_then(|()| out.flush().map_err(|error| SheetFault(error.to_string())));
        if let Err(fault) = written {
            // The receiver may be dropped.
            drop(parts.blocking_send(Err(broken(&fault))));
        }
    });
    rt::spawn(async move {
        let heading = heading.into_iter().map(Cell::Text).collect();
        let mut next = Ok(vec![heading]);
        while rows.send(next).await.is_ok() {
            next = match source.next_rows().await {
                Ok(rows) if rows.is_empty() => break,
                Ok(rows) => Ok(rows),
                Err(error) => {
                    // If reading and writing both failed, the error of reading is the cause.
                    let fault = SheetFault(error.to_string());
                    drop(failed.send(Err(error)).await);
                    drop(rows.send(Err(fault)).await);
                    break;
                }
            };
        }
    });
    let first = match made.recv().await {
        Some(part) => part?,
        None => return Err(broken(&SheetFault("nothing was written".to_owned())).into()),
    };
    let rest =
        stream::poll_fn(move |context| made.poll_recv(context)).map(|part| part.map_err(Problem::from));
    Ok(answer.streaming(stream::once(async { Ok(first) }).chain(rest).boxed_local()))
}

fn broken(fault: &SheetFault) -> Error {
    StoreError::Broken(fault.to_string()).into()
}

/// Collects written bytes into parts.
struct Parts {
    to: mpsc::Sender<Result<Bytes, Error>>,
    part: Vec<u8>,
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.part.is_empty() {
            return Ok(());
        }
        let part = Bytes::from(mem::take(&mut self.part));
        self.to.blocking_send(Ok(part)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    use adapter_sheets::XlsxFiles;

    use super::*;

    /// Rows of a store that fails after so many reads.
    struct GoesAway(usize);

    impl RowSource for GoesAway {
        async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
            let Some(left) = self.0.checked_sub(1) else {
                return Err(StoreError::Unavailable("away".to_owned()).into());
            };
            self.0 = left;
            Ok(vec![vec![Cell::Integer(1)]])
        }
    }

    #[actix_web::test]
    async fn a_failing_store_is_unavailable_in_both_formats() {
        for (format, readings) in [("csv", 0), ("xlsx", 0), ("xlsx", 3)] {
            let request = FileRequest { format, locale: Locale::English, columns: None, listed: Vec::new() };
            let files: Arc<dyn SheetFiles> = Arc::new(XlsxFiles);
            let (heading, rows) = (vec!["A".to_owned()], GoesAway(readings));
            let answer = request.answer("movies", heading, rows, Data::from(files)).await;
            assert_eq!(answer.map(drop).unwrap_err().code(), Code::Unavailable, "{format}, {readings}");
        }
    }
}
