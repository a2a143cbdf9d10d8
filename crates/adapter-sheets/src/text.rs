//! Texts with separated cells: UTF-8, UTF-16 or Windows-1252; commas, semicolons or tabs.

use csv::{ByteRecord, Reader, ReaderBuilder};
use domain_kernel::{Cell, csv::unguarded};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use ports::{SheetLimits, SheetPart, UnreadableSheet};

use crate::rows::Rows;

/// Separators, most likely first.
const SEPARATORS: [u8; 4] = [b';', b',', b'\t', b'|'];
/// Bytes examined for signs of another format.
const BEGINNING: usize = 4096;

pub(crate) fn read(
    file: Vec<u8>,
    limits: SheetLimits,
    take: &mut (dyn FnMut(SheetPart) -> bool + Send),
) -> Result<(), UnreadableSheet> {
    let text = decoded(file)?;
    let (said, text) = declared_separator(&text);
    let separator = said.unwrap_or_else(|| separator(text));
    let reader = || {
        ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes())
    };
    let mut record = ByteRecord::new();
    // Counted before any row is stored.
    let (mut counted, mut found) = (reader(), 0);
    while counted.read_byte_record(&mut record).map_err(|_| UnreadableSheet::NotASpreadsheet)? {
        found += usize::from(record.iter().any(|cell| !cell.trim_ascii().is_empty()));
        if found > limits.rows + 1 {
            return Err(UnreadableSheet::TooManyRows(limits.rows));
        }
    }
    let mut reader = reader();
    let mut rows = Rows::new(limits, take);
    // A line with the separator counts as a line of the file.
    let mut number = i64::from(said.is_some());
    while !rows.is_stopped {
        let (blank, begin) = blank_lines(text, &reader);
        if !reader.read_byte_record(&mut record).map_err(|_| UnreadableSheet::NotASpreadsheet)? {
            break;
        }
        number += 1 + blank;
        // Only an open quote over several rows matters: texts without line breaks are read as they
        // are.
        if record.iter().flatten().any(|byte| b"\r\n".contains(byte))
            && has_open_quote(&text.as_bytes()[begin..position(text, &reader)], separator)
        {
            return Err(UnreadableSheet::OpenQuote(number));
        }
        // Counts the cells of a record before copying them.
        if record.len() > limits.columns && record.iter().skip(limits.columns).any(|cell| !cell.is_empty()) {
            return Err(UnreadableSheet::TooManyColumns(limits.columns));
        }
        let cells = record.iter().take(limits.columns).map(|cell| match String::from_utf8_lossy(cell) {
            text if text.is_empty() => Cell::Empty,
            text => Cell::Text(unguarded(&text).to_owned()),
        });
        rows.add(number, cells.collect())?;
    }
    rows.finish()
}

/// Position of the reader in the text.
fn position(text: &str, reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.position().byte()).map_or(text.len(), |byte| byte.min(text.len()))
}

/// Number of blank lines that the reader will skip, which are rows of the file, and start of the
/// next row.
fn blank_lines(text: &str, reader: &Reader<&[u8]>) -> (i64, usize) {
    let bytes = text.as_bytes();
    let mut at = position(text, reader);
    // After a row that ends with CR LF, the reader is between both.
    if at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n') {
        at += 1;
    }
    let mut lines = 0;
    while let Some(byte @ (b'\r' | b'\n')) = bytes.get(at) {
        at += if *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
        lines += 1;
    }
    (lines, at)
}

/// Whether a quoted cell of a row has line breaks and is not closed, or continues after the closing
/// quote: then that quote opens a cell of a later row.
fn has_open_quote(row: &[u8], separator: u8) -> bool {
    let is_end = |byte: u8| byte == separator || b"\r\n".contains(&byte);
    let mut bytes = row.iter().copied().peekable();
    while let Some(first) = bytes.next() {
        if first != b'"' {
            // An unquoted cell, up to its end.
            if !is_end(first) {
                while bytes.next().is_some_and(|byte| !is_end(byte)) {}
            }
            continue;
        }
        let mut has_breaks = false;
        loop {
            match bytes.next() {
                None => return has_breaks,
                Some(b'"') if bytes.peek() == Some(&b'"') => drop(bytes.next()),
                Some(b'"') => break,
                Some(byte) => has_breaks |= b"\r\n".contains(&byte),
            }
        }
        // Some programs write blanks after a quote.
        while bytes.next_if_eq(&b' ').is_some() {}
        if let Some(byte) = bytes.next().filter(|byte| !is_end(*byte)) {
            if has_breaks {
                return true;
            }
            let mut byte = Some(byte);
            while byte.is_some_and(|byte| !is_end(byte)) {
                byte = bytes.next();
            }
        }
    }
    false
}

