//! CSV rows for spreadsheets: every cell quoted, and texts protected from being parsed as a formula (a
//! viewer's device may be named `=HYPERLINK(…)`).

use crate::{Cell, Locale};

/// First characters of formulas in spreadsheets.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A quoted cell, with an apostrophe in front if it begins like a formula.
pub fn cell(text: &str) -> String {
    let guard = if is_guarded(text) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// A cell of a sheet: texts are escaped, numbers are not, so that their sign is kept.
fn cell_of(cell: &Cell, locale: Locale) -> String {
    let text = cell.text(locale);
    if matches!(cell, Cell::Text(_)) { self::cell(&text) } else { format!("\"{text}\"") }
}

/// A text with apostrophes before a formula gets one more, so that it can be read back unchanged.
fn is_guarded(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

/// Inverse of the apostrophe in [`cell`].
pub fn unguarded(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| is_guarded(rest)).unwrap_or(text)
}

/// A line of cells with its line end, with the separator of spreadsheets in a language.
pub fn line_in<'a>(locale: Locale, cells: impl IntoIterator<Item = &'a str>) -> String {
    separated(separator(locale), cells.into_iter().map(cell))
}

/// A line of the cells of a sheet.
pub fn line_of(locale: Locale, cells: &[Cell]) -> String {
    separated(separator(locale), cells.iter().map(|cell| cell_of(cell, locale)))
}

/// A semicolon in languages with a decimal comma.
pub fn separator(locale: Locale) -> char {
    if locale == Locale::Spanish { ';' } else { ',' }
}

/// Prefix of the file, so that spreadsheets read it as UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

fn separated(separator: char, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("{}\r\n", cells.join(&separator.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_begin_like_a_formula_stay_texts() {
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
