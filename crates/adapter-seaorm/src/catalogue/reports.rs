//! Reports about content that was merged into another.

use domain_issues::{AuthorKind, HistoryAction, IssueContentType, seen_in_group};
use domain_kernel::{Enumeration, Id, Kind, fold};
use ports::Edit;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{LockType, OnConflict},
};

use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::issue_items,
};

/// An item of a kind: its id, and what it is called.
pub(super) type NamedItem<'a> = (Id, &'a str);

/// Makes the reports about one item be about another of the same kind, and writes it down in their histories. Triggers keep
/// the numbers of both groups.
pub(super) async fn move_reports(
    transaction: &Transaction,
    kind: Kind,
    from: NamedItem<'_>,
    to: NamedItem<'_>,
    edit: &Edit,
) -> Result<(), DbErr> {
    for content_type in IssueContentType::ALL.iter().filter(|one| one.kind() == kind) {
        move_reports_of(transaction, *content_type, from, to, edit).await?;
    }
    Ok(())
}

async fn move_reports_of(
    transaction: &Transaction,
    content_type: IssueContentType,
    (from, was_called): NamedItem<'_>,
    (to, title): NamedItem<'_>,
    edit: &Edit,
) -> Result<(), DbErr> {
    let backend = transaction.get_database_backend();
    let key = |id: Id| format!("{}/{id}", content_type.code());
    // As other writers of its reports hold it.
    let group = issue_items::Entity::find()
        .filter(issue_items::Column::ItemKey.eq(key(from)))
        .lock(LockType::Update)
        .one(transaction)
        .await?;
    let Some(issue_items::Model { id: group, .. }) = group else { return Ok(()) };
    let row = issue_items::ActiveModel {
        content_type: Set(content_type.code().to_owned()),
        content_id: Set(Some(to)),
        title: Set(title.to_owned()),
        item_key: Set(key(to)),
        search_text: Set(searched(title, content_type)),
        ..issue_items::ActiveModel::default()
    };
    let renamed = OnConflict::column(issue_items::Column::ItemKey)
        .update_columns([issue_items::Column::Title, issue_items::Column::SearchText])
        .to_owned();
    let mut insert = issue_items::Entity::insert(row).on_conflict(renamed).into_query();
    let row = transaction.query_one(insert.returning_col(issue_items::Column::Id)).await?;
    let target: Id = row
        .ok_or_else(|| DbErr::Custom("an item is gone in its own transaction".into()))?
        .try_get("", "id")?;
    let mut history = Sql::new(
        "INSERT INTO issue_history (report_id, action, actor, actor_kind, note, entry_date) SELECT r.id, ",
    );
    history.bind(HistoryAction::Changed.code()).push(", ");
    history.bind(edit.by.as_ref().map(ToString::to_string).unwrap_or_default()).push(", ");
    history.bind(AuthorKind::Staff.code()).push(", ");
    history.bind(format!("{was_called} ({from}) → {title} ({to})")).push(", ").bind(edit.at);
    history.push(" FROM issue_reports r WHERE r.item_id = ").bind(group);
    transaction.execute_raw(history.statement(backend)).await?;
    let mut moved = Sql::new("UPDATE issue_reports SET item_id = ");
    moved.bind(target).push(", content_id = ").bind(to);
    moved.push(", version = version + 1, updated_date = ").bind(edit.at);
    moved.push(" WHERE item_id = ").bind(group);
    transaction.execute_raw(moved.statement(backend)).await.map(drop)
}

/// What search finds a group by.
fn searched(title: &str, content_type: IssueContentType) -> String {
    seen_in_group(title, content_type).lines().map(fold).collect::<Vec<_>>().join("\n")
}
