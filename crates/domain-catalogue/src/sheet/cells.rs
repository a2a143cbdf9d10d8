//! Parses cells, in the notations that users write, as values of a field. Ambiguous cells are
//! rejected.

use chrono::{Days, NaiveDate};
use domain_kernel::{Cell, Choice, Code, FieldShape, Locale, Violation, fold};
use serde_json::{Value, json};

/// Numbers from here on are serial days of Excel; lower ones are probably years in a column of
/// days.
const FIRST_SERIAL: i64 = 10_000;

/// Cells of failed formulas.
const ERRORS: [&str; 10] = [
    "#N/A",
    "#REF!",
    "#VALUE!",
    "#DIV/0!",
    "#NAME?",
    "#NULL!",
    "#NUM!",
    "#SPILL!",
    "#CALC!",
    "#GETTING_DATA",
];

/// The value of a cell for a field; `null` for an empty cell.
pub(super) fn value_of(
    cell: &Cell,
    field: &str,
    shape: &FieldShape,
    locale: Locale,
) -> Result<Value, Violation> {
    if cell.is_blank() {
        return Ok(Value::Null);
    }
    if matches!(cell, Cell::Text(text) if ERRORS.contains(&text.trim())) {
        return Err(Violation::new(field, Code::FailedFormula));
    }
    match shape {
        FieldShape::Integer => integer(cell).map(Value::from).ok_or(Code::NotNumeric),
        FieldShape::Decimal => decimal(cell, locale).map(Value::from),
        FieldShape::Flag => flag(cell).map(Value::from).ok_or(Code::NotAFlag),
        FieldShape::Date => date(cell, locale).map(|day| json!(day)),
        FieldShape::Moment => Err(Code::Immutable),
        FieldShape::Code(choices) => return code(&text(cell), field, choices, locale).map(Value::from),
        FieldShape::Codes(choices) => {
            let parts = text(cell);
            let codes = parts.split([',', ';', '|', '\n']).map(str::trim).filter(|part| !part.is_empty());
            return codes
                .map(|part| code(part, field, choices, locale))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::from);
        }
        FieldShape::Integers => integers(cell).map(Value::from).ok_or(Code::NotNumeric),
        FieldShape::Text | FieldShape::Objects => Ok(Value::from(text(cell))),
    }
    .map_err(|code| Violation::new(field, code))
}

/// The cell as a text, for all types of cells.
pub(super) fn text(cell: &Cell) -> String {
    cell.text(Locale::English).trim().to_owned()
}

pub(super) fn integer(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Integer(number) => Some(*number),
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
        Cell::Decimal(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
        Cell::Text(text) => {
            let text = text.trim();
            // Some programs write whole numbers as "2026.0" and "2026,0".
            let whole = text.strip_suffix(".0").or_else(|| text.strip_suffix(",0")).unwrap_or(text);
            whole.parse().ok()
        }
        _ => None,
    }
}

fn integers(cell: &Cell) -> Option<Vec<i64>> {
    match cell {
        Cell::Text(text) => {
            let parts = text.split([',', ';', '|', '\n', ' ']).filter(|part| !part.trim().is_empty());
            parts.map(|part| part.trim().parse().ok()).collect()
        }
        other => integer(other).map(|number| vec![number]),
    }
}

fn decimal(cell: &Cell, locale: Locale) -> Result<f64, Code> {
    let text = match cell {
        #[expect(clippy::cast_precision_loss, reason = "Excel has no other numbers")]
        Cell::Integer(number) => return Ok(*number as f64),
        Cell::Decimal(number) => return Ok(*number),
        Cell::Text(text) => text.trim(),
        _ => return Err(Code::NotNumeric),
    };
    let (ours, other) = if locale == Locale::Spanish { (',', '.') } else { ('.', ',') };
    let plain = match (text.matches(ours).count(), text.matches(other).count()) {
        (1, 0) => text.replace(ours, "."),
        // Three digits after the language's thousands separator: 1.234 is ambiguous.
        (0, 1) if text.split(other).nth(1).is_some_and(|rest| rest.len() == 3) => {
            return Err(Code::AmbiguousNumber);
        }
        (0, 1) => text.replace(other, "."),
        (0, 0) => text.to_owned(),
        _ => return Err(Code::NotNumeric),
    };
    let is_plain = plain.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
    plain.parse().ok().filter(|_| is_plain).ok_or(Code::NotNumeric)
}

