//! Spreadsheet files. XLSX files are written through a temporary file, so that memory does not grow
//! with their rows.

mod rows;
mod text;
mod workbook;

use std::io::Write;

use chrono::Datelike as _;
use domain_kernel::{Cell, Locale, csv::unguarded};
use ports::{SheetFault, SheetFiles, SheetLimits, SheetPart, SheetRows, UnreadableSheet};
use rust_xlsxwriter::{ColNum, Format, RowNum, Workbook, Worksheet, XlsxError};

/// Maximum UTF-16 units of a cell; longer texts are truncated.
const LONGEST_TEXT: usize = 32_767;

/// Reads CSV and XLSX files, writes XLSX files.
#[derive(Debug, Clone, Copy, Default)]
pub struct XlsxFiles;

struct Formats {
    heading: Format,
    date: Format,
    moment: Format,
}

impl SheetFiles for XlsxFiles {
    fn write_xlsx(&self, rows: &mut SheetRows<'_>, out: &mut (dyn Write + Send)) -> Result<(), SheetFault> {
        let mut workbook = Workbook::new();
        let formats = Formats {
            heading: Format::new().set_bold(),
            date: Format::new().set_num_format("yyyy-mm-dd"),
            moment: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
        };
        let sheet = workbook.add_worksheet_with_constant_memory().map_err(fault)?;
        let mut number: RowNum = 0;
        while let Some(some) = rows() {
            for row in some? {
                write_row(sheet, number, &row, &formats).map_err(fault)?;
                number += 1;
            }
        }
        sheet.set_freeze_panes(1, 0).map_err(fault)?;
        workbook.save_to_writer(out).map_err(fault)
    }

    fn read(
        &self,
        file: Vec<u8>,
        sheet: Option<&str>,
        limits: SheetLimits,
        take: &mut (dyn FnMut(SheetPart) -> bool + Send),
    ) -> Result<(), UnreadableSheet> {
        // Signature of ZIP files.
        if file.starts_with(b"PK\x03\x04") {
            workbook::read(file, sheet, limits, take)
        } else {
            text::read(file, limits, take)
        }
    }
}

fn fault(error: XlsxError) -> SheetFault {
    SheetFault(error.to_string())
}

fn write_row(
    sheet: &mut Worksheet,
    number: RowNum,
    cells: &[Cell],
    formats: &Formats,
) -> Result<(), XlsxError> {
    for (column, cell) in (0 as ColNum..).zip(cells) {
        match cell {
            Cell::Empty => continue,
            Cell::Text(text) if number == 0 => {
                sheet.write_string_with_format(number, column, text, &formats.heading)?
            }
            // A text is never a formula in XLSX. Texts that look like a guard of our CSV get
            // another one.
            Cell::Text(text) if unguarded(text) != text => {
                sheet.write_string(number, column, shortened(&format!("'{text}")))?
            }
            Cell::Text(text) => sheet.write_string(number, column, shortened(text))?,
            #[expect(clippy::cast_precision_loss, reason = "XLSX stores all numbers as f64")]
            Cell::Integer(integer) => sheet.write_number(number, column, *integer as f64)?,
            Cell::Decimal(decimal) => sheet.write_number(number, column, *decimal)?,
            Cell::Flag(flag) => sheet.write_boolean(number, column, *flag)?,
            Cell::Date(_) | Cell::Moment(_) if is_too_early(cell) => {
                sheet.write_string(number, column, cell.text(Locale::English))?
            }
            Cell::Date(date) => sheet.write_date_with_format(number, column, date, &formats.date)?,
            Cell::Moment(moment) => {
                sheet.write_datetime_with_format(number, column, moment, &formats.moment)?
            }
        };
    }
    Ok(())
}

/// The format has no days before 1900.
fn is_too_early(cell: &Cell) -> bool {
    match cell {
        Cell::Date(day) => day.year() < 1900,
        Cell::Moment(moment) => moment.year() < 1900,
        _ => false,
    }
}

