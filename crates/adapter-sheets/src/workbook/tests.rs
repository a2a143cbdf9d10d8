//! Workbooks with their rows, or why they are unreadable.

use std::io::Write as _;

use domain_kernel::Locale;
use rust_xlsxwriter::{Format, Formula, Workbook};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::*;

const LIMITS: SheetLimits = SheetLimits { rows: 100, columns: 20, unpacked: 4 * 1024 * 1024 };

fn found(file: Vec<u8>, sheet: Option<&str>) -> Result<Vec<String>, UnreadableSheet> {
    let mut found = Vec::new();
    read(file, sheet, LIMITS, &mut |part| {
        match part {
            SheetPart::Sheets { names, read } => found.push(format!("{}: {read}", names.join(","))),
            SheetPart::Rows(rows) => found.extend(rows.into_iter().map(|row| {
                let cells: Vec<String> = row.cells.iter().map(|cell| cell.text(Locale::English)).collect();
                format!("{}: {}", row.number, cells.join("|"))
            })),
        }
        true
    })?;
    Ok(found)
}

fn packed(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn cells_keep_their_types_and_formulas_their_results() {
    let mut book = Workbook::new();
    book.add_worksheet().set_name("Vacía").unwrap();
    let sheet = book.add_worksheet().set_name("Datos").unwrap();
    let date = Format::new().set_num_format("dd/mm/yyyy");
    for (column, text) in [(0, "Título"), (1, "Año"), (2, "Fecha"), (3, "Suma")] {
        sheet.write(0, column, text).unwrap();
    }
    sheet.write(2, 0, "Metrópolis").unwrap();
    sheet.write(2, 1, 1927).unwrap();
    sheet.write_date_with_format(2, 2, NaiveDate::from_ymd_opt(1927, 1, 10).unwrap(), &date).unwrap();
    sheet.write(2, 3, Formula::new("=1+1").set_result("2")).unwrap();
    sheet.merge_range(3, 0, 3, 1, "dos celdas", &Format::new()).unwrap();
    sheet.write(3, 3, 8.7).unwrap();
    let file = book.save_to_buffer().unwrap();
    let rows = ["1: Título|Año|Fecha|Suma", "3: Metrópolis|1927|1927-01-10|2", "4: dos celdas|||8.7"];
    let all = found(file.clone(), None).unwrap();
    assert_eq!(all[0], "Vacía,Datos: Datos");
    assert_eq!(all[1..], rows);
    assert_eq!(found(file.clone(), Some("Vacía")), Err(UnreadableSheet::Empty));
    let names = vec!["Vacía".to_owned(), "Datos".to_owned()];
    assert_eq!(found(file, Some("Otra")), Err(UnreadableSheet::NoSuchSheet(names)));
}

/// A workbook of these worksheets, each of a part, and of these texts.
fn of_parts(sheets: &[&str], parts: &[(&str, &[u8])], texts: &str) -> Vec<u8> {
    let numbered = || sheets.iter().enumerate();
    let named = |(index, _): (usize, &&str)| {
        format!("<sheet name=\"S{index}\" sheetId=\"{}\" r:id=\"r{index}\"/>", index + 1)
    };
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    let related = |(index, target): (usize, &&str)| {
        format!("<Relationship Id=\"r{index}\" Type=\"{kind}\" Target=\"{target}\"/>")
    };
    let book = numbered().map(named).collect::<String>();
    let book = format!("<workbook><workbookPr date1904=\"1\"/><sheets>{book}</sheets></workbook>");
    let related = numbered().map(related).collect::<String>();
    let related = format!("<Relationships>{related}</Relationships>");
    let texts = format!("<sst>{texts}</sst>");
    let mut all = vec![
        (WORKBOOK, book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", related.as_bytes()),
        ("xl/sharedStrings.xml", texts.as_bytes()),
    ];
    all.extend_from_slice(parts);
    packed(&all)
}

const TWO_ROWS: &[u8] = b"<worksheet><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row>\
    <row r=\"2\"><c r=\"A2\"><v>2</v></c></row></sheetData></worksheet>";

#[test]
fn a_worksheet_that_was_not_measured_is_not_read() {
    let first = |target| of_parts(&[target], &[(&format!("xl/{target}"), TWO_ROWS)], "");
    assert!(found(first("worksheets/sheet1.xml"), None).is_ok());
    assert_eq!(found(first("media/image1.png"), None), Err(UnreadableSheet::NotASpreadsheet));
    // A workbook at another location is rejected, too.
    let document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
    let elsewhere = format!(
        "<Relationships><Relationship Id=\"r\" Type=\"{document}\" Target=\"xl/media/book.png\"/></Relationships>"
    );
    let parts = [("xl/worksheets/sheet1.xml", TWO_ROWS), (RELATIONSHIPS, elsewhere.as_bytes())];
    assert!(found(of_parts(&["worksheets/sheet1.xml"], &parts, ""), None).is_ok());
}

#[test]
fn a_part_is_not_read_any_number_of_times() {
    let sheets = vec!["worksheets/sheet1.xml"; MOST_SHEETS + 1];
    let file = of_parts(&sheets, &[("xl/worksheets/sheet1.xml", TWO_ROWS)], "");
    assert_eq!(found(file, None), Err(UnreadableSheet::NotASpreadsheet));
}

#[test]
fn a_text_that_many_cells_share_counts_in_each_of_them() {
    let text = format!("<si><t>{}</t></si>", "x".repeat(40_000));
    let cells = |count: usize, row: usize| {
        let cell = |column: usize| {
            let letter = char::from(b'A' + u8::try_from(column).unwrap());
            format!("<c r=\"{letter}{row}\" t=\"s\"><v>0</v></c>")
        };
        format!("<row r=\"{row}\">{}</row>", (0..count).map(cell).collect::<String>())
    };
    for (columns, rows, verdict) in [(14, 2, LONGEST_ROW), (10, 11, LIMITS.unpacked)] {
        let rows: String = (1..=rows).map(|row| cells(columns, row)).collect();
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        let file =
            of_parts(&["worksheets/sheet1.xml"], &[("xl/worksheets/sheet1.xml", sheet.as_bytes())], &text);
        assert_eq!(found(file, None), Err(UnreadableSheet::TooLarge(verdict)), "{columns}");
    }
}

#[test]
fn days_count_from_1900_or_from_1904() {
    let moment = |number, is_1904| {
        moment_of(ExcelDateTime::new(number, calamine::ExcelDateTimeType::DateTime, is_1904))
            .text(Locale::English)
    };
    for (number, is_1904, expected) in [
        (46_349.0, false, "2026-11-23"),
        (44_887.0, true, "2026-11-23"),
        (44_887.75, true, "2026-11-23 18:00:00"),
        (41.0, false, "1900-02-10"),
        (59.0, false, "1900-02-28"),
        (61.0, false, "1900-03-01"),
        // A nonexistent day, a number below 1, and one above the maximum.
        (60.0, false, "60"),
        (0.5, false, "0.5"),
        (2_958_466.0, false, "2958466"),
    ] {
        assert_eq!(moment(number, is_1904), expected, "{number} {is_1904}");
    }
}

#[test]
fn files_that_decompress_to_too_much_are_rejected_before_reading() {
    let book = b"<workbook/>".as_slice();
    let bomb = vec![b' '; 200 * 1024 * 1024 / 8];
    let tags = b"<c/>".repeat(2 * 1024 * 1024);
    let count = b"<sst uniqueCount = \"99999999999999\"></sst>".as_slice();
    for (parts, verdict) in [
        (
            vec![("xl/workbook.xml", book), ("xl/worksheets/sheet1.xml", &tags)],
            UnreadableSheet::TooLarge(LIMITS.unpacked),
        ),
        (
            vec![("xl/workbook.xml", book), ("xl/worksheets/sheet1.xml", &bomb)],
            UnreadableSheet::NotASpreadsheet,
        ),
        (vec![("xl/workbook.xml", book), ("xl/sharedStrings.xml", count)], UnreadableSheet::NotASpreadsheet),
        (vec![("picture.png", book)], UnreadableSheet::NotASpreadsheet),
        (vec![("xl/workbook.xml", book)], UnreadableSheet::NotASpreadsheet),
    ] {
        let file = packed(&parts);
        assert!(file.len() < 1024 * 1024);
        assert_eq!(found(file, None), Err(verdict), "{}", parts[parts.len() - 1].0);
    }
    assert_eq!(found(b"PK\x03\x04nothing".to_vec(), None), Err(UnreadableSheet::NotASpreadsheet));
}

#[test]
fn rows_and_columns_are_limited() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for row in 0..102 {
        sheet.write(row, 0, row).unwrap();
    }
    assert_eq!(found(book.save_to_buffer().unwrap(), None), Err(UnreadableSheet::TooManyRows(100)));
    let mut book = Workbook::new();
    book.add_worksheet().write(0, 20, "U").unwrap();
    assert_eq!(found(book.save_to_buffer().unwrap(), None), Err(UnreadableSheet::TooManyColumns(20)));
}
