//! Entries of playlists that were stored before migration 145 are found by their further groups, like
//! those that are read since.

use sea_orm::{JsonValue, Statement, Value};
use sea_orm_migration::prelude::*;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Entries per batch.
const AT_ONCE: i64 = 2_000;

/// Folds a text as the program does in this version, which writes `search_text` of every entry that a run
/// finds again.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            // "İ" lower-cases into "i" and a dot above.
            _ if is_combining_mark(c) => {}
            _ if c.is_whitespace() || c.is_control() => folded.push(' '),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'þ' => folded.push_str("th"),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            '’' | '‘' | 'ʼ' => folded.push('\''),
            other => folded.push(other),
        }
    }
    folded.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A line for each of these groups, a JSON array.
fn lines(groups: &str) -> Option<String> {
    let groups: JsonValue = groups.parse().ok()?;
    let groups = groups.as_array()?.iter().filter_map(JsonValue::as_str);
    Some(groups.flat_map(|group| ["\n".to_owned(), fold(group)]).collect())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        let mut after = 0_i64;
        loop {
            let find = format!(
                "SELECT id, further_groups, search_text FROM playlist_entries \
                 WHERE further_groups IS NOT NULL AND id > {after} ORDER BY id LIMIT {AT_ONCE}"
            );
            let rows = db.query_all_raw(Statement::from_string(backend, find)).await?;
            if rows.is_empty() {
                return Ok(());
            }
            let (mut places, mut values) = (Vec::new(), Vec::new());
            for row in rows {
                after = row.try_get("", "id")?;
                let (groups, searched): (String, String) =
                    (row.try_get("", "further_groups")?, row.try_get("", "search_text")?);
                let Some(lines) = lines(&groups).filter(|lines| !searched.ends_with(lines.as_str())) else {
                    continue;
                };
                places.push(format!("(${}, ${})", values.len() + 1, values.len() + 2));
                values.extend([Value::from(after), Value::from(format!("{searched}{lines}"))]);
            }
            if values.is_empty() {
                continue;
            }
            let set = format!(
                "UPDATE playlist_entries SET search_text = v.column2 FROM (VALUES {}) AS v \
                 WHERE playlist_entries.id = v.column1",
                places.join(", ")
            );
            db.execute_raw(Statement::from_sql_and_values(backend, set, values)).await?;
        }
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        // The next run of a source writes the texts anew.
        Ok(())
    }
}
