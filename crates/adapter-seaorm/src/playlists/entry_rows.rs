//! Writes of entries by a run: new ones, and those found again.

use domain_kernel::{Enumeration, Id, fold};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
};
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbBackend, DbErr, Value};

use super::{changed_rows, text_of};
use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::playlist_entries as entries,
};

/// Maximum characters of an index key.
const LONGEST_KEY: usize = 500;

fn search_text(entry: &Entry) -> String {
    let texts = [Some(entry.name.as_str()), entry.guide_id()];
    let groups = entry.groups.iter().map(String::as_str);
    texts.into_iter().flatten().chain(groups).map(fold).collect::<Vec<_>>().join("\n")
}

/// The first group, truncated as an index key: PostgreSQL's indexes allow some 2,700 bytes.
fn group_name(entry: &Entry) -> String {
    entry.groups.first().map(|group| group.chars().take(LONGEST_KEY).collect()).unwrap_or_default()
}

/// The groups after the first one as a JSON array. They are no index key.
fn further_groups(entry: &Entry) -> Result<Option<String>, DbErr> {
    let further = entry.groups.get(1..).filter(|groups| !groups.is_empty());
    further.map(|groups| text_of(&groups)).transpose()
}

/// Value for comparisons of entries, if it fits into an index.
fn compared(text: Option<String>) -> Option<String> {
    text.filter(|text| text.chars().count() <= LONGEST_KEY)
}

/// A new entry of a source; `candidates` are missing entries that may be the same.
pub(super) fn new_entry(source: Id, entry: &Entry, candidates: &[Id]) -> Result<entries::ActiveModel, DbErr> {
    Ok(entries::ActiveModel {
        source_id: Set(source),
        change: Set(EntryChange::New.code().to_owned()),
        ignored: Set(false),
        in_use: Set(false),
        radio: Set(entry.is_radio()),
        group_name: Set(group_name(entry)),
        further_groups: Set(further_groups(entry)?),
        search_text: Set(search_text(entry)),
        content: Set(text_of(entry)?),
        guide_id: Set(compared(entry.guide_id().map(str::to_owned))),
        name_and_number: Set(compared(entry.name_and_number())),
        candidates: Set(if candidates.is_empty() { None } else { Some(text_of(&candidates)?) }),
        ..<entries::ActiveModel as Default>::default()
    })
}

/// Columns written for every entry found again. None of them is in an index.
const SEEN: &str =
    "content = v.column2, radio = v.column3, search_text = v.column5, sign = v.column6, missing_since = NULL";
/// Condition that no column in an index or in its condition differs, besides `change`. The group is
/// never NULL.
const SAME_KEYS: &str = "group_name = v.column4 AND guide_id IS NOT DISTINCT FROM v.column7 \
     AND name_and_number IS NOT DISTINCT FROM v.column8 AND further_groups IS NOT DISTINCT FROM v.column9";

/// Change of an entry with this content against its channel.
fn change_with(content: &str) -> String {
    format!("CASE WHEN NOT in_use THEN 'NEW' WHEN {content} = applied THEN 'UNCHANGED' ELSE 'CHANGED' END")
}

/// Updates these columns of entries that match the condition.
fn update_of(entries: &[(Id, &Entry, Sign)], set: &str, condition: &str) -> Result<Sql, DbErr> {
    let mut sql = Sql::new(format!("UPDATE playlist_entries SET {set}"));
    let mut rows: Vec<[Value; 9]> = Vec::with_capacity(entries.len());
    for (id, entry, sign) in entries {
        rows.push([
            (*id).into(),
            text_of(*entry)?.into(),
            entry.is_radio().into(),
            group_name(entry).into(),
            search_text(entry).into(),
            sign.code().into(),
            compared(entry.guide_id().map(str::to_owned)).into(),
            compared(entry.name_and_number()).into(),
            further_groups(entry)?.into(),
        ]);
    }
    sql.push_from_values(rows).push(" WHERE playlist_entries.id = v.column1").push(condition);
    Ok(sql)
}

/// Writes the current entries. SQLite writes all indexes with a column in `SET`, even for equal
/// values: keys are only set if one differs, and `change` if it differs. PostgreSQL compares the
/// values, and each further statement would create another version of the row.
pub(super) async fn see(transaction: &Transaction, entries: &[(Id, &Entry, Sign)]) -> Result<(), DbErr> {
    let change = change_with("v.column2");
    let all = format!(
        "{SEEN}, group_name = v.column4, guide_id = v.column7, name_and_number = v.column8, \
         further_groups = v.column9, change = {change}"
    );
    if transaction.get_database_backend() != DbBackend::Sqlite {
        return changed_rows(transaction, update_of(entries, &all, "")?).await.map(drop);
    }
    let with_same_keys = update_of(entries, SEEN, &format!(" AND {SAME_KEYS}"))?;
    let with_same_keys = changed_rows(transaction, with_same_keys).await?;
    if with_same_keys < entries.len() as u64 {
        let rest = update_of(entries, &all, &format!(" AND NOT ({SAME_KEYS})"))?;
        changed_rows(transaction, rest).await?;
    }
    if with_same_keys > 0 {
        let change = change_with("content");
        let mut sql = Sql::new(format!("UPDATE playlist_entries SET change = {change} WHERE id IN ("));
        sql.bind_all(entries.iter().map(|(id, ..)| *id)).push(&format!(") AND change <> {change}"));
        changed_rows(transaction, sql).await?;
    }
    Ok(())
}