/// The text truncated to the maximum of a cell, in UTF-16 units.
fn shortened(text: &str) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, character)| {
        units += character.len_utf16();
        units > LONGEST_TEXT
    });
    end.map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Error};

    use calamine::{Data, Reader, Xlsx};
    use chrono::NaiveDate;

    use super::*;

    fn written(rows: Vec<Vec<Cell>>) -> Vec<u8> {
        let mut rows = Some(rows);
        let mut out = Vec::new();
        XlsxFiles.write_xlsx(&mut || rows.take().map(Ok), &mut out).unwrap();
        out
    }

    #[test]
    fn cells_keep_their_types_and_a_text_is_no_formula() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
        let moment = day.and_hms_opt(9, 5, 0).unwrap();
        let heading: Vec<Cell> =
            ["a", "b", "c", "d", "e", "f", "g"].map(|text| Cell::Text(text.into())).into();
        let row = vec![
            Cell::Text("=HYPERLINK(\"x\")".into()),
            Cell::Integer(7),
            Cell::Decimal(8.7),
            Cell::Flag(true),
            Cell::Empty,
            Cell::Date(day),
            Cell::Moment(moment),
        ];
        let file = written(vec![heading, row]);
        let mut workbook: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(file)).unwrap();
        let range = workbook.worksheet_range("Sheet1").unwrap();
        let row: Vec<Data> = range.rows().nth(1).unwrap().to_vec();
        assert_eq!(row[0], Data::String("=HYPERLINK(\"x\")".into()));
        assert_eq!(row[1..5], [Data::Float(7.0), Data::Float(8.7), Data::Bool(true), Data::Empty]);
        let Data::DateTime(date) = row[5] else { panic!("{:?}", row[5]) };
        let Data::DateTime(time) = row[6] else { panic!("{:?}", row[6]) };
        // Days since 1899-12-30.
        assert!((date.as_f64() - 46_329.0).abs() < 1e-9, "{date:?}");
        assert!((time.as_f64() - 46_329.378_472_222).abs() < 1e-6, "{time:?}");
    }

    #[test]
    fn written_sheets_are_read_unchanged() {
        let day = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).unwrap();
        let early = day(1895, 12, 28);
        let rows = vec![
            vec![Cell::Text("a".into()), Cell::Text("b".into()), Cell::Text("c".into())],
            // Texts like formulas, and like guarded ones of our CSV.
            ["+TVE", "'=x", "''=x", "'90s"].map(|text| Cell::Text(text.into())).into(),
            vec![Cell::Date(day(1900, 2, 10)), Cell::Date(day(1900, 3, 1)), Cell::Date(day(2026, 11, 27))],
            // Days that the format lacks are written as text.
            vec![Cell::Date(early), Cell::Moment(early.and_hms_opt(9, 5, 0).unwrap())],
        ];
        let mut expected = rows.clone();
        expected[3] = ["1895-12-28", "1895-12-28 09:05:00"].map(|text| Cell::Text(text.into())).into();
        let limits = SheetLimits { rows: 10, columns: 10, unpacked: 1024 * 1024 };
        let mut found = Vec::new();
        let mut take = |part| {
            if let SheetPart::Rows(rows) = part {
                found.extend(rows.into_iter().map(|row| row.cells));
            }
            true
        };
        XlsxFiles.read(written(rows), None, limits, &mut take).unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_text_is_cut_where_the_format_ends_it() {
        let long = format!("🎬{}", "x".repeat(LONGEST_TEXT));
        assert_eq!(shortened(&long).encode_utf16().count(), LONGEST_TEXT);
        assert_eq!(shortened("🎬 Cine"), "🎬 Cine");
        written(vec![vec![Cell::Integer(1)], vec![Cell::Text(long)]]);
    }

    #[test]
    fn a_fault_of_the_rows_or_of_the_reader_ends_the_file() {
        let mut out = Vec::new();
        let fault = XlsxFiles.write_xlsx(&mut || Some(Err(SheetFault("away".into()))), &mut out);
        assert_eq!((fault.unwrap_err().0.as_str(), out.len()), ("away", 0));

        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(Error::other("gone"))
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut rows = Some(vec![vec![Cell::Integer(1)]]);
        assert!(XlsxFiles.write_xlsx(&mut || rows.take().map(Ok), &mut Gone).is_err());
    }
}
