//! Searches of a list: a folded substring of the visible texts of a row.

use domain_kernel::fold;
use sea_orm::DbBackend;

use crate::db::sql::{Sql, match_phrase};

/// The text of a search.
#[derive(Debug)]
pub(crate) enum Search {
    Nothing,
    /// Three letters or more: by the trigram index.
    Indexed(String),
    /// Either of two such texts.
    Either(String, String),
    /// One or two letters: reads every text.
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

    /// The search for this text or another folded text, if both are in the trigram index.
    pub(crate) fn or(self, other: Option<String>) -> Self {
        match (self, other) {
            (Self::Indexed(text), Some(other)) if other != text && other.chars().count() >= 3 => {
                Self::Either(text, other)
            }
            (search, _) => search,
        }
    }

    /// The folded text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Indexed(text) | Self::Either(text, _) | Self::Short(text) => Some(text),
        }
    }

    /// The phrases for FTS5, if the search index can be used.
    fn phrases(&self) -> Option<String> {
        match self {
            Self::Indexed(text) => Some(match_phrase(text)),
            Self::Either(text, other) => Some(format!("{} OR {}", match_phrase(text), match_phrase(other))),
            Self::Nothing | Self::Short(_) => None,
        }
    }

    /// A query for the IDs of the matching rows of `table`, by its search index if possible.
    pub(crate) fn push_ids(&self, sql: &mut Sql, backend: DbBackend, table: &str) {
        if let (Some(phrases), DbBackend::Sqlite) = (self.phrases(), backend) {
            sql.push(&format!("SELECT rowid FROM {table}_search WHERE {table}_search MATCH "));
            sql.bind(phrases);
        } else {
            sql.push(&format!("SELECT f.id FROM {table} f WHERE "));
            self.push_match(sql, backend, "f");
        }
    }

    /// The condition that the row `alias` matches.
    pub(crate) fn push_match(&self, sql: &mut Sql, backend: DbBackend, alias: &str) {
        let Some(text) = self.text() else {
            sql.push("1 = 1");
            return;
        };
        let push = |sql: &mut Sql, text: &str| {
            if backend == DbBackend::Sqlite {
                sql.push(&format!("instr({alias}.search_text, ")).bind(text).push(") > 0");
            } else {
                sql.push_like(&format!("{alias}.search_text"), text);
            }
        };
        if let Self::Either(_, other) = self {
            sql.push("(");
            push(sql, text);
            sql.push(" OR ");
            push(sql, other);
            sql.push(")");
        } else {
            push(sql, text);
        }
    }
}