fn flag(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Flag(flag) => Some(*flag),
        Cell::Integer(0) => Some(false),
        Cell::Integer(1) => Some(true),
        Cell::Text(text) => match fold(text.trim()).as_str() {
            "si" | "s" | "yes" | "y" | "true" | "verdadero" | "1" | "x" => Some(true),
            "no" | "n" | "false" | "falso" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// 2026-11-23, 23/11/2026 (in English files only if the first number can't be a month), or a serial
/// day of Excel.
fn date(cell: &Cell, locale: Locale) -> Result<NaiveDate, Code> {
    let text = match cell {
        Cell::Date(day) => return Ok(*day),
        Cell::Moment(moment) => return Ok(moment.date()),
        Cell::Integer(number) => return serial(*number),
        Cell::Text(text) => text.trim(),
        _ => return Err(Code::InvalidDate),
    };
    if let Ok(number) = text.parse::<i64>() {
        return serial(number);
    }
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<Option<u32>> = day.split(['-', '/', '.']).map(|part| part.parse().ok()).collect();
    let [Some(first), Some(second), Some(third)] = parts[..] else { return Err(Code::InvalidDate) };
    let of = |year: u32, month, day| {
        let year = i32::try_from(year).map_err(|_| Code::InvalidDate)?;
        NaiveDate::from_ymd_opt(year, month, day).ok_or(Code::InvalidDate)
    };
    if first >= 1000 {
        return of(first, second, third);
    }
    if third < 1000 {
        return Err(Code::InvalidDate);
    }
    match locale {
        Locale::Spanish => of(third, second, first),
        Locale::English if first > 12 => of(third, second, first),
        Locale::English if second > 12 || first == second => of(third, first, second),
        Locale::English => Err(Code::AmbiguousDate),
    }
}

fn serial(number: i64) -> Result<NaiveDate, Code> {
    let epoch = NaiveDate::from_ymd_opt(1899, 12, 30).ok_or(Code::InvalidDate)?;
    let days = u64::try_from(number).ok().filter(|_| (FIRST_SERIAL..=2_958_465).contains(&number));
    days.and_then(|days| epoch.checked_add_days(Days::new(days))).ok_or(Code::InvalidDate)
}

/// The code of a label in either language, or the code itself. A label with different meanings in
/// Spanish and English has that of the file's language.
fn code(text: &str, field: &str, choices: &[Choice], locale: Locale) -> Result<String, Violation> {
    let wanted = fold(text);
    let as_code = |choice: &&Choice| fold(&choice.code).replace('_', "-") == wanted.replace([' ', '_'], "-");
    let other = if locale == Locale::Spanish { Locale::English } else { Locale::Spanish };
    let labelled = |locale| move |choice: &&Choice| fold(choice.label(locale)) == fold(text);
    let found = choices.iter().find(labelled(locale));
    let found =
        found.or_else(|| choices.iter().find(as_code)).or_else(|| choices.iter().find(labelled(other)));
    found.map(|choice| choice.code.clone()).ok_or_else(|| {
        let allowed: Vec<&str> = choices.iter().map(|choice| choice.label(locale)).collect();
        Violation::new(field, Code::UnknownValue).with("allowed", allowed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cell: Cell, shape: FieldShape, locale: Locale) -> Result<Value, &'static str> {
        value_of(&cell, "field", &shape, locale).map_err(|violation| violation.code.as_str())
    }

    fn texts(shape: &FieldShape, locale: Locale, table: &[(&str, Result<Value, &'static str>)]) {
        for (text, expected) in table {
            let found = read(Cell::Text((*text).into()), shape.clone(), locale);
            assert_eq!(&found, expected, "{text:?} in {}", locale.code());
        }
    }

    #[test]
    fn numbers_are_read_in_both_notations_and_ambiguous_ones_are_refused() {
        texts(
            &FieldShape::Integer,
            Locale::Spanish,
            &[
                ("2026", Ok(json!(2026))),
                (" -3 ", Ok(json!(-3))),
                ("2026,0", Ok(json!(2026))),
                ("", Ok(Value::Null)),
                ("2.026", Err("NOT_NUMERIC")),
                ("dos", Err("NOT_NUMERIC")),
            ],
        );
        texts(
            &FieldShape::Decimal,
            Locale::Spanish,
            &[
                ("8,7", Ok(json!(8.7))),
                ("8.7", Ok(json!(8.7))),
                ("1,234", Ok(json!(1.234))),
                ("1.234", Err("AMBIGUOUS_NUMBER")),
                ("1.234,5", Err("NOT_NUMERIC")),
                ("1e3", Err("NOT_NUMERIC")),
                ("nan", Err("NOT_NUMERIC")),
            ],
        );
        texts(
            &FieldShape::Decimal,
            Locale::English,
            &[("1.234", Ok(json!(1.234))), ("1,234", Err("AMBIGUOUS_NUMBER"))],
        );
        texts(
            &FieldShape::Integers,
            Locale::Spanish,
            &[("3, 4", Ok(json!([3, 4]))), ("3;4", Ok(json!([3, 4]))), ("3,x", Err("NOT_NUMERIC"))],
        );
        assert_eq!(read(Cell::Decimal(7.0), FieldShape::Integer, Locale::Spanish), Ok(json!(7)));
        assert_eq!(read(Cell::Decimal(7.5), FieldShape::Integer, Locale::Spanish), Err("NOT_NUMERIC"));
        assert_eq!(read(Cell::Integer(7), FieldShape::Text, Locale::Spanish), Ok(json!("7")));
    }

    #[test]
    fn an_error_of_a_formula_is_no_value() {
        for shape in [FieldShape::Text, FieldShape::Integer] {
            texts(
                &shape,
                Locale::Spanish,
                &[(" #N/A ", Err("FAILED_FORMULA")), ("#DIV/0!", Err("FAILED_FORMULA"))],
            );
        }
        texts(&FieldShape::Text, Locale::Spanish, &[("#1", Ok(json!("#1")))]);
    }

    #[test]
    fn days_are_read_in_three_notations() {
        let day = Ok(json!("2026-11-23"));
        for text in ["2026-11-23", "23/11/2026", "23-11-2026", "23.11.2026", "46349", "2026-11-23 10:00:00"] {
            texts(&FieldShape::Date, Locale::Spanish, &[(text, day.clone())]);
            texts(&FieldShape::Date, Locale::English, &[(text, day.clone())]);
        }
        texts(
            &FieldShape::Date,
            Locale::Spanish,
            &[
                ("3/4/2026", Ok(json!("2026-04-03"))),
                ("11/23/2026", Err("INVALID_DATE")),
                ("30/2/2026", Err("INVALID_DATE")),
                ("3/4/26", Err("INVALID_DATE")),
                ("2026", Err("INVALID_DATE")),
                ("ayer", Err("INVALID_DATE")),
            ],
        );
        texts(
            &FieldShape::Date,
            Locale::English,
            &[
                ("11/23/2026", day.clone()),
                ("3/4/2026", Err("AMBIGUOUS_DATE")),
                ("4/4/2026", Ok(json!("2026-04-04"))),
            ],
        );
        assert_eq!(read(Cell::Integer(46_349), FieldShape::Date, Locale::English), day);
        let day = NaiveDate::from_ymd_opt(2026, 11, 23).unwrap();
        assert_eq!(read(Cell::Date(day), FieldShape::Date, Locale::English), Ok(json!("2026-11-23")));
    }

    #[test]
    fn flags_and_codes_are_read_in_both_languages() {
        for text in ["Sí", "si", "SI", "yes", "TRUE", "verdadero", "1", "x"] {
            texts(&FieldShape::Flag, Locale::Spanish, &[(text, Ok(json!(true)))]);
        }
        texts(&FieldShape::Flag, Locale::English, &[("No", Ok(json!(false))), ("maybe", Err("NOT_A_FLAG"))]);
        assert_eq!(read(Cell::Flag(false), FieldShape::Flag, Locale::English), Ok(json!(false)));
        let choice = |code: &str, spanish: &str, english: &str| Choice {
            code: code.into(),
            spanish: spanish.into(),
            english: english.into(),
        };
        let choices = vec![
            choice("SCI_FI", "Ciencia ficción", "Science fiction"),
            choice("DRAMA", "Drama", "Play"),
            choice("GAME", "Play", "Game"),
        ];
        let one = FieldShape::Code(choices.clone());
        for text in ["ciencia ficcion", "Science Fiction", "SCI_FI", "sci-fi"] {
            texts(&one, Locale::Spanish, &[(text, Ok(json!("SCI_FI")))]);
        }
        texts(&one, Locale::Spanish, &[("play", Ok(json!("GAME"))), ("x", Err("UNKNOWN_VALUE"))]);
        texts(&one, Locale::English, &[("play", Ok(json!("DRAMA")))]);
        let several = FieldShape::Codes(choices);
        texts(
            &several,
            Locale::English,
            &[("Drama; science fiction", Ok(json!(["DRAMA", "SCI_FI"]))), ("Drama, x", Err("UNKNOWN_VALUE"))],
        );
    }
}
