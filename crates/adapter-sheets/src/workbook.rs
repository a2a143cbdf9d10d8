//! XLSX workbooks. Compressed parts are measured before they are read: calamine keeps the shared
//! texts of a workbook, and the text of a part, in memory.

use std::io::{Cursor, Read, Write as _};

use calamine::{Data, DataRef, ExcelDateTime, Reader, Xlsx};
use chrono::{NaiveDate, NaiveTime};
use domain_kernel::{Cell, csv::unguarded};
use ports::{SheetLimits, SheetPart, UnreadableSheet};
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::rows::Rows;

/// Maximum bytes of shared texts, and of every other part except worksheets: they are kept in
/// memory.
const LARGEST_KEPT_PART: u64 = 12 * 1024 * 1024;
/// Maximum bytes between two tags, which are kept in memory: a cell has up to 32,767 characters.
const LONGEST_TEXT: u64 = 256 * 1024;
/// Maximum declared number of texts: memory for them is allocated at once.
const MOST_TEXTS: u64 = 1_000_000;
/// Maximum parts of a workbook.
const MOST_PARTS: usize = 10_000;
/// Maximum worksheets of a workbook: several may reference one part, which is read for each.
const MOST_SHEETS: usize = 250;
/// Maximum bytes of a row's texts: a multiple of all fields of an item.
const LONGEST_ROW: u64 = 512 * 1024;
/// Numbers of days; below is a time without a day, above is the year 10000.
const DAYS: std::ops::Range<f64> = 1.0..2_958_466.0;
/// The part with the location of the workbook.
const RELATIONSHIPS: &str = "_rels/.rels";
const WORKBOOK: &str = "xl/workbook.xml";

pub(crate) fn read(
    file: Vec<u8>,
    sheet: Option<&str>,
    limits: SheetLimits,
    take: &mut (dyn FnMut(SheetPart) -> bool + Send),
) -> Result<(), UnreadableSheet> {
    measure(&file, limits)?;
    let measured = only_measured(file).map_err(|_| UnreadableSheet::NotASpreadsheet)?;
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(measured)).map_err(unreadable)?;
    let names = workbook.sheet_names();
    if names.len() > MOST_SHEETS {
        return Err(UnreadableSheet::NotASpreadsheet);
    }
    let read = match sheet {
        Some(name) if names.iter().any(|known| known == name) => name.to_owned(),
        Some(_) => return Err(UnreadableSheet::NoSuchSheet(names)),
        None => first_with_rows(&mut workbook, &names)?,
    };
    if !take(SheetPart::Sheets { names, read: read.clone() }) {
        return Ok(());
    }
    let mut rows = Rows::new(limits, take);
    let mut cells = workbook.worksheet_cells_reader(&read).map_err(unreadable)?;
    let mut number = 0;
    let mut row: Vec<Cell> = Vec::new();
    // Cells share texts: a small file can have any number of long ones.
    let (mut of_row, mut of_sheet) = (0, 0);
    while let Some(cell) = cells.next_cell().map_err(unreadable)? {
        let (at, column) = cell.get_position();
        if at != number {
            rows.add(i64::from(number) + 1, std::mem::take(&mut row))?;
            if rows.is_stopped {
                return Ok(());
            }
            // Rows are in order; a lower number would be read as a second row.
            if at < number {
                return Err(UnreadableSheet::NotASpreadsheet);
            }
            number = at;
            of_row = 0;
        }
        let length = text_length(cell.get_value());
        of_row += length;
        of_sheet += length;
        for (bytes, most) in [(of_row, LONGEST_ROW), (of_sheet, limits.unpacked)] {
            if bytes > most {
                return Err(UnreadableSheet::TooLarge(most));
            }
        }
        let value = value(cell.get_value());
        if value.is_blank() {
            continue;
        }
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if column >= limits.columns {
            return Err(UnreadableSheet::TooManyColumns(limits.columns));
        }
        if row.len() <= column {
            row.resize(column + 1, Cell::Empty);
        }
        row[column] = value;
    }
    rows.add(i64::from(number) + 1, row)?;
    rows.finish()
}

fn unreadable(_: calamine::XlsxError) -> UnreadableSheet {
    UnreadableSheet::NotASpreadsheet
}

/// The first worksheet with a cell that is not blank; otherwise the first one.
fn first_with_rows(
    workbook: &mut Xlsx<Cursor<Vec<u8>>>,
    names: &[String],
) -> Result<String, UnreadableSheet> {
    for name in names {
        // Charts have sheets without cells.
        let Ok(mut cells) = workbook.worksheet_cells_reader(name) else { continue };
        while let Some(cell) = cells.next_cell().map_err(unreadable)? {
            if !value(cell.get_value()).is_blank() {
                return Ok(name.clone());
            }
        }
    }
    names.first().cloned().ok_or(UnreadableSheet::Empty)
}

/// Bytes of the text of a cell.
fn text_length(cell: &DataRef<'_>) -> u64 {
    match cell {
        DataRef::SharedString(text) => text.len() as u64,
        DataRef::String(text) => text.len() as u64,
        _ => 0,
    }
}

/// Lookup name of a part: calamine ignores case and the direction of slashes.
fn normalized(name: &str) -> String {
    name.replace('\\', "/").to_ascii_lowercase()
}

/// Whether a part is decompressed; images, for example, never are.
fn is_read(name: &str) -> bool {
    [".xml", ".rels"].iter().any(|ending| name.ends_with(ending))
}

