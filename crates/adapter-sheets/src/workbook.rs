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
mod tests;
