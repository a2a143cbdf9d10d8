//! How a run writes entries: new ones, and those that it has found again.

use domain_kernel::{Enumeration, Id, fold};
use domain_live::{diff::EntryChange, entry::Entry};
use sea_orm::{ActiveValue::Set, DbErr};

use super::{changed_rows, text_of};
use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::playlist_entries as entries,
};

/// Characters of a text that rows are found by.
const LONGEST_KEY: usize = 500;

fn search_text(entry: &Entry) -> String {
    let texts = [Some(entry.name.as_str()), entry.guide_id(), entry.groups.first().map(String::as_str)];
    texts.into_iter().flatten().map(fold).collect::<Vec<_>>().join("\n")
}

/// The first group, as far as it is a key: PostgreSQL's indexes take some 2,700 bytes.
fn group_name(entry: &Entry) -> String {
    entry.groups.first().map(|group| group.chars().take(LONGEST_KEY).collect()).unwrap_or_default()
}

/// By what entries are compared, where it fits into an index.
fn compared(text: Option<String>) -> Option<String> {
    text.filter(|text| text.chars().count() <= LONGEST_KEY)
}

/// A new entry of a source; `candidates` are missing entries that it may be.
pub(super) fn new_entry(source: Id, entry: &Entry, candidates: &[Id]) -> Result<entries::ActiveModel, DbErr> {
    Ok(entries::ActiveModel {
        source_id: Set(source),
        change: Set(EntryChange::New.code().to_owned()),
        ignored: Set(false),
        in_use: Set(false),
        radio: Set(entry.is_radio()),
        group_name: Set(group_name(entry)),
        search_text: Set(search_text(entry)),
        content: Set(text_of(entry)?),
        guide_id: Set(compared(entry.guide_id().map(str::to_owned))),
        name_and_number: Set(compared(entry.name_and_number())),
        candidates: Set(if candidates.is_empty() { None } else { Some(text_of(&candidates)?) }),
        ..<entries::ActiveModel as Default>::default()
    })
}

/// Writes what entries are now. `column1`, `column2`, … are what both databases call the columns of `VALUES`.
pub(super) async fn see(
    transaction: &Transaction,
    entries: &[(Id, &Entry, domain_live::diff::Sign)],
) -> Result<(), DbErr> {
    let mut sql = Sql::new(
        "UPDATE playlist_entries SET content = v.column2, radio = v.column3, group_name = v.column4, \
         search_text = v.column5, sign = v.column6, guide_id = v.column7, \
         name_and_number = v.column8, missing_since = NULL, change = CASE WHEN NOT in_use THEN 'NEW' \
         WHEN v.column2 = applied THEN 'UNCHANGED' ELSE 'CHANGED' END FROM (VALUES ",
    );
    for (index, (id, entry, sign)) in entries.iter().enumerate() {
        sql.push(if index == 0 { "(" } else { ", (" });
        sql.bind(*id).push(", ").bind(text_of(*entry)?).push(", ").bind(entry.is_radio()).push(", ");
        sql.bind(group_name(entry)).push(", ");
        sql.bind(search_text(entry)).push(", ").bind(sign.code()).push(", ");
        sql.bind(compared(entry.guide_id().map(str::to_owned))).push(", ");
        sql.bind(compared(entry.name_and_number())).push(")");
    }
    sql.push(") AS v WHERE playlist_entries.id = v.column1");
    changed_rows(transaction, sql).await.map(drop)
}