/// Separator of `sep=;` in the first line, as some programs write for Excel, and the rest.
fn declared_separator(text: &str) -> (Option<u8>, &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.trim_end_matches('\r').trim_matches('"').strip_prefix("sep=").map(str::as_bytes) {
        Some([separator]) if SEPARATORS.contains(separator) => (Some(*separator), rest),
        _ => (None, text),
    }
}

/// The file as UTF-8: by its byte order mark, as valid UTF-8, or else as Windows-1252.
fn decoded(file: Vec<u8>) -> Result<String, UnreadableSheet> {
    let (encoding, mark) = match Encoding::for_bom(&file) {
        Some((encoding, length)) => (encoding, length),
        None if std::str::from_utf8(&file).is_ok() => (UTF_8, 0),
        None if is_mostly_utf8(&file) => return Err(UnreadableSheet::Damaged),
        None => (WINDOWS_1252, 0),
    };
    let text = if encoding == UTF_8 && mark == 0 {
        String::from_utf8(file).map_err(|_| UnreadableSheet::NotASpreadsheet)?
    } else {
        match encoding.decode(&file) {
            (_, _, true) => return Err(UnreadableSheet::Damaged),
            (text, ..) => text.into_owned(),
        }
    };
    let beginning: String = text.chars().take(BEGINNING).collect();
    // Images, PDF files and older Excel files have NUL and other control characters; HTML is no
    // table.
    let is_binary = beginning.chars().any(|c| c.is_control() && !['\n', '\r', '\t'].contains(&c));
    let lower = beginning.trim_start().to_lowercase();
    let is_page = ["<!doctype", "<html", "<?xml", "<table", "{", "[{", "%pdf"]
        .iter()
        .any(|sign| lower.starts_with(sign));
    if is_binary || is_page { Err(UnreadableSheet::NotASpreadsheet) } else { Ok(text) }
}

/// Whether the file has more valid UTF-8 letters than invalid bytes: as Windows-1252, the valid
/// ones would be damaged.
fn is_mostly_utf8(file: &[u8]) -> bool {
    let (mut right, mut wrong) = (0_usize, 0_usize);
    for chunk in file.utf8_chunks() {
        right += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        wrong += chunk.invalid().len();
    }
    right > wrong
}