/// The file with the measured parts only, regardless of the workbook's own references, and with the
/// workbook at its measured location.
fn only_measured(file: Vec<u8>) -> zip::result::ZipResult<Vec<u8>> {
    let mut kept = ZipWriter::new(Cursor::new(Vec::with_capacity(file.len())));
    let mut archive = ZipArchive::new(Cursor::new(file))?;
    for index in 0..archive.len() {
        let part = archive.by_index_raw(index)?;
        let name = normalized(&part.name()?);
        if is_read(&name) && name != RELATIONSHIPS {
            kept.raw_copy_file_rename(part, name)?;
        }
    }
    kept.start_file(RELATIONSHIPS, SimpleFileOptions::default())?;
    let document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
    write!(
        kept,
        "<Relationships><Relationship Id=\"r\" Type=\"{document}\" Target=\"{WORKBOOK}\"/></Relationships>"
    )?;
    Ok(kept.finish()?.into_inner())
}

/// Decompresses the file once, without keeping it, and rejects one that would need too much memory
/// or time.
fn measure(file: &[u8], limits: SheetLimits) -> Result<(), UnreadableSheet> {
    let broken = |_| UnreadableSheet::NotASpreadsheet;
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(broken)?;
    if archive.len() > MOST_PARTS || archive.index_for_name(WORKBOOK).is_none() {
        return Err(UnreadableSheet::NotASpreadsheet);
    }
    let mut unpacked: u64 = 0;
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(broken)?;
        let name = normalized(&part.name().map_err(broken)?);
        if !is_read(&name) {
            continue;
        }
        let largest = if name.starts_with("xl/worksheets/") { limits.unpacked } else { LARGEST_KEPT_PART };
        let is_texts = name.contains("sharedstrings");
        let mut texts = Vec::new();
        let (mut size, mut run) = (0_u64, 0_u64);
        let mut buffer = [0_u8; 16 * 1024];
        loop {
            let length = part.read(&mut buffer).map_err(|_| UnreadableSheet::NotASpreadsheet)?;
            if length == 0 {
                break;
            }
            let bytes = &buffer[..length];
            size += length as u64;
            unpacked += length as u64;
            if size > largest || unpacked > limits.unpacked {
                return Err(UnreadableSheet::TooLarge(limits.unpacked));
            }
            for byte in bytes {
                run = if *byte == b'<' { 0 } else { run + 1 };
                if run > LONGEST_TEXT {
                    return Err(UnreadableSheet::NotASpreadsheet);
                }
            }
            if is_texts {
                texts.extend_from_slice(bytes);
            }
        }
        if is_texts && declares_too_many(&texts) {
            return Err(UnreadableSheet::NotASpreadsheet);
        }
    }
    Ok(())
}

/// Whether the part declares more texts than the maximum.
fn declares_too_many(texts: &[u8]) -> bool {
    const NAME: &[u8] = b"uniqueCount";
    texts.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).any(|(at, _)| {
        let rest = texts[at + NAME.len()..].iter().skip_while(|byte| !byte.is_ascii_digit());
        let digits = rest.take_while(|byte| byte.is_ascii_digit());
        digits.fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
            > MOST_TEXTS
    })
}

/// Displayed value of a cell: of a formula, its last result.
fn value(cell: &DataRef<'_>) -> Cell {
    match Data::from(cell.clone()) {
        Data::Int(number) => Cell::Integer(number),
        #[expect(clippy::cast_possible_truncation, reason = "a small integer")]
        Data::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => Cell::Integer(number as i64),
        Data::Float(number) => Cell::Decimal(number),
        Data::String(text) if text.is_empty() => Cell::Empty,
        // A workbook saved from our CSV still has its guards.
        Data::String(text) => Cell::Text(unguarded(&text).to_owned()),
        Data::Bool(flag) => Cell::Flag(flag),
        Data::DateTime(moment) => moment_of(moment),
        Data::DateTimeIso(text) | Data::DurationIso(text) => Cell::Text(text),
        // The error value of a failed formula is rejected by its reader.
        Data::Error(error) => Cell::Text(error.to_string()),
        Data::Empty => Cell::Empty,
    }
}

/// Excel counts days from the beginning of 1900, with a 29th of February, or of 1904; the fraction
/// of a day is its time.
fn moment_of(moment: ExcelDateTime) -> Cell {
    let number = moment.as_f64();
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let day = NaiveDate::from_ymd_opt(i32::from(year), u32::from(month), u32::from(day));
    let time = NaiveTime::from_hms_milli_opt(
        u32::from(hour),
        u32::from(minute),
        u32::from(second),
        u32::from(milli),
    );
    match (day, time) {
        (Some(day), Some(NaiveTime::MIN)) if DAYS.contains(&number) => Cell::Date(day),
        (Some(day), Some(time)) if DAYS.contains(&number) => Cell::Moment(day.and_time(time)),
        _ => Cell::Decimal(number),
    }
}

#[cfg(test)]
mod tests {
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
                    let cells: Vec<String> =
                        row.cells.iter().map(|cell| cell.text(Locale::English)).collect();
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
            let file = of_parts(
                &["worksheets/sheet1.xml"],
                &[("xl/worksheets/sheet1.xml", sheet.as_bytes())],
                &text,
            );
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
            (
                vec![("xl/workbook.xml", book), ("xl/sharedStrings.xml", count)],
                UnreadableSheet::NotASpreadsheet,
            ),
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
}
