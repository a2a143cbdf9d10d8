//! Rows for spreadsheets: everything quoted, and no text that a spreadsheet would take for a formula (a viewer's device may
//! call itself `=HYPERLINK(…)`).

use crate::{Cell, Locale};

/// What a spreadsheet takes for the beginning of a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A cell: in quotes, quotes doubled, and behind an apostrophe where it begins like a formula.
pub fn cell(text: &str) -> String {
    let guard = if is_guarded(text) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// A cell of a sheet: a text is guarded, a number is none and a sum needs its sign.
fn cell_of(cell: &Cell, locale: Locale) -> String {
    let text = cell.text(locale);
    if matches!(cell, Cell::Text(_)) { self::cell(&text) } else { format!("\"{text}\"") }
}

/// A text that has apostrophes before a formula gets one more, so that it can be read back as it was.
fn is_guarded(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

/// A text as it was before [`cell`] put an apostrophe before it.
pub fn unguarded(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| is_guarded(rest)).unwrap_or(text)
}

/// A line of cells, with its end and the separator that spreadsheets expect in a language.
pub fn line_in<'a>(locale: Locale, cells: impl IntoIterator<Item = &'a str>) -> String {
    separated(separator(locale), cells.into_iter().map(cell))
}

/// The same of cells of a sheet.
pub fn line_of(locale: Locale, cells: &[Cell]) -> String {
    separated(separator(locale), cells.iter().map(|cell| cell_of(cell, locale)))
}

/// A semicolon where the comma is for decimals.
pub fn separator(locale: Locale) -> char {
    if locale == Locale::Spanish { ';' } else { ',' }
}

/// Goes before the first line, so that spreadsheets read the file as UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

fn separated(separator: char, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("{}\r\n", cells.join(&separator.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_like_a_formula_is_a_text() {
        for (text, expected) in [
            ("=1+1", "\"'=1+1\""),
            ("+34 600", "\"'+34 600\""),
            ("-2", "\"'-2\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\tx", "\"'\tx\""),
            ("\r=x", "\"'\r=x\""),
            ("a=1", "\"a=1\""),
            ("say \"hi\", twice", "\"say \"\"hi\"\", twice\""),
            ("two\nlines", "\"two\nlines\""),
            ("ñandú", "\"ñandú\""),
            ("", "\"\""),
            ("'=x", "\"''=x\""),
            ("'x", "\"'x\""),
        ] {
            assert_eq!(cell(text), expected);
            let written = expected[1..expected.len() - 1].replace("\"\"", "\"");
            assert_eq!(unguarded(&written), text);
        }
        assert_eq!(line_in(Locale::Spanish, ["a", "b"]), "\"a\";\"b\"\r\n");
        assert_eq!(line_in(Locale::English, ["a", "b"]), "\"a\",\"b\"\r\n");
        let cells = [Cell::Integer(-2), Cell::Text("-2".into()), Cell::Empty];
        assert_eq!(line_of(Locale::Spanish, &cells), "\"-2\";\"'-2\";\"\"\r\n");
    }
}