/// The most frequent separator of the first line, outside of quotes.
fn separator(text: &str) -> u8 {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut is_quoted = false;
    for byte in text.trim_start().bytes().take(64 * 1024) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            _ if !is_quoted => {
                if let Some(index) = SEPARATORS.iter().position(|separator| *separator == byte) {
                    counts[index] += 1;
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().copied().max().unwrap_or_default();
    let index = counts.iter().position(|count| *count == most && most > 0);
    index.map_or(b',', |index| SEPARATORS[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: SheetLimits = SheetLimits { rows: 3, columns: 5, unpacked: 0 };

    /// Rows as `number: cell|cell`, or the error.
    fn found(file: &[u8]) -> Result<Vec<String>, UnreadableSheet> {
        let mut found = Vec::new();
        read(file.to_vec(), LIMITS, &mut |part| {
            let SheetPart::Rows(rows) = part else { return true };
            for row in rows {
                let cells: Vec<String> =
                    row.cells.iter().map(|cell| cell.text(domain_kernel::Locale::English)).collect();
                found.push(format!("{}: {}", row.number, cells.join("|")));
            }
            true
        })?;
        Ok(found)
    }

    #[test]
    fn encodings_and_separators_are_detected() {
        let expected = Ok(vec!["1: Título|Año".to_owned(), "2: Ñandú; \"el ave\"|1951".to_owned()]);
        let csv =
            |separator: char| format!("Título{separator}Año\r\n\"Ñandú; \"\"el ave\"\"\"{separator}1951\r\n");
        for separator in [';', ',', '\t', '|'] {
            assert_eq!(found(csv(separator).as_bytes()), expected, "{separator:?}");
        }
        assert_eq!(found(format!("\u{feff}{}", csv(';')).as_bytes()), expected, "UTF-8 with a mark");
        assert_eq!(found(&WINDOWS_1252.encode(&csv(';')).0), expected, "Windows-1252");
        for big in [false, true] {
            let units = std::iter::once(0xfeff).chain(csv('\t').encode_utf16().collect::<Vec<_>>());
            let bytes: Vec<u8> =
                units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect();
            assert_eq!(found(&bytes), expected, "UTF-16");
        }
    }

    #[test]
    fn a_line_for_excel_says_the_separator() {
        let expected = Ok(vec!["2: a|b".to_owned(), "3: 1,5|x".to_owned()]);
        for begin in ["sep=;", "\"sep=;\"", "sep=;\r"] {
            assert_eq!(found(format!("{begin}\na;b\n1,5;x\n").as_bytes()), expected, "{begin:?}");
        }
    }

    #[test]
    fn blank_rows_are_left_out_and_numbers_are_those_of_the_file() {
        for (csv, expected) in [
            (&b"a,b\n,\n\n1,\n2,'=x\n"[..], ["1: a|b", "4: 1", "5: 2|=x"]),
            (b"\r\n\r\na,b\r\n1,\r\n\r\n2,x", ["3: a|b", "4: 1", "6: 2|x"]),
            (b"a,b\n1,\"x\ny\"\n\n\n2,x\n", ["1: a|b", "2: 1|x\ny", "5: 2|x"]),
        ] {
            assert_eq!(
                found(csv),
                Ok(expected.map(str::to_owned).into()),
                "{:?}",
                String::from_utf8_lossy(csv)
            );
        }
    }

    #[test]
    fn an_unclosed_quote_is_reported_and_does_not_consume_the_following_rows() {
        let open = "a;b\n\n\"El Padre;1990\nOtra;1991\n";
        assert_eq!(found(open.as_bytes()), Err(UnreadableSheet::OpenQuote(3)));
        let closed_late = format!("a;b\n\"El Padre;1990\n{}\"Otra\";1\n", "Otra;1991\n".repeat(200));
        assert_eq!(found(closed_late.as_bytes()), Err(UnreadableSheet::OpenQuote(2)));
        let old = "a;b\r\"El Padre;1990\rOtra;1991\r";
        assert_eq!(found(old.as_bytes()), Err(UnreadableSheet::OpenQuote(2)), "line ends of CR");
        // A quote within a text opens nothing; a closed quoted cell may have any number of lines.
        assert_eq!(
            found(b"a;b\nTV 32\";1\n\"x\ny\";2\n"),
            Ok(vec!["1: a|b".into(), "2: TV 32\"|1".into(), "3: x\ny|2".into()])
        );
        let odd = "a;b\n\"El Padre\" (larga);\"uno\ndos\"\n\"tres\ncuatro\" ;1\n";
        assert_eq!(found(odd.as_bytes()).map(|rows| rows.len()), Ok(3));
        let long = format!("a;b\n1;\"{}\"\n", "x\n".repeat(300));
        assert!(found(long.as_bytes()).is_ok());
        assert_eq!(
            found(b"a;b\nTV 32\";\"x\ny\"\n2;\n"),
            Ok(vec!["1: a|b".into(), "2: TV 32\"|x\ny".into(), "3: 2".into()])
        );
    }

    #[test]
    fn files_that_are_no_table_or_too_large_are_rejected() {
        use UnreadableSheet::{Damaged, Empty, NotASpreadsheet, TooManyColumns, TooManyRows};
        for (file, verdict) in [
            (&b""[..], Empty),
            (b"a,b\n", Empty),
            (b"\n\n,\n", Empty),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", NotASpreadsheet),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", NotASpreadsheet),
            (b"%PDF-1.7\n1,2\n", NotASpreadsheet),
            (b"  <!DOCTYPE html><html></html>\n1\n", NotASpreadsheet),
            (b"{\"a\": 1}\n1\n", NotASpreadsheet),
            (b"[{\"a\": 1},\n{\"a\": 1}]\n", NotASpreadsheet),
            // One row of another encoding: as Windows-1252, all others would be damaged; with a
            // byte order mark, that row.
            (b"T\xc3\xadtulo\nEspa\xc3\xb1a\nEspa\xf1a\n", Damaged),
            (b"\xef\xbb\xbfa\nEspa\xf1a\n", Damaged),
            (b"a,b\n1,2,3,4,5,6\n", TooManyColumns(5)),
            (b"a\n1\n2\n3\n4\n", TooManyRows(3)),
        ] {
            assert_eq!(found(file), Err(verdict), "{:?}", String::from_utf8_lossy(file));
        }
        assert!(found(b"a,b\n1,2,3,4,5,,,\n").is_ok(), "blank cells at the end are none");
    }
}
