//! Searching a list: a folded substring of what a row shows.

use domain_kernel::fold;
use sea_orm::DbBackend;

use crate::db::sql::{Sql, like_pattern, match_phrase};

/// What a search looks for.
#[derive(Debug)]
pub(crate) enum Search {
    Nothing,
    /// Three letters and more: the trigram index.
    Indexed(String),
    /// One or two letters: every text.
    Short(String),
}

impl Search {
    pub(crate) fn of(text: Option<&str>) -> Self {
        match text.map(fold).filter(|text| !text.is_empty()) {
            None => Self::Nothing,
            Some(text) if text.chars().count() < 3 => Self::Short(text),
            Some(text) => Self::Indexed(text),
        }
    }

    /// The folded text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Indexed(text) | Self::Short(text) => Some(text),
        }
    }

    /// A query for the ids of the rows of `table` that are found, in its search index where it can be used.
    pub(crate) fn push_ids(&self, sql: &mut Sql, backend: DbBackend, table: &str) {
        if let (Self::Indexed(text), DbBackend::Sqlite) = (self, backend) {
            sql.push(&format!("SELECT rowid FROM {table}_search WHERE {table}_search MATCH "));
            sql.bind(match_phrase(text));
        } else {
            sql.push(&format!("SELECT f.id FROM {table} f WHERE "));
            self.push_match(sql, backend, "f");
        }
    }

    /// The condition that the row `alias` is found.
    pub(crate) fn push_match(&self, sql: &mut Sql, backend: DbBackend, alias: &str) {
        let Some(text) = self.text() else {
            sql.push("1 = 1");
            return;
        };
        if backend == DbBackend::Sqlite {
            sql.push(&format!("instr({alias}.search_text, ")).bind(text).push(") > 0");
        } else {
            sql.push(&format!("{alias}.search_text LIKE ")).bind(like_pattern(text)).push(r" ESCAPE '\'");
        }
    }
}
