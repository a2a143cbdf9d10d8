//! The items that an operation did not change, as a file (docs/spec/bulk-operations.md).

use actix_web::{HttpResponse, http::Method, web::Data};
use application::{
    AuditService, Error, FailedRows, OperationService, SheetImportService, report_heading, user_headings,
};
use domain_catalogue::SheetColumn;
use domain_kernel::{Cell, Enumeration, ErrorKind, Locale, Violation};
use domain_operations::{OperationRow, Resource, STREAMS};
use serde_json::json;

use super::{
    operation_columns::FileColumns,
    operations::{ROLES, TAG},
    spreadsheets::{RowSource, csv_file},
};
use crate::{
    caller::AuthUser,
    extract::{ItemId, Pairs},
    language::Language,
    locale,
    openapi::Api,
    problem::Problem,
};

pub(crate) fn register(api: &mut Api) {
    drop(
        api.route(Method::GET, "/operations/{id}/failures", "exportOperationFailures", failures)
            .about(TAG, "Export the items that a bulk operation did not change as a CSV file")
            .explained(
                "Items that were refused, were changed by another user at the same time, or do not exist: a line for each rule \
                 that the change would break; for imports, the rows of the file with the reason in a last column. UTF-8 with a byte order mark; the separator is a semicolon in Spanish, a comma in \
                 English. Every cell is quoted, and one that starts like a formula is prefixed by an apostrophe.",
            )
            .requires_role(ROLES)
            .query(
                "language",
                json!({"type": "string", "enum": ["es", "en"]}),
                "Language of the texts; default: that of the request. For links, which can't send a header.",
            )
            .answers_file(200, "The file.", &["text/csv"])
            .fails(&[ErrorKind::Missing]),
    );
}

async fn failures(
    caller: AuthUser,
    service: Data<OperationService>,
    imports: Data<SheetImportService>,
    audit: Data<AuditService>,
    id: ItemId,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let locale = pairs.language(language.0);
    let failed = service.failures(&audit, &caller, id.0).await?;
    let resource = service.find(&caller, id.0).await?.resource;
    let file = FileColumns::of(&caller, &service, &imports, id.0).await?;
    let heading = heading(locale, file.as_ref());
    let rows = FailureRows { service, imports, failed, resource, file, locale };
    csv_file(&format!("operation-{}", id.0), heading, rows, locale).await
}

struct FailureRows {
    service: Data<OperationService>,
    imports: Data<SheetImportService>,
    failed: FailedRows,
    resource: Resource,
    file: Option<FileColumns>,
    locale: Locale,
}

impl RowSource for FailureRows {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        let rows = self.service.next_failures(&mut self.failed).await?;
        let Some(file) = &self.file else {
            return Ok(rows.iter().flat_map(|row| lines(row, self.resource, self.locale)).collect());
        };
        let cells = self.imports.cells_of(&file.import, &rows).await?;
        let line =
            |row: &OperationRow| file_line(row, cells.get(&row.position), file, self.resource, self.locale);
        Ok(rows.iter().map(line).collect())
    }
}

fn heading(locale: Locale, file: Option<&FileColumns>) -> Vec<String> {
    if let Some(file) = file {
        let reason = if locale == Locale::Spanish { "Motivo" } else { "Reason" };
        return file.headings.iter().cloned().chain([reason.to_owned()]).collect();
    }
    let names = match locale {
        Locale::Spanish => ["ID", "Título", "Resultado", "Campo", "Motivo"],
        Locale::English => ["ID", "Title", "Result", "Field", "Reason"],
    };
    names.map(str::to_owned).into()
}

/// The row of the file with the reason of the refusal, so that it can be corrected and imported
/// again.
fn file_line(
    row: &OperationRow,
    cells: Option<&Vec<Cell>>,
    file: &FileColumns,
    resource: Resource,
    locale: Locale,
) -> Vec<Cell> {
    let mut line: Vec<Cell> = cells.into_iter().flatten().take(file.headings.len()).cloned().collect();
    line.resize(file.headings.len(), Cell::Empty);
    let reason = |problem: &Violation| {
        let text = locale::violation_text(locale, problem);
        match file.heading_of(&problem.field) {
            Some(heading) => format!("{heading}: {text}"),
            None if problem.field.is_empty() => text,
            None => format!("{}: {text}", heading_of_field(resource, &problem.field, locale)),
        }
    };
    line.push(Cell::Text(if row.problems.is_empty() {
        row.verdict.labels().in_language(locale).to_owned()
    } else {
        row.problems.iter().map(reason).collect::<Vec<_>>().join(" · ")
    }));
    line
}

/// A line for each rule that the change of an item would break; one for an item without any.
fn lines(row: &OperationRow, resource: Resource, locale: Locale) -> Vec<Vec<Cell>> {
    let (id, verdict) = (row.item.to_string(), row.verdict.labels().in_language(locale));
    let line = |field: &str, reason: &str| -> Vec<Cell> {
        let texts = [id.as_str(), row.title.as_str(), verdict, field, reason];
        texts.map(|text| Cell::Text(text.to_owned())).into()
    };
    if row.problems.is_empty() {
        return vec![line("", "")];
    }
    let problems = row.problems.iter();
    let heading = |problem: &Violation| heading_of_field(resource, &problem.field, locale);
    problems.map(|problem| line(&heading(problem), &locale::violation_text(locale, problem))).collect()
}

/// The heading of a field in templates; the key of the column for links.
fn heading_of_field(resource: Resource, field: &str, locale: Locale) -> String {
    let key = SheetColumn::key_of(field);
    match resource {
        Resource::Content(_) if field.starts_with("links[") => key,
        Resource::Content(_) if key == STREAMS => {
            if locale == Locale::Spanish { "Señales" } else { "Streams" }.to_owned()
        }
        Resource::Content(kind) => locale::field_label(locale, kind, &key).to_owned(),
        Resource::Users => {
            let key = if key == "roleCode" { "role" } else { &key };
            user_headings(std::iter::once(key), locale).pop().unwrap_or_default()
        }
        Resource::Reports => report_heading(&key, locale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_as_in_templates_in_the_language_of_the_reader() {
        let heading = |path: &str, field: &str, locale| {
            heading_of_field(Resource::from_path(path).unwrap(), field, locale)
        };
        for (path, field, spanish, english) in [
            ("movies", "categoryId", "Categoría", "Category"),
            ("movies", "links[1].url", "link2_url", "link2_url"),
            ("tv-channels", "streams[0].url", "Señales", "Streams"),
            ("users", "roleCode", "Rol", "Role"),
            ("issue-reports", "assignedTo", "Asignado a", "Assigned to"),
            ("movies", "", "", ""),
        ] {
            assert_eq!(heading(path, field, Locale::Spanish), spanish);
            assert_eq!(heading(path, field, Locale::English), english);
        }
    }
}
