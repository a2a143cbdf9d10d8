//! Cells of spreadsheets.

use chrono::{NaiveDate, NaiveDateTime};
use serde_json::{Value, json};

use crate::Locale;

/// Stored format of a time.
const TIME_FORMAT: &str = "%Y-%m-%d %H:%M:%S%.f";

/// Value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Empty,
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Decimal(f64),
    /// Boolean.
    Flag(bool),
    /// A day.
    Date(NaiveDate),
    /// A time in the time zone of the service.
    Moment(NaiveDateTime),
}

impl Cell {
    /// The cell as a text, with the decimal separator of the language. Numbers are never escaped as formulas.
    pub fn text(&self, locale: Locale) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Decimal(number) if locale == Locale::Spanish => number.to_string().replace('.', ","),
            Self::Decimal(number) => number.to_string(),
            Self::Flag(flag) => yes_or_no(*flag, locale).to_owned(),
            Self::Date(date) => date.format("%Y-%m-%d").to_string(),
            Self::Moment(moment) => moment.format("%Y-%m-%d %H:%M:%S").to_string(),
        }
    }

    /// Whether the cell is empty or blank.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }

    /// The cell as JSON, the storage format of file rows.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::Text(text) => json!(text),
            Self::Integer(number) => json!(number),
            Self::Decimal(number) => json!(number),
            Self::Flag(flag) => json!(flag),
            Self::Date(date) => json!({ "date": date.to_string() }),
            Self::Moment(moment) => json!({ "moment": moment.format(TIME_FORMAT).to_string() }),
        }
    }

    /// The cell of this JSON.
    pub fn from_json(json: &Value) -> Self {
        let text = |name: &str| json[name].as_str().unwrap_or_default();
        match json {
            Value::String(text) => Self::Text(text.clone()),
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Number(number) => number
                .as_i64()
                .map_or_else(|| number.as_f64().map_or(Self::Empty, Self::Decimal), Self::Integer),
            Value::Object(_) => {
                let date = text("date").parse().ok().map(Self::Date);
                let moment =
                    || NaiveDateTime::parse_from_str(text("moment"), TIME_FORMAT).ok().map(Self::Moment);
                date.or_else(moment).unwrap_or(Self::Empty)
            }
            Value::Null | Value::Array(_) => Self::Empty,
        }
    }
}

/// A row of a spreadsheet file.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetRow {
    /// Row number in the file, from 1.
    pub number: i64,
    /// Cells, from the first column on.
    pub cells: Vec<Cell>,
}

/// Label of a boolean.
pub const fn yes_or_no(flag: bool, locale: Locale) -> &'static str {
    match (flag, locale) {
        (true, Locale::Spanish) => "Sí",
        (true, Locale::English) => "Yes",
        (false, _) => "No",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_texts_of_their_language() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
        for (cell, spanish, english) in [
            (Cell::Empty, "", ""),
            (Cell::Text("=1".into()), "=1", "=1"),
            (Cell::Integer(-3), "-3", "-3"),
            (Cell::Decimal(8.7), "8,7", "8.7"),
            (Cell::Decimal(8.0), "8", "8"),
            (Cell::Flag(true), "Sí", "Yes"),
            (Cell::Flag(false), "No", "No"),
            (Cell::Date(day), "2026-11-03", "2026-11-03"),
            (Cell::Moment(day.and_hms_opt(9, 5, 0).unwrap()), "2026-11-03 09:05:00", "2026-11-03 09:05:00"),
        ] {
            assert_eq!(
                (cell.text(Locale::Spanish).as_str(), cell.text(Locale::English).as_str()),
                (spanish, english)
            );
            let kept = Cell::from_json(&cell.to_json());
            assert_eq!(kept.text(Locale::Spanish), spanish, "{kept:?}");
        }
    }
}
