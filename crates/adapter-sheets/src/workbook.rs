//! XLSX workbooks. What is packed in one is measured before it is read: calamine keeps the texts of a workbook in memory,
//! and what a part of it holds together.

use std::io::{Cursor, Read};

use calamine::{Data, DataRef, ExcelDateTime, Reader, Xlsx};
use chrono::{Days, NaiveDate, NaiveDateTime, TimeDelta};
use domain_kernel::Cell;
use ports::{SheetLimits, SheetPart, UnreadableSheet};
use zip::ZipArchive;

use crate::rows::Rows;

/// Bytes of the texts that all cells share, and of every other part but worksheets: they are kept in memory.
const LARGEST_KEPT_PART: u64 = 12 * 1024 * 1024;
/// Bytes between two tags, which are kept in memory: a cell has 32,767 characters at most.
const LONGEST_TEXT: u64 = 256 * 1024;
/// Texts that a workbook may say it has: memory for them is reserved at once.
const MOST_TEXTS: u64 = 1_000_000;
/// Parts of a workbook.
const MOST_PARTS: usize = 10_000;

pub(crate) fn read(
    file: Vec<u8>,
    sheet: Option<&str>,
    limits: SheetLimits,
    take: &mut (dyn FnMut(SheetPart) -> bool + Send),
) -> Result<(), UnreadableSheet> {
    measure(&file, limits)?;
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(file)).map_err(unreadable)?;
    let names = workbook.sheet_names();
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
    while let Some(cell) = cells.next_cell().map_err(unreadable)? {
        let (at, column) = cell.get_position();
        if at != number {
            rows.add(i64::from(number) + 1, std::mem::take(&mut row))?;
            if rows.is_stopped {
                return Ok(());
            }
            // Rows come in order; one that goes back would be read as two.
            if at < number {
                return Err(UnreadableSheet::NotASpreadsheet);
            }
            number = at;
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

/// The first worksheet that has a cell which is not blank; the first one where none has.
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

/// Unpacks the file once, without keeping it, and refuses one that would need too much memory or time.
fn measure(file: &[u8], limits: SheetLimits) -> Result<(), UnreadableSheet> {
    let broken = |_| UnreadableSheet::NotASpreadsheet;
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(broken)?;
    if archive.len() > MOST_PARTS || archive.index_for_name("xl/workbook.xml").is_none() {
        return Err(UnreadableSheet::NotASpreadsheet);
    }
    let mut unpacked: u64 = 0;
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(broken)?;
        let name = part.name().map_err(broken)?.to_lowercase();
        // Pictures and the like are never unpacked.
        let ending = name.rsplit('.').next();
        if ending != Some("xml") && ending != Some("rels") {
            continue;
        }
        let largest = if name.contains("worksheets/") { limits.unpacked } else { LARGEST_KEPT_PART };
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
        if is_texts && says_too_many(&texts) {
            return Err(UnreadableSheet::NotASpreadsheet);
        }
    }
    Ok(())
}

/// Whether the part says that it has more texts than anybody writes.
fn says_too_many(texts: &[u8]) -> bool {
    const NAME: &[u8] = b"uniqueCount";
    texts.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).any(|(at, _)| {
        let rest = texts[at + NAME.len()..].iter().skip_while(|byte| !byte.is_ascii_digit());
        let digits = rest.take_while(|byte| byte.is_ascii_digit());
        digits.fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
            > MOST_TEXTS
    })
}

/// What a cell shows: of a formula, its last result.
fn value(cell: &DataRef<'_>) -> Cell {
    match Data::from(cell.clone()) {
        Data::Int(number) => Cell::Integer(number),
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
        Data::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => Cell::Integer(number as i64),
        Data::Float(number) => Cell::Decimal(number),
        Data::String(text) if text.is_empty() => Cell::Empty,
        Data::String(text) => Cell::Text(text),
        Data::Bool(flag) => Cell::Flag(flag),
        Data::DateTime(moment) => moment_of(moment),
        Data::DateTimeIso(text) | Data::DurationIso(text) => Cell::Text(text),
        // What a formula answers that failed is no value; as a text it is refused where it is read.
        Data::Error(error) => Cell::Text(error.to_string()),
        Data::Empty => Cell::Empty,
    }
}

/// Excel counts days from the end of 1899, and a part of a day is its time.
fn moment_of(moment: ExcelDateTime) -> Cell {
    let number = moment.as_f64();
    let epoch = NaiveDate::from_ymd_opt(1899, 12, 30);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "days of four-digit years")]
    let (days, milliseconds) = (number.floor() as u64, (number.fract() * 86_400_000.0).round() as i64);
    let day = epoch
        .filter(|_| (0.0..2_958_466.0).contains(&number))
        .and_then(|day| day.checked_add_days(Days::new(days)));
    match day {
        None => Cell::Decimal(number),
        Some(day) if milliseconds == 0 => Cell::Date(day),
        Some(day) => {
            let midnight: NaiveDateTime = day.and_time(chrono::NaiveTime::MIN);
            Cell::Moment(midnight + TimeDelta::milliseconds(milliseconds))
        }
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

    #[test]
    fn what_unpacks_to_too_much_is_refused_before_it_is_read() {
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
