//! Writes of entries by a run: new ones, and those found again.

use domain_kernel::{Enumeration, Id, fold};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, Value,
    sea_query::{BinOper, Expr, ExprTrait, Query, UpdateStatement},
};

use super::text_of;
use crate::{
    db::{
        sql::{of, values_as_v},
        transaction::Transaction,
    },
    entities::playlist_entries::{ActiveModel, Column, Entity},
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
pub(super) fn new_entry(source: Id, entry: &Entry, candidates: &[Id]) -> Result<ActiveModel, DbErr> {
    Ok(ActiveModel {
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
        ..<ActiveModel as Default>::default()
    })
}

/// Columns written for every entry found again. None of them is in an index.
fn seen() -> Vec<(Column, Expr)> {
    vec![
        (Column::Content, of("v", "column2")),
        (Column::Radio, of("v", "column3")),
        (Column::SearchText, of("v", "column5")),
        (Column::Sign, of("v", "column6")),
        (Column::MissingSince, Expr::null()),
    ]
}

/// The columns in an index or in its condition, besides `change`.
fn keys() -> Vec<(Column, Expr)> {
    vec![
        (Column::GroupName, of("v", "column4")),
        (Column::GuideId, of("v", "column7")),
        (Column::NameAndNumber, of("v", "column8")),
        (Column::FurtherGroups, of("v", "column9")),
    ]
}

/// Condition that no column of [`keys`] differs.
fn has_same_keys() -> Condition {
    let is_same = |(column, value)| Expr::col(column).binary(BinOper::Custom("IS NOT DISTINCT FROM"), value);
    keys().into_iter().map(is_same).fold(Condition::all(), Condition::add)
}

/// Change of an entry with this content against its channel.
fn change_with(content: Expr) -> Expr {
    Expr::case(Expr::col(Column::InUse).not(), EntryChange::New.code())
        .case(content.eq(Expr::col(Column::Applied)), EntryChange::Unchanged.code())
        .finally(EntryChange::Changed.code())
        .into()
}

/// Updates these columns of entries.
fn update_of(entries: &[(Id, &Entry, Sign)], set: Vec<(Column, Expr)>) -> Result<UpdateStatement, DbErr> {
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
    Ok(Query::update()
        .table(Entity)
        .values(set)
        .from(values_as_v(rows))
        .and_where(of("playlist_entries", Column::Id).eq(of("v", "column1")))
        .take())
}

/// Writes the current entries. SQLite writes all indexes with a column in `SET`, even for equal
/// values: keys are only set if one differs, and `change` if it differs. PostgreSQL compares the
/// values, and each further statement would create another version of the row.
pub(super) async fn see(transaction: &Transaction, entries: &[(Id, &Entry, Sign)]) -> Result<(), DbErr> {
    let change = (Column::Change, change_with(of("v", "column2")));
    let all = [seen(), keys(), vec![change]].concat();
    if transaction.get_database_backend() != DbBackend::Sqlite {
        return transaction.execute(&update_of(entries, all)?).await.map(drop);
    }
    let mut with_same_keys = update_of(entries, seen())?;
    let with_same_keys = transaction.execute(with_same_keys.cond_where(has_same_keys())).await?;
    let with_same_keys = with_same_keys.rows_affected();
    if with_same_keys < entries.len() as u64 {
        let mut rest = update_of(entries, all)?;
        transaction.execute(rest.cond_where(has_same_keys().not())).await?;
    }
    if with_same_keys > 0 {
        let change = change_with(Expr::col(Column::Content));
        let update = Query::update()
            .table(Entity)
            .value(Column::Change, change.clone())
            .and_where(Column::Id.is_in(entries.iter().map(|(id, ..)| *id)))
            .and_where(Expr::col(Column::Change).ne(change))
            .take();
        transaction.execute(&update).await?;
    }
    Ok(())
}
